"""Files with score tables: read in any dialect, written wide."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.tables.spreadsheet import import_table, read_about, safe_csv, wide
from irmeta.report.tables import to_pandas
from irmeta.scores.attributes import DOUBTS, PRINTED, about
from irmeta.scores.cube import cube
from irmeta.studies.differences.description.study import describe

CUBE = cube(
    [[[0.1], [np.nan]], [[0.3], [0.4]]], ["bm25", "e5"], ["fiqa", "nq"], ["nDCG@10"]
)


def test_marks_of_scores_are_left_out(tmp_path: Path) -> None:
    """Scores may stand as papers print them, which notes say; names, also numeric ones, keep their marks."""
    path = tmp_path / "t.csv"
    path.write_text(
        "run,AP,nDCG@10,RR,note\n"
        "10%,\\textbf{0.312}$^\\dagger$,45.2%,0.5 ± 0.1,a*\n"
        "BM25*,**.31**,3 %,–,\n"
        "dpr,0.2,<b>12.5%</b>,.25,\n",
        encoding="utf-8",
    )
    scores = import_table(path, ignore="note")["t"]
    assert scores.system.values.tolist() == ["10%", "BM25*", "dpr"]
    expected = [[0.312, 0.452, 0.5], [0.31, 0.03, np.nan], [0.2, 0.125, 0.25]]
    np.testing.assert_array_equal(scores.sel(topic="all").values, expected)
    assert about(scores)[PRINTED][:2] == [
        "marks of 4 cells were left out: \\textbf{0.312}$^\\dagger$ is 0.312, **.31** is 0.31 and 2 more",
        "read as percent, as their cells say: nDCG@10 (45.2% is 0.452)",
    ]


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            ("45%", "0.3"),
            r"'45%' in row 1 .* in every cell of the column, or in none \(45.2% is 0.452\)",
        ),
        (("45%", "**0.3**"), "'45%' in row 1"),
        (("45 ± 3%", "40 ± 2%"), "'45 ± 3%' in row 1"),
        (("0.5*", "0.3a"), r"'0.5\*' in row 1 .* write the number alone"),
        (("0,5*", "0,3"), r"'0,5\*' in row 1"),
        (("0.3/0.4", "0.3"), "'0.3/0.4' in row 1"),
        (("20%", "150%"), r"1.5 \(b, .* correct the score, .* \(150% is 1.5\)"),
    ],
)
def test_marks_that_leave_a_doubt_are_refused(
    cells: tuple[str, str], says: str, tmp_path: Path
) -> None:
    """A column in which a cell is not one score, or only some have a percent sign, is not read."""
    first, second = cells
    path = tmp_path / "t.csv"
    path.write_text(f'run;AP\na;"{first}"\nb;"{second}"\n', encoding="utf-8")
    with pytest.raises(FileFormatError, match=says):
        import_table(path)


def test_percent_beyond_100_is_of_a_metric_that_may_exceed_1(tmp_path: Path) -> None:
    """The column of a metric that irmeta does not know may have 150%, which a note reads out."""
    path = tmp_path / "t.csv"
    path.write_text("run,gain\na,20%\nb,150%\n")
    scores = import_table(path)["t"]
    assert scores.values.ravel().tolist() == [0.2, 1.5]
    told = about(scores)[PRINTED]
    assert "read as percent, as their cells say: gain (150% is 1.5)" in told


def test_equal_scores_are_noted_of_several_systems(tmp_path: Path) -> None:
    """That a metric compares nothing is said of 2 or more systems with one score, not of one beside missing ones."""
    path = tmp_path / "t.csv"
    path.write_text("run,AP,RR,P@10\na,.5,.5,.5\nb,,.5,.4\nc,,,\n")
    told = about(import_table(path)["t"])[PRINTED]
    assert [note for note in told if "all scores" in note] == [
        "all scores by RR are 0.5; nothing can be compared by them"
    ]


def test_names_of_rows_keep_their_marks(tmp_path: Path) -> None:
    """The first column has names where none is called so, and a column of topics has them as well."""
    path = tmp_path / "t.csv"
    path.write_text("threshold,AP\n10%,.5*\n20%,.4\n")
    assert import_table(path)["t"].system.values.tolist() == ["10%", "20%"]
    path.write_text("AP,topic,model\n.5*,1*,a\n.4,1*,b\n.3,2*,a\n.2,2*,b\n")
    assert import_table(path)["t"].topic.values.tolist() == ["1*", "2*"]


@pytest.mark.parametrize(
    "text",
    [
        "model,fiqa,nq\nbm25,0.1,\ne5,0.3,0.4\n",
        "\ufeffmodel;fiqa;nq\r\nbm25;0.1;-\r\ne5;.3;.4\r\n",
        "\tfiqa\tnq\nbm25\t1e-1\tNA\ne5\t0.30\t0.4\n\n",
        "task,bm25,e5\nfiqa,0.1,0.3\nnq,n/a,0.4\n",
        "model,task,score\nbm25,fiqa,0.1\ne5,fiqa,0.3\ne5,nq,0.4\n",
        "model;fiqa;nq\nbm25;0,1;\ne5;,3;0,400\n",
        '{"bm25": {"fiqa": 0.1}, "e5": {"fiqa": 0.3, "nq": 0.4}}',
        '[{"model": "bm25", "task": "fiqa", "score": 0.1}, {"model": "e5", "task": "fiqa", "score": 0.3},'
        ' {"model": "e5", "task": "nq", "score": 0.4}]',
        '\n{"model":"bm25","fiqa":0.1,"nq":null}\n\n{"model":"e5","fiqa":0.3,"nq":0.4}\n',
    ],
)
def test_dialects(tmp_path: Path, text: str) -> None:
    """A table is read whatever its separator, orientation and words for a missing score; the file names it."""
    (tmp_path / "board.csv").write_text(text, encoding="utf-8")
    made = import_table(tmp_path / "board.csv", metric="nDCG@10")
    assert list(made) == ["board"]
    xr.testing.assert_equal(made["board"], CUBE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model,fiqa,fiqa\na,1,2\n", "more than one column is named 'fiqa'"),
        ("model,fiqa\na,0,5\n", "decimal commas"),
        ("model;fiqa\na;1,500\n", "decimal points"),
        ("model,fiqa\na,x\n", "'x' in row 1 of the column 'fiqa' is not a number"),
        ("model,fiqa\n", "expected a header and a row"),
        ("", "expected a header and a row"),
        ("model,fiqa\na,1\na,2\n", "more than one score for a, fiqa"),
        ("{]", "not a table of scores"),
        ("model,fiqa\na,inf\n", "infinite score"),
        ("model,fiqa\na,=0.5\n", "spreadsheet formula"),
        ("model,fiqa\na,'0.5\n", "remove the apostrophe"),
        (
            "model,fi\x1b[2Jqa\na,0.5\n",
            "at the head of a column holds a control character",
        ),
        (
            f"model,{'x' * 9999}\na,0.5\n",
            "at the head of a column: a text of 9,999 characters",
        ),
        ("\udcff,x\n", "not a table"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, text: str, says: str) -> None:
    """What is no table of scores is an error that names the file and the mend."""
    (tmp_path / "board.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileFormatError, match=says):
        import_table(tmp_path / "board.csv")


def test_a_table_that_does_not_say_what_its_rows_are_is_told_of(tmp_path: Path) -> None:
    """Which way a matrix was read is said, with the option that turns it, unless a header or an option says it."""
    path = tmp_path / "t.csv"
    path.write_text(",bm25,dpr\nfiqa,.2,.3\nnq,.3,.4\narguana,.3,.35\n")
    [made] = import_table(path).values()
    assert about(made)["notes"] == [
        "rows are read as systems (fiqa, nq, arguana), columns as topics (bm25, dpr); "
        "turn this with --rows topics"
    ]
    assert PRINTED not in about(made)
    for rows in ("systems", "topics"):
        assert "notes" not in about(import_table(path, rows=rows)["t"])
    path.write_text("task,bm25,dpr\nfiqa,.2,.3\nnq,.3,.4\n")
    assert "notes" not in about(import_table(path)["t"])
    path.write_text("name,AP,P@10\nbm25,.2,.3\ndpr,.3,.4\n")
    assert "notes" not in about(import_table(path)["t"])


def test_formulas_there_and_back(tmp_path: Path) -> None:
    """Names that a spreadsheet would compute are written with an apostrophe, which is removed when they are read."""
    names = ["=cmd|' /c calc'!A1", "'=1", "'quoted'", "@sum", "+x", "-x", "bm25"]
    made = cube(np.arange(21.0).reshape(7, 3, 1), names, ["=1+1", "'b", "c"], ["score"])
    (tmp_path / "board.csv").write_text(safe_csv(wide(made)), encoding="utf-8")
    lines = (tmp_path / "board.csv").read_text(encoding="utf-8").splitlines()
    assert not any(line.startswith(("=", "@", "+", "-")) for line in lines)
    assert ",'=1+1,'b," in lines[0]
    [back] = import_table(tmp_path / "board.csv").values()
    assert back.system.values.tolist() == names
    assert back.topic.values.tolist() == ["=1+1", "'b", "c"]


def test_wide_there_and_back(tmp_path: Path) -> None:
    """A cube written wide is read as it was."""
    wide(CUBE).write_csv(tmp_path / "board.csv")
    xr.testing.assert_equal(
        import_table(tmp_path / "board.csv", metric="nDCG@10")["board"], CUBE
    )


def test_a_collection_is_renamed_where_it_is_the_only_one(tmp_path: Path) -> None:
    """A table with a column of one collection takes another name for it; one with several refuses."""
    path, rows = tmp_path / "s.csv", "collection,system,topic,metric,score\n"
    path.write_text(rows + "old,a,1,AP,.1\nold,b,1,AP,.2\n")
    made = import_table(path, collection="new")
    assert {name: one.attrs["collection"] for name, one in made.items()} == {
        "new": "new"
    }
    path.write_text(rows + "one,a,1,AP,.1\ntwo,a,1,AP,.2\n")
    with pytest.raises(FileFormatError, match="it names 2 collections itself"):
        import_table(path, collection="new")


def test_wide_holds_one_metric() -> None:
    """Several metrics are a choice to make, but for means, where metrics are columns."""
    both = cube(np.ones((1, 2, 2)), ["a"], ["1", "2"], ["AP", "RR"])
    with pytest.raises(ScoresError, match="metric="):
        wide(both)
    assert wide(both, "RR").columns == ["system", "1", "2"]
    assert wide(cube(np.ones((1, 1, 2)), ["a"], ["all"], ["AP", "RR"])).columns == [
        "system",
        "AP",
        "RR",
    ]


def test_to_pandas() -> None:
    """Scores and results become pandas frames in one call, without pyarrow."""
    frame = to_pandas(CUBE)
    assert frame.columns.tolist() == [
        "collection",
        "system",
        "topic",
        "metric",
        "score",
    ]
    assert frame["score"].tolist() == [0.1, 0.3, 0.4]
    complete = CUBE.fillna(0.2)
    assert describe(complete).to_pandas()["system"].tolist() == ["e5", "bm25"]
    assert "reliability" in describe(complete).to_pandas("topics").columns


@pytest.mark.data
def test_a_real_table(data: Path) -> None:
    """MTEB(eng, v2) is read from its long table: 333 models, 41 tasks, 10 362 scores."""
    made = import_table(data / "leaderboards" / "mteb-eng-v2.parquet")["mteb-eng-v2"]
    assert made.shape == (333, 41, 1)
    assert int(np.isfinite(made.values).sum()) == 10_362
    frame = pl.read_parquet(data / "leaderboards" / "mteb-eng-v2.parquet")
    assert made.sum().item() == pytest.approx(frame["main_score"].sum())


def test_what_models_are_may_have_any_columns(tmp_path) -> None:
    """Each model has its facts by column; an empty cell is none."""
    path = tmp_path / "models.csv"
    path.write_text(
        "Model,link,Kind,size\nbge,https://example.org/bge,dense,335M\nbm25,,sparse,\n"
    )
    assert read_about(path) == {
        "bge": {"link": "https://example.org/bge", "kind": "dense", "size": "335M"},
        "bm25": {"kind": "sparse"},
    }
    path.write_text("model,URL\nbge,https://example.org/bge\n")
    assert read_about(path) == {"bge": {"link": "https://example.org/bge"}}


def test_facts_are_called_as_their_columns_are(tmp_path) -> None:
    """Own columns keep their capitals, whole numbers have no .0, and a data frame by Model Name says the same."""
    path = tmp_path / "models.csv"
    path.write_text("Model Name,Params (B),License\nbge,405.0,MIT\nbm25,,\ne5,7.3,\n")
    known = read_about(path)
    assert known == {
        "bge": {"Params (B)": "405", "License": "MIT"},
        "bm25": {},
        "e5": {"Params (B)": "7.3"},
    }
    assert read_about(pd.read_csv(path).set_index("Model Name")) == known


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,link\nbge,javascript:alert(1)\n", ":2: the link of 'bge'"),
        ("model,kind\nbge,dense\nbge,sparse\n", ":3: model 'bge' is on line 2, too"),
        (
            "bot,Params (B)\nbge,7\n",
            ":1: no column model or system or run; .* as in model,Params .B. .it has bot,",
        ),
        ("model\nbge\n", ":1: no column link; .* as in model,link .it has model."),
        ("model,kind\n,dense\n", ":2: a line lacks its model; fill it in"),
    ],
)
def test_wrong_facts_of_models_are_refused(tmp_path, text, said) -> None:
    """A link that would run, a model twice, a column that is not there: each is said with its line."""
    path = tmp_path / "models.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=said):
        read_about(path)


def test_a_column_called_almost_as_a_role_is_noted(tmp_path: Path) -> None:
    """A misspelt column of scores is read as a metric of that name, and a note says which role it may have."""
    (tmp_path / "t.csv").write_text("system,topic,scor,MRR\na,1,.5,1\nb,1,.4,.5\n")
    [cube_] = import_table(tmp_path / "t.csv").values()
    assert about(cube_)[PRINTED] == [
        "column 'scor' is read as a metric; if it is the score, say --score 'scor'"
    ]


def test_a_column_of_numbers_called_almost_as_systems_are_is_a_topic(
    tmp_path: Path,
) -> None:
    """AIME, one letter from a name, is a task beside the models."""
    (tmp_path / "t.csv").write_text("Model,MMLU,AIME\na,.5,.1\nb,.4,.5\n")
    [cube_] = import_table(tmp_path / "t.csv").values()
    assert PRINTED not in about(cube_)


def test_a_column_on_another_scale_is_told(tmp_path: Path) -> None:
    """Percentages among fractions, and numbers that are no scores, are told; holes do not matter."""
    rows = ["model,nq,fiqa,arguana", "a,.5,.25,.75", "b,.75,,.5", "c,.25,.5,.5"]
    path = tmp_path / "t.csv"

    def told(lines: list[str]) -> list[str]:
        path.write_text("\n".join(lines))
        (scores,) = import_table(path).values()
        return about(scores).get(DOUBTS, [])

    assert not told(rows)
    assert not told(["model,a,b,c", "x,0,0,.5", "y,0,0,.25", "z,0,0,.5"])
    assert not told(["model,a,b", "x,-.5,-.25", "y,-.75,-.5"])
    sizes = [
        f"{row},{more}"
        for row, more in zip(rows, ["Size (M)", 7, 70, 700], strict=True)
    ]
    (said,) = told(sizes)
    assert said.startswith("scores reach 700 in Size (M), 0.75 elsewhere;")
    assert "--ignore 'Size (M)'" in said
    (said,) = told(
        [f"{row},{more}" for row, more in zip(rows, ("t2", 2, 3, 3), strict=True)]
    )
    assert said.startswith("scores reach 3 in t2, 0.75 elsewhere;")


def test_scores_that_are_all_the_same_are_told(tmp_path: Path) -> None:
    """A metric whose scores are all equal is named at import, and its collection where there are several."""
    rows = [
        f"{name},{system},{topic},{score},{system / 9}"
        for name, score in (("old", 0), ("new", 0.5))
        for system in (1, 2)
        for topic in (1, 2)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["collection,system,topic,AP,RR", *rows]))
    told = next(about(one).get(PRINTED, []) for one in import_table(path).values())
    assert [note for note in told if "compared" in note] == [
        "all scores by AP of old are 0; nothing can be compared by them",
        "all scores by AP of new are 0.5; nothing can be compared by them",
    ]


@pytest.mark.parametrize(
    ("name", "corner", "metric", "collection"),
    [
        ("AP.csv", "x", "AP", "trec8"),
        ("ndcg_cut_10.csv", "x", "nDCG@10", "trec8"),
        ("runs.csv", "P@10", "P@10", "runs"),
        ("runs.csv", "x", "score", "runs"),
        ("DCG@20.csv", "x", "DCG@20", "trec8"),
    ],
)
def test_a_table_named_after_a_metric_has_its_scores(
    tmp_path: Path, name: str, corner: str, metric: str, collection: str
) -> None:
    """The file or the corner of a table without a metric names it, which one note says; the folder the collection."""
    path = tmp_path / "trec8" / name
    path.parent.mkdir()
    path.write_text(f"{corner},401,402\nbm25,.1,.2\ndpr,.3,.4\n")
    made = import_table(path)
    assert list(made) == [collection]
    assert made[collection].metric.values.tolist() == [metric]
    told = about(made[collection]).get(PRINTED, [])
    notes = [note for note in told if "named after" in note]
    assert len(notes) == (metric != "score")
    path.write_text(f"{corner},401,402\nbm25,-3,.2\ndpr,.3,.4\n")
    (impossible,) = import_table(path).values()
    assert impossible.metric.values.tolist() == ["score"]
    (given,) = import_table(path, metric="mine").values()
    assert given.metric.values.tolist() == ["mine"]


def test_a_matrix_that_names_only_its_columns_is_told_as_one(tmp_path: Path) -> None:
    """Scores in the first column name no row; numbers of topics do."""
    path = tmp_path / "P@10.csv"
    path.write_text("run1,run2\n0,.2\n0.3,.4\n0,.5\n")
    with pytest.raises(FileFormatError, match="rows='topics'"):
        import_table(path)
    path.write_text("number,run2\n1,.2\n2,.4\n3,.5\n")
    (made,) = import_table(path, rows="topics").values()
    assert made.topic.values.tolist() == ["1", "2", "3"]


def test_a_leaderboard_of_metrics_leaves_out_what_is_no_metric(tmp_path: Path) -> None:
    """Columns beside those of metrics, and names of metrics that are not known, are left out, and told."""
    path = tmp_path / "leaderboard.csv"
    path.write_text(
        "run,team,topicformat,ndcg@10,J@10,P@5,rbp_p5\na,x,,.7,.9,.8,.8\nb,y,,.6,.8,.7,.7\n"
    )
    (made,) = import_table(path).values()
    assert made.metric.values.tolist() == ["nDCG@10", "P@5"]
    assert made.topic.values.tolist() == ["all"]
    assert (
        "columns left out, as irmeta knows no metric of this name: team, topicformat, J@10, rbp_p5"
        in about(made)["notes"]
    )
    path.write_text("run,team,report,fiqa,nq\na,x,a.pdf,.7,.9\nb,y,b.pdf,.6,.8\n")
    with pytest.raises(FileFormatError, match=r"ignore=\['team', 'report'\]"):
        import_table(path)
