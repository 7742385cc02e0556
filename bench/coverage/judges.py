"""Promises about judges: tau, differences of tau, phi, favour; and estimates from few human and many machine topics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import Case, Entry
from irmeta.stats.halves.phi import phi, phi_interval
from irmeta.stats.judging.favour import favour
from irmeta.stats.judging.rankings import taus
from irmeta.stats.judging.sampling import (
    Estimates,
    Sample,
    estimate_differences,
    estimate_means,
)
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
SAMPLES = ((5, 50), (10, 50), (10, 200), (25, 200), (50, 200))
"""How many of how many topics people judge."""
MACHINES = (
    "umbrela-gpt-4o",
    "binary-gpt-4o",
    "exam-binary-mean-gpt-4o",
    "umbrela-llama3.2-pass2",
)
"""Real judges of DL 2021, from good to bad."""


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
    return np.mean([tau_b(one[0], one[1:]) for one in means], axis=0)


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
    }


def _difference(
    other: int, kind: Kind, rng: np.random.Generator
) -> Mapping[str, float]:
    found = taus(kind.draw(rng)[0], rng, team=kind.teams).differences()
    truth = expected_taus(kind)
    low, high = found.low[0, other], found.high[0, other]
    return {"kept": low <= truth[0] - truth[other] <= high, "width": high - low}


def _gain(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    _, low, high = phi_interval(kind.draw(rng)[0][:2], rng, 200, team=kind.teams)
    return {"kept": low[0] <= expected_gain(kind) <= high[0], "width": high[0] - low[0]}


def _favour(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    scores, favours = kind.draw(rng)
    found = favour(scores, np.eye(kind.systems))
    relative = favours - favours.mean(axis=1, keepdims=True)
    return {"kept": ((found.low <= relative) & (relative <= found.high)).mean()}


Check = Callable[[Kind, np.random.Generator], Mapping[str, float]]


SINGLE = [
    *(Kind(*size, factors) for size in SIZES for factors in (False, True)),
    *(Kind(20, 25, factors, few=True) for factors in (False, True)),
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
        yield Entry(what, 0.95, bound, in_kinds(check, kinds), 400, few)


Way = Callable[..., Estimates]


@dataclass(frozen=True)
class Machine:
    """Estimates from a simulated machine: people judge n of so many topics.

    team : systems in a team, near-clones.  few : scores are rounded to tenths, so that systems tie.
    """

    n: int
    topics: int
    judge: Judge
    systems: int = 20
    team: int = 1
    few: bool = False

    def draw(self, rng: np.random.Generator) -> tuple[Sample, np.ndarray]:
        """Draw new systems and topics: what is judged, and the true means."""
        kind = Kind(self.systems, self.topics, False, self.team)
        mean, favours = kind.alike(rng, SPREAD), kind.alike(rng, self.judge.favour)
        topic = rng.normal(0, TOPIC, self.topics)
        noise = kind.alike(rng, NOISE, self.topics)
        rest = kind.alike(rng, NOISE, self.topics) + rng.normal(0, TOPIC, self.topics)
        own = np.sqrt(1 - self.judge.shared**2)
        human = mean[:, None] + topic + noise
        machine = (mean + favours)[:, None] + own * rest
        machine = machine + self.judge.shared * (topic + noise)
        if self.few:
            human, machine = human.round(1), machine.round(1)
        drawn = np.sort(rng.permutation(self.topics)[: self.n])
        return Sample(human[:, drawn], machine, drawn, np.ones(self.n)), mean


def _simulated(
    way: Way, machine: Machine, rng: np.random.Generator
) -> Mapping[str, float]:
    """Estimate means over new topics, from few human topics and all of a machine."""
    sample, mean = machine.draw(rng)
    return held(way, sample, mean, new_topics=True)


def real(
    way: Way, n: int, human: np.ndarray, machine: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Estimate means over all topics of a real collection from n of them, drawn at random."""
    drawn = np.sort(rng.permutation(human.shape[1])[:n])
    sample = Sample(human[:, drawn], machine, drawn, np.ones(n))
    return held(way, sample, human.mean(axis=1), new_topics=False)


def held(
    way: Way, sample: Sample, truth: np.ndarray, *, new_topics: bool
) -> Mapping[str, float]:
    """Say what share of intervals holds the truth, and their width as a share of the human-only ones."""
    n, _ = sample.sizes
    wanted = truth if way is estimate_means else truth[:, None] - truth
    both, alone = (way(sample, slope, new_topics=new_topics) for slope in (None, 0.0))
    low, high = both.interval(n - 1)
    inside = (low - 1e-12 <= wanted) & (wanted <= high + 1e-12)
    kept = inside if wanted.ndim == 1 else inside[np.triu_indices(truth.size, 1)]
    return {
        "kept": kept.mean(),
        "width": np.sqrt(both.variance).mean() / np.sqrt(alone.variance).mean(),
    }


OTHERS = {
    "of 200, good machine, 5 systems": Machine(25, 200, GOOD, 5),
    "of 200, good machine, 60 systems": Machine(25, 200, GOOD, 60),
    "of 200, good machine, 60 systems in teams of 4": Machine(25, 200, GOOD, 60, 4),
    "of 200, good machine, few values": Machine(25, 200, GOOD, few=True),
    "of 200, good machine, 50 topics": Machine(50, 200, GOOD),
}
"""Other numbers of systems, teams and ties."""


def of_samples(way: Way) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of estimates: simulated machines, and real ones where DL 2021 is at hand."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for name, judge in (("good", GOOD), ("bad", BAD)):
            for n, total in SAMPLES:
                machine = Machine(n, total, judge)
                trial = partial(_simulated, way, machine)
                yield Case(f"of {total}, {name} machine", n, trial, machine.systems)
        if folder is not None:
            for name, machine in OTHERS.items():
                trial = partial(_simulated, way, machine)
                yield Case(name, machine.n, trial, machine.systems)
        for name, human, machine in dl2021(folder):
            trial = partial(real, way, 10, human, machine)
            yield Case(f"of 53, DL 2021, {name}", 10, trial, len(human))

    return cases


@cache
def dl2021(folder: Path | None) -> tuple[tuple[str, np.ndarray, np.ndarray], ...]:
    """Return the names of real machines, and nDCG@10 (system, topic) by people and by each."""
    if folder is None:
        return ()
    from irmeta.evaluation.sets import evaluate_under

    here = folder / "judges" / "dl2021"
    files = {name: here / "qrels" / f"{name}.txt" for name in ("nist", *MACHINES)}
    cubes = evaluate_under(files, here / "runs", "nDCG@10")
    topics = cubes["nist"].topic
    human, *machines = (cubes[name].sel(topic=topics).values[..., 0] for name in files)
    return tuple(
        (name, human, machine) for name, machine in zip(MACHINES, machines, strict=True)
    )


ENTRIES = [
    *_single_and_in_teams("tau, good judge", partial(_tau, 0), 0.90, 40),
    *_single_and_in_teams("tau, bad judge", partial(_tau, 1), 0.90, 40),
    *_single_and_in_teams(
        "difference of tau, good and bad judge", partial(_difference, 1), 0.90, 40
    ),
    *_single_and_in_teams(
        "difference of tau, two good judges", partial(_difference, 2), 0.90, 40
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
    Entry(
        "mean by few human topics and a machine",
        0.95,
        0.91,
        of_samples(estimate_means),
        400,
    ),
    Entry(
        "difference by few human topics and a machine",
        0.95,
        0.92,
        of_samples(estimate_differences),
        400,
    ),
]
