"""Agreement where it matters most: gaps, the best systems, and how far systems move."""

import numpy as np

from irmeta.stats.arrays import Floats
from irmeta.stats.descriptive import ranks
from irmeta.stats.rankings.rank import over, tau_b


def tau_gap(truth: Floats, judges: Floats) -> Floats:
    """Return tau_GAP of each judge's ranking with the truth: (system,) and (judge, system) to (judge,), in [-1, 1].

    Down the judge's ranking, each system is compared with those above it; a pair counts by how far apart the truth has
    the two. 2 mean_i (sum of the gaps ranked rightly above i / sum of all gaps above i) - 1, over systems that some
    other stands above by a gap. Source: Gao and Oard (SIGIR 2015), as autojudge-evaluate has it.

    >>> tau_gap(np.array([0.9, 0.5, 0.4]), np.array([[3.0, 1, 2]])).round(12).tolist()
    [0.8]
    """
    gap = truth[None, :] - truth[:, None]  # (i, j): how far j is above i by the truth
    above = judges[:, None, :] > judges[:, :, None]  # (judge, i, j): j above i
    right = np.where(above, np.maximum(gap, 0), 0).sum(axis=-1)
    every = np.where(above, np.abs(gap), 0).sum(axis=-1)
    share = over(right, every)  # (judge, i); NaN where no gap stands above i
    # the mean over the systems that count
    counted = ~np.isnan(share)
    total = np.where(counted, share, 0).sum(axis=-1)
    number = counted.sum(axis=-1).astype(np.float64)
    return np.asarray(2 * over(total, number) - 1)


def tau_among_best(truth: Floats, judges: Floats, best: int) -> Floats:
    """Return tau-b among the systems that are best by the truth: (system,) and (judge, system) to (judge,).

    Ties at the last place stay with the earlier system.

    >>> tau_among_best(np.array([0.1, 0.9, 0.8, 0.7]), np.array([[4.0, 3, 2, 1]]), 3).tolist()
    [1.0]
    """
    kept = np.argsort(-truth, kind="stable")[:best]
    return np.asarray(tau_b(truth[kept], judges[:, kept]))


def moves(truth: Floats, judges: Floats) -> Floats:
    """Say how many ranks each judge moves each system: (system,) and (judge, system) to whole numbers (judge, system).

    Above 0 the judge ranks the system higher than the truth does.

    >>> moves(np.array([0.9, 0.5, 0.1]), np.array([[0.1, 0.9, 0.5]])).tolist()
    [[-2, 1, 1]]
    """
    return np.asarray(ranks(truth) - ranks(judges))
