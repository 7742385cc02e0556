"""Promises about estimates from few human and many machine topics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from bench.coverage.judges import BAD, GOOD, NOISE, SPREAD, TOPIC, Judge, Kind
from bench.coverage.worlds import Column, some, worlds
from bench.hard import KINDS, LABELS, Hard
from irmeta.datasets.like import World
from irmeta.stats.judging.planning import width
from irmeta.stats.judging.sampling import (
    Estimates,
    Sample,
    estimate_differences,
    estimate_means,
)
from irmeta.studies.judges.plan import known_spreads, pair_spreads

SAMPLES = ((5, 50), (10, 50), (10, 200), (25, 200), (50, 200))
"""How many of how many topics people judge."""
MACHINES = (
    "umbrela-gpt-4o",
    "binary-gpt-4o",
    "exam-binary-mean-gpt-4o",
    "umbrela-llama3.2-pass2",
)
"""Real judges of DL 2021, from good to bad."""
COPIES = {"good": 0.7, "bad": 0.2}
"""How often a machine of a hard world has the score of people, and not one of another draw."""
LIKED = 0.1
"""How far such a machine favours a system at most."""
HARD = 8
"""Systems of a hard world."""


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


@dataclass(frozen=True)
class Copying:
    """Estimates in a hard world, of scores within 0 and 1: the machine often has the score of people."""

    world: Column | World
    n: int
    topics: int
    copies: float

    def draw(self, rng: np.random.Generator) -> tuple[Sample, np.ndarray]:
        """Draw new topics: what is judged, and the true means."""
        human, other = (self.world.scores(self.topics, rng)[..., 0] for _ in range(2))
        copied = rng.random(human.shape) < self.copies
        favour = LIKED * rng.random((len(human), 1))
        machine = np.clip(np.where(copied, human, other) + favour, 0, 1)
        drawn = np.sort(rng.permutation(self.topics)[: self.n])
        sample = Sample(human[:, drawn], machine, drawn, np.ones(self.n))
        return sample, self.world.means[:, 0]


def hard_worlds(folder: Path | None) -> Mapping[str, Column | World]:
    """Return worlds of few systems that are skewed, tied or bounded, by name."""
    found: dict[str, Column | World] = {
        LABELS[kind]: Column(Hard(kind, "differ", HARD)) for kind in KINDS
    }
    if folder is None:
        return found
    name = "like Web 2012, ERR@20"
    web = some(worlds(folder)[name], HARD, np.random.default_rng(3))
    return found | {name: web}


def _simulated(
    way: Way, machine: Machine | Copying, rng: np.random.Generator
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
    """Say what share of intervals holds the truth, and their width as a share of Student's by people alone."""
    n, _ = sample.sizes
    found = way(sample, new_topics=new_topics)
    low, high = found.interval(n - 1)
    # of means all, of differences each pair once
    of_means = low.ndim == 1
    chosen = np.arange(truth.size) if of_means else np.triu_indices(truth.size, 1)
    wanted = truth if of_means else truth[:, None] - truth
    inside = (low - 1e-12 <= wanted) & (wanted <= high + 1e-12)
    by_people = estimate_means if of_means else estimate_differences
    alone = by_people(sample, 0.0, new_topics=new_topics)
    student = Estimates(alone.value, alone.variance, 0.0).interval(n - 1)
    wide = (student[1] - student[0]).mean()
    return {
        "kept": inside[chosen].mean(),
        # of few values no topic may show a difference, and neither interval has a width
        "width": (high - low).mean() / wide if wide > 0 else 1.0,
        AWAY: (found.value - wanted)[chosen] / (wide or np.nan),
    }


def alone(sample: Sample, *, new_topics: bool = True) -> Estimates:
    """Estimate means by people alone."""
    return estimate_means(sample, 0.0, new_topics=new_topics)


PLANNED = 40
"""Human topics whose width is planned, of twice as many as the machine judged."""
LARGE = 2000
"""Human topics that tell how wide intervals are in truth, of twice as many."""


@cache
def true_width(world: Machine | Copying, *, alone: bool) -> float:
    """Return the width of intervals of differences with `PLANNED` human topics, as very many topics tell it.

    alone : by people alone.
    """
    large = replace(world, n=LARGE, topics=2 * LARGE)
    rng = np.random.default_rng(11)
    spreads = [pair_spreads(large.draw(rng)[0])[alone] for _ in range(5)]
    total = PLANNED if alone else 2 * PLANNED
    return float(np.mean([width(one, PLANNED, total) for one in spreads]))


def _planned(
    world: Machine | Copying, rng: np.random.Generator, *, alone: bool
) -> Mapping[str, float]:
    """Plan the width of intervals of differences from few human topics."""
    sample, _ = world.draw(rng)
    known = known_spreads(sample)[alone]
    total = PLANNED if alone else 2 * PLANNED
    said, low, high = known.width(PLANNED, total)
    truth = true_width(world, alone=alone)
    return {
        "kept": low <= truth <= high,
        "width": np.log(high / low) if low > 0 else np.nan,
        AWAY: np.log(said / truth) if said > 0 else np.nan,
    }


def of_plans(*, alone: bool) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of plans: as those of differences, of simulated machines, with topics enough for a plan."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for n in (5, 10, 25):
            for name, judge in (("good", GOOD), ("bad", BAD)):
                machine = Machine(n, 4 * n, judge)
                trial = partial(_planned, machine, alone=alone)
                yield Case(f"{name} machine", n, trial, machine.systems)
            for label, world in hard_worlds(folder).items():
                copying = Copying(world, n, 4 * n, COPIES["good"])
                trial = partial(_planned, copying, alone=alone)
                yield Case(f"{label}, good machine", n, trial, HARD)

    return cases


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
        yield from _hard(way, folder)
        for name, human, machine in dl2021(folder):
            trial = partial(real, way, 10, human, machine)
            yield Case(f"of 53, DL 2021, {name}", 10, trial, len(human))

    return cases


def _hard(way: Way, folder: Path | None) -> Iterable[Case]:
    for world, of in hard_worlds(folder).items():
        for n, total in SAMPLES:
            for name, copies in COPIES.items():
                trial = partial(_simulated, way, Copying(of, n, total, copies))
                label = f"of {total}, {world}, {name} machine"
                yield Case(label, n, trial, HARD)


def _of_people(folder: Path | None) -> Iterable[Case]:
    """Return the cases of means by people alone: what the machine says does not matter."""
    sizes = sorted({n for n, _ in SAMPLES})
    for n in sizes:
        trial = partial(_simulated, alone, Machine(n, 2 * n, GOOD))
        yield Case("plain", n, trial, Machine.systems)
    for world, of in hard_worlds(folder).items():
        for n in sizes:
            trial = partial(_simulated, alone, Copying(of, n, 2 * n, 1.0))
            yield Case(world, n, trial, HARD)


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
    Entry(
        "mean by few human topics and a machine",
        0.95,
        0.92,
        of_samples(estimate_means),
        400,
    ),
    Entry(
        "mean by few human topics alone",
        0.95,
        0.92,
        _of_people,
        400,
    ),
    Entry(
        "difference by few human topics and a machine",
        0.95,
        0.92,
        of_samples(estimate_differences),
        400,
    ),
    Entry(
        "planned width, few human topics and a machine",
        0.95,
        0.75,
        of_plans(alone=False),
        400,
        warns="Such ranges of a width held in",
    ),
    Entry(
        "planned width, few human topics alone",
        0.95,
        0.75,
        of_plans(alone=True),
        400,
        warns="Such ranges of a width held in",
    ),
]
