"""The best subset of each size, proven: branch and bound over a criterion, all sizes in one search."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.subsets.criteria import Criterion, choose, diagonals
from irmeta.stats.subsets.orders import Order, greedy, iterative_backward

SLACK = 1e-9
"""Two subsets whose values differ by less than this, relative to the larger of 1 and the value, count as equal."""

_CELLS = 2**19  # numbers in a batch of nodes: large enough for NumPy, small enough for the memory


@dataclass(frozen=True)
class Best:
    """The best subset found of one size, and how far from the best of all it can be."""

    subset: Order  # ascending
    value: float
    bound: float  # no subset of this size has a larger value
    nodes: int  # nodes of the search in which this size was open

    @property
    def proven(self) -> bool:
        """Tell whether no subset of this size is better, but for rounding."""
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
) -> dict[int, Best]:
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
    search.heuristics(wanted, until=1 / 4)
    search.run(wanted, until=1 / 2)
    unsettled = sorted((size for size in wanted if search.open[size]), key=search.gap)
    for done, size in enumerate(unsettled):  # those that settle fast must not wait for the others
        spent = search.limit.spent()
        if spent < 1:
            search.run([size], until=spent + (1 - spent) / (len(unsettled) - done))
    return search.outcome(wanted)


def swap(criterion: Criterion, layers: Floats, subset: npt.ArrayLike) -> tuple[Order, float]:
    """Exchange one chosen variable for another, the best exchange first, until none helps; give the gain as well.

    All exchanges are weighed at once, from the regressions of every variable on the chosen ones.
    """
    inside = np.asarray(subset, dtype=np.intp)
    total = 0.0
    while True:
        outside = np.setdiff1d(np.arange(layers.shape[-1]), inside)
        if not (inside.size and outside.size):
            return np.sort(inside), total
        gains = _exchanges(criterion, layers, inside, outside)
        j, i = np.unravel_index(np.argmax(gains), gains.shape)
        if not gains[j, i] > SLACK:
            return np.sort(inside), total
        inside = np.append(np.delete(inside, i), outside[j])
        total += float(gains[j, i])


def _exchanges(criterion: Criterion, layers: Floats, inside: Order, outside: Order) -> Floats:
    """Give what the criterion gains, of shape (outside, inside), if an outside variable replaces an inside one."""
    inverse = np.linalg.inv(layers[0][np.ix_(inside, inside)])
    weights = layers[0][np.ix_(outside, inside)] @ inverse
    own = inverse / np.diag(inverse)[:, None]  # rows: what is left of an inside variable given the other inside ones
    left = layers[:, outside] - weights @ layers[:, inside]  # what is left of the outside ones given the inside ones
    inside_diagonal = np.einsum("ia,lab,ib->li", own, layers[:, inside[:, None], inside], own, optimize=True)
    cross = left[:, :, inside] @ own.T
    outside_diagonal = diagonals(left[:, :, outside] - left[:, :, inside] @ weights.T)
    freed = outside_diagonal[:, :, None] + 2 * weights * cross + weights**2 * inside_diagonal[:, None, :]
    return criterion.gains(np.moveaxis(freed, 0, 1)) - criterion.gains(inside_diagonal)


class _Limit:
    """How long a search may go on: seconds from now, and work; infinity for no limit."""

    def __init__(self, seconds: float, work: float) -> None:
        self.start, self.seconds, self.work, self.done = time.monotonic(), seconds, work, 0

    def count(self, layers: Floats) -> None:
        """Count the work on layers, of shape (..., n, n), as n^3 for each matrix."""
        self.done += layers.size * layers.shape[-1]

    def spent(self) -> float:
        """Give the share used up of the limit that comes first; no clock has a part in it without one of time."""
        return max((time.monotonic() - self.start) / self.seconds, self.done / self.work)


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
        return _Nodes(self.layers[at], self.value[at], self.cost[at], self.chosen[at], self.bound[at])

    def children(self, gain: Floats, cost: float) -> "_Nodes":
        """Decide the next variable: each node without it, then each node with it."""
        taken = self.chosen.copy()
        taken[:, -self.layers.shape[-1]] = True
        return _Nodes(
            np.concatenate([self.layers[..., 1:, 1:], choose(self.layers, 0)[..., 1:, 1:]]),
            np.concatenate([self.value, self.value + gain]),
            np.concatenate([self.cost, self.cost + cost]),
            np.concatenate([self.chosen, taken]),
            np.concatenate([self.bound, self.bound]),
        )

    def sizes(self) -> Order:
        """Give the size, of shape (node, n + 1), of each node's subset with 0, ..., n more variables."""
        sizes: Order = self.chosen.sum(axis=1)[:, None] + np.arange(self.layers.shape[-1] + 1)
        return sizes


class _Search:
    """What is known of each size so far: the best subset, the bound, and the nodes in which it was open."""

    def __init__(self, criterion: Criterion, layers: Floats, cost: Floats, budget: float, limit: _Limit) -> None:
        n = len(cost)
        self.criterion, self.budget, self.limit = criterion, budget, limit
        self.order = greedy(criterion, layers)
        self.layers = layers[:, self.order[:, None], self.order]
        self.cost = cost[self.order]
        self.cheapest = [np.append(0.0, np.cumsum(np.sort(self.cost[depth:]))) for depth in range(n + 1)]
        self.best = np.full(n + 1, -np.inf)
        self.subsets = np.zeros((n + 1, n), dtype=bool)
        self.bound = np.full(n + 1, np.inf)
        self.nodes = np.zeros(n + 1, dtype=np.intp)

    @property
    def threshold(self) -> Floats:
        """What a subset of each size must exceed to be better than the best so far."""
        known = np.where(np.isfinite(self.best), self.best, 0.0)
        return np.where(np.isfinite(self.best), known + SLACK * np.maximum(1, np.abs(known)), -np.inf)

    @property
    def open(self) -> Bools:
        """Tell which sizes may have a better subset than the best so far."""
        return self.bound > self.threshold

    def gap(self, size: int) -> float:
        """Give how much better than the best so far a subset of this size could be."""
        return float(self.bound[size] - self.best[size])

    def heuristics(self, sizes: list[int], until: float) -> None:
        """Start from the first variables of the greedy and of the backward order, improved by exchanges.

        until : the share of the limit at which exchanges are left.
        """
        for order in (np.arange(len(self.cost)), iterative_backward(self.layers[0])):
            values = np.cumsum(_steps(self.criterion, self.layers, order))
            for size in sizes:
                subset, gain = order[:size], 0.0
                if self.limit.spent() < until:
                    subset, gain = swap(self.criterion, self.layers, subset)
                    self.limit.count(self.layers)
                if self.cost[subset].sum() <= self.budget:
                    self._offer(size, values[size - 1] + gain, np.isin(np.arange(len(self.cost)), subset))

    def run(self, sizes: list[int], until: float) -> None:
        """Search depth first, a batch of nodes at a time, until all is settled or this share of the limit is spent."""
        bound = np.where(np.isin(np.arange(len(self.bound)), sizes), self.bound, -np.inf)
        root = _Nodes(self.layers[None], np.zeros(1), np.zeros(1), np.zeros((1, len(self.cost)), bool), bound[None])
        stack = [root]
        while stack:
            nodes = self._pruned(stack.pop())
            n = nodes.layers.shape[-1]
            if len(nodes) and n > 1:
                gain = self.criterion.gains(diagonals(nodes.layers))[:, 0]
                children = nodes.children(gain, self.cost[-n])
                batch = max(1, _CELLS // children.layers[0].size)
                stack += [children[at : at + batch] for at in range(0, len(children), batch)]
            if self.limit.spent() > until:
                break
        left = (
            np.max([nodes.bound.max(axis=0) for nodes in stack], axis=0) if stack else np.full_like(self.best, -np.inf)
        )
        self.bound[sizes] = np.minimum(self.bound, np.maximum(self.best, left))[sizes]

    def outcome(self, sizes: list[int]) -> dict[int, Best]:
        """Give what was found, in the variables' own numbering."""
        return {
            size: Best(
                np.sort(self.order[self.subsets[size]]),
                float(self.best[size]),
                float(self.bound[size]),
                int(self.nodes[size]),
            )
            for size in sizes
            if np.isfinite(self.best[size])
        }

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
        reachable = np.full_like(nodes.bound, -np.inf)
        np.put_along_axis(reachable, nodes.sizes()[:, 2:], bound[:, 2:], axis=1)  # `_complete` has seen one more
        lower = np.minimum(nodes.bound, reachable)
        keep = (lower > self.threshold).any(axis=1)
        return _Nodes(nodes.layers[keep], nodes.value[keep], nodes.cost[keep], nodes.chosen[keep], lower[keep])

    def _affordable(self, nodes: _Nodes) -> Floats:
        """Give infinity where that many more variables can be paid for, minus infinity where not."""
        least = nodes.cost[:, None] + self.cheapest[-nodes.layers.shape[-1] - 1]
        return np.where(least <= self.budget, np.inf, -np.inf)

    def _complete(self, nodes: _Nodes) -> None:
        """Try each node's subset with the best one more variable."""
        n = nodes.layers.shape[-1]
        total = nodes.value[:, None] + self.criterion.gains(diagonals(nodes.layers))
        total[nodes.cost[:, None] + self.cost[-n:] > self.budget] = -np.inf
        sizes = nodes.sizes()[:, 1]
        for size in np.unique(sizes[nodes.bound[np.arange(len(nodes)), sizes] > self.threshold[sizes]]):
            of_size = np.flatnonzero(sizes == size)
            node, last = divmod(int(total[of_size].argmax()), n)
            chosen = nodes.chosen[of_size[node]].copy()
            chosen[last - n] = True
            self._offer(int(size), float(total[of_size[node], last]), chosen)

    def _offer(self, size: int, value: float, chosen: Bools) -> None:
        if value > self.threshold[size] and np.isfinite(value):
            self.best[size], self.subsets[size] = value, chosen


def _steps(criterion: Criterion, layers: Floats, order: Order) -> Floats:
    """Give what each variable gains when they are chosen in this order."""
    gains = []
    for variable in order:
        gains.append(float(criterion.gains(diagonals(layers))[variable]))
        layers = choose(layers, int(variable))
    return np.array(gains)
