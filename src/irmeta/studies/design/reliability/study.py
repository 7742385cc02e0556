"""Is the collection big enough: how reliable the ranking of systems is, which differences show, how many topics do."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError, require_share
from irmeta.measured.coverage import held
from irmeta.metrics.names import highest
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import OVER, REPEATS, about
from irmeta.scores.averages.means import additive
from irmeta.scores.groups.clusters import (
    cluster_numbers,
    in_clusters,
    is_binary,
    promise_names,
    unit_scores,
)
from irmeta.scores.groups.repeats import unmoved_scores
from irmeta.scores.groups.runs import runs_of, strata_of
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.notes import Method, with_subject
from irmeta.scores.result import ends, result, with_ends
from irmeta.scores.selection import (
    main_metric,
    prepare,
    require_size,
    require_topics,
    require_variation,
)
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.reliability import components, differences, expected, sizes, sources
from irmeta.stats.reliability.intervals import signal_ends
from irmeta.stats.reliability.worth import Worth
from irmeta.studies.door import Cube, study

TOPICS = (10, 25, 50, 100, 150, 200)
SHARES = (0.1, 0.5, 0.9)
"""Which pairs of systems are shown: those at these quantiles of the spread of their differences."""
PARTITIONS = 200
COEFFICIENTS: tuple[components.Coefficient, ...] = ("erho2", "phi")
INTERVALS = {
    "Phi": ("Phi", "Phi, other systems"),
    "tau": ("tau with the true ranking", "tau with the true ranking, other systems"),
}
"""What is measured of intervals, by the figure that they are of."""
FEW = 3
"""So few systems have no ranking whose reliability could be measured."""
MOST_SORTED = 1000
"""MSQD sorts the differences of every pair of systems; with more systems only ML is computed."""


@study
def reliability(
    scores: Cube,
    *,
    metrics: str | Iterable[str] | None = None,
    sizes: Sequence[int] = TOPICS,
    stability: float = 0.95,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    level: float = 0.95,
    teams: Grouping = None,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Measure how reliable a collection's ranking of systems is, and what other numbers of topics would give.

    scores : a cube of at least 2 systems and 4 topics
    sizes : numbers of topics to tabulate, from 2, as in 10,50 or 25:200:25 (from, to, step); that of the collection is
        added
    stability : the reliability (E rho2 and Phi) to reach, between 0 and 1
    difference : a difference in mean score that a test should detect, with `power`; by default none
    power : how often a test should detect that difference, in (0, 1)
    alpha : level of the paired t tests, in (0, 1)
    level : level of the intervals, in (0, 1)
    teams : the teams of the systems, which intervals of the coefficients take as independent: a table, "stem" of their
        names or "each" by itself; by default stems where many names share one, and else no verdict that needs teams
    metrics, top, by, missing : what to use of the scores, as in `selection.prepare`
    rng : a seed or a generator

    Returns over (component, metric) variance; over (size, metric) erho2, phi, with _low and _high, tau and tau_ap;
    over (metric) differing, where scores are 0 or 1: on what share of the topics the median pair of systems differs;
    over (share, size, metric) detectable: the smallest difference that a paired t test shows, for pairs of systems at
    the 10th, 50th and 90th percentile of spread; over (coefficient, metric) needed, needed_low, needed_high; over
    (estimator, metric) expected_tau and expected_tau_ap; over (metric) tau_low and tau_high, between which tau with the
    true ranking lies, and half_tau, that of two halves. Where topics come in clusters, or systems are means of runs or
    judges, over (source, metric) of_score: what one score varies by, and in_error: what that adds to the variance of a
    system's mean beside others. With a difference: over (share, size,
    metric) shown, the power; over (share, metric) pair_topics; over (way, metric) design_topics.
    Sources: Brennan (2001); Urbano, Marrero and Martin (SIGIR 2013); Urbano and Marrero (SIGIR 2016); Webber, Moffat
    and Zobel (CIKM 2008); Sakai (Information Retrieval Journal 2016).

    >>> from irmeta.scores.cube import cube
    >>> rng = np.random.default_rng(0)
    >>> made = rng.random((5, 1, 1)) + rng.random((5, 20, 1))
    >>> found = reliability(cube(made, list("abcde"), [str(n) for n in range(20)], ["AP"]), sizes=[20, 40])
    >>> bool(found["erho2"].sel(size=40) > found["erho2"].sel(size=20))
    True
    """
    shares = {"stability": stability, "power": power, "alpha": alpha, "level": level}
    for name, share in shares.items():
        require_share(name, share, 0.95)
    if any(count < 2 for count in sizes):
        raise ScoresError(f"reliability needs at least 2 topics, not {min(sizes)}")
    generator = seeded(rng)[0]
    chosen: dict[str, Any] = {
        "metrics": metrics,
        "top": top,
        "by": by,
        "missing": missing,
    }
    used, notes = prepare(scores, **chosen)
    require_topics(used)
    _check_difference(used, difference)
    require_size(used, "reliability", 4)
    values = additive(used).values
    # 0 where all systems score the same on a topic
    apart = values - values.mean(axis=0)
    require_variation(apart.reshape(-1, apart.shape[2]).T, used["metric"].values)
    counts = sorted({*sizes, used.sizes["topic"]})
    split, of_split = _variance_sources(prepare(scores, **chosen, by_topic=True)[0])
    found = components.components(values)
    plain = components.components(additive(unmoved_scores(used)).values)
    worth = {name: _worth(plain, found, name) for name in COEFFICIENTS}
    order_worth = worth["erho2"]
    team = teams_of(used["system"].values, teams, values)
    half = expected.half_tau(values, PARTITIONS, generator)
    tau = _stepped_taus(half, values, counts, order_worth)
    here = tau[counts.index(used.sizes["topic"])]
    data: dict[str, Any] = {
        "metric": used.metric.values,
        "size": counts,
        "share": list(SHARES),
        **_coefficients(values, team.of, counts, stability, level, worth),
        **_taus(values, counts, order_worth),
        "tau": (("size", "metric"), tau),
        **_tau_ends(values, half, here, generator, level),
        **_differing_topics(used),
        **split,
        **_detectable_differences(
            values, counts, difference, alpha, power, order_worth
        ),
        "half_tau": ("metric", half),
    }
    outcome = result(
        "reliability",
        data,
        inputs={str(scores.attrs.get("collection", "collection")): used},
        options={"partitions": PARTITIONS, **team.options},
        notes=[
            *notes,
            *_notes(found, data, used),
            *of_split,
            with_subject("E rho2 and Phi", team.note()),
        ],
    )
    first = main_metric(used)
    others = [name for name in used.metric.values if name != first]
    return outcome.sel(metric=[first, *others])


def _check_difference(scores: xr.DataArray, difference: float | None) -> None:
    """Raise ScoresError for a difference that no two means can have; scores in percent may lie above a metric's 1."""
    if difference is None:
        return
    for name in map(str, scores.metric.values):
        most = max(highest(name), float(scores.sel(metric=name).max()))
        if not 0 < difference < most:
            below = f" and below {most:g}" if most < np.inf else ""
            raise ScoresError(
                f"the difference must be above 0{below} for {name}, not {difference:g}"
            )


def _worth(
    plain: components.Components,
    moved: components.Components,
    name: components.Coefficient,
) -> Worth:
    """Return what numbers of topics are worth for a coefficient: what runs add to its noise does not fall with them.

    plain, moved : the components of scores, and of those moved so that their scatter is that of runs, too.
    """
    _, topics, interaction = plain.variances
    _, topics_moved, interaction_moved = moved.variances
    if name == "phi":  # of which the spread of topics is noise, too
        interaction = interaction + topics
        interaction_moved = interaction_moved + topics_moved
    return Worth.by_variances(moved.topics, interaction, interaction_moved)


def _coefficients(
    values: Floats,
    team: Ints,
    counts: list[int],
    stability: float,
    level: float,
    worth: Mapping[components.Coefficient, Worth],
) -> dict[str, Any]:
    """Compute variance components, both coefficients by number of topics, and the topics that stability needs."""
    found = components.components(values)
    data: dict[str, Any] = {
        "component": ["systems", "topics", "interaction"],
        "coefficient": list(COEFFICIENTS),
    }
    data["variance"] = (("component", "metric"), np.stack(found.variances))
    needed = []
    for name in COEFFICIENTS:
        worths = np.stack([worth[name].of(count) for count in counts])
        signal = components.signal(found, name)
        low, high = signal_ends(values, name, level, team)
        for end, one in zip(ends(name), (signal, low, high), strict=True):
            data[end] = (("size", "metric"), components.stability(one, worths))
        # fewer topics are needed where the signal is stronger: the ends change places
        needed.append(
            [
                components.topics_needed(one, stability, worth[name])
                for one in (signal, high, low)
            ]
        )
    return data | with_ends(
        "needed", ("coefficient", "metric"), np.swapaxes(needed, 1, 2)
    )


def _taus(values: Floats, counts: list[int], worth: Worth) -> dict[str, Any]:
    """Compute expected tau_AP with the true ranking by ML for each number of topics; here by both, and tau."""
    estimators: list[expected.Estimator] = ["ML"]
    if len(values) <= MOST_SORTED:
        estimators.append("MSQD")
    curves, here = [], []
    by_metric = np.stack([worth.of(count) for count in counts], axis=-1)
    for column, worths in zip(np.moveaxis(values, -1, 0), by_metric, strict=True):
        known = {
            name: expected.pairs(np.ascontiguousarray(column), name)
            for name in estimators
        }
        curves.append([expected.expected(known["ML"], one) for one in worths])
        here.append([expected.expected(pairs) for pairs in known.values()])
    return {
        "estimator": estimators,
        "tau_ap": (("size", "metric"), _of_each(curves, "tau_ap")),
        "expected_tau": (("estimator", "metric"), _of_each(here, "tau")),
        "expected_tau_ap": (("estimator", "metric"), _of_each(here, "tau_ap")),
        "undefined": ("metric", [row[0].undefined for row in here]),
    }


def _of_each(rows: list[list[expected.Expected]], figure: str) -> Floats:
    """Return a figure of the expected taus of each metric: (estimator or size, metric)."""
    return np.array([[getattr(one, figure) for one in row] for row in rows]).T


def _tau_ends(
    values: Floats, half: Floats, tau: Floats, rng: np.random.Generator, level: float
) -> dict[str, Any]:
    """Compute the ends between which tau with the true ranking lies; tau itself, (metric,), is always between them.

    half : tau between halves of the topics, (metric,).
    """
    columns = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    spans = [
        expected.tau_interval(column, float(tau_of_halves), again(rng), level)
        for column, tau_of_halves in zip(columns, half, strict=True)
    ]
    low, high = np.array(spans).T
    return {
        "tau_low": ("metric", np.minimum(low, tau)),
        "tau_high": ("metric", np.maximum(high, tau)),
    }


def _stepped_taus(
    half: Floats, values: Floats, counts: list[int], worth: Worth
) -> Floats:
    """Step tau between halves up to each number of topics: (size, metric).

    Systems that are the same on every topic, which halves leave out, count as ranked rightly, as in `tau_interval`.
    """
    topics = values.shape[1] / 2
    tau = np.array(
        [
            [
                expected.stepped(one, times)
                for one, times in zip(half, worth.of(count) / topics, strict=True)
            ]
            for count in counts
        ]
    )
    same = np.array([expected.share_same(one) for one in np.moveaxis(values, -1, 0)])
    return same + (1 - same) * tau


def _differing_topics(used: xr.DataArray) -> dict[str, Any]:
    """Compute, where scores are 0 or 1, on what share of topics, or clusters, the median pair differs; else nothing."""
    binary = is_binary(used)
    if not binary.any():
        return {}
    each = unit_scores(used).transpose("metric", "system", "topic").values
    upper = np.triu_indices(each.shape[1], 1)
    shares = np.full(len(binary), np.nan)
    for metric in np.flatnonzero(binary):
        # of each system with every other: (system, system)
        apart = [
            (settled(each[metric] - one) != 0).mean(axis=1) for one in each[metric]
        ]
        shares[metric] = np.median(np.stack(apart)[upper])
    return {"differing": ("metric", shares)}


def _variance_sources(by_topic: xr.DataArray) -> tuple[dict[str, Any], list[str]]:
    """Compute what scores vary by, where topics come in clusters or systems are means of runs or judges; with notes."""
    facts = about(by_topic).get(REPEATS)
    clustered = in_clusters(by_topic)
    if not clustered and not facts:
        return {}, []
    metrics = [str(name) for name in by_topic.metric.values]
    systems = [str(name) for name in by_topic.system.values]
    known = strata_of(facts, metrics, clusters=clustered) if facts else {}
    if known is None:
        why = "how runs differ is not known by every metric and cluster (name clusters before runs)"
        return {}, [Method(f"What scores vary by is not split: {why}.")]
    cluster = cluster_numbers(by_topic)[1] if clustered else None
    made = sources.design(
        by_topic.sizes["topic"],
        cluster,
        runs_of(facts or {"each": {}}, systems),
        by_topic.attrs.get(OVER) == "clusters",
    )
    line = additive(by_topic).transpose("system", "topic", "metric").values
    raw, in_error = sources.sources(line, cluster, made, known)
    below = [
        f"{name} ({metric})"
        for name, values in raw.items()
        for metric, value in zip(metrics, values.tolist(), strict=True)
        if value < 0
    ]
    notes: list[str] = []
    if below:
        text = f"Estimates of variance below 0 are set to 0: {', '.join(below)}."
        notes.append(Method(text))
    return {
        "source": list(raw),
        "of_score": (("source", "metric"), np.maximum([*raw.values()], 0.0)),
        "in_error": (("source", "metric"), np.array([*in_error.values()])),
    }, notes


def _detectable_differences(
    values: Floats,
    counts: list[int],
    difference: float | None,
    alpha: float,
    power: float,
    worth: Worth,
) -> dict[str, Any]:
    """Compute which differences show with each number of topics, and with a difference how well it shows."""
    upper = np.triu_indices(len(values), 1)
    # of each pair of systems: (pair, metric)
    spreads = [expected.spread(column)[upper] for column in np.moveaxis(values, -1, 0)]
    deviation = np.quantile(np.stack(spreads, axis=-1), SHARES, axis=0)
    effects = [differences.smallest_effect(count, alpha, power) for count in counts]
    # deviations as far as the number of topics does not average them out: (size, metric)
    wider = np.sqrt([count / worth.of(count) for count in counts])
    # (share, size, metric)
    detectable = deviation[:, None] * np.array(effects)[:, None] * wider
    data: dict[str, Any] = {
        "deviation": (("share", "metric"), deviation),
        "detectable": (("share", "size", "metric"), detectable),
    }
    if difference is None:
        return data
    with np.errstate(divide="ignore"):
        effect = difference / deviation  # (share, metric)
    shown = [
        differences.power(effect / more, count, alpha)
        for count, more in zip(counts, wider, strict=True)
    ]
    each = [Worth(worth.topics, share) for share in worth.share]
    topics = [
        [
            differences.paired_topics(one, alpha, power, of_metric)
            for one, of_metric in zip(row, each, strict=True)
        ]
        for row in effect
    ]
    data["shown"] = (("share", "size", "metric"), np.stack(shown, axis=1))
    data["pair_topics"] = (("share", "metric"), np.array(topics, dtype=np.float64))
    return data | _sakai_sizes(values, difference, alpha, power, worth)


def _sakai_sizes(
    values: Floats, difference: float, alpha: float, power: float, worth: Worth
) -> dict[str, Any]:
    """Compute the topics that Sakai's three designs take to show a difference."""
    systems = len(values)
    variance = sizes.within_variance(values)
    design: list[list[float]] = [
        [sizes.by_t_test(difference, one, alpha, power) for one in variance],
        [sizes.by_anova(difference, one, systems, alpha, power) for one in variance],
        # an interval that does not hold 0 where the difference is this: as far to either side
        [sizes.by_interval(2 * difference, one, alpha) for one in variance],
    ]
    return {
        "way": ["t test", "ANOVA", "interval"],
        "design_topics": (("way", "metric"), np.ceil(worth.needed(design))),
    }


def _notes(
    found: components.Components, data: dict[str, Any], used: xr.DataArray
) -> list[str]:
    """Say which estimates were set to 0, which systems tie, how often intervals held, and what was left out."""
    lines = []
    for name, part in zip(("systems", "topics", "interaction"), found.raw, strict=True):
        below = ", ".join(map(str, used.metric.values[part < 0]))
        if below and used.sizes["system"] > FEW:
            lines.append(
                f"{below}: the estimate of the variance of {name} is negative and is "
                "set to 0."
            )
    for metric, count in zip(used.metric.values, data["undefined"][1], strict=True):
        if count:
            pairs = f"{count} pairs of systems score"
            if count == 1:
                pairs = "1 pair of systems scores"
            lines.append(
                f"{metric}: {pairs} the same on every topic; expected tau counts them as ranked "
                "correctly."
            )
    for figure, promises in INTERVALS.items():
        share = held(
            *promise_names(used, *promises),
            systems=used.sizes["system"],
            topics=used.sizes["topic"],
        )
        if share.broken:
            lines.append(
                Method(f"A 95% interval of {figure} held the truth in {share}.")
            )
    if used.sizes["system"] > MOST_SORTED:
        lines.append(
            Method(
                f"Expected tau is by ML only: MSQD is computed for at most {MOST_SORTED} systems."
            )
        )
    return lines
