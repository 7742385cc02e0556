"""What is told of comparisons when flagged topics go: which verdicts survive, and how differences change."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import intervals, short
from irmeta.scores.result import frame
from irmeta.studies.differences.versus.pairs import MEDIAN
from irmeta.studies.differences.without import CHANGE, goes, than_chance
from irmeta.words import listed

LEFT = ("difference", "low", "high", "p", "significant")
"""Figures of comparisons without the flagged topics."""


def table(outcome: xr.Dataset) -> pl.DataFrame:
    """Tell of each comparison what it is with all topics, without the flagged ones, and how it changes."""
    columns = ["who", "difference", "significant", *(f"without_{one}" for one in LEFT)]
    return frame(outcome, [*columns, *CHANGE], by=["against", "metric"])


def shown(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the verdicts and differences without the flagged topics, the largest change first."""
    flat = outcome.stack(pair=("metric", "against"))
    flat = flat.isel(pair=np.argsort(-np.abs(flat["change"].values), kind="stable"))
    columns = {"against": flat["against"].values.tolist()}
    if outcome.sizes["metric"] > 1:
        columns["metric"] = flat["metric"].values.tolist()
    columns |= {
        "diff.": [
            short(one, 3, sign=True) for one in flat["without_difference"].values
        ],
        "verdict": _verdicts(flat),
        "change": [short(one, 3, sign=True) for one in flat["change"].values],
        "interval": intervals(flat["change_low"].values, flat["change_high"].values),
        "random topics": intervals(
            flat["chance_low"].values, flat["chance_high"].values
        ),
    }
    return {goes(outcome): pl.DataFrame(columns)}


def _verdicts(flat: xr.Dataset) -> list[str]:
    """Name the verdicts without the flagged topics, and those that were others."""
    before = _named(flat["significant"].values, flat["difference"].values)
    after = _named(
        flat["without_significant"].values, flat["without_difference"].values
    )
    return [
        new if new == old else f"{new} (was {old})"
        for old, new in zip(before, after, strict=True)
    ]


def _named(sure: np.ndarray, difference: np.ndarray) -> list[str]:
    return np.where(sure, np.where(difference > 0, "better", "worse"), "-").tolist()


def sentences(one: xr.Dataset, few: int) -> Iterator[str]:
    """Say of one metric which verdicts change, and whether differences change by more than random topics bring."""
    if one.sizes["against"] <= few:
        for at in range(one.sizes["against"]):
            yield _of_one(one.isel(against=at))
    else:
        yield _of_many(one)


def _of_one(one: xr.Dataset) -> str:
    """Say whether one verdict survives."""
    options = about(one)["options"]
    other = str(one["who"].item())
    other = "the median of the others" if other == MEDIAN else other
    pair = one.expand_dims("pair")
    old, new = (
        _named(pair[sure].values, pair[difference].values)[0]
        for sure, difference in (
            ("significant", "difference"),
            ("without_significant", "without_difference"),
        )
    )
    word = {"-": "not significant", "better": "better", "worse": "worse"}
    if old == new:
        verdict = f"the verdict on {other} stays ({word[new]})"
    else:
        verdict = f"the verdict on {other} changes from {word[old]} to {word[new]}"
    low, high = float(one["without_low"]), float(one["without_high"])
    difference = short(float(one["without_difference"]), 3, sign=True)
    ends = ""
    if np.isfinite([low, high]).all():
        ends = f", {short(low, 3, sign=True)} to {short(high, 3, sign=True)}"
    return (
        f"{goes(one)}, {verdict}: by {one.metric.item()} {options['system']} scores {difference}{ends}. "
        f"{than_chance(one, 'The difference', 1 - options['alpha'])}"
    )


def _of_many(one: xr.Dataset) -> str:
    """Count the verdicts that change."""
    alpha = about(one)["options"]["alpha"]
    names = one.against.values
    before = np.array(_named(one["significant"].values, one["difference"].values))
    after = np.array(
        _named(one["without_significant"].values, one["without_difference"].values)
    )
    other = names[before != after]
    which = f" ({listed(other)})" if other.size else ""
    beyond = int((one["change_p"].values < alpha).sum())
    return (
        f"{goes(one)}, by {one.metric.item()} {other.size} of {names.size} verdicts change{which}; {beyond} of the "
        f"differences {'changes' if beyond == 1 else 'change'} by more than as many random topics bring (each by itself, "
        f"level {alpha:g})."
    )
