"""The first section: every system by every metric, and two systems topic by topic."""

from base64 import b64encode
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.description import described
from irmeta.report.page.panel import Panel, Text, names, numbers
from irmeta.report.page.significance import lettered
from irmeta.report.plots import figure_of
from irmeta.scores.figures import short
from irmeta.scores.means import additive
from irmeta.studies.choice.ranking import is_reported
from irmeta.words import counted, listed

MOST = 400_000
"""Scores of single topics that the page holds; of more, only those of the metric that orders systems."""

TEXT = Text(
    "standings",
    "Leaderboard",
    "Who is best?",
    "Click a metric to sort by it, and one system or two to see their topics. The span shows the "
    "ranks that a system may have by the sorting metric; with 95% confidence all spans hold the "
    "true ranks at once, if equal systems have scores of one shape. Among the best systems by the "
    "named metric, those that share a letter do not differ significantly.",
    "Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks, REStud 2024; letters by Student's t, Holm.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection."""
    return content.each(partial(standings_panel, content))


def standings_panel(content: Content, name: str) -> Panel:
    """Show systems by metrics, with ranks and letters, and what it takes to compare two of them."""
    outcome = described(content, name)
    scores = content.used[name]
    by = content.order[name]
    best = outcome.sel(metric=by)
    leaders = best.system.values[best["rank"].values == 1]
    may = int((best["rank_low"].values == 1).sum())
    verb = "leads" if len(leaders) == 1 else "lead together"
    finding = f"{listed(leaders)} {verb} by {by} with {short(float(best['mean'].max()), 3)}; {_others(may)}."
    return Panel(
        name,
        [finding],
        figures={"means": partial(figure_of, outcome, view="means")},
        options={"by": by},
        command=f"irmeta table {content.source_of(name)} -m '{by}'",
        board=board(
            outcome,
            scores,
            by,
            lettered(content, name),
            content.highlight,
            content.source_of(name),
        ),
    )


def _others(may: int) -> str:
    """Say how many systems may be the best."""
    if may == 1:
        return "no other system can be the best on topics like these"
    return f"{counted(may, 'system')} may be the best on topics like these"


def board(
    outcome: xr.Dataset,
    scores: xr.DataArray,
    by: str,
    best: pl.DataFrame,
    marked: Any,
    source: str,
) -> Mapping[str, Any]:
    """Return what the page's script draws: figures by metric, letters of the best, and the scores of topics."""
    letters = dict(best.select("system", "letters").iter_rows())
    metrics = sorted(names(outcome.metric), key=lambda metric: not is_reported(metric))
    held = metrics if scores.size <= MOST else [by]
    line = additive(scores)
    figures = {
        metric: {
            key: numbers(outcome[key].sel(metric=metric).values)
            for key in ("mean", "rank", "rank_low", "rank_high")
        }
        for metric in metrics
    }
    return {
        "systems": names(outcome.system),
        "topics": names(scores.topic),
        "by": by,
        "metrics": figures,
        "letters": [letters.get(system, "") for system in names(outcome.system)],
        "marked": [system for system in names(outcome.system) if system in marked],
        "scores": {metric: _packed(line.sel(metric=metric).values) for metric in held},
        "command": f"irmeta versus {source}",
    }


def _packed(values: np.ndarray[Any, np.dtype[np.float64]]) -> Mapping[str, Any]:
    """Pack scores (system, topic) into 16 bits each: low + code * step."""
    low = float(values.min())
    high = float(values.max())
    step = (high - low) / 65535 or 1.0
    codes = np.round((values - low) / step).astype("<u2")
    return {"low": low, "step": step, "codes": b64encode(codes.tobytes()).decode()}
