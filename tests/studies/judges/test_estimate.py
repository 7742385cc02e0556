"""Estimates and plans from human topics beside machine topics: what is refused, what is told."""

import numpy as np
import pytest
from scipy.stats import t

from irmeta.errors import ScoresError
from irmeta.io.formats.scores import load, save
from irmeta.report.tables import render
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.standardization import fit
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.design.reliability.study import reliability
from irmeta.studies.design.study import design
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.paper_table import table
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.judges import estimate as estimating
from irmeta.studies.judges import plan as planning
from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.judges.estimate import estimate, estimated_scores
from irmeta.studies.judges.plan import plan
from irmeta.studies.judges.sampled import paired, weights
from irmeta.studies.leaderboard.study import leaderboard


def both(seed=0, noise=0.1, topics=60, drawn=15):
    """Human scores on some topics, and machine scores on all."""
    rng = np.random.default_rng(seed)
    truth = (
        rng.normal(0.4, 0.05, (8, 1))
        + rng.normal(0, 0.1, (8, topics))
        + rng.normal(0, 0.1, topics)
    )
    machine = truth + rng.normal(0, noise, truth.shape) + 0.1
    systems, names = [f"s{i}" for i in range(8)], [str(301 + i) for i in range(topics)]
    made = [
        cube(np.clip(one, 0, 1)[..., None], systems, names, ["AP"])
        for one in (truth, machine)
    ]
    chosen = np.sort(rng.permutation(topics)[:drawn])
    return made[0][:, chosen], made[1]


def whole(outcome):
    """Return all that a plan by AP says."""
    return " ".join(planning.findings(outcome)).replace(" AP: ", " ")


def test_a_good_machine_narrows_the_intervals() -> None:
    """With a machine that agrees intervals are narrower than by people alone; with one that does not, hardly."""
    good, bad = (estimate(*both(noise=noise)) for noise in (0.03, 1.0))
    assert good["gain"].item() < 0.75
    assert 0.9 < bad["gain"].item() <= 1.1
    assert "the machine's labels hardly help" in estimating.findings(bad)[0]
    assert "hardly help" not in estimating.findings(good)[0]


def test_papers_and_pages_have_a_table_for_each_metric() -> None:
    """LaTeX and Markdown have the means by every metric, each below a line that names it, of one metric, too."""
    human, machine = both()
    found = estimate(*(two_metrics(one) for one in (human, machine)))
    tex, web = found.to_latex(), render(found.data, "markdown")
    for metric in ("AP", "P(rel=2)@10"):
        title = f"{metric}: means (95%), 15 human and 60 machine topics"
        escaped = title.replace("%", r"\%")
        assert rf"\multicolumn{{5}}{{l}}{{{escaped}}} \\" in tex
        assert f"{title}\n\n| system |" in web
    assert tex.count(r"s0 & ") == web.count("| s0 |") == 2
    assert r"{AP: means (95\%), 15 human and" in estimate(human, machine).to_latex()
    planned = plan(human, machine).to_latex()
    assert "{AP: intervals of differences with 60 machine topics}" in planned
    assert "--table" not in planned


def two_metrics(scores):
    """Return scores by AP also as by P(rel=2)@10."""
    joined = np.concatenate([scores.values] * 2, axis=2)
    return cube(
        joined,
        scores.system.values,
        scores.topic.values,
        ["AP", "P(rel=2)@10"],
    )


def test_gain_is_the_ratio_of_mean_widths() -> None:
    """The gain is the mean width of the intervals as a share of that of intervals from people alone."""
    found = estimate(*both(noise=0.05))
    width, human_width = (
        float((found[f"{of}high"] - found[f"{of}low"]).mean()) for of in ("", "human_")
    )
    assert found["gain"].item() == pytest.approx(width / human_width, rel=1e-12)


def test_why_a_good_machine_narrows_little() -> None:
    """Where people judged all topics, more machine topics would help a good machine; with a bad one only people do."""
    little, bad = (
        estimating.findings(estimate(*both(noise=noise, drawn=60)))[0]
        for noise in (0.03, 1.0)
    )
    assert little.startswith(
        "AP: people judged all 60 topics, so the machine adds nothing; topics that only it judges can make"
    )
    rho = estimate(*both(noise=0.03, drawn=60))["rho"].item()
    assert f"up to {round(100 * (1 - (1 - rho**2) ** 0.5))}% narrower" in little
    assert "more topics by people, not by machine" in bad


def test_the_cause_that_decides_is_named() -> None:
    """Scores that correlate too little are the cause, unless people judged most of the topics."""
    weak, most = (
        estimating.findings(estimate(*both(noise=noise, drawn=drawn)))[0]
        for noise, drawn in ((0.3, 15), (0.2, 40))
    )
    assert "because scores by them correlate too little with those by people" in weak
    assert "because people judged 40 of the 60 topics" in most


def test_few_human_topics_are_why_a_good_machine_narrows_little() -> None:
    """Where people judged 2 of 60 topics, what lacks is their topics: the machine has nearly all for itself."""
    [said, *_] = estimating.findings(estimate(*both(noise=0.08, drawn=2)))
    assert said.startswith(
        "AP: people judged only 2 topics, which hardly show how far the machine is to be believed; judge more topics "
        "by people: compared with"
    )
    assert "only it judges" not in said


def test_nothing_to_estimate_where_people_judged_all_of_these_topics() -> None:
    """Means over these topics are known where people judged them all; the finding says so."""
    told = estimating.findings(estimate(*both(drawn=60), these_topics=True))
    assert told[0].startswith("AP: people judged all of these topics")


def test_a_machine_whose_scores_do_not_vary_is_refused() -> None:
    """A machine by which every system has the same score everywhere is an error that names cause and mend."""
    human, machine = both()
    for study in (estimate, plan):
        with pytest.raises(
            ScoresError, match="by the machine every system has AP 0 .*rel_llm=1"
        ):
            study(human, machine * 0)


def test_systems_that_share_the_highest_mean() -> None:
    """Systems with the same scores share the highest mean, and those that may be first are counted."""
    human, machine = both()
    best = int(estimate(human, machine)["rank"].values.argmin())
    other = (best + 1) % 8
    for one in (human, machine):
        one[other] = one[best]
    outcome = estimate(human, machine)
    names = ", ".join(sorted([f"s{best}", f"s{other}"]))
    said = estimating.findings(outcome)[1]
    assert said.startswith(f"AP: {names} share the highest mean, ")
    may = outcome["possible_first"].item()
    assert f"; by rank sets (irmeta leaderboard) {may} systems may be first." in said


def test_a_lenient_machine_does_no_harm() -> None:
    """A machine that scores all systems .1 higher leaves estimates where they are."""
    human, machine = both()
    one, other = (
        estimate(human, each)["mean"].values for each in (machine, machine * 0.9)
    )
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_topics_may_stand_in_any_order() -> None:
    """Estimates do not depend on the order of topics or systems."""
    human, machine = both()
    one, other = estimate(human, machine), estimate(human[::-1, ::-1], machine[:, ::-1])
    np.testing.assert_allclose(
        one["mean"].sel(system=other.system).values, other["mean"].values
    )


def test_chosen_topics_are_noted() -> None:
    """Human topics that the machine scores unlike the others are estimated; a note says how rare that is at random."""
    human, machine = both()
    hardest = machine[:, np.argsort(machine.mean(("system", "metric")).values)[:15]]
    asked = [
        [note for note in about(estimate(one, machine))["notes"] if "random:" in note]
        for one in (human, hardest)
    ]
    assert asked[0] == []
    assert "differs between them and the other 45, as it does in 1 in " in asked[1][0]
    sample = {str(topic): 0.25 for topic in hardest.topic.values}
    notes = about(estimate(hardest, machine, sample=sample))["notes"]
    assert not any("random" in note for note in notes)


@pytest.mark.slow
def test_honest_samples_are_estimated_and_seldom_noted() -> None:
    """Of 400 random samples none is refused, and at most 4 are said not to look random, for 1 in 1000."""
    said = 0
    for seed in range(400):
        sets = both(seed, topics=40, drawn=10)
        drawn, _ = paired(*sets, None, None, None, "error", None)
        _, notes = weights(drawn, None)
        said += any("do not look random" in note for note in notes)
    assert said <= 4


def test_human_topics_are_those_of_the_sample() -> None:
    """Topics that were drawn and not judged, or judged and not drawn, are named."""
    human, machine = both()
    sample = {str(topic): 0.25 for topic in human.topic.values}
    absent = "people did not judge 1 topic of the sample, such as 999"
    with pytest.raises(ScoresError, match=f"^{absent}: estimates"):
        estimate(human, machine, sample={**sample, "999": 0.25})
    first, *rest = sample
    other = dict.fromkeys([*rest, "999"], 0.25)
    says = f"^people judged 1 topic outside the sample, such as {first}; {absent}"
    with pytest.raises(ScoresError, match=says):
        estimate(human, machine, sample=other)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda human, machine: (
                human.assign_coords(system=list("abcdefgh")),
                machine,
            ),
            "no system in common",
        ),
        (
            lambda human, machine: (human, machine[:, 30:]),
            "human topics have no machine judgments, such as 304; let the machine judge",
        ),
        (lambda human, machine: (machine, human), r"are human= and llm= swapped\?"),
        (lambda human, machine: (human[:, :1], machine), "2 human topics"),
    ],
)
def test_what_does_not_fit(change, said) -> None:
    """Other systems, human topics without machine judgments and a single topic are errors that say so."""
    with pytest.raises(ScoresError, match=said):
        estimate(*change(*both()))


def test_tables_and_findings() -> None:
    """Tables have a row for every system, pair and metric; the first finding says what the machine adds."""
    outcome = estimate(*both(noise=0.03))
    found = estimating.tables(outcome)
    assert {name: frame.height for name, frame in found.items()} == {
        "means": 8,
        "pairs": 28,
        "gain": 1,
    }
    percent = round(100 * (1 - outcome["gain"].item()))
    assert (
        f"make intervals of means {percent}% narrower"
        in estimating.findings(outcome)[0]
    )
    assert found["means"]["rank"].to_list() == sorted(outcome["rank"].values[:, 0])
    assert next(iter(estimating.overview(outcome).values())).height == 8
    assert any("drawn at random" in note for note in about(outcome)["notes"])


def test_a_mean_lies_in_its_interval_where_the_machine_leads_beyond_1() -> None:
    """Where people gave a system ten 1s and the machine likes other topics more, its mean is 1; others keep theirs."""
    topics = [str(at) for at in range(40)]
    machine = np.random.default_rng(1).random((4, 40))
    machine[0] = np.where(np.arange(40) < 10, 0.3 + 0.3 * machine[0], 0.9)
    human = 0.5 * machine[:, :10]
    human[0] = 1
    given = [
        cube(one[..., None], list("abcd"), topics[: one.shape[1]], ["AP"])
        for one in (human, machine)
    ]
    found = estimate(*given).data.isel(metric=0)
    free = estimated_scores(estimate(*given)).mean("topic")[:, 0]
    assert free[0] > 1
    assert found["mean"][0] == 1
    assert found["high"][0].item() == pytest.approx(1)
    np.testing.assert_allclose(found["mean"][1:], free[1:])


def test_a_plan_is_cheaper_with_a_good_machine() -> None:
    """With a machine that agrees fewer human topics give the width wanted, at less cost."""
    human, machine = both(noise=0.03)
    outcome = plan(human, machine, width=0.08, human_topic_cost=20, llm_topic_cost=0.1)
    assert 0 < outcome["topics_needed"].item() < outcome["topics_alone"].item()
    assert (
        outcome["cost_best"].item()
        <= outcome["cost_needed"].item()
        < outcome["cost_alone"].item()
    )
    assert outcome["machine_best"].item() >= outcome["topics_best"].item()
    widths = outcome["width_pairs"].values[:, 0]
    assert (np.diff(widths) < 0).all()
    said = whole(outcome)
    machine = outcome["machine_best"].item()
    best, needed, alone = (
        outcome[name].item()
        for name in ("topics_best", "topics_needed", "topics_alone")
    )
    assert machine > 60
    left = 20 * max(0, best - 15) + 0.1 * (machine - 60)
    way = (
        f" costs {left:g} more: people judge {more(best, 15)} and the machine {machine - 60} new topics ({machine} in "
        f"all). With the topics there are, people judge {more(needed, 15)} beside the 60 of the machine, for "
        f"{20 * (needed - 15)}. "
    )
    left = 20 * (alone - 15)
    people = f"Without a machine, people judge {more(alone, 15)}, for {left:g}. New topics need queries and runs, too. "
    assert way + people in said
    assert f" The cheapest way to {about_width(outcome, 'best', '.08')} costs" in said
    dear = plan(*both(noise=0.03), width=0.08, human_topic_cost=2e6, llm_topic_cost=1e4)
    left = f"people judge {more(alone, 15)}, for {2_000_000 * (alone - 15):,}."
    assert left in whole(dear)
    there = plan(*both(noise=0.03), width=0.1, human_topic_cost=20, llm_topic_cost=0.1)
    said = whole(there)
    assert there["cost_best"].item() < there["cost_needed"].item()
    assert " wide. A width of .1 is reached with what is judged. All" in said
    assert "costs" not in said
    said = whole(plan(*both(noise=0.03), width=0.08))
    told = f"For {about_width(outcome, 'needed', '.08')}, people judge {more(needed, 15)} beside the 60 of the machine"
    assert f"{told}. Without a machine, they judge {more(alone, 15)}. " in said
    said = whole(plan(*both(noise=0.03), width=0.5))
    assert " wide. A width of .5 is reached with what is judged. All" in said


def about_width(outcome, way, wanted):
    """The width wanted, and between which it lies."""
    low, high = (
        f"{outcome[f'width_{way}_{end}'].item():.3f}"[1:] for end in ("low", "high")
    )
    return f"about {wanted} ({low} to {high}, as 15 topics tell)"


def more(topics, there):
    """How many topics there are not yet, and how many these are in all."""
    return f"{topics - there} more ({topics} in all)" if topics > there else "none more"


def test_how_sure_a_planned_width_is() -> None:
    """Between the ends lies in most draws of 8 topics the width that all 60 give, and often not with other ends."""
    held = []
    for seed in range(16):
        every = plan(*both(seed, noise=0.05, drawn=60)).data.sel(size=30)
        few = plan(*both(seed, noise=0.05, drawn=8)).data.sel(size=30)
        for who in ("", "_alone"):
            low, high, true = (
                of[f"width_pairs{who}{end}"].item()
                for of, end in ((few, "_low"), (few, "_high"), (every, ""))
            )
            # half as wide
            middle, half = np.sqrt(low * high), (high / low) ** 0.25
            held.append((low <= true <= high, middle / half <= true <= middle * half))
    whole, halved = np.mean(held, axis=0)
    assert halved < 0.85 < whole


def test_too_few_topics_to_plan_with() -> None:
    """From fewer than five human topics there is no plan."""
    with pytest.raises(ScoresError, match="no plan can be made from 4 topics"):
        plan(*both(drawn=4))
    assert plan(*both(drawn=5))["width_pairs_low"].notnull().all()


def test_a_plan_counts_pairs_as_an_estimate_does() -> None:
    """Pairs that differ are corrected for all pairs: the smallest p times 28, the next times 27, and so on."""
    human, machine = both()
    outcome = plan(human, machine)
    found = estimate(human, machine)
    variance = 15 * np.array(
        [_variance_of(human, a, b) for a, b in zip(*np.triu_indices(8, 1), strict=True)]
    )
    p = 2 * t.sf(np.abs(found["difference"].values[:, 0]) / np.sqrt(variance / 30), 29)
    steps = np.sort(p) * np.arange(28, 0, -1)
    wanted = int((np.maximum.accumulate(steps) < 0.05).sum())
    assert 0 < wanted < (p < 0.05).sum()
    assert outcome["pairs_differ_alone"].sel(size=30).item() == wanted


def test_a_plan_says_of_now_what_an_estimate_says() -> None:
    """With the human topics of now a plan has the widths and the pairs that differ of an estimate."""
    human, machine = both(noise=0.03)
    now = plan(human, machine).data.sel(size=human.sizes["topic"])
    found = estimate(human, machine).data
    width = (found["difference_high"] - found["difference_low"]).mean()
    assert now["width_pairs"].item() == pytest.approx(width.item())
    differ = int((found["p_corrected"] < 0.05).sum())
    assert now["pairs_differ"].item() == differ > now["pairs_differ_alone"].item()


def _variance_of(human, a, b):
    """The squared standard error of a difference by the human topics."""
    apart = (human[a] - human[b]).values[:, 0]
    return apart.var(ddof=1) / apart.size


def test_a_width_that_the_machine_topics_do_not_allow() -> None:
    """Where no number of human topics beside these machine ones gives the width, the plan says so."""
    outcome = plan(*both(), width=0.0005)
    assert outcome["topics_needed"].item() == -1
    said = whole(outcome)
    assert "For .0005, people judge more than 100 000. " in said


def test_a_width_for_which_there_are_too_few_topics() -> None:
    """Where all 20 topics are too few, the plan says how many people alone need, and how many beside ten times more."""
    outcome = plan(*both(noise=0.03, topics=20, drawn=15), width=0.06)
    alone, many = outcome["topics_alone"].item(), outcome["topics_many"].item()
    assert outcome["topics_needed"].item() == -1
    assert 2 < many < alone
    beside = f"{more(many, 15)} and the machine {10 * many - 20} new topics ({10 * many} in all, 10 for each)"
    beside += ", which need queries and runs, too"
    people = f"{alone - 15} more ({alone} in all, {alone - 20} of them new)"
    told = f"For {about_width(outcome, 'many', '.06')}, people judge {beside}. Without a machine, they judge {people}. "
    said = whole(outcome)
    assert told in said
    now, most = (
        f"{outcome['width_pairs'].sel(size=n).item():.3f}"[1:] for n in (15, 20)
    )
    low, high = (
        f"{outcome[f'width_pairs_{end}'].sel(size=20).item():.3f}"[1:]
        for end in ("low", "high")
    )
    assert said.startswith(
        f"AP: 15 topics of people beside 20 of the machine give intervals of differences {now} wide. For "
    )
    assert said.endswith(
        f" All 20 topics, judged by people, give {most} ({low} to {high})."
    )
    dear = plan(
        *both(noise=0.03, topics=20, drawn=15),
        width=0.06,
        human_topic_cost=20,
        llm_topic_cost=0.1,
    )
    assert "With the topics there are" not in whole(dear)
    outcome = plan(*both(noise=0.03, topics=20, drawn=20), width=0.06)
    assert "judged by people, give" not in whole(outcome)


@pytest.mark.parametrize(
    ("noise", "cost", "said"),
    [
        (
            1.0,
            10,
            " costs 780 more: people judge 39 more (54 in all), without a machine.",
        ),
        (0.03, 0.1, " beside "),
    ],
)
def test_what_is_the_cheapest(noise, cost, said) -> None:
    """With costs the only answer is the way that costs least: people alone where the machine is bad and dear."""
    outcome = plan(
        *both(noise=noise), width=0.08, human_topic_cost=20, llm_topic_cost=cost
    )
    costs = [
        outcome[name].item() for name in ("cost_alone", "cost_best", "cost_needed")
    ]
    told = whole(outcome)
    assert said in told
    assert ("Without a machine, people judge " in told) == (costs[0] > np.nanmin(costs))


def test_a_free_machine_judges_what_there_is() -> None:
    """At no cost the machine judges all its topics, and only people's are paid; a cost that is not named is 0."""
    free = plan(*both(noise=0.03), width=0.08, human_topic_cost=20, llm_topic_cost=0)
    assert free["best_share"].item() == 0
    assert free["machine_best"].item() == 60
    assert free["topics_best"].item() == free["topics_needed"].item() > 15
    assert free["cost_best"].item() == 20 * free["topics_needed"].item()
    unnamed = plan(*both(noise=0.03), width=0.08, human_topic_cost=20)
    assert planning.findings(unnamed) == planning.findings(free)
    said = "The machine's topics are taken to cost nothing"
    assert any(note.startswith(said) for note in about(unnamed)["notes"])
    assert not any(note.startswith(said) for note in about(free)["notes"])
    # no number of the machine's topics gives this width
    narrow = plan(*both(noise=0.03), width=0.01, human_topic_cost=20)
    assert narrow["machine_best"].item() == narrow["topics_best"].item() == -1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": 0}, "above 0"),
        ({"llm_topic_cost": 3}, "give human_topic_cost=, too"),
        ({"human_topic_cost": 0, "llm_topic_cost": 1}, "above 0, not 0"),
        ({"human_topic_cost": 3, "llm_topic_cost": -1}, "0 or more, not -1"),
        ({"human_topic_cost": 3, "llm_topic_cost": np.nan}, "0 or more, not nan"),
    ],
)
def test_odd_plans(options, said) -> None:
    """A width of 0, a machine's cost alone, people who cost nothing, and a cost below 0 are errors."""
    with pytest.raises(ScoresError, match=said):
        plan(*both(), **options)


def test_tables_of_a_plan() -> None:
    """The table of sizes goes up to the topics that the machine judged; with costs it says what more topics cost."""
    found = planning.tables(plan(*both()))
    assert found["sizes"]["topics"].to_list()[-1] == 60
    assert found["needed"].height == 1
    [shown] = planning.overview(plan(*both())).values()
    assert shown.columns[3:] == ["pairs differ", "differ alone"]
    [priced] = planning.overview(plan(*both(), human_topic_cost=20)).values()
    costs = dict(priced.select("human topics", "more cost").iter_rows())
    assert (costs[5], costs[15], costs[60]) == ("0", "0", "900")


def of_conversations(conversations=40, judged=10):
    """Human scores of some conversations of five turns, and machine scores of all; turns are alike."""
    rng = np.random.default_rng(3)
    count = conversations * 5
    alike = rng.normal(size=(6, conversations)).repeat(5, axis=1)
    truth = 0.5 + 0.08 * alike + 0.05 * rng.normal(size=(6, count))
    machine = truth + 0.05 * rng.normal(size=truth.shape)
    turns = [f"{at // 5}_{at % 5}" for at in range(count)]
    made = [
        cube(one[..., None], list("abcdef"), turns, ["AP"]) for one in (truth, machine)
    ]
    chosen = np.sort(rng.permutation(conversations)[:judged])
    return made[0].isel(topic=np.isin(np.arange(count) // 5, chosen)), made[1]


def test_conversations_are_what_people_judged_some_of() -> None:
    """With clusters estimates stay, and intervals are over these, whether they are named or the scores have them."""
    human, machine = of_conversations()
    plain = estimate(human, machine)
    named = estimate(human, machine, clusters="stem")
    kept = estimate(human, with_clusters(machine, "stem"))
    np.testing.assert_array_equal(named["mean"], plain["mean"])
    np.testing.assert_array_equal(named["high"], kept["high"])
    wider = (named["high"] - named["low"]) / (plain["high"] - plain["low"])
    assert wider.min() > 1.3
    notes = " ".join(about(named)["notes"])
    assert (
        "200 topics come in 40 clusters, and people judged all topics of 10: clusters, not topics, count"
        in notes
    )
    assert "9 degrees of freedom" in notes


def test_conversations_that_nobody_named_are_noticed() -> None:
    """Whole conversations that people judged are noticed by their names, single turns by their scores."""
    human, machine = of_conversations()
    [note] = [one for one in estimate(human, machine).notes if "clusters='stem'" in one]
    assert note.startswith("people judged all topics of 10 stems")
    some = machine.isel(topic=slice(0, None, 3))
    [note] = [one for one in estimate(some, machine).notes if "clusters='stem'" in one]
    assert note.startswith("Topics look clustered")


def test_clusters_that_say_too_little_are_named() -> None:
    """One conversation is an error, four claim nothing, and means over conversations are not what is estimated."""
    with pytest.raises(ScoresError, match="topics of one cluster only"):
        estimate(*of_conversations(judged=1), clusters="stem")
    few = estimate(*of_conversations(judged=4), clusters="stem")
    assert "worth 4.0 of one size, too few to claim anything" in " ".join(few.notes)
    human, machine = of_conversations()
    over = with_clusters(machine, "stem", mean_over="clusters")
    with pytest.raises(ScoresError, match="estimates are of means over topics"):
        estimate(human, over)


def test_an_estimate_is_scores_that_studies_take(tmp_path) -> None:
    """Read again, an estimate gives its means, with intervals by each system itself, and says what it is."""
    human, machine = both()
    outcome = estimate(human, machine)
    save(estimated_scores(outcome), tmp_path / "official.parquet")
    scores = load(tmp_path / "official.parquet")
    assert scores.metric.values.tolist() == ["AP (est.)"]
    described = describe(scores)
    assert described["mean"].values[:, 0] == pytest.approx(
        outcome["mean"].sel(system=described.system)[:, 0].values
    )
    # systems share variances in the estimate, and not in what is read again
    widths = [float((one["high"] - one["low"]).mean()) for one in (described, outcome)]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)
    for of_topics in (reliability, design):
        with pytest.raises(ScoresError, match="what topics add to an estimate"):
            of_topics(scores)
    [note] = [note for note in described.notes if note.startswith("estimated from")]
    judged = [
        str(outcome.method["collections"][who]["topics"])
        for who in ("human", "machine")
    ]
    assert "judgments of {} topics and a machine's of {};".format(*judged) in note
    assert (
        "over {} topics of people and {} of a machine".format(*judged)
        in described.findings[0]
    )
    board = leaderboard(scores)
    assert "different scales" not in " ".join(board.findings)
    assert board.data["aggregate"].values.tolist() == ["mean"]
    assert about(board.data)["options"]["metric"] == "AP (est.)"
    assert "decides" not in board.data
    assert leaderboard(scores, aggregate="borda").data["aggregate"].values == "borda"


def test_estimated_scores_are_marked_wherever_they_are_told_of() -> None:
    """Captions, boards and plots call estimates estimated; versus counts no wins and shows no topics of them."""
    scores = estimated_scores(estimate(*both()))
    assert (
        table(scores)
        .findings[0]
        .startswith(
            "Mean scores estimated from people's and a machine's judgments (15 topics of people and 60 of a machine)"
        )
    )
    board = leaderboard(scores)
    assert "By the estimated mean of AP over topics, " in board.findings[0]
    assert board.plot().axes[0].get_xlabel().startswith("rank by estimated mean AP, ")
    first, *others = scores.system.values.tolist()
    for against in (others[:1], others):
        made = versus(scores, system=first, against=against)
        said = str(made)
        for of_topics in ("topics by", "W/T/L", "worse on", "Without "):
            assert of_topics not in said
        assert "diff." in said


def test_topics_of_estimated_scores_are_not_studied() -> None:
    """What a topic adds to an estimate is not its score: nothing halves, ranks or standardizes by such topics."""
    scores = estimated_scores(estimate(*both()))
    described = describe(scores)
    assert [*described.tables] == ["means"]
    said = " ".join(described.findings)
    assert "spreads systems" not in said
    assert "would be level" not in said
    teams = {name: name for name in scores.system.values.tolist()}
    assert "teams change" not in " ".join(describe(scores, teams=teams).notes)
    tested = significance(scores)
    assert "significant again" not in " ".join(tested.findings)
    assert not tested.tables["swaps"].height
    for refused in (predictivity, fit):
        with pytest.raises(ScoresError, match="what topics add to an estimate"):
            refused(scores)


def test_what_cannot_be_written_as_scores() -> None:
    """Over clusters, of these topics alone, and of another study, there are no estimated scores."""
    human, machine = both()
    clusters = {
        str(topic): str(at // 4) for at, topic in enumerate(machine.topic.values)
    }
    with pytest.raises(ScoresError, match="over clusters"):
        estimated_scores(estimate(human, machine, clusters=clusters))
    with pytest.raises(ScoresError, match="of these topics alone"):
        estimated_scores(estimate(human, machine, these_topics=True))
    with pytest.raises(ScoresError, match="what irmeta.judges.estimate returned"):
        estimated_scores(describe(machine))


def test_topics_that_a_run_lacks_are_said_wherever_judges_are() -> None:
    """Runs without documents on judged topics score 0 there: judges, and scores written by estimate, say so."""
    topics = [str(number) for number in range(20)]
    full = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in topics}
    part = {topic: full[topic] for topic in topics[4:]}
    runs = {"full": full, "swapped": {one: {"b": 2.0, "a": 1.0} for one in topics}}
    runs["part"] = part
    machine = {
        topic: {"a": int(at % 3 > 0), "b": 1, "c": at % 2}
        for at, topic in enumerate(topics)
    }
    people = {topic: machine[topic] for topic in topics[:8]}
    asked = {"runs": runs, "metrics": "nDCG@3"}
    estimated = estimate(people, machine, **asked)
    found = [
        estimated,
        plan(people, machine, **asked),
        compare_judges({"people": people, "machine": machine}, **asked),
        describe(estimated_scores(estimated)),
    ]
    for one in found:
        assert any("part on 4 topics" in note for note in about(one.data)["notes"])
        assert "but 1 run scored 0 on topics without documents" in one.method_text


def test_what_a_leaderboard_of_the_estimate_claims_is_said() -> None:
    """Where rank sets claim other pairs than Holm's method, their figures are those of the leaderboard."""
    rng = np.random.default_rng(5)
    true = np.linspace(0.3, 0.6, 8)[:, None, None] + rng.normal(0, 0.15, (8, 40, 1))
    topics = [str(at) for at in range(40)]
    machine = cube(
        true + rng.normal(0, 0.1, true.shape), list("abcdefgh"), topics, ["AP"]
    )
    human = cube(true[:, :10], list("abcdefgh"), topics[:10], ["AP"])
    found = estimate(human, machine)
    board = leaderboard(estimated_scores(found))
    first = int((board["low"].values == 1).sum())
    pairs = round(board["resolution"].item() * 28)
    said = " ".join(found.findings)
    assert f"By rank sets (irmeta leaderboard) {pairs} pairs differ." in said
    assert f"by rank sets (irmeta leaderboard) {first} systems may be first." in said
