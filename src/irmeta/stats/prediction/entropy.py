"""The ranking that a few scores leave most open: at each rank the probability that its document is relevant.

Source: Aslam, Yilmaz and Pavlu, "The maximum entropy method for analyzing retrieval measures", SIGIR 2005. Relevance at
the ranks is taken as independent. Of all such rankings with the given scores, that of greatest entropy says least else.
"""

import numpy as np

from irmeta.stats.arrays import Floats

ROUNDS, STEPS = 100, 6
"""Times that the constraint is made linear again, and Newton steps each time; errors are below 1e-7 after that."""
FARTHEST = 30.0
"""The largest log odds of a rank."""


def likeliest(hits: Floats, precisions: Floats, depth: int) -> Floats:
    """Return the probability of relevance at each of the first ranks, of greatest entropy: (ranking, rank).

    hits : the number of relevant documents among the first `depth`, (ranking,), from 0 to depth.
    precisions : the sum of the precisions at these documents, (ranking,): AP of these ranks, times all relevant ones.
    depth : the number of ranks.

    >>> p = likeliest(np.array([2.0]), np.array([1.8]), 4)
    >>> p.sum().round(6).item(), sum_of_precisions(p).round(6).item(), (np.diff(p[0]) < 0).tolist()
    (2.0, 1.8, [True, True, True])
    """
    ranks = np.arange(1, depth + 1)
    top = (ranks <= hits[:, None]).astype(np.float64)  # all relevant documents first
    bottom = top[:, ::-1]  # and all of them last
    p = top.copy()
    # the lowest and the highest sum of precisions leave one ranking only, which is certain
    at_end = precisions <= sum_of_precisions(bottom) + 1e-9
    p[at_end] = bottom[at_end]
    at_top = precisions >= sum_of_precisions(top) - 1e-9
    p[at_top] = top[at_top]
    inside = ~(at_end | at_top)
    if inside.any():
        # rankings with the same two scores are solved once
        scores = np.column_stack([hits, precisions])[inside]
        several, which = np.unique(scores.round(12), axis=0, return_inverse=True)
        solved = _maximize_entropy(several[:, 0], several[:, 1], depth)
        p[inside] = solved[which.ravel()]
    return p


def extended(p: Floats, relevant: Floats, length: int) -> Floats:
    """Return rankings of `length` ranks, over whose further ones the relevant documents not yet found spread evenly.

    p : as `likeliest` returns it.  relevant : all relevant documents, (ranking,).  Nothing is known beyond the first
    ranks but how many are left, so that greatest entropy makes these ranks alike.
    """
    seen = p.shape[1]
    left = np.maximum(relevant - p.sum(axis=1), 0)
    even = np.minimum(left / max(length - seen, 1), 1)
    return np.concatenate([p, np.repeat(even[:, None], length - seen, axis=1)], axis=1)


def sum_of_precisions(p: Floats) -> Floats:
    """Return the expected sum of the precisions at relevant documents: sum_i p_i (1 + sum_j<i p_j) / i."""
    before = p.cumsum(axis=1) - p
    return np.asarray((p * (1 + before) / _ranks(p)).sum(axis=1))


def precision(p: Floats, cutoff: int) -> Floats:
    """Return the expected P@cutoff of each ranking."""
    return np.asarray(p[:, :cutoff].sum(axis=1) / cutoff)


def recall(p: Floats, relevant: Floats) -> Floats:
    """Return the expected share of all relevant documents, 0 without any."""
    return np.asarray(p.sum(axis=1) / np.maximum(relevant, 1))


def average_precision(p: Floats, relevant: Floats) -> Floats:
    """Return the expected sum of precisions over all relevant documents, 0 without any."""
    return np.asarray(sum_of_precisions(p) / np.maximum(relevant, 1))


def ndcg(p: Floats, relevant: Floats) -> Floats:
    """Return the expected nDCG of equal grades: sum_i p_i / log2(i + 1), over that of the best ranking."""
    discounts = 1 / np.log2(_ranks(p) + 1)
    best = np.append(0, discounts.cumsum())
    ideal = best[np.minimum(relevant, p.shape[1]).astype(np.intp)]
    return np.asarray((p * discounts).sum(axis=1) / np.where(ideal > 0, ideal, 1))


def rank_biased_precision(p: Floats, persistence: float) -> Floats:
    """Return the expected rank-biased precision of equal grades: (1 - q) sum_i q^(i - 1) p_i."""
    weights = (1 - persistence) * persistence ** (_ranks(p) - 1)
    return np.asarray(p @ weights)


def _maximize_entropy(hits: Floats, precisions: Floats, depth: int) -> Floats:
    """Solve log p_i / (1 - p_i) = a g_i + b, where g is the gradient of the sum of precisions, for both scores.

    The sum is quadratic in p, so it is made linear about the last p, solved by Newton's method, and made linear again.
    """
    # start with the same probability at all ranks: a = 0, b its log odds
    p = np.repeat((hits / depth)[:, None], depth, axis=1)
    a = np.zeros(len(hits))
    b = np.log(hits / (depth - hits))
    for _ in range(ROUNDS):
        # about p the sum of precisions is S(p) + g'(x - p): what g'x must be
        gradient = _gradient(p)
        wanted = precisions - sum_of_precisions(p) + (gradient * p).sum(axis=1)
        for _ in range(STEPS):
            a, b = _newton_step(a, b, gradient, hits, wanted)
        # half the way: the whole one overshoots
        p = (p + _probabilities(a, b, gradient)) / 2
    return p


def _gradient(p: Floats) -> Floats:
    """Return what a relevant document at each rank adds: (1 + sum_j<i p_j) / i + sum_j>i p_j / j."""
    before = p.cumsum(axis=1) - p
    shares = p / _ranks(p)
    after = shares.sum(axis=1, keepdims=True) - shares.cumsum(axis=1)
    return np.asarray((1 + before) / _ranks(p) + after)


def _newton_step(
    a: Floats, b: Floats, gradient: Floats, hits: Floats, wanted: Floats
) -> tuple[Floats, Floats]:
    """Take one Newton step towards sum p = hits and sum g p = wanted, about the weighted mean of g."""
    p = _probabilities(a, b, gradient)
    weight = p * (1 - p) + 1e-9  # how fast p changes with its log odds; never 0
    total = weight.sum(axis=1)
    mean = (weight * gradient).sum(axis=1) / total
    away = gradient - mean[:, None]
    variance = (weight * away**2).sum(axis=1)
    # what the two sums fall short by; about the mean of g each step moves one of them only
    short = hits - p.sum(axis=1)
    tilt = wanted - (gradient * p).sum(axis=1) - mean * short
    # steps are cut, lest a rank become certain by one of them
    by = np.clip(tilt / variance, -5, 5)
    up = np.clip(short / total, -3, 3)
    return a + by, b + up - by * mean


def _probabilities(a: Floats, b: Floats, gradient: Floats) -> Floats:
    """Return p with log odds a g + b: a and b (ranking,), the gradient g and p (ranking, rank)."""
    exponent = np.clip(a[:, None] * gradient + b[:, None], -FARTHEST, FARTHEST)
    return np.asarray(1 / (1 + np.exp(-exponent)))


def _ranks(p: Floats) -> Floats:
    """Number the ranks of p (ranking, rank) from 1."""
    return np.arange(1, p.shape[1] + 1, dtype=np.float64)
