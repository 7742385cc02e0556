"""Scores as papers print them: with marks of significance, spreads, percent signs."""

import math
import re
from decimal import Decimal

from irmeta.io.strictly import number
from irmeta.metrics.names import canonical, highest, is_known

PERCENT = 100

_RAISED = re.compile(r"[\^_]\{[^{}]*\}")
_SPREAD = re.compile(r"±|\+/-|\(|\[")
_MARKS = " †‡§¶*∗⋆★•◦∘▲▼△▽↑↓⇑⇓"
_MISSING = {"", "-", "–", "—", "−", "n/a", "na", "nan", "n.a.", "n/r"}
_THOUSAND = re.compile(r"@(\d+)k$", re.IGNORECASE)
_PERCENT = re.compile(r"\(\s*(in\s+)?%\s*\)|%")


def parse_score(cell: str) -> tuple[float, bool]:
    """Return the score in a cell, NaN where it is missing, and whether a percent sign follows it.

    What stands raised, lowered, in parentheses or behind ± is left out. Anything else raises ValueError.

    >>> parse_score("0.43^{†‡}"), parse_score("43.2% ± 0.5"), parse_score("–")[0]
    ((0.43, False), (43.2, True), nan)
    """
    text = _SPREAD.split(_RAISED.sub("", cell))[0].strip(_MARKS)
    percent = text.endswith("%")
    text = text.removesuffix("%").strip(_MARKS).replace("−", "-")
    if text.lower() in _MISSING and not any(map(str.isdigit, _RAISED.sub("", cell))):
        return math.nan, False
    value = number(text)
    if not math.isfinite(value):
        raise ValueError(f"{cell!r} is not a finite number")
    return value, percent


def format_score(value: float, *, percent: bool) -> str:
    """Write a score; percent as a part of 1, exactly; nothing where it is missing."""
    if value != value:
        return ""
    if percent:
        return str(Decimal(repr(value)) / PERCENT)
    return repr(value)


def is_score(cell: str) -> bool:
    """Say whether a cell has a number."""
    try:
        return not math.isnan(parse_score(cell)[0])
    except ValueError:
        return False


def metric_of_head(head: str) -> str | None:
    """Return the metric that the head of a column names, under irmeta's name; None for another head.

    >>> metric_of_head("NDCG@10 (%)"), metric_of_head("Recall@1k"), metric_of_head("P_{10}"), metric_of_head("Params")
    ('nDCG@10', 'R@1000', 'P@10', None)
    """
    text = re.sub(r"_\{([^{}]*)\}", r"_\1", _PERCENT.sub("", head))
    text = _RAISED.sub("", text).strip(_MARKS).replace(" ", "")
    text = _THOUSAND.sub(r"@\g<1>000", text)
    for name in (text, re.sub(r"_(\d+)$", r"@\1", text)):
        if is_known(name):
            return canonical(name)
    return None


def in_percent(head: str) -> bool:
    """Say whether the head of a column says that its scores are percent."""
    return "%" in head


def exceeds_one(metric: str, most: float) -> bool:
    """Say whether the largest score of a metric shows that its scores are percent: beyond 1, where 1 is the highest.

    >>> exceeds_one("AP", 43.2), exceeds_one("AP", 0.432), exceeds_one("AP", 432.0), exceeds_one("NumRel", 43.0)
    (True, False, False, False)
    """
    return highest(metric) == 1 < most <= PERCENT


def without_notes(text: str) -> str:
    """Return a name without marks of notes.

    >>> without_notes("BM25^{†}"), without_notes("Ours_{large}")
    ('BM25', 'Ours large')
    """
    # what stands lower is a word of the name
    lowered = re.sub(r"_\{([^{}]*)\}", r" \1", text)
    # what stands higher is a note if it is a sign or one small letter, else part of the name
    noted = re.sub(r"\^\{([^{}A-Za-z+]*|[a-z])\}", "", lowered)
    whole = re.sub(r"\^\{([^{}]*)\}", r"\1", noted)
    return " ".join(whole.strip(_MARKS).split())
