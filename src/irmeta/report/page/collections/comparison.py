"""The section on several collections: whether scores compare across them, raw and standardized."""

from dataclasses import replace
from functools import partial

from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, study_panel
from irmeta.studies.standardizing.comparison.study import compare

PARTITIONS = 1000
"""Random splits of each pair's topics: the standard error of a quantile is at most .016."""


TEXT = Text(
    "collections",
    "Across collections",
    "Do scores compare across collections?",
    "dRMSE is the difference between a system's means on two collections, relative to how much "
    "systems differ: 0 is perfect. The black line shows random splits of the same topics; if a bar "
    "goes beyond it, scores compare less well than between two halves of one collection.",
    "Webber, Moffat and Zobel, Score standardization, SIGIR 2008, section 5.",
)


def panels(content: Content) -> list[Panel]:
    """Make one panel of all pairs of collections, where there are several."""
    if len(content.used) < 2:
        return []
    return [attempt("All pairs", partial(_panel, content))]


def _panel(content: Content) -> Panel:
    """Compare the scores that the same systems get on every pair of collections; in words for one metric only."""
    outcome = compare(
        content.used, partitions=PARTITIONS, teams=content.teams, rng=content.seed
    ).data
    kinds = names(outcome.kind)
    pictures = {
        "drmse": Picture.of_result(
            "Difference between collections (dRMSE), raw and standardized, beside random splits of the topics",
            outcome,
        )
    }
    panel = study_panel(
        "All pairs",
        outcome,
        pictures=pictures,
        shown=["forms", "pairs"],
        command=f"irmeta compare {content.sources} --kinds {','.join(kinds)}{content.by_team} "
        f"--partitions {PARTITIONS} --seed {content.seed}",
    )
    by = next(iter(content.order.values()))
    lines = [line for line in panel.findings if line.startswith(f"{by} (")]
    return replace(panel, findings=lines or panel.findings)
