"""Scores as records of Every Eval Ever, with intervals, rank sets and scores by item.

Source: every_eval_ever, eval.schema.json and instance_level_eval.schema.json 0.3.0.
"""

import hashlib
import json
import math
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import xarray as xr

from irmeta.choices import Missing
from irmeta.io.outputs import make_folder, writing
from irmeta.io.places import require_reachable
from irmeta.metrics.names import highest, is_known, lowest
from irmeta.scores.averages.intervals import intervals
from irmeta.scores.groups.clusters import cluster_map, in_clusters
from irmeta.scores.names import labels
from irmeta.scores.result import frame
from irmeta.scores.selection import complete
from irmeta.stats.arrays import Floats
from irmeta.studies.differences.description.study import describe

SCHEMA = "0.3.0"
LEVEL = 0.95
"""The level of `describe`, of intervals and of rank sets."""
_UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}


def export_eee(
    scores: xr.DataArray, folder: str | PathLike[str], *, missing: Missing = "error"
) -> list[Path]:
    """Write a record of Every Eval Ever for each system, with its scores by item; return the paths of the records.

    A record has the system's mean by each metric, its 95% interval and the set of ranks that may be its true one, as
    `irmeta.describe` gives them. The schema has no field for rank sets: they stand in `uncertainty` as rank_set, and as
    text in `details`, which every program keeps. The files are FOLDER/COLLECTION/DEVELOPER/MODEL/UUID.json, where
    FOLDER is `data` in the repository of Every Eval Ever. What the questions and answers were is not in them.

    scores : a cube.  folder : where to write; it is made if it does not exist.
    missing : what to do where scores are missing.
    """
    kept, _ = complete(scores, missing)
    rows = _means(kept)
    now = f"{time.time():.6f}"
    paths = []
    for at, name in enumerate(labels(kept.system.values)):
        own = [row for row in rows if row["system"] == name]
        paths.append(_write_record(kept.isel(system=[at]), own, now, Path(folder)))
    return paths


def _means(scores: xr.DataArray) -> list[dict[str, Any]]:
    """Return mean, interval and ranks of each system by each metric; a system without others has no rank."""
    if scores.sizes["system"] > 1:
        return describe(scores).tables["means"].to_dicts()
    own = intervals(scores, level=LEVEL)
    return frame(own, ["mean", "low", "high"], by=["metric", "system"]).to_dicts()


def _write_record(
    scores: xr.DataArray, rows: list[dict[str, Any]], now: str, folder: Path
) -> Path:
    """Write the record of one system, and its items; return the path of the record.

    rows : what `_means` says of the system.  now : seconds since 1970.
    """
    [system] = labels(scores.system.values)
    [collection] = labels([scores.attrs.get("collection", "collection")])
    place = _record_folders(system, collection)
    key = _key(place, now)
    items = "".join(
        json.dumps(one, ensure_ascii=False) + "\n" for one in _items(scores, key)
    ).encode("utf-8")
    digest = hashlib.sha256(
        f"{key.rpartition('/')[0]}\n".encode() + _without_time(items, key)
    )
    name = str(uuid.UUID(bytes=digest.digest()[:16], version=4))
    over = "clusters of items" if in_clusters(scores) else "items"
    results = [
        result(row, scores.sel(metric=row["metric"]).values.ravel(), collection, over)
        for row in rows
    ]
    content = {
        **record(system, collection, results, now),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": "/".join(["data", *place, f"{name}_samples.jsonl"]),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(items).hexdigest(),
            "total_rows": items.count(b"\n"),
        },
    }
    path = require_reachable(folder.joinpath(*place, f"{name}.json"))
    make_folder(path.parent)
    _write(path.with_name(f"{name}_samples.jsonl"), items)
    _write(path, json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8"))
    return path


@cache
def _version() -> str:
    """Return the version of irmeta, looked up once."""
    return version("irmeta")


def record(
    system: str,
    collection: str,
    results: list[dict[str, Any]],
    now: str,
    source: str = "",
) -> dict[str, Any]:
    """Return the record of a system, without scores by item. now : seconds since 1970. source : who evaluated it."""
    developer, _, model = system.rpartition("/")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _key(_record_folders(system, collection), now),
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": source or "irmeta",
            "source_type": "evaluation_run",
            "source_organization_name": source or "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "irmeta", "version": _version()},
        "model_info": {
            "name": model,
            "id": system,
            "developer": developer or "unknown",
            "additional_details": _UNKNOWN,
        },
        "evaluation_results": results,
    }


def _record_folders(system: str, collection: str) -> list[str]:
    """Return the folders of a record: collection, developer, model."""
    developer, _, model = system.rpartition("/")
    return [_safe_name(one) for one in (collection, developer or "unknown", model)]


def _key(place: list[str], now: str) -> str:
    """Return the id of an evaluation: COLLECTION/DEVELOPER_MODEL/TIME."""
    return f"{place[0]}/{place[1]}_{place[2]}/{now}"


def _without_time(items: bytes, key: str) -> bytes:
    """Return items without their evaluation's id, which has the time, so that the same scores have the same name."""
    return items.replace(json.dumps(key, ensure_ascii=False).encode("utf-8"), b"")


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, or not at all."""
    with writing(path) as part:
        part.write_bytes(data)


def _safe_name(name: str) -> str:
    """Return a name that is the name of a folder on every system.

    >>> _safe_name("../nDCG 1:2"), _safe_name("..")
    ('_nDCG_1_2', '_')
    """
    return re.sub(r"^[.]+|[^\w.+=@-]+", "_", name).replace("__", "_")[:100] or "_"


def result(
    row: Mapping[str, Any], values: Floats, collection: str, over: str
) -> dict[str, Any]:
    """Return the result of one metric.

    row : what `describe` says of it. values : by item. over : what is independent, as items.
    """
    metric = str(row["metric"])
    uncertainty: dict[str, Any] = {"num_samples": len(values)}
    details = {}
    if "rank" in row:
        uncertainty["rank_set"] = {
            "lower": row["rank_low"],
            "upper": row["rank_high"],
            "confidence_level": LEVEL,
            "method": "simultaneous",
        }
        details = {
            "rank": str(row["rank"]),
            "rank_set": f"{row['rank_low']}-{row['rank_high']}",
            "rank_set_confidence": f"{LEVEL}, all systems at once",
        }
    if len(values) > 1:
        uncertainty["standard_deviation"] = float(values.std(ddof=1))
    if row["low"] is not None and math.isfinite(row["low"]):
        uncertainty["confidence_interval"] = {
            "lower": row["low"],
            "upper": row["high"],
            "confidence_level": LEVEL,
            "method": f"score interval over {over}, Student's t where scores have no bounds",
        }
    return {
        "evaluation_result_id": f"{collection}.{metric}",
        "evaluation_name": collection,
        "source_data": {"dataset_name": collection, "source_type": "other"},
        "metric_config": {
            "metric_id": metric,
            "metric_name": metric,
            "lower_is_better": False,
            **_limits(metric),
        },
        "score_details": {
            "score": row["mean"],
            "details": details,
            "uncertainty": uncertainty,
        },
    }


def _limits(metric: str) -> dict[str, Any]:
    """Return the least and the largest score of a metric; nothing where they are not known."""
    if not is_known(metric):
        return {}
    ends = {"min_score": lowest(metric), "max_score": highest(metric)}
    infinite = {math.inf: "Infinity", -math.inf: "-Infinity"}
    named = {name: infinite.get(end, end) for name, end in ends.items()}
    return {"score_type": "continuous", **named}


def _items(scores: xr.DataArray, key: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each item and metric. scores : of one system.  key : the id of the evaluation."""
    [system] = labels(scores.system.values)
    [collection] = labels([scores.attrs.get("collection", "collection")])
    clusters = cluster_map(scores)
    metrics = labels(scores.metric.values)
    for topic, values in zip(
        labels(scores.topic.values), scores.values[0], strict=True
    ):
        about = {"cluster": clusters[topic]} if topic in clusters else {}
        for metric, value in zip(metrics, map(float, values), strict=True):
            yield {
                "schema_version": SCHEMA,
                "evaluation_id": key,
                "model_id": system,
                "evaluation_name": collection,
                "evaluation_result_id": f"{collection}.{metric}",
                "sample_id": topic,
                "interaction_type": "single_turn",
                "input": {"raw": "", "reference": []},
                "output": {"raw": []},
                "answer_attribution": [],
                "evaluation": {"score": value, "is_correct": value >= 1},
                "metadata": about,
            }
