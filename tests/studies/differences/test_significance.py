import tracemalloc

import numpy as np
import pytest
import scipy.stats

import irmeta
from irmeta import parallel
from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.stats.tests import multiplicity
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.significance.summary import findings, overview, tables
from irmeta.studies.differences.versus.study import versus

CONTRACT = [
    "system_a",
    "system_b",
    "metric",
    "difference",
    "low",
    "high",
    "p",
    "p_corrected",
    "effect_size",
    "direction",
    "significant",
]
TESTS = ["t", "wilcoxon", "permutation", "bootstrap", "sign", "tukey", "max-t"]


def scores(systems=5, topics=20, metrics=("AP", "P@10")):
    drawn = np.random.default_rng(0).beta(1, 2, size=(systems, topics, len(metrics)))
    names = (
        [f"s{i}" for i in range(systems)],
        [str(301 + i) for i in range(topics)],
        list(metrics),
    )
    return cube(drawn + np.linspace(0, 0.4, systems)[:, None, None], *names)


def test_tests_are_those_of_scipy_with_holms_correction():
    """Each row is scipy's paired t test of its two systems, corrected for the pairs of its metric."""
    tests = tables(significance(scores(), test="t"))["tests"]
    assert tests.columns == CONTRACT
    assert tests.height == 2 * 10
    for (metric,), rows in tests.group_by("metric"):
        for row in rows.iter_rows(named=True):
            a, b = (
                scores().sel(system=row[side], metric=metric).values
                for side in ("system_a", "system_b")
            )
            assert np.isclose(
                row["p"], scipy.stats.ttest_rel(a, b).pvalue, rtol=0, atol=1e-12
            )
            assert np.isclose(row["difference"], (a - b).mean(), atol=1e-12)
            assert np.isclose(
                row["effect_size"], (a - b).mean() / (a - b).std(ddof=1), atol=1e-12
            )
            assert row["significant"] == (row["p_corrected"] < 0.05)
        np.testing.assert_allclose(
            rows["p_corrected"], multiplicity.holm(rows["p"].to_numpy()), atol=1e-12
        )


@pytest.mark.parametrize("test", TESTS)
def test_power_is_the_share_of_significant_pairs(test):
    """Discriminative power counts the pairs whose corrected p is below alpha."""
    correct = None if test in ("max-t", "tukey") else "bh"
    views = tables(significance(scores(), metrics="AP", test=test, correct=correct))
    assert views["power"].rows() == [("AP", views["tests"]["significant"].mean())]
    assert views["power"]["share_significant"][0] > 0


@pytest.mark.parametrize("test", TESTS)
def test_a_system_does_not_differ_from_its_copy(test):
    """Two systems with the same scores have p = 1, effect 0, and never a missing value."""
    same = scores(systems=2)
    same[1] = same[0]
    row = tables(significance(same, metrics="AP", test=test))["tests"].row(
        0, named=True
    )
    assert [
        row[name]
        for name in ("difference", "p", "p_corrected", "effect_size", "significant")
    ] == [
        0,
        1,
        1,
        0,
        False,
    ]


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(test, marks=[] if test == "max-t" else pytest.mark.slow)
        for test in TESTS
    ],
)
def test_the_pairs_are_never_held_all_at_once(test, monkeypatch):
    """300 systems on 100 topics have 36 MB of differences; a core takes less than half of that to test all pairs."""
    monkeypatch.setattr(parallel, "cores", lambda: 1)
    many = scores(systems=300, topics=100, metrics=("AP",))
    tracemalloc.start()
    try:
        significance(many, test=test, resamples=100)
        assert tracemalloc.get_traced_memory()[1] < 18e6
    finally:
        tracemalloc.stop()


def test_pairs_are_aligned_by_topic_name():
    """Turning the order of the topics changes nothing."""
    one, turned = (
        significance(made, test="t") for made in (scores(), scores()[:, ::-1])
    )
    np.testing.assert_allclose(one["p"], turned["p"], atol=1e-12)


def test_systems_that_share_a_letter_do_not_differ():
    """The table of systems, best first, says with letters what the table of tests says."""
    views = tables(significance(scores(), metrics="AP"))
    letters = dict(views["systems"].select("system", "letters").iter_rows())
    assert views["systems"]["mean"].is_sorted(descending=True)
    for row in views["tests"].iter_rows(named=True):
        assert (
            bool(set(letters[row["system_a"]]) & set(letters[row["system_b"]]))
            != row["significant"]
        )


def test_letters_are_left_to_the_best_of_many_systems():
    """With more than 40 systems a compact letter display helps nobody but among the best 20, as on the page."""
    systems = tables(significance(scores(systems=41), metrics="AP"))["systems"]
    assert systems["letters"][:20].null_count() == 0
    assert systems["letters"][20:].null_count() == 21
    assert (systems["rank_low"] <= systems["rank"]).all()
    assert (systems["rank"] <= systems["rank_high"]).all()


def test_of_many_metrics_each_has_a_row():
    """A table for reading has the systems by each of a few metrics; of many a row for each, and a sentence on one."""
    few, many = (scores(metrics=[f"P@{k}" for k in range(1, last)]) for last in (5, 6))
    assert list(overview(significance(few))) == [
        *(f"systems by P@{k}" for k in range(1, 5)),
        "tests",
    ]
    [shown] = overview(significance(many)).values()
    made = significance(many)
    assert sorted(shown["metric"]) == sorted(made.metric.values)
    for row in shown.rows(named=True):
        one = made.sel(metric=row["metric"])
        assert row["pairs that differ"] == int(one["significant"].sum())
        best = str(one.system.values[one["mean"].values.argmax()])
        assert row["best"] == best
        beside = (one.system_a == best) | (one.system_b == best)
        assert row["not different from it"] == int((beside & ~one["significant"]).sum())
    about_pairs = [line for line in made.findings if "significantly (" in line]
    assert [line.partition(":")[0] for line in about_pairs] == ["P@1"]


def test_tukey_is_not_corrected_twice():
    """Randomised Tukey HSD and max-t hold for all pairs by themselves; they refuse a correction."""
    for test in ("max-t", "tukey"):
        with pytest.raises(ScoresError, match="corrects for all comparisons by itself"):
            significance(scores(), test=test, correct="holm")
    outcome = significance(scores(), test="tukey")
    assert outcome["p"].equals(outcome["p_corrected"].rename("p"))


def test_too_few_resamples_for_holm_are_named():
    """Where p cannot be small enough for the correction, the result says how many resamples it takes."""
    outcome = significance(
        scores(systems=30), metrics="AP", test="permutation", resamples=1000
    )
    assert "use 8700 resamples" in about(outcome)["notes"][0]
    assert not outcome["significant"].any()


@pytest.mark.parametrize(
    ("test", "topics", "systems", "words"),
    [
        (
            "permutation",
            10,
            20,
            "permutation on 10 topics no p is below 0.002, and holm's correction for 190 comparisons",
        ),
        (
            "permutation",
            10,
            20,
            "nothing can be significant; use 13 topics or more, or --test t; more resamples do not help",
        ),
        (
            "sign",
            5,
            2,
            "sign on 5 topics no p is below 0.062, and alpha is 0.05: nothing can be",
        ),
        ("wilcoxon", 10, 20, "use 13 topics or more, or --test t, or --correct bh"),
        ("bootstrap", 10, 30, "use 8700 resamples, or --correct bh"),
    ],
)
def test_advice_where_nothing_can_be_significant_names_what_would_help(
    test, topics, systems, words
):
    """The smallest p is max(1 / (resamples + 1), 2 / 2^n); the note says which of both is in the way."""
    outcome = significance(
        scores(systems=systems, topics=topics), metrics="AP", test=test, resamples=2000
    )
    assert words in " ".join(about(outcome)["notes"])
    assert not outcome["significant"].any()


@pytest.mark.parametrize("test", ["permutation", "sign", "wilcoxon"])
def test_the_topics_that_the_advice_names_are_enough_and_one_fewer_is_not(test):
    """One system wins by other amounts on every topic: p is 2 / 2^n, and 6 topics reach .05."""
    for topics, significant in ((5, False), (6, True)):
        one = scores(systems=2, topics=topics, metrics=("AP",))
        one[1] = one[0] + np.linspace(0.1, 0.3, topics)[:, None]
        outcome = significance(one, test=test)
        assert outcome["p"].item() == pytest.approx(2 / 2**topics)
        assert bool(outcome["significant"].item()) is significant
        said = any(
            "nothing can be significant; use 6 topics" in note
            for note in about(outcome)["notes"]
        )
        assert said is not significant


def lopsided():
    """On 44 of 50 topics a is a little better, on 6 b is much better, so b has the higher mean."""
    a, b = np.full(50, 0.5), np.full(50, 0.45) + np.linspace(0, 0.001, 50)
    b[:6] = 0.95 + np.linspace(0, 0.001, 6)
    return cube(
        np.stack([a, b])[..., None], ["a", "b"], [str(i) for i in range(50)], ["AP"]
    )


def test_a_test_that_favours_the_lower_mean_is_named_and_decides_no_rank():
    """The sign test favours a, the mean b: a note says so, and both ranks remain possible."""
    outcome = significance(lopsided(), test="sign")
    test = tables(outcome)["tests"].row(0, named=True)
    assert test["significant"]
    assert (test["direction"], test["difference"] < 0) == (1, True)
    notes = " ".join(about(outcome)["notes"])
    assert (
        "sign tests which of two systems wins on more topics, not whether two means differ"
        in notes
    )
    assert (
        "1 of them in favour of the system with the lower mean" in findings(outcome)[0]
    )
    assert tables(outcome)["systems"].select("rank_low", "rank_high").rows() == [
        (1, 2),
        (1, 2),
    ]


def test_a_finding_of_a_test_of_other_than_means_does_not_call_the_best_mean_the_better_system():
    """Where the only significant difference opposes the means, no sentence says that the best differs from others."""
    said = findings(significance(lopsided(), test="sign"))[0]
    assert "1 of them in favour of the system with the lower mean" in said
    assert "significantly different from every other" not in said
    assert "not significantly different" not in said
    assert "1 system is not shown to be worse than b, which has the best mean." in said


def test_systems_that_a_test_does_not_distinguish_are_not_different_from_the_best():
    """Where no test opposes the means, systems without a significant difference are said to be so."""
    scores = np.random.default_rng(0).random((2, 10, 1))
    made = cube(scores, ["a", "b"], [str(i) for i in range(10)], ["AP"])
    said = findings(significance(made, test="sign"))[0]
    assert "1 system is not significantly different from the best, " in said


def test_those_that_cannot_be_the_best_are_counted_as_describe_counts_them():
    """Of the systems that do not differ from the best, those that are worse than another are none that may be best."""
    middle = np.linspace(0.3, 0.5, 20)
    best = np.tile([0.1, 0.9], 10)
    values = np.stack([best, middle, middle - np.tile([0.09, 0.11], 10)])[..., None]
    made = cube(values, ["best", "a", "b"], [str(one) for one in range(20)], ["AP"])
    said = findings(significance(made))[0]
    assert (
        "2 systems are not significantly different from the best, best; 1 of these is worse than another."
        in said
    )
    assert "any of 2 systems may be the best" in irmeta.describe(made).findings[0]


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "tukey", "max-t"])
def test_a_test_of_means_has_no_such_note(test):
    """A test of means favours the higher mean, and nothing is said of it."""
    outcome = significance(lopsided(), test=test)
    assert (np.sign(outcome["difference"]) == outcome["direction"]).all()
    assert not any(
        "favour" in note or "asks" in note for note in about(outcome)["notes"]
    )


def test_systems_tied_last_may_have_every_rank_below_the_better_ones():
    """Of 3 systems that tie below a clearly better one, each may be second to fourth."""
    tied = scores(systems=4, topics=30, metrics=("AP",))
    tied[:3] = np.tile([0.0, 1.0], 15)[:, None]
    tied[3] = 1 + np.linspace(0.2, 0.4, 30)[:, None]
    systems = tables(significance(tied))["systems"]
    assert systems.select("rank", "rank_low", "rank_high").rows() == [
        (1, 1, 1),
        (2, 2, 4),
        (2, 2, 4),
        (2, 2, 4),
    ]


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey", "max-t"])
def test_the_seed_decides_and_is_recorded(test):
    """The same seed gives the same p, another seed another."""
    one, same, other = (
        significance(scores(), test=test, resamples=200, rng=seed) for seed in (1, 1, 2)
    )
    assert one.identical(same)
    assert not one["p"].equals(other["p"])
    assert about(one)["options"]["seed"] == 1


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda one: one[:1], {}, "2 topics; there are 1 and [0-9]+$"),
        (lambda one: one[:, :1], {}, "and 1$"),
        (lambda one: one, {"alpha": 5}, "alpha must be between"),
        (lambda one: one, {"resamples": 10}, "too few"),
        (lambda one: one, {"metrics": "nDCG"}, "no metric 'nDCG'"),
        (lambda one: one.where(one.system != "s1"), {}, "scores are missing"),
    ],
)
def test_what_cannot_be_tested_is_an_error(change, options, words):
    """Too few systems or topics, wrong options and missing scores are refused with a reason."""
    with pytest.raises(ScoresError, match=words):
        significance(change(scores()), **options)


def test_findings_count_pairs_and_the_systems_like_the_best():
    """The answer in words says how many pairs differ and how many systems may be as good as the best."""
    outcome = significance(scores(), metrics="AP")
    assert (
        f"AP: {int(outcome['significant'].sum())} of 10 pairs differ significantly"
        in findings(outcome)[0]
    )
    assert "significantly different from the best, s4." in findings(outcome)[0]


@pytest.mark.data
def test_standardization_does_not_cost_discriminative_power(data):
    """On TREC-8 the paired t test tells 72.4% of pairs apart by AP, and 72.9% by standardized AP."""
    from irmeta.scores import standardization

    trec8 = import_matrix(data / "matrices" / "trec8-adhoc" / "AP.csv", rows="topics")
    standardized = standardization.apply(trec8, standardization.fit(trec8))
    shares = [
        significance(one, test="t", correct="none")["share_significant"].item()
        for one in (trec8, standardized)
    ]
    np.testing.assert_allclose(shares, [0.7244, 0.7293], atol=5e-5)


def test_differences_of_logarithms_and_infinite_effect_sizes_are_noted():
    """A note says that differences of GMAP are of logarithms, and how many effect sizes are infinite."""
    values = np.array(
        [[0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8], [0.3, 0.1, 0.2, 0.9]]
    )[..., None].repeat(2, axis=2)
    outcome = significance(
        cube(values, ["a", "b", "c"], ["1", "2", "3", "4"], ["AP", "GMAP"])
    )
    assert outcome["difference"].sel(metric="GMAP").values[0] == pytest.approx(
        -np.log(2)
    )
    assert np.isinf(outcome["effect_size"].values).sum() == 1
    notes = about(outcome)["notes"]
    assert any(
        note.startswith(
            "GMAP: means are geometric, so differences are between means of natural logarithms"
        )
        for note in notes
    )
    assert any("1 test one system is better by the same" in note for note in notes)


def two_metrics():
    """Three systems on eight topics: AP and RR agree that c is worst, and contradict each other on a and b."""
    rng = np.random.default_rng(5)
    levels = np.array([[0.6, 0.3], [0.4, 0.5], [0.1, 0.1]])
    scores = levels[:, None, :] + 0.02 * rng.normal(size=(3, 8, 2))
    return cube(
        scores, ["a", "b", "c"], [str(topic) for topic in range(8)], ["AP", "RR"]
    )


def test_metrics_that_contradict_each_other_are_named():
    """The one pair on which AP and RR disagree is listed with the metrics for either side, and counted in words."""
    outcome = significance(two_metrics())
    [row] = tables(outcome)["conflicts"].rows(named=True)
    assert row == {
        "system_a": "a",
        "system_b": "b",
        "for_a": ["AP"],
        "for_b": ["RR"],
        "both_significant": True,
    }
    said = "contradict each other on 1 of 3 pairs, on 1 of them with significant differences on both sides"
    assert any(said in line for line in findings(outcome))
    alone = significance(two_metrics().sel(metric=["AP"]))
    assert not any("contradict" in line for line in findings(alone))


def test_differences_that_other_topics_seldom_reverse_are_named():
    """Findings name the least difference seldom reversed, none where all are, and metrics where none is."""
    outcome = significance(two_metrics()).data
    outcome["swapped"] = outcome["swapped"] * 0
    compared = outcome["compared"].values * 0
    # the first metric has differences from .00 on, the second from .02 on
    compared[-1, 0, 0] = compared[-1, 1, 2] = 100
    outcome["compared"] = (outcome["compared"].dims, compared)
    named = [line for line in findings(outcome) if "are reversed by" in line]
    assert [line.partition(" or more")[0] for line in named] == [
        "Differences in mean of .02 (RR)"
    ]
    outcome["swapped"] = outcome["compared"] / 2
    [none] = [line for line in findings(outcome) if "are reversed by" in line]
    assert none.startswith(
        "By AP, RR, even the largest differences in mean on 4 topics"
    )


def test_swap_rates_stand_beside_the_tests():
    """Differences of these systems are never reversed by other topics, as they are far larger than the noise."""
    table = tables(significance(two_metrics()))["swaps"]
    assert table.columns == [
        "topics",
        "metric",
        "difference",
        "comparisons",
        "error_rate",
    ]
    assert set(table["topics"]) == {4}
    assert (table["error_rate"] == 0).all()
    assert table["comparisons"].sum() == 2 * 20 * 2 * 3


def test_intervals_of_differences_are_those_of_scipy():
    """Each is Student's at level 1 - alpha, however p is corrected."""
    one = scores(systems=4)
    values = one.sel(metric="AP").values
    theirs = scipy.stats.ttest_rel(values[0], values[1]).confidence_interval(0.95)
    for correct in ("holm", "none"):
        outcome = significance(one, metrics="AP", test="t", correct=correct)
        row = tables(outcome)["tests"].row(0, named=True)
        assert (row["low"], row["high"]) == pytest.approx(tuple(theirs))


@pytest.mark.parametrize("test", TESTS)
def test_every_test_has_intervals_around_the_difference(test):
    """Whatever the test, each difference lies in the middle of its interval, which is its own."""
    outcome = significance(scores(), test=test, resamples=200)
    low, high = outcome["low"], outcome["high"]
    np.testing.assert_allclose((low + high) / 2, outcome["difference"], atol=1e-12)
    assert any("each pair by itself" in note for note in about(outcome)["notes"])


@pytest.mark.parametrize("correct", [None, "holm", "bonferroni"])
def test_intervals_exclude_0_where_a_pair_is_significant(correct):
    """By max-t and by t, however it is corrected, each pair's own interval says so, and some say so elsewhere."""
    test = "t" if correct else "max-t"
    outcome = significance(scores(systems=8), test=test, correct=correct)
    assert about(outcome)["options"]["correct"] == (correct or "max-t")
    excluded = (outcome["low"] > 0) | (outcome["high"] < 0)
    assert outcome["significant"].any()
    assert excluded.where(outcome["significant"], True).all()
    assert (excluded & ~outcome["significant"]).any()


def test_equivalent_systems_are_told_from_undecided_ones():
    """Two systems with small steady differences are equivalent at a margin; with noisy ones nothing is shown."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.2, 0.8, size=(1, 50))
    quiet, noisy = (
        base + 0.005 * rng.normal(size=(2, 50)),
        base + 0.3 * rng.normal(size=(1, 50)),
    )
    one = cube(
        np.concatenate([quiet, noisy])[..., None],
        ["a", "b", "c"],
        [str(t) for t in range(50)],
        ["AP"],
    )
    outcome = significance(one, margin=0.01)
    rows = tables(outcome)["tests"]
    assert rows["equivalent"].to_list() == [True, False, False]
    by_hand = max(
        scipy.stats.ttest_rel(quiet[0] + 0.01, quiet[1], alternative="greater").pvalue,
        scipy.stats.ttest_rel(quiet[0] - 0.01, quiet[1], alternative="less").pvalue,
    )
    assert rows["p_equivalent"][0] == pytest.approx(3 * by_hand)
    assert findings(outcome)[0].endswith(
        "1 pair differs by less than 0.01; for 2 neither is shown."
    )
    assert overview(outcome)["tests"]["equivalent"].to_list() == [True, False, False]


@pytest.mark.parametrize(("systems", "noted"), [(1, 0), (10, 1)])
def test_wrong_claims_of_tukeys_test_are_noted(systems, noted):
    """Where equal systems were called different clearly too often, a note has the share; of max-t there is none."""
    rng, names = (
        np.random.default_rng(0),
        [str(number) for number in range(systems + 1)],
    )
    topics = [str(number) for number in range(25)]
    one = cube(rng.uniform(size=(systems + 1, 25, 1)), names, topics, ["AP"])
    said = [
        " ".join(about(significance(one, test=test))["notes"])
        for test in ("tukey", "max-t")
    ]
    assert [text.count("called a difference of equal systems") for text in said] == [
        noted,
        0,
    ]


def test_equivalence_by_few_topics_is_noted():
    """With few topics a note, of `versus` too, has the measured share of wrong verdicts; with many there is none."""
    rng = np.random.default_rng(0)
    for topics, noted in ((10, True), (25, False)):
        systems = [str(number) for number in range(20)]
        names = systems, [str(t) for t in range(topics)], ["AP"]
        one = cube(rng.uniform(0.2, 0.8, size=(20, topics, 1)), *names)
        for found in (significance(one, margin=0.1), versus(one, "0", margin=0.1)):
            said = " ".join(about(found)["notes"])
            assert ("were called equivalent in 0 to 11% of" in said) == noted


def test_without_a_margin_nothing_is_said_of_equivalence():
    """No margin, no verdict; a margin of 0 is refused."""
    assert "p_equivalent" not in significance(scores())
    with pytest.raises(
        ScoresError, match="the margin must be a difference in mean above 0"
    ):
        significance(scores(), margin=0)


@pytest.mark.parametrize("test", TESTS)
def test_a_constant_difference_on_few_topics_shows_nothing(test):
    """On 5 topics no test finds a difference that is the same on each: p is .0625 or more, there is no interval."""
    one = cube([[[0.1]] * 5, [[0.2]] * 5], ["a", "b"], list("12345"), ["AP"])
    outcome = significance(one, test=test)
    notes = " ".join(about(outcome)["notes"])
    assert outcome["p"].item() >= 0.06
    assert not outcome["significant"].item()
    assert np.isnan([outcome["low"].item(), outcome["high"].item()]).all()
    assert overview(outcome)["tests"]["interval"].to_list() == ["-"]
    assert "In 1 test the systems differ by the same amount on every topic" in notes


@pytest.mark.parametrize("test", TESTS)
def test_intervals_of_differences_stay_within_the_metrics_range(test):
    """A difference of P@10 lies between -1 and 1, that of DCG, which has no bound, anywhere."""
    drawn = np.random.default_rng(1).integers(0, 2, (4, 3, 1)).repeat(2, axis=2)
    one = cube(drawn.astype(float), list("abcd"), list("123"), ["P@10", "DCG@10"])
    outcome = significance(one, test=test, resamples=200)
    bounded, open_ = outcome.sel(metric="P@10"), outcome.sel(metric="DCG@10")
    assert bounded["low"].min() >= -1
    assert bounded["high"].max() <= 1
    assert open_["high"].max() > 1


def test_replication_stands_in_words_and_in_a_table():
    """What becomes of significant differences on the other half is told by metric, if there are any."""
    outcome = significance(scores(), metrics="AP", test="t", correct="none")
    row = tables(outcome)["replication"].row(0, named=True)
    assert list(row) == [
        "metric",
        "half_topics",
        "found",
        "again",
        "opposite",
        "major",
        "shrunk",
    ]
    assert row["half_topics"] == 10
    said = findings(outcome)[-1]
    assert said.startswith(
        f"AP: of differences significant on 10 topics, {row['again']:.0%} are significant again on 10 others"
    )
    same = scores()
    same[:] = same[0]
    assert "significant again" not in " ".join(findings(significance(same)))


def test_systems_that_tie_for_the_best_mean_are_not_one_best_system():
    """Where means tie, the finding names those that tie; one that is alone is the best."""
    values = np.random.default_rng(0).random((4, 12)) / 10
    values[1] = values[0][::-1] + 0.3
    values[0] = values[0] + 0.3
    names = list("abcd"), [str(topic) for topic in range(12)], ["AP"]
    said = findings(significance(cube(values[..., None], *names)))[0]
    assert (
        "2 systems tie for the best mean (a, b); every other is significantly different from each of them."
        in said
    )
    values[2] = np.roll(values[0], 3) - 0.001
    assert (
        "(a, b); 1 other system cannot be distinguished from at least one of them."
        in findings(significance(cube(values[..., None], *names)))[0]
    )
    values[0] += 0.2
    values[2] -= 0.3
    assert (
        "The best system, a, is significantly different"
        in findings(significance(cube(values[..., None], *names)))[0]
    )


@pytest.mark.parametrize(
    ("test", "said"),
    [("sign", True), ("wilcoxon", True), ("permutation", True), ("t", False)],
)
def test_pairs_that_differ_on_too_few_topics_are_counted(test, said):
    """Two systems that differ on 3 of 20 topics cannot differ significantly by signs, and t can find that they do."""
    values = np.repeat(np.random.default_rng(0).random((1, 20)), 3, axis=0)
    values[1, :3] += 0.5
    values[2] -= 0.4
    one = cube(
        values[..., None], list("abc"), [str(topic) for topic in range(20)], ["clicks"]
    )
    outcome = significance(one, test=test, resamples=2000)
    notes = [
        note
        for note in about(outcome)["notes"]
        if note.startswith("1 test cannot be significant (a and b): ")
    ]
    assert len(notes) == said
    values[1] += 0.1
    outcome = significance(one.copy(data=values[..., None]), test=test, resamples=2000)
    assert not any("cannot be significant" in note for note in about(outcome)["notes"])


def test_holm_leaves_tied_pairs_that_may_come_last_their_chance():
    """By Holm a pair that differs on 6 of 20 topics (p = 2/2^6) can be significant after all others are."""
    values = np.repeat(np.random.default_rng(0).random((1, 20)), 3, axis=0)
    values[1, :6] += 0.5
    values[2] -= 0.4
    one = cube(values[..., None], list("abc"), [str(at) for at in range(20)], ["cost"])
    outcome = significance(one, test="sign")
    assert outcome["significant"].values.all()
    assert not any("cannot be significant" in note for note in about(outcome)["notes"])


def test_metrics_that_may_exceed_one_leave_a_table_of_swaps_with_its_columns():
    """Where no metric's differences are counted, the table is empty, and its columns are what they are elsewhere."""
    drawn = np.random.default_rng(1).random((4, 12, 2))
    names = list("abcd"), [str(at) for at in range(12)]
    empty, full = (
        tables(significance(cube(drawn, *names, metrics)))["swaps"]
        for metrics in (["DCG@10", "clicks"], ["AP", "RR"])
    )
    assert (empty.height, full.height > 0) == (0, True)
    assert empty.schema["metric"] == full.schema["metric"]
