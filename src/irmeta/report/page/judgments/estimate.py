"""The section on official means: what few human and many machine judgments show together."""

from dataclasses import replace
from functools import partial

import xarray as xr

from irmeta.metrics.names import ESTIMATED
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, study_panel
from irmeta.scores.attributes import about
from irmeta.studies.judges.estimate import BY_SAMPLE

TEXT = Text(
    "official",
    "People and machine",
    "What do few human and many machine judgments show?",
    "A machine judged all topics, people some of them. A dot is a system's mean by both, with its 95% "
    "interval; the broad orange bar behind it is that by the human topics alone. Where the two are "
    "equally wide, the machine does not help.",
    "Angelopoulos et al. (PPI++, 2023); Oosterhuis et al. (KDD 2024).",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each metric where an estimate was given: it needs judgments, not scores alone."""
    if "estimate" not in content.given:
        return []
    outcome = content.given["estimate"]
    human, machine, runs, sample = content.named_files(
        "HUMAN", "MACHINE", "RUNS", "SAMPLE"
    )
    by_sample = about(outcome)["options"]["drawn"] == BY_SAMPLE
    drawn = f" --sample {sample}" if by_sample else ""
    command = f"irmeta judges estimate --human {human} --llm {machine} --runs {runs}{drawn}{content.reading}"
    made = [
        attempt(metric, partial(_panel, outcome, metric, command))
        for metric in names(outcome.metric)
    ]
    return [
        _beside_scores(panel) if _has_as_scores(content, panel.label) else panel
        for panel in made
    ]


def _has_as_scores(content: Content, metric: str) -> bool:
    """Say whether the page is also of an estimate by this metric, which was written as scores."""
    name = f"{metric}{ESTIMATED}"
    return any(name in names(scores.metric) for scores in content.used.values())


def _beside_scores(panel: Panel) -> Panel:
    """Say why the intervals of an estimate and of scores made of it differ."""
    why = (
        "Publish the intervals here, which are by the topics that people judged; those of "
        f"{panel.label}{ESTIMATED} are by all topics, as if people had judged each."
    )
    return replace(panel, findings=[*panel.findings, why])


def _panel(outcome: xr.Dataset, metric: str, command: str) -> Panel:
    """Show the means by one metric."""
    own = outcome.sel(metric=[metric])
    picture = Picture.of_result(f"Means by {metric}, with 95% intervals", own)
    return study_panel(
        metric,
        own,
        pictures={"means": picture},
        shown=["means"],
        command=f"{command} -m '{metric}'",
    )
