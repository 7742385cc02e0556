"""What the page is made of: sections ask a question, panels answer it with the result of one study."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.report import tables
from irmeta.scores.attributes import about
from irmeta.scores.groups.clusters import unit_of
from irmeta.studies import study_of, warnings
from irmeta.studies.result.method import method_text

if TYPE_CHECKING:  # every command reads this module, few draw
    from matplotlib.figure import Figure

NOT_COMPUTED = "Not computed"
"""How the finding of a panel begins that has no answer."""
DIGITS = 7
"""Decimals that the page keeps of a figure: three more than it shows, so that it rounds as the commands do."""


@dataclass(frozen=True)
class Picture:
    """A figure of a panel: its title, and what draws it."""

    title: str
    draw: "Callable[[], Figure]"

    @classmethod
    def of_result(cls, title: str, outcome: xr.Dataset, **view: Any) -> "Picture":
        """Return the picture of a result as the plots of its study draw it; `view` says what of it."""
        from irmeta.report.plots import figure_of  # every command reads this module

        return cls(title, partial(figure_of, outcome, **view))


@dataclass(frozen=True)
class Panel:
    """One study's answer: its finding, pictures, tables, and how it was computed.

    pictures : by name; each becomes a figure on the page and a file.
    tables : by name; each becomes a CSV file, and those in `shown` a table on the page.
    opened : tables that stand open above the leaderboard.
    latex : tables of which LaTeX is written.
    options, notes : the study's own.  command : what gives the same on the command line.
    method : how it was computed, in sentences for a paper.
    unit : what was taken as independent, "topic" or "cluster", as heads of tables call it.
    board : what the leaderboard of the first section shows.
    reported : the scores of each system that the calculator may start from, by metric.
    warnings : what nobody should read the answer without; they stand with it at the top of the page, and on a terminal.
    """

    label: str
    findings: Sequence[str]
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    shown: Sequence[str] = ()
    opened: Sequence[str] = ()
    latex: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    command: str = ""
    method: str = ""
    warnings: Sequence[str] = ()
    unit: str = "topic"
    board: Mapping[str, Any] | None = None
    reported: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def is_not_computed(self) -> bool:
        """Whether there is no answer but the reason why."""
        return bool(self.findings) and self.findings[0].startswith(NOT_COMPUTED)


@dataclass(frozen=True)
class Text:
    """What a section asks, how to read the answer, and where the method comes from.

    key : names the section in links and in the files beside the page.
    """

    key: str
    title: str
    question: str
    reading: str
    source: str


@dataclass(frozen=True)
class Section(Text):
    """A question and the panels that answer it, one per collection or one per level.

    folded : whether the page shows the section only to who opens it.
    several : whether the panels are of several collections: the answer of each stands at the top of the page.
    """

    panels: Sequence[Panel]
    folded: bool = False
    several: bool = False

    @property
    def first(self) -> Sequence[Panel]:
        """The panels whose answers stand at the top of the page."""
        return self.panels if self.several else self.panels[:1]

    def collection_of(self, panel: Panel) -> str:
        """Name the collection that a panel is of, where there are several and its answer does not."""
        named = re.search(rf"(?<!\w){re.escape(panel.label)}(?!\w)", panel.findings[0])
        return panel.label if self.several and not named else ""


def study_panel(
    label: str,
    outcome: xr.Dataset,
    *,
    pictures: Mapping[str, Picture],
    shown: Sequence[str],
    command: str,
) -> Panel:
    """Make the panel of a study's result: findings, tables, options and notes are the study's own."""
    overview, warned = tables.overview(outcome), warnings(outcome)
    return Panel(
        label,
        study_of(outcome).findings(outcome),
        pictures,
        tables.tables(outcome),
        shown,
        latex={name: overview[name] for name in list(overview)[:1]},
        options=about(outcome)["options"],
        notes=[note for note in about(outcome)["notes"] if note not in warned],
        command=command,
        method=method_text(outcome),
        warnings=warned,
        unit=unit_of(outcome),
    )


def attempt(label: str, work: Callable[[], Panel]) -> Panel:
    """Make a panel, or where the scores do not fit the study, one that says why there is no answer."""
    try:
        return work()
    except IrmetaError as error:
        return Panel(label, [f"{NOT_COMPUTED}: {error}."])


def numbers(values: Any) -> Any:
    """Return an array as nested lists for JSON, rounded; missing figures are null.

    >>> numbers(np.array([[0.1234567, np.nan]]))
    [[0.1234567, None]]
    """
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return array.tolist()
    rounded = array.round(DIGITS).astype(object)
    return np.where(np.isfinite(array), rounded, None).tolist()  # type: ignore[call-overload]


def names(labels: Any) -> list[str]:
    """Return a coordinate's labels as a list."""
    return [str(label) for label in np.asarray(labels).tolist()]
