"""Prediction intervals for a collection that the model has not seen: collections differ by an offset of their own."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit

from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.regression import (
    Moments,
    Variables,
    least_squares,
    pool,
    residual_moments,
)

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
"""The levels at which `tails` knows how far residuals reach; between them it interpolates."""
PRIOR = 2
"""For how many degrees of freedom the scatter of systems on other collections counts beside that of known systems."""


class HeldOut(NamedTuple):
    """What leaving each collection out in turn tells of a model's errors there, each of shape (collection, ...)."""

    offset: Floats  # mean residual of the collection; infinite where there is one alone, which shows none
    variance: Floats  # variance of its residuals about that mean


def from_line(
    part: Moments, predictors: Sequence[int], targets: Sequence[int]
) -> HeldOut:
    """Return what one collection tells of errors on another: how far systems scatter about its own line."""
    slopes, intercepts = least_squares(part, predictors, targets)
    _, variance = residual_moments(part, predictors, targets, slopes, intercepts)
    free = part.n - 1 - len(predictors)
    return HeldOut(
        np.full((1, len(targets)), np.inf),
        variance[None] * (part.n / free if free > 0 else np.nan),
    )


class Band(NamedTuple):
    """What turns a prediction into an interval, each of shape (...): value = prediction + shift, plus or minus half."""

    shift: Floats
    half: Floats


def leave_one_out(
    parts: Sequence[Moments], predictors: Variables, targets: Variables
) -> HeldOut:
    """Predict each collection by least squares on all others; needs two collections or more.

    predictors, targets : as in `least_squares`. The results have the shape (collection, ..., target).
    """
    offsets, variances = [], []
    for i, held in enumerate(parts):
        others = pool([*parts[:i], *parts[i + 1 :]])
        slopes, intercepts = least_squares(others, predictors, targets)
        offset, variance = residual_moments(
            held, predictors, targets, slopes, intercepts
        )
        offsets.append(offset)
        variances.append(variance)
    return HeldOut(np.array(offsets), np.array(variances))


def leverage(
    parts: Sequence[Moments], values: Floats, predictors: Sequence[int]
) -> Floats:
    """Return by how much the offset of a new collection varies more than those of collections left out: (system,).

    A model that C collections made extrapolates to a new one, the further the collection lies from theirs. With S the
    covariance of the collections' mean predictors about their mean c, a collection of mean m has, as in any regression
    on C points, the variance B (1 + 1 / C + (m - c)' S⁻ (m - c) / (C - 1)). Of m one system is known, x = m + e, e of
    the covariance V within collections. Given x, the expectation of the quadratic form is, with M = (S + V)⁻,

        (x - c)' M S M (x - c) + rank - trace(M S)

    Directions in which systems do not vary are left out. Of one collection, which shows no B, it is 0.

    values : (system, variable), of the predictors.

    >>> same = Moments(10, np.array([0.5]), np.array([[1.0]]))
    >>> leverage([same, same], np.array([[0.5]]), [0]).tolist()  # 1 / C + 1 / (C - 1)
    [1.5]
    """
    own = [part.take(predictors) for part in parts]
    count = len(own)
    if count == 1:
        return np.zeros(len(values))
    unit = pool(own).deviations()
    means = np.array([part.mean for part in own]) / unit  # (collection, variable)
    between = np.atleast_2d(np.cov(means, rowvar=False, ddof=1))  # S
    within = np.mean([part.cov for part in own], axis=0) / unit / unit[:, None]  # V
    spread, vectors = np.linalg.eigh(between + within)
    varies = spread > 1e-9
    inverse = (vectors[:, varies] / spread[varies]) @ vectors[:, varies].T  # M
    shrunk = inverse @ between @ inverse  # M S M
    away = values / unit - means.mean(axis=0)
    distance = np.einsum("si,ij,sj->s", away, shrunk, away)
    rank = min(len(unit), count - 1)
    unknown = rank - np.trace(inverse @ between)
    return np.asarray(1 / count + np.maximum(distance + unknown, 0) / (count - 1))


def band(
    held: HeldOut,
    level: float,
    *,
    reach: npt.ArrayLike = 1.0,
    known: Floats | Sequence[float] = (),
    leverage: npt.ArrayLike = 0.0,
) -> Band:
    """Return the interval of a new system of a collection that the model has not seen.

    The model is residual = offset of the collection + error of the system: the offsets' variance B is the mean square
    of those of held-out collections, the errors' variance W the mean of theirs, and the quantile Student's with one
    degree of freedom less than there are collections. Systems of the new collection whose score is known tell its
    offset, and how far its systems scatter: k is their number, m the mean of their residuals, Q the sum of squares
    about it. W becomes (2 W + Q) / (k + 1): what the collections tell counts as much as three known systems. Given
    them the offset is normal with

        mean m k / (k + W / B)  and  variance W / (k + W / B)

    and the interval is prediction + mean, plus or minus quantile * sqrt(variance + W). One collection shows no offsets:
    B is infinite, and k at least 2.

    level : in (0, 1).  reach : how far errors reach at this level, relative to a normal's; broadcasts to held's shape.
    known : the residuals of the known systems.  leverage : how much more than B the offset varies, see `leverage`.

    >>> held = HeldOut(np.array([0.1, -0.1, 0.1]), np.array([0.0, 0.0, 0.0]))
    >>> round(float(band(held, 0.9).half), 4)  # 0.1 times Student's 95% quantile with 2 degrees of freedom
    0.292
    """
    collections = len(held.offset)
    # B, further away more
    between = np.mean(held.offset**2, axis=0) * (1 + np.asarray(leverage))
    within = np.mean(held.variance * np.asarray(reach) ** 2, axis=0)  # W
    count = len(known)
    # the offset's mean and variance, which known systems tell
    shift, left = 0.0, between
    if count:
        about = np.var(known) * count  # Q
        within = (PRIOR * within + about) / (PRIOR + count - 1)
        ratio = np.full(np.broadcast_shapes(between.shape, within.shape), np.inf)
        np.divide(within, between, out=ratio, where=between > 0)
        weight = count + ratio
        shift = count * np.mean(known) / weight
        left = within / weight
    quantile = float(stdtrit(collections - 1 + count, (1 + level) / 2))
    return Band(np.asarray(shift), quantile * np.sqrt(left + within))


def expected_coverage(
    parts: Sequence[Moments],
    predictors: Sequence[int],
    targets: Sequence[int],
    level: float,
    reach: Floats,
) -> Floats:
    """Return the coverage to expect on each collection of intervals made of the others: (collection, target).

    With errors of offset o and variance v in the collection, and intervals of half width h, from

        Phi((h - o) / sqrt(v)) - Phi((-h - o) / sqrt(v))

    reach : (collection, target), see `reach`. Needs three collections or more.
    """
    errors = leave_one_out(parts, predictors, targets)
    coverage = np.empty(errors.offset.shape)
    for i, part in enumerate(parts):
        # the intervals that the other collections would have made, at this one's mean predictors
        others = [*parts[:i], *parts[i + 1 :]]
        held = leave_one_out(others, predictors, targets)
        far = np.delete(reach, i, axis=0)
        away = leverage(others, part.mean[None, list(predictors)], predictors)
        half = band(held, level, reach=far, leverage=away).half
        # the share of errors, normal about o with variance v, from -h to h
        offset = errors.offset[i]
        sd = np.sqrt(np.maximum(errors.variance[i], 1e-12))
        below_high = ndtr((half - offset) / sd)
        below_low = ndtr((-half - offset) / sd)
        coverage[i] = below_high - below_low
    return coverage


def tails(data: npt.ArrayLike) -> Floats:
    """Return how far each variable's residuals reach at each of LEVELS, in standard deviations.

    data : shape (observation, variable). The residuals are those of the variable's regressions on each single other
    one, standardized and taken together. Returns shape (variable, level); NaN for a variable without residuals.
    """
    values = np.asarray(data, dtype=np.float64)
    centred = values - values.mean(axis=0)
    sums = centred.T @ centred
    squares = np.diag(sums)
    squares = np.where(squares > 0, squares, 1.0)
    variables = centred.shape[1]
    quantiles = np.full((variables, len(LEVELS)), np.nan)
    for y in range(variables):
        slopes = sums[y] / squares  # of y on each single variable
        # (observation, other variable): y less what that one predicts
        residuals = centred[:, [y]] - centred * slopes
        residuals = np.delete(residuals, y, axis=1)
        sd = residuals.std(axis=0)
        useful = sd > 1e-12
        if useful.any():
            standardized = residuals[:, useful] / sd[useful]
            quantiles[y] = np.quantile(np.abs(standardized), LEVELS)
    return quantiles


def reach(tails: Floats, level: float) -> Floats:
    """Interpolate tails of shape (..., level) at one level, relative to a normal's; 1 where there are none."""
    normal = ndtri((1 + np.array(LEVELS)) / 2)
    relative = np.where(np.isnan(tails), 1.0, tails / normal)
    # the place of the level among LEVELS, linear in the normal's quantile
    quantile = ndtri((1 + level) / 2)
    at = np.interp(quantile, normal, np.arange(len(LEVELS)))
    low = np.minimum(int(at), len(LEVELS) - 2)
    high = low + 1
    # linear between the two levels around it: weights 1 - distance
    below = relative[..., low] * (high - at)
    above = relative[..., high] * (at - low)
    return np.asarray(below + above)


def mahalanobis(data: Moments, given: Floats, variables: Sequence[int]) -> Floats:
    """Return how far given values of shape (system, variable) lie from the data, per variable: about 1 is usual.

    Directions in which the data do not vary are left out. The square times their number follows, for normal data, a
    chi-square distribution with that many degrees of freedom.
    """
    part = data.take(variables)
    unit = part.deviations()
    correlation = part.cov / unit[:, None] / unit
    values, vectors = np.linalg.eigh(correlation)
    varies = values > 1e-9
    if not varies.any():
        return np.zeros(len(given))
    standardized = (given - part.mean) / unit
    # (system, direction), each of variance 1
    scores = standardized @ vectors[:, varies] / np.sqrt(values[varies])
    return np.sqrt((scores**2).mean(axis=-1))
