"""Samples of lm-evaluation-harness (samples_TASK_TIME.jsonl) as cubes: a task is a collection, a document a topic.

Source: lm_eval 0.4, EvaluationTracker.save_results_samples.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, stem
from irmeta.io.items.records import (
    cluster_name,
    nested,
    read_json,
    read_records,
    required_name,
)
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.strictly import number
from irmeta.io.tables.matrices import Paths, all_files, listed_paths
from irmeta.words import listed

WHAT = "samples of lm-evaluation-harness"
_NAME = re.compile(r"samples_(.+)_(\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl")


def import_lm_eval(
    paths: Paths,
    *,
    names: NamedBy = "model",
    cluster_by: str | None = None,
    collection: str | None = None,
) -> dict[str, xr.DataArray]:
    """Read samples of lm-evaluation-harness (--log_samples) as cubes by task: models are systems, documents topics.

    A model is named by the results beside its samples, else by their folder (`__` stands for `/`). A metric under a
    filter is `exact_match/strict`. Metrics whose values are not numbers are left out, and a note names them.

    paths : samples_TASK_TIME.jsonl, or folders, globs or URLs of them.
    names : "model", or "file", for two evaluations of one model: systems are called by the folder of the samples.
    cluster_by : the field of the documents that names their cluster.
    collection : what to call the task, where there is one.
    """
    files = [
        (path, found)
        for path in all_files(paths)
        if (found := _NAME.fullmatch(stem(path)))
    ]
    if not files:
        raise FileFormatError(
            f"no {WHAT} in {listed_paths(paths)}: they are called samples_TASK_TIME.jsonl; evaluate with --log_samples"
        )
    parts = [_read_part(path, found[1], found[2], cluster_by) for path, found in files]
    return cubes_of_parts(parts, names=names, collection=collection)


def _read_part(path: Location, task: str, time: str, cluster_by: str | None) -> Part:
    """Return the scores of one file of samples; values that are no numbers are left out, and noted."""
    model, folder = _model_and_folder(path, time)
    part = Part(path, folder, [])
    others = set[str]()
    for place, record in read_records(path, WHAT):
        topic = required_name(record, ("doc_id",), place)
        metrics = record.get("metrics")
        if not isinstance(metrics, list) or not all(
            isinstance(one, str) for one in metrics
        ):
            raise FileFormatError(f"{place}: not {WHAT} (it lacks its list of metrics)")
        cluster = cluster_name(cluster_by, record.get("doc"), place=place)
        content = str(record["doc_hash"]) if "doc_hash" in record else None
        for metric, value in _values(record, metrics, place).items():
            try:
                score = float(value) if isinstance(value, bool) else number(value)
            except (ValueError, TypeError):
                others.add(metric)
                continue
            part.rows.append(
                Row(task, model, topic, metric, score, "", cluster, content, place)
            )
    if others:
        part.add_note(f"{listed(sorted(others))}: no single numbers; left out")
    return part


def _values(
    record: Mapping[str, Any], metrics: list[Any], place: str
) -> dict[str, Any]:
    """Return the values of a record by metric, which its filter is part of where it has one."""
    filtered = str(record.get("filter", "none"))
    suffix = "" if filtered == "none" else f"/{filtered}"
    if lacking := [name for name in metrics if name not in record]:
        raise FileFormatError(f"{place}: it lacks the score {lacking[0]!r}")
    return {f"{name}{suffix}": record[name] for name in metrics}


def _model_and_folder(path: Location, time: str) -> tuple[str, str]:
    """Return the name of a model, and of the folder of its samples."""
    folder = PurePath(display(path)).parent.name
    model = folder.replace("__", "/") or "model"
    results = (
        Path(path).parent / f"results_{time}.json" if isinstance(path, Path) else None
    )
    if results is not None and results.is_file():
        document = read_json(results, "results of lm-evaluation-harness")
        model = str(nested(document, "model_name") or model)
    return model, folder
