"""How well the ranking of systems on some topics is expected to agree with the ranking by true means.

Of two systems whose scores differ by d on average over n topics, with standard deviation sd, the one behind is truly
ahead with probability T_{n-1}(-d sqrt(n) / sd). Source: Urbano and Marrero (SIGIR 2016), section 3.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy.special import gammaln, ndtri, stdtr

from irmeta.parallel import in_order
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.halves.halving import split_half
from irmeta.stats.rankings.rank import BLOCK, tau_a

Estimator = Literal["ML", "MSQD"]
"""How the standard deviation of differences is estimated: by maximum likelihood, or from normal scores."""

_CORRECTED = 250
"""The small-sample factor of ML is 1 above this number of topics, as the authors have it."""


@dataclass(frozen=True)
class Pairs:
    """Systems from the best mean down, and what is known of each pair.

    order : (system,), indices into the scores given.
    difference, sd : (system, system), in that order: mean of the row's scores less the column's, and its deviation.
    """

    order: Ints
    difference: Floats
    sd: Floats
    topics: int


@dataclass(frozen=True)
class Expected:
    """Expected tau and tau_AP with the true ranking, and how many pairs of systems differ on no topic."""

    tau: float
    tau_ap: float
    undefined: int


def pairs(scores: Floats, estimator: Estimator = "ML") -> Pairs:
    """Order systems by their means, and estimate how every pair differs: scores of (system, topic).

    Equal means keep the order in which the systems stand.
    """
    means = settled(scores.mean(axis=1))
    order = np.argsort(-means, kind="stable")
    ordered = np.ascontiguousarray(scores[order])
    if estimator == "ML":
        sd = by_likelihood(ordered)
    else:
        sd = by_normal_scores(ordered)
    return Pairs(order, means[order, None] - means[order], sd, scores.shape[1])


def spread(scores: Floats) -> Floats:
    """Compute the standard deviation of each pair's differences over topics (n - 1): (system, topic) to square.

    >>> spread(np.array([[0.1, 0.3], [0.2, 0.2]])).round(4).tolist()
    [[0.0, 0.1414], [0.1414, 0.0]]
    """
    products = np.cov(scores)
    variance = np.diag(products)
    # var(a - b) = var a + var b - 2 cov
    squares = variance[:, None] + variance - 2 * products
    return np.sqrt(np.where(squares > 1e-12 * variance.max(), squares, 0))


def by_likelihood(scores: Floats) -> Floats:
    """Estimate the deviation as `spread` without its bias: times sqrt((n-1)/2) Gamma((n-1)/2) / Gamma(n/2)."""
    n = scores.shape[1]
    if n > _CORRECTED:
        return spread(scores)
    log = 0.5 * np.log((n - 1) / 2) + gammaln((n - 1) / 2) - gammaln(n / 2)
    return spread(scores) * np.exp(log)


def by_normal_scores(scores: Floats) -> Floats:
    """Estimate the deviation by the slope of ranked differences D on normal scores e, sum(D e) / sum(e^2) / sqrt(2).

    Here e = Phi^-1(rank / (n + 1)) / sqrt(2), tied differences sharing their mean rank.
    """
    systems, topics = scores.shape
    # mean ranks are whole or half numbers: e of 1, 1.5, 2, ..., n
    halves = np.arange(2, 2 * topics + 1) / 2
    normal = ndtri(halves / (topics + 1)) / np.sqrt(2)
    step = max(1, BLOCK // (2 * systems * topics))
    rows = [slice(start, start + step) for start in range(0, systems, step)]
    slopes = in_order(partial(_slopes, scores, normal), rows, "blocks of systems")
    upper = np.concatenate(list(slopes))
    upper = np.triu(upper, 1)
    return upper + upper.T


def _slopes(scores: Floats, normal: Floats, rows: slice) -> Floats:
    """Estimate the deviations of some systems' differences from all that do not stand before them: (row, system)."""
    first = rows.start
    # D in rising order, and the normal score e of each: (row, system, topic)
    differences = scores[rows, None] - scores[first:]
    ordered = np.sort(differences, axis=-1)
    e = normal[_mean_ranks(ordered)]
    product = np.vecdot(ordered, e)
    square = np.vecdot(e, e)
    # sum(D e) / sum(e^2) / sqrt(2); where all differences tie, e is 0 and so is D e
    divisor = np.where(square > 0, square, 1)
    slope = product / np.sqrt(2) / divisor
    # 0 for the systems that stand before
    return np.pad(slope, ((0, 0), (first, 0)))


def _mean_ranks(ordered: Floats) -> Ints:
    """Return twice the mean rank, less 2, of values in ascending order along the last axis, ties sharing theirs."""
    n = ordered.shape[-1]
    place = np.arange(n, dtype=np.int32)
    # where a run of ties begins
    new = np.ones(ordered.shape, dtype=np.bool_)
    np.not_equal(ordered[..., 1:], ordered[..., :-1], out=new[..., 1:])
    if new.all():
        return np.broadcast_to(2 * place, ordered.shape)
    # the place where the run of each value begins: the last beginning so far
    beginnings = np.where(new, place, 0)
    first = np.maximum.accumulate(beginnings, axis=-1)
    # the place where it ends: the next end from here, found from the back
    ends = np.ones(ordered.shape, dtype=np.bool_)
    ends[..., :-1] = new[..., 1:]
    endings = np.where(ends, place, n)
    last = np.minimum.accumulate(endings[..., ::-1], axis=-1)
    # mean rank = (first + last) / 2 + 1
    return first + last[..., ::-1]


def wrong(pairs: Pairs, topics: float | None = None) -> Floats:
    """Return the probability that each pair is ranked wrongly: of the row above the column, (system, system).

    topics : how many topics the ranking has; those there are by default.
    Pairs that differ on no topic are counted as right.
    """
    n = pairs.topics if topics is None else topics
    with np.errstate(divide="ignore", invalid="ignore"):
        t = pairs.difference * np.sqrt(n) / pairs.sd
    return np.nan_to_num(stdtr(n - 1, -t), nan=0.0)


def expected(pairs: Pairs, topics: float | None = None) -> Expected:
    """Return expected tau and tau_AP of the ranking on `topics` topics with the ranking by true means.

    Pairs that differ on no topic count as ranked rightly.

    >>> scores = np.array([[0.4, 0.5, 0.6], [0.1, 0.2, 0.2]])
    >>> round(expected(pairs(scores)).tau, 4)
    0.9875
    """
    systems = len(pairs.order)
    # of each pair once: the probability that it is ranked wrongly
    p = np.triu(wrong(pairs, topics), 1)
    # tau = 1 - 2 sum p / C(m, 2)
    number_of_pairs = systems * (systems - 1) / 2
    tau = 1 - 2 * p.sum() / number_of_pairs
    # tau_AP = 1 - 2 / (m - 1) sum over j > 1 of the mean p of j and the j - 1 systems above it
    sums = p[:, 1:].sum(axis=0)
    above = sums / np.arange(1, systems)
    tau_ap = 1 - 2 * above.sum() / (systems - 1)
    no_difference = (pairs.sd == 0) & (pairs.difference == 0)
    same = np.triu(no_difference, 1)
    return Expected(float(tau), float(tau_ap), int(same.sum()))


def half_tau(scores: Floats, partitions: int, rng: np.random.Generator) -> Floats:
    """Return mean tau-a between the rankings on two halves of the topics: (system, topic, metric) to (metric,).

    Pairs that are the same on every topic do not count. A tie of few values counts as half right, as a random order
    of the two would: tau-b leaves it out, and steps up to too much.
    """
    topics = scores.shape[1]
    sizes = (topics // 2, topics - topics // 2)
    found = split_half(scores, [sizes], partitions, rng, ties="a")[0]
    differ = 1 - np.array([share_same(column) for column in np.moveaxis(scores, -1, 0)])
    return np.diag(found.phi) / np.where(differ > 0, differ, 1)


def stepped(half: float, times: float) -> float:
    """Return tau with the true ranking from tau between two halves, for times as many topics as a half has.

    The correlation behind a tau is sin(pi tau / 2) (Kendall); Spearman and Brown's formula steps it up from one half to
    k of them, and its root is that with the truth: r = k rho / (1 + (k - 1) rho), tau = 2 / pi asin(sqrt(r)).
    Nothing is plugged in that the topics at hand make too large, as in `expected`. A half below 0 gives 0.

    >>> round(stepped(0.5, 2), 3), stepped(1.0, 2), stepped(-0.1, 2)
    (0.728, 1.0, 0.0)
    """
    return float(2 / np.pi * np.arcsin(np.sqrt(_reliability(half, times))))


def _reliability(half: float, times: float) -> float:
    """Return the squared correlation of means with true ones, from tau between two halves (see `stepped`)."""
    rho = max(np.sin(np.pi / 2 * half), 0.0)
    return float(times * rho / (1 + (times - 1) * rho))


def share_same(scores: Floats) -> float:
    """Return the share of pairs of systems that score the same on every topic.

    >>> round(share_same(np.array([[0.1, 0.2], [0.1, 0.2], [0.3, 0.2]])), 3)
    0.333
    """
    systems = len(scores)
    _, copies = np.unique(settled(scores), axis=0, return_counts=True)
    return float((copies * (copies - 1)).sum() / (systems * (systems - 1)))


LEAST = 0.02
"""A lower reliability of means says no more than this one: hardly anything."""


def tau_interval(
    scores: Floats,
    half: float,
    rng: np.random.Generator,
    level: float = 0.95,
    draws: int = 400,
) -> tuple[float, float]:
    """Return between which values tau-a of this ranking with the true one lies, scores of (system, topic).

    True means are drawn as they may be, given those observed, and ranked: the ends are quantiles of tau. With r the
    share of the variance of means that is of true means, from tau between halves of the topics as in `stepped`,

        true mean = r mean + sqrt(r) error,

    the posterior of normal means. Few topics tell the variance of errors only to chi^2 / nu, and r with it: each draw
    has 1 - r and the errors' squares nu / chi^2 times as large. Systems that are the same on every topic count as
    ranked rightly, as in `expected`. Its coverage is measured in the documentation.

    >>> scores = np.arange(5)[:, None] + np.random.default_rng(0).normal(size=(5, 20))
    >>> tau_interval(scores, 0.9, np.random.default_rng(0))
    (0.8, 1.0)
    """
    means = scores.mean(axis=1)
    errors, freedom = _errors(scores, rng, draws)
    times = freedom / rng.chisquare(freedom, size=(draws, 1))
    reliability = 1 - (1 - _reliability(half, 2)) * times
    # as the order of r mean + sqrt(r) error
    drawn = means + errors * np.sqrt(times / np.maximum(reliability, LEAST))
    taus = tau_a(settled(means), settled(drawn)) + share_same(scores)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(taus, tails, method="nearest")
    return float(low), float(high)


def _errors(
    scores: Floats, rng: np.random.Generator, draws: int
) -> tuple[Floats, float]:
    """Draw normal errors of means, (draw, system), and return the degrees of freedom that their variance has.

    Systems' variances are those over topics, less what a topic does to all systems. Correlations r that n topics show
    have squares too large by about 1 / (n - 1) each, as if few systems moved together that do not, and tau would vary
    too much: they are (1 - b) r + b r^3, with b so that their squares add up to what is left without that. Near-clones
    stay near-clones, and the matrix has no eigenvalue below 0 (Schur 1911).
    """
    systems, n = scores.shape
    relative = scores - scores.mean(axis=1, keepdims=True)
    relative = relative - relative.mean(axis=0)
    variance = relative.var(axis=1, ddof=1)
    sd = np.sqrt(variance)
    z = relative / np.where(sd > 0, sd, 1)[:, None]
    r = z @ z.T / (n - 1)
    diagonal = np.diag_indices(systems)
    # sum over pairs of the sampling variance of r, from that of products over topics
    squares = z**2
    products = squares @ squares.T - ((n - 1) * r) ** 2 / n
    products[diagonal] = r[diagonal] = 0.0
    excess = products.sum() * n / (n - 1) ** 3
    r = _shrunk(r, excess)
    r[diagonal] = 1.0
    values, vectors = np.linalg.eigh(r)
    independent = rng.normal(size=(draws, systems)) * np.sqrt(np.maximum(values, 0))
    errors = independent @ vectors.T * sd / np.sqrt(n)
    # the sampling variance of the total: as topics show it, not less than with normal scores
    total = variance.sum()
    of_normal = 2 * (variance @ r**2 @ variance) / (n - 1)
    each = (relative**2).sum(axis=0) * n / (n - 1)
    spread = max(of_normal, each.var(ddof=1) / n)
    return errors, float(2 * total**2 / spread) if spread > 0 else 1.0


def _shrunk(r: Floats, excess: float) -> Floats:
    """Return (1 - b) r + b r^3 with squares that add up to less than those of r by `excess`, b in [0, 1]."""
    cubes = r**3
    apart = r - cubes
    # (b apart)^2 - 2 b r apart + excess = 0
    square, product = (apart**2).sum(), (r * apart).sum()
    if square == 0:
        return r
    root = np.sqrt(max(product**2 - square * excess, 0))
    return r - np.clip((product - root) / square, 0, 1) * apart
