"""The sections of the page, in the order of the registry: each is the module of its study, with `TEXT` and `panels`."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import xarray as xr

from irmeta.choices import Missing
from irmeta.parallel import steps
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Section
from irmeta.scores.teams import Grouping
from irmeta.studies import STUDIES

SECTIONS = (
    "standings",
    "data",
    *(name for name, study in STUDIES.items() if study.section),
)
"""The modules of sections."""


def sections(
    cubes: Mapping[str, xr.DataArray],
    *,
    by: str | None,
    missing: Missing,
    seed: int,
    source: str,
    teams: Grouping = None,
    highlight: str | Iterable[str] | None = None,
    reuse: xr.Dataset | None = None,
) -> list[Section]:
    """Run the studies, each on every collection or on all together, and return the sections that have an answer.

    The arguments are those of `irmeta.write_report`.
    """
    options: dict[str, Any] = {"teams": teams, "highlight": highlight, "reuse": reuse}
    content = Content.of(
        cubes, by=by, missing=missing, seed=seed, source=source, **options
    )
    made = []
    for name in steps(SECTIONS, "sections of the page"):
        module = import_module(f"irmeta.report.page.{name}")
        if panels := module.panels(content):
            made.append(Section(**vars(module.TEXT), panels=panels))
    return made
