"""Scores of all topics on one scale, and whether scores compare between collections."""
