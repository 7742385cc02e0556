"""What a person reads of a result: the answer first, then the tables, then what else there is to know."""

import textwrap
from collections.abc import Sequence

import xarray as xr

from irmeta.attributes import about
from irmeta.studies import study_of

WIDTH = 80
"""Columns of a page that goes to no terminal."""


def page(result: xr.Dataset, tables: str, *, width: int | None = None) -> str:
    """Return the answer of a result, its tables as given, the other findings, and the notes."""
    findings: list[str] = study_of(result).findings(result)
    parts = [
        _wrapped(findings[:1], width),
        tables,
        _wrapped(findings[1:], width),
        _wrapped([f"Note: {note}" for note in about(result)["notes"]], width),
    ]
    return "\n".join(part for part in parts if part)


def _wrapped(lines: Sequence[str], width: int | None) -> str:
    """Fold lines between words to the width, later rows of a line set in by two."""
    folded = [textwrap.fill(line, width or WIDTH, subsequent_indent="  ", break_long_words=False) for line in lines]
    return "".join(f"{line}\n" for line in folded)
