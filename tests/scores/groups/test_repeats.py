from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeta
from irmeta.errors import ScoresError
from irmeta.io.formats.scores import load, save
from irmeta.measured.coverage import held
from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import coverage_of_means, with_clusters
from irmeta.scores.groups.repeats import (
    by_runs,
    unmoved_scores,
    with_judges,
    with_repeats,
)
from irmeta.scores.selection import prepare
from irmeta.stats.leaderboards.aggregates import parts
from irmeta.stats.leaderboards.bradley_terry import strengths
from irmeta.stats.leaderboards.other_runs import scattered, variance_added
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.leaderboard.board import board_of

SEEDS = st.integers(0, 2**32 - 1)


def _runs(seed=0, counts=(3, 3, 1), topics=20, level=0.03, metrics=("AP", "nDCG")):
    """A cube of runs s0_0, s0_1 ..., whose levels differ."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(len(counts)), counts)
    shape = (topics, len(metrics))
    scores = (
        0.5
        + 0.05 * rng.normal(size=shape)
        + 0.03 * rng.normal(size=(len(counts), *shape))[of]
        + level * rng.normal(size=(len(of), 1, 1))
        + 0.02 * rng.normal(size=(len(of), *shape))
    )
    names = [f"s{system}_{run}" for run, system in enumerate(of)]
    return cube(scores, names, [f"t{at // 5}_{at}" for at in range(topics)], metrics)


def _width(result):
    return (result["high"] - result["low"]).values


def test_a_system_is_the_mean_of_its_runs():
    """By topic, for systems with several runs and with one, by names or by a table."""
    runs = _runs()
    made = with_repeats(runs, "stem")
    assert made.system.values.tolist() == ["s0", "s1", "s2"]
    expected = [
        runs.values[at].mean(axis=0) for at in (slice(3), slice(3, 6), slice(6, 7))
    ]
    np.testing.assert_allclose(made.values, expected, rtol=1e-12)
    table = {f"s0_{run}": "mine" for run in range(3)}
    named = with_repeats(runs, table)
    assert named.system.values.tolist() == ["mine", "s1_3", "s1_4", "s1_5", "s2_6"]


def test_a_topic_that_a_run_lacks_is_the_mean_of_the_others():
    """Runs that have a score count; a topic that none has is missing."""
    runs = _runs()
    runs.values[0, 0] = np.nan
    runs.values[3:6, 1] = np.nan
    made = with_repeats(runs, "stem")
    np.testing.assert_allclose(made.values[0, 0], runs.values[1:3, 0].mean(axis=0))
    assert np.isnan(made.values[1, 1]).all()


def test_without_several_runs_there_is_nothing_to_average():
    """Names that do not say which runs are of one system are refused, as is averaging twice."""
    made = cube(np.full((2, 2, 1), 0.5), ["bm25", "e5"], ["1", "2"], ["AP"])
    with pytest.raises(ScoresError, match="no system has several runs: 2 runs are of"):
        with_repeats(made, "stem")
    with pytest.raises(ScoresError, match="expected a table of runs and systems"):
        with_repeats(made, "names")
    with pytest.raises(ScoresError, match="means of several runs already"):
        with_repeats(with_repeats(_runs(), "stem"), "stem")


@given(seed=SEEDS)
def test_what_is_moved_comes_back(seed):
    """Moving keeps the means of systems and of topics, and can be undone."""
    made = with_repeats(_runs(seed, counts=(2, 3, 1, 4)), "stem")
    moved, notes = by_runs(made)
    assert len(notes) == 1
    for dim in ("system", "topic"):
        np.testing.assert_allclose(moved.mean(dim), made.mean(dim), atol=1e-12)
    np.testing.assert_allclose(unmoved_scores(moved), made, atol=1e-12)


def test_geometric_means_are_kept_on_their_scale():
    """GMAP is averaged and moved as a logarithm."""
    runs = _runs(metrics=("GMAP",))
    made = with_repeats(runs, "stem")
    logs = np.log(runs.values[:3]).mean(axis=0)
    np.testing.assert_allclose(made.values[0], np.exp(logs))
    np.testing.assert_allclose(means(by_runs(made)[0]), means(made))


def test_intervals_are_wider_by_what_runs_add():
    """The interval of a difference is Student's with both variances, where both estimates are sure."""
    made = with_repeats(_runs(counts=(40, 40), topics=200, level=0.05), "stem")
    facts = about(made)[REPEATS]
    found = irmeta.versus(made, "s0", "s1", metrics="AP")
    plain = made.copy()
    plain.attrs.pop(REPEATS)
    before = irmeta.versus(plain, "s0", "s1", metrics="AP")
    levels = _runs(counts=(40, 40), topics=200, level=0.05).values[..., 0].mean(axis=1)
    both = (levels[:40].var(ddof=1) + levels[40:].var(ddof=1)) / 40
    over_topics = (_width(before)[0, 0] / 2 / 1.971957) ** 2
    assert _width(found)[0, 0] / 2 == pytest.approx(
        1.98 * np.sqrt(over_topics + both), rel=0.03
    )
    assert found["difference"].item() == pytest.approx(before["difference"].item())
    for name in ("wins", "losses", "by_topic", "opponent", "score"):
        np.testing.assert_allclose(found[name], before[name], atol=1e-12)
    assert facts["systems"] == 2


def test_notes_say_who_ran_several_times_and_what_helps():
    """A note names systems of one run; a study that does not know of runs says so, and no other."""
    made = with_repeats(_runs(), "stem")
    [note] = [one for one in irmeta.describe(made).notes if "several runs" in one]
    assert note.startswith(
        "2 systems have several runs (6 in all): each is the mean of its runs, and intervals allow for other runs; "
        "s2, of one run, counts as never varying. Other runs cause "
    )
    assert (
        "% of the variance of differences by AP: twice as many runs would make" in note
    )
    turns = {str(topic): f"c{at // 2}" for at, topic in enumerate(made.topic.values)}
    notes = " ".join(irmeta.describe(with_clusters(made, turns)).notes)
    assert "; twice as many clusters, over which what a run does on one " in notes
    alone = irmeta.design(made, target="AP", partitions=10)
    [note] = [one for one in alone.notes if "several runs" in one]
    assert note == (
        "2 systems are the mean of several runs; intervals do not know that other runs would differ."
    )
    plain = made.copy()
    plain.attrs.pop(REPEATS)
    assert not [one for one in irmeta.describe(plain).notes if "several runs" in one]


def test_intervals_of_means_are_those_of_describe():
    """The function for many systems and the study widen means once, and alike."""
    made = with_repeats(_runs(), "stem")
    np.testing.assert_allclose(
        _width(irmeta.intervals(made)), _width(irmeta.describe(made)), rtol=1e-12
    )


def test_tasks_of_a_leaderboard_scatter_as_runs_do():
    """By the mean rank sets are of the scores that every other study uses, and are wider; means stay."""
    made = with_repeats(_runs(counts=(3,) * 6, level=0.1), "stem").sel(metric=["AP"])
    board = board_of({"one": made}, None, "tasks")
    added = board.other_runs().added[:, 0]
    np.testing.assert_allclose(
        scattered(board.scores, added), by_runs(made)[0].values[..., 0], atol=1e-12
    )
    found = irmeta.leaderboard(made)
    plain = made.copy()
    plain.attrs.pop(REPEATS)
    before = irmeta.leaderboard(plain)
    assert found["resolution"].sum() < before["resolution"].sum()
    np.testing.assert_array_equal(found["value"], before["value"])
    assert (found["error"] > before["error"])[:, -1].all()  # of bt
    assert 0 < found["share_of_runs"] < 1
    [note] = [one for one in found.notes if "several runs" in one]
    assert note.startswith("6 models have several runs (18 in all)")
    assert " of differences by the mean over tasks: twice as many runs " in note
    assert "; twice as many tasks, over which what a run does on one " in note


def test_levels_move_other_values_as_other_runs_would():
    """What levels add to standardized means and votes is what drawn levels do to them, with holes or without."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(12, 30)) + rng.normal(size=30)
    scores[:4, :5] = np.nan
    runs = np.full(12, 0.04)
    for kind in ("standardized", "borda", "bt"):
        model = strengths(scores) if kind == "bt" else None
        found = variance_added(runs, scores, kind, rng, None, model)
        values = []
        for _ in range(300):
            other = scores + 0.2 * rng.normal(size=(12, 1))
            if kind == "bt":
                values.append(strengths(other).value)
            else:
                values.append(np.nanmean(parts(other, kind), axis=1))
        beside = np.array(values) - np.mean(values, axis=1, keepdims=True)
        assert found.mean() == pytest.approx(
            beside.var(axis=0).mean() * 12 / 11, rel=0.2
        )


@pytest.mark.parametrize("holes", ["bounds", "predict", "complete"])
def test_a_leaderboard_with_holes_allows_for_other_runs(holes):
    """Whatever is done with holes, fewer pairs are sure than if runs were left aside."""
    runs = _runs(counts=(3,) * 8, topics=12, level=0.1, metrics=("AP",))
    runs.values[:3, 0] = np.nan
    made = with_repeats(runs, "stem")
    plain = made.copy()
    plain.attrs.pop(REPEATS)
    found, before = (irmeta.leaderboard(one, holes=holes) for one in (made, plain))
    assert found["resolution"].sum() < before["resolution"].sum()
    assert not [one for one in found.notes if "do not know" in one]


def test_items_within_tasks_allow_for_other_runs():
    """Over items each task's items scatter as its runs do; over tasks a note says what is not known."""
    cubes = {
        name: with_repeats(
            _runs(seed, counts=(3,) * 5, level=0.1, metrics=("AP",)), "stem"
        )
        for seed, name in enumerate("abcde")
    }
    plain = {name: one.copy() for name, one in cubes.items()}
    for one in plain.values():
        one.attrs.pop(REPEATS)
    found, before = (irmeta.leaderboard(one, over="items") for one in (cubes, plain))
    assert found["resolution"].sum() < before["resolution"].sum()
    assert not [one for one in found.notes if "do not know" in one]
    assert [one for one in irmeta.leaderboard(cubes).notes if "do not know" in one]


def _placed(level):
    """Two systems of three runs among forty of one run, placed on the forty."""
    runs = _runs(counts=(3, 3, *[1] * 40), topics=30, level=level, metrics=("AP",))
    made = with_repeats(runs, "stem")
    return made.isel(system=slice(2)), made.isel(system=slice(2, None))


def test_standardized_scores_and_places_allow_for_other_runs():
    """Standardized, a difference is as much wider as a level moves standardized means; places are as wide."""
    own, others = _placed(0.05)
    factors = irmeta.standardize.fit(others)
    standardized = irmeta.standardize.apply(own, factors)
    facts = about(standardized)[REPEATS]["metrics"]["AP (std.)"]
    raw = about(own)[REPEATS]["metrics"]["AP"]
    step = np.sqrt(raw["run"] / 30)
    above, below = (
        irmeta.standardize.apply(own + sign * step, factors).mean() for sign in (1, -1)
    )
    slope = float(above - below) / (2 * step)
    assert facts["run"] == pytest.approx(raw["run"] * slope**2)
    plain = own.copy()
    plain.attrs.pop(REPEATS)
    found, before = (irmeta.place(one, on=others) for one in (own, plain))
    for low, high in (("low", "high"), ("difference_low", "difference_high")):
        assert (found[high] - found[low] > before[high] - before[low]).all()
    for name in ("score", "standardized", "difference", "percentile"):
        np.testing.assert_allclose(found[name], before[name], atol=1e-12)
    assert [one for one in found.notes if "several runs" in one and "allow" in one]
    assert not [one for one in found.notes if "do not know" in one]


def test_judges_of_several_runs_allow_for_other_runs():
    """Tau's interval is wider, and tau on single topics is of the scores as they are."""
    judges = {
        name: with_repeats(
            _runs(0, counts=(3,) * 10, level=level, metrics=("AP",)) + at * _noise(),
            "stem",
        )
        for at, (name, level) in enumerate((("nist", 0.1), ("llm", 0.1)))
    }
    plain = {name: one.copy() for name, one in judges.items()}
    for one in plain.values():
        one.attrs.pop(REPEATS)
    found, before = (
        irmeta.judges.compare(one, partitions=20) for one in (judges, plain)
    )
    assert (found["tau"] == before["tau"]).all()
    np.testing.assert_allclose(found["topic_tau"], before["topic_tau"])
    width, narrower = (one["tau_high"] - one["tau_low"] for one in (found, before))
    assert (width > narrower).all()
    assert [
        one for one in found.notes if one.startswith("llm: 10 systems have several")
    ]


def _noise():
    """What another judge sees otherwise of 30 runs on 20 topics."""
    return 0.03 * np.random.default_rng(8).normal(size=(30, 20, 1))


def test_clusters_and_runs_go_together():
    """Clusters take the place of topics, and intervals of their values allow for other runs."""
    runs = with_clusters(_runs(counts=(4, 4), topics=60), "stem")
    made = with_repeats(runs, "stem")
    found = irmeta.describe(made)
    assert found.sizes["topic"] == 12
    plain = made.copy()
    plain.attrs.pop(REPEATS)
    assert (_width(found) > _width(irmeta.describe(plain))).all()


def test_files_keep_what_is_known_of_runs(tmp_path):
    """A score file of systems that are means of runs gives the same intervals when it is read."""
    made = with_repeats(_runs(), "stem")
    save(made, tmp_path / "s.parquet")
    again = load(tmp_path / "s.parquet")
    assert about(again)[REPEATS] == about(made)[REPEATS]
    np.testing.assert_array_equal(
        _width(irmeta.describe(made)), _width(irmeta.describe(again))
    )


def test_a_frame_with_seeds_has_systems_that_are_means():
    """A column seed, or one that is named, tells runs apart; where each system has one seed it says nothing."""
    rows = [
        {"model": model, "task": task, "seed": seed, "score": 0.1 * task + 0.01 * seed}
        for model in ("e5", "bge")
        for seed in range(3)
        for task in range(4)
    ]
    table = pd.DataFrame(rows)
    made = irmeta.from_frame(table)
    assert made.system.values.tolist() == ["e5", "bge"]
    np.testing.assert_allclose(made.values[0, :, 0], [0.01, 0.11, 0.21, 0.31])
    assert about(made)[REPEATS]["runs"] == 6
    other = irmeta.from_frame(table.rename(columns={"seed": "pass"}), repeat="pass")
    np.testing.assert_array_equal(made, other)
    one = irmeta.from_frame(table[table.seed == 1])
    assert REPEATS not in about(one)
    assert one.system.values.tolist() == ["e5", "bge"]


@pytest.mark.data
def test_means_of_experiments_are_those_that_were_published(data):
    """The mean of ten experiments is the main score of 469 of 472 files of MTEB; three files contradict themselves."""
    table = pd.read_csv(data / "repeats" / "mteb-experiments.csv.gz")
    kept = table[["model", "task", "experiment", "accuracy"]]
    made = irmeta.from_frame(kept, score="accuracy")
    published = irmeta.from_frame(
        table[table.experiment == 0][["model", "task", "main_score"]]
    )
    same = published.sel(system=made.system, topic=made.topic)
    off = np.abs(made.values - same.values) > 1e-6
    assert off.sum() == 3
    assert set(made.system.values[np.nonzero(off)[0]]) == {
        "TencentBAC__Conan-embedding-v2"
    }


def test_commands_take_runs(run):
    """A table, or the names' stems, say on the command line which runs are of one system; systems are then chosen."""
    save(_runs(), "s.parquet")
    Path("runs.csv").write_text(
        "run,system\n"
        + "".join(f"s{at // 3}_{at},{'ab'[at // 3]}\n" for at in range(6))
    )
    given = ("versus", "s.parquet", "-m", "AP", "--system")
    _, out, _ = run(*given, "s0", "--systems", "s0,s1", "--repeats", "stem")
    assert "2 systems have several runs (6 in all)" in " ".join(out.split())
    _, out, _ = run(*given, "a", "--repeats", "runs.csv")
    assert "s2_6, of one run" in " ".join(out.split())


def _seen(seed=0, judges=5, systems=12, topics=30, level=0.05):
    """What several judges score of the same systems: each has a taste of its own for each system."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(1, topics)) + 0.5 * rng.normal(size=(systems, topics))
    names = [f"s{at}" for at in range(systems)]
    cubes = {}
    for judge in range(judges):
        own = 3 * rng.normal() + rng.normal(size=(1, topics))
        taste = 20 * level * rng.normal(size=(systems, 1))
        once = 0.5 * rng.normal(size=(systems, topics))
        scores = 0.5 + 0.05 * (common + own + taste + once)
        cubes[f"judge{judge}"] = cube(
            scores[..., None], names, [str(at) for at in range(topics)], ["AP"]
        )
    return cubes


def test_what_a_judge_does_to_all_alike_is_in_no_difference():
    """A judge who scores all systems higher, on all topics or on one, changes nothing that is said of judges."""
    cubes = _seen()
    shifted = {
        name: one + 0.1 * at + 0.02 * at * np.arange(30)[None, :, None]
        for at, (name, one) in enumerate(cubes.items())
    }
    plain, moved = (
        about(with_judges(one))[REPEATS]["metrics"]["AP"] for one in (cubes, shifted)
    )
    parts = [one.pop("parts")["system x judge"] for one in (plain, moved)]
    assert parts[0] == pytest.approx(parts[1])
    assert plain == pytest.approx(moved)


@pytest.mark.slow
def test_intervals_allow_for_other_judges():
    """Over worlds with tastes of judges, differences hold those over all possible judges; without, far fewer do."""
    held = {"judges": 0, "topics": 0}
    for seed in range(100):
        both = with_judges(_seen(seed))
        plain = both.copy()
        plain.attrs.pop(REPEATS)
        for name, one in (("judges", both), ("topics", plain)):
            found = irmeta.versus(one, "s0", "s1", test="t", correct="none")
            # the systems differ on topics only by chance, and no taste lasts
            held[name] += bool(
                (found["low"] <= 0).item() and (found["high"] >= 0).item()
            )
    assert held["judges"] >= 88
    assert held["topics"] <= 75


def test_judges_see_the_same_systems():
    """A judge who lacks a system or a score is named; so is a mean over one judge."""
    cubes = _seen(judges=2)
    with pytest.raises(ScoresError, match="at least 2 judges"):
        with_judges({"one": cubes["judge0"]})
    with pytest.raises(
        ScoresError, match="do not have the same systems: s11 only one of them has"
    ):
        with_judges({"a": cubes["judge0"], "b": cubes["judge1"][:11]})
    cubes["judge1"].values[0, 0] = np.nan
    with pytest.raises(ScoresError, match="judge1 lacks scores"):
        with_judges(cubes)


def test_notes_say_that_scores_are_of_several_judges(run):
    """A note says how many, and whether more judges or more topics would help; also on the command line."""
    cubes = _seen(judges=3)
    save(cubes, "s.parquet")
    _, out, _ = run("versus", "s.parquet", "--over-judges", "--system", "s0")
    assert (
        "Scores are means over 3 judges, and intervals of differences allow for other judges. Other judges cause"
        in " ".join(out.split())
    )
    notes = irmeta.design(with_judges(cubes), partitions=10).notes
    assert (
        "Scores are means over 3 judges; intervals do not know that other judges would differ."
        in notes
    )


@pytest.mark.data
@pytest.mark.slow
def test_other_judges_of_deep_learning_are_held(data):
    """The mean over two machine judges, less that over systems, holds that over all others as often as is promised."""
    folder = data / "judges" / "dl2021"
    sets = {
        path.stem: path
        for path in sorted((folder / "qrels").glob("*gpt-4*"))
        if not path.stem.startswith(("preferences", "nuggets"))
    }
    cubes = irmeta.evaluate_under(sets, folder / "runs", "nDCG@10")
    beside = {name: one - one.mean("system") for name, one in cubes.items()}
    rng = np.random.default_rng(0)
    held = {"judges": [], "topics": []}
    for _ in range(20):
        drawn = rng.permutation(list(cubes))
        rest = sum(beside[name] for name in drawn[2:]).mean("topic") / (len(drawn) - 2)
        both = with_judges({name: cubes[name] for name in drawn[:2]})
        for name, one in (("judges", by_runs(both)[0]), ("topics", both)):
            own = (one - one.mean("system")).values[..., 0]
            half = 2.0066 * own.std(axis=1, ddof=1) / np.sqrt(own.shape[1])
            held[name].append(
                (np.abs(own.mean(axis=1) - rest.values[:, 0]) <= half).mean()
            )
    assert np.mean(held["topics"]) < np.mean(held["judges"])
    assert 0.93 <= np.mean(held["judges"]) <= 0.99


def test_what_is_said_to_hold_was_measured_with_runs():
    """Of intervals over runs it counts how often those of means of runs held; versus tells it if that is too seldom."""
    rng = np.random.default_rng(0)
    made = rng.normal(size=(4, 12)) + rng.normal(size=(4, 1))
    names = ["a_1", "a_2", "b_1", "b_2"]
    topics = [str(at) for at in range(12)]
    means = with_repeats(cube(made[..., None], names, topics, ["AP"]), "stem")
    measured = held("difference of means of runs", systems=2, topics=12)
    units, _ = prepare(means)
    found = coverage_of_means(units, "a difference", "difference of means of runs")
    assert found == measured
    notes = [note for note in versus(means, "a").notes if "Such a 95%" in note]
    assert len(notes) == measured.broken
    assert all(str(measured) in note for note in notes)


def test_what_holds_over_clusters_and_runs_was_measured_with_both():
    """Where topics come in clusters and systems ran several times, shares are of collections with both."""
    clustered = with_clusters(_runs(metrics=("AP",)), "stem")
    units, _ = prepare(with_repeats(clustered, "stem"))
    found = coverage_of_means(units, "a difference", "difference of means of runs")
    size = {"systems": 3, "topics": 4}
    assert found == held("difference of means of runs, clusters", **size)
    assert found.unit == "clusters"


def test_boards_and_places_say_how_often_theirs_held():
    """Rank sets and places of means of runs say how often theirs held in worlds with runs where that is too seldom."""
    means = with_repeats(_runs(counts=(3,) * 6, metrics=("AP",)), "stem")
    measured = held("rank sets of a leaderboard of means of runs", systems=6, topics=20)
    assert measured.broken
    notes = irmeta.leaderboard(means, resamples=40).notes
    assert [note for note in notes if f"runs held in {measured}" in note]
    plain = irmeta.leaderboard(_runs(metrics=("AP",)), resamples=40).notes
    assert not [note for note in plain if "of means of runs held" in note]
    placed = irmeta.place(means, on=means).notes
    measured = held("difference of placed means of runs", systems=6, topics=20)
    told = [note for note in placed if f"differences held in {measured}" in note]
    assert bool(told) is measured.broken
