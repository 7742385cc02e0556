"""Runs of HELM (per_instance_stats.json) as cubes: a run's scenario is a collection, an instance a topic.

Source: crfm-helm 0.5, PerInstanceStats, Stat and RunSpec.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, stem
from irmeta.io.items.records import are_objects, nested, read_json
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.strictly import number
from irmeta.io.tables.matrices import Paths, all_files, listed_paths
from irmeta.words import counted, listed

WHAT = "a run of HELM"
FILE = "per_instance_stats.json"
_SPENT = re.compile(
    "num_.*|finish_reason_.*|prompt_truncated|batch_size|estimated_num_tokens_cost|"
    "(inference|training)_(.*_)?(runtime|cost)"
)
"""Statistics of what was asked and spent: of HELM's groups general_information and efficiency, not of quality."""
_MODEL = re.compile(r"[:,]model(_deployment)?=([^,]*)")


def import_helm(
    paths: Paths, *, names: NamedBy = "model", collection: str | None = None
) -> dict[str, xr.DataArray]:
    """Read runs of HELM as cubes by scenario: models are systems, instances topics, statistics metrics.

    A collection is a run's name without its model. Training trials are averaged, and a note says how many there were.
    Perturbed instances are left out, and a note counts them; so are counts of tokens and costs, and a note names them.

    paths : benchmark_output/runs/SUITE, or folders or globs of runs, with per_instance_stats.json and run_spec.json.
    names : "model", or "file", for two suites of one model: systems are called by their suite.
    collection : what to call the scenario, where there is one.
    """
    files = [path for path in all_files(paths) if stem(path) == FILE]
    if not files:
        raise FileFormatError(
            f"no {FILE} in {listed_paths(paths)}; name the folder of a suite of HELM"
        )
    return cubes_of_parts(
        [_read_part(path) for path in files], names=names, collection=collection
    )


def _read_part(path: Location) -> Part:
    """Return the scores of one run, and notes on what was left out."""
    scenario, model = _scenario_and_model(path)
    part = Part(path, PurePath(display(path)).parent.parent.name, [])
    perturbed = 0
    spent = set[str]()
    seen: dict[tuple[str, str, str], float] = {}
    for at, record in enumerate(_records(path), 1):
        place = f"{display(path)}: record {at}"
        if record.get("perturbation"):
            perturbed += 1
            continue
        topic = str(record["instance_id"])
        trial = str(record.get("train_trial_index", 0))
        for metric, score in _mean_stats(record, path):
            if _SPENT.fullmatch(metric):
                spent.add(metric)
                continue
            key = (topic, trial, metric)
            if seen.get(key) == score:  # two metrics with one statistic
                continue
            seen[key] = score
            part.rows.append(
                Row(scenario, model, topic, metric, score, trial, place=place)
            )
    if perturbed:
        part.add_note(f"left out {counted(perturbed, 'record')} of perturbed instances")
    if spent:
        part.add_note(
            f"left out {listed(sorted(spent), 3)}: what answers cost, not how good they are"
        )
    return part


def _scenario_and_model(path: Location) -> tuple[str, str]:
    """Return the scenario and the model of a run, by its specification, or by the name of its folder."""
    name = PurePath(display(path)).parent.name
    model = ""
    spec = path.parent / "run_spec.json" if isinstance(path, Path) else None
    if spec is not None and spec.is_file():
        specification = read_json(spec, "a run_spec.json of HELM")
        name = str(nested(specification, "name") or name)
        model = str(nested(specification, "adapter_spec", "model") or "")
    if not model:
        in_name = _MODEL.search(name)
        if in_name is None:
            raise FileFormatError(
                f"{display(path)}: which model is it? Expected run_spec.json beside it, or a folder "
                "SCENARIO:...,model=NAME"
            )
        model = in_name[2]
    return _MODEL.sub("", name).strip(":,") or name, model


def _records(path: Location) -> list[dict[str, Any]]:
    """Return what a file holds of each instance; anything else raises FileFormatError."""
    held = read_json(path, WHAT)
    if not are_objects(held, "instance_id") or not all(
        isinstance(one.get("stats"), list) for one in held
    ):
        raise FileFormatError(
            f"{display(path)}: not {WHAT} (expected a list of instances with their stats)"
        )
    return held


def _mean_stats(record: dict[str, Any], path: Location) -> Iterator[tuple[str, float]]:
    """Yield the statistics of an instance by metric: their means."""
    for stat in record["stats"]:
        name = nested(stat, "name")
        if not isinstance(name, dict) or "name" not in name:
            raise FileFormatError(
                f"{display(path)}: not {WHAT} (a statistic without a name)"
            )
        if name.get("perturbation"):
            continue
        try:
            if number(stat.get("count", 0)):
                yield str(name["name"]), number(stat["mean"])
        except (ValueError, TypeError, KeyError) as error:
            raise FileFormatError(
                f"{display(path)}: {name['name']} of {record['instance_id']} has no mean"
            ) from error
