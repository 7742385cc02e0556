"""Assignments of nuggets to answers: the six scores by hand, as AutoNuggetizer computes them, and what is none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.items.nuggets import import_nuggets
from irmeta.scores.attributes import about


def nugget(text: str, importance: str, assignment: str) -> dict[str, str]:
    return {"text": text, "importance": importance, "assignment": assignment}


FULL = [
    nugget("a", "vital", "support"),
    nugget("b", "vital", "partial_support"),
    nugget("c", "okay", "not_support"),
    nugget("d", "okay", "partial_support"),
]


def answer(topic: str, nuggets: list[Any], **more: str) -> dict[str, Any]:
    """Return what nuggetizer 0.0.5 writes of an answer: scripts/assign_nuggets.py, without the texts."""
    return {"query": "q?", "qid": topic, "answer_text": "", **more, "nuggets": nuggets}


def put(path: Path, *answers: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in answers))
    return path


def test_the_six_scores_by_hand(tmp_path: Path) -> None:
    """Support counts 1, partial support a half, strictly nothing; an okay nugget weighs half in weighted scores."""
    path = put(tmp_path / "people.jsonl", answer("1", FULL, run_id="ours"))
    made = import_nuggets(path)["people"]
    expected = {
        "vital_score": 1.5 / 2,
        "strict_vital_score": 1 / 2,
        "all_score": 2 / 4,
        "strict_all_score": 1 / 4,
        "weighted_score": (1 + 0.5 + 0.5 * 0.5) / 3,
        "strict_weighted_score": 1 / 3,
    }
    for metric, score in expected.items():
        assert made.sel(
            system="ours", topic="1", metric=metric
        ).item() == pytest.approx(score)
    assert set(made.metric.values) == set(expected)


def test_four_scores_are_those_of_autonuggetizer(tmp_path: Path) -> None:
    """Drawn assignments score as nuggetizer 0.0.5 scores them (calculate_nugget_scores; its figures stand here)."""
    words = ("support", "partial_support", "not_support")
    nuggets = [
        nugget(str(at), "vital" if at % 3 else "okay", words[at * at % 7 % 3])
        for at in range(11)
    ]
    path = put(tmp_path / "a.jsonl", answer("1", nuggets))
    made = import_nuggets(path)["a"].sel(system="a", topic="1")
    theirs = {
        "strict_vital_score": 0.14285714285714285,
        "strict_all_score": 0.18181818181818182,
        "vital_score": 0.42857142857142855,
        "all_score": 0.45454545454545453,
    }
    for metric, score in theirs.items():
        assert made.sel(metric=metric).item() == pytest.approx(score, abs=1e-15)


def test_a_run_is_named_by_its_file_where_lines_do_not(tmp_path: Path) -> None:
    """Without run_id the file names the run; the folder names the collection."""
    folder = tmp_path / "gpt-4o"
    folder.mkdir()
    put(folder / "bm25.jsonl", answer("1", FULL))
    put(folder / "dense.jl", answer("1", FULL[:1]))
    made = import_nuggets(folder)["gpt-4o"]
    assert made.system.values.tolist() == ["bm25", "dense"]
    assert made.sel(metric="vital_score").values.ravel().tolist() == [0.75, 1.0]


def test_a_topic_without_vital_nuggets_has_no_vital_scores(tmp_path: Path) -> None:
    """What judges left out is missing, not 0, and a note says what AutoNuggetizer does."""
    path = put(tmp_path / "a.jsonl", answer("1", FULL[2:]), answer("2", FULL))
    made = import_nuggets(path)["a"]
    assert np.isnan(made.sel(topic="1", metric="vital_score").item())
    assert made.sel(topic="1", metric="all_score").item() == 0.25
    assert "1 topic without vital nuggets (1)" in about(made)["notes"][0]


def test_failed_assignments_count_as_not_supported(tmp_path: Path) -> None:
    """As in AutoNuggetizer; a note counts them."""
    path = put(
        tmp_path / "a.jsonl", answer("1", [FULL[0], nugget("e", "vital", "failed")])
    )
    made = import_nuggets(path)["a"]
    assert made.sel(metric="vital_score").item() == 0.5
    assert "1 failed assignment" in about(made)["notes"][0]


def test_answers_judged_by_different_nuggets_do_not_compare(tmp_path: Path) -> None:
    """A note says for which topic two answers were held against different nuggets."""
    path = put(
        tmp_path / "a.jsonl",
        answer("1", FULL, run_id="x"),
        answer("1", FULL[:2], run_id="y"),
        answer("2", FULL, run_id="x"),
        answer("2", FULL[::-1], run_id="y"),
    )
    notes = about(import_nuggets(path)["a"])["notes"]
    assert len(notes) == 1
    assert "1 topic (1) were judged by different nuggets" in notes[0]


WRONG = {
    "nuggets only": (
        {"qid": "1", "nuggets": [{"text": "a", "importance": "vital"}]},
        "without assignments to answers",
    ),
    "passages": (
        {"qid": "1", "docid": "d1", "candidate_text": "", "nuggets": FULL},
        "a retrieved passage, not to an answer",
    ),
    "another file": ({"qid": "1", "score": 1}, "not a nugget assignment"),
    "no topic": ({"nuggets": FULL}, "lacks 'qid'"),
    "another word": (
        answer("1", [nugget("a", "vital", "maybe")]),
        "'maybe' is not an assignment",
    ),
    "another importance": (
        answer("1", [nugget("a", "big", "support")]),
        "not an importance",
    ),
    "an empty list": (answer("1", []), "no list of nuggets"),
    "a name that steers": (answer("\x1b[31m", FULL), "control character"),
}


@pytest.mark.parametrize(("record", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_assignment_is_named(
    record: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """A file that looks like assignments and is not raises an error with its line and a mend."""
    with pytest.raises((FileFormatError, ScoresError), match=said):
        import_nuggets(put(tmp_path / "a.jsonl", record))


def test_torn_files_are_named_with_their_line(tmp_path: Path) -> None:
    """A line that was cut off is no JSON; an empty file has nothing."""
    path = put(tmp_path / "a.jsonl", answer("1", FULL), answer("2", FULL))
    path.write_text(path.read_text()[:-30])
    with pytest.raises(FileFormatError, match=r"a\.jsonl:2: .*not a line of JSON"):
        import_nuggets(path)
    path.write_text("\n")
    with pytest.raises(FileFormatError, match="the file is empty"):
        import_nuggets(path)


@pytest.mark.parametrize("name", [None, True, [], {"a": 1}])
@pytest.mark.parametrize("key", ["run_id", "qid"])
def test_what_is_not_a_name_names_nothing(tmp_path: Path, key: str, name: Any) -> None:
    """An answer whose run or topic is null, a truth value or a list is refused, not taken for 'None'."""
    path = put(tmp_path / "a.jsonl", answer("1", FULL, **{key: name}))
    with pytest.raises(FileFormatError, match=rf"a\.jsonl:1: '{key}' is .*not a name"):
        import_nuggets(path)


def test_two_answers_of_a_run_to_a_topic_are_an_error(tmp_path: Path) -> None:
    """None of the two is picked, in one file or in two."""
    one = put(tmp_path / "a.jsonl", answer("1", FULL, run_id="x"))
    other = put(tmp_path / "b.jsonl", answer("1", FULL, run_id="x"))
    with pytest.raises(FileFormatError, match="two scores by vital_score on 1"):
        import_nuggets([one, other])


def test_files_that_score_the_same_systems_are_judges(tmp_path: Path) -> None:
    """Each is a collection by its name; files of other systems, and those of a collection that is named, are one."""
    lines = [answer("1", FULL, run_id=run) for run in ("x", "y")]
    people, llm = (
        put(tmp_path / f"{name}.jsonl", *lines) for name in ("people", "llm")
    )
    assert list(import_nuggets([people, llm])) == ["people", "llm"]
    third = put(tmp_path / "z.jsonl", answer("1", FULL, run_id="z"))
    assert list(import_nuggets([people, third])) == ["collection"]
    for files in ([people, llm], [people, llm, third]):
        with pytest.raises(FileFormatError, match="--append|append=True"):
            import_nuggets(files, collection="both")


@pytest.mark.data
def test_nuggets_as_distributed_lack_assignments(data: Path) -> None:
    """The nuggets of TREC RAG 2025 for development are read to the point where assignments are missing."""
    with pytest.raises(FileFormatError, match="nuggets without assignments to answers"):
        import_nuggets(data / "rag" / "rag25-dev-nuggets.jsonl.gz")
