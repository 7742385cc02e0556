"""Scores by item, as programs that evaluate answers of language models write them, as cubes."""
