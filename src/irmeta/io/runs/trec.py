"""Runs and judgments (qrels) as arrays: read fast where a file is regular, and line by line where it is not.

Ids are bytes and stay what they are (`007`, `NA`, `1e5`); nothing is repaired without being asked for or remarked upon.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from irmeta.errors import FileFormatError, Remark, require_fields
from irmeta.io.files import Content, Location, stem
from irmeta.io.runs.beir import read_table
from irmeta.io.runs.decimals import numbers
from irmeta.io.runs.fields import Columns, Strings, split
from irmeta.io.runs.objects import grades_by_topic
from irmeta.io.runs.rankings import (
    Qrels,
    Run,
    duplicates,
    grade_remarks,
    index_strings,
    qrels_from_frame,
    qrels_from_mapping,
    run_from_mapping,
    runs_from_frame,
    score_remarks,
)
from irmeta.io.strictly import number, parse_json
from irmeta.metrics.signatures import HIGHEST
from irmeta.stats.arrays import Floats, Indices, Ints
from irmeta.words import counted, reason

if TYPE_CHECKING:
    import polars as pl

SHOWN = 5
"""How many kinds of problems of one file an error shows."""
KEPT = 1000
"""How many problems of one file are kept; a file of something else has one on each of its lines."""
COMMENT = re.compile(rb"\n#[^\s#]")
"""Matches the beginning of a comment that may be a line of data, whose topic begins with `#`."""
_LINE = re.compile(rb"^(?!#)[^\n]*\S", re.MULTILINE)
"""Matches a text that has a line which is neither blank nor a comment."""
_BLANK = re.compile(rb"\n[ \t]*\n")
"""Matches a blank line and the end of the line before it: a search for such an end is quick."""
_RUN_LINE = re.compile(
    rb"^[ \t]*(?:\S+[ \t]+){4}[-+.\d][^\s,]*[ \t]+\S+[ \t]*$", re.MULTILINE
)
"""Matches a text that has a line of six fields, the fifth looking like a score."""


@dataclass(frozen=True)
class Reading:
    """What a reader accepts beyond the format: nothing unless the user asks for it.

    allow_missing_tag : accept run lines of 5 fields. extra_columns : ignore fields after the sixth of a run line.
    skip_header : skip a header line. allow_empty : accept an empty run, which scores 0. dedup : what to do where a list
    has a document twice: "error", keep the "first" line, or keep the "best" score. qrels_format : "trec", or "beir" for
    tables with a header line.
    """

    allow_missing_tag: bool = False
    extra_columns: bool = False
    skip_header: bool = False
    allow_empty: bool = False
    dedup: Literal["error", "first", "best"] = "error"
    qrels_format: Literal["trec", "beir"] = "trec"

    def __post_init__(self) -> None:
        require_fields(self)


RunOrQrels = TypeVar("RunOrQrels", Run, Qrels)


class Layout(NamedTuple):
    """Where the fields of a line stand."""

    noun: str
    names: tuple[str, ...]
    document: int
    value: int

    @property
    def width(self) -> int:
        """The number of fields."""
        return len(self.names)


RUN = Layout("run", ("topic", "Q0", "document", "rank", "score", "tag"), 2, 4)
_QRELS = Layout("qrels", ("topic", "iteration", "document", "grade"), 2, 3)
_BEIR = Layout("qrels", ("query-id", "corpus-id", "score"), 1, 2)
_STRAY = "this is not a run file (no line has 6 fields); remove it from the folder or pass a glob such as 'runs/*.gz'"
HEADER = 1 << 16
"""Bytes of a file in which a header of ir_metadata ends."""
_HEADERS = {
    b"qid",
    b"query",
    b"query-id",
    b"query_id",
    b"queryid",
    b"topic",
    b"topic_id",
    b"topicid",
}
"""First fields of header lines."""
_Line = tuple[int, list[bytes], float]
"""A line that was read: its number, its fields, and the score or grade in it."""


@dataclass
class _Rows:
    """The fields of a file that matter, and what there is to say about it; `line` is None until somebody needs it."""

    topic: Strings
    document: Strings
    value: Floats
    line: Ints | None = None
    ranks: Strings | None = None
    remarks: list[Remark] = field(default_factory=list)
    tag: str = ""

    def take(self, keep: Indices) -> "_Rows":
        """Keep the rows at these positions."""
        line = None if self.line is None else self.line[keep]
        ranks = None if self.ranks is None else self.ranks.take(keep)
        topic, document = self.topic.take(keep), self.document.take(keep)
        value = self.value[keep]
        return _Rows(topic, document, value, line, ranks, self.remarks, self.tag)


def read_run(
    path: Location, name: str | None = None, reading: Reading | None = None
) -> Run:
    """Read a run: topic, Q0, document, rank, score and tag on each line, or JSON of {topic: {document: score}}.

    It may also be a table of PyTerrier's columns qid, docno and score, as CSV, TSV, JSON lines or Parquet.

    name : the system; by default the file's name without compression suffix. A file that is not a run raises
    FileFormatError with its first problems, each with file and line.
    """
    return parse_run(
        Content(path), stem(path) if name is None else name, reading or Reading()
    )


def parse_run(content: Content, name: str, reading: Reading) -> Run:
    """Make a run of what its file holds; see `read_run`."""
    path = content.path
    table = read_table(content.data, path)
    if table is not None:
        return _run_from_table(table, content, name)
    text, remarks = normalized_text(content.data, path)
    looks_like_json = text[:64].lstrip().startswith(b"{")
    if looks_like_json and (not _RUN_LINE.search(text) or _is_json(text)):
        run = _from_json(text, path, partial(run_from_mapping, name=name), "score")
    elif _LINE.search(text):
        run = _run_from_lines(text, path, name, reading)
    else:
        run = run_from_mapping({}, name)
    hidden = _hidden_line_remarks(text, path, RUN)
    if not run.topics and not reading.allow_empty:
        hint = "did the run retrieve nothing? (--allow-empty)"
        raise _empty_file_error(path, hidden, hint)
    remarks += [*hidden, *run.remarks]
    metadata = metadata_of(text)
    return replace(run, remarks=remarks, digest=content.digest, metadata=metadata)


def metadata_of(text: bytes) -> str:
    r"""Return the YAML that a run file has in a header of ir_metadata; empty without one.

    Its lines begin with `#` and stand between `# ir_metadata.start` and `# ir_metadata.end`, at the beginning of the
    file and within 64 kB. Source: Breuer, Keller and Schaer (SIGIR 2022).

    >>> metadata_of(b"# ir_metadata.start\n# actor:\n#   team: ours\n# ir_metadata.end\n1 Q0 a 1 2.5 x\n")
    'actor:\n  team: ours\n'
    """
    if not text.startswith(b"#"):
        return ""
    header = takewhile(lambda line: line.startswith(b"#"), text[:HEADER].split(b"\n"))
    lines = [
        line[1:].decode("utf-8", "replace").removeprefix(" ").rstrip()
        for line in header
    ]
    if lines[0] != "ir_metadata.start" or "ir_metadata.end" not in lines:
        return ""
    inside = lines[1 : lines.index("ir_metadata.end")]
    return "".join(f"{line}\n" for line in inside)


def _run_from_lines(text: bytes, path: Location, name: str, reading: Reading) -> Run:
    """Make a run of the lines of a text."""
    rows, topics, topic = _distinct_rows(text, RUN, path, reading)
    remarks = [*score_remarks(rows.value, str(path)), *rows.remarks]
    fields = rows.document, rows.value, rows.ranks
    return Run(name, topics, topic, *fields, remarks, tag=rows.tag)


def _distinct_rows(
    text: bytes, layout: Layout, path: Location, reading: Reading
) -> tuple[_Rows, list[str], Indices]:
    """Read rows that repeat no document of a topic; return the distinct topics, and each row's index among them."""
    rows = _read_rows(text, layout, path, reading)
    topics, topic = index_strings(rows.topic)
    keep = _rows_to_keep(rows, topic, text, layout, path, reading)
    if keep is None:
        return rows, topics, topic
    return rows.take(keep), topics, topic[keep]


def read_qrels(path: Location, reading: Reading | None = None) -> Qrels:
    """Read relevance judgments: topic, iteration, document and grade on each line, or JSON as of runs.

    The JSON may also be a judgment list of OpenSearch, or a rank_eval request of Elasticsearch; a table of query-id,
    corpus-id and score may also be JSON lines or Parquet.

    A grade is a number; below zero means not judged, as trec_eval has it. Two grades for one document raise
    FileFormatError; the same grade twice is remarked upon.
    """
    reading = reading or Reading()
    content = Content(path)
    path = content.path
    data = content.data
    table = read_table(data, path)
    if table is not None:
        return _qrels_from_table(table, content)
    text, remarks = normalized_text(data, path)
    layout = _BEIR if reading.qrels_format == "beir" else _QRELS
    hidden = _hidden_line_remarks(text, path, layout)
    if not _LINE.search(text):
        raise _empty_file_error(path, hidden, "is it the qrels?")
    if text.lstrip().startswith((b"{", b"[")) and _is_json(text):
        qrels = _from_json(text, path, _qrels_of_json, "grade")
        remarks += qrels.remarks
        return replace(qrels, remarks=remarks, source=str(path), digest=content.digest)
    rows, topics, topic = _distinct_rows(text, layout, path, reading)
    remarks += [*hidden, *rows.remarks, *grade_remarks(rows.value, str(path))]
    if _BLANK.search(b"\n" + text):
        skipped = "blank lines were skipped (trec_eval refuses such a file)"
        remarks.append(Remark("warning", str(path), None, skipped))
    return Qrels(
        topics, topic, rows.document, rows.value, remarks, str(path), content.digest
    )


def normalized_text(text: bytes, path: Location) -> tuple[bytes, list[Remark]]:
    """Return a text with newlines as line ends and without byte order mark, and what there is to say of its bytes."""
    remarks: list[Remark] = []
    if text[257:262] == b"ustar" or text.startswith(b"PK\x03\x04"):
        raise FileFormatError(
            f"{path}: this is an archive; unpack it and pass the folder"
        )
    if b"\0" in text:
        raise FileFormatError(
            f"{path}: contains NUL bytes; is it UTF-16 or binary? Save it as UTF-8 text"
        )
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
        remarks.append(Remark("warning", str(path), 1, "byte order mark dropped"))
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not text.isascii() and not _is_utf8(text):
        remarks.append(not_utf8_remark(path))
    return text, remarks


def not_utf8_remark(path: Location) -> Remark:
    """Say that a file has bytes that are not UTF-8."""
    what = "not UTF-8; ids keep their bytes unchanged"
    return Remark("warning", str(path), None, what)


def has_hidden_lines(text: bytes) -> bool:
    """Say whether a text has a line, not its first, that is a comment and may be a line of data."""
    # most texts have no such byte, which is found ten times as fast
    return b"#" in text and COMMENT.search(text) is not None


def _hidden_line_remarks(text: bytes, path: Location, layout: Layout) -> list[Remark]:
    """Say how many lines are comments, to trec_eval, too, though they have all fields: a topic may begin with `#`."""
    if not (text.startswith(b"#") or has_hidden_lines(text)):
        return []
    more = rb"(?:[ \t]+\S+){%d}" % (layout.width - 1)
    found = re.findall(rb"(?m)^#[^\s#]\S*" + more + rb"[ \t]*$", text)
    if not found:
        return []
    count = counted(len(found), "line")
    what = (
        f"{count} of {layout.width} fields passed over as comments, since they begin with #, as in "
        f"{_excerpt(found[0])}; is this a topic's name? Give it another"
    )
    return [Remark("warning", str(path), None, what)]


def _empty_file_error(
    path: Location, hidden: list[Remark], hint: str
) -> FileFormatError:
    """Return the error of a file that has no data, and say which lines of it may be some."""
    return combined_error(
        hidden or [Remark("error", str(path), None, f"the file is empty; {hint}")]
    )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read_rows(text: bytes, layout: Layout, path: Location, reading: Reading) -> _Rows:
    """Read the rows of a text: all at once where its lines are regular, else line by line."""
    columns = split(text, layout.width)
    rows = None if columns is None else rows_of_columns(columns, layout, path)
    return rows or _read_line_by_line(text, layout, path, reading)


def rows_of_columns(columns: Columns, layout: Layout, path: Location) -> _Rows | None:
    """Take the columns of a file whose lines all have the right number of fields; None if a value is not a number."""
    try:
        values = numbers(columns[layout.value], _number)
    except ValueError:
        return None
    if layout is not RUN and not (np.abs(values) <= HIGHEST).all():
        return None
    rows = _Rows(columns[0], columns[layout.document], values)
    if layout is RUN:
        rows.ranks, rows.tag = columns[3], columns[5][0]
        if not columns[5].all_equal():
            rows.remarks.append(tag_remark(path))
    return rows


def tag_remark(path: Location) -> Remark:
    """Say that a run has several tags."""
    says = f"more than one run tag; the system is named {stem(path)}"
    return Remark("warning", str(path), None, says)


def _number(text: str) -> float:
    """Read a number that is not a plain decimal: exponents and infinities are numbers, `nan` and `1_000` are not."""
    value = number(text)
    if math.isnan(value):
        raise ValueError(text)
    return value


def _read_line_by_line(
    text: bytes, layout: Layout, path: Location, reading: Reading
) -> _Rows:
    """Read line by line; raise FileFormatError with the first problems, or accept what the user allows."""
    taken: list[_Line] = []
    errors: list[Remark] = []
    more = unfit = 0
    widths = set()
    last = text.count(b"\n") + 1
    for at, line, fields, is_header in _data_lines(text, layout, reading):
        widths.add(len(fields))
        try:
            fitted = _fields_of_line(fields, line, layout, reading, header=is_header)
            taken.append((at, fitted, _read_value(fitted[layout.value], layout)))
            unfit += len(fields) != layout.width
        except ValueError as error:
            if len(errors) == KEPT:
                more += 1
                continue
            problem = str(error)
            if taken and at == last and len(fields) < layout.width:
                problem = f"the file ends in the middle of a line, {_excerpt(line)}; copy or make it again"
            errors.append(Remark("error", str(path), at, problem))
    # a text, rather than a run that lacks something
    if layout is RUN and len(widths) > 2 and not taken:
        errors.insert(0, Remark("error", str(path), None, _STRAY))
    # something else, of which one line says enough
    if len(errors) > 1 and len(widths) == 1 and layout.width not in widths:
        every = (
            f"; all {len(errors) + more:,} lines have {counted(widths.pop(), 'field')}"
        )
        errors, more = [replace(errors[0], text=errors[0].text + every)], 0
    if errors:
        duplicated = _duplicate_errors(taken, layout, text, path, reading)
        raise combined_error([*errors, *duplicated], more)
    if not taken:
        raise FileFormatError(
            f"{path}: no {layout.noun} lines, only blank lines, comments or a header"
        )
    rows = _rows_of_lines(taken, layout, path)
    if unfit:
        what = f"{counted(unfit, 'line')} with a missing tag or extra columns accepted"
        rows.remarks.append(Remark("warning", str(path), None, what))
    return rows


def _data_lines(
    text: bytes, layout: Layout, reading: Reading
) -> Iterator[tuple[int, bytes, list[bytes], bool]]:
    """Yield the lines that are neither blank nor comments: number, line, fields, and whether it looks like a header."""
    first = True
    for at, line in enumerate(text.split(b"\n"), 1):
        fields = line.split()
        if not fields or line.startswith(b"#"):
            continue
        is_header = first and fields[0].lower() in _HEADERS
        first = False
        if not (is_header and (reading.skip_header or layout is _BEIR)):
            yield at, line, fields, is_header


def _duplicate_errors(
    taken: Sequence[_Line],
    layout: Layout,
    text: bytes,
    path: Location,
    reading: Reading,
) -> Sequence[Remark]:
    """Return the errors of documents that are repeated on lines that are right by themselves."""
    if not taken:
        return ()
    rows = _rows_of_lines(taken, layout, path)
    _, topic = index_strings(rows.topic)
    try:
        _rows_to_keep(rows, topic, text, layout, path, reading)
    except FileFormatError as error:
        return error.remarks
    return ()


def _rows_of_lines(taken: Sequence[_Line], layout: Layout, path: Location) -> _Rows:
    """Put lines that were read into columns."""
    line_numbers, lines, values = zip(*taken, strict=True)
    topic = _strings_of_field(lines, 0)
    document = _strings_of_field(lines, layout.document)
    rows = _Rows(topic, document, np.array(values), np.array(line_numbers))
    if layout is RUN:
        rows.ranks = _strings_of_field(lines, 3)
        tags = list(dict.fromkeys(fields[5] for fields in lines if fields[5]))
        rows.tag = next(iter(tags), b"").decode("utf-8", "surrogateescape")
        if len(tags) > 1:
            rows.remarks.append(tag_remark(path))
    return rows


def _strings_of_field(lines: Sequence[Sequence[bytes]], which: int) -> Strings:
    """Return one field of each line."""
    return Strings.of(
        [fields[which].decode("utf-8", "surrogateescape") for fields in lines]
    )


def _fields_of_line(
    fields: list[bytes], line: bytes, layout: Layout, reading: Reading, *, header: bool
) -> list[bytes]:
    """Return the fields of a line if it has the right number of them, or the user allows this number."""
    count = len(fields)
    width = layout.width
    if header:
        is_beir = count == 3 and layout is _QRELS
        hint = "--qrels-format beir" if is_beir else "--skip-header"
        raise ValueError(f"looks like a header line: {_excerpt(line)} ({hint})")
    if count == width or (count > width and layout is RUN and reading.extra_columns):
        return fields
    if count == width - 1 and layout is RUN and reading.allow_missing_tag:
        return [*fields, b""]
    raise ValueError(
        f"{counted(count, 'field')}, but a {layout.noun} line has {width} ({' '.join(layout.names)}): "
        f"{_excerpt(line)}{_hint(fields, line, layout)}"
    )


def _hint(fields: list[bytes], line: bytes, layout: Layout) -> str:
    """Guess why a line has the wrong number of fields, and say how to mend it."""
    count = len(fields)
    width = layout.width
    if line.lstrip().startswith(b"<"):
        return "; is this a web page? The URL of a folder ends with /"
    if b"\xc2\xa0" in line:
        return (
            "; it has a no-break space (U+00A0), which does not separate fields; replace it with a "
            "blank"
        )
    if count == 1 and b"," in line:
        return "; fields are separated by blanks or tabs, not commas"
    if (
        layout is RUN
        and count in (width - 1, _QRELS.width)
        and not _ends_in_number(fields)
    ):
        return "; is this a line of text?"
    if layout is RUN and count == width - 1:
        return "; is the run tag missing? (--allow-missing-tag)"
    if layout is RUN and count > width:
        return "; does a document id contain a blank? To ignore trailing columns: --extra-columns"
    if layout is RUN and count == _QRELS.width:
        return (
            "; is the line cut off? Copy or make the run again. Is it one of judgments? Name their file first, before "
            "the runs"
        )
    if layout is not RUN and count == RUN.width:
        return "; is this a line of a run? Name the judgments first, then the runs"
    if layout is _QRELS and count == 3:
        return (
            "; is the second column missing? For tables with a header query-id, corpus-id, score: "
            "--qrels-format beir"
        )
    return ""


def _ends_in_number(fields: list[bytes]) -> bool:
    """Say whether a short line ends as one of a run without its tag, or of judgments: in a number."""
    try:
        number(fields[-1].decode("ascii"))
    except ValueError:
        return False
    return True


def _read_value(text: bytes, layout: Layout) -> float:
    """Read a score or a grade."""
    shown = _excerpt(text)
    what = layout.names[layout.value]
    try:
        value = _number(text.decode("ascii"))
    except ValueError:
        if text.lower() == b"nan":
            raise ValueError(
                f"the {what} is {shown}, which cannot be ranked; leave the document out"
            ) from None
        comma = "; write decimals with a point" if b"," in text else ""
        raise ValueError(f"the {what} {shown} is not a number{comma}") from None
    if layout is not RUN and abs(value) > HIGHEST:
        raise ValueError(f"the {what} {shown} is too large for a grade (at most 2^31)")
    return value


def _excerpt(text: bytes) -> str:
    """Quote a text for a message: its first 80 bytes, in ASCII."""
    start = ascii(text[:80].decode("utf-8", "backslashreplace").rstrip())
    return start if len(text) <= 80 else f"{start}..."


def _rows_to_keep(
    rows: _Rows,
    topic: Indices,
    text: bytes,
    layout: Layout,
    path: Location,
    reading: Reading,
) -> Indices | None:
    """Say which rows to keep where documents are repeated (None: all); raise unless the repetition is harmless."""
    repeated, original = duplicates(topic, rows.document)
    if not repeated.size:
        return None
    judged = layout is not RUN
    if judged:
        equal = rows.value[repeated] == rows.value[original]
    else:
        equal = np.zeros(repeated.size, dtype=np.bool_)
    wrong = ~equal if judged or reading.dedup == "error" else equal
    if wrong.any():
        line = _line_numbers(text) if rows.line is None else rows.line
        pairs = repeated[wrong], original[wrong]
        raise combined_error(
            _duplicate_remarks(rows, line, *pairs, path, judged=judged)
        )
    drop = repeated
    lines = counted(repeated.size, "line")
    if judged:
        what = f"dropped {lines} with a repeated judgment"
    elif reading.dedup == "first":
        what = f"dropped {lines} with a repeated document; the first is kept"
    else:
        drop = _duplicates_but_best(rows.value, repeated, original)
        what = f"dropped {lines} with a repeated document; the best score is kept"
    rows.remarks.append(Remark("warning", str(path), None, what))
    return np.setdiff1d(np.arange(topic.size), drop)


def _duplicates_but_best(values: Floats, repeated: Ints, original: Ints) -> Ints:
    """Return the rows to drop of each repeated document: all but the one with the highest score, the first if tied."""
    firsts = np.unique(original)
    row = np.concatenate([firsts, repeated])
    owner = np.concatenate([firsts, original])  # the first row of the same document
    # document by document, the best score first, of equal scores the earlier row
    order = np.lexsort((row, -values[row], owner))
    same_document = np.diff(owner[order], prepend=-1) == 0
    drop: Ints = row[order][same_document]
    return drop


def _line_numbers(text: bytes) -> Ints:
    """Return the number of each line of data, (row,)."""
    lines = enumerate(text.split(b"\n"), 1)
    return np.array(
        [at for at, line in lines if line.strip() and not line.startswith(b"#")]
    )


def _duplicate_remarks(
    rows: _Rows,
    line: Ints,
    repeated: Ints,
    original: Ints,
    path: Location,
    *,
    judged: bool,
) -> list[Remark]:
    """Return the error of each row that repeats a document, line by line; `original` are the first rows of these."""
    remarks = []
    for later, first in sorted(zip(repeated.tolist(), original.tolist(), strict=True)):
        problem = f"document {rows.document[later]!r} of topic {rows.topic[later]!r} also stands on line {line[first]}"
        if judged:
            grade, grade_here = rows.value[first], rows.value[later]
            problem += f" with grade {grade:g}, here with grade {grade_here:g}; remove one of them"
        else:
            problem += "; a ranking has each document once: keep one of the lines (--dedup first or best)"
        remarks.append(Remark("error", str(path), int(line[later]), problem))
    return remarks


def combined_error(remarks: Sequence[Remark], more: int = 0) -> FileFormatError:
    """Make one error of a file's problems; it shows the first of each kind and says how many there are.

    more : how many there are beyond those.
    """
    path = remarks[0].path
    counts = Counter(remark.kind for remark in remarks)
    first = {remark.kind: remark for remark in reversed(remarks)}
    shown = list(counts)[:SHOWN]
    lines = [f"{first[kind]}{_on_lines(counts[kind])}" for kind in shown]
    left = len(remarks) + more - sum(counts[kind] for kind in shown)
    if left:
        lines.append(f"{path}: and {counted(left, 'more problem')} like these")
    if more:
        rest = Remark("error", path, None, f"{more:,} more lines like these")
        remarks = [*remarks, rest]
    return FileFormatError("\n".join(lines), remarks)


def _on_lines(lines: int) -> str:
    """Say on how many lines the same is wrong."""
    return f"; {lines} lines have this problem" if lines > 1 else ""


def _is_json(text: bytes) -> bool:
    """Say whether a text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _qrels_of_json(held: Any) -> Qrels:
    """Make judgments of JSON in one of the forms that `read_qrels` takes."""
    return qrels_from_mapping(grades_by_topic(held))


def _qrels_from_table(table: "pl.DataFrame", content: Content) -> Qrels:
    """Make judgments of the table that a file holds."""
    path = str(content.path)
    if "rank" in table.columns:
        raise FileFormatError(
            f"{path}: a run, as it has ranks; name the judgments first, then the runs"
        )
    try:
        qrels = qrels_from_frame(table)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error
    return replace(qrels, source=path, digest=content.digest)


def _run_from_table(table: "pl.DataFrame", content: Content, name: str) -> Run:
    """Make a run of the table that a file holds."""
    try:
        run, *others = runs_from_frame(table, name)
    except FileFormatError as error:
        raise FileFormatError(f"{content.path}: {error}") from error
    if others:
        raise FileFormatError(
            f"{content.path}: {1 + len(others)} runs in a table ({run.name}, {others[0].name}, ...); write a file for "
            "each"
        )
    return replace(run, name=name, digest=content.digest)


def _from_json(
    text: bytes, path: Location, make: Callable[[Any], RunOrQrels], value: str
) -> RunOrQrels:
    """Make a run or judgments from JSON."""
    try:
        return make(parse_json(text))
    except (ValueError, RecursionError, FileFormatError) as error:
        raise FileFormatError(
            f"{path}: not JSON of the form {{topic: {{document: {value}}}}} ({reason(error)})"
        ) from error
