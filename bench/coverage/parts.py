"""Promises about P@10 where people judge a part of the pairs of topic and document, beside whole topics (PRECISE)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from bench.coverage.estimates import MACHINES
from bench.coverage.frame import AWAY, Case, Entry
from irmeta.stats.judging import pairs
from irmeta.stats.judging.sampling import Sample, estimate_differences, estimate_means

K = 10
DOCUMENTS = 60
"""Documents of a simulated topic that some system may rank first."""
SYSTEMS = 12
MANY = 4000
"""Topics whose mean is taken as the truth."""


class World(NamedTuple):
    """All pairs: weights (system, pair), topic, people's relevance and the machine's grade of each (pair,)."""

    weight: np.ndarray
    topic: np.ndarray
    relevant: np.ndarray
    grade: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """P@10 by people: (system, topic)."""
        return self._by_topic(self.relevant)

    @property
    def by_machine(self) -> np.ndarray:
        """P@10 by the machine, whose grades from 2 on are relevant: (system, topic)."""
        return self._by_topic(self.grade >= 2)

    def _by_topic(self, relevant: np.ndarray) -> np.ndarray:
        total = np.zeros((len(self.weight), self.topic.max() + 1))
        np.add.at(total.T, self.topic, (self.weight * relevant).T)
        return total


@dataclass(frozen=True)
class Simulated:
    """A collection: how rare relevance is (on the scale of log odds), and how much noise the machine's grades have."""

    level: float
    noise: float

    def draw(self, topics: int, rng: np.random.Generator) -> World:
        """Draw topics; the machine favours what the first systems rank high."""
        systems = np.random.default_rng(5).uniform(0.3, 2.0, SYSTEMS)[:, None, None]
        easy = self.level + rng.normal(size=(topics, 1))
        relevant = rng.random((topics, DOCUMENTS)) < expit(
            easy + 0.7 * rng.normal(size=(topics, DOCUMENTS))
        )
        shape = (SYSTEMS, topics, DOCUMENTS)
        value = (
            systems * relevant
            + 0.7 * rng.normal(size=shape[1:])
            + rng.normal(size=shape)
        )
        high = np.argsort(np.argsort(-value, axis=-1), axis=-1) < K
        liked = 0.4 * high[: SYSTEMS // 4].mean(axis=0)
        grade = 0.5 + 2 * relevant + liked + self.noise * rng.normal(size=shape[1:])
        used = high.any(axis=0)
        topic = np.nonzero(used)[0]
        return World(
            high[:, used] / K,
            topic,
            relevant[used].astype(float),
            np.clip(np.round(grade[used]), 0, 3),
        )

    @cache  # noqa: B019 (few worlds, which live as long as the program)
    def means(self) -> np.ndarray:
        """The true means (system,), from many topics."""
        rng = np.random.default_rng(0)
        parts = [self.draw(500, rng).scores.mean(axis=1) for _ in range(MANY // 500)]
        return np.mean(parts, axis=0)


def precise(
    world: World, share: float, truth: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Say how often PRECISE's intervals of means hold, and how wide they are: whole topics, as many pairs.

    PPI++ on P@k, its topics by the machine alone are the others; lambda of each system, normal quantile. Source: arXiv
    2601.18777.
    """
    human, machine = world.scores, world.by_machine
    total = human.shape[1]
    n = max(2, round(share * total))
    order = rng.permutation(total)
    y, f, others = human[:, order[:n]], machine[:, order[:n]], machine[:, order[n:]]
    centred = f - f.mean(axis=1, keepdims=True)
    spread = (centred**2).sum(axis=1)
    covariance = (centred * y).sum(axis=1)
    lam = np.divide(covariance, spread, out=np.zeros(len(y)), where=spread > 0)
    lam = np.clip(lam / (1 + n / (total - n)), 0, 1)[:, None]
    rest = y - lam * f
    value = (lam * others).mean(axis=1) + rest.mean(axis=1)
    variance = (lam * others).var(axis=1, ddof=1) / (total - n)
    variance = variance + rest.var(axis=1, ddof=1) / n
    half = norm.ppf(0.975) * np.sqrt(variance)
    return float((np.abs(value - truth) <= half).mean()), float(2 * half.mean())


def held(
    world: World,
    share: float,
    truth: np.ndarray,
    pairs_of_systems: bool,
    new_topics: bool,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Let people judge a share of the pairs; say how often intervals hold, and how wide they are beside PRECISE's."""
    seen = rng.random(world.topic.size) < share
    known = np.where(seen, world.relevant, np.nan)
    topics = world.topic.max() + 1
    found = pairs.estimate(
        world.weight, world.topic, known, pairs.strata(world.grade), topics
    )
    sample = Sample(
        found.scores,
        world.by_machine,
        np.arange(topics),
        np.ones(topics),
        found.errors,
    )
    if pairs_of_systems:
        apart = estimate_differences(sample, new_topics=new_topics)
        low, high = apart.interval(topics - 1)
        wanted = truth[:, None] - truth
        inside = (low - 1e-12 <= wanted) & (wanted <= high + 1e-12)
        above = np.triu_indices(truth.size, 1)
        return {
            "kept": inside[above].mean(),
            "width": (high - low)[above].mean(),
            AWAY: (apart.value - wanted)[above],
        }
    means = estimate_means(sample, new_topics=new_topics)
    low, high = means.interval(topics - 1)
    inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    width = (high - low).mean()
    if not new_topics:
        return {"kept": inside.mean(), "width": width, AWAY: means.value - truth}
    theirs, wide = precise(world, share, truth, rng)
    return {
        "kept": inside.mean(),
        "width": width,
        AWAY: means.value - truth,
        "PRECISE held": theirs,
        "its width": wide,
    }


def _simulated(
    of: Simulated,
    topics: int,
    share: float,
    pairs_of_systems: bool,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    world = of.draw(topics, rng)
    return held(world, share, of.means(), pairs_of_systems, True, rng)


def _real(
    world: World, share: float, pairs_of_systems: bool, rng: np.random.Generator
) -> Mapping[str, float]:
    truth = world.scores.mean(axis=1)
    return held(world, share, truth, pairs_of_systems, False, rng)


WORLDS = {
    "good machine": Simulated(0.0, 0.5),
    "bad machine": Simulated(0.0, 1.5),
    "few relevant, good machine": Simulated(-3.0, 0.5),
    "few relevant, bad machine": Simulated(-3.0, 1.5),
}
SHARES = {"a tenth": 0.1, "a fifth": 0.2}


def cases(folder: Path | None, pairs_of_systems: bool) -> Iterable[Case]:
    """Return simulated collections, for new topics, and DL 2021, for its own, where it is at hand."""
    for label, share in SHARES.items():
        for name, of in WORLDS.items():
            for topics in (25, 50):
                trial = partial(_simulated, of, topics, share, pairs_of_systems)
                yield Case(f"{label}, {name}", topics, trial, SYSTEMS)
        for name, world in dl2021(folder):
            trial = partial(_real, world, share, pairs_of_systems)
            yield Case(f"{label}, DL 2021, {name}", 53, trial, len(world.weight))


@cache
def dl2021(folder: Path | None) -> tuple[tuple[str, World], ...]:
    """Return the names of real machines that grade, and all pairs of DL 2021 that some run ranks among its first 10."""
    if folder is None:
        return ()
    from irmeta.evaluation.sets import JudgmentSets
    from irmeta.studies.judges.partly import Lists, weights

    here = folder / "judges" / "dl2021"
    found = []
    for name in MACHINES[0], MACHINES[-1]:
        files = {
            which: here / "qrels" / f"{file}.txt"
            for which, file in (("human", "nist"), ("machine", name))
        }
        given = JudgmentSets.of(files)
        lists = Lists.of(given, here / "runs")
        people, machine = given.grades()
        at = np.flatnonzero(lists.best(people.size) < K)
        weight = weights(lists, at, people.size, K)
        topic = given.pairs.topic[at]
        world = World(weight, topic, (people[at] >= 2).astype(float), machine[at])
        found.append((name, world))
    return tuple(found)


ENTRIES = [
    Entry(
        "mean by a part of the pairs",
        0.95,
        0.90,
        partial(cases, pairs_of_systems=False),
        400,
    ),
    Entry(
        "difference by a part of the pairs",
        0.95,
        0.90,
        partial(cases, pairs_of_systems=True),
        400,
    ),
]
