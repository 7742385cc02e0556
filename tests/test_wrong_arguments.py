"""Whatever stands for an argument of a public function: a result, or an error of ours that a person can act on."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.conftest import empty_figure

import irmeta
from irmeta.errors import IrmetaError
from irmeta.report.page import writing
from irmeta.scores.cube import cube

WRONG: list[Any] = [
    *(None, object(), 3, "x", [], {}, b"", float("nan"), Path("nothing")),
    *(True, 10**400, "", "\0", [None], {"a": None}, {1: [2]}, {"s1": "a"}),
    *(np.array(3), pl.DataFrame(), [["AP"]], Path("folder"), {"1": {"d": "x"}}),
]
"""What people give by mistake, and what programs do."""


def functions() -> dict[str, Callable[..., Any]]:
    """Return every public function by its name."""
    groups = (irmeta.judges, irmeta.predict, irmeta.standardize)
    named = {name: getattr(irmeta, name) for name in irmeta.__all__}
    for group in groups:
        word = group.__name__.removeprefix("irmeta.")
        named |= {f"{word}.{name}": getattr(group, name) for name in dir(group)}
    return {name: one for name, one in named.items() if isinstance(one, FunctionType)}


def scored(collection: str, systems: int = 6, topics: int = 8) -> Any:
    """Return scores by three metrics."""
    rng = np.random.default_rng(len(collection))
    base = np.linspace(0.1, 0.5, systems)[:, None, None]
    made = base + 0.4 * rng.random((systems, topics, 3))
    names = [f"s{at}" for at in range(systems)]
    places = [f"{collection}{at}" for at in range(topics)]
    return cube(made, names, places, ["AP", "RR", "P@5"], collection=collection)


def calls(folder: Path) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a call of each function that works, as positional and named arguments."""
    one, two = scored("a"), scored("bb")
    again = two.assign_coords(topic=one.topic.values)
    new = again.assign_coords(system=[f"n{at}" for at in range(6)])
    both = {"a": one, "bb": two}
    more = both | {"ccc": scored("ccc")}
    few: dict[str, Any] = {"resamples": 1000, "metrics": "AP"}
    drawn: dict[str, Any] = {"partitions": 2}
    qrels = {str(at): {"d1": 1, "d2": 0, "d3": 1} for at in range(6)}
    lists = {str(at): {"d1": 2.0, "d3": 1.0, f"x{at}": 0.5} for at in range(6)}
    runs = {"s1": lists, "s2": {topic: {"d2": 1.0} for topic in lists}}
    pooled = {"1": {f"d{at}": at % 2 for at in range(12)}}
    pool = {f"s{at}": {"1": {f"d{at}": 2.0, f"d{at + 6}": 1.0}} for at in range(7)}
    deep = one.assign_coords(metric=["AP", "P(depth=10)@1000", "RR"])
    factors = irmeta.standardize.fit(one)
    model = irmeta.predict.fit(more)
    irmeta.save(one, folder / "s.parquet")
    irmeta.save_model(model, folder / "m.json")
    irmeta.standardize.save(factors, folder / "f.parquet")
    (folder / "g.csv").write_text("run,team,system\ns1,a,a\ns2,b,a\n")
    (folder / "c.csv").write_text("topic,cluster\n1,a\n2,b\n")
    board = irmeta.leaderboard(both, metric="AP", resamples=40)
    predicted = irmeta.predict.apply(two[..., 1:], model, want=["AP"])
    labelled = one.rename({"system": "system"})
    found: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "about": ((labelled,), {}),
        "accuracy": ((predicted, two), {}),
        "best_of": ((one,), {}),
        "commitment": ((qrels, b"salt" * 8), {}),
        "compare": ((both,), drawn | {"same_systems": True, "metrics": "AP"}),
        "correlate": ((one,), {}),
        "describe": ((one,), {}),
        "design": ((one,), drawn | {"target": "AP", "sizes": [4]}),
        "evaluate": ((qrels, runs, "AP"), {}),
        "evaluate_run": ((qrels, lists, "AP"), {}),
        "evaluate_to": (("o.parquet", qrels, runs, "AP"), {"collection": "c"}),
        "evaluate_under": (({"t": qrels}, runs, "AP"), {}),
        "export_eee": ((one[..., :1], "eee"), {}),
        "from_frame": (({"a": {"1": 0.5}, "b": {"1": 0.2}},), {}),
        "from_frame_all": (({"a": {"1": 0.5}, "b": {"1": 0.2}},), {"metric": "AP"}),
        "import_matrix": (("c.csv",), {"rows": "topics"}),
        "intervals": ((one,), {}),
        "judges.compare": (({"a": one, "b": again},), drawn),
        "judges.estimate": ((one[:, :6], again), {"metrics": "AP"}),
        "judges.estimated_scores": (
            (irmeta.judges.estimate(one[:, :6], one),),
            {},
        ),
        "judges.plan": ((one[:, :6], again), {"metrics": "AP"}),
        "leaderboard": ((both,), {"metric": "AP", "resamples": 40}),
        "leak": ((qrels,), {"submissions": 2, "metrics": "AP"}),
        "load": (("s.parquet",), {}),
        "load_all": (("s.parquet",), {}),
        "load_model": (("m.json",), {}),
        "means": ((one,), {}),
        "on_cluster": (("local",), {}),
        "online": ((one, outcomes()), {}),
        "place": ((one,), {"on": factors}),
        "predict.apply": ((two[..., 1:], model), {"want": ["AP"]}),
        "predict.coverage": ((more,), {"k": 1}),
        "predict.fit": ((more,), {}),
        "predict.lowcost": (
            ({"a": deep, "c": deep}, {"b": deep}),
            {"targets": ["AP"], "depths": [10]},
        ),
        "predict.models": ((more,), {"targets": ["AP"]}),
        "predict.select": (
            (both, {"d": scored("dddd")}),
            {"dev": {"e": two}, "k": [1]},
        ),
        "predictivity": ((one,), drawn),
        "rank": ((one,), {}),
        "read_clusters": (("c.csv",), {}),
        "read_groups": (("g.csv",), {}),
        "read_repeats": (("g.csv",), {}),
        "release": (("ladder", [[0.2] * 50], [0.5] * 50), {}),
        "reliability": ((one,), {}),
        "replicate": ((both,), {"system": "s1"}),
        "reuse": ((pooled, pool), {"depth": 2, "metrics": "P@2"}),
        "save": ((one, "o.parquet"), {}),
        "save_model": ((model, "o.json"), {}),
        "select": ((one,), {}),
        "significance": ((one,), few),
        "simulate": (("sim",), {"systems": 2, "topics": 2}),
        "simulate_judge": ((qrels, irmeta.JudgeModel()), {"runs": runs}),
        "standardize.apply": ((one, factors), {}),
        "standardize.durability": ((one, new), {}),
        "standardize.fit": ((one,), {}),
        "standardize.load": (("f.parquet",), {}),
        "standardize.sample": ((one, new), {"resamples": 1000, "sizes": [2]}),
        "standardize.save": ((factors, "o.parquet"), {}),
        "standing": ((one,), {"on": factors}),
        "table": ((one,), {"resamples": 1000}),
        "to_pandas": ((one,), {}),
        "top_systems": ((one, 0.5), {}),
        "validate": ((qrels, runs), {}),
        "versus": ((one, "s1"), few),
        "watched_by": ((None,), {}),
        "wide": ((one[..., :1],), {}),
        "with_clusters": ((one, {f"a{at}": "c" for at in range(8)}), {}),
        "with_judges": (({"a": one, "b": one},), {}),
        "with_repeats": ((one, {f"s{at}": "m" for at in range(6)}), {}),
        "write_leaderboard": ((board, "board"), {}),
        "write_report": ((one[:3, :, :2], "report"), {}),
    }
    imports = [name for name in irmeta.__all__ if name.startswith("import_")]
    return {name: (("c.csv",), {}) for name in imports} | found


def outcomes() -> pl.DataFrame:
    """Return outcomes of the systems in an experiment."""
    names = [f"s{at}" for at in range(6)]
    return pl.DataFrame({"system": names, "value": np.arange(6) / 6, "se": 0.1})


def replaced(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], share: int
) -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    """Yield a call with each argument replaced, in turn, by each wrong thing, or by one in `share` of them."""
    parameters = list(inspect.signature(function).parameters)
    for at, name in enumerate(function.door.takes):
        for wrong in WRONG[at % share :: share]:
            if name in parameters and parameters.index(name) < len(args):
                yield name, wrong, (*args[:at], wrong, *args[at + 1 :]), kwargs
            else:
                yield name, wrong, args, kwargs | {name: wrong}


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Calls that work, in a folder of their own, with the folder."""
    folder = tmp_path_factory.mktemp("calls")
    return {"folder": folder, "calls": calls(folder)}


def check(
    name: str, working: dict[str, Any], share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Call a function with wrong arguments: it returns, or raises an error of ours that says something."""
    Path("folder").mkdir(exist_ok=True)
    function = functions()[name]
    args, kwargs = working["calls"][name]
    if not name.startswith("import_"):  # of which one table is for one at most
        function(*args, **kwargs)
    monkeypatch.setattr(writing, "_write_figure", empty_figure)
    wrong = []
    for argument, value, first, named in replaced(function, args, kwargs, share):
        try:
            function(*first, **named)
        except IrmetaError as error:
            if "object at 0x" in str(error) or not str(error):
                wrong.append(f"{argument}={value!r}: {error}")
        except Exception as error:
            wrong.append(f"{argument}={value!r}: {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(set(functions()) - {"write_report"}))
def test_no_argument_brings_a_traceback(
    name: str, working: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public function with a wrong argument returns, or raises an error of ours; warnings are errors here."""
    monkeypatch.chdir(working["folder"])
    check(name, working, 5, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", functions())
def test_no_wrong_value_of_any_argument_brings_a_traceback(
    name: str, working: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every wrong value for every argument; a report is written whole once, and then with empty figures."""
    monkeypatch.chdir(working["folder"])
    check(name, working, 1, monkeypatch)
