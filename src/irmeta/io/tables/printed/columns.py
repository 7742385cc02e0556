"""The scores of a printed table as a data frame."""

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display
from irmeta.io.tables.printed import numbers
from irmeta.io.tables.printed.layout import Column, Layout
from irmeta.words import listed, shortened


def long_table(
    table: Layout, where: Location, groups: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Return a row for each score of the columns that name a metric, and what to say of them.

    groups : the collections to take; all where there are none.
    """
    columns = [one for one in table.columns if not groups or one.group in groups]
    _require_distinct(table, columns, where)
    systems = _system_names(table, where)
    parts, percent = [], dict[str, float]()
    for column in columns:
        scores, printed = _scores(table, column, where)
        if printed is not None:
            percent[column.head] = printed
        head = {"collection": column.group, "system": systems, "metric": column.metric}
        parts.append(pl.DataFrame({**head, "score": scores}))
    frame = pl.concat(parts)
    if frame["collection"].n_unique() == 1:
        frame = frame.drop("collection")
    return frame, [*_percent_notes(percent), *_unused_column_notes(table)]


def text_table(table: Layout, where: Location) -> pl.DataFrame:
    """Return a table whose heads name no metrics, as those of data sets: texts without marks."""
    heads = [numbers.without_notes(head) for head in table.heads]
    if twice := [head for head, count in Counter(heads).items() if count > 1]:
        raise FileFormatError(
            f"{display(where)}: more than one column of table #{table.number} is named {shortened(twice[0])!r}; "
            "rename one"
        )
    rows = [
        [numbers.without_notes(row[0]), *map(_plain_text, row[1:])]
        for _, row in table.body
    ]
    schema = dict.fromkeys([heads[0] or "system", *heads[1:]], pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _require_distinct(
    table: Layout, columns: Sequence[Column], where: Location
) -> None:
    """Raise FileFormatError if two columns are of the same metric and collection."""
    counts = Counter((column.group, column.metric) for column in columns)
    for (group, metric), count in counts.items():
        if count > 1:
            of = f" of {group}" if group else ""
            raise FileFormatError(
                f"{display(where)}: table #{table.number} has {count} columns of {metric}{of}; a name above each would "
                "say of which collection it is"
            )


def _system_names(table: Layout, where: Location) -> list[str]:
    """Return the names of the rows: the first column of texts, or all of these where names in it repeat."""
    score_columns = {column.at for column in table.columns}
    texts = [
        [numbers.without_notes(row[at]) for _, row in table.body]
        for at in range(len(table.heads))
        if at not in score_columns and not table.numeric(at)
    ]
    texts = [names for names in texts if any(names)]
    if not texts:
        raise FileFormatError(
            f"{display(where)}: no column of table #{table.number} names the systems"
        )
    names = texts[0]
    if len(set(names)) < len(names):
        rows = zip(*texts, strict=True)
        names = [" ".join(dict.fromkeys(filter(None, row))) for row in rows]
    counts = Counter(names)
    for (line, _), name in zip(table.body, names, strict=True):
        if counts[name] > 1 or not name:
            what = (
                f"more than one row is named {shortened(name)!r}"
                if name
                else "a row has no name"
            )
            raise FileFormatError(
                f"{display(where)}:{line}: {what}; each system needs a name of its own"
            )
    return names


def _scores(
    table: Layout, column: Column, where: Location
) -> tuple[list[str], float | None]:
    """Return the scores of a column as text, and the largest one if it is printed in percent and no sign says so."""
    read = []
    for line, row in table.body:
        try:
            read.append(numbers.parse_score(row[column.at]))
        except ValueError as error:
            raise FileFormatError(
                f"{display(where)}:{line}: {shortened(row[column.at])!r} in the column {shortened(column.head)!r} is "
                "not a score; write one number with a decimal point, as 0.43, .43 or 43.0"
            ) from error
    signed = numbers.in_percent(column.head)
    most = max((value for value, sign in read if not sign), default=0.0)
    beyond = not signed and numbers.exceeds_one(column.metric, most)
    scores = [
        numbers.format_score(value, percent=sign or signed or beyond)
        for value, sign in read
    ]
    return scores, most if beyond else None


def _plain_text(cell: str) -> str:
    """Return the score in a cell as text; another text without marks."""
    try:
        value, percent = numbers.parse_score(cell)
    except ValueError:
        return numbers.without_notes(cell)
    return numbers.format_score(value, percent=percent)


def _percent_notes(columns: Mapping[str, float]) -> list[str]:
    """Say of which columns scores were read as percent, by the largest one of each."""
    if not columns:
        return []
    head, most = next(iter(columns.items()))
    example = f"{most:g} of {head} is {most / numbers.PERCENT:g}"
    return [f"read as percent, as scores go beyond 1: {listed(columns)} ({example})"]


def _unused_column_notes(table: Layout) -> list[str]:
    """Name the columns with numbers that no metric is called."""
    used = {column.at for column in table.columns}
    left = [
        shortened(head, 30)
        for at, head in enumerate(table.heads)
        if at not in used and head and table.numeric(at)
    ]
    if not left:
        return []
    return [f"columns left out, as irmeta knows no metric of this name: {listed(left)}"]
