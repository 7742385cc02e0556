"""How near predicted scores come to actual ones: order, R2, its offset apart, RMSE."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.rank import tau_b


class Accuracy(NamedTuple):
    """Measures of a prediction on one collection, each of shape (...); NaN where the actual scores are constant.

    The mean error of a collection is its offset: predictions can order systems well and still all be too high.
    """

    tau: Floats  # Kendall's tau-b
    r2: Floats  # 1 - SSE / SST; below 0 where the mean of the actual scores would have done better
    r: Floats  # Pearson's correlation
    rmse: Floats
    r2_offset_removed: Floats  # R2 once the mean error is subtracted
    r2_training_mean: Floats  # R2 against predicting the training systems' mean instead of this collection's own
    bias_share: Floats  # the share of the squared error that is the squared mean error; NaN where there is no error


def by_chance(level: float, systems: int) -> float:
    """Return the least share of systems in intervals of this level that chance explains: two standard errors below.

    Systems are taken as independent.

    >>> round(by_chance(0.9, 100), 2)
    0.84
    """
    return float(level - 2 * np.sqrt(level * (1 - level) / systems))


def accuracy(
    actual: npt.ArrayLike, predicted: npt.ArrayLike, *, training_mean: float = np.nan
) -> Accuracy:
    """Compare actual scores of shape (system,) with predicted ones of shape (..., system).

    training_mean : the mean score of the systems that were fitted; without it r2_training_mean is NaN.

    >>> found = accuracy([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    >>> [round(float(value), 6) for value in (found.r2, found.r2_offset_removed, found.bias_share)]
    [-0.5, 1.0, 1.0]
    """
    y = np.asarray(actual, dtype=np.float64)
    p = np.asarray(predicted, dtype=np.float64)
    # mean squared error = squared mean error (the offset) + variance of the errors
    errors = y - p
    squared = (errors**2).mean(axis=-1)
    offset = errors.mean(axis=-1) ** 2
    centred = p - p.mean(axis=-1, keepdims=True)
    covariance = ((y - y.mean()) * centred).mean(axis=-1)
    about_training = ((y - training_mean) ** 2).mean()
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(np.ptp(y) > 0, y.var(), np.nan)
        return Accuracy(
            tau=np.asarray(tau_b(settled(p), settled(y))),
            r2=1 - squared / spread,
            r=covariance / np.sqrt(spread * p.var(axis=-1)),
            rmse=np.sqrt(squared),
            r2_offset_removed=1 - (squared - offset) / spread,
            r2_training_mean=1 - squared / about_training,
            bias_share=offset / squared,
        )
