"""The section on agreement: which metrics say the same."""

from functools import partial

from irmeta.choices import Level
from irmeta.report.page.content import LEVELS, Content
from irmeta.report.page.panel import Panel, Picture, Text, study_panel
from irmeta.scores.attributes import about
from irmeta.studies.agreement.correlation.study import correlate

TEXT = Text(
    "agreement",
    "Agreement of metrics",
    "Which metrics say the same?",
    "Topic level correlates scores over all systems and topics; within topics removes how easy or "
    "hard a topic is for everybody; system level correlates system means. Outlined metrics form a "
    "group: every pair of them correlates at the threshold or above.",
    "Kutlu et al. (2018) and Gupta et al. (ECIR 2019), section 4; groups by complete linkage.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each level, where there are metrics to compare."""
    if not content.several_metrics:
        return []
    return content.panels_by_level(partial(_panel, content))


def _panel(content: Content, level: Level) -> Panel:
    """Show the correlation of every pair of metrics, ordered by the groups that they form."""
    outcome = correlate(content.used, unit=level).data
    options = about(outcome)["options"]
    pictures = {
        "heatmap": Picture.of_result(
            f"{options['coefficient']} between metrics, {level} level; similar ones side by side",
            outcome,
            view="clustered",
        )
    }
    return study_panel(
        LEVELS[level],
        outcome,
        pictures=pictures,
        shown=["correlation", "groups"],
        command=f"irmeta correlate {content.sources} --unit {level}",
    )
