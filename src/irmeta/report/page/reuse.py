"""The section on re-use: whether the pool is fair to a run that was not pooled."""

from functools import partial

import numpy as np
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

TEXT = Text(
    "reuse",
    "A new run",
    "Is the pool fair to a run that was not pooled?",
    "Each group's own judgments are left out in turn. A bar is the mean loss of the groups' runs "
    "by a metric, in standard deviations of the systems' scores: what a new run loses because its "
    "documents were not judged. The metric with the smallest loss is the fairest to new runs.",
    "Zobel, SIGIR 1998; Webber and Park, SIGIR 2009; Voorhees, Soboroff and Lin, 2022.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel where the groups of the pool were left out: this needs judgments and runs, not scores alone."""
    if content.reuse is None:
        return []
    return [attempt("Left-out groups", partial(reuse_panel, content.reuse))]


def reuse_panel(outcome: xr.Dataset) -> Panel:
    """Show what groups lose by each metric, the least first."""
    loss = outcome["relative_loss"].values
    order = np.argsort(np.nan_to_num(loss, nan=np.inf), kind="stable")
    chart = Chart(
        "bars",
        "Mean loss of left-out groups, in standard deviations of the systems' scores",
        "Bar chart of the mean loss by metric; the table `metrics` has the figures.",
        {
            "rows": [names(outcome["metric"])[at] for at in order],
            "values": numbers(loss[order]),
            "label": "mean loss, in standard deviations of systems",
        },
    )
    return of_study(
        "Left-out groups",
        outcome,
        charts=[chart],
        shown=["metrics", "groups"],
        figures={
            view: partial(figure_of, outcome, view=view)
            for view in ("metrics", "penalty")
        },
        command="irmeta reuse QRELS RUNS --teams TEAMS",
    )
