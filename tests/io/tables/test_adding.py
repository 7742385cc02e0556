"""Tables added to a score file go to the collection that they belong to."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import irmeta
from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.tables.adding import add, remove
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.groups.repeats import by_runs, notes_on_runs, with_repeats

TASKS = ["nq", "fiqa", "covid"]


def table(systems, topics=TASKS, metric="nDCG@10", at=0.5, name="new"):
    """Scores that are all the same."""
    scores = np.full((len(systems), len(topics), 1), at)
    return {name: cube(scores, systems, topics, [metric], collection=name)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A board of two models."""
    made = tmp_path / "s.parquet"
    irmeta.save(table(["bm25", "dpr"], name="board"), made)
    return made


def appended(path, cubes, *, named=False, replace=False):
    """Add tables and read the file again."""
    made = add(cubes, path, named=named, replace=replace)
    return {name: one.news for name, one in made.items()}, irmeta.load_all(path)


def test_a_model_joins_the_board_that_shares_its_tasks(path):
    """A month later: one model more, the others as they were."""
    before = irmeta.load(path)
    news, cubes = appended(path, table(["e5"], at=0.7))
    assert news == {"board": "1 system more"}
    assert list(cubes) == ["board"]
    assert cubes["board"].system.values.tolist() == ["bm25", "dpr", "e5"]
    xr.testing.assert_equal(cubes["board"].sel(system=["bm25", "dpr"]), before)
    assert (cubes["board"].sel(system="e5") == 0.7).all()


def test_a_task_joins_the_board_that_shares_its_models(path):
    """A task more; models that were not scored on it have holes."""
    news, cubes = appended(path, table(["dpr"], ["scifact"]))
    assert news == {"board": "1 topic more"}
    assert np.isnan(cubes["board"].sel(system="bm25", topic="scifact").item())


def test_a_name_that_differs_in_capitals_alone_is_told(path):
    """A task in other capitals is a task of its own, and whoever adds it learns of the one that is there."""
    first = TASKS[0]
    other = first.swapcase()
    news, _ = appended(path, table(["dpr"], [other]))
    assert news == {"board": f"1 topic more, {other!r} is new beside {first!r}"}


def test_a_table_without_a_metric_is_of_the_one_of_the_board(path):
    """Scores of a new model that no metric's name stands over are of the board's only one, and this is said."""
    news, cubes = appended(path, table(["e5"], metric="score", at=0.7))
    assert news == {"board": "1 system more, scores read as nDCG@10"}
    assert (cubes["board"].sel(system="e5", metric="nDCG@10") == 0.7).all()
    with pytest.raises(ScoresError, match="is not a score of nDCG@10"):
        add(table(["e6"], metric="score", at=1.7), path, named=False, replace=False)


def test_what_shares_nothing_is_a_collection_of_its_own(path):
    """Other models on other tasks are another board."""
    news, cubes = appended(path, table(["e5"], ["sts"]))
    unrelated = "a new collection, sharing no system and no topic with those there"
    assert news == {"new": unrelated}
    assert list(cubes) == ["board", "new"]


def test_a_new_name_makes_a_collection(path):
    """Who names a collection that the file lacks gets it, whatever the table shares."""
    _, cubes = appended(path, table(["e5"]), named=True)
    assert list(cubes) == ["board", "new"]


def test_what_two_collections_share_is_asked_for(path):
    """A table that could belong to two collections is refused."""
    irmeta.save(table(["gte"], name="other"), path, append=True)
    with pytest.raises(ScoresError, match=r"2 collections \(board, other\)"):
        add(table(["e5"]), path, named=False, replace=False)
    news, _ = appended(path, table(["e5"], name="other"), named=True)
    assert news == {"other": "1 system more"}


def test_other_scores_are_refused_or_replaced(path):
    """The same scores change nothing; others are an error that shows one, or take their place."""
    assert appended(path, table(["dpr"]))[0] == {"board": "nothing new"}
    bytes_before = path.read_bytes()
    with pytest.raises(
        ScoresError,
        match=r"another nDCG@10 of dpr on nq \(0.5, not 0.6, and 2 other cells\)",
    ):
        add(table(["dpr"], at=0.6), path, named=False, replace=False)
    assert path.read_bytes() == bytes_before
    news, cubes = appended(path, table(["dpr"], at=0.6), replace=True)
    assert news == {"board": "3 scores replaced"}
    assert cubes["board"].sel(system="dpr").values.ravel().tolist() == [0.6] * 3
    assert cubes["board"].sel(system="bm25").values.ravel().tolist() == [0.5] * 3


def test_holes_are_filled(path):
    """A score where there was none is no change of another."""
    appended(path, table(["e5"], ["nq"]))
    news, cubes = appended(path, table(["e5"]))
    assert news == {"board": "2 scores filled"}
    assert not cubes["board"].isnull().any()


@pytest.mark.parametrize(
    ("cubes", "message"),
    [
        (
            table(["e5"], metric="AP"),
            "has scores by nDCG@10, the table by AP, and of systems or topics that are new there; if both are one "
            "metric, say metric=.nDCG@10.; else",
        ),
        (table(["e5"], ["sts"], name="board"), "shares no system and no topic"),
    ],
)
def test_what_does_not_fit_is_refused(path, cubes, message):
    """Another metric of a new system, or nothing in common, is an error that says what to do."""
    with pytest.raises(ScoresError, match=message):
        add(cubes, path, named="board" in cubes, replace=False)


def test_another_metric_of_known_systems_and_topics_joins_the_board(path):
    """A second metric of a board's models and tasks stands beside the first; what it lacks is a hole."""
    before = irmeta.load(path)
    news, cubes = appended(path, table(["dpr"], metric="AP", at=0.3))
    assert news == {"board": "1 metric more"}
    (board,) = cubes.values()
    xr.testing.assert_equal(board.sel(metric=["nDCG@10"]), before)
    assert (board.sel(system="dpr", metric="AP") == 0.3).all()
    assert board.sel(system="bm25", metric="AP").isnull().all()


def test_runs_are_not_mixed_with_tables(tmp_path):
    """A collection that was evaluated names its runs; a table has none."""
    path = tmp_path / "s.parquet"
    judged, ran = {"1": {"d": 1}}, {"bm25": {"1": {"d": 1.0}}}
    irmeta.save(irmeta.evaluate(judged, ran, "AP", collection="trec"), path)
    with pytest.raises(ScoresError, match="was evaluated from runs"):
        add(table(["e5"], ["1"], "AP@1000"), path, named=False, replace=False)


def test_clusters_and_notes_stay(tmp_path):
    """What is known of a collection is kept; a topic more needs its cluster."""
    path = tmp_path / "s.parquet"
    (board,) = table(["bm25"], ["1_1", "1_2", "2_1"]).values()
    board.attrs["notes"] = '["as of May"]'
    irmeta.save(irmeta.with_clusters(board, "stem", mean_over="clusters"), path)
    _, cubes = appended(path, table(["e5"], ["1_1", "1_2", "2_1"]))
    assert cubes["new"].cluster.values.tolist() == ["1", "1", "2"]
    assert about(cubes["new"])["mean_over"] == "clusters"
    assert about(cubes["new"])["notes"] == ["as of May"]
    with pytest.raises(ScoresError, match="no cluster for 1 of 4 topics: 3_1"):
        appended(path, table(["e5"], ["1_1", "3_1"]))


def test_a_file_that_is_not_there_is_made(tmp_path):
    """The first of many appends."""
    news, cubes = appended(tmp_path / "s.parquet", table(["e5"]))
    assert news == {"new": None}
    assert list(cubes) == ["new"]


def test_a_board_of_unrelated_collections_is_refused(path):
    """Each collection is a task only if it shares models with others."""
    appended(path, table(["e5"], ["sts"]))
    with pytest.raises(ScoresError, match="'board' has no model of the others"):
        irmeta.leaderboard(irmeta.load_all(path))


RUNS = {
    "board": with_repeats(
        cube(
            np.random.default_rng(3).normal(0.5, 0.1, (5, 12, 1)),
            ["bm25", "dpr_1", "dpr_2", "e5_1", "e5_2"],
            [f"t{number}" for number in range(12)],
            ["nDCG@10"],
            collection="board",
        ),
        "stem",
    )
}


def test_a_model_joins_means_of_runs(tmp_path):
    """Means of runs keep their intervals; the new model counts as never varying, and the note says so."""
    path = tmp_path / "s.parquet"
    irmeta.save(RUNS, path)
    before = about(RUNS["board"])["repeats"]
    new = table(["splade"], [f"t{number}" for number in range(12)])
    _, cubes = appended(path, new)
    after = about(cubes["board"])["repeats"]
    assert after["metrics"] == before["metrics"]
    assert after["alone"] == ["bm25", "splade"]
    moved, notes = by_runs(cubes["board"])
    assert "bm25, splade, of one run, count as never varying" in notes[0]
    assert not moved.equals(cubes["board"])


def topics_more():
    """The systems of the board on topics of their own."""
    return table(["bm25", "dpr", "e5"], ["x", "y"])


def runs_more():
    """Another system of two runs, on the topics of the board."""
    scores = cube(
        np.random.default_rng(4).normal(0.5, 0.1, (3, 12, 1)),
        ["splade_1", "splade_2", "bm25"],
        [f"t{number}" for number in range(12)],
        ["nDCG@10"],
        collection="new",
    )
    made = with_repeats(scores, "stem").sel(system=["splade"])
    return {"new": made}


@pytest.mark.parametrize(
    ("more", "systems"), [(topics_more, 2), (runs_more, 3)], ids=["topics", "runs"]
)
def test_means_of_other_runs_or_topics_have_intervals_over_topics(
    tmp_path, more, systems
):
    """How far runs move scores is not known for other topics, nor for runs that were not seen together."""
    path = tmp_path / "s.parquet"
    irmeta.save(RUNS, path)
    _, cubes = appended(path, more())
    facts = about(cubes["board"])["repeats"]
    assert facts["metrics"] == {}
    whole = cubes["board"].dropna("topic")
    assert by_runs(whole) == (whole, [])
    (note,) = notes_on_runs(about(whole))
    assert f"{systems} systems are the mean of several runs" in note


def test_studies_take_the_path_of_a_table(tmp_path):
    """CSV and Parquet as people write them are read as import_table reads them; what is no table keeps its message."""
    text = "model,nq,fiqa,covid\nbm25,0.5,0.25,0.125\ne5,0.75,0.5,0.25\n"
    (tmp_path / "results.csv").write_text(text)
    path = tmp_path / "results.csv"
    made = irmeta.load(path, topics="nq fiqa")
    assert made.sizes == {"system": 2, "topic": 2, "metric": 1}
    assert irmeta.leaderboard(path).data.sizes["system"] == 2
    (tmp_path / "a.run").write_text("1 Q0 d 1 2.5 x\n")
    with pytest.raises(
        FileFormatError, match="a score table needs the columns"
    ) as wrong:
        irmeta.load(tmp_path / "a.run")
    assert "irmeta evaluate" in str(wrong.value)


def test_a_path_is_wanted():
    """A frame is read by another function, which the message names."""
    with pytest.raises(ScoresError, match=r"a path; irmeta\.from_frame reads a table"):
        irmeta.import_table({"bm25": {"nq": 0.5}})


def test_a_removed_model_is_gone_and_the_others_are_as_before(path):
    """A model that was added and removed leaves the board as it was, and collections without it are not touched."""
    before = irmeta.load_all(path)
    appended(path, table(["e5"], at=0.7))
    appended(path, table(["k1", "k2"], ["sts"], name="other"))
    made = remove("e5", path)
    assert {name: one.news for name, one in made.items()} == {
        "board": "1 system removed"
    }
    left = irmeta.load_all(path)
    xr.testing.assert_identical(left["board"], before["board"])
    assert left["other"].system.values.tolist() == ["k1", "k2"]


def test_tasks_that_only_a_removed_model_had_go_with_it(path):
    """A model that misnamed its tasks leaves nothing behind; a task that nobody had before stays."""
    before = irmeta.load_all(path)
    appended(path, table(["e5"], ["nq", "nq-x", "fiqa-x"]))
    made = remove("e5", path)
    assert made["board"].news == "1 system and 2 topics removed"
    xr.testing.assert_identical(irmeta.load_all(path)["board"], before["board"])


def test_a_collection_goes_with_its_last_system(path, run):
    """A table that became a collection by mistake can be taken out again, and the file is as it was."""
    before = irmeta.load_all(path)
    appended(path, table(["k1", "k2"], ["stz"], name="stz"))
    code, _, said = run("import", "--remove", "k*", "-o", path)
    assert code == 0
    assert "stz: 2 systems removed; gone from " in said
    appended(path, table(["k1"], ["stz"], name="stz"))
    assert run("import", "--remove", "k1,dpr", "-o", path)[2].startswith(
        f"wrote {path}: 1 collection"
    )
    appended(path, table(["dpr"]), named=False)
    left = irmeta.load_all(path)
    assert list(left) == list(before)
    xr.testing.assert_identical(left["board"], before["board"])


@pytest.mark.parametrize(
    ("name", "says"),
    [("e6", "no system 'e6' in .*s.parquet"), ("*", "no system would be left")],
)
def test_what_cannot_be_removed_leaves_the_file_as_it_is(path, name, says):
    """A name that is nowhere, and the last systems, are refused."""
    before = path.read_bytes()
    with pytest.raises(ScoresError, match=says):
        remove(name, path)
    assert path.read_bytes() == before
