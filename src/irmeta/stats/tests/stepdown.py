"""One test of many differences at once: the largest of them under random signs and random directions, step by step.

The statistic of differences d on n topics is self-normalised, r = sum(d) / sqrt(sum(d^2)). It rises with Student's t:
t^2 = (n - 1) r^2 / (n - r^2). What r is where nothing differs is drawn with weights w of the topics, the same for all
differences, as sum(w d) / sqrt(sum(d^2)), by two laws:

- signs, each +1 or -1: exact where the differences of equal systems are as likely up as down, whatever their ties; of
  one difference by itself they are fixed, and of its topics in the order of their sizes, so that its p depends neither
  on a seed nor on the order of the topics;
- directions, w uniform on the sphere of radius sqrt(n): a single r has the law that t has for normal scores, so that
  for one difference by itself nothing is drawn.

p is the larger of the two: signs alone claim too much where systems have one mean and scores of other shapes (decision
150). Differences are claimed from the clearest on, and what is claimed leaves the family. The reverse of a claim stays
in it, so that the level is that of claims of a wrong sign, too.
Sources: Fisher (The Design of Experiments, 1935), section 21; Westfall and Young (1993); Langsrud (Statistics and
Computing 2005) for directions; Romano and Wolf (Econometrica 2005) for the steps.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irmeta.parallel import in_order
from irmeta.stats import arrays
from irmeta.stats.arrays import Floats, Indices, Singles
from irmeta.stats.tests.compared import Compared
from irmeta.stats.tests.paired import over_pairs, t

DRAWS = 1000
"""Draws by each law for all pairs of systems; the Monte-Carlo standard error of a p of .05 is then .007."""
FIXED = 10_000
"""Signs that are the same for every difference by itself, and draws by each law for those from one system: the
standard error of a p of .05 is .002."""
_BLOCK = 1 << 20
"""Statistics in a block of draws, about: some milliseconds of work."""
_CACHED = 1 << 17
"""Numbers of one kind, 1 MiB: a few such arrays stay near the processor."""


def laws(topics: int, draws: int, rng: np.random.Generator) -> tuple[Singles, Singles]:
    """Draw the weights of topics by each law: (draw, topic) of signs, and of directions.

    Where there are no more ways to set signs than draws, all are listed but the one that leaves the data as they are.

    >>> flips, directions = laws(4, 15, np.random.default_rng(0))
    >>> len(np.unique(flips, axis=0)), (directions**2).sum(axis=1)[:2].round(4).tolist()
    (15, [4.0, 4.0])
    """
    by_signs = signs(topics, draws, rng)
    normal = rng.normal(size=(draws, topics))
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    directions = normal * np.sqrt(topics) / length
    return by_signs, directions.astype(np.float32)


def signs(topics: int, draws: int, rng: np.random.Generator) -> Singles:
    """Draw the weights of topics by the law of signs: (draw, topic)."""
    if 2**topics - 1 > draws:
        both = np.array([-1.0, 1.0], dtype=np.float32)
        return rng.choice(both, size=(draws, topics))
    return _every_way(topics, range(1, 2**topics))


def _every_way(topics: int, numbers: range) -> Singles:
    """Return ways to sign the topics, (number, topic): the bits of a number say which are reversed, those of 0 none."""
    number = np.array(numbers, dtype=np.int64)[:, None]
    return _signs_of(number >> np.arange(topics))


def fixed_signs(topics: int, draws: range) -> Singles:
    """Return some of `FIXED` signs of the topics that are always the same: (draw, topic).

    draws : which ones, from 1 on. Where there are no more ways to sign the topics, but that of the data, these are the
    ways one by one; else the last bit of what the numbers of draw and topic are mixed to decides, as it does in the
    script of a board.
    """
    if 2**topics - 1 <= FIXED:
        return _every_way(topics, draws)
    draw = np.array(draws, dtype=np.uint32)[:, None] * np.uint32(0x9E3779B1)
    topic = np.arange(1, topics + 1, dtype=np.uint32) * np.uint32(0x85EBCA77)
    return _signs_of(_mixed(draw ^ topic))


def _signs_of(reversed_: NDArray[np.integer[Any]]) -> Singles:
    """Return -1 where the last bit is set, else 1."""
    return np.where(reversed_ & 1, np.float32(-1), np.float32(1))


def _mixed(number: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Mix the bits of numbers, so that each bit depends on all, by multiplications modulo 2^32 and shifts."""
    half, odd = np.uint32(16), np.uint32(15)
    number = (number ^ (number >> half)) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> odd)) * np.uint32(0x846CA68B)
    return number ^ (number >> half)


def alone(compared: Compared, draws: int = FIXED) -> Floats:
    """Return p of each difference by itself, the larger of that by fixed signs and Student's: (comparison,).

    draws : how many signs, at least `FIXED`.

    >>> from irmeta.stats.tests.compared import Given
    >>> alone(Given(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]))).tolist()
    [0.25, 1.0]
    """
    by_signs = compared.over(partial(_by_signs, draws=max(draws, FIXED)))
    return np.maximum(by_signs, compared.over(t))


def _by_signs(differences: Floats, draws: int) -> Floats:
    """Return p of each difference (comparison, topic) by itself: of the signs by which its sum is reached."""
    ways = 2 ** differences.shape[1] - 1
    return _share_reached(differences, ways if ways <= FIXED else draws)


def _share_reached(differences: Floats, draws: int) -> Floats:
    """Return (1 + the first fixed signs by which a difference's sum is reached) / (1 + draws): (comparison,)."""
    topics = differences.shape[1]
    sizes = np.sort(np.abs(differences), axis=1)
    least = _reaches(np.abs(differences.sum(axis=1)), topics, sizes[:, -1])
    counts = np.zeros(len(differences), dtype=np.int64)
    step = max(1, _BLOCK // max(len(differences), topics))
    for start in range(1, draws + 1, step):
        stop = min(start + step, draws + 1)
        flips = fixed_signs(topics, range(start, stop))
        reached = np.abs(flips @ sizes.T) >= least
        counts += reached.sum(axis=0)
    return np.asarray((1 + counts) / (1 + draws))


def of_pairs(scores: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return p of all pairs of systems, corrected for all of them, from scores (system, topic): (pair,).

    >>> of_pairs(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]), 100, np.random.default_rng(0)).tolist()
    [1.0]
    """
    drawn = laws(scores.shape[1], draws, rng)
    return np.maximum(*(pairs_by(weights, scores) for weights in drawn))


def of_differences(differences: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return p of given differences (comparison, topic), corrected for all of them: (comparison,).

    NaN where a comparison lacks a topic: its r then counts the topics that it has.

    >>> of_differences(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]), 100, np.random.default_rng(0)).tolist()
    [0.25, 1.0]
    """
    drawn = laws(differences.shape[1], draws, rng)
    return np.maximum(*(differences_by(weights, differences) for weights in drawn))


def pairs_by(weights: Singles, scores: Floats) -> Floats:
    """Return p of all pairs by the weights (draw, topic) of one law."""
    pairs = np.triu_indices(len(scores), 1)
    return _p(scores, pairs, over_pairs(_sums, scores), weights)


def differences_by(weights: Singles, differences: Floats) -> Floats:
    """Return p of given differences by the weights (draw, topic) of one law."""
    count, topics = differences.shape
    # each less a row of zeros
    rows = np.concatenate([differences, np.zeros((1, topics))])
    pairs = np.arange(count), np.full(count, count)
    return _p(rows, pairs, _sums(differences), weights)


def _sums(differences: Floats) -> Floats:
    """Return the sum and the sum of squares of differences (pair, topic): (2, pair)."""
    return np.stack([np.nansum(differences, axis=1), np.nansum(differences**2, axis=1)])


def _p(
    rows: Floats, pairs: tuple[Indices, Indices], sums: Floats, weights: Singles
) -> Floats:
    """Return p by one law, of pairs of rows (row, topic) with these sums of differences and of their squares.

    p = (1 + draws in which some difference of the family reaches r) / (1 + draws), and no less than of a clearer one.
    """
    total, squares = sums
    differs = squares > 0
    unit = np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=differs)
    r = np.abs(total) * unit
    # from the least clear to the clearest
    order = np.argsort(r, kind="stable")
    first, second = (rows_of[order] for rows_of in pairs)
    up = total[order] >= 0
    better = np.where(up, first, second)
    worse = np.where(up, second, first)
    known = ~np.isnan(rows)
    held = np.where(known, rows, 0.0)
    least = _reaches(np.abs(total), rows.shape[1], np.abs(held).max()) * unit
    least = least[order]
    there = None if known.all() else known.astype(np.float64)
    work = partial(_reached, held, there, better, worse, unit[order], least)
    step = max(1, _BLOCK // max(len(order), rows.size))
    blocks = [weights[start : start + step] for start in range(0, len(weights), step)]
    counts = np.asarray(sum(in_order(work, blocks, "blocks of draws")))
    p = np.empty(len(order))
    stepped = (1 + counts) / (1 + len(weights))
    p[order] = np.maximum.accumulate(stepped[::-1])[::-1]
    return np.where(differs, p, 1.0)


def _reaches(total: Floats, topics: int, largest: Floats) -> Floats:
    """Return from where on a drawn sum counts as this one, of scores up to the largest.

    Equal but for rounding counts: a sum over topics of scores s is exact to about eps n max |s|.
    """
    rounding = np.finfo(np.float64).eps * topics * largest
    return np.asarray(total * (1 - 1e-9) - rounding)


def _reached(
    rows: Floats,
    there: Floats | None,
    better: Indices,
    worse: Indices,
    unit: Floats,
    least: Floats,
    weights: Singles,
) -> Indices:
    """Count for each pair the draws in which some pair that is no clearer, or any that is reversed, reaches its r.

    rows : (row, topic), 0 where a score is missing.  there : 1 where it is not; None if all are there.
    better, worse : (pair,), the rows of pairs from the least clear to the clearest.  unit : (pair,), 1 / root of the
    sum of squares of the pair's differences.  least : (pair,), from where on a draw counts.
    weights : (draw, topic).
    """
    drawn = weights @ rows.T  # (draw, row)
    if there is not None:
        # the root mean square of the weights of a row's topics, 1 if it has all
        drawn /= np.sqrt(weights**2 @ there.T / there.sum(axis=1))
    counts = np.zeros(len(unit), dtype=np.int64)
    pairs = better, worse, unit, least
    if arrays.core:
        arrays.core.reached(drawn, len(rows), *pairs, counts)
        return counts
    step = max(1, _CACHED // len(unit))
    for start in range(0, len(drawn), step):
        counts += _counted(drawn[start : start + step], *pairs)
    return counts


def _counted(
    drawn: Floats, better: Indices, worse: Indices, unit: Floats, least: Floats
) -> Indices:
    """Do as the compiled core on draws (draw, row)."""
    ratios = (drawn[:, better] - drawn[:, worse]) * unit
    reversed_ = -ratios.min(axis=1, keepdims=True)
    largest = np.maximum.accumulate(ratios, axis=1)
    family = np.maximum(largest, reversed_)
    return np.count_nonzero(family >= least, axis=0)
