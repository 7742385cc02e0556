"""`irmeta reliability`, `design` and `simulate --like`, as a user types them."""

import json

import numpy as np
import pytest

from irmeta.io.formats.scores import load, save
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube


@pytest.fixture
def typed(run):
    """Run a line as it is typed."""
    return lambda line: run(*line.split())


@pytest.fixture
def scores(tmp_path):
    """A score file of 12 systems and 16 topics."""
    rng = np.random.default_rng(0)
    drawn = (
        np.linspace(0, 0.5, 12)[:, None, None] + rng.beta(1, 2, size=(12, 16, 2)) / 2
    )
    made = cube(
        drawn,
        [f"s{i}" for i in range(12)],
        [str(301 + t) for t in range(16)],
        ["AP", "P@10"],
    )
    save(made, tmp_path / "scores.parquet")
    return made


def tables(typed, line):
    code, out, err = typed(f"{line} --format json --quiet")
    assert (code, err) == (0, "")
    return {name: rows for name, rows in json.loads(out)["tables"].items() if rows}


def test_numbers_of_topics_are_a_range(typed, scores):
    """--sizes 10:30:10 says it for 10, 20 and 30 topics, and for those there are; all topics are used."""
    found = tables(
        typed, "reliability scores.parquet -m AP --sizes 10:30:10 --difference .1"
    )
    assert [row["topics"] for row in found["coefficients"]] == [10, 16, 20, 30]
    assert {row["way"] for row in found["design"]} >= {"t test", "ANOVA", "interval"}


def test_reliability_is_drawn(typed, scores, tmp_path):
    """--plot writes a figure, and the first line on the terminal is the finding."""
    code, out, _ = typed(
        "reliability scores.parquet --view differences --plot shown.svg"
    )
    assert code == 0
    assert out.startswith(
        "collection, AP: the ranking by 16 topics agrees with the true one"
    )
    assert (tmp_path / "shown.svg").read_text().startswith("<?xml")


def test_topics_that_are_no_numbers_are_refused(typed, scores):
    """A range that is none is an error with an example."""
    code, _, err = typed("reliability scores.parquet --sizes 10:30")
    assert code == 2
    assert "25:100:25" in err


def test_marginal_sets_are_narrower(typed, scores):
    """Describe --marginal answers for one system: its sets are within the simultaneous ones."""
    one, every = (
        tables(typed, f"describe scores.parquet -m AP{kind}")["means"]
        for kind in (" --marginal", "")
    )
    widths = [
        sum(row["rank_high"] - row["rank_low"] for row in rows) for rows in (one, every)
    ]
    assert widths[0] < widths[1]


def test_a_design_from_scores_alone(typed, scores):
    """Without runs the ways are metrics, and the answer says what to buy."""
    found = tables(
        typed, "design scores.parquet --target AP --budget 240 --partitions 40"
    )
    assert {
        (row["metric"], row["depth"], row["topics"]) for row in found["budget"]
    } == {("AP", 0, 8), ("P@10", 0, 8)}


@pytest.mark.parametrize(
    "options", ["--runs runs", "--qrels qrels.txt", "--llm llm.txt"]
)
def test_runs_and_judgments_belong_together(typed, scores, options):
    """A part of what belongs together is refused."""
    code, _, err = typed(f"design scores.parquet {options}")
    assert code == 2
    assert "--runs" in err


def test_a_design_with_runs_varies_the_depth(typed, tmp_path):
    """With runs and judgments each depth is a way, at the measured size of its pool, by people, a machine, or both."""
    assert typed("simulate -o demo --systems 6 --topics 10 --quiet")[0] == 0
    assert (
        typed("evaluate demo/qrels.txt demo/runs -m AP -o demo/scores.parquet --quiet")[
            0
        ]
        == 0
    )
    line = "design demo/scores.parquet --runs demo/runs --qrels demo/qrels.txt --depths 2,10 --partitions 20"
    ways = {
        (row["depth"], row["judge"]): row["judgments"]
        for row in tables(
            typed, f"{line} --llm demo/qrels.txt --llm-judgment-cost .01 --budget 2000"
        )["budget"]
    }
    assert set(ways) == {
        (depth, judge)
        for depth in (0, 2, 10)
        for judge in ("people", "machine", "both")
    }
    assert 2 <= ways[2, "people"] <= 12
    assert ways[2, "people"] < ways[10, "people"] <= 60


def test_scores_like_mine(typed, scores, tmp_path):
    """Simulate --like writes scores of as many systems and topics as asked, with their truth beside them."""
    code, _, _ = typed(
        "simulate --like scores.parquet -o like.parquet --systems 15 --topics 400 --seed 1"
    )
    assert code == 0
    made, truth = load(tmp_path / "like.parquet"), load(tmp_path / "like.truth.parquet")
    assert made.shape == (15, 400, 2)
    np.testing.assert_allclose(means(made).values, truth.values[:, 0], atol=0.06)


def test_scores_like_mine_are_a_score_file(typed, scores):
    """A folder is no score file."""
    code, _, err = typed("simulate --like scores.parquet -o folder")
    assert code == 2
    assert "FILE.parquet" in err
