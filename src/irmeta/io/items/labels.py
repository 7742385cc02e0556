"""A table of answers with a column of labels for each judge, a person or a machine, as a cube for each judge."""

from collections.abc import Iterable
from os import PathLike

import polars as pl
import xarray as xr

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import display, location
from irmeta.io.tables.spreadsheet import read_table
from irmeta.scores.cube import from_frame
from irmeta.scores.tables.roles import columns_of
from irmeta.words import BLANKS, listed, shortened

METRIC = "correct"
_RIGHT = ("yes", "true", "correct", "right", "1", "1.0")
_WRONG = ("no", "false", "incorrect", "wrong", "0", "0.0")


def import_labels(
    path: str | PathLike[str],
    *,
    system: str | None = None,
    topic: str | None = None,
    ignore: str | Iterable[str] = (),
) -> dict[str, xr.DataArray]:
    """Read a table of answers, a row for each, with a column of Yes and No for each judge, as a cube for each judge.

    Systems are scored by the metric `correct`, 1 for Yes (true, correct, 1) and 0 for No (false, incorrect, 0); an
    empty label is missing. `irmeta.judges.compare` takes the cubes as they are.

    path : the table, CSV, Parquet or JSON.
    system, topic : the columns that name systems and questions, where they do not go by a name that people use.
    ignore : columns that hold something else than a judge's labels.
    """
    where = location(path)
    try:
        frame = _without_columns(read_table(where)[0], ignore)
        found = columns_of(frame.columns, system=system, topic=topic)
        if found.system is None or found.topic is None:
            raise ScoresError(
                "expected a column of systems and one of questions (or topics), and one for each judge; it has "
                f"{listed(frame.columns)}; name them with --system and --topic"
            )
        names = (found.system, found.topic)
        judges = [column for column in frame.columns if column not in names]
        if not judges:
            raise ScoresError("no column of labels; expected one for each judge")
        cubes = {}
        answers = {"system": frame[found.system], "topic": frame[found.topic]}
        for judge in judges:
            scored = pl.DataFrame({**answers, METRIC: _as_zero_one(frame[judge])})
            cubes[judge] = from_frame(scored, collection=judge)
        return cubes
    except ScoresError as error:
        raise FileFormatError(f"{display(where)}: {error}") from error


def _without_columns(table: object, ignore: str | Iterable[str]) -> pl.DataFrame:
    """Return the rows of a table without columns that hold something else."""
    if not isinstance(table, pl.DataFrame):
        raise ScoresError("expected a table with a row for each answer")
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    if unknown := [name for name in ignored if name not in table.columns]:
        raise ScoresError(
            f"there is no column {unknown[0]!r} to ignore; the table has {listed(table.columns)}"
        )
    return table.drop(ignored)


def _as_zero_one(labels: pl.Series) -> pl.Series:
    """Return labels as 1 and 0, null where they are missing; another word raises ScoresError."""
    words = labels.cast(pl.String).str.strip_chars(BLANKS).str.to_lowercase()
    empty = words.is_null() | (words == "")
    is_label = words.is_in([*_RIGHT, *_WRONG])
    others = (~is_label & ~empty).arg_true()
    if len(others):
        row = others[0]
        raise ScoresError(
            f"row {row + 1} of the column {shortened(labels.name)!r} holds {shortened(str(labels[row]), 40)!r}, not a "
            f"label as Yes or No; correct it, or leave the column out with --ignore {shortened(labels.name)!r}"
        )
    truth = words.is_in(_RIGHT).cast(pl.Float64)
    return pl.select(pl.when(is_label).then(truth)).to_series().alias(METRIC)
