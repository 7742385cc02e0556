"""Systems that come in teams: from a mapping, a table, or the stems of their names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.metrics.names import nearest
from irmeta.stats.arrays import Ints
from irmeta.words import counted

STEM = "stem"
"""What stands for the stems of the systems' names, in place of a table."""


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name; `unpooled` are runs whose documents nobody was asked to judge."""

    of: Mapping[str, str]
    unpooled: frozenset[str] = field(default_factory=frozenset)
    source: str = "groups"

    def require(self, runs: list[str]) -> None:
        """Raise ScoresError for a run without a group."""
        lacking = [run for run in runs if run not in self.of]
        if lacking:
            raise ScoresError(
                f"{self.source}: no group for {len(lacking)} of {counted(len(runs), 'run')}, such "
                f"as {lacking[0]!r}; {nearest(lacking[0], self.of)}; a run is named after its file, "
                "without .gz"
            )


Grouping = Groups | Mapping[str, str] | str | None
"""Teams as a study takes them: a table, a mapping from system to team, "stem", or nothing: each system by itself."""


class Teams(NamedTuple):
    """The teams of some systems.

    names : of the teams.  of : (system,), the number of each system's team.  source : where they are from.  note : what
    intervals assume.
    """

    names: list[str]
    of: Ints
    source: str | None
    note: str


def teams_of(systems: Iterable[str], groups: Grouping) -> Teams:
    """Return the teams of systems: by a table, by the stem of their names ("stem"), or each system as its own team.

    The stem of a name is what stands before its last hyphen, underscore or full stop.
    Raises ScoresError for a system that the table lacks, and where all systems are of one team.

    >>> teams_of(["udel_a", "udel_b", "bm25"], "stem").names
    ['bm25', 'udel']
    """
    systems = [str(system) for system in systems]
    if groups is None:
        return Teams(systems, np.arange(len(systems)), None, _alone(len(systems)))
    names, of = _numbered(systems, groups)
    if len(names) < 2:
        raise ScoresError(
            f"all {len(systems)} systems are of one team, {names[0]}; intervals need at least 2 "
            "teams"
        )
    source = source_of_groups(groups)
    note = f"Intervals treat the {len(names)} teams, not their {len(systems)} systems, as independent"
    return Teams(names, of, source, f"{note} (teams: {source}).")


def families_of(
    systems: Iterable[str], groups: Grouping
) -> tuple[list[str], Ints] | None:
    """Return the names of families, and the number of each system's family; None where there are none."""
    if groups is None:
        return None
    names, of = _numbered([str(system) for system in systems], groups)
    if len(names) < 2:
        raise ScoresError(
            f"all {counted(len(of), 'system')} are of one family, {names[0]}; a judge favours one beside "
            "others"
        )
    return names, of


def _numbered(systems: list[str], groups: Grouping) -> tuple[list[str], Ints]:
    """Return the names of groups in order, and the number of each system's group."""
    table = grouped(systems, groups)
    names, of = np.unique([table.of[system] for system in systems], return_inverse=True)
    return names.tolist(), of.astype(np.int64)


def source_of_groups(groups: Grouping) -> str | None:
    """Say where groups are from, for the options of a result."""
    if groups is None or isinstance(groups, str):
        return groups
    if isinstance(groups, Groups):
        return groups.source
    return f"a table of {counted(len(groups), 'system')}"


def grouped(runs: list[str], groups: Grouping) -> Groups:
    """Return the group of each run, as a table has it, or by the stem of its name; by default each run is one.

    Raises ScoresError for a run without a group.
    """
    if groups is None:
        return Groups({run: run for run in runs}, source="each run by itself")
    if isinstance(groups, str):
        if groups != STEM:
            raise ScoresError(
                f"teams={groups!r}: expected a table of runs and teams, or {STEM!r}"
            )
        return Groups({run: stem(run) for run in runs}, source="stems of the names")
    if isinstance(groups, Groups):
        table = groups
    else:
        table = Groups(dict(groups))
    table.require(runs)
    return table


def _alone(systems: int) -> str:
    return (
        f"Intervals treat the {systems} systems as independent; if several come from one team, "
        "intervals are too short: name the teams (--teams)."
    )


def stem(name: str) -> str:
    """Return what stands in a name before its last hyphen, underscore or full stop; the name where there is none.

    >>> stem("udel_a"), stem("31_2"), stem("bm25")
    ('udel', '31', 'bm25')
    """
    return re.split(r"[-_.](?=[^-_.]*$)", name)[0] or name
