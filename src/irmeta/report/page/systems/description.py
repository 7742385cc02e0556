"""The section on the systems: their means, and the ranks that they may have."""

from dataclasses import replace
from functools import partial
from shlex import quote

import polars as pl
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.report.plots import figure_of
from irmeta.scores.attributes import about
from irmeta.scores.result import is_estimated, topics_phrase
from irmeta.studies.differences.description.study import describe

TEXT = Text(
    "systems",
    "The systems",
    "How sure are the means?",
    "A point is a system's mean over topics, the line its interval. Point at a system to see the "
    "ranks that it may have: its rank set. With 95% confidence all rank sets hold the true ranks "
    "at once. Two systems may differ even if their "
    "intervals overlap, because they share topics; rank sets take that into account.",
    "Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks, REStud 2024; Wilson, JASA 1927.",
)


def description_of(content: Content, name: str) -> xr.Dataset:
    """Return the description of one collection, which two sections show."""
    compute = partial(
        describe,
        content.used[name],
        by=content.order[name],
        teams=content.teams,
        rng=content.seed,
    )
    outcome: xr.Dataset = content.computed_once(f"description {name}", compute)
    return outcome


def panel(content: Content, name: str) -> Panel:
    """Show the systems' means with intervals, and the ranks that they may have."""
    outcome = description_of(content, name)
    by = content.order[name]
    level = about(outcome)["options"]["level"]
    there = [name for name in content.highlight if name in outcome.system]
    drawn = partial(figure_of, outcome, highlight=there or None)
    pictures = {
        "means": Picture(
            f"Means by {by} with {level:.0%} intervals over {topics_phrase(outcome)}",
            partial(drawn, view="means"),
        ),
        "ranks": Picture(
            f"Ranks by {by}, and the ranks that each system may have",
            partial(drawn, view="ranks"),
        ),
    }
    made = study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["means"] if is_estimated(outcome) else ["means", "topics"],
        command=f"irmeta describe {content.source_of(name)} --by {quote(by)}{content.by_team}{content.calling} "
        f"--seed {content.seed}",
    )
    return replace(
        made,
        tables={title: metric_first(frame, by) for title, frame in made.tables.items()},
    )


def metric_first(frame: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Put the rows of one metric before those of the others; a table that is not by metric stays as it is."""
    if "metric" not in frame.columns:
        return frame
    return frame.sort(pl.col("metric") != metric, maintain_order=True)
