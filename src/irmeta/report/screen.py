"""A result on one screen: the answer, the tables as far as they fit, at most two notes, and what more there is."""

from collections.abc import Mapping, Sequence

import polars as pl

from irmeta.errors import ScoresError
from irmeta.report.forms import side_by_side, text
from irmeta.report.tables import metrics_of, overview, table_named, whole_tables
from irmeta.report.words import warning_lines, wrapped
from irmeta.scores.attributes import about
from irmeta.scores.figures import ENDS
from irmeta.scores.notes import Beside, split_answers
from irmeta.studies import STUDIES, Screen, name_of
from irmeta.studies.result import Result
from irmeta.studies.result.labels import chosen
from irmeta.words import counted, joined

NOTES = 2
"""How many notes stand on a screen: the first that the scores call for."""
OTHERS = 2
"""How many findings stand below the tables."""
SPARED = 4
"""Rows that a table leaves room for of the next one."""
SYSTEMS = ("system", "model", "against")
"""Columns that name what a row is of."""
FEWEST = 6
"""Rows that answers by further metrics leave the first table."""
LEAST = 3
"""A table that fewer of its rows fit of is left out, but the first, which has them, or all asked for, all the same."""


def screen(
    result: Result,
    table: str | None = None,
    *,
    width: int | None = None,
    more: str = "--explain",
    highlight: str | Sequence[str] | None = None,
) -> str:
    """Return the answers with their warnings, tables, other findings and notes, as many lines as the study may have.

    table : the only table to show, in all its rows
    more : what shows the rest
    highlight : systems whose rows are shown in any case
    """
    answers, others = split_answers(result.findings)
    head = [*answers[:1], *warning_lines(result.warnings)]
    notes = [f"Note: {note}" for note in called_for(result)]
    left: list[str] = []
    size = _screen_size(result)
    if table is not None:
        above: list[str] = []
        below = [sentence for sentence in others if _is_beside(sentence, table)]
        drawn = [text(table_named(result.data, table), table, width=width)]
    elif size is None:
        above, below, views = answers[1:], others, overview(result.data)
        drawn = [text(frame, name, width=width) for name, frame in views.items()]
    else:
        views = whole_tables(result.data)
        answered = next(iter(views.values()))
        # the last part has no blank line below it, but a line that says what is left out
        room = size.lines - _height(wrapped(head, width)) - 1

        def beside(notes: list[str]) -> list[str]:
            free = room - wrapped(notes, width).count("\n")
            free -= _count_lines(answered, FEWEST)
            return _fitting_sentences(answers[1:], free, width)

        # answers stand before a second note
        notes = max(notes, notes[:1], key=lambda some: len(beside(some)))
        above = beside(notes)
        room -= wrapped(notes, width).count("\n")
        room -= wrapped(above, width).count("\n") + bool(above)
        free = room - _count_lines(answered, size.rows)
        below = _fitting_sentences(others[:OTHERS], free, width)
        room -= _height(wrapped(below, width))
        named_too = _rows_to_show(result, views, highlight)
        drawn, left = _fitting_tables(result, views, room, size.rows, width, named_too)
    findings = len(answers[1:]) + len(others) - len(above) - len(below)
    for rest, what in (findings, "finding"), (len(_notes(result)) - len(notes), "note"):
        left += [counted(rest, what)] if rest else []
    tail = wrapped(notes, width)
    if left:
        tail += wrapped([f"More with {more}: {joined(left)}."], width)
    return _join_parts(
        [wrapped([*head, *above], width), *drawn, wrapped(below, width), tail]
    )


def _is_beside(sentence: str, table: str) -> bool:
    """Say whether a sentence stands beside a table."""
    return isinstance(sentence, Beside) and sentence.table == table


def _screen_size(result: Result) -> Screen | None:
    """Return how much is printed: what the study may have, and as many rows more as the user asks for."""
    size = STUDIES[name_of(result.data)].screen
    if size is None:
        return size
    more = (_rows_asked_for(result) or size.rows) - size.rows
    return size._replace(lines=size.lines + max(more, 0), rows=size.rows + more)


def _rows_asked_for(result: Result) -> int | None:
    """Return how many rows of the first table the user asks for, if any."""
    size = STUDIES[name_of(result.data)].screen
    rows: int | None = size and about(result.data)["options"].get(size.asked)
    return rows


def _rows_wanted(result: Result, frame: pl.DataFrame) -> int:
    """Return how many rows of a table there are to read: of one of all systems, those the user asks for."""
    rows = _rows_asked_for(result)
    of_all = frame.height == result.data.sizes.get("system")
    return min(rows, frame.height) if rows and of_all else frame.height


def _rows_to_show(
    result: Result,
    views: Mapping[str, pl.DataFrame],
    highlight: str | Sequence[str] | None,
) -> list[str]:
    """Return the systems whose rows are shown in any case: those highlighted, or the one that the study is asked of."""
    systems = [
        str(name)
        for frame in views.values()
        for column in SYSTEMS
        if column in frame.columns
        for name in frame[column].drop_nulls()
    ]
    if highlight is None:
        asked = about(result.data)["options"].get("system")
        return [asked] if asked in systems else []
    if not systems:
        raise ScoresError(
            "no table here has rows of systems; --highlight marks in a plot, too (--plot FILE)"
        )
    return chosen(result.data, highlight, list(dict.fromkeys(systems)), "the tables")


def everything(
    result: Result, table: str | None = None, *, width: int | None = None
) -> str:
    """Return all that a person can read of a result: every table, row, finding and note, and how it was computed.

    table : the only table
    """
    views = whole_tables(result.data)
    if table is not None:
        views = {table: table_named(result.data, table)}
    sizes = {name: _rows_wanted(result, frame) for name, frame in views.items()}
    tables = [
        text(views[name].head(size), _title_of(name, views[name], size), width=width)
        for name, size in sizes.items()
    ]
    answers, others = split_answers(result.findings)
    head = [*answers[:1], *warning_lines(result.warnings), *answers[1:]]
    return _join_parts(
        [
            wrapped(head, width),
            *tables,
            wrapped(others, width),
            wrapped([f"Note: {note}" for note in _notes(result)], width),
            wrapped([f"Method: {result.method_text}"], width),
        ]
    )


def called_for(result: Result) -> list[str]:
    """Return the first notes that the scores call for."""
    return _notes(result)[: min(NOTES, about(result.data).get("called_for", NOTES))]


def _notes(result: Result) -> list[str]:
    """Return the notes that no warning says already."""
    return [note for note in result.notes if note not in result.warnings]


def _height(*parts: str) -> int:
    """Count the lines of parts, each with a blank line below it."""
    return sum(part.count("\n") + 1 for part in parts if part)


def _count_lines(frame: pl.DataFrame, rows: int) -> int:
    """Return the lines of the first rows of a table: a title, two for the heads of columns, and a blank one."""
    return min(rows, frame.height) + 4


def _fitting_sentences(
    sentences: Sequence[str], room: int, width: int | None
) -> list[str]:
    """Return the first sentences that fit."""
    count = len(sentences)
    while count and _height(wrapped(sentences[:count], width)) > room:
        count -= 1
    return list(sentences[:count])


def _fitting_tables(
    result: Result,
    views: Mapping[str, pl.DataFrame],
    room: int,
    fewest: int,
    width: int | None,
    marked: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Draw the first tables, as many rows and columns as fit; say how many rows, columns and tables do not.

    fewest : rows that a table has before it leaves room for the next one.  marked : systems whose rows the first table
    has below its first ones.
    """
    # rows that the first table has even where they do not fit
    least = _rows_asked_for(result) or LEAST
    metrics = metrics_of(result.data)
    drawn: list[str] = []
    rows, tables = 0, 0
    columns: list[str] = []
    names = list(views)
    for name, after in zip(names, [*names[1:], None], strict=True):
        frame = views[name]
        beside = side_by_side(_first_rows(name, frame, max(room, least)), width)
        spared = 0 if after is None else _count_lines(views[after], SPARED)
        own_room = max(room - spared, min(room, _count_lines(frame, fewest)))
        count = _count_fitting_rows(name, beside, own_room, width)
        if not drawn:
            count = max(count, min(least, frame.height))
        # the line of one row that is left would only say so
        if 0 < count == frame.height - 1 and ENDS not in name:
            count += 1
        wanted = _rows_wanted(result, frame)
        count = min(count, wanted)
        count, below = _below(name, frame, count, least, () if drawn else marked)
        first = _first_rows(name, beside, count)
        shown = pl.concat([first, below.select(beside.columns)])
        if drawn and shown.height < min(LEAST, frame.height):
            tables += 1
            continue
        title = _title_of(name, frame, count)
        if below.height:
            title += f", and {below.height} named"
        drawn.append(text(shown, title, width=width))
        room -= _height(drawn[-1])
        rows += max(wanted - shown.height, 0)
        columns += frame.columns[beside.width :]
    of_metrics = sum(name in metrics for name in columns)
    left = [
        (rows, "row"),
        (of_metrics, "metric"),
        (len(columns) - of_metrics, "column"),
        (tables, "table"),
    ]
    return drawn, [counted(number, what) for number, what in left if number]


def _below(
    name: str, frame: pl.DataFrame, count: int, least: int, systems: Sequence[str]
) -> tuple[int, pl.DataFrame]:
    """Return how many of the first rows of a table still fit above the rows of some systems, and the further ones."""
    column = next((name for name in SYSTEMS if name in frame.columns), None)
    if column is None or ENDS in name or not systems:
        return count, frame.clear()
    is_named = pl.col(column).is_in(systems)
    further = frame[count:].filter(is_named).height
    count = max(count - further, min(least, frame.height))
    return count, frame[count:].filter(is_named)


def _count_fitting_rows(
    name: str, frame: pl.DataFrame, room: int, width: int | None
) -> int:
    """Count the rows of a table that fit."""
    # above the rows stand a title, the heads of columns and a line
    for count in range(min(frame.height, room - 3), 0, -1):
        title = _title_of(name, frame, count)
        if _height(text(_first_rows(name, frame, count), title, width=width)) <= room:
            return count
    return 0


def _first_rows(name: str, frame: pl.DataFrame, count: int) -> pl.DataFrame:
    """Return the first rows of a table, or of one with both ends as many of each."""
    if ENDS not in name or count >= frame.height:
        return frame.head(count)
    each, other = count // 2, (frame.height + 1) // 2
    return pl.concat([frame.head(each), frame.slice(other, each)])


def _title_of(name: str, frame: pl.DataFrame, count: int) -> str:
    """Return the title of a table, with how many of its rows there are, unless it has both ends of more."""
    if count == frame.height or ENDS in name:
        return name
    rows = f"the first {count} of {frame.height}"
    return f"{name}{';' if ':' in name else ':'} {rows}" if name else rows


def _join_parts(parts: Sequence[str]) -> str:
    return "\n".join(part for part in parts if part)
