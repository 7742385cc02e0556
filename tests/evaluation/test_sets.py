"""Several judgment sets in one reading of the runs."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.errors import FileFormatError, IrmetaError, MetricError, ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.left_out import look_up
from irmeta.evaluation.sets import JudgmentSets, evaluate_under
from irmeta.scores.attributes import about

SETS = {
    "people": {"1": {"a": 2, "b": 0}, "2": {"c": 1}},
    "model": {"2": {"c": 0, "d": 3}, "1": {"b": 1, "x": -1}},
    "half": {"1": {"a": 0.5}},
}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 1.0, "c": 0.5}},
    "other": {"1": {"z": 3.0, "b": 2.0}, "3": {"c": 1.0}},
}
METRICS = "nDCG@10 AP infAP Bpref Judged@2 NumRet AP(pool=1) RR(judged_only=True) Compatibility(p=0.9)"


def test_each_set_is_evaluated_as_alone() -> None:
    """Scores under several sets equal, to the last bit, those of each set evaluated by itself."""
    for name, cube in evaluate_under(SETS, RUNS, METRICS).items():
        alone = evaluate(SETS[name], RUNS, METRICS)
        assert cube.topic.values.tolist() == alone.topic.values.tolist()
        np.testing.assert_array_equal(cube.values, alone.values)


def test_a_pair_that_a_set_did_not_judge_has_no_grade() -> None:
    """Grades are NaN where a set has no judgment of a pair, or one below zero, and never 0."""
    sets = JudgmentSets.of(SETS)
    pairs = zip(sets.pairs.topic, sets.pairs.documents, strict=True)
    at = {
        (sets.pairs.topics[topic], document): row
        for row, (topic, document) in enumerate(pairs)
    }
    grades = sets.grades()
    assert len(at) == 5
    assert [grades[:, at["1", "b"]].tolist()[which] for which in (0, 1)] == [0, 1]
    assert np.isnan(grades[2, at["1", "b"]])
    assert np.isnan(grades[:, at["1", "x"]]).all()


def test_of_several_runs_the_error_says_what_lists_all(tmp_path: Path) -> None:
    """Where one of several runs cannot be read, every way to score them names the command that checks all."""
    for name in ("good", "bad"):
        score = "x" if name == "bad" else "1.5"
        (tmp_path / f"{name}.txt").write_text(f"1 Q0 a 1 {score} t\n")
    said = r"bad.txt:1: .*\n\(irmeta validate lists the errors of all runs"
    for scored in (
        lambda: evaluate_under(SETS, tmp_path, "AP"),
        lambda: look_up({"1": {"a": 1}}, tmp_path, "AP"),
        lambda: evaluate({"1": {"a": 1}}, tmp_path, "AP"),
    ):
        with pytest.raises(FileFormatError, match=said):
            scored()


def test_a_set_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """An error in one set's file says which set, which line and what is wrong; nothing is averaged in."""
    path = tmp_path / "broken.txt"
    path.write_text("1 0 a ERROR\n")
    with pytest.raises(
        FileFormatError,
        match=r"set broken: .*broken\.txt:1: the grade 'ERROR' is not a number",
    ):
        evaluate_under({"people": SETS["people"], "broken": path}, RUNS, "AP")
    path.write_text("1 0 a 1\n1 0 a 2\n")
    with pytest.raises(
        FileFormatError, match="on line 1 with grade 1, here with grade 2"
    ):
        evaluate_under({"broken": path}, RUNS, "AP")
    path.write_text("")
    with pytest.raises(FileFormatError, match="the file is empty"):
        evaluate_under({"broken": path}, RUNS, "AP")


def test_a_set_without_a_topic_of_the_runs_is_refused() -> None:
    """A set of other topics than the runs' is named, and not scored 0."""
    with pytest.raises(
        FileFormatError, match="judgment set other: none of its topics is in the runs"
    ):
        evaluate_under({**SETS, "other": {"9": {"a": 1}}}, RUNS, "AP")


def test_a_run_that_cannot_be_read_stops() -> None:
    """A run whose topics no set judged stops the evaluation, named."""
    with pytest.raises(IrmetaError, match="run stray"):
        evaluate_under(SETS, {**RUNS, "stray": {"7": {"a": 1.0}}}, "AP")


def test_notes_on_runs_are_those_of_one_set() -> None:
    """Of runs that retrieve something nobody reads that they retrieve nothing; a copy is named, as `evaluate` does."""
    runs = {**RUNS, "copy": RUNS["one"]}
    alone = evaluate(SETS["people"], runs, "AP")
    under = evaluate_under({"people": SETS["people"]}, runs, "AP")["people"]
    for cube in (alone, under):
        assert [note for note in about(cube)["notes"] if "retrieve" in note] == []
        assert any("copy as one" in note for note in about(cube)["notes"])


def test_metrics_of_others_are_refused() -> None:
    """A metric that irmeta does not compute itself is an error that names it."""
    with pytest.raises(MetricError, match="unknown metric"):
        evaluate_under(SETS, RUNS, "alpha_nDCG")


def test_no_sets() -> None:
    """Without a judgment set there is nothing to evaluate by."""
    with pytest.raises(IrmetaError, match="no judgment sets"):
        evaluate_under({}, RUNS, "AP")


@pytest.mark.data
def test_real_sets_as_alone(data: Path) -> None:
    """Binary, graded, fractional and partial judgments of DL 2021 give the scores that each gives alone."""
    folder = data / "judges" / "dl2021"
    names = ("nist", "binary-gpt-4", "nuggets-weighted-gpt-4o", "preferences-gpt-4o")
    files = {name: folder / "qrels" / f"{name}.txt" for name in names}
    runs = sorted((folder / "runs").iterdir())[:4]
    for name, cube in evaluate_under(files, runs, "nDCG@10 AP").items():
        np.testing.assert_array_equal(
            cube.values, evaluate(files[name], runs, "nDCG@10 AP").values
        )


def test_a_lowest_relevant_grade_of_one_set() -> None:
    """A binary set with a lowest relevant grade of its own has AP from grade 1 on under the name AP(rel=2)."""
    sets = {"graded": {"1": {"a": 2, "b": 1}}, "binary": {"1": {"a": 0, "b": 1}}}
    runs = {"one": {"1": {"a": 2.0, "b": 1.0}}}
    plain = evaluate_under(sets, runs, "AP(rel=2) nDCG@10")
    own = evaluate_under(sets, runs, "AP(rel=2) nDCG@10", rel={"binary": 1})
    assert [plain[name].sel(metric="AP(rel=2)").item() for name in sets] == [1, 0]
    assert [own[name].sel(metric="AP(rel=2)").item() for name in sets] == [1, 0.5]
    assert (
        own["binary"].sel(metric="nDCG@10").item()
        == plain["binary"].sel(metric="nDCG@10").item()
    )
    assert about(own["binary"])["computed"] == {"AP(rel=2)": "AP"}
    assert "computed" not in about(own["graded"])
    with pytest.raises(
        ScoresError, match="no judgment set 'binari'; did you mean binary"
    ):
        evaluate_under(sets, runs, "AP", rel={"binari": 1})
