"""What irmeta prints: the ends (2, quantity) of the 95% intervals of both means, or of the one difference."""

import numpy as np

from bench.peers.worlds import Drawn
from irmeta.stats import descriptive
from irmeta.stats.halves.clusters import pseudo_values
from irmeta.stats.judging.sampling import (
    Estimates,
    Sample,
    estimate_differences,
    estimate_means,
)
from irmeta.stats.tests import paired
from irmeta.stats.tests.compared import Given
from irmeta.stats.tests.comparing import Way, compare

Ends = np.ndarray


def mean(drawn: Drawn) -> Ends:
    """Return the intervals of `irmeta.intervals` and `describe`."""
    binary = drawn.cluster is None and bool(np.isin(drawn.scores, (0, 1)).all())
    return np.stack(descriptive.bounded_interval(_values(drawn), binary=binary))


def difference(drawn: Drawn) -> Ends:
    """Return the interval of `versus` and `significance`; one of no width where there is no difference to see."""
    a, b = _values(drawn)
    found = Given(paired.less(a, b[None]))
    binary = drawn.cluster is None and bool(np.isin(drawn.scores, (0, 1)).all())
    way = Way("t", "none", 0.05, None, 100)
    ends = compare(found, way, np.random.default_rng(0), binary=binary)
    middle = ends["difference"]
    return np.stack(
        [np.where(np.isnan(ends[name]), middle, ends[name]) for name in ("low", "high")]
    )


def _values(drawn: Drawn) -> np.ndarray:
    if drawn.cluster is None:
        return drawn.scores
    return pseudo_values(drawn.scores, drawn.cluster)


def estimated_mean(drawn: Drawn) -> Ends:
    """Return the intervals of `judges estimate`."""
    sample = _sample(drawn)
    return _interval(estimate_means(sample), sample)


def estimated_difference(drawn: Drawn) -> Ends:
    """Return the interval of the difference by `judges estimate`."""
    sample = _sample(drawn)
    return _interval(estimate_differences(sample), sample)[:, 0, 1:]


def _interval(found: Estimates, sample: Sample) -> Ends:
    return np.stack(found.interval(sample.freedom(new_topics=True)))


def _sample(drawn: Drawn) -> Sample:
    assert drawn.machine is not None
    assert drawn.of is not None
    weight = np.ones(len(drawn.of))
    return Sample(drawn.scores, drawn.machine, drawn.of, weight, cluster=drawn.cluster)
