"""The door: routes, who may come in, and what comes."""
