"""The first documents of runs, as numbers: what rankings share, whatever was judged."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np

from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.sources import RunsLike, Source, qrels_of, sources_of
from irmeta.evaluation.task import Task
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import parse
from irmeta.parallel import in_order
from irmeta.stats.arrays import Ints

BATCH = 8
"""Runs that are read together."""

Top = tuple[Ints, Ints, list[str]]
"""Topic, rank from 0 and id of documents."""


def top_documents(
    judgments: Judgments,
    sources: Sequence[Source],
    depth: int,
    reading: Reading | None,
    what: str = "",
) -> Iterator[Top]:
    """Yield what each run ranks above a depth, on judged topics; what : what the runs are, for who waits."""
    task = Task(judgments, [parse("P@1")], reading or Reading())
    batches = [
        sources[start : start + BATCH] for start in range(0, len(sources), BATCH)
    ]
    return chain.from_iterable(
        in_order(partial(_top_documents, task, depth), batches, what)
    )


def _top_documents(task: Task, depth: int, sources: Sequence[Source]) -> list[Top]:
    """Return what some runs rank above a depth."""
    every = (task.top(source, depth) for source in sources)
    return [(topic, rank, list(documents)) for topic, rank, documents in every]


def first_documents(
    runs: RunsLike, topics: Sequence[str], depth: int, reading: Reading | None = None
) -> tuple[list[str], Ints]:
    """Return the systems, and the documents that they rank first: (system, topic, rank), -1 where a list has ended.

    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0}}}
    >>> names, ranked = first_documents(runs, ["1"], 2)
    >>> names, ranked[:, 0].tolist()
    (['a', 'b'], [[0, 1], [1, -1]])
    """
    sources = sources_of(runs)
    # runs are ranked on judged topics; what is judged there does not matter
    judged = qrels_of({topic: {"-": 0} for topic in topics}, Reading())
    ranked = np.full((len(sources), len(topics), depth), -1)
    known: dict[str, int] = {}
    place = [topics.index(topic) for topic in judged.topics]
    lists = top_documents(Judgments(judged), sources, depth, reading)
    for system, (topic, rank, documents) in enumerate(lists):
        numbers = [known.setdefault(one, len(known)) for one in documents]
        ranked[system, np.take(place, topic), rank] = numbers
    return [name for name, _ in sources], ranked
