"""Runs and judgments: the fast reader against the careful one, and what Python objects become."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.evaluation.sources import qrels_of, sources_of
from irmeta.io.runs import trec
from irmeta.io.runs.fields import Strings
from irmeta.io.runs.rankings import (
    Qrels,
    Run,
    duplicates,
    qrels_from_frame,
    qrels_from_mapping,
    run_from_mapping,
    runs_from_frame,
)

IDS = st.text(alphabet="aAb1.é#", min_size=1, max_size=10)
SCORES = (
    st.floats(-1e6, 1e6)
    | st.integers(-5, 5)
    | st.sampled_from([1e-30, float("inf"), 0.5])
)


@st.composite
def run_lines(draw: st.DrawFn) -> list[tuple[str, str, str, str, str]]:
    """Draw the lines of a run, in any order and topics interleaved: topic, document, rank, score, tag."""
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(["1", "2", "x", "#9"]), IDS),
            min_size=1,
            max_size=25,
            unique=True,
        )
    )
    tags = st.sampled_from(["t"] * 9 + ["u"])
    return [
        (topic, document, str(draw(st.integers(0, 30))), repr(draw(SCORES)), draw(tags))
        for topic, document in pairs
    ]


def contents(rows: Run | Qrels) -> list[tuple[str, str, float]]:
    """Give (topic, document, value) for each row."""
    values = rows.scores if isinstance(rows, Run) else rows.grades
    return [
        (rows.topics[t], rows.documents[row], float(values[row]))
        for row, t in enumerate(rows.topic)
    ]


@given(run_lines(), st.sampled_from([" ", "\t", "  "]))
def test_both_readers_agree(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, ...]], blank: str
) -> None:
    """The fast reader and the one that goes line by line give the same rows, ranks and remarks, and Python's floats."""
    lines = [line for line in lines if not line[0].startswith("#")] or [
        ("1", "a", "1", "1", "t")
    ]
    text = "".join(
        blank.join((t, "Q0", d, rank, score, tag)) + "\n"
        for t, d, rank, score, tag in lines
    )
    path = tmp_path_factory.mktemp("trec") / "run"
    path.write_bytes(text.encode())
    fast = trec.read_run(path)
    slow = trec._read_line_by_line(text.encode(), trec.RUN, path, trec.Reading())
    assert contents(fast) == [(t, d, float(score)) for t, d, _, score, _ in lines]
    assert [slow.topic[row] for row in range(len(lines))] == [
        fast.topics[topic] for topic in fast.topic
    ]
    assert slow.document.equals(fast.documents).all()
    assert slow.value.tolist() == fast.scores.tolist()
    assert slow.ranks is not None
    assert fast.ranks is not None
    assert slow.ranks.equals(fast.ranks).all()
    assert slow.line is not None
    assert slow.line.tolist() == list(range(1, len(lines) + 1))
    assert [str(remark) for remark in slow.remarks] == [
        str(remark) for remark in fast.remarks if "infinite" not in remark.text
    ]


@given(run_lines())
def test_a_run_from_a_file_and_from_a_mapping(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, ...]]
) -> None:
    """The same lists as a file, a mapping and a data frame are the same run, apart from the order of its lines."""
    text = "".join(
        f"  {t} Q0 {d} {rank} {score} {tag}\n" for t, d, rank, score, tag in lines
    )
    path = tmp_path_factory.mktemp("trec") / "run"
    path.write_bytes(text.encode())
    wanted = sorted(contents(trec.read_run(path)))
    lists: dict[str, dict[str, float]] = {}
    for topic, document, _, score, _ in lines:
        lists.setdefault(topic, {})[document] = float(score)
    columns = {"qid": [t for t, *_ in lines], "docno": [d for _, d, *_ in lines]}
    columns["score"] = [float(score) for *_, score, _ in lines]
    assert sorted(contents(run_from_mapping(lists, "x"))) == wanted
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        (run,) = runs_from_frame(frame, "x")
        assert sorted(contents(run)) == wanted
        assert run.name == "x"


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.text(alphabet="ab", max_size=9)), max_size=60
    )
)
def test_duplicates(pairs: list[tuple[int, str]]) -> None:
    """Rows that repeat a topic and document are found, each with the first of its kind."""
    topic = np.array([t for t, _ in pairs], dtype=np.intp)
    repeated, original = duplicates(
        topic, Strings.of([document for _, document in pairs])
    )
    found = sorted(zip(repeated.tolist(), original.tolist(), strict=True))
    assert found == [
        (row, pairs.index(pair))
        for row, pair in enumerate(pairs)
        if pairs.index(pair) < row
    ]


def test_one_duplicate_among_many() -> None:
    """Of a hundred thousand documents, none is taken for a duplicate, and the one that is a duplicate is found."""
    documents = [f"doc{number % 20_000}" for number in range(100_000)]
    topic = np.arange(100_000) // 20_000
    assert duplicates(topic, Strings.of(documents))[0].size == 0
    documents[99_999] = documents[80_123]
    repeated, original = duplicates(topic, Strings.of(documents))
    assert (repeated.tolist(), original.tolist()) == ([99_999], [80_123])


@given(
    st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from("abcd"), st.integers(0, 3)),
        min_size=1,
        max_size=20,
    )
)
def test_dedup(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]]
) -> None:
    """Of repeated documents `first` keeps the first line, `best` the first of those with the highest score."""
    path = tmp_path_factory.mktemp("trec") / "run"
    path.write_text("".join(f"{t} Q0 {d} 1 {score} t\n" for t, d, score in rows))
    first: dict[tuple[str, str], int] = {}
    best: dict[tuple[str, str], int] = {}
    for t, d, score in rows:
        first.setdefault((t, d), score)
        best[t, d] = max(best.get((t, d), score), score)
    for dedup, wanted in (("first", first), ("best", best)):
        run = trec.read_run(path, reading=trec.Reading(dedup=dedup))  # type: ignore[arg-type]
        found = contents(run)
        assert len(found) == len(wanted)
        assert {(t, d): score for t, d, score in found} == wanted
    if len(first) < len(rows):
        with pytest.raises(FileFormatError, match="stands on line"):
            trec.read_run(path)


def test_names_and_digests(tmp_path: Path) -> None:
    """A run is named by its file unless told otherwise; its digest is that of the unpacked text."""
    (tmp_path / "bm25.gz").write_text("1 Q0 a 1 1 t\n")
    run = trec.read_run(tmp_path / "bm25.gz")
    named = trec.read_run(tmp_path / "bm25.gz", "other")
    assert (run.name, named.name) == ("bm25", "other")
    assert run.digest == named.digest
    (tmp_path / "qrels.v1.txt").write_text("1 0 a 1\n")
    qrels = trec.read_qrels(tmp_path / "qrels.v1.txt")
    assert qrels.name == "v1"
    assert len(qrels.digest) == len(run.digest) == 64


def test_digests_of_mappings() -> None:
    """Mappings with other topics, documents or scores have other digests, equal ones equal ones."""
    kinds: list[dict[str, dict[str, float]]] = [
        {"1": {"a": 1, "bc": 2}},
        {"1": {"ab": 1, "c": 2}},
        {"2": {"a": 1, "bc": 2}},
        {"1": {"a": 1, "bc": 3}},
    ]
    assert len({run_from_mapping(kind, "x").digest for kind in kinds}) == len(kinds)
    assert (
        run_from_mapping(kinds[0], "x").digest
        == run_from_mapping(dict(kinds[0]), "y").digest
    )


def test_several_systems_in_one_frame() -> None:
    """A frame with a column of systems holds a run for each, in order of appearance."""
    frame = pd.DataFrame(
        {
            "run": ["b", "a", "b", "a"],
            "query_id": [2, 1, 1, 1],
            "doc_id": ["x", "x", "y", "y"],
            "score": [1, 2, 3, 4],
        }
    )
    runs = runs_from_frame(frame)
    assert [run.name for run in runs] == ["b", "a"]
    assert contents(runs[0]) == [("2", "x", 1), ("1", "y", 3)]
    assert contents(runs[1]) == [("1", "x", 2), ("1", "y", 4)]
    assert runs[0].topics == ["2", "1"]
    assert runs[1].topics == ["1"]
    with pytest.raises(FileFormatError, match="the table of run 'r' holds 2 systems"):
        sources_of({"r": frame})


@pytest.mark.parametrize(
    "columns",
    [
        ("query_id", "doc_id", "relevance"),
        ("qid", "docno", "label"),
        ("topic", "doc", "rel"),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_qrels_frames(make: type, columns: tuple[str, str, str]) -> None:
    """Judgments come from pandas and polars frames under the column names of ir_measures, PyTerrier and ours."""
    qrels = qrels_from_frame(
        make(
            dict(
                zip(
                    columns,
                    [["1", "1", "02"], ["a", "b", "a"], [1, 0, -1]],
                    strict=True,
                )
            )
        )
    )
    assert contents(qrels) == [("1", "a", 1), ("1", "b", 0), ("02", "a", -1)]
    assert [remark.text for remark in qrels.remarks] == [
        "documents with a grade below 0 count as not judged: 1 of grade -1"
    ]


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame([[1, 2, 3]]), "no column topic or query_id .*; it has 0, 1, 2"),
        (pd.DataFrame({"qid": ["1"], "docno": ["a"]}), "no column score or sim"),
        (
            pd.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "score": [1, 2]}),
            "'qid' of the table has missing ids",
        ),
        (
            pd.DataFrame({"qid": [1.0, np.nan], "docno": ["a", "b"], "score": [1, 2]}),
            "'qid' of the table has missing",
        ),
        (
            pl.DataFrame({"qid": ["1", "1"], "docno": ["a", None], "score": [1, 2]}),
            "'docno' of the table has missing ids",
        ),
        (
            pd.DataFrame({"qid": ["1", pd.NA], "docno": ["a", "b"], "score": [1, 2]}),
            "'qid' of the table has missing ids",
        ),
        (
            pd.DataFrame(
                {
                    "run": ["x", pd.NA],
                    "qid": ["1", "1"],
                    "docno": ["a", "b"],
                    "score": [1, 2],
                }
            ),
            "'run' of the table has missing ids",
        ),
        (
            pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": ["x"]}),
            "'score' of the table must hold numbers",
        ),
        (
            pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": ["x"]}),
            "'score' of the table must hold numbers",
        ),
        (
            pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [None]}),
            "a score is NaN",
        ),
        (
            pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "score": [1, 2]}),
            "document 'a' occurs twice for topic '1'",
        ),
    ],
)
def test_wrong_frames(frame: object, says: str) -> None:
    """A frame that lacks a column, an id or a number, or repeats a document, is an error that names it."""
    with pytest.raises(FileFormatError, match=says):
        runs_from_frame(frame)


@pytest.mark.parametrize(
    "lists",
    [
        {"1": ["a"]},
        {"1": {"a": "x"}},
        {"1": {"a": None}},
        {"1": 3},
        {"1": {"a": [1]}},
        {"1": "abc"},
    ],
)
def test_wrong_mappings(lists: dict) -> None:
    """A mapping of another form is an error that says which form is meant."""
    with pytest.raises(
        FileFormatError, match="not of the form {topic: {document: number}}"
    ):
        run_from_mapping(lists, "x")
    with pytest.raises(FileFormatError, match="not of the form"):
        qrels_from_mapping(lists)


def test_mappings_with_odd_values() -> None:
    """NaN, infinite grades, repeated ids and no judgment at all are errors; infinite scores are remarked upon."""
    with pytest.raises(FileFormatError, match="run x: a score is NaN"):
        run_from_mapping({"1": {"a": float("nan")}}, "x")
    with pytest.raises(FileFormatError, match="a grade is not a finite number"):
        qrels_from_mapping({"1": {"a": float("inf")}})
    for grade in (2**31 + 1, -1e10):
        with pytest.raises(
            FileFormatError,
            match=r"qrels: the grade .* is too large for a grade \(at most 2\^31\)",
        ):
            qrels_from_mapping({"1": {"a": grade}})
    assert qrels_from_mapping({"1": {"a": 2**31}}).grades.tolist() == [2**31]
    with pytest.raises(FileFormatError, match="are empty"):
        qrels_from_mapping({"1": {}})
    with pytest.raises(
        FileFormatError, match="document '1' occurs twice for topic '1'"
    ):
        run_from_mapping({"1": {"1": 1, 1: 2}}, "x")  # type: ignore[dict-item]
    (remark,) = run_from_mapping({1: {2: float("inf"), 3: 1.0}}, "x").remarks  # type: ignore[dict-item]
    assert str(remark) == "run x: 1 infinite score; documents with equal ones tie"


def test_what_runs_can_be(tmp_path: Path) -> None:
    """Runs are files, folders with all beneath them but hidden files, globs, lists of those, and mappings by name."""
    folder = tmp_path / "runs"
    (folder / "below").mkdir(parents=True)
    for name in ("b", "a.gz", "below/c", ".hidden"):
        (folder / name).write_text("1 Q0 a 1 1 t\n")
    assert [name for name, _ in sources_of(folder)] == ["a", "b", "c"]
    assert [name for name, _ in sources_of(str(folder / "*"))] == ["a", "b"]
    assert [name for name, _ in sources_of([folder / "b", str(folder / "below")])] == [
        "b",
        "c",
    ]
    assert [name for name, _ in sources_of(f"{folder}/**/*")] == ["a", "b", "c"]
    assert sources_of({"mine": folder / "b"}) == [("mine", folder / "b")]
    assert [
        name for name, _ in sources_of({"x": {"1": {"a": 1}}, "y": {"1": {"a": 1}}})
    ] == ["x", "y"]
    assert [name for name, _ in sources_of({"1": {"a": 1}})] == ["run"]
    bracket = tmp_path / "a[1].run"
    bracket.write_text("1 Q0 a 1 1 t\n")
    assert sources_of(str(bracket)) == [("a[1]", bracket)]


@pytest.mark.parametrize(
    ("given_runs", "says"),
    [
        ("nowhere", "nowhere: no such file"),
        ("nowhere/*.gz", r"nowhere/\*.gz: no such file"),
        ([], "there are no runs; give one or more"),
        ({}, "there are no runs; give one or more"),
        ([("a", {"1": {"d": 1.0}})], "runs with names are a dict"),
        (3, "runs must be paths, mappings or data frames, not int"),
        ({"x": 3}, "run 'x' must be a path, a mapping or a data frame, not int"),
        ([{"1": {"a": 1}}, {"1": {"a": 1}}], "two systems are named 'run': two runs"),
    ],
)
def test_what_runs_cannot_be(given_runs: object, says: str, tmp_path: Path) -> None:
    """Missing files, empty lists, other objects and equal names are errors."""
    with pytest.raises(IrmetaError, match=says):
        sources_of(given_runs)
    with pytest.raises(FileFormatError, match="no files in this folder"):
        sources_of(tmp_path)


def test_what_qrels_can_be(tmp_path: Path) -> None:
    """Qrels are a path, a mapping, a frame, or read already; nothing else."""
    path = tmp_path / "q"
    path.write_text("1 0 a 1\n")
    forms = [
        path,
        str(path),
        {"1": {"a": 1}},
        pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}),
    ]
    for form in forms:
        qrels = qrels_of(form, trec.Reading())
        assert contents(qrels) == [("1", "a", 1)]
        assert qrels_of(qrels, trec.Reading()) is qrels
    with pytest.raises(IrmetaError, match="not int"):
        qrels_of(3, trec.Reading())
    with pytest.raises(FileFormatError, match="nothing: no such file"):
        qrels_of(tmp_path / "nothing", trec.Reading())


@given(
    st.lists(
        st.tuples(st.sampled_from("12"), IDS, st.integers(-2, 3)),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_beir_qrels(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]]
) -> None:
    """BEIR's three columns under their header are the same judgments as TREC's four."""
    folder = tmp_path_factory.mktemp("beir")
    (folder / "q.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t{g}\n" for t, d, g in rows)
    )
    (folder / "q.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows))
    beir = trec.read_qrels(folder / "q.tsv", trec.Reading(qrels_format="beir"))
    assert (
        contents(beir)
        == contents(trec.read_qrels(folder / "q.txt"))
        == [(t, d, g) for t, d, g in rows]
    )


def test_judgments_in_json(tmp_path: Path) -> None:
    """Judgments may be JSON, as runs may; what is not of that form is an error that says which form it is."""
    path = tmp_path / "qrels.json"
    path.write_text('\ufeff{"1": {"a": 1, "b": 0}, "x": {"a": 2}}', encoding="utf-8")
    qrels = trec.read_qrels(path)
    assert contents(qrels) == [("1", "a", 1.0), ("1", "b", 0.0), ("x", "a", 2.0)]
    assert qrels.source == str(path)
    assert [remark.text for remark in qrels.remarks] == ["byte order mark dropped"]
    for wrong in (
        '{"1": ["a"]}',
        '{"1": {"a": "good"}}',
        '{"1": {"a": 1, "a": 2}}',
        "{}",
    ):
        path.write_text(wrong)
        with pytest.raises(
            FileFormatError,
            match=r"qrels.json: not JSON of the form \{topic: \{document: grade\}\}",
        ):
            trec.read_qrels(path)


@given(
    st.binary(max_size=80)
    | st.text(alphabet='1 aQ0\t\n#{}:",.\r\ufeff-', max_size=80).map(str.encode)
)
def test_any_bytes_are_a_run_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """Whatever a file holds, reading it as run or qrels gives one, or a FileFormatError that names the file."""
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(content)
    for read in (trec.read_run, trec.read_qrels):
        for reading in (
            trec.Reading(),
            trec.Reading(True, True, True, True, "best", "beir"),
        ):
            said = _said(read, path, reading)
            assert said is None or said.startswith(str(path))


def _said(
    read: Callable[..., Run | Qrels], path: Path, reading: trec.Reading
) -> str | None:
    """Give the message with which a file is refused, None if it is read."""
    try:
        read(path, reading=reading)
    except FileFormatError as error:
        return str(error)
    return None


LINES = b"1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n"


@pytest.mark.parametrize("end", [b"1 Q0", b"1 Q0 c 3", b"1 Q0 c 3 .5"])
def test_a_run_that_was_cut_is_told_as_one(tmp_path: Path, end: bytes) -> None:
    """A last line without its end and its fields was cut; whole or in the middle, it is another mistake."""
    path = tmp_path / "a.run"
    path.write_bytes(LINES + end)
    with pytest.raises(FileFormatError, match=r":3: the file ends in the middle of a"):
        trec.read_run(path)
    path.write_bytes(LINES + end + b"\n")
    with pytest.raises(FileFormatError, match="but a run line has 6") as error:
        trec.read_run(path)
    assert "the middle" not in str(error.value)


def test_a_line_of_text_in_a_run_is_quoted_as_text(tmp_path: Path) -> None:
    """Words in place of numbers are neither judgments nor a run without its tag."""
    path = tmp_path / "a.run"
    path.write_bytes(LINES + b"end of my run\nand five words stand here\n" + LINES)
    with pytest.raises(FileFormatError) as error:
        trec.read_run(path)
    text = str(error.value)
    assert "'end of my run'; is this a line of text?" in text
    assert "judgments" not in text
    assert "tag is missing" not in text
