"""The section on official means: what few human and many machine judgments show together."""

from functools import partial

import xarray as xr

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, of_study

TEXT = Text(
    "official",
    "People and machine",
    "What do few human and many machine judgments show?",
    "A machine judged all topics, people some of them. A dot is a system's mean by both, with its 95% "
    "interval; the grey bar behind it is the interval by the human topics alone. Where the two are "
    "equally wide, the machine does not help.",
    "Angelopoulos et al. (PPI++, 2023); Oosterhuis et al. (KDD 2024).",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each metric where an estimate was given: it needs judgments, not scores alone."""
    if "estimate" not in content.given:
        return []
    outcome = content.given["estimate"]
    human, machine, runs = content.files("HUMAN", "MACHINE", "RUNS")
    command = f"irmeta judges estimate --human {human} --llm {machine} --runs {runs}"
    return [
        attempt(str(metric), partial(_panel, outcome, str(metric), command))
        for metric in outcome.metric.values
    ]


def _panel(outcome: xr.Dataset, metric: str, command: str) -> Panel:
    """Show the means by one metric."""
    one = outcome.sel(metric=[metric])
    picture = Picture.of(f"Means by {metric}, with 95% intervals", one)
    return of_study(
        metric,
        one,
        pictures={"means": picture},
        shown=["means"],
        command=f"{command} -m '{metric}'",
    )
