"""A system and whom it is compared with: their differences, by topic and as each pair has them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.scores.averages.means import additive, from_additive, means
from irmeta.scores.groups.clusters import (
    contributions,
    is_binary,
    unit_scores,
    unit_values,
)
from irmeta.scores.groups.repeats import unmoved_scores
from irmeta.scores.groups.teams import stem
from irmeta.scores.names import known_as
from irmeta.scores.selection import matching, unknown_system_hint, words
from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.first import turning
from irmeta.stats.reliability.worth import Worth
from irmeta.studies.differences.versus.pairs import (
    ALL,
    BEST,
    MEDIAN,
    Differences,
    differences,
)
from irmeta.words import counted, listed

PAIR = ("against", "metric")
BY_TOPIC = ("against", "topic", "metric")


@dataclass(frozen=True)
class Family:
    """One system's comparisons with its baselines, tested together.

    scores : a cube as `prepare` returns it.
    system : the system in question.
    others : every other system.
    names : the baselines, each once, in the order asked for.
    """

    scores: xr.DataArray
    system: str
    others: list[str]
    names: list[str]

    @classmethod
    def of(
        cls, scores: xr.DataArray, system: str, against: str | Iterable[str]
    ) -> "Family":
        """Find who is compared; raises ScoresError for an unknown system, and where nobody is left."""
        system = known_as(system, scores.system.values) or system
        others = _other_systems(scores, system)
        return cls(scores, system, others, _baselines(scores, system, others, against))

    @cached_property
    def line(self) -> xr.DataArray:
        """The scores, on the line on which they are averaged."""
        return additive(self.scores)

    @property
    def metrics(self) -> list[str]:
        """The metrics by which they are compared."""
        return [str(metric) for metric in self.scores.metric.values]

    @property
    def picks_best(self) -> bool:
        """Whether a baseline is the best other system by these scores."""
        return BEST in self.names and BEST not in self.others

    @cached_property
    def tested(self) -> Differences:
        """The differences that are tested."""
        return differences(self.line, self.system, self.others, self.names)

    @cached_property
    def made(self) -> Differences:
        """The differences of the runs that were made, without what other runs of a system would move."""
        line = additive(unmoved_scores(self.scores))
        return differences(line, self.system, self.others, self.names)

    @property
    def found(self) -> Floats:
        """The differences that are tested, (against, topic, metric)."""
        return self.tested.values

    def worth(self) -> Worth:
        """Return what numbers of topics are worth, (against, metric): what runs add does not fall with them."""
        falls, whole = (
            np.nanvar(one, axis=1) for one in (self.made.values, self.found)
        )
        return Worth.by_variances(self.scores.sizes["topic"], falls, whole)

    def by_topic(self) -> dict[str, Any]:
        """Return what happened on each topic: scores and differences, who won how often, and what the sign rests on."""
        shown, theirs = (
            _unit_figures(figures, self.line)
            for figures in (self.made.values, self.made.theirs)
        )
        places = {name: self.line[name] for name in ("topic", "metric")}
        data: dict[str, Any] = {
            "wins": (PAIR, (shown > 0).sum(axis=1)),
            "ties": (PAIR, (shown == 0).sum(axis=1)),
            "losses": (PAIR, (shown < 0).sum(axis=1)),
            "who": (PAIR, self.made.who),
            "deviation": (PAIR, np.nanstd(self.found, axis=1, ddof=1)),
            "of_0_and_1": ("metric", is_binary(self.scores)),
            "by_topic": (BY_TOPIC, shown),
            "opponent": from_additive(
                xr.DataArray(theirs, dims=BY_TOPIC, coords=places)
            ),
            "mean": means(self.scores).sel(system=self.system, drop=True),
        }
        data |= self.beside_others(unit_scores(unmoved_scores(self.scores)))
        by_topic = np.moveaxis(self.made.values, 1, 2)
        return data | _topics_behind_sign(contributions(by_topic, self.line))

    def beside_others(self, scores: xr.DataArray) -> dict[str, Any]:
        """Return by topic the system's score, the median and best of all others, and how many are above."""
        rest = scores.drop_sel(system=self.system)
        own = scores.sel(system=self.system, drop=True)
        return {
            "score": own,
            "median": from_additive(additive(rest).median("system")),
            "best": rest.max("system"),
            "systems_above": (rest > own + 1e-12).sum("system"),
        }

    def tie_notes(self) -> list[str]:
        """Say by which metrics several systems tie for the best other one, of which the first is taken."""
        if not self.picks_best:
            return []
        means = self.line.sel(system=self.others).mean("topic", skipna=False)
        tied = means.transpose("metric", "system") >= means.max("system") - 1e-10
        notes = []
        for metric, rows in zip(tied.metric.values, tied.values, strict=True):
            names = [name for name, best in zip(self.others, rows, strict=True) if best]
            if len(names) > 1:
                notes.append(
                    f"{metric}: {listed(names)} tie for the best other system; {names[0]} is used."
                )
        return notes


def _other_systems(scores: xr.DataArray, system: str) -> list[str]:
    """Return every other system; an unknown system, or the only one, raises ScoresError."""
    systems = [str(name) for name in scores.system.values]
    if system not in systems:
        runs = [name for name in systems if stem(name) == system]
        if len(runs) > 1:
            raise ScoresError(
                f"no system {system!r}, but {counted(len(runs), 'run')} of it, {listed(runs)}; take runs as one system "
                "each with --repeats stem"
            )
        instead = unknown_system_hint(scores, system)
        if "qrels" in scores.attrs:
            add = "`irmeta evaluate QRELS RUN -o SCORES --append`"
            instead += f" (or add its run: {add})"
        raise ScoresError(f"no system {system!r}; {instead}")
    others = [name for name in systems if name != system]
    if not others:
        raise ScoresError(
            f"{system} is the only system; there is nothing to compare it with"
        )
    return others


def baseline_names(against: str | Iterable[str], others: Sequence[str]) -> list[str]:
    """Return the names of baselines as they are given, "all" among them.

    >>> baseline_names("Fusion 2, all", ["Fusion 2", "bm25"])
    ['Fusion 2', 'all']
    """
    if isinstance(against, str):
        return words(against, [*others, MEDIAN, BEST, ALL])
    return list(against)


def _baselines(
    scores: xr.DataArray,
    system: str,
    others: Sequence[str],
    against: str | Iterable[str],
) -> list[str]:
    """List whom to compare with, each once, in the order asked for."""
    names: list[str] = []
    for name in baseline_names(against, others):
        if name == system:
            raise ScoresError(
                f"{system} cannot be compared with itself; name other systems in --against"
            )
        if name in others or name in (MEDIAN, BEST):
            names.append(name)
        elif name == ALL:
            names += others
        else:
            found = [one for one in matching(name, others) if one in others]
            if not found:
                mend = unknown_system_hint(scores, name, [MEDIAN, BEST, ALL])
                raise ScoresError(f"no system {name!r} to compare with; {mend}")
            names += found
    if not names:
        raise ScoresError("--against names nobody; name one system or more")
    if set(others) <= set(names) and BEST not in others:
        names = [name for name in names if name != BEST]  # it is among all
    return list(dict.fromkeys(names))


def _unit_figures(figures: Floats, line: xr.DataArray) -> Floats:
    """Return figures of each topic, or of each cluster by itself, (against, topic, metric)."""
    return np.moveaxis(unit_values(np.moveaxis(figures, 1, 2), line), 2, 1)


def _topics_behind_sign(added: Floats) -> dict[str, Any]:
    """Return the fewest topics that the sign of each difference rests on.

    added : what each topic adds to a difference, (against, metric, topic).
    """
    sign = np.sign(settled(np.nanmean(added, axis=2)))
    turned = turning((added * sign[..., None]).reshape(-1, added.shape[2]))
    counts = np.where(turned.counts > 0, turned.counts, np.nan)
    topics = turned.topics.reshape(added.shape)
    return {
        "fewest": (PAIR, counts.reshape(sign.shape)),
        "decides": (BY_TOPIC, np.moveaxis(topics, 2, 1)),
    }
