"""Systems among everybody's, and across collections."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import irmeta
from irmeta.errors import ScoresError
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import with_clusters
from irmeta.studies.place.standing import FIGURES, standing
from irmeta.studies.place.study import place
from irmeta.studies.place.summary import findings, overview, tables

CONTRACT = [
    "collection",
    "system",
    "metric",
    "score",
    "standardized",
    "low",
    "high",
    "rank",
    "rank_low",
    "rank_high",
]


def collection(
    name,
    seed,
    systems=20,
    topics=15,
    metrics=("AP", "P@10"),
    difficulty=0.0,
    prefix="s",
):
    """A collection whose systems differ in ability; `difficulty` lowers all scores."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(-1, 1, systems)[:, None, None]
    raw = (
        ability
        - difficulty
        + rng.normal(0, 1, (1, topics, 1))
        + rng.normal(0, 0.7, (systems, topics, len(metrics)))
    )
    scores = 1 / (1 + np.exp(-raw))
    names = [f"{prefix}-{chr(97 + i)}" for i in range(systems)]
    return cube(
        scores,
        names,
        [f"{name}-{topic}" for topic in range(topics)],
        metrics,
        collection=name,
    )


def _conversations(seed=0, alike=0.5, systems=30):
    """Systems on eight conversations of three turns, whose scores are alike by conversation."""
    rng = np.random.default_rng(seed)
    own = np.sqrt(alike) * rng.normal(size=(systems, 8)).repeat(3, axis=1)
    own = own + np.sqrt(1 - alike) * rng.normal(size=(systems, 24))
    scores = 0.5 + 0.1 * own + 0.1 * rng.normal(size=24)
    names = [f"s{at}" for at in range(systems)]
    turns = [f"{at // 3}_{at}" for at in range(24)]
    return cube(scores[..., None], names, turns, ["x"], collection="talk")


def test_the_best_come_first_with_figures_as_in_sentences():
    """Systems are shown by their standing, whatever their order; cells are written as the sentences write them."""
    everybody = collection("one", 0, metrics=("AP",))
    outcome = place(everybody, on=everybody)
    shown = overview(outcome)["systems"]
    rows = tables(outcome)["systems"].sort("rank", maintain_order=True)
    assert shown["system"].to_list() == rows["system"].to_list()
    best = rows.row(0, named=True)
    ends = f"{short(best['low'], 3)} to {short(best['high'], 3)}"
    assert shown["standardized"][0] == f"{short(best['standardized'], 3)} ({ends})"


def test_conversations_are_what_varies():
    """Differences of placed systems are of conversations, tested with seven degrees of freedom; means stay."""
    plain = _conversations()
    made = with_clusters(plain, "stem")
    found, before = (
        place(one.isel(system=slice(2)), on=one.isel(system=slice(2, None)))
        for one in (made, plain)
    )
    for name in ("score", "standardized", "difference", "percentile"):
        np.testing.assert_allclose(found[name], before[name], atol=1e-12)
    standardized = standardization.apply(
        made.isel(system=slice(2)),
        standardization.fit(plain.isel(system=slice(2, None))),
    )
    values = standardized.values[..., 0].reshape(2, 8, 3).mean(axis=2)
    error = (values[0] - values[1]).std(ddof=1) / np.sqrt(8)
    # what the factors add to a difference is small, and the same in both
    half = (found["difference_high"] - found["difference_low"]).item() / 2
    assert half == pytest.approx(2.364624 * error, rel=0.05)
    assert [one for one in found.notes if "clusters, not topics, count" in one]
    alone = with_clusters(plain, {str(name): str(name) for name in plain.topic.values})
    same = place(alone.isel(system=slice(2)), on=plain.isel(system=slice(2, None)))
    np.testing.assert_array_equal(same["low"], before["low"])


def test_the_standardized_score_is_that_of_standardize_apply():
    """Raw and standardized means are those of the cube, and the interval lies around them."""
    everybody = collection("A", 0)
    own = everybody.isel(system=[2, 17])
    found = tables(place(own, on=everybody))["systems"]
    assert found.columns[: len(CONTRACT)] == CONTRACT
    expected = (
        standardization.apply(own, standardization.fit(everybody))
        .mean("topic")
        .values.ravel()
    )
    assert found["standardized"].to_numpy() == pytest.approx(expected)
    assert found["score"].to_numpy() == pytest.approx(own.mean("topic").values.ravel())
    assert (found["low"] < found["standardized"]).all()
    assert (found["standardized"] < found["high"]).all()


def test_a_system_is_placed_by_those_it_beats_on_the_same_topics():
    """The percentile counts lower means; its ends count paired tests on standardized scores."""
    everybody = collection("A", 1)
    row = tables(place(everybody.isel(system=[12]), on=everybody, metrics="AP"))[
        "systems"
    ].row(0, named=True)
    scores = (
        standardization.apply(everybody, standardization.fit(everybody))
        .sel(metric="AP (std.)")
        .values
    )
    means = scores.mean(axis=1)
    assert row["percentile"] == 100 * ((means < means[12]).sum() + 0.5) / 20
    worse = sum(
        stats.ttest_rel(scores[12], one).pvalue < 0.01 and one.mean() < means[12]
        for i, one in enumerate(scores)
        if i != 12
    )
    assert row["percentile_low"] >= 100 * worse / 20
    assert row["median_score"] == pytest.approx(
        np.median(everybody.sel(metric="AP").mean("topic"))
    )


def test_factors_place_a_system_nearly_as_everybodys_scores_do():
    """Factors keep means and variances only: percentiles are the same, their ends within a tenth of the systems."""
    everybody = collection("A", 2, systems=40, topics=40)
    by_scores, by_factors = (
        place(everybody, on=known)
        for known in (everybody, standardization.fit(everybody))
    )
    np.testing.assert_allclose(by_factors["percentile"], by_scores["percentile"])
    for name in ("percentile_low", "percentile_high"):
        assert np.abs(by_factors[name] - by_scores[name]).max() <= 10
    assert any("unpaired" in note for note in about(by_factors)["notes"])
    assert not any("unpaired" in note for note in about(by_scores)["notes"])


def test_systems_of_different_collections_are_compared_on_topics_of_their_own():
    """The difference is that of standardized means; a hard collection does not make its systems worse."""
    easy, hard = (
        collection("easy", 3, prefix="a"),
        collection("hard", 4, difficulty=2.0, prefix="b"),
    )
    cubes = {"easy": easy.isel(system=[10]), "hard": hard.isel(system=[10, 19])}
    outcome = place(cubes, on={"easy": easy, "hard": hard}, metrics="AP")
    pairs = tables(outcome)["pairs"]
    assert pairs.height == 3
    same, other = (
        pairs.filter(collection_b="hard", system_b=name).row(0, named=True)
        for name in ("b-k", "b-t")
    )
    own = tables(outcome)["systems"]["standardized"]
    assert same["difference"] == pytest.approx(own[0] - own[1])
    assert same["raw_difference"] > 0.2
    assert same["p"] > 0.05
    assert other["difference_high"] < 0
    assert other["p"] < 0.001
    assert tables(outcome)["systems"]["rank_low"].to_list() == [2, 2, 1]
    assert any(
        "b-t on hard stands higher among the systems of its collection than a-k on easy: standardized difference +"
        in line
        for line in findings(outcome)
    )


def test_of_many_systems_the_best_of_each_collection_are_compared():
    """Whoever places all systems asks of the best, and not of the pair that differs most."""
    ours, everybody = company(1.0)
    told = findings(place(everybody, on=everybody))
    best = {
        name: max(one.system.values, key=lambda system: one.sel(system=system).mean())
        for name, one in everybody.items()
    }
    across = [line for line in told if "among the systems of its collection" in line]
    assert len(across) == 1
    assert all(f"{system} on {name}" in across[0] for name, system in best.items())
    anchored = findings(place(ours, on=everybody, anchor="a,b,c,d,e"))[0]
    assert "mine on weak" in anchored


def test_a_test_never_says_that_systems_are_equal():
    """Where p is above 5% no difference is shown, and systems are not significantly different."""
    cubes = {name: collection(name, seed) for name, seed in (("A", 5), ("B", 6))}
    outcome = place(
        {name: one.isel(system=[10]) for name, one in cubes.items()},
        on=cubes,
        metrics="AP",
    )
    told = findings(outcome)
    assert tables(outcome)["pairs"]["p"][0] > 0.05
    assert "no significant difference between s-k on A and s-k on B" in told[0]
    assert "company" not in told[0]  # the same systems standardize both
    assert "not significantly different" in told[1]
    assert not any("do not differ" in line for line in told)


def test_factors_widen_the_interval_less_where_both_have_the_same():
    """One system on two collections: standardized by the same systems its difference is surer than by others."""
    errors = []
    for prefix in ("s", "t"):
        cubes = {"A": collection("A", 5), "B": collection("B", 6, prefix=prefix)}
        outcome = place(
            {name: one.isel(system=[15]) for name, one in cubes.items()},
            on=cubes,
            metrics="AP",
        )
        row = tables(outcome)["pairs"].row(0, named=True)
        errors.append(row["difference_high"] - row["difference_low"])
    assert errors[0] < errors[1]


def test_names_that_are_numbers_are_not_taken_for_the_same_systems():
    """run1 of one collection is not run1 of another: its factors are other systems'."""
    cubes = {name: collection(name, seed) for name, seed in (("A", 5), ("B", 6))}
    numbered = {
        name: one.assign_coords(
            system=np.array([f"run{i}" for i in range(20)], dtype=object)
        )
        for name, one in cubes.items()
    }
    widths = []
    for known in (cubes, numbered):
        outcome = place(
            {name: one.isel(system=[15]) for name, one in known.items()},
            on=known,
            metrics="AP",
        )
        row = tables(outcome)["pairs"].row(0, named=True)
        widths.append(row["difference_high"] - row["difference_low"])
    assert widths[1] > widths[0]


def test_a_gain_is_measured_on_the_way_from_the_median_to_the_best():
    """What a system gains over the baseline, as a share of that way, and which side of the median the baseline is."""
    everybody = collection("A", 7)
    outcome = place(
        everybody.isel(system=[5, 18]), on=everybody, metrics="AP", baseline="s-f"
    )
    row = tables(outcome)["baseline"].row(0, named=True)
    own = tables(outcome)["systems"]
    way = own["best"][0] - own["median"][0]
    assert row["system"] == "s-s"
    assert row["gain"] == pytest.approx(own["standardized"][1] - own["standardized"][0])
    assert row["share_of_way"] == pytest.approx(row["gain"] / way)
    assert row["baseline_below_median"]
    assert row["gain_low"] < row["gain"] < row["gain_high"]
    assert any("below the median" in line for line in findings(outcome))
    assert set(overview(outcome)) == {"systems", "baseline"}


def test_a_run_by_another_name_counts_twice_and_is_named():
    """A system with the scores of one of everybody's is said to be perhaps that one; one of its name is that one."""
    everybody = collection("A", 7)
    again = everybody.isel(system=[5, 6])
    again = again.assign_coords(system=["mine", str(again.system.values[1])])
    found = place(again, on=everybody)
    [note] = [one for one in about(found)["notes"] if "count twice" in one]
    assert f"mine has the scores of {everybody.system.values[5]} on every topic" in note


def test_what_is_lost_is_no_part_of_the_way():
    """A system below its baseline is not held against the way from the median up."""
    everybody = collection("A", 7)
    said = {
        base: " ".join(
            findings(
                place(
                    everybody.isel(system=[5, 18]),
                    on=everybody,
                    metrics="AP",
                    baseline=base,
                )
            )
        )
        for base in ("s-f", "s-s")
    }
    assert "s-s gains +." in said["s-f"]
    assert "from the median to the best it is" in said["s-f"]
    assert "s-f differs by -." in said["s-s"]
    assert "from the median to the best" not in said["s-s"]


def test_the_baseline_may_stand_first_or_last():
    """A gain has the same sign wherever the baseline stands among the systems."""
    everybody = collection("A", 8)
    rows = [
        tables(
            place(
                everybody.isel(system=order), on=everybody, metrics="AP", baseline="s-f"
            )
        )["baseline"].row(0)
        for order in ([5, 18], [18, 5])
    ]
    assert rows[0] == pytest.approx(rows[1])


def test_means_of_a_leaderboard_place_a_system_without_tests():
    """By everybody's means alone a system has score and percentile, as by all scores; there is no interval or test."""
    everybody = collection("A", 12)
    own = everybody.isel(system=[3, 12])
    by_topic = tables(place(own, on=everybody, metrics="AP"))["systems"]
    only = everybody.mean("topic", keep_attrs=True).expand_dims(topic=["all"], axis=1)
    outcome = place(own, on=only, metrics="AP", baseline="s-d")
    rows = tables(outcome)["systems"]
    means = everybody.sel(metric="AP").mean("topic").values
    assert rows["percentile"].to_list() == [
        100 * ((means < means[i]).sum() + 0.5) / 20 for i in (3, 12)
    ]
    for name in ("score", "median_score", "best_score"):
        assert rows[name].to_list() == pytest.approx(by_topic[name].to_list())
    for name in (
        "low",
        "high",
        "percentile_low",
        "percentile_high",
        "not_different",
        "surely_better",
        "rank_low",
    ):
        assert rows[name].null_count() == 2
    assert tables(outcome)["pairs"]["p"].null_count() == 1
    assert any("only the means" in note for note in about(outcome)["notes"])
    assert "percentile" in findings(outcome)[0]
    assert "significantly" not in findings(outcome)[0]
    assert overview(outcome)["systems"].height == 2
    with pytest.raises(ScoresError, match="cannot be compared across collections"):
        place({"A": own, "B": own}, on={"A": only, "B": everybody}, metrics="AP")


@pytest.mark.parametrize("what", ["factors", "scores", "means", "some topics"])
def test_standing_says_what_place_says(what):
    """Without the comparison of systems with each other the figures are the same, to the last bit."""
    every = collection("A", 12)
    own = every.isel(system=[3, 12, 12, 0])
    own = own.assign_coords(system=["a", "b", "same as b", "c"])
    if what == "scores":
        on = every
    elif what == "means":
        on = every.mean("topic", keep_attrs=True)
        on = on.expand_dims(topic=["all"], axis=1)
    else:
        on = standardization.fit(every)
    if what == "some topics":
        own = own.isel(topic=slice(2, None))
    found, placed = standing(own, on=on), place(own, on=on)
    for name in FIGURES:
        theirs = placed[name].values
        np.testing.assert_array_equal(found[name].values, theirs)
    one = standing(own, on=on, metrics="AP")
    np.testing.assert_array_equal(one["low"].values[:, 0], found["low"].values[:, 0])


def test_of_many_pairs_the_clearest_are_shown():
    """Of the pairs of many systems the overview shows the 20 with the smallest p; tables hold all."""
    everybody = collection("A", 13)
    outcome = place(everybody, on=everybody, metrics="AP")
    assert tables(outcome)["pairs"].height == 190
    shown = overview(outcome)["pairs: the clearest 20 of 190"]
    assert (
        shown["p"].to_list() == tables(outcome)["pairs"]["p"].sort().head(20).to_list()
    )


def test_plain_scores_and_standardized_ones_are_told_apart():
    """The median and the best of plain scores are those of a leaderboard, and the sentence says which are which."""
    everybody = collection("A", 14)
    told = findings(place(everybody.isel(system=[4]), on=everybody, metrics="AP"))[0]
    means = everybody.sel(metric="AP").mean("topic").values
    assert (
        f"By plain AP, their median is {short(np.median(means), 3)}, their best {short(means.max(), 3)}"
        in told
    )
    assert "by standardized scores, percentile" in told
    rank = 1 + int((means > means[4]).sum())
    assert f"AP {short(means[4], 3)} (rank {rank} of 20), standardized" in told
    [shown] = overview(
        place(everybody.isel(system=[4]), on=everybody, metrics="AP")
    ).values()
    assert shown.columns == ["system", "score", "rank", "standardized", "percentile"]
    assert shown["rank"].to_list() == [rank]


@pytest.mark.parametrize("beaten", [0, 1, 19])
def test_a_new_run_is_ranked_as_one_more(beaten):
    """A run of nobody's is one of 21, wherever it stands among 20, with factors, too."""
    everybody = collection("A", 14)
    means = np.sort(everybody.sel(metric="AP").mean("topic").values)
    goal = (np.insert(means, 0, 0)[beaten] + means[beaten]) / 2
    mine = everybody.isel(system=[4]).assign_coords(system=["mine"])
    mine = (mine * 0 + goal).assign_attrs(everybody.attrs)
    for on in (everybody, standardization.fit(everybody)):
        said = findings(place(mine, on=on, metrics="AP"))[0]
        assert f"(rank {21 - beaten} of 21)" in said


def test_a_run_of_everybody_s_is_ranked_once():
    """One of 20, whose file is named as a run is, stays one of 20."""
    everybody = collection("A", 14)
    name = str(everybody.system.values[4])
    mine = everybody.isel(system=[4]).assign_coords(system=[f"input.{name}.run"])
    for on in (everybody, standardization.fit(everybody)):
        found = tables(place(mine, on=on, metrics="AP"))["systems"]
        assert found["ranked"].to_list() == [20]


def test_of_many_systems_the_best_are_spoken_of():
    """The four best of twenty have a sentence; what everybody's systems score is said once."""
    everybody = collection("A", 11)
    outcome = place(everybody, on=everybody, metrics="AP")
    told = findings(outcome)
    best = tables(outcome)["systems"].sort("rank")["system"].head(4)
    assert [line.split(" on A")[0] for line in told] == best.to_list()
    assert ["By plain AP" in line for line in told] == [True, False, False, False]


def test_few_standardizing_systems_are_said():
    """With fewer than 40 standardizing systems, a note says how often intervals held."""
    for systems, said in ((20, True), (40, False)):
        everybody = collection("A", 15, systems=systems)
        notes = about(place(everybody.isel(system=[4]), on=everybody, metrics="AP"))[
            "notes"
        ]
        assert any("across collections held in" in note for note in notes) == said


def test_factors_of_ap_place_scores_of_ap_at_1000():
    """AP asked for, and no metric asked for, place by AP@1000 as factors of AP do, with a note."""
    everybody = collection("A", 9)
    factors = standardization.fit(everybody)
    own = everybody.isel(system=[3])
    deep = own.assign_coords(metric=["AP@1000", "nDCG@7"])
    expected = tables(place(own, on=factors, metrics="AP"))["systems"]
    for metrics in ("AP", None):
        outcome = place(deep, on=factors, metrics=metrics)
        found = tables(outcome)["systems"]
        assert found["metric"].to_list() == ["AP@1000"]
        assert found.drop("metric").equals(expected.drop("metric"))
        assert any("AP@1000 is standar" in note for note in about(outcome)["notes"])
    both = own.assign_coords(metric=["AP@1000", "P@10"])
    notes = about(place(both, on=factors, metrics="P@10"))["notes"]
    assert not any("AP@1000" in note for note in notes)


def test_some_topics_give_a_score_and_no_place():
    """With a part of the factors' topics there is a standardized score with interval, but no percentile."""
    everybody = collection("A", 9)
    outcome = place(
        everybody.isel(system=[3], topic=slice(8)),
        on=standardization.fit(everybody),
        metrics="AP",
    )
    row = tables(outcome)["systems"].row(0, named=True)
    assert row["percentile"] is None
    assert row["low"] < row["standardized"] < row["high"]
    assert any(
        "8 of the factors' 15 topics" in note for note in about(outcome)["notes"]
    )
    assert "percentile" not in findings(outcome)[0]


def company(strength, gap=0.0, seed=20):
    """Place a system on two collections, the second of stronger systems: everybody's, and those that are on both."""
    weak = collection("weak", seed, systems=60, topics=40, metrics=("AP",), prefix="w")
    strong = collection(
        "strong",
        seed + 1,
        systems=60,
        topics=40,
        metrics=("AP",),
        difficulty=-strength,
        prefix="t",
    )
    both = [10, 20, 30, 40, 50]
    ours = {}
    for name, every in (("weak", weak), ("strong", strong)):
        logit = np.log(every.values / (1 - every.values))
        # as strong as on the other collection, where all others are stronger by `strength`
        logit = logit - (strength if name == "strong" else 0)
        logit[35] += gap if name == "strong" else 0
        own = every.copy(data=1 / (1 + np.exp(-logit))).isel(system=[35, *both])
        ours[name] = own.assign_coords(system=["mine", *"abcde"])
    return ours, {"weak": weak, "strong": strong}


def test_holes_of_everybody_count_on_the_topics_asked_for_only():
    """Holes of everybody's on other topics do no harm; on these the user chooses, as if systems had been left out."""
    full = collection("mine", 5)
    own = full.isel(system=[4], topic=range(8))
    elsewhere = full.copy(deep=True)
    elsewhere[7, 10] = np.nan
    assert place(own, on=elsewhere)["percentile"].notnull().all()
    holed = elsewhere.copy(deep=True)
    holed[2, 3] = np.nan
    with pytest.raises(ScoresError, match="of everybody's systems, 2 of 320 scores"):
        place(own, on=holed)
    outcome = place(own, on=holed, missing="systems")
    before = place(own, on=full.isel(topic=range(8)).drop_sel(system="s-c"))
    assert outcome["percentile"].values == pytest.approx(before["percentile"].values)
    assert any("dropped 1 of 20 systems" in line for line in about(outcome)["notes"])
    other = full.copy(deep=True)
    other.loc["s-c", "mine-3", "P@10"] = np.nan
    assert place(own, on=other, metrics="AP")["percentile"].notnull().all()
    averages = full.mean("topic").expand_dims(topic=["all"], axis=1)
    averages.loc["s-c", "all", "AP"] = np.nan
    with pytest.raises(ScoresError, match="of everybody's systems, 1 of 40 scores"):
        place(own, on=averages)
    fewer = place(own, on=averages, missing="systems")
    assert any("dropped 1 of 20 systems" in line for line in about(fewer)["notes"])
    topics = place(own, on=holed, missing="topics")
    assert about(topics)["inputs"]["collections"]["mine"]["topics"] == 7


def test_anchors_take_the_company_out():
    """Among stronger systems an unchanged one stands lower; its gain over anchors stays, and they show the drift."""
    ours, everybody = company(1.0)
    outcome = place(ours, on=everybody, anchor="a,b,c,d,e")
    views = tables(outcome)
    [own] = views["anchored"].to_dicts()
    [drift] = views["drift"].to_dicts()
    mine = views["systems"].filter(system="mine")["standardized"]
    assert mine[0] - mine[1] > 0.25
    assert own["system_a"] == own["system_b"] == "mine"
    assert own["anchored"] == pytest.approx(own["gain_a"] - own["gain_b"])
    assert own["anchored_p"] > 0.05
    assert own["anchored_low"] < 0 < own["anchored_high"]
    assert drift["systems"] == 5
    assert drift["drift_low"] > 0.15
    [told] = [line for line in findings(outcome) if "Measured from 5" in line]
    assert (
        "mine on weak stands higher among the systems of its collection than mine on strong: standardized difference +"
        in told
    )
    assert "there is no significant difference" in told
    assert "so the systems of strong are the stronger company" in told


def test_anchors_find_a_system_that_is_better():
    """A system that gained on its anchors stands higher by them, though it stands lower among stronger company."""
    ours, everybody = company(1.0, gap=1.5)
    outcome = place(ours, on=everybody, anchor=["a", "b", "c", "d", "e"])
    told = findings(outcome)[0]
    [own] = tables(outcome)["anchored"].to_dicts()
    assert own["anchored_high"] < 0
    assert "Measured from 5 anchors, mine on strong stands higher" in told


def test_one_anchor_is_no_verdict():
    """One anchor gives gains and their interval by topics, and says why that decides nothing."""
    ours, everybody = company(1.0, gap=1.5)
    told = findings(place(ours, on=everybody, anchor="c"))[0]
    assert "Measured from 1 anchor it is no verdict" in told
    assert "Name 2 or more" in told


def test_where_the_company_differs_the_sentence_says_so():
    """Beside who stands higher are the two fields, how many systems are in both, and how to measure without them."""
    ours, everybody = company(1.0)
    only = {name: one.isel(system=[0]) for name, one in ours.items()}
    told = findings(place(only, on=everybody))[0]
    assert "The company differs (weak: 60 systems; strong: 60 systems; none of" in told
    assert "--anchor NAME" in told


def test_systems_of_one_name_in_both_fields_show_a_drift():
    """The drift is the mean fall of the systems named alike, with Student's t over them."""
    ours, everybody = company(1.0)
    named = {
        name: one.assign_coords(
            system=[*("both x", "both y", "both z"), *one.system.values[3:]]
        )
        for name, one in everybody.items()
    }
    only = {name: one.isel(system=[0]) for name, one in ours.items()}
    [drift] = tables(place(only, on=named))["drift"].to_dicts()
    means = [
        standardization.apply(one, standardization.fit(one)).values[:3, :, 0].mean(1)
        for one in named.values()
    ]
    fall = stats.ttest_1samp(means[0] - means[1], 0).confidence_interval()
    assert drift["systems"] == 3
    assert drift["drift"] == pytest.approx((means[0] - means[1]).mean(), abs=1e-5)
    assert [drift["drift_low"], drift["drift_high"]] == pytest.approx(fall, abs=1e-5)


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        ("a,x", "anchor 'x' has no scores on weak"),
        ("a=b=c", "needs one name, or one for each of 2 collections"),
        ("a=", "needs one name, or one for each of 2 collections"),
    ],
)
def test_anchors_that_are_not_there_are_refused(anchor, says):
    """An anchor has scores on every collection, and one name or one for each."""
    ours, everybody = company(0.0)
    with pytest.raises(ScoresError, match=says):
        place(ours, on=everybody, anchor=anchor)
    with pytest.raises(ScoresError, match="an anchor ran on two collections"):
        place(ours["weak"], on=everybody["weak"], anchor="a")


def test_anchors_may_have_other_names_on_the_other_collection():
    """One name for each collection names the same system as one name for both."""
    ours, everybody = company(0.5)
    renamed = ours["strong"].assign_coords(system=["mine", *"vwxyz"])
    outcome = place(
        {"weak": ours["weak"], "strong": renamed}, on=everybody, anchor="a=v, b=w"
    )
    expected = place(ours, on=everybody, anchor="a,b")
    assert outcome["drift"].item() == expected["drift"].item()
    first = tables(outcome)["anchored"].filter(system_a="mine", system_b="mine")
    same = tables(expected)["anchored"].filter(system_a="mine", system_b="mine")
    assert first.equals(same)


def test_what_cannot_be_compared_is_refused():
    """No factors of a collection or metric, standardized scores, factors of an older irmeta, an unknown baseline."""
    everybody = collection("A", 10)
    factors, own = standardization.fit(everybody), everybody.isel(system=[0])
    with pytest.raises(
        ScoresError, match="no factors for the collection 'A'; did you mean AB"
    ):
        place(own, on={"AB": factors})
    with pytest.raises(
        ScoresError, match="of these scores: P@10; they have AP: evaluate"
    ):
        place(own, on=factors.sel(metric=["AP"]), metrics="AP P@10")
    with pytest.raises(ScoresError, match="already standardized"):
        place(standardization.apply(own, factors), on=factors)
    with pytest.raises(ScoresError, match="fit them again"):
        place(own, on=factors.drop_attrs())
    with pytest.raises(ScoresError, match="the baseline 'bm25' has no scores"):
        place(own, on=factors, baseline="bm25")
    with pytest.raises(ScoresError, match="no metric in common"):
        place(
            own.sel(metric=["AP"]),
            on=standardization.fit(everybody.sel(metric=["P@10"])),
        )


def test_teams_make_intervals_wider():
    """Systems of one team resemble each other: with teams the factors are less certain."""
    everybody = collection("A", 11, systems=24)
    teams = {
        str(name): f"team{i // 4}" for i, name in enumerate(everybody.system.values)
    }
    own = everybody.isel(system=[20])
    widths = [
        (outcome["high"] - outcome["low"]).values
        for outcome in (
            place(own, on=standardization.fit(everybody, teams=groups))
            for groups in (None, teams)
        )
    ]
    assert (widths[1] > widths[0]).all()


def test_tables_have_no_nan():
    """Missing figures are null in every table."""
    everybody = collection("A", 12)
    for view in tables(
        place(everybody.isel(system=[0, 4]), on=everybody, baseline="s-a")
    ).values():
        floats = view.select(pl.selectors.float())
        assert (
            floats.select(pl.all().is_nan().any().fill_null(value=False)).row(0)
            == (False,) * floats.width
        )


def test_intervals_of_standardized_scores_stay_between_0_and_1():
    """A system worse than all others on each of few topics has an interval that ends at 0, as its score may."""
    drawn = np.random.default_rng(2).random((12, 4, 1))
    drawn[0] = [[0.0], [0.0], [0.0], [0.3]]
    names, topics = [f"s{at}" for at in range(12)], ["1", "2", "3", "4"]
    every = cube(drawn, names, topics, ["AP"], collection="made")
    for found in (irmeta.standing(every, on=every), irmeta.place(every, on=every).data):
        assert found["low"].min() == 0
        assert found["high"].max() <= 1
