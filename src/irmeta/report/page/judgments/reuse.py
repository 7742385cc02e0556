"""The section on re-use: whether the pool is fair to a run that was not pooled."""

from dataclasses import replace
from functools import partial
from shlex import quote

import xarray as xr

from irmeta.metrics.names import raw
from irmeta.report.page.content import Content, said_by_machine
from irmeta.report.page.panel import Panel, Picture, Text, attempt, names, study_panel
from irmeta.scores.attributes import about
from irmeta.studies.place.reuse.summary import findings
from irmeta.words import are, listed

TEXT = Text(
    "reuse",
    "A new run",
    "Is the pool fair to a run that was not pooled?",
    "Each group's own judgments are left out in turn. A point is the mean loss of the groups' "
    "runs by a metric, in standard deviations of the systems' scores: what a new run loses because its "
    "documents were not judged. The metric with the smallest loss is the fairest to new runs.",
    "Zobel, SIGIR 1998; Webber and Park, SIGIR 2009; Voorhees, Soboroff and Lin, 2022.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel where the groups of the pool were left out: this needs judgments and runs, not scores alone."""
    if "reuse" not in content.given:
        return []
    outcome = content.given["reuse"]
    by = raw(next(iter(content.order.values())))
    options = about(outcome)["options"]
    qrels, runs = content.named_files("QRELS", "RUNS")
    command = (
        f"irmeta reuse {qrels} {runs} -m {quote(' '.join(names(outcome.metric)))} --depth {options['depth'] or 0}"
        f"{content.by_team}{content.reading}"
    )
    made = attempt("Left-out groups", partial(reuse_panel, outcome, by, command))
    made = replace(made, warnings=[*made.warnings, *_absent_sentences(content)])
    [pool] = about(outcome)["inputs"]["collections"].values()
    return [said_by_machine(made) if content.judged_by_machine(pool) else made]


def _absent_sentences(content: Content) -> list[str]:
    """Say which systems of the page are not among the runs whose groups were left out; nothing if no name is."""
    runs = names(content.given["reuse"].system)
    [scores] = content.used.values()
    systems = names(scores.system)
    absent = [name for name in systems if name not in runs]
    if not absent or len(absent) == len(systems):
        return []
    return [
        f"{listed(absent)} of this page {are(len(absent))} not among these {len(runs)} runs (--runs)."
    ]


def reuse_panel(outcome: xr.Dataset, by: str, command: str) -> Panel:
    """Show what groups lose by each metric, the least first, and each run by one, if it is among them."""
    own = outcome.sel(metric=[by]) if by in outcome.metric.values else outcome
    known = own["relative_loss"].notnull().any()
    pictures = {
        "metrics": Picture.of_result(
            "Mean loss of left-out groups by metric", outcome, view="metrics"
        ),
        "penalty": Picture.of_result(
            "Loss of each left-out run by its share of unjudged documents",
            own,
            view="penalty",
        ),
    }
    made = study_panel(
        "Left-out groups",
        outcome,
        pictures=pictures,
        shown=["metrics", "groups"],
        command=command,
    )
    if not known:
        return made
    return replace(made, findings=[findings(own)[0], *made.findings[1:]])
