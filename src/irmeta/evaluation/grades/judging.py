"""Judging a run: rank its documents once, look each up among the judgments, and keep where the judged ones stand."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmeta.choices import Precision
from irmeta.evaluation.grades import core
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.io.runs.fields import MIX, Words, mixed_bits
from irmeta.io.runs.rankings import Qrels, Run, pair_keys
from irmeta.stats.arrays import Bools, Floats, Indices, Ints

_STEPS = 64
"""Judgments that share a slot in random data are few; where more do, places are found by bisection."""


@dataclass(frozen=True)
class Ranking:
    """A run's lists of the judged topics in order, one after the other: all arrays are of shape (documents,).

    row : where each document stands in the run; topic : index into the judgments' topics;
    new : whether a list begins here; lower : whether it does, or the score is lower than that of the document before.
    """

    row: Indices
    topic: Indices
    new: Bools
    lower: Bools

    @property
    def rank(self) -> Ints:
        """The rank of each document in its list, from 0."""
        place = np.arange(self.topic.size)
        return place - np.maximum.accumulate(np.where(self.new, place, 0))

    @property
    def tied(self) -> Bools:
        """Say whether a document of the same list has the same score: the one before, or the one after."""
        ends_a_tie = np.append(self.lower[1:], True)
        return ~(self.lower & ends_a_tie)


class Judgments:
    """Judgments made ready for looking up the documents of many runs."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self._topics = {topic: index for index, topic in enumerate(qrels.topics)}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the tables: another process makes its own."""
        return {"qrels": self.qrels, "_topics": self._topics}

    @cached_property
    def table(self) -> Any:
        """The judgments as the core looks them up; None where it cannot."""
        return core.table(self.qrels)

    @cached_property
    def _keys(self) -> "_Keys":
        """The judgments as NumPy looks them up."""
        return _Keys(self.qrels)

    def rank(self, run: Run, precision: Precision = "float64") -> Ranking:
        """Order the lists of a run by score, highest first; ties by document id, last in byte order first.

        That is trec_eval's order. Precision "float32" rounds the scores first, as trec_eval 9 and pytrec_eval do.
        """
        # the topic of each row among the judged ones; -1 marks topics that are not judged
        place_of_topic = [self._topics.get(name, -1) for name in run.topics]
        topic = np.array(place_of_topic, dtype=np.intp)[run.topic]
        # rows of judged topics only
        if topic.min(initial=0) >= 0:
            row = np.arange(topic.size)
        else:
            row = np.flatnonzero(topic >= 0)
        # a score beyond float32 becomes infinite, as it does in trec_eval
        with np.errstate(over="ignore"):
            score = run.scores.astype(precision)
        if row.size < topic.size:
            topic = topic[row]
            score = score[row]
        # most runs come in the order that their scores give
        if not _is_ranked(topic, score):
            order = np.lexsort((-score, topic))
            row = row[order]
            topic = topic[order]
            score = score[order]
        new = _differs_from_previous(topic)
        ranking = Ranking(row, topic, new, new | _differs_from_previous(score))
        places = np.flatnonzero(ranking.tied)
        if places.size:
            # within each tie, numbered by where it begins, by document id, the last one first
            tie = np.cumsum(ranking.lower[places])
            place = run.documents.take(row[places]).sort_positions()
            row[places] = row[places][np.lexsort((-place, tie))]
        return ranking

    def judge(self, run: Run, precision: Precision = "float64") -> JudgedRun:
        """Rank a run and find its judged documents."""
        return self.look_up(run, self.rank(run, precision))

    def look_up(self, run: Run, ranking: Ranking) -> JudgedRun:
        """Find the judged documents of a run that is ranked."""
        key = pair_keys(ranking.topic, run.documents.hash.take(ranking.row))
        rank = ranking.rank
        at, judgment = self._keys.find(run, ranking, key)
        # how long each topic's list is
        heads = np.flatnonzero(ranking.new)
        retrieved = np.zeros(len(self.qrels.topics), dtype=np.int64)
        retrieved[ranking.topic[heads]] = np.diff(heads, append=ranking.topic.size)
        shared = frozenset(run.topics) & self._topics.keys()
        return JudgedRun(
            name=run.name,
            topic=ranking.topic[at],
            rank=rank[at],
            judgment=judgment,
            retrieved=retrieved,
            topics=frozenset(shared),
            other_topics=len(run.topics) - len(shared),
            disagreeing=_count_disagreeing_lists(run, ranking),
            constant=_count_constant_lists(ranking, retrieved),
            order=_digest(key, rank),
            tied=int(ranking.tied.sum()),
            rounded=_count_rounded_lists(run, ranking, at),
        )


class _Keys:
    """The judgments' keys in order, and where to begin to look for one among them."""

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        key = pair_keys(qrels.topic, qrels.documents.hash)
        self._order = np.argsort(key)
        self._key = key[self._order]
        # about four slots for each key, so that few keys share one; a key's first bits say which slot is its own
        bits = max(14, int(key.size * 4).bit_length())
        # a filter, four times as fine: where a key's first bits lead to an empty place, its document is not judged
        self._filter = np.uint64(64 - bits - 2)
        self._present = np.zeros(1 << (bits + 2), dtype=np.bool_)
        self._present[key >> self._filter] = True
        # where the keys of each slot begin among the sorted ones, and how many share a slot at most
        self._slot = np.uint64(64 - bits)
        slots = (self._key >> self._slot).astype(np.intp)
        count = np.bincount(slots, minlength=1 << bits)
        self._first = (np.cumsum(count) - count).astype(np.int32)
        self._most = int(count.max())
        self._colliding = self._collisions()

    def find(self, run: Run, ranking: Ranking, key: Words) -> tuple[Indices, Indices]:
        """Return the positions in the ranking that hold judged documents, and the judgments they hold.

        key : of each topic and document of the ranking, as `pair_keys` makes it.
        """
        # most documents of a run are not judged, and the filter says so of most of them
        in_filter = self._present.take((key >> self._filter).astype(np.intp))
        maybe = np.flatnonzero(in_filter)
        key = key[maybe]
        place = self.places(key)
        equal = np.flatnonzero(self._key[place] == key)
        maybe = maybe[equal]
        place = place[equal]
        judgment = self._order[place]
        if self._colliding:
            judgment = self._among_colliding(run, ranking, maybe, judgment)
        # equal keys may be of different pairs: compare the documents and topics themselves
        same = run.documents.take(ranking.row[maybe]).equals(
            self._qrels.documents.take(judgment)
        )
        same &= self._qrels.topic[judgment] == ranking.topic[maybe]
        return maybe[same], judgment[same]

    def places(self, key: Words) -> Indices:
        """Return where each number is among the sorted keys of the judgments, or would be."""
        last = self._key.size - 1
        if self._most > _STEPS:  # keys chosen to begin alike
            return np.minimum(np.searchsorted(self._key, key), last)
        # from the first judgment with these first bits, step on while its key is smaller
        place: Indices = self._first[key >> self._slot]
        for _ in range(self._most - 1):
            smaller = self._key[place] < key
            place += smaller & (place < last)
        return place

    def _collisions(self) -> dict[tuple[int, str], int]:
        """Return the judgments whose key another one has too, by topic and document."""
        alike = np.flatnonzero(self._key[1:] == self._key[:-1])
        rows = self._order[np.union1d(alike, alike + 1)].tolist()
        return {
            (int(self._qrels.topic[row]), self._qrels.documents[row]): row
            for row in rows
        }

    def _among_colliding(
        self, run: Run, ranking: Ranking, at: Indices, judgment: Indices
    ) -> Indices:
        """Return the judgments of places in a ranking, where keys collide those of the topics and documents there."""
        exact = judgment.copy()
        rows = list(self._colliding.values())
        for where in np.flatnonzero(np.isin(judgment, rows)).tolist():
            pair = (
                int(ranking.topic[at[where]]),
                run.documents[int(ranking.row[at[where]])],
            )
            exact[where] = self._colliding.get(pair, judgment[where])
        return exact


def _digest(key: Words, rank: Ints) -> str:
    """Return a digest of lists, whatever their order: of each document's key, and its rank."""
    placed = key + rank.astype(np.uint64) * MIX
    return format(int(mixed_bits(mixed_bits(placed)).sum()), "016x")


def _count_constant_lists(ranking: Ranking, retrieved: Ints) -> int:
    """Count the topics whose list of several documents has one score."""
    falls = ranking.lower & ~ranking.new
    steps = np.bincount(ranking.topic[falls], minlength=retrieved.size)
    return int(np.count_nonzero((retrieved > 1) & (steps == 0)))


def _count_rounded_lists(run: Run, ranking: Ranking, judged: Indices) -> int:
    """Count the topics in whose list single precision would order judged documents otherwise."""
    with np.errstate(over="ignore"):
        single = run.scores[ranking.row].astype(np.float32).astype(np.float64)
    begins = ranking.new | _differs_from_previous(single)
    # by double precision alone lower than the document before it
    lower = np.flatnonzero(ranking.lower & ~begins)
    pairs = np.stack([lower - 1, lower], axis=1).ravel()
    place = run.documents.take(ranking.row[pairs]).sort_positions().reshape(-1, 2)
    moved = lower[place[:, 1] > place[:, 0]]
    group = np.cumsum(begins)
    of_judged = moved[np.isin(group[moved], group[judged])]
    return int(np.unique(ranking.topic[of_judged]).size)


def _differs_from_previous(values: Indices | Floats) -> Bools:
    """Say where a value differs from the one before it."""
    new = np.ones(values.size, dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


def _is_ranked(topic: Indices, score: Floats) -> bool:
    """Tell whether each topic is one block, and scores never rise within it."""
    new = _differs_from_previous(topic)
    rises_within = (score[1:] > score[:-1]) & ~new[1:]
    heads = topic[new].tolist()
    one_block_each = len(set(heads)) == len(heads)
    return one_block_each and not bool(rises_within.any())


def _count_disagreeing_lists(run: Run, ranking: Ranking) -> int:
    """Count the topics in whose list a rank does not rise where the score falls; ties may be in any order."""
    if run.ranks is None or not ranking.row.size:
        return 0
    rank = run.ranks.magnitude.take(ranking.row)
    # within ties by the rank column, so that they never disagree with it
    tied = np.flatnonzero(ranking.tied)
    tie = np.cumsum(ranking.lower[tied])  # the number of each document's tie
    of_ties = rank[tied]
    rank[tied] = of_ties[np.lexsort((of_ties, tie))]
    # the score falls within a list, and the rank does not rise
    falls = ranking.lower[1:] & ~ranking.new[1:]
    contradicts = falls & (rank[1:] <= rank[:-1])
    topics = np.bincount(ranking.topic[1:][contradicts])
    return int(np.count_nonzero(topics))
