"""The section on reliability: whether the collection is big enough."""

from shlex import quote

from irmeta.metrics.names import usual
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.scores.groups.clusters import unit_of
from irmeta.studies.design.reliability.study import reliability
from irmeta.studies.design.reliability.summary import has_few_systems

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
    """Show expected tau and E rho2 by the number of topics, first by the metric that systems are ordered by.

    Of few systems only the differences that a test shows.
    """
    of_all = reliability(content.used[name], teams=content.teams, rng=content.seed)
    by = content.order[name]
    others = usual(str(metric) for metric in of_all.metric.values if metric != by)
    outcome = of_all.sel(metric=[by, *others])
    only = f" -m {quote(by)}" if len(of_all.metric) > 1 else ""
    few = outcome.isel(metric=slice(LINES))
    titles = {
        "reliability": "E rho2, Phi and expected tau",
        "differences": "Differences that a test shows,",
    }
    shown = ["coefficients", "needed"]
    if has_few_systems(outcome):
        del titles["reliability"]
        shown = ["differences"]
    pictures = {
        view: Picture.of_result(
            f"{title} by the number of {unit_of(outcome)}s", few, view=view
        )
        for view, title in titles.items()
    }
    return study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=shown,
        command=f"irmeta reliability {content.source_of(name)}{only}{content.by_team} --seed {content.seed}",
    )
