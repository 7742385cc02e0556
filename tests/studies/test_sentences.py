"""Every sentence that claims a difference: worlds in which nothing differs, and worlds in which it must be said."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
import scipy.stats
import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies import STUDIES, study_of, warnings
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.online.study import online
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.design.reliability.study import reliability
from irmeta.studies.design.study import design
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.replication.study import replicate
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.judges.estimate import estimate
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.place.study import place
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.durability import durability

Asked = Callable[[xr.DataArray], xr.Dataset]
FEW, MANY = 3, 25
"""Worlds without a difference, of each claim: in a quick test and in a slow one; seeds from 0, not chosen."""
METRICS = ["AP", "P@10", "RR", "nDCG@20", "R@100", "Bpref"]
SYSTEMS, TOPICS = 8, 20


def named(
    scores: np.ndarray, collection: str = "made", prefix: str = "s"
) -> xr.DataArray:
    """Name systems, topics and metrics of scores (system, topic, metric)."""
    systems, topics, metrics = scores.shape
    names = (
        [f"{prefix}{i}" for i in range(systems)],
        [str(301 + i) for i in range(topics)],
    )
    return cube(scores, *names, METRICS[:metrics], collection=collection)


def luck_of(
    seed: int, systems: int = SYSTEMS, topics: int = TOPICS, metrics: int = 4
) -> np.ndarray:
    """Return scores that share topics and systems' luck between metrics, of systems with one true mean."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=(systems, topics, 1)) + rng.normal(
        size=(systems, topics, metrics)
    )
    return 0.5 + 0.05 * rng.normal(size=(1, topics, 1)) + 0.05 * luck


def ability(systems: int = SYSTEMS, step: float = 0.1) -> np.ndarray:
    """Return true means that differ by a step."""
    return step * np.arange(systems)[:, None, None]


def equal(seed: int) -> xr.DataArray:
    """All systems are equally good, and so are all metrics."""
    return named(luck_of(seed))


def spread(seed: int) -> xr.DataArray:
    """Systems differ clearly; the metrics are equally good."""
    return named(luck_of(seed) + ability())


def clones(seed: int) -> xr.DataArray:
    """All systems are the same but for the last decimals."""
    same = luck_of(seed)[:1].repeat(SYSTEMS, axis=0)
    return named(same + 1e-6 * np.random.default_rng(seed).normal(size=same.shape))


def ties(seed: int) -> xr.DataArray:
    """Equally good systems have 0 or 1 on every topic."""
    return named((luck_of(seed) > 0.5).astype(float))


def constant(seed: int) -> xr.DataArray:
    """Every score is the same."""
    return named(0 * luck_of(seed) + 0.5)


def two_topics(seed: int) -> xr.DataArray:
    """There are two topics."""
    return equal(seed)[:, :2]


def holes(seed: int) -> xr.DataArray:
    """A tenth of the scores are missing at random."""
    scores = equal(seed)
    return scores.where(np.random.default_rng(seed).random(scores.shape) > 0.1)


def exchangeable(seed: int) -> xr.DataArray:
    """Systems differ, and each metric leans to some of them by chance; no metric is better."""
    rng = np.random.default_rng(seed)
    quality, leaning = rng.normal(size=(16, 1, 1)), 0.3 * rng.normal(size=(16, 1, 4))
    luck = rng.normal(size=(16, TOPICS, 1)) + rng.normal(size=(16, TOPICS, 4))
    return named(0.6 * quality + leaning + luck + rng.normal(size=(1, TOPICS, 1)))


def as_good(seed: int) -> xr.DataArray:
    """Systems differ, and all metrics rank them equally well: each errs by chance alone."""
    rng = np.random.default_rng(seed)
    topic = rng.normal(size=(16, TOPICS, 1)) + rng.normal(size=(1, TOPICS, 1))
    quality, luck = rng.normal(size=(16, 1, 1)), rng.normal(size=(16, TOPICS, 6))
    return named(0.5 * quality + topic + luck)


def needing(topics: int, seed: int) -> xr.DataArray:
    """An E rho2 of .95 takes this number of topics, and there are 20."""
    rng = np.random.default_rng(seed)
    # topics x variance of systems / variance of errors = .95 / .05
    noise = np.sqrt(topics * 0.05 / 0.95)
    quality, luck = rng.normal(size=(16, 1, 1)), rng.normal(size=(16, TOPICS, 1))
    return named(quality + noise * luck)


def too_few_topics(seed: int) -> xr.DataArray:
    """An E rho2 of .95 takes a few more topics than there are."""
    return needing(24, seed)


def just_enough_topics(seed: int) -> xr.DataArray:
    """An E rho2 of .95 takes a few topics less than there are."""
    return needing(17, seed)


def last_is_precise() -> xr.DataArray:
    """AP, the target, is as noisy as two others, and the fourth metric is not."""
    return named(first_is_precise().values[..., ::-1])


def first_is_precise() -> xr.DataArray:
    """Of four metrics the first has an eightieth of the others' noise."""
    rng = np.random.default_rng(0)
    quality, topic = (
        rng.normal(size=(60, 1, 1)),
        rng.normal(size=(60, 40, 1)) + rng.normal(size=(1, 40, 1)),
    )
    return named(1.5 * quality + topic + rng.normal(size=(60, 40, 4)) * [0.1, 8, 8, 8])


def apart(seed: int) -> xr.DataArray:
    """Every metric measures a quality of its own, so that none predicts another."""
    rng = np.random.default_rng(seed)
    return named(rng.normal(size=(40, 1, 4)) + 0.5 * rng.normal(size=(40, 24, 4)))


def two_qualities() -> xr.DataArray:
    """Two metrics measure two qualities, four others the same with noise: the first two are the best two."""
    rng = np.random.default_rng(1)
    both = rng.normal(size=(30, 40, 2))[..., [0, 1, 0, 1, 0, 1]]
    return named(both + rng.normal(size=(30, 40, 6)) * [0.1, 0.1, 1, 1, 1, 1])


def first_topic_reversed() -> xr.DataArray:
    """On the first topic the best systems are the worst, on all others they are not."""
    scores = spread(0)
    scores[:, 0] = 1 - scores.mean("topic")
    return scores


def reversed_later() -> xr.DataArray:
    """On the second half of the topics the best systems are the worst."""
    scores = spread(0)
    half = TOPICS // 2
    scores[:, half:] = scores.values[::-1, half:]
    return scores


def half_later(seed: int) -> xr.DataArray:
    """On the second half of the topics systems differ by half as much."""
    scores = spread(seed)
    half = TOPICS // 2
    scores[:, half:] -= ability() / 2
    return scores


def easier_later() -> xr.DataArray:
    """On the second half of the topics every system scores more."""
    scores = spread(0)
    scores[:, TOPICS // 2 :] += 0.3
    return scores


def grown_old() -> xr.DataArray:
    """Half of the topics no longer spread the new systems as they did the old: there all score above the old."""
    rng = np.random.default_rng(0)
    old, new = 0.01 * rng.normal(size=(12, TOPICS, 1)), np.zeros((12, TOPICS, 1))
    old[:, TOPICS // 2 :] *= 100
    up = np.arange(12)[:, None, None] / 12
    new[:, : TOPICS // 2] = 1 + up
    new[:, TOPICS // 2 :] = -0.5 * up
    return named(np.concatenate([old, new + 1e-3 * rng.normal(size=new.shape)]))


def by_machine(scores: xr.DataArray, seed: int, noise: float = 0.03) -> xr.DataArray:
    """Return scores by a machine, which errs alike for all systems."""
    return scores + noise * np.random.default_rng([seed, 1]).normal(size=scores.shape)


def collections(scores: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return the same systems on two collections, of half of the topics each."""
    half = scores.sizes["topic"] // 2
    second = scores[:, half : 2 * half].assign_coords(
        topic=[f"b{i}" for i in range(half)]
    )
    return {"A": scores[:, :half], "B": second}


def placed(scores: xr.DataArray) -> xr.Dataset:
    """Place the first system of one collection and the last of another."""
    cubes = collections(scores)
    return place({"A": cubes["A"][:1], "B": cubes["B"][-1:]}, on=cubes, metrics="AP")


def paid(scores: xr.DataArray) -> xr.Dataset:
    """Rank models on a board, of which the better cost more, but for the last two."""
    cost = {str(name): at + 1.0 for at, name in enumerate(scores.system.values)}
    cost[str(scores.system.values[-2])] = 9.0
    return leaderboard(scores[..., :1], resamples=200, cost=cost)


def again(scores: xr.DataArray) -> xr.Dataset:
    """Take the second half of the topics as a reproduction of the first, of the last system against the first."""
    return replicate(collections(scores[..., :1]), system="s7", against="s0")


def aged(scores: xr.DataArray) -> xr.Dataset:
    """Standardize one half of the systems by the other."""
    half = scores.sizes["system"] // 2
    old, new = scores[:half, :, :1], scores[half:, :, :1]
    return durability({"T": old}, {"T": new}, teams=TEAMS.get())


def judged(scores: xr.DataArray) -> xr.Dataset:
    """Compare two judges that are equally good with people."""
    people = scores[..., :1]
    judges = {"one": by_machine(people, 0), "other": by_machine(people, 1)}
    return compare_judges({"people": people, **judges}, truth="people", partitions=40)


def judged_badly(
    noise: float, favour: float = 0, *, beside: bool = False
) -> xr.Dataset:
    """Compare a judge with this noise, who favours the first system, with people; and with a good judge beside it."""
    people = named(luck_of(0, 20, 40, 1) + ability(20, 0.03))
    bad = by_machine(people, 1, noise)
    bad[0] += favour
    judges = {"bad": bad} | ({"good": by_machine(people, 0, 0.001)} if beside else {})
    return compare_judges({"people": people, **judges}, truth="people", partitions=40)


def estimated(scores: xr.DataArray) -> xr.Dataset:
    """Judge every second topic by people, and all by a machine."""
    return estimate(scores[:, ::2, :1], by_machine(scores[..., :1], 0))


TEAMS: ContextVar[str | None] = ContextVar("TEAMS", default="each")
"""Whom studies that take teams are told to be independent: each system; or nothing, so that names must say it."""


@contextmanager
def telling(teams: str | None) -> Iterator[None]:
    """Tell studies these teams."""
    token = TEAMS.set(teams)
    yield
    TEAMS.reset(token)


def with_teams(study: Callable[..., xr.Dataset], **options: Any) -> Asked:
    """Ask a study that takes teams."""
    return lambda scores: study(scores, teams=TEAMS.get(), **options)


def preferred(scores: xr.DataArray, metrics: slice = slice(None)) -> xr.Dataset:
    """Let users prefer what these metrics score higher on average, in experiments with noise."""
    quality = scores[..., metrics].mean(["topic", "metric"]).values
    error = 0.2 * quality.std()
    luck = error * np.random.default_rng(5).normal(size=len(quality))
    table = {"system": scores.system.values, "value": quality + luck, "se": error}
    return online(scores, pl.DataFrame(table))


STUDY: dict[str, Asked] = {
    "description": with_teams(describe, metrics="AP"),
    "significance": partial(significance, metrics="AP"),
    "leaderboard": lambda scores: paid(scores),
    "versus": partial(versus, system="s7", metrics="AP", test="t"),
    "place": placed,
    "replication": again,
    "predictivity": with_teams(predictivity, partitions=40),
    "online": preferred,
    "ranking": partial(rank, k=2, candidates="all", partitions=8),
    "comparison": lambda scores: compare(
        collections(scores[..., :1]), kinds=["raw"], partitions=200
    ),
    "durability": aged,
    "judges": judged,
    "estimate": estimated,
    "reliability": with_teams(reliability, metrics="AP"),
    "design": partial(design, budget=600, sizes=[5, 10], partitions=40),
}
"""How each study that claims differences is asked."""

CLAIM_NOTHING = {
    "evaluation": "returns scores",
    "validation": "reports what a file holds",
    "paper_table": "explains the marks of tests",
    "correlation": "gives estimates with intervals, and counts the pairs that may agree as much as the closest",
    "prediction": "gives predictions with intervals",
    "accuracy": "counts what was observed",
    "predictors": "ranks by errors that were measured on collections kept apart",
    "lowcost": "ranks by errors that were measured on collections kept apart",
    "coverage": "counts what was observed",
    "models": "ranks by errors that were measured on collections kept apart",
    "reuse": "counts what was observed where groups were left out",
    "leak": "compares what attackers claim with judgments",
    "plan": "computes sizes from estimates",
    "standardizing_set": "counts what was observed in draws",
    "reproduction": "compares printed figures",
}
"""Studies that claim no difference between systems, metrics or judges, with the reason."""


def constant_differences(seed: int) -> xr.DataArray:
    """Systems differ by the same on every topic."""
    level = np.linspace(0.2, 0.6, TOPICS)[:, None] + 0 * luck_of(seed)
    return named(level + 0.02 * np.arange(SYSTEMS)[:, None, None])


def tied_means(seed: int) -> xr.DataArray:
    """All systems score the same, and topics differ."""
    return named(luck_of(seed)[:1].repeat(SYSTEMS, axis=0))


def twins(seed: int) -> xr.DataArray:
    """Every system is there twice."""
    return named(np.concatenate([spread(seed).values[: SYSTEMS // 2]] * 2))


def same_metrics(seed: int) -> xr.DataArray:
    """All metrics give the same scores."""
    return named(spread(seed).values[..., [0, 0, 0, 0]])


def two_systems(seed: int) -> xr.DataArray:
    """There are two systems, clearly apart."""
    return spread(seed)[[0, -1]]


def equal_pair(seed: int) -> xr.DataArray:
    """There are two systems, equally good."""
    return equal(seed)[:2]


def two_metrics(seed: int) -> xr.DataArray:
    """There are two metrics, equally good, and systems that hardly ever change places."""
    return spread(seed)[..., :2]


def one_metric(seed: int) -> xr.DataArray:
    """There is one metric."""
    return spread(seed)[..., :1]


def much_alike(seed: int) -> xr.DataArray:
    """Systems differ a little, and the metrics hardly at all."""
    one = (luck_of(seed, 20, 40, 1) + ability(20, 0.01)).repeat(4, axis=2)
    return named(one + 0.003 * np.random.default_rng(seed).normal(size=one.shape))


class Claim(NamedTuple):
    """A claim of a study, by a pattern.

    true : a result in which it must be made.  false : worlds, by seed, in which it is false.
    level : in what share of these it may be made.
    """

    study: str
    says: str
    true: Callable[[], xr.Dataset]
    false: Callable[[int], xr.DataArray] = equal
    level: float = 0.05

    def allowed(self, draws: int) -> int:
        """Return in how many of the worlds it may be made: more would happen once in a thousand times."""
        return int(scipy.stats.binom.ppf(0.999, draws, self.level))


LEFT_OUT = r"metrics but|any of \d+ of the| or \S+ may be|clearly ahead"
"""A metric is left out of those that may be the best."""


def in_spread(study: str) -> Callable[[], xr.Dataset]:
    """Return the study of systems that differ clearly."""
    return lambda: STUDY[study](spread(0))


CLAIMS = [
    Claim("description", "no other system can be the best", in_spread("description")),
    Claim(
        "description",
        "[1-9][0-9]*% of the pairs of systems are distinguished",
        in_spread("description"),
    ),
    Claim(
        "description",
        "the better systems score worse",
        lambda: STUDY["description"](first_topic_reversed()),
    ),
    Claim(
        "significance",
        "[1-9][0-9]* of 28 pairs differ significantly",
        in_spread("significance"),
    ),
    Claim(
        "significance",
        "is significantly different from every other",
        in_spread("significance"),
    ),
    Claim("significance", "significant again on", in_spread("significance")),
    Claim("leaderboard", "it would remain first", in_spread("leaderboard")),
    Claim(
        "leaderboard",
        "one that costs no more is shown to be better than",
        in_spread("leaderboard"),
    ),
    Claim("leaderboard", "s0, s1.* are surely on it", lambda: paid(spread(0))),
    Claim(
        "leaderboard",
        "[1-9][0-9]*% of the pairs of systems are distinguished",
        in_spread("leaderboard"),
    ),
    Claim("versus", "better than [1-9][0-9]* of|worse than [1-9]", in_spread("versus")),
    Claim("place", "stands higher", in_spread("place")),
    Claim("replication", "^Reproduced", in_spread("replication"), half_later, 0.025),
    Claim(
        "replication", "^Not reproduced", lambda: again(reversed_later()), spread, 0.025
    ),
    Claim(
        "replication", "collection becomes", lambda: again(easier_later()), spread, 0.05
    ),
    Claim(
        "replication", "gains on|loses to", lambda: again(half_later(0)), spread, 0.05
    ),
    Claim(
        "online",
        "Users agree more often with",
        lambda: preferred(first_is_precise(), slice(1)),
        exchangeable,
    ),
    Claim(
        "predictivity",
        "is the best single predictor .* clearly ahead",
        lambda: predictivity(first_is_precise(), partitions=100, teams="each"),
        exchangeable,
    ),
    Claim(
        "predictivity",
        LEFT_OUT,
        lambda: predictivity(first_is_precise(), partitions=100, teams="each"),
        exchangeable,
    ),
    Claim(
        "predictivity",
        "predicts these better than they predict themselves",
        lambda: predictivity(first_is_precise(), partitions=100, teams="each"),
        exchangeable,
    ),
    Claim(
        "predictivity",
        "predicts these worse than they predict themselves",
        lambda: STUDY["predictivity"](apart(0)),
        exchangeable,
    ),
    Claim(
        "predictivity",
        "at most .05 of tau is lost",
        lambda: STUDY["predictivity"](much_alike(0)),
        apart,
        0.025,
    ),
    Claim(
        "ranking",
        "the choice is stable",
        lambda: STUDY["ranking"](two_qualities()),
        exchangeable,
    ),
    Claim(
        "ranking",
        "It is clearly the best of all",
        lambda: STUDY["ranking"](two_qualities()),
        spread,
    ),
    Claim(
        "comparison",
        "Scores do not compare: by",
        lambda: STUDY["comparison"](reversed_later()),
    ),
    Claim("durability", "have aged beyond chance", lambda: aged(grown_old())),
    Claim("judges", "is clearly worse", lambda: judged_badly(2, beside=True)),
    Claim("judges", "should not stand in for people", lambda: judged_badly(2)),
    Claim("judges", "favours system", lambda: judged_badly(0.03, favour=0.3)),
    Claim(
        "estimate",
        "[1-9][0-9]* of 28 pairs of systems differ significantly",
        in_spread("estimate"),
    ),
    Claim("reliability", "are enough for an E rho2", in_spread("reliability")),
    Claim(
        "reliability",
        "are enough for an E rho2",
        in_spread("reliability"),
        too_few_topics,
        0.025,
    ),
    Claim(
        "reliability",
        "are not enough for an E rho2",
        lambda: STUDY["reliability"](needing(100, 0)),
        just_enough_topics,
        0.025,
    ),
    Claim(
        "design",
        "No other design is within error",
        lambda: STUDY["design"](first_is_precise()),
        as_good,
    ),
    Claim(
        "design",
        "achieve",
        lambda: STUDY["design"](last_is_precise()),
        as_good,
    ),
]


def name_of(claim: Claim) -> str:
    return f"{claim.study}: {claim.says}"


def told(outcome: xr.Dataset) -> str:
    """Return all that is said of a result."""
    return " ".join([*study_of(outcome).findings(outcome), *warnings(outcome)])


@cache
def told_in(study: str, world: Callable[[int], xr.DataArray], seed: int) -> str:
    """Return what a study says in a world; nothing where it refuses it."""
    try:
        return told(STUDY[study](world(seed)))
    except IrmetaError:
        return ""


def made_in(claim: Claim, draws: int) -> int:
    """Count the worlds without the difference in which it is claimed."""
    return sum(
        bool(re.search(claim.says, told_in(claim.study, claim.false, seed)))
        for seed in range(draws)
    )


def test_every_study_has_its_claims_tested() -> None:
    """A study claims something that is tested here, or stands in the list of those that claim no difference."""
    assert {claim.study for claim in CLAIMS} == set(STUDY)
    assert set(STUDY) | set(CLAIM_NOTHING) == set(STUDIES)
    assert not set(STUDY) & set(CLAIM_NOTHING)


@pytest.mark.parametrize("claim", CLAIMS, ids=name_of)
def test_a_claim_is_made_where_it_is_true(claim: Claim) -> None:
    """In a world with a clear difference the sentence that claims it is printed."""
    assert re.search(claim.says, told(claim.true()))


@pytest.mark.parametrize("claim", CLAIMS, ids=name_of)
def test_a_claim_is_hardly_made_where_it_is_false(claim: Claim) -> None:
    """In worlds without a difference the sentence is printed no oftener than its level allows."""
    assert made_in(claim, FEW) <= claim.allowed(FEW)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS, ids=name_of)
def test_a_claim_keeps_its_level(claim: Claim) -> None:
    """In many worlds without a difference the sentence is printed no oftener than its level allows."""
    assert made_in(claim, MANY) <= claim.allowed(MANY)


@pytest.mark.parametrize("study", STUDY)
def test_exact_ties_are_no_differences(study: str) -> None:
    """Of systems that tie on most topics nothing is claimed oftener than its level allows."""
    for claim in CLAIMS:
        if claim.study == study:
            made = [
                bool(re.search(claim.says, told_in(study, ties, seed)))
                for seed in range(2)
            ]
            assert sum(made) <= claim.allowed(2), claim.says


@pytest.mark.parametrize(
    "world", [clones, constant, two_topics, holes], ids=lambda world: world.__name__
)
@pytest.mark.parametrize("study", STUDY)
def test_nothing_is_claimed_of_scores_that_show_nothing(
    study: str, world: Callable[[int], xr.DataArray]
) -> None:
    """Near-clones, equal scores, two topics and missing scores show no difference, and no nan is said."""
    said = told_in(study, world, 0)
    made = [
        claim.says
        for claim in CLAIMS
        if claim.study == study and re.search(claim.says, said)
    ]
    assert made == []
    assert "nan" not in re.split(r"[^a-z]+", said)


NEAR = 0.2
"""How far near-clones differ, in standard deviations of scores on a topic."""


def in_fours(
    world: Callable[[int], xr.DataArray], seed: int, *, stems: bool
) -> xr.DataArray:
    """Put three near-clones beside each of about ten systems; their names have the team's name in them, or not."""
    of = world(seed)
    teams = of.values[:: max(1, round(of.sizes["system"] / 10))]
    near = NEAR * (teams - teams.mean(axis=0)).std()
    each = np.repeat(teams, 4, axis=0)
    each = each + near * np.random.default_rng([seed, 4]).normal(size=each.shape)
    name = "t{team}_{at}" if stems else "s{at}"
    names = [name.format(team=at // 4, at=at) for at in range(len(each))]
    return cube(each, names, of.topic.values, of.metric.values, collection="made")


@cache
def told_of_teams(study: str, world: Any, seed: int, stems: bool) -> str:
    """Return what a study says of systems in teams that nobody named."""
    with telling(None):
        return told(STUDY[study](in_fours(world, seed, stems=stems)))


NEEDING = ("description", "predictivity", "ranking", "durability", "reliability")
"""Studies whose claims were false too often of systems in teams."""
IN_TEAMS = [claim for claim in CLAIMS if claim.study in NEEDING]


def made_in_teams(claim: Claim, draws: int, *, stems: bool) -> int:
    """Count the worlds of unnamed teams, without the difference, in which it is claimed."""
    return sum(
        bool(
            re.search(claim.says, told_of_teams(claim.study, claim.false, seed, stems))
        )
        for seed in range(draws)
    )


@pytest.mark.parametrize("stems", [True, False], ids=["stems", "no stems"])
@pytest.mark.parametrize("claim", IN_TEAMS, ids=name_of)
def test_a_claim_is_hardly_made_of_teams_that_nobody_named(
    claim: Claim, stems: bool
) -> None:
    """Of systems in teams of four near-clones nothing false is claimed oftener than its level allows."""
    assert made_in_teams(claim, FEW, stems=stems) <= claim.allowed(FEW)


@pytest.mark.slow
@pytest.mark.parametrize("stems", [True, False], ids=["stems", "no stems"])
@pytest.mark.parametrize("claim", IN_TEAMS, ids=name_of)
def test_a_claim_of_teams_that_nobody_named_keeps_its_level(
    claim: Claim, stems: bool
) -> None:
    """In many worlds of teams of four near-clones nothing false is claimed oftener than its level allows."""
    assert made_in_teams(claim, MANY, stems=stems) <= claim.allowed(MANY)


@pytest.mark.parametrize("study", ["predictivity", "reliability"])
def test_a_verdict_says_which_stems_it_takes_as_teams(study: str) -> None:
    """Where names share stems a verdict names them; where they do not it says that it needs the teams."""
    world = {"predictivity": exchangeable, "reliability": spread}[study]
    with_stems, without = (
        told_of_teams(study, world, 0, stems) for stems in (True, False)
    )
    assert re.search(r"[Tt]aking \d+ name stems as teams, ", with_stems), with_stems
    assert "cannot be said without the teams" in without


def test_factors_of_teams_that_nobody_named_are_not_said_to_have_aged() -> None:
    """Of names without stems it is not said, of stems it is, and with them."""
    old = in_fours(lambda _: grown_old(), 0, stems=True)
    with telling("stem"):
        said = told(aged(old))
    assert re.search(r"taking \d+ name stems as teams, the old factors have", said)
    with telling(None):
        said = told(aged(in_fours(lambda _: grown_old(), 0, stems=False)))
    assert "have aged cannot be said without the teams" in said


def builds(seed: int, loss: float, topics: int = 60) -> xr.DataArray:
    """Return a release, s0, and a build that truly loses so much, s1."""
    rng = np.random.default_rng(seed)
    release = 0.5 + 0.1 * rng.normal(size=topics)
    build = release - loss + 0.05 * rng.normal(size=topics)
    return named(np.stack([release, build])[..., None])


def gated(scores: xr.DataArray) -> str:
    """Return what the gate says of a build that may lose .02."""
    return versus(scores, "s1", "s0", fail_if_worse=0.02).findings[0]


@pytest.mark.parametrize(
    ("loss", "topics", "says"),
    [
        (0.10, 60, "Worse: .* a loss of \\.0[2-9]. or more is shown"),
        (
            -0.03,
            400,
            "Safe: .* a loss of \\.0.. or more is excluded|any loss is excluded",
        ),
        (0.02, 60, "Cannot tell: .* a loss of up to .* is possible"),
    ],
)
def test_a_gate_says_what_is_true(loss: float, topics: int, says: str) -> None:
    """A clear loss is worse, a gain on many topics is safe, and of a loss of just the margin nothing is said."""
    assert re.search(says, gated(builds(0, loss, topics)))


@pytest.mark.parametrize("verdict", ["Worse", "Safe"])
def test_a_gate_hardly_claims_what_is_false(verdict: str) -> None:
    """Of a loss of just the margin neither claim is made oftener than its level allows."""
    made = sum(gated(builds(seed, 0.02)).startswith(verdict) for seed in range(MANY))
    assert made <= scipy.stats.binom.ppf(0.999, MANY, 0.05)


class Unfounded(NamedTuple):
    """A sentence that scores of a degenerate world do not carry, by a pattern, and one that they do, if any."""

    study: str
    world: Callable[[int], xr.DataArray]
    never: str
    but: str = ""


CORRELATED = partial(correlate, unit="system")
ASKED = STUDY | {
    "correlation": CORRELATED,
    "significance": significance,
    "ranking of one": partial(rank, k=1, candidates="all", partitions=8),
    "predictivity of many partitions": predictivity,
    "reliability of all metrics": reliability,
    "design without a budget": partial(design, sizes=[5, 10], partitions=20),
    "design by one metric": lambda scores: design(
        scores[..., :1], budget=600, sizes=[5, 10], partitions=20
    ),
}
UNFOUNDED = [
    Unfounded("description", constant, "too high", "any of them may be the best"),
    Unfounded("description", tied_means, "too high", "any of them may be the best"),
    Unfounded("description", twins, "too high", "2 systems tie for the best mean"),
    Unfounded("significance", constant, "agree|contradict", "All 8 systems tie"),
    Unfounded("significance", tied_means, "0 other systems", "All 8 systems tie"),
    Unfounded("significance", twins, "0 other systems", "every other is significantly"),
    Unfounded(
        "significance", constant_differences, r"mean of \.00", r"\.02 \(nDCG@20\)"
    ),
    Unfounded("significance", two_systems, "1 pairs", "1 of 1 pair differs"),
    Unfounded("correlation", same_metrics, "agree most", "all 6 pairs .* at 1.00"),
    Unfounded("correlation", two_metrics, "agree most", "are the two metrics compared"),
    Unfounded("correlation", two_systems, "agree most", "says nothing of the metrics"),
    Unfounded(
        "ranking of one", two_metrics, "choice is stable", "2 sets of 1 are equally"
    ),
    Unfounded("predictivity", two_systems, "is lost|better than they", "No intervals"),
    Unfounded("predictivity", constant_differences, "largest", "none leads"),
    Unfounded("predictivity of many partitions", two_metrics, "clearly ahead"),
    Unfounded(
        "durability", constant_differences, r"less than that tau in", "ties count half"
    ),
    Unfounded("judges", two_metrics, "a tau above 1.00"),
    Unfounded("judges", two_systems, r"\(\.00 to \.00\)"),
    Unfounded("judges", equal_pair, "of 0 significant", "neither people nor one finds"),
    Unfounded("estimate", constant, "0 of 0", "all systems have the mean .500"),
    Unfounded(
        "estimate", two_systems, "of 1 other system are|1 pair of systems differ "
    ),
    Unfounded("reliability", twins, r"1\.00 \(\.86 to \.86\)", r"1\.00 \(1\.00 to"),
    Unfounded("reliability of all metrics", same_metrics, "most|least|goes from"),
    Unfounded(
        "reliability of all metrics", as_good, "reliably", "metrics have no interval"
    ),
    Unfounded(
        "design without a budget", as_good, "best design", "has the highest expected"
    ),
    Unfounded(
        "design without a budget", constant_differences, "its lead", "with 3 other"
    ),
    Unfounded("design without a budget", one_metric, "highest|lead", "judged by"),
    Unfounded("design by one metric", as_good, "other design", "Buy 20 topics"),
    Unfounded("place", two_systems, "stands higher"),
]
"""What studies said of worlds that show nothing, or not that."""


@cache
def told_of(study: str, world: Callable[[int], xr.DataArray]) -> str:
    """Return what a study says of a degenerate world; the error where it refuses it."""
    try:
        outcome = ASKED[study](world(0))
        return " ".join([told(outcome), *about(outcome)["notes"]])
    except IrmetaError as error:
        return str(error)


@pytest.mark.parametrize(
    "one", UNFOUNDED, ids=lambda one: f"{one.study}: {one.world.__name__}"
)
def test_no_more_is_said_of_a_degenerate_world_than_it_shows(one: Unfounded) -> None:
    """Of ties, constant differences, two systems or two metrics only what they carry is said."""
    said = told_of(one.study, one.world)
    assert not re.search(one.never, said), said
    assert re.search(one.but, said), said
