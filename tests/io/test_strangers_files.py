"""Files that strangers sent, and what they were told: which file, and what is wrong with it."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xarray as xr

import irmeta
from irmeta.errors import FileFormatError, IrmetaError, ScoresError
from irmeta.io.tables.spreadsheet import wide
from irmeta.report.plots import figure_of
from irmeta.report.plots.figure import figure_bytes

SCORES = {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.125, "2": 0.75}}


def deep(levels: int) -> dict[str, Any]:
    """Return a mapping in a mapping, and so on."""
    made: dict[str, Any] = {}
    for _ in range(levels):
        made = {"a": made}
    return made


@pytest.mark.parametrize(
    ("name", "content", "read", "says"),
    [
        (
            "m/samples_t_2026-11-23T10-00-00.000000.jsonl",
            json.dumps({"doc_id": 0, "doc": {}, "metrics": [[]], "acc": 1}),
            irmeta.import_lm_eval,
            "samples_t.*:1: not samples .*lacks its list of metrics",
        ),
        (
            "d.json",
            '{"testCases": 5}',
            irmeta.import_deepeval,
            "d.json: not a test run of DeepEval .*no list",
        ),
        (
            "twice.txt",
            "1\tAP\t.5\n1\tAP\t.5\n",
            irmeta.import_ir_measures,
            "twice.txt: .*more than one score",
        ),
        (
            "long.jsonl",
            json.dumps({"run_id": "x" * 600, "measure": "AP", "value": 0.5}),
            irmeta.import_jsonl,
            "long.jsonl: .*600 characters",
        ),
    ],
)
def test_a_file_is_named(
    tmp_path: Path, name: str, content: str, read: Callable[[Path], Any], says: str
) -> None:
    """What is wrong with a file is said with its name."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content + "\n")
    with pytest.raises(FileFormatError, match=says):
        read(path)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (xr.Dataset({"a": 1}), "rows and columns, not one value"),
        (deep(2000), "lie deeper than"),
        ({"\u200b": {"1": 0.1}, "b": {"1": 0.2}}, "has nothing that can be seen"),
    ],
)
def test_objects_that_are_no_tables(table: Any, says: str) -> None:
    """What cannot be a table of scores is refused with the reason."""
    with pytest.raises(ScoresError, match=says):
        irmeta.from_frame(table)


def test_names_are_texts(tmp_path: Path) -> None:
    """A column of structures holds no names."""
    irmeta.save(irmeta.from_frame(SCORES), tmp_path / "s.parquet")
    held = pl.read_parquet(tmp_path / "s.parquet")
    structured = held.with_columns(pl.struct("system").alias("system"))
    structured.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(FileFormatError, match=r"'system' holds Struct"):
        irmeta.load(tmp_path / "t.parquet")


def test_a_mark_of_byte_order_before_json(tmp_path: Path) -> None:
    """JSON that begins as Windows begins texts is read."""
    rows = [{"system": "a", "topic": "t", "score": 0.5}]
    (tmp_path / "t.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(rows).encode())
    (made,) = irmeta.import_table(tmp_path / "t.json").values()
    assert made.item() == 0.5


@pytest.mark.parametrize("topic", ["score", "collection", "system", "metric"])
def test_wide_tables_are_read_as_they_were(topic: str) -> None:
    """A topic that is called as a column of tables would be read as that column, so it is not written."""
    with pytest.raises(ScoresError, match="rename it"):
        wide(
            irmeta.from_frame(
                {"a": {"1": 0.5, topic: 0.25}, "b": {"1": 0.1, topic: 0.2}}
            )
        )


def test_names_beyond_any_font_are_drawn() -> None:
    """Characters that no font here has are boxes, those that are none are escapes, and nobody is warned."""
    drawn = irmeta.from_frame(dict.fromkeys(("a\uffff", "日本", "c"), SCORES["a"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = irmeta.describe(drawn)
        picture = figure_bytes(figure_of(found.data), "svg")
        assert "<svg" in found._repr_html_()
    xml = picture.decode()
    assert "\uffff" not in xml


def test_a_summary_is_no_input(run: Any, tmp_path: Path) -> None:
    """The answer is not added to the file that it is about."""
    path = tmp_path / "s.parquet"
    irmeta.save(irmeta.from_frame(SCORES), path)
    before = path.read_bytes()
    code, _, said = run("describe", path, "--summary", path)
    assert (code, path.read_bytes()) == (2, before)
    assert "one of the files to read" in said


def test_a_summary_without_a_table(run: Any, tmp_path: Path) -> None:
    """Runs without a problem have no table of problems, and a summary all the same."""
    (tmp_path / "bm25").write_text("1 Q0 d1 1 0.5 bm25\n")
    code, _, _ = run("validate", "bm25", "--summary", "v.md")
    assert code == 0
    assert (tmp_path / "v.md").read_text().startswith("**1 readable run")


def test_files_for_programs_hold_names_exactly(run: Any, tmp_path: Path) -> None:
    """A wide file has the names as they are; on a terminal a spreadsheet's formulas are held back."""
    irmeta.save(
        irmeta.from_frame({"=a": {"-x": 0.1, "y": 0.2}, "b": {"-x": 0.3, "y": 0.4}}),
        tmp_path / "s.parquet",
    )
    run("export", "s.parquet", "--wide", "-o", "e.csv")
    assert (tmp_path / "e.csv").read_text().splitlines()[:2] == [
        "system,-x,y",
        "=a,0.1,0.2",
    ]
    _, out, _ = run("export", "s.parquet", "--wide")
    assert out.splitlines()[1].startswith("'=a,")


def test_errors_are_ours() -> None:
    """What names a column is a text."""
    with pytest.raises(IrmetaError, match="metric=1: expected a text"):
        irmeta.from_frame(SCORES, metric=1)  # type: ignore[arg-type]
