"""Where systems stand among everybody's on their collection; they are not compared with each other."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from irmeta.errors import require_share
from irmeta.scores import standardization
from irmeta.scores.cube import check
from irmeta.scores.result import ends
from irmeta.scores.selection import complete, select
from irmeta.stats.standardizing.standing import percentiles
from irmeta.studies.place import everybody
from irmeta.studies.place.everybody import Known

FIGURES = ("standardized", "low", "high", *ends("percentile"))


def standing(
    scores: xr.DataArray,
    *,
    on: Known,
    metrics: str | Iterable[str] | None = None,
    level: float = 0.95,
) -> xr.Dataset:
    """Return over (system, metric) the mean standardized score and the percentile of each system, with intervals.

    scores : a cube of one collection
    on : everybody's systems on it: factors, or a cube
    metrics : by default those that scores and factors have
    level : of the intervals, in (0, 1)

    The figures are those of `place` with its seed of 0, named as there, without the comparison of each system with each
    other, which takes time and memory quadratic in the number of systems. Raises ScoresError as `place` does.

    >>> from irmeta.scores.cube import cube
    >>> drawn, topics = np.random.default_rng(0).random((12, 8, 1)), [str(topic) for topic in range(8)]
    >>> every = cube(drawn, [f"s{i}" for i in range(12)], topics, ["AP"], collection="mine")
    >>> standing(every.isel(system=[3]), on=every)["percentile"].values.round(1).tolist()
    [[70.8]]
    """
    require_share("the level", level, 0.95)
    rng = np.random.default_rng(0)
    scores = check(scores)
    standardization.require_raw(scores)
    name = str(scores.attrs.get("collection", "collection"))
    given = everybody.known_by_collection(on, [name])[name]
    known, _ = everybody.with_cutoff_served(given, scores.metric.values)
    factors = everybody.factors_of(known)
    names = everybody.shared_metrics({name: scores}, {name: factors}, metrics)
    kept, _ = complete(select(scores, metrics=names), "error")
    used = everybody.as_known(kept, known)
    figures = []
    for metric in names:
        found = everybody.collection_of(used, factors, known, metric)
        means = found.standardized
        percentile = percentiles(found.own, found.everybody, level, rng)
        low, high = np.clip(means.interval(level), 0, 1)  # as standardized scores are
        figures.append(np.stack([means.value, low, high, *percentile]))
    columns = np.stack(figures, axis=-1)  # (figure, system, metric)
    return xr.Dataset(
        {
            figure: (("system", "metric"), column)
            for figure, column in zip(FIGURES, columns, strict=True)
        },
        {"system": used.system.values, "metric": names},
    )
