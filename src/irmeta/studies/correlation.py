"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta import cube
from irmeta.attributes import about, recorded
from irmeta.choices import Coefficient, Level, Missing
from irmeta.cubes import by_name, studied_together
from irmeta.errors import ScoresError, require_choice
from irmeta.result import result, short, square
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.agreement import COEFFICIENTS, components, groups, interval, merges, over_means, over_scores
from irmeta.stats.rankings.rank import settled

FEWEST = 4
"""Fewer values than these have no interval, whatever their correlation without each topic."""

_OVER = {
    "topic": "system-topic pairs",
    "within-topic": "system-topic pairs less their topic's mean",
    "system": "system means",
}


def correlation(
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    level: Level = "topic",
    method: Coefficient = "pearson",
    threshold: float = 0.9,
    missing: Missing = "error",
) -> xr.Dataset:
    """Correlate every pair of metrics, on one collection or on several pooled.

    scores : a cube, or cubes by collection name, of which the metrics that all have are pooled.
    level : "topic", over all system-topic pairs; "within-topic", the same less each topic's mean over systems, so that
    easy and hard topics do not pose as agreement; "system", over system means.
    method : "pearson", "spearman", "kendall" (tau-b), or at system level "tau-ap" (tau_AP,b).
    threshold : every two metrics of a group correlate at it or above.

    Gives `r` in [-1, 1] with the 95% interval `low`, `high` over topics (metric, metric_2), `n` values correlated,
    `group` (metric), `merge` the steps of the complete-linkage dendrogram, and of the principal components `loading`
    (metric, component) and `share`. Source: Kutlu et al. (2018) and Gupta et al. (ECIR 2019), section 4; groups and
    components as in Baccini et al. (2012).

    >>> scores = cube.cube(np.random.default_rng(0).random((5, 6, 2)), list("abcde"), list("123456"), ["AP", "P@10"])
    >>> correlation(scores)["r"].shape
    (2, 2)
    """
    require_choice("level", level, get_args(Level))
    require_choice("method", method, get_args(Coefficient))
    used, notes = studied_together(by_name(scores), missing=missing)
    _check(used, level, method, threshold)
    parts, metrics = _values(used, level), next(iter(used.values()))["metric"].values
    over = over_means if level == "system" else over_scores
    r, without = over(parts, method)
    n = sum(part.shape[0] * (1 if level == "system" else part.shape[1]) for part in parts)
    if n < FEWEST:
        without = [part[:0] for part in without]
    low, high = interval(r, without)
    linkage = merges(r)
    loading, share = components(r)
    pair = ("metric", "metric_2")
    data = {
        "r": (pair, r),
        "low": (pair, low),
        "high": (pair, high),
        "n": n,
        "group": ("metric", groups(linkage, threshold)),
        "merge": (("step", "joined"), linkage),
        "loading": (("metric", "component"), loading),
        "share": ("component", share),
        "metric": metrics,
        "metric_2": metrics,
        "component": np.arange(1, len(metrics) + 1),
    }
    name = COEFFICIENTS[method][0]
    options = {"level": level, "method": method, "coefficient": name, "threshold": threshold, "missing": missing}
    pooled = f" of {len(used)} collections pooled" if len(used) > 1 else ""
    notes.append(f"{name} over {n} {_OVER[level]}{pooled}; " + _interval_note(n, without))
    return result("correlation", data, inputs=used, options=options, notes=notes)


def each(cubes: Mapping[str, xr.DataArray], **options: Any) -> xr.Dataset:
    """Correlate every pair of metrics on each collection by itself: `correlation` with a dimension `collection`.

    The metrics are those that all collections have; options are those of `correlation`.
    """
    used, dropped = studied_together(by_name(cubes), missing=options.get("missing", "error"))
    outcomes = {name: correlation({name: one}, **options) for name, one in used.items()}
    together = xr.concat(list(outcomes.values()), xr.Variable("collection", list(outcomes)), combine_attrs="drop")
    first = about(next(iter(outcomes.values())))
    described = {name: about(one)["inputs"]["collections"][name] for name, one in outcomes.items()}
    notes = dropped + [f"{name}: {note}" for name, one in outcomes.items() for note in about(one)["notes"]]
    said = first | {"inputs": first["inputs"] | {"collections": described}, "notes": notes}
    return together.assign_attrs(recorded(said))


def _check(used: Mapping[str, xr.DataArray], level: Level, method: Coefficient, threshold: float) -> None:
    names = next(iter(used.values()))["metric"].values
    if len(names) < 2:
        raise ScoresError(f"to correlate metrics takes two or more that all have; there is {names[0]}")
    if method == "tau-ap" and level != "system":
        raise ScoresError("tau_AP compares rankings of systems: use it with level system (--level system)")
    if not -1 <= threshold <= 1:
        raise ScoresError(f"a threshold of correlation is between -1 and 1, not {threshold}")
    for name, one in used.items():
        systems, topics = one.sizes["system"], one.sizes["topic"]
        if systems < 2:
            raise ScoresError(f"{name}: to correlate metrics takes 2 systems or more; there is {systems}")
        if level != "system" and topics < 4:
            raise ScoresError(
                f"{name}: a correlation over topics takes 4 or more, there {'is' if topics == 1 else 'are'} {topics}; "
                "system means are correlated with level system (--level system)"
            )


def _values(used: Mapping[str, xr.DataArray], level: Level) -> list[Floats]:
    parts = [cube.additive(one).values for one in used.values()]
    if level == "within-topic":
        parts = [settled(part - part.mean(axis=0)) for part in parts]
    rows = [(part.mean(axis=1) if level == "system" else part).reshape(-1, part.shape[2]).T for part in parts]
    cube.require_variation(np.concatenate(rows, axis=1), next(iter(used.values()))["metric"].values)
    return parts


def _interval_note(n: int, without: Sequence[Floats]) -> str:
    if n < FEWEST:
        return f"no intervals from so few{', of which two always correlate at 1 or -1' if n == 2 else ''}."
    topics = sum(len(part) for part in without)
    if topics == 0:
        return "no intervals, as there are no topics to leave out."
    return f"95% intervals by leaving out each of {topics} topics in turn."


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `correlation` (each pair once), `groups` and `components`; with `collection` where each has its own."""
    views = [
        {"correlation": _pairs(one), "groups": _groups(one), "components": _components(one)}
        for _, one in _each(outcome)
    ]
    if "collection" in outcome.dims:
        for (name, _), view in zip(_each(outcome), views, strict=True):
            for table, frame in view.items():
                view[table] = frame.insert_column(0, pl.lit(name).alias("collection"))
    return {table: pl.concat([view[table] for view in views]) for table in views[0]}


def _each(outcome: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    if "collection" not in outcome.dims:
        yield ", ".join(about(outcome)["inputs"]["collections"]), outcome
        return
    for name in outcome["collection"].values:
        yield str(name), outcome.sel(collection=name)


def _names(outcome: xr.Dataset) -> list[str]:
    return [str(name) for name in outcome["metric"].values]


def _pairs(outcome: xr.Dataset) -> pl.DataFrame:
    names = _names(outcome)
    above = np.triu_indices(len(names), 1)
    return pl.DataFrame(
        {
            "metric_a": [names[i] for i in above[0]],
            "metric_b": [names[j] for j in above[1]],
            **{name: outcome[name].values[above] for name in ("r", "low", "high")},
            "n": [int(outcome["n"])] * len(above[0]),
        }
    )


def _groups(outcome: xr.Dataset) -> pl.DataFrame:
    members = sorted(zip(outcome["group"].values.tolist(), range(outcome.sizes["metric"]), strict=True))
    return pl.DataFrame(
        {"group": [group for group, _ in members], "metric": [_names(outcome)[at] for _, at in members]}
    )


def _members(outcome: xr.Dataset) -> pl.DataFrame:
    return _groups(outcome).group_by("group", maintain_order=True).agg(pl.col("metric").str.join(", ").alias("metrics"))


def _components(outcome: xr.Dataset) -> pl.DataFrame:
    names, count = _names(outcome), outcome.sizes["component"]
    return pl.DataFrame(
        {
            "component": np.repeat(outcome["component"].values, len(names)),
            "share": np.repeat(outcome["share"].values, len(names)),
            "metric": names * count,
            "loading": outcome["loading"].values.T.ravel(),
        }
    )


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Give the correlations as the upper triangle of a matrix, and each group on a line."""
    views = {}
    for name, one in _each(outcome):
        names, r, count = _names(one), one["r"].values, range(one.sizes["metric"])
        of = f" ({name})" if "collection" in outcome.dims else ""
        views[f"correlation{of}"] = square(names, [[short(r[i, j]) if j >= i else "" for j in count] for i in count])
        views[f"groups{of}"] = _members(one)
    return views


def findings(outcome: xr.Dataset) -> list[str]:
    """Name the pairs that agree most and least, the groups above the threshold, and the number of components."""
    return [line for name, one in _each(outcome) for line in _words(name, one, about(outcome)["options"])]


def _words(name: str, one: xr.Dataset, options: Mapping[str, Any]) -> list[str]:
    pairs = _pairs(one)
    most, least = (pairs.sort("r", descending=down, maintain_order=True).row(0, named=True) for down in (True, False))
    lines = [
        f"On {name} at {options['level']} level {_pair(most)} agree most"
        + (f", {_pair(least)} least." if pairs.height > 1 else ".")
    ]
    listed = "; ".join(group for group in _members(one)["metrics"] if ", " in group)
    threshold = options["threshold"]
    level = short(threshold, max(2, len(f"{threshold:.10f}".rstrip("0").partition(".")[2])))
    if listed:
        shared = f", so each tells {_shared_variance(threshold)} of the variance of another"
        told = shared if options["method"] == "pearson" and threshold > 0 else ""
        lines.append(f"Every two of a group correlate at {level} or above{told}: {listed}.")
    else:
        lines.append(f"No two metrics correlate at {level} or above.")
    count = int(np.searchsorted(np.cumsum(one["share"].values), 0.95 - 1e-9)) + 1
    if one.sizes["metric"] > 2:
        lines.append(f"{count} principal components of {one.sizes['component']} carry 95% of what the metrics say.")
    return lines


def _shared_variance(r: float) -> str:
    """Say what share of variance is explained at least where two metrics correlate at r or above."""
    share = 100 * r**2
    return "all" if share == 100 else f"at least {np.floor(share + 1e-9):.0f}%"


def _pair(row: Mapping[str, Any]) -> str:
    between = (
        f", 95% interval {short(row['low'])} to {short(row['high'])}"
        if row["low"] is not None and not np.isnan(row["low"])
        else ""
    )
    return f"{row['metric_a']} and {row['metric_b']} ({short(row['r'])}{between})"
