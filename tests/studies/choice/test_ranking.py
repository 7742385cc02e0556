"""Which metrics to report: the tables, the choices, the notes."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import irmeta
from irmeta.choices import Level
from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_systemwise
from irmeta.papers.gupta2019.ranking import SHEFFIELD
from irmeta.report.tables import json_document
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.notes import Answer
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets import branch_and_bound, selection
from irmeta.stats.subsets.orders import log_determinant, unexplained
from irmeta.studies.choice.matrix import from_scores
from irmeta.studies.choice.ranking import study
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.choice.ranking.summary import findings, overview, tables

METRICS = ["AP", "P@10", "RR", "nDCG@20", "Rprec", "Bpref"]


def scores(
    seed: int = 0, systems: int = 20, topics: int = 15, noise: float = 0.7
) -> xr.DataArray:
    """Metrics that share a factor by system and topic, each in another measure."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(systems, topics, 2))
    mixed = shared @ rng.normal(size=(2, 6)) + noise * rng.normal(
        size=(systems, topics, 6)
    )
    values = 1 / (1 + np.exp(-mixed))
    return cube(
        values,
        [f"s{i}" for i in range(systems)],
        [f"t{i}" for i in range(topics)],
        METRICS,
    )


def test_metrics_are_named_as_elsewhere() -> None:
    """AP is AP@1000 where scores have no other, among those included, left out or paid for, and a note says so."""
    made = scores()
    made = made.assign_coords(metric=["AP@1000", *METRICS[1:]])
    said = "the scores have no AP; the deepest one, AP@1000, is used"
    for named in (
        {"include": "AP"},
        {"exclude": "AP"},
        {"cost": {"AP": 2.0}, "budget": 3.0},
    ):
        assert said in rank(made, k=2, **named).attrs["notes"]
    sets = tables(rank(made, k=2, include="AP"))["subsets"]["metrics"]
    assert all("AP@1000" in metrics for metrics in sets)


def test_tables_have_the_columns_of_the_contract() -> None:
    """The JSON document has the tables and columns that programs read."""
    views = json_document(rank(scores(), partitions=3))["tables"]
    assert list(views) == [
        "order",
        "subsets",
        "stability",
        "alternatives",
        "rivals",
    ]
    assert list(views["order"][0]) == ["position", "metric", "value", "criterion"]
    assert list(views["subsets"][0]) == [
        *(
            "k",
            "metrics",
            "log_det",
            "unexplained",
            "unexplained_low",
            "unexplained_high",
        ),
        *("optimal", "ratio_to_optimum", "gap", "proven", "nodes"),
        *("kept", "same"),
    ]
    assert list(views["stability"][0]) == ["k", "metric", "chosen", "se"]
    assert list(views["alternatives"][0]) == ["k", "metrics", "chosen", "unexplained"]
    assert [row["k"] for row in views["subsets"]] == [1, 2, 3, 4, 5, 6]
    json.dumps(views, allow_nan=False)


def test_exact_subsets_are_the_best_of_their_size() -> None:
    """For both objectives no other subset of the size is better."""
    sigma = np.corrcoef(scores().values.reshape(-1, 6), rowvar=False)
    for objective, worth in (
        ("determinant", log_determinant),
        ("unreported", lambda s, a: -unexplained(s, a)),
    ):
        rows = tables(rank(scores(), objective=objective))["subsets"]
        for k, metrics, proven in rows.select("k", "metrics", "proven").iter_rows():
            best = max(
                combinations(range(6), k), key=lambda subset: worth(sigma, subset)
            )
            assert proven
            np.testing.assert_allclose(
                worth(sigma, [METRICS.index(name) for name in metrics]),
                worth(sigma, best),
            )


@pytest.mark.parametrize(
    "method", ["ib", "gf", "gf-code", "pivot", "sheffield", "trace"]
)
def test_an_order_has_nested_subsets_beside_the_optimum(method: str) -> None:
    """The subset of k is the first k of the order, and its ratio is to the best subset of k."""
    outcome = rank(scores(), method, "covariance")
    views, exact = (
        tables(outcome),
        tables(rank(scores(), "exact", "covariance", objective="determinant")),
    )
    names = views["order"]["metric"].to_list()
    for k, metrics, ratio, log_det in (
        views["subsets"]
        .select("k", "metrics", "ratio_to_optimum", "log_det")
        .iter_rows()
    ):
        assert set(metrics) == set(names[:k])
        assert 0 < ratio <= 1
        if method != "trace":
            best = exact["subsets"].filter(k=k)["log_det"].item()
            np.testing.assert_allclose(ratio, np.exp(log_det - best), rtol=1e-9)
    assert about(outcome)["options"]["objective"] == (
        "unreported" if method == "trace" else "determinant"
    )


def test_gf_is_judged_by_the_determinant_and_trace_by_what_it_aims_at() -> None:
    """They have one order; on Sheffield's bands its subsets explain most, but some determinants are not the largest."""
    gf, trace = (rank(SHEFFIELD, method) for method in ("gf", "trace"))
    assert gf["order"].values.tolist() == trace["order"].values.tolist()
    np.testing.assert_allclose(trace["ratio_to_optimum"].values, 1)
    assert gf["ratio_to_optimum"].values.min() < 0.96


def test_values_are_of_the_metrics_so_far() -> None:
    """The value at a position is the log determinant of the metrics up to there."""
    sigma = np.cov(scores().values.reshape(-1, 6), rowvar=False)
    order = tables(rank(scores(), "pivot", "covariance"))["order"]
    at = [METRICS.index(name) for name in order["metric"]]
    np.testing.assert_allclose(
        order["value"], [log_determinant(sigma, at[:k]) for k in range(1, 7)]
    )


def test_nested_optima_are_the_order() -> None:
    """Where each best subset contains the smaller ones, the order of "exact" adds one metric after the other."""
    outcome = rank(SHEFFIELD, objective="determinant")
    assert outcome["order"].values.tolist() == ["5", "4", "1", "7", "6", "3", "2"]
    assert about(outcome)["options"]["matrix"] == "given"
    assert "not symmetric" in about(outcome)["notes"][0]


def test_included_metrics_are_in_and_excluded_ones_out() -> None:
    """Every subset has the included metrics and none of the excluded; the best of such subsets is found."""
    sigma = np.corrcoef(scores().values.reshape(-1, 6), rowvar=False)
    for method in ("exact", "ib", "gf", "pivot"):
        rows = tables(
            rank(
                scores(),
                method,
                k=4,
                objective="determinant",
                include=["RR"],
                exclude=["AP"],
            )
        )["subsets"]
        assert rows["k"].to_list() == [1, 2, 3, 4]
        for metrics, optimal in rows.select("metrics", "optimal").iter_rows():
            assert "RR" in metrics
            assert "AP" not in metrics
            allowed = [s for s in combinations(range(1, 6), len(metrics)) if 2 in s]
            np.testing.assert_allclose(
                optimal, max(log_determinant(sigma, s) for s in allowed)
            )


def test_words_are_about_the_size_asked_for_or_the_first_that_says_enough() -> None:
    """Without a size the findings speak of the smallest set that leaves less than a tenth unexplained."""
    every = rank(scores(noise=0.2), exclude=["AP"])
    enough = int(every["k"].values[every["unexplained"].values < 0.1][0])
    assert enough < 5
    assert f": {enough} of 6 metrics" in findings(every)[0]
    assert ": 1 of 6 metrics" in findings(rank(scores(), k=1))[0]


@pytest.mark.parametrize(
    ("options", "which"),
    [
        ({}, "of 1 to 6 of the 6 metrics"),
        ({"k": 1}, "of 1 of the 6 metrics"),
        ({"k": 3, "include": ["RR"]}, "of 1 to 3 of the 6 metrics with RR in it"),
        (
            {"k": 3, "exclude": ["AP", "RR"]},
            "of 1 to 3 of the 4 metrics that can be chosen (P@10, nDCG@20, Rprec, Bpref)",
        ),
        ({"k": 2}, "of 1 or 2 of the 6 metrics"),
    ],
)
def test_findings_claim_no_more_than_was_searched(options: dict, which: str) -> None:
    """That no set is better is said of the sizes, metrics and costs that the search went through."""
    said = f"By this criterion no better set {which} exists (proven for these scores)."
    assert said in findings(rank(scores(), **options))


def test_the_cost_of_the_sets_searched_ends_the_finding() -> None:
    """With a budget, the finding says what the sets cost at most after it said which there are."""
    said = findings(rank(scores(), budget=2.5))
    assert (
        "By this criterion no better set of 1 or 2 of the 6 metrics exists at a cost of at most "
        "2.5 (proven for these scores)."
    ) in said


def test_a_metric_that_others_determine_was_not_searched() -> None:
    """A metric that cannot be chosen, since others determine it, is not counted among those searched."""
    one = scores()
    one[..., 0] = one[..., 1] + one[..., 2]
    said = findings(rank(one))
    names = ", ".join(name for name in METRICS if name != "P@10")
    [searched] = [line for line in said if "no better set" in line]
    assert f"of 1 to 5 of the 5 metrics that can be chosen ({names}) exists" in searched


def test_excluded_metrics_still_have_to_be_explained() -> None:
    """The metrics chosen for the unreported ones explain the excluded metric too."""
    sigma = np.corrcoef(scores().values.reshape(-1, 6), rowvar=False)
    rows = tables(rank(scores(), k=2, objective="unreported", exclude=["AP"]))[
        "subsets"
    ]
    best = min(unexplained(sigma, s) for s in combinations(range(1, 6), 2))
    np.testing.assert_allclose(rows["unexplained"][1], best)


def test_a_budget_buys_the_best_it_can() -> None:
    """Subsets cost at most the budget; metrics that are not named cost 1; sizes beyond the budget are left out."""
    cost = {"AP": 3.0, "RR": 0.0}
    rows = tables(rank(scores(), objective="determinant", cost=cost, budget=3))[
        "subsets"
    ]
    assert rows["k"].to_list() == [1, 2, 3, 4]
    assert rows["cost"].max() <= 3
    sigma = np.corrcoef(scores().values.reshape(-1, 6), rowvar=False)
    prices = [cost.get(name, 1.0) for name in METRICS]
    payable = [s for s in combinations(range(6), 3) if sum(prices[i] for i in s) <= 3]
    np.testing.assert_allclose(
        rows["log_det"][2], max(log_determinant(sigma, s) for s in payable)
    )


def test_copies_are_named_and_not_chosen() -> None:
    """A metric that repeats another is never chosen beside it, and the notes say which repeats which."""
    one = scores()
    twice = xr.concat(
        [one, one.sel(metric=["AP"]).assign_coords(metric=["R@100"])], "metric"
    )
    for method in ("exact", "ib", "sheffield", "pivot", "gf", "gf-code"):
        outcome = rank(twice, method)
        assert outcome.sizes["position"] == 6
        assert (
            about(outcome)["notes"][0]
            == "R@100 cannot be chosen, because it is a linear combination of AP."
        )
    assert "R@100" in rank(twice, k=1, include=["R@100"])["order"].values
    assert "R@100" in rank(twice, exclude=["AP"])["order"].values
    with pytest.raises(ScoresError, match="linear combination"):
        rank(twice, include=["R@100", "AP"])


def test_stability_counts_choices_on_halves() -> None:
    """Each size's shares add up to the size, a seed gives them again, and the certain choices are certain."""
    first, again, other = (
        rank(scores(), k=3, objective="determinant", partitions=20, rng=seed)
        for seed in (1, 1, 2)
    )
    np.testing.assert_allclose(first["again"].sum("metric"), [1, 2, 3])
    np.testing.assert_array_equal(first["again"].values, again["again"].values)
    assert (first["again"].values != other["again"].values).any()
    included = rank(scores(), "pivot", k=3, include=["RR"], partitions=20)
    assert included["again"].sel(metric="RR").values.tolist() == [1, 1, 1]
    assert about(first)["options"]["seed"] == 1


def test_stability_of_a_copy_of_every_topic_is_complete() -> None:
    """Where all topics have the same scores, every half chooses the same metrics."""
    one = scores(systems=40).isel(topic=[0] * 5).assign_coords(topic=list("abcde"))
    outcome = rank(one, partitions=5)
    assert set(outcome["again"].values.ravel()) == {0, 1}
    assert (outcome["same"].values == 1).all()
    assert "the choice is stable" in findings(outcome)[1]
    assert "halves agree on" in overview(outcome)["subsets"].columns
    assert findings(outcome)[0].startswith("Report ")


def test_an_arbitrary_choice_is_not_to_be_trusted() -> None:
    """Among metrics of pure noise the chosen ones change with the topics, and the findings say so."""
    rng = np.random.default_rng(8)
    names = [f"P@{k}" for k in range(1, 13)]
    noise = cube(
        rng.random((30, 20, 12)),
        [f"s{i}" for i in range(30)],
        [f"t{i}" for i in range(20)],
        names,
    )
    outcome = rank(noise, k=3, partitions=30)
    assert any("do not trust the choice" in one for one in outcome.warnings)
    assert findings(outcome)[0].startswith("These topics do not settle which 3 metrics")
    listed = json_document(outcome)["tables"]["alternatives"]
    assert max(row["chosen"] for row in listed if row["k"] == 3) < 0.2
    assert sum(row["k"] == 3 for row in listed) == 10


def test_sets_that_halves_choose_are_listed_with_what_they_explain() -> None:
    """Each alternative's unexplained share is that of its set on all topics, the oftenest first."""
    outcome = rank(scores(), k=2, partitions=20)
    rows = [
        row for row in json_document(outcome)["tables"]["alternatives"] if row["k"] == 2
    ]
    shares = [row["chosen"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    best = outcome["metric"].values[outcome["chosen"].sel(k=2).values].tolist()
    own = next(row for row in rows if sorted(row["metrics"]) == sorted(best))
    assert own["unexplained"] == pytest.approx(outcome["unexplained"].sel(k=2).item())
    alone = [
        row["chosen"]
        for row in json_document(outcome)["tables"]["alternatives"]
        if row["k"] == 1
    ]
    assert sum(alone) == pytest.approx(1)


def test_topics_cannot_be_drawn_from_means() -> None:
    """A table of means has no topics to split."""
    table = scores(topics=1).assign_coords(topic=np.array([ALL], dtype=object))
    with pytest.raises(ScoresError, match="partitions="):
        rank(table, partitions=2)


def test_time_that_runs_out_is_told() -> None:
    """Sizes not proven in the time given have a gap above 0; the findings name them, and the widest gap."""
    sigma = np.corrcoef(np.random.default_rng(3).normal(size=(90, 70)), rowvar=False)
    outcome = rank(sigma, k=15, time_limit=0.5)
    unproven = ~outcome["proven"].values
    assert unproven.any()
    assert (outcome["gap"].values[unproven] > 0).all()
    assert (outcome["gap"].values[~unproven] == 0).all()
    (said,) = (line for line in findings(outcome) if "Not proven" in line)
    widest = tables(outcome)["subsets"].sort("gap")[-1].to_dicts()[0]
    assert said.startswith("Not proven within 0.5 s: ")
    assert f"set of {widest['k']} may explain up to {100 * widest['gap']:.2g}%" in said


def test_the_gap_of_a_determinant_is_one_of_its_logarithm() -> None:
    """By the determinant, what another set may be better by is said in the unit of the table."""
    sigma = np.corrcoef(np.random.default_rng(3).normal(size=(90, 70)), rowvar=False)
    outcome = rank(sigma, k=15, objective="determinant", time_limit=0.5)
    gap = outcome["gap"].values.max()
    (said,) = (line for line in findings(outcome) if "Not proven" in line)
    assert f"may have a log determinant larger by up to {gap:.2g} (" in said


def test_every_search_ends_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search has ten seconds, and each of the three that show other answers one."""
    limits = []

    def noted(sigma: Floats, choice: selection.Choice) -> selection.Selection:
        limits.append(choice.time_limit)
        return selection.select(sigma, choice)

    monkeypatch.setattr(study, "select", noted)
    rank(scores(), k=2)
    assert limits == [10, 1, 1, 1]


def test_all_partitions_have_the_work_of_one_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many halves choose, and however slow the clock, the work is the limit's, and so is the choice."""
    sigma = np.corrcoef(np.random.default_rng(3).normal(size=(90, 30)), rowvar=False)
    choice = selection.Choice(
        *("exact", "unreported", np.arange(30), np.array([], dtype=np.intp), 8),
        cost=np.ones(30),
        time_limit=1.0,
    )
    done = list[int]()
    spent = branch_and_bound._Limit.spent

    def noted(limit: branch_and_bound._Limit) -> float:
        done.append(limit.done)
        return spent(limit)

    monkeypatch.setattr(branch_and_bound._Limit, "spent", noted)
    found = [selection.choose_again(sigma, choice, range(1, 9), 40) for _ in range(2)]
    assert max(done) < 1.5 * selection.SPEED / 40
    assert not all(proven for _, proven in found[0].values())
    for size, (subset, proven) in found[0].items():
        assert proven == found[1][size][1]
        assert subset.tolist() == found[1][size][0].tolist()


def test_partitions_that_are_not_proven_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A note counts the partitions whose search came to its limit, and names the sizes; there is none if none did."""
    assert not any(
        "partitions" in note
        for note in about(rank(scores(), k=3, partitions=4))["notes"]
    )
    monkeypatch.setattr(selection, "WORK", 1)
    notes = about(rank(scores(), k=3, partitions=4))["notes"]
    assert notes[-1].startswith(
        "In 4 of 4 partitions the search reached its limit before the best subsets of "
    )
    assert notes[-1].endswith(
        "3 metrics were proven; the best found are counted (--time-limit SECONDS searches longer)."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 0}, "1 to 6"),
        ({"k": 7}, "1 to 6"),
        ({"k": 1, "include": ["AP", "RR"]}, "2 to 6"),
        ({"k": 6, "exclude": ["AP"]}, "1 to 5"),
        ({"include": ["nDGC@20"]}, "did you mean nDCG@20"),
        ({"include": ["AP"], "exclude": ["AP"]}, "both included and excluded"),
        ({"cost": {"AP": 2.0}}, "budget="),
        ({"method": "ib", "budget": 3.0}, "method='exact'"),
        ({"cost": {"AP": -1.0}, "budget": 3.0}, "0 or more"),
        ({"budget": 0.5}, "raise the budget"),
        ({"time_limit": 0}, "above 0"),
        ({"partitions": -1}, "0 or more"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    options: dict[str, object], said: str
) -> None:
    """A wrong option says what is wrong and what would do."""
    with pytest.raises(ScoresError, match=said):
        rank(scores(), **options)  # type: ignore[arg-type]


def test_the_input_is_left_alone() -> None:
    """Ranking does not write into the scores."""
    one = scores()
    before = one.copy(deep=True)
    rank(one, "ib", "rank", unit="within-topic", partitions=2)
    xr.testing.assert_identical(one, before)


@pytest.mark.data
def test_the_matrix_changes_the_answer(data: Path) -> None:
    """On the released scores, covariance takes the metrics that vary most; correlation takes P@1000 among the first."""
    train = import_systemwise(data / "systemwise" / "train.csv")
    covariance, correlation = (
        irmeta.rank(train, "ib", matrix)["order"].values.tolist()
        for matrix in ("covariance", "correlation")
    )
    assert covariance[1] == "RR"
    assert covariance[-1] == "P@1000"
    assert "P@1000" in correlation[:2]


@pytest.mark.data
def test_released_scores_are_settled_for_every_size(data: Path) -> None:
    """Every size of the 23 metrics is proven, for both matrices and objectives; backward elimination is not optimal."""
    train = import_systemwise(data / "systemwise" / "train.csv")
    for matrix in ("covariance", "correlation"):
        for objective in ("determinant", "unreported"):
            assert rank(train, matrix=matrix, objective=objective)[
                "proven"
            ].values.all()
        assert rank(train, "ib", matrix)["ratio_to_optimum"].values.min() < 0.99


def usual() -> xr.DataArray:
    """Scores of metrics that papers report, and of P@1000 and R@10, which they do not."""
    return scores().assign_coords(
        metric=["AP", "P@10", "P@1000", "nDCG@20", "Rprec", "R@10"]
    )


def test_metrics_that_papers_report_are_chosen_and_all_are_explained() -> None:
    """By default only metrics that papers usually report are chosen, for what they leave unexplained of all."""
    outcome = rank(usual(), k=2)
    sigma = np.corrcoef(usual().values.reshape(-1, 6), rowvar=False)
    best = min(unexplained(sigma, s) for s in combinations((0, 1, 3, 4), 2))
    np.testing.assert_allclose(outcome["unexplained"].values[1], best)
    assert (
        "of the 4 metrics that papers usually report (AP, P@10, nDCG@20, Rprec) exists"
        in findings(outcome)[2]
    )
    assert about(outcome)["options"]["candidates"] == "reported"


@pytest.mark.parametrize(
    "options",
    [
        {"candidates": "all"},
        {"metrics": "AP P@10 P@1000 nDCG@20 Rprec R@10"},
        {"include": ["P@1000"]},
    ],
)
def test_whoever_names_metrics_chooses_among_them(options: dict) -> None:
    """Metrics that papers rarely report can be chosen if all are asked for, or they are named."""
    assert bool(rank(usual(), **options)["candidate"].sel(metric="P@1000"))


def test_of_three_metrics_that_are_all_needed_nothing_is_chosen() -> None:
    """Where all metrics of the scores are needed that is no choice, and it is said how to get more of them."""
    made = scores()
    made.data = np.random.default_rng(1).random(made.shape)
    (said,) = findings(rank(made[..., :3]))
    assert said.startswith("It takes all 3 metrics of these scores")
    assert findings(rank(made[..., :3], k=2))[0].startswith(("Report", "These topics"))


def test_the_answer_is_set_beside_that_to_other_questions() -> None:
    """One sentence names what other levels and the other objective would choose, as those choices themselves do."""
    outcome = rank(scores(), k=2)
    told = findings(outcome)[3]
    for words, options in (
        ("within topics", {"unit": "within-topic"}),
        ("at system level", {"unit": "system"}),
        ("by the determinant", {"objective": "determinant"}),
    ):
        other = rank(scores(), k=2, **options)
        expected = other["chosen"].sel(k=2).values
        assert (outcome["other"].sel(way=words).values == expected).all()
        assert words in told
    assert told.startswith("The choice is the same")
    assert not isinstance(told, Answer)


def test_that_other_criteria_choose_other_metrics_stands_above_the_tables() -> None:
    """Where another level or objective would choose another set, that is an answer; the same set is not."""
    outcome = rank(scores(), k=2)
    another = outcome.assign(other=~outcome["other"])
    told = findings(another)[3]
    assert told.startswith("Other criteria choose: within topics ")
    assert isinstance(told, Answer)


def sampled(population: xr.DataArray, topics: int, seed: int) -> xr.DataArray:
    """Draw topics of a population with replacement, each under a name of its own."""
    at = np.random.default_rng(seed).integers(0, population.sizes["topic"], topics)
    return population.isel(topic=at).assign_coords(
        topic=[f"t{i}" for i in range(topics)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("level", ["topic", "within-topic"])
def test_the_interval_of_what_is_unexplained_holds_that_of_all_topics(
    level: Level,
) -> None:
    """In most samples of 25 topics the interval holds what the set chosen leaves unexplained on all 400."""
    population = scores(topics=400, noise=1.5)
    truth = from_scores(population, "correlation", level, "error").sigma
    held = 0
    for seed in range(20):
        found = rank(sampled(population, 25, seed), k=3, unit=level).sel(k=3)
        left = unexplained(truth, np.flatnonzero(found["chosen"].values))
        held += (
            float(found["unexplained_low"]) <= left <= float(found["unexplained_high"])
        )
    assert held >= 16


def test_what_is_unexplained_has_no_interval_without_topics() -> None:
    """A matrix, a table of means and three topics leave nothing to leave out, and the finding names no interval."""
    table = (
        scores()
        .mean("topic")
        .expand_dims(topic=["all"])
        .transpose("system", "topic", "metric")
    )
    for given in (
        np.corrcoef(np.random.default_rng(0).random((4, 30))),
        table,
        scores(topics=3),
    ):
        outcome = rank(given, k=2)
        assert outcome["unexplained_low"].isnull().all()
        assert "interval" not in findings(outcome)[0]
    assert "; 95% interval over topics " in findings(rank(scores(), k=2))[0]


def test_no_choice_is_no_verdict() -> None:
    """Where there is one set to choose, halves of the topics are not said to agree on it."""
    two = scores().isel(metric=[0, 3])
    said = " ".join(findings(rank(two, k=2, partitions=20)))
    assert "There is only one set of 2" in said
    assert "holds" not in said


def test_means_alone_are_not_told_of_at_levels_that_they_lack() -> None:
    """A table of means has the level of systems only; scores on topics have all three."""
    rng = np.random.default_rng(3)
    metrics = ["AP", "P@10", "RR", "nDCG@10", "Rprec"]
    names = [f"s{at}" for at in range(30)]
    means = cube(rng.random((30, 1, 5)), names, [ALL], metrics)
    (line,) = [
        one
        for one in rank(means, k=2).findings
        if "the choice" in one.lower() or "Other" in one
    ]
    assert "topic" not in line
    every = cube(rng.random((30, 6, 5)), names, list("123456"), metrics)
    assert any("within topics" in one for one in rank(every, k=2).findings)


@pytest.mark.parametrize("objective", ["unreported", "determinant"])
def test_a_set_with_one_metric_at_two_cutoffs_names_one_without(objective: Any) -> None:
    """Where the best set holds a metric at two cutoffs, the next one that does not, and may be as good, is named."""
    given = scores(noise=3, topics=40)
    best = rank(given, k=2, objective=objective)["order"].values[:2].tolist()
    named = dict(zip(best, ("AP@100", "AP@1000"), strict=True))
    called = [named.get(name, name) for name in METRICS]
    found = rank(given.assign_coords(metric=called), k=2, objective=objective)
    rivals = tables(found)["rivals"]["metrics"].to_list()
    other = next(one for one in rivals if not set(named.values()) <= set(one))
    said = findings(found)[0]
    assert f"One metric is in it at two cutoffs; {', '.join(other)} " in said
    assert (" explain " in said.rpartition("; ")[2]) == (objective != "determinant")
    assert "two cutoffs" not in findings(rank(given, k=2, objective=objective))[0]
