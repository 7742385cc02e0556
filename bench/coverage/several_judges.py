"""Promises about scores that are means over several judges: other judges, and other topics, would differ."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.coverage.clustered import shaped
from bench.coverage.frame import AWAY, UNITS, Case, Entry
from irmeta.scores.cube import cube
from irmeta.scores.groups.repeats import by_runs, with_judges
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats, Ints

TOPICS = (5, 12, 50)
NINE = (
    *(f"umbrela-{model}" for model in ("gpt-4", "gpt-4o", "llama3.2-pass1")),
    *(f"binary-{model}" for model in ("gpt-4", "gpt-4o", "llama3.2")),
    *(f"exam-graded-max-{model}" for model in ("gpt-4", "gpt-4o")),
    "exam-binary-max-gpt-4",
)
"""Machine judges of Deep Learning 2021, a prompt and a model each, that graded nearly all pairs."""


class World(NamedTuple):
    """How scores of equal systems are drawn.

    level : the standard deviation of what a judge adds to a system on all topics. On one topic a system, and a judge of
    it, have .5 each; a judge adds as much to all systems alike.
    """

    systems: int
    judges: int
    level: float
    shape: str

    def __str__(self) -> str:
        return f"{self.systems} systems, {self.judges} judges, their levels {self.level:g}, {self.shape} scores"

    def drawn(self, topics: int, rng: np.random.Generator) -> Floats:
        """Draw scores (judge, system, topic)."""
        each = (self.judges, self.systems)
        topic = rng.normal(size=topics) + 0.5 * rng.normal(size=(self.judges, 1, 1))
        own = 0.5 * rng.normal(size=(self.systems, topics))
        level = self.level * rng.normal(size=(*each, 1))
        once = 0.5 * rng.normal(size=(*each, topics))
        spread = np.sqrt(1.75 + self.level**2)
        return shaped((topic + own + level + once) / spread, self.shape)


WORLDS = [
    World(*size, level, shape)
    for size, level, shape in product(
        ((2, 2), (2, 4), (8, 2), (20, 4)), (0.5, 0.15), ("skewed", "0/1", "normal")
    )
]


def _means(scores: Floats) -> tuple[Floats, Floats]:
    """Return means over judges of scores (judge, system, topic), with what other judges add and without it."""
    names = [[str(at) for at in range(size)] for size in scores.shape]
    seen = {
        judge: cube(one[..., None], *names[1:], ["AP"])
        for judge, one in zip(names[0], scores, strict=True)
    }
    means = with_judges(seen)
    return by_runs(means)[0].values[..., 0], means.values[..., 0]


def _differences(
    world: World, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say of what share of pairs of equal systems the interval of the difference holds 0, with and without judges.

    All systems together tell how far judges disagree about one.
    """
    first, second = np.triu_indices(world.systems, 1)
    held = []
    for values in _means(world.drawn(topics, rng)):
        low, high = descriptive.t_interval(values[first] - values[second])
        away = values[first].mean(axis=1) - values[second].mean(axis=1)
        held.append((((low <= 0) & (high >= 0)).mean(), (high - low).mean(), away))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
        UNITS: min((world.judges - 1) * (world.systems - 1) + 1, topics),
    }


def _in_worlds(folder: Path | None) -> Iterable[Case]:
    worlds, sizes = (WORLDS, TOPICS) if folder else (WORLDS[:2], TOPICS[1:2])
    for world, topics in product(worlds, sizes):
        trial = partial(_differences, world, topics)
        yield Case(str(world), topics, trial, world.systems)


def _leads(scores: Floats) -> list[tuple[Floats, Floats]]:
    """Return leads over the mean system and halves of their intervals, with and without what other judges add."""
    found = []
    for values in _means(scores):
        low, high = descriptive.t_interval(values - values.mean(axis=0))
        found.append(((low + high) / 2, (high - low) / 2))
    return found


def _left_out(
    scores: Floats, judges: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Compare leads by some judges on half of the topics with those by the judges left out on the other half.

    Both are estimates of the same lead, with an interval each. They may be as far apart as these together: the root of
    the sum of squares of their halves.
    """
    judge, topic = (rng.permutation(scores.shape[at]) for at in (0, 2))
    half = scores.shape[2] // 2
    parts: list[tuple[Ints, Ints]] = [
        (judge[:judges], topic[:half]),
        (judge[judges:], topic[half:]),
    ]
    some, others = (_leads(scores[who][:, :, where]) for who, where in parts)
    kept = [
        (np.abs(one[0] - other[0]) <= np.hypot(one[1], other[1])).mean()
        for one, other in zip(some, others, strict=True)
    ]
    width, plain = (2 * one[1].mean() for one in some)
    return {
        "kept": kept[0],
        "width": width,
        "over topics": kept[1],
        "times as wide": width / plain,
    }


@cache
def _nine(folder: Path) -> Floats:
    """Return nDCG@10 (judge, system, topic) by nine machines."""
    from irmeta.evaluation.sets import evaluate_under

    here = folder / "judges" / "dl2021"
    files = {name: here / "qrels" / f"{name}.txt" for name in NINE}
    cubes = evaluate_under(files, here / "runs", "nDCG@10")
    topics = cubes[NINE[0]].topic
    return np.stack([cubes[name].sel(topic=topics).values[..., 0] for name in NINE])


def _real(folder: Path | None) -> Iterable[Case]:
    """Return the cases of real judges: topics are those of which each half has its own judges."""
    if folder is None:
        return
    scores = _nine(folder)
    systems, topics = scores.shape[1:]
    for judges in (2, 3, 4):
        world = f"{judges} of {len(NINE)} machines, DL 2021"
        trial = partial(_left_out, scores, judges)
        yield Case(world, topics // 2, trial, systems)


ENTRIES = [
    Entry("difference by several judges", 0.95, 0.90, _in_worlds, 600),
    Entry("lead by several judges and by those left out", 0.95, 0.92, _real, 300),
]
