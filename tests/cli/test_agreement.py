"""`irmeta correlate`, `irmeta predictivity` and `irmeta reproduce` as users call them."""

import csv
import io
import json

import numpy as np
import pytest
from tests.typed import typed

import irmeta
from irmeta.cli import main
from irmeta.errors import IrmetaError, ScoresError
from irmeta.scores.cube import cube


def run(*arguments):
    outcome = typed([*map(str, arguments)])
    assert outcome.exit_code == 0, outcome.stdout
    return outcome.stdout


def made(name, seed):
    rng = np.random.default_rng(seed)
    values = np.linspace(0, 1, 12)[:, None, None] + rng.normal(size=(12, 10, 4)) * [
        0.1,
        0.2,
        0.3,
        0.9,
    ]
    names = (
        [f"s{i}" for i in range(12)],
        [str(i) for i in range(10)],
        ["AP", "P@10", "RR", "nDCG@20"],
    )
    return cube(0.4 + values / 20, *names, collection=name)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("agreement") / "scores.parquet"
    irmeta.save(made("one", 0), path)
    return path


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    path = tmp_path_factory.mktemp("agreement") / "two.parquet"
    irmeta.save({"one": made("one", 0), "two": made("two", 1)}, path)
    return path


def test_correlate_json_is_the_study(file):
    """The JSON document holds the study's figures in full precision, its options and its inputs."""
    document = json.loads(
        run(
            "correlate",
            file,
            "--unit",
            "system",
            "--method",
            "kendall",
            "--format",
            "json",
        )
    )
    expected = irmeta.correlate(
        irmeta.load(file), unit="system", method="kendall"
    ).tables
    assert document["tables"]["correlation"] == expected["correlation"].to_dicts()
    assert document["tables"]["groups"] == expected["groups"].to_dicts()
    assert document["options"]["coefficient"] == "Kendall tau-b"
    assert document["inputs"]["collections"]["one"]["topics"] == 10


def test_predictivity_json_is_the_study(file):
    """Options reach the study, and the JSON document holds its tables."""
    arguments = (
        "--partitions",
        50,
        "--top",
        0.75,
        "--by",
        "P@10",
        "--sizes",
        "5,2",
        "--seed",
        3,
        "--tau",
        "a",
    )
    document = json.loads(run("predictivity", file, *arguments, "--format", "json"))
    expected = irmeta.predictivity(
        irmeta.load(file),
        partitions=50,
        top=0.75,
        by="P@10",
        sizes=(2, 5),
        rng=3,
        tau="a",
    )
    for name, frame in expected.tables.items():
        assert document["tables"][name] == frame.to_dicts()
    assert document["options"]["seed"] == 3


def test_tables_with_words(file):
    """On a terminal the answer in words comes before the matrix, and the notes after it."""
    typed = ("predictivity", file, "--partitions", 50, "--quiet", "--explain")
    shown = " ".join(run(*typed).split())
    assert "advantage (* interval excludes 0, each pair by itself)" in shown
    assert (
        shown.index("the largest mean phi")
        < shown.index("advantage (* interval excludes 0")
        < shown.index("Note: ")
    )
    assert "mean of 50 random partitions" in shown
    assert "(at least 81% shared variance in these scores)" in " ".join(
        run("correlate", file, "--unit", "system").split()
    )


def test_csv_of_a_table(file):
    """CSV is the first table, or the one named."""
    rows = list(csv.reader(io.StringIO(run("correlate", file, "--format", "csv"))))
    assert rows[0] == ["metric_a", "metric_b", "r", "low", "high", "n"]
    rows = list(
        csv.reader(
            io.StringIO(run("correlate", file, "--format", "csv", "--table", "groups"))
        )
    )
    assert rows[0] == ["group", "metric"]


def test_latex_is_the_matrix(file):
    """LaTeX is the matrix as papers print it."""
    shown = run("correlate", file, "--format", "latex")
    assert shown.splitlines()[2].startswith("metric & AP & P@10")


def test_several_collections(two):
    """Several collections are pooled, or each by itself; one is chosen by name."""
    assert "2 collections pooled" in run("correlate", two, "--explain")
    rows = list(
        csv.DictReader(io.StringIO(run("correlate", two, "--each", "--format", "csv")))
    )
    assert {row["collection"] for row in rows} == {"one", "two"}
    assert "pooled" not in run("correlate", two, "--collection", "two")


@pytest.mark.parametrize("view", ["heatmap", "clustered", "dendrogram", "components"])
def test_plots_of_correlation(file, tmp_path, view):
    """Each drawing is written as a picture."""
    path = tmp_path / "plot.svg"
    run("correlate", file, "--plot", path, "--view", view)
    assert "<svg" in path.read_text()


def test_plots_of_predictivity(file, tmp_path):
    """Each view is drawn: mean phi by default, and the curve where sizes were given."""
    for name, options in (
        ("curve", ("--metrics", "AP P@10", "--sizes", "2,5", "--view", "curve")),
        ("means", ()),
        ("advantage", ("--view", "advantage")),
        ("matrix", ("--view", "matrix")),
    ):
        path = tmp_path / f"{name}.svg"
        run("predictivity", file, "--partitions", 10, "--plot", path, *options)
        assert "<svg" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("predictivity", "--sizes", "5,six"), "as in 5,10,20"),
        (("predictivity", "--sizes", "6"), "from 10; choose sizes from 1 to 5"),
        (
            ("predictivity", "--sizes", "2", "--view", "curve", "--plot", "curve.svg"),
            "more than 3 metrics",
        ),
        (("predictivity", "--top", "0.5", "--by", "Bpref"), "no metric 'Bpref' in one"),
        (("predictivity", "--topics", "1,2,3"), "there are 12 and 3"),
        (("correlate", "--metrics", "AP"), "at least 2 metrics"),
        (("correlate", "--method", "tau-ap"), "--unit system"),
        (("correlate", "--each", "--plot", "plot.svg"), "choose it with --collection"),
    ],
)
def test_errors(file, arguments, says):
    """Wrong arguments raise the error that the command line prints."""
    verb, *rest = arguments
    with pytest.raises(IrmetaError, match=says):
        typed([verb, str(file), *rest])


def test_one_collection_for_predictivity(two):
    """Predictive power is of one collection, to be chosen."""
    with pytest.raises(ScoresError, match="choose one with --collection: one, two"):
        typed(["predictivity", str(two)])


def test_reproduce_without_data(monkeypatch, capsys, tmp_path):
    """Without the data there is a table all the same, which says of each cell what it lacks."""
    monkeypatch.setenv("IRMETA_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["irmeta", "reproduce", "webber2008-redundant"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert not caught.value.code
    assert "not checkable" in capsys.readouterr().out


def test_reproduce_an_unknown_paper():
    """An unknown paper is met with the nearest one known."""
    with pytest.raises(IrmetaError, match="did you mean webber2008-redundant"):
        typed(["reproduce", "webber2008-redundnt"])
