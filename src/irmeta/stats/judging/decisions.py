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
    claims = np.stack([_better_systems(one, alpha, correct) for one in scores])
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


def decisions_on_as_many_topics(
    truth: Floats,
    judge: Floats,
    alpha: float,
    correct: Callable[[Floats], Floats],
    rng: np.random.Generator,
) -> Floats:
    """Count as `decisions` does where each has topics of its own, on as many topics of each: (decision,).

    More topics find more differences, whoever judges. The set with more is split at random into parts of as many as the
    other has; counts are means over the parts, rounded, and `NEITHER` holds the pairs that are left.
    """
    fewest = min(truth.shape[1], judge.shape[1])
    every = [
        decisions([one, other], alpha, correct)[0]
        for one in _random_parts(truth, fewest, rng)
        for other in _random_parts(judge, fewest, rng)
    ]
    counts = np.rint(np.mean(every, axis=0)).astype(np.int64)
    counts[Decision.NEITHER] += every[0].sum() - counts.sum()
    return counts


def _random_parts(scores: Floats, size: int, rng: np.random.Generator) -> list[Floats]:
    """Split topics at random into parts of one size; what is left over is in none."""
    topics = scores.shape[1]
    if topics == size:
        return [scores]
    order = rng.permutation(topics)
    starts = range(0, topics - size + 1, size)
    return [np.ascontiguousarray(scores[:, order[at : at + size]]) for at in starts]


def _better_systems(
    scores: Floats, alpha: float, correct: Callable[[Floats], Floats]
) -> Floats:
    """Say of each pair which system is significantly better: 1, -1, or 0 for neither."""
    p, mean = paired.over_pairs(_p_and_mean, scores)
    return np.where(correct(p) < alpha, np.sign(mean), 0)


def _p_and_mean(differences: Floats) -> Floats:
    """Return p of the t test of differences (pair, topic), and their means: (2, pair)."""
    return np.stack([paired.t(differences), differences.mean(axis=1)])
