"""Choose variables from a covariance matrix, by any method, beside the proven optimum of every size."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from irmeta.choices import Objective, Search
from irmeta.stats.subsets.branch_and_bound import Best, best_subsets
from irmeta.stats.subsets.criteria import Criterion, ExplainedVariance, LogDeterminant, choose, diagonals
from irmeta.stats.subsets.matrices import Floats
from irmeta.stats.subsets.orders import (
    Order,
    greedy,
    iterative_backward,
    log_determinant,
    row_sums,
    sheffield,
    unexplained,
)

CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {"determinant": LogDeterminant(), "unreported": ExplainedVariance()}
)

WORK = 5e8
"""The limit of a search made again and again, as `best_subsets` counts work: 23 metrics take 5e7, 60 a second."""
NONE = np.arange(0), False
"""What is chosen again where nothing that can be paid for was found."""


def _trace(sigma: Floats, candidates: Order, include: list[int]) -> Order:
    layers = ExplainedVariance().layers(sigma)[:, candidates[:, None], candidates]
    return greedy(ExplainedVariance(), layers, include)


def _among(order: Callable[[Floats, list[int]], Order]) -> Callable[[Floats, Order, list[int]], Order]:
    return lambda sigma, candidates, include: order(sigma[np.ix_(candidates, candidates)], include)


ORDERS: Mapping[str, Callable[[Floats, Order, list[int]], Order]] = MappingProxyType(
    {
        "ib": _among(iterative_backward),
        "gf": _trace,
        "gf-code": _among(row_sums),
        "pivot": _among(lambda sigma, include: greedy(LogDeterminant(), sigma[None], include)),
        "sheffield": _among(sheffield),
        "trace": _trace,
    }
)
"""Each method that gives one order; `gf` is the trace criterion under the name of Gupta et al. (ECIR 2019)."""


@dataclass(frozen=True)
class Task:
    """What to choose from, how, and by what it is judged."""

    method: Search
    objective: Objective
    candidates: Order  # ascending; the others cannot be chosen, but count among those to be explained
    include: Order  # of the candidates, in every subset
    largest: int  # the largest size
    cost: Floats  # of each variable
    budget: float = np.inf
    time_limit: float = np.inf  # in seconds, of the one search in `select`


@dataclass(frozen=True)
class Selection:
    """Subsets by size, the method's and the best found, and the one order of all sizes."""

    order: Order  # as long as the largest subset
    chosen: dict[int, Order]
    optima: dict[int, Best]  # `value` and `bound` are those of the criterion


def select(sigma: Floats, task: Task) -> Selection:
    """Choose subsets of every size from a covariance matrix that is positive definite on the candidates.

    A method that gives one order has its first variables as subsets. The method "exact" has the best subset of each
    size; its order goes by the number of sizes whose best subset holds a variable, which is the only order there is
    where the best subsets are nested; ties go to the greedy order. Sizes nobody can afford are left out.
    """
    optima = _optima(sigma, task, time_limit=task.time_limit)
    if task.method == "exact":
        chosen = {size: one.subset for size, one in optima.items()}
        return Selection(_consensus(sigma, task, chosen), chosen, optima)
    order = _order(sigma, task)
    return Selection(order, {size: np.sort(order[:size]) for size in optima}, optima)


def choose_again(sigma: Floats, task: Task, sizes: Iterable[int]) -> dict[int, tuple[Order, bool]]:
    """Choose subsets of these sizes as `select` does, without the optimum to compare them with.

    Each comes with whether it is all that the method promises: for "exact", whether it is proven. A limit of work, not
    of time, makes them the same on every machine.
    """
    if task.method == "exact":
        found = _optima(sigma, task, work_limit=WORK)
        return {size: (found[size].subset, found[size].proven) if size in found else NONE for size in sizes}
    order = _order(sigma, task)
    return {size: (np.sort(order[:size]), True) for size in sizes}


def value(sigma: Floats, subset: npt.ArrayLike, objective: Objective) -> float:
    """Give a subset's log determinant, or the share of variance that it leaves unexplained."""
    return log_determinant(sigma, subset) if objective == "determinant" else unexplained(sigma, subset)


def limit(sigma: Floats, best: Best, objective: Objective) -> float:
    """Give the value that no subset of the size of `best` can better: its bound, in the unit of `value`."""
    return best.bound if objective == "determinant" else 1 - best.bound / float(np.trace(sigma))


def ratio(value: Floats, optimum: Floats, objective: Objective) -> Floats:
    """Give how good a subset is, at most 1: its determinant over the largest, or the least unexplained over its own."""
    if objective == "determinant":
        return np.exp(np.minimum(value - optimum, 0))
    return np.where(value > optimum, optimum / np.where(value > 0, value, 1), 1.0)


def _optima(sigma: Floats, task: Task, **limits: float) -> dict[int, Best]:
    """Give the best subset of every size that holds the included variables, within the limits of `best_subsets`."""
    criterion = CRITERIA[task.objective]
    layers, base = criterion.layers(sigma), 0.0
    for variable in task.include:
        base += float(criterion.gains(diagonals(layers))[variable])
        layers = choose(layers, int(variable))
    free = np.setdiff1d(task.candidates, task.include)
    budget = task.budget - float(task.cost[task.include].sum())
    found = best_subsets(
        criterion,
        layers[:, free[:, None], free],
        range(1, task.largest - task.include.size + 1),
        cost=task.cost[free],
        budget=budget,
        **limits,
    )
    if task.include.size and budget >= 0:
        found = {0: Best(np.arange(0), 0.0, 0.0, 0), **found}
    return {
        task.include.size + more: Best(
            np.sort(np.append(task.include, free[one.subset])), base + one.value, base + one.bound, one.nodes
        )
        for more, one in found.items()
    }


def _order(sigma: Floats, task: Task) -> Order:
    inside = [int(i) for i in np.searchsorted(task.candidates, task.include)]
    return task.candidates[ORDERS[task.method](sigma, task.candidates, inside)][: task.largest]


def _consensus(sigma: Floats, task: Task, chosen: dict[int, Order]) -> Order:
    if not chosen:
        return np.arange(0)
    criterion = CRITERIA[task.objective]
    layers = criterion.layers(sigma)[:, task.candidates[:, None], task.candidates]
    by_gain = task.candidates[greedy(criterion, layers)]
    times = np.bincount(np.concatenate([*chosen.values()]), minlength=len(sigma))
    counted = by_gain[np.argsort(-times[by_gain], kind="stable")]
    return counted[np.isin(counted, chosen[max(chosen)])]
