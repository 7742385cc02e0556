"""`irmeta versus` and `irmeta table` as a user types them."""

import json

import numpy as np
import pytest

import irmeta
from irmeta.scores.cube import cube


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    values = np.clip(
        rng.normal(np.linspace(0.2, 0.6, 5)[:, None, None], 0.1, (5, 20, 2)), 0, 1
    )
    names = ["mine", "bm25", "dense", "fusion", "a_long_name_of_a_run_of_some_group"]
    path = tmp_path / "scores.parquet"
    irmeta.save(
        cube(
            values,
            names,
            [str(one) for one in range(20)],
            ["AP", "P@10"],
            collection="made",
        ),
        path,
    )
    return path


def test_the_finding_comes_first_and_fits_80_columns(run, file):
    """The answer is the first line, and no line is wider than a terminal."""
    code, out, _ = run(
        "versus", file, "--system", "mine", "--against", "bm25,median", "--quiet"
    )
    assert code == 0
    assert out.startswith("mine scores ")
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_every_comparison(run, file):
    """Programs find a row for each system compared with and each metric."""
    code, out, _ = run(
        "versus", file, "--system", "mine", "--format", "json", "--quiet"
    )
    told = json.loads(out)
    assert code == 0
    assert len(told["tables"]["comparisons"]) == 4 * 2
    assert len(told["tables"]["differences"]) == 4 * 20 * 2


def test_a_wrong_name_is_an_error_with_a_proposal(run, file):
    """A misspelt system exits with 2 and the name that was probably meant."""
    code, _, err = run("versus", file, "--system", "mien")
    assert code == 2
    assert "no system 'mien'" in err
    assert "mine" in err


def test_the_table_is_latex_by_its_suffix(run, file, tmp_path):
    """-o table.tex writes the whole table environment, with the metrics asked for as columns."""
    code, _, _ = run(
        "table",
        file,
        "-m",
        "P@10 AP",
        "--baseline",
        "bm25",
        "-o",
        tmp_path / "table.tex",
        "--quiet",
    )
    text = (tmp_path / "table.tex").read_text()
    assert code == 0
    assert r"System & \multicolumn{2}{c}{P@10} & \multicolumn{2}{c}{AP} \\" in text
    assert text.count("\\midrule") == 2


def test_csv_has_the_means_in_full(run, file):
    """CSV is the wide table, with one column of means and one of marks for each metric."""
    code, out, _ = run("table", file, "--format", "csv", "--quiet")
    assert code == 0
    assert out.splitlines()[0] == "system,AP,AP marks,P@10,P@10 marks"


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ([], "wrote v.svg: by AP; -m METRIC draws another\n"),
        (["-m", "P@10"], "wrote v.svg\n"),
        (["--against", "bm25"], "wrote v.svg\n"),
        (
            ["--against", "bm25,dense,fusion"],
            "wrote v.svg: 4 of 6 differences; -m METRIC draws others\n",
        ),
    ],
)
def test_a_plot_of_a_part_of_the_result_says_of_which(run, file, chosen, told):
    """Where a plot is by one metric, or has the first of many panels, the line that tells of the file says so."""
    _, _, err = run("versus", file, "--system", "mine", "--plot", "v.svg", *chosen)
    assert told in err


def test_a_study_without_figure_says_so(run, file):
    """--plot for a study that draws nothing is an error that says to leave it out."""
    run("simulate", "-o", "made", "--systems", 2, "--topics", 2)
    given = ("--qrels", "made/qrels.txt", "--plot", "runs.pdf", "--quiet")
    code, _, err = run("validate", "made/runs", *given)
    assert code == 2
    assert "have no figure; leave out --plot" in err


@pytest.fixture
def builds(tmp_path):
    """Write scores of a baseline, a bad build and one that is its equal."""
    rng = np.random.default_rng(1)
    main = rng.uniform(0.3, 0.7, (30, 1))
    near = main + 0.03 * rng.uniform(-1, 1, (30, 1))
    bad = near - 0.2
    path = tmp_path / "builds.parquet"
    topics = [str(one) for one in range(30)]
    irmeta.save(
        cube(np.stack([main, bad, near]), ["main", "bad", "near"], topics, ["AP"]), path
    )
    return path


@pytest.mark.parametrize(
    ("system", "strict", "expected"),
    [("bad", [], 3), ("near", [], 0), ("near", ["--unless-safe"], 3)],
)
def test_a_gate_ends_with_3_where_it_fails(run, builds, system, strict, expected):
    """A loss that is shown ends with 3; with --unless-safe so does one that is not excluded."""
    gate = ["--against", "main", "--fail-if-worse", "0.02", *strict, "--quiet"]
    code, out, _ = run("versus", builds, "--system", system, *gate)
    assert code == expected
    assert out.startswith("Worse: " if system == "bad" else "Cannot tell: ")


def test_anchors_and_nights_are_files(run, tmp_path):
    """A judge that turned stricter is named from a file of nights and one of anchors, and fails nothing."""
    rng = np.random.default_rng(2)
    main = rng.uniform(0.4, 0.9, (150, 1))
    near = [main + 0.02 * rng.uniform(-1, 1, (150, 1)) - fall for fall in (0, 0.3)]
    topics = [f"{'a' if at > 70 else 'q'}{at}" for at in range(150)]
    path, human = tmp_path / "nights.parquet", tmp_path / "human.txt"
    irmeta.save(
        cube(np.stack([main, *near]), ["main", "n1", "n2"], topics, ["q"]), path
    )
    human.write_text("".join(f"{one} 0.6\n" for one in topics if one[0] == "a"))
    gate = ["--fail-if-worse", "0.02", "--over", path, "--anchors", human, "--quiet"]
    code, out, _ = run("versus", path, "--system", "n2", "--against", "main", *gate)
    assert code == 0
    assert "The cause is the judge: " in " ".join(out.split())


def test_a_summary_that_cannot_be_written_is_refused_before_the_work(
    run, builds, tmp_path
):
    """The message names the folder, and nothing was computed."""
    missing = tmp_path / "none" / "summary.md"
    code, out, err = run(
        "versus",
        builds,
        "--system",
        "s1",
        "--fail-if-worse",
        0.02,
        "--summary",
        missing,
    )
    assert (code, out) == (2, "")
    assert f"{missing.parent} does not exist" in "".join(err.split("\n  "))


def test_markdown_has_the_answers_above_the_table(run, builds, tmp_path):
    """A file of Markdown opens with what was found; a table that is named has no words about it."""
    file = tmp_path / "v.md"
    run("versus", builds, "--system", "bad", "--against", "main", "-o", file)
    assert file.read_text().startswith("**bad scores ")
    run("versus", builds, "--system", "bad", "--table", "topics", "-o", file)
    assert file.read_text().startswith("| topic | metric |")


def test_the_summary_of_a_night_is_added_in_markdown(run, builds, tmp_path):
    """--summary adds the answer and the table to a file that has other things in it."""
    summary = tmp_path / "summary.md"
    summary.write_text("# Tonight\n")
    run("versus", builds, "--system", "bad", "--against", "main", "--fail-if-worse")
    gate = ["--fail-if-worse", "0.02", "--summary", summary, "--quiet"]
    run("versus", builds, "--system", "bad", "--against", "main", *gate)
    text = summary.read_text()
    assert text.startswith("# Tonight\n**Worse: by AP bad scores ")
    assert "| against | diff. |" in text
