"""What runs should hold where there are no judgments."""

from pathlib import Path

import numpy as np
import pytest

import irmeta
from irmeta.errors import FileFormatError, IrmetaError

RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "9": {"a": 1.0}}


def problems(**expected) -> list[tuple[str, str]]:
    found = irmeta.validate(None, {"mine": RUN}, **expected)
    return list(zip(found.level.values, found.text.values, strict=True))


def test_topics_that_a_run_lacks_or_has_too_many_are_warnings() -> None:
    """A run without a topic scores 0 there, and topics of others are ignored: neither stops it."""
    (lacking, surplus) = problems(topics=["1", "2", "3"])
    assert lacking == ("warning", "lacks 1 of 3 topics: 3; it scores 0 there")
    assert surplus[0] == "warning"
    assert "1 of its 3 topics are not in the collection" in surplus[1]


def test_a_run_of_another_collection_is_an_error() -> None:
    """A run none of whose topics the collection has is an error."""
    ((level, text),) = problems(topics=["301"])
    assert level == "error"
    assert "is it a run of another collection?" in text


def test_unknown_documents_and_deep_lists_are_errors() -> None:
    """Documents that the collection does not have and lists that are too long are errors, and say what to do."""
    ((level, text),) = problems(documents=["a", "c"])
    assert (level, text.split(":")[0]) == ("error", "1 document not in the collection")
    ((level, text),) = problems(depth=1)
    assert level == "error"
    assert text.endswith("(up to 2): topics 1; keep the best 1 of each")


def test_sound_runs_have_no_problem() -> None:
    """A run that holds just what is expected has no remark."""
    assert problems(topics=["1", "2", "9"], documents=list("abc"), depth=2) == []


def test_ids_come_from_files(tmp_path: Path) -> None:
    """Topics and documents may be files with an id on each line."""
    (tmp_path / "topics").write_text("1\n2\n\n9\n")
    (tmp_path / "documents").write_text("a\nb\n")
    found = problems(topics=tmp_path / "topics", documents=tmp_path / "documents")
    assert [level for level, _ in found] == ["error"]
    (tmp_path / "topics").write_text("\n")
    with pytest.raises(IrmetaError, match="there are none"):
        problems(topics=tmp_path / "topics")
    with pytest.raises(IrmetaError, match="1 or more"):
        problems(depth=0)


def test_one_run_has_scores_and_nothing_else() -> None:
    """The scores of one run are those of `evaluate`, and tell nothing else about the judgments."""
    qrels = {"1": {"a": 0, "b": 2}, "2": {"c": 1}, "3": {"x": 1}}
    one = irmeta.evaluate_run(qrels, RUN, "nDCG@10 AP")
    many = irmeta.evaluate(qrels, {"mine": RUN}, "nDCG@10 AP").sel(system="mine")
    np.testing.assert_array_equal(one.values, many.values)
    assert (one.attrs, set(one.coords)) == ({}, {"topic", "metric"})
    with pytest.raises(FileFormatError, match="one run, not 2"):
        irmeta.evaluate_run(qrels, {"a": RUN, "b": RUN}, "AP")
