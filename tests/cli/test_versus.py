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
    assert "System & P@10 & AP \\\\" in text
    assert text.count("\\midrule") == 2


def test_csv_has_the_means_in_full(run, file):
    """CSV is the wide table, with one column of means and one of marks for each metric."""
    code, out, _ = run("table", file, "--format", "csv", "--quiet")
    assert code == 0
    assert out.splitlines()[0] == "system,AP,AP marks,P@10,P@10 marks"


def test_a_study_without_figure_says_so(run, file):
    """--plot for a study that draws nothing is an error that says to leave it out."""
    code, _, err = run("table", file, "--plot", "table.pdf", "--quiet")
    assert code == 2
    assert "have no figure; leave out --plot" in err
