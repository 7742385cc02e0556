"""Score cubes like a real one whose truth is known: the same spread of scores, the same dependence between systems.

A topic is drawn as one vector of normal values, correlated as the normal scores of the real systems are over topics (a
Gaussian copula); each value becomes a score through the distribution of its system's real scores (the margins).
Sources: Urbano and Nagler (SIGIR 2018); Urbano, Lima and Hanjalic (SIGIR 2019).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from irmeta.errors import ScoresError
from irmeta.scores.cube import cube
from irmeta.stats.arrays import Floats, Ints
from irmeta.words import counted

_FEW = 0.5
"""A metric whose scores have fewer distinct values than this share of the topics is discrete, as P@10 and RR are."""
_STEEPEST = 500.0
"""The strongest tilt of a margin: beyond it the mean is at the end of the scores' range."""


@dataclass(frozen=True)
class Margin:
    """The distribution of one system's scores by one metric: probabilities of the values, and how they are joined.

    values : (k,), ascending.  weights : (k,), adding up to 1.  discrete : whether only these values occur; else the
    quantiles between them are interpolated.
    """

    values: Floats
    weights: Floats
    discrete: bool

    def quantiles(self, share: Floats) -> Floats:
        """Return the scores below which these shares, in (0, 1), of the topics lie."""
        above = np.cumsum(self.weights)
        if self.discrete:
            place = np.searchsorted(above, share, side="left")
            return self.values[place.clip(0, len(self.values) - 1)]
        return np.interp(share, above - self.weights / 2, self.values)

    @property
    def mean(self) -> float:
        """The mean over all topics that could be: the integral of the quantiles."""
        if self.discrete:
            return float(self.weights @ self.values)
        middle = np.cumsum(self.weights) - self.weights / 2
        within = np.trapezoid(self.values, middle)
        return float(
            within + middle[0] * self.values[0] + (1 - middle[-1]) * self.values[-1]
        )

    def tilted(self, mean: float) -> "Margin":
        """Return the margin whose mean is this: probabilities are multiplied by exp(a value), for the a that does it.

        A mean that the values do not allow raises ScoresError.
        """
        low, high = (self._with(tilt).mean for tilt in (-_STEEPEST, _STEEPEST))
        if not low <= mean <= high:
            raise ScoresError(
                f"scores like these cannot have a mean of {mean:.4g}; choose one between "
                f"{low:.4g} and {high:.4g}"
            )

        def excess(tilt: float) -> float:
            return self._with(tilt).mean - mean

        return self._with(float(brentq(excess, -_STEEPEST, _STEEPEST, xtol=1e-10)))

    def _with(self, tilt: float) -> "Margin":
        """Return the margin with probabilities multiplied by exp(tilt x value), which then add up to 1."""
        power = tilt * self.values
        weights = self.weights * np.exp(power - power.max())
        return Margin(self.values, weights / weights.sum(), self.discrete)


@dataclass(frozen=True, eq=False)
class World:
    """What score cubes are drawn from: names, the margin of each system by each metric, and how they depend.

    margins : (system, metric).  normal : (system x metric, real topic), rows of mean square 1.
    """

    systems: Sequence[str]
    metrics: Sequence[str]
    collection: str
    margins: Sequence[Sequence[Margin]]
    normal: Floats

    @property
    def means(self) -> Floats:
        """The true mean of each system by each metric, (system, metric)."""
        return np.array([[margin.mean for margin in row] for row in self.margins])

    @property
    def truth(self) -> xr.DataArray:
        """The true means as a system-wise table: a cube whose one topic is `all`."""
        names = self.systems, ["all"], self.metrics
        about = f"{self.collection}, true means"
        return cube(self.means[:, None], *names, collection=about)

    def with_means(self, means: npt.ArrayLike) -> "World":
        """Return the world whose margins have these means, one for all or (system, metric).

        Means that do not broadcast to that shape, or one that the scores of a margin do not allow, raise ScoresError.
        """
        shape = self.means.shape
        try:
            targets = np.broadcast_to(means, shape)
        except ValueError as error:
            raise ScoresError(
                f"the means do not fit {counted(shape[0], 'system')} and {counted(shape[1], 'metric')}; give one "
                f"number, or an array of shape {shape}"
            ) from error
        margins = [
            [margin.tilted(float(targets[i, m])) for m, margin in enumerate(row)]
            for i, row in enumerate(self.margins)
        ]
        return replace(self, margins=margins)

    def tied(self, groups: int) -> "World":
        """Return the world in which systems tie in that number of groups, neighbours by mean, all with one margin.

        It is that of the system in the middle of the group. How systems depend on each other stays as it is.
        """
        middle = [self._middles(metric, groups) for metric in range(len(self.metrics))]
        margins = [
            [self.margins[at[i]][m] for m, at in enumerate(middle)]
            for i in range(len(self.systems))
        ]
        return replace(self, margins=margins)

    def _middles(self, metric: int, groups: int) -> list[int]:
        """Find for each system the one in the middle of its group."""
        order = np.argsort(-self.means[:, metric], kind="stable")
        middle = np.empty(len(order), dtype=np.int64)
        for group in np.array_split(order, groups):
            middle[group] = group[len(group) // 2]
        return middle.tolist()

    def scores(self, topics: int, rng: np.random.Generator) -> Floats:
        """Draw scores on new topics: (system, topic, metric)."""
        # normal scores that vary together as the real ones do, of variance 1
        factors = self.normal.shape[1]
        drawn = self.normal @ rng.standard_normal((factors, topics))
        # their place in the distribution, in (0, 1)
        share = ndtr(drawn / np.sqrt(factors)).clip(1e-12, 1 - 1e-12)
        share = share.reshape(len(self.systems), len(self.metrics), topics)
        # the score at that place, by each system's own distribution: (system, metric, topic)
        found = np.empty_like(share)
        for system, metric in np.ndindex(found.shape[:2]):
            margin = self.margins[system][metric]
            found[system, metric] = margin.quantiles(share[system, metric])
        return np.ascontiguousarray(found.transpose(0, 2, 1))

    def cube(self, topics: int, rng: np.random.Generator) -> xr.DataArray:
        """Draw a cube of new topics, which are numbered from 1."""
        numbers = [str(number) for number in range(1, topics + 1)]
        names = self.systems, numbers, self.metrics
        about = f"{self.collection}, simulated"
        return cube(self.scores(topics, rng), *names, collection=about)


def like(
    scores: xr.DataArray, rng: np.random.Generator, *, systems: int | None = None
) -> World:
    """Return the world whose cubes are like this one.

    scores : a cube without missing cells, at least 2 systems and 5 topics, else ScoresError.
    systems : how many, 2 or more, else ScoresError; some drawn at random where there are more. Where there are fewer,
    each further system has the margins of one and depends on the others as the halfway point of two does.

    >>> from irmeta.scores.cube import cube
    >>> real = cube(np.random.default_rng(0).random((4, 30, 1)), list("abcd"), list(map(str, range(30))), ["AP"])
    >>> world = like(real, np.random.default_rng(0))
    >>> world.scores(1000, np.random.default_rng(0)).mean(axis=1).round(1).tolist() == world.means.round(1).tolist()
    True
    """
    if (
        np.isnan(scores.values).any()
        or scores.sizes["topic"] < 5
        or scores.sizes["system"] < 2
    ):
        raise ScoresError(
            "a cube to imitate needs at least 2 systems and 5 topics, and no missing scores"
        )
    picked, beside, names = _systems(scores, systems, rng)
    discrete = [
        _is_discrete(of_metric) for of_metric in np.moveaxis(scores.values, 2, 0)
    ]
    margins = [
        [_margin(row[:, m], discrete=kind) for m, kind in enumerate(discrete)]
        for row in scores.values[picked]
    ]
    normal = _normal_scores(scores.values)
    mixed = _scaled(normal[picked] + normal[beside])
    metrics = [str(name) for name in scores.metric.values]
    collection = str(scores.attrs.get("collection", "collection"))
    normal_rows = mixed.reshape(-1, scores.sizes["topic"])
    return World(names, metrics, collection, margins, normal_rows)


def _systems(
    scores: xr.DataArray, systems: int | None, rng: np.random.Generator
) -> tuple[Ints, Ints, list[str]]:
    """Return the systems picked, those that they are mixed with, and their names, (system,) each.

    A real one is mixed with itself; each beyond them with another, and has a name of its own.
    """
    there = scores.sizes["system"]
    wanted = there if systems is None else systems
    if wanted < 2:
        raise ScoresError(f"{wanted} systems are too few; simulate at least 2")
    known = np.sort(rng.permutation(there)[:wanted])
    more = rng.integers(there, size=max(0, wanted - there))
    other = (more + rng.integers(1, there, size=len(more))) % there
    taken = [str(name) for name in scores.system.values]
    free = (name for n in count(1) if (name := f"further{n}") not in taken)
    names = [taken[at] for at in known] + list(islice(free, len(more)))
    return np.append(known, more), np.append(known, other), names


def _is_discrete(scores: Floats) -> bool:
    """Say whether the scores of a metric, (system, topic), have few distinct values."""
    return len(np.unique(scores.round(6))) < _FEW * scores.shape[1]


def _margin(scores: Floats, *, discrete: bool) -> Margin:
    """Make the margin of one system's scores: a value counts as often as it occurs."""
    if discrete:
        values, counts = np.unique(scores, return_counts=True)
        return Margin(values, counts / counts.sum(), discrete=True)
    weights = np.full(len(scores), 1 / len(scores))
    return Margin(np.sort(scores), weights, discrete=False)


def _normal_scores(scores: Floats) -> Floats:
    """Return Phi^-1(rank / (n + 1)) over topics, (system, metric, topic), rows of mean square 1."""
    ranks = rankdata(scores, axis=1).transpose(0, 2, 1)
    return _scaled(ndtri(ranks / (scores.shape[1] + 1)))


def _scaled(normal: Floats) -> Floats:
    """Return rows divided by their root mean square; a row of zeros stays."""
    size = np.sqrt((normal**2).mean(axis=-1, keepdims=True))
    return np.divide(normal, size, out=np.zeros(normal.shape), where=size > 0)
