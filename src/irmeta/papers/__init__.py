"""The papers, re-run: one module a paper, each with `reproduce(data)`, the published figures beside ours.

`NEEDS` names the public collections that it reads.
"""
