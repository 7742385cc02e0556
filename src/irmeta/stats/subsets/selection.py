"""Choose variables from a covariance matrix, by any method, beside the proven optimum of every size."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irmeta.choices import Objective, Search
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.branch_and_bound import Optimum, best_subsets
from irmeta.stats.subsets.criteria import (
    Criterion,
    ExplainedVariance,
    LogDeterminant,
    choose,
    diagonals,
)
from irmeta.stats.subsets.orders import (
    Order,
    greedy,
    iterative_backward,
    log_determinant,
    row_sums,
    sheffield,
    unexplained,
)

CRITERIA: Mapping[str, Criterion] = {
    "determinant": LogDeterminant(),
    "unreported": ExplainedVariance(),
}

WORK = 5e8
"""The limit of a search made again and again, as `best_subsets` counts work: 23 metrics take 5e7, 60 a second."""
SPEED = 2e8
"""Work in a second of the time limit, on any machine, of all searches that are made again."""
NONE = np.arange(0), False
"""What is chosen again where nothing that can be paid for was found."""


def _trace(sigma: Floats, candidates: Order, include: list[int]) -> Order:
    """Add, again and again, the candidate with which most of the variance of all variables is explained."""
    layers = ExplainedVariance().layers(sigma)[:, candidates[:, None], candidates]
    return greedy(ExplainedVariance(), layers, include)


def _among(
    order: Callable[[Floats, list[int]], Order],
) -> Callable[[Floats, Order, list[int]], Order]:
    """Let a method that orders all variables of a matrix order the candidates alone."""
    return lambda sigma, candidates, include: order(
        sigma[np.ix_(candidates, candidates)], include
    )


ORDERS: Mapping[str, Callable[[Floats, Order, list[int]], Order]] = {
    "ib": _among(iterative_backward),
    "gf": _trace,
    "gf-code": _among(row_sums),
    "pivot": _among(
        lambda sigma, include: greedy(LogDeterminant(), sigma[None], include)
    ),
    "sheffield": _among(sheffield),
    "trace": _trace,
}
"""Each method that gives one order; `gf` is the trace criterion under the name of Gupta et al. (ECIR 2019)."""


@dataclass(frozen=True)
class Choice:
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
    optima: dict[int, Optimum]  # `value` and `bound` are those of the criterion


def select(sigma: Floats, choice: Choice) -> Selection:
    """Choose subsets of every size from a covariance matrix that is positive definite on the candidates.

    A method that gives one order has its first variables as subsets. The method "exact" has the best subset of each
    size; its order goes by the number of sizes whose best subset holds a variable, which is the only order there is
    where the best subsets are nested; ties go to the greedy order. Sizes nobody can afford are left out.
    """
    optima = _optima(sigma, choice, time_limit=choice.time_limit)
    if choice.method == "exact":
        chosen = {size: optimum.subset for size, optimum in optima.items()}
        order = _consensus(sigma, choice, chosen)
    else:
        order = _order(sigma, choice)
        chosen = {size: np.sort(order[:size]) for size in optima}
    return Selection(order, chosen, optima)


def choose_again(
    sigma: Floats, choice: Choice, sizes: Iterable[int], times: int = 1
) -> dict[int, tuple[Order, bool]]:
    """Choose subsets of these sizes as `select` does, without the optimum to compare them with.

    Each comes with whether it is all that the method promises: for "exact", whether it is proven. A limit of work, not
    of time, makes them the same on every machine.

    times : how often this is done, for which there is the work of one time limit.
    """
    if choice.method != "exact":
        order = _order(sigma, choice)
        return {size: (np.sort(order[:size]), True) for size in sizes}
    most = min(WORK, choice.time_limit * SPEED / times)
    found = _optima(sigma, choice, work_limit=most)
    again = {}
    for size in sizes:
        again[size] = NONE
        if size in found:
            again[size] = found[size].subset, found[size].proven
    return again


def value(sigma: Floats, subset: npt.ArrayLike, objective: Objective) -> float:
    """Return a subset's log determinant, or the share of variance that it leaves unexplained."""
    if objective == "determinant":
        return log_determinant(sigma, subset)
    return unexplained(sigma, subset)


def limit(sigma: Floats, best: Optimum, objective: Objective) -> float:
    """Return the value that no subset of the size of `best` can better: its bound, in the unit of `value`."""
    if objective == "determinant":
        return best.bound
    total = float(np.trace(sigma))
    return 1 - best.bound / total


def ratio(value: Floats, optimum: Floats, objective: Objective) -> Floats:
    """Return how good a subset is, at most 1: its determinant over the largest, or least unexplained over its own."""
    if objective == "determinant":
        return np.exp(np.minimum(value - optimum, 0))
    divisor = np.where(value > 0, value, 1)
    return np.where(value > optimum, optimum / divisor, 1.0)


def _optima(sigma: Floats, choice: Choice, **limits: float) -> dict[int, Optimum]:
    """Return the best subset of every size that holds the included variables, within the limits of `best_subsets`."""
    criterion = CRITERIA[choice.objective]
    include = choice.include
    # choose the included variables first, then search among the others
    layers = criterion.layers(sigma)
    base = 0.0
    for variable in include:
        base += float(criterion.gains(diagonals(layers))[variable])
        layers = choose(layers, int(variable))
    free = np.setdiff1d(choice.candidates, include)
    budget = choice.budget - float(choice.cost[include].sum())
    sizes = range(1, choice.largest - include.size + 1)
    found = {}
    if sizes:
        rest = layers[:, free[:, None], free]
        found = best_subsets(
            criterion, rest, sizes, cost=choice.cost[free], budget=budget, **limits
        )
    if include.size and budget >= 0:
        nothing_more = Optimum(np.arange(0), value=0.0, bound=0.0, nodes=0)
        found = {0: nothing_more, **found}
    optima = {}
    for more, optimum in found.items():
        optima[include.size + more] = Optimum(
            subset=np.sort(np.append(include, free[optimum.subset])),
            value=base + optimum.value,
            bound=base + optimum.bound,
            nodes=optimum.nodes,
        )
    return optima


def _order(sigma: Floats, choice: Choice) -> Order:
    """Return the order of a method that gives one, as long as the largest subset."""
    # places among the candidates
    include = [int(i) for i in np.searchsorted(choice.candidates, choice.include)]
    order = ORDERS[choice.method](sigma, choice.candidates, include)
    return choice.candidates[order][: choice.largest]


def _consensus(sigma: Floats, choice: Choice, chosen: dict[int, Order]) -> Order:
    """Order the variables of the largest subset by the number of subsets that hold them, then by the greedy order."""
    if not chosen:
        return np.arange(0)
    criterion = CRITERIA[choice.objective]
    candidates = choice.candidates
    layers = criterion.layers(sigma)[:, candidates[:, None], candidates]
    by_gain = candidates[greedy(criterion, layers)]
    # how many subsets hold each variable
    members = np.concatenate([*chosen.values()])
    times = np.bincount(members, minlength=len(sigma))
    # a stable sort keeps the greedy order among equals
    counted = by_gain[np.argsort(-times[by_gain], kind="stable")]
    largest = chosen[max(chosen)]
    return counted[np.isin(counted, largest)]
