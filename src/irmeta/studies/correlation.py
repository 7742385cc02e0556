"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta import cube
from irmeta.attributes import about, recorded
from irmeta.choices import Coefficient, Level, Missing
from irmeta.cubes import by_name, prepare_together, shared_topics, topic_numbers
from irmeta.errors import ScoresError, require_choice
from irmeta.layout import WIDE
from irmeta.result import frame, once, result, short, square
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings import disattenuated
from irmeta.stats.rankings.agreement import (
    COEFFICIENTS,
    Pairs,
    by_pairs,
    components,
    cumulated,
    groups,
    half_width,
    interval,
    merges,
    over_means,
    over_scores,
    share_interval,
)
from irmeta.stats.rankings.rank import settled
from irmeta.words import listed

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
    missing : as in `irmeta.cube.complete`; "pairwise" correlates two metrics over the scores that both have (at system
    level over the systems that both have on all topics), each pair with its own n.

    Returns `r` in [-1, 1] with the 95% interval `low`, `high` over topics (metric, metric_2), `n` values correlated; at
    system level with "pearson" `true_r`, between the systems' true means, with `true_low` and `true_high`;
    `group` (metric), `merge` the steps of the complete-linkage dendrogram, and of the principal components `loading`
    (metric, component), `share`, and `cumulated`, of the first ones together, with its interval `cumulated_low`,
    `cumulated_high`. Source: Kutlu et al. (2018) and Gupta et al. (ECIR 2019), section 4; groups and
    components as in Baccini et al. (2012).

    >>> scores = cube.cube(np.random.default_rng(0).random((5, 6, 2)), list("abcde"), list("123456"), ["AP", "P@10"])
    >>> correlation(scores)["r"].shape
    (2, 2)
    """
    require_choice("level", level, get_args(Level))
    require_choice("method", method, get_args(Coefficient))
    used, notes = prepare_together(by_name(scores), missing=missing, pairs=True)
    _check(used, level, method, threshold)
    metrics = next(iter(used.values()))["metric"].values
    r, low, high, n, without = _correlated(used, level, method)
    linkage = merges(r)
    loading, share = components(r)
    together = cumulated(r)
    together_low, together_high = share_interval(
        together, [cumulated(part) for part in without], topic_numbers(used)
    )
    pair = ("metric", "metric_2")
    data = {
        "r": (pair, r),
        "low": (pair, low),
        "high": (pair, high),
        "n": (pair, n) if np.ndim(n) else n,
        "group": ("metric", groups(linkage, threshold)),
        "merge": (("step", "joined"), linkage),
        "loading": (("metric", "component"), loading),
        "share": ("component", share),
        "cumulated": ("component", together),
        "cumulated_low": ("component", together_low),
        "cumulated_high": ("component", together_high),
        "metric": metrics,
        "metric_2": metrics,
        "component": np.arange(1, len(metrics) + 1),
    }
    if level == "system":
        data |= _between_true_means(used, method)
        notes.append(_SYSTEM_LEVEL)
    name = COEFFICIENTS[method][0]
    options = {
        "level": level,
        "method": method,
        "coefficient": name,
        "threshold": threshold,
        "missing": missing,
    }
    pooled = f" of {len(used)} collections pooled" if len(used) > 1 else ""
    notes.append(
        f"{name} over {_span(n)} {_OVER[level]}{pooled}; "
        + _interval_note(used, n, low)
    )
    return result("correlation", data, inputs=used, options=options, notes=notes)


_SYSTEM_LEVEL = (
    "At system level r is of means over these topics, whose luck metrics share, and its interval is for r of other "
    "samples of as many topics; only true_r, with pearson, is of the systems' true means."
)


def _between_true_means(
    used: Mapping[str, xr.DataArray], method: Coefficient
) -> dict[str, Any]:
    """Return Pearson's r between true means with its interval; unknown where scores are missing or topics are few."""
    if method != "pearson":
        return {}
    metrics = next(iter(used.values())).sizes["metric"]
    ends = np.full((3, metrics, metrics), np.nan)
    whole = not any(scores.isnull().any() for scores in used.values())
    if whole and all(
        scores.sizes["topic"] >= disattenuated.FEWEST for scores in used.values()
    ):
        parts = [cube.additive(scores).values for scores in used.values()]
        r = disattenuated.true_correlation(parts)
        half = half_width(disattenuated.without_topics(parts), topic_numbers(used))
        ends = np.clip([r, r - half, r + half], -1, 1)
    names = ("true_r", "true_low", "true_high")
    return {
        name: (("metric", "metric_2"), end)
        for name, end in zip(names, ends, strict=True)
    }


def each(cubes: Mapping[str, xr.DataArray], **options: Any) -> xr.Dataset:
    """Correlate every pair of metrics on each collection by itself: `correlation` with a dimension `collection`.

    The metrics are those that all collections have; options are those of `correlation`.
    """
    used, notes = prepare_together(
        by_name(cubes), missing=options.get("missing", "error"), pairs=True
    )
    results = {
        name: correlation({name: scores}, **options) for name, scores in used.items()
    }
    together = xr.concat(
        list(results.values()),
        xr.Variable("collection", list(results)),
        combine_attrs="drop",
    )
    described = {}
    for name, outcome in results.items():
        described[name] = about(outcome)["inputs"]["collections"][name]
        notes += [f"{name}: {note}" for note in about(outcome)["notes"]]
    attributes = about(next(iter(results.values())))
    attributes |= {
        "inputs": attributes["inputs"] | {"collections": described},
        "notes": notes,
    }
    return together.assign_attrs(recorded(attributes))


def _correlated(
    used: Mapping[str, xr.DataArray], level: Level, method: Coefficient
) -> tuple[Floats, Floats, Floats, Any, list[Floats]]:
    """Return r, low, high (metric, metric), n, and r of each part without each topic, which pairs do not have.

    n is a number for each pair where scores are missing.
    """
    if any(scores.isnull().any() for scores in used.values()):
        found = _by_pairs(used, level, method)
        return *found, [found.r[None][:0]] * len(used)
    parts = _values(used, level)
    over = over_means if level == "system" else over_scores
    r, without = over(parts, method)
    n = sum(
        part.shape[0] if level == "system" else part.shape[0] * part.shape[1]
        for part in parts
    )
    if n < FEWEST:
        without = [part[:0] for part in without]
    return r, *interval(r, without, topic_numbers(used)), n, without


def _by_pairs(
    used: Mapping[str, xr.DataArray], level: Level, method: Coefficient
) -> Pairs:
    """Correlate each pair of metrics over the scores that both have."""
    parts = [cube.additive(scores).values for scores in used.values()]
    metrics = next(iter(used.values()))["metric"].values
    found = by_pairs(parts, level, method, topic_numbers(used), FEWEST)
    if (found.n < 2).any():
        one, other = (str(metrics[at]) for at in np.argwhere(found.n < 2)[0])
        what = "systems with scores on all topics" if level == "system" else "scores"
        raise ScoresError(
            f"{one} and {other} have fewer than 2 {what} in common; leave one out (--metrics)"
        )
    if np.isnan(found.r).any():
        pair = {str(metrics[at]): None for at in np.argwhere(np.isnan(found.r))[-1]}
        raise ScoresError(
            f"all scores that {' and '.join(pair)} have in common are equal; leave it out (--metrics)"
        )
    return found


def _span(n: Any) -> str:
    """Write the number of values, from the fewest to the most of any pair where it differs."""
    fewest = int(np.min(n))
    most = int(np.max(n))
    if fewest == most:
        return f"{most}"
    return f"{fewest} to {most}"


def _check(
    used: Mapping[str, xr.DataArray],
    level: Level,
    method: Coefficient,
    threshold: float,
) -> None:
    names = next(iter(used.values()))["metric"].values
    if len(names) < 2:
        raise ScoresError(
            f"need at least 2 metrics common to all collections; only {names[0]} is"
        )
    if method == "tau-ap" and level != "system":
        raise ScoresError(
            "tau_AP compares rankings of systems: use it with level system (--level system)"
        )
    if not -1 <= threshold <= 1:
        raise ScoresError(
            f"a threshold of correlation is between -1 and 1, not {threshold}"
        )
    for name, scores in used.items():
        systems = scores.sizes["system"]
        topics = scores.sizes["topic"]
        if systems < 2:
            raise ScoresError(
                f"{name}: a correlation between metrics needs at least 2 systems; there is {systems}"
            )
        if level != "system" and topics < 4:
            verb = "is" if topics == 1 else "are"
            raise ScoresError(
                f"{name}: a correlation over topics takes 4 or more, there {verb} {topics}; "
                "system means are correlated with level system (--level system)"
            )


def _values(used: Mapping[str, xr.DataArray], level: Level) -> list[Floats]:
    """Return the scores (system, topic, metric) of each collection, on a scale on which they can be averaged."""
    parts = [cube.additive(scores).values for scores in used.values()]
    if level == "within-topic":
        parts = [settled(part - part.mean(axis=0)) for part in parts]
    rows = []  # what is correlated, of each collection: (metric, value)
    for part in parts:
        values = part.mean(axis=1) if level == "system" else part
        rows.append(values.reshape(-1, part.shape[2]).T)
    cube.require_variation(
        np.concatenate(rows, axis=1), next(iter(used.values()))["metric"].values
    )
    return parts


def _interval_note(used: Mapping[str, xr.DataArray], n: Any, low: Floats) -> str:
    """Say how the intervals were made, or why there are none."""
    most = np.max(n)
    if most == 2:
        return "no intervals from so few, of which two always correlate at 1 or -1."
    if most < FEWEST:
        return "no intervals from so few."
    if np.isnan(low).all():
        return "no intervals, as there are no topics to leave out."
    topics = len(np.unique(np.concatenate(topic_numbers(used))))
    shared = shared_topics(used)
    if shared:
        once = f" ({listed(shared)} of the same names, each of which counts as one)"
    else:
        once = ""
    return f"95% intervals by leaving out each of {topics} topics in turn{once}."


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `correlation` (each pair once), `groups` and `components`; with `collection` where each has its own."""
    return {
        "correlation": _pairs(outcome),
        "groups": _groups(outcome),
        "components": _components(outcome),
    }


def _each(outcome: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Go through the collections of a result, or through all of them pooled, by name."""
    if "collection" not in outcome.dims:
        yield ", ".join(about(outcome)["inputs"]["collections"]), outcome
        return
    for name in outcome["collection"].values:
        yield str(name), outcome.sel(collection=name)


def _names(outcome: xr.Dataset) -> list[str]:
    return [str(name) for name in outcome["metric"].values]


def _pairs(outcome: xr.Dataset) -> pl.DataFrame:
    of_true_means = ["true_r", "true_low", "true_high"] if "true_r" in outcome else []
    pairs = frame(outcome, ["r", "low", "high", "n", *of_true_means]).rename(
        {"metric": "metric_a", "metric_2": "metric_b"}
    )
    return once(pairs, outcome.sizes["metric"], diagonal=1)


def _groups(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the groups' members, group by group, of one collection after the other."""
    collection = pl.int_range(pl.len()) // outcome.sizes["metric"]
    members = frame(outcome, ["group"]).sort(collection, "group", maintain_order=True)
    return members.select(pl.exclude("metric"), "metric")


def _members(outcome: xr.Dataset) -> pl.DataFrame:
    """List the groups, the metrics of each in one text."""
    metrics = pl.col("metric").str.join(", ").alias("metrics")
    return _groups(outcome).group_by("group", maintain_order=True).agg(metrics)


def _components(outcome: xr.Dataset) -> pl.DataFrame:
    shares = ["share", "cumulated", "cumulated_low", "cumulated_high"]
    loadings = frame(outcome, [*shares, "loading"], by=["component", "metric"])
    return loadings.select(pl.exclude("metric", "loading"), "metric", "loading")


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the upper triangle of the matrix and the groups; of many metrics, what each agrees with most and least."""
    views = {}
    for name, one in _each(outcome):
        of = f" ({name})" if "collection" in outcome.dims else ""
        metrics = _names(one)
        if len(metrics) > WIDE:
            views[f"metrics by group{of}"] = _neighbours(one)
        else:
            cells = [
                [short(r) if j >= i else "" for j, r in enumerate(row)]
                for i, row in enumerate(one["r"].values)
            ]
            views[f"correlation{of}"] = square(metrics, cells)
            views[f"groups{of}"] = _members(one)
    return views


def _neighbours(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each metric: its group, and the metrics that it agrees with most and least."""
    metrics = np.array(_names(one))
    r = one["r"].values
    others = r.copy()
    np.fill_diagonal(others, np.nan)
    most = np.nanargmax(others, axis=1)
    least = np.nanargmin(others, axis=1)
    each = np.arange(len(metrics))
    frame = pl.DataFrame(
        {
            "group": one["group"].values,
            "metric": metrics,
            "agrees most with": metrics[most],
            "r": [short(value) for value in r[each, most]],
            "least with": metrics[least],
            "r ": [short(value) for value in r[each, least]],
        }
    )
    return frame.sort("group", maintain_order=True)


def findings(outcome: xr.Dataset) -> list[str]:
    """Name the pairs that agree most and least, the groups above the threshold, and the number of components."""
    options = about(outcome)["options"]
    lines = []
    for name, part in _each(outcome):
        lines.append(_extremes(name, part, options["level"]))
        lines.append(_grouped(part, options["threshold"], options["method"]))
        if part.sizes["metric"] > 2:
            lines.append(_dimensions(part, options["method"]))
    return lines


def _extremes(name: str, part: xr.Dataset, level: Level) -> str:
    """Name the pair of metrics that agrees most, and the one that agrees least."""
    pairs = _pairs(part)
    most = pairs.sort("r", descending=True, maintain_order=True).row(0, named=True)
    least = pairs.sort("r", maintain_order=True).row(0, named=True)
    sentence = partial(_pair, counted=part["n"].ndim > 0)
    if pairs.height == 1:
        return f"On {name} at {level} level {sentence(most)} agree most."
    if most["low"] is not None:
        rivals = pairs.filter(pl.col("high") >= most["low"]).height - 1
    else:
        rivals = 0
    others = ""
    if rivals > 0:
        others = f" They were picked by looking at {pairs.height} pairs; {rivals} others may agree as much."
    return f"On {name} at {level} level {sentence(most)} agree most, {sentence(least)} least.{others}"


def _grouped(part: xr.Dataset, threshold: float, method: Coefficient) -> str:
    """List the groups of metrics that correlate at the threshold or above."""
    digits = len(f"{threshold:.10f}".rstrip("0").partition(".")[2])
    level = short(threshold, max(2, digits))
    groups = [metrics for metrics in _members(part)["metrics"] if ", " in metrics]
    if not groups:
        return f"No two metrics correlate at {level} or more."
    shared = ""
    if method == "pearson" and threshold > 0:
        shared = f" ({_shared_variance(threshold)} shared variance in these scores)"
    least = _least_within(part)
    if np.isnan(least):
        interval = ""
    else:
        interval = f" Their intervals reach down to {short(least)}."
    return (
        f"Within each group every pair of metrics correlates at {level} or more{shared}: "
        f"{'; '.join(groups)}.{interval}"
    )


def _least_within(part: xr.Dataset) -> float:
    """Return the lowest end of the intervals of all pairs within a group; NaN without intervals."""
    group = part["group"].values
    within = np.equal.outer(group, group) & ~np.eye(len(group), dtype=np.bool_)
    return float(part["low"].values[within].min())


def _dimensions(part: xr.Dataset, method: Coefficient) -> str:
    """Say how many principal components carry 95% of the variance; of a rank coefficient there is no variance."""
    count = int(np.searchsorted(part["cumulated"].values, 0.95 - 1e-9)) + 1
    verb = "explains" if count == 1 else "explain"
    what = "variance of the metrics"
    if method != "pearson":
        what = f"eigenvalues of the matrix of {COEFFICIENTS[method][0]}, which is not a share of variance"
    share, low, high = (
        float(part[name][count - 1])
        for name in ("cumulated", "cumulated_low", "cumulated_high")
    )
    figures = f"{share:.1%}"
    if not np.isnan(low):
        figures = f"{share:.1%}, 95% interval {low:.1%} to {high:.1%}"
    return f"{count} of {part.sizes['component']} principal components {verb} 95% of the {what} ({figures})."


def _shared_variance(r: float) -> str:
    """Say what share of variance two metrics share at least that correlate at r or more."""
    share = 100 * r**2
    if share == 100:
        return "100%"
    return f"at least {np.floor(share + 1e-9):.0f}%"


def _pair(row: Mapping[str, Any], *, counted: bool) -> str:
    """Name a pair of metrics with its correlation and interval, and with the number of values where pairs differ."""
    interval = ""
    if row["low"] is not None and not np.isnan(row["low"]):
        interval = f", 95% interval {short(row['low'])} to {short(row['high'])}"
    count = f", n = {row['n']}" if counted else ""
    return (
        f"{row['metric_a']} and {row['metric_b']} ({short(row['r'])}{interval}{count})"
    )
