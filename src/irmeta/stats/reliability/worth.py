"""What a design is worth: how far n topics judged so rank systems as n other topics judged in full do.

Measured on disjoint sets of topics drawn at random, up to half of those there are; beyond, a curve is fitted:
tau(n) = (2/pi) asin(a n / (n + k)), what normal scores would give. Topics and systems are left out in turn for the
errors, of the measured points and of the fitted curve alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import half_means, halves, shuffles
from irmeta.stats.rankings.rank import settled, tau_b, tau_without_each

_LEAST = 0.01
"""Correlations are taken as at least this when the curve is fitted: it has no place for negative ones."""


@dataclass(frozen=True)
class Worth:
    """Mean tau of each column with the target, for each size, and how it moves without each topic and each system.

    tau, error : (size, column); error is the Monte-Carlo standard error.
    by_topic, by_system : (topic or system, size, column), moves about their mean.
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


def worth(
    columns: Floats, target: Floats, sizes: Sequence[int], rng: np.random.Generator, partitions: int = 400
) -> Worth:
    """Measure how far each column on n topics ranks systems as the target does on n others.

    columns : (system, topic, column).  target : (system, topic).  sizes : numbers of topics, up to half of them.
    partitions : drawn for tau; an eighth of them is used to leave out topics and systems.

    >>> rng = np.random.default_rng(0)
    >>> good = np.arange(8)[:, None] + rng.normal(size=(8, 20))
    >>> noisy = good + 5 * rng.normal(size=(8, 20))
    >>> found = worth(np.stack([good, noisy], axis=-1), good, [5, 10], rng, 100)
    >>> bool(found.tau[1, 0] > found.tau[1, 1])
    True
    """
    together = np.concatenate([columns, target[..., None]], axis=-1)
    by_topic = np.ascontiguousarray(together.transpose(1, 2, 0))
    size = len(columns)
    block = int(np.clip((1 << 21) // size**2, 1, 50))
    parts = [_mean_tau(by_topic, n, streams(rng, partitions, block), partitions) for n in sizes]
    few = max(10, min(partitions // 8, 200_000 // size**2 * 10))
    moves = [_moves(by_topic, n, streams(rng, few, max(1, block // 4)), few) for n in sizes]
    tau, error = (np.stack(part) for part in zip(*parts, strict=True))
    topics, systems = (np.stack(part, axis=1) for part in zip(*moves, strict=True))
    return Worth(tuple(sizes), tau, error, topics, systems)


def _taus(x: Floats, y: Floats) -> Floats:
    """Tau-b of columns (batch, column, system) with a target (batch, 1, system); 0 where one ties all systems."""
    return np.nan_to_num(tau_b(x, y)[..., 0], nan=0.0)


Block = tuple[np.random.Generator, int]
"""A random stream, and how many partitions to draw from it."""


def _mean_tau(by_topic: Floats, n: int, blocks: Sequence[Block], partitions: int) -> tuple[Floats, Floats]:
    """Average tau over partitions, with its standard error: (column,) each."""
    sums = np.sum(list(in_order(partial(_tau_sums, by_topic, n), blocks, "blocks of partitions")), axis=0)
    mean, square = sums / partitions
    return mean, np.sqrt(np.maximum(square - mean**2, 0) / partitions)


def _tau_sums(by_topic: Floats, n: int, block: Block) -> Floats:
    rng, count = block
    means = half_means(by_topic, halves(shuffles(len(by_topic), count, rng), (n, n)))
    tau = _taus(means[:, 0, :-1], means[:, 1, -1:])
    return np.stack([tau.sum(axis=0), (tau**2).sum(axis=0)])


def _moves(by_topic: Floats, n: int, blocks: Sequence[Block], partitions: int) -> list[Floats]:
    """Average over partitions how tau moves without each topic and each system, about the mean move."""
    sums = zip(*in_order(partial(_moved, by_topic, n), blocks, "blocks of partitions"), strict=True)
    means = [np.sum(part, axis=0) / partitions for part in sums]
    return [mean - mean.mean(axis=0) for mean in means]


def _moved(by_topic: Floats, n: int, block: Block) -> tuple[Floats, Floats]:
    """Sum over partitions how tau moves: without each topic (topic, column), without each system (system, column)."""
    rng, count = block
    drawn = halves(shuffles(len(by_topic), count, rng), (n, n))
    means = half_means(by_topic, drawn)
    columns, target = means[:, 0, :-1], means[:, 1, -1:]
    now = _taus(columns, target)
    without = np.nan_to_num(tau_without_each(columns, target)[..., 0])  # (partition, system, column)
    systems = (without - now[:, None]).sum(axis=0)
    topics = np.zeros((len(by_topic), columns.shape[1]))
    for one in range(count):
        for half in (0, 1) if n > 1 else ():
            members = np.flatnonzero(drawn[one, half])
            here = means[one, half, :-1] if half == 0 else means[one, half, -1:]
            scores = by_topic[members][:, :-1] if half == 0 else by_topic[members][:, -1:]
            left = settled(here + (here - scores) / (n - 1))  # the mean without each member
            if half == 0:
                tau = _taus(left, np.broadcast_to(target[one], (n, *target[one].shape)))
            else:
                tau = _taus(np.broadcast_to(columns[one], (n, *columns[one].shape)), left)
            topics[members] += tau - now[one]
    return topics, systems


@dataclass(frozen=True)
class Curve:
    """The fitted curve of each column: tau(n) = (2/pi) asin(a n / (n + k)); a and k of shape (..., column)."""

    a: Floats
    k: Floats

    def tau(self, n: npt.ArrayLike) -> Floats:
        """Return tau for a number of topics."""
        topics = np.asarray(n, dtype=np.float64)
        return 2 / np.pi * np.arcsin(np.clip(self.a * topics / (topics + self.k), -1, 1))

    def topics(self, tau: npt.ArrayLike) -> Floats:
        """Return how many topics give this tau; infinite where none do."""
        y = np.sin(np.pi * np.asarray(tau, dtype=np.float64) / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.a > y, self.k * y / (self.a - y), np.inf)


def fit(sizes: Sequence[int], tau: Floats) -> Curve:
    """Fit the curve to tau (..., size, column): n / y = n / a + k / a is a line, y = sin(pi tau / 2).

    Points count by y^4 / n^2, as the error of n / y is n / y^2 times that of y. a is at most 1, and k at least 0.

    >>> curve = Curve(np.array([0.9]), np.array([12.0]))
    >>> sizes = [5, 10, 25]
    >>> found = fit(sizes, np.stack([curve.tau(n) for n in sizes]))
    >>> [round(float(part[0]), 6) for part in (found.a, found.k)]
    [0.9, 12.0]
    """
    n = np.asarray(sizes, dtype=np.float64)[:, None]
    y = np.maximum(np.sin(np.pi * tau / 2), _LEAST)
    weight = y**4 / n**2
    line = n / y
    total = weight.sum(axis=-2, keepdims=True)
    mean_n, mean_line = ((weight * part).sum(axis=-2, keepdims=True) / total for part in (n + 0 * y, line))
    spread = (weight * (n - mean_n) ** 2).sum(axis=-2)
    slope = (weight * (n - mean_n) * (line - mean_line)).sum(axis=-2) / np.where(spread > 0, spread, 1)
    slope = np.maximum(slope, 1.0)  # 1 / a
    k = (mean_line[..., 0, :] - slope * mean_n[..., 0, :]) / slope
    return Curve(1 / slope, np.maximum(k, 0))


def predicted(found: Worth, topics: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return tau of each column for a number of topics of its own, (column,), and how it moves: (moved, column).

    Measured where there are enough topics, between sizes along the fitted curve; beyond them the curve.
    The moves are of the topics first, then of the systems: their squares add up to the variance.
    """
    n = np.asarray(topics, dtype=np.float64)
    moved = np.concatenate([found.by_topic, found.by_system])
    now, other = fit(found.sizes, found.tau), fit(found.sizes, found.tau + moved)
    tau, along = now.tau(n), other.tau(n) - now.tau(n)
    sizes = np.array(found.sizes, dtype=np.float64)
    inside = n <= sizes[-1]
    off = found.tau - np.stack([now.tau(size) for size in sizes])  # how far the points lie from the curve
    correction = np.array([np.interp(at, sizes, off[:, column]) for column, at in enumerate(n)])
    shift = np.stack([_between(sizes, moved[..., column], at) for column, at in enumerate(n)], axis=-1)
    return np.where(inside, tau + correction, tau), np.where(inside, shift, along)


def _between(sizes: Floats, moves: Floats, at: float) -> Floats:
    """Interpolate moves (moved, size) between the sizes: (moved,)."""
    place = np.interp(at, sizes, np.arange(len(sizes)))
    low = int(np.floor(place))
    high = min(low + 1, len(sizes) - 1)
    return moves[:, low] + (place - low) * (moves[:, high] - moves[:, low])
