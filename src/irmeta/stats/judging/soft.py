"""Soft pairwise accuracy: how alike the truth and a judge are in how sure they are of each pair of systems.

For each pair of systems 1 - |p - q|, p and q the one-sided p of a paired permutation test under the truth and under the
judge, averaged over pairs. Source: Thompson, Mathur, Deutsch and Khayrallah (WMT 2024).
"""

import numpy as np
from scipy.special import ndtr

from irmeta.parallel import streams
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.judging.rankings import BLOCK, HALVES, Taus, means_on_halves
from irmeta.stats.rankings.rank import BLOCK as CELLS
from irmeta.stats.rankings.rank import over
from irmeta.stats.reliability.expected import spread

PERMUTATIONS = 1000
"""Random signs of the topics, the same for all pairs and sets."""
SEED = 0
"""Of the signs: what else is drawn of a study stays as it is."""
EQUAL = 1e-12
"""A smaller error is that of two systems that differ by the same on every topic."""


def p_values(scores: Floats, signs: Floats) -> Floats:
    """Return the one-sided p of each pair of systems by the truth and by each judge: (set, system, system).

    scores : (set, system, topic); signs : (draw, topic), 1 or -1. p is the share of draws by whose signs the row is
    further ahead of the column than it is; where it is as far, a draw counts half, so that p and that of the reverse
    add up to 1.

    >>> scores = np.array([[[0.3, 0.5], [0.1, 0.2]]])
    >>> p_values(scores, np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]))[0].tolist()
    [[0.5, 0.125], [0.875, 0.5]]
    """
    # sum s (a - b) > sum (a - b) where sum (s - 1) a > sum (s - 1) b: (set, draw, system)
    moved = settled(np.einsum("dt,ist->ids", signs - 1.0, scores, optimize=True))
    systems = scores.shape[1]
    step = max(1, CELLS // systems**2)
    ahead = np.zeros((len(scores), systems, systems))
    for start in range(0, len(signs), step):
        part = moved[:, start : start + step]
        leads = part[..., :, None] - part[..., None, :]
        ahead += np.sign(leads).sum(axis=1)
    mean = ahead / len(signs)  # from -1, never ahead, to 1
    return np.asarray((1 + mean) / 2)


def soft_accuracy(
    scores: Floats, rng: np.random.Generator, team: Ints, draws: int = HALVES
) -> Taus:
    """Return soft pairwise accuracy of each judge, and what intervals need, on the scale of tau: 2 of it less 1.

    scores : (set, system, topic), the truth first.  team : of each system, numbered from 0.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    topics = scores.shape[-1]
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(PERMUTATIONS, topics))
    p = p_values(centred, signs)
    each = 1 - 2 * np.abs(p[1:] - p[0])
    upper = np.triu_indices(scores.shape[1], 1)
    value = each[:, *upper].mean(axis=-1)
    kernel = each - value[:, None, None]
    diagonal = np.arange(scores.shape[1])
    kernel[:, diagonal, diagonal] = 0.0
    pair_spread = _pair_spread(value, kernel[:, *upper])
    # the standard error of each pair's difference: (set, pair)
    error = np.stack([spread(one)[upper] for one in centred]) / np.sqrt(topics)
    found = []
    for stream, count in streams(rng, draws, BLOCK):
        both = means_on_halves(centred, team, stream, count)
        found.append([_soft_accuracy_on_halves(means, error) for means in both])
    together, separate = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Taus(value, kernel, pair_spread, together, separate, topics, team)


def _pair_spread(value: Floats, kernel: Floats) -> Floats:
    """Return the variance of what pairs add, kernel (judge, pair), as a share of 1 - value^2: (judge,).

    Pairs add any figure from -1 to 1, which varies less than 1 and -1 do. One pair more counts as these, so that few
    pairs do not look certain.
    """
    variance = np.square(kernel).mean(axis=-1)
    pairs = kernel.shape[-1]
    share = np.nan_to_num(over(variance, 1 - value**2))
    return (pairs * share + 1) / (pairs + 1)


def _soft_accuracy_on_halves(means: Floats, error: Floats) -> Floats:
    """Return the figure on halves (half, judge): means (half, set, system), normal p with errors (set, pair)."""
    return np.stack([_soft_accuracy_on_half(half, error) for half in means])


def _soft_accuracy_on_half(means: Floats, error: Floats) -> Floats:
    """Return the figure of one half's means (set, system): (judge,)."""
    upper = np.triu_indices(means.shape[-1], 1)
    apart = means[:, upper[0]] - means[:, upper[1]]
    p = ndtr(apart / np.maximum(error, EQUAL))
    return np.asarray(1 - 2 * np.abs(p[1:] - p[0]).mean(axis=-1))
