"""What is told of comparisons when flagged topics go: which verdicts survive, and how differences change."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import intervals, signed
from irmeta.scores.result import frame
from irmeta.studies.differences.versus.pairs import MEDIAN
from irmeta.studies.differences.without import CHANGE, change_interval, without_clause
from irmeta.words import listed

WORDS = {"better": "better than", "worse": "worse than", "-": "not distinguished from"}
"""Verdicts, as tables and sentences have them."""


def table(outcome: xr.Dataset) -> pl.DataFrame:
    """Tell of each comparison its verdict with all topics, what it is without the flagged ones, and how it changes."""
    without = [str(name) for name in outcome if str(name).startswith("without_")]
    fields = ["who", "difference", "significant", *without, *CHANGE]
    return frame(outcome, fields, by=["against", "metric"])


def verdicts(outcome: xr.Dataset, of: str = "") -> np.ndarray:
    """Return verdicts with all topics, or of="without_" the flagged ones."""
    sure, up = outcome[f"{of}significant"], outcome[f"{of}difference"] > 0
    return np.where(sure, np.where(up, "better", "worse"), "-")


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show verdicts and differences without the flagged topics, the largest change first."""
    flat = outcome.stack(pair=("metric", "against"))
    largest_first = np.argsort(-np.abs(flat["change"].values), kind="stable")
    flat = flat.isel(pair=largest_first)
    columns = {"against": flat["against"].values.tolist()}
    if outcome.sizes["metric"] > 1:
        columns["metric"] = flat["metric"].values.tolist()
    columns["diff."] = signed(flat["without_difference"].values)
    pairs = zip(verdicts(flat), verdicts(flat, "without_"), strict=True)
    columns["verdict"] = [
        new if new == old else f"{new} (was {old})" for old, new in pairs
    ]
    columns["change"] = signed(flat["change"].values)
    ends = intervals(
        flat["change_low"].values, flat["change_high"].values, differences=True
    )
    return {without_clause(outcome): pl.DataFrame(columns | {"its interval": ends})}


def sentences(one: xr.Dataset, few: int) -> Iterator[str]:
    """Say of comparisons by one metric which verdicts survive, and how differences change."""
    if one.sizes["against"] <= few:
        for at in range(one.sizes["against"]):
            yield _single_sentence(one.isel(against=at))
    else:
        yield _count_sentence(one)


def _single_sentence(one: xr.Dataset) -> str:
    """Say whether one verdict survives, and how the difference changes."""
    options = about(one)["options"]
    before, after = (str(one[name].item()) for name in ("who", "without_who"))
    other = "the median of the others" if after == MEDIAN else after
    old, new = (WORDS[verdicts(one, of).item()] for of in ("", "without_"))
    still, was = "still ", ""
    if old != new:
        still, was = "", f" (with them {old} {'it' if before == after else before})"
    metric = one.metric.item()
    said = f"{without_clause(one)}, {options['system']} is {still}{new} {other} by {metric}{was}"
    change = float(one["change"])
    if np.isnan(change):
        return f"{said}, which is then the best of the others."
    difference, moved = signed([one["without_difference"], change])
    level = f"{1 - options['alpha']:.0%}"
    return f"{said}. The difference changes to {difference}, by {moved}{change_interval(one, level)}."


def _count_sentence(one: xr.Dataset) -> str:
    """Count the verdicts that survive, and the differences that surely change."""
    same = verdicts(one) == verdicts(one, "without_")
    which = "" if same.all() else f" (not: {listed(one.against.values[~same])})"
    stay = f"{without_clause(one)}, {same.sum()} of {same.size} verdicts by {one.metric.item()} stay{which}."
    low, high = one["change_low"], one["change_high"]
    if low.isnull().all():
        return stay
    surely = int(((low > 0) | (high < 0)).sum())
    return f"{stay} The interval of the change excludes 0 for {surely} of {same.size}, each by itself."
