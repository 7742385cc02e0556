"""Replication: what becomes of significant differences on other topics."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.tests import multiplicity, paired

_ROUNDING = 1e-14
"""Means that lie no further apart, in units of the largest score, at least of 1, are equal."""
_CLOSE = 1e-8
"""Squares of differences below this share of the scores' own have lost half of their digits."""
_SAME = 1e-10
"""Differences that vary by no more than this share of the largest score may be rounding alone."""


class Replication(NamedTuple):
    """Shares of the significant differences on some topics, by what other topics show; NaN where there are none.

    found : their number, in a partition.  again : significant again, with the same sign.  opposite : with the other
    sign (a sign error, or type S).  major : significant with the other sign.  shrunk : the mean difference on the other
    topics, in the direction found, over that found: its inverse is the magnitude error (type M).
    """

    found: float
    again: float
    opposite: float
    major: float
    shrunk: float


def replication(
    scores: Floats, drawn: Bools, *, alpha: float = 0.05, correct: str = "holm"
) -> Replication:
    """Test all pairs of systems by t on one half of the topics, and look at the significant ones on the other half.

    scores : (system, topic).  drawn : (partition, 2, topic), two disjoint sets of topics each; both ways round count.
    alpha, correct : of the tests, on either half. Sources: Urbano, Marrero and Martín (SIGIR 2013), on outcomes of a
    second experiment; Gelman and Carlin (Perspectives on Psychological Science 2014) on errors of sign and magnitude.

    >>> scores = np.array([[0.5] * 8, [0.1, 0.2] * 4])
    >>> drawn = np.array([[[True] * 4 + [False] * 4, [False] * 4 + [True] * 4]])
    >>> replication(scores, drawn)
    Replication(found=1.0, again=1.0, opposite=0.0, major=0.0, shrunk=1.0)
    """
    pairs = np.triu_indices(len(scores), 1)
    counts = np.zeros(4)
    here_total = there_total = 0.0
    for halves in drawn:
        tested = [
            _significant(scores[:, half], pairs, alpha, correct) for half in halves
        ]
        for (mean, sure), (mean_there, sure_there) in (tested, tested[::-1]):
            direction = np.sign(mean)[sure]
            there = mean_there[sure] * direction  # above 0: the same sign
            also_sure = sure_there[sure]
            counts += [
                sure.sum(),
                (also_sure & (there > 0)).sum(),
                (there < 0).sum(),
                (also_sure & (there < 0)).sum(),
            ]
            here_total += float((mean[sure] * direction).sum())
            there_total += float(there.sum())
    if not counts[0]:
        return Replication(0.0, np.nan, np.nan, np.nan, np.nan)
    found = float(counts[0] / (2 * len(drawn)))
    again, opposite, major = (counts[1:] / counts[0]).tolist()
    return Replication(found, again, opposite, major, there_total / here_total)


def _significant(
    scores: Floats, pairs: tuple[Ints, Ints], alpha: float, correct: str
) -> tuple[Floats, Bools]:
    """Return the mean difference of each pair, and whether it is significant: both (pair,)."""
    mean, p = _means_and_p(scores, pairs, alpha)
    return mean, multiplicity.CORRECTIONS[correct](p) < alpha


def _means_and_p(
    scores: Floats, pairs: tuple[Ints, Ints], alpha: float
) -> tuple[Floats, Floats]:
    """Return the mean difference of each pair and p of the paired t test, from one product of all scores.

    p above alpha is given as 1, which changes no decision, whatever the correction for several tests.

    The squares of a pair's differences are those of the two systems less twice their product. Where little is left of
    these, rounding would be much of it, and the differences themselves are taken.
    """
    topics = scores.shape[1]
    first, second = pairs
    means = scores.mean(axis=1)
    centred = scores - means[:, None]
    products = centred @ centred.T
    own = np.diagonal(products)
    apart = own[first] + own[second]
    squares = apart - 2 * products[first, second]
    mean = means[first] - means[second]
    largest = max(1.0, float(np.abs(scores).max()))
    mean[np.abs(mean) <= _ROUNDING * largest] = 0.0
    # also where neither system's scores vary
    close = squares <= _CLOSE * apart + topics * (_SAME * largest) ** 2
    squares[close] = np.inf
    size = np.abs(mean) / np.sqrt(squares / (topics - 1) / topics)
    p = np.ones(len(size))
    # 1e-9: p of an open case is computed
    open_ = size > -stdtrit(topics - 1, alpha / 2) * (1 - 1e-9)
    p[open_] = 2 * stdtr(topics - 1, -size[open_])
    p[close] = paired.t(paired.less(scores[first[close]], scores[second[close]]))
    return mean, p
