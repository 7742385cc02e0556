"""The section on reliability: whether the collection is big enough."""

from shlex import quote

from irmeta.metrics.names import usual
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.studies.design.reliability.study import reliability

LINES = 3
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


def panel(content: Content, name: str) -> Panel:
    """Show expected tau and E rho2 by the number of topics, first by the metric that systems are ordered by."""
    found = reliability(content.used[name], teams=content.teams, rng=content.seed)
    by = content.order[name]
    others = usual(str(metric) for metric in found.metric.values if metric != by)
    outcome = found.sel(metric=[by, *others])
    one = f" -m {quote(by)}" if len(found.metric) > 1 else ""
    few = outcome.isel(metric=slice(LINES))
    pictures = {
        "reliability": Picture.of_result(
            "E rho2, Phi and expected tau by the number of topics",
            few,
            view="reliability",
        ),
        "differences": Picture.of_result(
            "Differences that a test shows, by the number of topics",
            few,
            view="differences",
        ),
    }
    return study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["coefficients", "needed"],
        command=f"irmeta reliability {content.source_of(name)}{one}{content.by_team} --seed {content.seed}",
    )
