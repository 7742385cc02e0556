"""Several collections at once: a mapping from name to cube, their common metrics, their system-level tables."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import xarray as xr

from irmeta.cube import Missing, check, complete, means, select
from irmeta.errors import MetricError, ScoresError
from irmeta.names import canonical, highest, nearest
from irmeta.stats.scales import Scale


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


def common_metrics(cubes: Mapping[str, xr.DataArray], metrics: Iterable[str] | None = None) -> list[str]:
    """Give the metrics that every collection has, in the first one's order, or those named if every one has them.

    A named metric that some collection lacks raises MetricError.
    """
    collections = iter(cubes.values())
    shared = [str(metric) for metric in next(collections).metric.values]
    for scores in collections:
        here = set(scores.metric.values)
        shared = [metric for metric in shared if metric in here]
    if not shared:
        raise MetricError(f"no metric is in every collection of {', '.join(cubes)}")
    names = shared if metrics is None else list(dict.fromkeys(canonical(metric) for metric in metrics))
    for name in names:
        if name not in shared:
            lacking = [collection for collection, scores in cubes.items() if name not in set(scores.metric.values)]
            raise MetricError(f"{name!r} is not in {', '.join(lacking)}; {nearest(name, shared)}")
    return names


def targets_and_candidates(
    cubes: Mapping[str, xr.DataArray], targets: Iterable[str] | None, metrics: Iterable[str] | None
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
    cubes: Mapping[str, xr.DataArray], metrics: Iterable[str] | None = None, *, missing: Missing = "error"
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Give each collection's (system, metric) means over the same metrics, and notes on what was dropped for it.

    metrics : as in `common_metrics`.  missing : as in `complete`.
    """
    names, tables, notes = common_metrics(cubes, metrics), {}, []
    for collection, scores in cubes.items():
        kept, dropped = complete(select(scores, metrics=names), missing)
        tables[collection] = in_range(means(kept))
        notes += [f"{collection}: {note}" for note in dropped]
    return tables, notes


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
