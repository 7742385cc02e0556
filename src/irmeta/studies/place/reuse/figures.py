"""What leaving groups out shows: what groups brought, what runs lose and how ranks move, what new runs will pay."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeta.evaluation import left_out
from irmeta.evaluation.left_out import LookedUp
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, highest, parse
from irmeta.scores.result import with_ends
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats, Indices, settled
from irmeta.stats.prediction import penalty
from irmeta.stats.rankings.rank import tau_b

RETRIEVED = parse("NumRet")
"""Documents of a list."""


@dataclass(frozen=True)
class Scored:
    """Mean scores with all judgments, and without those that one group alone brought.

    full, own : (system, metric), with all judgments, and without the system's own group's
    unjudged : (system, metric), the share of its first documents that are then not judged
    without : (group, system, metric), the scores without each group's judgments
    group_of : (system,), the group of each system, from 0
    learned_from : (system,), those that were pooled
    """

    full: Floats
    own: Floats
    unjudged: Floats
    without: Floats
    group_of: Indices
    learned_from: Bools

    @property
    def loss(self) -> Floats:
        """What each system loses without its own group's judgments: (system, metric)."""
        return self.full - self.own

    @property
    def pooled_group(self) -> Indices:
        """The groups of the systems that were pooled, numbered from 0: (pooled system,)."""
        return np.unique(self.group_of[self.learned_from], return_inverse=True)[1]

    @property
    def weight(self) -> Floats:
        """What each system that was pooled counts, so that groups count alike: (pooled system,)."""
        weight: Floats = 1 / np.bincount(self.pooled_group)[self.pooled_group]
        return weight


def penalties(
    metrics: Sequence[Metric], scored: Scored, level: float
) -> tuple[Floats, list[penalty.Penalty]]:
    """Predict what each group loses by the others, (system, metric, 3), and learn a model of each metric's penalty.

    The three are the expected loss and the ends of its interval; NaN for runs that nothing is learned from.
    """
    bands = np.full((*scored.full.shape, 3), np.nan)
    models = []
    kept = scored.learned_from
    for at, metric in enumerate(metrics):
        loss = scored.loss[kept, at]
        unjudged = scored.unjudged[kept, at]
        score = scored.own[kept, at]
        band = penalty.leave_out(loss, unjudged, score, scored.pooled_group, level)
        bands[kept, at] = np.stack(band.within(_least_loss(metric, score)), axis=-1)
        models.append(penalty.fit(loss, unjudged, score, scored.pooled_group))
    return bands, models


def group_figures(
    looked: LookedUp,
    owner: Indices,
    brought: Bools,
    names: Sequence[str],
    group_of: Indices,
) -> dict[str, Any]:
    """Count what each group brought to the pool: judged documents, alone, alone and relevant."""
    pooled = brought.any(axis=0)
    relevant = (looked.task.judgments.qrels.grades >= 1) & pooled
    # (group, judgment): groups that were not pooled stand last, and brought nothing
    whole = np.zeros((len(names), len(owner)), dtype=np.bool_)
    whole[: len(brought)] = brought
    alone = np.equal.outer(np.arange(len(names)), owner)
    alone_relevant = (alone & relevant).sum(axis=1)
    all_relevant = int(relevant.sum())
    return {
        "runs": ("group", np.bincount(group_of, minlength=len(names))),
        "brought": ("group", whole.sum(axis=1)),
        "unique": ("group", alone.sum(axis=1)),
        "unique_relevant": ("group", alone_relevant),
        "relevant_share": ("group", alone_relevant / max(1, all_relevant)),
        "judged": int(pooled.sum()),
        "relevant": all_relevant,
    }


def run_figures(scored: Scored, bands: Floats) -> dict[str, Any]:
    """Label the scores of runs, their losses, and what the other groups predict: bands of (system, metric, 3)."""
    figures = {
        "score": scored.full,
        "without": scored.own,
        "loss": scored.loss,
        "unjudged": scored.unjudged,
        "expected": bands[..., 0],
        "low": bands[..., 1],
        "high": bands[..., 2],
    }
    return {name: (("system", "metric"), part) for name, part in figures.items()}


def ranks(scored: Scored) -> dict[str, Any]:
    """Rank the systems with all judgments and without each group's: ranks of the own systems, and tau."""
    full = scored.full
    groups = range(len(scored.without))
    rank = np.empty(full.shape, dtype=np.int64)
    without = np.empty(full.shape, dtype=np.int64)
    tau = np.full((len(groups), full.shape[1]), np.nan)
    for metric in range(full.shape[1]):
        whole = settled(full[:, metric])
        others = settled(scored.without[:, :, metric])  # (group, system)
        rank[:, metric] = descriptive.ranks(whole)
        tau[:, metric] = tau_b(whole, others)
        for group, scores in enumerate(others):
            own = scored.group_of == group
            without[own, metric] = descriptive.ranks(scores)[own]
    # of each group's systems that were pooled: the most ranks lost, and the mean loss of score
    fallen = without - rank
    kept = fallen[scored.learned_from]
    pooled = [_pooled_of(scored, group) for group in groups]
    most = [fallen[own].max(axis=0) for own in pooled]
    lost = [scored.loss[own].mean(axis=0) for own in pooled]
    return {
        "rank": (("system", "metric"), rank),
        "rank_without": (("system", "metric"), without),
        "tau": (("group", "metric"), tau),
        "group_loss": (("group", "metric"), np.array(lost)),
        "group_ranks": (("group", "metric"), np.array(most)),
        "mean_ranks": ("metric", np.average(kept, axis=0, weights=scored.weight)),
        "most_ranks": ("metric", kept.max(axis=0)),
        "least_tau": ("metric", np.fmin.reduce(tau, axis=0)),
    }


def _pooled_of(scored: Scored, group: int) -> Bools:
    """Mark the systems of a group that were pooled; all of it where none was, as they lose nothing."""
    own = scored.group_of == group
    pooled: Bools = own & scored.learned_from
    return pooled if pooled.any() else own


def metric_figures(
    scored: Scored, bands: Floats, models: Sequence[penalty.Penalty]
) -> dict[str, Any]:
    """Return what each metric loses, groups counted alike, and whether intervals hold it."""
    kept = scored.learned_from
    group = scored.pooled_group
    weight = scored.weight
    loss = scored.loss
    mean = np.average(loss[kept], axis=0, weights=weight)
    # the mean size of a loss, in standard deviations of systems
    size = np.average(np.abs(loss[kept]), axis=0, weights=weight)
    spread = scored.full.std(axis=0, ddof=1)
    unknown = np.full(len(size), np.nan)
    relative = np.divide(size, spread, out=unknown, where=spread > 0)
    covered = (loss >= bands[..., 1]) & (loss <= bands[..., 2])
    covered_or_unknown = np.where(np.isnan(bands[..., 1]), np.nan, covered)
    held = [
        penalty.coverage(loss[kept, at], penalty.Band(*bands[kept, at].T), group)
        for at in range(loss.shape[1])
    ]
    gap = np.median(np.diff(np.sort(scored.full, axis=0), axis=0), axis=0)
    usual = _usual_unjudged(scored.unjudged[kept], scored.full[kept])
    return {
        "covered": (("system", "metric"), covered_or_unknown),
        "mean_loss": ("metric", mean),
        "relative_loss": ("metric", relative),
        "gap": ("metric", gap),
        "b": ("metric", [model.slopes[0] for model in models]),
        "c": ("metric", [model.slopes[1] for model in models]),
        "coverage": ("metric", held),
        "usual_unjudged": ("metric", usual),
    }


def _usual_unjudged(unjudged: Floats, score: Floats) -> Floats:
    """Return the largest share of unjudged documents in the better half of the runs: bad runs find what nobody does."""
    better = score >= np.median(score, axis=0)
    return np.where(better, unjudged, 0.0).max(axis=0)


def new_run_figures(
    qrels: QrelsLike,
    new: RunsLike,
    wanted: Sequence[Metric],
    judged_metrics: Sequence[Metric],
    models: Sequence[penalty.Penalty],
    level: float,
    reading: Reading | None,
) -> tuple[dict[str, Any], list[str]]:
    """Return scores of new runs, what they lose, and bounds, over (run, metric); with notes on ids that do not match.

    judged_metrics, models : Judged@k and the penalty of each wanted metric.
    """
    residuals = {metric: _residual(metric) for metric in wanted if metric.base == "RBP"}
    whole = [_judged_whole(metric) for metric in wanted]
    others = [*judged_metrics, *whole, RETRIEVED, *residuals.values()]
    every = [*wanted, *dict.fromkeys(others)]
    looked = left_out.look_up(qrels, new, every, reading)
    scores = left_out.scores(looked)
    by_topic = dict(zip(looked.metrics, np.moveaxis(scores, -1, 0), strict=True))
    mean = dict(zip(looked.metrics, scores.mean(axis=1).T, strict=True))
    # the scores if every unjudged document had the highest grade
    highest_mean = left_out.highest_scores(looked).mean(axis=1).T
    most = dict(zip(looked.metrics, highest_mean, strict=True))
    unjudged, below, bounds, bands = [], [], [], []
    for metric, top, all_of, model in zip(
        wanted, judged_metrics, whole, models, strict=True
    ):
        unjudged.append(1 - mean[top])
        below.append(
            _unjudged_below(
                by_topic[RETRIEVED], top, by_topic[top], all_of, by_topic[all_of]
            )
        )
        own = mean[metric]
        bound = _highest_score(metric, most[metric])
        if metric in residuals:
            bound = own + mean[residuals[metric]]
        # with all its documents judged a run is as if it had been pooled
        pooled = (unjudged[-1] == 0) & (below[-1] == 0)
        bounds.append(np.where(pooled, own, bound))
        least = np.where(pooled, 0.0, _least_loss(metric, own))
        expected = penalty.band(model, unjudged[-1], own, level)
        bands.append(expected.within(least, bounds[-1] - own))
    over = ("run", "metric")
    found = {
        "run": looked.names,
        "new_score": (over, np.stack([mean[metric] for metric in wanted], axis=1)),
        "new_unjudged": (over, np.stack(unjudged, axis=1)),
        "unjudged_below": (over, np.stack(below, axis=1)),
        **with_ends("penalty", over, np.transpose(bands, (2, 0, 1))),
        "bound": (over, np.stack(bounds, axis=1)),
    }
    notes = [*left_out.mismatch_notes(looked), *left_out.repetition_notes(looked)]
    return found, notes


def _judged_whole(metric: Metric) -> Metric:
    """Name the metric Judged of all ranks that a metric looks at."""
    own = metric.cutoff if isinstance(metric.cutoff, int) else None
    return parse("Judged" if own is None else f"Judged@{own}")


def _unjudged_below(
    retrieved: Floats, top: Metric, in_top: Floats, whole: Metric, in_whole: Floats
) -> Floats:
    """Return the share of documents ranked below the top, among all that a metric looks at, that are unjudged: (run,).

    retrieved, in_top, in_whole : (run, topic), documents, and the share judged of the top and of all.  0 where the top
    is all there is.
    """
    first, last = (
        retrieved if metric.cutoff is None else np.minimum(retrieved, metric.cutoff)
        for metric in (top, whole)
    )
    documents = (last - first).sum(axis=1)
    unjudged = ((1 - in_whole) * last - (1 - in_top) * first).sum(axis=1)
    # counts, but for rounding of the shares
    return np.round(unjudged) / np.maximum(documents, 1)


def _least_loss(metric: Metric, score: Floats) -> Floats:
    """Return the least loss that further judgments can show: 0 where they only raise a score, else the score lost."""
    if left_out.only_rises(metric):
        return np.zeros_like(score)
    return -score


def _highest_score(metric: Metric, most: Floats) -> Floats:
    """Return the highest score that further judgments can lead to."""
    if left_out.only_rises(metric):
        return most
    return np.full_like(most, highest(str(metric)))


def _residual(metric: Metric) -> Metric:
    """Name the residual of an RBP: what all documents that are not judged could add to it."""
    cutoff = "" if metric.cutoff is None else f"@{metric.cutoff}"
    return parse(f"RBPResidual(p={metric['p']}){cutoff}")
