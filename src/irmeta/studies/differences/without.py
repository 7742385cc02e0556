"""Flagged topics, as contaminated or trivial ones: what becomes of means and verdicts when they go."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import OVER, about
from irmeta.scores.clusters import units
from irmeta.scores.notes import Act
from irmeta.scores.repeats import by_runs
from irmeta.scores.selection import prepare
from irmeta.stats.arrays import Floats
from irmeta.stats.tests.flagged import Topics, by_chance, half_width
from irmeta.studies.door import Given
from irmeta.words import counted, listed

WITHOUT = Given("FILE", "irmeta.io.lists.read_topics")
CHANGE = (
    "change",
    "change_low",
    "change_high",
    "change_p",
    "chance_low",
    "chance_high",
)
"""Figures of a change: with its interval, p beside as many random topics, and the middle of what these bring."""


class Flagged(NamedTuple):
    """A cube whose missing scores are dealt with, by topic; the same without the flagged topics; and what these are.

    moved : as `whole`, with scores that scatter as other runs would, where a system is a mean of runs.
    rest : as studies take it: over clusters, and moved.
    """

    whole: xr.DataArray
    moved: xr.DataArray
    rest: xr.DataArray
    topics: Topics
    notes: list[str]

    @classmethod
    def of(cls, scores: xr.DataArray, names: Sequence[str], missing: Any) -> "Flagged":
        """Take flagged topics out of scores by topic, of which none that is needed is missing.

        Raises ScoresError where no topic is flagged, or too few are left.
        """
        known = [str(name) for name in scores.topic.values]
        flagged = np.isin(known, list(names))
        where = scores.attrs.get("collection", "these scores")
        if not flagged.any():
            raise ScoresError(
                f"none of {counted(len(names), 'flagged topic')} has scores in {where}; no {names[0]!r}, "
                f"{nearest(str(names[0]), known)}"
            )
        if (~flagged).sum() < 2:
            raise ScoresError(
                f"{counted(int(flagged.sum()), 'topic')} of {len(known)} are flagged, which leaves "
                f"{int((~flagged).sum())}; at least 2 must stay"
            )
        rest, _ = prepare(
            scores.isel(topic=np.flatnonzero(~flagged)), missing=missing, pairs=True
        )
        of = units(scores)
        _, cluster, size = np.unique(of, return_inverse=True, return_counts=True)
        over = scores.attrs.get(OVER, "topics")
        weight = 1 / size[cluster] if over == "clusters" else np.ones(len(of))
        topics = Topics(flagged, weight, cluster)
        return cls(scores, by_runs(scores)[0], rest, topics, _absent(names, known))

    @property
    def options(self) -> dict[str, int]:
        """What results say of it: how many topics are flagged, of how many."""
        flagged = self.topics.flagged
        return {"without": int(flagged.sum()), "topics_of_all": flagged.size}


def _absent(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Note which flagged topics have no scores."""
    absent = [str(name) for name in names if str(name) not in known]
    if not absent:
        return []
    return [
        Act(
            f"{len(absent)} of {counted(len(names), 'flagged topic')} without scores: {listed(absent)}"
        )
    ]


def changed(
    change: Floats,
    values: Floats,
    moved: Floats,
    topics: Topics,
    level: float,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Return the figures of changes (...,) of the means of values (..., topic); moved : the same, as runs scatter."""
    half = half_width(moved, topics, level)
    chance = by_chance(values, topics, level, rng)
    ends = (change - half, change + half)
    figures = (change, *ends, chance.p, chance.low, chance.high)
    return dict(zip(CHANGE, figures, strict=True))


def goes(outcome: xr.Dataset) -> str:
    """Say which topics go, to begin a sentence or head a table."""
    count = about(outcome)["options"]["without"]
    every = about(outcome)["options"]["topics_of_all"]
    return f"Without {counted(count, 'flagged topic')} of {every}"


def than_chance(one: xr.Dataset, what: str, level: float) -> str:
    """Say how a figure changes, and whether by more than as many random topics bring."""
    change, low, high, p, least, most = (float(one[name]) for name in CHANGE)
    ends = "" if np.isnan(low) else f" [{low:+.3f}, {high:+.3f}]"
    more = "more" if p < 1 - level else "no more"
    return (
        f"{what} changes by {change:+.3f}{ends}, {more} than as many random topics bring ({level:.0%} of sets "
        f"{least:+.3f} to {most:+.3f}; p = {p:.2g})."
    )
