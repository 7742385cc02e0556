"""How reliable a collection's ranking of systems is, and how many topics it needs."""
