"""Which metrics of the model stand for those of a table, and for those that are wanted."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from irmeta.errors import MetricError, ScoresError
from irmeta.io.formats.model_file import DEPTH, Model
from irmeta.metrics.names import nearest
from irmeta.words import listed


def renamed(
    table: xr.DataArray, model: Model
) -> tuple[xr.DataArray, dict[str, str], list[str]]:
    """Return the scores that the model can use under its names, these names by the table's, and notes on the others."""
    names = [str(name) for name in table.metric.values]
    used: dict[str, str] = {}
    left = []
    for name in names:
        target = model.name_of(name)
        if target and (target == name or target not in names):
            used[name] = target
        else:
            left.append(name)
    if not used:
        raise MetricError(
            f"none of these metrics is in the model: {listed(left)}; it has {', '.join(model.metrics)}"
        )
    notes = [
        stand_in_note(name, target) for name, target in used.items() if target != name
    ]
    if left:
        notes.append(
            "metrics that the model does not know were not used: "
            f"{listed(left)}{_hint(left, model)}"
        )
    models_names = np.array(list(used.values()), dtype=object)
    return table.sel(metric=list(used)).assign_coords(metric=models_names), used, notes


def _hint(left: Iterable[str], model: Model) -> str:
    """Name the metrics of the model that are variants of those it does not know."""
    variants = [
        f"{name} differs from {variant}, which it knows"
        for name in left
        if (variant := model.variant_of(name))
    ]
    return f" ({'; '.join(variants[:3])})" if variants else ""


def stand_in_note(name: str, target: str) -> str:
    """Say that the model's metric stands for the one named."""
    if target.startswith(f"{name}@"):
        return (
            f"{name} is used as {target} of the model; for runs of at most {DEPTH} documents they "
            "hardly differ"
        )
    return f"{target} is predicted instead of {name}, which the model lacks; their scores differ"


def wanted_targets(
    table: xr.DataArray, model: Model, want: list[str] | None
) -> tuple[list[str], list[str]]:
    """Return the metrics to predict under the model's names, and notes on those wanted under another."""
    given = {str(metric) for metric in table.metric.values}
    if want is None:
        holes = table.metric.values[np.isnan(table.values).any(axis=0)]
        if holes.size:
            return [str(metric) for metric in holes], []
        return [metric for metric in model.metrics if metric not in given], []
    targets = {}
    for name in want:
        target = model.name_of(name) or model.variant_of(name)
        if target is None:
            raise MetricError(
                f"the model does not know {name!r}; {nearest(name, model.metrics)}"
            )
        if target in given and not np.isnan(table.sel(metric=target).values).any():
            raise ScoresError(
                f"{name} is given; a metric cannot be predicted from itself"
            )
        targets[name] = target
    notes = [
        stand_in_note(name, target)
        for name, target in targets.items()
        if name != target
    ]
    return list(dict.fromkeys(targets.values())), notes
