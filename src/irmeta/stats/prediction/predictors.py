"""The best predictors of each size: every subset is fitted, the one that orders held-out systems best is kept."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Indices, settled
from irmeta.stats.prediction.regression import Moments, least_squares, moments, pool
from irmeta.stats.rankings.rank import tau_b

_CELLS = 4_000_000
"""Predictions held in memory at a time."""


class Fold(NamedTuple):
    """Data to fit on, and the scores of other systems to choose by, of shape (system, variable)."""

    train: Moments
    dev: Floats


class Predictors(NamedTuple):
    """The best subset of predictors of each target, of shape (target, k), and its mean tau over the folds."""

    predictors: Indices
    tau: Floats


def folds(train: Sequence[Floats], dev: Sequence[Floats]) -> list[Fold]:
    """Return what subsets are chosen by: the dev collections, else each training collection by a fit on the others.

    train, dev : scores of shape (system, variable), one array a collection.
    """
    parts = [moments(scores) for scores in train]
    if dev:
        return [Fold(pool(parts), scores) for scores in dev]
    if len(train) < 2:
        raise ScoresError(
            "--choose leave-one-out needs at least 2 training collections; add one, or choose on a dev collection"
        )
    return [
        Fold(pool([*parts[:i], *parts[i + 1 :]]), scores)
        for i, scores in enumerate(train)
    ]


def best_predictors(
    folds: Sequence[Fold], candidates: Sequence[int], targets: Sequence[int], k: int
) -> Predictors:
    """Try all subsets of k candidates other than the target; the highest mean tau-b over the folds wins.

    Subsets are tried in the order of `itertools.combinations`; the first wins ties. A tau that is not defined (all
    predictions or all scores equal) counts as below every other. Source: Gupta et al. (ECIR 2019), section 5.
    """
    target = np.asarray(targets)
    best = np.full(len(target), -np.inf)
    chosen = np.zeros((len(target), k), dtype=np.intp)
    systems = max(len(fold.dev) for fold in folds)
    size = max(1, _CELLS // (len(target) * systems))
    for subsets in chunks(candidates, k, size):  # (subset, k)
        usable = (subsets != target[:, None, None]).all(axis=2)  # (target, subset)
        # the usable subsets of each target first; a target may have fewer than another
        most = usable.sum(axis=1).max()
        kept = np.argsort(~usable, axis=1, kind="stable")[:, :most]
        # (target, kept)
        taus = np.mean([_taus(fold, subsets, kept, target) for fold in folds], axis=0)
        unusable = ~np.take_along_axis(usable, kept, axis=1)
        taus[np.isnan(taus) | unusable] = -np.inf
        first = taus.argmax(axis=1)  # argmax gives the first of equals
        found = taus.max(axis=1)
        better = found > best
        best[better] = found[better]
        chosen[better] = subsets[kept[better, first[better]]]
    return Predictors(chosen, best)


def _taus(fold: Fold, subsets: Indices, kept: Indices, targets: Indices) -> Floats:
    """Fit all targets on every subset; return tau on held-out systems for those kept of each target: (target, kept)."""
    # (subset, k, target), (subset, target)
    slopes, intercepts = least_squares(fold.train, subsets, targets)
    given = fold.dev[:, subsets]  # (system, subset, k)
    # (target, subset, system): sum of slope x predictor, and the intercept
    products = np.einsum("nsk,skt->tsn", given, slopes, optimize=True)
    predicted = products + intercepts.T[:, :, None]
    # (target, kept, system)
    predicted = np.take_along_axis(predicted, kept[:, :, None], axis=1)
    actual = fold.dev.T[targets, None, :]  # (target, 1, system)
    taus = np.asarray(tau_b(settled(predicted), settled(actual)))
    return taus[..., 0]


def chunks(candidates: Sequence[int], k: int, size: int) -> Iterator[Indices]:
    """Yield all subsets of k candidates, in the order of `itertools.combinations`, in arrays of at most `size`."""
    subsets = combinations(candidates, k)
    while part := list(islice(subsets, size)):
        yield np.array(part, dtype=np.intp)
