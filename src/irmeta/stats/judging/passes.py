"""Several passes of one judge: how much of its disagreement with the truth is with itself."""

import numpy as np

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.judging.labels import Estimate, over_topics


def own_share(given: Floats, truth: Floats) -> float:
    """Return the share of a judge's squared differences from the truth that its passes have among themselves.

    given : (pass, ...), what each pass gives, 2 passes or more.  truth : (...).
    A pass differs from the truth by what the judge gives on average, and by what the pass adds. The second has the
    variance between passes, mean s², so that the share is mean s² / mean (given - truth)². NaN where all agree.

    >>> round(own_share(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([0.0, 0.0])), 3)
    0.333
    """
    own, every = _squared_differences(given, truth)
    return float(_capped_share(np.stack([own.sum(), every.sum()])[None]))


def own_share_over_topics(given: Floats, truth: Floats, topic: Ints) -> Estimate:
    """Return the same of labels (pass, pair) with its jackknife interval over topics.

    truth : (pair,).  topic : (pair,), the number of each pair's topic.
    """
    own, every = (
        np.bincount(topic, weights=part) for part in _squared_differences(given, truth)
    )
    table = np.stack([own, every], axis=-1)[:, None].astype(np.float64)
    found = over_topics(_capped_share, table)
    return Estimate(found.value, max(found.low, 0.0), min(found.high, 1.0))


def _squared_differences(given: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return the variance between passes, and the mean squared difference from the truth, of each label: (...) both."""
    return given.var(axis=0, ddof=1), ((given - truth) ** 2).mean(axis=0)


def _capped_share(table: Floats) -> Floats:
    """Divide the passes' own variance by the squared difference, at most 1: tables (..., 1, 2) of both to (...)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.minimum(table[..., 0, 0] / table[..., 0, 1], 1.0)
    return found
