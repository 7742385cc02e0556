"""What experiments are given as: scores by name, or runs with judgments, of which the ranked lists are known, too."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import xarray as xr

from irmeta.errors import IrmetaError, ScoresError, require_fitting
from irmeta.evaluation.engine import Evaluation, evaluate
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source
from irmeta.evaluation.task import Task
from irmeta.io.files import location, stem
from irmeta.io.formats.scores import load_files
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import nearest
from irmeta.parallel import in_order
from irmeta.scores.cubes import by_name
from irmeta.scores.names import bare_name, known_as
from irmeta.studies.door import Given
from irmeta.words import joined, listed

Files = str | PathLike[str]
Experiments = Mapping[str, xr.DataArray] | Mapping[str, RunsLike] | Sequence[Files]
"""Experiments by name, the original first: scores, score files, or with judgments runs."""
EXPERIMENTS = Given("SCORES|RUNS", several=True)
QRELS = Given("FILE", several=True)
DEPTH = 1000
"""Documents of each list that are compared."""
Lists = Mapping[str, Sequence[str]]
"""The ranked documents of a run, by topic."""


@dataclass(frozen=True)
class Experiment:
    """One experiment: its scores, and of runs the ranked lists by system."""

    name: str
    scores: xr.DataArray
    lists: Mapping[str, Lists] = field(default_factory=dict)

    def system(self, asked: str | None) -> str:
        """Return the system that is meant: the one that has one of the names asked for, or the only one."""
        known = [str(name) for name in self.scores.system.values]
        if asked is None:
            if len(known) == 1:
                return known[0]
            raise ScoresError(
                f"{self.name} has {len(known)} systems; name the one in question with --system"
            )
        names = [asked] if asked in known else names_of(asked)
        if not names:
            raise ScoresError(f"--system {asked!r} names nobody; name a system")
        found = {known_as(name, known) for name in names} - {None}
        if len(found) == 1:
            return str(found.pop())
        if found:
            raise ScoresError(
                f"{self.name} has {joined(sorted(map(str, found)))}; name one of them"
            )
        raise ScoresError(
            f"{self.name} has no system {joined([*map(repr, names)], 'or')}; {nearest(names[0], known)}; where a "
            "system has another name in another experiment, give both with a comma: --system ours,theirs"
        )


def names_of(asked: str) -> list[str]:
    """Return the names by which a system goes.

    >>> names_of("mine, theirs")
    ['mine', 'theirs']
    """
    return [name.strip() for name in asked.split(",") if name.strip()]


def experiments(
    runs_or_scores: Any,
    qrels: Any,
    metrics: str | Iterable[str] | None,
    wanted: Sequence[str | None],
    reading: Reading | None,
) -> list[Experiment]:
    """Return the experiments that were given, in their order.

    wanted : the systems in question, whose lists are looked at; None for the only one.
    """
    if qrels is None:
        return [Experiment(*one) for one in _cubes(runs_or_scores).items()]
    runs = _by_name(runs_or_scores)
    judgments = _judgments_of_each(qrels, len(runs))
    return [
        _scored_experiment(name, each, own, metrics or "AP nDCG@10", wanted, reading)
        for (name, each), own in zip(runs.items(), judgments, strict=True)
    ]


def _cubes(scores: Any) -> dict[str, xr.DataArray]:
    """Return scores by name; runs without judgments are refused."""
    if isinstance(scores, str | PathLike):
        scores = [scores]
    if not isinstance(scores, list | tuple):
        return by_name(scores)
    for one in map(Path, _paths(scores)):
        if one.is_dir() or one.suffix not in (".parquet", ".csv"):
            raise IrmetaError(
                f"{one}: runs need judgments; name them with --qrels, or give score files (Parquet, CSV)"
            )
    return load_files(scores)


def _by_name(runs: Any) -> dict[str, RunsLike]:
    """Name experiments of runs: each folder or file is one, and goes by its name."""
    if isinstance(runs, Mapping):
        if any(isinstance(one, xr.DataArray) for one in runs.values()):
            raise IrmetaError(
                "scores need no judgments; give runs, or leave out --qrels"
            )
        return {str(name): own for name, own in runs.items()}
    if isinstance(runs, str | PathLike):
        runs = [runs]
    paths = _paths(runs)
    for path in paths:
        if path.endswith(".parquet"):
            raise IrmetaError(
                f"{path}: scores need no judgments; give runs, or leave out --qrels"
            )
    short = [bare_name(stem(location(path))) for path in paths]
    names = short if len(set(short)) == len(short) else paths
    if len(set(names)) < len(names):
        raise IrmetaError("an experiment is named twice; give each folder once")
    return dict(zip(names, paths, strict=True))


def _paths(files: Iterable[Any]) -> list[str]:
    """Return the paths in a list; anything else in it raises ScoresError."""
    require_fitting("experiments", files, [Sequence[Files]])
    return [fspath(one) for one in files]


def _judgments_of_each(qrels: Any, count: int) -> list[QrelsLike]:
    """Return the judgments of each experiment: its own, or one set for all."""
    several = list(qrels) if isinstance(qrels, list | tuple) else [qrels]
    if len(several) == 1:
        return several * count
    if len(several) != count:
        raise IrmetaError(
            f"{len(several)} --qrels and {count} experiments; give one for all, or one for each in "
            "the same order"
        )
    return several


def _scored_experiment(
    name: str,
    runs: RunsLike,
    qrels: QrelsLike,
    metrics: str | Iterable[str],
    wanted: Sequence[str | None],
    reading: Reading | None,
) -> Experiment:
    """Score the runs of one experiment, and keep the ranked lists of the systems in question."""
    scores = evaluate(qrels, runs, metrics, reading=reading)
    scores = scores.assign_attrs(collection=name)
    experiment = Experiment(name, scores)
    systems = list(dict.fromkeys(experiment.system(asked) for asked in wanted))
    job = Evaluation.of(qrels, runs, metrics, reading=reading)
    sources = [source for source in job.sources if source[0] in systems]
    if len(sources) < len(systems):
        raise IrmetaError(f"{name}: no run of {listed(systems)}")
    with closing(in_order(partial(_lists, job.task), sources, "runs")) as arriving:
        lists = list(arriving)
    of_system = zip((source[0] for source in sources), lists, strict=True)
    return Experiment(name, scores, dict(of_system))


def _lists(task: Task, source: Source) -> Lists:
    """Return the documents of each judged topic in trec_eval's order, ties by name."""
    topics, ranks, documents = task.top(source, DEPTH)
    found: dict[str, list[tuple[int, str]]] = {}
    for topic, rank, document in zip(
        topics.tolist(), ranks.tolist(), documents, strict=True
    ):
        found.setdefault(task.topics[topic], []).append((rank, document))
    return {
        topic: [document for _, document in sorted(placed)]
        for topic, placed in found.items()
    }
