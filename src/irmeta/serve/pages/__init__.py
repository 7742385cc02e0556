"""Boards to files: pages without script, data beside them, links that are relative; the same state, the same bytes."""
