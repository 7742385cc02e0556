"""`irmeta rank` as users call it."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from tests.typed import typed

import irmeta
from irmeta.errors import ScoresError
from irmeta.metrics.names import split
from irmeta.scores.cube import cube


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(20, 10, 2))
    mixed = shared @ rng.normal(size=(2, 5)) + 0.5 * rng.normal(size=(20, 10, 5))
    names = ["AP", "P@10", "RR", "nDCG@20", "RBP(p=0.95)"]
    scores = cube(
        0.5 + mixed / 40,
        [f"s{i}" for i in range(20)],
        [f"t{i}" for i in range(10)],
        names,
        collection="made",
    )
    path = tmp_path_factory.mktemp("rank") / "scores.parquet"
    irmeta.save(scores, path)
    return path


def run(*arguments: object) -> str:
    outcome = typed(["rank", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.stdout
    return outcome.stdout


def test_the_json_is_the_study(file: Path) -> None:
    """The command prints what `rank` finds, with its options and inputs."""
    said = json.loads(run(file, "--format", "json"))
    expected = irmeta.rank(irmeta.load(file)).tables
    assert said["study"] == "ranking"
    assert said["tables"]["order"] == expected["order"].to_dicts()
    assert said["tables"]["subsets"] == expected["subsets"].to_dicts()
    assert said["options"]["matrix"] == "correlation"
    assert said["options"]["unit"] == "topic"
    assert said["inputs"]["collections"]["made"]["systems"] == 20


def test_the_table_says_what_to_report(file: Path) -> None:
    """On a terminal the answer in words comes first, and names the matrix and the level."""
    said = run(
        file,
        "-k",
        2,
        "--include",
        "RR",
        "--exclude",
        "P@10",
        "--matrix",
        "rank",
        "--unit",
        "within-topic",
    )
    assert said.startswith("Report ")
    assert "RR: 2 of 5 metrics" in said
    assert "(rank matrix, within-topic level;" in " ".join(said.split())
    assert "subsets" in said
    assert "(proven for these scores)" in " ".join(said.split())


def test_a_goal_and_its_stability(file: Path) -> None:
    """The metrics for the unreported ones, and how often halves of the topics choose them."""
    said = json.loads(
        run(
            file,
            "-k",
            2,
            "--objective",
            "unreported",
            "--partitions",
            4,
            "--seed",
            3,
            "--format",
            "json",
        )
    )
    assert said["options"]["objective"] == "unreported"
    assert said["options"]["seed"] == 3
    assert sum(
        row["chosen"] for row in said["tables"]["stability"] if row["k"] == 2
    ) == pytest.approx(2)


@pytest.mark.parametrize(
    "method", ["ib", "gf", "gf-code", "pivot", "sheffield", "trace"]
)
def test_every_method_runs(file: Path, method: str) -> None:
    """Each method ranks all metrics, and says how near it comes to the optimum."""
    assert "of 5 sizes" in run(file, "--method", method, "--matrix", "covariance")


def test_costs_with_parameters_in_names(file: Path) -> None:
    """A cost belongs to a metric whose name may hold an equals sign itself."""
    said = json.loads(
        run(file, "--cost", "RBP(p=0.95)=3, AP=0.5", "--budget", 2, "--format", "json")
    )
    assert said["options"]["cost"] == {"RBP(p=0.95)": 3.0, "AP": 0.5}
    assert all(
        "RBP(p=0.95)" not in row["metrics"] and row["cost"] <= 2
        for row in said["tables"]["subsets"]
    )


def test_plots_and_tables_go_to_files(file: Path, tmp_path: Path) -> None:
    """A plot is drawn by its suffix, and a table written by its own."""
    run(
        file,
        "--plot",
        tmp_path / "rank.pdf",
        "-o",
        tmp_path / "rank.tex",
        "--table",
        "order",
    )
    assert (tmp_path / "rank.pdf").read_bytes().startswith(b"%PDF")
    assert "\\toprule" in (tmp_path / "rank.tex").read_text()


def test_csv_has_a_table_in_full(file: Path) -> None:
    """CSV prints one table; the metrics of a subset are one cell."""
    rows = list(
        csv.DictReader(
            io.StringIO(run(file, "--format", "csv", "--table", "subsets", "-k", 2))
        )
    )
    assert list(rows[0])[:3] == ["k", "metrics", "log_det"]
    assert [len(split(row["metrics"])) for row in rows] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--include", "bpref"], "no metric 'Bpref' to choose from"),
        (["-k", "9"], "k is 9"),
        (["--cost", "AP", "--budget", "2"], "NAME=NUMBER"),
        (["--budget", "2", "--method", "gf"], "--method exact"),
        (["--collection", "other"], "no collection 'other'"),
    ],
)
def test_wrong_input_is_told_plainly(
    file: Path, arguments: list[str], said: str
) -> None:
    """A wrong argument ends with a message that names it."""
    with pytest.raises(ScoresError, match=said):
        typed(["rank", str(file), *arguments])
