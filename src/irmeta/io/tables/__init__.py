"""Score tables that users already have, as cubes."""
