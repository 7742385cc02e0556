"""The frame: what a promise is, how often it is kept, and whether that is often enough."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Trial = Callable[[np.random.Generator], Mapping[str, Any]]
"""A draw of data whose truth is known, and what came of it: `kept`, whether the promise was kept, or the share of
systems or pairs for which it was; and any other figure that the table shows beside it, such as the `width`."""


AWAY = "away"
"""Among the figures of a trial: how far the estimate, or each of several, is from the truth.

From it comes the width that the promise needs: that of an interval of fixed width around the estimate, which holds as
often as promised.
"""

UNITS = "units"
"""Among the figures of a trial: how many independent things tell the variance, where these are not the topics."""


@dataclass(frozen=True)
class Case:
    """A world in which a promise is checked, and how many topics it is checked with.

    systems : how many there are; None where they do not belong to the promise.
    """

    world: str
    topics: int
    trial: Trial
    systems: int | None = None


@dataclass(frozen=True)
class Entry:
    """A promise to be checked.

    name : what it is of.
    promised : the share of draws in which it should hold; for a test, in which it may reject.
    bound : what is tolerated in the worst case: an interval holds at least so often, a test rejects at most so often.
    cases : from the folder of real collections (None for made ones) to the cases.
    draws, few : the most of them, and those of the short form; fewer where a draw is slow.
    warns : where the bound is far from what is promised: the words by which irmeta says so beside the figures.
    """

    name: str
    promised: float
    bound: float
    cases: Callable[[Path | None], Iterable[Case]]
    draws: int = 600
    few: int = 60
    warns: str = ""


@dataclass(frozen=True)
class Row:
    """What was measured of one promise in one case.

    figures : means over the draws that have them.  error : that of `kept`.  seconds : of one core, for all draws.
    """

    entry: Entry
    case: Case
    draws: int
    figures: Mapping[str, float]
    error: float
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether the bound is kept, but for what so few draws may miss by."""
        beyond = self.figures["kept"] - self.entry.bound
        wrong = beyond if self.entry.promised < 0.5 else -beyond
        return wrong <= 3 * self.error


LEAST, ERROR = 150, 0.01
"""Draws that are made in any case, and the standard error small enough to stop after them."""
NEEDED = 600
"""Draws that tell the width needed where each has one estimate: of 150 normal ones it is off by 8%, of 600 by 4%."""


AGAIN = 5
"""Times as many draws, from another seed, are made of a case that seems to miss its promise, or to pay too much."""


def measure(entry: Entry, case: Case, draws: int, error: float = ERROR) -> Row:
    """Draw again and again, at most so often, until the share that is kept is known well enough.

    error : the standard error of the share kept that is small enough.
    """
    rng = np.random.default_rng([case.topics, draws])
    begun = time.process_time()
    drawn: list[Mapping[str, float]] = []
    while len(drawn) < draws and not _enough(drawn, error):
        drawn.append(case.trial(rng))
    figures = {
        key: float(np.nanmean([one[key] for one in drawn]))
        for key in drawn[0]
        if key != AWAY
    }
    if AWAY in drawn[0]:
        figures["needed"] = needed([one[AWAY] for one in drawn], entry.promised)
    return Row(
        entry,
        case,
        len(drawn),
        figures,
        _error(drawn),
        time.process_time() - begun,
    )


def measure_again(entry: Entry, case: Case, draws: int) -> Row:
    """Measure a case as `measure` does, with other draws and five times as many of them."""
    return measure(entry, case, AGAIN * draws, ERROR / AGAIN**0.5)


def _enough(drawn: Sequence[Mapping[str, Any]], error: float) -> bool:
    """Say whether so many draws tell the share kept, and the width needed."""
    if len(drawn) < LEAST or _error(drawn) > error:
        return False
    width_alone = np.size(drawn[0].get(AWAY, ())) == 1
    return not width_alone or len(drawn) >= NEEDED * (ERROR / error) ** 2


def needed(away: Sequence[float | np.ndarray], promised: float) -> float:
    """Return the width of the narrowest fixed interval around estimates that holds the truth as often as promised.

    away : of each draw, how far the estimate, or each of several, is from the truth; NaN where there is none.

    >>> needed([-0.1, 0.2, 0.3, -0.4], 0.75)
    0.6
    """
    every = np.abs(np.concatenate([np.ravel(one) for one in away]))
    half = np.nanquantile(every, promised, method="inverted_cdf")
    return round(2 * float(half), 12)


def _error(drawn: Sequence[Mapping[str, float]]) -> float:
    """Return the standard error of the share kept."""
    kept = np.array([float(one["kept"]) for one in drawn])
    return float(kept.std(ddof=1) / np.sqrt(len(kept)))


def hardest(cases: Iterable[Case]) -> Sequence[Case]:
    """Keep the case with the fewest topics of each world: there promises are hardest to keep."""
    found: dict[str, Case] = {}
    for case in cases:
        if case.world not in found or case.topics < found[case.world].topics:
            found[case.world] = case
    return list(found.values())
