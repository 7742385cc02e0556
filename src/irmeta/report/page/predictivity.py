"""The section on predictive power: which metrics predict results on new topics."""

from functools import partial

import numpy as np
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Chart, Panel, Text, names, numbers, of_study
from irmeta.report.plots import figure_of
from irmeta.studies.agreement import predictivity

PARTITIONS = 500
"""Random halves of the topics: the Monte-Carlo standard error of phi is then about .002."""

TEXT = Text(
    "power",
    "Predictive power",
    "Which metrics predict results on new topics?",
    "Phi is Kendall's tau between the ranking of systems by one metric on half of the topics and "
    "by another on the rest, averaged over random halves. An advantage is how much better a metric "
    "predicts another metric than that metric predicts itself. If its interval includes 0, either "
    "may predict better. Only an interval above \N{MINUS SIGN}.05 shows that dropping the other "
    "metric loses at most .05 of tau.",
    "Webber, Moffat, Zobel and Sakai, Precision-at-ten considered redundant, SIGIR 2008.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection."""
    return content.each(partial(_panel, content))


def power(content: Content, name: str) -> xr.Dataset:
    """Return the predictive power of the metrics of one collection, which two sections need."""
    scores = content.used[name]
    half = scores.sizes["topic"] // 2
    sizes = sorted({max(1, round(half * share)) for share in (0.2, 0.4, 0.6, 0.8, 1.0)})
    compute = partial(
        predictivity.predictivity,
        scores,
        partitions=PARTITIONS,
        sizes=sizes,
        teams=content.teams,
        rng=content.seed,
    )
    outcome: xr.Dataset = content.once(f"predictivity {name}", compute)
    return outcome


def _panel(content: Content, name: str) -> Panel:
    """Show how well each metric predicts each other on new topics, what the best gains, and the curve over topics."""
    outcome = power(content, name)
    sizes = outcome["size"].values.tolist()
    metrics = names(outcome.metric)
    phi = outcome["phi"].values
    best = predictivity.best_predictor(outcome)
    gain = outcome["advantage"].values[best]
    others = [int(at) for at in np.argsort(-gain, kind="stable") if at != best]
    order = np.argsort(-np.diagonal(phi), kind="stable")
    own = outcome["curve"].values
    charts = [
        Chart(
            "intervals",
            f"How much better {metrics[best]} predicts each target than the target predicts itself",
            f"Predictive power of {metrics[best]} for each target less the target's own, with 95% intervals, each "
            "for one pair by itself; the table `advantage` has the figures.",
            {
                "rows": [metrics[at] for at in others],
                **{
                    key: numbers(outcome[variable].values[best, others])
                    for key, variable in (
                        ("value", "advantage"),
                        ("low", "low"),
                        ("high", "high"),
                    )
                },
                "label": f"phi({metrics[best]}, target) \N{MINUS SIGN} phi(target, target)",
                "reference": 0,
            },
        ),
        Chart(
            "lines",
            "Predictive power of each metric for itself, by the number of topics in each half",
            "Line chart of phi over the number of topics, a line a metric; the table `curve` has the figures.",
            {
                "x": numbers(outcome["size"].values),
                "series": [
                    {"name": metrics[at], "y": numbers(own[:, at, at])} for at in order
                ],
                "xlabel": "topics in each of two disjoint sets",
                "ylabel": "predictive power phi",
            },
        ),
        Chart(
            "matrix",
            "Predictive power of every metric for every other",
            "Heat map of phi; metrics that predict themselves best come first; the table `phi` has the figures.",
            {
                "rows": metrics,
                "order": order.tolist(),
                "ordered": "best first",
                "values": numbers(phi),
                "symbol": "\N{GREEK SMALL LETTER PHI}",
            },
        ),
    ]
    figures = {
        "advantage": partial(figure_of, outcome, view="advantage"),
        "curve": partial(figure_of, _few(outcome, order), view="curve"),
    }
    return of_study(
        name,
        outcome,
        charts=charts,
        shown=["advantage", "phi"],
        figures=figures,
        command=f"irmeta predictivity {content.source_of(name)}{content.by_team} --partitions {PARTITIONS} "
        f"--sizes {','.join(map(str, sizes))} --seed {content.seed}",
    )


def _few(outcome: xr.Dataset, order: np.ndarray) -> xr.Dataset:
    """Keep the metrics that predict themselves best and least: a figure for print has room for a few lines."""
    kept = [int(order[0]), int(order[-1])]
    return outcome.isel(metric=kept, metric_2=kept)
