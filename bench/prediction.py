"""Choosing predictors, the whole table (12 targets, 1 to 3 predictors), beside a loop over scikit-learn and scipy."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau
from sklearn.linear_model import LinearRegression

from bench.timing import line, ratio, seconds
from irmeta.stats.prediction.predictors import best_predictors, folds

Floats = npt.NDArray[np.float64]


def systems(count: int, metrics: int, seed: int) -> Floats:
    """Simulate scores of shape (system, metric) with the correlation of real ones, to four decimals as in tables."""
    rng = np.random.default_rng(seed)
    good = rng.normal(size=(count, 1))
    return np.round(
        1 / (1 + np.exp(1 - 0.8 * good - 0.3 * rng.normal(size=(count, metrics)))), 4
    )


def by_loop(train: Floats, dev: Floats, sizes: range) -> list[tuple[int, ...]]:
    """Choose as the released code does: fit, predict and correlate one subset after the other."""
    chosen = []
    metrics = range(train.shape[1])
    for target in metrics:
        for size in sizes:
            best, kept = -2.0, ()
            for subset in combinations(
                [metric for metric in metrics if metric != target], size
            ):
                model = LinearRegression().fit(train[:, subset], train[:, target])
                tau = kendalltau(
                    dev[:, target], model.predict(dev[:, subset])
                ).statistic
                if tau > best:
                    best, kept = tau, subset
            chosen.append(kept)
    return chosen


def at_once(train: Floats, dev: Floats, sizes: range) -> list[tuple[int, ...]]:
    every = range(train.shape[1])
    fold = folds([train], [dev])
    found = [best_predictors(fold, every, every, size).predictors for size in sizes]
    return [
        tuple(int(i) for i in found[s][target])
        for target in every
        for s in range(len(sizes))
    ]


def main() -> None:
    train, dev = systems(428, 12, seed=1), systems(48, 12, seed=2)
    assert at_once(train, dev, range(1, 4)) == by_loop(train, dev, range(1, 4)), (
        "both choose the same predictors"
    )
    ours, theirs, _ = ratio(
        lambda: at_once(train, dev, range(1, 4)),
        lambda: by_loop(train, dev, range(1, 4)),
    )
    line("12 targets, 1-3 of 11 predictors, 428 + 48 systems", ours, theirs, target=200)
    train, dev = systems(428, 23, seed=1), systems(48, 23, seed=2)
    every = range(23)
    one = seconds(
        lambda: [
            best_predictors(folds([train], [dev]), every, [0], size)
            for size in range(1, 7)
        ]
    )
    print(
        f"{'1 target, 1-6 of 22 predictors (110,055 subsets)':<60} {one:10.2f} s   (aim: under 60 s)",
        flush=True,
    )
    all_targets = seconds(
        lambda: [
            best_predictors(folds([train], [dev]), every, every, size)
            for size in range(1, 7)
        ]
    )
    print(
        f"{'all 23 targets, 1-6 of 22 predictors (2,531,265 subsets)':<60} {all_targets:10.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
