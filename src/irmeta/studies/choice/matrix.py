"""A matrix of metrics: how their scores vary together, from one cube or several, or as the user gives it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irmeta.choices import Level, Matrix, Missing
from irmeta.errors import ScoresError
from irmeta.metrics.names import canonical
from irmeta.scores.averages.means import additive, means
from irmeta.scores.cube import DIMS
from irmeta.scores.cubes import (
    by_name,
    notes_on_topics,
    prepare_together,
    shared_topics,
    side_by_side,
    topics_halved,
    unit_numbers,
)
from irmeta.scores.tables.objects import is_table
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.subsets.matrices import (
    correlation,
    covariance,
    normal_scores,
    smallest_eigenvalue,
    symmetrized,
)
from irmeta.words import counted, listed, reason


def _shrunk_correlation(rows: Floats) -> Floats:
    """Return the correlations of the columns, shrunk towards none as Ledoit and Wolf (2004) do."""
    from sklearn.covariance import ledoit_wolf

    sigma: Floats = ledoit_wolf((rows - rows.mean(axis=0)) / rows.std(axis=0))[0]
    return correlation(sigma)


_KINDS: Mapping[str, Callable[[Floats], Floats]] = {
    "covariance": covariance,
    "correlation": lambda rows: correlation(covariance(rows)),
    "rank": lambda rows: correlation(covariance(normal_scores(rows))),
    "shrunk": _shrunk_correlation,
}
"""The matrix (metric, metric) of rows of scores (row, metric), by kind."""

BLOCKS = 30
"""Topics are left out in at most this number of blocks: more change no second digit of an interval."""
FEWEST = 4
"""Fewer topics have no interval."""


@dataclass(frozen=True)
class MetricMatrix:
    """A positive semi-definite matrix of metrics, none without variance, and the scores that it was made from."""

    metrics: list[str]
    sigma: Floats
    kind: str
    level: str | None = None
    cubes: Mapping[str, xr.DataArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def halved(self, rng: np.random.Generator) -> list[Floats] | None:
        """Compute the matrix on two random halves of the topics; None if a metric does not vary over one of them."""
        halves = topics_halved(self.cubes, rng)
        if halves is None:
            return None
        rows = [_rows(half, str(self.level)) for half in halves]
        if not all(_varies(part).all() for part in rows):
            return None
        return [_KINDS[self.kind](part) for part in rows]

    @cached_property
    def without_topics(self) -> list[Floats]:
        """The matrix without each of at most `BLOCKS` blocks of topics; none where that cannot be done.

        A block is left out of all collections at once, so that a topic that several have counts once.
        """
        if any(list(scores.topic.values) == [ALL] for scores in self.cubes.values()):
            return []
        numbers = unit_numbers(self.cubes)
        topics = max((int(number.max()) + 1 for number in numbers), default=0)
        blocks = min(topics, BLOCKS) if topics >= FEWEST else 0
        found = []
        for block in range(blocks):
            kept = [number % blocks != block for number in numbers]
            if not all(here.any() for here in kept):
                return []
            pairs = zip(self.cubes.items(), kept, strict=True)
            rows = _rows(
                {name: scores.isel(topic=here) for (name, scores), here in pairs},
                str(self.level),
            )
            if not _varies(rows).all():
                return []
            found.append(_KINDS[self.kind](rows))
        return found


def from_scores(
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    kind: Matrix,
    level: Level,
    missing: Missing,
    *,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
) -> MetricMatrix:
    """Compute the matrix of the metrics that all collections have, over the pooled rows of all collections.

    metrics, top, by, missing : what to use of each collection, as in `selection.prepare`
    level : a row is a system on a topic ("topic"), the same less the topic's mean ("within-topic"), or a system's mean
        ("system"; system-wise tables are always at this level). Metrics that do not vary are left out, with a note

    Raises ScoresError where there are too few rows for the number of metrics.
    """
    cubes, notes = prepare_together(
        by_name(scores), metrics=metrics, top=top, by=by, missing=missing, by_topic=True
    )
    cubes, of_clusters = side_by_side(cubes)
    notes += of_clusters
    level, more = _level(cubes, level)
    more += notes_on_topics(cubes, level)
    if shared := shared_topics(cubes):
        more.append(f"{listed(shared)} by name; each name is resampled as one topic.")
    rows = _rows(cubes, level)
    varies = _varies(rows)
    names = [str(name) for name in next(iter(cubes.values())).metric.values]
    if not varies.all():
        constant = np.array(names)[~varies].tolist()
        more.append(
            f"Metrics left out because all their scores are equal: {', '.join(constant)}."
        )
        cubes = {name: one.isel(metric=varies) for name, one in cubes.items()}
        rows, names = rows[:, varies], [name for name in names if name not in constant]
    # each mean that was subtracted takes a degree of freedom: one of all rows, or one of each topic
    means_taken = 1
    if level == "within-topic":
        means_taken = sum(one.sizes["topic"] for one in cubes.values())
    too_few = len(rows) - means_taken < len(names)
    if not names:
        raise ScoresError(
            "no metric distinguishes these systems: all scores of each are equal"
        )
    if too_few and kind != "shrunk":
        raise ScoresError(
            f"{counted(len(rows), 'row')} of scores at {level} level are too few for a matrix of "
            f"{counted(len(names), 'metric')}; use --matrix shrunk, --unit topic, or fewer metrics"
        )
    return MetricMatrix(names, _KINDS[kind](rows), kind, level, cubes, (*notes, *more))


def from_matrix(matrix: Any, kind: Matrix | None = None) -> MetricMatrix:
    """Use a square array, DataFrame or DataArray as a covariance matrix; kind "correlation" scales it.

    Metrics without names are numbered from 1. A matrix that is not symmetric is replaced by the mean of both halves,
    with a note. Raises ScoresError if it is not square, not finite, not positive semi-definite, or misnamed.
    """
    labelled = xr.DataArray(matrix)
    if (
        labelled.ndim != 2
        or labelled.shape[0] != labelled.shape[1]
        or not labelled.size
    ):
        raise ScoresError(
            f"a matrix of metrics must be square, but its shape is {labelled.shape}; is it a "
            "score table?"
        )
    metrics = _metrics(labelled)
    if kind not in (None, "covariance", "correlation"):
        raise ScoresError(
            f"a {kind} matrix is computed from scores, not from another matrix; pass the scores"
        )
    try:
        entries = labelled.values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ScoresError(
            f"a matrix of metrics holds numbers ({reason(error)})"
        ) from error
    sigma, off = symmetrized(entries)
    if not np.isfinite(sigma).all() or (np.diag(sigma) <= 0).any():
        raise ScoresError(
            "not a covariance matrix: entries must be finite and variances positive; drop the metrics that are not"
        )
    low = smallest_eigenvalue(sigma)
    if low < -1e-9:
        raise ScoresError(
            f"not positive semi-definite: smallest / largest eigenvalue = {low:.2g}"
        )
    notes: tuple[str, ...] = ()
    if off:
        notes = (
            f"The matrix is not symmetric (by up to {off:.3g}); the mean of both halves is used.",
        )
    scaled = correlation(sigma) if kind == "correlation" else sigma
    return MetricMatrix(metrics, scaled, kind or "given", notes=notes)


def _metrics(labelled: xr.DataArray) -> list[str]:
    """Return the metrics of a square matrix: its names, or numbers from 1."""
    names = [
        [str(name) for name in labelled.coords[dim].values]
        if dim in labelled.coords
        else None
        for dim in labelled.dims
    ]
    rows, columns = names
    metrics = [
        canonical(name) for name in rows or map(str, range(1, len(labelled) + 1))
    ]
    if rows != columns or len(set(metrics)) < len(metrics):
        raise ScoresError(
            "rows and columns of a matrix of metrics must have the same distinct names"
        )
    return metrics


def is_scores(given: Any) -> bool:
    """Say whether something is a cube, several, or a table of scores; a matrix has the same names on both sides."""
    if isinstance(given, xr.DataArray):
        return set(given.dims) == set(DIMS)
    return isinstance(given, Mapping) or (is_table(given) and not _is_square(given))


def _is_square(table: Any) -> bool:
    """Tell whether this is a pandas frame whose rows are named as its columns."""
    return isinstance(table, pd.DataFrame) and [*table.index] == [*table.columns]


def _level(cubes: Mapping[str, xr.DataArray], level: Level) -> tuple[Level, list[str]]:
    """Return the level wanted, or "system" with a note where all collections have means over topics only."""
    systemwise = [list(one.topic.values) == [ALL] for one in cubes.values()]
    if level == "system" or not any(systemwise):
        return level, []
    if not all(systemwise):
        raise ScoresError(
            "some collections have only means, others have topics; use --unit system for both"
        )
    return "system", [
        "The scores are means over topics: the matrix is at system level."
    ]


def _rows(cubes: Mapping[str, xr.DataArray], level: str) -> Floats:
    """Return the rows that a matrix is computed from, of shape (row, metric)."""
    parts = []
    for one in cubes.values():
        if level == "system":
            values = means(one).values
        else:
            values = additive(one).values
        if level == "within-topic":
            values = values - values.mean(axis=0)  # less the topic's mean over systems
        parts.append(values.reshape(-1, values.shape[-1]))
    return np.concatenate(parts)


def _varies(rows: Floats) -> Bools:
    """Mark the metrics whose scores are not all equal: (metric,) from (row, metric)."""
    return np.ptp(rows, axis=0) > 1e-10
