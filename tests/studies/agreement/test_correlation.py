"""Correlation between metrics: what the study says of cubes."""

import numpy as np
import pytest
import scipy.stats
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.measured.coverage import held
from irmeta.report.tables import render
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import near_one
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.selection import select, top_systems
from irmeta.studies.agreement.correlation import summary
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.correlation.summary import findings, overview, tables


def made(
    name="made",
    systems=10,
    topics=8,
    metrics=("AP", "Rprec", "RR"),
    seed=0,
    hardness=0.0,
):
    """AP and Rprec nearly agree; RR is on its own; topics differ by `hardness`."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(systems, topics, 1)) + hardness * rng.normal(
        size=(1, topics, 1)
    )
    noise = rng.normal(size=(systems, topics, len(metrics))) * (
        [0.1, 0.1] + [1.0] * (len(metrics) - 2)
    )
    names = (
        [f"{name}{i}" for i in range(systems)],
        [f"{name}{i}" for i in range(topics)],
        metrics,
    )
    return cube(shared + noise, *names, collection=name)


def test_tables_have_the_columns_of_the_contract():
    """The tables carry the columns of the contract: every pair once, every metric in one group."""
    views = tables(correlate(made()))
    assert {name: frame.columns for name, frame in views.items()} == {
        "correlation": ["metric_a", "metric_b", "r", "low", "high", "n"],
        "groups": ["group", "metric"],
        "components": [
            *("component", "share", "cumulated", "cumulated_low", "cumulated_high"),
            *("metric", "loading"),
        ],
    }
    assert views["correlation"].select("metric_a", "metric_b", "n").rows() == [
        ("AP", "Rprec", 80),
        ("AP", "RR", 80),
        ("Rprec", "RR", 80),
    ]
    assert views["groups"].rows() == [(1, "AP"), (1, "Rprec"), (2, "RR")]
    assert views["components"].height == 9


def test_levels():
    """At topic level all scores are correlated, within topics less the topic's mean, at system level the means."""
    scores = made(hardness=2.0)
    x, y = scores.values[..., 0], scores.values[..., 2]
    expected = {
        "topic": (x.ravel(), y.ravel()),
        "within-topic": ((x - x.mean(axis=0)).ravel(), (y - y.mean(axis=0)).ravel()),
        "system": (x.mean(axis=1), y.mean(axis=1)),
    }
    for level, pair in expected.items():
        found = (
            correlate(scores, unit=level)["r"].sel(metric="AP", metric_2="RR").item()
        )
        assert found == pytest.approx(
            scipy.stats.pearsonr(*pair).statistic, abs=1e-8
        ), level


def test_hard_topics_do_not_pose_as_agreement_within_topics():
    """Adding a constant to every score of a topic changes the correlation at topic level, but not within topics."""
    scores = made()
    harder = scores + np.linspace(0, 5, 8)[None, :, None]
    for level, same in (("topic", False), ("within-topic", True)):
        one, two = (correlate(s, unit=level)["r"].values for s in (scores, harder))
        assert np.allclose(one, two) == same, level


def test_noise_of_centring_does_not_break_ties():
    """Within topics, scores as far from their topic's mean tie, though the subtraction leaves noise."""
    scores = made()
    scores[..., 2] = (np.arange(10)[:, None] % 3 + np.arange(8)) / 10
    centred = np.round(
        scores.values[..., 2] - scores.values[..., 2].mean(axis=0), 10
    ).ravel()
    assert len(set(centred)) == 3
    other = np.round(
        scores.values[..., 0] - scores.values[..., 0].mean(axis=0), 10
    ).ravel()
    found = (
        correlate(scores, unit="within-topic", method="kendall")["r"]
        .sel(metric="AP", metric_2="RR")
        .item()
    )
    assert found == pytest.approx(
        scipy.stats.kendalltau(other, centred).statistic, abs=1e-12
    )


def test_interval_holds_the_estimate():
    """Each r stands within its interval; that of a metric with itself needs none."""
    outcome = correlate(made())
    inside = (outcome["low"] <= outcome["r"]) & (outcome["r"] <= outcome["high"])
    np.testing.assert_array_equal(inside, ~np.eye(3, dtype=np.bool_))
    assert np.isnan(np.diagonal(outcome["low"].values)).all()


def test_collections_are_pooled():
    """Several collections are correlated over all their system-topic pairs; metrics only some have are left out."""
    one, two = (
        made("one"),
        made("two", systems=5, metrics=("AP", "Rprec", "P@10"), seed=1),
    )
    outcome = correlate({"one": one, "two": two})
    assert outcome["metric"].values.tolist() == ["AP", "Rprec"]
    assert int(outcome["n"]) == 80 + 40
    x, y = (
        np.concatenate([one.values[..., at].ravel(), two.values[..., at].ravel()])
        for at in (0, 1)
    )
    assert outcome["r"].values[0, 1] == pytest.approx(
        scipy.stats.pearsonr(x, y).statistic
    )
    assert (
        about(outcome)["notes"][0]
        == "metrics left out because not all collections have them: P@10, RR"
    )
    assert "2 collections pooled" in about(outcome)["notes"][1]


def test_topics_of_two_collections_count_once():
    """Two collections that share topics have intervals over the topics there are, and a note says so."""
    one = made("one", topics=9)
    outcome = correlate({"human": one, "machine": one})
    alone = correlate(one)
    for end in ("low", "high"):
        np.testing.assert_allclose(outcome[end], alone[end], atol=0.02)
    assert (
        "each of 9 topics in turn (human and machine share 9 topics by name;"
        in about(outcome)["notes"][-1]
    )
    apart = correlate({"one": one, "two": made("two", topics=9, seed=1)})
    assert about(apart)["notes"][-1].endswith(
        "from leaving out each of 18 topics in turn."
    )


def test_each_collection_by_itself():
    """Each collection's figures are those of the collection alone, told apart by a column."""
    cubes = {"one": made("one"), "two": made("two", seed=1)}
    views = tables(correlate(cubes, each=True, unit="system", method="kendall"))
    for name, scores in cubes.items():
        alone = tables(correlate(scores, unit="system", method="kendall"))
        for table, frame in alone.items():
            assert views[table].filter(collection=name).drop("collection").equals(frame)
    assert next(iter(overview(correlate(cubes, each=True)))) == "correlation (one)"
    assert len(findings(correlate(cubes, each=True))) == 2 * len(
        findings(correlate({"one": cubes["one"]}, each=True))
    )


@pytest.mark.parametrize("each", [False, True])
def test_the_best_systems_of_each_collection_by_some_metrics(each):
    """Metrics and top choose as they do before the study: from each collection its own best systems."""
    cubes = {"one": made("one"), "two": made("two", seed=1)}
    chosen = {
        name: select(top_systems(scores, 0.5, "RR"), metrics=["AP", "Rprec"])
        for name, scores in cubes.items()
    }
    found = correlate(cubes, metrics="AP Rprec", top=0.5, by="RR")
    xr.testing.assert_equal(found.data, correlate(chosen).data)
    assert about(found)["options"]["top"] == 0.5


def test_collections_go_by_the_names_given():
    """Each collection has the name that the caller gives it, whatever the cube calls itself."""
    outcome = correlate(
        {"a": made("one"), "b": made("one", seed=1)}, each=True, unit="system"
    )
    assert (
        outcome["collection"].values.tolist()
        == list(about(outcome)["inputs"]["collections"])
        == ["a", "b"]
    )


def test_the_variant_is_named():
    """The coefficient stands in the options and in the notes."""
    for method, name in (
        ("kendall", "Kendall tau-b"),
        ("tau-ap", "tau_AP,b"),
        ("spearman", "Spearman rho"),
    ):
        outcome = correlate(made(), unit="system", method=method)
        assert about(outcome)["options"]["coefficient"] == name
        assert about(outcome)["notes"][-1].startswith(f"{name} over 10 system means")


def test_system_wise_tables():
    """A table of means is correlated at system level, without intervals, and refused at topic level."""
    scores = made(topics=1)
    outcome = correlate(scores, unit="system")
    assert np.isnan(outcome["low"].values).all()
    assert "no intervals" in about(outcome)["notes"][-1]
    assert "interval" not in findings(outcome)[0]
    assert "r" in render(outcome)
    with pytest.raises(
        ScoresError, match="4 topics, there is 1; to correlate system means"
    ):
        correlate(scores)


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (lambda s: s[:1], {}, "needs at least 2 systems; there is 1"),
        (lambda s: s[:, :3], {}, "needs at least 4 topics, there are 3"),
        (
            lambda s: s[:, :, :1],
            {},
            "at least 2 metrics common to all collections; only AP is",
        ),
        (
            lambda s: s.where(s["metric"] != "RR", 0.3),
            {},
            "RR does not distinguish these systems",
        ),
        (
            lambda s: s.where(s["metric"] != "RR", s[:1].values),
            {"unit": "within-topic"},
            "RR does not distinguish",
        ),
        (lambda s: s.where(s["topic"] != "made3"), {}, "30 of 240 scores are missing"),
        (lambda s: s, {"method": "tau-ap"}, "with unit='system'"),
        (lambda s: s, {"threshold": 2}, "between -1 and 1"),
    ],
)
def test_bad_input(change, options, says):
    """What cannot be computed raises an error that says why."""
    with pytest.raises(ScoresError, match=says):
        correlate(change(made()), **options)


def test_missing_scores_are_dropped_where_asked():
    """With missing="systems" a system that lacks scores is dropped, and the notes say so."""
    scores = made()
    scores[2, 1, 0] = np.nan
    outcome = correlate(scores, missing="systems")
    assert int(outcome["n"]) == 72
    assert any(
        "made: 1 of 240 scores are missing; dropped 1 of 10 systems" in note
        for note in about(outcome)["notes"]
    )


def test_findings_name_the_group():
    """The words name the closest pair, the furthest, and what can stand for what."""
    words = findings(correlate(made()))
    assert words[0].startswith("On made, at topic level, AP and Rprec (.9")
    assert words[1].startswith(
        "Within each group every pair of metrics correlates at .90 or more (at least 81% shared "
        "variance in these scores): AP, Rprec. The lowest end of their intervals is .9"
    )
    assert words[2] == (
        "2 of 3 principal components explain 95% of the variance of the metrics (99.7%, 95% interval 99.5% to 99.8%)."
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"threshold": 0.2},
            "at .20 or more (at least 4% shared variance in these scores): ",
        ),
        ({"threshold": 0.9951}, "No two metrics correlate at .9951 or more."),
        (
            {"threshold": -0.5},
            "Within each group every pair of metrics correlates at -.50 or more: ",
        ),
        (
            {"threshold": 0.5, "method": "kendall"},
            "Within each group every pair of metrics correlates at .50 or more: ",
        ),
    ],
)
def test_findings_claim_what_the_threshold_allows(options, says):
    """A threshold is told as it was given, and what follows from it is no more than its square."""
    assert says in findings(correlate(made(), **options))[1]


def test_correlations_that_no_topic_moves_have_no_interval():
    """The means of two distinct systems, three times over, correlate at 1 or -1 whatever is left out: no interval."""
    two = np.random.default_rng(0).random((2, 8, 3)) / 10
    two[0] += [0.5, 0.0, 0.5]
    two[1] += [0.0, 0.5, 0.0]
    names = list("abcdef"), [str(at) for at in range(8)], ["AP", "P@10", "RR"]
    outcome = correlate(cube(np.concatenate([two] * 3), *names), unit="system")
    np.testing.assert_allclose(np.abs(outcome["r"]), 1)
    for name in ("low", "high", "cumulated_low"):
        assert np.isnan(outcome[name].values).all()
    assert not (outcome["true_low"] == outcome["true_high"]).any()
    assert "no intervals: no topic left out moves" in about(outcome)["notes"][-1]
    assert not any("interval" in line for line in findings(outcome))


def test_a_metric_and_its_copy_have_no_interval_and_others_have():
    """A pair that correlates at 1 whatever is left out is counted in the note; the other pairs keep their intervals."""
    one = made(metrics=["AP", "Rprec", "RR"])
    one[..., 1] = one[..., 0]
    outcome = correlate(one)
    assert np.isnan(outcome["low"].values[0, 1])
    assert np.isfinite(outcome["low"].values[:2, 2]).all()
    assert "; 1 pair without: no topic left out" in about(outcome)["notes"][-1]


def test_three_topics_are_too_few_to_leave_out():
    """With 3 topics the note says that there are 3, and how many it takes."""
    note = about(correlate(made(topics=3), unit="system"))["notes"][-1]
    assert "there are 3 topics, and leaving out each in turn needs at least 4" in note


@pytest.mark.parametrize("systems", [2, 3])
def test_too_few_system_means_have_no_interval(systems):
    """Two or three means correlate highly whatever the metrics: there is no interval, and a note says so."""
    outcome = correlate(made(systems=systems), unit="system")
    assert np.isnan(outcome["low"].values).all()
    assert "no intervals: there are too few" in about(outcome)["notes"][-1]
    assert ("always correlate at 1 or -1" in about(outcome)["notes"][-1]) is (
        systems == 2
    )
    assert "interval" not in findings(outcome)[0]


def test_overview_of_many_metrics_lists_them_by_group():
    """Of many metrics people see what each agrees with most and least, in place of a matrix."""
    names = [f"P@{k}" for k in range(1, 13)]
    outcome = correlate(made(metrics=names))
    (frame,) = summary.overview(outcome).values()
    assert sorted(frame["metric"]) == sorted(names)
    row = frame.filter(metric="P@1").row(0, named=True)
    others = outcome["r"].sel(metric="P@1").drop_sel(metric_2="P@1")
    assert row["agrees most with"] == others.idxmax().item()
    assert row["least with"] == others.idxmin().item()


def holey(seed=3):
    """Scores of which AP and Rprec miss the same two, RR two more."""
    scores = made(seed=seed)
    scores[0, :2] = np.nan
    scores[4, 5, 2] = np.nan
    scores[7, 6, 2] = np.nan
    return scores


def test_pairwise_takes_the_scores_that_both_have():
    """With missing scores each pair of metrics has the correlation of the scores that both have, and their number."""
    scores = holey()
    found = correlate(scores, missing="pairwise").sel(metric="AP")
    for other, n in (("Rprec", 78), ("RR", 76)):
        x, y = (
            scores.sel(metric="AP").values.ravel(),
            scores.sel(metric=other).values.ravel(),
        )
        both = ~np.isnan(x) & ~np.isnan(y)
        one = found.sel(metric_2=other)
        assert one["r"].item() == pytest.approx(
            scipy.stats.pearsonr(x[both], y[both]).statistic, abs=1e-9
        )
        assert one["n"].item() == n
        assert one["low"].item() < one["r"].item() < one["high"].item()


@pytest.mark.parametrize("level", ["topic", "within-topic", "system"])
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_pairwise_without_a_topic_that_all_miss_is_the_rest(level, method):
    """A topic without scores changes nothing at topic level; systems that miss it have no mean at system level."""
    scores, rest = made(), made().isel(topic=slice(1, None))
    scores[:, 0] = np.nan
    if level == "system":
        with pytest.raises(
            ScoresError,
            match="fewer than 2 systems with scores on all topics in common",
        ):
            correlate(scores, unit=level, method=method, missing="pairwise")
        return
    found, expected = (
        correlate(
            one,
            unit=level,
            method=method,
            missing="pairwise" if one is scores else "error",
        )
        for one in (scores, rest)
    )
    for name in ("r", "low", "high"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-9)


def test_holes_in_all_systems_have_a_way_out():
    """Where every system lacks a topic the error names --missing common, which correlates what is left."""
    scores = made()
    for at in range(scores.sizes["system"]):
        scores[at, at % 2] = np.nan
    with pytest.raises(
        ScoresError, match=r"topics in common; drop .* \(missing='common'\)$"
    ):
        correlate(scores, unit="system", method="kendall", missing="pairwise")
    found = correlate(scores, unit="system", method="kendall", missing="common")
    assert found["r"].notnull().all()


def test_pairwise_at_system_level_takes_systems_with_all_topics():
    """At system level a pair is correlated over the systems whose means both metrics have."""
    scores = holey()
    found = correlate(scores, unit="system", missing="pairwise")
    whole = scores.isel(system=[1, 2, 3, 5, 6, 8, 9]).mean("topic").values
    expected = scipy.stats.pearsonr(whole[:, 0], whole[:, 2]).statistic
    assert found["r"].sel(metric="AP", metric_2="RR").item() == pytest.approx(
        expected, abs=1e-9
    )
    assert found["n"].values[0].tolist() == [9, 9, 7]
    assert "n = " in findings(found)[0]
    assert "over 7 to 9 system means" in about(found)["notes"][-1]


def test_pairwise_refuses_a_constant_metric():
    """A metric with one value on all scores that are left has no correlation; the error names it."""
    scores = holey()
    scores[..., 2] = scores[..., 2] * 0
    with pytest.raises(ScoresError, match="RR"):
        correlate(scores, missing="pairwise")


def test_of_many_pairs_the_closest_is_not_alone():
    """Where another pair's interval reaches the closest pair's, the finding says that it may agree as much."""
    metrics = ["AP", "Rprec", "RR"]
    scores = made(metrics=metrics)
    twins = np.random.default_rng(0).normal(
        size=(10, 8, 1)
    ) + 0.3 * np.random.default_rng(1).normal(size=(10, 8, 3))
    scores[:] = twins
    assert (
        "Of 3 pairs, 2 others may agree as much as the first."
        in findings(correlate(scores))[0]
    )


def test_one_rival_of_the_closest_pair_is_one():
    """Where one pair may agree as much as the closest, it is counted in the singular."""
    scores = made(metrics=["AP", "Rprec", "RR"])
    middle = np.random.default_rng(0).normal(size=scores.shape[:2])
    off = np.random.default_rng(1).normal(size=middle.shape)
    scores[:] = np.stack([middle + off, middle, middle - off], axis=-1)
    assert (
        "Of 3 pairs, 1 other may agree as much as the first."
        in findings(correlate(scores))[0]
    )


def test_components_of_a_rank_coefficient_are_of_no_variance():
    """Eigenvalues of a matrix of tau are not called shares of variance."""
    words = findings(correlate(made(), method="kendall"))[2]
    assert (
        "of the eigenvalues of the matrix of Kendall tau-b, which is not a share of variance"
        in words
    )


@pytest.mark.parametrize(("systems", "said"), [(6, True), (10, False)])
def test_few_systems_make_the_interval_of_true_r_too_short(systems, said):
    """With fewer than 10 systems a note says that the interval of true_r is too short; with more there is none."""
    outcome = correlate(made(systems=systems, topics=30), unit="system")
    notes = " ".join(about(outcome)["notes"])
    assert ("interval of true_r is too short" in notes) == said


def test_system_level_has_r_between_true_means():
    """With Pearson at system level each pair has true_r inside its interval; other coefficients have none."""
    able = made(systems=20, topics=30) + np.linspace(0, 3, 20)[:, None, None]
    outcome = correlate(able, unit="system")
    pairs = tables(outcome)["correlation"]
    assert pairs.columns[-3:] == ["true_r", "true_low", "true_high"]
    assert pairs["true_low"].null_count() < pairs.height
    assert (pairs["true_low"] <= pairs["true_r"]).all()
    assert (pairs["true_r"] <= pairs["true_high"]).all()
    assert any(
        "true_r (pearson) is between the systems' true means" in note
        for note in about(outcome)["notes"]
    )
    assert "true_r" not in correlate(made(), unit="system", method="kendall")
    few = correlate(made(topics=3), unit="system")
    assert np.isnan(few["true_r"].values).all()


def test_metrics_that_nearly_agree_are_not_said_to_agree_wholly():
    """Beyond .99 as many decimals are printed as tell a correlation from 1; a copy's is 1.00, others' have two."""
    scores = made(metrics=["AP", "Rprec", "RR", "P@10"])
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, *scores.shape[:2]))
    scores[:] = np.stack([one, one + 0.02 * other, one, one + other], axis=-1)
    outcome = correlate(scores)
    near = outcome["r"].sel(metric="AP", metric_2="Rprec").item()
    assert 0.999 < near < 0.99995
    shown = overview(outcome)["correlation"]
    assert shown["Rprec"][0] == "1.000"
    assert shown["RR"][0] == "1.00"
    said = findings(correlate(scores.sel(metric=["AP", "Rprec"])))[0]
    assert f"AP and Rprec ({near_one(near)}, 95% interval .99" in said
    assert near_one(near).startswith(".999")
    apart = correlate(scores.sel(metric=["AP", "P@10"]))
    assert f"({apart['r'].values[0, 1]:.2f}".replace("0.", ".") in findings(apart)[0]


@pytest.mark.parametrize(("systems", "said"), [(20, True), (3, False)])
def test_the_correlation_of_true_means_is_said_where_there_are_intervals(systems, said):
    """At system level the finding gives r between true means beside r; with 3 systems there is neither interval."""
    able = made(systems=systems, topics=30) + np.linspace(0, 3, systems)[:, None, None]
    outcome = correlate(able, unit="system")
    assert ("of true means" in findings(outcome)[0]) is said


def test_clusters_are_what_is_left_out():
    """Twelve topics that are three copies of four have, as four clusters, the interval of the four, in any order."""
    four = made(topics=4)
    copies = xr.concat(
        [
            four.assign_coords(topic=[f"{t}_{n}" for t in four.topic.values])
            for n in range(3)
        ],
        "topic",
    ).assign_attrs(four.attrs)
    clustered = with_clusters(copies, "stem")
    found, alone, plain = map(correlate, (clustered, four, copies))
    for name in ("r", "low", "high"):
        np.testing.assert_allclose(found[name], alone[name], atol=1e-12)
    assert (plain["high"] - plain["low"] < alone["high"] - alone["low"]).values[0, 2]
    assert "made: 12 topics come in 4 clusters" in " ".join(found.notes)
    assert "each of 4 clusters in turn" in " ".join(about(found)["notes"])


def test_clusters_of_one_topic_change_nothing():
    """Where each topic is a cluster of its own every figure is the same to the last bit."""
    plain = made()
    alone = with_clusters(plain, {str(t): f"c{t}" for t in plain.topic.values})
    for name, values in correlate(plain).data.items():
        np.testing.assert_array_equal(values, correlate(alone)[name])


@pytest.mark.parametrize("clusters", [5, 12, 60])
def test_short_intervals_over_clusters_are_said(clusters):
    """Where intervals with such a number of clusters held too seldom in some world, a note says so, else none does."""
    scores = made(topics=2 * clusters)
    topics = [str(topic) for topic in scores.topic.values]
    of = {topic: str(at // 2) for at, topic in enumerate(topics)}
    notes = correlate(with_clusters(scores, of)).notes
    told = any(note.startswith("Such 95% intervals held") for note in notes)
    measured = held("r over scores, clusters", systems=10, topics=clusters)
    assert told is measured.broken


def test_a_collection_without_clusters_shares_those_of_another():
    """Its topics stand in any order; the interval is that of both with clusters, and wider than without any."""
    rng = np.random.default_rng(5)
    own = np.repeat(rng.normal(size=(6, 10, 2)), 4, axis=1)
    values = own + 0.3 * rng.normal(size=(6, 40, 2))
    topics = [str(at) for at in range(40)]
    one, two = (cube(values, list("abcdef"), topics, ["x", "y"]) for _ in range(2))
    two = two.isel(topic=rng.permutation(40)) + 0.1
    of = {topic: f"c{int(topic) // 4}" for topic in topics}
    widths = []
    for other in (two, with_clusters(two, of)):
        found = correlate({"one": with_clusters(one, of), "two": other})
        widths.append((found["high"] - found["low"]).values[0, 1])
    plain = correlate({"one": one, "two": two})
    np.testing.assert_allclose(widths[0], widths[1], rtol=1e-9)
    assert widths[0] > 1.5 * (plain["high"] - plain["low"]).values[0, 1]
