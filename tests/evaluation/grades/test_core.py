"""The compiled core against NumPy: the same ranks, judgments, remarks and scores, to the last bit."""

import gzip
import hashlib
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irmeta.errors import FileFormatError
from irmeta.evaluation.engine import Evaluation, evaluate
from irmeta.evaluation.grades import core
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.task import Task
from irmeta.io import files
from irmeta.io.files import Content
from irmeta.io.runs.rankings import qrels_from_mapping
from irmeta.io.runs.trec import Reading, parse_run
from irmeta.metrics.signatures import CATALOGUE
from irmeta.scores.attributes import about
from irmeta.stats import arrays
from irmeta.studies.checks.validation import validate

pytestmark = pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")

QRELS = {
    "1": {"a": 1, "b": 0, "doc-of-more-than-sixteen-bytes": 2, "é": 3, "c": -1},
    "topic-of-nine": {"a": 2, "b": 1},
    "002": {"a": 0.5, "B": 1},
}
JUDGMENTS = Judgments(qrels_from_mapping(QRELS))
METRICS = " ".join(
    f"{name}@{one.cutoff.example}" if one.cutoff else name
    for name, one in CATALOGUE.items()
)


@contextmanager
def without_core() -> Iterator[None]:
    """Let NumPy do what the core does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "core", None)
        yield


def told(path: Path, precision: Any = "float64") -> Any:
    """Say all that is found in a run, or why it cannot be read; judgments are read anew."""
    task = Task(Judgments(JUDGMENTS.qrels), (), Reading(), precision)
    try:
        read = task.judged(("run", path))
    except FileFormatError as error:
        return str(error)
    assert not isinstance(read, str)
    judged, run = read
    found = asdict(judged)
    places = zip(
        *(found.pop(name).tolist() for name in ("topic", "rank", "judgment")),
        strict=True,
    )
    found["retrieved"] = found["retrieved"].tolist()
    return (
        sorted(places),
        found,
        list(map(str, run.remarks)),
        (run.digest, run.tag, run.metadata),
    )


def taken(path: Path) -> bool:
    """Say whether the core takes a run."""
    found = core.read(Content(path), "run", JUDGMENTS.qrels, JUDGMENTS.table, "float64")
    return found is not None


topics = st.lists(
    st.sampled_from(["1", "topic-of-nine", "002", "ä", "other"]), min_size=1, max_size=6
)
ids = st.sampled_from(
    [
        "a",
        "b",
        "B",
        "c",
        "é",
        "aa",
        "doc-of-more-than-sixteen-bytes",
        "doc-of-more-than-sixteen-byteS",
        "12345678",
        "123456789",
    ]
)
scores = st.one_of(
    st.sampled_from(
        [
            "1.5",
            "-2",
            "1e3",
            "1E-3",
            "+4",
            ".5",
            "5.",
            "0",
            "-0.0",
            "inf",
            "-inf",
            "1e400",
            "1e-400",
            "0.1234567891",
            "16777217",
            "16777216",
        ]
    ),
    st.floats(allow_nan=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
)
ends = st.sampled_from(
    ["\n"] * 9 + ["\r\n", " \n", "\n\n", "\n# a comment\n", "\r\n#\tx\r\n"]
)
blanks = st.sampled_from([" "] * 9 + ["\t", "  ", " \t"])
odd = st.sampled_from(
    [
        "nan",
        "1_000",
        "0x10",
        "",
        "1,5",
        "--1",
        "1e",
        "e5",
        ".",
        "1.2.3",
        "1 2",
        "é",
        "\0",
        "\r",
        "\x0b",
    ]
)


beginnings = ["\ufeff", "{", "\n", "# ir_metadata.start\r\n# a: b\n# ir_metadata.end\n"]


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw a run file: lists of several topics with ties, blanks and line ends of many kinds, seldom a fault."""
    lines = [
        draw(
            st.sampled_from(
                [""] * 9
                + [
                    "\ufeff",
                    "{",
                    "\n",
                    "# ir_metadata.start\r\n# a: b\n# ir_metadata.end\n",
                ]
            )
        )
    ]
    faulty = draw(st.integers(0, 9)) == 0
    for topic in draw(topics):
        for number in range(draw(st.integers(1, 6))):
            fields = [
                topic,
                "Q0",
                draw(ids),
                draw(
                    st.sampled_from(
                        [str(number), str(number + 8), "-1", "1234567890", "x"]
                    )
                ),
                draw(odd if faulty and draw(st.integers(0, 9)) == 0 else scores),
                draw(st.sampled_from(["tag"] * 5 + ["other"])),
            ]
            line = fields[0]
            for field in fields[1:]:
                line += draw(blanks) + field
            lines.append(line + draw(ends))
    text = "".join(lines).encode()
    if draw(st.integers(0, 9)) == 0:
        text = text.replace("é".encode(), b"\xe9")
    return text[: len(text) - draw(st.integers(0, 3))]


@settings(max_examples=150)
@given(texts(), st.integers(1, 100), st.sampled_from(["float64", "float32"]))
@example(b"1 Q0 a 1 1 t\n1 Q0 a 2 0 t\n", 7, "float64")
@example(b"1 Q0 a 1 1 t\n2 Q0 a 2 0 t\n1 Q0 b 2 0 t\n", 7, "float64")
@example(b"1 Q0 a 1 3e38 t\n1 Q0 b 2 1e39 t\n", 7, "float32")
def test_the_core_finds_what_numpy_finds(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, piece: int, precision: Any
) -> None:
    """Ranks, judgments, remarks, digests and errors are the same with and without the core, however a file is cut."""
    path = tmp_path_factory.mktemp("run") / "run"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PIECE", piece)
        ours = told(path, precision)
    with without_core():
        assert ours == told(path, precision)


REGULAR = "1 Q0 a 1 3.5 t\n1 Q0 b 2 1e-7 t\n002 Q0 b 1 12.345678329467773 t\n"


@pytest.mark.parametrize(
    "text",
    [
        REGULAR,
        REGULAR.replace(" ", "\t"),
        REGULAR.replace(" ", "  ").replace("\n", " \r\n"),
        "# a comment\n\n" + REGULAR,
        REGULAR.replace("b", "é"),
        REGULAR + "9 Q0 a 1 1 other",
    ],
)
def test_regular_runs_are_read_by_the_core(tmp_path: Path, text: str) -> None:
    """Blanks, comments, exponents, long fractions, other tags and topics, and a missing last line end are regular."""
    (tmp_path / "run").write_bytes(text.encode())
    assert taken(tmp_path / "run")
    (tmp_path / "run").write_bytes((text + "1 Q0 c 3 0 t\n").encode())
    assert not taken(tmp_path / "run")


def digits() -> st.SearchStrategy[str]:
    """Draw decimal numbers in all forms."""
    some = st.text("0123456789", max_size=25)
    return st.builds(
        lambda sign, whole, point, part, exponent: (
            f"{sign}{whole}{point}{part if point else ''}{exponent}"
        ),
        st.sampled_from(["", "-", "+"]),
        some,
        st.sampled_from(["", "."]),
        some,
        st.one_of(st.just(""), st.integers(-330, 310).map(lambda power: f"e{power}")),
    ).filter(lambda text: any(map(str.isdigit, text.partition("e")[0])))


@settings(max_examples=250)
@given(st.one_of(digits(), st.floats(allow_nan=False, allow_infinity=False).map(repr)))
def test_scores_are_rounded_correctly(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """A score is the double that Python reads: it ties with that, and stands between its neighbours."""
    value = float(text)
    near = {
        "d": math.nextafter(value, math.inf),
        "a": value,
        "b": value,
        "c": math.nextafter(value, -math.inf),
    }
    if not all(map(math.isfinite, near.values())):
        return
    spelled = {name: text if name == "a" else repr(one) for name, one in near.items()}
    path = tmp_path_factory.mktemp("run") / "run"
    path.write_text(
        "".join(f"1 Q0 {name} 1 {one} t\n" for name, one in spelled.items())
    )
    judgments = Judgments(qrels_from_mapping({"1": dict.fromkeys("abcd", 1)}))
    found = core.read(Content(path), "run", judgments.qrels, judgments.table, "float64")
    if found is None:  # more than the core reads: the plain reader's
        assert abs(value) < sys.float_info.min
        return
    ranked = [judgments.qrels.documents[row] for row in found.judged.judgment]
    assert ranked == ["d", "b", "a", "c"]


ranked = st.dictionaries(
    st.sampled_from([f"d{number}" for number in range(12)]),
    st.integers(-4, 4),
    min_size=1,
)
grades = st.dictionaries(
    st.sampled_from([f"d{number}" for number in range(12)]),
    st.integers(-2, 6).map(lambda grade: grade / 2),
    min_size=1,
)


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from("123"), grades, min_size=1),
    st.lists(
        st.dictionaries(st.sampled_from("123"), ranked, min_size=3),
        min_size=1,
        max_size=3,
    ),
)
def test_scores_have_the_same_bits(
    qrels: dict[str, dict[str, float]], runs: list[dict[str, dict[str, float]]]
) -> None:
    """Every metric scores the same with and without the core, to the last bit, whatever it is told to look at."""
    named = {f"run{number}": run for number, run in enumerate(runs)}
    metrics = f"{METRICS} nDCG nDCG(gains='exp') AP(rel=2) AP(pool=2) nDCG(judged_only=True)@3 Bpref(depth=4) RR"
    ours = evaluate(qrels, named, metrics)
    with without_core():
        xr.testing.assert_identical(ours, evaluate(qrels, named, metrics))


@pytest.mark.data
@pytest.mark.parametrize("collection", ["trec-covid/round1", "robust03"])
def test_real_runs_have_the_same_bits(data: Path, collection: str) -> None:
    """Cubes of real runs are the same with and without the core, with all that they say of the runs."""
    runs = sorted((data / collection / "runs").iterdir())
    runs = runs[:: max(1, len(runs) // 16)]
    cube = evaluate(data / collection / "qrels.txt", runs)
    with without_core():
        xr.testing.assert_identical(
            cube, evaluate(data / collection / "qrels.txt", runs)
        )


SCORED = """
import sys
sys.modules["irmeta._core"] = None
from irmeta import evaluate
print(evaluate(sys.argv[1], sys.argv[2]).values.tobytes().hex())
"""


def test_scores_do_not_depend_on_the_processor(tmp_path: Path) -> None:
    """NumPy with its plainest instructions, and without the core, gives the scores that the core gives."""
    rng = np.random.default_rng(5)
    lines = [
        f"{t} 0 d{i} {g / 2}"
        for t in range(9)
        for i, g in enumerate(rng.integers(-1, 7, 300))
    ]
    (tmp_path / "qrels").write_text("\n".join(lines))
    lines = [
        f"{t} Q0 d{i} 1 {s!r} x"
        for t in range(9)
        for i, s in zip(
            rng.permutation(999), rng.normal(size=999).tolist(), strict=True
        )
    ]
    (tmp_path / "run").write_text("\n".join(lines))
    features = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3"
    environment = {
        **os.environ,
        "NPY_DISABLE_CPU_FEATURES": features,
        "PYTHONWARNINGS": "ignore",
    }
    said = subprocess.run(
        [sys.executable, "-c", SCORED, tmp_path / "qrels", tmp_path / "run"],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    cube = evaluate(tmp_path / "qrels", tmp_path / "run")
    assert said.stdout.strip() == cube.values.tobytes().hex()


def test_a_check_of_runs_says_that_there_is_no_core(tmp_path: Path) -> None:
    """Whoever checks runs reads that NumPy reads them, where it does."""
    (tmp_path / "run").write_text(REGULAR)
    for reads, notes in ((nullcontext, 0), (without_core, 1)):
        with reads():
            checked = validate(None, tmp_path / "run")
        said = [note for note in about(checked)["notes"] if "read by NumPy" in note]
        assert len(said) == notes


def test_judgments_travel() -> None:
    """Judgments that went to another process find there what they find here."""
    assert JUDGMENTS.table is not None
    there = pickle.loads(pickle.dumps(JUDGMENTS))
    assert "table" not in vars(there)
    assert there.table is not None


def test_a_line_without_end_is_left_to_the_plain_reader(tmp_path: Path) -> None:
    """A file that is one long line costs the core no more than a beginning of it."""
    (tmp_path / "run").write_bytes(b"x" * 3_000_000)
    assert not taken(tmp_path / "run")
    (tmp_path / "run").write_text(f"1 Q0 {'y' * 200_000} 1 2 t\n{REGULAR}")
    (tmp_path / "short").write_text(f"1 Q0 y 1 2 t\n{REGULAR}")
    assert taken(tmp_path / "run")
    assert told(tmp_path / "run")[0] == told(tmp_path / "short")[0] != []


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
def test_faults_far_down(tmp_path: Path, late: str, says: str) -> None:
    """A fault far down in a file is an error that says its line."""
    (tmp_path / "run").write_text(
        "".join(f"{i} Q0 a 1 3 t\n" for i in range(10_000)) + late
    )
    with pytest.raises(FileFormatError, match=says):
        evaluate({"1": {"a": 1}}, tmp_path / "run", "P@1")


def test_a_damaged_end_is_noticed(tmp_path: Path) -> None:
    """An archive that ends too early is an error, though most of it can be read."""
    packed = gzip.compress(b"".join(b"%d Q0 a 1 3 t\n" % i for i in range(10_000)))
    (tmp_path / "run.gz").write_bytes(packed[:-8])
    with pytest.raises(FileFormatError, match=r"run.gz: damaged gzip data"):
        evaluate({"1": {"a": 1}}, tmp_path / "run.gz", "P@1")


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
        assert taken(tmp_path / name)
    scores = evaluate(
        {"1": {"a": 1}}, [tmp_path / name for name in ("said", "silent", "open")], "AP"
    )
    assert about(scores)["ir_metadata"] == {"said": "actor:\n  team: ours\n"}
    whole = parse_run(Content(tmp_path / "said"), "said", Reading())
    assert whole.metadata == "actor:\n  team: ours\n"
    assert scores.values.ravel().tolist() == [1, 1, 1]


def test_digests_are_made_where_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores carry the digests of their runs; means that are only printed, and pools, cost none."""
    text = b"1 Q0 a 1 3 t\n"
    (tmp_path / "run").write_bytes(text)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    work = Evaluation.of(tmp_path / "qrels", tmp_path / "run", "AP AP(pool=1)")
    kept = work.scored()
    assert kept.provenance["runs"] == {"run": hashlib.sha256(text).hexdigest()}
    monkeypatch.setattr("irmeta.io.files.hashlib", None)
    printed = replace(work, task=replace(work.task, digested=False)).scored()
    assert printed.provenance["runs"] == {"run": ""}
    assert printed.scores.tolist() == kept.scores.tolist()
    [source] = work.sources
    assert [part.tolist() for part in work.task.top(source, 5)[:2]] == [[0], [0]]
