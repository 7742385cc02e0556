"""Predictive power of metrics: what the study says of a cube."""

import numpy as np
import polars as pl
import pytest
import xarray as xr
from scipy import stats

from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_matrix
from irmeta.report.tables import json_document, render
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.selection import top_systems
from irmeta.studies.agreement.predictivity import study as estimates
from irmeta.studies.agreement.predictivity import summary
from irmeta.studies.agreement.predictivity.study import best_predictor, predictivity
from irmeta.studies.agreement.predictivity.summary import findings, tables


def made(systems=12, topics=10, metrics=("AP", "P@10", "RR"), seed=0):
    rng = np.random.default_rng(seed)
    noise = (
        rng.normal(size=(systems, topics, len(metrics)))
        * np.arange(1, len(metrics) + 1)
        * 0.2
    )
    scores = np.linspace(0, 1, systems)[:, None, None] + noise
    return cube(
        scores,
        [f"s{i:02}" for i in range(systems)],
        [str(i) for i in range(topics)],
        metrics,
        collection="made",
    )


def test_intervals_are_so_many_errors_wide(monkeypatch):
    """Of errors that are known, intervals of advantages have Student's quantiles, and leads the studentised range."""
    known = np.full((3, 3), 0.01)
    errors = estimates._Errors(known, 2 * known, 3 * known, 4 * known[0])
    monkeypatch.setattr(estimates, "_errors", lambda *_: errors)
    found = predictivity(made(), partitions=50)
    freedom = 9  # of 12 systems and 10 topics
    for low, level in (("low", 0.975), ("joint_low", 1 - 0.025 / 6)):
        half = 0.01 * stats.t.ppf(level, freedom)
        np.testing.assert_allclose(found["advantage"] - found[low], half)
    behind = 0.02 * stats.studentized_range.ppf(0.95, 3, freedom) / np.sqrt(2)
    np.testing.assert_allclose(found["lead"] - found["lead_low"], behind)
    for figure, error in (("phi", 0.03), ("mean_phi", 0.04)):
        half = error * stats.t.ppf(0.975, freedom)
        low, high = (found[f"{figure}_{end}"] for end in ("low", "high"))
        np.testing.assert_allclose(low, np.maximum(found[figure] - half, -1))
        np.testing.assert_allclose(high, np.minimum(found[figure] + half, 1))


@pytest.fixture(scope="module")
def power():
    return predictivity(made(), partitions=200, sizes=(2, 4))


def test_tables_have_the_columns_of_the_contract(power):
    """The tables carry the columns of the contract, every pair of phi once and every advantage both ways."""
    views = tables(power)
    assert {name: frame.columns for name, frame in views.items()} == {
        "phi": ["metric_a", "metric_b", "phi", "low", "high", "se"],
        "advantage": [
            "predictor",
            "target",
            "difference",
            "low",
            "high",
            "joint_low",
            "joint_high",
        ],
        "best": [
            "metric",
            "mean_phi",
            "mean_phi_low",
            "mean_phi_high",
            "behind",
            "behind_low",
            "may_be_best",
        ],
        "curve": ["topics", "metric_a", "metric_b", "phi", "se"],
    }
    assert {name: frame.height for name, frame in views.items()} == {
        "phi": 6,
        "advantage": 6,
        "best": 3,
        "curve": 12,
    }
    own = views["phi"].filter(metric_a="AP", metric_b="AP")["phi"].item()
    across = views["phi"].filter(metric_a="AP", metric_b="P@10")["phi"].item()
    gain = views["advantage"].filter(predictor="P@10", target="AP")["difference"].item()
    assert gain == pytest.approx(across - own)
    assert own == power["phi"].sel(metric="AP", metric_2="AP").item()


def test_the_result_records_how_it_was_made(power):
    """Seed, partitions, halves, tau variant and systems are in the result."""
    options = about(power)["options"]
    assert (options["seed"], options["partitions"], options["halves"]) == (
        0,
        200,
        [5, 5],
    )
    assert options["coefficient"] == "Kendall tau-b"
    assert (
        "rankings of 12 systems on 5 and on 5 topics, mean of 200"
        in about(power)["notes"][0]
    )
    assert about(power)["inputs"]["collections"]["made"]["systems"] == 12


@pytest.mark.parametrize(("partitions", "said"), [(2000, False), (20, True)])
def test_an_error_of_drawing_is_said_where_it_counts(partitions, said):
    """Of 20 partitions the Monte-Carlo error is printed; of 2000 it is nothing beside that of other topics."""
    outcome = predictivity(made(), partitions=partitions)
    sampling = (outcome["phi_high"] - outcome["phi_low"]).min().item()
    assert (outcome["se"].max().item() > 0.05 * sampling / 2) is said
    assert any("Monte-Carlo" in note for note in about(outcome)["notes"]) is said


def test_same_seed_same_result():
    """The same seed gives the same result, another seed another one."""
    one, two, other = (
        predictivity(made(), partitions=20, rng=seed)["phi"].values
        for seed in (7, 7, 8)
    )
    assert (one == two).all()
    assert (one != other).any()


def test_a_pair_of_metrics_does_not_depend_on_the_others():
    """What is said of two metrics is the same whether others are studied beside them or not."""
    many = made(systems=200, metrics=[f"P@{k}" for k in range(1, 9)])
    some = many.sel(metric=["P@2", "P@7"])
    one, two = (
        predictivity(scores, partitions=300, sizes=(3,)) for scores in (many, some)
    )
    one = one.sel(metric=some.metric.values, metric_2=some.metric.values)
    for figure in ("phi", "se", "advantage", "low", "high", "curve", "curve_se"):
        np.testing.assert_allclose(
            one[figure].values, two[figure].values, rtol=0, atol=1e-12
        )


def test_more_topics_predict_better(power):
    """Phi grows with the number of topics, and at the half it is phi."""
    curve = power["curve"].sel(metric="AP", metric_2="AP").values
    assert curve[0] < curve[1] < power["phi"].sel(metric="AP", metric_2="AP")
    half = predictivity(made(), partitions=200, sizes=(5,))
    np.testing.assert_allclose(half["curve"].values[0], half["phi"].values, atol=1e-12)


def test_odd_topics_are_halved_as_evenly_as_it_goes():
    """With 7 topics the halves have 3 and 4, and the result says so."""
    assert about(predictivity(made(topics=7), partitions=10))["options"]["halves"] == [
        3,
        4,
    ]


def test_top_systems_on_all_topics():
    """With top and by the study is that of the systems kept."""
    scores = made()
    one = predictivity(scores, partitions=30, top=0.7, by="P@10")
    two = predictivity(top_systems(scores, 0.7, "P@10"), partitions=30)
    np.testing.assert_array_equal(one["phi"].values, two["phi"].values)
    assert any(
        "8 of 12 systems: the top 0.7 by P@10 on all topics" in note
        for note in about(one)["notes"]
    )


def test_top_systems_on_one_half():
    """Chosen on one half of each partition there are other figures, and no intervals, as the notes say."""
    whole, half = (
        predictivity(made(), partitions=50, top=0.5, top_on=where)
        for where in ("all", "half")
    )
    assert (whole["phi"].values != half["phi"].values).any()
    assert np.isnan(half["low"].values).all()
    assert any("No intervals" in note for note in about(half)["notes"])
    assert (
        "without intervals, others may predict new topics as well" in findings(half)[0]
    )
    assert "without an interval there is no verdict" in findings(half)[1]
    assert tables(half)["best"]["may_be_best"].null_count() == half.sizes["metric"]


@pytest.mark.parametrize("tau", ["a", "b"])
def test_the_least_that_will_do(tau):
    """Two systems and four topics have a phi, and an interval too wide to tell anything, or none."""
    outcome = predictivity(made(systems=2, topics=4), partitions=20, tau=tau)
    assert (np.abs(outcome["phi"]) <= 1).all()
    assert np.isfinite(outcome["low"]).any()
    assert not ((outcome["low"] > 0) | (outcome["high"] < 0)).any()


def test_without_variance_there_is_no_interval():
    """Systems that never change places have a phi of 1 and no interval, but of a metric and itself; a note says why."""
    level = np.arange(6)[:, None, None] + np.zeros((6, 8, 2))
    steady = cube(level / 10, list("abcdef"), list("12345678"), ["AP", "RR"])
    outcome = predictivity(steady, partitions=20, teams="each")
    off = ~np.eye(2, dtype=bool)
    assert np.isnan(outcome["low"].values[off]).all()
    assert (outcome["low"].values[~off] == 0).all()
    assert tables(outcome)["best"]["may_be_best"].to_list() == [True, None]
    assert any(
        "2 advantages without an interval" in note for note in about(outcome)["notes"]
    )


def test_variants_of_tau():
    """tau-a and tau-b differ where a metric ties systems, and the result names the variant."""
    scores = made()
    scores[..., 1] = scores[..., 1].round()
    a, b = (predictivity(scores, partitions=30, tau=tau) for tau in ("a", "b"))
    assert a["phi"].values[1, 1] < b["phi"].values[1, 1]
    assert about(a)["options"]["coefficient"] == "Kendall tau-a"


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (lambda s: s[:1], {}, "2 systems and 4 topics; there are 1 and 10"),
        (lambda s: s[:, :3], {}, "2 systems and 4 topics; there are 12 and 3"),
        (
            lambda s: s.where(s["metric"] != "RR", 0.3),
            {},
            "RR does not distinguish these systems",
        ),
        (lambda s: s.where(s["topic"] != "3"), {}, "36 of 360 scores are missing"),
        (lambda s: s, {"top": 0.5, "by": "nDCG"}, "no metric 'nDCG' in made"),
        (lambda s: s, {"by": "AP"}, "by= needs top="),
        (lambda s: s, {"top_on": "half"}, "top_on='half' needs top="),
        (lambda s: s, {"top": 1.5}, "above 0 and at most 1"),
        (lambda s: s, {"top": 0.1}, "2 systems and 4 topics; there are 1"),
        (lambda s: s, {"top": 0.1, "top_on": "half"}, "keeps 1 of 12 systems"),
        (
            lambda s: s,
            {"sizes": (3, 6)},
            "cannot draw two disjoint sets of 6 topics from 10",
        ),
        (lambda s: s, {"sizes": (0,)}, "1 to 5"),
        (lambda s: s, {"partitions": 1}, "at least 2, as in 2000"),
    ],
)
def test_bad_input(change, options, says):
    """What cannot be computed raises an error that says why."""
    with pytest.raises(ScoresError, match=says):
        predictivity(change(made()), **{"partitions": 4, **options})


def test_missing_topics_are_dropped_where_asked():
    """With missing="topics" a topic that lacks scores is dropped, and the notes say so."""
    scores = made()
    scores[0, 3, 0] = np.nan
    dropped = predictivity(scores, partitions=10, missing="topics")
    assert about(dropped)["options"]["halves"] == [4, 5]
    assert any("dropped 1 of 10 topics" in note for note in about(dropped)["notes"])


def said(low, high):
    """What is said of P@10 where AP predicts it with an interval low to high."""
    outcome = predictivity(made(metrics=("AP", "P@10")), partitions=10, teams="each")
    outcome["advantage"].values[:] = [[0, (low + high) / 2], [-0.5, 0]]
    outcome["joint_low"].values[0, 1], outcome["joint_high"].values[0, 1] = low, high
    return findings(outcome)[1]


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (
            -0.02,
            0.05,
            "as well as P@10 predicts itself: difference in phi +.015, joint 95% interval -.02 to +.05; at most .05",
        ),
        (
            0.01,
            0.05,
            "AP predicts P@10 better than P@10 predicts itself: difference in phi +.030",
        ),
        (
            -0.09,
            -0.01,
            "AP predicts P@10 worse than P@10 predicts itself: difference in phi -.050",
        ),
        (-0.15, 0.05, "there are too few topics and systems to say"),
    ],
)
def test_findings_follow_the_interval(low, high, says):
    """The words depend on where the interval lies, not on the difference alone."""
    assert says in said(low, high)


def worlds(metrics, noise, count, systems=24, topics=20):
    """Scores of metrics that share a quality and topics, each with noise and leanings of its own."""
    names = [f"P@{k}" for k in range(1, metrics + 1)]
    ids = [f"s{i:02}" for i in range(systems)], [str(i) for i in range(topics)]
    for seed in range(count):
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=(systems, 1, 1))
        leaning = 0.3 * rng.normal(size=(systems, 1, metrics))
        shared = rng.normal(size=(systems, topics, 1)) + rng.normal(size=(1, topics, 1))
        own = rng.normal(size=(systems, topics, metrics)) * noise
        yield cube(
            0.6 * quality + leaning + shared + own, *ids, names, collection="made"
        )


@pytest.mark.slow
@pytest.mark.parametrize(("metrics", "count", "few"), [(4, 40, 3), (10, 15, 1)])
def test_of_exchangeable_metrics_all_may_be_best_and_none_is_better(
    metrics, count, few
):
    """Where no metric is better, 93% of worlds name all beside the best, and at most 7% say better.

    docs/worlds.md has more worlds, and more metrics.
    """
    all_named = better = 0
    for scores in worlds(metrics, 1.0, count):
        outcome = predictivity(scores, partitions=100, teams="each")
        said = findings(outcome)
        all_named += f"any of the {metrics} metrics may be the best" in said[0]
        better += any("predicts these better" in line for line in said)
    assert all_named >= count - few
    assert better <= few


def test_a_metric_that_is_clearly_better_is_named_alone():
    """Where one metric is much less noisy than the others, it alone is the best, and better than a noisy target."""
    (scores,) = worlds(4, np.array([0.1, 8, 8, 8]), 1, systems=60, topics=40)
    said = findings(predictivity(scores, partitions=200, teams="each"))
    assert said[0].startswith(
        "On made, P@1 is the best single predictor of rankings on new topics, clearly ahead"
    )
    assert any(
        line.startswith("P@1 predicts these better than they predict themselves: ")
        for line in said
    )


def test_a_metric_is_named_beside_the_best_only_where_its_interval_reaches_0():
    """A twin of the best metric is named beside it; one whose interval of the lead lies above 0 is not."""
    scores = made(metrics=("AP", "P@10", "RR"))
    twin = scores.sel(metric=["AP"]).assign_coords(metric=["Rprec"])
    twin[0] += 1e-3
    together = xr.concat([scores, twin], "metric")
    both = predictivity(together, partitions=100, teams="each")
    both["lead_low"].values[0] = [0, 0.01, 0.02, -0.01]
    phi = both["phi"].sel(metric="AP")
    mean, own = short(phi.mean().item(), 3), short(phi.sel(metric_2="AP").item())
    low, high = (short(both[f"mean_phi_{end}"].values[0]) for end in ("low", "high"))
    assert findings(both)[0] == (
        "On made, AP or Rprec may be the best single predictor of rankings on new topics. "
        f"AP has the largest mean phi {mean} (95% interval {low} to {high}) over the 4 metrics, {own} for itself; "
        "its lead may be chance."
    )
    assert tables(both)["best"].filter("may_be_best")["metric"].to_list() == [
        "AP",
        "Rprec",
    ]


def test_whoever_may_be_best_is_named_or_whoever_is_not():
    """Of 14 metrics all 6 that may be the best are named; where more than half may be, those that may not be are."""
    names = [f"P@{k}" for k in range(1, 15)]
    outcome = predictivity(made(metrics=names), partitions=20, teams="each")
    best = best_predictor(outcome)
    others = [name for at, name in enumerate(names) if at != best]
    for count in (5, 11):
        clear = np.full(14, 0.01)
        clear[[names.index(name) for name in others[:count]]] = -0.01
        outcome["lead_low"].values[best] = clear
        said = findings(outcome)[0]
        may_be = "may be the best single predictor of rankings on new topics"
        if count == 5:
            assert f"any of 6 of the 14 metrics {may_be}: {names[best]}, " in said
            assert all(name in said for name in others[:5])
            assert " more" not in said
        else:
            behind = " and ".join(others[11:])
            assert f"any of the 14 metrics but {behind} {may_be}." in said


def test_without_teams_no_metric_is_marked_as_best_or_better():
    """Where nobody knows which systems come from one team, no star and no column says what the sentences do not."""
    (scores,) = worlds(4, np.array([0.1, 8, 8, 8]), 1, systems=60, topics=40)
    named, unknown = (
        predictivity(scores, partitions=60, teams=teams) for teams in ("each", None)
    )
    assert named["lead"].equals(unknown["lead"])
    marks = "advantage (* interval excludes 0, each pair by itself)"
    cells = [str(summary.overview(one)[marks].rows()) for one in (named, unknown)]
    assert "*" in cells[0]
    assert "*" not in cells[1]
    assert tables(unknown)["best"]["may_be_best"].null_count() == 4
    assert len(findings(unknown)) == 1


def test_the_best_predictor_has_the_largest_mean_phi_and_advantage(power):
    """Mean phi over all metrics and the sum of advantages over the others choose the same metric."""
    best = best_predictor(power)
    assert (
        best
        == power["phi"].values.mean(axis=1).argmax()
        == power["advantage"].values.sum(axis=1).argmax()
    )


def test_findings_of_many_metrics_are_grouped():
    """With more than two targets every one of them stands in one of the groups."""
    four = made(metrics=("AP", "P@10", "RR", "nDCG"))
    outcome = predictivity(four, partitions=50, teams="each")
    words = ", ".join(line.partition(": ")[2] for line in findings(outcome)[1:])
    best = outcome["metric"].values[best_predictor(outcome)]
    assert all(
        (name in words) == (name != best) for name in ("AP", "P@10", "RR", "nDCG")
    )


def test_overview_is_a_triangle(power):
    """People read phi as an upper triangle in two decimals."""
    rows = summary.overview(power)["phi"].rows()
    assert rows[0][1] == f"{power['phi'].values[0, 0]:.2f}".lstrip("0")
    assert rows[2][1:3] == ("", "")
    assert "advantage" in render(power)


def test_document_is_json_without_intervals():
    """A missing interval is null in the JSON document."""
    row = json_document(predictivity(made(), partitions=10, top=0.5, top_on="half"))[
        "tables"
    ]["advantage"][0]
    assert row["low"] is None


@pytest.mark.data
def test_trec8_as_printed(data):
    """TREC-8's cells of Table 1 of Webber et al. are within .01 of print, from 96 systems."""
    paths = [
        data / "matrices/trec8-adhoc" / f"{name}.csv" for name in ("P@10", "RR", "AP")
    ]
    outcome = predictivity(import_matrix(paths, rows="topics"), top=0.75, by="AP")
    metrics = (
        ["P@10", "P@10", "P@10", "RR", "RR", "AP"],
        ["P@10", "RR", "AP", "RR", "AP", "AP"],
    )
    printed = pl.DataFrame(
        [*metrics, [0.50, 0.40, 0.51, 0.39, 0.36, 0.63]],
        schema=["metric_a", "metric_b", "printed"],
    )
    both = tables(outcome)["phi"].join(printed, on=["metric_a", "metric_b"], how="full")
    assert both.height == 6
    assert (both["phi"] - both["printed"]).abs().max() < 0.01
    assert both["se"].max() < 0.0013
    assert about(outcome)["inputs"]["collections"]["collection"]["systems"] == 96
    gain = outcome["advantage"].sel(metric="AP", metric_2="P@10").item()
    assert gain == pytest.approx(0.013, abs=0.004)


def test_one_set_of_topics_that_ties_all_systems_is_one():
    """Where two topics cancel each other, the sets that hold both and no other tie all systems; one is one set."""
    one = made(systems=4, topics=5)
    up = np.array([0.1, 0.2, 0.3, 0.4])
    one[..., 2] = np.stack([up, 0.5 - up, up, 0 * up, 0 * up], axis=1)
    notes = about(predictivity(one, partitions=2, rng=3))["notes"]
    assert any("RR ties all systems in 1 set of topics" in note for note in notes)
