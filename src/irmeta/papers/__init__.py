"""The papers, re-run: one module a paper, each with `cells(data, ...)`, the published figures beside ours."""
