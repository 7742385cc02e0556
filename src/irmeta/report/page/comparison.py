"""The section on several collections: whether scores compare across them, raw and standardized."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import polars as pl
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import (
    Chart,
    Panel,
    Text,
    attempt,
    names,
    numbers,
    of_study,
)
from irmeta.report.plots import figure_of
from irmeta.studies.standardizing import comparison

PARTITIONS = 1000
"""Random splits of each pair's topics: the standard error of a quantile is at most .016."""


TEXT = Text(
    "collections",
    "Across collections",
    "Do scores compare across collections?",
    "dRMSE is the difference between a system's means on two collections, relative to how much "
    "systems differ: 0 is perfect. The tick shows random splits of the same topics; if a dot lies "
    "beyond its tick, scores compare less well than between two halves of one collection.",
    "Webber, Moffat and Zobel, Score standardization, SIGIR 2008, section 5.",
)


def panels(content: Content) -> list[Panel]:
    """Make one panel of all pairs of collections, where there are several."""
    if len(content.used) < 2:
        return []
    first = next(iter(content.order.values()))
    return [
        attempt(
            "All pairs",
            lambda: comparison_panel(content.used, first, content.source, content.seed),
        )
    ]


def comparison_panel(
    cubes: Mapping[str, xr.DataArray], by: str, source: str, seed: int
) -> Panel:
    """Compare the scores that the same systems get on every pair of collections; in words for one metric only."""
    outcome = comparison.compare(cubes, partitions=PARTITIONS, rng=seed)
    kinds = names(outcome.kind)
    forms = comparison.tables(outcome)["forms"]
    chart = Chart(
        "compared",
        (
            "Difference between collections (dRMSE), raw and standardized, beside random splits of "
            "the topics"
        ),
        "Dot plot of dRMSE by metric and form, mean over pairs of collections, beside random partitions of the topics.",
        {
            "rows": names(outcome.metric),
            "kinds": kinds,
            "values": _by_kind(forms, kinds, "drmse"),
            "chance": _by_kind(forms, kinds, "chance_drmse"),
            "label": "mean dRMSE between collections",
        },
    )
    panel = of_study(
        "All pairs",
        outcome,
        charts=[chart],
        shown=["forms", "pairs"],
        figures={"drmse": partial(figure_of, outcome)},
        command=f"irmeta compare {source} --kind {','.join(kinds)} --partitions {PARTITIONS} --seed {seed}",
    )

    lines = [line for line in panel.findings if line.startswith(f"{by} (")]
    return replace(panel, findings=lines or panel.findings)


def _by_kind(
    forms: pl.DataFrame, kinds: Sequence[str], column: str
) -> list[list[float | None]]:
    """Return a column of the table `forms` as a list for each kind, in the order of metrics."""
    return [numbers(forms.filter(kind=kind)[column].to_numpy()) for kind in kinds]
