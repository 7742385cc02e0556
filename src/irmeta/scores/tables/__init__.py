"""Scores in tables of people: frames, and columns of names and numbers."""
