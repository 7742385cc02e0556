"""Files and objects that strangers could send, of kinds that nobody listed: results, or errors of ours, in due time."""

import json
import os
import random
import re
import shutil
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import irmeta
from irmeta.datasets import factors
from irmeta.errors import IrmetaError, MetricError
from irmeta.io.files import read_bytes
from irmeta.io.tables.matrices import import_matrix
from irmeta.io.tables.spreadsheet import import_table, read_types
from irmeta.metrics.names import parse, parse_list
from irmeta.report.kept import Kept
from irmeta.words import folded, latex, markdown, message, printable, shortened

JUDGED = {"1": {"d1": 1, "d2": 0}, "2": {"d0": 1}}
RAN = {"r": {"1": {"d1": 1.0}}}
READERS: dict[str, Callable[[Path], object]] = {
    "run": lambda path: irmeta.evaluate(JUDGED, path, "AP nDCG P@5"),
    "checked run": partial(irmeta.validate, None),
    "qrels": lambda path: irmeta.evaluate(path, RAN, "AP"),
    "scores": irmeta.load_all,
    "table": import_table,
    "types": read_types,
    "lines": irmeta.import_jsonl,
    "ir_measures": irmeta.import_ir_measures,
    "tot": irmeta.import_tot,
    "nuggets": irmeta.import_nuggets,
    "support": irmeta.import_support,
    "labels": irmeta.import_labels,
    "inspect": irmeta.import_inspect,
    "promptfoo": irmeta.import_promptfoo,
    "deepeval": irmeta.import_deepeval,
    "matrix": partial(import_matrix, rows="topics"),
    "model": irmeta.load_model,
    "factors": factors.load,
}
BEGUN = {
    "run": [b"", b"1 Q0 ", b"1 Q0 d1 1 ", b'{"1": {"'],
    "qrels": [
        b"",
        b"1 0 ",
        b"1 0 d1 ",
        b'{"1": {"',
        b"query-id\tcorpus-id\tscore\n1\t",
    ],
    "scores": [b"", b"collection,system,topic,metric,score\nc,", b"PAR1"],
    "table": [b"", b"system,topic,metric,score\na,1,", b"system,", b"[{", b'{"a": {"'],
    "lines": [b"", b'{"run_id":"'],
    "nuggets": [b"", b'{"qid":"1","nuggets":['],
    "support": [b"", b'{"topic_id":"1","support_eval":['],
    "inspect": [b"", b'{"eval": {"task": "t", "model": "m"}, "samples": ['],
    "promptfoo": [b"", b'{"results": {"results": ['],
    "deepeval": [b"", b'{"testCases": ['],
    "labels": [b"", b"system,topic,human\na,1,"],
    "model": [b"", b'{"format": "irmeta prediction model 1", "x": "'],
}
UNITS = [
    *(
        b"-",
        b" ",
        b"\n",
        b"\r",
        b"\t",
        b",",
        b";",
        b"a ",
        b"a\n",
        b"irmeta a ",
        b"'",
        b'"',
    ),
    *(
        b"`",
        b"(",
        b"[",
        b"{",
        b'{"a":',
        b"[1,",
        b"\x1b[",
        b"9",
        b"1e9 ",
        b"--a A ",
        b"\xff",
    ),
    *(
        b"\0",
        b"\xe2\x80\xae",
        b"1 Q0 d1 1 1 x\n",
        b"1 0 d1 1\n",
        b"c,a,1,AP,0.5\n",
        b"#",
        b"# a\n",
    ),
    *(b"AP(rel=", b'"a": 1, ', b'""', b"\\u0000", b"P@1 ", b"=1+1,", b".", b"1,2\n"),
]
SMALL, LARGE = 20_000, 1_000_000


def _read(read: Callable[[Path], object], path: Path) -> None:
    """Read a file, and print what is wrong with it as the command line does."""
    try:
        read(path)
    except IrmetaError as error:
        folded(printable(f"irmeta: {error}", "\n"))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "size", [SMALL, pytest.param(LARGE, marks=pytest.mark.slow)], ids=["small", "large"]
)
def test_time_is_in_proportion_to_what_is_read(
    name: str, size: int, tmp_path: Path
) -> None:
    """Whatever a file repeats, wherever it begins to, reading it takes 10 microseconds a byte at most.

    Two seconds beside pay for the first import and for what measures branches. What would take longer, though its time
    grows with the square of the size, takes more than a hundredth of that at a tenth of it: only this is read whole.
    """
    path = tmp_path / "file"
    most = 2 + 1e-5 * size
    for begun in BEGUN.get(name, [b""]):
        for unit in UNITS:
            for share in (10, 1):
                path.write_bytes(begun + unit * (size // share // len(unit)))
                started = time.process_time()
                _read(READERS[name], path)
                taken = time.process_time() - started
                assert taken < most, (begun, unit, taken)
                if taken < most / 100:
                    break


TOKENS = [
    *(
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b",",
        b";",
        b":",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b"\\",
        b"\0",
    ),
    *(
        b"1",
        b"2",
        b"0.5",
        b"-1",
        b"1e999",
        b"nan",
        b"inf",
        b"0x1F",
        b"1_0",
        "\u0661".encode(),
    ),
    *(
        b"Q0",
        b"d1",
        b"d2",
        b"AP",
        b"P@10",
        b"map",
        b"all",
        b"runid",
        b"tag",
        b"#",
        b"\xef\xbb\xbf",
    ),
    *(
        b"query-id",
        b"corpus-id",
        b"score",
        b"system",
        b"topic",
        b"metric",
        b"collection",
        b"a",
    ),
    *(
        b"ratings",
        b"judgmentRatings",
        b"null",
        b"true",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"PAR1",
    ),
    *(
        b"1 Q0 d1 1 0.5 x\n",
        b"1 0 d1 1\n",
        b"c,a,1,AP,0.5\n",
        b'{"1": {"d1": 1}}',
        b"\x1f\x8b\x08",
    ),
    *(
        b"collection,system,topic,metric,score\n",
        b"system,1,2\n",
        b"=1+1",
        b"\xe2\x80\xa8",
        b"'",
    ),
]


@pytest.mark.parametrize(
    "count", [1200, pytest.param(12_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_files_of_any_tokens_are_read_or_refused(count: int, tmp_path: Path) -> None:
    """Files put together of parts of every format are read, or refused with an error of ours; nothing else."""
    draws = random.Random(count)
    path = tmp_path / "file"
    for case in range(count):
        name = draws.choice(list(READERS))
        begun = draws.choice(BEGUN.get(name, [b""]))
        path.write_bytes(
            begun + b"".join(draws.choices(TOKENS, k=draws.randint(1, 40)))
        )
        try:
            _read(READERS[name], path)
        except Exception as error:
            error.add_note(f"case {case}: {name} of {path.read_bytes()!r}")
            raise


PRODUCERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "deepeval": (irmeta.import_deepeval, "first.json"),
    "promptfoo": (irmeta.import_promptfoo, "out.json.gz"),
    "helm": (irmeta.import_helm, "per_instance_stats.json"),
    "lm-eval": (irmeta.import_lm_eval, "*.jsonl"),
    "eee": (irmeta.import_eee, "*.json"),
}
ODD = [None, True, {}, [], "", "x", [None], {"": None}, -1, 1e300, 10**400, "\ud800"]
_LEFT_OUT = object()


def _places(held: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value of a document, of lists to the first two."""
    inner: list[Any] = []
    if isinstance(held, dict):
        inner = list(held)
    elif isinstance(held, list):
        inner = list(range(min(len(held), 2)))
    return [path, *(one for key in inner for one in _places(held[key], (*path, key)))]


def _with(held: Any, path: tuple[Any, ...], value: object) -> Any:
    """Return a document with another value at one place, or with none there."""
    if not path:
        return value
    made = list(held) if isinstance(held, list) else dict(held)
    if len(path) == 1 and value is _LEFT_OUT:
        del made[path[0]]
    else:
        made[path[0]] = _with(held[path[0]], path[1:], value)
    return made


@pytest.mark.parametrize(
    "count", [60, pytest.param(400, marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("kind", PRODUCERS)
def test_one_value_of_another_kind(kind: str, count: int, tmp_path: Path) -> None:
    """A document of a producer with one value of another kind, or left out, is read or refused; nothing else."""
    read, pattern = PRODUCERS[kind]
    folder = shutil.copytree(
        Path(__file__).parent / "io/items/files" / kind, tmp_path / "x"
    )
    path = next(iter(sorted(folder.rglob(pattern))))
    first, *rest = bytes(read_bytes(path)).decode().strip().split("\n")
    lines = path.suffix == ".jsonl"
    held = json.loads(first if lines else "\n".join([first, *rest]))
    draws = random.Random(count)
    places = _places(held)[1:]
    for case in range(count):
        way, value = draws.choice(places), draws.choice([*ODD, _LEFT_OUT])
        text = json.dumps(_with(held, way, value))
        path.write_text("\n".join([text, *rest]) if lines else text)
        try:
            _read(read, folder)
        except Exception as error:
            error.add_note(f"case {case}: {value!r} at {way}")
            raise


NAMES = [
    *(
        "AP",
        "P",
        "nDCG",
        "RBP",
        "ERR",
        "Bpref",
        "@",
        "10",
        "0",
        "-1",
        "1e400",
        "(",
        ")",
        ",",
        "=",
    ),
    *(
        "rel",
        "p",
        "gains",
        "'exp'",
        '"',
        "'",
        "1if 1else 2",
        "{}",
        "lambda: 0",
        " ",
        "std.",
        "0x1",
    ),
    *(
        "depth",
        "True",
        "None",
        ".5",
        "\n",
        "\u0661",
        "__import__('os')",
        "9" * 30,
        "[",
        "*",
        "**a",
    ),
]


@pytest.mark.parametrize(
    "count", [2000, pytest.param(20_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_any_text_is_a_metric_or_an_error(count: int) -> None:
    """Texts of parts of metric names are read and print as what reads the same, or raise; nothing is warned of."""
    draws = random.Random(count)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(count):
            text = "".join(draws.choices(NAMES, k=draws.randint(1, 9)))
            with suppress(MetricError):
                parse_list(text)
            with suppress(MetricError):
                metric = parse(text)
                assert parse(str(metric)) == metric


UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
LETTERS = [
    *(
        "a",
        "é",
        "東",
        "\u0301",
        "\u200d",
        "\u202e",
        "\ud800",
        "\x1b[",
        "\x9b",
        "\n",
        "\r",
        "\0",
    ),
    *(
        "<",
        ">",
        "&",
        "&lt;",
        "`",
        "*",
        "_",
        "[",
        "]",
        "(",
        "|",
        "\\",
        "\\\\",
        "$",
        "%",
        "#",
        "{",
        "}",
    ),
    *(
        "^",
        "~",
        '"',
        "'",
        "=",
        "\U000e0041",
        "\ufeff",
        " ",
        "--a A",
        "irmeta a ",
        "x" * 400,
    ),
]


@pytest.mark.parametrize(
    "count", [2000, pytest.param(20_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_any_name_in_any_form(count: int) -> None:
    """Whatever a name holds, no form of it steers a terminal, opens an element or a group, or is without end."""
    draws = random.Random(count)
    for _ in range(count):
        name = "".join(draws.choices(LETTERS, k=draws.randint(1, 30)))
        for shown in (
            printable(name),
            markdown(name),
            latex(name),
            shortened(name, 80),
        ):
            assert not UNSEEN.search(shown), ascii(name)
        assert len(shortened(name, 80)) <= 80
        assert max(map(len, message(name).split()), default=0) <= 300
        assert message(message(name)) == message(name)
        assert not re.search(r"(?<!\\)(?:\\\\)*[<\[`|]", markdown(name)), ascii(name)
        bare = re.sub(r"\\[&%$#_{}]|\$(<|>|\\leq?)\$", "", latex(name))
        assert not re.search(r"[&%$#_^~]", bare), ascii(name)
        assert bare.count("{") == bare.count("}") == bare.count("{}"), ascii(name)
        folded(name)


VALUES: list[list[Any]] = [
    ["1", "1", "2"],
    ["a", "b", "a"],
    [1, 2, 3],
    [0.5, float("nan"), None],
    [True, False, True],
    [None, None, None],
    [[1], [2], [3]],
    [{"a": 1}, {"a": 2}, {"a": 3}],
    [b"a", b"b", b"c"],
    ["x" * 600, "", "-"],
    ["\x1b", "\u202e", "="],
    [10**15, -1, 0],
]
COLUMNS = [
    "query_id",
    "doc_id",
    "score",
    "relevance",
    "system",
    "topic",
    "metric",
    "qid",
    "x",
    "",
]


@pytest.mark.parametrize(
    "count", [400, pytest.param(3000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_any_frame_is_read_or_refused(count: int) -> None:
    """Frames, lazy ones and rows of any names and types are read, or refused with an error of ours."""
    draws = random.Random(count)
    for _ in range(count):
        names = draws.sample(COLUMNS, draws.randint(1, 5))
        held = {name: draws.choice(VALUES) for name in names}
        frame = pl.DataFrame(held, strict=False)
        given: Any = draws.choice(
            [
                frame,
                frame.lazy(),
                frame.rows(named=True),
                held,
                frame.select(pl.all().cast(pl.String, strict=False))
                if all(not one.is_nested() for one in frame.dtypes)
                else frame,
            ]
        )
        for read in (
            irmeta.from_frame,
            lambda one: irmeta.evaluate(JUDGED, {"r": one}, "AP"),
            lambda one: irmeta.evaluate(one, RAN, "AP"),
        ):
            try:
                with suppress(IrmetaError):
                    read(given)
            except Exception as error:
                error.add_note(f"{type(given)}: {held}")
                raise


LISTED = [
    *(
        "index.html",
        "../victim",
        "tables/../../victim",
        "/etc/passwd",
        "tables/x.csv",
        "tables",
    ),
    *(
        "..",
        ".",
        "",
        "tables/../index.html",
        "tables/..",
        "index.html/x",
        "tables//x.csv",
    ),
]


@pytest.mark.parametrize(
    "count", [200, pytest.param(2000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_any_folder_of_a_page_leaves_its_neighbours_alone(
    count: int, tmp_path: Path
) -> None:
    """Whatever lists, links and pipes a folder holds, a page that is written there changes nothing outside."""
    draws = random.Random(count)
    for case in range(count):
        root = tmp_path / str(case)
        (root / "page").mkdir(parents=True)
        (root / "other").mkdir()
        (root / "victim").write_text("mine")
        (root / "other" / "x.csv").write_text("mine")
        files = {
            name: draws.choice([None, "0" * 64, 5, []])
            for name in draws.sample(LISTED, 4)
        }
        (root / "page" / ".irmeta-report.json").write_text(json.dumps({"files": files}))
        kind = draws.choice(["link", "folder", "pipe", "file", "nothing"])
        if kind == "link":
            (root / "page" / "index.html").symlink_to("../victim")
        if kind == "folder":
            (root / "page" / "tables").symlink_to("../other")
        if kind == "pipe":
            os.mkfifo(root / "page" / "index.html")
        if kind == "file":
            (root / "page" / "index.html").write_text("mine")
        kept = Kept(root / "page", "report", r"index\.html|tables/[\w-][\w.-]*")
        with (
            suppress(IrmetaError),
            kept.making_folder(),
            kept.replacing_files(["index.html", "tables/x.csv"]) as write,
        ):
            write("tables/x.csv", "ours")
            write("index.html", "ours")
        assert (root / "victim").read_text() == "mine"
        assert (root / "other" / "x.csv").read_text() == "mine"
