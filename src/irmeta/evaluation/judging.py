"""Judging a run: rank its documents once, look each up among the judgments, and keep where the judged ones stand."""

from dataclasses import dataclass

import numpy as np

from irmeta.choices import Precision
from irmeta.io.rankings import Qrels, Run, pair_keys
from irmeta.stats.arrays import Bools, Floats, Indices, Ints


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
    def tied(self) -> Bools:
        """Say whether a document of the same list has the same score."""
        return ~(self.lower & np.append(self.lower[1:], True))


@dataclass(frozen=True)
class JudgedRun:
    """Where a run has judged documents: for each its topic, its rank from 0, and its row in the judgments.

    retrieved : documents retrieved, of shape (judged topics,). topics : the judged topics that the run has;
    other_topics : how many more it has.
    disagreeing : topics in whose list the rank column contradicts the order by score, beyond ties.
    """

    name: str
    topic: Indices
    rank: Ints
    judgment: Indices
    retrieved: Ints
    topics: frozenset[str]
    other_topics: int
    disagreeing: int


class Judgments:
    """Judgments made ready for looking up the documents of many runs."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self._topics = {topic: index for index, topic in enumerate(qrels.topics)}
        key = pair_keys(qrels.topic, qrels.documents.hash)
        self._order = np.argsort(key)
        self._key = key[self._order]
        bits = max(14, int(key.size * 4).bit_length())
        # A filter: where a key's first bits lead to an empty place, its document is certainly not judged.
        self._filter = np.uint64(64 - bits - 2)
        self._present = np.zeros(1 << (bits + 2), dtype=np.bool_)
        self._present[key >> self._filter] = True
        # By their first bits, where such keys begin; and how many of them there are at most.
        self._slot = np.uint64(64 - bits)
        count = np.bincount((self._key >> self._slot).astype(np.intp), minlength=1 << bits)
        self._first = (np.cumsum(count) - count).astype(np.int32)
        self._most = int(count.max())

    def rank(self, run: Run, precision: Precision = "float64") -> Ranking:
        """Order the lists of a run by score, highest first; ties by document id, last in byte order first.

        That is trec_eval's order. Precision "float32" rounds the scores first, as trec_eval 9 and pytrec_eval do.
        """
        topic = np.array([self._topics.get(name, -1) for name in run.topics], dtype=np.intp)[run.topic]
        row = np.arange(topic.size) if topic.min(initial=0) >= 0 else np.flatnonzero(topic >= 0)
        with np.errstate(over="ignore"):  # a score beyond float32 becomes infinite there too
            score = run.scores.astype(precision)
        if row.size < topic.size:
            topic, score = topic[row], score[row]
        if not _is_ranked(topic, score):
            order = np.lexsort((-score, topic))
            row, topic, score = row[order], topic[order], score[order]
        new = _changes(topic)
        ranking = Ranking(row, topic, new, new | _changes(score))
        places = np.flatnonzero(ranking.tied)
        if places.size:
            documents = run.documents.take(row[places])
            words = [~documents.word(which) for which in reversed(range(documents.widest))]
            row[places] = row[places][np.lexsort((*words, np.cumsum(ranking.lower[places])))]
        return ranking

    def judge(self, run: Run, precision: Precision = "float64") -> JudgedRun:
        """Rank a run and find its judged documents."""
        return self.look_up(run, self.rank(run, precision))

    def look_up(self, run: Run, ranking: Ranking) -> JudgedRun:
        """Find the judged documents of a run that is ranked."""
        at, judgment = self._find(run, ranking)
        heads = np.flatnonzero(ranking.new)
        first = np.zeros(len(self.qrels.topics), dtype=np.int64)
        first[ranking.topic[heads]] = heads
        retrieved = np.zeros_like(first)
        retrieved[ranking.topic[heads]] = np.diff(heads, append=ranking.topic.size)
        shared = frozenset(run.topics) & self._topics.keys()
        return JudgedRun(
            name=run.name,
            topic=ranking.topic[at],
            rank=at - first[ranking.topic[at]],
            judgment=judgment,
            retrieved=retrieved,
            topics=frozenset(shared),
            other_topics=len(run.topics) - len(shared),
            disagreeing=_disagreeing(run, ranking),
        )

    def _find(self, run: Run, ranking: Ranking) -> tuple[Indices, Indices]:
        """Give the positions in the ranking that hold judged documents, and the judgments they hold."""
        key = pair_keys(ranking.topic, run.documents.hash.take(ranking.row))
        maybe = np.flatnonzero(self._present.take((key >> self._filter).astype(np.intp)))
        key = key[maybe]
        place = self._first[key >> self._slot]
        for _ in range(self._most - 1):
            place += (self._key[place] < key) & (place < self._key.size - 1)
        equal = np.flatnonzero(self._key[place] == key)
        maybe, judgment = maybe[equal], self._order[place[equal]]
        same = run.documents.take(ranking.row[maybe]).equals(self.qrels.documents.take(judgment))
        same &= self.qrels.topic[judgment] == ranking.topic[maybe]
        return maybe[same], judgment[same]


def _changes(values: Indices | Floats) -> Bools:
    """Say where a value differs from the one before it."""
    new = np.ones(values.size, dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


def _is_ranked(topic: Indices, score: Floats) -> bool:
    """Tell whether each topic stands in one block, and scores never rise within it."""
    new = _changes(topic)
    rises = score[1:] > score[:-1]
    heads = topic[new].tolist()
    return not bool((rises & ~new[1:]).any()) and len(set(heads)) == len(heads)


def _disagreeing(run: Run, ranking: Ranking) -> int:
    """Count the topics in whose list a document is ranked above one of higher score; ties may stand as they like."""
    if run.ranks is None or not ranking.row.size:
        return 0
    rank = run.ranks.magnitude.take(ranking.row)
    tied = np.flatnonzero(ranking.tied)
    rank[tied] = rank[tied][np.lexsort((rank[tied], np.cumsum(ranking.lower[tied])))]
    falls = (rank[1:] <= rank[:-1]) & ranking.lower[1:] & ~ranking.new[1:]
    return int(np.count_nonzero(np.bincount(ranking.topic[1:][falls])))
