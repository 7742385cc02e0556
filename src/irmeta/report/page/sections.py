"""The sections of the page, systems first, then metrics: modules of studies, with `TEXT` and `panel` or `panels`."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Unpack

import xarray as xr

from irmeta.parallel import steps
from irmeta.report.page.content import Asked, Content
from irmeta.report.page.panel import Panel, Section
from irmeta.scores.attributes import about
from irmeta.studies import STUDIES

OTHERS = {"standings": "systems", "data": "collections"}
"""Sections that are of no study, and what they are about."""
_STUDIED = [name for name, study in STUDIES.items() if study.section]
FOLDED = tuple(name for name in _STUDIED if STUDIES[name].about == "metrics")
"""The modules of sections on metrics, which the page shows folded, after those on systems and collections."""
SECTIONS = (
    "standings",
    *(name for name in _STUDIED if name not in FOLDED),
    "data",
    *FOLDED,
)
"""The names of sections."""


def module_of(name: str) -> ModuleType:
    """Return the module of a section, which lies in the room of what it is about."""
    about = OTHERS[name] if name in OTHERS else STUDIES[name].about
    return import_module(f"irmeta.report.page.{about}.{name}")


def _panels_of(section: ModuleType, content: Content) -> list[Panel]:
    """Return the panels of a section: one for each collection, unless it has others."""
    if hasattr(section, "panels"):
        return list(section.panels(content))
    return content.panels_by_collection(partial(section.panel, content))


def make_sections(
    cubes: Mapping[str, xr.DataArray], **asked: Unpack[Asked]
) -> list[Section]:
    """Run the studies, each on every collection or on all together, and return the sections that have an answer.

    Why scores of an estimate have none is told once, by the first of the sections that need more.
    """
    content = Content.prepared(cubes, **asked)
    made: list[Section] = []
    estimated = any("estimated" in about(cube) for cube in cubes.values())
    told: set[str] = set()
    for name in steps(SECTIONS, "sections of the page"):
        module = module_of(name)
        panels = _panels_of(module, content)
        panels = [panel for panel in panels if told.isdisjoint(panel.findings)]
        if estimated:
            told |= {panel.findings[0] for panel in panels if panel.is_not_computed}
        if panels:
            several = len(panels) > 1 and all(panel.label in cubes for panel in panels)
            folded, text = name in FOLDED, vars(module.TEXT)
            section = Section(**text, panels=panels, folded=folded, several=several)
            made.append(section)
    return made
