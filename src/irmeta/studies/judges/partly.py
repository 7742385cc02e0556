"""P@k where people judged a part of each topic's pairs and a machine all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irmeta.errors import IrmetaError
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.sets import JudgmentSets
from irmeta.evaluation.sources import RunsLike, sources_of
from irmeta.evaluation.task import Task
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, parse_list
from irmeta.scores.cube import cube
from irmeta.stats.arrays import Bools, Floats, Indices, Ints
from irmeta.stats.judging import pairs
from irmeta.stats.judging.pairs import Estimated
from irmeta.words import counted, listed

if TYPE_CHECKING:
    import xarray as xr

WHOLE = 0.9
"""People judged topics whole if they judged this share of the machine's pairs that some run has among its first."""
FIRST = 10
"""How many first documents of each run those are."""
UNLIKE = 0.001
"""Below this p a note asks whether the judged pairs were drawn at random."""


@dataclass(frozen=True)
class PartlyJudged:
    """Scores (system, topic, metric) estimated from a part of each topic's pairs; single ones may be beyond 0 to 1.

    human : with the machine's help.  alone : without it.
    errors, alone_errors : (metric, system, system), covariance of the systems' means that judging other pairs adds.
    notes : what was judged, and whether these pairs look random.
    """

    human: "xr.DataArray"
    alone: "xr.DataArray"
    errors: Floats
    alone_errors: Floats
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Lists:
    """Where runs rank the pairs: for each system the rows of the pairs, and their ranks from 0."""

    rows: Mapping[str, tuple[Ints, Ints]]

    @classmethod
    def of(
        cls, given: JudgmentSets, runs: RunsLike, reading: Reading | None = None
    ) -> "Lists":
        """Read the runs."""
        task = Task(Judgments(given.pairs), (), reading or Reading())
        found = {}
        for source in sources_of(runs):
            read = task.judged(source)
            assert not isinstance(read, str)  # no run was done before
            found[source[0]] = read[0].judgment, read[0].rank
        return cls(found)

    def best(self, pairs: int) -> Ints:
        """Return the best rank that any run gives each pair, a very large one if none does."""
        best = np.full(pairs, np.iinfo(np.int64).max)
        for row, rank in self.rows.values():
            np.minimum.at(best, row, rank)
        return best


def partly_judged(
    given: JudgmentSets,
    runs: RunsLike,
    metrics: str | Sequence[str | Metric] = "P@10",
    reading: Reading | None = None,
) -> PartlyJudged | None:
    """Estimate P@k pair by pair where people judged a part of each topic; None where they judged topics whole.

    given : two sets, `human` and `machine`.  runs, metrics : as `evaluate` takes them; any metric but P@k raises
    IrmetaError where topics are judged in part.

    >>> run = {"bm25": {"1": {"a": 3.0, "b": 2.0}}}
    >>> sets = JudgmentSets.of({"human": {"1": {"a": 1, "b": 0}}, "machine": {"1": {"a": 1, "b": 1}}})
    >>> partly_judged(sets, run) is None
    True
    """
    people, machine = given.grades()
    topic = np.asarray(given.pairs.topic)
    theirs = np.isin(topic, topic[~np.isnan(people)])
    # what the machine judged of topics that people saw
    both = theirs & ~np.isnan(machine)
    judged = both & ~np.isnan(people)
    if judged.sum() >= WHOLE * both.sum():
        return None
    lists = Lists.of(given, runs, reading)
    best = lists.best(topic.size)
    first = both & (best < FIRST)
    if judged[first].sum() >= WHOLE * first.sum():
        return None
    chosen = parse_list(metrics)
    share = f"{judged.sum()} of the machine's {counted(int(both.sum()), 'pair')} ({judged.sum() / both.sum():.0%})"
    _require_precision(chosen, share)
    every = [_estimate_metric(metric, given, lists, best, both) for metric in chosen]
    helped = [one.human for one in every]
    alone = [one.alone for one in every]
    topics = [given.pairs.topics[at] for at in np.unique(topic[both])]
    labels = list(lists.rows), topics, list(map(str, chosen))
    return PartlyJudged(
        cube(_stacked(helped), *labels, collection="human"),
        cube(_stacked(alone), *labels, collection="human"),
        np.stack([one.errors for one in helped]),
        np.stack([one.errors for one in alone]),
        tuple(_notes(chosen, share, every)),
    )


def _require_precision(metrics: Sequence[Metric], share: str) -> None:
    """Raise IrmetaError for a metric that is not a sum over single pairs; share : what people judged, in words."""
    for metric in metrics:
        if metric.base != "P" or {name for name, _ in metric.params} - {"rel"}:
            raise IrmetaError(
                f"people judged a part of each topic, {share}, and {metric} needs all judgments of a topic; "
                "P@k is estimated pair by pair, as with -m P@10"
            )


def _stacked(parts: Sequence[Estimated]) -> Floats:
    """Return scores (system, topic, metric)."""
    return np.stack([one.scores for one in parts], axis=-1)


def _notes(
    metrics: Sequence[Metric], share: str, every: Sequence["_Estimated"]
) -> list[str]:
    """Say what the estimates rest on, and whether the pairs that people judged look random."""
    names = listed([str(metric) for metric in metrics])
    notes = [
        f"people judged {share}, a part of each topic: {names} estimated pair by pair, by the machine's "
        "grade; these pairs are taken as drawn at random"
    ]
    p = min(1.0, min(one.unlike for one in every) * len(every))  # corrected
    if p < UNLIKE:
        notes.append(
            f"the pairs that people judged do not look random: their ranks differ from the others' (p {p:.1g}). If "
            "people judged what runs rank first, the estimates are wrong"
        )
    return notes


@dataclass(frozen=True)
class _Estimated:
    """One metric with the machine's help and alone.

    unlike : p of the hypothesis that pairs were judged whatever their rank.
    """

    human: Estimated
    alone: Estimated
    unlike: float


def _estimate_metric(
    metric: Metric, given: JudgmentSets, lists: Lists, best: Ints, both: Bools
) -> _Estimated:
    """Estimate P@k of every system on every topic that people judged in part.

    best : (pair,), the best rank of each in any run.  both : (pair,), which pairs the machine judged of topics that
    people saw.
    """
    k = int(metric.cutoff or 0)
    at = np.flatnonzero(both & (best < k))
    people, machine = given.grades()[:, at]
    truth = np.where(np.isnan(people), np.nan, people >= float(str(metric["rel"])))
    known, topic = np.unique(given.pairs.topic[both], return_inverse=True)
    of_pair = np.full(both.size, -1)
    of_pair[both] = topic
    weight = weights(lists, at, both.size, k)
    stratum = pairs.strata(machine)
    helped, alone = (
        pairs.estimate(weight, of_pair[at], truth, one, known.size)
        for one in (stratum, np.zeros_like(stratum))
    )
    judged = ~np.isnan(truth)
    return _Estimated(helped, alone, pairs.unlike(best[at], stratum, judged))


def weights(lists: Lists, at: Indices, count: int, k: int) -> Floats:
    """Return what each pair adds to P@k if it is relevant: 1 / k where a system ranks it so high, (system, pair).

    at : which of `count` pairs.
    """
    place = np.full(count, -1)
    place[at] = np.arange(at.size)
    weight = np.zeros((len(lists.rows), at.size))
    for system, (row, rank) in enumerate(lists.rows.values()):
        high = place[row[rank < k]]
        weight[system, high[high >= 0]] = 1 / k
    return weight
