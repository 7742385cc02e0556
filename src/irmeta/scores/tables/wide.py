"""Wide tables, with columns for topics, systems or metrics, as rows of one score each."""

import re
from collections.abc import Sequence
from shlex import quote

import numpy as np
import polars as pl
import polars.selectors as cs

from irmeta.choices import Rows
from irmeta.errors import ScoresError
from irmeta.metrics.names import is_known
from irmeta.scores.names import require_names
from irmeta.scores.tables.columns import is_text
from irmeta.scores.tables.columns import numbers as scores_of
from irmeta.scores.tables.roles import Columns, some_names
from irmeta.scores.tables.twice import refuse_unnamed
from irmeta.words import listed, shortened

HEADS, SCORES, NUMBERS = "head of a column", "its scores", "number of a row"
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
APART = 10
"""A column whose highest score is this many times that of most others is on another scale."""


def scale_doubts(frame: pl.DataFrame) -> list[str]:
    """Say which columns of a wide table, by now one below the other, reach far higher than the others, if any does.

    Of columns that are systems `irmeta.scores.tables.units` says it.
    """
    highest = frame.group_by(HEADS, maintain_order=True).agg(pl.col(SCORES).max())
    highest = highest.filter(pl.col(SCORES).is_finite())
    names, most = highest[HEADS].to_list(), highest[SCORES].to_numpy()
    usual = np.median(most) if names else 0.0
    if usual <= 0:
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


def wide_rows(
    frame: pl.DataFrame, columns: Columns, rows: Rows | None
) -> tuple[pl.DataFrame, Columns, list[str]]:
    """Make a row for each score of a row for each system, or topic, or both; return also which column says what.

    The columns across are topics, or systems, or metrics; others beside metrics are left out, and returned
    last. Rows of a system may be its repeats, those of topics have clusters.
    """
    system, topic = columns.system, columns.topic
    roles = [columns.collection, system, topic]
    if system is not None:
        roles.append(columns.repeat)
    if topic is not None:
        roles.append(columns.cluster)
    labels = [name for name in roles if name is not None]
    values = [name for name in frame.columns if name not in labels]
    _require_wide(frame, columns, values)
    if system is None and topic is None and values:
        if rows is not None and _may_be_scores(frame[values[0]]):
            first = NUMBERS
            frame = frame.with_columns(pl.Series(first, range(1, frame.height + 1)))
        else:
            first = _first_name_column(frame.select(values))
            values.remove(first)
        labels.append(first)
        if rows != "topics":
            system = first
        else:
            topic = first
    no_metrics = _beside_metrics(frame, values) if topic is None else []
    values = [name for name in values if name not in no_metrics]
    _require_scores(frame, values)
    _require_roles(frame, columns, values)
    texts = [name for name in values if is_text(frame[name])]
    figures = [name for name in values if not is_known(name) and is_no_score(name)]
    unfit = [name for name in values if name in texts or name in figures]
    if unfit != texts[:1]:  # the row of a single text is told
        which, out = f"the column {unfit[0]!r} does", "it"
        if len(unfit) > 1:
            which, out = f"the columns {listed(map(repr, unfit))} do", "them"
        raise ScoresError(
            f"{which} not look like scores on one topic; leave {out} out with --ignore {', '.join(unfit)!r}"
        )
    require_names(values, "at the head of a column")
    named = columns._replace(system=system, topic=topic, metric=None, score=SCORES)
    named = named._replace(**{_columns_text(system, topic, values): HEADS})
    if named.repeat not in labels:
        named = named._replace(repeat=None)
    if named.cluster not in labels:
        named = named._replace(cluster=None)
    return _one_below_the_other(frame, labels, values), named, no_metrics


def _one_below_the_other(
    frame: pl.DataFrame, labels: Sequence[str], values: Sequence[str]
) -> pl.DataFrame:
    """Put columns of scores one under the other, `SCORES`, beside their `HEADS` and the labels of their rows."""
    heads = pl.Series(HEADS, values, dtype=pl.String)
    scores = [scores_of(frame[name], name).alias(SCORES) for name in values]
    length = frame.height
    rows = frame.select(labels)[np.tile(range(length), len(values))]
    heads = heads.gather(np.repeat(range(len(values)), length))
    return rows.with_columns(heads, pl.concat(scores))


def _beside_metrics(frame: pl.DataFrame, values: Sequence[str]) -> list[str]:
    """Return the columns that name no metric, if half of those with numbers or more name one; else none.

    >>> table = pl.DataFrame({"team": ["a"], "AP": [0.3], "clicks": [9]})
    >>> _beside_metrics(table, ["team", "AP", "clicks"]), _beside_metrics(table, ["team", "clicks"])
    (['team', 'clicks'], [])
    """
    others = [name for name in values if not is_known(name)]
    plain = frame.select(others).select(cs.numeric() | cs.string())
    numbers = plain.cast(pl.Float64, strict=False)
    counted = sum(column.null_count() < frame.height for column in numbers)
    metrics = len(values) - len(others)
    return others if metrics >= max(1, counted) else []


def _require_scores(frame: pl.DataFrame, values: Sequence[str]) -> None:
    """Refuse a wide table without columns of scores."""
    if not values or not frame.height:
        raise ScoresError(
            f"no scores in the table, which has {some_names(frame.columns) or 'no columns'}; a long table has columns "
            "for system, topic and score, a wide one rows of systems and columns of topics;"
            " name them: --system COLUMN --topic COLUMN --score COLUMN"
        )


def _require_roles(
    frame: pl.DataFrame, columns: Columns, values: Sequence[str]
) -> None:
    """Refuse rows of systems and topics whose columns of metrics say what rows are: their clusters, or their runs."""
    if columns.system is None or columns.topic is None:
        return
    others = [frame[name] for name in values if not is_known(name)]
    topics = frame[columns.topic]
    for column in filter(is_text, others):
        if columns.cluster is None and _groups(column, topics):
            raise ScoresError(
                f"the column {column.name!r} holds names, one of them for each {columns.topic!r}: if topics of one "
                f"come together, say --cluster {quote(column.name)}; else leave it out with "
                f"--ignore {quote(column.name)}"
            )
    named = frame.select(
        pl.lit("collection") if columns.collection is None else columns.collection,
        columns.system,
        columns.topic,
    )
    if columns.repeat is None:
        refuse_unnamed(named, filter(_numbers_or_names, others), columns.system)


def _groups(column: pl.Series, topics: pl.Series) -> bool:
    """Say whether a column has one value for each topic, which several topics share."""
    each = pl.DataFrame([column.alias("of"), topics.alias("topic")]).unique()
    return each.height == topics.n_unique() > each["of"].n_unique() > 1


def _numbers_or_names(column: pl.Series) -> bool:
    """Say whether a column can number or name runs: whole numbers, or words.

    >>> [_numbers_or_names(pl.Series(one)) for one in (["1", "2"], ["a", "b"], [0, 1], ["0.5", "1"])]
    [True, True, True, False]
    """
    if is_text(column):
        return True
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return False
    numbers = column.cast(pl.Float64, strict=False)
    return not numbers.has_nulls() and bool((numbers == numbers.round()).all())


def is_no_score(name: str) -> bool:
    """Say whether a column is called as what sums up others, or as another figure.

    >>> [is_no_score(name) for name in ("Mean (Task)", "latency (ms)", "n_rel", "Time", "Time Series QA")]
    [True, True, True, True, False]
    """
    words = re.sub(r"[\W_]+", " ", name.lower()).strip()
    return bool(SUMMARIES.fullmatch(words) or MEASURED_BESIDE.fullmatch(words))


def _require_wide(frame: pl.DataFrame, columns: Columns, values: Sequence[str]) -> None:
    """Raise ScoresError if the table has a row for each score, but not by the names of columns that are known."""
    texts = [name for name in values if is_text(frame[name])]
    repeated = [name for name in texts if frame[name].is_duplicated().any()]
    systems = [name for name in texts if name != columns.metric][:1]
    ask = {}
    if columns.system is None and systems and systems[0] in repeated:
        question = "which column names the systems?"
        ask["system"] = repr(systems[0])
        if columns.topic is None:
            ask["topic"] = "COLUMN"
        mend = f"; a column that is neither goes with --ignore {systems[0]!r}"
    elif columns.system is not None and columns.metric in repeated:
        question = "which column holds the scores?"
        mend = ""
    else:
        return
    numeric = [name for name in values if name not in texts]
    # columns of rows of systems and topics may be several metrics
    metrics = columns.topic is not None and columns.metric is None and len(numeric) > 1
    if columns.score is not None:
        ask["score"] = repr(shortened(columns.score))
    elif not metrics:
        ask["score"] = repr(numeric[0]) if len(numeric) == 1 else "COLUMN"
    if columns.topic is not None and columns.cluster is None:
        for name in texts:
            if name not in systems and _groups(frame[name], frame[columns.topic]):
                mend += f"; if topics of one {name!r} come together, say --cluster {quote(name)}, too"
    options = " ".join(f"--{role} {name}" for role, name in ask.items())
    raise ScoresError(
        f"{question} Say {options}; the table has {some_names(frame.columns)}{mend}"
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
            f"no column of the table names systems or topics; it has {some_names(frame.columns) or 'none'}. Name the "
            "columns: --system COLUMN --topic COLUMN --score COLUMN; of a matrix that names only its columns, rows "
            "are numbered with --rows topics"
        )
    return first


def _may_be_scores(column: pl.Series) -> bool:
    """Say whether a column cannot name rows: it holds numbers, but not a whole number for each row.

    >>> [_may_be_scores(pl.Series(one)) for one in ([0.5, 1.0], [0, 1, 1], [401, 402], ["a", "b"])]
    [True, True, False, False]
    """
    if column.dtype.is_numeric():
        return column.dtype.is_float() or bool(column.is_duplicated().any())
    return _holds_scores(column)


def _holds_scores(column: pl.Series) -> bool:
    """Say whether a column of text holds scores rather than names: numbers, some of them twice or below 1.

    >>> [_holds_scores(pl.Series(one)) for one in (["401", "402"], ["-0.3", "1"], ["2e-3", "1"], ["a", "b"])]
    [False, True, True, False]
    """
    if column.dtype != pl.String or is_text(column):
        return False
    below = column.str.contains(r"^[+-]?(0?\.\d|\d(\.\d+)?[eE]-\d)").any()
    return bool(below or column.is_duplicated().any())
