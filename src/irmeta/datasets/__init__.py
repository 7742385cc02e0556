"""Collections to try things on: simulated from a seed, or public ones."""
