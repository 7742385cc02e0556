"""The best subset of each size, proven: branch and bound over a criterion, all sizes in one search."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from irmeta.parallel import steps
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.subsets.criteria import Criterion, choose, diagonals
from irmeta.stats.subsets.orders import Order, greedy, iterative_backward

SLACK = 1e-9
"""Two subsets whose values differ by less than this, relative to the larger of 1 and the value, count as equal."""

# numbers in a batch of nodes: large enough for NumPy, small enough for the memory
_CELLS = 2**19


@dataclass(frozen=True)
class Optimum:
    """The best subset found of one size, and how far from the best of all it can be."""

    subset: Order  # ascending
    value: float
    bound: float  # no subset of this size has a larger value
    nodes: int  # nodes of the search in which this size was open

    @property
    def proven(self) -> bool:
        """Return whether no subset of this size is better, but for rounding."""
        return self.bound <= self.value + SLACK * max(1.0, abs(self.value))


def best_subsets(
    criterion: Criterion,
    layers: Floats,
    sizes: Iterable[int],
    *,
    cost: npt.ArrayLike | None = None,
    budget: float = np.inf,
    time_limit: float = np.inf,
    work_limit: float = np.inf,
) -> dict[int, Optimum]:
    """Find, for each size, the subset with the largest value of the criterion among those that cost at most `budget`.

    layers : as `criterion.layers` gives them, of shape (layer, n, n), positive definite.  sizes : in 1, ..., n.
    cost : of each variable, at least 0.  time_limit, work_limit : in seconds, and in cubed sizes of the matrices worked
    on, which is the same on every machine; at the first to be reached, each size has the best subset found and the
    bound proven so far. Sizes of which no affordable subset was found are left out.
    Source: Ko, Lee and Queyranne (Operations Research 1995), with all sizes in one search, whose matrices they share.

    >>> from irmeta.stats.subsets.criteria import LogDeterminant
    >>> best_subsets(LogDeterminant(), np.diag([1.0, 3.0, 2.0])[None], [2])[2].subset
    array([1, 2])
    """
    n = layers.shape[-1]
    wanted = sorted(set(sizes))
    paid = np.zeros(n) if cost is None else np.asarray(cost, dtype=np.float64)
    search = _Search(criterion, layers, paid, budget, _Limit(time_limit, work_limit))
    # a quarter of the limit for good first subsets, a quarter for all sizes in one search
    search.heuristics(wanted, until=1 / 4)
    search.run(wanted, until=1 / 2)
    # then one size at a time, those with the smallest gap first; each has an equal share of the limit that is left
    unsettled = sorted((size for size in wanted if search.open[size]), key=search.gap)
    waiting = steps(unsettled, "set sizes to prove") if unsettled else ()
    for done, size in enumerate(waiting):
        spent = search.limit.spent()
        if spent < 1:
            share = (1 - spent) / (len(unsettled) - done)
            search.run([size], until=spent + share)
    return search.outcome(wanted)


def swap(
    criterion: Criterion, layers: Floats, subset: npt.ArrayLike
) -> tuple[Order, float]:
    """Exchange one chosen variable for another, the best exchange first, until none helps; return the gain as well.

    All exchanges are weighed at once, from the regressions of every variable on the chosen ones.
    """
    inside = np.asarray(subset, dtype=np.intp)
    every = np.arange(layers.shape[-1])
    total = 0.0
    while True:
        outside = np.delete(every, inside)
        if not inside.size or not outside.size:
            break
        gains = _exchanges(criterion, layers, inside, outside)
        enters, leaves = np.unravel_index(np.argmax(gains), gains.shape)
        gain = float(gains[enters, leaves])
        if not gain > SLACK:
            break
        inside = np.append(np.delete(inside, leaves), outside[enters])
        total += gain
    return np.sort(inside), total


def _exchanges(
    criterion: Criterion, layers: Floats, inside: Order, outside: Order
) -> Floats:
    """Return what the criterion gains, of shape (outside, inside), if an outside variable replaces an inside one.

    Let e_j be what is left of an outside variable j given all inside ones, u_i what is left of an inside variable i
    given the other inside ones, and w_ji the weight of i in the regression of j on the inside ones. Once i is taken
    out, what is left of j is e_j + w_ji u_i; so each layer's diagonal for j becomes

        d(e_j) + 2 w_ji c(e_j, u_i) + w_ji^2 d(u_i)
    """
    covariance = layers[0]
    inverse = np.linalg.inv(covariance[np.ix_(inside, inside)])
    weights = covariance[np.ix_(outside, inside)] @ inverse  # w, (outside, inside)
    # row i: u_i as a combination of the inside variables
    own = inverse / np.diag(inverse)[:, None]
    among = layers[:, inside[:, None], inside]  # (layer, inside, inside)
    # d(u), (layer, inside)
    own_diagonal = ((own @ among) * own).sum(axis=-1)
    # products of e_j with every variable
    left = layers[:, outside] - weights @ layers[:, inside]
    cross = left[:, :, inside] @ own.T  # c(e, u), (layer, outside, inside)
    # d(e), (layer, outside)
    left_diagonal = diagonals(left[:, :, outside] - left[:, :, inside] @ weights.T)
    freed = (
        left_diagonal[:, :, None]
        + 2 * weights * cross
        + weights**2 * own_diagonal[:, None, :]
    )
    return criterion.gains(np.moveaxis(freed, 0, 1)) - criterion.gains(own_diagonal)


class _Limit:
    """How long a search may go on: seconds from now, and work; infinity for no limit."""

    def __init__(self, seconds: float, work: float) -> None:
        self.start = time.monotonic()
        self.seconds = seconds
        self.work = work
        self.done = 0

    def count(self, layers: Floats) -> None:
        """Count the work on layers, of shape (..., n, n), as n^3 for each matrix."""
        self.done += layers.size * layers.shape[-1]

    def spent(self) -> float:
        """Return the share used up of the limit that comes first; no clock has a part in it without one of time."""
        seconds = time.monotonic() - self.start
        return max(seconds / self.seconds, self.done / self.work)


@dataclass(frozen=True)
class _Nodes:
    """Nodes of one depth: which of the first variables are chosen is decided; the layers hold the n others."""

    layers: Floats  # (node, layer, n, n)
    value: Floats  # (node,)
    cost: Floats  # (node,)
    chosen: Bools  # (node, variable)
    bound: Floats  # (node, size): what no subset of this size below the node exceeds; -inf where there is none

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, at: Bools | slice) -> "_Nodes":
        return _Nodes(
            self.layers[at],
            self.value[at],
            self.cost[at],
            self.chosen[at],
            self.bound[at],
        )

    def children(self, gain: Floats, cost: float) -> "_Nodes":
        """Decide the next variable: each node without it, then each node with it."""
        n = self.layers.shape[-1]
        without = self.layers[..., 1:, 1:]
        given = choose(self.layers, 0)[..., 1:, 1:]
        taken = self.chosen.copy()
        taken[:, -n] = True
        return _Nodes(
            np.concatenate([without, given]),
            np.concatenate([self.value, self.value + gain]),
            np.concatenate([self.cost, self.cost + cost]),
            np.concatenate([self.chosen, taken]),
            np.concatenate([self.bound, self.bound]),
        )

    def sizes(self) -> Order:
        """Return the size, of shape (node, n + 1), of each node's subset with 0, ..., n more variables."""
        n = self.layers.shape[-1]
        sizes: Order = self.chosen.sum(axis=1)[:, None] + np.arange(n + 1)
        return sizes


class _Search:
    """What is known of each size so far: the best subset, the bound, and the nodes in which it was open."""

    def __init__(
        self,
        criterion: Criterion,
        layers: Floats,
        cost: Floats,
        budget: float,
        limit: _Limit,
    ) -> None:
        n = len(cost)
        self.criterion = criterion
        self.budget = budget
        self.limit = limit
        # decide on the variables in the greedy order, so that good subsets are found early
        self.order = greedy(criterion, layers)
        self.layers = layers[:, self.order[:, None], self.order]
        self.cost = cost[self.order]
        self.cheapest = [_cheapest(self.cost[depth:]) for depth in range(n + 1)]
        # by size, 0 to n
        self.best = np.full(n + 1, -np.inf)
        # what a subset must exceed to be better than the best so far
        self.threshold = np.full(n + 1, -np.inf)
        self.subsets = np.zeros((n + 1, n), dtype=bool)
        self.bound = np.full(n + 1, np.inf)
        self.nodes = np.zeros(n + 1, dtype=np.intp)

    @property
    def open(self) -> Bools:
        """Tell which sizes may have a better subset than the best so far."""
        return self.bound > self.threshold

    def gap(self, size: int) -> float:
        """Return how much better than the best so far a subset of this size could be."""
        return float(self.bound[size] - self.best[size])

    def heuristics(self, sizes: list[int], until: float) -> None:
        """Start from the first variables of the greedy and of the backward order, improved by exchanges.

        until : the share of the limit at which exchanges are left.
        """
        every = np.arange(len(self.cost))
        for order in (every, iterative_backward(self.layers[0])):
            values = np.cumsum(_steps(self.criterion, self.layers, order))
            for size in sizes:
                subset = order[:size]
                gain = 0.0
                if self.limit.spent() < until:
                    subset, gain = swap(self.criterion, self.layers, subset)
                    self.limit.count(self.layers)
                if self.cost[subset].sum() <= self.budget:
                    self._offer(size, values[size - 1] + gain, np.isin(every, subset))

    def run(self, sizes: list[int], until: float) -> None:
        """Search depth first, a batch of nodes at a time, until all is settled or this share of the limit is spent."""
        stack = [self._root(sizes)]
        while stack:
            nodes = self._pruned(stack.pop())
            n = nodes.layers.shape[-1]
            if len(nodes) and n > 1:
                gain = self.criterion.gains(diagonals(nodes.layers))[:, 0]
                children = nodes.children(gain, self.cost[-n])
                batch = max(1, _CELLS // children.layers[0].size)
                stack += [
                    children[at : at + batch] for at in range(0, len(children), batch)
                ]
            if self.limit.spent() > until:
                break
        # what is not settled lies below the nodes that are left
        left = np.full_like(self.best, -np.inf)
        for nodes in stack:
            left = np.maximum(left, nodes.bound.max(axis=0))
        proven = np.minimum(self.bound, np.maximum(self.best, left))
        self.bound[sizes] = proven[sizes]

    def _root(self, sizes: list[int]) -> _Nodes:
        """Return the node at which nothing is decided, with the bounds of these sizes."""
        n = len(self.cost)
        wanted = np.isin(np.arange(n + 1), sizes)
        bound = np.where(wanted, self.bound, -np.inf)
        return _Nodes(
            self.layers[None],
            np.zeros(1),
            np.zeros(1),
            np.zeros((1, n), dtype=bool),
            bound[None],
        )

    def outcome(self, sizes: list[int]) -> dict[int, Optimum]:
        """Return what was found, in the variables' own numbering."""
        found = {}
        for size in sizes:
            if np.isfinite(self.best[size]):
                found[size] = Optimum(
                    subset=np.sort(self.order[self.subsets[size]]),
                    value=float(self.best[size]),
                    bound=float(self.bound[size]),
                    nodes=int(self.nodes[size]),
                )
        return found

    def _pruned(self, nodes: _Nodes) -> _Nodes:
        """Keep the nodes below which some size may have a better subset, with the bounds that say so."""
        self.limit.count(nodes.layers)
        self._complete(nodes)
        nodes = self._bounded(nodes, self._affordable(nodes))
        self.nodes += (nodes.bound > self.threshold).sum(axis=0)
        for bound in self.criterion.bounds:
            if len(nodes):
                nodes = self._bounded(nodes, nodes.value[:, None] + bound(nodes.layers))
        return nodes

    def _bounded(self, nodes: _Nodes, bound: Floats) -> _Nodes:
        """Lower the nodes' bounds to those on 0, ..., n more variables, and drop the nodes that this settles."""
        # (node, n + 1): with 0, ..., n more variables. `_complete` has seen no more and one more: from 2 on are left
        sizes = nodes.sizes()[:, 2:]
        reachable = np.full_like(nodes.bound, -np.inf)
        np.put_along_axis(reachable, sizes, bound[:, 2:], axis=1)
        lower = np.minimum(nodes.bound, reachable)
        may_be_better = lower > self.threshold
        keep: Bools = np.asarray(may_be_better.any(axis=1))
        return replace(nodes, bound=lower)[keep]

    def _affordable(self, nodes: _Nodes) -> Floats:
        """Return infinity where that many more variables can be paid for, minus infinity where not."""
        n = nodes.layers.shape[-1]
        least = nodes.cost[:, None] + self.cheapest[-n - 1]
        return np.where(least <= self.budget, np.inf, -np.inf)

    def _complete(self, nodes: _Nodes) -> None:
        """Try each node's subset with the best one more variable."""
        n = nodes.layers.shape[-1]
        # value and cost with each variable more: (node, variable)
        total = nodes.value[:, None] + self.criterion.gains(diagonals(nodes.layers))
        cost = nodes.cost[:, None] + self.cost[-n:]
        total[cost > self.budget] = -np.inf
        sizes = nodes.sizes()[:, 1]
        every = np.arange(len(nodes))
        may_be_better = nodes.bound[every, sizes] > self.threshold[sizes]
        for size in np.unique(sizes[may_be_better]):
            of_size = np.flatnonzero(sizes == size)
            # the best cell of (node, variable), in the flat array
            node, last = divmod(int(total[of_size].argmax()), n)
            best = of_size[node]
            chosen = nodes.chosen[best].copy()
            chosen[last - n] = True  # the n variables not decided on are the last
            self._offer(int(size), float(total[best, last]), chosen)

    def _offer(self, size: int, value: float, chosen: Bools) -> None:
        """Keep a subset if it is better than the best of its size so far."""
        if value > self.threshold[size] and np.isfinite(value):
            self.best[size] = value
            self.threshold[size] = value + SLACK * max(1, abs(value))
            self.subsets[size] = chosen


def _steps(criterion: Criterion, layers: Floats, order: Order) -> Floats:
    """Return what each variable gains when they are chosen in this order."""
    gains = []
    for variable in order:
        gain = criterion.gains(diagonals(layers))[variable]
        gains.append(float(gain))
        layers = choose(layers, int(variable))
    return np.array(gains)


def _cheapest(cost: Floats) -> Floats:
    """Return the least cost of 0, 1, ..., n of the variables."""
    return np.append(0.0, np.cumsum(np.sort(cost)))
