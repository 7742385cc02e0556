"""The study of reliability: its tables, what it says in words, and what it refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import irmeta
from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_matrix
from irmeta.measured.coverage import held
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.groups.repeats import with_repeats
from irmeta.scores.selection import prepare
from irmeta.studies.design.reliability.study import INTERVALS, reliability
from irmeta.studies.design.reliability.summary import findings, overview, tables


def scores(systems=8, topics=20, apart=0.6, seed=0):
    """Make scores by two metrics of systems that differ, on topics that differ."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(systems, topics, 2)) + rng.normal(size=(1, topics, 1))
    names = [f"s{i}" for i in range(systems)], [str(301 + i) for i in range(topics)]
    return cube(
        drawn + apart * np.arange(systems)[:, None, None],
        *names,
        ["AP", "P@10"],
        collection="made",
    )


def test_every_table_covers_every_metric_and_number_of_topics():
    """Tables have their columns, and a row for each metric, number of topics and part."""
    views = tables(reliability(scores(), sizes=[10, 40], difference=0.5))
    assert {name: view.height for name, view in views.items()} == {
        "coefficients": 6,
        "components": 6,
        "needed": 4,
        "tau": 4,
        "differences": 18,
        "power": 18,
        "design": 12,
    }
    assert views["coefficients"]["topics"].to_list() == [10, 20, 40] * 2
    assert not any(view.null_count().sum_horizontal().sum() for view in views.values())
    np.testing.assert_allclose(
        views["components"].group_by("metric").agg(_sum("part"))["part"], 1
    )


def test_how_to_name_teams_is_said_once_and_with_its_reason():
    """Where names show no teams, the sentence that says so says what to give, once for all metrics."""
    made = scores(systems=12, apart=0.05)
    teams = ["uw", "ibm", "cmu", "sb"]
    made = made.assign_coords(system=[f"{teams[at % 4]}{at}" for at in range(12)])
    said = " ".join(findings(reliability(made)))
    assert said.count("if each system is a team of its own.") == 2
    assert said.count("cannot be said without the teams of the systems: ") == 1
    assert said.count("; give a CSV with columns run and team") == 1


def _sum(column):
    return pl.col(column).sum()


def test_systems_that_are_the_same_count_as_ranked_rightly():
    """A copy of each of m systems adds m pairs that tie: tau is 1 on them, and on the others what it is without."""
    once = scores(systems=6, apart=0.1)
    copies = once.assign_coords(system=[f"{name}b" for name in once.system.values])
    alone, doubled = (
        reliability(one).sel(metric="AP", size=20)["tau"].item()
        for one in (once, xr.concat([once, copies], "system"))
    )
    tied = 6 / 66
    assert doubled == pytest.approx(tied + (1 - tied) * alone, abs=0.03)
    assert doubled > alone


def test_clusters_and_runs_are_sources_and_nothing_else_has_them():
    """Shares add up to 1, a finding names the largest sources, and plain topics of single runs have no such table."""
    made = scores(systems=9, topics=24)
    clustered = with_clusters(made, {str(301 + i): str(i // 3) for i in range(24)})
    runs = with_repeats(clustered, {f"s{i}": f"t{i // 3}" for i in range(9)})
    found = reliability(runs, teams="each")
    assert found["source"].values.tolist() == [
        "system",
        "cluster",
        "topic",
        "run",
        "system x cluster",
        "system x topic",
        "run x cluster",
        "run x topic",
    ]
    view = tables(found)["sources"]
    shares = view.group_by("metric").agg(*map(_sum, _SHARES))
    np.testing.assert_allclose(shares.select(_SHARES), 1)
    assert (
        "The largest source of error in comparing means is run (81%)."
        in findings(found)[0]
    )
    assert "sources" in overview(found)
    plain = reliability(made, teams="each")
    assert "source" not in plain.dims
    assert "largest source" not in findings(plain)[0]


_SHARES = ("score_share", "error_share")


def _of_runs(topics, rng, level, gain=0.0):
    """Draw two systems of three runs each, which differ by their levels, on topics of which none is like another."""
    ahead = np.repeat([gain, 0.0], 3)[:, None] + level * rng.standard_normal((6, 1))
    of_systems = 0.1 * rng.standard_normal((2, topics))
    values = 0.5 + ahead + of_systems[[0, 0, 0, 1, 1, 1]]
    values += 0.1 * rng.standard_normal(topics) + 0.05 * rng.standard_normal(
        values.shape
    )
    runs = [f"{name}_{run}" for name in "ab" for run in range(3)]
    made = cube(values[..., None], runs, [str(i) for i in range(topics)], ["score"])
    return with_repeats(made, "stem")


def test_more_topics_do_not_average_out_what_runs_do():
    """The error of a difference on 4 and 16 times the topics is about that drawn, and no number shows a small one."""
    rng = np.random.default_rng(3)
    counts = [200, 800]
    level = 0.02
    drawn = []
    for count in counts:
        made = [_of_runs(count, rng, level).values.mean(axis=1) for _ in range(400)]
        apart = np.array(made)[:, 0] - np.array(made)[:, 1]
        drawn.append(apart.std())
    found = []
    for _ in range(100):
        one = reliability(
            _of_runs(50, rng, level), sizes=counts, difference=0.01, teams="each"
        )
        # the median pair is the only one: the noncentrality of 80% power is about 2.8 errors
        found.append(one["detectable"].sel(share=0.5, size=counts).values[:, 0] / 2.8)
    # half an interval pays for few runs by Student's t of 4 degrees of freedom, 2.78, in place of 1.96
    least = np.median(found, axis=0)
    for error, truth in zip(least, drawn, strict=True):
        assert truth < error < 1.6 * truth
    assert one["pair_topics"].sel(share=0.5).item() == np.inf
    said = findings(one)[0]
    assert "no number of topics would in 80%, as runs' own levels do not" in said
    assert "no number" in str(overview(one))


def test_by_the_topics_there_are_nothing_depends_on_what_others_are_worth():
    """E rho2, tau and what a test shows are those of the moved scores, as if they were scores of single runs."""
    rng = np.random.default_rng(4)
    runs = _of_runs(30, rng, 0.05)
    moved, _ = prepare(runs)
    plain = moved.drop_attrs()
    here, there = (
        reliability(one, sizes=[30, 60], teams="each") for one in (runs, plain)
    )
    for name in ("erho2", "phi", "tau_ap", "detectable"):
        one, other = (found[name].sel(size=30).values for found in (here, there))
        np.testing.assert_allclose(one, other)
    assert (here["detectable"] > there["detectable"]).sel(size=60).all()


def test_clusters_named_after_runs_leave_nothing_to_split():
    """How runs differ by cluster is not known then: a note says which order shows it, and nothing is guessed."""
    runs = with_repeats(scores(), {f"s{i}": f"t{i // 2}" for i in range(8)})
    made = with_clusters(runs, {str(301 + i): str(i // 2) for i in range(20)})
    found = reliability(made, teams="each")
    assert "source" not in found.dims
    assert any("name clusters before runs" in one for one in about(found)["notes"])


@pytest.mark.data
def test_conversations_and_experiments_are_small_beside_topics(data):
    """Of a system's error turns of CAsT cause .85 and conversations .15; of 59 models' tasks .97, experiments .03."""
    turns = pd.read_csv(data / "clusters" / "cast2021" / "per-turn.csv.gz")
    kept = turns[["system", "turn", "conversation", "ndcg"]]
    found = reliability(irmeta.from_frame(kept), teams="each")
    shares = found["in_error"] / found["in_error"].sum("source")
    named = dict(zip(found["source"].values, shares.values[:, 0], strict=True))
    assert named["system x cluster"] == pytest.approx(0.147, abs=0.001)
    assert named["system x topic"] == pytest.approx(0.853, abs=0.001)
    table = pd.read_csv(data / "repeats" / "mteb-experiments.csv.gz")
    kept = table[["model", "task", "experiment", "accuracy"]]
    found = reliability(irmeta.from_frame(kept, score="accuracy"), teams="each")
    shares = found["in_error"] / found["in_error"].sum("source")
    named = dict(zip(found["source"].values, shares.values[:, 0], strict=True))
    assert named["run x topic"] == pytest.approx(0.027, abs=0.001)
    assert named["system x topic"] == pytest.approx(0.973, abs=0.001)


def test_without_a_difference_nothing_is_said_of_power():
    """Power and topic set sizes are there only for a difference that was asked about."""
    assert set(tables(reliability(scores()))) == {
        "coefficients",
        "components",
        "needed",
        "tau",
        "differences",
    }
    assert "show a difference" not in findings(reliability(scores()))[0]


def test_the_table_of_topics_for_a_difference_says_which_to_plan_by():
    """Of the numbers of topics for a difference the title names the one to plan by."""
    titles = overview(reliability(scores(), sizes=[10], difference=0.1))
    assert any("topics for the difference: plan by p50" in one for one in titles)
    pair = reliability(scores().isel(system=[0, 1]), sizes=[10], difference=0.1)
    ways = tables(pair)["design"]["way"]
    assert [way for way in ways if "real" in way] == [
        "real pairs, p50"
    ] * pair.metric.size


def test_a_wanted_difference_is_spoken_of_first():
    """The first sentence says how often each number of topics shows it, by the power of the typical pair."""
    found = reliability(scores(), metrics="AP", sizes=[10], difference=0.1)
    typical = found.sel(metric="AP", share=0.5)
    few, here = (f"{100 * float(one):.0f}%" for one in typical["shown"])
    said, more = findings(found)
    assert said.endswith(
        f"AP: 10 topics show a difference of .100 between two typical systems in {few} of cases, 20 in {here}; "
        f"{int(typical['pair_topics'])} would in 80%."
    )
    assert "AP: the ranking by 20 topics" in more
    plan = tables(found)["design"].filter(
        pl.col("enough_for").str.contains("plan by this")
    )
    assert plan["topics"].item() == int(typical["pair_topics"])


def test_a_wanted_difference_is_spoken_of_by_each_metric():
    """Of two metrics the first sentence by each says how often the difference is shown; more comes after."""
    both = findings(reliability(scores(), sizes=[10], difference=0.1))
    assert all("10 topics show a difference of .100" in said for said in both[:2])
    assert all(said.endswith("in 80%.") for said in both[:2])
    assert all("the ranking by 20 topics agrees" in said for said in both[2:4])


def test_of_two_systems_nothing_is_said_of_a_ranking():
    """Two or three systems have the differences that show and no figures of a ranking; four have both."""
    for count in (2, 3, 4):
        found = reliability(scores()[:count], metrics="AP", teams="each")
        (said,) = findings(found)
        assert ("agrees with the true one" in said) is (count == 4)
        assert ("systems are too few for a ranking" in said) is (count < 4)
        assert "a paired t test" in said
        assert ("E tau" in next(iter(overview(found).values())).columns) is (count == 4)


def test_scores_of_0_and_1_are_spoken_of_as_flips():
    """Of three systems that differ on 4, 8 and 12 of 20 topics the median pair counts, by McNemar's exact test."""
    right = np.zeros((3, 20, 2))
    right[0, :12, 0] = right[1, :8, 0] = 1
    right[..., 1] = np.random.default_rng(0).random((3, 20))
    topics = [str(at) for at in range(20)]
    found = reliability(cube(right, list("abc"), topics, ["RR", "AP"]), teams="each")
    np.testing.assert_allclose(found["differing"], [8 / 20, np.nan])
    binary, *others = findings(found)
    # 8 to 0 has p = .0078, 7 to 1 .0703
    assert "two typical systems differ on 8 of 20 topics: 8 of them must go" in binary
    assert "0 or 1" not in " ".join(others)
    assert "differing" not in reliability(scores(), teams="each")


def test_findings_say_whether_the_topics_are_enough():
    """They are enough if all of the interval of the topics needed says so, not enough if none does, else perhaps."""
    clear = reliability(scores(apart=2), teams="each")
    assert "are enough for an E rho2 of .95" in findings(clear)[0]
    found = reliability(scores(), metrics="AP", teams="each")
    row = {"coefficient": "erho2"}
    enough = "These 20 topics are enough for an E rho2 of .95 by AP: "
    is_open = "Whether these 20 topics suffice for an E rho2 of .95 by AP is open: "
    for ends, verdict in (
        ((15, 10, 20), enough),
        ((15, 10, 21), is_open),
        ((30, 20, 50), is_open),
        ((30, 21, 50), enough.replace("are", "are not")),
        ((30, 21, np.inf), enough.replace("are", "are not")),
    ):
        for name, value in zip(("", "_low", "_high"), ends, strict=True):
            found[f"needed{name}"].loc[row] = value
        said = findings(found)[0]
        assert f"{verdict}about {ends[0]} are needed ({ends[1]} " in said


def test_the_range_of_metrics_is_a_description():
    """Of many metrics the lowest and highest expected tau are named, without a verdict; none where all are equal."""
    two = scores()
    four = np.concatenate([two.values, two.values + 0.1 * two.values**2], axis=2)
    names = two.system.values, two.topic.values, ["AP", "P@10", "RR", "Bpref"]
    said = findings(reliability(cube(four, *names)))[-1]
    assert said.startswith("Over the 4 metrics expected tau goes from .")
    assert "no interval" in said
    same = cube(two.values[..., [0, 0, 0, 0]], *names)
    assert len(findings(reliability(same))) == 1


def test_short_intervals_of_tau_are_said_where_they_were_measured():
    """With few topics a note has the measured coverage of tau; it is there just where a measured row is short."""
    said = []
    for count in (10, 20, 100):
        notes = " ".join(
            about(reliability(scores(topics=count), metrics="AP"))["notes"]
        )
        share = held(*INTERVALS["tau"], systems=8, topics=count)
        assert (f"interval of tau held the truth in {share}" in notes) == share.broken
        said.append(share.broken)
    assert any(said)


def test_systems_that_do_not_differ_are_said_so():
    """Where no number of topics would do, the words and the overview say so, and a note says what was set to 0."""
    same = scores(apart=0)
    same.values[:] -= same.values.mean(axis=1, keepdims=True)
    found = reliability(same)
    assert (
        "The topics needed for an E rho2 of .95 by AP cannot be estimated"
        in findings(found)[0]
    )
    assert "no number" in overview(found)["needed"]["topics"].to_list()
    assert any(
        "the estimate of the variance of systems is negative" in note
        for note in about(found)["notes"]
    )


def test_systems_that_are_not_shown_to_differ_may_differ():
    """Where the variance of systems is estimated as 0 and may be more, its topics are not said to be in vain."""
    drawn = (scores(apart=0.05, seed=seed) for seed in range(30))
    found = [reliability(one, metrics="AP") for one in drawn]
    needed = [one.sel(coefficient="erho2")["needed"].item() for one in found]
    unknown = [
        one for one, topics in zip(found, needed, strict=True) if topics == np.inf
    ]
    assert unknown
    for one in unknown:
        low = one["needed_low"].sel(coefficient="erho2").item()
        said = f"with 95% confidence it needs {low:.0f} or more" in findings(one)[0]
        assert said == (low > 20)


def test_pairs_that_never_differ_are_noted():
    """Two systems with the same scores are named as one pair about which nothing is known."""
    twice = scores()
    twice.values[1] = twice.values[0]
    assert "AP: 1 pair of systems scores the same on every topic" in " ".join(
        about(reliability(twice))["notes"]
    )


def test_the_same_seed_gives_the_same_figures():
    """A seed settles every figure, and inputs are not changed."""
    given = scores()
    before = given.copy(deep=True)
    assert reliability(given, rng=3).identical(reliability(given, rng=3))
    assert given.identical(before)


def test_an_interval_of_tau_does_not_depend_on_other_metrics():
    """A metric alone has the ends of tau that it has among others."""
    among = reliability(scores(), rng=3).sel(metric="P@10")
    alone = reliability(scores(), metrics="P@10", rng=3).isel(metric=0)
    for end in ("tau_low", "tau_high"):
        assert float(among[end]) == float(alone[end])


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda one: one[:, :1], {}, "at least 2 systems and 4 topics"),
        (lambda one: one, {"sizes": [1]}, "at least 2 topics, not 1"),
        (lambda one: one, {"stability": 95}, "stability must be between 0 and 1"),
        (lambda one: one, {"difference": -0.1}, "above 0"),
        (lambda one: one.where(one.system != "s1"), {}, "scores are missing"),
    ],
)
def test_what_has_no_reliability_is_an_error(change, options, words):
    """Means alone, shares in percent and missing scores are refused with a reason."""
    with pytest.raises(ScoresError, match=words):
        reliability(change(scores()), **options)


@pytest.mark.data
def test_topics_for_a_difference_on_trec8(data):
    """Sakai's variance of unpaired systems asks for three times the topics that real pairs of TREC-8 need."""
    trec8 = import_matrix(data / "matrices" / "trec8-adhoc" / "AP.csv", rows="topics")
    design = dict(
        tables(reliability(trec8, difference=0.03))["design"]
        .select("way", "topics")
        .iter_rows()
    )
    assert design["t test"] == 702
    assert 3 < design["t test"] / design["real pairs, p50"] < 3.3


def test_few_systems_have_no_note_on_a_variance():
    """Where E rho2 is left out, that its variance is negative says nothing."""
    rng = np.random.default_rng(1)
    for systems, told in ((3, False), (4, True)):
        names = [f"s{at}" for at in range(systems)]
        scores = 0.5 + 0.1 * rng.normal(size=(systems, 12, 1))
        scores -= scores.mean(axis=1, keepdims=True) - 0.5
        made = cube(scores, names, [str(at) for at in range(12)], ["AP"])
        notes = irmeta.reliability(made, metrics="AP").notes
        assert any("negative" in note for note in notes) == told
