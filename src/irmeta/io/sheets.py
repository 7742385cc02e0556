"""CSV in any dialect of a spreadsheet: one reader, which says the line of what is wrong, and how to mend it."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import display, location, read_bytes
from irmeta.io.strictly import stripped
from irmeta.scores.names import require_names
from irmeta.scores.tables.roles import spelling
from irmeta.words import counted, joined, listed, shortened

if TYPE_CHECKING:
    from irmeta.scores.tables.objects import Frame

SEPARATORS = (",", ";", "\t")
EXACT = 2**53
"""Below this a float is a whole number or is not; above, all are."""
FORMULA = r"^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]"
"""How a text begins that a spreadsheet takes for a formula, with the apostrophes before it that keep it from that."""


class Sheet(NamedTuple):
    """A table of texts: what its columns are called, and the rows below, each with its line and a cell for each column.

    where : the file, as messages name it.
    """

    where: str
    header: list[str]
    rows: list[tuple[int, list[str]]]

    def index_of(self, names: Sequence[str]) -> int | None:
        """Return the place of the column of the first of these names that there is, in any spelling; None without."""
        header = [spelling(name) for name in self.header]
        name = next((name for name in map(spelling, names) if name in header), None)
        if name is None:
            return None
        at = header.index(name)
        if header.count(name) > 1:
            raise FileFormatError(_repeated_column(self.where, self.header[at]))
        return at


def read_sheet(path: "str | PathLike[str] | Frame", *columns: Sequence[str]) -> Sheet:
    """Read a file as `parse_sheet` reads its text; bytes of names that are not UTF-8 are escaped, as in score files.

    path : the file, or a data frame of the same columns.
    columns : the names that each column may have; an error of a file that cannot be read says the first ones.
    """
    if not isinstance(path, str | PathLike):
        return _sheet_of_frame(path, columns)
    where = location(path)
    try:
        data = bytes(read_bytes(where))
    except FileFormatError as error:
        named = joined([names[0] for names in columns])
        raise FileFormatError(
            f"{error}; expected a CSV with columns {named}"
        ) from error
    return parse_sheet(data, display(where))


def _sheet_of_frame(frame: "Frame", columns: Sequence[Sequence[str]]) -> Sheet:
    """Return a data frame as a table of texts; an index without a name, and a series, are called as columns are."""
    from irmeta.scores.tables.objects import as_polars

    table = as_polars(frame, None)
    if table.is_empty():
        raise FileFormatError(
            "the data frame has no rows; expected a row for each name"
        )
    header = [stripped(name) for name in table.columns]
    if header[0] == "index":
        header[0] = columns[0][0]
    if getattr(frame, "name", "") is None:  # a series
        header[-1] = columns[-1][0]
    rows = [
        (at, [_text_of_cell(cell) for cell in row])
        for at, row in enumerate(table.iter_rows(), 1)
    ]
    return Sheet("the data frame", header, rows)


def _text_of_cell(cell: object) -> str:
    """Return a cell of a data frame as text; a gap makes whole numbers of a column floats, which are written whole.

    >>> [_text_of_cell(cell) for cell in (33.0, 0.5, float("nan"), None, "7B")]
    ['33', '0.5', '', '', '7B']
    """
    if cell is None or cell != cell:
        return ""
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT
    return f"{cell:.0f}" if whole else str(cell)


def parse_sheet(data: bytes, where: str) -> Sheet:
    """Read CSV whose separator is the one that its header has most of; rows without any text are passed over.

    Raises FileFormatError for what is not a header with rows as long as it below.
    """
    rows_read = list(csv_rows(data, where))
    if len(rows_read) < 2:
        raise FileFormatError(
            f"{where}: not a table; expected a header and a row below it"
        )
    (_, header), *rows = rows_read
    names = [stripped(name) for name in header]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise FileFormatError(_repeated_column(where, repeated[0]))
    for at, row in rows:
        if len(row) != len(names):
            advice = "fill in the others, or remove the line"
            if len(row) > len(names):
                advice = "are these decimal commas? Write decimal points"
            raise FileFormatError(
                f"{where}:{at}: {counted(len(row), 'cell')}, but the header has {len(names)}; {advice}"
            )
    return Sheet(where, names, rows)


def csv_rows(data: bytes, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have any text, with the lines that they begin on; FileFormatError where a text is not CSV."""
    if b"\0" in data:
        raise FileFormatError(
            f"{where}: not a CSV table (it contains NUL bytes; is it UTF-16 or binary? Save it as UTF-8)"
        )
    text = io.StringIO(data.decode("utf-8-sig", "backslashreplace"), newline="")
    head = next((line for line in text if stripped(line)), "")
    text.seek(0)
    separator = max(SEPARATORS, key=head.count)
    reader = csv.reader(text, delimiter=separator, strict=True)
    at = 1
    try:
        for row in reader:
            if any(map(stripped, row)):
                yield at, [_without_apostrophe(cell) for cell in row]
            at = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(
            f"{where}:{at}: not a CSV table ({error}); is a quote opened there that nothing closes?"
        ) from error


def rows_by_key(
    table: Sheet,
    keys: Sequence[str],
    *values: Sequence[str],
    also: Sequence[str] = (),
    holes: bool = False,
) -> dict[str, tuple[int, list[str]]]:
    """Return the line and the cells of each key; a repeated key, and an empty or unfit text, raise FileFormatError.

    keys, values : the names that a column may have; the first found is taken.
    also : those of a column that a table may lack; its cell comes last.  holes : whether values may be empty.
    """
    columns = [keys, *values]
    example = [names[0] for names in columns]
    if table.index_of(also) is not None:
        columns.append(also)
    places = [_required_column(table, names, example) for names in columns]
    found: dict[str, tuple[int, list[str]]] = {}
    for at, row in table.rows:
        key, *cells = texts = [stripped(row[place]) for place in places]
        lacking = [
            table.header[place]
            for place, text in zip(places, texts, strict=True)
            if not text
        ]
        if lacking and not (holes and key):
            raise FileFormatError(
                f"{table.where}:{at}: a line lacks its {lacking[0]}; fill it in, or remove the line"
            )
        require_visible(texts, f"{table.where}:{at}")
        if key in found:
            raise FileFormatError(
                f"{table.where}:{at}: {keys[0]} {shortened(key)!r} is on line {found[key][0]}, too; remove one"
            )
        found[key] = at, cells
    return found


def read_pairs(
    path: "str | PathLike[str] | Frame", keys: Sequence[str], values: Sequence[str]
) -> dict[str, str]:
    """Read a table that gives each key one value."""
    table = read_sheet(path, keys, values)
    return {
        key: value for key, (_, [value]) in rows_by_key(table, keys, values).items()
    }


def require_visible(texts: Iterable[str], where: str) -> None:
    """Raise FileFormatError for a text that no name can be: too long, or with what nobody sees, as a line feed."""
    try:
        require_names(filter(None, texts), "on this line")
    except ScoresError as error:
        raise FileFormatError(f"{where}: {error}") from error


def _required_column(table: Sheet, names: Sequence[str], example: Sequence[str]) -> int:
    """Return the place of the column of one of these names; without it FileFormatError shows an example header."""
    place = table.index_of(names)
    if place is None:
        raise FileFormatError(
            f"{table.where}:1: no column {' or '.join(names[:3])}; the first line must name the columns, as in "
            f"{','.join(example)} (it has {listed(shortened(one, 30) for one in table.header)})"
        )
    return place


def _without_apostrophe(cell: str) -> str:
    """Return a cell without the apostrophe that kept a spreadsheet from computing it."""
    if cell.startswith("'") and re.match(FORMULA, cell):
        return cell[1:]
    return cell


def _repeated_column(where: str, name: str) -> str:
    return f"{where}:1: more than one column is named {shortened(name)!r}; rename one"
