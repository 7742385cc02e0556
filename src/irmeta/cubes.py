"""Several collections at once: a mapping from name to cube, their common metrics, their system-level tables."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import xarray as xr

from irmeta.choices import Missing, Scale
from irmeta.cube import check, means, studied
from irmeta.errors import MetricError, ScoresError
from irmeta.names import highest, metric_names, nearest


def by_name(cubes: xr.DataArray | Mapping[str, xr.DataArray]) -> dict[str, xr.DataArray]:
    """Give cubes by collection name, each as `check` returns it; a cube alone goes by the name of its collection."""
    if isinstance(cubes, Mapping) and not isinstance(cubes, xr.Dataset):
        return {str(name): check(scores) for name, scores in cubes.items()}
    scores = check(cubes)
    return {str(scores.attrs.get("collection", "collection")): scores}


def with_roles(**roles: xr.DataArray | Mapping[str, xr.DataArray]) -> tuple[dict[str, xr.DataArray], dict[str, str]]:
    """Give the collections of all roles (train=..., test=...) by name, and the role of each.

    A collection in two roles, or no collection to train or to test on, raises ScoresError.
    """
    groups = {role: by_name(group) for role, group in roles.items()}
    cubes = {name: scores for group in groups.values() for name, scores in group.items()}
    for name in cubes:
        if len(given := [role for role, group in groups.items() if name in group]) > 1:
            raise ScoresError(f"the collection {name!r} is given as {' and as '.join(given)}; they are to differ")
    for role in ("train", "test"):
        if role in groups and not groups[role]:
            raise ScoresError(f"there is no {role} collection; give one or more")
    return cubes, {name: role for role, group in groups.items() for name in group}


def common_metrics(cubes: Mapping[str, xr.DataArray], metrics: str | Iterable[str] | None = None) -> list[str]:
    """Give the metrics that every collection has, in the first one's order, or those named if every one has them.

    Collections without a common metric, and a named metric that some collection lacks, raise ScoresError.
    """
    every = {name: [str(metric) for metric in scores.metric.values] for name, scores in cubes.items()}
    if not every:
        raise ScoresError("there are no collections; give one or more")
    shared = [metric for metric in next(iter(every.values())) if all(metric in here for here in every.values())]
    if not shared:
        raise ScoresError(f"{', '.join(cubes)} have no metric in common; evaluate them by the same, or take each alone")
    names = shared if metrics is None else metric_names(metrics)
    for name in names:
        if lacking := [collection for collection, here in every.items() if name not in here]:
            raise ScoresError(f"no metric {name!r} in {', '.join(lacking)}; {nearest(name, shared)}")
    return names


def studied_together(
    cubes: Mapping[str, xr.DataArray],
    *,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Give the part of each collection that a study of all is about, as `studied` does, and notes on what was left out.

    metrics : by default those that every collection has; the others are left out.
    """
    names = common_metrics(cubes, metrics)
    held = {str(metric) for scores in cubes.values() for metric in scores.metric.values}
    lost = sorted(held - set(names)) if metrics is None else []
    used, notes = {}, [f"left out, as not all collections have them: {', '.join(lost)}"] if lost else []
    for name, scores in cubes.items():
        used[name], told = studied(scores, metrics=names, top=top, by=by, missing=missing)
        notes += [f"{name}: {note}" for note in told]
    return used, notes


def targets_and_candidates(
    cubes: Mapping[str, xr.DataArray], targets: str | Iterable[str] | None, metrics: str | Iterable[str] | None
) -> tuple[list[str], list[str], list[str]]:
    """Give the metrics to work on, then those of them to predict and those to predict from.

    Both are by default all that every collection has; a target among the candidates is no predictor of itself.
    """
    candidates = common_metrics(cubes, metrics)
    wanted = candidates if targets is None else common_metrics(cubes, targets)
    if all(candidates == [target] for target in wanted):
        raise ScoresError(f"{', '.join(wanted)} has no other metric to be predicted from")
    return list(dict.fromkeys([*candidates, *wanted])), wanted, candidates


def check_sizes(sizes: Sequence[int], targets: Sequence[str], candidates: Sequence[str]) -> None:
    """Raise ScoresError where a target has fewer candidates than a predictor set is to have."""
    most = len(candidates) - any(target in candidates for target in targets)
    if not all(1 <= size <= most for size in sizes):
        raise ScoresError(f"a target has 1 to {most} predictors here, not {', '.join(map(str, sizes))}")


def check_scale(metrics: Sequence[str], scale: Scale) -> None:
    """Raise MetricError where log odds are wanted of a metric that may exceed 1."""
    if scale == "logit" and (wrong := [metric for metric in metrics if highest(metric) > 1]):
        raise MetricError(
            f"log odds are of scores between 0 and 1, which {', '.join(wrong)} may exceed; use the raw scale"
        )


def system_level(
    cubes: Mapping[str, xr.DataArray], metrics: str | Iterable[str] | None = None, *, missing: Missing = "error"
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Give each collection's (system, metric) means over the same metrics, and notes on what was dropped for it.

    metrics : as in `common_metrics`.  missing : as in `complete`.
    """
    used, notes = studied_together(cubes, metrics=metrics, missing=missing)
    return {name: in_range(means(scores)) for name, scores in used.items()}, notes


def in_range(table: xr.DataArray) -> xr.DataArray:
    """Return a (system, metric) table if no score is one that its metric cannot take; raise ScoresError otherwise."""
    top = np.array([highest(str(metric)) for metric in table.metric.values])
    wrong = np.isfinite(top) & ((table.values < 0) | (table.values > top + 1e-9))
    if wrong.any():
        system, metric = (int(i[0]) for i in np.nonzero(wrong))
        raise ScoresError(
            f"{table.metric.values[metric]} of {table.system.values[system]} is {table.values[system, metric]:g}, but"
            f" lies between 0 and {top[metric]:g}; are these percentages, or columns in another order?"
        )
    return table
