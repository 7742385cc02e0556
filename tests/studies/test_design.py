"""The study of designs: costs, the front, the choice for a budget, and what it says in words."""

import re

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau

import irmeta
from irmeta.errors import ScoresError
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.groups.repeats import with_judges, with_repeats
from irmeta.studies.design.depths import AtDepths, judged_to_depths
from irmeta.studies.design.study import design
from irmeta.studies.design.summary import _front_sentence, findings, overview, tables

POOLS = {5: 20.0, 20: 100.0}


def scores(topics=24):
    """Make AP and P@10 at two depths: deeper judgments are less noisy, P@10 is noisier than AP."""
    rng = np.random.default_rng(0)
    good = np.linspace(0, 2, 12)[:, None] + rng.normal(size=(12, topics))
    noise = {
        "AP": 0.0,
        "AP(pool=5)": 1.0,
        "AP(pool=20)": 0.2,
        "P@10": 2.0,
        "P(pool=5)@10": 2.0,
        "P(pool=20)@10": 2.0,
    }
    columns = [good + sd * rng.normal(size=good.shape) for sd in noise.values()]
    names = [f"s{i}" for i in range(12)], [str(t) for t in range(topics)], list(noise)
    return cube(np.stack(columns, axis=-1), *names, collection="made")


def _repeated(clusters=False):
    """Means of three runs of eight systems on 24 topics, in eight clusters of three or not."""
    rng = np.random.default_rng(5)
    of = np.repeat(np.arange(8), 3)
    cluster = np.repeat(rng.normal(size=(8, 8)), 3, axis=1)
    own = 0.3 * np.arange(8)[:, None] + clusters * cluster + rng.normal(size=(8, 24))
    runs = own[of] + 0.4 * rng.normal(size=(24, 1)) + rng.normal(size=(24, 24))
    names = [f"s{system}_{run}" for run, system in enumerate(of)]
    topics = [f"c{topic // 3}_{topic}" for topic in range(24)]
    made = cube(runs[..., None], names, topics, ["AP"])
    return with_repeats(with_clusters(made, "stem") if clusters else made, "stem")


def test_the_first_metric_that_is_asked_for_is_the_target():
    """Systems are to be ranked by the first of the metrics to choose from, or of the scores."""
    draw = np.random.default_rng(0)
    made = cube(
        draw.random((4, 12, 2)),
        list("abcd"),
        [str(at) for at in range(12)],
        ["RR", "P@5"],
    )
    for metrics, target in (("P@5 RR", "P@5"), ("P@5", "P@5"), (None, "RR")):
        found = design(made, metrics=metrics, partitions=20)
        assert about(found)["options"]["target"] == target


def test_more_runs_topics_or_clusters_have_their_costs():
    """Each way has as many as its times say, at its price, the cheapest said first; nothing where there are neither."""
    found = design(
        _repeated(clusters=True), partitions=20, run_cost=500, cluster_cost=10
    )
    assert found["spend"].values.tolist() == ["topics", "clusters", "runs"]
    assert found["more_now"].values.tolist() == [24, 8, 3]
    price = np.array([30, 10 + 3 * 30, 500])
    np.testing.assert_allclose(
        found["more_cost"], found["more"] * price[:, None], equal_nan=True
    )
    [said] = [one for one in found.findings if "narrower" in one]
    assert said.startswith("Intervals of differences by AP are 10% narrower with ")
    told = [float(one) for one in re.findall(r"\((\d+)\)", said)]
    assert told == sorted(told)
    table = found.tables["more"]
    assert table.height == 6
    np.testing.assert_allclose(
        table["cost"].fill_null(np.nan).to_numpy(), found["more_cost"].values.ravel()
    )
    alone = scores().sel(metric=["AP"])
    assert "more" not in design(alone, partitions=20)


def test_without_a_price_runs_are_only_counted():
    """Where nobody says what a run costs the sentence has a number of runs without one."""
    found = design(_repeated(), partitions=20)
    [said] = [one for one in found.findings if "narrower" in one]
    assert re.search(r"\d+ more runs? of each system[,. ]", said)
    assert found["spend"].values.tolist() == ["topics", "runs"]


def test_more_judges_are_called_judges():
    """Where scores are means over judges, another judge is what may be added, and what --run-cost is the cost of."""
    rng = np.random.default_rng(0)
    good = np.arange(8)[:, None] * 0.3 + rng.normal(size=(8, 24))
    names = list("abcdefgh"), [str(at) for at in range(24)], ["AP"]
    seen = {
        judge: cube((good + 0.4 * rng.normal(size=(8, 1)))[..., None], *names)
        for judge in ("gpt", "llama", "qwen")
    }
    found = design(with_judges(seen), partitions=20, run_cost=70)
    assert found["spend"].values.tolist() == ["topics", "judges"]
    assert found["more_now"].sel(spend="judges") == 3
    [said] = [one for one in found.findings if "narrower" in one]
    more = int(found["more"].sel(spend="judges", narrower=0.1))
    assert f"{more} more judge{'s' if more > 1 else ''} ({70 * more})" in said


def test_teams_of_clones_make_intervals_wider():
    """Where each system was submitted twice, naming the teams gives the intervals of the systems submitted once."""
    once = scores().sel(metric=["AP", "P@10"])
    copies = once.assign_coords(system=[f"{name}-again" for name in once.system.values])
    twice = xr.concat([once, copies], "system").assign_attrs(once.attrs)
    made = [
        design(twice, target="AP", sizes=[10], partitions=200, teams=groups)
        for groups in ("each", "stem")
    ]
    widths = [(one["high"] - one["low"]).values[:, 0] for one in made]
    assert (widths[1] > 1.1 * widths[0]).all()
    assert "12 name stems" in about(made[1])["notes"][-1]
    assert "24 systems as independent" in about(made[0])["notes"][-1]


def test_topics_are_chosen_for_systems_that_did_not_choose():
    """Of each size the best topics are named, and tau is theirs by all systems; on others less of the gain is left."""
    made = scores().sel(metric=["AP", "P@10"])
    found = design(made, target="AP", subset=[3, 6], partitions=20, teams="each")
    assert found["subset"].values.tolist() == [3, 6]
    table = found.tables["chosen"]
    for size in (3, 6):
        names = table.filter(topics=size)["topic"].to_list()
        assert len(names) == size
        few, every = (
            one.sel(metric="AP").mean("topic").values
            for one in (made.sel(topic=names), made)
        )
        tau = float(found["subset_tau"].sel(subset=size, kind="best"))
        assert tau == pytest.approx(kendalltau(few, every).statistic)
    by_kind = found["subset_tau"].values
    assert (by_kind[:, 0] > by_kind[:, 1]).all()
    assert (by_kind[:, 1] > by_kind[:, 2]).all()
    assert (found["subset_survives"] < 1).all()
    names = found.tables["chosen"].filter(topics=3)["topic"]
    assert found.findings[0].startswith(
        f"The best 3 of 24 topics are {', '.join(names)}: by AP they rank the 12 systems as all topics do with tau "
    )
    low = float(found["subset_gain_low"][0])
    assert ("random topics may do as well" in found.findings[0]) == (low <= 0)
    # only topics were asked for: one sentence a size, and nothing of designs
    assert len(found.findings) == 2
    assert list(overview(found.data)) == ["tau with the ranking over all"]
    tasks = made.assign_coords(topic=[f"t{name}" for name in made.topic.values])
    [told] = design(tasks, target="AP", subset=[3], partitions=20).findings
    assert told.startswith("The best 3 of 24 tasks are t")
    assert "Of models that had no part in such a choice tau is" in told
    both = design(tasks, target="AP", subset=[3], budget=1, partitions=20).findings
    assert "does not pay for 2 tasks" in both[1]
    with pytest.raises(ScoresError, match=r"24 is not from 1 to 23; 24 topics are"):
        design(made, target="AP", subset=[24], partitions=20)
    lacking = made.copy()
    lacking[0:3, 4:] = np.nan
    lacking[3, :2] = np.nan
    with pytest.raises(
        ScoresError, match=r"2. topics are there to choose from: .*dropped"
    ):
        design(lacking, target="AP", subset=[24], partitions=20, missing="common")
    with pytest.raises(ScoresError, match=r"at least 6 systems, .* not 5"):
        design(made.isel(system=range(5)), target="AP", subset=[3], partitions=20)


def test_without_a_subset_designs_are_as_they_were():
    """What is chosen of the topics has draws of its own: designs are the same with it and without."""
    made = scores().sel(metric=["AP", "P@10"])
    alone, beside = (
        design(made, target="AP", subset=subset, partitions=20)
        for subset in (None, [4])
    )
    assert alone.tables["designs"].equals(beside.tables["designs"])
    assert "subsets" not in alone.tables


def at_depths(made, *, pools, judged, metrics=None, machine=None, **options):
    """Design by scores at depths of judging as if runs had been scored so."""
    depth = AtDepths(made, metrics, pools, judged, machine=machine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("irmeta.studies.design.study.judged_to_depths", lambda *_: depth)
        return design(made, runs={}, qrels={}, **options)


def chosen(**options):
    return at_depths(
        scores(),
        target="AP",
        pools=POOLS,
        judged=150.0,
        topic_cost=30,
        partitions=60,
        **options,
    )


def test_a_design_costs_its_topics_and_their_judgments():
    """Cost is n (c_T + c_J J(d)): topics, and the documents of a pool of the depth."""
    rows = tables(chosen(judgment_cost=2))["designs"].filter(metric="AP", topics=10)
    costs = dict(rows.select("depth", "cost").iter_rows())
    assert costs == {
        0: 10 * (30 + 2 * 150),
        5: 10 * (30 + 2 * 20),
        20: 10 * (30 + 2 * 100),
    }


def test_the_front_holds_what_no_other_beats():
    """No design of the front is as expensive as, and worse than, any other; every other is beaten by one."""
    views = tables(chosen())
    front = views["front"]
    assert front["tau"].is_sorted()
    assert front["cost"].is_sorted()
    for row in views["designs"].filter(~_pareto_front()).iter_rows(named=True):
        assert front.filter(
            (_column("cost") <= row["cost"]) & (_column("tau") >= row["tau"])
        ).height


def _pareto_front():
    import polars as pl

    return pl.col("front")


def _column(name):
    import polars as pl

    return pl.col(name)


def test_a_budget_buys_as_many_topics_as_it_can():
    """Each way gets the topics that the budget pays for, best first, and none costs more."""
    budget = tables(chosen(budget=1000))["budget"]
    assert (budget["topic_cost"] * budget["topics"] <= 1000).all()
    assert budget.filter(metric="AP", depth=5)["topics"].item() == 1000 // 50
    assert budget["tau"].is_sorted(descending=True)


def test_findings_say_what_to_buy_and_what_that_is_worth():
    """The first sentence has the topics, depth and metric; the last how many others may be as good."""
    found = chosen(budget=1000)
    best = tables(found)["budget"].row(0, named=True)
    said = findings(found)
    assert (
        f"Buy {best['topics']} topics to depth {best['depth']} by {best['metric']}"
        in said[0]
    )
    assert "within error of the best" in said[-1]


def test_a_design_is_said_to_achieve_more_only_where_the_target_is_surely_behind():
    """Beside the best way stands what the target in full costs or reaches if it is behind by more than error."""
    found = chosen(budget=1000)
    full = np.flatnonzero((found["metric"] == "AP") & (found["depth"] == 0))[0]
    for behind, says in ((-0.01, False), (0.01, True), (np.nan, False)):
        found["behind_low"].values[full] = behind
        said = [s for s in findings(found) if "achieve" in s]
        assert bool(said) == says
    # a curve that gets there beyond where it is followed, or never: no number of topics is said
    found["behind_low"].values[full] = 0.01
    found["a"].values[full] = 0.01
    assert re.search(
        r"topics .*by AP achieve less for it: tau \.", " ".join(findings(found))
    )


def test_of_one_design_nothing_is_said_of_others():
    """Where there is one metric, or the budget buys one design, no other is compared with it."""
    alone = design(scores().sel(metric=["AP"]), target="AP", budget=300, partitions=20)
    assert "other design" not in " ".join(findings(alone))


def test_where_judging_in_full_is_best_the_best_pool_is_named():
    """Judged in full is as deep as judgments happened to go: its documents are counted, and a pool stands beside it."""
    some = scores().sel(metric=["AP", "AP(pool=5)"])
    costs = {"topic_cost": 30, "judgment_cost": 0, "budget": 300}
    said = findings(
        at_depths(
            some, target="AP", pools={5: 20.0}, judged=150.0, partitions=60, **costs
        )
    )
    assert (
        "topics as judged now (150 documents each) by AP for 300 of 300: they rank systems as AP"
        in said[0]
    )
    assert any(
        sentence.startswith("Among pools with a depth,")
        and "to depth 5 by AP have the highest tau" in sentence
        for sentence in said
    )


def test_judgments_as_they_are_are_not_recommended_for_a_depth_that_has_more():
    """Where a depth that was asked for has more documents than are judged now, a depth is recommended, and tau said."""
    some = scores().sel(metric=["AP", "AP(pool=5)"])
    given = {"target": "AP", "pools": {5: 200.0}, "judged": 150.0, "partitions": 20}
    given |= {"judgment_cost": 0, "budget": 300}
    asked, default = (
        findings(at_depths(some, depths=depths, **given)) for depths in ([5], None)
    )
    assert "to depth 5 by AP for 300 of 300" in asked[0]
    assert asked[1].startswith(
        "10 topics as judged now (150 documents each) by AP have tau "
    )
    assert asked[1].endswith(
        ", the highest, but fewer documents a topic are judged so than at a depth asked for (--depths)."
    )
    assert "as judged now" in default[0]


def test_a_fall_back_from_depths_that_are_too_dear_is_said():
    """Where no depth is affordable the answer says so before it recommends judging as now."""
    some = scores().sel(metric=["AP", "AP(pool=5)"])
    given = {"target": "AP", "pools": {5: 300.0}, "judged": 20.0, "partitions": 20}
    found = at_depths(some, depths=[5], judgment_cost=1, budget=300, **given)
    assert findings(found)[0].startswith(
        "No depth is affordable: 2 topics to depth 5 by AP cost 660. Buy 6 topics as judged now "
    )


def test_extrapolated_figures_are_marked():
    """Figures of more topics than half of those there are say so, in tables and in words."""
    found = chosen(budget=1500)
    views = tables(found)
    assert views["designs"].filter(~_column("measured"))["topics"].min() > 12
    assert "no" in overview(found)["best for each cost"]["measured"].to_list()
    assert "extrapolated" in findings(found)[0]


def test_scores_alone_vary_no_depth():
    """Without pools the depth is as it is, judgments cost nothing, and notes say both; no judge is named."""
    found = at_depths(
        scores(),
        target="AP",
        metrics="P@10",
        topic_cost=10,
        partitions=20,
        pools=POOLS,
        judged=0,
    )
    assert found["metric"].values.tolist() == ["P@10"] * 3
    alone = design(scores().sel(metric=["AP", "P@10"]), target="AP", partitions=20)
    notes = about(alone)["notes"]
    assert "depth of judging is not varied" in str(notes)
    assert "only topics cost" in str(notes)
    assert alone["topic_cost"].values.tolist() == [30, 30]
    assert set(tables(alone)["designs"]["judge"]) == {""}


def machine(favour, noise=0.5):
    """Make a machine's scores: the true ones, with noise, and a favour of its own for each system."""
    human, rng = scores(), np.random.default_rng(1)
    shape = human.shape
    return (
        human
        + favour * rng.normal(size=(shape[0], 1, 1))
        + noise * rng.normal(size=shape)
    )


def test_a_machine_is_a_further_way_to_spend():
    """A machine's judgments are columns of their own, at their own cost."""
    found = chosen(machine=scores(), llm_judgment_cost=0.1, budget=1000)
    ways = tables(found)["budget"]
    assert set(ways["judge"]) == {"people", "machine", "both"}
    assert (
        ways.filter(judge="machine", metric="AP", depth=20)["topic_cost"].item()
        == 30 + 0.1 * 100
    )
    assert "judged by a machine" in findings(found)[0]


def test_people_and_a_machine_share_topics_at_the_cheapest_rate():
    """People judge one topic in sqrt(rho^2 / (1 - rho^2) x c_H / c_L), and a topic costs what both cost."""
    judge = machine(0.0)
    found = chosen(machine=judge, judgment_cost=5, llm_judgment_cost=0.1)
    way = (
        tables(found)["designs"]
        .filter(judge="both", metric="AP", depth=20)
        .row(0, named=True)
    )
    human, other = (one.sel(metric="AP(pool=20)").values for one in (scores(), judge))
    h, m = (one - one.mean(axis=0) for one in (human, other))
    rho = np.corrcoef(
        *((one - one.mean(axis=1, keepdims=True)).ravel() for one in (h, m))
    )[0, 1]
    people, both = 5 * 100, 30 + 0.1 * 100
    assert way["each"] == round(np.sqrt(rho**2 / (1 - rho**2) * people / both))
    assert way["cost"] / way["topics"] == pytest.approx(both + people / way["each"])


def test_people_take_off_what_a_machine_favours():
    """Where a machine favours systems its topics are worth little, and with a part judged by people much more."""
    found = chosen(machine=machine(3.0), judgment_cost=5, llm_judgment_cost=0.1)
    worth = dict(
        tables(found)["designs"]
        .filter(metric="AP", depth=0, topics=10)
        .select("judge", "tau")
        .iter_rows()
    )
    assert worth["machine"] < 0.4
    assert worth["both"] > worth["machine"] + 0.1


def test_a_machine_without_costs_saved_is_no_partner():
    """Where people's judgments cost nothing, they judge all topics."""
    found = chosen(machine=machine(0.0), judgment_cost=0, llm_judgment_cost=0.1)
    assert set(found["judge"].values) == {"people", "machine"}


def test_the_answer_says_what_is_spent_and_what_is_not_counted():
    """The first sentence has the cost, the next the topics that could be paid, and that judgments are not counted."""
    alone = scores().sel(metric=["AP", "P@10"])
    said = findings(design(alone, target="AP", budget=5000, partitions=20))
    assert "for 1440 of 5000, judgments not counted: they rank" in said[0]
    assert said[1:3] == [
        "The budget pays for 166 topics, but figures are extrapolated only to 48.",
        "Costs are of topics only; --runs and --qrels add those of judgments.",
    ]
    counted = findings(chosen(budget=1000))
    assert "of 1000: they rank" in counted[0]
    assert not any("topics only" in sentence for sentence in counted)


def test_a_budget_too_small_is_said_to_be():
    """Where nothing can be bought the words say so."""
    assert findings(chosen(budget=40)) == [
        "A budget of 40 does not pay for 2 topics in any design."
    ]
    assert "budget" not in overview(chosen(budget=40))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": -1}, "above 0"),
        ({"metrics": "RR"}, "no metric 'RR'"),
        ({"target": "RR"}, "no metric 'RR'"),
        ({"pools": {5: 20}}, "a pool of depth 20"),
        ({"topic_cost": -1}, "0 or more"),
    ],
)
def test_what_cannot_be_designed_is_an_error(options, words):
    """Wrong costs, unknown metrics and pools of unknown size are refused with a reason."""
    given = {
        "target": "AP",
        "pools": POOLS,
        "judged": 150.0,
        "partitions": 20,
    } | options
    with pytest.raises(ScoresError, match=words):
        at_depths(scores(), **given)


def test_few_topics_are_an_error():
    """Halves of fewer than 8 topics measure nothing."""
    with pytest.raises(ScoresError, match="at least 3 systems on 8 topics"):
        design(scores(topics=6).sel(metric=["AP"]), target="AP")


@pytest.mark.parametrize(
    ("front", "measured", "said"),
    [
        ([[1], [0]], [1], "at the only cost. "),
        ([[1, 1], [0, 0]], [1, 1], "at all 2 costs. "),
        ([[1, 1], [1, 0]], [1, 1], "at 2 of the 3 costs. "),
        (
            [[1, 0], [0, 1]],
            [0, 0],
            "judge way0: it has the highest expected tau at 1 of the 2 costs, by extrapolation.",
        ),
    ],
)
def test_the_cheapest_way_is_best_at_costs_that_are_counted(front, measured, said):
    """One cost is one, all are all, and some are so many of how many; what is extrapolated is called so."""
    outcome = front_of(front, measured)
    assert said in _front_sentence(outcome, "AP")
    assert "With more" not in _front_sentence(outcome, "AP")


def test_what_is_extrapolated_does_not_lead():
    """A way that is best at one measured cost leads before one that is best at two extrapolated ones."""
    said = _front_sentence(front_of([[1, 0, 0], [0, 1, 1]], [1, 0, 0]), "AP")
    assert (
        "judge way0: it has the highest expected tau at the only cost of up to 10 "
        in (said)
    )
    assert (
        "With more topics judging way1 has it at all 2 costs, by extrapolation." in said
    )
    same = _front_sentence(front_of([[1, 1, 1], [0, 0, 0]], [1, 0, 0]), "AP")
    assert "With more topics the same has it at all 2 costs, by extrapolation." in same


def front_of(front, measured):
    """Ways, and at which of the sizes they are on the front; which sizes are measured."""
    front = np.array(front, dtype=bool)
    both = ("way", "size")
    figures = dict.fromkeys(("cost", "tau"), (both, 1.0 * front))
    flags = {
        "front": front,
        "measured": np.broadcast_to(np.array(measured) > 0, front.shape),
    }
    outcome = xr.Dataset(
        {
            "label": ("way", [f"way{at}" for at in range(len(front))]),
            "half": 10,
            **{name: (both, flag) for name, flag in flags.items()},
            **figures,
        }
    )
    outcome.attrs["inputs"] = {"collections": {}}
    return outcome


def test_a_budget_buys_clusters_at_the_price_of_their_topics():
    """Three turns a conversation at 10 each, and 20 for the conversation, cost 50; the sentence counts clusters."""
    scores = _repeated(clusters=True)
    found = design(scores, topic_cost=10, cluster_cost=20, budget=200, partitions=20)
    assert found["topic_cost"].values.tolist() == [50.0]
    assert found["affordable"].values.tolist() == [4]
    assert found.findings[0].startswith("Buy 4 clusters by AP for 200 of 200")


def test_clusters_alone_may_cost():
    """Where only clusters have a price it is all that a design costs; where they do not, nothing is to be chosen."""
    scores = _repeated(clusters=True)
    free = {"topic_cost": 0, "judgment_cost": 0, "budget": 200, "partitions": 20}
    found = design(scores, cluster_cost=50, **free)
    assert found["affordable"].values.tolist() == [4]
    assert any("Costs are of clusters and topics only" in one for one in found.findings)
    with pytest.raises(ScoresError, match="judging by AP costs nothing"):
        design(scores, **free)


def test_pools_are_scored_on_the_clusters_of_the_scores():
    """Scores at each depth are computed from runs again, and keep the clusters and whether these count alike."""
    qrels = {topic: {"a": 1, "b": 0, "c": 1} for topic in "1234"}
    runs = {name: {topic: {name: 1.0, "c": 0.5} for topic in "1234"} for name in "ab"}
    of = {"1": "x", "2": "x", "3": "y", "4": "y"}
    scored = with_clusters(irmeta.evaluate(qrels, runs, "AP"), of, mean_over="clusters")
    made = judged_to_depths(scored, qrels, runs, None, [1], None, "AP").scores
    assert cluster_map(made) == of
    assert made.attrs["mean_over"] == "clusters"


def test_the_only_metric_is_the_target():
    """Where scores have one metric, whatever it is called, a design is for it."""
    made = (
        np.random.default_rng(0).normal(size=(6, 10, 1)) + np.arange(6)[:, None, None]
    )
    names = [f"s{at}" for at in range(6)], [str(at) for at in range(10)]
    found = design(cube(made, *names, ["accuracy"]), partitions=20)
    assert about(found)["options"]["target"] == "accuracy"
