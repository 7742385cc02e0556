"""Draws of a case, the intervals of all ways on the same draws, and who is ahead."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.peers.worlds import Case, Drawn

PROMISED = 0.95
WIDER = 1.05
"""The most that our intervals may be wider than a peer's that hold as often."""
LEEWAY = 0.01
"""Shares that differ by no more are taken as equal."""
OURS = "irmeta"

Way = Callable[[Drawn], np.ndarray | None]


@dataclass(frozen=True)
class Held:
    """What came of a way in each draw: the share of its intervals that hold the truth, and their mean width."""

    kept: np.ndarray
    width: np.ndarray

    @property
    def error(self) -> float:
        """The standard error of the share kept."""
        return float(self.kept.std(ddof=1) / np.sqrt(self.kept.size))


Row = Mapping[str, Held | None]
"""By way; None for a peer that refuses."""


def measure(case: Case, ways: Mapping[str, Way], draws: int, seed: int) -> Row:
    """Draw the case so many times."""
    rng = np.random.default_rng([seed, case.n, *case.world.encode()])
    found: dict[str, list[tuple[float, float]] | None] = {name: [] for name in ways}
    for _ in range(draws):
        drawn = case.draw(rng)
        for name, way in ways.items():
            kept = found[name]
            if kept is None:
                continue
            ends = way(drawn)
            if ends is None:
                found[name] = None
            else:
                kept.append(held(ends, _truth(drawn, ends)))
    return {name: gathered(rows) for name, rows in found.items()}


def _truth(drawn: Drawn, ends: np.ndarray) -> np.ndarray:
    """Return both means, or their difference where there is one interval."""
    return drawn.truth if ends.shape[1] == 2 else drawn.truth[:1] - drawn.truth[1:]


def held(ends: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return the share of intervals that hold the truth, and their mean width.

    >>> held(np.array([[0.1, 0.5], [0.3, 0.6]]), np.array([0.2, 0.2]))
    (0.5, 0.15)
    """
    low, high = ends
    inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    return float(inside.mean()), round(float((high - low).mean()), 12)


def gathered(rows: Sequence[tuple[float, float]] | None) -> Held | None:
    """Return the draws of a way as arrays."""
    if rows is None:
        return None
    kept, width = np.array(rows).T
    return Held(kept, width)


def less(one: Held, other: Held) -> bool:
    """Say whether one holds clearly less often than the other, and than promised: by .01 and by 2 standard errors."""
    short = min(other.kept.mean(), PROMISED) - one.kept.mean()
    apart = (other.kept - one.kept).std(ddof=1) / np.sqrt(one.kept.size)
    error = apart if other.kept.mean() < PROMISED else one.error
    return bool(short > max(2 * error, LEEWAY) + 1e-9)


def wider(one: Held, other: Held) -> bool:
    """Say whether one is more than 1.05 times as wide as another that holds as often, to .01, or as promised."""
    short = min(one.kept.mean(), PROMISED) - other.kept.mean()
    return bool(short <= LEEWAY and one.width.mean() > WIDER * other.width.mean())


def behind(one: Held, other: Held) -> str:
    """Say in which ways one is behind the other: "holds less", "is wider", both, or "" where it is not."""
    ways = [("holds less", less), ("is wider", wider)]
    return " and ".join(name for name, way in ways if way(one, other))


def pays(one: Held, other: Held) -> bool:
    """Say whether one is more than 1.05 times as wide as another that holds less often."""
    return bool(one.width.mean() > WIDER * other.width.mean() and not wider(one, other))
