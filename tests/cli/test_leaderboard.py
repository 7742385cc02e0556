"""From a table in a file to a leaderboard, and scores out again."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.errors import ScoresError

TABLE = "model,fiqa,nq,scifact,arguana\n" + "\n".join(
    f"m{i},{','.join(f'{0.2 + 0.05 * i + 0.01 * ((i * 7 + t * 3) % 5):.2f}' for t in range(4))}"
    for i in range(9)
)


@pytest.fixture
def results(run, tmp_path: Path) -> Path:
    (tmp_path / "results.csv").write_text(TABLE.replace("m3,0.39", "m3,", 1))
    code, _, err = run(
        "import", "table", "results.csv", "-o", "results.parquet", "--metric", "nDCG@10"
    )
    assert (code, "9 systems, 4 topics, 1 metric" in err) == (0, True)
    return tmp_path / "results.parquet"


def test_import_counts_holes(run, tmp_path: Path) -> None:
    """Import says how many scores are missing, where some are."""
    (tmp_path / "results.csv").write_text("model,a,b\nm0,.1,\nm1,.2,.3\n")
    _, _, err = run("import", "table", "results.csv", "-o", "hole.parquet")
    assert "2 systems, 2 topics, 1 metric; 1 of 4 scores missing" in err
    (tmp_path / "results.csv").write_text("model,a,b\nm0,.1,.5\nm1,.2,.3\n")
    _, _, err = run("import", "table", "results.csv", "-o", "full.parquet")
    assert "missing" not in err


def test_a_file_of_several_collections_is_taken_as_tasks_only_on_purpose(
    run, results: Path, tmp_path: Path
) -> None:
    """Neither the command nor Python ranks over the collections of a file unasked; several files are asked for."""
    other = TABLE.replace("fiqa,nq", "sts,msmarco")
    (tmp_path / "other.csv").write_text(other.replace("m3,0.39", "m3,0.4"))
    imported = ("import", "table", "other.csv", "--metric", "nDCG@10", "--collection")
    run(*imported, "other", "-o", "results.parquet", "--append")
    code, _, err = run("leaderboard", results, "--resamples", "60")
    assert code == 2
    assert "results.parquet holds 2 collections (results, other)" in err
    assert (
        "take one with --collection results, or each as a task with --collection '*'"
        in (" ".join(err.split()))
    )
    says = r"irmeta.load\('.*', collection='results'\), or each .*irmeta.load_all\('"
    with pytest.raises(ScoresError, match=says):
        irmeta.leaderboard(str(results))
    run(*imported, "third", "-o", "third.parquet")
    tasks = {}
    for words in (["--collection", "*"], ["third.parquet"], ["--collection", "other"]):
        asked = ("leaderboard", results, *words, "--resamples", "60")
        _, out, _ = run(*asked, "--table", "tasks", "--format", "csv")
        tasks[words[-1]] = len(out.splitlines()) - 1
    assert tasks == {"*": 2, "third.parquet": 3, "other": 4}
    assert len(irmeta.leaderboard(irmeta.load_all(results), resamples=60).topic) == 2


def test_a_model_in_percent_is_doubted(run, results: Path, tmp_path: Path) -> None:
    """A model added in another unit is named at import, and by what ranks it."""
    for name, line in (("old", "m0,.1,.2,.3"), ("new", "mine,70,80,60")):
        (tmp_path / f"{name}.csv").write_text(f"model,a,b,c\nm1,.2,.1,.3\n{line}\n")
    run("import", "table", "old.csv", "-o", "board.parquet")
    add = ("import", "table", "new.csv", "-o", "board.parquet", "--append")
    _, _, said = run(*add)
    _, shown, _ = run("leaderboard", "board.parquet")
    for text in (said, shown):
        assert "The scores of mine may be in another unit: 70.000 by score" in text


def test_a_leaderboard_opens_with_its_finding(run, results: Path) -> None:
    """The first line says who may be first; the table fits 80 columns and shows the models wanted."""
    code, out, _ = run("leaderboard", results, "--first", "5", "--resamples", "60")
    assert code == 0
    assert out.startswith("By the mean of nDCG@10 over tasks, m8 is first of 9 models")
    assert out.count("m8") > 1
    assert "m0" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_models_to_highlight_stand_beside_the_first(run, results: Path) -> None:
    """A model outside the first that are asked for has its row below theirs; in a file the first stand alone."""
    asked = "leaderboard", results, "--first", "2", "--resamples", "60"
    code, out, _ = run(*asked, "--highlight", "m0")
    assert code == 0
    assert "the first 2 of 9, and 1 named" in out
    assert re.findall(r"^(m\d)  ", out, re.MULTILINE)[:3] == ["m8", "m7", "m0"]
    run(*asked, "-o", "board.txt")
    text = Path("board.txt").read_text("utf-8")
    assert "leaderboard: the first 2 of 9" in text
    assert not re.search("^m0 ", text, re.MULTILINE)


def test_json_has_every_model(run, results: Path) -> None:
    """JSON holds all models and options, whatever the table shows."""
    code, out, _ = run(
        "leaderboard",
        results,
        "--first",
        "2",
        "--resamples",
        "60",
        "--aggregate",
        "borda",
        "--format",
        "json",
    )
    held = json.loads(out)
    assert (code, held["study"], held["options"]["aggregate"]) == (
        0,
        "leaderboard",
        ["borda"],
    )
    assert len(held["tables"]["models"]) == 9


def test_a_folder_gets_a_page(run, results: Path, tmp_path: Path) -> None:
    """-o with a folder writes the page there, beside the table on the terminal, and does not touch other pages."""
    code, out, err = run(
        "leaderboard", results, "--resamples", "60", "-o", "board/", "--title", "Mine"
    )
    assert (code, "wrote board/index.html" in err, "leaderboard" in out) == (
        0,
        True,
        True,
    )
    assert "<h1>Mine</h1>" in (tmp_path / "board" / "index.html").read_text()
    code, _, err = run("leaderboard", results, "--about", "about.csv")
    assert (code, "--about is of the page, so it needs -o DIR" in err) == (2, True)
    (tmp_path / "about.csv").write_text("model,link\nm1,none\n")
    code, out, err = run("leaderboard", results, "-o", "b", "--about", "about.csv")
    assert (code, out, "the link of 'm1' is 'none'" in err) == (2, "", True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("mine")
    code, _, err = run("leaderboard", results, "--resamples", "60", "-o", "other")
    assert (code, "choose a new or empty folder" in err) == (2, True)
    assert (tmp_path / "other" / "index.html").read_text() == "mine"


def test_what_changed_on_a_board_is_said(run, results: Path) -> None:
    """Written anew over an old page, the terminal says what the page says of the change; the first time nothing."""
    scored = ("leaderboard", results, "--resamples", "60", "-o", "board/")
    assert "Since" not in run(*scored)[2]
    code, _, err = run(*scored, "--systems", "m1,m2,m3,m4,m5,m6,m7,m8")
    assert (code, "1 model fewer (m0)" in err) == (0, True)
    again = run(*scored, "--systems", "m1,m2,m3,m4,m5,m6,m7,m8")[2]
    page = Path("board/index.html").read_text()
    assert ("Since" in again, "1 model fewer (m0)" in page) == (False, True)


def test_models_of_about_that_are_not_on_the_board_are_named(
    run, results: Path, tmp_path: Path
) -> None:
    """One note names them, a slip first with what it may mean; without one nothing is said."""
    scored = ("leaderboard", results, "--resamples", "60", "-o", "board/")
    for facts, said in (
        ("m1,2\n", None),
        ("m1,2\nother,3\n", "1 model of --about is not on the board: other."),
        (
            "m1,2\nother,3\nm_2,1\n",
            "2 models of --about are not on the board: m_2 (did you mean m2?), other.",
        ),
    ):
        (tmp_path / "about.csv").write_text(f"model,size\n{facts}")
        code, _, err = run(*scored, "--about", "about.csv")
        told = " ".join(err.split())
        assert code == 0
        assert said in told if said else "not on the board" not in told


def test_groups(run, results: Path, tmp_path: Path) -> None:
    """Types of tasks come from a CSV; a task without one is an error."""
    (tmp_path / "types.csv").write_text(
        "task,type\nfiqa,qa\nnq,qa\nscifact,check\narguana,check\n"
    )
    code, out, _ = run(
        "leaderboard",
        results,
        "--types",
        "types.csv",
        "--resamples",
        "60",
        "--format",
        "csv",
        "--table",
        "tasks",
    )
    assert code == 0
    assert out.splitlines()[1].startswith("fiqa,qa,9") or out.splitlines()[
        1
    ].startswith("fiqa,qa,8")
    (tmp_path / "types.csv").write_text("task,type\nfiqa,qa\n")
    code, _, err = run(
        "leaderboard", results, "--types", "types.csv", "--resamples", "60"
    )
    assert (code, "no type for 3 tasks: nq, scifact, arguana" in err) == (2, True)
    (tmp_path / "types.csv").write_text(
        "models,languages\nfiqa,qa\nnq,qa\nscifact,check\narguana,check\n"
    )
    code, _, err = run(
        "leaderboard", results, "--types", "types.csv", "--resamples", "60"
    )
    assert (
        code,
        "no column task or topic or topic_id; the first line must name the columns, as in task,type (it has models,"
        in " ".join(err.split()),
    ) == (2, True)


def test_export_and_import_again(run, results: Path, tmp_path: Path) -> None:
    """A score file written wide is read as it was."""
    assert run("export", results, "--wide", "-o", "wide.csv")[0] == 0
    assert (
        run(
            "import", "table", "wide.csv", "--metric", "nDCG@10", "-o", "again.parquet"
        )[0]
        == 0
    )
    assert (
        pl.read_parquet(tmp_path / "again.parquet")
        .drop("collection")
        .equals(pl.read_parquet(results).drop("collection"))
    )
    code, out, _ = run("export", results)
    assert (code, out.splitlines()[0]) == (0, "collection,system,topic,metric,score")
    code, _, err = run("export", results, "-o", "scores.xlsx")
    assert (code, ".csv or .parquet" in err) == (2, True)


def test_a_table_that_is_none(run, tmp_path: Path) -> None:
    """A text among scores is an error that names file, row, column and the option that leaves it out."""
    (tmp_path / "bad.csv").write_text("model,fiqa,licence\na,0.1,MIT\n")
    code, _, err = run("import", "table", "bad.csv", "-o", "bad.parquet")
    flat = " ".join(err.split())
    assert code == 2
    assert "'MIT' in row 1 of the column 'licence' is not a number" in flat
    assert (
        run("import", "table", "bad.csv", "--ignore", "licence", "-o", "good.parquet")[
            0
        ]
        == 0
    )
    assert np.isclose(pl.read_parquet(tmp_path / "good.parquet")["score"].item(), 0.1)


def test_costs_come_from_a_file(run, results: Path, tmp_path: Path) -> None:
    """A CSV of models and costs, as a spreadsheet writes it, puts the front first; an empty cell is no cost."""
    lines = ["Model;Cost", *(f"m{at};{at}.5" for at in range(8)), "m8;"]
    (tmp_path / "costs.csv").write_text("\n".join(lines))
    words = ("leaderboard", results, "--resamples", "60", "--cost", "costs.csv")
    code, out, err = run(*words, "--plot", "front.svg", "--view", "front")
    assert code == 0, err
    assert out.startswith("On the front of cost and quality by the mean of nDCG@10")
    assert (tmp_path / "front.svg").exists()
    _, out, _ = run(*words, "--format", "json")
    rows = json.loads(out)["tables"]["front"]
    assert [row["system"] for row in rows] == [f"m{at}" for at in range(8)]


def test_a_front_says_whose_values_holes_leave_open(run, tmp_path: Path) -> None:
    """A model without a mean is not said to be off the front of the values, and the way to estimates is named."""
    rows = "model,a,b,c,d\nw,.1,.2,.3,.2\nx,.2,.3,.3,\ny,.5,.4,.3,.2\nz,.3,.3,.2,.1\n"
    (tmp_path / "board.csv").write_text(rows)
    (tmp_path / "costs.csv").write_text("model,cost\nw,1\nx,2\ny,3\nz,4\n")
    asked = "leaderboard", "board.csv", "--cost", "costs.csv"
    _, out, _ = run(*asked)
    assert "1 model with a cost has no mean; --holes predict estimates it." in " ".join(
        out.split()
    )
    assert re.search(r"^x +2 +- +may be +unknown$", out, re.MULTILINE)
    assert re.search(r"^z +4 +0?\.225\d* +may be +-$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "model,price\nm1,1\nm0,$3",
            "costs.csv:3: the cost of 'm0' is '$3'; a cost is a num",
        ),
        ("model,cost\nm0,1_000\nm1,1", "costs.csv:2: the cost of 'm0' is '1_000'"),
        ("model,cost\nm0,-2\nm1,1", "the cost of 'm0' is '-2'"),
        ("model,cost\nm0,inf\nm1,1", "the cost of 'm0' is 'inf'"),
        (
            "model,cost\nm0,1\nm0,2",
            "costs.csv:3: model 'm0' is on line 2, too; remove one",
        ),
        ("model,cost\nm0,1\n,2", "costs.csv:3: a line lacks its model"),
        (
            "task,type\na,b",
            "the first line must name the columns, as in model,cost (it has task, type)",
        ),
        ("model,cost\nx,1\ny,2", "costs are known of 0 of 9 models"),
    ],
)
def test_a_file_that_has_no_costs(
    run, results: Path, tmp_path: Path, text: str, says: str
) -> None:
    """What is not a cost, or not a file of costs, is an error that says what is wrong."""
    (tmp_path / "costs.csv").write_text(text)
    words = ("leaderboard", results, "--resamples", "60", "--cost", "costs.csv")
    code, _, err = run(*words)
    assert code == 2
    assert says in " ".join(err.split())
