"""Worlds that are hard for intervals and tests: skew, reciprocal ranks, ties, shapes of one's own, near-clones.

None is made by `irmeta.datasets.like`. A world is made from a seed, which fixes its systems; its truth is known, and it
draws topics. Each family has worlds in which all systems have one mean, and worlds in which systems differ.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

Draw = Callable[["Hard", int, np.random.Generator], np.ndarray]
"""From a world, a number of topics and a generator to scores (system, topic)."""

TEAM = 4
"""Systems in a team."""
CLONES = 0.95
"""The correlation of the luck of two systems of a team."""
MANY = 200_000
"""Topics whose mean is taken as the truth where no formula gives it."""


@dataclass(frozen=True)
class Hard:
    """A world: systems by their parameters, and how it draws the scores of a topic.

    kind : beta, pareto, rr or ties.  how : "equal" (exchangeable), "shapes" (one mean, shapes of their own), "differ".
    team : the systems in a team of near-clones, 1 for independent ones.  seed : of the systems.
    """

    kind: str
    how: str
    systems: int = 12
    team: int = 1
    seed: int = 0
    _of: Mapping[str, np.ndarray] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Draw the systems."""
        rng = np.random.default_rng([self.seed, self.systems, self.team])
        object.__setattr__(self, "_of", KINDS[self.kind][0](self, rng))

    def __str__(self) -> str:
        """Name the world in a table."""
        how = {
            "equal": "all tie",
            "shapes": "one mean, own shapes",
            "differ": "systems differ",
        }[self.how]
        teams = f", teams of {self.team}" if self.team > 1 else ""
        return f"{LABELS[self.kind]}: {self.systems}, {how}{teams}"

    @property
    def teams(self) -> int:
        """How many teams there are."""
        return self.systems // self.team

    @property
    def names(self) -> np.ndarray:
        """The team of each system, a number."""
        return np.arange(self.systems) // self.team

    def scores(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores (system, topic)."""
        return KINDS[self.kind][1](self, topics, rng)

    @cached_property
    def means(self) -> np.ndarray:
        """The true means (system,), equal to the last bit where systems tie."""
        drawn = self.scores(MANY, np.random.default_rng([7, self.seed])).mean(axis=1)
        return drawn if self.how == "differ" else np.full(self.systems, drawn.mean())

    def of(self, parameter: str) -> np.ndarray:
        """Return a parameter of each system, as a column."""
        return np.repeat(self._of[parameter], self.team)[:, None]

    def by_team(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw what a team's systems share on a topic, standard normal: (system, topic)."""
        return np.repeat(rng.normal(size=(self.teams, topics)), self.team, axis=0)

    def luck(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw uniform numbers (system, topic), nearly the same within a team."""
        if self.team == 1:
            return rng.random((self.systems, topics))
        own = rng.normal(size=(self.systems, topics))
        shared = self.by_team(topics, rng)
        return ndtr(CLONES * shared + np.sqrt(1 - CLONES**2) * own)


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def _logit_mean(a: float, sd: float) -> float:
    return float(expit(a + sd * _NODES) @ _WEIGHTS)


def _beta_systems(world: Hard, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    """Ability, precision and slope on a topic's difficulty; slopes and precisions are shapes."""
    teams = world.teams
    ability = rng.normal(-0.6, 0.5, teams)
    precision = np.exp(rng.uniform(np.log(2), np.log(40), teams))
    slope = rng.uniform(0.5, 1.6, teams)
    if world.how == "equal":
        ability, precision, slope = np.full((3, teams), [[-0.6], [8.0], [1.0]])
    if world.how == "shapes":
        spreads = np.sqrt(slope**2 + 0.7**2)
        target = _logit_mean(-0.6, float(np.hypot(1, 0.7)))
        ability = np.array(
            [
                brentq(lambda a, sd=sd: _logit_mean(a, sd) - target, -9, 9)
                for sd in spreads
            ]
        )
    return {"ability": ability, "precision": precision, "slope": slope}


def _beta(world: Hard, topics: int, rng: np.random.Generator) -> np.ndarray:
    difficulty = rng.normal(size=topics)
    logit = world.of("ability") + world.of("slope") * difficulty
    mean = expit(logit + 0.7 * world.by_team(topics, rng))
    # clones of a team are near each other
    precision = world.of("precision") * (1 if world.team == 1 else 8)
    return rng.beta(mean * precision + 1e-3, (1 - mean) * precision + 1e-3)


def _pareto_mean(scale: float, tail: float) -> float:
    """Return E min(1, X) of scale * (U^(-1/tail) - 1), from its survival function."""
    at = np.linspace(0, 1, 2001)
    return float(np.trapezoid((1 + at / scale) ** -tail, at))


def _pareto_systems(world: Hard, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    """Scale and tail index; tails are shapes."""
    teams = world.teams
    scale = np.exp(rng.normal(-3, 0.35, teams))
    tail = rng.uniform(1, 2, teams)
    if world.how == "equal":
        scale, tail = np.full((2, teams), [[np.exp(-3)], [1.3]])
    if world.how == "shapes":
        tail = rng.uniform(0.7, 3, teams)
        scale = np.array(
            [brentq(lambda s, t=t: _pareto_mean(s, t) - 0.15, 1e-6, 10) for t in tail]
        )
    return {"scale": scale, "tail": tail}


def _pareto(world: Hard, topics: int, rng: np.random.Generator) -> np.ndarray:
    """Most topics near 0, few high, cut at 1; all systems share .36 of the variance of a topic's luck."""
    z = 0.6 * rng.normal(size=topics) + 0.8 * world.by_team(topics, rng)
    if world.team > 1:
        own = rng.normal(size=(world.systems, topics))
        z = CLONES * z + np.sqrt(1 - CLONES**2) * own
    rest = ndtr(-z)
    grown = world.of("scale") * (rest ** (-1 / world.of("tail")) - 1)
    return np.minimum(1, grown)


def _rr_systems(world: Hard, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    ability = rng.normal(-0.8, 0.6, world.teams)
    return {"ability": ability if world.how == "differ" else np.full(world.teams, -0.8)}


def _rr(world: Hard, topics: int, rng: np.random.Generator) -> np.ndarray:
    """1 / rank of the first relevant document, geometric, 0 beyond rank 10."""
    z = rng.normal(0, 1.2, topics) + 0.5 * world.by_team(topics, rng)
    share = expit(world.of("ability") + z)
    rank = 1 + np.floor(np.log(1 - world.luck(topics, rng)) / np.log(1 - share + 1e-12))
    return np.where(rank <= 10, 1 / rank, 0.0)


def _ties_systems(world: Hard, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    ability = rng.choice([-0.5, -0.1, 0.3], world.teams)
    return {"ability": ability if world.how == "differ" else np.full(world.teams, -0.1)}


def _ties(world: Hard, topics: int, rng: np.random.Generator) -> np.ndarray:
    """Scores 0, 1/3, 2/3, 1; on half of the topics all systems fail or all succeed."""
    kind = rng.choice([-8.0, 8.0, 0.0], topics, p=[0.3, 0.2, 0.5])
    share = expit(world.of("ability") + kind + rng.normal(size=topics))
    return np.mean([world.luck(topics, rng) < share for _ in range(3)], axis=0)


KINDS: Mapping[
    str, tuple[Callable[[Hard, np.random.Generator], Mapping[str, np.ndarray]], Draw]
] = {
    "beta": (_beta_systems, _beta),
    "pareto": (_pareto_systems, _pareto),
    "rr": (_rr_systems, _rr),
    "ties": (_ties_systems, _ties),
}
LABELS: Mapping[str, str] = {
    "beta": "Beta scores",
    "pareto": "skewed scores",
    "rr": "reciprocal ranks",
    "ties": "few values",
}


def hard(
    hows: Sequence[str], systems: int = 12, seeds: Iterable[int] = (0,)
) -> list[Hard]:
    """Return these worlds, with and without teams; only Beta and skewed scores have shapes of their own."""
    found = []
    for kind in KINDS:
        for how in hows:
            if how == "shapes" and kind not in ("beta", "pareto"):
                continue
            for team in (1, TEAM):
                if how == "shapes" and team > 1:
                    continue
                found += [Hard(kind, how, systems, team, seed) for seed in seeds]
    return found
