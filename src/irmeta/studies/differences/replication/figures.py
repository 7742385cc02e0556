"""The figures of reproductions: what is there again, of each run by itself, and of its ranked lists."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtri

from irmeta.scores.averages.intervals import unit_intervals
from irmeta.scores.averages.limits import widest
from irmeta.scores.groups.clusters import in_clusters
from irmeta.scores.result import with_ends
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.rankings.lists import overlap, tau_union
from irmeta.stats.tests import paired, reproduced
from irmeta.stats.tests.reproduced import Found, Two
from irmeta.studies.differences.replication.given import DEPTH, Experiment

LEAST_SHARED = 2
"""Topics that two experiments must share by name to be compared topic by topic."""
HARDER, EASIER, LOSES, GAINS = "harder", "easier", "loses", "gains"
UNSHOWN = "not shown"
"""What may be said of a collection and of a system, over time."""


class Part(NamedTuple):
    """The scores of the systems in question in one experiment, (system, topic, metric): the system, then the baseline.

    scores : with clusters in place of topics, where they come in some.  topics : by topic.  names : of the systems.
    notes : what was left out.  binary : by which metrics all systems of the experiment have scores of 0 and 1.
    everyone : as `scores`, of all systems of the experiment that have each.
    """

    scores: xr.DataArray
    topics: xr.DataArray
    names: Sequence[str]
    notes: Sequence[str]
    binary: Bools
    everyone: xr.DataArray


class _Aligned(NamedTuple):
    """The scores of two experiments, (system, topic, metric); together : whether they are of the same topics."""

    first: xr.DataArray
    again: xr.DataArray
    together: bool

    @classmethod
    def of(
        cls, first: xr.DataArray, again: xr.DataArray, *, unpaired: bool
    ) -> "_Aligned":
        """Keep the topics that both experiments share by name, unless these are too few, or other ones."""
        theirs = {str(topic) for topic in again.topic.values}
        shared = [str(topic) for topic in first.topic.values if str(topic) in theirs]
        together = not unpaired and len(shared) >= LEAST_SHARED
        if together:
            first, again = first.sel(topic=shared), again.sel(topic=shared)
        order = ("system", "topic", "metric")
        return cls(first.transpose(*order), again.transpose(*order), together)

    def runs(self, metric: int) -> list[Two]:
        """Return each run's scores by one metric."""
        pairs = zip(
            self.first.values[..., metric], self.again.values[..., metric], strict=True
        )
        return [Two(*pair, self.together) for pair in pairs]


def against(
    first: Part,
    again: Part,
    keep: float,
    within: float,
    level: float,
    count: int,
    *,
    unpaired: bool,
) -> xr.Dataset:
    """Compare an experiment with the original, the first: figures over (metric,) or (metric, run).

    keep, within, unpaired : as of `replicate`.  level : of intervals.  count : the experiments that are compared.
    """
    sides = _Aligned.of(first.scores, again.scores, unpaired=unpaired)
    by_topic = _Aligned.of(first.topics, again.topics, unpaired=unpaired)
    before, after, together = sides
    clustered = in_clusters(first.topics)
    binary = np.stack([first.binary, again.binary], axis=1)
    most = widest(before)
    rows = []
    for at in range(before.sizes["metric"]):
        runs = sides.runs(at)
        plain = [] if clustered else by_topic.runs(at)
        effect = runs[0]
        if len(runs) > 1:
            own, base = runs
            effect = Two(own.first - base.first, own.again - base.again, together)
        row = _effect_figures(effect, runs, keep, within, level, most[at], binary[at])
        if len(runs) > 1:
            row |= _causes(effect, runs[1], 1 - (1 - level) / count)
        rows.append(xr.Dataset(row | _run_figures(runs, plain, level)))
    topics = min(before.sizes["topic"], after.sizes["topic"])
    found = xr.concat(rows, "metric").assign(_own_means(first, before.topic, level))
    return found.assign(topics=topics, together=together)


def _effect_figures(
    effect: Two,
    runs: Sequence[Two],
    keep: float,
    within: float,
    level: float,
    most: float,
    binary: Bools,
) -> dict[str, Any]:
    """Return what of the effect is there again, the lead over the baseline or, without one, the mean itself.

    most : the largest lead that there can be.  binary : whether scores of either experiment are 0 and 1.
    """
    ratio = reproduced.ratio(effect, level)
    led = len(runs) > 1
    span = (keep, np.inf) if led else (1 - within, 1 + within)
    verdict = _verdict(ratio, *span)
    original, new = (
        _mean(values, level, most, binary=led and right)
        for values, right in zip((effect.first, effect.again), binary, strict=True)
    )
    if led and (ratio is reproduced.NOTHING or original.low <= 0 <= original.high):
        verdict = "no effect"
    smallest = keep if led else 1 - within
    figures: dict[str, Any] = {
        **with_ends("ratio", (), ratio),
        "verdict": verdict,
        "topics_needed": reproduced.topics_needed(effect, smallest, level),
    }
    if led:
        figures |= {
            **with_ends("original_lead", (), original),
            **with_ends("lead", (), new),
            **with_ends("lead_change", (), reproduced.change(effect, level)),
            **with_ends("delta_ri", (), reproduced.relative(runs[0], runs[1], level)),
        }
    return figures


def _causes(effect: Two, baseline: Two, level: float) -> dict[str, str]:
    """Say whether the collection moved, by the baseline, and the system, by its lead; nothing on the same topics."""
    if effect.together:
        return {"collection": "", "drift": ""}
    return {
        "collection": _side_of_zero(reproduced.change(baseline, level), HARDER, EASIER),
        "drift": _side_of_zero(reproduced.change(effect, level), LOSES, GAINS),
    }


def _side_of_zero(change: Found, below: str, above: str) -> str:
    """Return the word for the side of 0 on which an interval lies, or that neither is shown."""
    if change.low > 0:
        return above
    return below if change.high < 0 else UNSHOWN


def _mean(values: Floats, level: float, most: float, *, binary: bool) -> Found:
    """Return the mean with its interval, as that of a difference by `versus`."""
    mean = float(values.mean())
    if binary:
        better, worse = paired.one_way_or_other(values[None])
        quantile = float(ndtri((1 + level) / 2))
        [low], [high] = paired.discordant_interval(better, worse, len(values), quantile)
    elif len(values) < 2 or np.ptp(values) <= reproduced.ROUNDING:
        return Found(mean, np.nan, np.nan)
    else:
        low, high = descriptive.t_interval(values, level)
    return Found(mean, float(max(low, -most)), float(min(high, most)))


def _verdict(ratio: Found, least: float, most: float) -> str:
    """Say whether a ratio is shown to lie between two limits, not to, or neither."""
    if np.isnan(ratio.low):
        return "cannot tell"
    if ratio.high < least or ratio.low > most:
        return "not reproduced"
    if ratio.low >= least and ratio.high <= most:
        return "reproduced"
    return "cannot tell"


def _own_means(part: Part, topics: xr.DataArray, level: float) -> dict[str, Any]:
    """Return each run's mean over some topics of the original with its interval, as `describe` has it."""
    scores = part.everyone.sel(topic=topics.values)
    if topics.size > 1:
        found = unit_intervals(scores, level, part.binary)
    else:
        mean = scores.mean("topic")
        found = xr.Dataset({"mean": mean, "low": np.nan * mean, "high": np.nan * mean})
    own = found.sel(system=list(part.names)).transpose("metric", "system")
    over = ("metric", "run")
    return {
        "first": (over, own["mean"].values),
        "first_low": (over, own["low"].values),
        "first_high": (over, own["high"].values),
    }


def _run_figures(
    runs: Sequence[Two], plain: Sequence[Two], level: float
) -> dict[str, Any]:
    """Return figures of each run by itself, (run,): means, their change, p, and on the same topics RMSE.

    plain : the scores by topic; nothing where topics come in clusters, which RMSE knows nothing of.
    """
    errors = [reproduced.rmse(one) for one in plain if one.together]
    nothing = [np.nan] * len(runs)
    changes = [reproduced.change(one, level) for one in runs]
    return {
        "mean": ("run", [one.again.mean() for one in runs]),
        "p": ("run", [reproduced.p_value(one) for one in runs]),
        **with_ends("change", ("run",), changes),
        "rmse": ("run", errors or nothing),
    }


def list_figures(
    every: Sequence[Experiment],
    names: Sequence[Sequence[str]],
    together: Bools,
    persistence: float,
    level: float,
) -> dict[str, Any]:
    """Return how alike the ranked lists of each run are, over topics and by topic; on other topics there is nothing."""
    topics = list(dict.fromkeys(t for lists in every[0].lists.values() for t in lists))
    shape = (len(names[0]), len(every) - 1, len(topics))
    taus, rbos = np.full(shape, np.nan), np.full(shape, np.nan)
    for run, experiment, topic in np.ndindex(shape):
        first = every[0].lists[names[0][run]].get(topics[topic])
        other = every[experiment + 1]
        again = other.lists[names[experiment + 1][run]].get(topics[topic])
        if first and again and together[experiment]:
            at = (run, experiment, topic)
            taus[at] = tau_union(first, again)
            rbos[at] = overlap(first, again, persistence, DEPTH)
    data: dict[str, Any] = {}
    over = ("run", "experiment")
    for name, values, least in (("tau_union", taus, -1.0), ("rbo", rbos, 0.0)):
        means = [[_known_mean(own, least, level) for own in rows] for rows in values]
        data |= with_ends(name, over, means)
        data[f"topic_{name}"] = ((*over, "topic"), values)
    return data | {"topic": topics}


def _known_mean(values: Floats, least: float, level: float) -> Found:
    """Return the mean over the topics that have a value, with the score interval between a least value and 1."""
    known = values[~np.isnan(values)]
    if not known.size:
        return reproduced.NOTHING
    mean = float(known.mean())
    if np.ptp(known) <= reproduced.ROUNDING:
        return Found(mean, np.nan, np.nan)
    span = 1 - least
    low, high = descriptive.bounded_interval((known - least) / span, level)
    return Found(mean, float(least + span * low), float(least + span * high))
