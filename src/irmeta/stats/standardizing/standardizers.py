"""Per-topic transformations of scores that make topics alike: each a formula on the topic's factors."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from irmeta.choices import Kind

Floats = npt.NDArray[np.float64]


class Factors(NamedTuple):
    """What is known of each topic from its standardizing systems; mean and sd have the shape (*topic)."""

    mean: Floats
    sd: Floats
    quantiles: Floats  # (*topic, n): the n standardizing scores in rising order

    @property
    def best(self) -> Floats:
        """The best standardizing score of each topic."""
        return self.quantiles[..., -1]

    @property
    def flat(self) -> npt.NDArray[np.bool_]:
        """Whether all standardizing systems score alike on the topic, but for rounding."""
        ends = self.quantiles[..., [0, -1]]
        return np.asarray(np.ptp(ends, axis=-1) <= 1e-12 * np.abs(ends).max(axis=-1))


def fit(scores: Floats) -> Factors:
    """Give the factors of each topic from scores of shape (system, *topic); sd has the divisor n - 1.

    Everything is computed from the sorted scores, so that the order of the systems changes no bit of it.

    >>> fit(np.array([[0.1], [0.5], [0.3]])).mean.round(12), fit(np.array([[0.1], [0.5], [0.3]])).sd.round(12)
    (array([0.3]), array([0.2]))
    """
    quantiles = np.ascontiguousarray(np.moveaxis(np.sort(scores, axis=0), 0, -1))
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
    """Share of the standardizing scores not above the score. Source: Urbano, Lima and Hanjalic (SIGIR 2019)."""
    scores = np.broadcast_to(scores, (len(scores), *factors.mean.shape))
    below = np.empty(scores.shape)
    for topic in np.ndindex(factors.mean.shape):
        at = (slice(None), *topic)
        below[at] = np.searchsorted(factors.quantiles[topic], scores[at], side="right")
    return np.where(np.isnan(scores), np.nan, below / factors.quantiles.shape[-1])


def maximum(scores: Floats, factors: Factors) -> Floats:
    """Divide by the topic's best standardizing score. Source: Zobel (SIGIR 1998)."""
    return scores / factors.best


def center(scores: Floats, factors: Factors) -> Floats:
    """Subtract the topic's mean. Source: Mizzaro and Robertson (SIGIR 2007)."""
    return scores - factors.mean


KINDS: Mapping[str, Callable[[Floats, Factors], Floats]] = MappingProxyType(
    {"z": z, "normal": normal, "uniform": uniform, "empirical": empirical, "max": maximum, "center": center}
)
"""Every standardizer by its name; scores have the shape (system, *topic)."""


def undefined(factors: Factors, kind: Kind) -> npt.NDArray[np.bool_]:
    """Say on which topics a kind has no meaning: flat ones; for max, those whose best score is 0; for center, none."""
    if kind == "center":
        return np.zeros(factors.mean.shape, dtype=np.bool_)
    return factors.best <= 0 if kind == "max" else factors.flat


def standardize(scores: Floats, factors: Factors, kind: Kind, *, flat: Literal["half", "raw"] = "half") -> Floats:
    """Standardize scores of shape (system, *topic); missing ones (NaN) stay missing.

    flat : what scores become on topics where `kind` is undefined: "half", the middle of its scale (0 for z, else 0.5),
    or "raw", what they were.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        standardized = KINDS[kind](scores, factors)
    without = undefined(factors, kind)
    if not without.any():
        return standardized
    instead = scores if flat == "raw" else np.where(np.isnan(scores), np.nan, 0.0 if kind == "z" else 0.5)
    return np.where(without, instead, standardized)
