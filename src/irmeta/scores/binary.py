"""What a test can see of two systems whose scores are 0 or 1."""

import numpy as np

from irmeta.scores.figures import short
from irmeta.stats.tests.flips import needed, smallest_seen


def seen(differ: int, topics: int, alpha: float, power: float = 0.8) -> str:
    """End a sentence on how many topics two systems differ on: how many must go one way, and what is found at all.

    >>> seen(12, 51, 0.05)
    "12 of 51 topics: 10 of them must go one way (McNemar's exact test at 5%); with 51 topics the smallest \
difference found in 80% of samples is .20."
    """
    least = int(needed(np.array([differ]), alpha)[0])
    if least > differ:
        takes = f"too few for a test at {alpha:.0%}"
    else:
        takes = f"{least} of them must go one way (McNemar's exact test at {alpha:.0%})"
    smallest = smallest_seen(differ / topics, topics, alpha, power)
    found = f"no difference is found in {power:.0%} of samples"
    if np.isfinite(smallest):
        found = f"the smallest difference found in {power:.0%} of samples is {short(smallest, 2)}"
    return f"{differ} of {topics} topics: {takes}; with {topics} topics {found}."
