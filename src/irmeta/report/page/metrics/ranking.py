"""The section on which few metrics to report."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from irmeta.choices import Level
from irmeta.errors import IrmetaError
from irmeta.report.page.content import LEVELS, Content
from irmeta.report.page.metrics.predictivity import predictive_power
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.studies.agreement.predictivity.study import well_predicted
from irmeta.studies.choice.ranking import summary
from irmeta.studies.choice.ranking.study import rank
from irmeta.words import listed

PARTITIONS = 30
"""Partitions of the topics: the standard error of a share is at most .09."""
ENOUGH = 0.1
"""The share of variance that the metrics to report may leave unexplained."""
LARGEST = 8
"""The largest number of metrics to report that the page draws."""

TEXT = Text(
    "reporting",
    "Metrics to report",
    "Which few metrics explain the rest?",
    "A mark shows a metric in the best subset of that size, the one that leaves the least "
    "variance of all metrics unexplained. Up to the size to report, topics are also split into "
    "random halves; the table `stability` says how often a half chooses each metric.",
    "Gupta et al. (ECIR 2019), section 6; McCabe (Technometrics 1984); exact search.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each level, where there are metrics to compare and the first chooses fewer than all of them."""
    if not content.several_metrics:
        return []

    def made() -> list[Panel]:
        by_level = content.panels_by_level(partial(ranking_panel, content))
        return [] if _reports_all(by_level[0]) else by_level

    answers: list[Panel] = content.computed_once("ranking", made)
    return answers


def _reports_all(panel: Panel) -> bool:
    """Say whether a panel could be computed and chooses every metric."""
    if not panel.tables:
        return False
    return len(chosen_metrics(panel.tables["subsets"])) == panel.tables["order"].height


def metrics_to_report(content: Content) -> list[str]:
    """Return the metrics to report by the first level that could be computed; none where none could."""
    for panel in panels(content):
        if panel.tables:
            return chosen_metrics(panel.tables["subsets"])
    return []


def ranking_panel(content: Content, level: Level) -> Panel:
    """Show the best subset of metrics of each size, and how much of the one to report other topics would choose.

    The subset to report is the smallest that leaves less than a tenth unexplained; only up to its size are topics
    partitioned, since every half is a search of its own.
    """
    source, seed = content.sources, content.seed
    choose = partial(rank, content.used, unit=level, rng=seed)
    outcome = choose().data
    tables = summary.tables(outcome)
    chosen = chosen_metrics(tables["subsets"])
    few = len(chosen)
    partitions = 0 if level == "system" else PARTITIONS
    again = choose(k=few, partitions=partitions).data
    shown = outcome.isel(k=slice(0, LARGEST), position=slice(0, LARGEST))
    pictures = {
        "subsets": Picture.of_result(
            "The best metrics to report, by their number", shown
        )
    }
    panel = study_panel(
        LEVELS[level],
        again,
        pictures=pictures,
        shown=["subsets", "stability"] if partitions else ["subsets"],
        command=f"irmeta rank {source} --unit {level} -k {few} --partitions {partitions} --seed {seed}",
    )
    return replace(
        panel,
        findings=[*panel.findings, *superfluous_sentences(content, chosen)],
        tables={**panel.tables, **tables},
    )


def superfluous_sentences(content: Content, chosen: Sequence[str]) -> list[str]:
    """Say which metrics to report the section on predictive power finds superfluous, and why both are right."""
    lines = []
    for name in content.used:
        try:
            best, sure = well_predicted(predictive_power(content, name))
        except IrmetaError:  # that section says so
            continue
        superfluous = [metric for metric in chosen if metric in sure]
        if superfluous:
            lines.append(
                f"To rank the systems of {name} on new topics, {best} predicts as well as "
                f"{listed(superfluous)}, or better (predictive power); this section chooses metrics for "
                "the scores that they explain."
            )
    return lines


def chosen_metrics(subsets: pl.DataFrame) -> list[str]:
    """Return the metrics to report: the smallest best subset that leaves less than a tenth unexplained, or the last."""
    enough = subsets.filter(pl.col("unexplained") < ENOUGH)
    return list((enough if enough.height else subsets.tail(1))["metrics"][0])
