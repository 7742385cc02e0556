"""Labels of support of citations: weighted precision and recall by hand, and what is no such file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irmeta.errors import FileFormatError
from irmeta.io.items.support import import_support
from irmeta.scores.attributes import about


def sentence(*labels: str | None, cited: int | None = None) -> dict[str, Any]:
    citations = list(range(len(labels) if cited is None else cited))
    return {
        "answer": "",
        "citations": citations,
        "count": len(citations),
        "eval_scores": labels,
    }


def answer(topic: str, *sentences: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a line as the TREC 2024 RAG track's support_evaluation_gpt4o.py writes it, without the texts."""
    return {"run_id": "ours", "topic_id": topic, "support_eval": sentences, **more}


def put(folder: Path, *answers: dict[str, Any]) -> Path:
    path = folder / "people.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in answers))
    return path


def read(path: Path) -> tuple[float, float]:
    made = import_support(path)["people"].sel(system="ours", topic="1")
    precision, recall = (
        made.sel(metric=f"weighted_{what}").item() for what in ("precision", "recall")
    )
    return precision, recall


def test_precision_over_citations_and_recall_over_sentences(tmp_path: Path) -> None:
    """Full support counts 1, partial a half; a sentence that cites nothing counts against recall only."""
    path = put(
        tmp_path,
        answer("1", sentence("FS"), sentence("PS"), sentence("NS"), sentence()),
    )
    assert read(path) == (0.5, 0.375)


def test_a_sentence_counts_by_its_best_citation(tmp_path: Path) -> None:
    """Each citation counts for precision, the best one of a sentence for recall."""
    path = put(tmp_path, answer("1", sentence("NS", "FS"), sentence("PS")))
    assert read(path) == (0.5, 0.75)


def test_labels_in_words_and_sentences_passed_over(tmp_path: Path) -> None:
    """Labels may be words; sentences of the answer that the judge passed over cite nothing."""
    texts = [{"text": "", "citations": []}] * 4
    path = put(
        tmp_path,
        answer(
            "1", sentence("Full Support"), sentence("partial_support"), answer=texts
        ),
    )
    assert read(path) == (0.75, 0.375)


def test_an_answer_that_cites_nothing_scores_zero(tmp_path: Path) -> None:
    """What the system left out counts 0."""
    assert read(put(tmp_path, answer("1", sentence(), sentence()))) == (0, 0)


def test_a_citation_without_label_is_not_judged(tmp_path: Path) -> None:
    """What the judge left out is missing: no 0, and a note counts it."""
    path = put(
        tmp_path,
        answer("1", sentence("FS", None), sentence(None), sentence()),
        answer("2", sentence(None)),
        answer("3", {"citations": ["d1"], "eval_scores": []}),
    )
    assert read(path) == (1.0, 0.5)
    made = import_support(path)["people"]
    assert np.isnan(made.sel(topic=["2", "3"]).values).all()
    assert "4 citations without a label" in about(made)["notes"][0]


def test_runs_and_topics_of_2025_stand_in_metadata(tmp_path: Path) -> None:
    """From 2025 on, an answer's run_id and narrative_id are in its metadata."""
    record = {
        "metadata": {"run_id": "ours", "narrative_id": "1"},
        "support_eval": [sentence("FS")],
    }
    assert read(put(tmp_path, record)) == (1.0, 1.0)


WRONG = {
    "an answer": (
        {"run_id": "a", "topic_id": "1", "answer": []},
        "lacks 'support_eval'",
    ),
    "another label": (
        answer("1", sentence("maybe")),
        "'maybe' is not a label of support",
    ),
    "no labels": (answer("1", {"citations": [1]}), "without its lists eval_scores"),
    "citations in one text": (
        answer("1", {"citations": "d1", "eval_scores": []}),
        "without its lists eval_scores and citations",
    ),
    "labels in one text": (
        answer("1", support_eval="FS"),
        "'support_eval' is 'FS', not a list",
    ),
    "an answer that is none": (
        answer("1", sentence("FS"), answer={"text": "x"}),
        "'answer' is {'text': 'x'}, not a list",
    ),
    "no topic": ({"run_id": "a", "support_eval": []}, "lacks 'topic_id'"),
}


@pytest.mark.parametrize(("record", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_support_judgment_is_named(
    record: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """A file that looks like support judgments and is not raises an error with its line."""
    with pytest.raises(FileFormatError, match=rf"people\.jsonl:1: .*{said}"):
        import_support(put(tmp_path, record))
