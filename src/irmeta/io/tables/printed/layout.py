"""What the columns of a printed table are: the rows of its header, and the metrics that these name."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from irmeta.io.tables.printed import numbers
from irmeta.io.tables.printed.grid import Grid


class Column(NamedTuple):
    """A column of scores: its place, its metric, what else its head says (a collection), and all of its head."""

    at: int
    metric: str
    group: str
    head: str


class Layout(NamedTuple):
    """A table of a document: its number there, its label, its header, and the rows of scores below it with their lines.

    columns : those whose head names a metric.
    heads : of each column what its head says.
    """

    number: int
    label: str
    heads: list[str]
    body: list[tuple[int, list[str]]]
    columns: list[Column]

    @property
    def groups(self) -> list[str]:
        """The collections that the columns are of, where a metric has several columns."""
        return list(dict.fromkeys(column.group for column in self.columns))

    def numeric(self, at: int) -> bool:
        """Say whether a column has a number."""
        return any(numbers.is_score(row[at]) for _, row in self.body)


def layout(number: int, grid: Grid) -> Layout:
    """Read the header of a table; one whose rows are metrics is turned first."""
    head = _count_header_rows(grid)
    firsts = [row[0] for row in grid.rows[head:]]
    if firsts and all(map(numbers.metric_of_head, firsts)):
        turned = [list(row) for row in zip(*grid.rows[head - 1 :], strict=True)]
        grid = Grid(turned, grid.lines[:1] * len(turned), 1, grid.label)
        head = 1
    heads = [
        list(dict.fromkeys(filter(None, column)))
        for column in zip(*grid.rows[:head], strict=True)
    ]
    below = zip(grid.lines[head:], grid.rows[head:], strict=True)
    body = [(line, row) for line, row in below if not _is_section(row)]
    every = [" ".join(levels) for levels in heads]
    return Layout(number, grid.label, every, body, _columns(heads))


def _count_header_rows(grid: Grid) -> int:
    """Count the rows of the header: those marked as such, and those below until one names or has scores."""
    head = grid.head
    while head < len(grid.rows):
        row = grid.rows[head]
        scored = any(map(numbers.is_score, row[1:]))
        if head and scored and _are_cutoffs(row, grid.rows[head - 1]):
            scored = False
        if scored or (head and _is_section(row)):
            break
        head += 1
    return max(1, head)


def _are_cutoffs(row: Sequence[str], above: Sequence[str]) -> bool:
    """Say whether the numbers of a row are the cutoffs of the metrics above it; its name is then that of the header."""
    if row[0] and above[0] not in ("", row[0]):
        return False
    return all(
        numbers.metric_of_head(f"{metric}@{cell}")
        for metric, cell in zip(above[1:], row[1:], strict=True)
        if numbers.is_score(cell)
    )


def _is_section(row: Sequence[str]) -> bool:
    """Say whether a row only names the rows below it."""
    return all(cell in ("", row[0]) for cell in row[1:])


def _columns(heads: Sequence[Sequence[str]]) -> list[Column]:
    """Return the columns whose head names a metric."""
    made = []
    for at, levels in enumerate(heads):
        if found := _metric_of(levels):
            made.append(Column(at, *found, " ".join(levels)))
    most = max(Counter(column.metric for column in made).values(), default=0)
    if most > 1:
        return made
    # nothing is of two collections: what stands above is a kind of metrics
    return [column._replace(group="") for column in made]


def _metric_of(levels: Sequence[str]) -> tuple[str, str] | None:
    """Return the metric of a column, and what else its head says.

    >>> _metric_of(["DL 19", "nDCG@10"]), _metric_of(["Recall", "@10"]), _metric_of(["nDCG", "20", "DL 19"])
    (('nDCG@10', 'DL 19'), ('R@10', ''), ('nDCG@20', 'DL 19'))
    """
    for at, (above, level) in enumerate(pairwise(levels)):
        cutoff = level.removeprefix("@")
        if cutoff.isdigit() and (metric := numbers.metric_of_head(f"{above}@{cutoff}")):
            return metric, _join_names([*levels[:at], *levels[at + 2 :]])
    for at in reversed(range(len(levels))):
        if metric := numbers.metric_of_head(levels[at]):
            return metric, _join_names([*levels[:at], *levels[at + 1 :]])
    return None


def _join_names(levels: Sequence[str]) -> str:
    return " ".join(map(numbers.without_notes, levels))
