"""Two-sided tests of paired differences with known null distributions: t, Wilcoxon, sign; all pairs in blocks."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.special import bdtr, stdtr

from irmeta.errors import ScoresError
from irmeta.parallel import in_order
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.rankings.ranks import tied_ranks
from irmeta.stats.tests import floors

_BLOCK = 1 << 17
"""Numbers of one kind in a block of pairs: 1 MiB, so that a few such arrays stay near the processor."""

_FEW, _EXACT = 13, 50
"""Topics that differ up to which Wilcoxon's test is exact, with ties and without; beyond, scipy approximates it."""


def over_pairs(quantity: Callable[[Floats], Floats], scores: Floats) -> Floats:
    """Compute a quantity of the differences of all pairs of systems i < j, from scores (system, topic).

    quantity : takes differences (pair, topic) of some pairs, and returns (..., pair). Pairs are taken in blocks, so
    that they are never held all at once.

    >>> over_pairs(sign, np.array([[0.4, 0.5, 0.6], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])).tolist()
    [0.25, 0.25, 1.0]
    """
    systems, topics = scores.shape
    work = partial(_of_block, quantity, scores)
    parts = in_order(work, list(blocks(systems, topics)), "blocks of pairs")
    return np.concatenate(list(parts), axis=-1)


def _of_block(
    quantity: Callable[[Floats], Floats], scores: Floats, block: tuple[int, int]
) -> Floats:
    """Compute a quantity of the differences of a block of pairs, as `blocks` cuts them."""
    start, stop = block
    return quantity(differences(scores, start, stop))


def blocks(systems: int, width: int) -> Iterator[tuple[int, int]]:
    """Cut the pairs i < j into runs of i, first and last + 1, that fit in a block with `width` numbers a pair."""
    start = 0
    while start < systems - 1:
        later = systems - 1 - start  # pairs of the first i of a run
        rows = max(1, _BLOCK // (width * later))
        stop = start + min(later, rows)
        yield start, stop
        start = stop


def differences(scores: Floats, start: int = 0, stop: int | None = None) -> Floats:
    """Return the differences (pair, topic) of pairs of systems i < j, from scores (system, topic).

    start, stop : only pairs with start <= i < stop.  Rounding is taken away, as in `less`.

    >>> differences(np.array([[0.5, 0.1], [0.2, 0.1], [0.2, 0.3]])).round(12).tolist()
    [[0.3, 0.0], [0.3, -0.2], [0.0, -0.2]]
    """
    systems = np.arange(len(scores))
    firsts = systems[start : len(scores) - 1 if stop is None else stop]
    first = np.repeat(firsts, systems[-1] - firsts)
    second = np.concatenate([systems[i + 1 :] for i in firsts])
    return less(scores[first], scores[second])


def less(scores: Floats, others: Floats) -> Floats:
    """Return scores (topic, ...), or (other, topic, ...), less those of others (other, topic, ...), without rounding.

    Rounding grows with the scores, not with their difference: up to 1e-12 of the larger scores, at least of 1, a
    difference is 0, and differences that lie no further apart over all topics are the same. NaN stays.

    >>> less(np.array([0.3, 0.8]), np.array([[0.3, 0.8], [0.1, 0.6]])).round(12).tolist()
    [[0.0, 0.0], [0.2, 0.2]]
    """
    gap = scores - others
    sizes = np.abs(others)
    np.maximum(np.abs(scores), sizes, out=sizes)
    rounding = 1e-12 * np.fmax(np.fmax.reduce(sizes, axis=1), 1)[:, None]
    del sizes
    gap[np.abs(gap) <= rounding] = 0.0
    low = np.fmin.reduce(gap, axis=1)[:, None]
    high = np.fmax.reduce(gap, axis=1)[:, None]
    same = (high - low <= rounding) & ~np.isnan(gap)
    return np.where(same, (low + high) / 2, gap)


def t(differences: Floats) -> Floats:
    """Return p of the paired t test, from differences (pair, topic); 1 for equal systems.

    A difference that is the same on every topic has no standard error, and t no value: p is that of signs.

    >>> t(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [0.2, 0.2, 0.2]])).round(4).tolist()
    [0.0742, 1.0, 0.25]
    """
    topics = differences.shape[1]
    observed = np.abs(statistic(differences))
    p = 2 * stdtr(topics - 1, -observed)
    return floors.where_constant(p, observed, topics)


def mean_difference(differences: Floats) -> Floats:
    """Return the mean of differences (pair, topic): (pair,)."""
    return np.asarray(differences.mean(axis=1))


def statistic(differences: Floats) -> Floats:
    """Student's t of differences (pair, topic): their mean over its standard error.

    It is 0 where all differences are 0, infinite where all are the same but not 0.
    """
    return np.asarray(effect_size(differences) * np.sqrt(differences.shape[1]))


def standard_error(differences: Floats) -> Floats:
    """Return the standard error of the mean of differences (pair, topic): (pair,); 0 where all are the same."""
    return np.asarray(_spread(differences) / np.sqrt(differences.shape[1]))


def half_width(quantile: float | Floats, error: Floats) -> Floats:
    """Return half the widths of intervals; NaN where there is no standard error, and so no interval.

    >>> half_width(2.0, np.array([0.1, 0.0])).tolist()
    [0.2, nan]
    """
    return np.where(error > 0, quantile * error, np.nan)


def one_way_or_other(differences: Floats) -> Floats:
    """Count where differences (pair, topic) of scores of 0 and 1 are 1, and where -1: (2, pair).

    NaN where a difference of the pair is neither, nor 0, nor missing.

    >>> one_way_or_other(np.array([[1.0, 1.0, -1.0], [0.5, 1.0, 0.0]])).tolist()
    [[2.0, nan], [1.0, nan]]
    """
    known = np.isin(differences, (-1.0, 0.0, 1.0)) | np.isnan(differences)
    counts = np.stack([(differences == way).sum(axis=1) for way in (1.0, -1.0)])
    return np.where(known.all(axis=1), counts, np.nan)


def discordant_interval(
    better: Floats, worse: Floats, topics: int | Floats, quantile: float | Floats
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a difference of means of scores of 0 and 1.

    better, worse : on how many of the topics one system alone is right, and the other alone. It is Wald's interval, as
    if on one topic more each had been right by half:

        p = (better + 1/2) / (n + 1), q = (worse + 1/2) / (n + 1),
        p - q -/+ quantile sqrt((p + q - (p - q)^2) / (n + 1)).

    Source: Agresti and Min (Statistics in Medicine 2005), who also add to the topics on which systems are alike;
    decision 259.

    >>> low, high = discordant_interval(np.array([3.0]), np.array([0.0]), 5, 1.96)
    >>> low.round(3).item(), high.round(3).item()
    (-0.017, 1.017)
    """
    n = np.asarray(topics) + 1.0
    p, q = (better + 0.5) / n, (worse + 0.5) / n
    half = quantile * np.sqrt((p + q - (p - q) ** 2) / n)
    return p - q - half, p - q + half


def _spread(differences: Floats) -> Floats:
    """Return the standard deviation (divisor n - 1) of differences (pair, topic); 0 where all are the same."""
    # the mean of equal numbers is rounded, too
    sd = differences.std(axis=1, ddof=1)
    return np.where(sd <= 1e-12 * np.abs(differences.mean(axis=1)), 0.0, sd)


def equivalence(
    mean: Floats, error: Floats, topics: int | Floats, margin: float | Floats
) -> Floats:
    """Return p of the hypothesis that two systems differ by the margin or more: two one-sided t tests, the larger p.

    mean, error : of paired differences, (pair,), over this many topics.  margin : one, or one for each pair.
    A difference without a standard error, inside the margin on all n topics, has the p of a one-sided test by signs,
    1 / 2^n. Source: Schuirmann (Journal of Pharmacokinetics and Biopharmaceutics 1987).

    >>> equivalence(np.array([0.0, 0.02]), np.array([0.005, 0.005]), 50, 0.02).round(4).tolist()
    [0.0001, 0.5]
    """
    inside = margin - np.abs(mean)
    spread = error > 0
    inside_errors = np.divide(inside, error, out=np.zeros_like(error), where=spread)
    by_signs = np.where(inside > 0, floors.of_signs(topics) / 2, 1.0)
    return np.where(spread, stdtr(topics - 1, -inside_errors), by_signs)


def check_margin(margin: float | None) -> None:
    """Raise ScoresError for a margin of equivalence that is not above 0."""
    if margin is not None and not margin > 0:
        raise ScoresError(
            f"the margin must be a difference in mean above 0, as in 0.02, not {margin:g}"
        )


def check_correction(test: str, correct: str | None) -> None:
    """Raise ScoresError for a correction of a test that corrects for all comparisons by itself."""
    if test == "tukey" and correct is not None:
        raise ScoresError(
            "tukey corrects for all comparisons by itself; leave out --correct, or name another --test"
        )
    if test == "max-t" and correct not in (None, "none"):
        raise ScoresError(
            "max-t corrects for all comparisons by itself; leave out --correct, say none for each by itself, or name "
            "another --test"
        )


def effect_size(differences: Floats) -> Floats:
    """Mean of the differences (pair, topic) in units of their standard deviation (divisor n - 1): Cohen's d for pairs.

    0 where all differences are 0, infinite where all are the same but not 0. Source: Cohen (1988), section 2.3.5.
    """
    mean = differences.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / _spread(differences))


def wilcoxon(differences: Floats) -> Floats:
    """Return p of Wilcoxon's signed-rank test, from differences (pair, topic).

    Topics without a difference are left out. The test is exact where 13 topics or fewer differ, and up to 50 if no two
    of them do so by as much; else it is the normal approximation corrected for ties: as scipy.stats.wilcoxon decides
    for the topics that differ. Equal systems have p = 1.

    >>> wilcoxon(np.array([[0.1, 0.1, 0.2, 0.2, 0.2, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.0625, 1.0]
    """
    differences = settled(differences)  # ties that rounding broke are ties
    sizes = np.sort(np.abs(differences), axis=1)
    counts = (sizes > 0).sum(axis=1)  # topics that differ, of each pair
    equal = (np.diff(sizes, axis=1) == 0) & (sizes[:, 1:] > 0)
    tied = equal.any(axis=1)

    from scipy import stats

    differ = counts > 0
    few = differ & tied & (counts <= _FEW)
    exact = differ & ~tied & (counts <= _EXACT)
    many = differ & ~few & ~exact

    p = np.ones(len(differences))
    if few.any():
        p[few] = _with_ties(differences[few])
    for count in np.unique(counts[exact]):
        rows = exact & (counts == count)
        some = differences[rows]
        some = some[some != 0].reshape(-1, count)
        p[rows] = stats.wilcoxon(some, axis=1, method="exact").pvalue
    if many.any():
        p[many] = stats.wilcoxon(differences[many], axis=1, method="asymptotic").pvalue  # type: ignore[call-overload]
    return p


def _with_ties(differences: Floats) -> Floats:
    """Return p of differences of which few are not 0, from all ways to sign their ranks.

    Ranks are doubled, so that the mean rank of a tie is a whole number. With W = the sum of the ranks that count as
    positive, p = 2 * min(P(W <= observed), P(W >= observed)), at most 1, where each rank is positive with probability
    1/2. Source: Wilcoxon (Biometrics Bulletin 1945).
    """
    order = np.argsort(-np.abs(differences), axis=1, kind="stable")
    largest = order[:, :_FEW]
    # (pair, topic): all that differ are among these
    some = np.take_along_axis(differences, largest, axis=1)
    ranks = _doubled_ranks(np.abs(some))

    ways = _ways(ranks)  # (pair, sum)
    sums = np.arange(ways.shape[1])
    positive = ranks * (some > 0)
    observed = positive.sum(axis=1)[:, None]  # W
    below = np.where(sums <= observed, ways, 0).sum(axis=1)
    above = np.where(sums >= observed, ways, 0).sum(axis=1)
    rarer = np.minimum(below, above)
    p = 2 * rarer / ways.sum(axis=1)
    return np.asarray(np.minimum(1, p))


def _doubled_ranks(sizes: Floats) -> Ints:
    """Return twice the mean rank of each size among those above 0, of (pair, topic); 0 for a size of 0.

    2 * mean rank = 2 * (number below) + (number equal, itself included) + 1.
    """
    one = sizes[:, :, None]
    other = sizes[:, None, :]
    counted = other > 0
    below = (other < one) & counted
    equal = (other == one) & counted
    doubled = (2 * below + equal).sum(axis=2) + 1
    return np.where(sizes > 0, doubled, 0)


def _ways(ranks: Ints) -> Floats:
    """Count the ways in which some of the ranks (pair, topic) add up to each sum from 0 to _FEW * (_FEW + 1)."""
    sums = np.arange(_FEW * (_FEW + 1) + 1)
    ways = np.zeros((len(ranks), sums.size))
    ways[:, 0] = 1
    for rank in ranks.T[:, :, None]:  # (pair, 1)
        # with a further rank, a sum is reached without it, or from the sum less the rank
        from_less = np.take_along_axis(ways, np.maximum(sums - rank, 0), axis=1)
        ways += np.where(sums >= rank, from_less, 0)
    return ways


def signed_ranks(differences: Floats) -> Floats:
    """Return Wilcoxon's statistic, the ranks of the differences (pair, topic) above 0 less those below 0.

    >>> signed_ranks(np.array([[0.3, -0.1, -0.2, 0.0], [0.2, 0.2, -0.1, 0.0]])).tolist()
    [0.0, 4.0]
    """
    differences = settled(differences)  # ties that rounding broke are ties
    zeros = (differences == 0).sum(axis=1, keepdims=True)
    # among the topics that differ
    ranks = tied_ranks(np.abs(differences)) - zeros
    return np.asarray((np.sign(differences) * ranks).sum(axis=1))


def wins(differences: Floats) -> Floats:
    """Return the statistic of the sign test, differences (pair, topic) above 0 less those below 0.

    >>> wins(np.array([[0.1, 0.2, -0.9, 0.0]])).tolist()
    [1.0]
    """
    return np.asarray(np.sign(differences).sum(axis=1))


def sign(differences: Floats) -> Floats:
    """Return p of the sign test, exact, from differences (pair, topic); topics without a difference are left out.

    p = 2 * P(a binomial count of n with probability 1/2 is at most the rarer sign's), at most 1.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    above = (differences > 0).sum(axis=1)
    below = (differences < 0).sum(axis=1)
    rarer = np.minimum(above, below)
    return np.asarray(np.minimum(1.0, 2 * bdtr(rarer, above + below, 0.5)))
