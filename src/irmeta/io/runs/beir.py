"""Folders as BEIR, MTEB and the Hugging Face hub lay them out: judgments by split, as TSV, JSON lines or Parquet."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmeta.errors import FileFormatError
from irmeta.io.strictly import parse_json_lines, require_schema
from irmeta.words import listed, reason

if TYPE_CHECKING:
    import polars as pl

FOLDERS = ("qrels", "data", ".")
"""Where the judgments of such a folder may be; the first that has any is taken."""
SPLIT = "test"
"""The split that is meant where there are several."""
_ROW = re.compile(rb'\{"[\w-]+" *: *("[^"\n]*"|[-\d.]+),[^\n]*\}\r?\n')
"""Matches JSON lines: an object on the first line whose first value is no object."""
_SUFFIXES = (".tsv", ".jsonl", ".parquet")
_DOCUMENTS = {b"docno", b"doc_id", b"docid"}
"""Names of the column of documents in tables that PyTerrier and ir_measures write."""


def judgments_file(folder: Path) -> Path:
    """Return the file with the judgments of a folder, those of the test split where there are several.

    A folder without judgments, or with several splits and none called test, raises FileFormatError.
    """
    files: list[Path] = []
    for name in FOLDERS:
        if (folder / name).is_dir():
            inside = sorted((folder / name).iterdir())
        else:
            inside = []
        files = [
            path
            for path in inside
            if path.suffix in _SUFFIXES and path.stem not in ("corpus", "queries")
        ]
        if files:
            break
    test_files = [
        path
        for path in files
        if path.stem == SPLIT or path.stem.startswith(f"{SPLIT}-")
    ]
    chosen = test_files or files
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise FileFormatError(
            f"{folder}: no judgments in this folder (BEIR has them in qrels/test.tsv); name the "
            "judgments first, then the runs"
        )
    raise FileFormatError(
        f"{folder}: several files of judgments, {listed(map(str, chosen))}; name one of them"
    )


def read_table(data: bytes, path: object) -> "pl.DataFrame | None":
    """Return the table that is held as Parquet, JSON lines, or CSV and TSV as of PyTerrier; None if it is none."""
    packed, separator = data.startswith(b"PAR1"), _separator(data)
    if not (packed or separator or (data.startswith(b"{") and _ROW.match(data))):
        return None
    import polars as pl

    from irmeta.io.formats import parquet

    try:
        if packed:
            return parquet.read(data)
        if separator:
            return pl.read_csv(data, separator=separator, infer_schema=False)
        held = require_schema(parse_json_lines(data), list[dict[str, Any]])
        return pl.DataFrame(held, infer_schema_length=None)
    # polars raises errors of several families
    except (Exception, pl.exceptions.PanicException) as error:
        kind = "Parquet" if packed else "a table" if separator else "JSON lines"
        raise FileFormatError(
            f"{path}: {kind} that cannot be read ({reason(error)})"
        ) from error


def _separator(data: bytes) -> str:
    """Return what separates the columns of a table whose header names documents; empty for other files."""
    header = data[: max(0, data.find(b"\n", 0, 1000))]
    for separator in (b"\t", b","):
        names = {name.strip(b'" \r') for name in header.split(separator)}
        if not _DOCUMENTS.isdisjoint(names):
            return separator.decode()
    return ""
