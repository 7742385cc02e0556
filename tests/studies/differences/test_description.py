import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_matrix, topic_range
from irmeta.measured.coverage import held
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.groups.repeats import with_repeats
from irmeta.scores.groups.teams import teams_of
from irmeta.scores.selection import select
from irmeta.stats import descriptive
from irmeta.stats.descriptive import surely_reversed, unbounded_interval
from irmeta.stats.halves.teams import means_of
from irmeta.stats.rankings.ranksets import discovered, rank_sets
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.description.summary import (
    PERCENTILES,
    findings,
    overview,
    tables,
)
from irmeta.studies.differences.versus.study import versus


def scores(metrics=("AP", "P@10"), systems=12, topics=8):
    drawn = np.random.default_rng(0).beta(1, 2, size=(systems, topics, len(metrics)))
    names = [f"s{i}" for i in range(systems)], [str(301 + i) for i in range(topics)]
    return cube(
        drawn + np.linspace(0, 0.2, systems)[:, None, None], *names, list(metrics)
    )


def test_a_spread_that_is_rounding_is_no_spread():
    """Where all systems score alike on a topic but for rounding, no topic is said to weigh 1e14 times as much."""
    scores = np.array([[0.1, 0.1 + 1e-16, 0.4, 0.9], [0.1 + 2e-17, 0.1, 0.5, 0.2]])
    scores[1, 0] = np.nextafter(scores[0, 0], 1)
    made = cube(scores[..., None], ["a", "b"], list("1234"), ["AP"])
    assert "spreads systems most" not in " ".join(describe(made).findings)


def test_means_and_intervals_are_in_a_table():
    """The table of means holds each system's mean and t interval, best system of `by` first."""
    means = tables(describe(scores(), by="P@10"))["means"]
    assert means.columns == [
        "system",
        "metric",
        "mean",
        "low",
        "high",
        "rank",
        "rank_low",
        "rank_high",
        "found_low",
        "found_high",
    ]
    first = means.filter(metric="P@10")
    assert first["rank"].to_list() == list(range(1, 13))
    for row in means.iter_rows(named=True):
        own = scores().sel(metric=row["metric"])
        ends = np.array(unbounded_interval(own.transpose("system", "topic").values))
        at = own.system.values.tolist().index(row["system"])
        assert row["mean"] == pytest.approx(own.values[at].mean())
        np.testing.assert_allclose([row["low"], row["high"]], ends[:, at], atol=1e-12)


@pytest.mark.parametrize(
    ("options", "by"),
    [
        ({}, "P@10"),
        ({"metrics": "P_10 map"}, "P@10"),
        ({"metrics": ["RR", "AP"], "top": 0.5}, "RR"),
        ({"metrics": "RR", "by": "P@10"}, "P@10"),
    ],
)
def test_the_first_metric_that_is_named_is_told_of_first(options, by):
    """Systems are listed and chosen by `by`, else by the first of `metrics`, else by that of the scores."""
    outcome = describe(scores(("P@10", "AP", "RR")), **options)
    assert about(outcome.data)["options"]["by"] == by
    assert findings(outcome)[0].startswith(f"{by}: the best system")
    said = f"of the 3 metrics {by} ranks the systems; by= names another"
    assert (said in outcome.notes) == (not options)


def test_topics_have_their_mean_spread_and_reliability():
    """The table of topics holds mean and standard deviation over systems, and the corrected item-total correlation."""
    topics = tables(describe(scores()))["topics"]
    assert topics.columns == [
        "topic",
        "metric",
        "mean",
        "sd",
        "reliability",
        "reversed",
        "decides",
    ]
    row = topics.filter(topic="303", metric="AP").row(0, named=True)
    column = scores().sel(topic="303", metric="AP").values
    rest = scores().sel(metric="AP").drop_sel(topic="303").sum("topic").values
    assert np.isclose(row["mean"], column.mean(), atol=1e-12)
    assert np.isclose(row["sd"], column.std(ddof=1), atol=1e-12)
    assert np.isclose(row["reliability"], np.corrcoef(column, rest)[0, 1], atol=1e-12)


def test_every_table_covers_every_metric():
    """Percentiles of systems and topics, and the quantiles of single scores, are there for each metric."""
    views = tables(describe(scores()))
    assert views["percentiles"].height == 2 * 3 * len(PERCENTILES)
    assert views["scores"].columns == ["metric", "p5", "p25", "p50", "p75", "p95"]
    np.testing.assert_allclose(views["scores"]["p50"], np.median(scores(), axis=(0, 1)))


def test_gmap_is_described_on_its_own_scale():
    """The interval of a geometric mean is that of the mean logarithm, put back."""
    one = scores(metrics=("GMAP",))
    described = describe(one)
    low, _ = unbounded_interval(np.log(one.values[..., 0]))
    np.testing.assert_allclose(described["low"].values[:, 0], np.exp(low))
    np.testing.assert_allclose(
        described["mean"].values[:, 0], scipy.stats.gmean(one.values[..., 0], axis=1)
    )


def test_spread_and_reliability_of_gmap_are_of_logarithms():
    """GMAP's figures of a topic, and those at percentiles, are those of the logarithms of AP; its means geometric."""
    one, logs = scores(metrics=("GMAP",)), scores(metrics=("AP",))
    outcome = describe(one)
    views, other = tables(outcome), tables(describe(logs.copy(data=np.log(logs))))
    for frame, expected in (
        (views["topics"], other["topics"]),
        (views["percentiles"], other["percentiles"]),
    ):
        np.testing.assert_allclose(frame["mean"], np.exp(expected["mean"]))
        np.testing.assert_allclose(frame["sd"], expected["sd"])
    np.testing.assert_allclose(
        views["topics"]["reliability"], other["topics"]["reliability"]
    )
    assert (
        views["percentiles"]["name"].to_list() == other["percentiles"]["name"].to_list()
    )
    sd = other["topics"]["sd"]
    assert f"most, {sd.max() / sd.min():.1f} times as much" in " ".join(
        findings(outcome)
    )
    assert "standardize" not in findings(outcome)[1]
    assert (
        "GMAP: means are geometric; standard deviations and reliability are of logarithms"
        in about(outcome)["notes"]
    )


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda one: one[:, :1], {}, "at least 2 systems and 2 topics"),
        (lambda one: one, {"by": "APP"}, "did you mean AP"),
        (lambda one: one, {"level": 95}, "between 0 and 1"),
        (lambda one: one.where(one.system != "s1"), {}, "scores are missing"),
    ],
)
def test_what_cannot_be_described_is_an_error(change, options, words):
    """Means alone, unknown metrics, levels in percent and missing scores are refused with a reason."""
    with pytest.raises(ScoresError, match=words):
        describe(change(scores()), **options)


def test_systems_that_are_dropped_have_a_command_that_ranks_them():
    """Where missing scores cost systems a note names the command that ranks all; where they cost topics none does."""
    holey = scores()
    holey[0, :5] = np.nan
    notes = about(describe(holey, missing="common"))["notes"]
    said = "irmeta leaderboard --metric 'AP' --holes predict ranks all 12 systems"
    assert said in notes
    assert said not in about(describe(holey, missing="topics"))["notes"]


def test_findings_name_the_best_system_and_how_many_may_be_it():
    """The answer in words says who is best, with its interval, and how many systems may be the best."""
    described = describe(scores())
    means = tables(described)["means"].filter(metric="AP")
    best = means.row(0, named=True)
    said = findings(described)[0]
    interval = f"95% interval {short(best['low'], 3)} to {short(best['high'], 3)}"
    assert (
        f"{best['system']}, scores {short(best['mean'], 3)} ({interval}, over" in said
    )
    assert f"{means.filter(rank_low=1).height} systems may be the best" in said


def test_ranks_are_the_rank_sets_of_each_metric():
    """The table holds for each metric the simultaneous sets of its own scores, or the marginal ones."""
    # topics differ more than systems
    paired = scores(topics=20) + np.random.default_rng(1).normal(size=(1, 20, 1)) * 5
    paired = paired.copy(data=paired.values + np.arange(12)[:, None, None] / 10)
    widths = {}
    for sets in ("simultaneous", "marginal"):
        described = describe(paired, sets=sets)
        for metric in ("AP", "P@10"):
            expected = rank_sets(
                paired.sel(metric=metric).values.T,
                np.random.default_rng(0),
                marginal=sets == "marginal",
            )
            assert (
                described["rank_low"].sel(metric=metric).values.tolist()
                == expected.low.tolist()
            )
            assert (
                described["rank_high"].sel(metric=metric).values.tolist()
                == expected.high.tolist()
            )
        widths[sets] = int((described["rank_high"] - described["rank_low"]).sum())
    assert widths["marginal"] < widths["simultaneous"] < 2 * 12 * 11


def test_a_best_system_that_stands_alone_is_said_to():
    """Where no other system can be the best, no rank is named, but of how many, where some are left out."""
    apart = scores(topics=20)
    apart[11] += 5
    described = describe(apart)
    assert "no other system can be the best" in findings(described)[0]
    holey = apart.copy()
    holey[0, 0] = np.nan
    compared = "no other system of the 11 compared can be the best"
    assert compared in findings(describe(holey, missing="systems"))[0]
    topics_only = findings(describe(holey, missing="topics"))[0]
    assert "no other system can be the best" in topics_only
    assert described["rank_high"].sel(system="s11", metric="AP") == 1


def level_scores(values, metric="AP"):
    """A cube of scores (system, topic) of one metric."""
    systems, topics = np.shape(values)
    return cube(
        np.array(values)[..., None],
        [f"s{i}" for i in range(systems)],
        [str(i) for i in range(topics)],
        [metric],
    )


@pytest.mark.parametrize(("shift", "said"), [(0.0, True), (2.0, False)])
def test_the_largest_of_several_means_is_said_to_be_too_high(shift, said):
    """A mean that was picked from systems that may all be the best is probably too high; one clearly apart is not."""
    values = np.random.default_rng(3).normal(size=(10, 25)) / 10
    values[0] += shift
    assert (
        "the largest mean is probably too high"
        in findings(describe(level_scores(values)))[0]
    ) is said


def test_systems_that_tie_for_the_best_mean_are_all_named():
    """Equal means have no best system: those that tie are named, and one that is alone is the best."""
    values = np.random.default_rng(0).random((4, 12)) / 2
    values[1] = values[0][::-1] + 0.3
    values[0] = values[0] + 0.3
    assert (
        "AP: 2 systems tie for the best mean (s0, s1); s0 scores"
        in findings(describe(level_scores(values)))[0]
    )
    values[0] += 0.1
    assert findings(describe(level_scores(values)))[0].startswith(
        "AP: the best system, s0, scores"
    )


def test_an_interval_without_width_is_not_called_an_interval():
    """Where scores vary nowhere no mean has an interval; a system that alone scores the same has one, by the others."""
    values = np.random.default_rng(0).random((3, 5)) / 2
    values[1] = 1.0
    note = "Means of scores that are the same on every topic have no interval"
    for given, without in ((values, 0), (values[:, :1].repeat(5, axis=1), 3)):
        outcome = describe(level_scores(given))
        [said, *_] = findings(outcome)
        assert ("s1, scores 1.000 on each of 5 topics, so there is no" in said) == (
            without > 0
        )
        noted = [line for line in about(outcome)["notes"] if line.startswith(note)]
        assert len(noted) == (without > 0)
        intervals = overview(outcome)["means"]["interval"].to_list()
        assert intervals.count("-") == without


@pytest.mark.parametrize("metric", ["P@10", "clicks"])
def test_intervals_stay_within_what_a_metric_can_be(metric):
    """The mean of P@10 lies between 0 and 1, and so does its interval; nothing is known of a metric of one's own."""
    few = [0, 0, 0, 0, 0.9]
    outcome = describe(level_scores([few, [1 - one for one in few]], metric))
    expected = scipy.stats.ttest_1samp(few, 0).confidence_interval(0.95)
    assert expected.low < -0.3
    low, high = outcome["low"].values[0, 0], outcome["high"].values[1, 0]
    assert low == pytest.approx(1 - high)
    if metric == "P@10":
        assert 0 < low < 0.18
    else:
        assert low < expected.low / 2


def test_topics_on_which_better_systems_score_worse_are_named_only_beyond_chance():
    """Few systems have negative reliabilities by chance where the true ones are .45; a reversed topic is named."""
    rng = np.random.default_rng(5)
    ability = rng.normal(size=(8, 1))
    values = ability / 2 + rng.normal(size=(8, 30))
    outcome = describe(level_scores(values))
    assert (outcome["reliability"] < 0).any()
    assert not any("score worse" in line for line in findings(outcome))
    values[:, 7] = -3 * ability[:, 0]
    [said] = [
        line
        for line in findings(describe(level_scores(values), teams="each"))
        if "score worse" in line
    ]
    assert said.startswith("AP: on 1 topic (7) the better systems score worse")


def test_clones_of_few_teams_reverse_no_topic():
    """Where every topic ranks 5 teams of 4 near-clones as their ability does, teams named or not decides what is named.

    Over systems some topic is named in more than a third of collections; over teams in no more than are promised.
    """
    named = {"each": 0, "stem": 0}
    names = [f"team{at // 4}-{at % 4}" for at in range(20)]
    for seed in range(40):
        rng = np.random.default_rng([5, seed])
        ability = rng.normal(size=(5, 1)).repeat(4, axis=0)
        luck = rng.normal(size=(5, 50)).repeat(4, axis=0)
        values = 0.5 * ability + 0.95 * luck + 0.3 * rng.normal(size=(20, 50))
        column = values[..., None]
        made = cube(column, names, [str(at) for at in range(50)], ["score"])
        for groups in named:
            of = teams_of(names, groups).of
            named[groups] += surely_reversed(means_of(made.values[..., 0], of)).any()
    assert named["each"] > 40 / 3
    assert named["stem"] <= 5  # of 40 at 5% more would happen once in a hundred times


def test_a_reversed_topic_says_what_it_assumes():
    """Without teams the sentence says that it needs them; with them it is over their means."""
    ability = np.random.default_rng(5).normal(size=(8, 1))
    values = ability / 2 + np.random.default_rng(6).normal(size=(8, 30)) / 5
    values[:, 7] = -3 * ability[:, 0]
    made = level_scores(values)
    alone = describe(made)
    assert "more than chance cannot be said without the teams" in findings(alone)[-1]
    assert tables(alone)["topics"]["reversed"].null_count() == 30
    each = {str(name): f"team {name}" for name in made["system"].values}
    named = describe(made, teams=each)
    said = "the better systems surely score worse; by these teams, on 1 of 30"
    assert any(note.endswith(said) for note in about(named)["notes"])
    assert "on 1 topic (7) the better systems score worse" in findings(named)[-1]
    assert named["reversed"].equals(describe(made)["reversed"])
    four = {name: str(at // 4) for at, name in enumerate(each)}
    assert not describe(made, teams=four)["reversed"].any()


def test_marginal_findings_are_about_one_system():
    """A marginal set is said to be of one system named in advance, and nothing is said of all."""
    said = findings(describe(scores(), sets="marginal"))[0]
    assert "these scores picked it, so no marginal set holds for it" in said
    assert "may be the best" not in said


@pytest.mark.data
def test_flab8atdn_of_trec8(data):
    """Webber et al. 2008, section 3: mean .324 [.262, .386], rank 13; overlap of intervals leaves it ranks 2 to 94."""
    path = data / "matrices" / "trec8-adhoc" / "AP.csv"
    trec8 = import_matrix(path, rows="topics", topics=topic_range("401-450"))
    row = tables(describe(trec8))["means"].row(12, named=True)
    assert (round(row["mean"], 3), row["rank"]) == (0.324, 13)
    line = trec8.values[..., 0]
    ends = descriptive.t_interval(line)
    low, high = descriptive.rank_intervals(line.mean(axis=1), *ends)
    at = trec8.system.values.tolist().index(row["system"])
    assert [round(float(end[at]), 3) for end in ends] == [0.262, 0.386]
    assert (low[at], high[at]) == (2, 94)


@pytest.mark.data
def test_reliability_of_trec8_topics_has_nothing_to_do_with_their_spread(data):
    """Webber et al. 2008, section 3: Pearson's correlation of the two is .005 over the best 75% of systems."""
    from irmeta.scores.selection import top_systems

    path = data / "matrices" / "trec8-adhoc" / "AP.csv"
    topics = tables(
        describe(
            select(
                top_systems(import_matrix(path, rows="topics"), 0.75), metrics=["AP"]
            )
        )
    )["topics"]
    assert (
        round(float(np.corrcoef(topics["reliability"], topics["sd"])[0, 1]), 3) == 0.005
    )


@pytest.mark.parametrize("topics", [5, 12, 50])
@pytest.mark.parametrize("systems", [2, 12])
def test_intervals_of_few_systems_are_said_to_be_short(systems, topics):
    """Of many systems means held as often as promised; two cannot say each other's variances, which a note says."""
    cube = scores(topics=topics).clip(0, 1)[:systems]
    notes = " ".join(about(describe(cube))["notes"])
    promise = "interval of a mean" + ", few systems" * (systems == 2)
    found = held(promise, systems=systems, topics=topics)
    assert found.broken == (systems == 2)
    assert (f"95% intervals of means held in {found}." in notes) == found.broken


@pytest.mark.parametrize(
    ("topics", "level", "needed"), [(5, 0.95, 6), (6, 0.95, 0), (7, 0.99, 8)]
)
def test_topics_too_few_for_any_claim_are_said_to_be(topics, level, needed):
    """A note says how many topics rank sets need where they have fewer, and then all ranks stay open."""
    cube = scores(topics=topics)
    outcome = describe(cube + 10 * (cube.system == cube.system[0]), level=level)
    notes = [note for note in about(outcome)["notes"] if "rank sets need" in note]
    assert len(notes) == (needed > 0)
    assert all(f"at least {needed}." in note for note in notes)
    assert (outcome["distinguished"] > 0).all() == (needed == 0)


def test_a_system_named_in_advance_has_its_marginal_set():
    """With system= the set of that system is its marginal one; of the observed best none is told."""
    made = scores(systems=12, topics=20)
    name = str(made.system.values[4])
    own = describe(made, metrics="AP", system=name)
    sets = describe(made, metrics="AP", sets="marginal", rng=1)
    assert abs(own["own_low"].item() - sets["rank_low"].sel(system=name).item()) <= 1
    assert f"the true rank of {name} is" in " ".join(findings(own))
    said = " ".join(findings(sets))
    assert "these scores picked it, so no marginal set holds for it" in said
    with pytest.raises(ScoresError, match="no system 'nobody'"):
        describe(made, system="nobody")


@pytest.mark.parametrize("seed", range(3))
def test_a_system_named_in_advance_has_the_ranks_that_versus_leaves(seed):
    """What is surely better or worse than it, by `describe`, is what `versus` claims of it, whatever the seed."""
    made = scores(systems=9, topics=30)
    name = str(made.system.values[4])
    own = describe(made, system=name, rng=seed)
    of_pairs = versus(made, name, rng=seed)
    claimed = of_pairs["p_corrected"] < 0.05
    better = (claimed & (of_pairs["difference"] < 0)).sum("against")
    worse = (claimed & (of_pairs["difference"] > 0)).sum("against")
    assert (better + worse > 0).any()
    assert (own["own_low"].values == 1 + better.values).all()
    assert (own["own_high"].values == 9 - worse.values).all()


def test_ranks_by_false_discovery_rate_lie_beside_the_strict_ones():
    """Where many differences are clear they claim more pairs, and their sets are those of `discovered`."""
    made = scores(systems=12, topics=80)
    outcome = describe(made, metrics="AP")
    assert (outcome["distinguished_found"] >= outcome["distinguished"]).all()
    expected = discovered(made.sel(metric="AP").values.T)
    np.testing.assert_array_equal(outcome["found_low"][:, 0], expected.low)
    np.testing.assert_array_equal(outcome["found_high"][:, 0], expected.high)
    assert "false discovery rate" in " ".join(findings(outcome))


def test_the_topics_that_decide_the_first_place_are_named():
    """Without the topics marked as deciding, the runner-up is level or ahead; a leader on every topic has none."""
    made = scores(systems=5, topics=20)
    outcome = describe(made, metrics="AP")
    decides = outcome["decides"].values[:, 0]
    rest = made.sel(metric="AP").values[:, ~decides].mean(axis=1)
    other = list(made.system.values).index(outcome["runner_up"].item())
    leader = int(made.sel(metric="AP").mean("topic").values.argmax())
    assert decides.any()
    assert rest[other] >= rest[leader] - 1e-12
    made = made * 0.9
    made[leader] = made.max("system") + 0.01
    ahead = describe(made, metrics="AP")
    assert not ahead["decides"].any()
    assert ahead["runner_up"].item() == ""
    assert "would be level" not in " ".join(findings(ahead))


def test_how_much_topics_spread_is_said_of_several_systems():
    """Two systems that nearly tie on one topic say nothing of how topics weigh."""
    rng = np.random.default_rng(0)
    values = rng.random((5, 8, 1)) * np.linspace(0.1, 1, 8)[:, None]
    topics = [str(at) for at in range(8)]
    many = cube(values, list("abcde"), topics, ["AP"])
    said = [
        any("spreads systems most" in one for one in describe(each).findings)
        for each in (many, many[:4], many[:2])
    ]
    assert said == [True, False, False]


def test_the_topics_that_decide_are_those_of_the_runs_that_were_made():
    """Runs widen intervals, not single topics: the fewest that unseat the best are those of the plain means."""
    rng = np.random.default_rng(1)
    values = 0.5 + 0.3 * rng.standard_normal((8, 25, 1))
    values[:4] += 0.05 + 0.2 * rng.standard_normal((4, 1, 1))
    names = [f"{name}_{run}" for name in "ab" for run in range(4)]
    runs = with_repeats(
        cube(values, names, [str(one) for one in range(25)], ["score"]), "stem"
    )
    found = describe(runs, teams="each")
    plain = describe(runs.drop_attrs(), teams="each")
    assert found["low"].values.min() < plain["low"].values.min()
    for name in ("decides", "runner_up", "topic_sd", "topic_mean"):
        one, other = found[name].values, plain[name].values
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other)
        else:
            assert (one == other).all()
    assert found["decides"].any()
