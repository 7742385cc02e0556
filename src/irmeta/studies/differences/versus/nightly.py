"""Nights: differences of a system from its baselines, on topics and on anchors; those that a score file has."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import MissingOfPairs
from irmeta.errors import ScoresError
from irmeta.io.formats.nights import Comparison, Night
from irmeta.metrics.names import nearest
from irmeta.scores.averages.means import additive
from irmeta.scores.cubes import by_name
from irmeta.scores.figures import short
from irmeta.scores.notes import Act
from irmeta.scores.selection import prepare
from irmeta.stats.arrays import Floats
from irmeta.studies.differences.versus.family import PAIR, Family
from irmeta.studies.differences.versus.pairs import BEST, MEDIAN, differences
from irmeta.words import counted, listed

OPEN = "open"
"""The verdict of a night that has not been judged yet."""


class Parts(NamedTuple):
    """Scores on topics, and on anchors, whose answers do not change; None where none are named."""

    topics: xr.DataArray
    anchors: xr.DataArray | None

    @classmethod
    def of(cls, scores: xr.DataArray, anchors: Mapping[str, float] | None) -> "Parts":
        """Take the anchors out of scores; raises ScoresError where too few of them have scores."""
        if anchors is None:
            return cls(scores, None)
        known = [str(name) for name in scores.topic.values]
        there = [name for name in known if name in anchors]
        if len(there) < 2:
            which = next((name for name in anchors if name not in there), "")
            near = f"; no {which!r}, {nearest(which, known)}" if which else ""
            raise ScoresError(
                f"at least 2 anchors must be among the topics of {scores.attrs.get('collection', 'the scores')}, which "
                f"have {len(there)} of them{near}"
            )
        rest = [name for name in known if name not in anchors]
        return cls(scores.sel(topic=rest), scores.sel(topic=there))

    def absent(self, anchors: Mapping[str, float]) -> list[str]:
        """Note which anchors have no scores."""
        there = set() if self.anchors is None else set(self.anchors.topic.values)
        absent = [name for name in anchors if name not in there]
        if not absent:
            return []
        return [
            Act(
                f"{len(absent)} of {counted(len(anchors), 'anchor')} not among the topics of the scores: "
                f"{listed(absent)}; left out"
            )
        ]


class Asked(NamedTuple):
    """What is compared each night: with whom, by which metrics, and what is done with missing scores."""

    names: Sequence[str]
    metrics: Sequence[str]
    missing: MissingOfPairs
    margin: float

    def night(self, topics: xr.DataArray, system: str, fixed: Parts) -> Night:
        """Return a night: the differences on topics, and those on its anchors.

        topics : as `prepare` returns them.  fixed : has the anchors, which are not prepared yet.
        """
        found = self._differences(topics, system)
        moved = [dict[str, float]()] * len(found)
        if fixed.anchors is not None:
            used = fixed.anchors.sel(system=[system, *self.names])
            moved = self._differences(self._prepared(used), system)
        comparisons = [
            Comparison(against, metric, OPEN, lost, anchors)
            for (against, metric), lost, anchors in zip(
                self.pairs, found, moved, strict=True
            )
        ]
        return Night(system, self.margin, comparisons)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The comparisons: against whom, by which metric."""
        return [(name, metric) for name in self.names for metric in self.metrics]

    def nights(
        self,
        over: Mapping[str, xr.DataArray] | xr.DataArray,
        system: str,
        anchors: Mapping[str, float] | None,
    ) -> list[Night]:
        """Return the nights of other scores: each system before this one, or of several collections each one."""
        cubes = by_name(over)
        nights = []
        for collection, cube in cubes.items():
            known = [str(name) for name in cube.system.values]
            if len(cubes) > 1:
                compared = [system]
                _require_systems([*self.names, system], known, collection)
            else:
                before = known[: known.index(system)] if system in known else known
                compared = [name for name in before if name not in self.names]
                _require_systems(self.names, known, collection)
            parts = Parts.of(cube, anchors)
            nights += [
                self.night(self._prepared(parts.topics), name, parts)
                for name in compared
            ]
        return nights

    def _prepared(self, scores: xr.DataArray) -> xr.DataArray:
        """Return scores on topics by the metrics of the night, with missing ones as asked for."""
        whole, _ = prepare(
            scores, metrics=self.metrics, missing=self.missing, pairs=True
        )
        return whole

    def _differences(self, scores: xr.DataArray, system: str) -> list[dict[str, float]]:
        """Return the differences by topic of each comparison."""
        others = [str(name) for name in scores.system.values if name != system]
        values = differences(additive(scores), system, others, self.names).values
        topics = [str(name) for name in scores.topic.values]
        rows = np.moveaxis(values, 1, 2).reshape(-1, len(topics))
        return [_scored_topics(topics, row) for row in rows]


def _require_systems(
    needed: Sequence[str], known: Sequence[str], collection: str
) -> None:
    """Raise ScoresError where earlier nights lack a system that is compared every night."""
    absent = [name for name in needed if name not in known]
    if absent:
        raise ScoresError(
            f"earlier nights ({collection}) lack {absent[0]}, which is compared every night; add its scores"
        )


def require_named(names: Sequence[str], scores: xr.DataArray) -> None:
    """Raise ScoresError where a baseline is none that was scored each night."""
    drawn = [one for one in names if one in (MEDIAN, BEST) and one not in scores.system]
    if drawn:
        raise ScoresError(
            f"nights of scores and anchors need a baseline that is a system, not {drawn[0]}; name it in --against"
        )


def require_room(family: Family, margin: float) -> None:
    """Raise ScoresError where no system could lose more than the margin: a gate that never fails is none.

    Where no score is below 0, nobody loses more than the baseline scores.
    """
    room = np.nanmean(family.tested.theirs, axis=1)  # (against, metric)
    if margin < room.max() or (family.line.values < 0).any():
        return
    against, metric = np.unravel_index(room.argmax(), room.shape)
    example = 2 if room.max() > 10 else 0.02  # percentages, or scores up to 1
    raise ScoresError(
        f"nobody can lose more than {margin:g} to {family.names[against]}, which scores {short(room.max(), 3)} by "
        f"{family.metrics[metric]}, so this would never fail; name a loss in the units of the metric, as in "
        f"{example}"
    )


def _scored_topics(topics: Sequence[str], row: Floats) -> dict[str, float]:
    """Return the differences of one comparison by topic, of those that have one."""
    return {
        topic: float(value)
        for topic, value in zip(topics, row, strict=True)
        if not np.isnan(value)
    }


def means_on(
    parts: Parts, asked: Asked, system: str, people: Mapping[str, float]
) -> dict[str, tuple[tuple[str, str], Floats]]:
    """Return mean scores of the anchors: the judge's with each baseline, and with the system, and people's."""
    if parts.anchors is None:
        return {}
    used = parts.anchors.sel(metric=list(asked.metrics))
    used = used.transpose("system", "metric", "topic")
    then = used.sel(system=list(asked.names)).values
    now = np.broadcast_to(used.sel(system=system).values, then.shape)
    both = np.isfinite(then) & np.isfinite(now)
    count = both.sum(axis=-1)
    if count.min() < 2:
        raise ScoresError(
            f"fewer than 2 anchors have scores of {system} and of each of {listed(asked.names)}, by each metric; score "
            "the anchors again with both"
        )
    by_people = np.array([people[str(name)] for name in used.topic.values])
    figures = {
        "judge_then": np.where(both, then, 0.0).sum(axis=-1) / count,
        "judge_now": np.where(both, now, 0.0).sum(axis=-1) / count,
        "people": (both * by_people).sum(axis=-1) / count,
        "anchors": count,
    }
    return {name: (PAIR, one) for name, one in figures.items()}
