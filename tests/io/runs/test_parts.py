"""Runs read in parts, against the same files read whole."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.errors import FileFormatError
from irmeta.evaluation.engine import evaluate
from irmeta.io import files
from irmeta.io.files import Content
from irmeta.io.runs import parts
from irmeta.io.runs.parts import in_parts
from irmeta.io.runs.rankings import Run
from irmeta.io.runs.trec import Reading, run_of
from irmeta.scores.attributes import about

Row = tuple[str, str, str, str]


def rows(runs: Sequence[Run]) -> list[Row]:
    """Return topic, document, score and rank of every line."""
    return [
        (run.topics[topic], document, repr(score), rank)
        for run in runs
        for topic, document, score, rank in zip(
            run.topic, run.documents, run.scores, run.ranks or (), strict=True
        )
    ]


topics = st.lists(
    st.sampled_from(["1", "topic-of-nine", "002", "ä"]), unique=True, min_size=1
)
ends = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n# comment\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw a run file: topics one after the other, with documents, tags and line ends of many kinds."""
    lines = ["\ufeff"] if draw(st.booleans()) else []
    for topic in draw(topics):
        for document in range(draw(st.integers(1, 6))):
            score = draw(
                st.sampled_from(["1.5", "-2", "1e3", "inf", "-inf", "0.1234567891"])
            )
            tag = draw(st.sampled_from(["tag", "tag", "other"]))
            lines.append(
                f"{topic} Q0 doc{document} {document} {score} {tag}" + draw(ends)
            )
    return "".join(lines)


@given(texts(), st.integers(1, 300), st.integers(1, 100))
def test_parts_are_the_run(
    tmp_path_factory: pytest.TempPathFactory, text: str, block: int, piece: int
) -> None:
    """Whatever the size of the blocks, the parts have the lines of the whole, and their end knows what it knows."""
    path = tmp_path_factory.mktemp("run") / "run"
    path.write_bytes(text.encode())
    whole = run_of(Content(path), "run", Reading())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "BLOCK", block)
        patch.setattr(files, "PIECE", piece)
        done, head = in_parts(Content(path), "run", Reading(), lambda part: part)
    assert rows(done) == rows([whole])
    assert (head.topics, head.tag, head.digest) == (
        whole.topics,
        whole.tag,
        whole.digest,
    )
    assert list(map(str, head.remarks)) == list(map(str, whole.remarks))


def test_topics_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part has whole topics, a file of several blocks has several parts, and a topic may have several blocks."""
    monkeypatch.setattr(parts, "BLOCK", 100)
    monkeypatch.setattr(files, "PIECE", 64)
    path = tmp_path / "run"
    path.write_text(
        "".join(
            f"{topic} Q0 d{i} {i} {-i} t\n"
            for topic in range(9)
            for i in range(5 + 40 * (topic == 4))
        )
    )
    found, _ = in_parts(Content(path), "run", Reading(), lambda part: part.topics)
    assert [topic for part in found for topic in part] == [
        str(topic) for topic in range(9)
    ]
    assert len(found) > 4


scattered = "1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n"


@pytest.mark.parametrize(
    "text",
    [
        scattered,
        '{"1": {"a": 3.0, "b": 2.0}, "2": {"a": 3.0}}',
        scattered.replace(" ", "  "),
    ],
)
def test_other_files_are_one_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """A file whose topics are scattered, or that is JSON, is one part with all of its topics."""
    monkeypatch.setattr(parts, "BLOCK", 1)
    monkeypatch.setattr(files, "PIECE", 1)
    (tmp_path / "run").write_text(text)
    found, head = in_parts(
        Content(tmp_path / "run"), "run", Reading(), lambda part: part.scores.size
    )
    assert (found, head.topics) == ([3], ["1", "2"])


@pytest.mark.parametrize(
    ("late", "says"),
    [
        ("2 Q0 a 1 3\n", "run:10001: 5 fields"),
        (
            "9999 Q0 a 1 3 t\n",
            "run:10001: document 'a' of topic '9999' also stands on line 10000",
        ),
        ("x Q0 a 1 3,5 t\n", "run:10001: the score '3,5' is not a number"),
        ("x Q0 a\0 1 3 t\n", "run: contains NUL bytes"),
    ],
)
def test_faults_beyond_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, says: str
) -> None:
    """A fault far down in a file is the error that a reader of the whole file raises, with its line."""
    monkeypatch.setattr(parts, "BLOCK", 1 << 12)
    (tmp_path / "run").write_text(
        "".join(f"{i} Q0 a 1 3 t\n" for i in range(10_000)) + late
    )
    with pytest.raises(FileFormatError, match=says):
        evaluate({"1": {"a": 1}}, tmp_path / "run", "P@1")


def test_a_damaged_end_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive that ends too early is an error, though most of its blocks can be read."""
    monkeypatch.setattr(parts, "BLOCK", 1 << 12)
    packed = gzip.compress(b"".join(b"%d Q0 a 1 3 t\n" % i for i in range(10_000)))
    (tmp_path / "run.gz").write_bytes(packed[:-8])
    with pytest.raises(FileFormatError, match="run.gz: damaged gzip data"):
        evaluate({"1": {"a": 1}}, tmp_path / "run.gz", "P@1")


def test_scores_do_not_depend_on_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run scores the same, to the last bit and with the same notes, however it is cut."""
    rng = np.random.default_rng(3)
    qrels = {
        str(t): {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in range(12)
    }
    lines = [
        f"{t} Q0 d{i} {i} {rng.integers(9)} x"
        for t in rng.permutation(14)
        for i in rng.permutation(40)
    ]
    for name in ("one", "two"):
        (tmp_path / name).write_text("\n".join(lines))
    whole = evaluate(qrels, [tmp_path / "one", tmp_path / "two"])
    monkeypatch.setattr(parts, "BLOCK", 999)
    monkeypatch.setattr(files, "PIECE", 100)
    cut = evaluate(qrels, [tmp_path / "one", tmp_path / "two"])
    np.testing.assert_array_equal(cut.values, whole.values)
    assert cut.attrs == whole.attrs
    assert any("two as one" in note for note in str(cut.attrs).split(";"))


HEADER = "# ir_metadata.start\n# actor:\n#   team: ours\n# ir_metadata.end\n"


def test_what_a_run_says_of_itself_is_kept(tmp_path: Path) -> None:
    """The header of ir_metadata goes into the provenance as it is; without its end there is none."""
    line = "1 Q0 a 1 3 t\n"
    for name, text in (
        ("said", HEADER + line),
        ("silent", line),
        ("open", HEADER.replace("end", "emd") + line),
    ):
        (tmp_path / name).write_text(text)
    scores = evaluate(
        {"1": {"a": 1}}, [tmp_path / name for name in ("said", "silent", "open")], "AP"
    )
    assert about(scores)["ir_metadata"] == {"said": "actor:\n  team: ours\n"}
    assert (
        run_of(Content(tmp_path / "said"), "said", Reading()).metadata
        == "actor:\n  team: ours\n"
    )
    assert scores.values.ravel().tolist() == [1, 1, 1]
