"""Metrics predicted from other metrics: models, intervals, and how good they are."""
