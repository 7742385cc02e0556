"""Gupta et al. (ECIR 2019), section 6: the ranking of metrics, published and ours."""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import xarray as xr
from scipy.stats import kendalltau

from irmeta.choices import Matrix, Search
from irmeta.metrics.names import split
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.branch_and_bound import best_subsets
from irmeta.stats.subsets.criteria import LogDeterminant
from irmeta.stats.subsets.matrices import symmetrized, without
from irmeta.stats.subsets.orders import Order, explained_by_each, log_determinant
from irmeta.stats.subsets.selection import ORDERS
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only
from irmeta.studies.choice.ranking.study import rank

SHEFFIELD = np.array(
    [
        [53.32, 27.41, 35.74, 5.86, 36.04, 33.56, 7.77],
        [27.41, 17.01, 21.35, 11.36, 29.35, 21.29, 4.13],
        [35.74, 21.35, 31.66, 20.01, 46.46, 31.03, 6.69],
        [5.86, 11.36, 20.01, 131.71, 131.64, 38.14, 8.26],
        [36.04, 29.35, 46.56, 131.64, 210.83, 86.25, 19.10],
        [33.56, 21.29, 31.03, 38.14, 86.25, 50.01, 11.51],
        [7.77, 4.13, 6.69, 8.26, 19.10, 11.51, 9.80],
    ]
)
"""Covariances of seven spectral bands, as the released code has them: elements (3, 5) and (5, 3) differ."""

OPTIMAL = (5, 4, 1, 7, 6, 3, 2)
"""The optimal order of Sheffield's bands, as a comment of the released code gives it."""

TABLE_3: dict[Search, list[str]] = {
    "ib": split(
        "AP@1000 P@1000 nDCG@1000 RBP(p=0.95) ERR@20 Rprec R@1000 Bpref AP@100 P@100 nDCG@100 RBP(p=0.8) R@100 AP@20 "
        "P@20 nDCG@20 RBP(p=0.5) R@20 AP@10 P@10 nDCG@10 R@10 RR"
    ),
    "gf": split(
        "AP@1000 P@1000 nDCG@1000 RBP(p=0.95) ERR@20 Rprec Bpref R@1000 AP@100 P@100 RBP(p=0.8) nDCG@100 R@100 AP@20 "
        "P@20 RBP(p=0.5) nDCG@20 R@20 P@10 AP@10 nDCG@10 R@10 RR"
    ),
}
MATRICES: tuple[Matrix, ...] = ("covariance", "correlation")
OPERATIONS: Mapping[str, Callable[[int], float]] = {
    # n determinants of n - 1 variables, by elimination, while n go down to 1
    "sheffield": lambda size: sum(n * (n - 1) ** 3 / 3 for n in range(1, size + 1)),
    # one inversion, and an update of the inverse at each step
    "ib": lambda size: size**3 + sum(n**2 for n in range(1, size + 1)),
    # at each step a sum of squares for each variable left, and an update
    "gf": lambda size: sum(2 * n**2 for n in range(1, size + 1)),
}
"""Multiplications of a whole order of S variables, by method."""
COUNTED = "counted by step: determinants by elimination (n^3 / 3), one inversion (n^3), updates (n^2)"
DRAWN = 1000
"""Random sets on which the steps of the proof are tested."""


def backward_as_printed(sigma: Floats) -> Order:
    """Order variables by Algorithm 1 to the letter: it conditions on the dropped variable instead of forgetting it."""
    left = np.arange(len(sigma))
    dropped = []
    while left.size:
        worst = int(np.argmax(np.diag(np.linalg.inv(sigma))))
        sigma = _rest(sigma, worst)
        dropped.append(left[worst])
        left = np.delete(left, worst)
    return np.array(dropped[::-1], dtype=np.intp)


def row_sums_updated(sigma: Floats) -> Order:
    """Order variables as the released forward_greedy.m does, with the update of Algorithm 2 that it leaves out."""
    left = np.arange(len(sigma))
    order = []
    while left.size:
        best = int(np.argmax(sigma.sum(axis=1)))
        sigma = _rest(sigma, best)
        order.append(left[best])
        left = np.delete(left, best)
    return np.array(order, dtype=np.intp)


def _rest(sigma: Floats, i: int) -> Floats:
    """Return the covariances of the other variables once variable i explains what it can."""
    return np.delete(np.delete(without(sigma, i), i, axis=0), i, axis=1)


def sheffield_cells() -> Iterator[Cell]:
    """Return each method's order of Sheffield's bands, and its determinants over the largest of their size."""
    sigma, _ = symmetrized(SHEFFIELD)
    n = len(sigma)
    best = best_subsets(LogDeterminant(), sigma[None], range(1, n))
    orders = {name: order(sigma, np.arange(n), []) for name, order in ORDERS.items()}
    del orders["trace"]
    orders["ib as printed"] = backward_as_printed(sigma)
    orders["gf-code with update"] = row_sums_updated(sigma)
    item = "Sheffield example"
    for method, ours in orders.items():
        for position, band in enumerate(ours + 1):
            column, own = f"band at {position + 1}", float(band)
            if method == "ib":
                optimal = OPTIMAL[position]
                yield compare(item, method, column, optimal, own, within=0)
            else:
                yield ours_only(item, method, column, own)
        for k in range(1, n):
            value = float(np.exp(log_determinant(sigma, ours[:k]) - best[k].value))
            column = f"ratio to the largest determinant of {k}"
            yield ours_only(item, method, column, value)


def table_3_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """Hold the published ranks to those by the covariance of the rows released for ranking."""
    known = "by the covariance of all rows of the file released for ranking"
    for method, published in TABLE_3.items():
        ours = _ranks(scores, method, "covariance")
        for position, metric in enumerate(published, 1):
            yield compare(
                *("Table 3", method, f"rank of {metric}", position, ours[metric]),
                within=0,
                known=known,
            )


def stand_in_cells(tables: dict[str, xr.DataArray]) -> Iterator[Cell]:
    """Return the ranks that the released means give, and Kendall's tau of the published ranks with them."""
    item = "Table 3, by the released means"
    for method, published in TABLE_3.items():
        ours = _ranks(tables["train"], method, "covariance")
        for position, metric in enumerate(published, 1):
            note = f"published: {position}; covariance of means of systems"
            yield ours_only(item, method, f"rank of {metric}", ours[metric], note)
        for rows, scores in (("train", tables["train"]), ("train and tests", tables)):
            for matrix in MATRICES:
                found = _ranks(scores, method, matrix)
                order = [found[metric] for metric in published]
                tau = float(kendalltau(order, range(len(published))).statistic)
                column = f"tau with ours, {matrix}, {rows}"
                yield ours_only(item, method, column, tau, "1 is the same order")


def claim_cells(train: xr.DataArray) -> Iterator[Cell]:
    """Return what the paper claims of its methods beside what holds on the released training scores."""
    item, column = "Section 6, claims", "smallest ratio to the optimum"
    lowest = {
        (method, matrix): float(rank(train, method, matrix)["ratio_to_optimum"].min())
        for method in ("ib", "gf")
        for matrix in MATRICES
    }
    heuristic = "backward elimination is not exact: a branch-and-bound search finds larger determinants"
    said = "iterative backward always returns the optimal set"
    backward, greedy = (lowest[method, "covariance"] for method in ("ib", "gf"))
    yield claim(
        *(item, "ib", column, backward), said=said, least=1 - 1e-6, known=heuristic
    )
    not_det = "the greedy criterion is the trace of the residual covariance, so its bound says nothing of determinants"
    said = "no worse than 63% of the optimal solution"
    yield claim(
        *(item, "gf", column, greedy), said=said, least=1 - 1 / math.e, known=not_det
    )
    error = 1 - greedy
    said = "guaranteed to incur no more than 27% error"
    slip = f"{not_det}; and 1 - (1 - 1/e) is 37%"
    yield claim(
        "Section 6.3", "gf", "largest error", error, said=said, most=0.27, known=slip
    )
    for method in ("ib", "gf"):
        yield ours_only(
            item, method, f"{column}, correlation", lowest[method, "correlation"]
        )


def figure_3_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """Hold what can be read off Figure 3 to the rows released for ranking."""
    sigma = np.cov(scores.sel(metric=TABLE_3["ib"]).values[:, 0].T)
    first = float(np.log10(sigma[0, 0]))
    known = "by all rows of the file; -0.6 is a variance of 0.25, the most a score in [0, 1] can have"
    yield compare(
        *("Figure 3a", "P@1000", "log10 of what is left, AP@1000 alone", -0.6, first),
        within=0.05,
        known=known,
    )
    sizes = range(1, len(sigma) + 1)
    sub = [log_determinant(sigma, np.arange(size)) / np.log(10) for size in sizes]
    index = np.log10(explained_by_each(sigma, np.arange(len(sigma))))
    for item, row, ends, found in (
        ("Figure 3a", "sub-determinants", (-53, 0), np.array(sub)),
        ("Figure 3b", "principal index", (-2.8, 0.15), index),
    ):
        ours = (float(found.min()), float(found.max()))
        for word, end, own in zip(("smallest", "largest"), ends, ours, strict=True):
            column = f"{word}, log10"
            known = "read off the figure; by all rows of the file released for ranking"
            yield compare(item, row, column, end, own, within=0.1, known=known)


def proof_cells(train: xr.DataArray, rng: np.random.Generator) -> Iterator[Cell]:
    """Test both steps of the proof for greedy forward on random sets of the 23 metrics, by their covariance."""
    sigma = np.cov(train.values[:, 0].T)
    identity, submodular = np.array(
        [_proof_holds(sigma, rng) for _ in range(DRAWN)]
    ).mean(axis=0)
    item = "Section 6.2, proof"
    column = f"share of {DRAWN} random sets"
    said = "f(O + i) = f(O) + sum of sigma_ij^2 / sigma_ii, with f the determinant"
    known = "the determinant is multiplied by sigma_ii, conditioned on O; what grows by this sum is explained variance"
    yield claim(item, "identity", column, identity, said=said, least=1, known=known)
    known = "a metric adds less to the determinant of a small set than of a large one: variances here are far below 1"
    said = "the determinant is sub-modular"
    row = "submodularity"
    yield claim(item, row, column, submodular, said=said, least=1, known=known)


def _proof_holds(sigma: Floats, rng: np.random.Generator) -> tuple[bool, bool]:
    """Say whether the identity holds and f is submodular on one random set O, with metrics i and j outside."""
    order = rng.permutation(len(sigma))
    size = int(rng.integers(1, 5))
    inside = order[:size]
    i = order[size]
    j = order[size + 1]
    outside = order[size:]
    # the covariance of the metrics outside, given those inside
    across = sigma[np.ix_(inside, outside)]
    slopes = np.linalg.solve(sigma[np.ix_(inside, inside)], across)
    left = sigma[np.ix_(outside, outside)] - sigma[np.ix_(outside, inside)] @ slopes
    gain = (left[0] ** 2).sum() / left[0, 0]
    f, f_i, f_j, f_ij = (
        np.exp(log_determinant(sigma, chosen))
        for chosen in (inside, [*inside, i], [*inside, j], [*inside, i, j])
    )
    identity = np.isclose(f_i - f, gain, rtol=1e-6, atol=0)
    return bool(identity), bool(f_i - f >= f_ij - f_j)


def complexity_cells() -> Iterator[Cell]:
    """Count the multiplications of whole orders of S variables, for which Table 2 prints O(S^5), O(S^4) and O(S^3)."""
    item = "Table 2"
    for method, count in OPERATIONS.items():
        for size in (25, 50, 100):
            counted = count(size) / 1e6
            column = f"million multiplications for S={size}"
            yield ours_only(item, method, column, counted, COUNTED)
    for method in ("ib", "gf"):
        ratio = OPERATIONS["sheffield"](100) / OPERATIONS[method](100)
        said = "lower time complexity than Sheffield's"
        column = "times fewer multiplications than Sheffield, S=100"
        yield claim(item, method, column, ratio, said=said, least=2)


def _ranks(
    scores: xr.DataArray | dict[str, xr.DataArray], method: Search, matrix: Matrix
) -> dict[str, int]:
    """Return the place of each metric in the order of a method, from 1."""
    order = rank(scores, method, matrix)["order"].values
    return {str(metric): position for position, metric in enumerate(order, 1)}
