"""Which column of a table says what: columns go by the names that people use."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from irmeta.errors import ScoresError
from irmeta.words import listed, shortened

COLUMNS = ("collection", "system", "topic", "metric", "score")
ALL = "all"
"""The one topic of a table that holds means only."""
SCORE = "score"
"""What scores are of where a table does not say it."""
_TASKS = (
    "task",
    "task_name",
    "dataset",
    "dataset_name",
    "data_set",
    "benchmark",
    "corpus",
)
_ITEMS = (
    "topic",
    "topic_id",
    "query",
    "query_id",
    "qid",
    "q_id",
    "question",
    "question_id",
    "item",
    "item_id",
    "turn",
    "turn_id",
)
DOCUMENT = ("document", "doc_id", "docno", "docid", "doc", "corpus-id")
"""How people name the column of documents, which runs and judgments have."""
UNNAMED = re.compile(r"level_\d")
"""What pandas calls a level of an index that has no name: in a stacked table, its rows or its columns."""
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "collection": ("collection", "sub_collection", "snapshot"),
    "system": (
        "system",
        "model",
        "run",
        "model_name",
        "system_id",
        "run_id",
        "runid",
        "method",
        "name",
    ),
    "topic": (*_ITEMS, *_TASKS),
    "metric": ("metric", "measure"),
    "score": ("score", "value", "main_score"),
    "repeat": ("repeat", "seed", "trial", "epoch", "experiment"),
    "cluster": ("cluster", "cluster_id", "conversation", "conversation_id"),
}
"""How people name the columns; of several in one table the first one counts."""


class Columns(NamedTuple):
    """Which column of a table says what; None: none does."""

    collection: str | None
    system: str | None
    topic: str | None
    metric: str | None
    score: str | None
    repeat: str | None
    cluster: str | None


def columns_of(names: Sequence[str], **wanted: str | None) -> Columns:
    """Find out which column says what: those that are named, else those with a name that people use for it.

    Unnamed levels of an index are the system or the topic that no other column names.
    """
    given = {role: name for role, name in wanted.items() if name is not None}
    _require_columns(names, given)
    free = [name for name in names if name not in given.values()]
    # of two columns with one spelling the first
    spelled = {spelling(name): name for name in reversed(free)}
    columns = {
        role: given.get(role) or _find_spelled(known, spelled)
        for role, known in SPELLINGS.items()
    }
    unnamed = [name for name in free if UNNAMED.fullmatch(name)]
    absent = [role for role in ("system", "topic") if columns[role] is None]
    if len(unnamed) >= len(absent):
        columns |= dict(zip(absent, unnamed, strict=False))
    topic = columns["topic"]
    if columns["collection"] is None and topic and spelling(topic) in _ITEMS:
        # items within tasks
        others = {word: name for word, name in spelled.items() if name != topic}
        columns["collection"] = _find_spelled(_TASKS, others)
    return Columns(**columns)


def refuse_documents(names: Sequence[str], columns: Columns) -> None:
    """Raise ScoresError for a run or judgments: rows of a query and a document, and of no system."""
    documents = [name for name in names if name in DOCUMENT and name not in columns]
    if not documents or columns.topic is None or columns.system is not None:
        return
    these = "these are judgments"
    if columns.score is not None or "rank" in names:
        these = "this is a run"
    raise ScoresError(
        f"the column {documents[0]!r} names documents: {these}, not a table of scores; "
        "score runs: irmeta evaluate QRELS RUN, or from data frames irmeta.evaluate(qrels, {'name': run})"
    )


def _require_columns(names: Sequence[str], given: Mapping[str, str]) -> None:
    """Raise ScoresError for a column that the table does not have, and for one that is given for two roles."""
    roles: dict[str, str] = {}
    for role, name in given.items():
        if name not in names:
            raise ScoresError(
                f"no column {name!r} for {role} in the table; it has {some_names(names)}"
            )
        if name in roles:
            raise ScoresError(
                f"the column {shortened(name)!r} is given for {roles[name]} and {role}; give it for one of them only"
            )
        roles[name] = role


def _find_spelled(known: Iterable[str], spelled: Mapping[str, str]) -> str | None:
    """Return the first column that is spelled in a way that people use; None where there is none."""
    return next((spelled[word] for word in known if word in spelled), None)


def spelling(name: str) -> str:
    """Write a column's name as `SPELLINGS` does: "Model Names" is model_name."""
    return re.sub(r"\W+", "_", name.strip().lower()).strip("_").removesuffix("s")


def some_names(names: Iterable[str]) -> str:
    """List names in a message, the first ten."""
    return listed((shortened(name, 30) for name in names), 10)
