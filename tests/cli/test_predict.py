"""irmeta predict as a user types it: results, files, and wrong input without tracebacks."""

import csv
import io
import json
from functools import partial

import numpy as np
import pytest

from irmeta.io.formats.scores import save
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL

METRICS = ["AP", "P@10", "RR", "P(depth=10)@1000", "AP(depth=10)"]


@pytest.fixture
def predict(run):
    """Run a verb of `irmeta predict`."""
    return partial(run, "predict")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Score files of five collections, by name."""
    folder, rng = tmp_path_factory.mktemp("scores"), np.random.default_rng(1)
    for name in "abcde":
        good = rng.uniform(0.2, 0.6, (20, 1))
        scores = np.clip(
            good
            + 0.05 * rng.normal(size=(20, len(METRICS)))
            + 0.02 * rng.normal(size=len(METRICS)),
            0,
            1,
        )
        made = cube(
            scores[:, None],
            [f"s{i}" for i in range(20)],
            [ALL],
            METRICS,
            collection=name,
        )
        save(made, folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in "abcde"}


def document(out):
    return json.loads(out)


def test_the_model_that_ships_predicts_without_training_data(predict):
    """One system's scores give AP and RBP with intervals, in the columns of the contract."""
    code, out, _ = predict(
        "apply",
        "--given",
        "P@10=0.43 RR=0.61 nDCG@20=0.39",
        "--want",
        "AP RBP(p=0.95)",
        "--format",
        "json",
    )
    assert code == 0
    result = document(out)
    rows = result["tables"]["prediction"]
    assert [row["metric"] for row in rows] == ["AP", "RBP(p=0.95, rel=1)"]
    assert list(rows[0]) == [
        "system",
        "metric",
        "value",
        "low",
        "high",
        "level",
        "distance",
    ]
    for row in rows:
        assert row["low"] < row["value"] < row["high"]
        assert row["high"] - row["low"] < 0.3
    assert any("AP@1000" in note for note in result["notes"])
    assert "robust2004" in result["options"]["model"]


def test_table_on_the_terminal_tells_the_answer_in_words(predict):
    """Without --format the prediction is a table, and a sentence says value and interval."""
    _, out, _ = predict("apply", "--given", "P@10=0.43 RR=0.61", "--want", "AP")
    assert "AP is predicted as ." in out
    assert "filled" not in out


def test_holes_of_a_table_are_filled_in_a_csv_file(predict, tmp_path):
    """The file holds the table with its holes filled; only filled cells have an interval."""
    (tmp_path / "paper.csv").write_text(
        "system,P@10,RR,MAP\nours,0.43,0.61,\ntheirs,0.30,,0.21\n"
    )
    assert (
        predict("apply", tmp_path / "paper.csv", "-o", tmp_path / "filled.csv")[0] == 0
    )
    rows = list(csv.DictReader((tmp_path / "filled.csv").read_text().splitlines()))
    assert list(rows[0]) == [
        "system",
        "P@10",
        "RR",
        "RR low",
        "RR high",
        "AP",
        "AP low",
        "AP high",
    ]
    assert float(rows[0]["AP low"]) < float(rows[0]["AP"]) < float(rows[0]["AP high"])
    assert (rows[1]["AP"], rows[1]["AP low"]) == ("0.21", "")
    assert float(rows[1]["RR low"]) < float(rows[1]["RR"])


def test_score_file_is_a_table_too(predict, tmp_path):
    """A Parquet score file is filled like a CSV table; its plot is as high as it has predictions."""
    scores = cube([[[0.4, 0.5]], [[0.3, 0.6]]], ["a", "b"], [ALL], ["P@10", "RR"])
    save(scores, tmp_path / "few.parquet")
    _, out, _ = predict(
        "apply",
        tmp_path / "few.parquet",
        "--want",
        "AP",
        "--format",
        "csv",
        "--plot",
        tmp_path / "p.png",
    )
    assert [
        row["system"] for row in csv.DictReader(io.StringIO(out)) if row["AP low"]
    ] == ["a", "b"]
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_fitted_model_is_applied_and_calibrated(predict, files, tmp_path):
    """Fit writes a model that apply reads; known systems of the collection narrow the interval."""
    code, _, err = predict(
        "fit",
        files["a"],
        files["b"],
        files["c"],
        "-o",
        tmp_path / "m.json",
        "--metrics",
        "AP P@10",
    )
    assert code == 0
    assert "2 metrics, 60 systems of 3 collections" in err
    (tmp_path / "ours.csv").write_text("system,P@10\nx,0.4\n")
    (tmp_path / "known.csv").write_text(
        "system,P@10,AP\ny,0.3,0.4\nz,0.5,0.6\nw,0.4,0.5\n"
    )
    words = [
        "apply",
        tmp_path / "ours.csv",
        "--model",
        tmp_path / "m.json",
        "--want",
        "AP",
        "--format",
        "json",
    ]
    blind, told = (
        document(predict(*words, *more)[1])["tables"]["prediction"][0]
        for more in ([], ["--calibrate", tmp_path / "known.csv"])
    )
    assert told["value"] > blind["value"]
    assert told["high"] - told["low"] < blind["high"] - blind["low"]


def test_select_takes_several_files_an_option(predict, files):
    """--train A B --dev C --test D E gives every target, size and collection that is not for training."""
    code, out, _ = predict(
        *(
            "select",
            "--train",
            files["a"],
            files["b"],
            "--dev",
            files["c"],
            "--test",
            files["d"],
            files["e"],
        ),
        *("--targets", "AP,P@10", "-k", "1-2", "--format", "json"),
    )
    assert code == 0
    views = document(out)["tables"]
    assert len(views["selection"]) == 2 * 2 * 3
    assert {
        "target",
        "k",
        "predictors",
        "collection",
        "tau",
        "r2",
        "rmse",
        "r2_offset_removed",
        "bias_share",
    } <= set(views["selection"][0])
    assert list(views["coefficients"][0]) == ["target", "k", "predictor", "coefficient"]


def test_lowcost_as_csv_writes_lists_as_text(predict, files, tmp_path):
    """Lists of predictors are one cell; the plot is drawn."""
    code, out, _ = predict(
        *(
            "lowcost",
            "--train",
            files["a"],
            "--dev",
            files["b"],
            "--test",
            files["c"],
            "--depths",
            "10",
        ),
        *("--targets", "AP", "--format", "csv", "--plot", tmp_path / "p.svg"),
    )
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["collection"] for row in rows} == {"b", "c"}
    assert all("depth=10" in row["predictors"] for row in rows)
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")


def test_coverage_and_models_write_their_tables(predict, files):
    """Coverage has nominal and measured; models compares four models on two scales."""
    paths = [files["a"], files["b"], files["c"]]
    covered = document(
        predict("coverage", *paths, "--targets", "AP", "--format", "json")[1]
    )["tables"]["coverage"]
    assert list(covered[0])[:4] == ["target", "collection", "nominal", "measured"]
    compared = document(
        predict(
            "models", *paths, "--targets", "AP", "--metrics", "P@10", "--format", "json"
        )[1]
    )
    assert len(compared["tables"]["summary"]) == 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["apply"], "give a table to complete, or one system's scores"),
        (
            ["apply", "--given", "P@10=0.4 AP@1000=0.2", "--want", "AP@1000"],
            "cannot be predicted from itself",
        ),
        (["apply", "--given", "P@10=43", "--want", "AP"], "divide percentages by 100"),
        (["apply", "--given", "P@10=0.4", "--want", "FOO"], "does not know 'FOO'"),
        (["apply", "--given", "P@10"], "METRIC=SCORE"),
        (["apply", "--given", "P@10=nan"], "METRIC=SCORE"),
        (["apply", "--given", "P@10=0.4 P_10=0.5"], "P@10 is given twice"),
        (["apply", "no.csv"], "no.csv: no such file"),
        (
            ["select", "--train", "no.parquet", "--test", "no.parquet", "-k", "3-1"],
            "expected whole numbers above 0",
        ),
        (
            [
                "lowcost",
                "--train",
                "x",
                "--test",
                "y",
                "--targets",
                "AP",
                "--depths",
                "ten",
            ],
            "as in 5,10,20",
        ),
        (["lowcost", "--train", "x", "--test", "y", "--targets", "AP"], "no such file"),
    ],
)
def test_wrong_input_exits_with_2_and_says_what_to_do(predict, words, message):
    """The user's mistakes end with exit code 2 and a sentence, without a traceback."""
    code, _, err = predict(*words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
