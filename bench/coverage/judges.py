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
SAMPLES = ((5, 50), (10, 50), (10, 200), (25, 200))
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
    """Worlds of one kind. factors : two hidden factors decide which systems a topic suits, and move all together."""

    systems: int
    topics: int
    factors: bool

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores (set, system, topic), the truth first, and how much each judge favours each system."""
        shape = (self.systems, self.topics)
        mean, topic = (
            rng.normal(0, SPREAD, self.systems),
            rng.normal(0, TOPIC, self.topics),
        )
        loading, suits = (
            rng.normal(0, FACTORS, (self.systems, 2)),
            rng.normal(size=(2, self.topics)),
        )
        noise = rng.normal(0, REST if self.factors else NOISE, shape)
        made = [mean[:, None] + topic + noise + self.factors * loading @ suits]
        favours = []
        for judge in JUDGES:
            own = np.sqrt(1 - judge.shared**2)
            favours.append(rng.normal(0, judge.favour, self.systems))
            rest = rng.normal(0, REST if self.factors else NOISE, shape)
            seen = judge.shared * suits + own * rng.normal(size=suits.shape)
            errs = (
                loading @ seen + rest
                if self.factors
                else judge.shared * noise + own * rest
            )
            made.append((mean + favours[-1])[:, None] + topic + errs)
        return np.stack(made), np.stack(favours)


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
    found = taus(kind.draw(rng)[0], rng).interval()
    truth = expected_taus(kind)[which]
    return {
        "kept": found.low[which] <= truth <= found.high[which],
        "width": found.high[which] - found.low[which],
    }


def _difference(
    other: int, kind: Kind, rng: np.random.Generator
) -> Mapping[str, float]:
    found = taus(kind.draw(rng)[0], rng).differences()
    truth = expected_taus(kind)
    low, high = found.low[0, other], found.high[0, other]
    return {"kept": low <= truth[0] - truth[other] <= high, "width": high - low}


def _gain(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    _, low, high = phi_interval(kind.draw(rng)[0][:2], rng, 200)
    return {"kept": low[0] <= expected_gain(kind) <= high[0], "width": high[0] - low[0]}


def _favour(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    scores, favours = kind.draw(rng)
    found = favour(scores, np.eye(kind.systems))
    relative = favours - favours.mean(axis=1, keepdims=True)
    return {"kept": ((found.low <= relative) & (relative <= found.high)).mean()}


Check = Callable[[Kind, np.random.Generator], Mapping[str, float]]


def in_kinds(check: Check) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of a promise about judges: all kinds of worlds; without collections, as in CI, a small one."""

    def cases(folder: Path | None) -> Iterable[Case]:
        sizes = ((20, 25),) if folder is None else SIZES
        for systems, topics in sizes:
            for factors in (False, True):
                kind = Kind(systems, topics, factors)
                name = f"{systems} systems, {'factors' if factors else 'plain'}"
                yield Case(name, topics, partial(check, kind))

    return cases


Way = Callable[..., Estimates]


def _simulated(
    way: Way, n: int, total: int, judge: Judge, rng: np.random.Generator
) -> Mapping[str, float]:
    """Estimate means over new topics of 20 systems, from n human topics and all of a machine."""
    mean, favours = rng.normal(0, SPREAD, 20), rng.normal(0, judge.favour, 20)
    topic, noise = rng.normal(0, TOPIC, total), rng.normal(0, NOISE, (20, total))
    rest = rng.normal(0, NOISE, noise.shape) + rng.normal(0, TOPIC, total)
    own = np.sqrt(1 - judge.shared**2)
    machine = (mean + favours)[:, None] + judge.shared * (topic + noise) + own * rest
    drawn = np.sort(rng.permutation(total)[:n])
    human = mean[:, None] + topic + noise
    return held(
        way, Sample(human[:, drawn], machine, drawn, np.ones(n)), mean, new_topics=True
    )


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


def of_samples(way: Way) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of estimates: simulated machines, and real ones where DL 2021 is at hand."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for name, judge in (("good", GOOD), ("bad", BAD)):
            for n, total in SAMPLES:
                yield Case(
                    f"of {total}, {name} machine",
                    n,
                    partial(_simulated, way, n, total, judge),
                )
        for name, human, machine in dl2021(folder):
            yield Case(
                f"of 53, DL 2021, {name}", 10, partial(real, way, 10, human, machine)
            )

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
    Entry("tau, good judge", 0.95, 0.90, in_kinds(partial(_tau, 0)), 400, 40),
    Entry("tau, bad judge", 0.95, 0.90, in_kinds(partial(_tau, 1)), 400, 40),
    Entry(
        "difference of tau, good and bad judge",
        0.95,
        0.90,
        in_kinds(partial(_difference, 1)),
        400,
        40,
    ),
    Entry(
        "difference of tau, two good judges",
        0.95,
        0.90,
        in_kinds(partial(_difference, 2)),
        400,
        40,
    ),
    Entry("gain in phi, good judge", 0.95, 0.85, in_kinds(_gain), 100, 20),
    Entry("favour of a system", 0.95, 0.92, in_kinds(_favour), 400, 40),
    Entry(
        "mean by few human topics and a machine",
        0.95,
        0.91,
        of_samples(estimate_means),
        300,
    ),
    Entry(
        "difference by few human topics and a machine",
        0.95,
        0.92,
        of_samples(estimate_differences),
        300,
    ),
]
