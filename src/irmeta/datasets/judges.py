"""Judges made from true judgments, of known leniency, noise and favour: to see what a comparison finds of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from irmeta.errors import IrmetaError, require_fields
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source, qrels_of, sources_of
from irmeta.evaluation.task import Task
from irmeta.io.runs.rankings import Qrels
from irmeta.io.runs.trec import Reading
from irmeta.parallel import seeded
from irmeta.stats.arrays import Bools, Floats


@dataclass(frozen=True)
class JudgeModel:
    """How a simulated judge departs from the truth, all in grades.

    leniency : what it adds to every document.  noise : standard deviation of its error on a document.
    favour : what it adds to documents that the favoured systems rank among their first `depth`.
    depth : how many first documents of a list `favour` reaches, 1 or more.
    by_rank : what it adds to a document that some system ranks first, half as much to one ranked second at best, ...
    """

    leniency: float = 0.0
    noise: float = 0.5
    favour: float = 0.0
    by_rank: float = 0.0
    depth: int = 10

    def __post_init__(self) -> None:
        require_fields(self)


def simulate_judge(
    qrels: QrelsLike,
    model: JudgeModel,
    *,
    runs: RunsLike = None,
    favoured: Iterable[str] = (),
    rng: int | np.random.Generator = 0,
) -> dict[str, dict[str, float]]:
    """Judge the documents of true judgments again, with the errors of a model: {topic: {document: grade}}.

    A grade is the true one plus leniency, noise, favour and what its best rank adds, rounded to a whole number between
    0 and the highest true grade. Judgments below zero stay as they are.
    qrels : the true judgments, {topic: {document: grade}}.  rng : a seed or a generator.
    runs : what is ranked, where the model favours systems or heeds ranks.  favoured : the names of favoured systems.

    >>> simulate_judge({"1": {"a": 1, "b": 0, "c": 2}}, JudgeModel(leniency=1, noise=0))
    {'1': {'a': 2.0, 'b': 1.0, 'c': 2.0}}
    """
    true = qrels_of(qrels, Reading())
    generator, _ = seeded(rng)
    if (model.favour or model.by_rank) and runs is None:
        raise IrmetaError(
            "a judge that favours systems or follows ranks needs the runs to be simulated "
            "(runs=...)"
        )
    is_favoured, best_rank = _places(true, runs, set(favoured), model.depth)
    latent = (
        true.grades
        + model.leniency
        + model.noise * generator.normal(size=true.grades.size)
        + model.favour * is_favoured
        + model.by_rank / best_rank
    )
    grades = np.clip(np.round(latent), 0, true.grades.max())
    grades = np.where(true.grades < 0, true.grades, grades)
    made: dict[str, dict[str, float]] = {topic: {} for topic in true.topics}
    for topic, document, grade in zip(
        true.topic.tolist(), true.documents, grades.tolist(), strict=True
    ):
        made[true.topics[topic]][document] = grade
    return made


def _places(
    qrels: Qrels, runs: RunsLike, favoured: set[str], depth: int
) -> tuple[Bools, Floats]:
    """Say which documents a favoured system ranks high, and the best rank that any gives each, infinite if none."""
    is_favoured = np.zeros(qrels.grades.size, dtype=np.bool_)
    best_rank = np.full(qrels.grades.size, np.inf)
    if runs is None:
        return is_favoured, best_rank
    sources = sources_of(runs)
    if unknown := favoured - {name for name, _ in sources}:
        raise IrmetaError(f"there is no run of the favoured system {min(unknown)!r}")
    for name, judged in _judged(qrels, sources):
        np.minimum.at(best_rank, judged.judgment, judged.rank + 1.0)
        if name in favoured:
            is_favoured[judged.judgment[judged.rank < depth]] = True
    return is_favoured, best_rank


def _judged(qrels: Qrels, sources: list[Source]) -> Iterator[tuple[str, JudgedRun]]:
    task = Task(Judgments(qrels), (), Reading())
    for source in sources:
        read = task.judged(source)
        assert not isinstance(read, str)  # no run was done before
        yield source[0], read[0]
