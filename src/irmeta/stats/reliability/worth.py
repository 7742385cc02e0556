"""What other numbers of topics are worth, where part of an error does not fall with their number, as runs' levels."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Floats


class Worth(NamedTuple):
    """What numbers of topics are worth in topics whose errors fall with their number, as 1 / n.

    topics : those there are, which are worth themselves.
    share : of the variance of their mean's error, how much falls with their number, as of each metric.
    """

    topics: int
    share: Floats

    @classmethod
    def by_variances(cls, topics: int, falls: Floats, whole: Floats) -> "Worth":
        """Return what topics are worth where of a variance over them, the whole, only a part falls with their number.

        >>> Worth.by_variances(50, np.array([0.02, 0.0]), np.array([0.04, 0.0])).share.tolist()
        [0.5, 1.0]
        """
        share = np.divide(falls, whole, out=np.ones_like(whole), where=whole > 0)
        return cls(topics, np.minimum(share, 1.0))

    def of(self, count: float) -> Floats:
        """Return what some topics are worth: n / (share + (1 - share) n / topics), below topics / (1 - share).

        >>> Worth(50, np.array([1.0, 0.5])).of(100).round(1).tolist()
        [100.0, 66.7]
        """
        return count / (self.share + (1 - self.share) * count / self.topics)

    def needed(self, worth: npt.ArrayLike) -> Floats:
        """Return how many topics are worth so much; infinite where no number is.

        >>> Worth(50, np.array([1.0, 0.5, 0.5])).needed([100, 200 / 3, 100]).round(1).tolist()
        [100.0, 100.0, inf]
        """
        worth = np.asarray(worth, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 1 - (1 - self.share) * worth / self.topics
            return np.where(left > 1e-12, self.share * worth / left, np.inf)


ALL_FALLS = Worth(1, np.array(1.0))
"""Errors over topics alone: each number of topics is worth itself."""
