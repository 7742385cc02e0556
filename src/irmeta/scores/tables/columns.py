"""A column of a table as names or as scores; what is neither is an error that names the row and the mend."""

import re

import polars as pl

from irmeta.errors import ScoresError
from irmeta.scores.names import require_names
from irmeta.words import BLANKS, shortened

MISSING = ("", "-", "–", "na", "n/a", "nan", "none", "null")
"""What people write where a score is missing."""
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"
"""A comma that may separate thousands."""


def names(column: pl.Series, name: str) -> pl.Series:
    """Return a column of names as text; missing and unprintable ones raise ScoresError."""
    if column.dtype.is_nested():
        raise _unfit_name_error(column, name)
    try:
        if column.dtype.is_float() and (column == column.round()).all():
            texts = column.cast(pl.Int64)
        else:
            texts = column
        texts = texts.cast(pl.String).str.strip_chars(BLANKS)
    except pl.exceptions.PolarsError as error:
        raise _unfit_name_error(column, name) from error
    if texts.null_count() or (texts == "").any():
        row = int((texts.is_null() | (texts == "")).arg_max() or 0) + 1
        raise ScoresError(
            f"the column {name!r} is empty in row {row}; fill in the names, or drop such rows"
        )
    require_names(texts.unique(), f"in the column {shortened(name)!r}")
    return texts


def _unfit_name_error(column: pl.Series, name: str) -> ScoresError:
    """Return the error for a column of another kind than names."""
    return ScoresError(
        f"the column {shortened(name)!r} holds {column.dtype.base_type()}, not names; choose another column"
    )


def is_text(column: pl.Series) -> bool:
    """Say whether a column holds words, of which none can be read as a score.

    >>> is_text(pl.Series(["bm25", "dpr"])), is_text(pl.Series(["0.5", "nan"])), is_text(pl.Series(["50%"]))
    (True, False, False)
    """
    if column.dtype != pl.String or _numeric(column) is not None:
        return False
    held = column.filter(~column.str.to_lowercase().is_in(MISSING)).drop_nulls()
    words = held.str.contains(r"\p{L}")
    unread = held.cast(pl.Float64, strict=False).is_null()
    return not held.is_empty() and bool((words & unread).all())


def _numeric(texts: pl.Series) -> pl.Series | None:
    """Return texts as numbers, None where one is not: most columns of a wide table are, and there may be thousands."""
    numbers = texts.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == texts.null_count() else None


def _with_points(texts: pl.Series) -> pl.Series:
    """Return texts with points for decimal commas: no point is in any, and some comma does not separate thousands.

    >>> _with_points(pl.Series(["0,512", "1"])).to_list(), _with_points(pl.Series(["1,512", "2,000"])).to_list()
    (['0.512', '1'], ['1,512', '2,000'])
    """
    commas = texts.filter(texts.str.contains(","))
    if commas.is_empty() or texts.str.contains(".", literal=True).any():
        return texts
    if commas.str.contains(_THOUSANDS).all():
        return texts
    return texts.str.replace(",", ".")


def numbers(column: pl.Series, name: str) -> pl.Series:
    """Return a column of scores as numbers, null where one is missing; other texts raise ScoresError.

    Where all are percent, as 41%, they are parts of 1.

    >>> numbers(pl.Series(["41%", "9.5 %", None]), "AP").to_list()
    [0.41, 0.095, None]
    """
    if column.dtype.is_numeric() or column.dtype == pl.Null:
        return column.cast(pl.Float64).fill_nan(None)
    if column.dtype != pl.String:
        raise ScoresError(
            f"the column {name!r} holds {column.dtype.base_type()}, not scores; leave it out with --ignore {name!r}"
        )
    texts = column.str.strip_chars(BLANKS)
    plain = _numeric(texts)
    if plain is not None:
        return plain.fill_nan(None)
    missing = texts.str.to_lowercase().is_in(MISSING)
    held = pl.select(pl.when(missing).then(None).otherwise(texts)).to_series()
    written = held
    if held.str.ends_with("%").all():
        written = held.str.replace(r"[ \t]*%$", "e-2")
    scores = _with_points(written).cast(pl.Float64, strict=False)
    wrong = held.is_not_null() & scores.is_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        text = shortened(repr(held[row]), 40)
        raise ScoresError(
            f"{text} in row {row + 1} of the column {name!r} is not a number; {_remedy(held[row], name)}"
        )
    return scores.fill_nan(None)


def _remedy(text: str, column: str) -> str:
    """Say what to do about a text where a score is expected."""
    if re.fullmatch(r"-?\d+,\d+", text):
        return "is it a decimal comma? Save the table with decimal points, and without separators of thousands"
    if text.endswith("%"):
        return "write a percent sign in every cell of the column, or in none (45.2% is 0.452)"
    if text.startswith("="):
        return "it is a spreadsheet formula; save values, not formulas"
    if text.startswith("'"):
        return (
            "its apostrophe marks it as text for a spreadsheet; remove the apostrophe"
        )
    return (
        "write the number alone, or leave the cell empty if the score is missing; if the column does not hold "
        f"scores, leave it out with --ignore {column!r}"
    )
