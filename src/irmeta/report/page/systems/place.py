"""The section on everybody: where systems stand among those of a public collection whose factors ship."""

from functools import partial
from shlex import quote

from irmeta.datasets import factors as factor_files
from irmeta.datasets.reference import shipped_factors
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, study_panel
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
    """Place the systems of one collection by one metric: the one that orders them, if factors have that."""
    factors = factor_files.load(name)
    used = content.used[name]
    metric = content.order[name]
    shared = [name for name in names(used.metric) if name in names(factors.metric)]
    if shared and metric not in shared:
        metric = shared[0]
    outcome = place(used, on=factors, metrics=[metric], rng=content.seed).data
    level = about(outcome)["options"]["level"]
    pictures = {
        "place": Picture.of_result(
            f"Mean standardized {metric} with {level:.0%} intervals", outcome
        )
    }
    return study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["systems"],
        command=f"irmeta place {content.source_of(name)} --on {quote(name)} --metrics {quote(metric)} "
        f"--seed {content.seed}",
    )
