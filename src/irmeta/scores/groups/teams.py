"""Systems that come in teams: from a mapping, a table, or the stems of their names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.metrics.names import alike
from irmeta.scores.notes import Method
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.teams import alike as score_alike
from irmeta.words import capitalized, counted, joined

STEM = "stem"
"""What stands for the stems of the systems' names, in place of a table."""
EACH = "each"
"""What stands for systems of which no two come from one team."""
SHARED = 1 / 3
"""Where more than this part of the systems share a stem with another, stems are teams unless others are named."""
FEWEST = 4
"""Fewer stems than these are no teams by default."""
LIKE_OTHERS = 1 / 4
"""Where more than this part of the systems score much as one of another stem, stems are not the teams."""


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name; `unpooled` are runs whose documents nobody was asked to judge."""

    of: Mapping[str, str]
    unpooled: frozenset[str] = field(default_factory=frozenset)
    source: str = "groups"

    def called(self, labels: Mapping[str, str]) -> "Groups":
        """Return the same groups of runs that are called by their labels."""
        of = {labels.get(run, run): group for run, group in self.of.items()}
        unpooled = frozenset(labels.get(run, run) for run in self.unpooled)
        return replace(self, of=of, unpooled=unpooled)

    def require(self, runs: list[str]) -> None:
        """Raise ScoresError for a run without a group."""
        lacking = [run for run in runs if run not in self.of]
        if lacking:
            close = joined(alike(lacking[0], self.of), "or")
            mend = f"did you mean {close}?" if close else "add a line for it"
            raise ScoresError(
                f"{self.source}: no group for {len(lacking)} of {counted(len(runs), 'run')}, such as {lacking[0]!r}; "
                f"{mend}"
            )


if TYPE_CHECKING:
    # the door reads files and data frames
    Grouping = Groups | Mapping[str, str] | str | Any | None
else:
    Grouping = Groups | Mapping[str, str] | str | None
    """Teams as a study takes them: a table, teams by system, "stem", "each", or nothing: what names say."""


class Teams(NamedTuple):
    """The teams of some systems.

    names : of the teams.  of : (system,), the number of each system's team.  source : where they are from.  unknown :
    why a verdict about other systems cannot be given; "" where it can.
    """

    names: list[str]
    of: Ints
    source: str | None
    unknown: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """What the options of a result say of them."""
        return {
            "teams": self.source,
            "team_count": len(self.names),
            "teams_unknown": self.unknown,
        }

    def note(self, intervals: str = "Intervals") -> str:
        """What intervals assume of the systems: that they, or their teams, are independent."""
        systems = counted(len(self.of), "system")
        apart = f"{intervals} take the {systems} as independent of each other"
        if self.source == EACH:
            return Method(f"{apart}.")
        if self.source is None:
            return Method(
                f"{apart}; they are too short where several come from one team (--teams)."
            )
        return Method(
            f"{intervals} treat the {len(self.names)} teams, not their {systems}, as independent (teams: "
            f"{teams_phrase(self.options)})."
        )


def teams_of(
    systems: Iterable[str], groups: Grouping, scores: Floats | None = None
) -> Teams:
    """Return the teams of systems: by a table, by the stem of their names ("stem"), or each its own ("each").

    The stem of a name is what stands before its last hyphen, underscore or full stop. By default stems are the teams
    where many names share one, unless `scores` (system, topic, metric) show that they are not all.
    Raises ScoresError for a system that the table lacks, and where all systems are of one team.

    >>> teams_of(["udel_a", "udel_b", "bm25"], "stem").names
    ['bm25', 'udel']
    """
    systems = [str(system) for system in systems]
    chosen = default_teams(systems) if groups is None else groups
    if chosen is not None and not isinstance(chosen, str | Mapping | Groups):
        raise ScoresError(
            f"teams are a mapping from system to team, 'stem' or 'each', not {type(chosen).__name__}"
        )
    if chosen in (None, EACH):
        unknown = "" if chosen else "names do not show which come from one team"
        return Teams(systems, np.arange(len(systems)), chosen, unknown)
    names, team = _group_numbers(systems, chosen)
    if len(names) < 2:
        raise ScoresError(
            f"all {len(systems)} systems are of one team, {names[0]}; intervals need at least 2 teams"
        )
    unknown = ""
    if (
        groups is None
        and scores is not None
        and score_alike(scores, team) > LIKE_OTHERS
    ):
        unknown = "systems of different name stems score alike, so that names do not show the teams"
    return Teams(names, team, source_of_groups(chosen), unknown)


def default_teams(systems: Iterable[str]) -> str | None:
    """Return "stem" where enough names share their stem with another that stems are likely teams; else None.

    >>> default_teams(["a_1", "a_2", "b_1", "b_2", "c_1", "d"]), default_teams(["s1", "s2"])
    ('stem', None)
    """
    stems = [stem(str(system)) for system in systems]
    sizes = np.unique(stems, return_counts=True)[1]
    shared = sizes[sizes > 1].sum() > SHARED * sizes.sum()
    return STEM if shared and len(sizes) >= FEWEST else None


def teams_phrase(options: Mapping[str, Any]) -> str:
    """Say which teams the figures of a result take, by its options.

    >>> teams_phrase({"teams": "stem", "team_count": 8})
    '8 name stems'
    """
    if options["teams"] == STEM:
        return counted(options["team_count"], "name stem")
    return str(options["teams"])


def teams_prefix(options: Mapping[str, Any], first: str = "") -> str:
    """Say of a verdict that it takes name stems as teams, to stand before it; nothing of teams that a user named.

    first : the first word of a sentence, if the verdict is one.

    >>> teams_prefix({"teams": "stem", "team_count": 8}), teams_prefix({"teams": "each"}, "these")
    ('taking 8 name stems as teams, ', 'These')
    """
    prefix = ""
    if options["teams"] == STEM:
        prefix = f"taking {teams_phrase(options)} as teams, "
    return capitalized(prefix + first) if first else prefix


def teams_needed(options: Mapping[str, Any], verdict: str) -> str:
    """Say that a verdict needs the teams of the systems; nothing where they are known.

    >>> teams_needed({"teams_unknown": "nobody knows them"}, "which metric is best")  # doctest: +ELLIPSIS
    'which metric is best cannot be said ... no two systems come from one team.'
    """
    if not options["teams_unknown"]:
        return ""
    return (
        f"{verdict} cannot be said without the teams of the systems: {options['teams_unknown']}; give a CSV with "
        "columns run and team (--teams FILE), or --teams each if no two systems come from one team."
    )


def families_of(
    systems: Iterable[str], groups: Grouping
) -> tuple[list[str], Ints] | None:
    """Return the names of families, and the number of each system's family; None where each is by itself."""
    if groups in (None, EACH):
        return None
    names, family_of = _group_numbers([str(system) for system in systems], groups)
    if len(names) < 2:
        raise ScoresError(
            f"all {counted(len(family_of), 'system')} are of one family, {names[0]}; a judge favours one beside "
            "others"
        )
    return names, family_of


def _group_numbers(systems: list[str], groups: Grouping) -> tuple[list[str], Ints]:
    """Return the names of groups in order, and the number of each system's group."""
    table = groups_of(systems, groups)
    groups_in_order = [table.of[system] for system in systems]
    names, group_of = np.unique(groups_in_order, return_inverse=True)
    return names.tolist(), group_of.astype(np.int64)


def source_of_groups(groups: Grouping) -> str | None:
    """Say where groups are from, for the options of a result."""
    if groups is None or isinstance(groups, str):
        return groups
    if isinstance(groups, Groups):
        return groups.source
    return f"a table of {counted(len(groups), 'system')}"


def groups_of(runs: list[str], groups: Grouping) -> Groups:
    """Return the group of each run, as a table has it, by the stem of its name, or each run by itself.

    Raises ScoresError for a run without a group.
    """
    if groups in (None, EACH):
        return Groups({run: run for run in runs}, source="each run by itself")
    if isinstance(groups, str):
        if groups != STEM:
            raise ScoresError(
                f"teams={groups!r}: expected a table of runs and teams, {STEM!r} or {EACH!r}"
            )
        return Groups({run: stem(run) for run in runs}, source=STEM)
    table = groups if isinstance(groups, Groups) else Groups(dict(groups))
    table.require(runs)
    return table


def stem(name: str) -> str:
    """Return what stands in a name before its last hyphen, underscore or full stop; the name where there is none.

    >>> stem("udel_a"), stem("31_2"), stem("bm25")
    ('udel', '31', 'bm25')
    """
    return re.split(r"[-_.](?=[^-_.]*$)", name)[0] or name
