"""The papers, re-run: a module for each paper, with `reproduce(data)`, the published figures beside ours.

`NEEDS` names the public collections that it reads.
"""
