"""Validation: each oddity has its line, and sound files have none."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import xarray as xr

from irmeta.errors import FileFormatError, typed
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.grades.judging import Judgments
from irmeta.io.runs.trec import Reading
from irmeta.report.tables import render
from irmeta.scores.attributes import about
from irmeta.studies.checks.validation import findings, overview, tables, validate

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}}
SOUND = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "d": 1.0}}


def texts(outcome: xr.Dataset) -> list[str]:
    return [
        f"{level} {text}"
        for level, text in zip(
            outcome["level"].values, outcome["text"].values, strict=True
        )
    ]


def test_sound_runs() -> None:
    """Sound runs have no problem, and their facts are counted."""
    outcome = validate(QRELS, {"sound": SOUND})
    assert texts(outcome) == []
    facts = tables(outcome)["runs"].row(0, named=True)
    assert facts == {
        "system": "sound",
        "topics": 2,
        "topics_missing": 0,
        "topics_unjudged": 0,
        "documents": 5,
        "depth_low": 2,
        "depth_median": 2.5,
        "depth_high": 3,
        "tied": 0.0,
        "constant_topics": 0,
        "disagreeing_topics": 0,
        "reversed_topics": 0,
        "unjudged_10": 0.0,
        "self_retrieval": 0.0,
    }
    assert findings(outcome) == [
        "1 readable run, 0 errors, 0 warnings. irmeta evaluate would accept them."
    ]


@pytest.mark.parametrize(
    ("run", "says", "facts"),
    [
        ({"1": {"a": 1.0}}, "lacks 1 of 2 judged topics: 2", {"topics_missing": 1}),
        (
            {**SOUND, "7": {"a": 1.0}},
            "1 of its 3 topics are not judged and are ignored",
            {"topics_unjudged": 1},
        ),
        (
            {**SOUND, "2": {"a": 1.0, "d": 1.0}},
            "scores are constant in 1 of 2 topics",
            {"constant_topics": 1, "tied": 0.4},
        ),
        (
            {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 1.0}},
            "33% of the first ten documents are not judged",
            {"unjudged_10": 1 / 3},
        ),
        (
            {"1": {"1": 9.0, "a": 3.0, "b": 2.0, "c": 1.0}, "2": SOUND["2"]},
            "in 50% of the topics the first document is the topic itself",
            {"self_retrieval": 0.5},
        ),
        (
            {"1": {"A": 1.0}, "2": {"D": 1.0}},
            "2 more documents would be judged if case",
            {"unjudged_10": 1},
        ),
        (
            {"1": {**{f"x{rank}": 50.0 - rank for rank in range(10)}, "a": 1.0}},
            "100% of the first ten documents are not judged",
            {"unjudged_10": 1},
        ),
        ({"1": {"a": 1.0, "b": float("inf")}, "2": {"a": 1}}, "1 infinite score", {}),
    ],
)
def test_oddities(run: dict, says: str, facts: dict) -> None:
    """Each oddity of a run is a warning in words, and a figure in the table of runs."""
    outcome = validate(QRELS, {"odd": run})
    assert any(
        says in text and text.startswith("warning") for text in texts(outcome)
    ), texts(outcome)
    row = tables(outcome)["runs"].row(0, named=True)
    assert {name: row[name] for name in facts} == pytest.approx(facts)


@pytest.mark.parametrize(("step", "warned"), [(10, True), (2, False)])
def test_a_run_of_rounded_scores(step: int, warned: bool) -> None:
    """Where nearly all documents are tied, document ids order them; ties of half of them are usual."""
    scores = {f"d{at}": float(at // step) for at in range(20)}
    scores |= {f"e{at}": 30.0 + at for at in range(20 if step == 2 else 1)}
    said = texts(validate(QRELS, {"rounded": {"1": scores, "2": scores}}))
    expected = (
        "warning 95% of documents have the score of another of their topic (are scores rounded?); their order is that "
        "of trec_eval: document ids, descending"
    )
    assert (expected in said) is warned


def test_runs_that_retrieve_nothing() -> None:
    """A run without documents has no documents."""
    outcome = validate(QRELS, {"none": {}})
    assert texts(outcome) == ["warning has no documents"]
    assert tables(outcome)["runs"]["documents"].to_list() == [0]


def test_without_qrels() -> None:
    """Without judgments all that needs none is checked, and the rest is missing."""
    outcome = validate(None, {"odd": {"1": {"a": 1.0, "b": 1.0}}})
    assert [text.partition(":")[0] for text in texts(outcome)] == [
        "warning scores are constant in 1 of 1 topics, so document ids decide the order"
    ]
    row = tables(outcome)["runs"].row(0, named=True)
    assert all(
        np.isnan(row[name])
        for name in ("topics_missing", "topics_unjudged", "unjudged_10")
    )


def test_depths_beside_each_other() -> None:
    """Lists much shorter than those of other runs are remarked upon."""
    deep = {
        "1": {f"d{number}": float(number) for number in range(100)},
        "2": {"a": 1.0},
    }
    outcome = validate(
        {"1": {"d1": 1, "a": 1}, "2": {"a": 1}}, {"deep": deep, "short": SOUND}
    )
    assert (
        "warning 1 of 2 runs has at most 3 documents a topic, where others have up to 100: short"
        in texts(outcome)
    )


def test_ranks(tmp_path: Path) -> None:
    """Ranks against the scores are remarked upon; where most run the other way, as possible distances."""
    (tmp_path / "some").write_text(
        "1 Q0 a 2 3 t\n1 Q0 b 1 2 t\n2 Q0 a 1 2 t\n2 Q0 d 2 1 t\n"
    )
    (tmp_path / "reversed").write_text(
        "1 Q0 a 2 3 t\n1 Q0 b 1 2 t\n2 Q0 a 2 2 t\n2 Q0 d 1 1 t\n"
    )
    (tmp_path / "words").write_text(
        "1 Q0 a first 3 t\n1 Q0 b second 2 t\n2 Q0 a - 2 t\n2 Q0 d + 1 t\n"
    )
    outcome = validate(QRELS, tmp_path)
    said = "\n".join(
        f"{file} {text}"
        for file, text in zip(
            outcome["file"].values, outcome["text"].values, strict=True
        )
    )
    assert "some ranks and scores disagree in 1 of 2 topics; ranks are ignored" in said
    assert (
        "reversed ranks contradict scores in 2 of 2 topics; are the scores distances?"
        in said
    )
    assert "words ranks contradict" not in said


def test_errors_first(tmp_path: Path) -> None:
    """Errors of every unreadable file stand before the warnings, each with its line; the other runs are checked."""
    (tmp_path / "bad").write_text("1 Q0 a 1 1 t\n1 Q0 a 1 x t\n1 Q0 a\n")
    (tmp_path / "tags").write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 u\n")
    (tmp_path / "torn").write_bytes(b"\x1f\x8b")
    outcome = validate(QRELS, tmp_path)
    problems = tables(outcome)["problems"]
    assert problems["level"].to_list() == ["error"] * 3 + ["warning"]
    assert problems["line"].to_list() == [2, 3, None, None]
    assert "3 fields, but a run line has 6" in problems["problem"][1]
    assert "damaged gzip data" in problems["problem"][2]
    assert outcome.system.values.tolist() == ["tags"]
    said = (
        "1 readable run, 3 errors in 2 files, 1 warning. irmeta evaluate would refuse these files; with --on-error "
        "skip it leaves out runs that it cannot read."
    )
    assert findings(outcome)[0] == said


def test_unreadable_qrels(tmp_path: Path) -> None:
    """Judgments that cannot be read are errors; the runs are checked all the same."""
    (tmp_path / "qrels").write_text("1 0 a yes\n")
    outcome = validate(tmp_path / "qrels", {"sound": SOUND})
    assert texts(outcome) == ["error the grade 'yes' is not a number"]
    assert findings(outcome)[0].endswith("would refuse these files.")
    assert outcome.sizes["system"] == 1


def test_remarks_of_the_qrels() -> None:
    """What is remarked upon in judgments stands among the problems."""
    outcome = validate({**QRELS, "1": {**QRELS["1"], "x": -1}}, {"sound": SOUND})
    assert texts(outcome) == [
        "warning documents with a grade below 0 count as not judged: 1 of grade -1"
    ]


def test_what_validate_refuses_evaluate_refuses(tmp_path: Path) -> None:
    """Runs with errors cannot be evaluated, those without can."""
    for name, text in {
        "bad": "x\n",
        "good": "1 Q0 a 1 1 t\n",
        "strange": "x1 Q0 a 1 1 t\n",
        "empty": "",
    }.items():
        path = tmp_path / name
        path.write_text(text)
        if any(line.startswith("error") for line in texts(validate(QRELS, path))):
            with pytest.raises(Exception, match=name):
                evaluate(QRELS, path, "AP")
            assert name != "good"
        else:
            assert evaluate(QRELS, path, "AP").size == 2
            assert name == "good"


def test_what_evaluate_notes_validate_says() -> None:
    """Topics without relevant documents and ids that match nothing are warnings; the grades stand in the notes."""
    quoted = {
        topic: {f'"{name}"': score for name, score in lists.items()}
        for topic, lists in SOUND.items()
    }
    outcome = validate(
        {**QRELS, "2": {"a": 0, "d": 0}}, {"quoted": quoted, "sound": SOUND}
    )
    rows = tables(outcome)["problems"].select("level", "file", "problem").rows()
    assert (
        "warning",
        "qrels",
        "1 topic without a relevant document (all systems score 0): 2",
    ) in rows
    assert [
        row[:2]
        for row in rows
        if row[2].startswith("retrieves no judged document; do its ids match")
    ] == [("warning", "run quoted")]
    assert (
        about(outcome)["notes"][0]
        == "judgments: 3 of grade 0, 1 of grade 1, 1 of grade 2"
    )
    assert about(outcome)["notes"][1].startswith(
        "binary metrics take grade 1 and above as relevant (AP("
    )
    assert (
        len(about(validate({"1": {"a": 1}, "2": {"a": 1}}, {"sound": SOUND}))["notes"])
        == 1
    )
    assert about(validate(None, {"sound": SOUND}))["notes"] == []


def test_all_errors_are_listed(tmp_path: Path) -> None:
    """A missing path, an empty folder and a second system of a name are errors; evaluate stops, or skips them."""
    for name in ("a.run", "more/a.run.gz", "more/empty", "none/.hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            "1 Q0 a 1 2 a\n2 Q0 a 1 1 a\n" if "a.run" in name else ""
        )
    given = [tmp_path / name for name in ("nowhere", "a.run", "more", "none")]
    outcome = validate(QRELS, given)
    errors = (
        tables(outcome)["problems"]
        .filter(level="error")
        .select("file", "problem")
        .rows()
    )
    first, second = tmp_path / "a.run", tmp_path / "more/a.run.gz"
    assert errors == [
        (str(tmp_path / "nowhere"), "no such file"),
        (
            str(second),
            f"two systems are named 'a': {first} and {second}; systems are named after their files: rename one, "
            "or take the names of their folders, too (names='folder')",
        ),
        (
            str(tmp_path / "more/empty"),
            "the file is empty; did the run retrieve nothing? (reading=irmeta.Reading(allow_empty=True))",
        ),
        (str(tmp_path / "none"), "no files in this folder"),
    ]
    assert outcome.system.values.tolist() == ["a"]
    with pytest.raises(FileFormatError, match="no such file"):
        evaluate(QRELS, given, "AP")
    skipped = [
        note
        for note in about(evaluate(QRELS, given, "AP", on_error="skip"))["notes"]
        if "left out" in note
    ]
    assert len(skipped) == len(errors)
    with pytest.raises(FileFormatError, match="no run could be read"):
        evaluate(QRELS, given[3:], "AP", on_error="skip")


def test_equal_errors_are_shown_once(tmp_path: Path) -> None:
    """An error on many lines of a file is one row with their count; the table of problems has each."""
    path = tmp_path / "a.run"
    path.write_text("".join(f"1 Q0 d{at} 1 nan a\n" for at in range(20)))
    outcome = validate(None, path)
    [row] = overview(outcome)["errors"].rows(named=True)
    assert (row["line"], row["lines"]) == (1, 20)
    assert tables(outcome)["problems"].height == 20


def test_a_bad_file_hides_no_other(tmp_path: Path) -> None:
    """Errors of a file that differ in names and numbers are one row with the first line; others have their own."""
    bad = "".join(f"1 Q0 d{at} 1 n{at} a\n1 Q0 e{at}\n" for at in range(30))
    (tmp_path / "bad").write_text(bad)
    (tmp_path / "short").write_text("1 Q0 d1\n")
    (tmp_path / "twice").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 b 3 0 t\n")
    outcome = validate(None, tmp_path)
    rows = overview(outcome)["errors"]
    assert rows.select("file", "line", "lines").rows() == [
        ("bad", 1, 30),
        ("bad", 2, 30),
        ("short", 1, 1),
        ("twice", 3, 1),
    ]
    assert rows["problem"][0] == "the score 'n0' is not a number"
    assert tables(outcome)["problems"].filter(level="error").height == 62


def test_files_of_one_name_count_each_and_problems_of_one_file_once(
    tmp_path: Path,
) -> None:
    """Two warnings of one kind are of 1 file if one file has both; files of one name keep their folders."""
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r").write_text("1 Q0 d1\n")
    (tmp_path / "q").write_text("1 0 a 1\n")
    runs = {"one": tmp_path / "a" / "r", "two": tmp_path / "b" / "r"}
    errors = overview(validate(None, runs))["errors"]
    assert errors["file"].to_list() == [str(runs["one"]), str(runs["two"])]
    one, two = map(str, runs.values())
    sound = validate(None, {"sound": SOUND}).drop_dims("problem")
    for files, count, shown in (([one, one], 1, "r"), ([one, one, two], 2, one)):
        said = [f"the tag {at!r} is odd" for at in "xyz"[: len(files)]]
        columns = {
            "level": ["warning"] * len(files),
            "file": files,
            "line": np.full(len(files), np.nan),
            "text": said,
        }
        data = {name: ("problem", values) for name, values in columns.items()}
        [row] = overview(sound.assign(data))["warnings"].rows(named=True)
        assert (row["files"], row["as in"]) == (count, shown)


def test_errors_are_in_the_words_of_who_reads_them(tmp_path: Path) -> None:
    """Of runs that threads read, too, a problem names the option where commands are typed; in Python the argument."""
    for name in "ab":
        (tmp_path / name).write_text("")
    with typed():
        told = set(tables(validate(QRELS, tmp_path))["problems"]["problem"])
    assert told == {"the file is empty; did the run retrieve nothing? (--allow-empty)"}


def test_objects_that_are_no_runs() -> None:
    """Wrong Python objects are errors beside sound ones, and no run at all is one."""
    outcome = validate(QRELS, {"odd": {"1": {"a": float("nan")}}, "sound": SOUND})
    assert outcome["file"].values.tolist() == ["run odd"]
    assert texts(outcome)[0].startswith("error a score is NaN")
    assert outcome.system.values.tolist() == ["sound"]
    assert texts(validate(QRELS, [])) == ["error there are no runs; give one or more"]


def test_files_of_problems(tmp_path: Path) -> None:
    """The column `file` holds the path, and the text does not repeat it, for runs and qrels, errors and warnings."""
    (tmp_path / "odd").write_text("1 Q0 a 1 1 odd\n1 Q0 b 1 1 odd\n")
    (tmp_path / "torn").write_bytes(b"\x1f\x8b")
    (tmp_path / "strange").write_text("x Q0 a 1 1 strange\n")
    outcome = validate(QRELS, tmp_path)
    assert set(outcome["file"].values) == {
        str(tmp_path / name) for name in ("odd", "torn", "strange")
    }
    assert not any(str(tmp_path) in text for text in outcome["text"].values)
    outcome = validate(tmp_path / "nowhere", {"sound": SOUND})
    assert outcome["file"].values.tolist() == [str(tmp_path / "nowhere")]
    assert outcome["text"].values[0] == "no such file"


def test_run_tags(tmp_path: Path) -> None:
    """A tag in two files, and a tag unlike its file's name, are remarked upon; `input.TAG` is like its tag."""
    for name, tag in {
        "input.bm25": "BM25",
        "ql.run": "ql",
        "ql.v2": "ql",
        "l2r.run": "smith.l2r",
        "dense": "x",
        "bm": "bm-long",
    }.items():
        (tmp_path / name).write_text(
            "".join(f"{topic} Q0 a 1 1 {tag}\n" for topic in "12")
        )
    said = tables(validate(QRELS, tmp_path))["problems"].filter(
        pl.col("problem").str.contains("run tag")
    )
    assert said.select("level", "file", "problem").rows() == [
        (
            "warning",
            str(tmp_path / "dense"),
            "the run tag differs from the name of the file, which names the system: 'x'",
        ),
        ("warning", "all runs", "2 files have the run tag 'ql': ql, ql.v2"),
    ]
    (tmp_path / "sparse").write_text("1 Q0 a 1 1 z\n2 Q0 a 1 1 z\n")
    shown = overview(validate(QRELS, tmp_path))["warnings"]
    assert (
        2,
        "the run tag differs from the name of the file, which names the system",
        "dense",
    ) in shown.rows()
    (tmp_path / "dense").write_text("1 Q0 a 1 1\n2 Q0 a 1 1 x\n2 Q0 b 1 1 y\n")
    said = texts(
        validate(QRELS, tmp_path / "dense", reading=Reading(allow_missing_tag=True))
    )
    assert (
        "warning the run tag differs from the name of the file, which names the system: 'x'"
        in said
    )
    named = texts(validate(QRELS, {"tonight": tmp_path / "bm"}))
    assert not any("run tag" in one for one in named)


def test_each_run_is_ranked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is ranked once, and the judgments are made ready once as they are and once in lower case."""
    calls = []
    for name in ("rank", "__init__"):
        method = getattr(Judgments, name)
        monkeypatch.setattr(
            Judgments,
            name,
            lambda *args, name=name, method=method: (calls.append(name), method(*args))[
                1
            ],
        )
    validate(QRELS, dict.fromkeys("abc", SOUND))
    assert sorted(calls) == ["__init__"] * 2 + ["rank"] * 3


def test_runs_that_rank_alike_are_remarked_upon() -> None:
    """A ranking under two names is one warning over all runs, with and without judgments."""
    ranked = {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}
    runs = {
        "one": ranked,
        "two": {
            topic: {d: s / 7 for d, s in docs.items()} for topic, docs in ranked.items()
        },
    }
    for qrels in ({"1": {"a": 1}, "2": {"c": 0}}, None):
        problems = tables(validate(qrels, runs))["problems"]
        told = problems.filter(
            problems["problem"].str.contains("an earlier run on every topic")
        )
        assert told["problem"].str.contains("two as one").to_list() == [True]


def test_warnings_that_differ_in_numbers_are_shown_once(tmp_path: Path) -> None:
    """People see one line for a kind of warning, with the number of its files; the table has every one."""
    lengths = {f"run{number}": number for number in range(1, 16)}
    for name, length in lengths.items():
        lines = [f"1 Q0 a{at} {at} {10 - at} {name}\n" for at in range(length)] + [
            f"2 Q0 a 1 1 {name}\n"
        ]
        (tmp_path / name).write_text("".join(lines))
    outcome = validate(QRELS, tmp_path)
    [shown] = [
        view
        for title, view in overview(outcome).items()
        if title.startswith("warnings")
    ]
    unjudged = shown.filter(
        pl.col("problem").str.contains("of the first ten documents are not judged")
    )
    every = tables(outcome)["problems"].filter(
        pl.col("problem").str.contains("of the first ten documents")
    )
    assert unjudged["files"].to_list() == [every.height]
    share = every["problem"].str.extract(r"^(\d+)%").cast(pl.Int64)
    assert share.min() < share.max()
    [told], [worst] = unjudged["problem"], unjudged["as in"]
    assert told.startswith(f"{share.min()}% to {share.max()}% of the first ten")
    assert worst == f"run10 ({share.max()}%)"
    assert every.height > 10
    assert all(len(line) <= 80 for line in render(outcome).splitlines())
