"""What judges are compared by: scores of each, or judgment sets, of which some runs can be scored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import xarray as xr

from irmeta.errors import IrmetaError, ScoresError
from irmeta.evaluation.sets import JudgmentSets, evaluate_under
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.files import list_files, location, stem
from irmeta.io.formats.scores import load_files
from irmeta.io.runs.rankings import Qrels
from irmeta.io.runs.trec import Reading
from irmeta.io.strictly import number_or_nan
from irmeta.scores.cubes import by_name
from irmeta.studies.door import Given, numbers_by_name
from irmeta.studies.judges.compare.labels import Relevant
from irmeta.studies.result import Result

Files = str | PathLike[str]
Judges = (
    Mapping[str, xr.DataArray]
    | Mapping[str, QrelsLike]
    | JudgmentSets
    | Files
    | Sequence[Files]
)
"""Scores or judgments of each judge, by name, or the files of either, the truth first."""
JUDGES = Given("FILES", several=True)
RUNS = Given("FILE|DIR", several=True)
REL = Given("GRADES", "irmeta.studies.judges.compare.given.relevant")


def judged(
    judges: Any,
    runs: RunsLike | None,
    metrics: str | Iterable[str] | None,
    rel: Relevant,
    reading: Reading | None,
) -> tuple[Mapping[str, xr.DataArray] | None, JudgmentSets | None]:
    """Return scores by judge, those given or of the runs, and the judgment sets; None for what is not there."""
    if isinstance(judges, str | PathLike):
        judges = [judges]
    if isinstance(judges, list | tuple):
        judges = _read_files([str(file) for file in judges], runs, reading)
    elif _are_labels(judges):
        judges = JudgmentSets.of(judges, reading)
    if not isinstance(judges, JudgmentSets):
        return by_name(judges), None
    if runs is None:
        if metrics:
            raise IrmetaError(
                "--metrics needs the runs that they score; name them with --runs"
            )
        return None, judges
    own = rel if isinstance(rel, Mapping) else None
    wanted: Any = metrics or "nDCG@10"
    cubes = evaluate_under(judges, runs, wanted, rel=own, reading=reading)
    return cubes, judges


def _are_labels(judges: Any) -> bool:
    """Say whether these are judgments by name, files or grades by topic and document; anything else is scores."""
    if not isinstance(judges, Mapping):
        return False
    kinds = (str, PathLike, Qrels, dict)
    return all(isinstance(one, kinds) for one in judges.values())


def scored(
    output: Path, given: dict[str, Any]
) -> tuple[dict[str, Any], Callable[[Result], Mapping[str, xr.DataArray]]]:
    """Return the arguments with scores under every judge in place of runs, and what gives these scores to write."""
    cubes, labels = judged(
        given["judges"],
        given["runs"],
        given.pop("metrics"),
        given["rel"],
        given["reading"],
    )
    if cubes is None:
        raise IrmetaError(
            f"{output}: labels alone give no scores to write; name runs with --runs"
        )
    return given | {"judges": cubes, "judgments": labels}, lambda _: cubes


def relevant(given: str | PathLike[str] | Relevant) -> Relevant:
    """Read the lowest relevant grade, of all sets or of each; anything but text is returned as it is.

    >>> relevant("2"), relevant("nist=2 llm=1")
    (2.0, {'nist': 2.0, 'llm': 1.0})
    """
    if not isinstance(given, str | PathLike):
        return given
    text = fspath(given)
    if "=" in text:
        return numbers_by_name("--rel", text, "nist=2 llm=1")
    grade = number_or_nan(text)
    if not isfinite(grade):
        raise IrmetaError(
            f"--rel {text!r}: expected a grade, as in 2, or a grade for each set, as in 'nist=2 "
            "llm=1'"
        )
    return grade


def _read_files(
    files: list[str], runs: RunsLike | None, reading: Reading | None
) -> Mapping[str, xr.DataArray] | JudgmentSets:
    """Read score files, as scores by judge, or judgment files; with runs judgment files only."""
    tables = _tables(files)
    others = [file for file in files if not file.endswith(".parquet")]
    if tables and (runs or not all(Path(file).is_dir() for file in others)):
        raise IrmetaError(
            "give judgment sets (with --runs for their scores) or score files, not both"
        )
    if tables:
        return load_files(tables)
    names = _sets_by_file(files)
    if not names:
        raise ScoresError("there are no judges; name judgment sets or score files")
    if len(names) == 1:
        raise IrmetaError(
            f"{files[0]}: a comparison needs the truth and at least one judge; name a second judgment file"
        )
    return JudgmentSets.of(names, reading)


def _tables(files: list[str]) -> list[Path]:
    """Return the score files among these, and those in folders that hold nothing else."""
    found = []
    for file in files:
        if file.endswith(".parquet"):
            found.append(Path(file))
        elif Path(file).is_dir():
            inside = [Path(str(path)) for path in list_files(file)]
            if all(path.suffix == ".parquet" for path in inside):
                found += inside
    return found


def _sets_by_file(files: list[str]) -> dict[str, str]:
    """Name judgment sets by their files, without the usual suffixes."""
    names: dict[str, str] = {}
    for path in chain.from_iterable(list_files(location(file)) for file in files):
        name = stem(path)
        for suffix in (".txt", ".json", ".qrels", ".qrel", ".tsv"):
            name = name.removesuffix(suffix)
        if name in names:
            raise IrmetaError(
                f"two judgment sets are named {name!r}: {names[name]} and {path}; rename one file"
            )
        names[name] = str(path)
    return names
