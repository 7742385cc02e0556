"""Head to head with packages that promise some of the same for any scores: who holds what, where, and how widely."""
