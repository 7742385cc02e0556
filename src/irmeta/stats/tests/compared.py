"""What tests compare on the same topics: every two systems, or given differences; a test is written once for both."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from irmeta.stats.arrays import Floats
from irmeta.stats.tests import paired

BLOCK = 1 << 20
"""Numbers of one kind in a block of resamples, 8 MiB: some hundredths of a second of work."""


@dataclass(frozen=True)
class Pairs:
    """Every two systems i < j, from scores (system, topic); nothing is held of all pairs on all topics."""

    scores: Floats

    @property
    def topics(self) -> int:
        """The number of topics."""
        return self.scores.shape[1]

    @property
    def rounding(self) -> float:
        """By how much the same mean difference can differ."""
        return _rounding(self.scores)

    def over(self, quantity: Callable[[Floats], Floats]) -> Floats:
        """Compute a quantity of the differences of all pairs."""
        return paired.over_pairs(quantity, self.scores)

    def parts(self, width: int) -> Iterator[Floats]:
        """Yield the differences of some pairs at a time."""
        for start, stop in paired.blocks(len(self.scores), width):
            yield paired.differences(self.scores, start, stop)

    def means(self, signs: Floats) -> Iterator[Floats]:
        """Yield the mean differences of the pairs of one system i and those after it.

        sum over topics of sign * (a - b) = (signed sum of a) - (signed sum of b): the sums of systems are enough.
        """
        means = self.scores @ signs.T / self.topics  # (system, resample)
        for i in range(len(means) - 1):
            yield means[i + 1 :] - means[i]

    def at_once(self, test: str) -> int:
        """Return how many resamples are drawn at once: at least 500, so that matrix products pay."""
        systems, topics = self.scores.shape
        pairs = systems * (systems - 1) // 2
        fit = {
            "permutation": 4 * BLOCK // max(pairs, self.scores.size),
            "bootstrap": BLOCK // max(pairs, topics),
            "dunnett": BLOCK // max(systems, topics),
        }
        return max(500, fit[test])


@dataclass(frozen=True)
class Given:
    """Differences (comparison, topic), as of one system from others."""

    differences: Floats

    def __post_init__(self) -> None:
        # sums over the topics of one comparison are the same to the last bit, however many there are beside it
        contiguous = np.ascontiguousarray(self.differences)
        object.__setattr__(self, "differences", contiguous)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return self.differences.shape[1]

    @property
    def rounding(self) -> float:
        """By how much the same mean difference can differ."""
        return _rounding(self.differences)

    def over(self, quantity: Callable[[Floats], Floats]) -> Floats:
        """Compute a quantity of the differences."""
        return quantity(self.differences)

    def parts(self, width: int) -> Iterator[Floats]:  # noqa: ARG002
        """Yield all differences."""
        yield self.differences

    def means(self, signs: Floats) -> Iterator[Floats]:
        """Yield all mean differences."""
        yield (signs @ self.differences.T / self.topics).T

    def at_once(self, test: str) -> int:  # noqa: ARG002
        """Return how many resamples are drawn at once."""
        return int(np.clip(BLOCK // len(self.differences), 100, 10_000))


Compared = Pairs | Given
"""Comparisons, each with a difference on every topic."""


def _rounding(values: Floats) -> float:
    """Return how far means of equal values may be apart by rounding."""
    return 1e-12 * max(1.0, float(np.abs(values).max()))
