"""Tables of groups: who submitted which run, which runs are of one system, which topics come from one conversation."""

from pathlib import Path

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import location, read_bytes
from irmeta.io.tables.spreadsheet import csv_in
from irmeta.scores.teams import STEM, Groups
from irmeta.words import listed, reason, shortened

RUN = ("run", "system", "name")
GROUP = ("team", "group", "family")
REPEATED = ("system", "model", "repeat_of")
TOPIC = ("topic", "query", "query_id", "qid", "turn", "question")
CLUSTER = ("cluster", "conversation", "document", "passage")
POOLED = ("pooled", "contributed", "contributed judgments")
"""Names that the columns may have; the first found is taken."""
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def read_groups(path: str | Path) -> Groups:
    """Read the groups of runs from a CSV file: columns run and team (or group), and pooled (yes or no) if it has one.

    The leaderboards of TREC-COVID call this column `contributed judgments`.
    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    frame, run, group = _pairs(path, RUN, GROUP)
    pooled = next((name for name in POOLED if name in frame.columns), None)
    unpooled = frozenset[str]()
    if pooled is not None:
        unpooled = frozenset(frame[run].filter(~_truth(frame[pooled], path)).to_list())
    return Groups(dict(frame.select(run, group).iter_rows()), unpooled, str(path))


def read_clusters(path: str | Path) -> dict[str, str]:
    """Read the clusters of topics from a CSV file: columns topic (or query) and cluster (or conversation, document).

    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a topic that is there twice.
    """
    frame, topic, cluster = _pairs(path, TOPIC, CLUSTER)
    return dict(frame.select(topic, cluster).iter_rows())


def named_clusters(given: str | Path) -> dict[str, str] | str:
    """Return "stem", which stands for a rule, as it is; else what `read_clusters` reads."""
    return STEM if str(given) == STEM else read_clusters(given)


def read_repeats(path: str | Path) -> dict[str, str]:
    """Read which runs are of one system from a CSV file: columns run (or name) and system (or model).

    path : the CSV file.
    Raises FileFormatError for a file without these columns, and for a run that is there twice.
    """
    frame, run, system = _pairs(path, ("run", "name"), REPEATED)
    return dict(frame.select(run, system).iter_rows())


def _pairs(
    path: str | Path, keys: tuple[str, ...], values: tuple[str, ...]
) -> tuple[pl.DataFrame, str, str]:
    """Read a CSV table that gives each key one value, and the names of these two columns, of those they may have."""
    where = location(path)
    try:
        frame = csv_in(read_bytes(where).decode("utf-8-sig"), where)
    except ValueError as error:
        raise FileFormatError(f"{path}: not a CSV table ({reason(error)})") from error
    lowered = [name.lower() for name in frame.columns]
    if twice := [name for name in lowered if lowered.count(name) > 1]:
        raise FileFormatError(
            f"{path}:1: more than one column is named {shortened(twice[0])!r}; rename one"
        )
    frame.columns = lowered
    frame = frame.with_columns(pl.all().str.strip_chars())
    example = f"{keys[0]},{values[0]}"
    key, value = (_column(frame, names, path, example) for names in (keys, values))
    if frame[key].is_duplicated().any():
        twice = frame[key].filter(frame[key].is_duplicated())[0]
        raise FileFormatError(
            f"{path}: several lines for {keys[0]} {shortened(twice)!r}; keep one line for each {keys[0]}"
        )
    if (frame[key] == "").any() or (frame[value] == "").any():
        raise FileFormatError(
            f"{path}: a line lacks its {keys[0]} or its {values[0]}; every line needs both"
        )
    return frame, key, value


def _column(
    frame: pl.DataFrame, names: tuple[str, ...], path: str | Path, example: str
) -> str:
    found = next((name for name in names if name in frame.columns), None)
    if found is None:
        raise FileFormatError(
            f"{path}: no column {' or '.join(names)}; the first line must name the columns, as in "
            f"{example} (it has {listed(frame.columns)})"
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
