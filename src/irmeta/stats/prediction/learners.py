"""Models other than least squares that predict a metric from others, by one signature."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irmeta.choices import Learner
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.intervals import HeldOut
from irmeta.stats.prediction.regression import least_squares, moments

Fit = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""Training predictors (system, k) and target (system,) to a function that predicts from predictors (system, k)."""


def learner(
    name: Learner,
    *,
    kernel: float | None = None,
    standardize: bool = True,
    rng: int = 0,
) -> Fit:
    """Return the model of this name.

    kernel : the size s of the radial kernel exp(-|x - y|^2 / (2 s^2)) of "svr"; by default s^2 is half the number of
    predictors, times their variance, as scikit-learn scales it.
    standardize : bring predictors to mean 0 and standard deviation 1 first; least squares needs no such step.
    rng : seed of "boosting".

    >>> predict = learner("ols")(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> predict(np.array([[3.0]])).round(6).tolist()
    [7.0]
    """
    if name == "ols":
        return _least_squares
    return lambda x, y: _estimator(name, kernel, standardize, rng).fit(x, y).predict


def held_out(parts: Sequence[Floats], fit: Fit) -> HeldOut:
    """Predict each collection by a model fitted on all others; needs two collections or more.

    parts : scores of each, (system, k + 1), the target last.  Returns the mean and the variance of its residuals,
    each (collection, 1).
    """
    offsets, variances = [], []
    for i, held in enumerate(parts):
        others = np.concatenate([*parts[:i], *parts[i + 1 :]])
        predict = fit(others[:, :-1], others[:, -1])
        predicted = predict(held[:, :-1])
        residuals = held[:, -1] - predicted
        offsets.append([residuals.mean()])
        variances.append([residuals.var()])
    return HeldOut(np.array(offsets), np.array(variances))


def _least_squares(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Fit y on x by least squares with an intercept; see `Fit`."""
    data = moments(np.column_stack([x, y]))
    slopes, intercept = least_squares(data, range(x.shape[1]), [x.shape[1]])
    return lambda new: np.asarray(new @ slopes[:, 0] + intercept[0])


def _estimator(name: Learner, kernel: float | None, standardize: bool, rng: int) -> Any:
    """Return scikit-learn's model of this name, not yet fitted, behind a step that standardizes predictors if asked."""
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.svm import SVR

    first = StandardScaler() if standardize else FunctionTransformer()
    # scikit-learn's gamma is 1 / (2 s^2)
    gamma = "scale" if kernel is None else 1 / (2 * kernel**2)
    models: dict[Learner, Callable[[], Any]] = {
        "ridge": lambda: RidgeCV(alphas=np.logspace(-3, 3, 13)),
        "svr": lambda: SVR(C=1.0, epsilon=0.01, gamma=gamma),
        "boosting": lambda: GradientBoostingRegressor(random_state=rng % 2**32),
    }
    return make_pipeline(first, models[name]())
