"""Runs and judgments as other libraries hold them, made what irmeta reads: a mapping or a data frame."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.runs.rankings import TOPIC
from irmeta.io.strictly import number, require_schema
from irmeta.scores.tables.roles import DOCUMENT
from irmeta.words import reason

if TYPE_CHECKING:
    import polars as pl

IR_DATASETS = "irds:"
"""What begins the name of a dataset of ir_datasets."""
PARTS = {"qrels": "judgments", "scoreddocs": "run (scored documents)"}
"""What the parts of a dataset of ir_datasets are, by its names of them."""


def as_mapping_or_frame(given: Any) -> Any:
    """Turn a polars LazyFrame, a Run or Qrels of ranx, or rows of ir_measures or ir_datasets into a frame or a mapping.

    Anything else is returned as it is; of an iterator it is a list.

    >>> as_mapping_or_frame([("1", "a")])
    [('1', 'a')]
    """
    if _is_object_of("polars", given) and hasattr(given, "collect"):
        import polars as pl

        try:
            return given.collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise FileFormatError(
                f"the lazy frame cannot be collected ({reason(error)})"
            ) from error
    if _is_object_of("ranx", given):
        return given.to_dict()
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, list | tuple) and given and _is_row(given[0]):
        return _frame_of_rows(given)
    return given


def run_name(given: Any) -> str:
    """Return the name that a Run of ranx has; others have none, and are called run."""
    if _is_object_of("ranx", given):
        return str(given.name or "run")
    return "run"


def qrels_of_ir_datasets(name: str) -> "pl.DataFrame":
    """Return the judgments of a dataset of ir_datasets, named `irds:ID`; raise IrmetaError if it has none."""
    return _frame_of_rows(_rows_of_ir_datasets(name, "qrels"))


def run_of_ir_datasets(name: str) -> "pl.DataFrame":
    """Return the run that comes with a dataset of ir_datasets, its scored documents; raise IrmetaError without one."""
    return _frame_of_rows(_rows_of_ir_datasets(name, "scoreddocs"))


def _rows_of_ir_datasets(name: str, what: str) -> Iterable[Any]:
    """Return the rows of a part of a dataset; raise IrmetaError where it lacks it, or cannot be read.

    what : a part as ir_datasets calls it, one of `PARTS`.
    """
    try:
        import ir_datasets
    except ImportError as error:
        raise IrmetaError(
            f"{name}: needs ir_datasets; install it: pip install 'irmeta[ir-datasets]'"
        ) from error
    try:
        dataset = ir_datasets.load(name.removeprefix(IR_DATASETS))
    except KeyError as error:
        raise IrmetaError(
            f"{name}: ir_datasets has no such dataset; `ir_datasets list` lists them"
        ) from error
    if not getattr(dataset, f"has_{what}")():
        raise IrmetaError(
            f"{name}: the dataset has no {PARTS[what]}; a subset may have them, as {name}/test"
        )
    try:
        return list(getattr(dataset, f"{what}_iter")())
    # downloads, archives and licences raise errors of their own kinds
    except Exception as error:
        # of a download that failed, the first argument; the second is all that was tried
        first = error.args[0] if error.args else type(error).__name__
        cause = first if isinstance(first, str) else error
        raise FileFormatError(
            f"{name}: ir_datasets cannot read it ({cause}); if it cannot be downloaded from here, "
            f"save its {PARTS[what]} to a file elsewhere (`ir_datasets export ID {what} > {what}.txt`)"
        ) from error


def _is_object_of(library: str, given: Any) -> bool:
    """Tell whether a library made the class of this object, without loading the library."""
    return type(given).__module__.partition(".")[0] == library


def _is_row(given: Any) -> bool:
    """Tell whether this is a row of ir_measures or ir_datasets, with a topic and a document; a frame has columns."""
    return (
        hasattr(given, "query_id")
        and hasattr(given, "doc_id")
        and not hasattr(given, "columns")
    )


def _frame_of_rows(rows: Iterable[Any]) -> "pl.DataFrame":
    """Lay out rows of ir_measures or ir_datasets as a frame."""
    import polars as pl

    listed = list(rows)
    has_grades = bool(listed) and hasattr(listed[0], "relevance")
    value = "relevance" if has_grades else "score"
    try:
        return pl.DataFrame(
            {
                "query_id": [str(row.query_id) for row in listed],
                "doc_id": [str(row.doc_id) for row in listed],
                value: [number(getattr(row, value)) for row in listed],
            }
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"not rows with query_id, doc_id and {value} ({reason(error)})"
        ) from error


def grades_by_topic(held: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return judgments by topic of a judgment list of OpenSearch, or of a request of Elasticsearch's rank_eval.

    held : JSON with a list under `judgmentRatings` (query, and ratings with docId and rating) or `requests` (id, and
    ratings with _id and rating), however deep; or {topic: {document: grade}}, which is returned as it is. A topic or
    document that occurs twice raises ValueError.
    """
    entries = held if isinstance(held, list) else _rated_queries(held)
    if entries is None:
        return held
    found: dict[str, dict[str, Any]] = {}
    for entry in require_schema(entries, list[dict[str, Any]]):
        topic = _first_name(entry, ("id", "query", *TOPIC))
        if topic in found:
            raise ValueError(f"{topic!r} occurs twice")
        found[topic] = {}
        for rating in require_schema(entry.get("ratings", []), list[dict[str, Any]]):
            document = _first_name(rating, ("_id", "docId", *DOCUMENT))
            if document in found[topic]:
                raise ValueError(f"document {document!r} of {topic!r} occurs twice")
            found[topic][document] = rating.get("rating")
    return found


def _rated_queries(document: Any) -> list[Any] | None:
    """Find the list of rated queries in JSON, however deep; None without one."""
    if isinstance(document, dict):
        for name in ("judgmentRatings", "requests"):
            if isinstance(document.get(name), list):
                return list(document[name])
        document = list(document.values())
    parts = document if isinstance(document, list) else []
    below = map(_rated_queries, parts)
    return next((queries for queries in below if queries is not None), None)


def _first_name(entry: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the text or number under the first of these keys that there is; else raise ValueError."""
    name = next((entry[key] for key in keys if key in entry), None)
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise ValueError(f"no {' or '.join(keys[:2])} in {str(entry)[:60]}")
    return str(name)
