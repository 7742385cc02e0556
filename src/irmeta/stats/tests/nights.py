"""A loss above a margin, shown or excluded, night after night on the same topics, at one level for all nights.

With x the differences plus the margin, a night's statistic is r = sum(x) / sqrt(sum(x^2)), which rises with Student's
t. If no night has a loss above the margin, the r of all nights together are drawn as sum(w x) / sqrt(sum(x^2)) with
weights w of the topics that are the same for all nights: so nights that share topics, or nearly the same system, count
as the little news that they are. The laws of w are `signs` and `directions`, as in `stepdown`.
A night's limit is the smallest with which no more draws than the level allows pass any limit, of the nights before, of
this one, and of those to come, if as many pass then as passed a night in the last third so far.
Sources: Lan and DeMets (Biometrika 1983) for spending; Westfall and Young (1993); Johnson (JASA 1978) for skew.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from irmeta.stats.arrays import Bools, Floats, Indices, Singles

NIGHTS = 200
"""Nights for which the level is: the next 200 have their own."""
MOST = 0.1
"""The share of the level that one night may use, as the first does: few nights that are alike promise nothing."""
LATE = 1 / 3
"""The share of the nights so far of which the rate is expected of those to come: nights are ever less news."""
AT_ONCE = 25
"""Nights that are drawn in one go."""
DRAWS = 16384
"""Weights by each law, each of them also with the other sign."""
POWER = 0.8
"""The share of nights on which a visible loss is shown."""


class Looks:
    """The limits of nights, one after the other; `topics` is the number of all topics that any of them has."""

    def __init__(
        self, topics: int, alpha: float, rng: np.random.Generator, draws: int = DRAWS
    ) -> None:
        normal, signs = rng.spawn(2)
        both = np.array([-1.0, 1.0], dtype=np.float32)
        # a topic is a row, so that further topics leave the draws of the others as they are
        directions = normal.standard_normal((topics, draws), dtype=np.float32)
        self._laws = (
            _Law(directions, alpha),
            _Law(signs.choice(both, size=(topics, draws)), alpha),
        )

    def limit(self, moved: Floats, *, single: bool = False) -> float:
        """Return the limit that |r| of the next night has to pass.

        moved : differences plus the margin, (comparison, topic), NaN for a topic that the night lacks.
        single : whether no night follows, so that this one may spend the whole level.
        """
        (limit,) = self.limits([moved], single=single)
        return limit

    def limits(self, nights: Sequence[Floats], *, single: bool = False) -> list[float]:
        """Return the limits of the next nights, one after the other, as `limit` does."""
        limits = []
        for begun in range(0, len(nights), AT_ONCE):
            some = nights[begun : begun + AT_ONCE]
            for lows in zip(*(law.lowest(some) for law in self._laws), strict=True):
                by_law = list(zip(self._laws, lows, strict=True))
                limit = max(law.limit(low, single=single) for law, low in by_law)
                for law, low in by_law:
                    law.take(low, limit)
                limits.append(limit)
        return limits


class _Law:
    """The draws by one law: which of them passed a limit, and the lowest r that each had in any night."""

    def __init__(self, weights: Singles, alpha: float) -> None:
        self._weights = weights
        self._size = np.sqrt((weights**2).mean(axis=0))
        self._sizes_of: dict[bytes, Singles] = {}
        self._allowed = alpha * 2 * weights.shape[1]
        self._passed = np.zeros(2 * weights.shape[1], dtype=bool)
        self._ever = np.zeros(self._passed.size, dtype=np.float32)
        self._past: list[Singles] = []
        self._spent = 0

    def lowest(self, nights: Sequence[Floats]) -> list[Singles]:
        """Return the lowest r of each night in each draw, those of the other sign behind."""
        every = np.concatenate(nights)
        known = ~np.isnan(every)
        values = np.where(known, every, 0.0)
        length = np.sqrt((values**2).sum(axis=1, keepdims=True))
        unit = np.divide(values, length, out=np.zeros_like(values), where=length > 0)
        drawn = unit.astype(np.float32) @ self._weights
        drawn /= self._sizes(known)
        ends = np.cumsum([len(night) for night in nights])[:-1]
        return [
            np.concatenate([night.min(axis=0), -night.max(axis=0)])
            for night in np.split(drawn, ends)
        ]

    def _sizes(self, known: Bools) -> Singles:
        """Return the root mean square of the weights of the topics that each comparison has."""
        if known.all():
            return self._size
        return np.stack([self._size_of(row) for row in known])

    def _size_of(self, known: Bools) -> Singles:
        """Return the root mean square of the weights of known topics (topic,): (draw,); kept, as nights repeat it."""
        key = known.tobytes()
        if key not in self._sizes_of:
            self._sizes_of[key] = np.sqrt((self._weights[known] ** 2).mean(axis=0))
        return self._sizes_of[key]

    def limit(self, low: Singles, *, single: bool) -> float:
        """Return the smallest limit that the draws allow: those that passed, that pass now, and that will.

        The chance beyond the k-th lowest of N draws is k / (N + 1), so that each night costs one draw more than pass.
        """
        left = self._allowed - self._spent
        values = self._lowest(np.minimum(self._ever, low))
        passing = 1 + _below(values, low[~self._passed])
        if single:
            return _limit_at(values, passing <= left)
        allowed = passing <= MOST * self._allowed
        if self._past:
            # passing + (nights to come) * (passed a night of late) <= left
            begun = int(len(self._past) * (1 - LATE))
            late = _below(values, values) - np.searchsorted(self._past[begun], values)
            a_night = late / (len(self._past) - begun)
            to_come = NIGHTS - 1 - len(self._past)
            allowed &= passing + to_come * np.maximum(a_night, 1) <= left
        return _limit_at(values, allowed)

    def take(self, low: Singles, limit: float) -> None:
        """Note what passed the limit of a night."""
        passing = low < -limit
        if np.isfinite(limit):
            self._spent += 1 + int(np.count_nonzero(passing & ~self._passed))
        self._passed |= passing
        self._ever = np.minimum(self._ever, low)
        self._past.append(self._lowest(self._ever))

    def _lowest(self, ever: Singles) -> Singles:
        """Return as many of the lowest values of draws as may pass, sorted."""
        # no night makes one of them higher
        highest = self._past[-1][-1] if self._past else np.inf
        return np.sort(ever[ever <= highest])[: int(self._allowed)]


def _below(values: Singles, draws: Singles) -> Indices:
    """Count the draws below each of some sorted values."""
    few = np.sort(draws[draws < values[-1]])
    return np.searchsorted(few, values)


def _limit_at(values: Singles, allowed: Bools) -> float:
    """Return the smallest limit of sorted values up to the last that is allowed; infinite if the first is not."""
    count = allowed.size if allowed.all() else int(np.argmin(allowed))
    if count == 0:
        return np.inf
    return max(0.0, -float(values[count - 1]) * (1 + 1e-6))


class Bounds(NamedTuple):
    """What a night says of each comparison, (comparison,): mean losses in units of the metric, above 0 if worse.

    shown : the loss is larger.
    possible : the loss is smaller; infinite where topics are too few or too skewed for any bound.
    visible : a loss that is shown to exceed the margin on 4 of 5 such nights; infinite if the metric has none so large.
    topics : with how many an equal system is shown to lose less than the margin on 4 of 5 nights; NaN for margin 0.
    """

    shown: Floats
    possible: Floats
    visible: Floats
    topics: Floats


def bounds(
    differences: Floats,
    limit: float | Floats,
    margin: float,
    widest: Floats,
    unseen: Floats | None = None,
) -> Bounds:
    """Return what differences (comparison, topic) show of a loss, at a limit of |r|, or one for each.

    Losses run from mean loss less q standard errors to mean loss plus q, with q Student's t of the limit, larger where
    the topics' skew makes t too certain. The upper end has one topic more, lost by all that the metric allows, or by
    the largest difference where it has no bound: rare losses are not to be seen on few topics.
    widest : the largest loss on one topic, (comparison,); infinite where there is none.
    unseen : the loss on the one topic more, if it is not that.

    >>> equal = np.zeros((1, 200))
    >>> [float(one[0].round(3)) for one in bounds(equal, 2.6, 0.02, np.ones(1))]
    [0.0, 0.018, 0.02, 50.0]
    """
    loss = -differences
    topics = (~np.isnan(loss)).sum(axis=1).astype(np.float64)
    q = _student(limit, topics)
    mean, error, skew = _moments(loss)
    shown = mean - _half(_adjusted(q, -skew, topics), error)
    most = np.where(np.isfinite(widest), widest, np.nanmax(np.abs(loss), axis=1))
    if unseen is not None:
        most = unseen
    upper, wider, _ = _moments(np.concatenate([loss, most[:, None]], axis=1))
    possible = upper + _half(_adjusted(q, skew, topics), wider)
    reach = q + float(ndtri(POWER))
    visible = margin + _half(reach, error)
    return Bounds(
        np.maximum(shown, -widest),
        np.where(np.isinf(possible), possible, np.minimum(possible, widest)),
        np.where(visible <= widest, visible, np.inf),
        _needed(_half(reach, error) * np.sqrt(topics), margin, most),
    )


def _half(q: Floats, error: Floats) -> Floats:
    """Return q standard errors, infinite where q is."""
    known = np.isfinite(q)
    return np.where(known, np.where(known, q, 0.0) * error, np.inf)


def _needed(reach: Floats, margin: float, most: Floats) -> Floats:
    """Return n with margin = reach / sqrt(n) + most / n, where the last is of the topic that is lost."""
    if margin == 0:
        return np.full_like(reach, np.nan)
    root = (reach + np.sqrt(reach**2 + 4 * margin * most)) / (2 * margin)
    return np.ceil(root**2)


def _moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return means, their standard errors, and skewness of values (comparison, topic), which may lack some (NaN)."""
    count = (~np.isnan(values)).sum(axis=1)
    mean = np.nanmean(values, axis=1)
    away = values - mean[:, None]
    variance = np.nanmean(away**2, axis=1)
    error = np.sqrt(variance / np.maximum(count - 1, 1))
    spread = variance > 1e-24
    third = np.nanmean(away**3, axis=1)
    skew = np.divide(third, variance**1.5, out=np.zeros_like(third), where=spread)
    return mean, error, skew


def _student(limit: float | Floats, topics: Floats) -> Floats:
    """Return Student's t of a limit of r: infinite if no r on these topics passes it."""
    left = topics - limit**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = limit * np.sqrt((topics - 1) / left)
    return np.where(left > 1e-9 * topics, t, np.inf)


def _adjusted(q: Floats, skew: Floats, topics: Floats) -> Floats:
    """Return q made larger where a mean is too certain: t is low too often where topics are skewed to the right.

    Johnson's t is t + a (1 + 2 t^2) with a = skew / (6 sqrt(n)); what is returned is the first -t that puts it at -q,
    infinite if none does. Only skew beyond its own standard error counts.
    """
    error = np.sqrt(6 / topics)
    a = np.maximum(skew - error, 0) / (6 * np.sqrt(topics))
    known = np.isfinite(q)
    finite = np.where(known, q, 0.0)
    # the smaller root of 2 a t^2 - t + a + q = 0
    discriminant = 1 - 8 * a * (a + finite)
    reached = known & (discriminant >= 0)
    skewed = a > 1e-9
    above = 1 - np.sqrt(np.maximum(discriminant, 0))
    t = above / (4 * np.where(skewed, a, 1.0))
    larger = np.where(skewed, t, finite)
    return np.where(reached, larger, np.inf)
