"""Promises about systems: intervals of means, rank sets, paired tests."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from bench.coverage.worlds import (
    SIZES,
    TIED,
    TIES,
    UNTIED,
    Column,
    in_all,
    in_hard,
    in_ranked_worlds,
    in_worlds,
    ranked_worlds,
    rare_worlds,
    shaped_worlds,
)
from bench.hard import Hard
from irmeta.choices import Correction
from irmeta.datasets.like import World
from irmeta.stats import descriptive
from irmeta.stats.arrays import settled
from irmeta.stats.leaderboards import front
from irmeta.stats.rankings.ranksets import discovered, rank_sets
from irmeta.stats.tests import multiplicity, paired, resampling, stepdown
from irmeta.stats.tests.compared import Pairs

DRAWS = 400
"""Sign reversals and permutations in a draw of a world."""

P = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""From scores (system, topic) and a generator to the p of every pair."""


def _standardized(scores: np.ndarray) -> np.ndarray:
    """Return the z score of each system on each topic; 0 where all score alike."""
    away = scores - scores.mean(axis=0)
    spread = scores.std(axis=0, ddof=1)
    return np.divide(away, spread, out=np.zeros_like(away), where=spread > 1e-12)


@cache
def _standardized_means(world: World) -> np.ndarray:
    scores = world.scores(4000, np.random.default_rng(0))[..., 0]
    return _standardized(scores).mean(axis=1)


def _unbounded(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """Whether the intervals of `describe` hold, of means of scores without bounds."""
    values, truth = _standardized(scores), _standardized_means(world)
    low, high = descriptive.unbounded_interval(values)
    return {
        "kept": ((low <= truth) & (truth <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: values.mean(axis=1) - truth,
    }


def _interval(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """Whether the intervals of means that `describe` prints hold."""
    binary = bool(np.isin(scores, (0, 1)).all())
    low, high = descriptive.bounded_interval(scores, binary=binary)
    truth = world.means[:, 0]
    return {
        "kept": ((low <= truth) & (truth <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: scores.mean(axis=1) - truth,
    }


def true_ranks(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of each system by true means, the best and the worst where systems tie."""
    truth = settled(means)
    ahead, behind = truth[None] > truth[:, None], truth[None] < truth[:, None]
    return 1 + ahead.sum(axis=1), len(truth) - behind.sum(axis=1)


def within(means: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Say of each system whether its set holds all ranks that it may have by true means."""
    best, worst = true_ranks(means)
    return (low <= best) & (worst <= high)


def _simultaneous(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Whether all ranks are inside, and beside it whether no system is claimed better that is not."""
    sets, truth = rank_sets(scores.T, rng, draws=DRAWS), settled(world.means[:, 0])
    wrong = (sets.better & (truth[:, None] <= truth)).any()
    kept = within(world.means[:, 0], sets.low, sets.high).all()
    return {
        "kept": kept,
        "width": (sets.high - sets.low + 1).mean(),
        "no wrong claim": not wrong,
    }


def _marginal(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    sets = rank_sets(scores.T, rng, marginal=True, draws=DRAWS)
    return {
        "kept": within(world.means[:, 0], sets.low, sets.high).mean(),
        "width": (sets.high - sets.low + 1).mean(),
    }


def _tied_pairs(world: World, systems: int) -> np.ndarray:
    truth = settled(world.means[:, 0])
    left, right = np.triu_indices(systems, 1)
    return truth[left] == truth[right]


def _test(
    p: P, familywise: bool, world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Rejections at 5% of pairs whose true means are equal: the share of them, or whether there is any."""
    rejected = p(scores, rng)[_tied_pairs(world, len(scores))] < 0.05
    return {"kept": rejected.any() if familywise else rejected.mean()}


TESTS: Mapping[str, P] = {
    "paired t": lambda scores, _: paired.t(paired.differences(scores)),
    "Wilcoxon": lambda scores, _: paired.wilcoxon(paired.differences(scores)),
    "sign": lambda scores, _: paired.sign(paired.differences(scores)),
    "permutation": lambda scores, rng: resampling.permutation(
        Pairs(scores), DRAWS, rng
    ),
    "bootstrap": lambda scores, rng: resampling.bootstrap(Pairs(scores), DRAWS, rng),
}


def _corrected(test: str, correct: Correction) -> P:
    return lambda scores, rng: multiplicity.CORRECTIONS[correct](
        TESTS[test](scores, rng)
    )


def _tukey(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return resampling.tukey(Pairs(scores), DRAWS, rng)


def _max_t(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return stepdown.of_pairs(scores, DRAWS, rng)


def _false_discoveries(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """The share of pairs that tie among those that Benjamini and Hochberg's correction finds."""
    found = multiplicity.CORRECTIONS["bh"](TESTS["paired t"](scores, rng)) < 0.05
    wrong = found & _tied_pairs(world, len(scores))
    return {"kept": wrong.sum() / max(1, found.sum())}


def _wrongly_discovered(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """The share of wrong claims among those of rank sets by false discovery rate: of a tie, or of the wrong sign."""
    better = discovered(scores.T).better
    truth = settled(world.means[:, 0])
    wrong = better & (truth[:, None] <= truth)
    return {"kept": wrong.sum() / max(1, better.sum())}


def _discovered_ranks(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """The share of systems whose true rank lies in their set by false discovery rate."""
    sets = discovered(scores.T)
    return {
        "kept": within(world.means[:, 0], sets.low, sets.high).mean(),
        "width": (sets.high - sets.low + 1).mean(),
    }


def _equivalent(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """Pairs said to differ by less than a margin that they differ by: each pair's own true difference."""
    truth = world.means[:, 0]
    left, right = np.triu_indices(len(scores), 1)
    margin = np.abs(truth[left] - truth[right])
    differs = margin > 0.02
    found = paired.differences(scores)[differs]
    p = paired.equivalence(
        found.mean(axis=1),
        paired.standard_error(found),
        scores.shape[1],
        margin[differs],
    )
    return {"kept": (p < 0.05).mean()}


def _equivalent_at_once(
    world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    """Whether any pair is said to differ by less than a margin of .05 that truly differs by as much or more."""
    margin, truth = 0.05, world.means[:, 0]
    left, right = np.triu_indices(len(scores), 1)
    found = paired.differences(scores)
    error = paired.standard_error(found)
    p = paired.equivalence(found.mean(axis=1), error, scores.shape[1], margin)
    wrong = (multiplicity.holm(p) < 0.05) & (
        np.abs(truth[left] - truth[right]) >= margin
    )
    return {"kept": wrong.any()}


@dataclass(frozen=True)
class Equals:
    """Systems of one ability, so that on no topic better ones score worse: where that is hardest not to say.

    team : systems in a team, which share nine tenths of their luck.  few : whether scores have few values.
    """

    systems: int
    team: int = 1
    few: bool = False

    def __str__(self) -> str:
        """Name the world in the table."""
        teams = f" in teams of {self.team}, named" if self.team > 1 else ""
        return (
            f"{self.systems} equal systems{teams}{', few values' if self.few else ''}"
        )

    def draw(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores (system, topic)."""
        teams = self.systems // self.team
        shared = np.sqrt(0.9) * rng.normal(size=(teams, topics))
        own = np.sqrt(0.1) * rng.normal(size=(self.systems, topics))
        scores = shared.repeat(self.team, axis=0) + own
        return np.round(scores) if self.few else scores


def _front(
    order: str, world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Whether the models that may be on a front hold the true one, and that those that surely are; and its size.

    order : of the costs: "random", "better cost more" in the order of true means, or "two prices".
    """
    truth = world.means[:, 0]
    cost = np.random.default_rng(len(truth)).random(len(truth))
    if order == "better cost more":
        cost = truth.argsort(kind="stable").argsort().astype(float)
    if order == "two prices":
        cost = np.round(cost)
    better = rank_sets(scores.T, rng, draws=400).better
    true = front.by_values(cost, truth)
    possible, sure = front.possible(cost, better), front.sure(cost, better)
    kept = (true <= possible).all() and (sure <= true).all()
    return {
        "kept": float(kept),
        "on the front": true.mean(),
        "may be": possible.mean(),
        "surely": sure.mean(),
    }


def _fronts(folder: Path | None) -> Iterable[Case]:
    """Return the cases of a promise about fronts: hard worlds with three ways of paying."""
    for order in ("random", "better cost more", "two prices"):
        check = partial(_front, order)
        for case in in_hard(check, ("equal", "differ"), sizes=(5, *SIZES))(folder):
            yield replace(case, world=f"{case.world}, costs {order}")


def _reversed(
    world: Equals, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Whether any topic is said to be one on which better systems, or teams, score worse."""
    scores = world.draw(topics, rng).reshape(-1, world.team, topics).mean(axis=1)
    return {"kept": descriptive.surely_reversed(scores).any()}


def _of_equals(_: Path | None) -> Iterable[Case]:
    """Return the cases of a promise about topics, which need no real collection."""
    for world in (
        *(Equals(systems) for systems in (5, 20, 60)),
        *(Equals(systems, team=4) for systems in (20, 60)),
        Equals(20, few=True),
    ):
        for topics in SIZES:
            trial = partial(_reversed, world, topics)
            yield Case(str(world), topics, trial, world.systems)


def _level(name: str, bound: float, p: P, at_once: bool = False) -> Entry:
    """Promise that a test rejects what is true at 5%: each pair, or any pair of all."""
    return Entry(name, 0.05, bound, in_worlds(partial(_test, p, at_once), TIED))


_WITHIN = in_worlds(_interval, sizes=(5, *SIZES))
_WITHIN_HARD = in_all(
    in_hard(_interval, ("differ",), sizes=(5, *SIZES)),
    in_ranked_worlds(_interval, rare_worlds, sizes=(5, *SIZES)),
)
FEW_SYSTEMS = (1, 2, 3)


def _few_systems(_: Path | None) -> Mapping[str, Column]:
    """Return worlds of systems that are too few to say much of each other's variances, with Beta and skewed scores."""
    made = [
        Hard(kind, "equal", systems)
        for kind in ("beta", "pareto")
        for systems in FEW_SYSTEMS
    ]
    return {str(world): Column(world) for world in made}


_FEW = in_ranked_worlds(_interval, _few_systems, sizes=(5, *SIZES))
_OF_A_MEAN = in_worlds(_unbounded, sizes=(5, *SIZES))
_HOLM = (
    _level(f"{name} test, Holm", bound, _corrected(name, "holm"), True)
    for name, bound in (("paired t", 0.06), ("Wilcoxon", 0.06), ("permutation", 0.06))
)
_BONFERRONI = _corrected("paired t", "bonferroni")
_EQUAL = in_worlds(_equivalent_at_once, (*UNTIED, *TIES))

_ALL_AT_ONCE = partial(_test, _max_t, True)
_OF_ALL = in_all(
    in_worlds(_ALL_AT_ONCE, TIED), in_hard(_ALL_AT_ONCE, ("equal", "shapes"))
)
_DISCOVERED = in_hard(_wrongly_discovered, ("equal", "shapes", "differ"))
_DISCOVERED_RANKS = in_hard(_discovered_ranks, ("differ",))
_ranked = partial(in_ranked_worlds, of=ranked_worlds)
_SHAPED = in_ranked_worlds(_simultaneous, shaped_worlds)

ENTRIES = [
    Entry("interval of a mean", 0.95, 0.92, _WITHIN),
    Entry("interval of a mean, hard worlds", 0.95, 0.90, _WITHIN_HARD),
    Entry(
        "interval of a mean, few systems",
        0.95,
        0.75,
        _FEW,
        warns="95% intervals of means held in",
    ),
    Entry("interval of a mean without bounds", 0.95, 0.92, _OF_A_MEAN),
    Entry("rank sets, simultaneous", 0.95, 0.94, _ranked(_simultaneous)),
    Entry("rank sets, marginal", 0.95, 0.93, _ranked(_marginal)),
    Entry("rank sets where shapes differ", 0.95, 0.92, _SHAPED),
    *(_level(f"{name} test", 0.06, test) for name, test in TESTS.items()),
    *_HOLM,
    _level("paired t test, Bonferroni", 0.06, _BONFERRONI, True),
    Entry("false discoveries, BH", 0.05, 0.06, in_worlds(_false_discoveries, TIES)),
    _level("randomised Tukey HSD", 0.20, _tukey, True),
    Entry("max-t test of all pairs", 0.05, 0.07, _OF_ALL),
    Entry("false claims of rank sets by discovery", 0.05, 0.07, _DISCOVERED),
    Entry("ranks by false discovery rate", 0.95, 0.92, _DISCOVERED_RANKS),
    Entry("equivalence at the margin", 0.05, 0.10, in_worlds(_equivalent, UNTIED)),
    Entry("equivalence of all pairs, Holm", 0.05, 0.15, _EQUAL),
    Entry("front of quality against cost", 0.95, 0.92, _fronts, 400),
    Entry("topics where better systems score worse", 0.05, 0.06, _of_equals),
]
