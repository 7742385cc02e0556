"""What the next collection should be, computed: worth and cost of each way to spend, and what a budget buys."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from irmeta.choices import Missing
from irmeta.errors import ScoresError, require_least, require_share
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import leading, metric_names
from irmeta.parallel import seeded
from irmeta.scores.averages.means import additive, means
from irmeta.scores.groups.clusters import by_cluster, clustering_notes, in_clusters
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.notes import Method
from irmeta.scores.result import result
from irmeta.scores.selection import (
    complete,
    deeper_metrics,
    metric_of,
    require_topics,
    require_variation,
    select,
)
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.reliability.curve import fit
from irmeta.stats.reliability.design_taus import DesignTaus, design_taus, predicted
from irmeta.studies.design.depths import AtDepths, judged_to_depths, require_both
from irmeta.studies.design.more import Costs, more_of
from irmeta.studies.design.subsets import subset_taus
from irmeta.studies.design.ways import (
    FULL,
    Prices,
    Spending,
    Way,
    by_machine,
    candidates,
    ways_to_spend,
)
from irmeta.studies.door import Cube, Given, study

SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
BEYOND = 4
"""Curves are followed to this multiple of the topics that were measured."""
OF_A_WAY = ("metric", "depth", "judge", "each", "judgments")
"""What a way is, in the tables."""


@study
def design(
    scores: Cube,
    *,
    target: str | None = None,
    metrics: str | Iterable[str] | None = None,
    runs: Annotated[RunsLike | None, Given("FILE|DIR", several=True)] = None,
    qrels: Annotated[QrelsLike | None, Given("FILE")] = None,
    depths: Sequence[int] | None = None,
    llm: Annotated[QrelsLike | None, Given("FILE")] = None,
    topic_cost: float = 30.0,
    judgment_cost: float = 1.0,
    llm_judgment_cost: float = 0.0,
    cluster_cost: float = 0.0,
    run_cost: float | None = None,
    budget: float | None = None,
    sizes: Sequence[int] = SIZES,
    subset: Sequence[int] | None = None,
    level: float = 0.95,
    partitions: int = 400,
    teams: Grouping = None,
    missing: Missing = "error",
    reading: Reading | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Choose how many topics to judge, how deep, and by which metric, for a budget.

    scores : a cube; where runs are given it says which systems and topics
    target : the metric that should rank the systems on new topics, by default the first
    metrics : to choose from; all by default
    runs : the run files: a folder or a glob; without them only topics and metrics are varied
    qrels : their relevance judgments
    depths : pool depths to choose from, by default 5,10,20,50,100
    llm : a machine's judgments of the same runs: a way of its own, and with people who judge a random part of the
        topics another: the cheapest part (Cochran 1977, section 12.3)
    topic_cost : cost of a topic, in any one unit
    judgment_cost : cost of a document judged by a person
    llm_judgment_cost : cost of a document judged by a machine
    cluster_cost : cost of another cluster of topics beside that of its topics
    run_cost : cost of another run of every system on all topics; only where systems are means of runs; of another
        judge, where scores are means over judges
    budget : what you can spend
    sizes : numbers of topics to say it for
    subset : numbers of topics to choose out of those there are; those chosen rank systems by the target as all do
    level : level of the intervals, over samples of topics and systems
    partitions : random partitions of the topics
    teams : the teams of the systems, which intervals take as independent: a table, "stem" of their names or "each" by
        itself; by default stems where many names share one
    missing : what to do with missing scores, as in `selection.complete`
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`

    Returns over (way) metric, depth (0 for all judgments), judge (empty without llm), each (people judge one topic in
    each), judgments, topic_cost, and with a budget affordable, the topics it buys, chosen_tau, chosen_low,
    chosen_high, behind_low (how far the way is behind the best at least);
    over (way, size) cost, tau, low, high, measured (else extrapolated), front (no way is cheaper and as good). Where
    topics come in clusters or systems are means of runs, over (spend, narrower) more: the topics, clusters or runs that
    make intervals of differences narrower by this share, alone, and more_cost; NaN where they cannot. With subset over
    (subset, kind: best, random, worst) tau with the ranking over all topics: subset_tau of topics that all systems
    choose, subset_chosen and subset_new where random halves of the systems choose, on that half and on the other, with
    quantiles subset_new_low and subset_new_high; over subset the gain of the best over random ones on the other half,
    the share of it that survives, and the share of random ones that the best beats; subset_topics says which they are.

    tau is Kendall's tau-b between systems ranked by the way on n topics and by the target on n others: measured up to
    half of the topics, from there along (2/pi) asin(a n / (n + k)). Raises ScoresError for fewer than 3 systems or 8
    topics.

    >>> from irmeta.scores.cube import cube
    >>> rng = np.random.default_rng(0)
    >>> made = np.arange(9)[:, None, None] / 9 + rng.random((9, 20, 2)) * [1, 3]
    >>> made = cube(made, list("abcdefghi"), [str(n) for n in range(20)], ["AP", "RR"])
    >>> found = design(made, target="AP", budget=300, partitions=40)
    >>> [str(metric) for metric in found["metric"].values], found["affordable"].values.tolist()
    (['AP', 'RR'], [10, 10])
    """
    require_both(runs, qrels, llm, depths)
    require_topics(scores)
    depth = AtDepths(scores, metrics)
    if runs is not None:
        target = target or leading(candidates(scores, metrics))
        depth = judged_to_depths(
            scores, qrels, runs, llm, depths, metrics, target, reading
        )
    scores, metrics = depth.scores, depth.metrics
    generator, _ = seeded(rng)
    require_share("the level of intervals", level, 0.95)
    require_least(partitions=(partitions, 2))
    names = candidates(scores, metrics)
    asked = [*metric_names(metrics or ""), *([] if target is None else [target])]
    target = leading(names) if target is None else metric_of(scores, target)
    wanted = list(dict.fromkeys([*names, target]))
    used, notes = complete(select(scores, metrics=wanted), missing)
    by_topic = used
    used, of_clusters = by_cluster(used)
    notes += of_clusters + clustering_notes(by_topic)
    require_variation(means(used).values.T, used["metric"].values)
    costs = {
        "topic_cost": topic_cost,
        "judgment_cost": judgment_cost,
        "llm_judgment_cost": llm_judgment_cost,
        "cluster_cost": cluster_cost,
        "run_cost": 0.0 if run_cost is None else run_cost,
    }
    _check(used, costs, budget)
    other = None
    if depth.machine is not None:
        other = by_machine(depth.machine, used, names)
    each = by_topic.sizes["topic"] / used.sizes["topic"]  # topics of a cluster
    paid = cluster_cost if in_clusters(by_topic) else 0.0
    prices = Prices(
        topic_cost * each + paid, judgment_cost * each, llm_judgment_cost * each
    )
    spending = ways_to_spend(used, other, names, depth.pools, depth.judged, prices)
    ways = spending.ways
    _require_prices(ways, budget)
    deeper = deeper_metrics(asked, [*(way.metric for way in ways), target])
    found = _measured_taus(used, target, spending, partitions, generator)
    team = teams_of(used["system"].values, teams, used.values)
    of_teams = found.by_team(team.of)
    options = {
        "target": target,
        **team.options,
        "pools": None if depth.pools is None else dict(depth.pools),
        "judged": depth.judged,
    }
    wanted_ways = _orderable(ways, asked=depths is not None)
    data = _figures(of_teams, ways, sizes, budget, level, wanted_ways)
    of_a_unit = _cost_of_unit(ways, target, prices.topic)
    of_a_topic = (of_a_unit - paid) / each
    if subset is not None:
        line = additive(used.sel(metric=[target])).isel(metric=0)
        data |= subset_taus(line, team.of, subset, level, generator)
    data |= more_of(by_topic, target, Costs(of_a_topic, cluster_cost, run_cost))
    return result(
        "design",
        data,
        inputs={str(scores.attrs.get("collection", "collection")): used},
        options=options,
        notes=[*deeper, *notes, *_notes(found, ways, depth.known), team.note()],
    )


def _cost_of_unit(ways: Sequence[Way], target: str, topic_cost: float) -> float:
    """Return the cost of a topic, or cluster of them, judged by people for the target as deep as it was."""
    own = (
        way.cost
        for way in ways
        if (way.metric, way.depth) == (target, FULL) and way.judge in ("", "people")
    )
    return next(own, topic_cost)


def _measured_taus(
    used: xr.DataArray,
    target: str,
    spending: Spending,
    partitions: int,
    rng: np.random.Generator,
) -> DesignTaus:
    """Measure how each way ranks systems as the target does, on numbers of topics up to half of those there are."""
    goal = additive(used.sel(metric=[target])).values[..., 0]  # (system, topic)
    columns = np.stack(spending.columns, axis=-1)  # (system, topic, way)
    sizes = _sizes_to_measure(used.sizes["topic"])
    corrections = spending.corrected()
    return design_taus(columns, goal, sizes, rng, partitions, corrections)


def _check(used: xr.DataArray, costs: dict[str, float], budget: float | None) -> None:
    """Raise ScoresError for too few systems or topics, a cost below 0, or a budget that buys nothing."""
    if used.sizes["system"] < 3 or used.sizes["topic"] < 8:
        raise ScoresError("a design needs scores of at least 3 systems on 8 topics")
    for name, cost in costs.items():
        if not cost >= 0:
            raise ScoresError(f"{name} must be 0 or more, not {cost:g}")
    if budget is not None and not 0 < budget < np.inf:
        raise ScoresError(f"the budget must be above 0 and finite, not {budget:g}")


def _require_prices(ways: Sequence[Way], budget: float | None) -> None:
    """Raise ScoresError for judging that costs nothing; a machine's may where no budget buys any amount."""
    for way in ways:
        if way.cost <= 0 and (budget is not None or way.judge in ("", "people")):
            raise ScoresError(
                f"judging {way} costs nothing, so there is nothing to choose; set --topic-cost"
            )


def _sizes_to_measure(topics: int) -> list[int]:
    """Choose the numbers of topics to measure with: seven or fewer, from a twelfth of them to half.

    >>> _sizes_to_measure(60), _sizes_to_measure(8)
    ([5, 7, 9, 12, 17, 22, 30], [2, 3, 4])
    """
    spaced = np.geomspace(max(2, topics // 12), topics // 2, 7)
    return sorted({int(n) for n in spaced.round()})


def _figures(
    measured: DesignTaus,
    ways: Sequence[Way],
    topics: Sequence[int],
    budget: float | None,
    level: float,
    orderable: Bools,
) -> dict[str, Any]:
    """Compute worth and cost of each way with each number of topics, and with those that the budget buys.

    orderable : which ways may be recommended, (way,).
    """
    half = measured.sizes[-1]
    most = BEYOND * half
    counts = [n for n in topics if 2 <= n <= most]
    if not counts:
        raise ScoresError(
            f"--sizes: none is from 2 to {most}, which is as far as {half} measured topics reach"
        )
    prices = np.array([way.cost for way in ways])
    cost = prices[:, None] * np.array(counts)  # (way, size)
    points = [_interval_taus(measured, np.full(len(ways), n), level) for n in counts]
    tau, low, high, _ = (np.stack(part, axis=1) for part in zip(*points, strict=True))
    figures = {
        "cost": cost,
        "tau": tau,
        "low": low,
        "high": high,
        "measured": np.broadcast_to(np.array(counts) <= half, cost.shape),
        "front": _pareto_front(cost, tau),
    }
    curve = fit(measured.sizes, measured.tau)
    data: dict[str, Any] = {
        "size": counts,
        **{name: ("way", [getattr(way, name) for way in ways]) for name in OF_A_WAY},
        "topic_cost": ("way", prices),
        "label": ("way", [str(way) for way in ways]),
        **{name: (("way", "size"), part) for name, part in figures.items()},
        "a": ("way", curve.a),
        "k": ("way", curve.k),
        "most": most,
        "half": half,
    }
    if budget is None:
        return data
    affordable = np.minimum(budget // prices, most)
    return data | _within_budget(measured, affordable.astype(int), level, orderable)


def _orderable(ways: Sequence[Way], *, asked: bool) -> Bools:
    """Say which ways may be recommended: (way,). Judgments as they are may not, if a depth asked for has more.

    asked : whether depths were named.
    """
    deepest = max((way.judgments for way in ways if way.depth != FULL), default=0.0)
    return np.array(
        [not (asked and way.depth == FULL and way.judgments < deepest) for way in ways]
    )


def _interval_taus(
    measured: DesignTaus, topics: Ints, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return tau of each way, the ends of its interval, (way,), and how tau moves, (topic or system left out, way)."""
    tau, moves = predicted(measured, topics)
    # topics and systems left out in turn, and the Monte-Carlo error
    variance = (moves**2).sum(axis=0) + measured.error.max() ** 2
    half = _student_quantile(measured, level) * np.sqrt(variance)
    low = np.maximum(tau - half, -1)
    high = np.minimum(tau + half, 1)
    return tau, low, high, moves


def _student_quantile(measured: DesignTaus, level: float) -> float:
    """Return Student's quantile for intervals, with as many degrees of freedom as topics or systems less 1."""
    freedom = min(len(measured.by_topic), len(measured.by_system)) - 1
    return float(stdtrit(freedom, (1 + level) / 2))


def _within_budget(
    measured: DesignTaus, affordable: Ints, level: float, orderable: Bools
) -> dict[str, Any]:
    """Compute what the budget buys in each way, and how far each is behind the best that may be recommended."""
    tau, low, high, moves = _interval_taus(measured, np.maximum(affordable, 2), level)
    # a way that cannot pay for two topics has no tau
    pays = affordable >= 2
    tau = np.where(pays, tau, np.nan)
    among = np.where(orderable, tau, np.nan)
    if np.isnan(among).all():
        among = tau
    best = int(np.nanargmax(among)) if pays.any() else 0
    # the lower end of how far each way is behind: both move with the same topics and systems
    apart = moves - moves[:, [best]]
    error = np.sqrt((apart**2).sum(axis=0))
    behind = tau[best] - tau - _student_quantile(measured, level) * error
    data = {
        "chosen_low": np.where(pays, low, np.nan),
        "chosen_high": np.where(pays, high, np.nan),
        "behind_low": np.where(pays, behind, np.nan),
        "affordable": affordable,
        "chosen_tau": tau,
    }
    return {"best": best, **{name: ("way", part) for name, part in data.items()}}


def _pareto_front(cost: Floats, tau: Floats) -> Bools:
    """Say which points no other beats: none is as cheap and better, or cheaper and as good."""
    flat_cost = cost.ravel()
    flat_tau = tau.ravel()
    # by rising cost; a point is on the front if its tau is above that of all before it
    order = np.lexsort((-flat_tau, flat_cost))
    highest = np.maximum.accumulate(flat_tau[order])
    front = np.zeros(cost.size, dtype=np.bool_)
    front[order] = np.append(True, highest[1:] > highest[:-1])
    return front.reshape(cost.shape)


def _notes(
    found: DesignTaus, ways: Sequence[Way], known: Mapping[int, float]
) -> list[str]:
    """Say how tau was measured, and what was not varied or is not known. known : by depth, the share judged."""
    half = found.sizes[-1]
    lines: list[str] = [
        Method(
            "tau: between the ranking of systems by one design on n topics and by the target on n "
            f"other topics; measured up to {half} topics, extrapolated up to {BEYOND * half}."
        )
    ]
    if all(way.depth == FULL for way in ways):
        lines.append(
            "The depth of judging is not varied; that needs --runs and --qrels."
        )
    short_of = [
        f"{share:.0%} to depth {depth}"
        for depth, share in known.items()
        if share < 0.995  # as it is printed
    ]
    if short_of:
        lines.append(
            f"Only some documents in the pools are judged ({', '.join(short_of)}). The cost counts "
            "all of them, but tau is measured with the judged ones, so that deep pools are better "
            "than stated."
        )
    if any(np.isnan(way.judgments) for way in ways):
        lines.append(
            "The number of documents to judge per topic is unknown, so that only topics cost."
        )
    return lines
