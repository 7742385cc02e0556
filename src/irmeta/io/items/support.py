"""Whether citations support the sentences of answers, as the TREC RAG track judges it, as scores by topic.

Source: Thakur et al. (2025), Support Evaluation for the TREC 2024 RAG Track, section 3.
"""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.io.files import Location
from irmeta.io.items.nuggets import TOPIC, import_answers, run_name
from irmeta.io.items.records import file_title, read_records, required_name
from irmeta.io.items.rows import Part, Row
from irmeta.io.strictly import stripped
from irmeta.io.tables.matrices import Paths
from irmeta.words import counted, listed, shortened

WHAT = "a support judgment of TREC RAG"
_WORTH = {
    "fs": 1.0,
    "full support": 1.0,
    "ps": 0.5,
    "partial support": 0.5,
    "ns": 0.0,
    "no support": 0.0,
}


def import_support(
    paths: Paths, *, collection: str | None = None
) -> dict[str, xr.DataArray]:
    """Read labels of support (full, partial, none) of the citations of answers' sentences as scores by topic.

    `weighted_precision` : the mean over judged citations, where full support counts 1 and partial support a half; 0
    for an answer that cites nothing. `weighted_recall` : the mean over the answer's sentences, each by its best judged
    citation, where a sentence that cites nothing counts 0. The track judged the first citation of each sentence.

    paths : files with a JSON object for each answer: run_id, topic_id, and under support_eval the sentences, each with
    citations and eval_scores (FS, PS, NS); folders, globs or URLs of them.
    collection : what to call the collection, by default as the file or folder; files that score the same systems on
    the same topics are judges', each a collection by its name.
    """
    return import_answers(paths, collection, _read_part)


def _read_part(path: Location, collection: str) -> Part:
    """Return the scores of the answers in one file, and a note on citations without a label."""
    part = Part(path, file_title(path), [])
    unlabelled = 0
    for place, record in read_records(path, WHAT):
        fields = {**record, **_as_mapping(record.get("metadata"))}
        topic = required_name(fields, ("topic_id", *TOPIC), place)
        system = run_name(fields, part, place)
        sentences, unlabelled_here = _judged_sentences(record, place)
        unlabelled += unlabelled_here
        precision, recall = support_scores(sentences)
        part.rows += [
            Row(collection, system, topic, metric, value, place=place)
            for metric, value in (
                ("weighted_precision", precision),
                ("weighted_recall", recall),
            )
        ]
    if unlabelled:
        part.add_note(
            f"{counted(unlabelled, 'citation')} without a label of support count as not judged"
        )
    return part


def _as_mapping(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _judged_sentences(
    record: Mapping[str, Any], place: str
) -> tuple[list[list[float] | None], int]:
    """Return what the judged citations of each sentence count, None where none of those cited was judged.

    Also returns how many citations the judge gave no label.
    """
    if "support_eval" not in record:
        raise FileFormatError(
            f"{place}: not {WHAT} (it lacks 'support_eval'); it has {listed(map(str, record))}"
        )
    judged = record["support_eval"]
    # some programs leave the text of the answer out, or write it in one piece
    answer = record.get("answer") or []
    answer_sentences = [] if isinstance(answer, str) else answer
    for name, value in (("support_eval", judged), ("answer", answer_sentences)):
        if not isinstance(value, list):
            raise FileFormatError(
                f"{place}: {name!r} is {shortened(repr(value))}, not a list of sentences"
            )
    sentences: list[list[float] | None] = []
    unlabelled = 0
    for sentence in judged:
        entry = _as_mapping(sentence)
        labels, cited = entry.get("eval_scores"), entry.get("citations") or []
        if not isinstance(labels, list) or not isinstance(cited, list):
            raise FileFormatError(
                f"{place}: a sentence of support_eval without its lists eval_scores and citations"
            )
        worths = [_label_worth(label, place) for label in labels if label is not None]
        citations = max(len(labels), len(cited))
        unlabelled += citations - len(worths)
        sentences.append(worths if worths or not citations else None)
    # sentences that the judge passed over cite nothing
    unjudged = len(answer_sentences) - len(judged)
    return sentences + [[] for _ in range(unjudged)], unlabelled


def _label_worth(label: object, place: str) -> float:
    """Return what a label of support counts; another word raises FileFormatError."""
    word = stripped(str(label)).lower().replace("_", " ")
    if word not in _WORTH:
        raise FileFormatError(
            f"{place}: {shortened(repr(label))} is not a label of support; expected FS, PS or NS"
        )
    return _WORTH[word]


def support_scores(sentences: list[list[float] | None]) -> tuple[float, float]:
    """Return weighted precision and recall of an answer.

    precision = sum of a_c / number of judged citations c; recall = sum of max a_c of sentence s / number of sentences s

    sentences : what the judged citations of each are worth; [] where it cites nothing, None where no citation of it was
    judged: that sentence is left out. NaN where all are.

    >>> support_scores([[1.0], [0.5], []])
    (0.75, 0.5)
    """
    known = [one for one in sentences if one is not None]
    if sentences and not known:
        return float("nan"), float("nan")
    citations = [one for sentence in known for one in sentence]
    precision = sum(citations) / len(citations) if citations else 0.0
    best = [max(sentence, default=0.0) for sentence in known]
    return precision, sum(best) / len(best) if best else 0.0
