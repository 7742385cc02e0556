"""Test runs of DeepEval as a cube: a run is a system, a test case a topic.

Source: deepeval 4.3, TestRun.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display
from irmeta.io.items.records import (
    are_objects,
    cluster_name,
    file_title,
    nested,
    read_json,
    read_score,
)
from irmeta.io.items.rows import Part, Row, cubes_of_parts
from irmeta.io.tables.matrices import Paths, all_files
from irmeta.words import counted

WHAT = "a test run of DeepEval"
COLLECTION = "deepeval"


def import_deepeval(
    paths: Paths,
    *,
    names: NamedBy = "model",
    cluster_by: str | None = None,
    collection: str | None = None,
) -> dict[str, xr.DataArray]:
    """Read test runs of DeepEval as a cube: a test run is a system, test cases are topics.

    A system is named by the run's identifier, else by the model among its hyperparameters, else by its file. Test cases
    go by their names, so that two runs of one set of cases can be compared. Cases of the same name and input are
    repeats, which are averaged. A metric that failed is missing.

    paths : files that DeepEval writes into DEEPEVAL_RESULTS_FOLDER; folders, globs or URLs of them.
    names : "model", or "file": systems are called by their files.
    cluster_by : the field of the cases' metadata that names their cluster.
    collection : what to call the set of cases.
    """
    parts = [
        _read_part(path, cluster_by, collection or COLLECTION)
        for path in all_files(paths)
    ]
    return cubes_of_parts(parts, names=names)


def _read_part(path: Location, cluster_by: str | None, collection: str) -> Part:
    """Return the scores of one test run, and notes on what is missing."""
    run = _read_run(path)
    part = Part(path, file_title(path), [])
    system = _system(run) or part.origin
    inputs: dict[str, list[object]] = {}
    repeats = Counter[str]()
    failed = unscored = 0
    for at, case in enumerate(_cases(run, path)):
        place = f"{display(path)}: test case {at + 1}"
        topic = _topic(case, at, inputs)
        repeats[topic] += 1
        metadata = case.get("additionalMetadata"), case.get("metadata")
        cluster = cluster_name(cluster_by, *metadata, place=place)
        values = _values(case, place)
        unscored += not values
        for metric, (value, machine) in values.items():
            score = read_score(value, place)
            part.add_judge(metric, machine)
            failed += value is None
            cell = (collection, system, topic, metric, score)
            repeat = str(repeats[topic])
            part.rows.append(Row(*cell, repeat, cluster, place=place))
    for number, what in (
        (failed, f"{counted(failed, 'metric')} of test cases failed"),
        (unscored, f"{counted(unscored, 'test case')} without metrics"),
    ):
        if number:
            part.add_note(f"{what}, which are missing")
    return part


def _read_run(path: Location) -> dict[str, Any]:
    """Return the test run that a file holds; anything else raises FileFormatError."""
    document = read_json(path, WHAT)
    run = document.get("testRunData", document) if isinstance(document, dict) else None
    if not isinstance(run, dict) or "testCases" not in run:
        raise FileFormatError(
            f"{display(path)}: not {WHAT} (it lacks 'testCases'); DeepEval writes it into DEEPEVAL_RESULTS_FOLDER"
        )
    return run


def _system(run: Mapping[str, Any]) -> str:
    """Return what a run calls itself or its model; nothing where it does neither."""
    model = nested(run, "hyperparameters", "model")
    return str(run.get("identifier") or model or "")


def _cases(run: Mapping[str, Any], path: Location) -> list[dict[str, Any]]:
    """Return the test cases of a run, single ones and conversations."""
    lists = [run.get(key) or [] for key in ("testCases", "conversationalTestCases")]
    if not all(isinstance(one, list) for one in lists):
        raise FileFormatError(f"{display(path)}: not {WHAT} (testCases is no list)")
    cases = [case for one in lists for case in one]
    if not are_objects(cases):
        raise FileFormatError(f"{display(path)}: not {WHAT} (a test case is no object)")
    return cases


def _topic(case: Mapping[str, Any], at: int, inputs: dict[str, list[object]]) -> str:
    """Name a test case; cases of one name with other inputs are numbered."""
    name = str(case.get("name") or f"test_case_{case.get('order', at)}")
    inputs_known = inputs.setdefault(name, [])
    input_ = case.get("input", case.get("turns"))
    if input_ not in inputs_known:
        inputs_known.append(input_)
    number = inputs_known.index(input_) + 1
    return name if number == 1 else f"{name} ({number})"


def _values(case: Mapping[str, Any], place: str) -> dict[str, tuple[Any, Any]]:
    """Return the score by each metric, and the model that judged, if one did."""
    metrics = case.get("metricsData")
    metrics = [] if metrics is None else metrics
    if not are_objects(metrics, "name"):
        raise FileFormatError(f"{place}: not {WHAT} (metricsData without names)")
    return {
        str(metric["name"]): (metric.get("score"), metric.get("evaluationModel"))
        for metric in metrics
    }
