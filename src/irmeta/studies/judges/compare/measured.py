"""How often the intervals of a comparison hold what is true, as measured in simulated collections of several sizes."""

from collections.abc import Mapping
from math import log
from typing import NamedTuple

from irmeta.words import counted


class HeldShares(NamedTuple):
    """The lowest and the highest share of 95% intervals that held, over good and bad judges: of tau, of differences."""

    tau: tuple[float, float]
    difference: tuple[float, float]


MEASURED: Mapping[tuple[int, int], HeldShares] = {
    (5, 25): HeldShares((0.9667, 0.9933), (0.9065, 0.98)),
    (10, 10): HeldShares((0.9533, 1.0), (0.96, 1.0)),
    (10, 50): HeldShares((0.96, 0.9933), (0.94, 0.9867)),
    (20, 25): HeldShares((0.9198, 0.9867), (0.9286, 0.9733)),
    (25, 5): HeldShares((0.9317, 0.9467), (0.9198, 0.9667)),
    (40, 10): HeldShares((0.96, 0.9867), (0.9467, 1.0)),
    (60, 50): HeldShares((0.96, 0.98), (0.9533, 0.9867)),
}
"""By numbers of systems and topics; a test compares them with the table of docs/coverage.md."""


TEAMS: Mapping[tuple[int, int], HeldShares] = {
    (6, 25): HeldShares((0.8418, 0.9065), (0.85, 0.9467)),
    (10, 50): HeldShares((0.8945, 0.9065), (0.9141, 0.9867)),
}
"""The same for intervals that leave out teams, by numbers of teams (of four systems) and topics."""


def coverage_of_teams() -> str:
    """Say how often intervals that leave out teams held in simulated collections of teams.

    >>> coverage_of_teams()[:96]
    '95% intervals leave out teams; in simulated collections with teams of four systems, those of tau'
    """
    shares = " and ".join(
        f"{held.tau[0]:.0%} to {held.tau[1]:.0%} ({teams} teams, {topics} topics)"
        for (teams, topics), held in TEAMS.items()
    )
    return (
        "95% intervals leave out teams; in simulated collections with teams of four systems, those "
        f"of tau hold in {shares} (docs/coverage.md)"
    )


def coverage_note(systems: int, topics: int) -> str:
    """Say how often intervals held in the simulated collections whose size is most like this one.

    >>> coverage_note(22, 30)[:78]
    'in simulated collections of 20 systems on 25 topics, the most similar size, 95'
    """
    # sizes differ by their ratios
    like = min(
        MEASURED,
        key=lambda size: abs(log(size[0] / systems)) + abs(log(size[1] / topics)),
    )
    held = MEASURED[like]
    return (
        f"in simulated collections of {counted(like[0], 'system')} on {counted(like[1], 'topic')}, "
        f"the most similar size, 95% intervals hold for tau in {held.tau[0]:.0%} to "
        f"{held.tau[1]:.0%} and for differences between two judges' tau in {held.difference[0]:.0%} "
        f"to {held.difference[1]:.0%} of cases (docs/coverage.md)"
    )
