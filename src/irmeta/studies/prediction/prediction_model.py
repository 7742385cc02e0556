"""The model that predicts metrics from each other: collections' system-level scores, summed up."""

from collections.abc import Iterable, Mapping
from typing import Any

import xarray as xr

from irmeta.choices import Missing, Scale, Unit
from irmeta.errors import MetricError, ScoresError
from irmeta.io.formats.model_file import Model, Part
from irmeta.metrics.names import metric_names, nearest
from irmeta.scores.cubes import (
    at_unit,
    by_name,
    check_scale,
    dependence_notes,
    system_level,
)
from irmeta.scores.result import describe
from irmeta.stats.prediction.intervals import tails
from irmeta.stats.prediction.regression import moments
from irmeta.stats.prediction.scales import to_scale
from irmeta.words import counted


def prediction_model(
    cubes: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    metrics: Iterable[str] | None = None,
    scale: Scale = "raw",
    unit: Unit = "system",
    missing: Missing = "error",
    provenance: Mapping[str, Any] | None = None,
) -> Model:
    """Sum up collections' system-level scores as a model that predicts any of their metrics from any others.

    cubes : one, or several by collection name; a collection may lack some of the metrics
    metrics : those to keep, all by default
    scale : "raw", or "logit" to model log odds, so that predictions and intervals stay between 0 and 1
    unit : of systems' means, or with "topic" of every system's score on every topic; a model of scores on topics
        predicts such scores
    missing : what to do with missing scores, as in `selection.complete`
    provenance : what else the model's file is to say of where its scores come from

    >>> from irmeta.scores.cube import cube
    >>> scores = cube([[[0.1, 0.2]], [[0.2, 0.3]], [[0.3, 0.6]]], ["a", "b", "c"], ["all"], ["AP", "P@10"])
    >>> prediction_model({"demo": scores}).metrics
    ['AP', 'P@10']
    """
    cubes = by_name(cubes)
    notes = dependence_notes(cubes)
    cubes = at_unit(cubes, unit)
    if not cubes:
        raise ScoresError("there are no collections to fit a model on")
    wanted = None if metrics is None else metric_names(metrics)
    known = {
        str(metric) for scores in cubes.values() for metric in scores.metric.values
    }
    for metric in wanted or []:
        if metric not in known:
            raise MetricError(
                f"no collection has scores of {metric!r}; {nearest(metric, known)}"
            )
    parts = []
    for name, scores in cubes.items():
        table, dropped = _table(name, scores, wanted, missing)
        names = tuple(map(str, table.metric.values))
        check_scale(names, scale)
        values = to_scale(table.values, scale)
        parts.append(Part(name, names, moments(values), tails(values)))
        notes += dropped
    collections = {name: describe(scores) for name, scores in cubes.items()}
    described = {
        "collections": collections,
        "notes": notes,
        **({"unit": unit} if unit != "system" else {}),
    }
    return Model(scale, tuple(parts), {**described, **(provenance or {})})


def _table(
    name: str, scores: xr.DataArray, wanted: list[str] | None, missing: Missing
) -> tuple[xr.DataArray, list[str]]:
    """Return a collection's system-level scores by the wanted metrics that it has, and notes on what was dropped."""
    here = None
    if wanted is not None:
        own = set(scores.metric.values)
        here = [metric for metric in wanted if metric in own]
        if not here:
            raise ScoresError(
                f"{name} has none of the metrics {', '.join(wanted)}; leave it out, or name others"
            )
    levels, dropped = system_level({name: scores}, here, missing=missing)
    table = levels[name]
    if table.sizes["metric"] < 2 or table.sizes["system"] < 3:
        size = " and ".join(
            counted(count, str(dim)) for dim, count in table.sizes.items()
        )
        raise ScoresError(
            f"{name} has {size}; a model needs at least 3 systems and 2 metrics from each "
            "collection"
        )
    return table, dropped
