"""Promises about judges: tau, differences of tau, phi, favour."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from bench.hard import Hard, hard
from irmeta.stats.halves.phi import phi, phi_interval
from irmeta.stats.judging.favour import favour, unpaired
from irmeta.stats.judging.rankings import taus
from irmeta.stats.judging.soft import p_values, soft_accuracy
from irmeta.stats.rankings.rank import tau_b

SPREAD, TOPIC, NOISE = 0.08, 0.2, 0.15
"""Standard deviations: of systems, of topics, and of a system's scores on a topic."""
FACTORS, REST = 0.12, 0.08
"""Where hidden factors decide: how strongly systems depend on them, and the noise that is left."""
SIZES = ((5, 25), (10, 10), (10, 50), (20, 25), (25, 5), (40, 10), (60, 50))
"""Numbers of systems and of topics."""
TEAMS = ((24, 25), (40, 50))
"""The same, of systems in teams of four."""
APART = 0.25
"""How far near-clones of a team are apart: the share of their own in what is drawn for each, r = 1 - APART^2."""


FAMILIES = 4
"""Families of systems whom a judge may favour."""


@dataclass(frozen=True)
class Judge:
    """How a simulated judge errs: its favour of systems (sd), and its correlation with the truth's noise."""

    favour: float
    shared: float


GOOD, BAD = Judge(0.01, 0.8), Judge(0.08, 0.3)
JUDGES = (GOOD, BAD, GOOD)


@dataclass(frozen=True)
class Kind:
    """Worlds of one kind.

    factors : two hidden factors decide which systems a topic suits, and move all together.
    team : systems in a team, near-clones.  few : scores are rounded to tenths, so that systems tie.
    """

    systems: int
    topics: int
    factors: bool
    team: int = 1
    few: bool = False

    def __str__(self) -> str:
        """Name the world in the table."""
        name = f"{self.systems} systems, {'factors' if self.factors else 'plain'}"
        teams = f", teams of {self.team}" if self.team > 1 else ""
        return name + teams + (", few values" if self.few else "")

    @property
    def teams(self) -> np.ndarray | None:
        """The number of each system's team; None where there are none."""
        return np.arange(self.systems) // self.team if self.team > 1 else None

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores (set, system, topic), the truth first, and how much each judge favours each system."""
        noise_of = REST if self.factors else NOISE
        mean, topic = self.alike(rng, SPREAD), rng.normal(0, TOPIC, self.topics)
        loading = self.alike(rng, FACTORS, 2)
        suits = rng.normal(size=(2, self.topics))
        noise = self.alike(rng, noise_of, self.topics)
        made = [mean[:, None] + topic + noise + self.factors * loading @ suits]
        favours = []
        for judge in JUDGES:
            own = np.sqrt(1 - judge.shared**2)
            favours.append(self.alike(rng, judge.favour))
            rest = self.alike(rng, noise_of, self.topics)
            seen = judge.shared * suits + own * rng.normal(size=suits.shape)
            errs = (
                loading @ seen + rest
                if self.factors
                else judge.shared * noise + own * rest
            )
            made.append((mean + favours[-1])[:, None] + topic + errs)
        scores = np.stack(made)
        return scores.round(1) if self.few else scores, np.stack(favours)

    def alike(self, rng: np.random.Generator, sd: float, *each: int) -> np.ndarray:
        """Draw something for each system, (system, *each), alike in a team."""
        own = rng.normal(0, sd, (self.systems, *each))
        if self.team == 1:
            return own
        shared = rng.normal(0, sd, (self.systems // self.team, *each))
        return np.sqrt(1 - APART**2) * shared.repeat(self.team, axis=0) + APART * own


@cache
def expected_taus(kind: Kind) -> np.ndarray:
    """Compute the mean tau of each judge over many worlds of a kind."""
    rng = np.random.default_rng(0)
    means = (kind.draw(rng)[0].mean(axis=-1) for _ in range(2000))
    return _good_alike(np.mean([tau_b(one[0], one[1:]) for one in means], axis=0))


def _good_alike(found: np.ndarray) -> np.ndarray:
    """Let both good judges, which are drawn alike, have the mean of what was found of each: they do not differ."""
    found[[0, 2]] = found[[0, 2]].mean()
    return found


@cache
def expected_gain(kind: Kind) -> float:
    """Compute by how much the good judge predicts the truth better than the truth itself, over many worlds."""
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(600):
        scores = kind.draw(rng)[0][:2]
        own, judge = phi(scores, rng, 4)
        gains.append(judge - own)
    return float(np.mean(gains))


def _tau(which: int, kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    found = taus(kind.draw(rng)[0], rng, team=kind.teams).interval()
    truth = expected_taus(kind)[which]
    return {
        "kept": found.low[which] <= truth <= found.high[which],
        "width": found.high[which] - found.low[which],
        AWAY: found.value[which] - truth,
    }


def _difference(
    other: int, kind: Kind, rng: np.random.Generator
) -> Mapping[str, float]:
    found = taus(kind.draw(rng)[0], rng, team=kind.teams).differences()
    truth = expected_taus(kind)
    low, high = found.low[0, other], found.high[0, other]
    apart = truth[0] - truth[other]
    return {
        "kept": low <= apart <= high,
        "width": high - low,
        AWAY: found.value[0, other] - apart,
    }


@cache
def expected_soft(kind: Kind) -> np.ndarray:
    """Compute the mean soft pairwise accuracy of each judge over many worlds of a kind, on the scale of tau."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], size=(200, kind.topics))
    upper = np.triu_indices(kind.systems, 1)
    found = []
    for _ in range(300):
        p = p_values(kind.draw(rng)[0], signs)
        found.append(1 - 2 * np.abs(p[1:] - p[0])[:, *upper].mean(axis=-1))
    return _good_alike(np.mean(found, axis=0))


def _soft(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Hold the good judge's interval; beside it the bad one's, and those of the two differences."""
    team = np.arange(kind.systems) if kind.teams is None else kind.teams
    found = soft_accuracy(kind.draw(rng)[0], rng, team)
    own, apart = found.interval(), found.differences()
    truth = expected_soft(kind)
    inside = (own.low <= truth) & (truth <= own.high)
    between = truth[:, None] - truth
    held = (apart.low <= between) & (between <= apart.high)
    return {
        "kept": inside[0],
        # of an accuracy between 0 and 1
        "width": (own.high[0] - own.low[0]) / 2,
        AWAY: (own.value[0] - truth[0]) / 2,
        "bad judge": inside[1],
        "good less bad": held[0, 1],
        "good less good": held[0, 2],
        "bad found": apart.p[0, 1] < 0.05,
    }


def _gain(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    found, low, high = phi_interval(kind.draw(rng)[0][:2], rng, 200, team=kind.teams)
    truth = expected_gain(kind)
    return {
        "kept": low[0] <= truth <= high[0],
        "width": high[0] - low[0],
        AWAY: found[1] - found[0] - truth,
    }


def _favour(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    scores, favours = kind.draw(rng)
    found = favour(scores, np.eye(kind.systems))
    relative = favours - favours.mean(axis=1, keepdims=True)
    return {
        "kept": ((found.low <= relative) & (relative <= found.high)).mean(),
        "width": (found.high - found.low).mean(),
        AWAY: found.favour - relative,
    }


def families(systems: int) -> np.ndarray:
    """Return the weights of systems in the means of about four families: (family, system)."""
    of = np.arange(systems) // max(1, systems // FAMILIES)
    inside = np.equal.outer(np.unique(of), of).astype(float)
    return inside / inside.sum(axis=1, keepdims=True)


def _of_family(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Estimate favours of families where judges saw twice as many topics as people did, and others."""
    scores, favours = replace(kind, topics=3 * kind.topics).draw(rng)
    own = [scores[0, :, : kind.topics], *scores[1:, :, kind.topics :]]
    return _unpaired(own, favours)


def _of_family_in(
    world: Hard, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Estimate the same in a hard world: the judge scores as people do, but for its favours."""
    favours = BAD.favour * rng.normal(size=(1, world.systems))
    judge = world.scores(2 * topics, rng) + favours[0][:, None]
    return _unpaired([world.scores(topics, rng), judge], favours)


def _unpaired(scores: Sequence[np.ndarray], favours: np.ndarray) -> Mapping[str, float]:
    members = families(favours.shape[1])
    found = unpaired(scores, members)
    relative = (favours - favours.mean(axis=1, keepdims=True)) @ members.T
    return {
        "kept": ((found.low <= relative) & (relative <= found.high)).mean(),
        "width": (found.high - found.low).mean(),
        AWAY: found.favour - relative,
    }


def _families(folder: Path | None) -> Iterable[Case]:
    """Return kinds of worlds, and hard ones."""
    yield from in_kinds(_of_family, [*SINGLE, *IN_TEAMS])(folder)
    for world in hard(["differ"]):
        for topics in (10, 25, 50):
            trial = partial(_of_family_in, world, topics)
            yield Case(str(world), topics, trial, world.systems)


Check = Callable[[Kind, np.random.Generator], Mapping[str, float]]


SINGLE = [
    *(Kind(*size, factors) for size in SIZES for factors in (False, True)),
    *(Kind(20, 25, factors, few=True) for factors in (False, True)),
]
SOFT = [
    Kind(5, 25, False),
    Kind(10, 10, False),
    Kind(20, 25, False),
    Kind(20, 25, True),
    Kind(20, 25, False, few=True),
]
IN_TEAMS = [Kind(*size, True, team=4) for size in TEAMS]
SMALL = (20, 24)
"""Numbers of systems of the kinds that are measured without the real collections, as in CI."""


def in_kinds(
    check: Check, kinds: Iterable[Kind]
) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of a promise about judges in some kinds of worlds."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for kind in kinds:
            if folder is not None or kind.systems in SMALL:
                trial = partial(check, kind)
                yield Case(str(kind), kind.topics, trial, kind.systems)

    return cases


def _single_and_in_teams(
    name: str, check: Check, bound: float, few: int
) -> Iterable[Entry]:
    """Promise something of systems by themselves, and of systems in teams, which intervals leave out."""
    for what, kinds in ((name, SINGLE), (f"{name}, teams left out", IN_TEAMS)):
        yield Entry(what, 0.95, bound, in_kinds(check, kinds), 600, few)


ENTRIES = [
    *_single_and_in_teams("tau, good judge", partial(_tau, 0), 0.90, 40),
    *_single_and_in_teams("tau, bad judge", partial(_tau, 1), 0.90, 40),
    *_single_and_in_teams(
        "difference of tau, good and bad judge", partial(_difference, 1), 0.90, 40
    ),
    *_single_and_in_teams(
        "difference of tau, two good judges", partial(_difference, 2), 0.90, 40
    ),
    Entry("soft pairwise accuracy", 0.95, 0.90, in_kinds(_soft, SOFT), 600, 20),
    Entry(
        "soft pairwise accuracy, teams left out",
        0.95,
        0.85,
        in_kinds(_soft, IN_TEAMS[:1]),
        600,
        20,
    ),
    *_single_and_in_teams("gain in phi, good judge", _gain, 0.85, 20),
    Entry(
        "favour of a system",
        0.95,
        0.92,
        in_kinds(_favour, [*SINGLE, *IN_TEAMS]),
        400,
        40,
    ),
    Entry("favour of a family on other topics", 0.95, 0.90, _families, 400, 40),
]
