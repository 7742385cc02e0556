"""What stands at the door of every study: values of another type, and too large ones, are named."""

import inspect
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.errors import FITTING, IrmetaError
from irmeta.io.groups import read_groups
from irmeta.scores.cube import cube
from irmeta.studies.door import Parameter
from irmeta.studies.result import Result

WRONG: dict[Any, list[Any]] = {
    bool: ["yes", 2, [True]],
    int: ["5", 2.5, True, 10**30, [5]],
    float: ["0.9", float("inf"), 1e308, True, [0.5]],
    str: [1.0, b"AP", ["AP"]],
}


@pytest.fixture(scope="module")
def scores() -> Any:
    """Six systems on twelve topics by two metrics."""
    rng = np.random.default_rng(1)
    made = np.linspace(0.1, 0.5, 6)[:, None, None] + 0.4 * rng.random((6, 12, 2))
    names = [f"s{at}" for at in range(6)], [str(at) for at in range(12)], ["AP", "RR"]
    return cube(made, *names)


@pytest.mark.parametrize("kind", WRONG)
def test_a_value_of_another_type_is_named(kind: Any) -> None:
    """A parameter of a plain type refuses other types, and numbers beyond use, by its name and with what it takes."""
    parameter = Parameter("given", kind, None, "")
    for value in WRONG[kind]:
        with pytest.raises(
            IrmetaError, match=rf"^given=.*: expected {FITTING[kind].called[:9]}"
        ):
            parameter.read(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [(int, np.int64(5)), (float, np.float32(0.5)), (float, 1), (bool, np.bool_(1))],
)
def test_numbers_of_numpy_are_numbers(kind: Any, value: Any) -> None:
    """What NumPy calls a number is one, and a whole number stands for a fraction."""
    assert Parameter("given", kind, None, "").read(value) is value


def test_defaults_of_studies_pass_their_door() -> None:
    """No study refuses what it declares itself."""
    doors = [getattr(getattr(irmeta, name), "door", None) for name in dir(irmeta)]
    assert len(set(filter(None, doors))) > 10
    for door in filter(None, doors):
        for parameter in door.takes.values():
            if parameter.default not in (None, inspect.Parameter.empty):
                parameter.read(copy(parameter.default))


@pytest.mark.parametrize(
    ("verb", "given", "says"),
    [
        ("describe", {"level": "0.9"}, "level='0.9': expected a number"),
        ("describe", {"metrics": 1.0}, "metrics=1.0: expected a text or a list"),
        ("describe", {"metrics": [None]}, "expected a text or a list of names"),
        ("describe", {"missing": np.array([])}, "missing=array"),
        ("describe", {"level": 1e-320}, "between 0 and 1"),
        (
            "describe",
            {"teams": pl.DataFrame()},
            "the data frame has no rows",
        ),
        ("leaderboard", {"metric": "AP", "cost": 5}, "cost=5: expected a mapping"),
        ("leaderboard", {"metric": "AP", "types": {1: 2}}, "types= {1: 2}: expected"),
        (
            "leaderboard",
            {"metric": "AP", "types": ["a"]},
            "types= \\['a'\\]: expected a",
        ),
        ("leaderboard", {"metric": "AP", "resamples": 10**9}, "at most 10,000,000"),
        ("predictivity", {"partitions": 10**30}, "at most 10,000,000"),
        ("significance", {"metrics": "AP", "margin": 1e308}, "margin=.*1e\\+308"),
        ("design", {"target": "AP", "level": -1}, "level of intervals must be"),
        ("design", {"target": "AP", "partitions": 0}, "partitions must be 2 or more"),
        ("design", {"target": "AP", "metrics": ","}, "the list of metrics is empty"),
        ("design", {"target": "AP", "sizes": np.array([np.nan])}, "whole numbers"),
    ],
)
def test_what_a_study_cannot_use_is_said(
    scores: Any, verb: str, given: dict[str, Any], says: str
) -> None:
    """A sentence names the argument and what it may be; nothing is computed of it, and no library complains."""
    with pytest.raises(IrmetaError, match=says):
        getattr(irmeta, verb)(scores, **given)


@pytest.mark.parametrize(
    "said",
    [
        {"standardization": "x"},
        {"collection": 5},
        {"notes": "{}"},
        {"qrels": "[1]"},
    ],
)
def test_what_a_cube_says_of_itself_is_held_against_its_schema(
    scores: Any, said: dict[str, Any]
) -> None:
    """Attributes that irmeta would not write are an error at every door, not later where one is read."""
    for function in (irmeta.describe, irmeta.means, irmeta.rank, irmeta.to_pandas):
        with pytest.raises(IrmetaError, match="what the score cube says of itself"):
            function(scores.assign_attrs(said))
    assert irmeta.describe(scores.assign_attrs(mine=5)) is not None


def test_help_shows_types_and_what_is_returned() -> None:
    """The signature that help and editors show has no notes for the command line, and a study returns a Result."""
    shown = inspect.signature(irmeta.versus)
    assert "Given(" not in str(shown)
    assert shown.parameters["history"].annotation == str | Path | None
    assert shown.return_annotation is Result
    assert "Given(" not in str(inspect.signature(irmeta.evaluate))


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("clusters", r"irmeta\.with_clusters\(scores.*from_frame\(frame, cluster="),
        ("mean_over", r"irmeta\.with_clusters\("),
        ("repeats", r"irmeta\.with_repeats\("),
        ("metrics", r"irmeta\.select\("),
        ("rows", r"irmeta\.from_frame\(table, rows='topics'\)"),
        ("ignore", r"irmeta\.from_frame\(table, ignore="),
        ("missing", "; say holes="),
        ("labels", r"\.labelled\("),
    ],
)
def test_an_option_of_scores_names_the_function_that_makes_them(
    scores: Any, option: str, says: str
) -> None:
    """What the command line does to scores before a study, Python does by a function that the error names."""
    with pytest.raises(TypeError, match=says):
        irmeta.leaderboard(scores, **{option: "stem"})


def test_an_option_of_a_record_names_the_record() -> None:
    """What the command line takes as an option of its own is told with the record that holds it in Python."""
    with pytest.raises(TypeError, match=r"reading=irmeta\.Reading\(dedup=\.\.\.\)"):
        irmeta.evaluate("q", "r", dedup="first")  # type: ignore[call-arg]


def test_arguments_without_a_name_too_many_are_listed_by_name(scores: Any) -> None:
    """Who gives a metric where only scores go without a name reads which names there are."""
    with pytest.raises(TypeError, match=r"name all but scores: .*holes=.* metric="):
        irmeta.leaderboard(scores, "AP")
    with pytest.raises(TypeError, match="say metrics="):
        irmeta.versus(scores, "s0", "s1", metric="AP")
    with pytest.raises(TypeError, match="say rng="):
        irmeta.versus(scores, "s0", "s1", seed=1)


def test_an_argument_given_twice_is_told_the_order() -> None:
    """Who gives runs first and names the judgments reads that judgments come first."""
    with pytest.raises(TypeError, match=r"the order is validate\(qrels, runs\)"):
        irmeta.validate("runs", qrels="qrels.txt")


@pytest.mark.parametrize("name", ["validate", "accuracy", "versus"])
def test_signatures_name_results(name: str) -> None:
    """What help and editors show of a function that returns a Result says so."""
    function = getattr(irmeta, name)
    assert inspect.signature(function).return_annotation is Result
    assert function.__annotations__["return"] is Result


class Measure:
    """An object that is written as a metric, as those of ir_measures are."""

    def __str__(self) -> str:
        return "RR"


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("describe", {"metrics": [Measure()]}),
        ("describe", {"metrics": Measure()}),
        ("leaderboard", {"metric": Measure()}),
        ("rank", {"include": [Measure()]}),
        ("select", {"metrics": [Measure()]}),
    ],
)
def test_a_measure_of_another_library_goes_by_its_name(
    scores: Any, verb: str, given: dict[str, Any]
) -> None:
    """Wherever a function takes the name of a metric, it takes an object that is written as one."""
    assert "RR" in str(getattr(irmeta, verb)(scores, **given))


def test_a_table_of_teams_is_not_taken_for_its_name(
    scores: Any, tmp_path: Path
) -> None:
    """What was read once stays a table, where text may name one, too."""
    lines = [f"{name},t{at // 2}" for at, name in enumerate(scores.system.values)]
    file = tmp_path / "teams.csv"
    file.write_text("\n".join(["run,team", *lines]))
    for given in (read_groups(file), str(file), file):
        options = irmeta.describe(scores, teams=given).method["options"]
        assert options["teams"] == str(file)
    options = irmeta.describe(scores, teams=pl.read_csv(file)).method["options"]
    assert options["teams"] == "the data frame"


@pytest.mark.parametrize("given", ["nDCG@20", ["ndcg_cut_20"]])
def test_scores_that_name_no_metric_are_of_the_one_asked_for(given: Any) -> None:
    """A frame of scores has no metric's name: where one is asked for, they are of it, if it can take them."""
    table = {name: {"1": 0.5, "2": at / 9, "3": 0.1} for at, name in enumerate("abc")}
    found = irmeta.versus(table, "a", "b", metrics=given)
    assert found.metric.values.tolist() == ["nDCG@20"]
    assert "nDCG@20" in str(irmeta.leaderboard(table, metric="nDCG@20"))
    with pytest.raises(IrmetaError, match="5 .*is not a score of nDCG@20"):
        irmeta.versus({**table, "d": {"1": 5}}, "a", "b", metrics=given)


@pytest.mark.parametrize("given", ["nDCG@20 AP", "clicks"])
def test_scores_that_name_no_metric_say_where_it_is_named(given: str) -> None:
    """Of two metrics, and of one that irmeta does not know, such scores cannot be."""
    table = {name: {"1": 0.5, "2": at / 9} for at, name in enumerate("abc")}
    with pytest.raises(IrmetaError, match=r"from_frame\(table, metric=NAME\)"):
        irmeta.describe(table, metrics=given)


def test_help_names_the_options_of_an_import() -> None:
    """What keywords may be called stands in the signature, one by one."""
    shown = inspect.signature(irmeta.import_table).parameters
    assert "columns" not in shown
    assert {"system", "topic", "metric", "score", "rows", "ignore"} <= shown.keys()


def test_an_option_that_no_plot_has_is_told_the_one_meant(scores: Any) -> None:
    """Who writes an option of the command line reads what it is called in Python."""
    with pytest.raises(TypeError, match=r"'plot_width'; did you mean width\?"):
        irmeta.versus(scores, "s0", "s1").plot(plot_width=3.3)
