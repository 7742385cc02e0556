"""Flagged topics, as contaminated or trivial ones: a study again without them, and how its means change."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.measured.coverage import held
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import about
from irmeta.scores.figures import interval
from irmeta.scores.groups.clusters import unit_names
from irmeta.scores.notes import Act, with_subject
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.tests.flagged import FEWEST, half_width
from irmeta.studies.door import Given
from irmeta.words import counted, listed

WITHOUT = Given("FILE", "irmeta.io.lists.read_topics")
MEASURED = ("change without contaminated topics", "change without trivial topics")
"""What was measured of changes, by the number of flagged topics."""
CHANGE = ("change", "change_low", "change_high")
"""How a mean changes, with its interval."""


class Flagged(NamedTuple):
    """A cube without its flagged topics, what these are, and which topics, or clusters in their place, go.

    gone : (topic,), or (cluster,); None where only a part of a cluster goes, so that changes have no interval.
    """

    rest: xr.DataArray
    topics: list[str]
    gone: Bools | None
    notes: list[str]

    def only(self, rest: Sequence[str], whole: Sequence[str]) -> list[str]:
        """Return the notes to act on that only the other topics call for, as that too few are left for any verdict."""
        return [
            with_subject(_without_topics(self.topics), note)
            for note in rest
            if isinstance(note, Act) and note not in whole
        ]

    def beside(
        self,
        outcome: xr.Dataset,
        rest: xr.Dataset,
        figures: Sequence[str],
        values: Floats,
        level: float,
    ) -> xr.Dataset:
        """Return a result with figures of the rest beside its own, and how the first of them, a mean, changes.

        values : what the means are of, (..., topic), or (..., cluster).
        """
        moved = rest[figures[0]] - outcome[figures[0]]
        half = np.full(moved.shape, np.nan)
        if self.gone is not None:
            half = half_width(values, self.gone, level)
        left = {f"without_{name}": rest[name] for name in figures}
        ends = (moved, moved - half, moved + half)
        return outcome.assign({**left, **dict(zip(CHANGE, ends, strict=True))})


def leave_out(scores: xr.DataArray, names: Sequence[str]) -> Flagged:
    """Leave flagged topics out of a cube by topic; those that it does not have are noted.

    Raises ScoresError where none of them has scores, or fewer than 2 topics stay.
    """
    if not names:
        raise ScoresError("no topics are flagged; name some, or leave the option out")
    known = [str(topic) for topic in scores.topic.values]
    flagged = np.isin(known, list(names))
    if not flagged.any():
        where = scores.attrs.get("collection", "these scores")
        raise ScoresError(
            f"no flagged topic has scores in {where}: no topic {names[0]!r}, {nearest(names[0], known)}"
        )
    if flagged.sum() > flagged.size - 2:
        raise ScoresError(
            f"{flagged.sum()} of {counted(flagged.size, 'topic')} are flagged; at least 2 must stay"
        )
    unit = np.array(unit_names(scores))
    share = np.array([flagged[unit == one].mean() for one in dict.fromkeys(unit)])
    gone = share > 0
    notes: list[str] = []
    absent = [name for name in names if name not in known]
    if absent:
        count = counted(len(absent), "flagged topic")
        notes.append(Act(f"{count} without scores: {listed(absent)}."))
    notes += _interval_notes(gone, scores.sizes["system"])
    parts = int((gone & (share < 1)).sum())
    if parts:
        notes.append(
            f"Only a part of {counted(parts, 'cluster')} is flagged, so changes have no interval; flag whole clusters."
        )
    topics = scores.topic.values[flagged].tolist()
    rest = scores.isel(topic=~flagged)
    return Flagged(rest, topics, None if parts else gone, notes)


def _interval_notes(gone: Bools, systems: int) -> list[str]:
    """Say what intervals of changes are worth with these flagged topics, or clusters."""
    count = int(gone.sum())
    if min(count, gone.size - count) < FEWEST:
        few = "flagged" if count < FEWEST else "other"
        return [
            f"Fewer than {FEWEST} {few} topics say too little of more like them, so changes have no interval."
        ]
    found = held(*MEASURED, systems=systems, topics=count)
    if not found.broken:
        return []
    return [
        f"95% intervals of changes held in {found.share} of simulated collections with so few flagged topics."
    ]


def without_clause(outcome: xr.Dataset) -> str:
    """Say that flagged topics go, to begin a sentence or head a table."""
    return _without_topics(about(outcome)["options"]["without"])


def _without_topics(topics: Sequence[str]) -> str:
    """Count the flagged topics that go, to begin a sentence."""
    return f"Without {counted(len(topics), 'flagged topic')}"


def change_interval(one: xr.Dataset, level: str) -> str:
    """Write the interval of a change; nothing where there is none."""
    low, high = float(one["change_low"]), float(one["change_high"])
    if np.isnan(low):
        return ""
    return f" ({level} interval {interval(low, high, sign=True)})"
