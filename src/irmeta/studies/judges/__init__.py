"""Whose judgments rank systems as people do, and how few of people's suffice."""
