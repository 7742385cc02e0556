"""The model of a simulated collection, on arrays: systems, topics, rankings. docs/simulation.md explains it.

Random draws are 64-bit integers, and all that follows are integer operations and +, -, *, /: a seed makes the same
collection on every machine. Functions that libraries round differently (exp, log, sums of floats) are not used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Bools, Floats, Ints

Habit = Literal["", "short", "absent", "rounded", "constant"]

CANDIDATES = 5000
"""Documents of a topic that a run may retrieve."""
DEPTH = 1000
"""Documents that a run retrieves for a topic."""
CORPUS = 100 * CANDIDATES
HABITS: tuple[Habit, ...] = ("short", "absent", "rounded", "constant")

_SIGNAL = 1.7  # how far a relevant document stands above the others, in standard deviations of the noise
_WEAK = 0.6  # the strength of relevance that a system's focus neither helps nor hurts
# noise of all systems, of a group's, of one: squares sum to about 1
_SHARED, _GROUP, _OWN = (0.74, 0.4, 0.54)


@dataclass(frozen=True)
class Systems:
    """What is true of each system; arrays of shape (system,).

    group : the groups that submit systems, from 0.  ability : systems' signal above average.  focus : how much more
    strong than weak relevance counts.  pooled : its documents are judged.  habit : how a lazy system is lazy.
    """

    group: Ints
    ability: Floats
    focus: Floats
    pooled: Bools
    habit: tuple[Habit, ...]


@dataclass(frozen=True)
class Topics:
    """What is true of each topic: arrays of shape (topic,) and, for each of its documents, (topic, document).

    difficulty : takes from every system's signal.  focus : adds to every system's focus.  relevant : number of relevant
    documents, which come first.  strength : how easily a document is found to be relevant.  noise : what misleads all
    systems.  grade : 0 to 2.  number : the document's number in the corpus.
    """

    difficulty: Floats
    focus: Floats
    relevant: Ints
    strength: Floats
    noise: Floats
    grade: npt.NDArray[np.uint8]
    number: Ints


def bits(rng: np.random.Generator, *shape: int) -> npt.NDArray[np.uint64]:
    """Draw 64-bit integers."""
    return rng.integers(2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    """Draw nearly normal numbers, mean 0 and variance 1: each the sum of four 16-bit uniforms."""
    drawn = bits(rng, *shape)
    total = sum(
        (drawn >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48)
    )
    # the sum of four uniforms on 0 to 65535: mean 4 x 65535 / 2, standard deviation 37837.22725
    return (np.asarray(total, dtype=np.float64) - 131070.0) / 37837.22725


def draw_systems(rng: np.random.Generator, count: int) -> Systems:
    """Draw systems in groups of about three; two of each group are pooled, but none of every fourth group."""
    groups = max(1, round(count / 3))
    # each system in a random group; the groups that have systems are numbered from 0
    drawn = np.sort(bits(rng, count) % np.uint64(groups))
    group = np.unique(drawn, return_inverse=True)[1].astype(np.int64)
    member = np.arange(count) - np.searchsorted(group, group)
    # a part of quality and focus is the group's, a part the system's own
    quality = 0.42 * normal(rng, groups)[group] + 0.2 * normal(rng, count)
    focus = 0.22 * normal(rng, groups)[group] + 0.12 * normal(rng, count)
    # one system in eight is lazy, in one way after the other
    habit: list[Habit] = [""] * count
    lazy = np.argsort(bits(rng, count), kind="stable")[: count // 8]
    for turn, system in enumerate(lazy):
        habit[system] = HABITS[turn % len(HABITS)]
    return Systems(
        group=group,
        ability=quality
        - 0.6 * quality * quality,  # bad systems are worse than good ones are good
        focus=0.35 + focus,
        pooled=(member < 2) & (group % 4 != 3),
        habit=tuple(habit),
    )


def draw_topics(rng: np.random.Generator, count: int) -> Topics:
    """Draw topics: the more relevant documents one has, the harder it is to find them all."""
    # number of relevant documents = 4.5 + 25 (breadth + 2)^2
    breadth = normal(rng, count)
    relevant = np.floor(4.5 + 25 * (breadth + 2) * (breadth + 2)).astype(np.int64)
    strength = normal(rng, count, CANDIDATES)
    is_relevant = np.arange(CANDIDATES) < relevant[:, None]
    # strong documents have the higher grade more often
    highly = strength + 1.5 * normal(rng, count, CANDIDATES) > 0.9
    # document numbers: one from each of CANDIDATES equal parts of the corpus, in random order
    order = np.argsort(bits(rng, count, CANDIDATES), axis=1, kind="stable")
    spacing = CORPUS // CANDIDATES
    return Topics(
        difficulty=0.75 * breadth + 0.5 * normal(rng, count),
        focus=0.2 * breadth + 0.4 * normal(rng, count),
        relevant=relevant,
        strength=strength,
        noise=normal(rng, count, CANDIDATES),
        grade=is_relevant.astype(np.uint8) + (is_relevant & highly),
        number=order * spacing
        + (bits(rng, count, CANDIDATES) % np.uint64(spacing)).astype(np.int64),
    )


@dataclass(frozen=True)
class Submission:
    """A system's run: documents (columns of the topics' arrays) and descending scores, of shape (topic, rank).

    kept : what the run really holds; the rest is what a lazy system leaves out.
    """

    documents: Ints
    scores: Floats
    kept: Bools


def submissions(
    rng: np.random.Generator, systems: Systems, topics: Topics
) -> Iterator[Submission]:
    """Run each system on all topics; systems of a group share a part of their noise, and of their luck with a topic."""
    shape = topics.noise.shape
    count = shape[0]
    for system, group in enumerate(systems.group):
        if system == 0 or group != systems.group[system - 1]:  # the next group
            luck = 0.23 * normal(rng, count)
            noise = _SHARED * topics.noise + _GROUP * normal(rng, *shape)
        # what the system sees of relevance, and how far it prefers strong relevance, by topic
        signal = (
            _SIGNAL
            + systems.ability[system]
            - topics.difficulty
            + luck
            + 0.1 * normal(rng, count)
        )
        focus = systems.focus[system] + topics.focus + 0.3 * normal(rng, count)
        relevance = _relevance(topics, np.maximum(signal, 0), np.maximum(focus, -0.2))
        # score = noise of all and of the group + the system's own noise + relevance
        # heavy tails, variance 1
        stray = normal(rng, *shape) * np.abs(normal(rng, *shape))
        score = noise + _OWN * stray + relevance
        yield _lazily(rng, systems.habit[system], *_best(score))


def _relevance(topics: Topics, signal: Floats, focus: Floats) -> Floats:
    """Return how far relevance lifts each document: signal x (1 + focus (strength - weak)), 0 if not relevant."""
    strength = 1 + focus[:, None] * (topics.strength - _WEAK)
    return np.where(topics.grade > 0, signal[:, None] * strength, 0.0)


def _best(score: Floats) -> tuple[Ints, Floats]:
    """Rank the best documents of each topic; score and document share one integer, so that the order is unique."""
    # scores in steps of 2^-24, negated so that the best comes first; the lowest 13 bits are the document
    steps = np.floor(score * 2.0**24).astype(np.int64)
    keys = -steps * 2**13 + np.arange(CANDIDATES)
    best = np.partition(keys, DEPTH - 1, axis=1)[:, :DEPTH]
    best.sort(axis=1)
    documents = best & (2**13 - 1)
    scores = -(best >> 13) / 2.0**24
    return documents, scores


def _lazily(
    rng: np.random.Generator, habit: Habit, documents: Ints, scores: Floats
) -> Submission:
    """Submit what a system with this habit would: short lists, topics left out, scores in quarters or all the same."""
    count = len(scores)
    kept = np.ones(scores.shape, dtype=np.bool_)
    if habit == "short":
        length = 10 + (bits(rng, count) % np.uint64(190)).astype(np.int64)
        kept &= np.arange(DEPTH) < length[:, None]
    elif habit == "absent":
        left_out = np.argsort(bits(rng, count), kind="stable")[: count * 15 // 100]
        kept[left_out] = False
    elif habit == "rounded":
        scores = np.floor(4 * scores) / 4
    elif habit == "constant":
        scores = np.zeros_like(scores)
    return Submission(documents, scores, kept)
