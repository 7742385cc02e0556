"""Missing scores predicted from a model's other scores, with intervals whose coverage is measured on hidden cells.

The model is factor analysis: x_it = m_t + l_t z_i + e_it, z_i ~ N(0, I), e_it ~ N(0, p_t), on tasks scaled to mean 0
and deviation 1. Given l, m and p the prediction of a task is the best linear one from the tasks that the model has.
Such predictions shrink towards the mean, and so underrate whoever leads: what a model's own hidden scores say of its
errors, and of those on a task, corrects them (`_corrections`).
Sources: Rubin and Thayer (Psychometrika 1982); Little and Rubin, Statistical Analysis with Missing Data, chapter 11.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.rankings.ranks import tied_ranks

FACTORS = (1, 2, 3, 5, 8)
"""Numbers of factors that are tried; the one that predicts hidden cells best is taken."""
FOLDS, CHOOSING = 10, 2
"""Parts of the cells, hidden in turn; and those that choose the number of factors: the others measure coverage."""
STEPS = 40
"""Steps of EM, the same number for every fit."""
LEAST = 3
"""Models that must have a task for it to be predicted."""
TOP = 10
"""Models at the top of the table for which coverage is reported by itself."""
_SHIFT_PRIOR, _SPREAD_PRIOR = 4.0, 5.0
"""Hidden scores without error, and of usual error, that count for each model's and task's correction."""
_PRIOR = 2.0
_PRIOR_NOISE = 0.05
"""Each task's noise counts `_PRIOR` observations more, of this variance, so that few scores never look certain."""


class Fit(NamedTuple):
    """Factor analysis of scaled scores: loadings (task, factor), means and variances (task,)."""

    loadings: Floats
    mean: Floats
    noise: Floats


class Predictions(NamedTuple):
    """Predicted scores and how sure they are.

    mean, low, high : (model, task), for every cell, within the scale; those of cells that have a score tell what others
    say of it.  scale : its ends, (task,) both.
    factor, spread : of each model's factors the mean (model, factor), and the root of their covariance.
    fit, centre, unit : how factors become scores.  shift : of each model's scaled scores, beyond the factors', and its
    standard error, in units of `sd`, (model, 1).  sd : of the cells' errors, scaled, (model, task).
    widening : what cells' deviations are multiplied by, (model, task).
    error : root mean squared error of hidden cells.  inside : whether a hidden cell lies within its interval, of the
    cells that had no say in the number of factors; others NaN, (model, task).  top : whether a model is among the
    `TOP` best of the filled table.
    """

    mean: Floats
    low: Floats
    high: Floats
    scale: tuple[Floats | float, Floats | float]
    factor: Floats
    spread: Floats
    fit: Fit
    centre: Floats
    unit: Floats
    shift: Floats
    shift_error: Floats
    sd: Floats
    widening: Floats
    error: float
    inside: Floats
    top: Bools

    @property
    def coverage(self) -> float:
        """Return the share of hidden cells within their intervals."""
        return float(np.nanmean(self.inside))

    @property
    def coverage_of_tasks(self) -> Floats:
        """Return the share of each task's hidden cells within their intervals, (task,); NaN where there are none."""
        hidden = np.isfinite(self.inside)
        with np.errstate(invalid="ignore"):
            return np.nansum(self.inside, axis=0) / hidden.sum(axis=0)

    @property
    def coverage_of_top(self) -> float:
        """Return the share of the hidden cells of the best models within their intervals; NaN if there are none."""
        inside = self.inside[self.top]
        hidden = inside[np.isfinite(inside)]
        return float(hidden.mean()) if hidden.size else np.nan


def predict(
    scores: Floats,
    rng: np.random.Generator,
    *,
    level: float = 0.9,
    scale: tuple[Floats | float, Floats | float] = (-np.inf, np.inf),
) -> Predictions:
    """Predict the missing scores of a table (model, task) from the others, with intervals of this level.

    scale : the least and the largest score of each task, (task,) both; a prediction beyond is the nearest one within.
    The intervals' width is set, and their coverage measured, on cells that are hidden in turn, a tenth at a time: the
    width for one tenth comes from the other nine. A task with fewer than `LEAST` scores raises ScoresError.
    """
    present = np.isfinite(scores)
    if present.sum(axis=0).min() < LEAST or len(scores) < LEAST:
        raise ScoresError(
            f"cannot predict scores on a task that fewer than {LEAST} models have; use --holes bounds"
        )
    centre, unit = _scaling(scores)
    scaled = (scores - centre) / unit
    fold = np.where(present, rng.integers(0, FOLDS, scores.shape), -1)
    factors = _best_number(scaled, fold)
    missed, sds = _errors(scaled, fold, factors)
    corrected = _corrections(-missed / sds)
    # half an interval is as many standard deviations as hidden cells need
    wide = float(np.quantile(corrected.ratio[present], level))
    fit = _fit_by_em(scaled, factors)
    factor, spread, sd = _conditional_moments(scaled, fit)
    mean = centre + unit * (fit.mean + factor @ fit.loadings.T + corrected.shift * sd)
    mean = np.clip(mean, *scale)
    widening = wide * np.sqrt(corrected.variance)
    half = widening * unit * sd
    errors = (missed + corrected.shift_without * sds) * unit
    filled = np.where(present, scaled, (mean - centre) / unit).mean(axis=1)
    return Predictions(
        mean=mean,
        low=np.clip(mean - half, *scale),
        high=np.clip(mean + half, *scale),
        scale=scale,
        factor=factor,
        spread=spread,
        fit=fit,
        centre=centre,
        unit=unit,
        shift=corrected.shift,
        shift_error=corrected.shift_error,
        sd=sd,
        widening=widening / float(ndtri((1 + level) / 2)),
        error=float(np.sqrt(np.mean(errors[fold >= CHOOSING] ** 2))),
        inside=_within_intervals(corrected.ratio, fold, level),
        top=np.asarray(tied_ranks(-filled, "min") <= TOP),
    )


class Corrections(NamedTuple):
    """What hidden cells say of each model's and each task's errors, in predicted standard deviations.

    shift : what a model's scores exceed their predictions by, and its standard error, (model, 1).
    shift_without : the same from the model's other cells, (model, task).
    variance : of errors, in units of the predicted, (model, task).
    ratio : sizes of hidden cells' errors, corrected by what the other cells say, (model, task).
    """

    shift: Floats
    shift_error: Floats
    shift_without: Floats
    variance: Floats
    ratio: Floats


def _corrections(excess: Floats) -> Corrections:
    """Learn from hidden cells' excess over predictions, in predicted deviations, (model, task), NaN where not hidden.

    shift = sum of a model's excesses / (their number + 4): few of them say little.
    variance = (sum of squares + 5) / (number + 5), by model, then by task, of excesses beyond the shift. Of a hidden
    cell both come from the other cells of its model and task, as they do of a missing one.
    """
    present = np.isfinite(excess)
    held = np.where(present, excess, 0.0)
    count = present.sum(axis=1, keepdims=True)
    total = held.sum(axis=1, keepdims=True)
    shift = total / (count + _SHIFT_PRIOR)
    without = (total - held) / (np.maximum(count - 1, 0) + _SHIFT_PRIOR)
    left = excess - without
    usual = left / np.sqrt(np.nanmean(left**2))
    by_model, of_model = _variances(usual, axis=1)
    by_task, of_task = _variances(usual / np.sqrt(of_model), axis=0)
    return Corrections(
        shift,
        1 / np.sqrt(count + _SHIFT_PRIOR),
        without,
        by_model * by_task,
        np.abs(left) / np.sqrt(of_model * of_task),
    )


def _variances(errors: Floats, axis: int) -> tuple[Floats, Floats]:
    """Return the mean squares along an axis, with a prior of 1; of all cells, and of all others than each cell."""
    present = np.isfinite(errors)
    squares = np.where(present, errors, 0.0) ** 2
    count = present.sum(axis=axis, keepdims=True)
    total = squares.sum(axis=axis, keepdims=True) + _SPREAD_PRIOR
    every = total / (count + _SPREAD_PRIOR)
    without = (total - squares) / (np.maximum(count - 1, 0) + _SPREAD_PRIOR)
    return every, without


def _errors(scaled: Floats, fold: Ints, factors: int) -> tuple[Floats, Floats]:
    """Hide each fold in turn; return its cells' errors, and their predicted deviations: (model, task) both."""
    missed = np.full(scaled.shape, np.nan)
    sds = np.full(scaled.shape, np.nan)
    for hidden in range(FOLDS):
        away = fold == hidden
        mean, sd = _predict_hidden(scaled, away, factors)
        missed[away] = (mean - scaled)[away]
        sds[away] = sd[away]
    return missed, sds


def draw(
    scores: Floats, predicted: Predictions, draws: int, rng: np.random.Generator
) -> Floats:
    """Fill the holes `draws` times with what they may be: (draw, model, task); a model's errors go together."""
    models, factors = predicted.factor.shape
    fit = predicted.fit
    # a model's factors and its shift: one draw for all of its tasks
    normal = rng.standard_normal((draws, models, factors, 1))
    moved = (predicted.spread @ normal)[..., 0] @ fit.loadings.T
    shift = predicted.shift_error * rng.standard_normal((draws, models, 1))
    # each cell's own error
    noise = np.sqrt(fit.noise) * rng.standard_normal((draws, *scores.shape))
    error = moved + shift * predicted.sd + noise
    filled = predicted.mean + predicted.unit * predicted.widening * error
    return np.where(np.isfinite(scores), scores, np.clip(filled, *predicted.scale))


def _within_intervals(ratio: Floats, fold: Ints, level: float) -> Floats:
    """Say which hidden cells lie within intervals whose width the other folds set; NaN in the choosing folds."""
    inside = np.full(ratio.shape, np.nan)
    for hidden in range(CHOOSING, FOLDS):
        here = fold == hidden
        width = np.quantile(ratio[(fold >= 0) & ~here], level)
        inside[here] = ratio[here] <= width
    return inside


def _scaling(scores: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each task, 1 where all its scores are alike."""
    centre = np.nanmean(scores, axis=0)
    sd = np.nanstd(scores, axis=0, ddof=1)
    return centre, np.where(sd > 1e-12, sd, 1.0)


def _best_number(scaled: Floats, fold: Ints) -> int:
    """Choose the number of factors that predicts the cells of the choosing folds best."""
    most = max(1, min(scaled.shape) // 4)
    away = (fold >= 0) & (fold < CHOOSING)
    errors = {}
    for number in FACTORS:
        if number <= most:
            mean, _ = _predict_hidden(scaled, away, number)
            errors[number] = np.square((mean - scaled)[away]).sum()
    return min(errors, key=lambda number: errors[number])


def _predict_hidden(scaled: Floats, away: Bools, factors: int) -> tuple[Floats, Floats]:
    """Predict every cell, mean and standard deviation, from a table without some cells."""
    seen = np.where(away, np.nan, scaled)
    fit = _fit_by_em(seen, factors)
    factor, _, sd = _conditional_moments(seen, fit)
    return fit.mean + factor @ fit.loadings.T, sd


def _posterior(scaled: Floats, fit: Fit) -> tuple[Floats, Floats]:
    """Return the mean (model, factor) and the covariance (model, factor, factor) of each model's factors."""
    present = np.isfinite(scaled)
    tasks, factors = fit.loadings.shape
    # P^-1 L, (task, factor), and each task's part in L' P^-1 L, (task, factor x factor)
    weighted = fit.loadings / fit.noise[:, None]
    squares = weighted[:, :, None] * fit.loadings[:, None, :]
    squares = squares.reshape(tasks, -1)
    # covariance = (I + L' P^-1 L)^-1, summed over the tasks that the model has
    precision = (present @ squares).reshape(-1, factors, factors) + np.eye(factors)
    covariance: Floats = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    # mean = covariance L' P^-1 (x - m)
    centred = np.where(present, scaled - fit.mean, 0.0)
    against = centred @ weighted
    mean = np.einsum("irs,is->ir", covariance, against)
    return mean, covariance


def _conditional_moments(scaled: Floats, fit: Fit) -> tuple[Floats, Floats, Floats]:
    """Return factors' means, roots of their covariances, and cells' standard deviations, given models' scores."""
    factor, covariance = _posterior(scaled, fit)
    # S with covariance = S S'
    spread: Floats = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    # variance of a cell = l' covariance l + noise = |l' S|^2 + noise
    along = np.einsum("tr,irs->its", fit.loadings, spread)
    variance = (along**2).sum(axis=2) + fit.noise
    return factor, spread, np.sqrt(variance)


def _fit_by_em(scaled: Floats, factors: int) -> Fit:
    """Fit by EM, with a standard normal prior on loadings and a weak one on variances."""
    present = np.isfinite(scaled)
    values = np.where(present, scaled, 0.0)
    tasks = scaled.shape[1]
    fit = Fit(_first_loadings(values, factors), np.zeros(tasks), np.full(tasks, 0.5))
    for _ in range(STEPS):
        factor, covariance = _posterior(scaled, fit)
        fit = _maximize(values, present, factor, covariance, fit.noise)
    return fit


def _first_loadings(values: Floats, factors: int) -> Floats:
    """Start from the principal components of the table with its holes at the mean."""
    _, size, right = np.linalg.svd(values, full_matrices=False)
    return np.asarray((right[:factors] * size[:factors, None]).T / np.sqrt(len(values)))


def _maximize(
    values: Floats, present: Bools, factor: Floats, covariance: Floats, noise: Floats
) -> Fit:
    """Regress each task on the factors, and a constant, of the models that have it.

    values : (model, task), 0 where not present.  factor, covariance : of `_posterior`.  noise : (task,), so far.
    """
    models, factors = factor.shape
    # k, a model's factors and the constant: (model, factor + 1)
    known = np.concatenate([factor, np.ones((models, 1))], axis=1)
    # E[k k']: the factors are known up to their covariance only
    second = known[:, :, None] * known[:, None, :]
    second[:, :factors, :factors] += covariance
    # sum of k k' over the models that have the task: (task, factor + 1, factor + 1)
    size = factors + 1
    gram = (present.T @ second.reshape(models, -1)).reshape(-1, size, size)
    # a normal prior on loadings adds noise / 1; the constant has next to none
    ridge = np.append(np.ones(factors), 1e-6)
    gram_with_prior = gram + noise[:, None, None] * np.diag(ridge)
    right = values.T @ known  # sum of x k: (task, factor + 1)
    slopes = np.linalg.solve(gram_with_prior, right[..., None])[..., 0]
    # sum (x - b'k)^2 = sum x^2 - 2 b' sum x k + b' (sum k k') b
    squares = (values**2).sum(axis=0)
    products = (slopes * right).sum(axis=1)
    fitted = np.einsum("tk,tkl,tl->t", slopes, gram, slopes)
    left = squares - 2 * products + fitted
    # the variance of the residuals and of the prior's
    count = present.sum(axis=0)
    noise = (np.maximum(left, 0.0) + _PRIOR * _PRIOR_NOISE) / (count + _PRIOR)
    return Fit(slopes[:, :factors], slopes[:, factors], np.maximum(noise, 1e-6))
