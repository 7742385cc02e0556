"""What a text means does not depend on the reader that it comes to."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeta
from irmeta.errors import IrmetaError
from irmeta.io.lists import read_anchors, read_sample
from irmeta.io.strictly import lines, number
from irmeta.io.tables.mteb import import_mteb
from irmeta.io.tables.spreadsheet import read_costs
from irmeta.metrics.names import parse
from irmeta.studies.prediction.predict.typed import given as reported

BLANKS = "\x1c\x1f\x85\xa0\u2003\u2028\u3000"
"""What Python takes for a blank, and C and trec_eval do not."""
NO_NUMBERS = [
    "1_0",
    "\u0661\u0662",
    "\uff11",
    "0x1p3",
    "nan(1)",
    "+.5e",
    "1e",
    ".",
    "0.5.2",
    "0,5",
    "--1",
    "1d5",
    "0.5\u200b",
    *(f"0.5{blank}" for blank in BLANKS),
    *(f"{blank}0.5" for blank in BLANKS),
]
"""Texts that some reader of numbers, somewhere, takes for one."""
COMMAS = ("table", "frame")
"""Readers of whole tables, which see by a column whether its commas are decimal."""
QRELS = {"1": {"a": 1, "b": 0}}
RUN = {"r": {"1": {"a": 1.0, "b": 0.5}}}
LINE = "{name} AP 1 {score}\n"


def _file(
    name: str, text: str, read: Callable[[Path], object]
) -> Callable[[Path, str], object]:
    def read_it(folder: Path, score: str) -> object:
        path = folder / name
        path.write_text(text.replace("SCORE", score), encoding="utf-8")
        return read(path)

    return read_it


def _mteb(path: Path) -> object:
    model = path.parent / "results" / "me__model" / "1"
    model.mkdir(parents=True)
    path.replace(model / "nq.json")
    return import_mteb(path.parent / "results")


def _run(run: object) -> object:
    return irmeta.evaluate(QRELS, run, "AP")


def _matrix(path: Path) -> object:
    return irmeta.import_matrix(path, rows="topics")


READERS: dict[str, Callable[[Path, str], object]] = {
    "run": _file("run", "1 Q0 a 1 SCORE tag\n", _run),
    "run in JSON": _file("run.json", '{"1": {"a": "SCORE"}}', _run),
    "run in a dict": lambda _, score: _run({"r": {"1": {"a": score}}}),
    "run in polars": lambda _, score: _run(
        {"r": pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [score]})}
    ),
    "run in pandas": lambda _, score: _run(
        {"r": pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [score]})}
    ),
    "trec_eval": _file("a.txt", "map\t1\tSCORE\n", irmeta.import_trec_eval),
    "ir_measures": _file("a.txt", "1\tAP\tSCORE\n", irmeta.import_ir_measures),
    "tot": _file("a.txt", "a AP 1 SCORE\n", irmeta.import_tot),
    "JSON lines": _file(
        "a.jsonl",
        '{"run_id": "a", "topic_id": "1", "measure": "AP", "value": "SCORE"}',
        irmeta.import_jsonl,
    ),
    "matrix": _file("AP.csv", 'topic,a\n1,"SCORE"\n', _matrix),
    "system-wise": _file("wt.csv", 'run,AP\na,"SCORE"\n', irmeta.import_systemwise),
    "table": _file("t.csv", 'system,topic,AP\na,1,"SCORE"\n', irmeta.import_table),
    "MTEB": _file(
        "t.json",
        '{"task_name": "nq", "scores": {"test": [{"main_score": "SCORE"}]}}',
        _mteb,
    ),
    "sample": _file("s.csv", 'topic,probability\n1,"SCORE"\n', read_sample),
    "qrels": _file("q", "1 0 a SCORE\n", lambda path: irmeta.evaluate(path, RUN, "AP")),
    "anchors": _file("a.csv", 'topic,score\n1,"SCORE"\n', read_anchors),
    "anchors on lines": _file("a.txt", "1 SCORE\n", read_anchors),
    "costs": _file("c.csv", 'model,cost\na,"SCORE"\n', read_costs),
    "frame": lambda _, score: irmeta.from_frame(
        pd.DataFrame({"system": ["a"], "topic": ["1"], "AP": [score]})
    ),
    "parameter": lambda _, score: parse(f"RBP(p={score})"),
    "predict": lambda _, score: reported(f"AP={score}"),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_text_is_a_number_for_every_reader_or_for_none(
    tmp_path: Path, reader: str
) -> None:
    """0.5 is read; what only Python, C or a spreadsheet takes for a number is refused, whatever holds it."""
    (tmp_path / "good").mkdir()
    READERS[reader](tmp_path / "good", "+.5e0")
    for at, text in enumerate(NO_NUMBERS):
        if text == "0,5" and reader in COMMAS:
            continue
        folder = tmp_path / str(at)
        folder.mkdir()
        with pytest.raises(IrmetaError):
            READERS[reader](folder, text)


@given(st.floats(allow_nan=False))
def test_a_number_is_what_python_reads(value: float) -> None:
    """Every number that Python writes is read to the last bit."""
    assert number(repr(value)) == value


@pytest.mark.parametrize("value", [True, np.True_, 10**400, None, [1]])
def test_other_values_are_no_numbers(value: object) -> None:
    """Truth values, numbers beyond all floats, and things that are not numbers are refused."""
    with pytest.raises((ValueError, TypeError)):
        number(value)


def test_only_line_ends_end_lines() -> None:
    """Names keep the separators of Unicode and the control characters at which Python cuts lines."""
    assert lines("a\u2028b\x85c\x0b\x1cd\re\r\nf".encode()) == [
        "a\u2028b\x85c\x0b\x1cd",
        "e",
        "f",
    ]
    assert lines(b"") == []


def test_names_with_unicode_line_separators_are_read_whole(tmp_path: Path) -> None:
    """JSON lines and matrices with U+2028 in a name have as many rows as lines."""
    said = {"run_id": "a\u2028b", "topic_id": "1", "measure": "AP", "value": 0.5}
    (tmp_path / "a.jsonl").write_text(
        json.dumps(said, ensure_ascii=False), encoding="utf-8"
    )
    assert irmeta.import_jsonl(tmp_path / "a.jsonl").system.values.tolist() == [
        "a\u2028b"
    ]
    (tmp_path / "AP.csv").write_text("topic,a\u2028b\n1,0.5\n", encoding="utf-8")
    assert _matrix(tmp_path / "AP.csv").system.values.tolist() == ["a\u2028b"]  # type: ignore[attr-defined]


TWICE = {
    "table": ("t.json", '{"a": {"x": 0.5, "x": 0.25}}', irmeta.import_table),
    "rows": (
        "t.json",
        '[{"system": "a", "topic": "1", "score": 0.5, "score": 0.25}]',
        irmeta.import_table,
    ),
    "JSON lines": (
        "a.jsonl",
        '{"run_id": "a", "measure": "AP", "value": 0.5, "value": 0.25}',
        irmeta.import_jsonl,
    ),
    "MTEB": (
        "t.json",
        '{"task_name": "nq", "scores": {"test": [{"main_score": 0.5, "main_score": 0.25}]}}',
        _mteb,
    ),
}


@pytest.mark.parametrize("kind", TWICE)
def test_json_that_says_a_thing_twice_is_refused(tmp_path: Path, kind: str) -> None:
    """A name that a JSON object has twice is an error, not the last of the two."""
    name, text, read = TWICE[kind]
    (tmp_path / name).write_text(text)
    with pytest.raises(IrmetaError, match="occurs twice"):
        read(tmp_path / name)


STRANGE: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "a cell longer than csv takes": (
        "AP.csv",
        f"topic,a\n1,{'9' * 140_000}\n",
        _matrix,
    ),
    "a long cell in a sample": (
        "s.csv",
        f"topic,probability\n{'x' * 140_000},1\n",
        read_sample,
    ),
    "a comparison of ranx without scores": (
        "t.json",
        '{"model_names": ["a"], "metrics": ["map"]}',
        irmeta.import_table,
    ),
    "a whole number beyond all floats": (
        "t.json",
        '[{"system": "a", "nq": 1' + "0" * 400 + "}]",
        irmeta.import_table,
    ),
    "the same in a dict": (
        "t.json",
        '{"a": {"nq": 1' + "0" * 400 + "}}",
        irmeta.import_table,
    ),
    "half a character": ("t.json", '{"a\\ud800": {"nq": 0.5}}', irmeta.import_table),
    "half a character in rows": (
        "t.json",
        '[{"system": "a\\ud800", "nq": 0.5}]',
        irmeta.import_table,
    ),
    "half a character in a run": ("run.json", '{"1": {"a\\ud800": 0.5}}', _run),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_files_are_refused(tmp_path: Path, kind: str) -> None:
    """What csv, polars or UTF-8 cannot take is an error of ours."""
    name, text, read = STRANGE[kind]
    (tmp_path / name).write_text(text)
    (tmp_path / "nq.json").write_text(
        '{"task_name": "nq", "scores": {"test": [{"main_score": 0.5}]}}'
    )
    with pytest.raises(IrmetaError):
        read(tmp_path / name)


@pytest.mark.parametrize("cells", [[["a"]], [{"a": 1}], [b"\xff"], [float("inf")]])
def test_columns_that_hold_no_names_are_refused(
    tmp_path: Path, cells: list[object]
) -> None:
    """Lists, records, bytes that are no text, and infinities name no system."""
    pl.DataFrame({"system": cells, "nq": [0.5]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(IrmetaError):
        irmeta.import_table(tmp_path / "t.parquet")
