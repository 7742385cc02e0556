"""Per-topic transformations of scores that make topics alike: each a formula on the topic's factors."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from irmeta.choices import Kind
from irmeta.stats.arrays import Bools, Floats, Ints, settled


class Factors(NamedTuple):
    """What is known of each topic from its standardizing systems; mean and sd have the shape (*topic)."""

    mean: Floats
    sd: Floats
    quantiles: Floats  # (*topic, most): the standardizing scores in rising order, then NaN where a topic has fewer

    @property
    def n(self) -> Ints:
        """The number of standardizing scores of each topic."""
        return np.asarray(np.isfinite(self.quantiles).sum(axis=-1))

    @property
    def best(self) -> Floats:
        """The best standardizing score of each topic."""
        last = self.n[..., None] - 1
        return np.take_along_axis(self.quantiles, last, axis=-1)[..., 0]


def fit(scores: Floats) -> Factors:
    """Return the factors of each topic from scores of shape (system, *topic); sd has the divisor n - 1.

    Missing scores (NaN) are left out of their topic, which needs two others.
    Everything is computed from the sorted scores, so that the order of the systems changes no bit of it.

    >>> fit(np.array([[0.1], [0.5], [0.3]])).mean.round(12), fit(np.array([[0.1], [0.5], [0.3]])).sd.round(12)
    (array([0.3]), array([0.2]))
    """
    quantiles = np.ascontiguousarray(np.moveaxis(np.sort(scores, axis=0), 0, -1))
    if np.isnan(quantiles).any():
        return Factors(
            np.nanmean(quantiles, axis=-1),
            np.nanstd(quantiles, axis=-1, ddof=1),
            quantiles,
        )
    return Factors(quantiles.mean(axis=-1), quantiles.std(axis=-1, ddof=1), quantiles)


def z(scores: Floats, factors: Factors) -> Floats:
    """Standard deviations above the topic's mean. Source: Webber et al. (SIGIR 2008), equation 1."""
    return (scores - factors.mean) / factors.sd


def normal(scores: Floats, factors: Factors) -> Floats:
    """Normal distribution function of z, in (0, 1). Source: Webber et al. (SIGIR 2008), equation 2."""
    return np.asarray(ndtr(z(scores, factors)))


def uniform(scores: Floats, factors: Factors) -> Floats:
    """0.15 z + 0.5, cut to [0, 1]: std-AB. Source: Sakai (ICTIR 2016)."""
    return np.clip(0.15 * z(scores, factors) + 0.5, 0.0, 1.0)


def empirical(scores: Floats, factors: Factors) -> Floats:
    """Share of the standardizing scores not above the score. Source: Urbano, Lima and Hanjalic (SIGIR 2019).

    Scores that differ by rounding only are equal.
    """
    scores = settled(np.broadcast_to(scores, (len(scores), *factors.mean.shape)))
    standardizing = settled(factors.quantiles)
    not_above = np.empty(scores.shape)
    for topic in np.ndindex(factors.mean.shape):
        cells = (slice(None), *topic)
        not_above[cells] = np.searchsorted(
            standardizing[topic], scores[cells], side="right"
        )
    shares = not_above / factors.n
    # NaN sorts last: its share would be 1
    return np.where(np.isnan(scores), np.nan, shares)


def maximum(scores: Floats, factors: Factors) -> Floats:
    """Divide by the topic's best standardizing score. Source: Zobel (SIGIR 1998)."""
    return scores / factors.best


def center(scores: Floats, factors: Factors) -> Floats:
    """Subtract the topic's mean. Source: Mizzaro and Robertson (SIGIR 2007)."""
    return scores - factors.mean


def flat(factors: Factors) -> Bools:
    """Say on which topics all standardizing systems score alike, but for rounding: there a score has no scale."""
    ends = np.stack([factors.quantiles[..., 0], factors.best], axis=-1)
    return np.asarray(np.ptp(ends, axis=-1) <= 1e-12 * np.abs(ends).max(axis=-1))


def best_is_zero(factors: Factors) -> Bools:
    """Say on which topics the best standardizing score is 0: nothing can be divided by it."""
    return factors.best <= 0


def nowhere(factors: Factors) -> Bools:
    """Say that no topic is undefined: a mean can always be subtracted."""
    return np.zeros(factors.mean.shape, dtype=np.bool_)


class Standardizer(NamedTuple):
    """One way to standardize; all that depends on which one it is stands here.

    formula : standardized scores from scores of shape (system, *topic) and the topics' factors.
    middle : what every system gets on a topic where the formula is undefined.
    needs : the standardizing scores that the formula reads: "ends", the lowest and the highest beside mean and sd, or
    "all". Random parts of the standardizing systems are standardized by faster where the ends do.
    undefined : the topics on which the formula means nothing.
    """

    formula: Callable[[Floats, Factors], Floats]
    middle: float = 0.5
    needs: Literal["ends", "all"] = "all"
    undefined: Callable[[Factors], Bools] = flat

    def __call__(
        self, scores: Floats, factors: Factors, *, flat: Literal["half", "raw"] = "half"
    ) -> Floats:
        """Standardize scores of shape (system, *topic); missing ones (NaN) stay missing.

        flat : what scores become on topics where the formula is undefined: "half", the middle of the scale, or "raw",
        what they were.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            standardized = self.formula(scores, factors)
        undefined = self.undefined(factors)
        if not undefined.any():
            return standardized
        middle = np.where(np.isnan(scores), np.nan, self.middle)
        return np.where(undefined, scores if flat == "raw" else middle, standardized)


KINDS: Mapping[str, Standardizer] = {
    "z": Standardizer(z, middle=0.0, needs="ends"),
    "normal": Standardizer(normal, needs="ends"),
    "uniform": Standardizer(uniform, needs="ends"),
    "empirical": Standardizer(empirical),
    "max": Standardizer(maximum, needs="ends", undefined=best_is_zero),
    "center": Standardizer(center, needs="ends", undefined=nowhere),
}
"""Every standardizer by its name."""


def standardize(
    scores: Floats,
    factors: Factors,
    kind: Kind,
    *,
    flat: Literal["half", "raw"] = "half",
) -> Floats:
    """Standardize scores of shape (system, *topic) by the standardizer of this name; see `Standardizer`."""
    return KINDS[kind](scores, factors, flat=flat)
