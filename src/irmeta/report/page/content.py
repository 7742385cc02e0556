"""What the sections of a page are made from: the collections, what of them can be studied, and results they share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from shlex import quote
from types import MappingProxyType
from typing import Any, get_args

import xarray as xr

from irmeta.choices import Level, Missing
from irmeta.cube import complete, default_by, varying
from irmeta.errors import ScoresError
from irmeta.io.groups import Grouping, said
from irmeta.names import canonical, nearest
from irmeta.report.page.panel import Panel, attempt, names

LEVELS: Mapping[Level, str] = MappingProxyType(
    {"topic": "Topic level", "within-topic": "Within topics", "system": "System level"}
)


@dataclass(frozen=True)
class Content:
    """The collections of a page.

    cubes : by name, as given.  used : what of each the studies can use.  order : the metric that orders its systems.
    seed : of all that is random.  source : the score file, as the commands on the page name it.  groups : the teams of
    the systems, if they are known.
    results : what one section computes and another needs.
    """

    cubes: Mapping[str, xr.DataArray]
    used: Mapping[str, xr.DataArray]
    order: Mapping[str, str]
    seed: int
    source: str
    groups: Grouping = None
    results: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        cubes: Mapping[str, xr.DataArray],
        *,
        by: str | None,
        missing: Missing,
        seed: int,
        source: str,
        groups: Grouping = None,
    ) -> "Content":
        """Prepare collections; the arguments are those of `irmeta.write_report`."""
        used = {name: _usable(name, cube, missing) for name, cube in cubes.items()}
        return cls(cubes, used, {name: order_by(cube, by) for name, cube in used.items()}, seed, source, groups)

    @property
    def by_team(self) -> str:
        """The option by which a command on the page names the teams; nothing where they are not known."""
        return "" if self.groups is None else f" --groups {quote(str(said(self.groups)))}"

    def once(self, key: str, compute: Callable[[], Any]) -> Any:
        """Return what `compute` returns, computed only the first time that its key is asked for."""
        if key not in self.results:
            self.results[key] = compute()
        return self.results[key]

    def source_of(self, name: str) -> str:
        """Return how a command names one collection."""
        return f"{self.source} --collection {quote(name)}" if len(self.used) > 1 else self.source

    def each(self, panel: Callable[[str], Panel]) -> list[Panel]:
        """Make a panel for each collection."""
        return [attempt(name, partial(panel, name)) for name in self.used]

    def levels(self, panel: Callable[[Level], Panel]) -> list[Panel]:
        """Make a panel for each level of scores; those that could not be computed come last."""
        made = [attempt(LEVELS[level], partial(panel, level)) for level in get_args(Level)]
        return sorted(made, key=lambda one: not one.tables)


def _usable(name: str, cube: xr.DataArray, missing: Missing) -> xr.DataArray:
    """Keep what the studies can use: complete scores where a policy says so, metrics by which systems differ."""
    kept = varying(cube if missing == "error" else complete(cube, missing)[0])
    if not kept.sizes["metric"]:
        count = f"{cube.sizes['system']} system{'s' if cube.sizes['system'] != 1 else ''}"
        raise ScoresError(f"{name}: no metric distinguishes its {count}; a report compares systems")
    return kept


def order_by(scores: xr.DataArray, by: str | None) -> str:
    """Choose the metric that systems are ordered by: the one named, AP, the deepest AP@k, or the first."""
    known = names(scores.metric)
    if by is not None:
        if canonical(by) not in known:
            where = scores.attrs.get("collection", "these scores")
            raise ScoresError(f"no metric {by!r} to order the systems of {where} by; {nearest(by, known)}")
        return canonical(by)
    try:
        return default_by(scores)
    except ScoresError:
        return known[0]
