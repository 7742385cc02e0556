"""Records of Every Eval Ever as cubes: scores by item of each benchmark, and a table of models and evaluations.

Source: every_eval_ever, eval.schema.json and instance_level_eval.schema.json 0.3.0. Records that break the schema are
read as far as they can be.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, read_bytes
from irmeta.io.items.records import (
    are_objects,
    cluster_name,
    file_title,
    nested,
    read_json,
    read_records,
    read_score,
    required_name,
)
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.tables.matrices import Paths, all_files, listed_paths
from irmeta.words import NAMED, counted, listed

WHAT = "a record of Every Eval Ever"
ITEMS = "_samples.jsonl"
MEANS = "every eval ever"
"""The collection of models and evaluations."""
SCORE = "score"
_NEAR = 1e-6
"""How far a reported score may be from the mean of its items, by rounding."""


def import_eee(
    paths: Paths,
    *,
    names: NamedBy = "model",
    cluster_by: str | None = None,
    collection: str | None = None,
) -> dict[str, xr.DataArray]:
    """Read records of Every Eval Ever: a cube by items of each benchmark that has them, and one of all evaluations.

    By items: models are systems, samples topics, epochs are averaged. All evaluations, in "every eval ever": models are
    systems, evaluations topics, their reported scores the metric `score`, for `irmeta.leaderboard`. Records that cannot
    be read are left out, and a note lists them, as it does where records break their schema or contradict their items;
    metrics of which lower is better are left out.

    paths : records (UUID.json), with their items (UUID_samples.jsonl) beside them; folders, globs of them.
    names : "model", or "file" where two records are of one model.
    cluster_by : the field of the items' metadata that names their cluster.
    collection : what to call the collection, where there is one.
    """
    files = [path for path in all_files(paths) if display(path).endswith(".json")]
    files = [path for path in files if not display(path).endswith(".schema.json")]
    if not files:
        raise FileFormatError(
            f"no records of Every Eval Ever (UUID.json) in {listed_paths(paths)}"
        )
    parts, oddities = list[Part](), Oddities()
    for path in files:
        try:
            parts.append(_read_part(path, cluster_by, oddities))
        except FileFormatError as error:
            oddities.unread.append(error)
    if not parts:
        raise oddities.unread[0]
    parts[0].notes += oddities.notes()
    return cubes_of_parts(parts, names=names, collection=collection)


@dataclass(frozen=True)
class Result:
    """A reported score of a record.

    key : its evaluation_result_id, if it has one.  judges : the machines that scored it, if any.
    """

    key: str | None
    name: str
    metric: str
    score: float
    judges: tuple[str, ...] = ()


@dataclass
class Oddities:
    """What is odd about records, over all of them.

    broken : items that break the schema.  lower : metrics that were left out.  other : scores that contradict items.
    """

    broken: int = 0
    lower: list[str] = dataclass_field(default_factory=list)
    other: list[str] = dataclass_field(default_factory=list)
    unread: list[FileFormatError] = dataclass_field(default_factory=list)

    def notes(self) -> list[str]:
        """Return a note on each kind of oddity that there is."""
        notes = {
            f"{counted(len(self.unread), 'record')} left out: {self._reasons()}": self.unread,
            f"{counted(self.broken, 'item')} break the schema (evaluation_result_id is null) and are joined by their "
            "record": self.broken,
            f"left out, as lower is better: {listed(self.lower)}": self.lower,
            f"reported scores are not the means of the items: {listed(self.other)}": self.other,
        }
        return [note for note, there in notes.items() if there]

    def _reasons(self) -> str:
        """Return why the first records could not be read, whole: each reason begins with its file."""
        reasons = [str(error) for error in self.unread[:NAMED]]
        more = len(self.unread) - len(reasons)
        return "; ".join(reasons) + (f"; and {more} more" if more else "")


def _read_part(path: Location, cluster_by: str | None, oddities: Oddities) -> Part:
    """Return the reported scores of one record, and those of its items where it has some; oddities are added up."""
    record = read_json(path, WHAT)
    model, benchmark = _model_and_benchmark(record, path)
    part = Part(path, file_title(path), [])
    results = _results(record, path, oddities)
    repeated = len({result.name for result in results}) < len(results)
    for result in results:
        task = (
            result.name if benchmark in result.name else f"{benchmark}: {result.name}"
        )
        topic = f"{task} ({result.metric})" if repeated else task
        part.rows.append(Row(MEANS, model, topic, SCORE, result.score))
        for machine in result.judges:
            part.add_judge(result.metric, machine)
    items = _items_file(record, path)
    if items is not None:
        rows = _item_rows(items, results, cluster_by, oddities)
        part.rows += [row._replace(collection=benchmark, system=model) for row in rows]
        oddities.other += _contradictions(f"{model} on {benchmark}", results, rows)
    return part


def _model_and_benchmark(record: object, path: Location) -> tuple[str, str]:
    """Return the model of a record, and its benchmark, with which its evaluation_id begins."""
    model, key = (nested(record, name) for name in ("model_info", "evaluation_id"))
    if not isinstance(model, dict) or "id" not in model or not isinstance(key, str):
        raise FileFormatError(
            f"{display(path)}: not {WHAT} (it lacks evaluation_id or the id of model_info)"
        )
    return str(model["id"]), key.partition("/")[0]


def _results(
    record: Mapping[str, Any], path: Location, oddities: Oddities
) -> list[Result]:
    """Return the reported scores of a record; those of which lower is better are left out."""
    results_given = record.get("evaluation_results")
    if not are_objects(results_given):
        raise FileFormatError(
            f"{display(path)}: not {WHAT} (it lacks evaluation_results)"
        )
    results = []
    for number, entry in enumerate(results_given, 1):
        place = f"{display(path)}: result {number}"
        name = required_name(entry, ("evaluation_name",), place)
        config, details = entry.get("metric_config"), entry.get("score_details")
        if not isinstance(config, dict) or not isinstance(details, dict):
            raise FileFormatError(f"{place}: it lacks metric_config or score_details")
        name_fields = ("metric_name", "metric_id", "evaluation_description")
        metric = next(
            (str(config[key]) for key in name_fields if config.get(key)), SCORE
        )
        if config.get("lower_is_better"):
            oddities.lower.append(metric)
            continue
        key = entry.get("evaluation_result_id")
        value = read_score(details.get("score"), place)
        result = Result(None if key is None else str(key), name, metric, value)
        results.append(replace(result, judges=_judges(config)))
    return results


def _judges(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the models that scored, where the configuration of a metric names them."""
    judges = nested(config, "llm_scoring", "judges")
    models = [
        nested(judge, "model_info", "id") or nested(judge, "model_info", "name")
        for judge in (judges if isinstance(judges, list) else ())
    ]
    return tuple(str(model) for model in models if model)


def _items_file(record: Mapping[str, Any], path: Location) -> Path | None:
    """Return the file with the items of a record; one that is missing or damaged raises FileFormatError."""
    reference = record.get("detailed_evaluation_results")
    if not isinstance(reference, dict) or not isinstance(path, Path):
        return None
    name = PurePath(str(reference.get("file_path", ""))).name or f"{path.stem}{ITEMS}"
    file = path.parent / name
    if not file.is_file():
        raise FileFormatError(f"{path}: its items, {name}, are not beside it")
    algorithm = reference.get("hash_algorithm")
    if algorithm in ("sha256", "md5") and reference.get("checksum"):
        digest = hashlib.new(str(algorithm), read_bytes(file), usedforsecurity=False)
        if digest.hexdigest() != reference["checksum"]:
            raise FileFormatError(
                f"{file}: not the items of {path.name}, whose checksum differs; copy or download them again"
            )
    return file


def _item_rows(
    path: Path, results: list[Result], cluster_by: str | None, oddities: Oddities
) -> list[Row]:
    """Return the scores of items by the metrics of their results; their collection and system are left empty."""
    result_of = {one.key: one for one in results if one.key is not None}
    rows = []
    for place, item in read_records(path, "an item of Every Eval Ever"):
        key = item.get("evaluation_result_id")
        oddities.broken += "evaluation_result_id" in item and key is None
        result = result_of.get(str(key)) if key is not None else None
        if result is None and len(results) == 1:
            result = results[0]
        evaluation = item.get("evaluation")
        if not isinstance(evaluation, dict):
            raise FileFormatError(f"{place}: an item without an evaluation")
        metric = result.metric if result else str(item.get("evaluation_name", SCORE))
        metadata = item.get("metadata")
        rows.append(
            Row(
                "",
                "",
                required_name(item, ("sample_id",), place),
                metric,
                read_score(evaluation.get("score"), place),
                str(metadata.get("epoch", "")) if isinstance(metadata, dict) else "",
                cluster_name(cluster_by, metadata, place=place),
                str(item["sample_hash"]) if item.get("sample_hash") else None,
                place,
            )
        )
    return rows


def _contradictions(where: str, results: list[Result], rows: list[Row]) -> list[str]:
    """Return the reported scores that are not the mean of the record's items."""
    contradictions = []
    for result in results:
        scores = [row.score for row in rows if row.metric == result.metric]
        mean = float(np.nanmean(scores)) if np.isfinite(scores).any() else np.nan
        if abs(mean - result.score) > _NEAR:
            contradictions.append(
                f"{result.metric} of {where} is {result.score:.4g}, not {mean:.4g} of {counted(len(scores), 'item')}"
            )
    return contradictions
