"""The section on reliability: whether the collection is big enough."""

from functools import partial

import numpy as np
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Chart, Panel, Text, names, numbers, of_study
from irmeta.report.plots import figure_of
from irmeta.studies import reliability

LINES = 8
"""Metrics that a figure for print has room for."""

TEXT = Text(
    "reliability",
    "Size of the collection",
    "Is the collection big enough?",
    "Expected tau says how well the ranking by some topics should agree with the ranking by all "
    "possible topics. E rho2 is the share of the variance of observed means that is due to true "
    "means. The tables say which differences a test detects and how many topics are needed.",
    "Urbano and Marrero, SIGIR 2016; Bodoff and Li, SIGIR 2007; Webber, Moffat and Zobel, CIKM 2008.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection."""
    return content.each(partial(_panel, content))


def _panel(content: Content, name: str) -> Panel:
    """Show expected tau and E rho2 by the number of topics, first by the metric that systems are ordered by."""
    found = reliability.reliability(
        content.used[name], teams=content.teams, rng=content.seed
    )
    by = content.order[name]
    outcome = found.sel(
        metric=[by, *(metric for metric in found.metric.values if metric != by)]
    )
    charts = [
        _curve(
            outcome, "tau", "Expected tau with the true ranking by the number of topics"
        ),
        _curve(outcome, "erho2", "E rho2 by the number of topics"),
    ]
    few = outcome.isel(metric=slice(LINES))
    return of_study(
        name,
        outcome,
        charts=charts,
        shown=["coefficients", "needed"],
        figures={
            view: partial(figure_of, few, view=view)
            for view in ("reliability", "differences")
        },
        command=f"irmeta reliability {content.source_of(name)}{content.by_team} --seed {content.seed}",
    )


def _curve(outcome: xr.Dataset, figure: str, title: str) -> Chart:
    """Draw a figure against the number of topics, a line a metric, the highest first."""
    values = outcome[figure].values
    order = np.argsort(-values[-1], kind="stable")
    return Chart(
        "lines",
        title,
        f"Line chart: {title.lower()}, a line a metric; the table `coefficients` has the figures.",
        {
            "x": numbers(outcome["size"].values),
            "series": [
                {"name": names(outcome.metric)[at], "y": numbers(values[:, at])}
                for at in order
            ],
            "xlabel": "topics",
            "ylabel": title.partition(" by ")[0],
        },
    )
