"""Can a metric that takes deep judgments be told from those of the first few documents only? Try every subset."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Judgments, Missing
from irmeta.cubes import common_metrics, system_level, with_roles
from irmeta.errors import MetricError, ScoresError
from irmeta.names import parse, split
from irmeta.result import long_frame, result
from irmeta.stats.arrays import Indices
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.stats.prediction.predictors import Fold, best_predictors, folds
from irmeta.stats.prediction.regression import least_squares, moments

_MEASURES = ("tau", "r2", "rmse")


def lowcost(
    train: xr.DataArray | Mapping[str, xr.DataArray],
    test: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    targets: Iterable[str],
    dev: xr.DataArray | Mapping[str, xr.DataArray] | None = None,
    depths: Sequence[int] = (10, 20, 30, 40, 50),
    proper: bool = False,
    missing: Missing = "error",
) -> xr.Dataset:
    """Predict each target from the metrics that look at the first D documents, for each D, on other collections.

    train, dev, test : a cube, or cubes by collection name. Predictors of depth D are the metrics named with `depth=D`,
    as in P(depth=10)@1000; those also named with `pool=D` saw only the judgments of a pool of that depth ("pool") and
    are kept apart from those that saw all ("full"). Every subset of them is fitted on all training systems; the highest
    mean tau on the development collections wins, or without them over the training collections left out in turn.
    proper : leave out the set of all predictors, as the code released with Gupta et al. (ECIR 2019) does.
    Gives over (target, judgments, depth, collection): tau, r2, rmse; over (target, judgments, depth): predictors.
    """
    cubes, role = with_roles(train=train, dev={} if dev is None else dev, test=test)
    available = common_metrics(cubes)
    wanted = common_metrics(cubes, targets)
    groups = _groups(available, depths)
    if inside := [target for target in wanted if any(target in group for group in groups.values())]:
        raise ScoresError(f"{inside[0]} is one of the predictors; a target looks deeper than {max(depths)} documents")
    used = [name for name in available if name in wanted or any(name in group for group in groups.values())]
    levels, notes = system_level(cubes, used, missing=missing)
    values = {part: [levels[name].values for name in levels if role[name] == part] for part in ("train", "dev", "test")}
    fold, together = folds(values["train"], values["dev"]), moments(np.concatenate(values["train"]))
    shown = [name for name in cubes if role[name] != "train"]
    kinds: tuple[Judgments, ...] = ("full", "pool")
    judgments = [kind for kind in kinds if any(key[0] == kind for key in groups)]
    shape = (len(wanted), len(judgments), len(depths))
    measured = np.full((*shape, len(shown), len(_MEASURES)), np.nan)
    chosen = np.full(shape, "", dtype=object)
    at = [used.index(target) for target in wanted]
    for (j, kind), (d, depth) in product(enumerate(judgments), enumerate(depths)):
        candidates = [used.index(name) for name in groups.get((kind, depth), [])]
        for t, (target, subset) in enumerate(zip(at, _best(fold, candidates, at, proper), strict=True)):
            slopes, intercept = least_squares(together, subset, [target])
            chosen[t, j, d] = " ".join(used[i] for i in subset)
            for c, scores in enumerate(levels[name].values for name in shown):
                close = accuracy(scores[:, target], scores[:, subset] @ slopes[:, 0] + intercept[0])
                measured[t, j, d, c] = [getattr(close, name) for name in _MEASURES]
    coords = {"target": wanted, "judgments": judgments, "depth": list(depths), "collection": shown}
    dims = tuple(coords)
    data = {name: xr.DataArray(measured[..., i], coords, dims) for i, name in enumerate(_MEASURES)}
    data["predictors"] = xr.DataArray(chosen, {dim: coords[dim] for dim in dims[:3]}, dims[:3])
    data["role"] = xr.DataArray([role[name] for name in shown], {"collection": shown}, ("collection",))
    notes.append("chosen by " + ("tau on the dev collections" if dev else "mean tau, training collections left out"))
    return result("lowcost", data, inputs=cubes, options={"roles": role, "proper": proper}, notes=notes)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `lowcost`: target, judgments, depth, predictors, collection, role, tau, r2, rmse."""
    spread = outcome.assign({name: outcome[name].broadcast_like(outcome["tau"]) for name in ("predictors", "role")})
    frame = long_frame(spread, ["tau", "r2", "rmse", "predictors", "role"]).filter(pl.col("predictors") != "")
    lists = pl.Series("predictors", [split(names) for names in frame["predictors"]], dtype=pl.List(pl.String))
    columns = ("target", "judgments", "depth", "predictors", "collection", "role", *_MEASURES)
    return {"lowcost": frame.with_columns(lists).select(columns)}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show tau and R2 over the depths, a row a target, kind of judgments and collection; `lowcost` has the rest."""
    frame = tables(outcome)["lowcost"]
    key = ["target", "judgments", "collection"]
    return {f"{measure} by depth": frame.pivot("depth", index=key, values=measure) for measure in ("tau", "r2")}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say at which depths each target is ordered well (tau 0.9) on every collection."""
    lines = []
    for kind, target in product(outcome.judgments.values, outcome.target.values):
        one = outcome.sel(judgments=kind, target=target)
        tau = one["tau"].isel(depth=one["predictors"].values != "")
        worst = tau.min("collection", skipna=False)
        good = worst.depth.values[worst.values >= 0.9]
        undefined = tau.collection.values[tau.isnull().any("depth").values]
        what = "with all judgments" if kind == "full" else "with a pool of that depth"
        how = (
            f"tau is 0.9 or more on every collection at depth {', '.join(map(str, good))}"
            f" (tried: {', '.join(map(str, worst.depth.values))})"
            if good.size
            else f"tau is undefined on {', '.join(undefined)}, where scores or predictions are all equal"
            if undefined.size
            else f"tau never reaches 0.9 on every collection (at most {float(worst.max()):.4f})"
        )
        lines.append(f"{target}, {what}: {how}.")
    return lines


def _groups(metrics: Sequence[str], depths: Sequence[int]) -> dict[tuple[Judgments, int], list[str]]:
    """Give the predictors by kind of judgments and depth; a depth without any raises MetricError."""
    groups: dict[tuple[Judgments, int], list[str]] = {}
    for name in metrics:
        try:
            metric = parse(name)
        except MetricError:
            continue
        depth, pool = metric["depth"], metric["pool"]
        if isinstance(depth, int) and depth in depths and pool in (None, depth):
            groups.setdefault(("full" if pool is None else "pool", depth), []).append(name)
    for depth in depths:
        if not any(key[1] == depth for key in groups):
            raise MetricError(
                f"no metric looks at the first {depth} documents; evaluate some with depth={depth}, as in"
                f" 'P(depth={depth})@1000 RBP(p=0.95, depth={depth})', and pool={depth} to limit the judgments too"
            )
    return groups


def _best(fold: Sequence[Fold], candidates: Sequence[int], targets: Sequence[int], proper: bool) -> list[Indices]:
    """Give the best subset of any size for each target; the first of equals, the smaller sizes first."""
    found = [best_predictors(fold, candidates, targets, k) for k in range(1, len(candidates) + (0 if proper else 1))]
    taus = np.array([best.tau for best in found])
    return [found[size].predictors[t] for t, size in enumerate(taus.argmax(axis=0))] if found else []
