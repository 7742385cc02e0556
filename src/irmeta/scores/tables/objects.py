"""Tables of scores as people have them, data frames and dicts of dicts, as data frames with named columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
import polars as pl
import xarray as xr

from irmeta.choices import Rows
from irmeta.errors import ScoresError
from irmeta.metrics.names import is_known
from irmeta.scores.tables.roles import SCORE
from irmeta.words import listed, shortened

NAME_EACH = "name each system: {'bm25': scores, 'mine': others}"


@runtime_checkable
class Frame(Protocol):
    """A data frame, or a series, of pandas or of polars."""

    @property
    def dtypes(self) -> Any: ...  # noqa: D102


def is_frame(given: object) -> bool:
    """Say whether something is a data frame, or a series, of pandas or of polars."""
    return isinstance(given, pl.DataFrame | pl.LazyFrame | pd.DataFrame | pd.Series)


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
    if _runs_of_ranx(given) or _are_rows(given):
        return True
    if isinstance(given, list) and any(map(is_frame, given)):
        return True
    return is_frame(given) or any(
        hasattr(given, name) for name in ("to_dataframe", "model_names")
    )


def _runs_of_ranx(given: object) -> list[Any]:
    """Return runs of ranx, or the only one, which keep their scores by topic once they were evaluated; else none."""
    runs = list(given) if isinstance(given, list | tuple) else [given]
    packages = {type(run).__module__.partition(".")[0] for run in runs}
    found = packages == {"ranx"} and all(hasattr(run, "scores") for run in runs)
    return runs if found else []


def _are_rows(given: object) -> bool:
    """Tell whether this is a list of dicts, each a row of a table."""
    if not isinstance(given, list) or not given:
        return False
    return all(isinstance(row, Mapping) for row in given)


def _is_inner(given: object) -> bool:
    """Tell whether this can be the scores of one system: a dict, a series, or values of ir_measures."""
    given = _of_calc(given)
    if isinstance(given, pd.Series) or _are_rows(given):
        return True
    if isinstance(given, Mapping):
        return not isinstance(given, xr.Dataset)
    if isinstance(given, pd.DataFrame):
        return _are_values(given)
    first = given[0] if isinstance(given, list) and given else None
    return isinstance(given, Iterator) or hasattr(first, "measure")


def as_polars(table: Any, rows: Rows | None) -> pl.DataFrame:
    """Return any table as a polars frame with named columns, those of its index first."""
    if isinstance(table, xr.Dataset | xr.DataArray) and not table.dims:
        raise ScoresError("a table of scores has rows and columns, not one value")
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    if hasattr(table, "model_names"):  # a report of ranx
        table = table.to_dict()
    if runs := _runs_of_ranx(table):
        unscored = [run.name or "run" for run in runs if not run.scores]
        if unscored:
            raise ScoresError(
                f"runs of ranx without scores: {listed(unscored)}; score them: irmeta.evaluate(qrels, runs)"
            )
        named = {run.name or "run": run.scores for run in runs}
        if len(named) < len(runs):
            raise ScoresError(f"runs of ranx share a name; {NAME_EACH}")
        table = named
    if isinstance(table, list) and any(map(is_table, table)):
        raise ScoresError(
            f"several tables; put those together that name their systems (pandas.concat), or {NAME_EACH}"
        )
    if _are_rows(table):
        table = pd.DataFrame(table)
    if isinstance(table, Mapping) and not isinstance(table, xr.Dataset):
        return _from_mappings(table, rows)
    if isinstance(table, pd.Series):
        return _from_pandas(table.to_frame(table.name or SCORE))
    if isinstance(table, pd.DataFrame):
        return _from_pandas(table)
    if hasattr(table, "to_dataframe"):
        return _from_pandas(table.to_dataframe())
    if _is_inner(table):
        raise ScoresError(f"scores of one system without its name; {NAME_EACH}")
    raise ScoresError(
        f"a table of scores is a data frame or {{system: {{topic: score}}}}, not a {type(table).__name__}; name "
        "rows and columns, as in pandas.DataFrame(scores, index=systems, columns=topics), or of a list of scores "
        "columns=['system', 'topic', 'score']; read a file with irmeta.import_table(path)"
    )


def _from_pandas(table: pd.DataFrame) -> pl.DataFrame:
    """Copy a pandas frame column by column: polars would need pyarrow for it."""
    if isinstance(table.columns, pd.MultiIndex):
        raise ScoresError(
            f"the columns of the table have several levels; {_flattening(table.columns)}"
        )
    flat = table if _is_row_number(table) else table.reset_index(allow_duplicates=True)
    names = [str(name) for name in flat.columns]
    if names[-2:] == ["level_1", "0"]:  # pandas names scores so where stacked
        names[-1] = SCORE
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ScoresError(
            f"more than one column is named {shortened(twice[0])!r}; rename or drop all but one"
        )
    columns = {name: _series(flat.iloc[:, at]) for at, name in enumerate(names)}
    return pl.DataFrame(columns)


def _flattening(columns: pd.MultiIndex) -> str:
    """Say how to make one level of several: keep one that names each column alone, else stack them all."""
    for level in reversed(range(columns.nlevels)):
        if columns.get_level_values(level).is_unique:
            return f"keep one: table.columns = table.columns.get_level_values({level})"
    levels = list(range(columns.nlevels))
    return (
        "name them, as in table.columns.names = ['metric', 'topic'], and make a row for each score: "
        f"table.stack({levels}).rename('score').reset_index()"
    )


def _is_row_number(table: pd.DataFrame) -> bool:
    """Tell whether an index only numbers rows: whole numbers without a name, from 0 or beside a column of text."""
    index = table.index
    if index.name is not None or not pd.api.types.is_integer_dtype(index.dtype):
        return False
    numeric = map(pd.api.types.is_numeric_dtype, table.dtypes)
    return isinstance(index, pd.RangeIndex) or not all(numeric)


def numbers_rows(table: object) -> bool:
    """Tell whether "index" is the unnamed index of a pandas frame, not a column of the user."""
    return (
        isinstance(table, pd.DataFrame)
        and list(table.index.names) == [None]
        and "index" not in table.columns
    )


def _series(column: Any) -> pl.Series:
    """Return a column as numbers, if all of its cells are numbers or missing, else as texts."""
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return pl.Series(values.astype(np.float64))
    if values.dtype.kind in "iu":
        return pl.Series(values)
    held = [None if _is_missing(cell) else cell for cell in values.tolist()]
    kinds = {type(cell) for cell in held if cell is not None}
    if all(issubclass(kind, int | float) and kind is not bool for kind in kinds):
        return pl.Series(held, dtype=pl.Float64)
    texts = [None if cell is None else str(cell) for cell in held]
    return pl.Series(texts, dtype=pl.String)


def _is_missing(cell: Any) -> bool:
    """Say whether a cell is None, NaN, or another value that differs from itself."""
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
    flat = list(_cells(_ranx_scores(table) if compared else table))
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
    only_means = set(metrics) == {None} and (compared or all(map(is_known, topics)))
    held: dict[str, Any] = {
        "system": list(systems),
        "metric" if only_means else "topic": list(topics),
    }
    if set(metrics) != {None}:
        held["metric"] = list(metrics)
    values = _series(np.array([*scores, None], dtype=object)).head(len(scores))
    return pl.DataFrame(held).with_columns(values.alias("score"))


def _cells(table: Mapping[Any, Any]) -> Iterator[tuple[str, str, str | None, Any]]:
    """Yield the names outside, inside and, if there are any, deepest in dicts of dicts, and each score."""
    for system, given in table.items():
        where = f"the scores of {shortened(str(system))!r}"
        if isinstance(given, pd.Series):
            inside = _of_series(given, str(system))
        else:
            inside = _ir_measures_scores(given)
        if not isinstance(inside, Mapping):
            raise ScoresError(
                f"{where} are a {type(given).__name__}, not a dict; expected {{system: {{topic: score}}}}"
                f"{_naming_topics(inside)}"
            )
        for topic, value in inside.items():
            deeper = value.items() if isinstance(value, Mapping) else [(None, value)]
            for name, score in deeper:
                if isinstance(score, Mapping):
                    raise ScoresError(
                        f"{where} lie deeper than {{system: {{topic: {{metric: score}}}}}}"
                    )
                metric = None if name is None else str(name)
                yield str(system), str(topic), metric, score


def _of_series(scores: pd.Series, system: str) -> dict[Any, Any]:
    """Return the scores of one system by topic, the index of a series; a topic given twice raises ScoresError."""
    twice = scores.index[scores.index.duplicated()]
    if len(twice):
        raise ScoresError(
            f"more than one score for {shortened(system)}, {shortened(str(twice[0]))}; keep one of them"
        )
    return scores.to_dict()


def _naming_topics(scores: object) -> str:
    """Say how lists of scores, which do not name their topics, make a table."""
    if isinstance(scores, np.ndarray | list | tuple | pl.Series):
        return (
            "; where all are of the same topics, in one order, take "
            "irmeta.from_frame(pandas.DataFrame(scores), rows='topics')"
        )
    return ""


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


def _are_values(frame: pd.DataFrame) -> bool:
    """Tell whether a frame holds the values that ir_measures makes, one in each row."""
    return {"query_id", "measure"} <= {*frame}


def _of_calc(given: Any) -> Any:
    """Return the values by topic that `ir_measures.calc` returns beside their means; else what it is."""
    return getattr(given, "per_query", given) if isinstance(given, tuple) else given


def _ir_measures_scores(given: Any) -> Any:
    """Return {topic: {metric: score}} of the values that ir_measures makes, or their rows; else what it is."""
    given = _of_calc(given)
    if _are_rows(given):
        given = pd.DataFrame(given)
    if isinstance(given, pd.DataFrame) and _are_values(given):
        given = list(given.itertuples())
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        return given
    by_topic: dict[str, dict[str, Any]] = {}
    for scored in given:
        if not (hasattr(scored, "query_id") and hasattr(scored, "measure")):
            return given
        by_topic.setdefault(scored.query_id, {})[str(scored.measure)] = scored.value
    return by_topic
