"""Score tables that users already have, as cubes: trec_eval output, matrices, system-wise tables."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta import words
from irmeta.choices import Rows
from irmeta.errors import FileFormatError, ScoresError, require_choice
from irmeta.io.files import Location, display, list_files, location, read_bytes, stem
from irmeta.io.formats.scores import from_rows
from irmeta.io.sheets import parse_sheet
from irmeta.io.strictly import fields, lines, number_or_nan, stripped, whole
from irmeta.io.tables.printed import numbers
from irmeta.metrics.names import canonical, is_known
from irmeta.metrics.values import require_possible
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import check, cube, only_numbered
from irmeta.scores.names import bare_name, labels
from irmeta.scores.tables.frames import with_spelled_metrics
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Floats
from irmeta.words import shortened

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

_RELEASED = (
    "tables released with Gupta et al. (2019): their RBP is binary and the highest grade of their "
    "ERR is 4; compare them with RBP(p=0.8, rel=1) and ERR(max_rel=4)@20 of irmeta evaluate"
)
_NUMBERED = (
    "topics are numbered from 1; if the file does not name them, name them with --topics, as in "
    "--topics 401-450"
)


def metric_of_release(name: str) -> str:
    """Translate a metric's name in the tables released with Gupta et al. (ECIR 2019); keep others that are not ours.

    Their `err` is gdeval's ERR@20.

    >>> [metric_of_release(name) for name in ("map_cut_100all", "rdp_95all", "10_P_1000all", "NDCG@20", "mine")]
    ['AP@100', 'RBP(p=0.95)', 'P(depth=10)@1000', 'nDCG@20', 'mine']
    """
    short = name.removesuffix("all")
    if at_depth := re.fullmatch(r"(\d+)_(\D.*)", short):
        depth, rest = at_depth.groups()
        return _with_depth("ERR" if rest == "err" else metric_of_release(rest), depth)
    ours = re.sub(r"^r[bd]p_(\d+)$", r"RBP(p=0.\1)", short)
    if short == "err":
        ours = "ERR@20"
    known = filter(is_known, (name, ours))
    return next(map(canonical, known), name)


def import_trec_eval(paths: Paths, *, collection: str = "collection") -> xr.DataArray:
    """Read the output of `trec_eval -q`: one file for each system, or several systems in a file with runid lines.

    The means that trec_eval prints under `all` are left out if there are topics; otherwise `all` is the one topic. A
    system is named after its file, or by `runid` if a file holds several.

    paths : files, folders, globs or URLs of them.  collection : what to call the collection.
    """
    return cube_of_tables(paths, _read_trec_eval, collection)


def cube_of_tables(
    paths: Paths, read: Callable[[Location], pl.DataFrame], collection: str
) -> xr.DataArray:
    """Make a cube of the tables in files, without means under `all` where there are topics.

    read : returns the table (system, topic, metric, score) of a file.
    """
    files = all_files(paths)
    rows = pl.concat([read(file) for file in files])
    try:
        return _cube_of_rows(rows, collection)
    except ScoresError as error:
        raise FileFormatError(
            f"{words.listed(map(display, files))}: {error}"
        ) from error


def _cube_of_rows(rows: pl.DataFrame, collection: str) -> xr.DataArray:
    """Make a cube of rows, without means where there are topics; ScoresError for means beside topics."""
    _require_measures(rows["metric"].unique().to_list())
    topics = rows.filter(pl.col("topic") != ALL)
    if topics.height:
        if only_means := sorted(set(rows["system"]) - set(topics["system"])):
            raise ScoresError(
                f"{only_means[0]} has only means, other files have topics; import them separately"
            )
        rows = topics
    cubes = from_rows(rows.with_columns(collection=pl.lit(collection)))
    return cubes[collection]


MANY = 50
"""Measures of which irmeta knows some, if they are measures."""


def _require_measures(names: list[str]) -> None:
    """Raise ScoresError for what stands where measures should but is none: numbers, or many names of something else."""
    only_numbers = all(name == ALL or _is_number(name) for name in names)
    if only_numbers or (len(names) > MANY and not any(map(is_known, names))):
        raise ScoresError(
            f"measures would be called {words.listed(sorted(names), 3)}, which no measure is: this is another kind of "
            "file, or its columns stand in another order"
        )


def import_matrix(
    paths: Paths,
    *,
    rows: Rows,
    topics: Sequence[str] | None = None,
    collection: str = "collection",
) -> xr.DataArray:
    """Read score matrices in CSV with a header: one file for each metric, which names the file (`P@10.csv`).

    rows : "topics" or "systems"; the columns are the other. A first column of names (not numbers, or under a header
    topic, system, run or none) names the rows; without one they are numbered from 1.
    topics : names for the topics, in order, in place of the file's.
    paths : files, folders, globs or URLs of them.  collection : what to call the collection.
    """
    require_choice("rows", rows, get_args(Rows))
    parts = []
    for path in all_files(paths):
        names, columns, scores = _read_matrix(path, rows)
        metric = metric_of_release(stem(path).removesuffix(".csv"))
        require_possible_scores(scores, metric, path, _NAMES_HINT)
        if rows == "topics":
            names, columns, scores = columns, names, scores.T
        if topics is not None and len(topics) != len(columns):
            raise FileFormatError(
                f"{path}: the file has {len(columns)} topics, but --topics names "
                f"{len(topics)}"
            )
        parts.append(cube(scores[:, :, None], names, topics or columns, [metric]))
    together = _concatenated(parts, all_files(paths))
    notes = _unknown_metric_notes(
        together, "name each file after its metric, as in nDCG@10.csv"
    )
    if only_numbered(together.topic.values):
        notes.append(_NUMBERED)
    attributes: dict[str, object] = {"collection": collection}
    if notes:
        attributes["notes"] = notes
    return check(together.assign_attrs(recorded(attributes)))


def _concatenated(
    parts: Sequence[xr.DataArray], files: Sequence[Location]
) -> xr.DataArray:
    """Put the scores of several metrics into one cube; files of other systems or topics raise FileFormatError."""
    first = parts[0]
    for file, part in zip(files, parts, strict=True):
        for dim in ("system", "topic"):
            if set(part[dim].values) != set(first[dim].values):
                raise FileFormatError(
                    f"{file}: its {dim}s differ from those of {files[0]}; import them separately"
                )
    return xr.concat([part.reindex_like(first[:, :, 0]) for part in parts], "metric")


_NO_METRICS = "if they are systems or topics, use irmeta import matrix"


def import_systemwise(paths: Paths) -> dict[str, xr.DataArray]:
    """Read tables of system-level scores in CSV: systems in rows, metrics in columns; each file is a collection.

    A first column of names names the systems; without one they are numbered from 1. The cubes have one topic, `all`.

    paths : files, folders, globs or URLs of them.
    """
    cubes = {}
    for path in all_files(paths):
        names, columns, scores = _read_matrix(path, "systems")
        if all(map(_is_number, columns)):
            raise FileFormatError(
                f"{path}:1: {shortened(columns[0])!r} is no metric; the first line must name the metrics"
            )
        name = stem(path).removesuffix(".csv")
        if name in cubes:
            raise FileFormatError(
                f"{path}: two tables are named {name!r}, and tables name collections; rename one"
            )
        metrics = [metric_of_release(column) for column in columns]
        for metric, column in zip(metrics, scores.T, strict=True):
            require_possible_scores(column, metric, path, _NAMES_HINT)
        scores_of_file = cube(
            scores[:, None, :], names, [ALL], metrics, collection=name
        )
        notes = _unknown_metric_notes(scores_of_file, _NO_METRICS)
        if any(column.startswith(("rdp_", "errall")) for column in columns):
            notes.append(_RELEASED)
        if notes:
            scores_of_file = scores_of_file.assign_attrs(recorded({"notes": notes}))
        cubes[name] = scores_of_file
    return cubes


def _unknown_metric_notes(scores: xr.DataArray, advice: str) -> list[str]:
    """Say which metrics irmeta does not know: they may be something else; where it knows none, how to mend that."""
    names = [str(name) for name in scores.metric.values]
    unknown = [name for name in names if not is_known(name)]
    if not unknown:
        return []
    hint = f"; {advice}" if unknown == names else ""
    return [
        f"irmeta does not know {len(unknown)} of {len(names)} metrics: {words.listed(unknown, 3)}{hint}"
    ]


_MOST_TOPICS = 1_000_000
"""Topics in a range: more are a slip."""


def topic_range(text: str) -> list[str]:
    """Spell out topic numbers.

    >>> topic_range("401-403,450")
    ['401', '402', '403', '450']
    """
    topics = []
    for part in map(stripped, text.split(",")):
        low, dash, high = part.partition("-")
        try:
            first, last = whole(low), whole(high if dash else low)
        except ValueError:
            first, last = 0, -1
        if not 0 <= first <= last:
            raise ScoresError(
                f"{shortened(text)!r}: expected topic numbers, as in 401-450 or 1,2,5-9"
            )
        if last - first >= _MOST_TOPICS:
            raise ScoresError(
                f"{shortened(text)!r}: {shortened(part)} are more than {_MOST_TOPICS} topics; shorten the range"
            )
        topics += [str(number) for number in range(first, last + 1)]
    return topics


def _with_depth(name: str, depth: str) -> str:
    """Return the metric of this name with the parameter depth."""
    head, at, cutoff = name.partition("@")
    inside = f"{head[:-1]}, " if head.endswith(")") else f"{head}("
    return canonical(f"{inside}depth={depth}){at}{cutoff}")


def listed_paths(paths: Paths) -> str:
    """Name what was given, for messages: its first paths."""
    every = [paths] if isinstance(paths, str | PathLike) else list(paths)
    return words.listed([display(location(path)) for path in every], 2)


def all_files(paths: Paths) -> list[Location]:
    """List the files of what was given: files, folders, globs, URLs of them."""
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    if not given:
        raise ScoresError("there is no file to import")
    return [file for one in given for file in list_files(one)]


def _read_trec_eval(path: Location) -> pl.DataFrame:
    """Return the scores in a file, whose runs are named by their runid lines, or a single one by the file."""
    runs: list[str] = []
    run_complete = True
    scores_read: list[tuple[int, str, str, float]] = []
    for at, line in enumerate(lines(read_bytes(path)), 1):
        fields_of_line = fields(line)
        if not fields_of_line:
            continue
        if len(fields_of_line) != 3:
            raise FileFormatError(
                f"{path}:{at}: {len(fields_of_line)} fields, but trec_eval prints 3 (measure, topic, score)"
            )
        measure, topic, value = fields_of_line
        # A run's block is its topics, then its runid and means under `all`; without -q only the latter.
        if run_complete and (topic != ALL or measure == "runid" or not runs):
            runs.append("")
            run_complete = False
        if measure == "runid":
            runs[-1], run_complete = value, True
            continue
        if measure.startswith("relstring"):
            continue
        scores_read.append(
            (len(runs) - 1, topic, measure, read_score(value, f"{path}:{at}"))
        )
    if not scores_read:
        raise FileFormatError(f"{path}: no scores; expected the output of trec_eval -q")
    if len(runs) == 1:
        runs = [bare_name(stem(path))]
    elif "" in runs:
        raise FileFormatError(
            f"{path}: several runs, but some have no runid line; save one file for each run"
        )
    rows = [
        (runs[run], topic, metric, score) for run, topic, metric, score in scores_read
    ]
    return score_table(rows, path)


def score_table(
    rows: Sequence[tuple[str, str, str, float]], path: Location
) -> pl.DataFrame:
    """Make a table of rows (system, topic, metric, score); a score that its metric cannot take raises."""
    named = [(*labels(names), score) for *names, score in rows]
    frame = with_spelled_metrics(
        pl.DataFrame(named, schema=["system", "topic", "metric", "score"], orient="row")
    )
    for (metric,), part in frame.group_by("metric", maintain_order=True):
        require_possible_scores(part["score"].to_numpy(), str(metric), path)
    return frame


_LABEL_WORDS = {
    "",
    "topic",
    "topics",
    "query",
    "qid",
    "id",
    "system",
    "systems",
    "run",
    "runs",
    "name",
    "number",
}
_ROW_WORDS = {
    "topics": {"topic", "topics", "query", "qid"},
    "systems": {"system", "systems", "run", "runs"},
}
_MISSING = {"", "na", "nan"}
_NAMES_HINT = "; if a column names the rows, its header must be topic or system"


def _read_matrix(path: Location, rows: Rows) -> tuple[list[str], list[str], Floats]:
    """Read a CSV with a header, whose rows are topics or systems, as row names, column names and numbers."""
    table = parse_sheet(bytes(read_bytes(path)), display(path))
    header = table.header
    rows_read = [(at, [stripped(cell) for cell in row]) for at, row in table.rows]
    corner = set(re.split(r"[\W_]+", "".join(header[:1]).lower()))
    numbered = any(_is_number(row[0]) for _, row in rows_read)
    labelled = not numbered or corner <= _LABEL_WORDS
    names = [
        row[0] if labelled else str(number)
        for number, (_, row) in enumerate(rows_read, 1)
    ]
    columns = header[labelled:]
    if not columns:
        raise FileFormatError(
            f"{path}: not a CSV table with a header and scores under it"
        )
    other_rows = "systems" if rows == "topics" else "topics"
    if labelled and corner & _ROW_WORDS[other_rows] and not corner & _ROW_WORDS[rows]:
        raise FileFormatError(
            f"{path}:1: the header {header[0]!r} says that rows are {other_rows}, not {rows}; "
            "correct --rows"
        )
    if any(_is_number(name) and "." in name for name in columns):
        raise FileFormatError(f"{path}:1: the first line has scores; add a header")
    for kind, given_names in (("column", columns), ("row", names)):
        if len(set(given_names)) < len(given_names):
            repeated = next(name for name in given_names if given_names.count(name) > 1)
            raise FileFormatError(f"{path}: more than one {kind} is named {repeated!r}")
    scores = [
        [_read_printed_score(cell, f"{path}:{line}") for cell in row[labelled:]]
        for line, row in rows_read
    ]
    return names, columns, np.array(scores)


def _read_printed_score(cell: str, where: str) -> float:
    """Read a score as papers print it, with marks and spreads; anything else raises FileFormatError."""
    try:
        score, percent = numbers.parse_score(cell)
    except ValueError:
        return read_score(cell, where)
    return score / numbers.PERCENT if percent else score


def _is_number(text: str) -> bool:
    return not math.isnan(number_or_nan(text))


def read_score(text: str, where: str) -> float:
    """Read a score, NaN where it is missing; anything else raises FileFormatError."""
    if text.lower() in _MISSING:
        return math.nan
    score = number_or_nan(text)
    if not math.isfinite(score):
        raise FileFormatError(f"{where}: {shortened(text)!r} is not a score")
    return score


def require_possible_scores(
    scores: Floats, metric: str, path: Location, hint: str = ""
) -> None:
    """Raise FileFormatError if a score is lower or higher than the metric can be: it is something else."""
    try:
        require_possible(scores.reshape(-1, 1), [metric])
    except ScoresError as error:
        raise FileFormatError(f"{path}: {error}{hint}") from error
