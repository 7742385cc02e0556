"""What a cube holds: means with intervals, the ranks that systems may have, how topics differ."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, get_args

import numpy as np
import xarray as xr

from irmeta.choices import Missing, Sets
from irmeta.errors import ScoresError, require_choice, require_share
from irmeta.measured.coverage import held
from irmeta.metrics.names import metric_names, nearest
from irmeta.metrics.values import geometric
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.averages.intervals import held_intervals, intervals
from irmeta.scores.averages.means import additive, from_additive
from irmeta.scores.cube import check
from irmeta.scores.groups.clusters import SIZE, contributions, unit_scores
from irmeta.scores.groups.repeats import unmoved_scores
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.names import known_as
from irmeta.scores.notes import Act
from irmeta.scores.result import no_result_notes, result
from irmeta.scores.selection import (
    main_metric,
    main_notes,
    metric_of,
    prepare,
    require_size,
)
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.halves.teams import means_of
from irmeta.stats.rankings.first import fewest
from irmeta.stats.rankings.ranksets import (
    RankSets,
    discovered,
    fewest_topics,
    rank_sets,
)
from irmeta.stats.tests.compared import Given
from irmeta.stats.tests.comparing import Way, compare
from irmeta.stats.tests.paired import less
from irmeta.studies.differences.without import WITHOUT, Flagged, leave_out
from irmeta.studies.door import Cube, Names, study
from irmeta.words import counted, listed

EQUAL = 1e-12
"""Scores that differ by at most this are equal."""
SHARES = np.arange(101) / 100
LEFT = ("lead", "mean", "rank", "rank_low", "rank_high")
"""What is told of systems without flagged topics."""


@study
def describe(
    scores: Cube,
    *,
    metrics: str | Iterable[str] | None = None,
    by: str | None = None,
    level: float = 0.95,
    sets: Sets = "simultaneous",
    system: str | None = None,
    teams: Grouping = None,
    without: Annotated[Names | None, WITHOUT] = None,
    top: float | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Estimate systems' means, with intervals over topics, and the ranks they may have; describe topics and scores.

    scores : a cube of at least 2 systems and 2 topics
    by : the metric that systems are listed and chosen by, which is described, too; by default the first, or
        AP@1000 of evaluate's own set
    level : of intervals and rank sets, in (0, 1)
    sets : "marginal" rank sets each cover the true rank of one system, named before anybody saw the scores;
        "simultaneous" ones cover those of all systems at once
    rng : a seed or a generator
    system : a system named before anybody saw the scores; its marginal set is added (own_low, own_high)
    teams : the teams of the systems, a table, "stem" of their names or "each" by itself; `reversed` is tested over
        means of teams, which it takes as independent; by default stems where many names share one
    without : flagged topics, one on each line, or a list: adds what of the ranking survives when they go, as
        contaminated or trivial ones, and how the lead of the best system changes
    metrics, top, missing : what to use of the scores, as in `selection.prepare`

    Returns over (system, metric) mean, low, high, rank, rank_low, rank_high: the best and the worst rank it may have;
    found_low, found_high: the same by false discovery rate (of the claims behind them at most 1 - level are wrong on
    average); over (metric) distinguished, the share of pairs of systems that the rank sets distinguish, and
    distinguished_found, by false discovery rate; runner_up, the system that is level or ahead without the fewest topics
    that can bring that about ("" if none); over (topic, metric) topic_mean, topic_sd, reliability (correlation with the
    rest), reversed, whether that is below 0 beyond chance (see `irmeta.stats.descriptive.surely_reversed`), and
    decides, whether it is one of these fewest topics; over (share, metric) the quantiles of single scores; and
    score itself. The intervals are each system's own, within the scores that the metric can take: that two overlap does
    not say that the systems do not differ (see `significance`, which pairs by topic).
    Sources: Webber et al. (SIGIR 2008), section 3, Figures 1 to 3 and Table 1; Mogstad et al. (REStud 2024).

    >>> from irmeta.scores.cube import cube
    >>> one = describe(cube([[[0.1], [0.3]], [[0.5], [0.8]]], ["a", "b"], ["301", "302"], ["AP"]))
    >>> one["rank"].values.ravel().tolist()
    [2, 1]
    """
    require_share("the level of an interval", level, 0.95)
    require_choice("sets", sets, get_args(Sets))
    generator, _ = seeded(rng)
    if metrics is not None:
        metrics = metric_names(metrics)
        by = next(iter(metrics), None) if by is None else by
        metrics += [] if by is None else [by]
    given = check(scores)
    used: dict[str, Any] = {
        "metrics": metrics,
        "top": top,
        "by": None if top is None else by,
        "missing": missing,
    }
    scores, notes = prepare(given, **used, of_means=True)
    require_size(scores, "describe", 2)
    names = [str(metric) for metric in scores.metric.values]
    system = None if system is None else _present_name(system, scores)
    if by is None:
        notes += main_notes(scores, "--by")
    by = main_metric(scores) if by is None else metric_of(scores, by)
    if top is None and scores.sizes["system"] < given.sizes["system"]:
        notes.append(
            f"irmeta leaderboard --metric {by!r} --holes predict ranks all {given.sizes['system']} systems"
        )
    averaged = additive(scores)  # on a scale on which scores can be averaged
    team = teams_of(scores["system"].values, teams, averaged.values)
    possible = _rank_sets(averaged, level, sets, generator)
    data = _system_figures(scores, averaged, possible, level)
    found = unmoved_scores(scores)  # single topics show the runs that were made
    data |= _topic_figures(additive(unit_scores(found)), team.of)
    data |= _first_place_figures(additive(found))
    if system is not None:
        data |= _named_system_ranks(averaged, system, level, generator)
    data |= _score_figures(unit_scores(found))
    if teams is not None and "estimated" not in about(scores):
        count = data["reversed"][1][:, names.index(by)].sum() or "none"
        notes.append(
            "teams change here only on which topics the better systems surely score worse; by these teams, on "
            f"{count} of {scores.sizes['topic']}"
        )
    options = {"by": by, "system": system, **team.options}
    said = no_result_notes(scores)
    said += _notes(names, scores, level)
    notes += _no_interval_notes(data["low"], data["high"])
    flagged = None
    if without is not None:
        whole, _ = prepare(given, **used, by_topic=True)
        flagged = leave_out(whole, without)
        options["without"] = flagged.topics
        notes += flagged.notes
        if flagged.gone is not None:
            alone = _notes(names, scores.isel(topic=~flagged.gone), level)
            alone += _blind_notes(possible, averaged.isel(topic=~flagged.gone), level)
            notes += flagged.only(alone, said)
    outcome = result(
        "description",
        data,
        inputs={scores.attrs.get("collection", "collection"): scores},
        options=options,
        notes=notes + said,
    ).assign_coords(share=SHARES)
    if flagged is None:
        return outcome
    rest, _ = prepare(flagged.rest, missing=missing)
    left = _rank_sets(additive(rest), level, sets, seeded(rng)[0])
    outcome = _beside_rest(outcome, averaged, flagged, rest, left, level)
    return outcome.assign(_surviving_pairs(possible, left))


def _present_name(system: str, scores: xr.DataArray) -> str:
    """Return a system as a cube calls it; raises ScoresError where it is not there."""
    known = scores.system.values
    system = known_as(system, known) or system
    if system not in known:
        raise ScoresError(f"no system {system!r}; {nearest(system, known)}")
    return system


def _beside_rest(
    outcome: xr.Dataset,
    averaged: xr.DataArray,
    flagged: Flagged,
    rest: xr.DataArray,
    left: Sequence[RankSets],
    level: float,
) -> xr.Dataset:
    """Return a description with the means and ranks of the rest beside its own, and how the lead of the best changes.

    left : the rank sets of the rest, by metric.
    """
    line = additive(rest)
    again = xr.Dataset(_system_figures(rest, line, left, level))
    first = outcome["rank"].argmin("system").values
    ahead, ahead_left = (_leads(_columns(one), first) for one in (averaged, line))
    over = ("system", "metric")
    return flagged.beside(
        outcome.assign(lead=(over, ahead.mean(axis=2))),
        again.assign(lead=(over, ahead_left.mean(axis=2))),
        LEFT,
        ahead,
        level,
    )


def _leads(columns: Sequence[Floats], first: Ints) -> Floats:
    """Return by how much one system is ahead of each, (system, metric, topic).

    columns : the scores (system, topic) of each metric.  first : the place of that system, by metric.
    """
    gaps = [one[at] - one for one, at in zip(columns, first, strict=True)]
    return np.stack(gaps, axis=1)


def _system_figures(
    scores: xr.DataArray,
    averaged: xr.DataArray,
    possible: Sequence[RankSets],
    level: float,
) -> dict[str, Any]:
    """Return means with intervals, ranks, and the ranks that systems may have.

    averaged : the scores on the line on which they are averaged.  possible : the rank sets by metric.
    """
    own = intervals(scores, level=level)
    found = [discovered(column.T, level=level) for column in _columns(averaged)]
    over = ("system", "metric")
    return {
        **{name: own[name] for name in ("mean", "low", "high")},
        "rank": (over, descriptive.ranks(own["mean"].values.T).T),
        "rank_low": (over, np.transpose([sets.low for sets in possible])),
        "rank_high": (over, np.transpose([sets.high for sets in possible])),
        "found_low": (over, np.transpose([sets.low for sets in found])),
        "found_high": (over, np.transpose([sets.high for sets in found])),
        "distinguished": ("metric", list(map(_share_distinguished, possible))),
        "distinguished_found": ("metric", list(map(_share_distinguished, found))),
    }


def _surviving_pairs(
    before: Sequence[RankSets], after: Sequence[RankSets]
) -> dict[str, Any]:
    """Count by metric the pairs of systems that rank sets distinguish, before and after, and both times alike."""
    pairs = [
        (old.better | old.worse.T, new.better | new.worse.T)
        for old, new in zip(before, after, strict=True)
    ]
    return {
        "pairs": ("metric", [old.sum() for old, _ in pairs]),
        "without_pairs": ("metric", [new.sum() for _, new in pairs]),
        "pairs_stay": ("metric", [(old & new).sum() for old, new in pairs]),
    }


def _topic_figures(averaged: xr.DataArray, team: Ints) -> dict[str, Any]:
    """Return means, standard deviations and reliability of topics; what is tested takes teams as independent."""
    columns = [averaged.values[..., m] for m in range(averaged.sizes["metric"])]
    reliability = np.stack(
        [descriptive.item_total(column) for column in columns], axis=1
    )
    against = np.stack(
        [descriptive.surely_reversed(means_of(column, team)) for column in columns],
        axis=1,
    )
    return {
        "topic_mean": from_additive(averaged.mean("system")),
        "topic_sd": averaged.std("system", ddof=1),
        "reliability": (("topic", "metric"), reliability),
        "reversed": (("topic", "metric"), against),
    }


def _columns(averaged: xr.DataArray) -> list[Floats]:
    """Return the scores (system, topic) of each metric."""
    return [
        np.ascontiguousarray(averaged.values[..., m])
        for m in range(averaged.sizes["metric"])
    ]


def _first_place_figures(averaged: xr.DataArray) -> dict[str, Any]:
    """Return by metric who is level or ahead without the fewest topics that can bring it about, and these topics."""
    decides = np.zeros(averaged.shape[1:], dtype=np.bool_)
    runner_up = [""] * averaged.sizes["metric"]
    for m, column in enumerate(_columns(averaged)):
        found = fewest(contributions(column, averaged))
        if found is not None:
            runner_up[m] = str(averaged.system[found.system].item())
            decides[found.topics, m] = True
    return {
        "decides": (("topic", "metric"), decides),
        "runner_up": ("metric", runner_up),
    }


def _score_figures(scores: xr.DataArray) -> dict[str, Any]:
    """Return the single scores, and their quantiles by metric."""
    return {
        "quantiles": (
            ("share", "metric"),
            np.quantile(scores.values, SHARES, axis=(0, 1)),
        ),
        "score": scores.drop_vars(SIZE, errors="ignore"),
    }


def _named_system_ranks(
    averaged: xr.DataArray, system: str, level: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Return by metric the ranks that one system, named in advance, may have, by the claims of `versus`."""
    at = averaged.get_index("system").get_loc(system)
    way = Way.of("max-t", None, 1 - level, None, None)
    better, worse = [], []
    for column in _columns(averaged):
        values = contributions(column, averaged)
        others = np.delete(values, at, axis=0)
        found = compare(Given(less(values[at], others)), way, again(rng))
        sure = found["p_corrected"] < way.alpha
        better.append(int((sure & (found["difference"] < 0)).sum()))
        worse.append(int((sure & (found["difference"] > 0)).sum()))
    return {
        "own_low": ("metric", 1 + np.array(better)),
        "own_high": ("metric", averaged.sizes["system"] - np.array(worse)),
    }


def _rank_sets(
    averaged: xr.DataArray, level: float, sets: Sets, rng: np.random.Generator
) -> list[RankSets]:
    """Compute the rank sets of each metric, by random signs of topics, or of what clusters add to means."""
    marginal = sets == "marginal"
    return [
        rank_sets(
            contributions(column, averaged).T,
            again(rng),
            level=level,
            marginal=marginal,
        )
        for column in _columns(averaged)
    ]


def _share_distinguished(sets: RankSets) -> float:
    """Return the share of pairs of systems of which one is surely better."""
    either: Bools = sets.better | sets.worse
    systems = len(either)
    return float((either | either.T).sum() / (systems * (systems - 1)))


def _notes(names: list[str], scores: xr.DataArray, level: float) -> list[str]:
    """Say of which metrics the means are geometric, and where intervals and rank sets say little."""
    lines = []
    systems, topics = scores.sizes["system"], scores.sizes["topic"]
    logs = ", ".join(geometric(names))
    if logs:
        lines.append(
            f"{logs}: means are geometric; standard deviations and reliability are of logarithms"
        )
    lines += held_intervals(scores).said("95% intervals of means")
    facts = about(scores)
    promise = ""
    if "clusters" in facts:
        promise = "rank sets, clusters"
    elif facts.get(REPEATS, {}).get("in_intervals"):
        promise = "rank sets of means of runs"
    if promise:
        ranks = held(promise, systems=systems, topics=topics)
        lines += ranks.said("Rank sets of systems that tie")
    needed = fewest_topics(level)
    if topics < needed:
        lines.append(
            Act(
                f"{topics} topics cannot distinguish any two systems at {100 * level:g}%: rank sets need at least "
                f"{needed}."
            )
        )
    return lines


def _no_interval_notes(low: xr.DataArray, high: xr.DataArray) -> list[str]:
    """Say which means have no interval: where nothing varies, or by a metric of which nothing is shared."""
    constant = np.argwhere((high - low).values <= EQUAL)  # (row, (system, metric))
    if not len(constant):
        return []
    which = listed(
        f"{low.system.values[system]} by {low.metric.values[metric]}"
        for system, metric in constant
    )
    return [
        f"Means of scores that are the same on every topic have no interval: {which}."
    ]


def _blind_notes(
    possible: Sequence[RankSets], rest: xr.DataArray, level: float
) -> list[str]:
    """Count the distinguished pairs of systems that score apart on so few other topics that no rank set can show it."""
    needed = fewest_topics(level)
    blind = pairs = 0
    for found, column in zip(possible, _columns(rest), strict=True):
        for own, worse in zip(column, found.better | found.worse.T, strict=True):
            apart = (np.abs(column[worse] - own) > EQUAL).sum(axis=1)
            blind += int((apart < needed).sum())
            pairs += apart.size
    if not blind or rest.sizes["topic"] < needed:
        return []
    return [
        Act(
            f"{blind} of {counted(pairs, 'distinguished pair')} score apart on fewer than {needed} topics, "
            f"which cannot distinguish them at {100 * level:g}%."
        )
    ]
