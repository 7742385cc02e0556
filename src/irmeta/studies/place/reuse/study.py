"""Whether a collection is fair to a run that was not pooled: leave each group out, and learn what a new run loses."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Annotated, Any

import numpy as np
import xarray as xr

from irmeta.errors import MetricError, ScoresError, require_share
from irmeta.evaluation import left_out
from irmeta.evaluation.left_out import NOBODY, LookedUp
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, parse, parse_list
from irmeta.metrics.values import geometric
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.scores.groups.teams import STEM, Grouping, default_teams, groups_of
from irmeta.scores.notes import Act
from irmeta.scores.result import result
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Bools, Floats, Indices
from irmeta.stats.prediction import penalty
from irmeta.studies.door import Given, study
from irmeta.studies.place.reuse import figures
from irmeta.studies.place.reuse.figures import Scored
from irmeta.words import listed

UNCUT = 10
"""Documents of which the unjudged are counted for a metric without a cutoff, where pools have no depth."""
JUDGED = 0.95
"""Share of the pooled runs' first documents that are judged where depth and runs are those of the pool."""
BY_OTHERS = 0.5
"""Share of judged documents, of no run that is given, above which a warning says so, not a note."""


@study
def reuse(
    qrels: Annotated[QrelsLike, Given("QRELS")],
    runs: Annotated[RunsLike, Given("RUNS", several=True)],
    *,
    teams: Grouping = None,
    depth: int | None = 10,
    metrics: str | Iterable[str] = "seeds23",
    new: Annotated[RunsLike | None, Given("FILE", several=True)] = None,
    level: float = 0.9,
    reading: Reading | None = None,
) -> xr.Dataset:
    """Find out what a run loses if its documents are not judged: each group's own judgments are left out in turn.

    qrels : relevance judgments, as `evaluate` takes them
    runs : the runs that were pooled, as far as they are known: files, folders, globs or URLs
    teams : the group of each run, by its name, as `read_groups` reads them, "stem" or "each" by itself; by default
        stems where many names share one
    depth : depth of the pool: documents of each list that were judged; 0 if it had none (a bandit, active learning):
        then a group brought every judged document that its runs retrieve
    metrics : metrics, as in 'AP nDCG@10'; by default seeds23, the 23 of Gupta et al. (2019); not GMAP, whose mean over
        topics is geometric
    new : runs that were not pooled, whose scores to adjust; can be repeated
    level : level of the prediction intervals: the share of new groups whose losses they should hold
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`

    Returns over (group): judged documents that it brought, alone, and alone and relevant. Over (system, metric): score;
    score, rank and unjudged share without the own group's judgments; loss, and the loss that the other groups predict,
    with its interval. Over (group, metric): tau between the rankings with and without. Over (metric): mean loss, the
    model's slopes, coverage of the interval over groups. Over (run, metric), for new runs: score, unjudged share, that
    of the documents below, down to the metric's cutoff, penalty with its interval, and whether more is unjudged than of
    any left-out run of the better half: `extrapolated`.
    Raises ScoresError where fewer than 6 groups were pooled, or none brought a document that no other did.
    Sources: Zobel (SIGIR 1998); Webber and Park (SIGIR 2009); Voorhees, Soboroff and Lin (2022).

    >>> grades = {"1": {f"d{i}": i % 2 for i in range(12)}}
    >>> lists = {f"s{i}": {"1": {f"d{i}": 2.0, f"d{i + 6}": 1.0}} for i in range(6)}
    >>> outcome = reuse(grades, lists, depth=2, metrics="P@2")
    >>> int(outcome["unique"].sel(group="s1")), float(outcome["loss"].sel(system="s1", metric="P@2"))
    (2, 1.0)
    """
    if depth is not None and depth < 0:
        raise ScoresError(
            f"the pool's depth must be 1 or more, not {depth}; use 0 if the pool had none"
        )
    require_share("the level", level, 0.9)
    depth = depth or None
    wanted = _wanted(metrics)
    judged_metrics = [judged_at(metric, depth) for metric in wanted]
    both = [*wanted, *dict.fromkeys(judged_metrics)]
    looked = left_out.look_up(qrels, runs, both, reading)
    groups = groups_of(
        looked.names, default_teams(looked.names) if teams is None else teams
    )
    names = list(dict.fromkeys(groups.of[run] for run in looked.names))
    group_of = np.array([names.index(groups.of[run]) for run in looked.names])
    pooled = np.array([run not in groups.unpooled for run in looked.names])
    # the group that alone brought each judged document, and what each group brought
    pooled_group = np.where(pooled, group_of, NOBODY)
    owner, brought = left_out.owners(looked, pooled_group.tolist(), depth)
    _require_pooled(pooled, owner, group_of)
    scored = _without_own_groups(looked, owner, group_of, pooled, judged_metrics)
    bands, models = figures.penalties(wanted, scored, level)
    data: dict[str, Any] = {
        **figures.group_figures(looked, owner, brought, names, group_of),
        "group_of": ("system", [groups.of[run] for run in looked.names]),
        "pooled": ("system", pooled),
        **figures.run_figures(scored, bands),
        **figures.ranks(scored),
        **figures.metric_figures(scored, bands, models),
    }
    guessed: list[str] = []
    if teams is None and groups.source == STEM:
        guess = "teams are guessed from name stems; name them (--teams FILE)"
        guessed.append(Act(guess))
    alarms = _alone_alarms(len(names), pooled.size)
    notes = [*_notes(depth, pooled), *left_out.repetition_notes(looked)]
    by_nobody = _by_nobody_notes(owner, depth)
    if (owner == NOBODY).mean() > BY_OTHERS:
        alarms = [*by_nobody, *alarms]
    else:
        # what makes losses small is little beside what an incomplete pool adds to them
        shallow = _depth_alarms(looked, pooled, depth)
        alarms += shallow
        notes += [] if shallow else by_nobody
    notes = [*guessed, *alarms, *notes]
    if new is not None:
        found, of_new = figures.new_run_figures(
            qrels, new, wanted, judged_metrics, models, level, reading
        )
        data |= found
        # more is unjudged than the penalty was learned from
        far = found["new_unjudged"][1] > data["usual_unjudged"][1]
        data["extrapolated"] = (("run", "metric"), far)
        notes += [*of_new, *_extrapolation_notes(found["run"], far)]
    outcome = result(
        "reuse",
        data,
        inputs={_name(looked): _cube(looked, wanted, scored.full)},
        options={
            "depth": depth,
            "topics": len(looked.topics),
            "teams": groups.source,
            "team_count": len(names),
            "alarms": alarms,
        },
        notes=notes,
    )
    return outcome.assign_coords(
        system=looked.names, metric=[str(metric) for metric in wanted], group=names
    )


def _wanted(metrics: str | Iterable[str]) -> list[Metric]:
    """Parse the metrics; those that are not means over topics are refused."""
    wanted = parse_list(metrics)
    logs = geometric(str(metric) for metric in wanted)
    if logs:
        raise MetricError(
            f"{logs[0]} has a geometric mean over topics; leave it out (--metrics)"
        )
    return wanted


def _without_own_groups(
    looked: LookedUp,
    owner: Indices,
    group_of: Indices,
    pooled: Bools,
    judged_metrics: Sequence[Metric],
) -> Scored:
    """Score every run with all judgments, and with each group's own left out.

    owner : (judgment,), the group that alone brought it
    group_of : (system,), the group of each, from 0
    judged_metrics : Judged@k of each wanted metric; `looked` has the wanted ones first
    """
    # (system, metric), (group, system, metric)
    full, left = left_out.without_each(looked, owner, int(group_of.max()) + 1)
    own = left[group_of, np.arange(group_of.size)]
    judged = own[:, [looked.metrics.index(metric) for metric in judged_metrics]]
    count = len(judged_metrics)
    return Scored(
        full=full[:, :count],
        own=own[:, :count],
        unjudged=1 - judged,
        without=left[:, :, :count],
        group_of=group_of,
        learned_from=pooled,
    )


def _cube(looked: LookedUp, metrics: Sequence[Metric], full: Floats) -> xr.DataArray:
    """Make a cube of the means, with digests of what they were made from."""
    names = [str(metric) for metric in metrics]
    scores = cube(full[:, None], looked.names, [ALL], names, collection=_name(looked))
    digests = {
        "qrels": looked.task.judgments.qrels.digest,
        "runs": {one.name: one.digest for one in looked.outcomes},
    }
    return scores.assign_attrs(recorded(digests))


def judged_at(metric: Metric, depth: int | None) -> Metric:
    """Name the metric Judged@k whose k a metric looks at, at most as deep as the pool."""
    limit = UNCUT if depth is None else depth
    own = metric.cutoff if isinstance(metric.cutoff, int) else limit
    return parse(f"Judged@{own if depth is None else min(own, depth)}")


def _require_pooled(pooled: Bools, owner: Indices, group_of: Indices) -> None:
    """Refuse pools of few groups, or of groups that brought nothing: no penalty can be learned from them."""
    count = np.unique(group_of[pooled]).size
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


def _extrapolation_notes(runs: Sequence[str], far: Bools) -> list[str]:
    """Name the new runs of which more is unjudged, by some metric, than of the good runs that were left out.

    far : (run, metric)
    """
    named = [runs[at] for at in np.flatnonzero(far.any(axis=1)).tolist()]
    if not named:
        return []
    return [
        f"{listed(named)}: more unjudged documents than any left-out run of the better half has, so "
        "the adjustment is extrapolated"
    ]


def _name(looked: LookedUp) -> str:
    """Return the name of the collection: that of its judgments."""
    return looked.task.judgments.qrels.name


def _alone_alarms(groups: int, runs: int) -> list[str]:
    """Say that no two runs are of one group."""
    if groups < runs:
        return []
    return [
        "each run is its own group; runs of one team share documents, so losses look too small: name the teams "
        "(--teams)."
    ]


def _notes(depth: int | None, pooled: Bools) -> list[str]:
    """Say what a group brought without a depth, and what figures are of where some runs were not pooled."""
    notes: list[str] = []
    if depth is None:
        notes.append(
            "the pool has no depth: a group contributed every judged document that one of its "
            "runs retrieves"
        )
    if not pooled.all():
        notes.append(
            f"{(~pooled).sum()} of {pooled.size} runs were not pooled: losses are of the others, ranks among all"
        )
    return notes


def _by_nobody_notes(owner: Indices, depth: int | None) -> list[str]:
    """Count the judged documents of no pooled run: who brought them may have brought what one group has alone, too."""
    count = (owner == NOBODY).sum()
    if not count:
        return []
    if depth is None:
        where, who, less = "no pooled run retrieves", "other runs", ""
    else:
        where = f"no pooled run has in its first {depth}"
        who = "other runs, or a deeper pool,"
        less = " (less so at a larger --depth)"
    return [
        f"{count} of {owner.size} judged documents are documents that {where}: {who} brought them, and may have "
        f"brought what one group here has alone, so losses may be too large{less}"
    ]


def _depth_alarms(looked: LookedUp, pooled: Bools, depth: int | None) -> list[str]:
    """Say where documents that a pool of this depth would have are not judged."""
    if depth is None:
        return []
    judged = [run.judged(depth) for run in compress(looked.runs, pooled)]
    share = float(np.mean(judged))
    if share >= JUDGED:
        return []
    return [
        f"only {share:.0%} of the first {depth} documents of the pooled runs are judged: the pool was shallower, or "
        "some of these runs were not pooled (column pooled of --teams), so losses look too small; the truth lies "
        "between these and those at a --depth that is judged."
    ]
