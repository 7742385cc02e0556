"""Scores of runs in a score file: written as they come, added to, and verified against runs and judgments."""
