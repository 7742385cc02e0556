"""Forty-three odd inputs, numbered by the list they come from: accepted, accepted with a remark, or refused.

Accepted means: the same scores as from the clean files. Refused means: an error with file and line, what stood there,
what was expected, and how to mend it.
"""

import bz2
import gzip
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
import zstandard

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.evaluation.engine import evaluate
from irmeta.io.runs.trec import Reading, read_qrels, read_run
from irmeta.scores.attributes import about
from irmeta.studies.checks.validation import validate

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 0\n"
RUN = "1 Q0 a 1 3.0 tag\n1 Q0 b 2 2.0 tag\n1 Q0 c 3 1.0 tag\n2 Q0 a 1 2 tag\n2 Q0 d 2 1 tag\n"
METRICS = "AP nDCG P@1 NumRet Bpref RBP(p=0.5)"


class Desk:
    """A folder with the clean files, where each test puts its odd one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.qrels = self.put("qrels", QRELS)
        self.run = self.put("ok.run", RUN)
        self.clean = self.scores()

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def scores(
        self,
        run: str | bytes | None = None,
        qrels: str | bytes | None = None,
        **reading: object,
    ) -> np.ndarray:
        """Score a run and qrels (the clean ones where none is given): (topic, metric); keep the notes."""
        run_path = self.run if run is None else self.put("odd.run", run)
        qrels_path = self.qrels if qrels is None else self.put("odd.qrels", qrels)
        cube = evaluate(qrels_path, run_path, METRICS, reading=Reading(**reading))
        self.notes = "\n".join(about(cube)["notes"])
        return cube.values[0]

    def same(
        self,
        run: str | bytes | None = None,
        qrels: str | bytes | None = None,
        **reading: object,
    ) -> bool:
        return np.array_equal(self.scores(run, qrels, **reading), self.clean)

    def refusal(
        self,
        run: str | bytes | None = None,
        qrels: str | bytes | None = None,
        **reading: object,
    ) -> str:
        with pytest.raises(FileFormatError) as error:
            self.scores(run, qrels, **reading)
        return str(error.value).replace(f"{self.folder}/", "")

    def problems(self, run: str | bytes) -> str:
        """Validate a run and give the problems as lines `level file line text`."""
        outcome = validate(self.qrels, self.put("odd.run", run))
        columns = [
            outcome[name].values.tolist() for name in ("level", "file", "line", "text")
        ]
        return "\n".join(
            f"{level} {Path(file).name} {text}"
            for level, file, _, text in zip(*columns, strict=True)
        )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_clean_files(desk: Desk) -> None:
    """trec_eval gives the clean files map .9167, ndcg .8801 and P_1 1, and so do we, without a warning."""
    assert desk.clean[:, :3].mean(axis=0).round(4).tolist() == [0.9167, 0.8801, 1.0]
    assert "odd.run" not in desk.notes
    assert read_run(desk.run).remarks == []
    assert read_qrels(desk.qrels).remarks == []


@pytest.mark.parametrize("blank", ["\t", "   ", " \t "])
@pytest.mark.parametrize("before", ["", "  ", "\t"])
def test_01_blanks(desk: Desk, blank: str, before: str) -> None:
    """1: tabs, several blanks, and blanks before the first field separate like one blank, in runs and qrels."""
    assert desk.same(
        before + RUN.replace(" ", blank).replace("\n", f"\n{before}").rstrip(" \t")
    )
    assert desk.same(
        qrels=before
        + QRELS.replace(" ", blank).replace("\n", f" \n{before}").rstrip(" \t")
    )


def test_02_missing_tag(desk: Desk) -> None:
    """2: five fields are refused, saying what is likely missing; --allow-missing-tag takes them with a remark."""
    without = RUN.replace("1 Q0 b 2 2.0 tag", "1 Q0 b 2 2.0")
    said = desk.refusal(without)
    assert said == (
        "odd.run:2: 5 fields, but a run line has 6 (topic Q0 document rank score tag): '1 Q0 b 2 2.0'; "
        "is the run tag missing? (reading=irmeta.Reading(allow_missing_tag=True))"
    )
    assert "odd.run:1: 5 fields" in desk.refusal(
        RUN.replace(" tag", "").replace("\n", "\r\n")
    )
    assert desk.same(without, allow_missing_tag=True)
    assert "odd.run: 1 line with a missing tag or extra columns accepted" in desk.notes
    assert desk.same(RUN.replace(" tag", ""), allow_missing_tag=True)
    assert "5 lines with a missing tag" in desk.notes
    assert "more than one run tag" not in desk.notes


def test_03_extra_columns(desk: Desk) -> None:
    """3: seven fields are refused, for an id with a blank shifts the score; --extra-columns takes them."""
    extra = RUN.replace("3.0 tag", "3.0 tag extra")
    said = desk.refusal(extra)
    assert said.startswith("odd.run:1: 7 fields, but a run line has 6")
    assert "a document id contain a blank?" in said
    assert "extra_columns=True" in said
    assert desk.same(extra, extra_columns=True)
    assert "1 line with a missing tag or extra columns" in desk.notes
    assert desk.refusal(RUN.replace(" b ", " b b ")).startswith("odd.run:2: 7 fields")
    assert desk.refusal(RUN.replace("2.0 tag", "tag"), extra_columns=True).startswith(
        "odd.run:2: 5 fields"
    )


def test_04_qrels_of_five_columns(desk: Desk) -> None:
    """4: a fifth column of qrels is refused, whatever the options for runs."""
    said = desk.refusal(qrels=QRELS.replace("\n", " x\n"), extra_columns=True)
    assert said.startswith(
        "odd.qrels:1: 5 fields, but a qrels line has 4 (topic iteration document grade): '1 0 a 1 x'"
    )


def test_05_three_columns_and_beir(desk: Desk) -> None:
    """5: three columns of qrels are refused; BEIR's header is known and --qrels-format beir offered, which reads it."""
    said = desk.refusal(
        qrels=QRELS.replace(" 0 ", " ").replace("b", "b 0").replace("d", "d 0")
    )
    assert said.startswith("odd.qrels:1: 3 fields, but a qrels line has 4")
    assert "is the second column missing?" in said
    beir = "query-id\tcorpus-id\tscore\n" + "".join(
        f"{topic}\t{document}\t{grade}\n"
        for topic, _, document, grade in map(str.split, QRELS.splitlines())
    )
    said = desk.refusal(qrels=beir)
    assert (
        "odd.qrels:1: looks like a header line: 'query-id\\tcorpus-id\\tscore' "
        "(reading=irmeta.Reading(qrels_format='beir'))" in said
    )
    assert desk.same(qrels=beir, qrels_format="beir")
    assert desk.same(qrels=beir.partition("\n")[2], qrels_format="beir")
    assert (
        "4 fields, but a qrels line has 3 (query-id corpus-id score):"
        in desk.refusal(qrels_format="beir")
    )


def test_06_no_final_newline(desk: Desk) -> None:
    """6: the last line counts without its newline."""
    assert desk.same(RUN.rstrip("\n"), QRELS.rstrip("\n"))


@pytest.mark.parametrize("blank", ["\n\n", "\n  \n", "\n\t\n\n"])
def test_07_and_08_blank_lines(desk: Desk, blank: str) -> None:
    """7, 8: blank lines count for nothing in a run, and neither in qrels, where they are remarked upon."""
    assert desk.same(RUN.replace("\n", blank))
    assert "blank lines" not in desk.notes
    assert desk.same(qrels=QRELS.replace("\n", blank))
    assert (
        "odd.qrels: blank lines were skipped (trec_eval refuses such a file)"
        in desk.notes
    )
    assert desk.same(qrels=QRELS + "\n")
    assert "blank lines were skipped" in desk.notes


def test_09_comments(desk: Desk) -> None:
    """9: `#` at the start of a line begins a comment, several in a row too; elsewhere it is a character of an id."""
    assert desk.same(
        "# one\n#two\n" + RUN.replace("2 Q0 a", "# a b c d e\n2 Q0 a"),
        "# c\n# d\n" + QRELS + "#",
    )
    hashed = {" a ": " a#1 ", " b ": " #b "}
    run, qrels = RUN, QRELS
    for old, new in hashed.items():
        run, qrels = run.replace(old, new), qrels.replace(old, new)
    assert desk.same(run, qrels)
    assert desk.same(RUN.replace("1 Q0", " #1 Q0"), QRELS.replace("1 0", " #1 0"))


def test_09_topics_that_begin_as_comments_do(desk: Desk) -> None:
    """9: lines that begin with `#` are comments, as for trec_eval; that some have all fields of a line is said."""
    run, qrels = "#1 Q0 a 1 3.0 tag\n", "#1 0 a 1\n#1 0 b 0\n"
    assert desk.same(run + RUN, qrels + QRELS)
    assert "odd.run: 1 line of 6 fields passed over as comments" in desk.notes
    assert "odd.qrels: 2 lines of 4 fields passed over as comments" in desk.notes
    assert desk.same("# 1 Q0 a 1 tag\n## Q0 a 1 3 tag\n" + RUN, "# 1 0 a\n" + QRELS)
    assert "passed over" not in desk.notes
    assert "1 line of 6 fields passed over" in desk.refusal(run)
    assert "2 lines of 4 fields passed over" in desk.refusal(qrels=qrels)


@pytest.mark.parametrize(
    "header",
    ["qid Q0 docno rank score tag", "Query\titer\tdoc\trank\tsim\trun", "topic x y"],
)
def test_10_header(desk: Desk, header: str) -> None:
    """10: a header line is refused as one, even where its score would be a number; --skip-header skips it."""
    said = desk.refusal(f"{header}\n{RUN}")
    assert (
        said
        == f"odd.run:1: looks like a header line: {header!r} (reading=irmeta.Reading(skip_header=True))"
    )
    assert desk.same(f"# comment\n{header}\n{RUN}", skip_header=True)
    assert desk.same(RUN, skip_header=True)
    said = desk.refusal(qrels="query_id 0 doc_id relevance\n" + QRELS)
    assert "odd.qrels:1: looks like a header line" in said
    assert "skip_header=True" in said
    assert desk.same(qrels="query_id 0 doc_id relevance\n" + QRELS, skip_header=True)


def test_10_what_is_read_after_a_header(desk: Desk) -> None:
    """10: with --skip-header ranks and tags are looked at as ever."""
    odd = "qid Q0 docno rank score tag\n" + RUN.replace("1 3.0", "9 3.0").replace(
        "1 tag", "1 other"
    )
    desk.scores(odd, skip_header=True)
    assert "1 run with ranks that contradict the scores" in desk.notes
    assert "odd.run: more than one run tag" in desk.notes


def test_11_duplicate_documents(desk: Desk) -> None:
    """11: a document twice in a topic is refused with both lines; --dedup keeps the first or the best-scored."""
    twice = RUN + "1 Q0 c 4 9 tag\n"
    said = desk.refusal(twice)
    assert said == (
        "odd.run:6: document 'c' of topic '1' also stands on line 3; a ranking has each document once: keep one of "
        "the lines (reading=irmeta.Reading(dedup='first') or best)"
    )
    assert desk.same(twice, dedup="first")
    assert (
        "odd.run: dropped 1 line with a repeated document; the first is kept"
        in desk.notes
    )
    best = desk.scores(RUN.replace("c 3 1.0", "c 3 9"))
    assert np.array_equal(desk.scores(twice, dedup="best"), best)
    assert "with a repeated document; the best score is kept" in desk.notes
    assert desk.same(RUN + "1 Q0 a 1 3.0 tag\n", dedup="best")


def test_11_lines_of_duplicates(desk: Desk) -> None:
    """11: comments, blank lines and a header before it do not shift the lines that are named."""
    odd = (
        "# c\n\nqid Q0 docno rank score tag\n"
        + RUN
        + "\n1 Q0 a 9 0.1 tag\n1 Q0 b 10 0.1 tag\n"
    )
    said = desk.refusal(odd, skip_header=True)
    assert "odd.run:10: document 'a' of topic '1' also stands on line 4" in said
    assert said.endswith("; 2 lines have this problem")
    regular = desk.refusal("# c\n" + RUN + "2 Q0 d 3 0 tag\n")
    assert regular.startswith(
        "odd.run:7: document 'd' of topic '2' also stands on line 6"
    )


def test_12_duplicate_judgments(desk: Desk) -> None:
    """12: a document judged twice is refused where the grades differ, and dropped with a remark where they agree."""
    said = desk.refusal(qrels=QRELS + "1 0 a 0\n")
    assert said == (
        "odd.qrels:6: document 'a' of topic '1' also stands on line 1 with grade 1, here with "
        "grade 0; remove one of them"
    )
    assert desk.same(qrels=QRELS + "1 5 a 1.0\n")
    assert "odd.qrels: dropped 1 line with a repeated judgment" in desk.notes


@pytest.mark.parametrize("score", ["nan", "NaN", "NAN"])
def test_13_nan(desk: Desk, score: str) -> None:
    """13: a score that is not a number has no place in a ranking."""
    said = desk.refusal(RUN.replace("2.0", score))
    assert said == (
        f"odd.run:2: the score is {score!r}, which cannot be ranked; leave the document out"
    )


def test_14_infinities(desk: Desk) -> None:
    """14: infinite scores rank first and last, with a remark, for equal ones are ties."""
    assert desk.same(RUN.replace("1.0", "-inf").replace("3.0", "Infinity"))
    assert "odd.run: 2 infinite scores; documents with equal ones tie" in desk.notes


def test_15_exponents(desk: Desk) -> None:
    """15: exponents are numbers."""
    assert desk.same(
        RUN.replace("3.0", "1e5").replace("2.0", "+2.0E-3").replace("1.0", "1E-8")
    )


@pytest.mark.parametrize(
    "score",
    ["9,5", "abc", "1_000", "0x1A", "1.2.3", "--1", "1e", "٣", "½", "-", ".", "1.5f"],
)
def test_16_text_for_a_score(desk: Desk, score: str) -> None:
    """16: a score that is no number is refused, and a comma for a point is named."""
    said = desk.refusal(RUN.replace("1.0", score))
    assert said.startswith("odd.run:3: the score ")
    assert "is not a number" in said
    assert ("write decimals with a point" in said) == ("," in score)


def test_16_empty_score(desk: Desk) -> None:
    """16: an empty score is a missing field."""
    assert desk.refusal(RUN.replace("2.0", "")).startswith("odd.run:2: 5 fields")
    assert "odd.run:2: the score 'tag' is not a number" in desk.refusal(
        RUN.replace("2.0", ""), allow_missing_tag=True
    )


def test_17_ranks(desk: Desk) -> None:
    """17: ranks are ignored, from 0 or with gaps or against the scores; the last is remarked upon, and loudly."""
    fine = (
        RUN.replace("a 1", "a 0")
        .replace("b 2", "b 7")
        .replace("c 3", "c 10")
        .replace("d 2", "d 1")
    )
    assert desk.same(fine)
    assert "ranks" not in desk.notes
    partly = RUN.replace("a 1 3.0", "a 2 3.0").replace("b 2", "b 1")
    assert desk.same(partly)
    assert (
        "1 run with ranks that contradict the scores; ranks are ignored: odd"
        in desk.notes
    )
    assert (
        "warning odd.run ranks and scores disagree in 1 of 2 topics; ranks are ignored"
        in desk.problems(partly)
    )
    against = RUN.replace("a 1", "a 3").replace("c 3", "c 1").replace("d 2", "d 1")
    assert "warning odd.run ranks contradict scores in 2 of 2 topics" in desk.problems(
        against
    )


def test_18_byte_order_mark(desk: Desk) -> None:
    """18: a byte order mark is dropped with a remark."""
    assert desk.same(b"\xef\xbb\xbf" + RUN.encode(), b"\xef\xbb\xbf" + QRELS.encode())
    assert "odd.run:1: byte order mark dropped" in desk.notes
    assert "odd.qrels:1: byte order mark dropped" in desk.notes


@pytest.mark.parametrize("end", ["\r\n", "\r", "\r\r\n"])
def test_19_and_20_other_line_ends(desk: Desk, end: str) -> None:
    """19, 20: lines may end as on Windows or on an old Mac."""
    assert desk.same(RUN.replace("\n", end), QRELS.replace("\n", end))
    assert desk.same(RUN.replace("tag\n1", f"tag{end}1"))
    assert "more than one run tag" not in desk.notes


def test_21_bytes_that_are_not_utf8(desk: Desk) -> None:
    """21: ids keep bytes that are not UTF-8, with a remark, and match their like."""
    latin = {
        name: text.replace(" b ", " \u00e9\u00ff ").encode("latin-1")
        for name, text in (("r", RUN), ("q", QRELS))
    }
    assert desk.same(latin["r"], latin["q"])
    assert "odd.run: not UTF-8; ids keep their bytes unchanged" in desk.notes
    assert "odd.qrels: not UTF-8" in desk.notes
    assert desk.same(RUN.replace(" b ", " ü文 "), QRELS.replace(" b ", " ü文 "))
    assert "UTF-8" not in desk.notes


def test_22_no_break_space(desk: Desk) -> None:
    """22: a no-break space separates nothing, and the refusal names it."""
    said = desk.refusal(RUN.replace("1 Q0 b", "1\u00a0Q0 b"))
    assert said.startswith("odd.run:2: 5 fields")
    assert "no-break space (U+00A0)" in said


def test_23_utf16_and_nul(desk: Desk) -> None:
    """23: UTF-16 and other files with NUL bytes are refused as that."""
    for odd in (
        RUN.encode("utf-16"),
        RUN.encode("utf-16-be"),
        RUN.encode().replace(b" b ", b" b\x00x "),
    ):
        assert (
            desk.refusal(odd)
            == "odd.run: contains NUL bytes; is it UTF-16 or binary? Save it as UTF-8 text"
        )
    assert "odd.qrels: contains NUL bytes" in desk.refusal(qrels=QRELS.encode("utf-16"))


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        bz2.compress,
        lzma.compress,
        zstandard.ZstdCompressor(write_checksum=True).compress,
    ],
)
def test_24_packed_files(desk: Desk, pack) -> None:
    """24: packed files are told by their content, and oddities inside are treated as ever."""
    assert desk.same(pack(RUN.encode()), pack(QRELS.encode()))
    assert desk.same(pack(b"\xef\xbb\xbf" + RUN.replace("\n", "\r\n").encode()))
    assert desk.refusal(pack(RUN.replace(" tag", "").encode())).startswith(
        "odd.run:1: 5 fields"
    )
    assert "the file is empty" in desk.refusal(pack(b""))


@pytest.mark.parametrize("empty", ["", "\n\n", " \t\n", "# nothing\n\n", "\ufeff"])
def test_25_and_26_empty_files(desk: Desk, empty: str) -> None:
    """25, 26: empty qrels are refused; an empty run too, unless --allow-empty says that it scores 0."""
    assert desk.refusal(qrels=empty) == "odd.qrels: the file is empty; is it the qrels?"
    assert (
        desk.refusal(empty)
        == "odd.run: the file is empty; did the run retrieve nothing? (reading=irmeta.Reading(allow_empty=True))"
    )
    assert not desk.scores(empty, allow_empty=True).any()
    assert "odd lacks 2 of 2 topics (score 0): 1, 2" in desk.notes
    assert "the file is empty" in desk.refusal(qrels=empty, allow_empty=True)


def test_27_json(desk: Desk) -> None:
    """27: a JSON run is told by its content; repeated or wrong entries are refused."""
    run = '{"1": {"a": 3.0, "b": 2.0, "c": 1}, "2": {"a": 2, "d": 1}}'
    assert desk.same(run)
    assert desk.same(gzip.compress(run.encode()))
    assert desk.same(b"\xef\xbb\xbf\n" + run.encode())
    assert "odd.run:1: byte order mark dropped" in desk.notes
    assert "the file is empty" in desk.refusal("{}")
    assert not desk.scores("{}", allow_empty=True).any()
    wrong = {
        '{"1": {"a": 3, "a": 2}}': "'a' occurs twice",
        '{"1": {"a": 3}, "1": {"b": 2}}': "'1' occurs twice",
        '{"1": {"a": NaN}}': "NaN",
        '{"1": {"a": null}}': "NoneType",
        '{"1": {"a": "x"}}': "'x'",
        '{"1": ["a", "b"]}': "list",
        '{"1": {"a": 1}': "delimiter",
        '{"a":' * 9000: "nested too deeply|Expecting value",
    }
    for text, says in wrong.items():
        said = desk.refusal(text)
        assert said.startswith(
            "odd.run: not JSON of the form {topic: {document: score}}"
        )
        assert re.search(says, said)


def test_27_json_or_lines(desk: Desk) -> None:
    """27: a topic may begin with a brace: what is no JSON and has lines of a run is read line by line."""
    run, qrels = (re.sub("(?m)^1", "{1}", text) for text in (RUN, QRELS))
    assert desk.same(run, qrels)
    assert desk.refusal("{1} Q0 a\n" + run, qrels).startswith("odd.run:1: 3 fields")
    assert desk.same('{ "1" :{"a" : 3 ,\n"b": 2, "c": 1}, "2": {"a": 2, "d": 1}}')


def test_27_csv_and_quotes(desk: Desk) -> None:
    """27: CSV is refused as that; quotes are part of an id, and ids that all miss the qrels' are remarked upon."""
    said = desk.refusal(RUN.replace(" ", ","))
    assert said.startswith("odd.run:1: 1 field")
    assert "separated by blanks or tabs, not commas" in said
    quoted = "".join(
        f'{t} Q0 "{d}" {r} {s} tag\n'
        for t, _, d, r, s, _ in map(str.split, RUN.splitlines())
    )
    assert not desk.scores(quoted)[:, :3].any()
    assert (
        "1 run without any judged document; do their ids match those of the qrels? odd"
        in desk.notes
    )
    assert desk.same(RUN.replace(" b ", ' "b '), QRELS.replace(" b ", ' "b '))


def test_28_topics_that_are_not_judged(desk: Desk) -> None:
    """28: topics of the run that are not judged count for nothing, and are counted aloud."""
    assert desk.same("9 Q0 a 1 1 tag\n" + RUN + "8 Q0 a 1 1 tag\n")
    assert "1 run with topics that are not judged, which are ignored: odd" in desk.notes
    assert "warning odd.run 2 of its 4 topics are not judged" in desk.problems(
        "9 Q0 a 1 1 tag\n" + RUN + "8 Q0 a 1 1 tag\n"
    )


def test_29_topics_that_the_run_lacks(desk: Desk) -> None:
    """29: a judged topic that the run lacks scores 0, and is named."""
    scores = desk.scores(
        "".join(line + "\n" for line in RUN.splitlines() if line.startswith("1"))
    )
    assert np.array_equal(scores[0], desk.clean[0])
    assert not scores[1].any()
    assert (
        "2 judged topics: 1 in every run, 1 in at least one; 2 scored (--topics qrels)"
        in desk.notes
    )
    assert "odd lacks 1 of 2 topics (score 0): 2" in desk.notes


def test_30_no_common_topic(desk: Desk) -> None:
    """30: a run without any judged topic is refused with examples of both sides, and a prefix or zeros are told."""
    said = desk.refusal(RUN.replace("1 Q0", "x1 Q0").replace("2 Q0", "x2 Q0"))
    assert said == (
        "odd.run: none of its topics is judged (it has 'x1', 'x2', the qrels have '1', '2'); "
        "they differ by 'x' in front, without which 2 would match; write both the same way"
    )
    said = desk.refusal(RUN.replace("1 Q0", "301 Q0").replace("2 Q0", "302 Q0"))
    assert said.endswith("do run and qrels belong to the same collection?")
    said = desk.refusal(RUN.replace("1 Q0", "001 Q0").replace("2 Q0", "002 Q0"))
    assert (
        "(it has '001', '002', the qrels have '1', '2'); they differ in leading zeros;"
        in said
    )
    assert "error odd.run " in desk.problems(
        RUN.replace("1 Q0", "x1 Q0").replace("2 Q0", "x2 Q0")
    )


@pytest.mark.parametrize("order", [(0, 3, 1, 4, 2), (4, 3, 2, 1, 0), (1, 3, 0, 4, 2)])
@pytest.mark.parametrize(
    "more", ["", "7 Q0 a 1 1 tag\n8 Q0 a 1 1 tag\n9 Q0 a 1 1 tag\n"]
)
def test_31_interleaved_topics(desk: Desk, order: tuple[int, ...], more: str) -> None:
    """31: lines may stand in any order, topics interleaved, also beside topics that are not judged."""
    lines = RUN.splitlines()
    assert desk.same("".join(lines[index] + "\n" for index in order) + more)


def test_32_deep_lists(desk: Desk) -> None:
    """32: lists of any length count whole, `depth=` limits them, and very different depths are remarked upon."""
    deep = (
        "".join(f"1 Q0 d{rank:05d} {rank} {-rank} t\n" for rank in range(3000))
        + "1 Q0 a 0 -9999 t\n"
    )
    run = desk.put("deep.run", deep)
    cube = evaluate(desk.qrels, run, "NumRet AP AP(depth=1000) RR")
    assert cube.sel(topic="1").values.tolist() == [[3001, 1 / 3001 / 2, 0, 1 / 3001]]
    outcome = validate(desk.qrels, [run, desk.run])
    texts = "\n".join(outcome["text"].values.tolist())
    assert (
        "1 of 2 runs has at most 3 documents a topic, where others have up to 3001: ok"
        in texts
    )


def test_33_tags_and_names(desk: Desk) -> None:
    """33: the file names the system whatever the tags; two tags are remarked upon; equal names are refused."""
    assert desk.same(RUN.replace("2 Q0 d 2 1 tag", "2 Q0 d 2 1 other"))
    assert "odd.run: more than one run tag; the system is named odd.run" in desk.notes
    (desk.folder / "more").mkdir()
    other = desk.put("more/ok.run.gz", gzip.compress(RUN.encode()))
    with pytest.raises(FileFormatError) as error:
        evaluate(desk.qrels, [desk.run, other])
    assert f"two systems are named 'ok': {desk.run} and {other}" in str(error.value)


def test_34_negative_grades(desk: Desk) -> None:
    """34: a grade below zero means not judged, and how many there are of each is told."""
    qrels = QRELS + "1 0 x -1\n2 0 y -2\n2 0 z -1\n"
    assert desk.same(qrels=qrels)
    assert (
        "odd.qrels: documents with a grade below 0 count as not judged: 1 of grade -2, 2 of"
        in desk.notes
    )


@pytest.mark.parametrize("grade", [-1, -2, -7])
def test_35_and_36_only_negative_grades(desk: Desk, grade: int) -> None:
    """35, 36: a topic with grades below zero only scores 0 and leaves the other topics alone."""
    scores = desk.scores(
        qrels=f"1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a {grade}\n2 0 d {grade}\n"
    )
    assert np.array_equal(scores[0], desk.clean[0])
    assert scores[1].tolist() == [0, 0, 0, 2, 0, 0]


def test_37_no_relevant_document(desk: Desk) -> None:
    """37: a topic without relevant documents scores 0 and stays in the mean, with a remark."""
    scores = desk.scores(qrels="1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 0\n")
    assert np.array_equal(scores[0], desk.clean[0])
    assert scores[1].tolist() == [0, 0, 0, 2, 0, 0]
    assert "1 topic without a relevant document (all systems score 0): 2" in desk.notes


def test_37_fractions_are_gains_without_a_relevant_document(desk: Desk) -> None:
    """37: where grades are below 1 the remark names the metrics that score 0: nDCG and RBP take fractions for gains."""
    scores = desk.scores(qrels="1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0.5\n2 0 d 0\n")
    assert scores[1].tolist() == [0, 1, 0, 2, 0, 0.125]
    said = (
        "1 topic without a relevant document (all systems score 0 by AP, P@1, Bpref): 2"
    )
    assert said in desk.notes


def test_37_no_document_of_the_grade_asked_for(desk: Desk) -> None:
    """37: a metric with rel= has a remark of its own on topics without a document of that grade."""
    cube = evaluate(
        desk.put("flat.qrels", QRELS.replace("c 2", "c 1")),
        desk.run,
        "AP AP(rel=2) P(rel=2)@5",
    )
    told = [note for note in about(cube)["notes"] if " without a " in note]
    said = "2 topics without a document of grade 2 or above (all systems score 0 by AP(rel=2), P(rel=2)@5): 1, 2"
    assert told == [said]


def test_38_grades(desk: Desk) -> None:
    """38: grades with decimals are gains as they are, with a remark; text and grades over 2^31 are refused."""
    scores = desk.scores(qrels=QRELS.replace("c 2", "c 1.7").replace("b 0", "b 0.2"))
    assert scores[0, 1] == pytest.approx(
        (1 + 0.2 / np.log2(3) + 1.7 / 2) / (1.7 + 1 / np.log2(3) + 0.2 / 2)
    )
    assert scores[0, 0] == pytest.approx((1 + 2 / 3) / 2)
    assert "odd.qrels: 2 grades not whole; used as gains unchanged" in desk.notes
    assert "odd.qrels:3: the grade 'yes' is not a number" in desk.refusal(
        qrels=QRELS.replace("c 2", "c yes")
    )
    for grade in ("99999999999", "inf", "-inf", "-1e10", "2147483649"):
        assert f"odd.qrels:3: the grade {grade!r} is too large" in desk.refusal(
            qrels=QRELS.replace("c 2", f"c {grade}")
        )
    assert "odd.qrels:3: the grade is 'nan'" in desk.refusal(
        qrels=QRELS.replace("c 2", "c nan")
    )


def test_39_a_big_grade(desk: Desk) -> None:
    """39: a grade of 1000 is a gain of 1000, with a remark; so is one that needs more than a byte."""
    scores = desk.scores(qrels=QRELS.replace("c 2", "c 1000"))
    assert scores[0, 1] == pytest.approx((1 + 1000 / 2) / (1000 + 1 / np.log2(3)))
    assert (
        "odd.qrels: the highest grade is 1000; are these counts rather than grades?"
        in desk.notes
    )
    many = "".join(f"1 0 d{grade:03d} {grade}\n" for grade in range(600))
    run = "".join(f"1 Q0 d{grade:03d} 0 {grade} t\n" for grade in range(600))
    assert evaluate(
        desk.put("many", many), desk.put("many.run", run), "nDCG"
    ).item() == pytest.approx(1)


def test_40_iteration_column(desk: Desk) -> None:
    """40: the second column of qrels may hold anything."""
    assert desk.same(qrels=QRELS.replace(" 0 a", " 0.5  a").replace(" 0 b", " Q0 b"))


def test_41_long_lines(desk: Desk) -> None:
    """41: a line may be longer than 10 kB, and long ids that differ late are different."""
    first, second = "z" * 20000 + "1", "z" * 20000 + "2"
    run = RUN + f"1 Q0 {first} 4 0.5 tag\n1 Q0 {second} 5 0.5 tag\n"
    scores = desk.scores(run, QRELS + f"1 0 {first} 3\n")
    unlike = desk.scores(
        run.replace(first, "y").replace(second, "z"), QRELS + "1 0 y 3\n"
    )
    assert np.array_equal(scores, unlike)
    assert desk.scores(run)[0, 3] == 5


def test_42_case(desk: Desk) -> None:
    """42: ids that differ in case are different; validate says how many more would be judged."""
    upper = RUN.replace(" b ", " A ")
    assert desk.scores(upper)[0, 3] == 3
    upper = RUN.replace(" a ", " A ").replace(" c ", " C ")
    assert "3 more documents would be judged if case were" in desk.problems(upper)
    assert "case" not in desk.problems(RUN)


@pytest.mark.parametrize("score", ["0", "1.0"])
def test_43_constant_scores(desk: Desk, score: str) -> None:
    """43: with equal scores the ids decide, last first; validate says so."""
    fields = [line.split() for line in RUN.splitlines()]
    constant = "".join(
        f"{topic} Q0 {document} 1 {score} tag\n" for topic, _, document, *_ in fields
    )
    by_id = "".join(
        f"{topic} Q0 {document} 1 {ord(document)} tag\n"
        for topic, _, document, *_ in fields
    )
    assert np.array_equal(desk.scores(constant), desk.scores(by_id))
    assert (
        "warning odd.run scores are constant in 2 of 2 topics, so document ids decide the order"
        in desk.problems(constant)
    )


def test_ids_stay_what_they_are(desk: Desk) -> None:
    """Ids that other tools take for numbers, missing values or quotes are strings here."""
    ids = [
        "007",
        "7",
        "NA",
        "nan",
        "None",
        '"x',
        "'",
        "1e5",
        "100000",
        "-0",
        "0x1",
        "TRUE",
        "a,b",
        "\\n",
        "é",
        "#1",
    ]
    qrels = "".join(
        f"{topic} 0 {document} {place}\n"
        for topic in ids[:-1]
        for place, document in enumerate(ids)
    )
    run = "".join(
        f"{topic} Q0 {document} 0 {place} t\n"
        for topic in ids[:-1]
        for place, document in enumerate(ids)
    )
    cube = evaluate(desk.put("q", qrels), desk.put("r", run), "nDCG NumRet")
    assert cube.topic.values.tolist() == ids[:-1]
    np.testing.assert_allclose(cube.sel(metric="nDCG").values, 1)
    assert (cube.sel(metric="NumRet").values == len(ids)).all()


def test_all_problems_of_a_file(desk: Desk) -> None:
    """The first line of each kind of problem is shown, with how many others have it."""
    wrong = "".join(
        f"1 Q0 x{number} 1 nan t\n" if number % 2 else f"1 Q0 x{number}\n"
        for number in range(50)
    )
    said = desk.refusal(RUN + wrong).splitlines()
    assert len(said) == 2
    assert said[0].startswith("odd.run:6: 3 fields")
    assert said[0].endswith("'1 Q0 x0'; 25 lines have this problem")
    assert said[1].startswith("odd.run:7: the score is 'nan'")
    assert said[1].endswith("leave the document out; 25 lines have this problem")
    with pytest.raises(FileFormatError) as error:
        read_run(desk.folder / "odd.run")
    assert [remark.line for remark in error.value.remarks] == list(range(6, 56))
    duplicates = "".join(f"1 Q0 a {number} 0 t\n" for number in range(25))
    said = desk.refusal(RUN + duplicates)
    assert said.splitlines()[-1].endswith("25 lines have this problem")
    both = desk.refusal(RUN + "1 Q0 a 9 0 t\n1 Q0 b x t\n")
    assert "odd.run:7: 5 fields" in both
    assert "odd.run:6: document 'a' of topic '1' also stands on line" in both
    many = r"; 1000 lines have this problem\n.*and 200 more problems"
    with pytest.raises(FileFormatError, match=many) as error:
        read_run(desk.put("many", RUN + "1 Q0 a x 0\n" * 1200))
    assert error.value.remarks[-1].text == "200 more lines like these"


def test_what_is_no_run(desk: Desk) -> None:
    """A file among the runs that is none is told as a whole; judgments, runs and archives are told by their looks."""
    said = desk.refusal(
        "# Runs\n\nOf team one.\n\nOf team two or three.\n\nAnd three.\n"
    ).splitlines()
    assert said[0].startswith(
        "odd.run: this is not a run file (no line has 6 fields); remove it"
    )
    assert said[1].startswith("odd.run:3: 3 fields")
    assert (
        "is the line cut off? Copy or make the run again. Is it one of judgments? Name"
        in desk.refusal("1 0 a 1\n")
    )
    assert desk.refusal("1 0 a 1\n" * 9).endswith("; all 9 lines have 4 fields")
    for name in ("q", "q.tsv"):
        with pytest.raises(
            FileFormatError,
            match=r"is this a line of a run\? Name the judgments first,",
        ):
            evaluate(desk.put(name, RUN), desk.put("r", RUN), "AP")
    (desk.folder / "runs.tar").write_bytes(
        b"x".ljust(257, b"\0") + b"ustar\0".ljust(600, b"\0")
    )
    with pytest.raises(
        FileFormatError, match=r"runs\.tar: this is an archive; unpack it"
    ):
        read_run(desk.folder / "runs.tar")


def test_long_lines_are_shown_short(desk: Desk) -> None:
    """What stood in a wrong line is shown up to eighty characters, in ASCII."""
    said = desk.refusal("1 Q0 é" + "x" * 500 + "\n")
    assert len(said) < 320
    assert "'1 Q0 \\xe9xxx" in said
    assert "x'..." in said


def test_errors_are_of_one_family() -> None:
    """Whoever catches IrmetaError catches every refusal."""
    assert issubclass(FileFormatError, IrmetaError)
