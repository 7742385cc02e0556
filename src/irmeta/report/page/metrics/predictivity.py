"""The section on predictive power: which metrics predict results on new topics."""

from functools import partial

import numpy as np
import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, names, study_panel
from irmeta.studies.agreement.predictivity import study as predictivity

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


def predictive_power(content: Content, name: str) -> xr.Dataset:
    """Return the predictive power of the metrics of one collection, which two sections need."""
    scores = content.used[name]
    half = scores.sizes["topic"] // 2
    sizes = sorted({max(1, round(half * share)) for share in (0.2, 0.4, 0.6, 0.8, 1.0)})
    compute = partial(
        predictivity.predictivity,
        scores,
        sizes=sizes,
        teams=content.teams,
        rng=content.seed,
    )
    outcome: xr.Dataset = content.computed_once(f"predictivity {name}", compute)
    return outcome


def panel(content: Content, name: str) -> Panel:
    """Show how well each metric predicts each other on new topics, what the best gains, and the curve over topics."""
    outcome = predictive_power(content, name)
    sizes = outcome["size"].values.tolist()
    metrics = names(outcome.metric)
    best = metrics[predictivity.best_predictor(outcome)]
    pictures = {
        "advantage": Picture.of_result(
            f"How much better {best} predicts each target than the target predicts itself",
            outcome,
            view="advantage",
        ),
        "curve": Picture.of_result(
            "Predictive power for itself of the metrics that predict themselves best and least",
            _best_and_least(outcome),
            view="curve",
        ),
        "phi": Picture.of_result(
            "Predictive power of every metric for every other", outcome, view="matrix"
        ),
    }
    return study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["advantage", "phi"],
        command=f"irmeta predictivity {content.source_of(name)}{content.by_team} "
        f"--sizes {','.join(map(str, sizes))} --seed {content.seed}",
    )


def _best_and_least(outcome: xr.Dataset) -> xr.Dataset:
    """Keep the metrics that predict themselves best and least: a figure has room for a few lines."""
    order = np.argsort(-np.diagonal(outcome["phi"].values), kind="stable")
    kept = [int(order[0]), int(order[-1])]
    return outcome.isel(metric=kept, metric_2=kept)
