"""Whether two judgment sets draw the same conclusions from pairs of systems."""

from collections.abc import Callable, Sequence
from enum import IntEnum

import numpy as np

from irmeta.stats.arrays import Floats
from irmeta.stats.tests import paired


class Decision(IntEnum):
    """What becomes of a pair of systems: significant by both, the truth, the judge, both in opposite ways, neither."""

    AGREE = 0
    MISSED = 1
    INVENTED = 2
    REVERSED = 3
    NEITHER = 4


def decisions(
    scores: Sequence[Floats], alpha: float, correct: Callable[[Floats], Floats]
) -> Floats:
    """Count pairs of systems by what becomes of them under each judge: (judge, decision).

    scores : (system, topic) of each set, the truth's first; sets need not have the same topics.
    A pair is significant if p of the paired t test, corrected for all pairs, is below alpha. Source: Otero, Parapar
    and Ferro (CIKM 2023).
    """
    claims = np.stack([_claims(one, alpha, correct) for one in scores])
    truth = claims[0]
    judges = claims[1:]
    both = (truth != 0) & (judges != 0)
    counted = {
        Decision.AGREE: both & (truth == judges),
        Decision.MISSED: (truth != 0) & (judges == 0),
        Decision.INVENTED: (truth == 0) & (judges != 0),
        Decision.REVERSED: both & (truth != judges),
        Decision.NEITHER: (truth == 0) & (judges == 0),
    }
    return np.stack([counted[which].sum(axis=-1) for which in Decision], axis=-1)


def _claims(
    scores: Floats, alpha: float, correct: Callable[[Floats], Floats]
) -> Floats:
    """Say of each pair which system is significantly better: 1, -1, or 0 for neither."""
    p, mean = paired.over_pairs(_p_and_mean, scores)
    return np.where(correct(p) < alpha, np.sign(mean), 0)


def _p_and_mean(found: Floats) -> Floats:
    """Test differences (pair, topic), and average them: (2, pair)."""
    return np.stack([paired.t(found), found.mean(axis=1)])
