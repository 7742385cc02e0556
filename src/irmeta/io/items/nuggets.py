"""Assignments of nuggets to answers, as AutoNuggetizer and the TREC RAG track write them, as scores by topic.

A nugget is a fact that a good answer contains; it is vital or okay, and an answer supports it, in part, or not.
Source: Pradeep et al. (2024), Initial Nugget Evaluation Results for the TREC 2024 RAG Track, section 3.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.io.files import Location
from irmeta.io.items.records import file_title, read_records, required_name
from irmeta.io.items.rows import BY_JUDGE, Part, Row, cubes_of_parts
from irmeta.io.strictly import stripped
from irmeta.io.tables.matrices import Paths, all_files
from irmeta.words import counted, listed, shortened

TOPIC = ("qid", "topic_id", "query_id", "narrative_id")
RUN = ("run_id", "runid", "run")
WHAT = "a nugget assignment"
_WORTH = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
"""What an assignment counts; one that the machine failed to make counts as not supported, as AutoNuggetizer has it."""
_WEIGHT = {"vital": 1.0, "okay": 0.5, "failed": 0.0}
"""What a nugget weighs in the weighted scores."""


class UnassignedError(FileFormatError):
    """Nuggets that nobody has looked for in answers yet."""


Nugget = tuple[str, str, str]
"""Text, importance and assignment."""


def import_nuggets(
    paths: Paths, *, collection: str | None = None
) -> dict[str, xr.DataArray]:
    """Read assignments of nuggets to answers (AutoNuggetizer, TREC RAG) as scores by topic.

    Metrics: `vital_score` and `all_score`, the share of nuggets that an answer supports, partial support as half;
    `strict_vital_score` and `strict_all_score` without it; `weighted_score` and `strict_weighted_score`, where an okay
    nugget weighs half a vital one. A topic without vital nuggets has no vital scores. An answer is of the run that it
    names, or of its file.

    paths : files with a JSON object for each answer, with qid and nuggets; folders, globs or URLs of them.
    collection : what to call the collection, by default as the file or folder; files that score the same systems on
    the same topics are judges', each a collection by its name.

    >>> import json, tempfile, pathlib
    >>> nuggets = [{"text": "a", "importance": "vital", "assignment": "support"},
    ...            {"text": "b", "importance": "okay", "assignment": "partial_support"}]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.jsonl"
    >>> _ = path.write_text(json.dumps({"qid": "1", "run_id": "ours", "nuggets": nuggets}))
    >>> import_nuggets(path)["people"].sel(metric="all_score").item()
    0.75
    """
    return import_answers(paths, collection, _read_part)


def import_answers(
    paths: Paths, collection: str | None, part: Callable[[Location, str], Part]
) -> dict[str, xr.DataArray]:
    """Read each file's scores of answers as `part` does, in a collection of this name, by default that of the files."""
    files = all_files(paths)
    name = collection or _collection_of(paths, files)
    parts = [part(path, name) for path in files]
    return cubes_of_parts(parts if collection else _by_judge(parts), apart=BY_JUDGE)


def _by_judge(parts: list[Part]) -> list[Part]:
    """Make each file a collection of its own, by its name, where all score the same systems' answers: as judges do."""
    systems = {frozenset(row.system for row in part.rows) for part in parts}
    answers = [{(row.system, row.topic) for row in part.rows} for part in parts]
    names = {part.origin for part in parts}
    overlap = sum(map(len, answers)) > len(set().union(*answers))
    if not overlap or len(systems) > 1 or min(map(len, systems)) < 2:
        return parts
    if len(names) < len(parts):
        return parts
    for part in parts:
        part.rows = [row._replace(collection=part.origin) for row in part.rows]
    return parts


def _collection_of(paths: Paths, files: Sequence[Location]) -> str:
    """Name a collection by the one file or folder that was given."""
    if len(files) == 1:
        return file_title(files[0])
    if isinstance(paths, str | PathLike) and Path(paths).is_dir():
        return Path(paths).resolve().name
    return "collection"


def _read_part(path: Location, collection: str) -> Part:
    """Return the scores of the answers in one file, and notes on their nuggets."""
    part = Part(path, file_title(path), [])
    failed = 0
    nuggets_of_topic: dict[str, Counter[tuple[str, str]]] = {}
    differing = set[str]()
    without_vital = set[str]()
    for place, record in read_records(path, WHAT):
        topic = required_name(record, TOPIC, place)
        nuggets = _nuggets(record, place)
        asked = Counter((text, importance) for text, importance, _ in nuggets)
        if nuggets_of_topic.setdefault(topic, asked) != asked:
            differing.add(topic)
        failed += sum(assignment == "failed" for _, _, assignment in nuggets)
        if all(importance != "vital" for _, importance, _ in nuggets):
            without_vital.add(topic)
        system = run_name(record, part, place)
        part.rows += [
            Row(collection, system, topic, metric, score, place=place)
            for metric, score in nugget_scores(nuggets).items()
        ]
    _note(part, failed, differing, without_vital)
    return part


def run_name(record: Mapping[str, Any], part: Part, place: str) -> str:
    """Return the run that an answer names, or that of its file."""
    if not any(key in record for key in RUN):
        return part.origin
    return required_name(record, RUN, place)


def _nuggets(record: Mapping[str, Any], place: str) -> list[Nugget]:
    """Return the nuggets of a record with what was assigned; what is not an assignment to an answer raises."""
    if "docid" in record or "candidate_text" in record:
        raise FileFormatError(
            f"{place}: nuggets were assigned to a retrieved passage, not to an answer; assign them to answers"
        )
    entries = record.get("nuggets")
    if not isinstance(entries, list) or not entries:
        raise FileFormatError(
            f"{place}: not {WHAT} (it has no list of nuggets); it has {listed(map(str, record))}"
        )
    nuggets = []
    for entry in entries:
        if not isinstance(entry, dict) or "importance" not in entry:
            raise FileFormatError(f"{place}: a nugget without importance")
        if "assignment" not in entry:
            raise UnassignedError(
                f"{place}: nuggets without assignments to answers; assign them first (nuggetizer assign)"
            )
        importance = _require_word(entry["importance"], _WEIGHT, "importance", place)
        assignment = _require_word(entry["assignment"], _WORTH, "assignment", place)
        nuggets.append((str(entry.get("text", "")), importance, assignment))
    return nuggets


def _require_word(
    value: object, known: Mapping[str, float], what: str, place: str
) -> str:
    """Return a word in lower case if it is known; else raise FileFormatError. what : what it is of a nugget."""
    word = stripped(str(value)).lower()
    if word not in known:
        raise FileFormatError(
            f"{place}: {shortened(repr(value))} is not an {what} of a nugget; expected {listed(known)}"
        )
    return word


def nugget_scores(nuggets: Sequence[Nugget]) -> dict[str, float]:
    """Return the six scores of an answer: sums of a_i w_i over sums of w_i.

    a_i is what the assignment of nugget i counts, w_i what it weighs: 1 for the vital ones, or for all of them; 1 and
    a half in the weighted scores. A score without nuggets is missing.

    >>> [round(one, 2) for one in nugget_scores([("", "vital", "partial_support"), ("", "okay", "support")]).values()]
    [0.5, 0.0, 0.75, 0.5, 0.67, 0.33]
    """
    worth = np.array([_WORTH[assignment] for _, _, assignment in nuggets])
    weighted = np.array([_WEIGHT[importance] for _, importance, _ in nuggets])
    weights = {
        "vital": (weighted == 1).astype(float),
        "all": np.ones(len(nuggets)),
        "weighted": weighted,
    }
    counted_as = {"": worth, "strict_": (worth == 1).astype(float)}
    return {
        f"{strict}{name}_score": float(a @ w / w.sum()) if w.sum() else float("nan")
        for name, w in weights.items()
        for strict, a in counted_as.items()
    }


def _note(part: Part, failed: int, several: set[str], without_vital: set[str]) -> None:
    """Note failed assignments, and topics with several sets of nuggets or without vital ones."""
    if failed:
        part.add_note(
            f"{counted(failed, 'failed assignment')} of nuggets count as not supported, as in "
            "AutoNuggetizer"
        )
    if several:
        part.add_note(
            f"answers to {counted(len(several), 'topic')} ({listed(sorted(several))}) were judged by "
            "different nuggets; their scores do not compare"
        )
    if without_vital:
        part.add_note(
            f"{counted(len(without_vital), 'topic')} without vital nuggets "
            f"({listed(sorted(without_vital))}): no vital scores; AutoNuggetizer counts them 0"
        )
