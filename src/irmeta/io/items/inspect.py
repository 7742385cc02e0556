"""Logs of Inspect AI (.eval and .json) as cubes: a task is a collection, a sample a topic, a scorer a metric.

Source: inspect_ai 0.3, EvalLog and EvalSampleSummary.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, stem
from irmeta.io.items.archive import Archive
from irmeta.io.items.records import (
    are_objects,
    cluster_name,
    file_title,
    nested,
    read_json,
)
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.strictly import number, parse_json
from irmeta.io.tables.matrices import Paths, all_files, listed_paths
from irmeta.words import counted, listed, reason

WHAT = "a log of Inspect AI"
_LISTS = ("logs.json", "listing.json", "eval-set.json")
"""What Inspect writes beside logs: lists of them."""
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partial, incorrect, no answer."""
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def import_inspect(
    paths: Paths,
    *,
    names: NamedBy = "model",
    cluster_by: str | None = None,
    collection: str | None = None,
) -> dict[str, xr.DataArray]:
    """Read logs of Inspect AI as cubes by task: models are systems, samples topics, scorers metrics.

    Values C, P and I are 1, .5 and 0, as in Inspect; a scorer with several values is one metric each, `scorer/value`.
    Epochs are averaged, and a note says how many there were. Samples without a score are missing.

    paths : logs (.eval or .json), folders, globs or URLs of them.
    names : "model", or "file" where two logs are of one model.
    cluster_by : the field of the samples' metadata that names their cluster; by default the one of stderr(cluster=...).
    collection : what to call the task, where there is one.
    """
    logs = [path for path in all_files(paths) if stem(path) not in _LISTS]
    if not logs:
        raise FileFormatError(f"no log of Inspect AI in {listed_paths(paths)}")
    parts = [_read_part(path, cluster_by) for path in logs]
    return cubes_of_parts(parts, names=names, collection=collection)


def _read_part(path: Location, cluster_by: str | None) -> Part:
    """Return the scores of one log, the models that judged, and notes on what is odd about it."""
    header, samples = _read_log(path)
    evaluation = header.get("eval")
    if (
        not isinstance(evaluation, dict)
        or "task" not in evaluation
        or "model" not in evaluation
    ):
        raise FileFormatError(
            f"{display(path)}: not {WHAT} (it names no task and model)"
        )
    part = Part(path, file_title(path), [])
    cluster_by = cluster_by or _clustered_by(evaluation.get("scorers"))
    text_metrics = set[str]()
    scored = [(sample, dict(_scores(sample, text_metrics))) for sample in samples]
    metrics = dict.fromkeys(metric for _, scores in scored for metric in scores)
    unscored = dict.fromkeys(list(metrics)[:1], float("nan"))  # an item all the same
    part.rows += [
        _row(
            f"{display(path)}: sample {at}",
            evaluation,
            sample,
            cluster_by,
            metric,
            score,
        )
        for at, (sample, scores) in enumerate(scored, 1)
        for metric, score in (scores or unscored).items()
    ]
    for scorer, machine in _judges(evaluation.get("scorers")).items():
        for metric in metrics:
            if metric.partition("/")[0] == scorer:
                part.add_judge(metric, machine)
    unscored_count = sum(not scores for _, scores in scored)
    status = header.get("status")
    if status != "success":
        part.add_note(f"the evaluation did not end well ({status})")
    if unscored_count:
        part.add_note(f"{counted(unscored_count, 'sample')} without a score")
    if text_metrics:
        part.add_note(f"{listed(sorted(text_metrics))}: texts, no scores; left out")
    return part


def _row(
    place: str,
    evaluation: Mapping[str, Any],
    sample: Mapping[str, Any],
    cluster_by: str | None,
    metric: str,
    score: float,
) -> Row:
    """Return the score of a sample by a metric; `place` says where the sample stands."""
    if "id" not in sample:
        raise FileFormatError(f"{place} has no id")
    content = json.dumps([sample.get("input"), sample.get("target")], sort_keys=True)
    return Row(
        str(evaluation["task"]),
        str(evaluation["model"]),
        str(sample["id"]),
        metric,
        score,
        str(sample.get("epoch", 1)),
        cluster_name(cluster_by, sample.get("metadata"), place=place),
        hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        place,
    )


def _read_log(path: Location) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a log says of its evaluation, and its samples."""
    if is_archive(path):
        return _read_archive(path)
    document = read_json(path, WHAT)
    if not isinstance(document, dict) or "eval" not in document:
        raise FileFormatError(f"{display(path)}: not {WHAT}")
    return document, _require_samples(document.get("samples") or [], path)


def is_archive(path: Location) -> bool:
    """Say whether a log is a .eval archive."""
    return display(path).endswith(".eval")


def _read_archive(path: Location) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what an archive says of its evaluation, and its samples."""
    archive = Archive(path)
    if "header.json" not in archive:
        if archive.names("_journal/"):
            raise FileFormatError(
                f"{display(path)}: the evaluation has not ended; wait, or finish the log with `inspect eval-retry`"
            )
        raise FileFormatError(f"{display(path)}: an archive, but not {WHAT}")
    try:
        header = parse_json(archive.read("header.json"))
        if "summaries.json" in archive:
            document = parse_json(archive.read("summaries.json"))
        else:
            document = [
                parse_json(archive.read(name)) for name in archive.names("samples/")
            ]
    except ValueError as error:
        raise FileFormatError(
            f"{display(path)}: not {WHAT} ({reason(error)})"
        ) from error
    if not isinstance(header, dict):
        raise FileFormatError(f"{display(path)}: not {WHAT}")
    return header, _require_samples(document, path)


def _require_samples(document: object, path: Location) -> list[dict[str, Any]]:
    """Return the samples of a log if they are a list of objects; else raise FileFormatError."""
    if not are_objects(document):
        raise FileFormatError(f"{display(path)}: not {WHAT} (its samples are no list)")
    return document


def _scores(
    sample: Mapping[str, Any], text_metrics: set[str]
) -> Iterator[tuple[str, float]]:
    """Yield the scores of a sample by metric; scorers whose values are other texts are collected."""
    document = sample.get("scores")
    for scorer, result in document.items() if isinstance(document, dict) else ():
        value = nested(result, "value")
        values = value if isinstance(value, dict) else {"": value}
        for name, part in values.items():
            metric = f"{scorer}/{name}" if name else scorer
            score = numeric_value(part)
            if score is None:
                text_metrics.add(metric)
            else:
                yield metric, score


def numeric_value(value: object) -> float | None:
    """Return a value as Inspect counts it; NaN where there is none, None for another text.

    >>> numeric_value("C"), numeric_value(True), numeric_value("0.25"), numeric_value("refused")
    (1.0, 1.0, 0.25, None)
    """
    if value is None:
        return float("nan")
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    try:
        return number(value)
    except (ValueError, TypeError):
        return None


def _judges(scorers: object) -> dict[str, object]:
    """Return the models that grade, by scorer, where its options name one."""
    judges = {}
    for scorer in scorers if isinstance(scorers, list) else ():
        if isinstance(nested(scorer, "options"), dict):
            judges[str(scorer.get("name"))] = scorer["options"].get("model")
    return judges


def _clustered_by(scorers: object) -> str | None:
    """Return the field that the standard errors of an evaluation are clustered by, if they are."""
    if isinstance(scorers, list):
        return next((by for one in scorers if (by := _clustered_by(one))), None)
    if not isinstance(scorers, dict):
        return None
    name = str(scorers.get("name", ""))
    if name.rpartition("/")[2] == "stderr" and isinstance(scorers.get("options"), dict):
        by = scorers["options"].get("cluster")
        return by if isinstance(by, str) else None
    metrics = scorers.get("metrics")
    groups = list(metrics.values()) if isinstance(metrics, dict) else metrics
    return _clustered_by(groups)
