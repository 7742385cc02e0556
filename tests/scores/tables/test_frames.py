"""Tables that people have become cubes, or errors that name the mend."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.spreadsheet import import_table
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check, cube, from_frame, from_frame_all
from irmeta.scores.cubes import by_name
from irmeta.scores.tables.objects import is_table
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.leaderboard.study import leaderboard

LONG = {
    "system": ["bm25", "bm25", "e5", "e5"],
    "topic": ["1", "2", "1", "2"],
    "metric": ["AP"] * 4,
    "score": [0.1, 0.2, 0.3, 0.4],
}
CUBE = cube([[[0.1], [0.2]], [[0.3], [0.4]]], ["bm25", "e5"], ["1", "2"], ["AP"])
WIDE = pd.DataFrame(
    {"1": [0.1, 0.3], "2": [0.2, 0.4]}, index=pd.Index(["bm25", "e5"], name="model")
)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (pd.DataFrame(LONG), {}),
        (pl.DataFrame(LONG), {}),
        (pl.LazyFrame(LONG), {}),
        (
            pd.DataFrame(LONG).rename(
                columns={
                    "system": "name",
                    "topic": "qid",
                    "metric": "measure",
                    "score": "value",
                }
            ),
            {},
        ),
        (
            pd.DataFrame(LONG).rename(
                columns={"system": "Model", "topic": "Query ID", "score": "Score"}
            ),
            {},
        ),
        (pd.DataFrame(LONG).rename(columns={"system": "who"}), {"system": "who"}),
        (pd.DataFrame(LONG).drop(columns="metric"), {"metric": "map"}),
        (pd.DataFrame(LONG).astype({"topic": int}), {}),
        (pd.DataFrame(LONG).astype({"topic": float}), {}),
        (pd.DataFrame(LONG).set_index(["system", "topic", "metric"])["score"], {}),
        (
            pd.DataFrame(LONG).pivot(
                index=["system", "topic"], columns="metric", values="score"
            ),
            {},
        ),
        (WIDE, {"metric": "AP"}),
        (WIDE.rename_axis(None), {"metric": "AP"}),
        (WIDE.reset_index(), {"metric": "AP"}),
        (WIDE.T.rename_axis("task"), {"metric": "AP"}),
        (WIDE.T.rename_axis(None), {"metric": "AP", "rows": "topics"}),
        (WIDE.assign(parameters=[7, 8]), {"metric": "AP", "ignore": "parameters"}),
        (WIDE.astype(str), {"metric": "AP"}),
        ({"bm25": {"1": 0.1, "2": 0.2}, "e5": {"1": 0.3, "2": 0.4}}, {"metric": "AP"}),
        (
            {
                "bm25": {"1": {"AP": 0.1}, "2": {"AP": 0.2}},
                "e5": {"1": {"AP": 0.3}, "2": {"AP": 0.4}},
            },
            {},
        ),
        (CUBE.to_series(), {}),
    ],
)
def test_every_form_of_one_table(table: Any, options: dict[str, Any]) -> None:
    """A table gives the same cube, long or wide, pandas or polars or dicts, whatever its columns are called."""
    xr.testing.assert_equal(from_frame(table, **options), CUBE)


def test_means_only() -> None:
    """A table whose columns are metrics holds means: the one topic is `all`; so do ranx's comparisons."""
    frame = pd.DataFrame(
        {"name": ["bm25", "e5"], "map": [0.1, 0.3], "ndcg_cut_10": [0.2, 0.4]}
    )  # pt.Experiment(...)
    made = from_frame(frame)
    assert made.topic.values.tolist() == ["all"]
    assert made.metric.values.tolist() == ["AP", "nDCG@10"]
    compared = {
        "metrics": ["map"],
        "model_names": ["bm25"],
        "bm25": {"scores": {"map": 0.1}, "comparisons": {}},
    }
    assert from_frame(compared).squeeze().item() == 0.1
    assert from_frame(compared).metric.item() == "AP"

    class Report:
        model_names = ("bm25",)

        def to_dict(self) -> dict[str, Any]:
            return {
                "model_names": ["bm25"],
                "bm25": {"scores": {"map": 0.1, "hit_rate@10": 0.9}},
            }

    assert from_frame(Report()).metric.values.tolist() == ["AP", "Success@10"]
    for study in (describe, leaderboard):
        with pytest.raises(ScoresError, match="scores are means, one for each system"):
            study(Report())


def test_what_turns_into_a_frame() -> None:
    """Results of MTEB and reports of ranx, which give data frames, are taken as they are."""

    class Results:
        def to_dataframe(self) -> pd.DataFrame:
            return pd.DataFrame(
                {"task_name": ["fiqa", "nq"], "a": [0.1, None], "b": [0.3, 0.4]}
            )

    made = from_frame(Results())
    assert made.system.values.tolist() == ["a", "b"]
    assert made.topic.values.tolist() == ["fiqa", "nq"]
    assert np.isnan(made.sel(system="a", topic="nq").item())


def test_items_within_tasks_are_collections() -> None:
    """A table with tasks and items holds a collection a task; one alone must be chosen from it."""
    rows = {
        "model": ["a", "a"],
        "task": ["fiqa", "nq"],
        "query_id": ["1", "1"],
        "score": [0.1, 0.2],
    }
    assert list(from_frame_all(pl.DataFrame(rows))) == ["fiqa", "nq"]
    assert list(by_name(pl.DataFrame(rows))) == ["fiqa", "nq"]  # type: ignore[arg-type]
    with pytest.raises(ScoresError, match="from_frame_all"):
        from_frame(pl.DataFrame(rows))
    assert from_frame(pl.DataFrame(rows), collection="nq").item() == 0.2


def test_numbers_of_rows_are_no_scores() -> None:
    """Rows that were sorted, chosen or put together keep the numbers that pandas gave them; these are no topic."""
    table = pd.DataFrame({"model": ["a", "b"], "1": [0.2, 0.1], "2": [0.3, 0.4]})
    again = pd.DataFrame({"model": ["c"], "1": [0.5], "2": [0.6]})
    for rows in (table.sort_values("1"), table[table["1"] < 0.2], [table, again]):
        frame = pd.concat(rows) if isinstance(rows, list) else rows
        made = from_frame(frame, metric="AP")
        assert made.topic.values.tolist() == ["1", "2"]
        assert made.sizes["system"] == len(frame)


@pytest.mark.parametrize("name", ["all", "Average", "overall"])
def test_a_mean_among_topics_is_left_out(name: str) -> None:
    """Rows, columns and keys that sum up a system's topics are no topics; where there are no others, they are means."""
    rows = pd.DataFrame(LONG)
    mean = rows.groupby(["system", "metric"], as_index=False).score.mean()
    mean = mean.assign(topic=name)
    both = pd.concat([rows, mean])
    within = {
        system: {"AP": dict(zip(part.topic, part.score, strict=True))}
        for system, part in both.groupby("system")
    }
    for table in (both, within):
        found = from_frame(table)
        assert found.equals(from_frame(rows))
        assert about(found)["notes"] == [f"left out what sums up topics: {name!r}"]
    assert from_frame(mean).topic.values.tolist() == [name]


def test_a_column_that_reaches_far_higher_is_doubted_by_studies() -> None:
    """A result on a frame asks whether a column beyond 1 among scores holds scores, whatever its name."""
    values = np.random.default_rng(0).random((3, 9))
    table = pd.DataFrame(values, ["a", "b", "c"], [f"t{n}" for n in range(9)])
    assert not [note for note in versus(table, "a", "b").notes if "reach" in note]
    found = versus(table.assign(speed=3.5), "a", "b")
    assert "scores reach 3.5 in speed" in found.notes[0]


def test_columns_that_are_not_used_are_named() -> None:
    """What a long table holds besides is left out and named in the notes."""
    made = from_frame(pd.DataFrame(LONG).assign(seed=1))
    assert about(made)["unused"] == {"seed": 0}
    assert "unused columns: seed" in versus(made, "bm25").notes


def test_a_column_that_groups_topics_asks_whether_they_belong_together() -> None:
    """A result says of ten needs with five query variations each how to name them, unless they are named."""
    rng = np.random.default_rng(3)
    rows = [
        (system, f"q{need * 5 + at}", f"need {need}", at, score)
        for system in ("bm25", "rerank")
        for need in range(10)
        for at, score in enumerate(rng.random(5))
    ]
    frame = pd.DataFrame(rows, columns=["system", "query", "need", "order", "score"])

    def asked(scores: object) -> list[str]:
        return [note for note in versus(scores, "rerank").notes if "'need'" in note]

    (note,) = asked(frame)
    assert "into 10 groups" in note
    assert "cluster='need' says so" in note
    assert not asked(from_frame(frame, cluster="need"))
    assert not asked(frame.assign(need=frame["query"]))
    assert not asked(frame.assign(need=frame.index % 7))


def test_scores_in_a_column_that_is_named_are_of_a_metric_of_its_name() -> None:
    """`score` names the metric, too, where neither a column nor `metric` says which it is."""
    table = pd.DataFrame(
        {"query": ["1", "2"], "build": ["a", "a"], "faithfulness": [0.5, 0.7]}
    )
    named = {"system": "build", "score": "faithfulness"}
    assert from_frame(table, **named).metric.values.tolist() == ["faithfulness"]
    given = from_frame(table, metric="F", **named)
    assert given.metric.values.tolist() == ["F"]


def test_parts_of_a_benchmark_are_collections() -> None:
    """A column sub_collection says of each row to which collection it belongs."""
    wide = pd.DataFrame(
        {"sub_collection": ["ST", "LT"], "run": "a", "query": "q1", "AP": [0.1, 0.2]}
    )
    made = from_frame_all(wide)
    assert {name: one.item() for name, one in made.items()} == {"ST": 0.1, "LT": 0.2}


def test_a_column_of_systems_of_another_name_is_asked_for() -> None:
    """A long table whose columns of systems and scores have other names is not averaged over systems: it is asked."""
    odd = pd.DataFrame(
        {
            "retriever": ["bm25", "bm25", "dpr", "dpr"],
            "qid": ["1", "2", "1", "2"],
            "measure": "AP",
            "val": [0.1, 0.2, 0.3, 0.4],
        }
    )
    asked = (
        r"^which column names the systems\? Say system='retriever' score='val'; "
        r".*; a column that is neither goes with ignore=\['retriever'\]"
    )
    for table in (odd, odd.assign(collection="x"), odd.drop(columns="measure")):
        with pytest.raises(ScoresError, match=asked):
            from_frame(table)
    found = from_frame(odd, system="retriever", score="val")
    assert dict(found.sizes) == {"system": 2, "topic": 2, "metric": 1}


def test_a_column_of_scores_of_another_name_is_asked_for() -> None:
    """A table with a column of metrics, but none of scores by a known name, is not taken as a wide one."""
    table = pd.DataFrame(
        {"system": ["a", "b"], "qid": "1", "measure": "AP", "val": [0.1, 0.2]}
    )
    with pytest.raises(
        ScoresError, match=r"^which column holds the scores\? Say score='val'; "
    ):
        from_frame(table)


def test_the_index_of_a_frame_is_no_column_that_is_not_used() -> None:
    """Row numbers that pandas keeps when rows are chosen are not named; a column of that name is."""
    table = pd.DataFrame(LONG)
    chosen = table.iloc[[3, 0, 2]]
    assert "unused" not in about(from_frame(chosen))
    assert about(from_frame(table.assign(index="x")))["unused"] == {"index": 0}


def test_percent_of_a_frame_is_read_as_in_a_file(tmp_path: Path) -> None:
    """Cells as 41% are parts of 1 in a frame as in a CSV; some without a sign are an error."""
    frame = pd.DataFrame(
        {"system": ["a", "b"], "topic": ["1", "1"], "AP": ["84.57%", "9 %"]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    for table in (frame, pl.DataFrame(frame.to_dict("list"))):
        made = from_frame(table)
        assert made.values.ravel().tolist() == [0.8457, 0.09]
        of_file = import_table(tmp_path / "t.csv")["t"]
        np.testing.assert_array_equal(made, of_file)
    with pytest.raises(ScoresError, match="a percent sign in every cell"):
        from_frame(frame.assign(AP=["41%", "0.1"]))


def test_studies_take_tables() -> None:
    """Studies take a table wherever they take a cube, and give the same result."""
    rng = np.random.default_rng(0)
    made = cube(rng.random((6, 9, 2)), list("abcdef"), list("123456789"), ["AP", "RR"])
    table = made.to_series().reset_index()
    for study in (describe, significance, correlate, rank):
        xr.testing.assert_equal(study(table).data, study(made).data)
    xr.testing.assert_equal(means(table), means(made))
    xr.testing.assert_equal(check(table), made)


def test_the_column_that_distinguishes_rows_is_named() -> None:
    """Where a column that nobody named distinguishes rows of one cell, the error names it; a constant one does not."""
    rows = {"model": ["A"] * 4, "topic": ["q0", "q0", "q1", "q1"], "at": ["x"] * 4}
    table = pd.DataFrame(
        rows | {"rollout": [1, 2, 1, 2], "score": [0.1, 0.2, 0.3, 0.4]}
    )
    with pytest.raises(
        ScoresError,
        match=r"for A, q0, score, which the column 'rollout' distinguishes: .*\(repeat='rollout'\)",
    ):
        from_frame(table)
    with pytest.raises(ScoresError, match=r"as topics \(topic='rollout'\), as runs"):
        from_frame(table.drop("topic", axis=1).iloc[:2])
    # a column that tells the first two rows apart, but not all
    some = table.drop(columns="rollout").assign(lang=["en", "de", "en", "en"])
    with pytest.raises(ScoresError, match="keep one of them, or name the columns"):
        from_frame(some)
    with pytest.raises(ScoresError, match=r"\(repeat='roll out'\).*='model,roll out'"):
        from_frame(table.rename(columns={"rollout": "roll out"}))
    with pytest.raises(ScoresError, match="name the columns that distinguish them"):
        from_frame(table.drop(columns="rollout"))
    assert from_frame(table, repeat="rollout").shape == (1, 2, 1)


def test_an_unnamed_level_is_the_role_that_no_column_has() -> None:
    """Pandas' level_0 and level_1 beside scores are the system and the topic, as far as no other column is."""
    for names in ({}, {"index": "model"}, {"columns": "task"}):
        table = STACK.rename_axis(**names).stack().rename("score").reset_index()
        xr.testing.assert_equal(from_frame(table), from_frame(STACK))


def test_columns_of_several_levels_are_refused_with_what_works() -> None:
    """The advice on columns of several levels is followed to the scores: one level that is unique, or all stacked."""
    table = STACK.set_axis(
        pd.MultiIndex.from_product([["retrieval"], STACK.columns]), axis=1
    )
    with pytest.raises(ScoresError, match=r"= table.columns.get_level_values\(1\)$"):
        from_frame(table)
    table.columns = table.columns.get_level_values(1)
    xr.testing.assert_equal(from_frame(table), from_frame(STACK))
    both = pd.concat({"AP": STACK, "RR": STACK / 2}, axis=1)
    with pytest.raises(ScoresError, match=r"table.stack\(\[0, 1\]\).rename\('score'\)"):
        from_frame(both)
    both.columns.names = ["metric", "topic"]
    made = from_frame(both.stack([0, 1]).rename("score").reset_index())
    assert made.shape == (*STACK.shape, 2)


def test_a_dict_of_series_names_topics_by_their_index() -> None:
    """Series by system are scores by topic; a topic that one has twice is refused."""
    series = {name: STACK.loc[name] for name in STACK.index}
    xr.testing.assert_equal(from_frame(series), from_frame(STACK))
    twice = pd.Series([0.1, 0.2], ["x", "x"])
    with pytest.raises(ScoresError, match="more than one score for a, x; keep one"):
        from_frame({"a": twice, "b": twice})


@pytest.mark.parametrize("given", [list, np.array])
def test_a_dict_of_arrays_is_refused_with_what_works(given) -> None:
    """A study of arrays by system says what is expected, and its advice works: rows of a frame are numbered topics."""
    scores = {"a": given([0.1, 0.2, 0.5, 0.3]), "b": given([0.2, 0.4, 0.6, 0.3])}
    advice = r"expected \{system: .* irmeta.from_frame\(pandas.DataFrame\(scores\), rows='topics'\)$"
    with pytest.raises(ScoresError, match=advice):
        versus(scores, "a", "b")
    with pytest.raises(ScoresError, match=r"numbered with rows='topics'"):
        versus(pd.DataFrame(scores), "a", "b")
    made = from_frame(pd.DataFrame(scores), rows="topics")
    assert made.topic.values.tolist() == ["1", "2", "3", "4"]
    assert "By score" in str(versus(made, "a", "b"))


def test_whole_numbers_that_may_name_rows_are_not_scores() -> None:
    """A first column of numbers that are all different has to be named, or left out, though rows are said."""
    table = pd.DataFrame({"id": [401, 402], "a": [0.1, 0.2], "b": [0.2, 0.4]})
    with pytest.raises(ScoresError, match="no column of the table names"):
        from_frame(table, rows="topics")


def test_runs_and_judgments_are_no_tables_of_scores() -> None:
    """Rows of a query and a document are a run, or judgments, which the advice evaluates; topics may be documents."""
    run = pd.DataFrame({"qid": ["1"], "query": ["x"], "docno": ["d"], "score": [2.5]})
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1]})
    advice = r"irmeta.evaluate\(qrels, {'name': run}\)$"
    with pytest.raises(ScoresError, match=f"this is a run, not .*{advice}"):
        from_frame(run)
    with pytest.raises(ScoresError, match=f"these are judgments, not .*{advice}"):
        from_frame(qrels)
    assert evaluate(qrels, {"name": run}, ["P@1"]).item() == 1
    each = run.assign(model="a").drop(columns=["qid", "query"])
    assert from_frame(each, topic="docno").topic.values.tolist() == ["d"]


def test_a_matrix_of_metrics_is_no_table() -> None:
    """A frame with the same names on both sides is still taken as a matrix of metrics."""
    names = ["AP", "RR", "P@10"]
    matrix = pd.DataFrame(np.eye(3) + 0.5, names, names)
    assert rank(matrix).sizes["metric"] == 3


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            WIDE.assign(nq=["a", "b"]),
            "'a' in row 1 of the column 'nq' is not a number; .*ignore=",
        ),
        (WIDE.assign(nq=["1,500", "1"]), "decimal point"),
        (WIDE.assign(nq=["50%", "1"]), "percent"),
        (WIDE.assign(nq=[np.inf, 1]), "infinite score"),
        (WIDE.assign(nq=[True, False]), "not a number|not scores"),
        (
            WIDE.assign(org=["a", "b"], date=[1, 2], kind=["c", "d"]),
            r"the columns 'org', 'date', 'kind' do .*ignore=",
        ),
        (WIDE.assign(Average=[1.0, 2.0]), r"ignore=\['Average'\]"),
        (
            WIDE.assign(**{"Mean (Task)": [1.0, 2.0]}),
            "'Mean .Task.' does not look like scores",
        ),
        (WIDE.assign(**{"Params (B)": [0.1, 7.0]}), "'Params .B.' does not look"),
        (WIDE.assign(**{"latency (ms)": 3.5}), r"ignore=\['latency \(ms\)'\]"),
        (WIDE.assign(n_rel=[12, 40]), r"ignore=\['n_rel'\]"),
        (pd.concat([WIDE, WIDE]), "more than one score for bm25, 1"),
        (
            pd.DataFrame([[0.1, 0.2, 0.3]], columns=["model", "1", "1"]),
            "more than one column is named '1'",
        ),
        (pd.DataFrame({"1": [0.1], "2": [0.2]}), r"ame the columns: system=COLUMN"),
        (pd.DataFrame(), r"ame them: system=COLUMN"),
        ({}, "the table holds no scores"),
        ({"a": {}}, "the table holds no scores"),
        (
            pd.DataFrame(LONG).assign(system=[None, "a", "b", "c"]),
            "is empty in row 1",
        ),
        (
            pd.DataFrame(LONG).assign(system=["\x1b[2J", "a", "b", "c"]),
            "control character",
        ),
        (
            pd.DataFrame(LONG).assign(system=["x" * 10_000, "a", "b", "c"]),
            "10,000 characters",
        ),
        (
            pd.DataFrame(LONG).set_index(["system", "topic"]).rename_axis(["x", "x"]),
            "more than one column is named 'x'",
        ),
        ({"a": {"AP": {"1": 0.1}}, "b": 0.3}, "not a dict"),
    ],
)
def test_tables_that_cannot_be_read(table: Any, says: str) -> None:
    """What is no table of scores is an error that names the place and the mend."""
    with pytest.raises(ScoresError, match=says):
        from_frame(table)


def test_all_roles_of_a_table_are_asked_for_at_once() -> None:
    """Columns of rankers and sessions: one error names both, and asks for no score where there are two metrics."""
    table = pd.DataFrame(
        {
            "ranker": ["new"] * 4 + ["prod"] * 4,
            "query": ["1", "2", "3", "4"] * 2,
            "session": ["s", "s", "t", "t"] * 2,
            "ndcg": [0.1, 0.2, 0.3, 0.4] * 2,
            "click": [0.0, 1.0, 0.0, 1.0] * 2,
        }
    )
    says = r"Say system='ranker'; .*if topics of one 'session' come together, say cluster='session', too"
    with pytest.raises(ScoresError, match=says):
        from_frame(table)
    made = from_frame(table, system="ranker", cluster="session")
    assert made.cluster.values.tolist() == ["s", "s", "t", "t"]


def test_one_column_has_one_role() -> None:
    """A column named for two roles is an error that names both: a score is not also its topic."""
    with pytest.raises(
        ScoresError,
        match="the column 'score' is given for topic and score; give it for one",
    ):
        from_frame(pd.DataFrame(LONG), topic="score", score="score")


def test_a_frame_without_names_says_which_way_it_was_read() -> None:
    """Rows and columns without a name are systems and topics, with a note, unless someone says what rows are."""
    frame = pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], ["fiqa", "nq"], ["bm25", "e5"])
    said = "rows are read as systems (fiqa, nq), columns as topics (bm25, e5); turn this with --rows topics"
    assert about(from_frame(frame))["notes"] == [said]
    assert said in about(leaderboard(from_frame(frame), resamples=40))["notes"]
    numbered = from_frame(frame.set_axis(["301", "302"]))
    assert about(numbered)["doubts"] == about(numbered)["notes"]
    assert "notes" not in about(from_frame(frame, rows="topics"))
    assert "notes" not in about(from_frame(frame.rename_axis("task")))


def test_the_metric_of_all_scores_is_what_is_said() -> None:
    """One column of scores is of the metric that is said, whatever it is called; of several that is refused."""
    table = {"model": ["a", "b"], "task": ["t", "t"], "recall": [0.5, 0.6]}
    for named in ({}, {"score": "recall"}):
        made = from_frame(pd.DataFrame(table), metric="R@10", **named)
        assert made.metric.values.tolist() == ["R@10"]
        assert made.values.ravel().tolist() == [0.5, 0.6]
    made = from_frame(pd.DataFrame(table), metric="recall", score="recall")
    assert made.metric.values.tolist() == ["recall"]
    with pytest.raises(ScoresError, match="recall, F are columns of metrics, and"):
        from_frame(pd.DataFrame(table | {"F": [0.1, 0.2]}), metric="R@10")


def test_a_wrong_name_of_a_column() -> None:
    """A column that is named and is not there is an error that lists what there is."""
    with pytest.raises(
        ScoresError,
        match="no column 'who' for system in the table; it has system, topic",
    ):
        from_frame(pd.DataFrame(LONG), system="who")
    with pytest.raises(ScoresError, match="no column 'who' to ignore"):
        from_frame(pd.DataFrame(LONG), ignore="who")


names = st.lists(
    st.text("abcxyz<&=@'\" ", min_size=1).map(str.strip).filter(bool),
    min_size=1,
    max_size=5,
    unique=True,
)


@given(names, names, st.data())
def test_there_and_back(
    systems: list[str], topics: list[str], draw: st.DataObject
) -> None:
    """Whatever the names and holes, a cube survives its long table, but for systems and topics without a score."""
    cells = st.floats(0, 1) | st.just(np.nan)
    values = [[[draw.draw(cells)] for _ in topics] for _ in systems]
    made = cube(values, systems, topics, ["AP"])
    back = from_frame(made.to_series().reset_index())
    xr.testing.assert_equal(back, made)


def test_tell_tables_apart() -> None:
    """Cubes, datasets and mappings of cubes are not tables."""
    assert not is_table(CUBE)
    assert not is_table(CUBE.to_dataset())
    assert not is_table({"one": CUBE})
    assert is_table(WIDE)


STACK = pd.DataFrame(
    [[0.1, 0.2], [0.3, 0.4]], index=["bm25", "e5"], columns=["nq", "fiqa"]
)


def test_a_stacked_frame_is_long() -> None:
    """Pandas calls the columns of an unnamed stack level_0, level_1 and 0."""
    made = from_frame(STACK.stack().reset_index())
    assert made.sel(system="e5", topic="fiqa").item() == 0.4
    named = STACK.rename_axis("model").stack().reset_index()
    assert made.equals(from_frame(named))


def test_dicts_of_topics_are_noticed() -> None:
    """What df.to_dict() makes has columns outside; where these are numbers, as topics are, it is asked about."""
    table = STACK.set_axis(["301", "302"], axis=1)
    with pytest.raises(ScoresError, match=r"irmeta.from_frame\(table, rows='topics'\)"):
        from_frame(table.to_dict())
    made = from_frame(table.to_dict(), rows="topics")
    assert made.equals(from_frame(table.to_dict("index")))
    assert from_frame(table.to_dict(), rows="systems").sizes["system"] == 2


def test_metrics_of_dicts_are_known_on_any_level() -> None:
    """Metrics may be outside, inside or between: their names say so."""
    inside = {"bm25": {"1": {"AP": 0.1, "RR": 0.5}}, "e5": {"1": {"AP": 0.2, "RR": 1}}}
    outside = {
        metric: {
            system: {topic: scores[metric] for topic, scores in topics.items()}
            for system, topics in inside.items()
        }
        for metric in ("AP", "RR")
    }
    assert from_frame(outside).equals(from_frame(inside))


def test_tables_of_ir_measures_need_their_systems() -> None:
    """A frame of its values has no system; by system, frames and values are the same."""
    rows = {"query_id": ["1", "2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]}
    frame = pd.DataFrame(rows)
    with pytest.raises(
        ScoresError, match="says which system; add one, or give tables by"
    ):
        from_frame(frame)
    made = from_frame({"bm25": frame, "e5": frame})
    assert made.sel(system="e5", metric="AP").values.tolist() == [0.5, 0.25]


def test_an_array_has_no_names() -> None:
    """What to do about it is said."""
    with pytest.raises(ScoresError, match=r"as in pandas\.DataFrame"):
        from_frame(np.ones((2, 3)))
    with pytest.raises(ScoresError, match=r"data frame or .*, not a tuple; .*columns="):
        describe((("a", "1", 0.5), ("b", "1", 0.3)))
    with pytest.raises(
        ScoresError, match="'a' are a tuple, not a dict; expected .*DataFrame"
    ):
        describe({"a": (0.1, 0.2), "b": (0.2, 0.3)})


def of_ranx(name, scores):
    """Return what looks as a run of ranx does once it was evaluated."""
    made = type("Run", (), {"__module__": "ranx.data_structures.run"})()
    made.name, made.scores = name, scores
    return made


def test_runs_that_ranx_evaluated_are_systems():
    """Their scores go by metric, then by query; so may those of dicts, where metrics are known by name."""
    scores = {"map": {"q1": 0.1, "q2": 0.3}, "ndcg@10": {"q1": 0.2, "q2": 0.4}}
    made = from_frame([of_ranx("bm25", scores), of_ranx("dense", scores)])
    assert made.metric.values.tolist() == ["AP", "nDCG@10"]
    assert made.sel(system="dense", topic="q2").values.tolist() == [0.3, 0.4]
    same = from_frame({"bm25": scores, "dense": scores})
    assert same.equals(made)
    assert from_frame(of_ranx("bm25", scores)).equals(made.sel(system=["bm25"]))
    by_topic = {"bm25": {"q1": {"map": 0.1}, "q2": {"map": 0.3}}}
    assert from_frame(by_topic).sel(topic="q2").item() == 0.3


def test_tables_without_names_are_refused():
    """Several tables, or runs, in a list have names, or each is to be named; rows in a list are one table."""
    by_metric = {"AP": {"1": 0.5, "2": 0.3}}
    by_topic = {"1": {"AP": 0.5}, "2": {"AP": 0.3}}
    runs = [of_ranx(None, by_metric), of_ranx(None, by_metric)]
    same = [of_ranx("bm25", by_metric), of_ranx("bm25", by_metric)]
    for several in ([by_metric] * 2, [by_topic] * 2, [pd.DataFrame()] * 2, runs, same):
        with pytest.raises(ScoresError, match="name each"):
            from_frame(several)
    assert from_frame(runs[:1]).system.values.tolist() == ["run"]
    with pytest.raises(ScoresError, match="dicts of scores without a name; name each"):
        from_frame([{"301": 0.5, "302": 0.3}, {"301": 0.4, "302": 0.2}])
    named = pd.DataFrame({"system": ["a"], "topic": ["1"], "AP": [0.5]})
    with pytest.raises(ScoresError, match=r"several tables; .*pandas\.concat"):
        describe([named, named.assign(system="b")])


def test_an_axis_called_as_systems_are_holds_them():
    """A frame whose columns are called models has them there, unless the caller says which way it stands."""
    frame = pd.DataFrame(
        {"fiqa": [0.5, 0.3], "nq": [0.2, 0.1]}, index=pd.Index(["a", "b"], name="model")
    )
    assert from_frame(frame.T).system.values.tolist() == ["a", "b"]
    assert from_frame(frame.T).sel(system="a", topic="nq").item() == 0.2
    other = from_frame(frame.T, rows="systems")
    assert other.system.values.tolist() == ["fiqa", "nq"]
    rows = [{"system": "bm25", "topic": "1", "AP": 0.5}]
    assert from_frame(rows).system.values.tolist() == ["bm25"]


def test_runs_that_ranx_has_not_evaluated_are_refused():
    """The runs without scores are named, and how to score them."""
    scored = of_ranx("dense", {"map": {"q1": 0.1}})
    with pytest.raises(ScoresError, match="without scores: bm25; .*evaluate"):
        from_frame([of_ranx("bm25", {}), scored])
    unscored = of_ranx("bm25", {})
    unscored.to_dataframe = lambda: pd.DataFrame({"q_id": ["1"], "doc_id": ["a"]})
    with pytest.raises(ScoresError, match="runs of ranx without scores: bm25"):
        describe(unscored)


def test_runs_that_score_the_same_are_noted() -> None:
    """A column that all runs of a system have alike, as a mean over them is, gets a note; one that varies does not."""
    rows = [
        (model, task, seed, 0.5 + len(model) / 10, 0.5 + seed / 10)
        for model in ("e5", "bm25")
        for task in "xyz"
        for seed in range(3)
    ]
    table = pd.DataFrame(rows, columns=["model", "task", "seed", "main_score", "f1"])
    for score, noted in (("main_score", True), ("f1", False)):
        notes = about(from_frame(table, score=score)).get("notes", [])
        assert bool([one for one in notes if "the same 'main_score'" in one]) is noted


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_column_says_which_topics_are_a_cluster(repeats):
    """Turns 1 and 2 of each conversation are topics of its own; one without a conversation stands alone."""
    rows = [
        (system, conversation, turn, seed, score + seed / 10)
        for system, score in (("bm25", 0.1), ("e5", 0.3))
        for conversation, turn in (("x", 1), ("x", 2), ("y", 1), (None, 3))
        for seed in range(repeats)
    ]
    names = ["system", "conversation", "turn", "seed", "score"]
    made = from_frame(pd.DataFrame(rows, columns=names))
    assert made.topic.values.tolist() == ["x_1", "x_2", "y_1", "3_3"]
    assert made["cluster"].values.tolist() == ["x", "x", "y", "3"]
    assert "topics of one 'conversation' are a cluster" in about(made)["notes"]
    assert made.system.values.tolist() == ["bm25", "e5"]
    named = pd.DataFrame(rows, columns=["system", "about", "turn", "seed", "score"])
    again = from_frame(named, cluster="about")
    xr.testing.assert_equal(again, made)


def test_topics_keep_their_names_where_these_say_enough():
    """Topics of different names keep them; where each is its own cluster there are none."""
    table = pd.DataFrame(LONG).assign(cluster=["x", "x", "x", "x"])
    assert from_frame(table)["cluster"].values.tolist() == ["x", "x"]
    alone = from_frame(pd.DataFrame(LONG).assign(cluster=["1", "2", "1", "2"]))
    assert "cluster" not in alone.coords
    with pytest.raises(ScoresError, match="rows of this table are not topics"):
        from_frame(WIDE.assign(z=["1", "2"]), cluster="z")


def test_several_columns_name_a_system() -> None:
    """They go together, in the order given; without all of them two rows of one run are an error that says so."""
    long = {
        "team": ["a", "a", "b"],
        "run": [1, 2, 1],
        "topic": ["t"] * 3,
        "score": [0.1, 0.2, 0.3],
    }
    frame = pl.DataFrame(long)
    made = from_frame(frame, system="team, run")
    assert made.system.values.tolist() == ["a/1", "a/2", "b/1"]
    with pytest.raises(ScoresError, match="more of the system .system='team,run'"):
        from_frame(frame, system="team", ignore=["run"])
    with pytest.raises(ScoresError, match="no column 'team,walk' for system"):
        from_frame(frame, system="team,walk")


def test_columns_that_distinguish_rows_together_are_named() -> None:
    """Where no column alone distinguishes all rows of a cell, those that differ between its rows are named."""
    long = {
        "run_id": ["r"] * 4,
        "team": ["a", "a", "b", "b"],
        "version": [1, 2, 1, 2],
        "track": ["x"] * 4,
        "seconds": [0.25, 0.5, 0.5, 0.5],
        "topic": ["t"] * 4,
        "score": [0.1, 0.2, 0.3, 0.4],
    }
    frame = pl.DataFrame(long)
    for table in (frame, frame.rename({"score": "AP"}).drop("seconds")):
        with pytest.raises(
            ScoresError,
            match=r"differ in team and version: .*system='run_id,team,version'",
        ):
            from_frame(table)
    assert from_frame(frame, system="run_id,team,version").sizes["system"] == 4


def test_a_row_with_several_metrics_has_its_cluster_and_its_run():
    """Columns of clusters and of seeds are no metrics where metrics stand beside each other; the cube is the same."""
    rows = [
        (system, turn, conversation, seed, score + seed / 10, score / 2)
        for system, score in (("bm25", 0.1), ("e5", 0.3))
        for turn, conversation in ((1, "x"), (2, "x"), (3, "y"))
        for seed in (0, 1)
    ]
    labels = ["system", "turn", "conversation", "seed"]
    table = pd.DataFrame(rows, columns=[*labels, "AP", "nDCG"])
    made = from_frame(table)
    assert made.metric.values.tolist() == ["AP", "nDCG"]
    assert made["cluster"].values.tolist() == ["x", "x", "y"]
    assert made.sel(system="e5", metric="AP").values == pytest.approx([0.35] * 3)
    long = table.melt(labels, var_name="metric", value_name="score")
    xr.testing.assert_equal(made, from_frame(long))


def test_a_row_of_a_topic_has_its_cluster():
    """Systems side by side, a row for each turn: the conversation of the turn is no system."""
    table = pl.DataFrame(
        {
            "turn": ["1", "2", "1"],
            "conversation": ["x", "x", "y"],
            "bm25": [0.1, 0.2, 0.3],
            "e5": [0.2, 0.3, 0.5],
        }
    )
    made = from_frame(table)
    assert made.system.values.tolist() == ["bm25", "e5"]
    assert made.topic.values.tolist() == ["x_1", "x_2", "y_1"]
    assert made["cluster"].values.tolist() == ["x", "x", "y"]


def test_a_row_of_a_system_is_one_of_its_runs():
    """Tasks side by side, a row for each seed: the seed is no task, and without several runs it is not used."""
    table = pl.DataFrame(
        {
            "model": ["bm25", "e5", "e5"],
            "seed": [0, 0, 1],
            "nq": [0.1, 0.2, 0.4],
            "fiqa": [0.2, 0.3, 0.5],
        }
    )
    made = from_frame(table)
    assert made.topic.values.tolist() == ["nq", "fiqa"]
    assert made.sel(system="e5").values.ravel() == pytest.approx([0.3, 0.4])
    assert about(from_frame(table.head(2)))["unused"] == {"seed": 0}


def test_columns_of_clusters_and_runs_are_not_metrics() -> None:
    """Of a table of answers, passages are clusters and runs repeats: errors say so, and their mends work."""
    rows = [
        {
            "model": model,
            "question": f"q{at}",
            "passage": f"p{at // 2}",
            "run": run,
            "correct": (at + run) % 2,
        }
        for model in "AB"
        for at in range(4)
        for run in range(3)
    ]
    table = pl.DataFrame(rows)
    with pytest.raises(
        ScoresError,
        match="holds names, one of them for each 'question'.*cluster='passage'",
    ):
        from_frame(table)
    with pytest.raises(
        ScoresError,
        match=r"for A, q0, which the column 'run' distinguishes: .*repeat='run'",
    ):
        from_frame(table, cluster="passage")
    made = from_frame(table, cluster="passage", repeat="run")
    assert made.metric.values.tolist() == ["correct"]
    assert made["cluster"].values.tolist() == ["p0", "p0", "p1", "p1"]
    once = table.filter(pl.col("run") == 0).drop("passage")
    assert from_frame(once).metric.values.tolist() == ["run", "correct"]


def test_frames_of_ir_measures_by_system_are_scores() -> None:
    """A dict of frames with a row for each value is taken wherever scores are."""
    frame = pd.DataFrame(
        {"query_id": ["1", "2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]}
    )
    assert is_table({"a": frame, "b": frame})
    assert not is_table({"a": pd.DataFrame({"x": [1]})})
    made = check({"a": frame, "b": frame})
    assert made.sel(system="b", metric="AP").values.tolist() == [0.5, 0.25]


def test_what_calc_of_ir_measures_returns_is_scores() -> None:
    """Its values by query are taken; the results of one run alone lack the name of the system."""
    made = namedtuple("Metric", "query_id measure value")
    results = namedtuple("CalcResults", "aggregated per_query")
    one = results({"AP": 0.375}, [made("1", "AP", 0.5), made("2", "AP", 0.25)])
    assert check({"a": one, "b": one}).sel(system="b").values.tolist() == [
        [0.5],
        [0.25],
    ]
    for alone in (one, one.per_query):
        with pytest.raises(ScoresError, match="without its name; name each system"):
            from_frame(alone)


@pytest.mark.parametrize("form", ["long", "wide", "wide, topics are numbers"])
def test_the_keys_of_joined_frames_are_systems(form: str) -> None:
    """Frames that name topics, joined by pandas under the names of systems: numbers of rows are no scores."""
    long = pd.DataFrame(
        {"topic": ["1", "2"], "metric": ["AP", "AP"], "score": [0.5, 0.25]}
    )
    wide = pd.DataFrame({"topic": ["1", "2"], "AP": [0.5, 0.25], "RR": [1.0, 0.5]})
    numbered = wide.assign(topic=[1, 2])
    one = {"long": long, "wide": wide}.get(form, numbered)
    for names in (None, ["system"]):
        made = from_frame(pd.concat({"bm25": one, "e5": one}, names=names))
        assert made.system.values.tolist() == ["bm25", "e5"]
        assert made.metric.values.tolist() == (
            ["AP"] if form == "long" else ["AP", "RR"]
        )
        assert made.sel(system="e5", metric="AP").values.tolist() == [0.5, 0.25]


def test_rows_may_be_dicts() -> None:
    """Lists of dicts are the rows of a table, of one system by name as with a column that names it."""
    rows = [
        {"query_id": topic, "measure": "AP", "value": score}
        for topic, score in {"1": 0.5, "2": 0.25}.items()
    ]
    by_name = from_frame({"a": rows, "b": rows})
    assert by_name.sel(system="b", metric="AP").values.tolist() == [0.5, 0.25]
    flat = [{"system": name, **row} for name in "ab" for row in rows]
    assert from_frame(flat).equals(by_name)
    with pytest.raises(
        ScoresError, match="'a' are a list, not a dict; expected [^;]*$"
    ):
        from_frame({"a": [{"mark": 1}]})


def test_names_of_systems_among_the_topics_are_noticed() -> None:
    """A dict of dicts says how it was read; its results say so, too, where it seems to be turned."""
    tasks = [f"task{at}" for at in range(4)]
    frame = pd.DataFrame(np.arange(12.0).reshape(3, 4) / 20, ["bm25", "e5", "x"], tasks)
    said = "outer keys are read as systems ({}), inner keys as topics ({}); "
    turned = said.format("task0, task1 and 2 more", "bm25, e5, x")
    right = said.format("bm25, e5, x", "task0, task1 and 2 more")
    for table, read, called_for in (
        (frame.to_dict(), turned, True),
        (frame.to_dict("index"), right, False),
    ):
        made = from_frame(table)
        assert about(made)["notes"] == [f"{read}turn this with --rows topics"]
        note = f"{read}turn this with rows='topics' of irmeta.from_frame"
        assert (note in describe(made).notes) is called_for
    with pytest.raises(ScoresError, match="no system 'e5'; it is the name of a topic"):
        versus(frame.to_dict(), "e5", "bm25")
    assert "notes" not in about(from_frame({"bm25": {"301": 0.5}}))
