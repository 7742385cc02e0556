"""How often intervals and tests keep their promises where the truth is known, in collections like the one at hand."""

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("coverage.csv")
"""A row for each promise, world and number of topics; `python -m bench.coverage --write` writes it."""
TIMES = 4
"""A world is like a collection with at most this many times as many systems, or as few."""
CLUSTERS = ", clusters"
"""How the name of a promise ends that was measured where clusters, not topics, are independent."""
TOLERATED = 0.03
"""By how much the share kept may be worse than promised before a reader should know."""


class Measured(NamedTuple):
    """What was measured of a promise in one world with some number of topics.

    of : the promise.  systems : how many; 0 where they do not belong to it.
    kept : the share of draws in which it was kept; of a test, in which it rejected a true hypothesis.
    """

    of: str
    world: str
    systems: int
    topics: int
    promised: float
    kept: float


class Held(NamedTuple):
    """In what share of draws a promise was kept: the least and the largest share over some worlds.

    systems, topics : the least and the largest number in these worlds.
    unit : what was independent there, "topics" or "clusters", whose numbers then are `topics`.
    """

    low: float
    high: float
    promised: float
    systems: tuple[int, int]
    topics: tuple[int, int]
    unit: str = "topics"

    @property
    def share(self) -> str:
        """The shares in percent.

        >>> Held(0.77, 0.954, 0.95, (5, 20), (10, 10)).share
        '77 to 95%'
        """
        return f"{_span(round(100 * self.low), round(100 * self.high))}%"

    @property
    def broken(self) -> bool:
        """Whether in some world an interval held clearly less often than promised, or a test rejected more often.

        >>> Held(0.77, 0.95, 0.95, (5, 20), (10, 10)).broken, Held(0.0, 0.06, 0.05, (5, 20), (10, 10)).broken
        (True, False)
        """
        if self.promised > 0.5:
            return self.low < self.promised - TOLERATED
        return self.high > self.promised + TOLERATED

    def said(self, intervals: str) -> list[str]:
        """Say how often intervals held where that is clearly too seldom.

        >>> Held(0.77, 0.95, 0.95, (5, 20), (10, 10)).said("95% intervals of r")
        ['95% intervals of r held in 77 to 95% of simulated collections (5 to 20 systems, 10 topics).']
        """
        return [f"{intervals} held in {self}."] if self.broken else []

    def __str__(self) -> str:
        """Write the shares, and of what.

        >>> str(Held(0.77, 0.954, 0.95, (5, 20), (10, 10)))
        '77 to 95% of simulated collections (5 to 20 systems, 10 topics)'
        """
        size = f"{_span(*self.topics)} {self.unit}"
        if self.systems[1]:
            size = f"{_span(*self.systems)} systems, {size}"
        return f"{self.share} of simulated collections ({size})"


def held(*of: str, systems: int, topics: int) -> Held:
    """Return how often promises were kept in collections of a size like this one.

    of : promises by their names in docs/coverage.md, as in "a difference by itself".
    Asked are the worlds with the nearest numbers of topics, not above and not below, and of these the worlds with at
    most four times as many systems, or as few; where there are none, those with the nearest number.

    >>> one = held("interval of a mean", systems=12, topics=30)
    >>> one.systems, one.topics
    ((5, 48), (25, 50))
    """
    found = [row for row in rows() if row.of in of]
    return over(_like(_around(found, topics), systems))


def over(found: Sequence[Measured]) -> Held:
    """Return the range over some rows; raise LookupError where there are none.

    >>> over([Measured("x", "a", 5, 10, 0.95, 0.8), Measured("x", "b", 20, 10, 0.95, 0.9)])
    Held(low=0.8, high=0.9, promised=0.95, systems=(5, 20), topics=(10, 10), unit='topics')
    """
    if not found:
        raise LookupError("no such promise was measured")
    of, _, systems, topics, promised, kept = zip(*found, strict=True)
    return Held(
        min(kept),
        max(kept),
        promised[0],
        (min(systems), max(systems)),
        (min(topics), max(topics)),
        "clusters" if of[0].endswith(CLUSTERS) else "topics",
    )


@cache
def rows() -> Sequence[Measured]:
    """Return all that was measured, a row for each promise, world and number of topics."""
    text = FILE.read_text(encoding="utf-8")
    return [
        Measured(
            row["of"],
            row["world"],
            int(row["systems"] or 0),
            int(row["topics"]),
            float(row["promised"]),
            float(row["kept"]),
        )
        for row in csv.DictReader(text.splitlines())
    ]


def _around(found: Sequence[Measured], topics: int) -> Sequence[Measured]:
    """Keep the rows with the nearest numbers of topics, not above this one and not below."""
    sizes = sorted({row.topics for row in found})
    below = [size for size in sizes if size <= topics] or sizes[:1]
    above = [size for size in sizes if size >= topics] or sizes[-1:]
    return [row for row in found if row.topics in (*below[-1:], *above[:1])]


def _like(found: Sequence[Measured], systems: int) -> Sequence[Measured]:
    """Keep the rows with about this number of systems, or else with the nearest one."""
    times = [max(row.systems / systems, systems / max(row.systems, 1)) for row in found]
    most = max(TIMES, min(times, default=TIMES))
    return [row for row, ratio in zip(found, times, strict=True) if ratio <= most]


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"
