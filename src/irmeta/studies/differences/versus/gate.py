"""Is a loss above a margin shown, or excluded, at one level for all nights of a history."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.io.nights import Comparison, Night, add_night, by_topic, read_nights
from irmeta.scores.figures import short
from irmeta.scores.limits import widest
from irmeta.stats.arrays import Floats
from irmeta.stats.tests import nights as statistics
from irmeta.words import counted

WORSE, SAFE, OPEN = "worse", "safe", "open"
"""Verdicts: a loss above the margin is shown, or excluded, or neither."""
ORDER = (WORSE, OPEN, SAFE)
"""In which order they are told."""


class Policy(NamedTuple):
    """What ends a night badly.

    margin : a loss above it is too much.  unless_safe : whether it is enough that such a loss is not excluded.
    history : the file of nights, None for a single look.
    """

    margin: float
    unless_safe: bool
    history: Path | None

    @classmethod
    def of(
        cls, margin: float | None, unless_safe: bool, history: str | Path | None
    ) -> "Policy | None":
        """Return what is asked for; None where no margin is named. Raises ScoresError for what is not possible."""
        if margin is None:
            if unless_safe or history is not None:
                raise ScoresError(
                    "name the loss that is too much (--fail-if-worse, as in 0.02)"
                )
            return None
        if not 0 <= margin < np.inf:
            raise ScoresError(
                f"the loss that is too much must be 0 or more, not {margin:g}"
            )
        return cls(margin, unless_safe, None if history is None else Path(history))


def gated(
    found: Floats,
    names: Sequence[str],
    scores: xr.DataArray,
    system: str,
    policy: Policy,
    alpha: float,
) -> tuple[Mapping[str, Any], list[str]]:
    """Return the verdicts with their figures over (against, metric), whether the night failed, and notes.

    found : differences (against, topic, metric).  A night that is new is added to the history.
    """
    rows = np.moveaxis(found, 1, 2)  # (against, metric, topic)
    shape = rows.shape[:2]
    rows = rows.reshape(-1, found.shape[1])
    metrics = [str(metric) for metric in scores.metric.values]
    pairs = [(name, metric) for name in names for metric in metrics]
    topics = [str(topic) for topic in scores.topic.values]
    tonight = _night(rows, pairs, topics, system, policy.margin)
    past = [] if policy.history is None else read_nights(policy.history)
    again = next((at for at, one in enumerate(past, 1) if one.same(tonight)), None)
    nights = [*past, tonight] if again is None else past[:again]
    limit = _limit(nights, alpha, single=policy.history is None)
    most = np.tile(widest(scores), len(names))
    bounds = statistics.bounds(rows, limit, policy.margin, most)
    verdict = np.where(bounds.possible < policy.margin, SAFE, OPEN)
    verdict = np.where(bounds.shown > policy.margin, WORSE, verdict)
    if again is None and policy.history is not None:
        for one, word in zip(tonight.comparisons, verdict, strict=True):
            one.verdict = str(word)
        add_night(policy.history, tonight)
    bad = verdict == WORSE
    if policy.unless_safe:
        bad = verdict != SAFE
    pair = ("against", "metric")
    figures = {"verdict": verdict.astype(object)} | {
        f"loss_{name}": getattr(bounds, name) for name in ("shown", "possible")
    }
    figures |= {"visible": bounds.visible, "topics_needed": bounds.topics}
    data: dict[str, Any] = {
        name: (pair, values.reshape(shape)) for name, values in figures.items()
    }
    data["failed"] = bool(bad.any())
    return data, [_note(policy, len(nights), again, alpha)]


def _night(
    rows: Floats,
    pairs: Sequence[tuple[str, str]],
    topics: Sequence[str],
    system: str,
    margin: float,
) -> Night:
    comparisons = [
        Comparison(
            against,
            metric,
            OPEN,
            {
                topic: float(value)
                for topic, value in zip(topics, row, strict=True)
                if not np.isnan(value)
            },
        )
        for (against, metric), row in zip(pairs, rows, strict=True)
    ]
    return Night(system, margin, comparisons)


def _limit(nights: list[Night], alpha: float, *, single: bool) -> float:
    """Return the limit of the last of these nights, or of a look that no other follows."""
    found = by_topic(nights)
    # the level is for 200 nights, and the next have their own
    begun = (len(nights) - 1) // statistics.NIGHTS * statistics.NIGHTS
    # always the same draws, so that the limits of earlier nights stay
    looks = statistics.Looks(found[0].shape[1], alpha, np.random.default_rng(0))
    limit = np.inf
    for night, values in zip(nights[begun:], found[begun:], strict=True):
        limit = looks.limit(values + night.margin, single=single)
    return limit


def _note(policy: Policy, night: int, again: int | None, alpha: float) -> str:
    """Say what the level is of."""
    if policy.history is None:
        return (
            f"Worse, and safe, are each meant to be false in at most {alpha:.0%} of cases, for one look; to look every "
            "night, name a file (--history nights.jsonl)."
        )
    repeated = "; the same scores as then, so this is no further look" if again else ""
    return (
        f"Night {night} of {policy.history}{repeated}. Worse, and safe, are each meant to be false in any of "
        f"{statistics.NIGHTS} nights with a chance of at most {alpha:.0%}."
    )


def sentence(one: xr.Dataset, system: str, other: str, margin: float, unit: str) -> str:
    """Say which loss by one metric is shown, excluded or still possible."""
    metric, verdict = str(one.metric.item()), str(one["verdict"].item())
    difference, digits = float(one["difference"]), _digits(margin)
    more = "more" if difference >= 0 else "less"
    size = short(abs(difference), digits)
    scores = f"by {metric} {system} scores {size} {more} than {other}"
    much = f"more than {margin:g} is too much"
    if verdict == WORSE:
        least = max(margin, _cut(float(one["loss_shown"]), np.floor, digits))
        return f"Worse: {scores}, and a loss of {short(least, digits)} or more is shown; {much}."
    possible = _cut(float(one["loss_possible"]), np.ceil, digits)
    if verdict == SAFE:
        most = min(margin, possible)
        if most <= 0:
            return f"Safe: {scores}, and any loss is excluded; {much}."
        return f"Safe: {scores}, and a loss of {short(most, digits)} or more is excluded; {much}."
    return (
        f"Cannot tell: {scores}, and a loss of up to {short(possible, digits)} is possible; {much}. "
        f"{_sees(one, unit, digits)}"
    )


def _sees(one: xr.Dataset, unit: str, digits: int) -> str:
    """Say which loss these topics show, and how many would tell."""
    count = int(one["by_topic"].notnull().sum())
    visible, needed = float(one["visible"]), float(one["topics_needed"])
    topics = f"{'This' if count == 1 else 'These'} {counted(count, unit)}"
    if np.isinf(visible):
        seen = f"{topics} cannot show that a loss is too much"
    else:
        size = short(_cut(visible, np.ceil, digits), digits)
        seen = f"{topics} can show a loss of {size} or more"
    if count < needed < np.inf:
        return (
            f"{seen}; about {rounded(needed)} would show that an equal system is safe."
        )
    return f"{seen}."


def rounded(count: float) -> int:
    """Round a number of topics up to two digits.

    >>> rounded(1234), rounded(38.2)
    (1300, 39)
    """
    unit = 10 ** max(0, int(np.floor(np.log10(max(count, 1)))) - 1)
    return int(np.ceil(count / unit) * unit)


def _digits(margin: float) -> int:
    """Return with how many decimals losses are written: 3, or one more than a small margin has."""
    if margin == 0:
        return 3
    return max(3, int(np.ceil(-np.log10(margin))) + 1)


def _cut(value: float, way: Any, digits: int) -> float:
    """Cut a loss to its decimals, down or up, so that what is claimed holds."""
    return float(way(round(value * 10**digits, 6)) / 10**digits)
