"""How often users agree with a metric: systems with outcomes whose own noise is known, such as A/B tests.

Sources: Daniels and Hughes (Statistics in Medicine 1997) and Buyse et al. (Biostatistics 2000) for surrogate endpoints,
whose question it is; Gelman (Bayesian Analysis 2006) for the prior.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from irmeta.stats.arrays import Floats

FEWEST = 5
"""Systems that it takes."""
SPREADS = np.exp(np.linspace(np.log(1e-3), np.log(30), 160))
"""What is tried for the spread of true outcomes around the line, as multiples of that of observed ones."""
RATIOS = np.sinh(np.linspace(-9, 9, 721))
"""What is tried for the slope in units of that spread."""
EXACT = 1e-3
"""Noise below this share of the spread of outcomes is none."""
DRAWS = 20_000
"""Draws from the posterior, of two metrics compared."""
ALIKE = 1 - 1e-9
"""Metrics that correlate by this are one."""


class Outcomes(NamedTuple):
    """Outcomes of experiments with systems: value and standard error (experiment,), design (experiment, system).

    A row of the design has a 1 for the system, and a -1 for another that it was compared with.
    """

    value: Floats
    error: Floats
    design: Floats


class Posterior(NamedTuple):
    """Slopes (spread, metric) with covariances, for each spread around the line, and how probable each spread is."""

    spread: Floats
    weight: Floats
    slopes: Floats
    covariances: Floats


def scaled(scores: Floats) -> Floats:
    """Return scores with mean 0 and standard deviation 1."""
    return np.asarray((scores - scores.mean()) / scores.std(ddof=1))


def posterior(outcomes: Outcomes, scores: Floats) -> Posterior:
    """Return what outcomes say of the slopes of scores (system, metric), each scaled.

    With D the design, x the scores and u the errors

        outcome = D (a + x b + spread e) + u f,   e and f standard normal,

    so outcomes have the variance V = spread^2 D D' + diag(u^2). Divided by u and turned by the eigenvectors of what is
    left of D D' they are independent, with variances 1 + spread^2 size. a and b have a flat prior. That of the spread
    is flat where it is small beside the noise, and 1 / spread where noise is small, as in the regression without noise,
    whose intervals of the ratio slope / spread are then exact (noncentral t).
    """
    value, error, design = outcomes
    scale = float(np.sqrt(value.var() + (error**2).mean()))
    whiten = 1 / np.maximum(error, EXACT * scale)
    each = design * whiten[:, None]
    size, turn = np.linalg.eigh(each @ each.T)
    size = np.maximum(size, 0)
    line = np.column_stack([np.ones(len(scores)), scores])
    # comparisons say nothing of the level
    columns = line[:, np.abs(design @ line).sum(axis=0) > EXACT]
    y, x = turn.T @ (value * whiten), turn.T @ (each @ columns)
    spread = scale * SPREADS
    weight = 1 / (1 + spread[:, None] ** 2 * size)
    information = np.einsum("ki,gk,kj->gij", x, weight, x)
    covariances = np.linalg.inv(information)
    found = np.einsum("gij,kj,gk,k->gi", covariances, x, weight, y)
    left = ((y - found @ x.T) ** 2 * weight).sum(axis=1)
    log = 0.5 * (np.log(weight).sum(axis=1) - np.linalg.slogdet(information)[1] - left)
    # of the logarithm of the spread
    log += 0.25 * np.log(((size * weight * spread[:, None] ** 2) ** 2).sum(axis=1))
    probable = np.exp(log - log.max())
    metrics = scores.shape[1]
    return Posterior(
        spread,
        probable / probable.sum(),
        found[:, -metrics:],
        covariances[:, -metrics:, -metrics:],
    )


def ratio(known: Posterior, levels: Floats) -> Floats:
    """Return quantiles of slope / spread of one metric.

    P(slope / spread < r) is the mean over spreads s of P(slope < r s), slope normal for each.
    """
    error = np.sqrt(known.covariances[:, 0, 0])
    below = ndtr((RATIOS[:, None] * known.spread - known.slopes[:, 0]) / error)
    return np.interp(levels, below @ known.weight, RATIOS)


def agreement(ratios: Floats, scores: Floats) -> Floats:
    """Return in which share of pairs of systems with such scaled scores true outcomes are in the order of the scores.

    The mean over pairs of P(r |x_i - x_j| + e_i - e_j > 0), e standard normal; a tie counts half.

    >>> agreement(np.array([0.0, np.inf]), np.array([-1.0, 0.0, 1.0])).tolist()
    [0.5, 1.0]
    """
    above = np.triu_indices(len(scores), 1)
    apart = np.abs(scores[above[0]] - scores[above[1]])
    with np.errstate(invalid="ignore"):
        leads = np.multiply.outer(ratios, apart) / np.sqrt(2)
    return np.asarray(ndtr(np.nan_to_num(leads, posinf=np.inf)).mean(axis=-1))


def correlation(ratios: Floats) -> Floats:
    """Return the correlation of scores with true outcomes: r / sqrt(1 + r^2)."""
    return np.asarray(ratios / np.sqrt(1 + ratios**2))


def lead(
    outcomes: Outcomes, one: Floats, other: Floats, rng: np.random.Generator
) -> Floats:
    """Draw by how much more often users agree with one metric than with the other, both scaled: (draw,).

    Where both order systems alike, the other is known from the one.
    """
    r = float(one @ other) / (len(one) - 1)
    if abs(r) > ALIKE:
        alone = ratio(posterior(outcomes, one[:, None]), rng.random(DRAWS))
        ratios = np.column_stack([alone, np.sign(r) * alone])
    else:
        known = posterior(outcomes, np.column_stack([one, other]))
        ratios = _each_alone(known, r, len(one) - 1, rng)
    of_one = _agreement_from_table(ratios[:, 0], one)
    return of_one - _agreement_from_table(ratios[:, 1], other)


def _each_alone(
    known: Posterior, r: float, freedom: int, rng: np.random.Generator
) -> Floats:
    """Draw slope / spread of each of two metrics by itself, (draw, 2), where both are on one line, seen to correlate r.

    Both have slopes b and b'. By itself the first has the slope b + b' c / v, with c the covariance of both, v and v'
    their variances, and the squared spread around it s^2 + b'^2 (v' - c^2 / v). Systems are a sample, so c, v and v'
    are drawn, too.
    """
    at = rng.choice(len(known.spread), size=DRAWS, p=known.weight)
    root = np.linalg.cholesky(known.covariances[at])
    luck = rng.normal(size=(DRAWS, 2))
    slopes = known.slopes[at] + np.einsum("dij,dj->di", root, luck)
    variance, covariance = _draw_covariance(r, freedom, rng)
    others = slopes[:, ::-1]
    beside = variance[:, ::-1] - covariance**2 / variance
    around = known.spread[at, None] ** 2 + others**2 * beside
    alone = slopes + others * covariance / variance
    return alone / np.sqrt(around)


def _draw_covariance(
    r: float, freedom: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw variances (draw, 2) and covariances (draw, 1) of two metrics, seen to be 1 and r: an inverse Wishart.

    With A of Bartlett's decomposition, triangular, and L L' what was seen, it is freedom L (A A')^-1 L'.
    """
    squares = rng.chisquare([[freedom], [freedom - 1]], size=(2, DRAWS))
    first, second = np.sqrt(freedom / squares)
    across = -rng.normal(size=DRAWS) * first * second / np.sqrt(freedom)
    one = np.column_stack([first, across])
    other = r * one
    other[:, 1] += np.sqrt(1 - r**2) * second
    variance_of_one = (one**2).sum(axis=1)
    variance_of_other = (other**2).sum(axis=1)
    covariance = (one * other).sum(axis=1)
    variances = np.column_stack([variance_of_one, variance_of_other])
    return variances, covariance[:, None]


def without_noise(shows: float, scores: Floats, levels: Floats) -> Floats:
    """Return quantiles of slope / spread if outcomes of these systems had no noise and showed this ratio."""
    systems = len(scores)
    line = np.column_stack([np.ones(systems), scores])
    # what neither the mean of systems nor their scores explain
    basis, _ = np.linalg.qr(line, mode="complete")
    beside = basis[:, 2]
    shown = shows * scores + beside * np.sqrt(systems - 2)
    exact = Outcomes(shown, np.zeros(systems), np.eye(systems))
    return ratio(posterior(exact, scores[:, None]), levels)


def _agreement_from_table(ratios: Floats, scores: Floats) -> Floats:
    """Return `agreement` at many ratios fast: a table of it at `RATIOS`, interpolated."""
    return np.interp(ratios, RATIOS, agreement(RATIOS, scores))


def reliability(outcomes: Outcomes) -> float:
    """Return the share of the variance of outcomes that is not their noise, 0 where noise makes all of it.

    Without comparisons the mean of outcomes is of no interest.
    """
    value = outcomes.value
    squares = value**2
    if np.any(outcomes.design.sum(axis=1)):
        squares = (value - value.mean()) ** 2 * len(value) / (len(value) - 1)
    every = float(squares.mean())
    if every <= 0:
        return 0.0
    return max(0.0, 1 - float((outcomes.error**2).mean()) / every)
