"""Tables of Markdown, with cells between pipes."""

import re

from irmeta.io.tables.printed import hypertext, latex
from irmeta.io.tables.printed.grid import Cell, Grid, spread

_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+(?:\|\s*+)?")
_PIPE = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\[\]]*)\](\([^()]*\)|\[[^\[\]]*\])")
_NOTE = re.compile(r"\[\^[^\[\]]*\]")
_POWER = re.compile(r"\^([^\s^{}]+)\^")
_STRESS = re.compile(r"(\*\*|__|\*|(?<!\w)_(?!\{)|`|~~)(\S|\S.*?\S)\1")
_MATH = re.compile(r"\$([^$]+)\$")


def grids(text: str) -> list[Grid]:
    """Return the tables of a document, in order: a header, a line of dashes with a pipe, and the rows below it."""
    lines = text.splitlines()
    made = []
    for at in range(1, len(lines)):
        is_rule = "|" in lines[at] and "-" in lines[at] and _RULE.fullmatch(lines[at])
        if not is_rule or "|" not in lines[at - 1]:
            continue
        end = at + 1
        while end < len(lines) and "|" in lines[end]:
            end += 1
        numbers = [at, *range(at + 2, end + 1)]
        rows = [[Cell(plain(cell)) for cell in _cells(lines[n - 1])] for n in numbers]
        made.append(Grid(spread(rows, shifted=False), numbers, 1, ""))
    return made


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return _PIPE.split(inner)


def plain(cell: str) -> str:
    r"""Return the text of a cell.

    >>> plain("**0.43**<sup>†</sup>"), plain("[BM25](http://x.org)[^1]"), plain(r"0.43\*")
    ('0.43^{†}', 'BM25', '0.43*')
    """
    text = _MATH.sub(lambda math: latex.plain(math[1]), cell)
    text = _LINK.sub(r"\1", _NOTE.sub("", text))
    for _ in range(3):  # bold italic code
        text = _STRESS.sub(r"\2", text)
    text = _POWER.sub(r"^{\1}", re.sub(r"\\([^\w\s])", r"\1", text))
    return " ".join(hypertext.plain(text).split())
