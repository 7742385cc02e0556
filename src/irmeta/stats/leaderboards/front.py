"""Who is on the front of quality against cost: the models than which no cheaper one is as good.

A model is on the front if every cheaper model is worse, and no model of the same cost is better.
"""

import numpy as np

from irmeta.stats.arrays import Bools, Floats, Indices


def possible(cost: Floats, better: Bools) -> Bools:
    """Return the models that may be on the front: no model that costs as much or less is surely better.

    cost : (model,).  better : (model, model), whether the row's model is surely better than the column's. Where all of
    these claims are right, every model of the true front is among them.

    >>> better = np.array([[False, True, False], [False, False, False], [False, False, False]])
    >>> possible(np.array([1.0, 2.0, 3.0]), better).tolist()
    [True, False, True]
    """
    beaten = better & _as_cheap(cost)
    return np.asarray(~beaten.any(axis=0))


def sure(cost: Floats, better: Bools) -> Bools:
    """Return the models that are surely on the front: surely better than every other that costs as much or less.

    >>> better = np.array([[False, True, False], [False, False, False], [False, True, False]])
    >>> sure(np.array([1.0, 2.0, 3.0]), better).tolist()
    [True, False, False]
    """
    rivals = _as_cheap(cost)
    np.fill_diagonal(rivals, False)
    return np.asarray((better | ~rivals.T).all(axis=1))


def by_values(cost: Floats, value: Floats) -> Bools:
    """Return the front of values as they stand; a model whose value is NaN is not on it.

    >>> by_values(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.5, 0.5, 0.7, 0.6])).tolist()
    [True, False, True, False]
    """
    above = value[:, None] > value
    equal = value[:, None] == value
    cheaper = cost[:, None] < cost
    beaten = (above & _as_cheap(cost)) | (equal & cheaper)
    return ~beaten.any(axis=0) & np.isfinite(value)


def beaten_by(cost: Floats, better: Bools, value: Floats) -> Indices:
    """Return, of each model, the best by value of those that cost as much or less and are surely better; else -1."""
    rivals = better & _as_cheap(cost)
    worth = np.where(rivals, np.nan_to_num(value, nan=-np.inf)[:, None], -np.inf)
    best = worth.argmax(axis=0)
    return np.where(rivals.any(axis=0), best, -1)


def _as_cheap(cost: Floats) -> Bools:
    """Say whether the row's model costs as much as the column's, or less: (model, model)."""
    return np.asarray(cost[:, None] <= cost)
