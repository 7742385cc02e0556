import re

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, ttest_ind

from irmeta.errors import ScoresError
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.standardizing import comparability
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.comparison.summary import findings, tables

CONTRACT = [
    "collection_a",
    "collection_b",
    "metric",
    "kind",
    "drmse",
    "false_positives",
    "systems",
    "quantile",
]


def collection(name, seed, systems=10, topics=12, shift=0.0, metrics=("AP",)):
    drawn = (
        np.random.default_rng(seed).beta(1, 2, size=(systems, topics, len(metrics)))
        + shift
    )
    drawn += np.linspace(0, 0.5, systems)[:, None, None]
    return cube(
        drawn,
        [f"s{i}" for i in range(systems)],
        [str(t) for t in range(topics)],
        metrics,
        collection=name,
    )


def three():
    return {name: collection(name, seed) for seed, name in enumerate(["A", "B", "C"])}


def test_every_pair_metric_and_kind_has_a_row_with_its_figures():
    """DRMSE and false positives of each pair are those of its two score matrices, raw and standardized."""
    pairs = tables(compare(three(), kinds=("raw", "normal"), partitions=50))["pairs"]
    assert pairs.columns[: len(CONTRACT)] == CONTRACT
    assert pairs.height == 3 * 2
    for row in pairs.iter_rows(named=True):
        a, b = (three()[row[side]] for side in ("collection_a", "collection_b"))
        if row["kind"] == "normal":
            a, b = (
                standardization.apply(one, standardization.fit(one)) for one in (a, b)
            )
        a, b = a.values[..., 0], b.values[..., 0]
        assert np.isclose(
            row["drmse"],
            comparability.drmse(a.mean(axis=1), b.mean(axis=1)),
            atol=1e-12,
        )
        assert row["false_positives"] == comparability.differs_from_itself(a, b).sum()
        assert row["systems"] == 10


def test_each_system_is_set_beside_itself():
    """A row a system gives its difference between two collections and the p value of SciPy's two-sample t test."""
    outcome = compare(three(), kinds=("raw",), partitions=50)
    rows = tables(outcome)["systems"].filter(collection_a="A", collection_b="C")
    assert rows.height == 10
    assert rows["difference"].abs().is_sorted(descending=True)
    a, c = (
        three()[name].sel(system=rows["system"].to_list()).values[..., 0]
        for name in "AC"
    )
    expected = ttest_ind(a, c, axis=1)
    np.testing.assert_allclose(
        rows["difference"], a.mean(axis=1) - c.mean(axis=1), atol=1e-12
    )
    np.testing.assert_allclose(rows["p"], expected.pvalue, atol=1e-12)
    interval = expected.confidence_interval(0.95)
    np.testing.assert_allclose(rows["low"], interval.low, atol=1e-12)
    np.testing.assert_allclose(rows["high"], interval.high, atol=1e-12)
    differs = (
        tables(outcome)["pairs"]
        .filter(collection_a="A", collection_b="C")["false_positives"]
        .item()
    )
    assert rows["differs"].sum() == differs


def test_rmse_and_the_geometric_form_stand_beside_drmse():
    """RMSE is in the unit of the scores; the geometric form divides it by the root of the product of both spreads."""
    row = tables(compare(three(), kinds=("raw",), partitions=10))["pairs"].row(
        0, named=True
    )
    a, b = (three()[name].values[..., 0].mean(axis=1) for name in "AB")
    rmse = np.sqrt(((a - b) ** 2).mean())
    assert np.isclose(row["rmse"], rmse)
    assert np.isclose(
        row["drmse_geometric"], rmse / np.sqrt(a.std(ddof=1) * b.std(ddof=1))
    )


def test_a_shifted_collection_stands_out_raw_and_not_standardized():
    """A collection on which all systems score higher lies beyond random splits, and standardization removes that."""
    cubes = {
        "A": collection("A", 0, topics=40),
        "B": collection("B", 1, topics=40, shift=0.3),
    }
    pairs = tables(compare(cubes, partitions=300))["pairs"]
    raw, standardized = (
        pairs.filter(kind=kind).row(0, named=True) for kind in ("raw", "normal")
    )
    assert raw["quantile"] > 0.99
    assert raw["false_positives"] > 5
    assert standardized["drmse"] < raw["drmse"] / 2


def test_drmse_has_its_interval_over_topics():
    """The interval is that of the two score matrices; where there are too few topics there is none."""
    row = tables(compare(three(), kinds=("raw",), partitions=10))["pairs"].row(
        0, named=True
    )
    a, b = (three()[name].values[..., 0] for name in "AB")
    assert (row["drmse_low"], row["drmse_high"]) == comparability.drmse_interval(a, b)
    assert row["drmse_low"] < row["drmse"] < row["drmse_high"]
    few = {name: one.isel(topic=slice(3)) for name, one in three().items()}
    assert compare(few, partitions=10)["drmse_low"].isnull().all()


def test_rankings_of_common_systems_agree_by_tau_with_an_interval():
    """Tau-b of the common systems is SciPy's; the first finding says it with its interval, of how many systems."""
    cubes = {"A": collection("A", 0), "B": collection("B", 1, systems=8, topics=20)}
    outcome = compare(cubes, kinds=("raw",), partitions=20)
    a, b = (one.values[:8, :, 0].mean(axis=1) for one in cubes.values())
    tau, low, high = (outcome[name].item() for name in ("tau", "tau_low", "tau_high"))
    assert tau == pytest.approx(kendalltau(a, b).statistic)
    assert low < tau < high
    assert findings(outcome)[0] == (
        "By AP, A and B rank the 8 systems that they share (of 10 and 8) with tau "
        f"{short(tau)} ({short(low)} to {short(high)})."
    )


def test_systems_dropped_for_missing_scores_are_not_said_to_be_all_that_are_shared():
    """Of the 10 systems that both have, one lacks scores: 9 are ranked, and the sentence says of which 10."""
    lacking = collection("A", 0).copy()
    lacking[2, :6, 0] = np.nan
    cubes = {"A": lacking, "B": collection("B", 1)}
    outcome = compare(cubes, kinds=("raw",), partitions=20, missing="common")
    said = "By AP, A and B rank 9 of the 10 systems that they share (of 10 and 10)"
    assert findings(outcome)[0].startswith(said)
    with pytest.raises(ScoresError, match="scores are missing") as refused:
        compare(cubes, kinds=("raw",), partitions=20)
    assert "pairwise" not in str(refused.value)  # it takes none


def test_the_same_topics_are_drawn_together():
    """Topics of the same names are halved together, in whatever order they come; others are halved apart."""
    one, other = collection("A", 0), collection("B", 1)
    turned = other.isel(topic=slice(None, None, -1))
    renamed = other.assign_coords(topic=[f"b{at}" for at in range(12)])
    paired, again, apart = (
        compare({"A": one, "B": second}, kinds=("raw",), partitions=20)
        for second in (other, turned, renamed)
    )
    assert paired["tau_low"].item() == again["tau_low"].item()
    assert paired["tau_low"].item() != apart["tau_low"].item()


def test_teams_widen_the_interval_of_tau():
    """Systems of one team are one thing that varies: tau stays, its interval is another, and a note says so."""
    cubes = {name: collection(name, seed) for seed, name in enumerate("AB")}
    teams = {f"s{i}": f"t{i // 2}" for i in range(10)}
    alone, together = (
        compare(cubes, kinds=("raw",), partitions=20, teams=of)
        for of in ("each", teams)
    )
    assert alone["tau"].item() == together["tau"].item()
    assert alone["tau_low"].item() != together["tau_low"].item()
    said = "Intervals of tau treat the 5 teams, not their 10 systems, as independent"
    assert said in " ".join(about(together)["notes"])


def test_nothing_is_said_of_intervals_of_tau_where_there_are_none():
    """Tau of three systems has no interval, and so no note on what it supposes."""
    few = {name: collection(name, seed, systems=3) for seed, name in enumerate("AB")}
    outcome = compare(few, kinds=("raw",), partitions=20)
    assert outcome["tau_low"].isnull().all()
    assert "independent" not in " ".join(about(outcome)["notes"])


@pytest.mark.parametrize("topics", ["shared", "own"])
def test_a_metric_s_interval_of_tau_is_the_same_beside_others(topics):
    """What is drawn for a metric does not depend on the metrics before it, on the same topics or on others."""
    names = ("RR", "P@10", "AP")
    cubes = {name: collection(name, at, metrics=names) for at, name in enumerate("AB")}
    if topics == "own":
        cubes["B"] = cubes["B"].assign_coords(topic=[f"b{at}" for at in range(12)])
    beside, alone = (
        compare(cubes, metrics=these, kinds=("raw",), partitions=20)
        for these in (names, ["AP"])
    )
    for end in ("tau_low", "tau_high"):
        assert beside[end].sel(metric="AP").item() == alone[end].item()


def test_pairs_of_like_collections_are_seldom_named():
    """With four collections that do not differ, one in ten runs at most names a pair, by either kind of scores."""
    named = 0
    for seed in range(20):
        like = {name: collection(name, 4 * seed + at) for at, name in enumerate("ABCD")}
        said = findings(compare(like, partitions=300, rng=seed))
        named += any(line.startswith("No: ") for line in said)
    assert (
        named <= 5
    )  # a share of .1 gives more in 1 of 100 tests; uncorrected quantiles name a pair in 41 to 49%


def test_too_few_splits_are_said_to_decide_nothing():
    """With so few random splits that no quantile is small enough for six pairs, no pair is said not to differ."""
    said = findings(
        compare(
            {name: collection(name, at) for at, name in enumerate("ABCD")},
            partitions=100,
        )
    )[1]
    assert said.startswith(
        "Whether scores compare is open: by AP (raw), the random splits are too few to say"
    )


def test_names_that_tell_nothing_are_refused_unless_they_are_the_same_systems():
    """Where the shared names are only numbers, as in anonymous tables, they are compared once they are said to be."""
    named = {
        name: one.assign_coords(system=[f"run{i}" for i in range(10)])
        for name, one in three().items()
    }
    with pytest.raises(
        ScoresError, match=r"'run0' are only numbers.*same_systems=True"
    ):
        compare(named, kinds=("raw",), partitions=10)
    said = compare(named, kinds=("raw",), partitions=10, same_systems=True)
    other = compare(three(), kinds=("raw",), partitions=10)
    assert tables(said)["pairs"].equals(tables(other)["pairs"])
    named["A"] = named["A"].assign_coords(
        system=["bm25", *named["A"].system.values[1:]]
    )
    named["B"] = named["B"].assign_coords(
        system=["bm25", *named["B"].system.values[1:]]
    )
    named["C"] = named["C"].assign_coords(
        system=["bm25", *named["C"].system.values[1:]]
    )
    assert compare(named, kinds=("raw",), partitions=10)["systems"].item() == 10


def test_systems_are_matched_by_name_and_left_out_aloud():
    """Only systems that ran everywhere are compared, whatever their order; the others are counted in a note."""
    cubes = three()
    cubes["B"] = cubes["B"][::-1].isel(system=slice(0, 8))
    outcome = compare(cubes, kinds=("raw",), partitions=10)
    assert int(outcome["systems"]) == 8
    assert (
        "A: 2 systems left out that are not in every collection"
        in about(outcome)["notes"]
    )
    assert any("place --anchor NAME" in note for note in about(outcome)["notes"])
    whole = compare(three(), kinds=("raw",), partitions=10)
    assert not any("--anchor" in note for note in about(whole)["notes"])
    shared = ", ".join(outcome.system.values)
    assert any(
        f"8 systems are in every collection ({shared})" in note
        for note in about(outcome)["notes"]
    )
    kept = cubes["B"].system.values
    expected = comparability.drmse(
        *(cubes[name].sel(system=kept).mean("topic").values[:, 0] for name in "AB")
    )
    assert np.isclose(tables(outcome)["pairs"]["drmse"][0], expected, atol=1e-12)


def test_factors_come_from_all_systems_of_a_collection():
    """Systems that did not run everywhere still standardize those that did."""
    cubes = three()
    cubes["B"] = cubes["B"].isel(system=slice(0, 8))
    outcome = compare(cubes, kinds=("normal",), partitions=10)
    whole = standardization.apply(cubes["A"], standardization.fit(cubes["A"])).isel(
        system=slice(0, 8)
    )
    other = standardization.apply(cubes["B"], standardization.fit(cubes["B"]))
    expected = comparability.drmse(
        whole.mean("topic").values[:, 0], other.mean("topic").values[:, 0]
    )
    assert np.isclose(tables(outcome)["pairs"]["drmse"][0], expected, atol=1e-12)


def test_forms_name_what_is_normalised():
    """AP is the R-normalised form of SP, nDCG of DCG; other raw metrics are raw."""
    cubes = {
        name: collection(name, seed, metrics=("SP", "AP", "DCG@10", "nDCG@10", "own"))
        for seed, name in enumerate("AB")
    }
    forms = tables(compare(cubes, partitions=10))["forms"]
    named = {
        (row["metric"], row["kind"]): row["form"] for row in forms.iter_rows(named=True)
    }
    assert named["SP", "raw"] == named["DCG@10", "raw"] == named["own", "raw"] == "raw"
    assert named["AP", "raw"] == "SP, R-normalised"
    assert named["nDCG@10", "raw"] == "DCG, R-normalised"
    assert named["AP", "normal"] == "standardized"


def standardized(name, seed, kind="normal"):
    one = collection(name, seed)
    return standardization.apply(one, standardization.fit(one), kind)


def test_scores_standardized_before_are_compared_as_they_are_and_called_so():
    """Standardized cubes need no option, are not called R-normalised, and give what raw ones do with kind normal."""
    before = compare(
        {name: standardized(name, seed) for seed, name in enumerate("AB")},
        partitions=50,
    )
    after = compare(
        {name: collection(name, seed) for seed, name in enumerate("AB")},
        kinds=("normal",),
        partitions=50,
    )
    assert before.kind.values.tolist() == ["raw"]
    np.testing.assert_allclose(before["drmse"].values, after["drmse"].values)
    assert [line.replace(" (std.)", "") for line in findings(before)] == findings(after)


def test_a_metric_that_separates_no_systems_is_refused():
    """Where all systems' means are equal, but for rounding, there is no dRMSE to tell of."""
    cubes = {
        name: collection(name, seed, metrics=("AP", "NumRel"))
        for seed, name in enumerate("AB")
    }
    for scores in cubes.values():
        scores[..., 1] = 0.1
        scores[3, :, 1] = 0.1 + 1e-16
    with pytest.raises(
        ScoresError, match="NumRel does not distinguish these systems on A"
    ):
        compare(cubes, kinds=("raw",), partitions=10)


def test_the_seed_decides_and_is_recorded():
    """The same seed gives the same quantiles, another seed others."""
    one, same, other = (compare(three(), partitions=50, rng=seed) for seed in (1, 1, 2))
    assert one.identical(same)
    assert not one["drmse_quantile"].equals(other["drmse_quantile"])
    assert about(one)["options"]["seed"] == 1


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda cubes: {"A": cubes["A"]}, {}, "at least 2 collections"),
        (lambda cubes: cubes, {"partitions": 0}, "random splits"),
        (lambda cubes: cubes, {"alpha": 5}, "alpha must be between"),
        (
            lambda cubes: cubes | {"B": cubes["B"][:, :1]},
            {},
            "B has 1 topic; a t test over topics needs at least 2",
        ),
        (
            lambda cubes: cubes | {"B": cubes["B"] * 0},
            {"kinds": ["z"], "flat": "drop"},
            "B has 0 topics, once flat topics are dropped",
        ),
        (
            lambda cubes: cubes | {"B": standardized("B", 1)},
            {},
            "some collections have raw and others standardized scores: A raw, B normal, C raw",
        ),
        (
            lambda _: {"A": standardized("A", 0, "z"), "B": standardized("B", 1, "z")},
            {"kinds": ("raw", "normal")},
            r"already standardized \(z\); compare them unchanged: kinds='raw'",
        ),
        (lambda cubes: cubes, {"metrics": ["P@10"]}, "no metric 'P@10'"),
        (
            lambda cubes: cubes | {"B": cubes["B"].assign_coords(metric=["RR"])},
            {},
            "no metric in common",
        ),
        (
            lambda cubes: (
                cubes
                | {"B": cubes["B"].assign_coords(system=[f"t{i}" for i in range(10)])}
            ),
            {},
            "no system in common",
        ),
        (
            lambda cubes: cubes | {"B": cubes["B"].isel(system=[0])},
            {},
            "1 system in common",
        ),
    ],
)
def test_what_cannot_be_compared_is_an_error(change, options, words):
    """One collection, wrong options, and collections without common systems or metrics are refused with a reason."""
    with pytest.raises(ScoresError, match=words):
        compare(change(three()), **options)


def test_findings_say_which_pairs_chance_does_not_explain():
    """The answer in words names the pairs beyond what chance gives any of them, for each metric and form."""
    cubes = {
        "A": collection("A", 0, topics=40),
        "B": collection("B", 1, topics=40, shift=0.3),
    }
    _, raw, standardized = findings(compare(cubes, partitions=300))
    assert raw.startswith(
        "Scores do not compare: by AP (raw), A and B differ by more than chance explains. "
    )
    positives = int(compare(cubes, partitions=300)["false_positives"][0, 0, 0])
    assert f"{positives} of 10 systems score significantly differently" in raw
    assert " by AP (standardized, normal), " in standardized


def test_topics_on_which_no_system_scores_are_named():
    """Many topics without any score may hide a difference of collections: a note names them and what to do."""
    cubes = {"A": collection("A", 0, topics=40), "B": collection("B", 1, topics=40)}
    cubes["B"][:, :10] = 0
    cubes["A"][:, :1] = 0
    notes = about(compare(cubes, partitions=20, kinds=["raw"]))["notes"]
    [named] = [note for note in notes if "scores 0" in note]
    assert named.startswith("B, AP: every system scores 0 on 10 topics (0, 1, 2, 3")


def test_findings_of_many_metrics_are_summed_up():
    """Where there are many metrics there is a sentence for each form, which names those that are beyond chance."""
    cubes = {
        "A": collection("A", 0, topics=40),
        "B": collection("B", 1, topics=40, shift=0.3),
    }
    same = {"A": collection("A", 2, topics=40), "B": collection("B", 2, topics=40)}
    many = {
        name: xr.concat(
            [one, *(same[name].assign_coords(metric=[f"P@{k}"]) for k in range(1, 5))],
            "metric",
        )
        for name, one in cubes.items()
    }
    ranked, raw, standardized = findings(compare(many, partitions=300))
    assert re.fullmatch(
        r"By the 5 metrics, A and B rank the same 10 systems with tau \.\d\d \(AP\) to 1\.00 \(P@4\)\.",
        ranked,
    )
    assert raw.startswith(
        "Scores do not compare: by 1 of the 5 metrics (raw), some pair differs by more than chance explains: AP. "
    )
    assert standardized.startswith(
        "Scores compare, as far as these topics show: by each of the 5 metrics (normal), A and B "
    )


def test_clusters_are_what_is_drawn():
    """A system is set beside itself by scipy's t test over the means of clusters; dRMSE stays what it is."""
    plain = {name: collection(name, seed) for seed, name in enumerate("AB")}
    of = {str(topic): str(topic // 3) for topic in range(12)}
    both = {name: with_clusters(one, of) for name, one in plain.items()}
    found, over_topics = (
        compare(one, kinds=("raw",), partitions=20) for one in (both, plain)
    )
    one, other = (
        cube.values[..., 0].reshape(10, 4, 3).mean(axis=2) for cube in plain.values()
    )
    p = ttest_ind(one, other, axis=1).pvalue
    np.testing.assert_allclose(found["own_p"].values.ravel(), p)
    np.testing.assert_allclose(found["drmse"], over_topics["drmse"])
    assert "A: 12 topics come in 4 clusters" in " ".join(about(found)["notes"])
    described = about(found)["inputs"]["collections"]["A"]
    assert described["clusters"] == {"clusters": 4, "topics": 12, "mean_over": "topics"}
    assert "random splits of the clusters" in found.findings[1]
    assert "random splits of the topics" in over_topics.findings[1]


def test_one_cluster_left_is_refused_with_its_collection():
    """Flat topics that are dropped may leave one cluster; the error names the collection and how many went."""
    both = {name: collection(name, seed) for seed, name in enumerate("AB")}
    both["B"][:, 3:] = 0.5
    of = {str(topic): str(topic // 3) for topic in range(12)}
    named = {name: with_clusters(one, of) for name, one in both.items()}
    with pytest.raises(
        ScoresError, match="^B, once 9 flat topics are dropped: all topics are of one"
    ):
        compare(named, kinds=["normal"], flat="drop", partitions=20)


def test_a_single_system_in_common_is_counted() -> None:
    """The error of collections that share too few systems says that they share one."""
    first = collection("A", 0, systems=3)
    other = first.assign_coords(system=["s0", "x", "y"])
    with pytest.raises(ScoresError, match="have only 1 system in common"):
        compare({"A": first, "B": other}, metrics="AP")
