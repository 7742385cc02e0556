"""The section on everybody: where systems stand among those of a public collection whose factors ship."""

from functools import partial
from shlex import quote

import xarray as xr

from irmeta.datasets import factors as factor_files
from irmeta.datasets.reference import shipped_factors
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, of_study
from irmeta.scores.attributes import about
from irmeta.studies.place.study import place

TEXT = Text(
    "place",
    "Among all systems",
    "Where do the systems stand among all that were run on the collection?",
    "A point is a system's mean standardized score, the line its interval: .5 is the average of "
    "the systems that were officially run on this collection, on every topic alike. The interval "
    "allows for other systems taking part. The percentile is the share of those systems that score "
    "lower.",
    "Webber, Moffat and Zobel, Score standardization, SIGIR 2008; the factors ship with irmeta.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection under whose name factors ship."""
    known = [name for name in content.used if name in shipped_factors()]
    return [attempt(name, partial(_panel, content, name)) for name in known]


def _panel(content: Content, name: str) -> Panel:
    factors = factor_files.load(name)
    used = content.used[name]
    by = content.order[name]
    shared = [
        metric for metric in names(used.metric) if metric in names(factors.metric)
    ]
    metric = by
    if shared and by not in shared:
        metric = shared[0]
    return place_panel(
        name, used, factors, metric, content.source_of(name), content.seed
    )


def place_panel(
    name: str,
    scores: xr.DataArray,
    factors: xr.Dataset,
    metric: str,
    source: str,
    seed: int,
) -> Panel:
    """Place the systems of one collection by one metric."""
    outcome = place(scores, on=factors, metrics=[metric], rng=seed).data
    level = about(outcome)["options"]["level"]
    pictures = {
        "place": Picture.of(
            f"Mean standardized {metric} with {level:.0%} intervals", outcome
        )
    }
    return of_study(
        name,
        outcome,
        pictures=pictures,
        shown=["systems"],
        command=f"irmeta place {source} --on {quote(name)} --metrics {quote(metric)} --seed {seed}",
    )
