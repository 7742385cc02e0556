"""The papers, re-run: a module for each paper, with `reproduce(data)`, the published figures beside ours.

Its cells come in parts, each with the data sets that it needs (`parts.py`).
"""
