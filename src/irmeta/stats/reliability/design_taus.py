"""What a design is worth: how far n topics judged so rank systems as n other topics judged in full do.

Measured on disjoint sets of topics drawn at random, up to half of those there are; beyond, a curve is fitted, through
the last point measured: tau(n) = (2/pi) asin(a n / (n + k)), what normal scores would give. Topics and systems are left
out in turn for the errors, of the measured points and of the fitted curve alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.halves.halving import halves, set_means, shuffles
from irmeta.stats.halves.teams import sums
from irmeta.stats.rankings.rank import tau_b, tau_without_each
from irmeta.stats.reliability.curve import fit


@dataclass(frozen=True)
class DesignTaus:
    """Mean tau of each column with the target, for each size, and how it moves without each topic and each system.

    tau, error : (size, column); error is the Monte-Carlo standard error.
    by_topic, by_system : (topic or system, size, column), moves about their mean; of teams instead of systems after
    `by_team`.
    """

    sizes: tuple[int, ...]
    tau: Floats
    error: Floats
    by_topic: Floats
    by_system: Floats

    def variance(self) -> Floats:
        """Return the variance of tau over samples of topics and of systems: (size, column)."""
        squares = (self.by_topic**2).sum(axis=0) + (self.by_system**2).sum(axis=0)
        return squares + self.error**2

    def by_team(self, team: Ints) -> "DesignTaus":
        """Return the same with whole teams left out, numbered from 0, one for each system.

        What a team moves is, to the first order, the sum of what its systems move.
        """
        return replace(self, by_system=sums(self.by_system, team))


@dataclass(frozen=True)
class Corrections:
    """What some of the topics drawn add to a column: a machine judged all of them, people the first of each draw.

    scores : (system, topic, column), added as a mean over the first topics; 0 in columns that nobody corrects.
    share : (column,), the share of the topics that are corrected, in (0, 1]; at least one topic is.
    """

    scores: Floats
    share: Floats

    def counts(self, n: int) -> Ints:
        """Return how many of n topics are corrected in each column."""
        return np.maximum(np.ceil(self.share * n - 1e-9), 1).astype(np.int64)


def design_taus(
    columns: Floats,
    target: Floats,
    sizes: Sequence[int],
    rng: np.random.Generator,
    partitions: int = 400,
    corrections: Corrections | None = None,
) -> DesignTaus:
    """Measure how far each column on n topics ranks systems as the target does on n others.

    columns : (system, topic, column).  target : (system, topic).  sizes : numbers of topics, up to half of them.
    partitions : drawn for tau; an eighth of them is used to leave out topics and systems.
    corrections : of columns, by a part of the topics.

    >>> rng = np.random.default_rng(0)
    >>> good = np.arange(8)[:, None] + rng.normal(size=(8, 20))
    >>> noisy = good + 5 * rng.normal(size=(8, 20))
    >>> found = design_taus(np.stack([good, noisy], axis=-1), good, [5, 10], rng, 100)
    >>> bool(found.tau[1, 0] > found.tau[1, 1])
    True
    """
    scores = _Scores(columns, target, corrections)
    systems_squared = len(columns) ** 2
    # partitions computed together: pairs of systems bound the work of a block
    block = int(np.clip((1 << 21) // systems_squared, 1, 50))
    parts = [
        _mean_tau(scores, n, streams(rng, partitions, block), partitions) for n in sizes
    ]
    # leaving out costs as much as a tau for each topic and each system: of many systems, fewer partitions
    few = max(10, min(partitions // 8, 200_000 // systems_squared * 10))
    moves = [
        _moves(scores, n, streams(rng, few, max(1, block // 4)), few) for n in sizes
    ]
    tau, error = (np.stack(part) for part in zip(*parts, strict=True))
    topics, systems = (np.stack(part, axis=1) for part in zip(*moves, strict=True))
    return DesignTaus(tuple(sizes), tau, error, topics, systems)


class _Scores:
    """Scores by topic: of the columns and the target last, (topic, column, system), and what corrects the columns."""

    def __init__(
        self, columns: Floats, target: Floats, corrections: Corrections | None
    ) -> None:
        together = np.concatenate([columns, target[..., None]], axis=-1)
        self.by_topic = np.ascontiguousarray(together.transpose(1, 2, 0))
        self.corrections = corrections
        if corrections is not None:
            self.added = np.ascontiguousarray(corrections.scores.transpose(1, 2, 0))

    def drawn(self, n: int, partitions: int, rng: np.random.Generator) -> "_Drawn":
        """Draw partitions: n topics for the columns, n others for the target."""
        orders = shuffles(len(self.by_topic), partitions, rng)
        members = halves(orders, (n, n))
        # (partition, 2, column and target, system): columns on the first topics, the target on the others
        means = set_means(self.by_topic, members)
        columns = means[:, 0, :-1]
        target = settled(means[:, 1, -1:])
        if self.corrections is None:
            return _Drawn(members, columns, target, None, None)
        # people judge the first topics of each order: (partition, column, topic)
        place = np.argsort(orders, axis=1)
        counts = self.corrections.counts(n)
        checked = place[:, None] < counts[:, None]
        weight = checked / checked.sum(axis=-1, keepdims=True)
        # the mean correction over them, column by column: (column, partition, system)
        weight = weight.transpose(1, 0, 2)
        by_column = self.added.transpose(1, 0, 2)
        added = weight @ by_column
        return _Drawn(members, columns, target, checked, added.transpose(1, 0, 2))

    def without(self, drawn: "_Drawn", partition: int, topics: Ints) -> Floats:
        """Average a partition's columns without each of its topics: (topic, column, system)."""
        mean = drawn.plain[partition]
        n = len(topics)
        # the mean without x: m + (m - x) / (n - 1)
        left = mean + (mean - self.by_topic[topics, :-1]) / (n - 1)
        if drawn.added is None or drawn.checked is None:
            return settled(left)
        added = drawn.added[partition]
        checked = drawn.checked[partition]
        # a topic that is the only one to correct stays
        count = checked.sum(axis=-1)
        others = np.maximum(count - 1, 1)
        step = np.where(count > 1, checked[:, topics].T / others, 0)
        moved = step[..., None] * (added - self.added[topics])
        return settled(left + added + moved)


@dataclass(frozen=True)
class _Drawn:
    """Partitions drawn.

    members : (partition, 2, topic).  plain : means of the columns without corrections, (partition, column, system).
    target : (partition, 1, system).  checked : (partition, column, topic), which topics correct a column.
    added : (partition, column, system), their mean corrections.
    """

    members: Bools
    plain: Floats
    target: Floats
    checked: Bools | None
    added: Floats | None

    @property
    def columns(self) -> Floats:
        """The columns' means, settled: (partition, column, system)."""
        return settled(self.plain if self.added is None else self.plain + self.added)


def _taus(x: Floats, y: Floats) -> Floats:
    """Tau-b of columns (batch, column, system) with a target (batch, 1, system); 0 where one ties all systems."""
    return np.nan_to_num(tau_b(x, y)[..., 0], nan=0.0)


Block = tuple[np.random.Generator, int]
"""A random stream, and how many partitions to draw from it."""


def _mean_tau(
    scores: _Scores, n: int, blocks: Sequence[Block], partitions: int
) -> tuple[Floats, Floats]:
    """Average tau over partitions, with its standard error: (column,) each."""
    work = partial(_tau_sums, scores, n)
    sums = np.sum(list(in_order(work, blocks, "blocks of partitions")), axis=0)
    mean, square = sums / partitions
    return mean, np.sqrt(np.maximum(square - mean**2, 0) / partitions)


def _tau_sums(scores: _Scores, n: int, block: Block) -> Floats:
    """Sum tau, and its square, over the partitions of a block: (2, column)."""
    rng, count = block
    drawn = scores.drawn(n, count, rng)
    tau = _taus(drawn.columns, drawn.target)
    return np.stack([tau.sum(axis=0), (tau**2).sum(axis=0)])


def _moves(
    scores: _Scores, n: int, blocks: Sequence[Block], partitions: int
) -> list[Floats]:
    """Average over partitions how tau moves without each topic and each system, about the mean move."""
    sums = zip(
        *in_order(partial(_moved, scores, n), blocks, "blocks of partitions"),
        strict=True,
    )
    means = [np.sum(part, axis=0) / partitions for part in sums]
    return [mean - mean.mean(axis=0) for mean in means]


def _moved(scores: _Scores, n: int, block: Block) -> tuple[Floats, Floats]:
    """Sum over partitions how tau moves: without each topic (topic, column), without each system (system, column)."""
    rng, count = block
    drawn = scores.drawn(n, count, rng)
    columns = drawn.columns
    target = drawn.target
    now = _taus(columns, target)
    # (partition, system, column)
    without = np.nan_to_num(tau_without_each(columns, target)[..., 0])
    systems = (without - now[:, None]).sum(axis=0)
    topics = np.zeros((len(scores.by_topic), columns.shape[1]))
    for partition in range(count) if n > 1 else ():
        # the n topics of the columns, and the n of the target
        here, there = (np.flatnonzero(half) for half in drawn.members[partition])
        # columns without each of theirs, with the target as it is: (topic, column, system)
        left = scores.without(drawn, partition, here)
        same = np.broadcast_to(target[partition], (n, *target[partition].shape))
        topics[here] += _taus(left, same) - now[partition]
        # the target without each of its own: m + (m - x) / (n - 1)
        mean = target[partition]
        left = settled(mean + (mean - scores.by_topic[there, -1:]) / (n - 1))
        same = np.broadcast_to(columns[partition], (n, *columns[partition].shape))
        topics[there] += _taus(same, left) - now[partition]
    return topics, systems


def predicted(measured: DesignTaus, topics: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return tau of each column for a number of topics of its own, (column,), and how it moves: (moved, column).

    Measured where there are enough topics, between sizes along the fitted curve; beyond them the curve.
    The moves are of the topics first, then of the systems: their squares add up to the variance.
    """
    n = np.asarray(topics, dtype=np.float64)
    moved = np.concatenate([measured.by_topic, measured.by_system])
    now = fit(measured.sizes, measured.tau)
    other = fit(measured.sizes, measured.tau + moved)
    tau = now.tau(n)
    along = other.tau(n) - now.tau(n)
    sizes = np.array(measured.sizes, dtype=np.float64)
    inside = n <= sizes[-1]
    # how far the points lie from the curve
    off = measured.tau - np.stack([now.tau(size) for size in sizes])
    correction = np.array(
        [np.interp(at, sizes, off[:, column]) for column, at in enumerate(n)]
    )
    shift = np.stack(
        [_between(sizes, moved[..., column], at) for column, at in enumerate(n)],
        axis=-1,
    )
    return np.where(inside, tau + correction, tau), np.where(inside, shift, along)


def _between(sizes: Floats, moves: Floats, at: float) -> Floats:
    """Interpolate moves (moved, size) between the sizes: (moved,)."""
    place = np.interp(at, sizes, np.arange(len(sizes)))
    low = int(np.floor(place))
    high = min(low + 1, len(sizes) - 1)
    return moves[:, low] + (place - low) * (moves[:, high] - moves[:, low])
