"""Tables of scores that people have, long or wide, as the rows of a score file: columns go by the names people use."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs

from irmeta.choices import Rows
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import canonical
from irmeta.scores.tables.columns import names as texts_of
from irmeta.scores.tables.columns import numbers as scores_of
from irmeta.scores.tables.objects import NAME_EACH, as_polars, numbers_rows
from irmeta.scores.tables.roles import (
    ALL,
    COLUMNS,
    SCORE,
    SPELLINGS,
    UNNAMED,
    Columns,
    columns_of,
    refuse_documents,
    some_names,
)
from irmeta.scores.tables.twice import refuse_twice, refuse_unnamed
from irmeta.scores.tables.wide import HEADS, scale_doubts, wide_rows
from irmeta.stats.arrays import Floats
from irmeta.words import BLANKS, listed, shortened

SUMMARY_TOPICS = ("all", "amean", "mean", "average", "avg", "overall")
"""What tables call the row of a system's mean over its topics."""


class Cells(NamedTuple):
    """The scores of one collection: names in the order of their first appearance, and values where there are any."""

    systems: list[str]
    topics: list[str]
    metrics: list[str]
    values: Floats  # (system, topic, metric); NaN: not scored


class Table(NamedTuple):
    """A table of scores, read: rows with the columns `COLUMNS`, what to say of it, and the system of each run.

    clusters : by collection, the cluster of each topic, where a column says it.
    unused : the columns that say nothing of these, with how many groups of topics each makes in each collection.
    doubts : which columns may hold no scores, though they were taken for some.
    """

    rows: pl.DataFrame
    notes: list[str]
    runs: dict[str, str]
    clusters: dict[str, dict[str, str]]
    unused: dict[str, dict[str, int]]
    doubts: list[str]


class Named(TypedDict, total=False):
    """Which columns of a table hold what, as `irmeta.from_frame` says."""

    system: str | None
    topic: str | None
    metric: str | None
    score: str | None
    repeat: str | None
    cluster: str | None
    rows: Rows | None
    ignore: str | Iterable[str]


def rows_of(table: Any, **named: Unpack[Named]) -> Table:
    """Turn a table, long or wide, into a row for each score; say what was left out, and which runs are of one system.

    named : what `irmeta.from_frame` takes, but for `collection`.

    >>> rows_of({"bm25": {"fiqa": 0.5, "nq": None}}).rows.rows()
    [('collection', 'bm25', 'fiqa', 'score', 0.5), ('collection', 'bm25', 'nq', 'score', None)]
    """
    rows = named.get("rows")
    if rows is not None:
        require_choice("rows", rows, get_args(Rows))
    elif (
        isinstance(table, pd.DataFrame) and columns_of([str(table.columns.name)]).system
    ):
        rows = "topics"  # the axis of columns is called as systems are
    of_dicts = isinstance(table, Mapping)
    ignore = named.get("ignore", ())
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    frame = _read_frame(table, rows, ignored)
    roles: dict[str, Any] = {role: named.get(role) for role in SPELLINGS}
    system, metric, cluster = roles["system"], roles["metric"], roles["cluster"]
    if system is not None and system not in frame.columns:
        frame = _join_columns(frame, system)
    # a metric that is no column, or the column of scores, is what all scores are of
    others = [name for name in frame.columns if name != roles["score"]]
    whole = metric is not None and metric not in others
    if whole:
        roles["metric"] = None
    columns = columns_of(frame.columns, **roles)
    named_rows = rows is not None or any(columns) or frame.select(cs.string()).width
    if isinstance(table, list) and not named_rows:
        raise ScoresError(f"dicts of scores without a name; {NAME_EACH}")
    frame = _without_row_numbers(frame, columns)
    _require_system_column(frame, columns)
    of_score = SCORE if roles["score"] is None else roles["score"]
    constant = metric if whole else of_score
    doubts, left_out = list[str](), list[str]()
    unsaid = rows is None and columns.system is None and columns.topic is None
    if columns.system is None or columns.score is None:
        frame, columns, left_out = wide_rows(frame, columns, rows)
        doubts = scale_doubts(frame) if columns.topic == HEADS else []
        if whole and columns.metric == HEADS:
            _require_one_metric(frame[HEADS].unique(maintain_order=True), constant)
            columns = columns._replace(metric=None)
    elif numbers_rows(table) and "index" not in columns:
        frame = frame.drop("index", strict=False)
    if cluster is not None and columns.cluster is None:
        raise ScoresError(
            f"the column {cluster!r} says the clusters of topics, but the rows of this table are not topics; name them "
            "by a table of topics and clusters (--clusters of a study)"
        )
    table = _long_rows(frame, columns, constant)
    if left_out:
        table.notes.append(
            f"columns left out, as irmeta knows no metric of this name: {some_names(left_out)}"
        )
    topics = table.rows["topic"]
    if (unsaid and columns.topic == HEADS) or (
        of_dicts and rows is None and not topics.str.contains(r"^\d+$").all()
    ):
        said = _orientation(table.rows, "keys" if of_dicts else "columns")
        table.notes.append(said)
        if _seem_turned(table.rows["system"], topics):
            doubts.append(said)
    return table._replace(doubts=doubts)


def _read_frame(table: Any, rows: Rows | None, ignored: list[str]) -> pl.DataFrame:
    """Return a table as a frame without the ignored columns; ScoresError if it cannot be read, or lacks one."""
    try:
        frame = as_polars(table, rows)
    except (
        UnicodeEncodeError,
        OverflowError,
        pl.exceptions.PolarsError,
        OSError,
    ) as error:  # halves of characters; numbers beyond all floats; lazy frames
        raise ScoresError(
            f"the table has a name or a score that cannot be read: {shortened(str(error), 100)}"
        ) from error
    unknown = [name for name in ignored if name not in frame.columns]
    if unknown:
        raise ScoresError(
            f"there is no column {unknown[0]!r} to ignore; the table has {some_names(frame.columns)}"
        )
    return frame.drop(ignored)


def _require_system_column(frame: pl.DataFrame, columns: Columns) -> None:
    """Raise ScoresError for rows of documents, and for rows of one score each that do not say of which system."""
    refuse_documents(frame.columns, columns)
    others = (columns.topic, columns.metric, columns.score)
    if columns.system is None and None not in others:
        raise ScoresError(
            f"no column of {some_names(frame.columns)} says which system; add one, or give tables by system: "
            "from_frame({'bm25': table})"
        )


def _orientation(rows: pl.DataFrame, names: str) -> str:
    """Say which way a table was read that does not say itself; names : what names its topics, columns or keys."""
    systems, topics = (
        listed(rows[dim].unique(maintain_order=True), 2) for dim in ("system", "topic")
    )
    outer, inner = ("outer ", "inner ") if names == "keys" else ("", "")
    read = f"{outer}{names if outer else 'rows'} are read as systems ({systems}), {inner}{names} as topics ({topics})"
    return f"{read}; turn this with --rows topics"


def _seem_turned(systems: pl.Series, topics: pl.Series) -> bool:
    """Say whether systems are called or numbered as topics are, or only topics as systems are.

    >>> _seem_turned(pl.Series(["task1", "task2"]), pl.Series(["e5", "bge"]))
    True
    >>> _seem_turned(pl.Series(["fiqa"]), pl.Series(["bm25"])), _seem_turned(pl.Series(["e5"]), pl.Series(["fiqa"]))
    (True, False)
    """
    numbered = r"(?i)^((task|topic|query|question|item|q)[\W_]*)?\d+$"
    if systems.str.contains(numbered).all():
        return not topics.str.contains(numbered).all()
    models = r"(?i)bm25|tf-?idf|gpt-?\d|claude|llama|mistral|qwen|gemini|colbert|splade"
    return bool(
        topics.str.contains(models).any() and not systems.str.contains(models).any()
    )


def _without_row_numbers(frame: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Leave out numbers of rows, as those of the tables in `pandas.concat({"bm25": table})`: levels without a name."""
    if columns.system is None or columns.topic is None:
        return frame
    unnamed = [name for name in frame.columns if UNNAMED.fullmatch(name)]
    free = [name for name in unnamed if name not in columns]
    return frame.drop([name for name in free if frame[name].dtype.is_integer()])


def _require_one_metric(heads: pl.Series, metric: str) -> None:
    """Refuse several columns of metrics, by their heads, where all scores are said to be of one."""
    if heads.len() > 1:
        raise ScoresError(
            f"{some_names(heads)} are columns of metrics, and --metric {shortened(metric)!r} says that all scores "
            "are of one; name its column with --score"
        )


def _join_columns(frame: pl.DataFrame, system: str) -> pl.DataFrame:
    """Put columns that name a system together, as in "team,run", into one."""
    parts = [name.strip() for name in system.split(",")]
    if not set(parts) <= set(frame.columns):
        return frame
    texts = [pl.col(part).cast(pl.String) for part in parts]
    whole = pl.concat_str(texts, separator="/")
    return frame.with_columns(whole.alias(system)).drop(parts)


def cells(rows: pl.DataFrame) -> Cells:
    """Lay out the rows of one collection as an array; a cell given twice raises ScoresError."""
    names = [rows[dim].unique(maintain_order=True).to_list() for dim in COLUMNS[1:4]]
    at = [
        rows[dim].cast(pl.Enum(known)).to_physical().to_numpy()
        for dim, known in zip(COLUMNS[1:4], names, strict=True)
    ]
    values = np.full([len(known) for known in names], np.nan)
    flat = np.ravel_multi_index(at, values.shape)
    refuse_twice(rows, flat)
    values.flat[flat] = rows["score"].fill_null(np.nan).to_numpy()
    systems, topics, metrics = names
    return Cells(systems, topics, metrics, values)


def _long_rows(frame: pl.DataFrame, columns: Columns, metric: str) -> Table:
    """Return a table of rows of one score each, with the columns `COLUMNS`; metric : where no column says it."""
    runs: dict[str, str] = {}
    if columns.repeat is not None:
        frame, runs = _name_runs(frame, columns)
        columns = columns if runs else columns._replace(repeat=None)
    fixed = {"collection": "collection", "topic": ALL, "metric": metric}
    parts = []
    for role, column in zip(COLUMNS[:-1], columns, strict=False):
        if column is not None:
            part = texts_of(frame[column], column)
        else:
            part = pl.repeat(fixed[role], frame.height, dtype=pl.String, eager=True)
        parts.append(part.alias(role))
    assert columns.score is not None
    scores = scores_of(frame[columns.score], columns.score).alias("score")
    table = pl.DataFrame([*parts, scores])
    unused = {
        name: _count_groups(frame[name], table["topic"], table["collection"])
        for name in frame.columns
        if name not in columns
    }
    notes = []
    table, clusters = _with_clusters(table, frame, columns)
    if clusters:
        notes.append(f"topics of one {columns.cluster!r} are a cluster")
    if runs and not _varies(table, runs):
        notes.append(
            f"every run of a system has the same {columns.score!r}, which may be their mean already; --score names "
            "another column (score=)"
        )
    scored = with_spelled_metrics(table)
    others = frame.select(list(unused))
    refuse_unnamed(scored.select(COLUMNS[:4]), others, columns.system or "system")
    scored, sums = _without_summaries(scored)
    return Table(scored, [*notes, *sums], runs, clusters, unused, [])


def _without_summaries(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out the mean of a system's topics, which stands among them under a name such as "all"."""
    sums_up = pl.col("topic").str.to_lowercase().is_in(SUMMARY_TOPICS)
    others = (~sums_up).any().over("collection", "system")
    kept = rows.filter(~(sums_up & others))
    if kept.height == rows.height:
        return rows, []
    names = rows.filter(sums_up)["topic"].unique(maintain_order=True)
    return kept, [f"left out what sums up topics: {listed(map(repr, names))}"]


def _count_groups(
    column: pl.Series, topics: pl.Series, collections: pl.Series
) -> dict[str, int]:
    """Return how many groups of topics a column makes, by collection; 0 where a topic is in several, or each alone."""
    every = pl.DataFrame(
        [column.alias("of"), topics.alias("topic"), collections.alias("in")]
    )
    counts = {}
    for (name,), each in every.unique().partition_by("in", as_dict=True).items():
        groups = each["of"].n_unique()
        several = each["topic"].is_duplicated().any() or not 1 < groups < each.height
        counts[str(name)] = 0 if several else groups
    return counts


def _with_clusters(
    table: pl.DataFrame, frame: pl.DataFrame, columns: Columns
) -> tuple[pl.DataFrame, dict[str, dict[str, str]]]:
    """Return the rows, and by collection the cluster of each topic; a topic without one stands alone.

    Where topics of several clusters have one name, as turns 1, 2 and 3 of each conversation, all are named
    CLUSTER_TOPIC.
    """
    if columns.cluster is None or columns.topic is None:
        return table, {}
    own = frame[columns.cluster].cast(pl.String).str.strip_chars(BLANKS)
    named = table.with_columns(
        cluster=pl.when(own.is_null() | (own == "")).then("topic").otherwise(own)
    )
    each = ["collection", "topic"]
    if named.unique([*each, "cluster"]).select(each).is_duplicated().any():
        name = pl.format("{}_{}", "cluster", "topic")
        named = named.with_columns(topic=name)
    clusters: dict[str, dict[str, str]] = {}
    once = named.select(*each, "cluster").unique(maintain_order=True)
    for collection, topic, cluster in once.iter_rows():
        clusters.setdefault(collection, {})[topic] = cluster
    return named.drop("cluster"), clusters


def _varies(table: pl.DataFrame, runs: Mapping[str, str]) -> bool:
    """Return whether two runs of some system differ in a score."""
    cell = [pl.col("system").replace(runs).alias("of"), "collection", "topic", "metric"]
    each = table.group_by(cell).agg(pl.col("score").n_unique())
    return bool((each["score"] > 1).any())


def _name_runs(
    frame: pl.DataFrame, columns: Columns
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Name the systems of a table by system and repeat, where some have several; return also the system of each run."""
    assert columns.system is not None
    assert columns.repeat is not None
    system = texts_of(frame[columns.system], columns.system)
    repeat = texts_of(frame[columns.repeat].cast(pl.String), columns.repeat)
    pairs = pl.DataFrame([system.alias("system"), repeat.alias("repeat")])
    each = pairs.unique(maintain_order=True)
    if not each["system"].is_duplicated().any():
        return frame, {}
    name = pl.format("{}_{}", "system", "repeat")
    runs = dict(each.select(name.alias("run"), "system").iter_rows())
    if len(runs) < each.height:
        raise ScoresError(
            f"two runs have one name made of {columns.system!r} and {columns.repeat!r}; rename the systems"
        )
    named = pairs.select(name).to_series().alias(columns.system)
    return frame.with_columns(named), runs


def with_spelled_metrics(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows of scores whose metrics are spelled as irmeta does."""
    spelled = {name: canonical(name) for name in rows["metric"].unique().to_list()}
    return rows.with_columns(pl.col("metric").replace(spelled))
