"""Who submitted which run: a table of runs and their groups."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import location, read_bytes
from irmeta.names import nearest
from irmeta.words import counted

RUN, GROUP, POOLED = ("run", "system", "name"), ("group", "team"), ("pooled", "contributed")
"""Names that the columns may have; the first found is taken."""
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name; `unpooled` are runs whose documents nobody was asked to judge."""

    of: Mapping[str, str]
    unpooled: frozenset[str] = field(default_factory=frozenset)
    source: str = "groups"

    def require(self, runs: list[str]) -> None:
        """Raise FileFormatError for a run without a group."""
        lacking = [run for run in runs if run not in self.of]
        if lacking:
            raise FileFormatError(
                f"{self.source}: no group for {len(lacking)} of {counted(len(runs), 'run')}, the first {lacking[0]!r}; "
                f"{nearest(lacking[0], self.of)}; a run's name is that of its file, without .gz"
            )


def read_groups(path: str | Path) -> Groups:
    """Read the groups of runs from a CSV file: columns run and team (or group), and pooled (yes or no) if it has one.

    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    try:
        frame = pl.read_csv(io.BytesIO(read_bytes(location(path))), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(f"{path}: not a CSV table ({error})") from error
    run, group = (_column(frame, names, path) for names in (RUN, GROUP))
    pooled = next((name for name in POOLED if name in frame.columns), None)
    if frame[run].is_duplicated().any():
        twice = frame[run].filter(frame[run].is_duplicated())[0]
        raise FileFormatError(f"{path}: run {twice!r} is there more than once; keep one line for each run")
    if frame[run].has_nulls() or frame[group].has_nulls():
        raise FileFormatError(f"{path}: a line without run or group; every line needs both")
    unpooled = frozenset[str]()
    if pooled is not None:
        unpooled = frozenset(frame[run].filter(~_truth(frame[pooled], path)).to_list())
    return Groups(dict(frame.select(run, group).iter_rows()), unpooled, str(path))


def _column(frame: pl.DataFrame, names: tuple[str, ...], path: str | Path) -> str:
    found = next((name for name in names if name in frame.columns), None)
    if found is None:
        raise FileFormatError(
            f"{path}: no column {' or '.join(names)}; the first line names the columns, as in run,team "
            f"(here: {', '.join(frame.columns[:8])})"
        )
    return found


def _truth(column: pl.Series, path: str | Path) -> pl.Series:
    words = [str(word).strip().lower() for word in column]
    wrong = next((word for word in words if word not in _WORDS), None)
    if wrong is not None:
        raise FileFormatError(f"{path}: {column.name}={wrong!r}: say yes or no")
    return pl.Series([_WORDS[word] for word in words], dtype=pl.Boolean)
