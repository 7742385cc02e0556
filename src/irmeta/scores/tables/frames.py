"""Tables of scores that people have, long or wide, as the rows of a score file: columns go by the names people use."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

import numpy as np
import pandas as pd
import polars as pl
import xarray as xr

from irmeta.choices import Rows
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import canonical, is_known
from irmeta.scores.names import require_names
from irmeta.scores.tables.columns import is_text
from irmeta.scores.tables.columns import names as texts_of
from irmeta.scores.tables.columns import numbers as scores_of
from irmeta.stats.arrays import Floats, Indices
from irmeta.words import BLANKS, listed, shortened

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
_HEADS, _SCORES = "head of a column", "its scores"
"""What the columns are called that a wide table becomes."""
SUMMARIES = re.compile(
    r"(rank|average|avg|mean|overall|total|(number of )?param|(number of )?parameter|model size|memory usage"
    r"|embedding dimension|max token)s?\b.*"
)
"""Columns of a wide table that sum up the others, or hold facts about systems."""
MEASURED_BESIDE = re.compile(
    r"(latency|run ?time|time|second|sec|ms|qps|cost|price|year|date|size|token|n ?rel|num rel|num q|num ret)s?"
    r"( (s|sec|second|ms|usd|mb|gb)s?)?"
)
"""Columns of a wide table that hold other figures of systems or topics than scores."""
SUMMARY_TOPICS = ("all", "amean", "mean", "average", "avg", "overall")
"""What tables call the row of a system's mean over its topics."""
APART = 10
"""A column whose highest score is this many times that of most others is on another scale."""


class Cells(NamedTuple):
    """The scores of one collection: names in the order of their first appearance, and values where there are any."""

    systems: list[str]
    topics: list[str]
    metrics: list[str]
    values: Floats  # (system, topic, metric); NaN: not scored


class Columns(NamedTuple):
    """Which column of a table says what; None: none does."""

    collection: str | None
    system: str | None
    topic: str | None
    metric: str | None
    score: str | None
    repeat: str | None
    cluster: str | None


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


def is_table(given: object) -> bool:
    """Say whether something is a table of scores: a data frame, dicts of dicts, or what turns into a data frame.

    >>> is_table({"bm25": {"301": 0.5}}), is_table({"bm25": 0.5}), is_table(pl.DataFrame())
    (True, False, True)
    """
    if isinstance(given, xr.DataArray | xr.Dataset):
        return False
    if isinstance(given, Mapping):
        inner = next(iter(given.values()), None)
        return _is_inner(inner) or "model_names" in given
    if _are_of_ranx(given):
        return True
    return isinstance(
        given, pl.DataFrame | pl.LazyFrame | pd.DataFrame | pd.Series
    ) or any(hasattr(given, name) for name in ("to_dataframe", "model_names"))


def _are_of_ranx(given: object) -> bool:
    """Tell whether these are runs of ranx, which keep their scores by topic once they were evaluated."""
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(
            type(one).__module__.partition(".")[0] == "ranx" and hasattr(one, "scores")
            for one in given
        )
    )


def _is_inner(given: object) -> bool:
    """Tell whether this can be the scores of one system: a dict, or values of ir_measures one by one."""
    if isinstance(given, Mapping):
        return not isinstance(given, xr.Dataset)
    one = given[0] if isinstance(given, list) and given else None
    return isinstance(given, Iterator) or hasattr(one, "measure")


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
    ignore = named.get("ignore", ())
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    try:
        frame = _as_polars(table, rows)
    except (
        UnicodeEncodeError,
        OverflowError,
        pl.exceptions.PolarsError,
        OSError,
    ) as error:  # halves of characters; numbers beyond all floats; lazy frames
        raise ScoresError(
            f"the table has a name or a score that cannot be read: {shortened(str(error), 100)}"
        ) from error
    if unknown := [name for name in ignored if name not in frame.columns]:
        raise ScoresError(
            f"there is no column {unknown[0]!r} to ignore; the table has {_some_names(frame.columns)}"
        )
    frame = frame.drop(ignored)
    roles: dict[str, Any] = {role: named.get(role) for role in SPELLINGS}
    system, metric, cluster = roles["system"], roles["metric"], roles["cluster"]
    if system is not None and system not in frame.columns:
        frame = _join_columns(frame, system)
    # a metric that is no column is what all scores are of
    whole = metric is not None and metric not in frame.columns
    found = columns_of(frame.columns, **(roles | {"metric": None} if whole else roles))
    if found.system is None and None not in (found.topic, found.metric, found.score):
        raise ScoresError(
            f"no column of {_some_names(frame.columns)} says which system; give tables by system, as in "
            "from_frame({'bm25': table})"
        )
    of_score = SCORE if roles["score"] is None else roles["score"]
    constant = metric if whole else of_score
    doubts = []
    if found.system is None or found.score is None:
        frame, found = _wide_rows(frame, found, rows)
        doubts = [] if found.metric == _HEADS else _scale_doubts(frame)
    elif _numbers_rows(table) and "index" not in found:
        frame = frame.drop("index", strict=False)
    if cluster is not None and found.cluster is None:
        raise ScoresError(
            f"the column {cluster!r} says the clusters of topics, but the rows of this table are not topics; name them "
            "by a table of topics and clusters (--clusters of a study)"
        )
    return _long_rows(frame, found, constant)._replace(doubts=doubts)


def _scale_doubts(frame: pl.DataFrame) -> list[str]:
    """Say which columns of a wide table, by now one below the other, reach far higher than the others, if any does."""
    found = frame.group_by(_HEADS, maintain_order=True).agg(pl.col(_SCORES).max())
    found = found.filter(pl.col(_SCORES).is_finite())
    names, most = found[_HEADS].to_list(), found[_SCORES].to_numpy()
    if not names or (usual := np.median(most)) <= 0:
        return []
    apart = most >= APART * usual
    if 2 / 3 <= (most <= 1).mean() < 1:  # scores end at 1
        apart |= most > 1
    if not apart.any():
        return []
    larger = [name for name, is_apart in zip(names, apart, strict=True) if is_apart]
    far, near = most[apart].max(), most[~apart].max()
    return [
        f"scores reach {far:.4g} in {listed(larger, 3)}, {near:.4g} elsewhere; bring percentages to one scale, and "
        f"leave out what is not a score (--ignore {quote(larger[0])})"
    ]


def _join_columns(frame: pl.DataFrame, system: str) -> pl.DataFrame:
    """Put columns that name a system together, as in "team,run", into one."""
    parts = [name.strip() for name in system.split(",")]
    if not set(parts) <= set(frame.columns):
        return frame
    whole = pl.concat_str(
        [pl.col(part).cast(pl.String) for part in parts], separator="/"
    )
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
    _refuse_twice(rows, flat)
    values.flat[flat] = rows["score"].fill_null(np.nan).to_numpy()
    systems, topics, metrics = names
    return Cells(systems, topics, metrics, values)


def _refuse_twice(rows: pl.DataFrame, flat: Indices) -> None:
    """Raise ScoresError if two rows are of the same cell."""
    order = np.argsort(flat, kind="stable")
    again = np.flatnonzero(np.diff(flat[order]) == 0)
    if again.size:
        raise ScoresError(
            f"{_twice_message(rows.row(int(order[again[0] + 1])))}; keep one of them, or name the columns that "
            "distinguish them: more of the system (--system team,run), or runs of one (--repeat seed)"
        )


def _twice_message(row: tuple[Any, ...]) -> str:
    """Say of which cell a row is that another is of, too."""
    collection, system, topic, metric = row[:4]
    where = "" if collection == "collection" else f" of {collection}"
    cell = ", ".join(shortened(name) for name in (system, topic, metric))
    return f"more than one score{where} for {cell}"


def _refuse_unnamed(rows: pl.DataFrame, others: pl.DataFrame, system: str) -> None:
    """Raise ScoresError if two rows are of the same cell, and a column that nobody named distinguishes all such rows.

    others : the columns that nobody named.  system : the column of the systems.
    """
    own = rows.select(COLUMNS[:4])
    again = own.is_duplicated()
    if not again.any():
        return
    apart = [
        column
        for column in others
        if own.with_columns(column.alias("other")).is_unique().all()
    ]
    if apart:
        name = min(apart, key=pl.Series.n_unique).name
        raise ScoresError(
            f"{_twice_message(own.filter(again).row(0))}, which the column {name!r} distinguishes: name it, as runs of "
            f"one system (--repeat {quote(name)}) or as part of the system (--system {quote(f'{system},{name}')})"
        )


def _as_polars(table: Any, rows: Rows | None) -> pl.DataFrame:
    """Return any table as a polars frame with named columns, those of its index first."""
    if isinstance(table, xr.Dataset | xr.DataArray) and not table.dims:
        raise ScoresError("a table of scores has rows and columns, not one value")
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    if hasattr(table, "model_names"):  # a report of ranx
        table = table.to_dict()
    if _are_of_ranx(table):
        if not all(run.scores for run in table):
            raise ScoresError(
                "these runs of ranx have no scores yet; score them: irmeta.evaluate(qrels, runs)"
            )
        table = {run.name or f"run {at}": run.scores for at, run in enumerate(table, 1)}
    if isinstance(table, Mapping) and not isinstance(table, xr.Dataset):
        return _from_mappings(table, rows)
    if isinstance(table, pd.Series):
        return _from_pandas(table.to_frame(table.name or SCORE))
    if isinstance(table, pd.DataFrame):
        return _from_pandas(table)
    if hasattr(table, "to_dataframe"):
        return _from_pandas(table.to_dataframe())
    raise ScoresError(
        f"a table of scores is a data frame or a dict of dicts, not {type(table).__name__}; name rows and columns of "
        "an array, as in pandas.DataFrame(scores, index=systems, columns=topics), and read a file with "
        "irmeta.import_table(path)"
    )


_STACKED = {"level_0": "system", "level_1": "topic", "0": "score"}


def _from_pandas(table: pd.DataFrame) -> pl.DataFrame:
    """Copy a pandas frame column by column: polars would need pyarrow for it."""
    if isinstance(table.columns, pd.MultiIndex):
        raise ScoresError(
            "the columns of the table have several levels; flatten them: "
            "table.stack().reset_index()"
        )
    flat = table if _is_row_number(table) else table.reset_index(allow_duplicates=True)
    names = [str(name) for name in flat.columns]
    if names[-2:] == ["level_1", "0"]:  # pandas names them so where stacked
        names = [_STACKED.get(name, name) for name in names]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ScoresError(
            f"more than one column is named {shortened(twice[0])!r}; rename or drop all but one"
        )
    return pl.DataFrame(
        {name: _series(flat.iloc[:, at]) for at, name in enumerate(names)}
    )


def _is_row_number(table: pd.DataFrame) -> bool:
    """Tell whether an index only numbers rows: whole numbers without a name, from 0 or beside a column of text."""
    index = table.index
    if index.name is not None or not pd.api.types.is_integer_dtype(index.dtype):
        return False
    numeric = map(pd.api.types.is_numeric_dtype, table.dtypes)
    return isinstance(index, pd.RangeIndex) or not all(numeric)


def _numbers_rows(table: object) -> bool:
    """Tell whether "index" is the unnamed index of a pandas frame, not a column of the user."""
    return (
        isinstance(table, pd.DataFrame)
        and list(table.index.names) == [None]
        and "index" not in table.columns
    )


def _series(column: Any) -> pl.Series:
    values = np.asarray(column)
    if values.dtype.kind in "fiu":
        return pl.Series(
            values.astype(np.float64) if values.dtype.kind == "f" else values
        )
    held = [None if _is_missing(cell) else cell for cell in values.tolist()]
    if all(
        cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))
        for cell in held
    ):
        return pl.Series(held, dtype=pl.Float64)
    return pl.Series(
        [None if cell is None else str(cell) for cell in held], dtype=pl.String
    )


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except TypeError:  # pandas.NA: whether it differs from anything is missing, too
        return True


def _from_mappings(table: Mapping[Any, Any], rows: Rows | None) -> pl.DataFrame:
    """Lay out {system: {topic: score}}, {system: {topic: {metric: score}}} or a comparison of ranx as long rows.

    rows : "topics" where topics are outside, and systems inside.
    Of {system: {metric: {topic: score}}} and {metric: {system: {topic: score}}} metrics are known by their names.
    """
    compared = "model_names" in table
    if compared:
        table = _ranx_scores(table)
    flat: list[tuple[str, str, str | None, Any]] = []
    for system, given in table.items():
        inside = _ir_measures_scores(given)
        if not isinstance(inside, Mapping):
            raise ScoresError(
                f"the scores of {shortened(str(system))!r} are not a dict; expected {{system: {{topic: score}}}}"
            )
        for topic, value in inside.items():
            deeper = value.items() if isinstance(value, Mapping) else [(None, value)]
            if any(isinstance(score, Mapping) for _, score in deeper):
                raise ScoresError(
                    f"the scores of {shortened(str(system))!r} lie deeper than {{system: {{topic: {{metric: score}}}}}}"
                )
            flat += [
                (str(system), str(topic), None if name is None else str(name), score)
                for name, score in deeper
            ]
    if flat:
        systems, topics, metrics, scores = zip(*flat, strict=True)
        inner = {name for name in metrics if name is not None}
        if inner and not any(map(is_known, inner)):
            if all(map(is_known, topics)):
                topics, metrics = metrics, topics
            elif all(map(is_known, systems)):
                systems, topics, metrics = topics, metrics, systems
        if rows == "topics":
            systems, topics = topics, systems
        elif rows is None:
            _require_systems(systems, topics)
    else:
        systems = topics = metrics = scores = ()
    only_means = (
        bool(topics)
        and set(metrics) == {None}
        and (compared or all(map(is_known, topics)))
    )
    held: dict[str, Any] = (
        {"system": systems, "metric": topics}
        if only_means
        else {"system": systems, "topic": topics}
    )
    if set(metrics) != {None}:
        held["metric"] = metrics
    values = _series(np.array([*scores, None], dtype=object)).head(len(scores))
    return pl.DataFrame(
        {name: list(names) for name, names in held.items()}
    ).with_columns(values.alias("score"))


def _require_systems(systems: Sequence[str], topics: Sequence[str]) -> None:
    """Raise ScoresError if systems are numbers and topics are not: they seem to stand in each other's place."""
    if all(map(str.isdecimal, systems)) and not any(map(str.isdecimal, topics)):
        raise ScoresError(
            f"the outer names are numbers, {listed(dict.fromkeys(systems))}, as topics are, but dicts are {{system: "
            "{topic: score}}; take df.to_dict('index') or df.T.to_dict(), or say which names are outside: "
            "irmeta.from_frame(table, rows='topics'), or rows='systems'"
        )


def _ranx_scores(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the scores of each model in a comparison of ranx."""
    try:
        return {name: table[name]["scores"] for name in table["model_names"]}
    except (KeyError, TypeError) as error:
        raise ScoresError(
            "it looks like a comparison of ranx (it has model_names), but lacks the scores of "
            f"each model ({error})"
        ) from error


def _ir_measures_scores(given: Any) -> Any:
    """Return {topic: {metric: score}} of the values, or the frame of them, that ir_measures makes; else what it is."""
    if isinstance(given, pd.DataFrame) and {"query_id", "measure"} <= {*given}:
        given = list(given.itertuples())
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        return given
    found: dict[str, dict[str, Any]] = {}
    for one in given:
        if not (hasattr(one, "query_id") and hasattr(one, "measure")):
            return given
        found.setdefault(one.query_id, {})[str(one.measure)] = one.value
    return found


def columns_of(names: Sequence[str], **wanted: str | None) -> Columns:
    """Find out which column says what: those that are named, else those with a name that people use for it."""
    given = {role: name for role, name in wanted.items() if name is not None}
    _require_columns(names, given)
    free = [name for name in names if name not in given.values()]
    # of two columns with one spelling the first
    spelled = {_spelling(name): name for name in reversed(free)}
    found = {
        role: given.get(role) or _find_spelled(known, spelled)
        for role, known in SPELLINGS.items()
    }
    topic = found["topic"]
    if found["collection"] is None and topic and _spelling(topic) in _ITEMS:
        # items within tasks
        others = {one: name for one, name in spelled.items() if name != topic}
        found["collection"] = _find_spelled(_TASKS, others)
    return Columns(**found)


def _require_columns(names: Sequence[str], given: Mapping[str, str]) -> None:
    """Raise ScoresError for a column that the table does not have, and for one that is given for two roles."""
    roles: dict[str, str] = {}
    for role, name in given.items():
        if name not in names:
            raise ScoresError(
                f"no column {name!r} for {role} in the table; it has {_some_names(names)}"
            )
        if name in roles:
            raise ScoresError(
                f"the column {shortened(name)!r} is given for {roles[name]} and {role}; give it for one of them only"
            )
        roles[name] = role


def _find_spelled(known: Iterable[str], spelled: Mapping[str, str]) -> str | None:
    """Return the first column that is spelled in a way that people use; None where there is none."""
    return next((spelled[one] for one in known if one in spelled), None)


def _spelling(name: str) -> str:
    """Write a column's name as `SPELLINGS` does: "Model Names" is model_name."""
    return re.sub(r"\W+", "_", name.strip().lower()).strip("_").removesuffix("s")


def _long_rows(frame: pl.DataFrame, found: Columns, metric: str) -> Table:
    """Take a row for each score."""
    runs: dict[str, str] = {}
    if found.repeat is not None:
        frame, runs = _name_runs(frame, found)
        found = found if runs else found._replace(repeat=None)
    fixed = {"collection": "collection", "topic": ALL, "metric": metric}
    parts = []
    for role, column in zip(COLUMNS[:-1], found, strict=False):
        if column is not None:
            parts.append(texts_of(frame[column], column).alias(role))
        else:
            parts.append(
                pl.repeat(fixed[role], frame.height, dtype=pl.String, eager=True).alias(
                    role
                )
            )
    assert found.score is not None
    scores = scores_of(frame[found.score], found.score).alias("score")
    unused = {
        name: _count_groups(frame[name], parts[2], parts[0])
        for name in frame.columns
        if name not in found
    }
    notes = []
    table = pl.DataFrame([*parts, scores])
    table, clusters = _with_clusters(table, frame, found)
    if clusters:
        notes.append(f"topics of one {found.cluster!r} are a cluster")
    if runs and not _varies(table, runs):
        notes.append(
            f"every run of a system has the same {found.score!r}, which may be their mean already; --score names "
            "another column (score=)"
        )
    scored = with_spelled_metrics(table)
    _refuse_unnamed(scored, frame.select(list(unused)), found.system or "system")
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
    return kept, [
        f"left out what sums up topics: {listed(repr(name) for name in names)}"
    ]


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
    table: pl.DataFrame, frame: pl.DataFrame, found: Columns
) -> tuple[pl.DataFrame, dict[str, dict[str, str]]]:
    """Return the rows, and by collection the cluster of each topic; a topic without one stands alone.

    Where topics of several clusters have one name, as turns 1, 2 and 3 of each conversation, all are named
    CLUSTER_TOPIC.
    """
    if found.cluster is None or found.topic is None:
        return table, {}
    own = frame[found.cluster].cast(pl.String).str.strip_chars(BLANKS)
    named = table.with_columns(
        cluster=pl.when(own.is_null() | (own == "")).then("topic").otherwise(own)
    )
    each = ["collection", "topic"]
    if named.unique([*each, "cluster"]).select(each).is_duplicated().any():
        name = pl.format("{}_{}", "cluster", "topic")
        named = named.with_columns(topic=name)
    clusters: dict[str, dict[str, str]] = {}
    for collection, topic, cluster in (
        named.select(*each, "cluster").unique(maintain_order=True).iter_rows()
    ):
        clusters.setdefault(collection, {})[topic] = cluster
    return named.drop("cluster"), clusters


def _varies(table: pl.DataFrame, runs: Mapping[str, str]) -> bool:
    """Return whether two runs of some system differ in a score."""
    cell = [pl.col("system").replace(runs).alias("of"), "collection", "topic", "metric"]
    each = table.group_by(cell).agg(pl.col("score").n_unique())
    return bool((each["score"] > 1).any())


def _name_runs(
    frame: pl.DataFrame, found: Columns
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Name the systems of a table by system and repeat, where some have several; return also the system of each run."""
    assert found.system is not None
    assert found.repeat is not None
    system = texts_of(frame[found.system], found.system)
    repeat = texts_of(frame[found.repeat].cast(pl.String), found.repeat)
    pairs = pl.DataFrame([system.alias("system"), repeat.alias("repeat")])
    each = pairs.unique(maintain_order=True)
    if not each["system"].is_duplicated().any():
        return frame, {}
    name = pl.format("{}_{}", "system", "repeat")
    runs = dict(each.select(name.alias("run"), "system").iter_rows())
    if len(runs) < each.height:
        raise ScoresError(
            f"two runs have one name made of {found.system!r} and {found.repeat!r}; rename the systems"
        )
    return frame.with_columns(pairs.select(name).to_series().alias(found.system)), runs


def _wide_rows(
    frame: pl.DataFrame, found: Columns, rows: Rows | None
) -> tuple[pl.DataFrame, Columns]:
    """Make a row for each score of a row for each system, or topic, or both; return also which column says what.

    The columns across are topics, or systems, or metrics. Rows of a system may be its repeats, those of topics have
    clusters.
    """
    system, topic = found.system, found.topic
    labels = [found.collection, system, topic]
    if system is not None:
        labels.append(found.repeat)
    if topic is not None:
        labels.append(found.cluster)
    labels = [name for name in labels if name is not None]
    values = [name for name in frame.columns if name not in labels]
    _require_wide(frame, found, values)
    if system is None and topic is None and values:
        first = _first_name_column(frame.select(values))
        values.remove(first)
        labels.append(first)
        if rows != "topics":
            system = first
        else:
            topic = first
    _require_scores(frame, values)
    require_names(values, "at the head of a column")
    # one column of scores under the other, beside its head and the labels of its rows
    heads = pl.Series(_HEADS, values, dtype=pl.String)
    columns = [scores_of(frame[name], name).alias(_SCORES) for name in values]
    length = frame.height
    below = frame.select(labels)[np.tile(range(length), len(values))].with_columns(
        heads.gather(np.repeat(range(len(values)), length)), pl.concat(columns)
    )
    said = {"collection": found.collection, "system": system, "topic": topic}
    said |= {_columns_text(system, topic, values): _HEADS, "score": _SCORES}
    said |= {
        role: name
        for role, name in zip(Columns._fields[5:], found[5:], strict=True)
        if name in labels
    }
    return below, Columns(**(dict.fromkeys(Columns._fields) | said))


def _require_scores(frame: pl.DataFrame, values: Sequence[str]) -> None:
    """Refuse a wide table without columns of scores, or with one that is not of scores of a topic."""
    if not values or not frame.height:
        raise ScoresError(
            f"no scores in the table, which has {_some_names(frame.columns) or 'no columns'}; a long table has columns "
            "for system, topic and score, a wide one rows of systems and columns of topics;"
            " name them: --system COLUMN --topic COLUMN --score COLUMN"
        )
    sums = [name for name in values if not is_known(name) and _is_no_score(name)]
    if sums:
        raise ScoresError(
            f"the column {sums[0]!r} does not look like scores on one topic; leave it out with "
            f"--ignore {', '.join(sums)!r}"
        )


def _is_no_score(name: str) -> bool:
    """Say whether a column is called as what sums up others, or as another figure.

    >>> [_is_no_score(name) for name in ("Mean (Task)", "latency (ms)", "n_rel", "Time", "Time Series QA")]
    [True, True, True, True, False]
    """
    words = re.sub(r"[\W_]+", " ", name.lower()).strip()
    return bool(SUMMARIES.fullmatch(words) or MEASURED_BESIDE.fullmatch(words))


def _require_wide(frame: pl.DataFrame, found: Columns, values: Sequence[str]) -> None:
    """Raise ScoresError if the table has a row for each score, but not by the names of columns that are known."""
    texts = [name for name in values if is_text(frame[name])]
    repeated = [name for name in texts if frame[name].is_duplicated().any()]
    systems = [name for name in texts if name != found.metric][:1]
    ask = {}
    if found.system is None and systems and systems[0] in repeated:
        question = "which column names the systems?"
        ask["system"] = repr(systems[0])
        if found.topic is None:
            ask["topic"] = "COLUMN"
        mend = f"; a column that is neither goes with --ignore {systems[0]!r}"
    elif found.system is not None and found.metric in repeated:
        question = "which column holds the scores?"
        mend = ""
    else:
        return
    numeric = [name for name in values if name not in texts]
    if found.score is not None:
        ask["score"] = repr(shortened(found.score))
    else:
        ask["score"] = repr(numeric[0]) if len(numeric) == 1 else "COLUMN"
    options = " ".join(f"--{role} {name}" for role, name in ask.items())
    raise ScoresError(
        f"{question} Say {options}; the table has {_some_names(frame.columns)}{mend}"
    )


def _columns_text(system: str | None, topic: str | None, values: Sequence[str]) -> str:
    """Say what the columns of a wide table are, of which some may name systems or topics."""
    if system is not None and (topic is not None or all(map(is_known, values))):
        return "metric"
    if system is not None:
        return "topic"
    return "system"


def _first_name_column(frame: pl.DataFrame) -> str:
    """Name the first column if it can name the rows; a table without one raises ScoresError."""
    first, *_ = frame.columns or [""]
    if (
        not frame.width
        or frame[first].dtype.is_numeric()
        or _holds_scores(frame[first])
    ):
        raise ScoresError(
            "no column of the table names systems or topics; it has "
            f"{_some_names(frame.columns) or 'none'}. Name the columns: --system "
            "COLUMN --topic COLUMN --score COLUMN; of a matrix that names only its columns, rows are "
            "numbered by irmeta import matrix FILE (--rows topics)"
        )
    return first


def _holds_scores(column: pl.Series) -> bool:
    """Say whether a column of text holds scores rather than names: numbers, some of them twice or below 1.

    >>> [_holds_scores(pl.Series(one)) for one in (["401", "402"], ["-0.3", "1"], ["2e-3", "1"], ["a", "b"])]
    [False, True, True, False]
    """
    if column.dtype != pl.String or is_text(column):
        return False
    below = column.str.contains(r"^[+-]?(0?\.\d|\d(\.\d+)?[eE]-\d)").any()
    return bool(below or column.is_duplicated().any())


def with_spelled_metrics(rows: pl.DataFrame) -> pl.DataFrame:
    """Write metrics as irmeta does."""
    known = rows["metric"].unique().to_list()
    return rows.with_columns(
        pl.col("metric").replace({name: canonical(name) for name in known})
    )


def _some_names(names: Iterable[str]) -> str:
    """List names in a message, the first ten."""
    return listed((shortened(name, 30) for name in names), 10)
