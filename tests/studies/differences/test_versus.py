"""One system against others: figures as scipy and counting give them, and sentences that follow from them."""

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose
from scipy import stats

import irmeta
from irmeta.errors import IrmetaError, ScoresError
from irmeta.report.forms import text
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.tests.multiplicity import holm
from irmeta.studies.differences.versus.summary import findings, overview, tables

SYSTEMS = ["mine", "bm25", "dense", "fusion"]


def scores(topics=20, seed=0):
    rng = np.random.default_rng(seed)
    values = np.clip(
        rng.normal([[[0.5]], [[0.3]], [[0.5]], [[0.52]]], 0.1, (4, topics, 2)), 0, 1
    ).round(3)
    return cube(
        values,
        SYSTEMS,
        [str(one) for one in range(topics)],
        ["AP", "P@10"],
        collection="made",
    )


def test_figures_are_scipys_and_counts_are_counts():
    """Difference, interval, p, wins, ties and losses of a comparison are what scipy and counting give."""
    made = scores()
    found = irmeta.versus(made, "mine", "bm25", test="t").sel(
        against="bm25", metric="AP"
    )
    mine, other = (
        made.sel(system="mine", metric="AP").values,
        made.sel(system="bm25", metric="AP").values,
    )
    theirs = stats.ttest_rel(mine, other)
    low, high = theirs.confidence_interval(0.95)
    assert_allclose(found["p"], theirs.pvalue, rtol=1e-10)
    assert_allclose([found["low"], found["high"]], [low, high], rtol=1e-10)
    counts = [int(found[name]) for name in ("wins", "ties", "losses")]
    assert counts == [(mine > other).sum(), (mine == other).sum(), (mine < other).sum()]


def test_only_the_comparisons_asked_for_are_corrected():
    """Holm's correction of one system against three is over three tests, not over all six pairs."""
    made = scores()
    found = irmeta.versus(made, "mine", test="t", metrics="AP")
    p = [
        stats.ttest_rel(
            made.sel(system="mine", metric="AP"), made.sel(system=name, metric="AP")
        ).pvalue
        for name in SYSTEMS[1:]
    ]
    assert_allclose(found["p_corrected"].values[:, 0].min(), min(p) * 3, rtol=1e-10)


def test_a_verdict_that_is_not_one_among_all_comparisons_says_so():
    """A difference that is significant by itself, but not beside those from all others, has a note with that p."""
    swings = 0.1 * np.resize([1.0, -1.0], 20)
    gaps = np.stack([np.zeros(20), swings + 0.06, *[swings] * 38])
    names = ["mine", "near", *(f"s{at}" for at in range(38))]
    made = cube(0.5 - gaps[..., None], names, [str(at) for at in range(20)], ["RR"])
    every = irmeta.versus(made, "mine", test="t").sel(against="near", metric="RR")
    corrected = short(every["p_corrected"].item(), 4)

    def said(against, of=made, **options):
        found = irmeta.versus(of, "mine", against, test="t", **options)
        notes = irmeta.about(found)["notes"]
        return [note for note in notes if note.startswith("Corrected for all")]

    why = "Corrected for all 39 comparisons of mine (--against all), not significant:"
    assert said("near") == [f"{why} RR (p = {corrected})."]
    assert said("near, s0") == [f"{why} near by RR (p = {corrected})."]
    assert said("best", 1 - made) == said("near")
    quiet = said("s0") + said("all") + said("near", correct="none") + said("best")
    assert not quiet


def test_median_and_best_are_of_the_other_systems():
    """The median is topic by topic over the others; the best is the other system with the best mean, by metric."""
    made = scores()
    found = irmeta.versus(made, "mine", ["median", "best"], test="t")
    others = made.sel(system=SYSTEMS[1:])
    gap = (made.sel(system="mine") - others.median("system")).mean("topic")
    assert_allclose(found["difference"].sel(against="median"), gap, rtol=1e-10)
    best = others.mean("topic").idxmax("system").values.tolist()
    assert found["who"].sel(against="best").values.tolist() == best


def test_topics_say_where_the_system_stands():
    """A topic's row has the system's score, the median and best of the others, and how many others are above."""
    made = scores()
    found = irmeta.versus(made, "mine", "bm25", metrics="AP", test="t")
    topic, metric, score, other, apart, *rest = tables(found)["topics"].row(0)
    median, best, above = rest
    column = made.sel(topic=topic, metric=metric)
    rest = column.sel(system=SYSTEMS[1:]).values
    assert score == column.sel(system="mine").item()
    assert other == column.sel(system="bm25").item()
    assert apart == pytest.approx(score - other)
    assert "opponent" not in tables(irmeta.versus(made, "mine"))["topics"].columns
    assert (median, best, above) == (np.median(rest), rest.max(), (rest > score).sum())


def test_a_system_with_the_same_score_is_not_above():
    """On a topic where others score the same, but for rounding, and one scores more, one system is above."""
    made = scores()
    made.loc[{"topic": "3", "metric": "AP"}] = [0.3, 0.1 + 0.2, 0.3, 0.4]
    found = irmeta.versus(made, "mine", metrics="AP", test="t")
    assert found["systems_above"].sel(topic="3", metric="AP").item() == 1


@pytest.mark.parametrize(("asked", "named"), [("bm25", "bm25"), ("best", "fusion")])
def test_topics_against_one_opponent_are_its_own(asked, named):
    """With one opponent topics are those farthest below it, then above, and its scores stand beside the system's."""
    made = scores()
    found = irmeta.versus(made, "mine", asked, metrics="AP", test="t")
    [title] = [title for title in overview(found) if title.startswith("topics")]
    rows = overview(found)[title]
    theirs = made.sel(system=named, metric="AP", topic=rows["topic"].to_list()).values
    gap = rows["score"].to_numpy() - theirs
    assert f"against {named}" in title
    assert title.endswith(": worst and best of 20 (--table topics)")
    assert ("the best of the others" in title) is (asked == "best")
    assert_allclose(rows["opponent"], theirs)
    assert_allclose(rows["diff."].cast(float), gap, atol=1e-4)
    worst, best = np.split(gap, 2)
    assert (np.diff(worst) >= 0).all()
    assert (np.diff(best) <= 0).all()
    assert best.min() > worst.max()


def test_one_opponent_has_a_row_by_each_of_many_metrics():
    """By how much, and on how many topics, is said by each metric; the table of topics is named in place of six."""
    given = scores()
    many = xr.concat([given] * 3, "metric").assign_coords(metric=list("abcdef"))
    shown = overview(irmeta.versus(many, "mine", "bm25"))
    assert list(shown) == ["against bm25: by metric (topics: --table topics)"]
    [rows] = shown.values()
    assert rows["metric"].to_list() == list("abcdef")
    assert {"diff.", "95% interval", "W/T/L", "p", "verdict"} < set(rows.columns)
    assert list(overview(irmeta.versus(many, "mine"))) == ["metrics"]


def test_topics_against_several_say_where_each_is():
    """With several opponents topics are those against the median, and the title names the table of each."""
    found = irmeta.versus(scores(), "mine", ["bm25", "dense"], metrics="AP", test="t")
    [title] = [title for title in overview(found) if title.startswith("topics")]
    assert title.endswith(
        "the median of the others: worst and best of 20 (each opponent: --table differences)"
    )
    assert {"median", "best other"} < set(overview(found)[title].columns)


def test_the_scores_of_an_opponent_are_scores_by_geometric_metrics_too():
    """By a geometric mean differences are of logarithms, and the opponent's scores are as they were given."""
    made = scores().assign_coords(metric=["GMAP", "P@10"])
    found = irmeta.versus(made, "mine", "bm25", metrics="GMAP", test="t")
    assert_allclose(
        found["opponent"].values[0, :, 0], made.sel(system="bm25", metric="GMAP")
    )


def test_rows_for_programs_stand_as_those_for_people():
    """Comparisons come by metric, from the worst difference to the best, for programs as for people."""
    outcome = irmeta.versus(scores(), "fusion", test="t").data
    read = [
        name
        for title, one in overview(outcome).items()
        if title.startswith("by ")
        for name in one["against"]
    ]
    found = tables(outcome)["comparisons"]
    assert found["against"].to_list() == read
    assert read[:1] != outcome.against.values[:1].tolist()
    assert (
        found["metric"].unique(maintain_order=True).to_list()
        == outcome.metric.values.tolist()
    )


def test_metrics_that_contradict_each_other_are_named():
    """Where one metric finds the system significantly better and another significantly worse, the pair is listed."""
    made = scores()
    made.loc[{"system": "mine", "metric": "P@10"}] = 0.0
    found = irmeta.versus(made, "mine", "bm25", test="t")
    assert tables(found)["contradictions"].rows() == [("bm25", "AP", "P@10")]
    assert "contradict" in findings(found)[-1]


def test_a_sentence_claims_a_difference_only_where_there_is_one():
    """A significant difference is said with its size; otherwise that there is no significant one."""
    made = scores()
    assert (
        "a significant difference"
        in findings(irmeta.versus(made, "mine", "bm25", metrics="AP"))[0]
    )
    same = made.copy()
    same.loc[{"system": "dense"}] = made.sel(system="mine").values[::-1]
    assert findings(irmeta.versus(same, "mine", "dense", metrics="AP"))[0].startswith(
        "By AP, there is no significant difference"
    )


def test_a_difference_is_a_share_of_the_others_mean():
    """The sentence and the table have the gain in percent of the other's mean, where scores are above 0."""
    made = scores()
    found = irmeta.versus(made, "mine", "bm25", metrics="AP")
    means = made.sel(metric="AP").mean("topic")
    share = (means.sel(system="mine") / means.sel(system="bm25")).item() - 1
    assert tables(found)["comparisons"]["relative"].item() == pytest.approx(share)
    assert f"({share:+.0%}, 95% interval" in findings(found)[0]
    sizes = np.repeat(["a", "b", "c", "d"], [1, 2, 4, made.sizes["topic"] - 7])
    clusters = dict(zip(made.topic.values, sizes.tolist(), strict=True))
    grouped = irmeta.versus(with_clusters(made, clusters), "mine", "bm25", metrics="AP")
    assert tables(grouped)["comparisons"]["relative"].item() == pytest.approx(share)
    found = irmeta.versus(made - 0.5, "mine", "bm25", metrics="AP")
    assert tables(found)["comparisons"]["relative"].to_list() == [None]
    assert "%, 95% interval" not in findings(found)[0]


def test_a_difference_of_geometric_means_is_their_ratio():
    """Differences by GMAP are of logarithms, so what is gained is the ratio of geometric means less 1."""
    made = scores()[..., :1].assign_coords(metric=["GMAP"])
    found = irmeta.versus(made, "mine", "bm25")
    logs = np.log(np.maximum(made.isel(metric=0), 1e-5)).mean("topic")
    share = np.exp(logs.sel(system="mine") - logs.sel(system="bm25")).item() - 1
    assert tables(found)["comparisons"]["relative"].item() == pytest.approx(share)


def test_one_system_that_is_not_distinguished_is_one():
    """Systems that are not distinguished are counted in the singular where there is one."""
    mine = scores().sel(system="mine", metric=["AP"]).values
    systems = ["mine", "same", *(f"s{number}" for number in range(9))]
    values = np.stack([mine, mine[::-1], *([mine / 2] * 9)])
    made = cube(values, systems, [str(one) for one in range(20)], ["AP"])
    said = findings(irmeta.versus(made, "mine"))[0]
    assert (
        "; 1 is not distinguished from it (max-t test, corrected for these 10, level 0.05)"
        in said
    )
    alone = findings(irmeta.versus(made, "mine", correct="none"))[0]
    assert "(max-t test, level 0.05)" in alone


def test_tests_that_can_find_nothing_say_so():
    """On four topics no permutation test reaches 5%, and a note says so."""
    found = irmeta.versus(scores(topics=4), "mine", "bm25")
    assert any(
        "nothing can be significant" in note for note in irmeta.about(found)["notes"]
    )


@pytest.mark.parametrize(
    ("test", "differing", "said"),
    [("sign", 5, 1), ("sign", 6, 0), ("permutation", 5, 1), ("t", 5, 0)],
)
def test_a_comparison_that_differs_on_too_few_topics_is_counted(test, differing, said):
    """Systems that differ on 5 of 12 topics cannot reach .05 by signs, and a note says so; on 6 they can."""
    values = np.repeat(np.random.default_rng(0).random((1, 12, 1)), 2, axis=0)
    values[1, :differing] += 0.5
    made = cube(values, ["a", "b"], [str(one) for one in range(12)], ["clicks"])
    notes = irmeta.about(irmeta.versus(made, "a", "b", test=test))["notes"]
    assert (
        sum("1 test cannot be significant (b): the two" in note for note in notes)
        == said
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": "mien"}, "no system 'mien'"),
        ({"system": "mine", "against": "bm52"}, "no system 'bm52' to compare with"),
        ({"system": "mine", "against": "mine"}, "cannot be compared with itself"),
        ({"system": "mine", "alpha": 5}, "alpha must be between 0 and 1"),
        ({"system": "mine", "resamples": 5}, "too few"),
    ],
)
def test_wrong_options_are_refused(options, message):
    """What cannot be compared is an error that names it."""
    with pytest.raises(ScoresError, match=message):
        irmeta.versus(scores(), **options)


def test_a_correction_that_does_not_exist_is_refused():
    """Misspelt corrections are errors that list those there are."""
    with pytest.raises(IrmetaError, match="dunnett"):
        irmeta.versus(scores(), "mine", test="t", correct="dunnet")


def test_pairwise_compares_on_the_topics_that_both_have():
    """With missing scores each comparison is the one on the topics that both systems have, and counts these alone."""
    made = scores()
    made[0, 0] = np.nan
    made[1, 1:3] = np.nan
    found = irmeta.versus(
        made,
        "mine",
        ["bm25", "dense"],
        metrics="AP",
        test="t",
        correct="none",
        missing="pairwise",
    )
    for name, topics in (("bm25", range(3, 20)), ("dense", range(1, 20))):
        both = made.sel(system=["mine", name]).isel(topic=list(topics))
        alone = irmeta.versus(both, "mine", name, metrics="AP", test="t")
        for what in ("difference", "low", "high", "p", "wins", "losses", "effect_size"):
            assert_allclose(
                found[what].sel(against=name), alone[what].sel(against=name), rtol=1e-12
            )
    with pytest.raises(ScoresError, match="Dunnett"):
        irmeta.versus(made, "mine", test="t", correct="dunnett", missing="pairwise")


def test_a_p_that_resamples_cannot_make_smaller_is_a_bound():
    """The smallest p of draws is at most that; of a t test, or of all ways to set signs, it is p itself.

    Of one comparison max-t has 10 000 fixed signs, whatever is asked for, and its method says of no draws.
    """
    made = scores()
    made[0] = made[1:].max("system") + 0.1
    for options, said in (
        ({"resamples": 200}, "p < .0001"),
        ({"test": "permutation", "resamples": 199}, "p ≤ .0050"),
        ({"test": "t"}, "p < .0001"),
    ):
        found = irmeta.versus(made, "mine", "bm25", metrics="AP", **options)
        assert said in found.findings[0]
        assert said.removeprefix("p ") in str(found).split("verdict")[1]
        drawn = "test" in options and options["test"] != "t"
        assert ("We drew" in found.method_text) is drawn
    every = irmeta.versus(made, "mine", metrics="AP", resamples=200)
    assert "We drew 200 resamples" in every.method_text
    assert "p ≤ .0050" in " ".join(every.findings)
    few = made[:, :6]
    exact = irmeta.versus(few, "mine", "bm25", metrics="AP", test="permutation")
    assert "p = .0313" in exact.findings[0]


def test_gaps_of_others_do_not_matter_to_systems_that_are_named():
    """Two systems with all scores are compared though others lack some; with all others, the gaps are an error."""
    made = scores()
    whole = irmeta.versus(made, "mine", "bm25", metrics="AP")
    made[3, 0] = np.nan
    found = irmeta.versus(made, "mine", iter(["bm25"]), metrics="AP")
    for name in ("difference", "low", "high", "p_corrected"):
        assert found[name].item() == whole[name].item()
    assert found.method["options"]["missing"] == "error"
    assert "1 is missing, of systems that were not compared." in found.method_text
    assert "missing" not in " ".join(found.notes)
    size = made.sel(metric="AP").size
    for against, said in (("bm25", ""), ("all", f"1 of {size} scores are missing")):
        pairwise = irmeta.versus(
            made, "mine", against, metrics="AP", missing="pairwise"
        )
        assert said in " ".join(pairwise.notes)
        assert bool(said) is ("missing" in " ".join(pairwise.notes))
    for against in ("all", "best", "bm25, median"):
        with pytest.raises(ScoresError, match="missing"):
            irmeta.versus(made, "mine", against, metrics="AP")
    two = made.sel(metric=["AP"], system=["mine", "bm25"]).size
    made.loc["mine", made.topic.values[1], "AP"] = np.nan
    with pytest.raises(ScoresError, match=rf"^1 of {two} scores are missing .*mine"):
        irmeta.versus(made, "mine", "bm25", metrics="AP")


def test_of_all_systems_those_without_common_topics_are_left_out():
    """Of "all" a system that shares one topic is left out with a note; one that is named raises an error."""
    made = scores()
    lacking = made.copy()
    lacking[SYSTEMS.index("dense"), 1:] = np.nan
    asked = {"metrics": "AP", "test": "t", "missing": "pairwise"}
    found = irmeta.versus(lacking, "mine", **asked)
    assert found["against"].values.tolist() == ["bm25", "fusion"]
    [note] = [one for one in found.notes if one.startswith("left out")]
    assert note.endswith("fewer than 2 topics with mine: dense")
    both = irmeta.versus(lacking, "mine", **asked | {"metrics": None})
    assert any("topics with mine by some metric: dense" in one for one in both.notes)
    without = irmeta.versus(made.drop_sel(system="dense"), "mine", **asked)
    assert_allclose(found["p_corrected"], without["p_corrected"])
    beside = irmeta.versus(lacking, "mine", ["median", "all"], **asked)
    assert beside["against"].values.tolist() == ["median", "bm25", "fusion"]
    with pytest.raises(ScoresError, match="fewer than 2 topics are shared with dense"):
        irmeta.versus(lacking, "mine", ["bm25", "dense"], **asked)
    with pytest.raises(ScoresError, match="shared with any of 3 systems"):
        irmeta.versus(lacking, "dense", **asked)


def test_pairwise_best_is_a_system_with_all_topics():
    """A system that misses topics is not the best other one: its mean is over other topics."""
    made = scores()
    made[3, 0] = np.nan
    made[3, 1:] = 1.0
    found = irmeta.versus(
        made, "mine", "best", metrics="AP", test="t", missing="pairwise"
    )
    assert found["who"].item() == "dense"


@pytest.mark.parametrize(("error", "shown"), [(0.02, True), (0.5, False)])
def test_equivalence_is_shown_only_where_differences_are_surely_small(error, shown):
    """Two systems whose difference is measured well differ by less than the margin; if noisy, that is not shown."""
    rng = np.random.default_rng(1)
    one = rng.random(40)
    values = np.stack([one, one + error * (rng.permutation(40) - 19.5) / 40])
    made = cube(
        values[..., None],
        ["mine", "bm25"],
        [str(topic) for topic in range(40)],
        ["clicks"],
    )
    found = irmeta.versus(made, "mine", "bm25", margin=0.02)
    assert found["equivalent"].item() is shown
    assert not found["significant"].item()
    said = "is shown" if shown else "is not shown"
    told = findings(found)[0]
    assert f"That they differ by less than 0.02 {said} (p" in told
    assert "corrected for" not in told
    assert ("equivalent" in overview(found)["by clicks"]["verdict"].to_list()) is shown


def test_p_of_equivalence_and_of_small_p_is_said_as_it_is():
    """The sentence says that p of equivalence is corrected; a table writes p as the sentence does."""
    found = irmeta.versus(scores(), "mine", "bm25,dense", metrics="AP", margin=0.04)
    assert "two t tests, corrected for 2 comparisons)" in findings(found)[0]
    small = found.data.assign(p=found["p"] * 0 + 1e-5)
    assert "< .0001" in text(tables(small)["comparisons"])


def test_equivalence_is_two_one_sided_t_tests_with_holms_correction():
    """The p of equivalence is the larger of scipy's two one-sided tests, corrected for a metric's comparisons."""
    found = irmeta.versus(scores(), "mine", metrics="AP", margin=0.04)
    expected = []
    for name in found["against"].values:
        differences = found["by_topic"].sel(against=name, metric="AP").values
        above = stats.ttest_1samp(differences, -0.04, alternative="greater").pvalue
        below = stats.ttest_1samp(differences, 0.04, alternative="less").pvalue
        expected.append(max(above, below))
    assert_allclose(
        found["p_equivalent"].values[:, 0], holm(np.array(expected)), rtol=1e-9
    )
    with pytest.raises(
        ScoresError, match="margin must be a difference in mean above 0"
    ):
        irmeta.versus(scores(), "mine", margin=0)


def test_systems_that_tie_for_the_best_are_named():
    """Where others tie for the best mean the first is taken, and a note names them; where one leads there is none."""
    rng = np.random.default_rng(0)
    one = rng.random(12) / 2
    values = np.stack([rng.random(12) / 2, one + 0.3, one[::-1] + 0.3])[..., None]
    made = cube(
        values, ["mine", "a", "b"], [str(topic) for topic in range(12)], ["clicks"]
    )
    note = "clicks: a, b tie for the best other system; a is used."
    assert note in irmeta.about(irmeta.versus(made, "mine", "best"))["notes"]
    every = irmeta.versus(made, "mine", "best,all")  # the best is among all
    assert every.against.values.tolist() == ["a", "b"]
    made[1] += 0.1
    notes = irmeta.about(irmeta.versus(made, "mine", "best"))["notes"]
    assert not any("tie for the best" in line for line in notes)


def constant_differences(topics):
    """Three systems, better by the same amount on every topic, or equal."""
    level = np.linspace(0.1, 0.5, topics)
    values = np.stack([level + 0.1, level, level])[..., None]
    return cube(values, SYSTEMS[:3], [str(one) for one in range(topics)], ["AP"])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
@pytest.mark.parametrize(
    ("topics", "verdict"), [(5, "no significant difference"), (12, "significant")]
)
def test_verdicts_on_constant_differences_follow_p_of_signs(test, topics, verdict):
    """2/2^5 is above .05, 2/2^12 below it, by every test; there is no interval, and the sentence says why."""
    found = irmeta.versus(constant_differences(topics), "mine", "bm25", test=test)
    [said] = findings(found)
    assert found["p"].item() == pytest.approx(2 / 2**topics)
    assert verdict in said
    assert "the same on every topic, so that there is no interval" in said
    assert np.isnan(found["low"].item())


def test_a_note_says_what_p_is_needed():
    """With 7 comparisons on two topics no p is below .5, and Holm's correction needs .05 / 7."""
    rng = np.random.default_rng(0)
    many = cube(rng.random((8, 2, 1)), list("abcdefgh"), ["1", "2"], ["AP"])
    [note] = [
        note
        for note in irmeta.about(irmeta.versus(many, "a", test="permutation"))["notes"]
        if "nothing can be significant" in note
    ]
    assert "no p is below 0.5, and holm's correction for 7 comparisons" in note
    assert "needs less than 0.0071" in note
    assert "no p is below 0.5, and alpha is 0.05" in " ".join(
        irmeta.about(irmeta.versus(many, "a", "b", test="permutation"))["notes"]
    )


@pytest.mark.parametrize("correct", ["holm", "dunnett", "none", None])
def test_intervals_stay_within_the_metrics_range(correct):
    """Of scores of P@10 no difference exceeds 1, nor does an interval."""
    drawn = np.random.default_rng(1).integers(0, 2, (4, 3, 1)).astype(float)
    few = cube(drawn, SYSTEMS, ["1", "2", "3"], ["P@10"])
    test = "permutation" if correct else "max-t"
    found = irmeta.versus(few, "mine", test=test, correct=correct, resamples=200)
    assert np.nanmin(found["low"]) >= -1
    assert np.nanmax(found["high"]) <= 1
    assert np.nanmax(found["high"] - found["low"]) > 1


def test_a_small_difference_is_not_written_as_zero():
    """A significant difference of .0003 has a fourth decimal, and so have the ends of its interval."""
    mine = np.random.default_rng(0).random(30)
    other = mine - 0.0003 - 0.00001 * np.sin(np.arange(30))
    values = np.stack([mine, other])[..., None]
    made = cube(values, ["a", "b"], [str(one) for one in range(30)], ["score"])
    said = findings(irmeta.versus(made, "a", "b", test="t"))[0]
    assert said.startswith("a scores .0003 more than b by score, a significant")
    assert "interval +.0003 to +.0003" in said


def test_a_small_difference_on_a_topic_keeps_its_sign():
    """A topic on which a system is .0002 worse is not among the worst as +.000; one without a difference is +.000."""
    values = np.array([[0.1970, 0.3, 0.6], [0.1972, 0.3, 0.5]])[..., None]
    made = cube(values, ["a", "b"], ["1", "2", "3"], ["AP"])
    views = overview(irmeta.versus(made, "a", "b", test="t"))
    (topics,) = (one for title, one in views.items() if "worst" in title)
    assert dict(zip(topics["topic"], topics["diff."], strict=True)) == {
        "1": "-.0002",
        "2": "+.000",
        "3": "+.100",
    }


def _golden(wins, losses, topics=51):
    """Two systems on questions answered right or wrong."""
    mine = np.zeros(topics)
    theirs = np.zeros(topics)
    mine[:wins] = 1
    theirs[wins : wins + losses] = 1
    both = np.stack([mine, theirs])
    both[:, wins + losses :: 2] = 1  # both are right on every second other question
    names = [str(at) for at in range(topics)]
    return cube(both[..., None], ["mine", "bm25"], names, ["success"])


def _conversations(ahead, behind, clusters=17, size=3):
    """Two systems on conversations, in some of which one is alone right on the first turn; the rest are alike."""
    right = np.zeros((2, clusters, size))
    right[0, :ahead, 0] = right[1, ahead : ahead + behind, 0] = 1
    right[:, :, 1] = np.arange(clusters) % 2
    turns = [f"{at}_{turn}" for at in range(clusters) for turn in range(size)]
    made = cube(right.reshape(2, -1, 1), ["mine", "bm25"], turns, ["success"])
    return with_clusters(made, "stem")


def test_scores_of_0_and_1_over_clusters_are_told_in_clusters():
    """The exact sign test over clusters says how many must go one way, a t test what their spread lets see."""
    found = irmeta.versus(_conversations(7, 3), "mine", "bm25", test="sign")
    # 9 to 1 has p = .021, 8 to 2 .109; the sd of 7 times 1/3, 3 times -1/3 and 7 times 0 is .2508, and statsmodels'
    # TTestPower has an effect of .7239 for 17
    said = (
        "Scores are 0 or 1, and the two differ on 10 of 17 clusters: 9 of them must go one way (exact sign test at "
        "5%); with 17 clusters the smallest difference found in 80% of samples is .18."
    )
    assert said in found.findings[0]
    assert found["p"].item() == pytest.approx(0.34375)
    assert said.replace("the two", "two typical systems") in str(
        irmeta.reliability(_conversations(7, 3)).findings[0]
    )
    assert any("wins on more clusters" in note for note in found.notes)
    few = irmeta.versus(_conversations(4, 0, clusters=5), "mine", "bm25")
    assert (
        "4 of 5 clusters: too few for a test at 5%; with 5 clusters no difference is found"
        in few.findings[0]
    )
    graded = _conversations(7, 3) * 0.5
    assert "0 or 1" not in irmeta.versus(graded, "mine", "bm25").findings[0]


def test_scores_of_0_and_1_are_told_in_flips():
    """The sentence says how many must go one way, and what these questions can see; p is McNemar's."""
    found = irmeta.versus(_golden(7, 3), "mine", "bm25", test="permutation", rng=1)
    assert (
        "Scores are 0 or 1, and the two differ on 10 of 51 topics: 9 of them must go one way (McNemar's exact test at "
        "5%); with 51 topics the smallest difference found in 80% of samples is .18."
        in found.findings[0]
    )
    assert found["p"].item() == pytest.approx(0.34375, abs=0.02)
    assert "differ on 4 of 51 topics: too few for a test at 5%; with" in str(
        irmeta.versus(_golden(4, 0), "mine", "bm25").findings[0]
    )
    graded = _golden(7, 3) * 0.5
    assert "0 or 1" not in irmeta.versus(graded, "mine", "bm25").findings[0]


def right_or_wrong(topics=12):
    """Scores of 0 and 1; the first system is right alone on 4 topics, the second on 1; the third is always wrong."""
    one = np.zeros(topics)
    one[:5] = 1
    other = np.zeros(topics)
    other[[4, 6]] = 1
    values = np.stack([one, other, np.zeros(topics)])[..., None]
    names = [str(at) for at in range(topics)]
    return cube(values, SYSTEMS[:3], names, ["P@1"], collection="made")


def test_scores_of_0_and_1_have_an_interval_of_their_own():
    """As if on one topic more each had been right by half, in `versus` and in `significance`, and a note says so."""
    made = right_or_wrong()
    found = irmeta.versus(made, "mine", "bm25")
    # 4 topics one way, 1 the other
    middle, half = 3 / 13, 1.959964 * np.sqrt((6 / 13 - 9 / 169) / 13)
    ends = [found[name].item() for name in ("low", "high")]
    assert_allclose(ends, [middle - half, middle + half], rtol=1e-6)
    pair = irmeta.significance(made).data.isel(pair=0)
    assert_allclose([pair[name].item() for name in ("low", "high")], ends)
    assert any("half of it to each system" in note for note in found.notes)


def test_systems_that_are_alike_on_0_and_1_have_an_interval():
    """Two that are wrong on all topics, and topics that one lacks; none where a median lies between 0 and 1."""
    made = right_or_wrong()
    again = made.copy()
    again[1] = again[2]
    alike = irmeta.versus(again, "bm25", "dense")
    assert_allclose(alike["high"].item(), 1.959964 * np.sqrt(1 / 13**2))
    lacking = made.where((made.system != "mine") | (made.topic != "0"))
    found = irmeta.versus(lacking, "mine", "bm25", missing="pairwise")
    assert_allclose((found["low"] + found["high"]).item() / 2, 2 / 12)
    between = irmeta.versus(made, "dense", "median")
    assert_allclose((between["low"] + between["high"]) / 2, between["difference"])


def test_each_by_itself_is_as_if_it_were_alone():
    """Without a correction max-t says of each pair what it says of it alone, which an interval without 0 does not."""
    right = np.zeros((3, 50, 1))
    right[0, :11] = right[1, 11:14] = right[2, 5:8] = 1
    made = cube(right, SYSTEMS[:3], [str(at) for at in range(50)], ["P@1"])
    found = irmeta.versus(made, SYSTEMS[0], correct="none")
    for other in SYSTEMS[1:3]:
        alone = irmeta.versus(made, SYSTEMS[0], other)
        pair = irmeta.significance(made.sel(system=[SYSTEMS[0], other]))
        one = found.sel(against=other)
        for name in ("p", "p_corrected", "low", "high", "significant"):
            assert one[name].item() == alone[name].item() == pair[name].item()
    assert (found["low"] > 0).all()
    assert found["significant"].values.ravel().tolist() == [False, True]
    together = irmeta.versus(made, SYSTEMS[0], resamples=20_000)
    assert together["p"].min() > found["p"].min()
    assert "by itself" in found.method_text
    assert "by itself" not in together.method_text


def test_each_by_itself_is_as_if_it_were_alone_on_topics_of_its_own():
    """Where comparisons lack topics of their own, too, none has other random signs than it has alone."""
    made = scores()
    for at in range(1, made.sizes["system"]):
        made[at, :at] = np.nan
    asked = {"metrics": "AP", "missing": "pairwise"}
    found = irmeta.versus(made, "mine", correct="none", **asked)
    for other in found.against.values.tolist():
        alone = irmeta.versus(made, "mine", other, **asked)
        assert found["p"].sel(against=other).item() == alone["p"].item()


def of_answers(topics):
    """Scores of 0 and 1 of four systems."""
    drawn = np.random.default_rng(1).random((4, topics, 1))
    values = (drawn < [[[0.9]], [[0.5]], [[0.5]], [[0.6]]]).astype(float)
    return cube(values, SYSTEMS, [str(one) for one in range(topics)], ["P@1"])


def test_a_note_on_an_interval_of_one_comparison_names_no_others():
    """Where the interval of one comparison excludes 0 and p does not, the note speaks of no test of several."""
    right = np.array([[1] * 6 + [0] * 6, [0] * 5 + [1] + [0] * 6], dtype=float)
    made = cube(right[..., None], SYSTEMS[:2], [str(at) for at in range(12)], ["P@1"])
    found = irmeta.versus(made, "mine", "bm25")
    assert found["low"].item() > 0
    assert found["p_corrected"].item() > 0.05
    [note] = [one for one in found.notes if "1 excludes 0" in one]
    assert "and decides" in note
    assert "together" not in note
    [told] = findings(found)
    assert (
        " The interval excludes 0, but the max-t test computes p in another way, and decides."
        in told
    )
    third = made.isel(system=[1]).assign_coords(system=["dense"])
    every = irmeta.versus(
        xr.concat([made, third], "system"), "mine", test="sign", correct="none"
    )
    assert any("and decides" in one for one in every.notes)


def test_a_note_on_intervals_of_several_names_the_correction():
    """Where p is made as the interval is, as Student's t by Holm, only the correction for all makes them disagree."""
    lead, topics = np.array([0.06, *np.zeros(6)]), 16
    mine = 0.5 + np.tile([0.1, -0.1], topics // 2)
    others = np.repeat(0.5 - lead[:, None], topics, axis=1)
    names = ["mine", *(f"s{at}" for at in range(7))]
    values = np.vstack([mine, others])[..., None]
    made = cube(values, names, [str(at) for at in range(topics)], ["AP"])
    found = irmeta.versus(made, "mine", test="t", correct="holm")
    assert found["low"].sel(against="s0").item() > 0
    assert not found["significant"].any()
    [note] = [one for one in found.notes if "without a verdict" in one]
    assert note.startswith("Each interval is for its comparison alone.")
    assert "1 excludes 0" in note
    two = irmeta.versus(made, "mine", ["s0", "s1"], test="t", correct="bonferroni")
    why = "The interval excludes 0, but p is of all 2 comparisons together, and decides"
    assert why in findings(two)[0]
    alone = irmeta.versus(made, "mine", test="t", correct="none")
    assert not any("without a verdict" in one for one in alone.notes)


@pytest.mark.parametrize("topics", [3, 5, 10])
def test_how_often_intervals_held_is_of_such_scores(topics):
    """Student's intervals of few topics held too seldom; those of scores of 0 and 1, which are others, did not."""
    plain = irmeta.versus(scores(topics), "mine", "bm25", metrics="AP").notes
    assert any("held in 88" in note for note in plain)
    answers = irmeta.versus(of_answers(topics), "mine", "bm25").notes
    assert not any(" held in " in note for note in answers)


def test_a_run_that_lacks_many_topics_is_told():
    """A run that retrieves nothing on a twentieth of the topics is told, and one of a pair on a single topic."""
    topics = [str(i) for i in range(40)]
    qrels = {topic: {"d": 1, "e": 0} for topic in topics}
    whole = {topic: {"d": 2.0, "e": 1.0} for topic in topics}
    runs = {
        "whole": {**whole, "3": {"e": 1.0}},
        "part": {topic: whole[topic] for topic in topics[:38]},
        "nearly": {topic: whole[topic] for topic in topics[:39]},
    }
    scores = irmeta.evaluate(qrels, runs, "RR")
    start, end = "Runs retrieve nothing on topics, which count as 0: ", "; leave out"
    said = f"{start}part on 2 topics{end}"
    for system, against, told in (
        ("part", "nearly", "part on 2 topics, nearly on 1 topic"),
        ("nearly", "part", "nearly on 1 topic, part on 2 topics"),
        ("nearly", "all", "part on 2 topics"),
        ("nearly", "whole", "nearly on 1 topic"),
    ):
        notes = irmeta.about(irmeta.versus(scores, system=system, against=against))[
            "notes"
        ]
        assert any(note.startswith(f"{start}{told}{end}") for note in notes)
    for study in (
        irmeta.describe,
        irmeta.significance,
        irmeta.table,
        irmeta.leaderboard,
    ):
        result = study(scores)
        assert any(note.startswith(said) for note in irmeta.about(result)["notes"])
        rest = study(irmeta.select(scores, systems=["whole", "nearly"]))
        assert not any("part" in note for note in irmeta.about(rest)["notes"])
        assert "2 runs scored 0 on topics without documents" in result.method_text
    chosen = irmeta.select(scores, topics=topics[:10])
    assert "without documents" not in irmeta.describe(chosen).method_text
    stems = dict(zip(topics, "aabbccddeeffgghhiijj" * 2, strict=True))
    grouped = irmeta.describe(with_clusters(scores, stems))
    assert any(note.startswith(said) for note in irmeta.about(grouped)["notes"])
    common = irmeta.evaluate(qrels, runs, "RR", topics="common")
    assert irmeta.about(common)["lacking"] == {"whole": 0, "part": 0, "nearly": 0}


def test_opponents_have_blanks_or_commas_between_them():
    """A blank parts two names as wherever systems are listed, and belongs to a name that has it."""
    made = scores()
    found = irmeta.versus(made, "mine", "bm25 dense")
    assert found["against"].values.tolist() == ["bm25", "dense"]
    renamed = made.assign_coords(system=["mine", "bm25", "dense 2", *SYSTEMS[3:]])
    found = irmeta.versus(renamed, "mine", "dense 2, bm25")
    assert found["against"].values.tolist() == ["dense 2", "bm25"]


@pytest.mark.parametrize(
    ("against", "options", "said"),
    [
        ("bm25", {"alpha": 0.005, "resamples": 100}, ""),
        ("all", {"alpha": 0.0005, "correct": "none"}, ""),
        ("bm25", {"alpha": 0.00005}, "with the 10000 signs of one comparison no p is"),
        ("all", {"alpha": 0.005, "resamples": 100}, "with 100 resamples no p is below"),
    ],
)
def test_resamples_that_are_not_drawn_limit_no_p(against, options, said):
    """A comparison by itself has p by fixed signs: resamples asked for neither limit it nor are told to be drawn."""
    found = irmeta.versus(scores(), "mine", against, metrics="AP", **options)
    limits = [note for note in found.notes if "nothing can be significant" in note]
    assert len(limits) == bool(said)
    assert all(note.startswith(said) for note in limits)


@pytest.mark.parametrize("study", [irmeta.significance, irmeta.table, irmeta.versus])
def test_a_single_comparison_tells_of_no_draws(study):
    """Of two systems the method of no study says that resamples were drawn."""
    two = irmeta.select(scores(), systems=["mine", "bm25"], metrics=["AP"])
    who = {"system": "mine"} if study is irmeta.versus else {}
    found = study(two, **who)
    assert irmeta.about(found)["options"]["resamples"] is None
    assert "We drew" not in found.method_text


def _with_holes() -> xr.DataArray:
    """Scores of which every system lacks some: two of mine are of the only topics of another."""
    values = np.random.default_rng(4).random((4, 6, 1))
    values[0, 5] = values[1, 2:] = values[2, 4] = values[3, 0] = np.nan
    return cube(values, ["mine", "few", "c", "d"], [f"t{n}" for n in range(6)], ["AP"])


def test_a_pair_that_shares_only_flagged_topics_is_named_with_the_reason():
    """Where too few topics stay without the flagged ones the error says that these are why."""
    made = _with_holes()
    assert irmeta.versus(made, "mine", missing="pairwise").findings
    said = "^without the flagged topics fewer than 2 topics are shared with few"
    with pytest.raises(ScoresError, match=said):
        irmeta.versus(made, "mine", missing="pairwise", without=["t0"])


def test_a_system_that_goes_with_missing_scores_is_named():
    """A system that is left out for its missing scores is not said to be unknown; what compares it is."""
    said = r"^few lacks scores and is left out \(missing='common'\); .*pairwise"
    with pytest.raises(ScoresError, match=said):
        irmeta.versus(_with_holes(), "few", missing="common")


def test_named_systems_with_all_scores_are_compared_in_clusters():
    """Holes of other systems do not matter; of the named ones they do, and what the message advises works."""
    pairs = {f"t{at}": str(at // 2) for at in range(6)}
    made = with_clusters(_with_holes(), pairs)
    filled = made.where(~made.system.isin(["mine", "c"]), made.fillna(0.5))
    for missing in ("error", "pairwise"):
        assert irmeta.versus(filled, "mine", "c", missing=missing).findings
    advised = r"missing='topics' and systems='mine,few'"
    for missing in ("error", "pairwise"):
        with pytest.raises(ScoresError, match=advised):
            irmeta.versus(made, "mine", "few", missing=missing)
    with pytest.raises(ScoresError, match=r"of topics in clusters .*missing='topics'"):
        irmeta.versus(made, "few", "mine", missing="common")
    pair = irmeta.select(made, systems=["mine", "c"])
    assert irmeta.versus(pair, "mine", "c", missing="topics").findings
    assert_others_stand_beside(filled)


def assert_others_stand_beside(scores):
    """On each cluster the best other is one of all that have its scores, also of those with holes elsewhere."""
    rest = scores.drop_sel(system="mine")
    means = rest.groupby("cluster").mean("topic", skipna=False)
    found = irmeta.versus(scores, "mine", "c")
    best = found["best"].sel(topic=means.cluster.values).transpose("topic", "metric")
    expected = means.max("system").transpose("cluster", "metric")
    np.testing.assert_allclose(best.values, expected.values)
    complete = rest.dropna("system").groupby("cluster").mean("topic").max("system")
    assert (expected > complete.transpose("cluster", "metric") + 1e-9).any()


@pytest.mark.filterwarnings("error")
def test_a_topic_that_all_others_lack_has_no_median():
    """Nothing is warned of a topic on which only the system itself has a score."""
    made = _with_holes()
    made.values[1:, 3] = np.nan
    found = irmeta.versus(made, "mine", "median", missing="pairwise")
    assert np.isnan(found["opponent"].sel(topic="t3")).all()
    assert np.isfinite(found["difference"]).all()


def test_fewer_claims_by_tests_of_all_pairs_are_counted():
    """Compared with all others a system has a note of the claims of `significance`, where these differ."""
    rng = np.random.default_rng(3)
    means = np.linspace(0.5, 0.3, 8)[:, None, None]
    names = [f"s{at}" for at in range(8)]
    made = cube(
        means + rng.normal(0, 0.1, (8, 20, 1)), names, map(str, range(20)), ["AP"]
    )
    alone = irmeta.versus(made, "s0")
    pairs = irmeta.significance(made)
    better = int(pairs["significant"].values[pairs["system_a"].values == "s0"].sum())
    assert 0 < better < int(alone["significant"].sum())
    said = f"(irmeta significance), also if it was picked by its scores, s0 is better than {better} of 7."
    assert sum(note.endswith(said) for note in alone.notes) == 1
    behind = irmeta.versus(1 - made, "s0")
    said = f"picked by its scores, s0 is worse than {better} of 7."
    assert sum(note.endswith(said) for note in behind.notes) == 1
    apart = made + 9 * (made.system == "s0")  # no test can doubt it
    for found in (irmeta.versus(apart, "s0"), irmeta.versus(made, "s0", "s6,s7")):
        assert not any("all pairs" in note for note in found.notes)


def test_what_is_judged_of_both_may_explain_a_difference():
    """Where a fifth less is judged of one's first documents, the first note says that it may be better."""
    run = {topic: {f"d{at}": 10.0 - at for at in range(10)} for topic in "1234"}
    other = {topic: {f"e{at}": 10.0 - at for at in range(10)} for topic in "1234"}
    grades = {f"d{at}": 1 for at in range(9)} | {f"e{at}": at % 2 for at in range(5)}
    made = irmeta.evaluate(dict.fromkeys("1234", grades), {"a": run, "b": other}, "P@5")
    for system, against in (("a", "b"), ("b", "a")):
        note = irmeta.versus(made, system, against).notes[0]
        assert note.startswith("Of the first 10 documents ")
        assert "so b may be better than its scores" in note
        assert "50% of b" in note
    alike = irmeta.evaluate(dict.fromkeys("1234", grades), {"a": run, "b": run}, "P@5")
    ahead = made.copy(data=made.values[::-1])
    for scores in (alike + 0.1 * (alike.system == "a"), ahead):
        found = irmeta.versus(scores, "a", "b")
        assert not any("are judged" in note for note in found.notes)


def test_the_best_of_several_variants_may_have_been_picked():
    """Of the best variant, better than a baseline, the note names the comparison that allows for the choice."""
    noise = np.random.default_rng(1).normal(0, 0.01, (4, 20, 1))
    values = np.array([0.3, 0.5, 0.6, 0.65])[:, None, None] + noise
    topics = [str(one) for one in range(20)]
    made = cube(values, ["bm25", "grid-a1", "grid-a2", "e5"], topics, ["AP"])
    said = (
        "grid-a2 has the highest mean of grid* (2 systems) by AP. If it was picked for that, too many differences seem "
        "real: system='bm25' against='grid*' corrects p for the choice."
    )
    assert said in irmeta.versus(made, "grid-a2", "bm25").notes
    for system, against in (("grid-a1", "bm25"), ("grid-a2", "e5"), ("e5", "bm25")):
        notes = irmeta.versus(made, system, against).notes
        assert not any("picked for that" in note for note in notes)
    tied = made.copy(data=values[[0, 2, 2, 3]])
    assert not any(
        "picked" in note for note in irmeta.versus(tied, "grid-a2", "bm25").notes
    )
    several = irmeta.versus(made, "grid-a2", ["e5", "bm25"]).notes
    assert any("irmeta significance (all pairs) corrects p" in note for note in several)
    named = made.assign_coords(system=["bm25", "grid-a1", "grid-a2", "gridless"])
    notes = irmeta.versus(named, "grid-a2", "bm25").notes
    assert any("against='grid-a2,grid-a1' corrects" in note for note in notes)


def test_of_two_systems_all_pairs_are_one():
    """Where there is one other system only, tests of all pairs say the same."""
    made = scores()
    made[0] = made[1] + 0.1
    found = irmeta.versus(made.isel(system=[0, 1]), "mine", metrics="AP")
    assert not any("picked" in note for note in found.notes)


def test_a_baseline_that_was_not_chosen_is_said_to_be_one():
    """Of chosen systems the error counts them, as for the system itself; it names none that is not like it."""
    rng = np.random.default_rng(0)
    names = [f"s{at}" for at in range(6)]
    made = cube(rng.random((6, 10, 1)), names, list("abcdefghij"), ["AP"])
    with pytest.raises(ScoresError, match="only 3 of 6 systems are chosen"):
        irmeta.versus(irmeta.select(made, systems=names[:3]), "s0", against="s5")
