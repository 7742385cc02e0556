"""The sections on metrics: how far they agree, what they foretell, and which few to report."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np
import polars as pl
import xarray as xr
from scipy.cluster.hierarchy import leaves_list

from irmeta.attributes import about
from irmeta.matrix import Level
from irmeta.report.page.panel import Chart, Panel, names, numbers, of_study
from irmeta.report.plots import correlation as correlation_plots
from irmeta.report.plots import figure
from irmeta.report.plots import predictivity as predictivity_plots
from irmeta.report.plots import ranking as ranking_plots
from irmeta.studies import correlation, predictivity, ranking

PARTITIONS = 500
"""Random halves of the topics: the Monte-Carlo standard error of phi is then about .002."""
RESAMPLES = 30
"""Resampled sets of topics: the standard error of a share is at most .09."""
ENOUGH = 0.1
"""The share of variance that the metrics to report may leave unexplained."""
LARGEST = 8
"""The largest number of metrics to report that the page draws."""
LEVELS: Mapping[Level, str] = MappingProxyType(
    {"topic": "Topic level", "within-topic": "Within topics", "system": "System level"}
)


def correlation_panel(level: Level, scores: Mapping[str, xr.DataArray], source: str) -> Panel:
    """Show the correlation of every pair of metrics, ordered by the groups that they form."""
    outcome = correlation.correlation(scores, level=level)
    options = about(outcome)["options"]
    order = leaves_list(outcome["merge"].values)
    chart = Chart(
        "matrix",
        f"{options['coefficient']} between metrics, {level} level",
        "Heat map of the correlation of every pair of metrics, similar ones side by side; the table has the figures.",
        {
            "rows": names(outcome.metric),
            "order": order.tolist(),
            "ordered": "similar side by side",
            "group": numbers(outcome["group"].values),
            "threshold": options["threshold"],
            "values": numbers(outcome["r"].values),
            "low": numbers(outcome["low"].values),
            "high": numbers(outcome["high"].values),
            "symbol": "r",
        },
    )
    side = min(figure.PAGE, 2.0 + 0.25 * outcome.sizes["metric"])
    draw = partial(figure.draw, correlation_plots.heatmap, outcome, width=side, height=0.92 * side, order="clustered")
    tree = partial(figure.draw, correlation_plots.tree, outcome, height=0.8 + 0.14 * outcome.sizes["metric"])
    return of_study(
        LEVELS[level],
        outcome,
        charts=[chart],
        shown=["correlation", "groups"],
        figures={"heatmap": draw, "groups": tree},
        command=f"irmeta correlate {source} --level {level}",
    )


def predictivity_panel(name: str, scores: xr.DataArray, source: str, seed: int) -> Panel:
    """Show how well each metric foretells each other on new topics, what the best gains, and the curve over topics."""
    half = scores.sizes["topic"] // 2
    sizes = sorted({max(1, round(half * share)) for share in (0.2, 0.4, 0.6, 0.8, 1.0)})
    outcome = predictivity.predictivity(scores, partitions=PARTITIONS, sizes=sizes, rng=seed)
    metrics, phi = names(outcome.metric), outcome["phi"].values
    best = predictivity.best_predictor(outcome)
    gain = outcome["advantage"].values[best]
    others = [int(at) for at in np.argsort(-gain, kind="stable") if at != best]
    order = np.argsort(-np.diagonal(phi), kind="stable")
    own = outcome["curve"].values
    charts = [
        Chart(
            "intervals",
            f"What {metrics[best]} foretells of each target beyond the target itself",
            f"Predictive power of {metrics[best]} for each target less the target's own, with 95% intervals; the table "
            "`advantage` has the figures.",
            {
                "rows": [metrics[at] for at in others],
                **{
                    key: numbers(outcome[variable].values[best, others])
                    for key, variable in (("value", "advantage"), ("low", "low"), ("high", "high"))
                },
                "label": f"phi({metrics[best]}, target) \N{MINUS SIGN} phi(target, target)",
                "reference": 0,
            },
        ),
        Chart(
            "lines",
            "Predictive power of a metric for itself, by the number of topics in each half",
            "Line chart of phi over the number of topics, a line a metric; the table `curve` has the figures.",
            {
                "x": numbers(outcome["size"].values),
                "series": [{"name": metrics[at], "y": numbers(own[:, at, at])} for at in order],
                "xlabel": "topics in each of two disjoint sets",
                "ylabel": "predictive power phi",
            },
        ),
        Chart(
            "matrix",
            "Predictive power of every metric for every other",
            "Heat map of phi; metrics that foretell themselves best come first; the table `phi` has the figures.",
            {
                "rows": metrics,
                "order": order.tolist(),
                "ordered": "best first",
                "values": numbers(phi),
                "symbol": "\N{GREEK SMALL LETTER PHI}",
            },
        ),
    ]
    draw = partial(figure.draw, result=outcome)
    figures = {
        "advantage": partial(draw, predictivity_plots.gains, height=0.8 + 0.14 * len(metrics)),
        "curve": partial(draw, predictivity_plots.curve, result=_few(outcome, order), height=3.0),
    }
    return of_study(
        name,
        outcome,
        charts=charts,
        shown=["advantage", "phi"],
        figures=figures,
        command=f"irmeta predictivity {source} --partitions {PARTITIONS} --sizes {','.join(map(str, sizes))} "
        f"--seed {seed}",
    )


def _few(outcome: xr.Dataset, order: np.ndarray) -> xr.Dataset:
    """Keep the metrics that foretell themselves best and least: a figure for print has room for a few lines."""
    kept = [int(order[0]), int(order[-1])]
    return outcome.isel(metric=kept, metric_2=kept)


def ranking_panel(level: Level, scores: Mapping[str, xr.DataArray], source: str, seed: int) -> Panel:
    """Show the best subset of metrics of each size, and how much of the one to report other topics would choose.

    The subset to report is the smallest that leaves less than a tenth unexplained; only up to its size are topics
    resampled, since every resample is a search of its own.
    """
    choose = partial(ranking.rank_metrics, scores, objective="unreported", level=level, rng=seed)
    outcome = choose()
    few = len(reported(ranking.tables(outcome)["subsets"]))
    resamples = 0 if level == "system" else RESAMPLES
    again = choose(k=few, resamples=resamples)
    shown = outcome.isel(k=slice(0, LARGEST))
    chart = Chart(
        "subsets",
        "The best metrics to report, by how many one reports",
        "Grid of metrics by number reported: a filled mark where the metric is in the best subset; table `subsets`.",
        {
            "rows": names(outcome.metric),
            "k": numbers(shown["k"].values),
            "chosen": numbers(shown["chosen"].values),
            "again": numbers(again["again"].values) if resamples else [],
            "unexplained": numbers(shown["unexplained"].values),
        },
    )
    draw = partial(figure.draw, ranking_plots.plots(outcome), outcome, width=figure.PAGE, height=3.4)
    panel = of_study(
        LEVELS[level],
        again,
        charts=[chart],
        shown=["subsets", "stability"] if resamples else ["subsets"],
        figures={"ranking": draw},
        command=f"irmeta rank {source} --objective unreported --level {level} -k {few} --resamples {resamples} "
        f"--seed {seed}",
    )
    return replace(panel, tables={**panel.tables, **ranking.tables(outcome)})


def reported(subsets: pl.DataFrame) -> list[str]:
    """Give the metrics to report: the smallest best subset that leaves less than a tenth unexplained."""
    return list(subsets.filter(pl.col("unexplained") < ENOUGH)["metrics"][0])
