"""Whether a collection is fair to a run that was not pooled: leave each group out, and learn what a new run loses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.attributes import recorded
from irmeta.cube import ALL, cube, geometric
from irmeta.errors import MetricError, ScoresError
from irmeta.evaluation import left_out
from irmeta.evaluation.left_out import NOBODY, LookedUp
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.groups import Grouping, grouped
from irmeta.names import Metric, highest, parse, parse_list
from irmeta.result import result
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats, Indices
from irmeta.stats.prediction import penalty
from irmeta.stats.rankings.rank import settled, tau_b
from irmeta.words import listed

UNCUT = 10
"""Documents of which the unjudged are counted for a metric without a cutoff, where pools have no depth."""


JUDGED = 0.95
"""Share of the pooled runs' first documents that are judged where depth and runs are those of the pool."""


def reuse(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    groups: Grouping = None,
    depth: int | None = 10,
    metrics: str | Iterable[str] = "seeds23",
    new: RunsLike | None = None,
    level: float = 0.9,
) -> xr.Dataset:
    """Leave out each group's judgments in turn, and learn what a run pays whose documents nobody judged.

    qrels, runs : as in `evaluate`; the runs are those that the pool was made of, as far as they are known.
    groups : the group of each run, by its name, as `read_groups` reads them, or "stem"; by default each run is one.
    depth : of the pool, as many documents of each list as were judged; None where the pool had no depth (a bandit,
    active learning): then a group brought every judged document that its runs retrieve.
    metrics : names or sets of names; not GMAP, whose mean over topics is geometric.
    new : runs that are not among those of the pool, to be adjusted.  level : of prediction intervals, in (0, 1).

    Returns over (group): judged documents that it brought, alone, and alone and relevant. Over (system, metric): score;
    score, rank and unjudged share without the own group's judgments; loss, and the loss that the other groups predict,
    with its interval. Over (group, metric): tau between the rankings with and without. Over (metric): mean loss, the
    model's slopes, coverage of the interval over groups. Over (run, metric), for new runs: score, unjudged share,
    penalty with its interval, and whether more is unjudged than of any left-out run of the better half: `extrapolated`.
    Raises ScoresError where fewer than 6 groups were pooled, or none brought a document that no other did.
    Sources: Zobel (SIGIR 1998); Webber and Park (SIGIR 2009); Voorhees, Soboroff and Lin (2022).

    >>> grades = {"1": {f"d{i}": i % 2 for i in range(12)}}
    >>> lists = {f"s{i}": {"1": {f"d{i}": 2.0, f"d{i + 6}": 1.0}} for i in range(6)}
    >>> outcome = reuse(grades, lists, depth=2, metrics="P@2")
    >>> int(outcome["unique"].sel(group="s1")), float(outcome["loss"].sel(system="s1", metric="P@2"))
    (2, 1.0)
    """
    _check(depth, level)
    wanted = parse_list(metrics)
    if logs := geometric(str(metric) for metric in wanted):
        raise MetricError(
            f"{logs[0]} has a geometric mean over topics; leave it out (--metrics)"
        )
    seen = [unjudged_at(metric, depth) for metric in wanted]
    looked = left_out.look_up(qrels, runs, [*wanted, *dict.fromkeys(seen)])
    groups = grouped(looked.names, groups)
    names = list(dict.fromkeys(groups.of[run] for run in looked.names))
    number = np.array([names.index(groups.of[run]) for run in looked.names])
    pooled = np.array([run not in groups.unpooled for run in looked.names])
    owner, brought = left_out.owners(
        looked, np.where(pooled, number, NOBODY).tolist(), depth
    )
    full, left = left_out.without_each(looked, owner, len(names))
    # (system, metric): without the judgments of the own group
    own = left[number, np.arange(len(number))]
    places = [looked.metrics.index(metric) for metric in seen]
    count = len(wanted)
    unjudged = 1 - own[:, places]
    learned_from = _require_pooled(pooled, owner, number)
    bands, models = _penalties(
        wanted,
        (full - own)[:, :count],
        unjudged,
        own[:, :count],
        number,
        learned_from,
        level,
    )
    over = ("system", "metric")
    data: dict[str, Any] = {
        **_of_groups(looked, owner, brought, names, number),
        "group_of": ("system", [groups.of[run] for run in looked.names]),
        "pooled": ("system", pooled),
        "score": (over, full[:, :count]),
        "without": (over, own[:, :count]),
        "loss": (over, (full - own)[:, :count]),
        "unjudged": (over, unjudged),
        **_ranks(full[:, :count], left[:, :, :count], number),
        **{
            name: (over, bands[..., place])
            for place, name in enumerate(("expected", "low", "high"))
        },
        **_of_metrics(
            full[:, :count],
            own[:, :count],
            unjudged,
            bands,
            models,
            number,
            learned_from,
        ),
    }
    of_new = list[str]()
    if new is not None:
        found, of_new = _new(qrels, new, wanted, seen, models, level)
        data |= found | {
            "extrapolated": (
                ("run", "metric"),
                found["new_unjudged"][1] > data["usual_unjudged"][1],
            )
        }
    scores = cube(
        full[:, None, :count],
        looked.names,
        [ALL],
        [str(m) for m in wanted],
        collection=_name(looked),
    )
    scores = scores.assign_attrs(
        recorded(
            {"qrels": looked.task.judgments.qrels.digest, "runs": dict(looked.digests)}
        )
    )
    outcome = result(
        "reuse",
        data,
        inputs={_name(looked): scores},
        options={
            "depth": depth,
            "level": level,
            "topics": len(looked.topics),
            "groups": groups.source,
        },
        notes=[
            *_notes(depth, owner, pooled, len(names)),
            *_shallow(looked, pooled, depth),
            *of_new,
            *_beyond(data),
        ],
    )
    return outcome.assign_coords(
        system=looked.names, metric=[str(metric) for metric in wanted], group=names
    )


def _check(depth: int | None, level: float) -> None:
    if depth is not None and depth < 1:
        raise ScoresError(
            f"the pool's depth must be 1 or more, not {depth}; use None (--depth 0) if the pool "
            "had none"
        )
    if not 0 < level < 1:
        raise ScoresError(
            f"the level must be between 0 and 1, as in 0.9, not {level:g}"
        )


def unjudged_at(metric: Metric, depth: int | None) -> Metric:
    """Name the metric Judged@k whose k a metric looks at, at most as deep as the pool."""
    limit = UNCUT if depth is None else depth
    own = metric.cutoff if isinstance(metric.cutoff, int) else limit
    return parse(f"Judged@{own if depth is None else min(own, depth)}")


def _require_pooled(pooled: Bools, owner: Indices, number: Indices) -> Bools:
    """Say which runs the penalty is learned from: those that were pooled; some of them must have brought something."""
    count = np.unique(number[pooled]).size
    if count <= penalty.LEAST:
        raise ScoresError(
            f"{count} groups were pooled, but at least {penalty.LEAST + 1} are needed to learn "
            "what a new run loses"
        )
    if not (owner >= 0).any():
        raise ScoresError(
            "no group contributed a judged document alone; are these the runs that were pooled, "
            "and is --depth right?"
        )
    return pooled


def _penalties(
    metrics: Sequence[Metric],
    loss: Floats,
    unjudged: Floats,
    score: Floats,
    number: Indices,
    learned_from: Bools,
    level: float,
) -> tuple[Floats, list[penalty.Penalty]]:
    """Learn each metric's penalty; predict each group by the others: (system, metric, 3), NaN for runs not studied."""
    bands = np.full((*loss.shape, 3), np.nan)
    models = []
    group = np.unique(number[learned_from], return_inverse=True)[1]
    for metric in range(loss.shape[1]):
        cases = (
            loss[learned_from, metric],
            unjudged[learned_from, metric],
            score[learned_from, metric],
            group,
        )
        band = penalty.leave_out(*cases, level).within(
            _least(metrics[metric], cases[2])
        )
        bands[learned_from, metric] = np.stack(band, axis=-1)
        models.append(penalty.fit(*cases))
    return bands, models


def _of_groups(
    looked: LookedUp,
    owner: Indices,
    brought: Bools,
    names: Sequence[str],
    number: Indices,
) -> dict[str, Any]:
    """Count what each group brought to the pool: judged documents, alone, alone and relevant."""
    relevant = looked.task.judgments.qrels.grades >= 1
    whole = np.zeros((len(names), len(owner)), dtype=np.bool_)
    whole[: len(brought)] = brought
    alone = np.equal.outer(np.arange(len(names)), owner)
    return {
        "runs": ("group", np.bincount(number, minlength=len(names))),
        "brought": ("group", whole.sum(axis=1)),
        "unique": ("group", alone.sum(axis=1)),
        "unique_relevant": ("group", (alone & relevant).sum(axis=1)),
        "relevant_share": (
            "group",
            (alone & relevant).sum(axis=1) / max(1, int(relevant.sum())),
        ),
        "judged": len(owner),
        "relevant": int(relevant.sum()),
    }


def _ranks(full: Floats, left: Floats, number: Indices) -> dict[str, Any]:
    """Rank the systems with all judgments and without each group's: ranks of the own systems, and tau."""
    metrics = full.shape[1]
    rank = np.empty(full.shape, dtype=np.int64)
    without = np.empty(full.shape, dtype=np.int64)
    tau = np.full((len(left), metrics), np.nan)
    for metric in range(metrics):
        whole = settled(full[:, metric])
        others = settled(left[:, :, metric])
        rank[:, metric] = descriptive.ranks(whole)
        tau[:, metric] = tau_b(whole, others)
        for group, scores in enumerate(others):
            own = number == group
            without[own, metric] = descriptive.ranks(scores)[own]
    means = [
        (without - rank)[number == group].max(axis=0) for group in range(len(left))
    ]
    loss = [
        (full - left[group])[number == group].mean(axis=0) for group in range(len(left))
    ]
    return {
        "rank": (("system", "metric"), rank),
        "rank_without": (("system", "metric"), without),
        "tau": (("group", "metric"), tau),
        "group_loss": (("group", "metric"), np.array(loss)),
        "group_ranks": (("group", "metric"), np.array(means)),
        "most_ranks": ("metric", (without - rank).max(axis=0)),
        "least_tau": ("metric", np.fmin.reduce(tau, axis=0)),
    }


def _of_metrics(
    full: Floats,
    own: Floats,
    unjudged: Floats,
    bands: Floats,
    models: Sequence[penalty.Penalty],
    number: Indices,
    learned_from: Bools,
) -> dict[str, Any]:
    """Return what each metric loses, groups counted alike, and whether intervals hold it."""
    loss = full - own
    group = np.unique(number[learned_from], return_inverse=True)[1]
    weight = 1 / np.bincount(group)[group]
    mean = np.average(loss[learned_from], axis=0, weights=weight)
    spread = full.std(axis=0, ddof=1)
    covered = (loss >= bands[..., 1]) & (loss <= bands[..., 2])
    held = [
        penalty.coverage(
            loss[learned_from, metric],
            penalty.Band(*bands[learned_from, metric].T),
            group,
        )
        for metric in range(loss.shape[1])
    ]
    size = np.average(np.abs(loss[learned_from]), axis=0, weights=weight)
    return {
        "covered": (
            ("system", "metric"),
            np.where(np.isnan(bands[..., 1]), np.nan, covered),
        ),
        "mean_loss": ("metric", mean),
        "relative_loss": (
            "metric",
            np.divide(size, spread, out=np.full(len(size), np.nan), where=spread > 0),
        ),
        "b": ("metric", [model.slopes[0] for model in models]),
        "c": ("metric", [model.slopes[1] for model in models]),
        "coverage": ("metric", held),
        "usual_unjudged": (
            "metric",
            _usual(unjudged[learned_from], full[learned_from]),
        ),
    }


def _usual(unjudged: Floats, score: Floats) -> Floats:
    """Return the largest share of unjudged documents in the better half of the runs: bad runs find what nobody does."""
    better = score >= np.median(score, axis=0)
    return np.where(better, unjudged, 0.0).max(axis=0)


def _new(
    qrels: QrelsLike,
    new: RunsLike,
    wanted: Sequence[Metric],
    seen: Sequence[Metric],
    models: Sequence[penalty.Penalty],
    level: float,
) -> tuple[dict[str, Any], list[str]]:
    """Score new runs, predict what they lose, bound RBP from above by its residual; say where ids do not match."""
    residuals = {metric: _residual(metric) for metric in wanted if metric.base == "RBP"}
    looked = left_out.look_up(
        qrels, new, [*wanted, *dict.fromkeys(seen), *dict.fromkeys(residuals.values())]
    )
    means = left_out.scores(looked).mean(axis=1)
    at = {metric: place for place, metric in enumerate(looked.metrics)}
    columns = [at[metric] for metric in wanted]
    score = means[:, columns]
    most = left_out.most(looked).mean(axis=1)[:, columns]
    unjudged = 1 - means[:, [at[metric] for metric in seen]]
    bound = np.empty_like(score)
    bands = []
    for i, metric in enumerate(wanted):
        own = score[:, i]
        if metric in residuals:
            bound[:, i] = own + means[:, at[residuals[metric]]]
        else:
            bound[:, i] = _highest(metric, most[:, i])
        expected = penalty.band(models[i], unjudged[:, i], own, level)
        bands.append(expected.within(_least(metric, own), bound[:, i] - own))
    over = ("run", "metric")
    found = {
        "run": looked.names,
        "new_score": (over, score),
        "new_unjudged": (over, unjudged),
        "penalty": (over, np.stack([one.expected for one in bands], axis=1)),
        "penalty_low": (over, np.stack([one.low for one in bands], axis=1)),
        "penalty_high": (over, np.stack([one.high for one in bands], axis=1)),
        "bound": (over, bound),
    }
    return found, left_out.matching(looked)


def _least(metric: Metric, score: Floats) -> Floats:
    """Return the least loss that further judgments can show: 0 where they only raise a score, else the score lost."""
    if left_out.only_rises(metric):
        return np.zeros_like(score)
    return -score


def _highest(metric: Metric, most: Floats) -> Floats:
    """Return the highest score that further judgments can lead to."""
    if left_out.only_rises(metric):
        return most
    return np.full_like(most, highest(str(metric)))


def _beyond(data: Mapping[str, Any]) -> list[str]:
    """Name the new runs of which more is unjudged, by some metric, than of the good runs that were left out."""
    if "run" not in data:
        return []
    far = [
        run
        for run, extrapolated in zip(
            data["run"], data["extrapolated"][1].any(axis=1), strict=True
        )
        if extrapolated
    ]
    if not far:
        return []
    return [
        f"{listed(far)}: more unjudged documents than any left-out run of the better half has, so "
        "the adjustment is extrapolated"
    ]


def _residual(metric: Metric) -> Metric:
    cutoff = "" if metric.cutoff is None else f"@{metric.cutoff}"
    return parse(f"RBPResidual(p={metric['p']}){cutoff}")


def _name(looked: LookedUp) -> str:
    return looked.task.judgments.qrels.name


def _notes(depth: int | None, owner: Indices, pooled: Bools, groups: int) -> list[str]:
    """Say what the figures rest on."""
    notes = []
    if groups == len(pooled):
        notes.append(
            "each run is its own group; runs of one team share documents, so losses look too "
            "small: name the teams (--groups)"
        )
    if depth is None:
        notes.append(
            "the pool has no depth: a group contributed every judged document that one of its "
            "runs retrieves"
        )
    if not pooled.all():
        notes.append(
            f"{(~pooled).sum()} of {pooled.size} runs were not pooled and are ignored"
        )
    if nobody := int((owner == NOBODY).sum()):
        if depth is None:
            where = "no run retrieves"
        else:
            where = f"no pooled run has in its first {depth}"
        notes.append(
            f"{nobody} of {owner.size} judged documents are documents that {where}; they always "
            "count as judged"
        )
    return notes


def _shallow(looked: LookedUp, pooled: Bools, depth: int | None) -> list[str]:
    """Say where documents that a pool of this depth would have are not judged."""
    if depth is None:
        return []
    runs = [run for run, was in zip(looked.runs, pooled, strict=True) if was]
    share = float(np.mean([run.judged(depth) for run in runs]))
    if share >= JUDGED:
        return []
    return [
        f"only {share:.0%} of the first {depth} documents of the pooled runs are judged: the pool "
        "was shallower (--depth), or some of these runs were not pooled (column pooled of "
        "--groups), so losses look too small"
    ]
