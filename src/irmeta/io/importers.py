"""Score tables that users already have, as cubes: trec_eval output, matrices, system-wise tables."""

import re
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import xarray as xr

from irmeta.cube import ALL, cube
from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import read_bytes, stem
from irmeta.io.scores import from_frame
from irmeta.names import canonical

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

_TREC_EVAL = {
    "map": "AP",
    "gm_map": "GMAP",
    "ndcg": "nDCG",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "infAP",
    "recip_rank": "RR",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "success": "Success@{}",
    "iprec_at_recall": "IPrec@{}",
    "Rprecall": "Rprec",
}
# Names of the tables released with Gupta et al. (ECIR 2019); `err` is gdeval's ERR@20 where no depth stands before it.
_SYSTEMWISE = {"err": "ERR@20", "rdp": "RBP(p=0.{})", "rbp": "RBP(p=0.{})", "mapall": "AP", "gm_map": "GMAP"}


# What papers call them, without the cutoff.
_PAPERS = {"map": "AP", "mrr": "RR", "ndcg": "nDCG", "r-prec": "Rprec", "recall": "R", "precision": "P", "prec": "P"}


def metric_name(name: str) -> str:
    """Translate a metric name of trec_eval, of papers, or of the tables of Gupta et al. (2019); keep others.

    >>> [metric_name(name) for name in ("map_cut_100", "P_10all", "rdp_95all", "10_P_1000all", "NDCG@20", "MAP")]
    ['AP@100', 'P@10', 'RBP(p=0.95)', 'P(depth=10)@1000', 'nDCG@20', 'AP']
    """
    short = name.removesuffix("all")
    head, at, cutoff = short.partition("@")
    if head.lower() in _PAPERS:
        return canonical(_PAPERS[head.lower()] + at + cutoff)
    if at_depth := re.fullmatch(r"(\d+)_(\D.*)", short):
        depth, rest = at_depth.groups()
        inner = "ERR" if rest == "err" else metric_name(rest)
        return _with_depth(inner, depth)
    if short in _TREC_EVAL and "{}" not in _TREC_EVAL[short]:
        return _TREC_EVAL[short]
    if short in _SYSTEMWISE and "{}" not in _SYSTEMWISE[short]:
        return _SYSTEMWISE[short]
    base, _, value = short.rpartition("_")
    pattern = {**_TREC_EVAL, **_SYSTEMWISE}.get(base, "")
    return canonical(pattern.format(value)) if "{}" in pattern else canonical(name)


def import_trec_eval(paths: Paths, *, collection: str = "collection") -> xr.DataArray:
    """Read the output of `trec_eval -q`, one file a system (or several, told apart by their runid lines).

    The means that trec_eval prints under `all` are left out where there are topics, and are the one topic `all` where
    there are none. A system is named by its file, or by `runid` where a file holds several.
    """
    frames = [_trec_eval_rows(path) for path in _listed(paths)]
    rows = pl.concat(frames)
    if (rows["topic"] != ALL).any():
        rows = rows.filter(pl.col("topic") != ALL)
    frame = rows.with_columns(collection=pl.lit(collection))
    return next(iter(from_frame(frame).values()))


def import_matrix(
    paths: Paths,
    *,
    rows: Literal["topics", "systems"],
    topics: Sequence[str] | None = None,
    collection: str = "collection",
) -> xr.DataArray:
    """Read score matrices in CSV with a header, one file a metric, named by the file (`P@10.csv`).

    rows : what a row is; the columns are the other. A first column that holds names (not numbers, or under a header
    that says topic, system, run or nothing) names the rows; without one they are numbered from 1.
    topics : names for the topics, in order, in place of the file's.
    """
    parts = []
    for path in _listed(paths):
        names, columns, scores = _matrix(path)
        if rows == "topics":
            names, columns, scores = columns, names, scores.T
        if topics is not None and len(topics) != len(columns):
            raise FileFormatError(f"{path}: {len(columns)} topics, but {len(topics)} topic names were given")
        parts.append(cube(scores[:, :, None], names, topics or columns, [metric_name(stem(path).removesuffix(".csv"))]))
    first = parts[0]
    for path, part in zip(_listed(paths), parts, strict=True):
        for dim in ("system", "topic"):
            if set(part[dim].values) != set(first[dim].values):
                raise FileFormatError(
                    f"{path}: its {dim}s are not those of {_listed(paths)[0]}; import them separately"
                )
    return xr.concat([part.reindex_like(first[:, :, 0]) for part in parts], "metric").assign_attrs(
        collection=collection
    )


def import_systemwise(paths: Paths) -> dict[str, xr.DataArray]:
    """Read tables of system-level scores in CSV: a row a system, a column a metric; each file is a collection.

    Systems are named by a first column that holds names, else numbered from 1. The cubes have the one topic `all`.
    """
    cubes = {}
    for path in _listed(paths):
        names, columns, scores = _matrix(path)
        name = stem(path).removesuffix(".csv")
        if name in cubes:
            raise FileFormatError(f"{path}: a second table named {name!r}; rename one, the name is the collection")
        metrics = [metric_name(column) for column in columns]
        cubes[name] = cube(scores[:, None, :], names, [ALL], metrics, collection=name)
    return cubes


def topic_range(text: str) -> list[str]:
    """Spell out topic numbers.

    >>> topic_range("401-403,450")
    ['401', '402', '403', '450']
    """
    topics = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise ScoresError(f"{text!r}: topic numbers are written as in 401-450 or 1,2,5-9")
        topics += [str(number) for number in range(int(low), int(high or low) + 1)]
    return topics


def _with_depth(name: str, depth: str) -> str:
    head, at, cutoff = name.partition("@")
    inside = f"{head[:-1]}, depth={depth})" if head.endswith(")") else f"{head}(depth={depth})"
    return canonical(inside + at + cutoff)


def _listed(paths: Paths) -> list[Path]:
    listed = [Path(paths)] if isinstance(paths, str | PathLike) else [Path(path) for path in paths]
    if not listed:
        raise ScoresError("no file to import")
    return listed


def _trec_eval_rows(path: Path) -> pl.DataFrame:
    lines = read_bytes(path).decode("utf-8", "surrogateescape").splitlines()
    kept: list[tuple[str, str, str, float]] = []
    run, runs = "", 0
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise FileFormatError(f"{path}:{number}: {len(fields)} fields, trec_eval prints 3 (measure, topic, score)")
        measure, topic, value = fields
        if measure == "runid":
            run, runs = value, runs + 1
            continue
        try:
            kept.append((run, topic, metric_name(measure), float(value)))
        except ValueError:
            if not measure.startswith("relstring"):
                raise FileFormatError(f"{path}:{number}: {value!r} is not a score") from None
    if not kept:
        raise FileFormatError(f"{path}: no scores in it; it should be what trec_eval -q prints")
    frame = pl.DataFrame(kept, schema=["system", "topic", "metric", "score"], orient="row")
    # -q prints the runid after the topics it belongs to, once: the file names the system unless it holds several.
    return frame if runs > 1 else frame.with_columns(system=pl.lit(stem(path).removesuffix(".txt")))


_LABEL_HEADERS = {"", "topic", "topics", "query", "qid", "id", "system", "systems", "run", "runs", "name"}


def _matrix(path: Path) -> tuple[list[str], list[str], npt.NDArray[np.float64]]:
    """Read a CSV with a header as row names, column names and numbers."""
    try:
        frame = pl.read_csv(read_bytes(path), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(f"{path}: not a CSV table with a header ({error})") from error
    numbers = frame.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False))
    first = frame.columns[0]
    labelled = first.strip().lower() in _LABEL_HEADERS or bool(numbers[first].is_null().all())
    names = [str(number) for number in range(1, frame.height + 1)]
    if labelled:
        names, frame, numbers = frame[first].to_list(), frame.drop(first), numbers.drop(first)
    for column in numbers.columns:
        wrong = numbers[column].is_null() & ~frame[column].str.strip_chars().is_in(["", "NA", "NaN", "nan"])
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise FileFormatError(f"{path}:{row + 2}: {frame[column][row]!r} in column {column!r} is not a score")
    if frame.height == 0 or frame.width == 0:
        raise FileFormatError(f"{path}: no scores in it")
    return names, numbers.columns, numbers.fill_null(float("nan")).to_numpy()
