"""Who submitted which run: a table of runs and their groups, or the stems of the runs' names."""

import io
from pathlib import Path

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import location, read_bytes
from irmeta.scores.teams import Groups
from irmeta.words import listed, reason, shortened

RUN = ("run", "system", "name")
GROUP = ("group", "team", "family")
POOLED = ("pooled", "contributed", "contributed judgments")
"""Names that the columns may have; the first found is taken."""
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def read_groups(path: str | Path) -> Groups:
    """Read the groups of runs from a CSV file: columns run and team (or group), and pooled (yes or no) if it has one.

    The leaderboards of TREC-COVID call this column `contributed judgments`.
    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    try:
        frame = pl.read_csv(io.BytesIO(read_bytes(location(path))), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(f"{path}: not a CSV table ({reason(error)})") from error
    frame = frame.rename({name: name.strip().lower() for name in frame.columns})
    frame = frame.with_columns(pl.all().str.strip_chars())
    run, group = (_column(frame, names, path) for names in (RUN, GROUP))
    pooled = next((name for name in POOLED if name in frame.columns), None)
    if frame[run].is_duplicated().any():
        twice = frame[run].filter(frame[run].is_duplicated())[0]
        raise FileFormatError(
            f"{path}: several lines for run {shortened(twice)!r}; keep one line for each run"
        )
    if frame[run].has_nulls() or frame[group].has_nulls():
        raise FileFormatError(
            f"{path}: a line lacks its run or its group; every line needs both"
        )
    unpooled = frozenset[str]()
    if pooled is not None:
        unpooled = frozenset(frame[run].filter(~_truth(frame[pooled], path)).to_list())
    return Groups(dict(frame.select(run, group).iter_rows()), unpooled, str(path))


def _column(frame: pl.DataFrame, names: tuple[str, ...], path: str | Path) -> str:
    found = next((name for name in names if name in frame.columns), None)
    if found is None:
        raise FileFormatError(
            f"{path}: no column {' or '.join(names)}; the first line must name the columns, as in "
            f"run,team (it has {listed(frame.columns)})"
        )
    return found


def _truth(column: pl.Series, path: str | Path) -> pl.Series:
    words = [str(word).strip().lower() for word in column]
    wrong = next((word for word in words if word not in _WORDS), None)
    if wrong is not None:
        raise FileFormatError(
            f"{path}: {column.name}={shortened(wrong)!r}: expected yes or no"
        )
    return pl.Series([_WORDS[word] for word in words], dtype=pl.Boolean)
