"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import Coefficient, Level, MissingOfPairs
from irmeta.errors import ScoresError
from irmeta.measured.coverage import held
from irmeta.scores import selection
from irmeta.scores.attributes import CLUSTER, about, recorded
from irmeta.scores.averages import means
from irmeta.scores.cubes import (
    by_name,
    notes_on_topics,
    prepare_together,
    shared_topics,
    side_by_side,
    unit_numbers,
)
from irmeta.scores.groups.clusters import (
    cluster_coverage_notes,
    in_clusters,
    unit_names,
)
from irmeta.scores.notes import Method, count_called_for, in_reading_order, with_subject
from irmeta.scores.result import result
from irmeta.stats.arrays import Floats, Ints, settled
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
    interval_over_means,
    left_out,
    merges,
    over_means,
    over_means_without_topics,
    over_scores,
    share_interval,
)
from irmeta.studies.door import Cube, Cubes, study
from irmeta.words import are, counted, listed

FEWEST = 4
"""Fewer values than these have no interval, whatever their correlation without each topic."""
_OVER = {
    "topic": "system-topic pairs",
    "within-topic": "system-topic pairs less their topic's mean",
    "system": "system means",
}


@study
def correlate(
    scores: Cube | Cubes,
    *,
    unit: Level = "topic",
    method: Coefficient = "pearson",
    threshold: float = 0.9,
    each: bool = False,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: MissingOfPairs = "error",
) -> xr.Dataset:
    """Correlate every pair of metrics: on one collection, or on several pooled.

    scores : a cube, or cubes by collection name, of which the metrics that all have are pooled
    unit : what to correlate: "topic", over all system-topic pairs; "within-topic", the same less each topic's mean over
        systems, so that easy and hard topics do not pose as agreement; "system", over system means
    method : the correlation coefficient: "pearson", "spearman", "kendall" (tau-b), or at system level "tau-ap"
        (tau_AP,b)
    threshold : metrics form a group if every pair of them correlates at this value or above
    each : correlate on each collection by itself, along a dimension `collection`; several are pooled without it
    metrics : by default those that all collections have
    top, by : as in `selection.prepare`, in each collection
    missing : as in `selection.complete`; "pairwise" correlates two metrics over the scores that both have (at system
        level over the systems that both have on all topics), each pair with its own n

    Returns `r` in [-1, 1] with the 95% interval `low`, `high` over topics (metric, metric_2), `n` values correlated; at
    system level with "pearson" `true_r`, between the systems' true means, with `true_low` and `true_high`;
    `group` (metric), `merge` the steps of the complete-linkage dendrogram, and of the principal components `loading`
    (metric, component), `share`, and `cumulated`, of the first ones together, with its interval `cumulated_low`,
    `cumulated_high`. Source: Kutlu et al. (2018) and Gupta et al. (ECIR 2019), section 4; groups and
    components as in Baccini et al. (2012).

    >>> from irmeta.scores.cube import cube
    >>> scores = cube(np.random.default_rng(0).random((5, 6, 2)), list("abcde"), list("123456"), ["AP", "P@10"])
    >>> correlate(scores)["r"].shape
    (2, 2)
    """
    used, notes = prepare_together(
        by_name(scores),
        metrics=metrics,
        top=top,
        by=by,
        missing=missing,
        pairs=True,
        by_topic=unit != "system",
    )
    if each:
        options = {"unit": unit, "method": method, "threshold": threshold}
        return _on_each_collection(used, notes, missing=missing, **options)
    _check(used, unit, method, threshold)
    used, of_clusters = side_by_side(used)
    notes += of_clusters
    notes += notes_on_topics(used, unit)
    if unit == "topic" and method == "pearson":
        notes += cluster_coverage_notes(used, "r over scores", "Such 95% intervals")
    if unit == "system":
        notes += _coverage_over_means(used, method)
    names = next(iter(used.values()))["metric"].values
    found, without = _correlated(used, unit, method)
    linkage = merges(found.r)
    pair = ("metric", "metric_2")
    data = {
        "r": (pair, found.r),
        "low": (pair, found.low),
        "high": (pair, found.high),
        "n": (pair, found.n) if found.n.ndim else found.n,
        "group": ("metric", groups(linkage, threshold)),
        "merge": (("step", "joined"), linkage),
        **_principal_components(found.r, without, left_out(unit_numbers(used))),
        "metric": names,
        "metric_2": names,
        "component": np.arange(1, len(names) + 1),
    }
    if unit == "system":
        data |= _true_correlations(used, method)
        notes.append(Method(_SYSTEM_LEVEL))
        notes += _size_notes(used, method)
    name = COEFFICIENTS[method][0]
    pooled = f" of {len(used)} collections pooled" if len(used) > 1 else ""
    notes.append(
        Method(
            f"{name} over {_range_of_counts(found.n)} {_OVER[unit]}{pooled}; "
            + _interval_note(used, found, unit)
        )
    )
    return result(
        "correlation", data, inputs=used, options={"coefficient": name}, notes=notes
    )


def _on_each_collection(
    used: Mapping[str, xr.DataArray], notes: list[str], **options: Any
) -> xr.Dataset:
    """Correlate every pair of metrics on each collection by itself, along a dimension `collection`."""
    results = {
        name: correlate({name: scores}, **options).data for name, scores in used.items()
    }
    together = xr.concat(
        list(results.values()),
        xr.Variable("collection", list(results)),
        combine_attrs="drop",
    )
    described = {}
    for name, outcome in results.items():
        facts = about(outcome)
        described[name] = facts["inputs"]["collections"][name]
        said = [with_subject(name, note) for note in facts["notes"]]
        end = facts["called_for"]
        notes += [*said[:end], *map(Method, said[end:])]
    attributes = about(next(iter(results.values())))
    attributes["inputs"] |= {"collections": described}
    attributes["options"] = {"coefficient": attributes["options"]["coefficient"]}
    return together.assign_attrs(
        recorded(
            attributes
            | {"notes": in_reading_order(notes), "called_for": count_called_for(notes)}
        )
    )


def _principal_components(
    r: Floats, without: Sequence[Floats], topics: Sequence[Ints]
) -> dict[str, Any]:
    """Compute the principal components of r, and the variance that the first ones hold together, with its interval."""
    loading, share = components(r)
    together = cumulated(r)
    moved = [cumulated(part) for part in without]
    low, high = share_interval(together, moved, topics)
    return {
        "loading": (("metric", "component"), loading),
        "share": ("component", share),
        "cumulated": ("component", together),
        "cumulated_low": ("component", low),
        "cumulated_high": ("component", high),
    }


_SYSTEM_LEVEL = (
    "At system level r is between means over these topics, whose chance effects all metrics share; "
    "its interval is for r on other samples of as many topics. Only true_r (pearson) is between "
    "the systems' true means."
)


OVER_MEANS: Mapping[str, Mapping[str, str]] = {
    "pearson": {"r": "r over means", "true_r": "r of true means"},
    "kendall": {"tau": "tau over means"},
}
"""What is measured of coefficients between means, by method and figure."""


def _coverage_over_means(
    used: Mapping[str, xr.DataArray], method: Coefficient
) -> list[str]:
    """Say how often intervals held in collections like these."""
    systems = sum(scores.sizes["system"] for scores in used.values())
    topics = min(len(set(unit_names(scores))) for scores in used.values())
    return [
        said
        for figure, promise in OVER_MEANS.get(method, {}).items()
        for said in held(promise, systems=systems, topics=topics).said(
            f"95% intervals of {figure}"
        )
    ]


FEW_SYSTEMS = 10
"""With fewer systems the interval of true_r is measured to be too short (docs/worlds.md)."""


def _size_notes(used: Mapping[str, xr.DataArray], method: Coefficient) -> list[str]:
    """Say where the interval of r between true means is too short."""
    systems = sum(scores.sizes["system"] for scores in used.values())
    if method != "pearson" or systems >= FEW_SYSTEMS:
        return []
    return [
        f"With fewer than {FEW_SYSTEMS} systems the 95% interval of true_r is too short (docs/worlds.md)."
    ]


def _true_correlations(
    used: Mapping[str, xr.DataArray], method: Coefficient
) -> dict[str, Any]:
    """Return Pearson's r between true means with its interval; unknown where scores are missing or topics are few."""
    if method != "pearson":
        return {}
    metrics = next(iter(used.values())).sizes["metric"]
    ends = np.full((3, metrics, metrics), np.nan)
    whole = not any(scores.isnull().any() for scores in used.values())
    topics = min(scores.sizes["topic"] for scores in used.values())
    if whole and topics >= disattenuated.FEWEST:
        parts = [means.additive(scores).values for scores in used.values()]
        r = disattenuated.true_correlation(parts)
        half = half_width(disattenuated.without_topics(parts), unit_numbers(used))
        ends = np.clip([r, r - half, r + half], -1, 1)
        # beyond 1 both ends are cut to it: no interval
        ends[1:] = np.where(ends[1] < ends[2], ends[1:], np.nan)
    names = ("true_r", "true_low", "true_high")
    return {
        name: (("metric", "metric_2"), end)
        for name, end in zip(names, ends, strict=True)
    }


def _correlated(
    used: Mapping[str, xr.DataArray], level: Level, method: Coefficient
) -> tuple[Pairs, list[Floats]]:
    """Return the correlations, of one n unless scores are missing, and r of each collection without each topic.

    Without a topic, r has the shape (topic, metric, metric); there are none where scores are missing.
    """
    if any(scores.isnull().any() for scores in used.values()):
        found = _pairwise(used, level, method)
        return found, [found.r[None][:0]] * len(used)
    parts = _values(used, level)
    numbers = unit_numbers(used)
    if level == "system":
        r = over_means(parts, method)
        without = over_means_without_topics(parts, method)
    else:
        r, without = over_scores(parts, method, numbers)
    n = sum(
        part.shape[0] if level == "system" else part.shape[0] * part.shape[1]
        for part in parts
    )
    if n < FEWEST:
        without = [part[:0] for part in without]
    if n >= FEWEST and level == "system":
        ends = interval_over_means(parts, method, r, numbers)
    else:
        ends = interval(r, without, left_out(numbers))
    return Pairs(r, *ends, np.array(n)), without


def _pairwise(
    used: Mapping[str, xr.DataArray], level: Level, method: Coefficient
) -> Pairs:
    """Correlate each pair of metrics over the scores that both have."""
    parts = [means.additive(scores).values for scores in used.values()]
    metrics = next(iter(used.values()))["metric"].values
    found = by_pairs(parts, level, method, unit_numbers(used), FEWEST)
    if (found.n < 2).any():
        one, other = (str(metrics[at]) for at in np.argwhere(found.n < 2)[0])
        if level == "system":
            raise ScoresError(
                f"{one} and {other} have fewer than 2 systems with scores on all topics in common; "
                "drop the topics and systems that lack most scores (--missing common)"
            )
        raise ScoresError(
            f"{one} and {other} have fewer than 2 scores in common; leave one out (--metrics)"
        )
    if np.isnan(found.r).any():
        pair = {str(metrics[at]): None for at in np.argwhere(np.isnan(found.r))[-1]}
        raise ScoresError(
            f"all scores that {' and '.join(pair)} have in common are equal; leave it out (--metrics)"
        )
    return found


def _range_of_counts(n: Ints) -> str:
    """Write the number of values, from the fewest to the most of any pair where it differs."""
    if n.min() == n.max():
        return f"{n.max()}"
    return f"{n.min()} to {n.max()}"


def _check(
    used: Mapping[str, xr.DataArray],
    level: Level,
    method: Coefficient,
    threshold: float,
) -> None:
    """Raise ScoresError where metrics, systems or topics are too few to correlate, or options do not fit."""
    names = next(iter(used.values()))["metric"].values
    if len(names) < 2:
        raise ScoresError(
            f"need at least 2 metrics common to all collections; only {names[0]} is"
        )
    if method == "tau-ap" and level != "system":
        raise ScoresError(
            "tau_AP compares rankings of systems; use it with --unit system"
        )
    if not -1 <= threshold <= 1:
        raise ScoresError(
            f"the threshold must be a correlation between -1 and 1, not {threshold}"
        )
    for name, scores in used.items():
        systems = scores.sizes["system"]
        if systems < 2:
            raise ScoresError(
                f"{name}: a correlation between metrics needs at least 2 systems; there is {systems}"
            )
        independent = len(set(unit_names(scores)))
        if level != "system" and independent < 4:
            noun = CLUSTER if in_clusters(scores) else "topic"
            raise ScoresError(
                f"{name}: a correlation over topics needs at least 4 {noun}s, there {are(independent)} {independent}; "
                "to correlate system means use --unit system"
            )


def _values(used: Mapping[str, xr.DataArray], level: Level) -> list[Floats]:
    """Return the scores (system, topic, metric) of each collection, on a scale on which they can be averaged."""
    parts = [means.additive(scores).values for scores in used.values()]
    if level == "within-topic":
        parts = [settled(part - part.mean(axis=0)) for part in parts]
    rows = []  # what is correlated, of each collection: (metric, value)
    for part in parts:
        values = part.mean(axis=1) if level == "system" else part
        rows.append(values.reshape(-1, part.shape[2]).T)
    selection.require_variation(
        np.concatenate(rows, axis=1), next(iter(used.values()))["metric"].values
    )
    return parts


def _interval_note(used: Mapping[str, xr.DataArray], found: Pairs, level: Level) -> str:
    """Say how the intervals were made, or why there are none."""
    most, low = found.n.max(), found.low
    if most == 2:
        return (
            "no intervals: there are too few systems (two always correlate at 1 or -1)."
        )
    if most < FEWEST:
        what = "systems" if level == "system" else "scores"
        return f"no intervals: there are too few {what} (fewer than {FEWEST})."
    count = len(np.unique(np.concatenate(unit_numbers(used))))
    clustered = any(
        in_clusters(one) or "clusters" in about(one) for one in used.values()
    )
    noun = "cluster" if clustered else "topic"
    if np.isnan(low).all():
        return _why_no_interval(used)
    once = none = ""
    shared = shared_topics(used)
    if shared:
        once = f" ({listed(shared)} by name; each name counts as one topic)"
    without = int(np.isnan(low[np.triu_indices_from(low, 1)]).sum())
    if without:
        none = f"; {counted(without, 'pair')} without: {_UNMOVED}"
    return (
        f"95% intervals from leaving out each of {count} {noun}s in turn{once}{none}."
    )


_UNMOVED = "no topic left out moves the correlation, or without one there is none"
"""Why a pair has no interval."""


def _why_no_interval(used: Mapping[str, xr.DataArray]) -> str:
    """Say why no pair has an interval."""
    fewest = min(scores.sizes["topic"] for scores in used.values())
    if fewest == 1:
        return "no intervals, because there are no topics to leave out."
    if fewest < FEWEST:
        return (
            f"no intervals: there are {fewest} topics, and leaving out each in turn needs at least "
            f"{FEWEST}."
        )
    return f"no intervals: {_UNMOVED}."
