"""Section 4, Figure 1 (right): what is said of the correlation of metrics over all systems and topics."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.metrics.signatures import SETS
from irmeta.papers.gupta2019.printed import CORRELATION, rows
from irmeta.papers.gupta2019.released import NO_ROBUST03, Released
from irmeta.stats.arrays import Floats
from irmeta.studies.checks.reproduction import Cell, lacking, ours_only

BY_TOPIC = "needs the scores by topic of the papers' eight collections, which were not released"
OWN = "two metrics by topic of one of the papers' own collections"


class Matrix(NamedTuple):
    """Pearson's r of every pair of metrics."""

    metrics: list[str]
    r: Floats

    def of(self, a: str, b: str) -> float:
        """Pick the r of two metrics."""
        return float(self.r[self.metrics.index(a), self.metrics.index(b)])


def correlation_cells(released: Released) -> Iterator[Cell]:
    """List what is said, and say of each sentence whether it holds on the data that are at hand."""
    for what, metrics, figure in rows(CORRELATION):
        published = float(figure) if figure else None
        yield lacking("Figure 1", metrics, what, BY_TOPIC, published=published)
    matrices = {
        "system means of the papers' own collections": _matrix(
            list(released.tables.values())
        ),
        "TREC-COVID 1 and 3, by topic": _matrix(list(released.covid.values())),
    }
    if released.robust03 is not None:
        matrices["TREC 2003 Robust, 17 runs, by topic"] = _matrix([released.robust03])
    for name, matrix in matrices.items():
        for what, metrics, _ in rows(CORRELATION):
            value, told = _judged(matrix, what, metrics.split())
            yield ours_only(f"Figure 1 on {name}", metrics, what, value, told)
    if released.robust03 is None:
        yield lacking("Figure 1 on TREC 2003 Robust", "all", "all", NO_ROBUST03)
    own = {**released.web, "RT2004, 99 topics": released.robust2004}
    for name, scores in own.items():
        a, b = scores.metric.values
        yield ours_only(
            "Figure 1 on single pairs",
            f"{a} {b}",
            name,
            _matrix([scores], [a, b]).r[0, 1],
            OWN,
        )


def _matrix(
    cubes: Sequence[xr.DataArray], metrics: Sequence[str] = SETS["seeds23"]
) -> Matrix:
    """Correlate metrics over the pooled scores of all systems on all topics."""
    pooled = np.concatenate(
        [
            cube.sel(metric=list(metrics)).values.reshape(-1, len(metrics))
            for cube in cubes
        ]
    )
    return Matrix(list(metrics), np.corrcoef(pooled.T))


def _judged(matrix: Matrix, what: str, metrics: list[str]) -> tuple[float, str]:
    """Return the figure that a sentence is about, and whether the sentence holds."""
    if what.startswith("largest of"):
        return _largest(matrix, *metrics)
    if "every two" in what:
        pairs = {
            (a, b): matrix.of(a, b)
            for i, a in enumerate(metrics)
            for b in metrics[i + 1 :]
        }
        (a, b), low = min(pairs.items(), key=lambda pair: pair[1])
        return (
            low,
            f"{'holds' if low > 0.9 else 'does not hold'}: the lowest is {a} with {b}",
        )
    if what.startswith("least"):
        mean = (matrix.r.sum(axis=0) - 1) / (len(matrix.metrics) - 1)
        least = matrix.metrics[int(mean.argmin())]
        value = float(mean[matrix.metrics.index(metrics[0])])
        return value, "holds" if least == metrics[
            0
        ] else f"does not hold: {least} has {mean.min():.3f}"
    first, *others = metrics
    line = [matrix.of(first, other) for other in others]
    steps = np.diff(line) * (1 if what.startswith("rises") else -1)
    told = " ".join(f"{value:.3f}" for value in line)
    return float(
        line[-1] - line[0]
    ), f"{'holds' if (steps > 0).all() else 'does not hold'}: {told}"


def _largest(matrix: Matrix, metric: str, other: str) -> tuple[float, str]:
    """Say whether a metric correlates with no metric more than with this other one."""
    row = matrix.r[matrix.metrics.index(metric)].copy()
    row[matrix.metrics.index(metric)] = -np.inf
    best = matrix.metrics[int(row.argmax())]
    value = matrix.of(metric, other)
    return (
        value,
        "holds" if best == other else f"does not hold: {best} has {row.max():.3f}",
    )
