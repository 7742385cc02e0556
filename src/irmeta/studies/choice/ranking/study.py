"""Which few metrics to report: those that say most and repeat each other least, or that predict the others best."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import Candidates, Level, Matrix, Missing, Objective, Search
from irmeta.errors import ScoresError
from irmeta.metrics.names import found_as, is_known, metric_names, nearest, parse, raw
from irmeta.parallel import seeded
from irmeta.scores.groups.clusters import cluster_coverage_notes
from irmeta.scores.notes import Method
from irmeta.scores.result import result
from irmeta.scores.selection import deeper_metrics
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.rankings.agreement import share_interval
from irmeta.stats.subsets.matrices import dependent
from irmeta.stats.subsets.orders import (
    Order,
    explained_by_each,
    log_determinant,
    unexplained,
)
from irmeta.stats.subsets.rivals import rivals
from irmeta.stats.subsets.selection import (
    Choice,
    Selection,
    limit,
    ratio,
    select,
    value,
)
from irmeta.stats.subsets.stability import alternatives, choices, flags, stability
from irmeta.studies.choice.matrix import (
    MetricMatrix,
    from_matrix,
    from_scores,
    is_scores,
)
from irmeta.studies.door import study

REPORTED = frozenset(
    [
        *("AP", "AP@100", "AP@1000", "RR", "RR@10", "RR@100"),
        *("P@5", "P@10", "P@20", "Rprec", "Bpref", "infAP"),
        *("nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "R@100", "R@1000", "ERR@20"),
    ]
)
"""Base names and cutoffs that papers and tracks usually report; decision 22 has the reasons."""
_LEVELS: Mapping[Level, str] = {
    "topic": "at topic level",
    "within-topic": "within topics",
    "system": "at system level",
}
_OBJECTIVES: Mapping[Objective, str] = {
    "determinant": "by the determinant",
    "unreported": "by what it leaves unexplained",
}
OTHER_TIME = 0.1
"""The share of the time limit that each search has that shows how the answer depends on the question."""
SETS = 10
"""Of each size, at most this number of sets that halves choose is listed."""


@study
def rank(
    scores: Any,
    method: Search = "exact",
    matrix: Matrix | None = None,
    k: int | None = None,
    *,
    unit: Level = "topic",
    objective: Objective | None = None,
    candidates: Candidates | None = None,
    metrics: str | Iterable[str] | None = None,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    time_limit: float = 10.0,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    partitions: int = 0,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Rank metrics, and find the best subset of each size: of every one, or up to k, and proven where time allows.

    scores : a cube, several by collection name (their rows are pooled), or a square matrix of covariances: an array, or
        a DataFrame or DataArray with the metrics' names
    method : how to search for the best set: "exact" finds the best subset of each size; the others give one order: "ib"
        iterative backward, "sheffield" the same with every determinant computed, "pivot" pivoted Cholesky, "gf" greedy
        forward as published, "gf-code" as released, "trace" the order of "gf" judged by what it aims at
    objective : the criterion that makes a set the best: "determinant": the determinant of its matrix is large;
        "unreported": it leaves little variance of the other metrics unexplained; by default unreported for exact and
        trace, else determinant, as published
    candidates : the metrics to choose from: "reported", those that papers usually report (`REPORTED`) and those that
        irmeta does not know, or "all"; by default reported for exact where no metrics are named, else all
    matrix : the matrix that says how metrics vary together: "covariance", "correlation", "rank" (correlation of normal
        scores), "shrunk" (correlation, Ledoit-Wolf); a matrix that is given is used as it is, unless this says
        "correlation"; by default correlation
    k : the largest number of metrics to report; by default all
    unit : the scores that the matrix is computed over: a row is a system on a topic ("topic"), the same less the
        topic's mean ("within-topic"), or a system's mean ("system")
    metrics, top, by, missing : what to use of the scores, as in `selection.prepare`; a matrix is used whole
    include : metrics that every set must have, as in 'AP P@10'
    exclude : metrics that no set may have; they still count as unreported metrics to explain
    cost : what metrics cost, as in 'AP=3 P@10=0.5'; by name in Python, others cost 1; with "exact" only
    budget : the most that a set may cost, with "exact" only; by default any
    time_limit : seconds that the search may take, and that all partitions together may take again; a size that is not
        proven by then has the best subset found, says so with the gap that remains, and may have another on another
        machine
    partitions : split the topics at random into halves this many times, to see how often both choose the same metrics;
        of these searches the time limit is one of operations (2e8 a second), so that they do not depend on the machine
    rng : a seed or a generator, of all that is random

    Raises ScoresError if the matrix is not positive semi-definite, or has too few rows for its metrics.
    Sources: Gupta et al. (ECIR 2019), section 6; Sheffield (1985); McCabe (1984); Ko, Lee and Queyranne (1995).

    >>> rank([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 2.0]], k=2)["order"].values.tolist()
    ['1', '3']
    """
    generator = seeded(rng)[0]
    source = _source(scores, matrix, unit, missing, metrics, top, by)
    if candidates is None:
        unasked = method == "exact" and source.cubes and metrics is None
        candidates = "reported" if unasked else "all"
    without = metric_names(exclude)
    if candidates == "reported":
        without = [*without, *_seldom_reported(source, include, k)]
    choice, notes = _choice(
        source, method, objective, k, include, without, cost, budget, time_limit
    )
    for named in (include, exclude, list(cost or {})):
        notes += deeper_metrics(named, source.metrics)
    if partitions < 0 or (partitions and _topics(source.cubes) < 2):
        raise ScoresError(
            "--partitions must be 0 or more, and needs at least 2 topics in a collection"
        )

    selection = select(source.sigma, choice)
    if not selection.optima:
        raise ScoresError(
            f"no subset costs at most {budget}; raise the budget, or include fewer metrics"
        )
    data = _selection_figures(source, choice, selection)
    if method == "exact" and source.cubes and budget is None:
        sizes = np.array(list(selection.optima))
        few = size_to_report(sizes, data["unexplained"][1], k)
        data |= _other_choices(source, choice, few, include, without)
        data |= _rivals(source, choice, few)
    if partitions:
        stability, more = _stability(source, choice, selection, partitions, generator)
        data |= stability
        notes += more

    options = {
        "objective": choice.objective,
        "candidates": candidates,
        "matrix": source.kind,
        "unit": source.level,
        "include": [source.metrics[i] for i in choice.include],
        "exclude": metric_names(exclude),
        "cost": dict(cost or {}),
    }
    of = "95% intervals of what sets leave unexplained"
    held = cluster_coverage_notes(source.cubes, "what chosen metrics leave", of)
    notes += map(Method, held)
    outcome = result(
        "ranking",
        data,
        inputs=source.cubes,
        options=options,
        notes=[*source.notes, *notes],
    )
    return outcome.assign_coords(k=list(selection.optima), metric=source.metrics)


def _source(
    scores: Any,
    matrix: Matrix | None,
    level: Level,
    missing: Missing,
    metrics: str | Iterable[str] | None,
    top: float | None,
    by: str | None,
) -> MetricMatrix:
    """Compute the matrix from scores, or take the one that is given."""
    if is_scores(scores):
        return from_scores(
            scores,
            matrix or "correlation",
            level,
            missing,
            metrics=metrics,
            top=top,
            by=by,
        )
    if metrics is not None or top is not None or by is not None:
        raise ScoresError(
            "metrics, top and by choose from scores, but this is a matrix; cut the matrix itself"
        )
    return from_matrix(scores, matrix)


def size_to_report(sizes: Ints, unexplained: Floats, k: int | None) -> int:
    """Return the size to speak of: the largest if the user set one, else the first that leaves less than a tenth."""
    enough = sizes[unexplained < 0.1]
    if k is not None or not enough.size:
        return int(sizes[-1])
    return int(enough[0])


def _choice(
    source: MetricMatrix,
    method: Search,
    objective: Objective | None,
    k: int | None,
    include: str | Iterable[str],
    exclude: str | Iterable[str],
    cost: Mapping[str, float] | None,
    budget: float | None,
    time_limit: float,
) -> tuple[Choice, list[str]]:
    """Check what to choose from, and how; with notes on metrics that cannot be chosen."""
    _check_limits(method, cost, budget, time_limit)
    if objective is None:
        by_trace = method in ("exact", "trace")
        objective = "unreported" if by_trace else "determinant"
    inside = _positions(source, include)
    outside = _positions(source, exclude)
    candidates, notes = _candidates(source, inside, outside)
    largest = candidates.size if k is None else k
    least = max(1, len(inside))
    if not least <= largest <= candidates.size:
        raise ScoresError(
            f"k is {largest}, but with these metrics it must be {least} to {candidates.size}"
        )
    several = candidates.size > 1 and not inside
    equal_variances = np.ptp(np.diag(source.sigma)) == 0
    if objective == "determinant" and several and equal_variances:
        notes.append(
            "All variances are equal, so all subsets of one metric tie; the first metric is shown."
        )
    choice = Choice(
        method,
        objective,
        candidates,
        include=np.array(inside, dtype=np.intp),
        largest=largest,
        cost=_costs(source, cost or {}),
        budget=np.inf if budget is None else float(budget),
        time_limit=time_limit,
    )
    return choice, notes


def _check_limits(
    method: Search,
    cost: Mapping[str, float] | None,
    budget: float | None,
    time_limit: float,
) -> None:
    """Raise ScoresError for costs without a budget, a budget without exact search, and limits that are not above 0."""
    if cost and budget is None:
        raise ScoresError("--cost needs --budget and --method exact")
    if budget is not None and not budget > 0:
        raise ScoresError(f"the budget must be above 0, not {budget}")
    if budget is not None and method != "exact":
        raise ScoresError(
            "--budget needs --method exact; the other methods order metrics without regard to cost"
        )
    if not time_limit > 0:
        raise ScoresError(f"the time limit must be above 0 seconds, not {time_limit}")


def _seldom_reported(
    source: MetricMatrix, include: str | Iterable[str], k: int | None
) -> list[str]:
    """Name the metrics that papers do not usually report; none if too few are left to choose from."""
    included = (source.metrics[at] for at in _positions(source, include))
    kept = {*included, *filter(is_reported, source.metrics)}
    if len(kept) < max(k or 1, 1):
        return []
    return [name for name in source.metrics if name not in kept]


def is_reported(name: str) -> bool:
    """Say whether papers usually report a metric, whatever its parameters; one that irmeta does not know counts.

    >>> [is_reported(name) for name in ("nDCG(gains='exp')@10", "P@1000", "P@1000 (std.)", "clicks")]
    [True, False, False, True]
    """
    if not is_known(raw(name)):
        return True
    metric = parse(raw(name))
    cut = "" if metric.cutoff is None else f"@{metric.cutoff}"
    return f"{metric.base}{cut}" in REPORTED


def _other_choices(
    source: MetricMatrix,
    choice: Choice,
    few: int,
    include: str | Iterable[str],
    without: Iterable[str],
) -> dict[str, Any]:
    """Choose as many metrics at the other levels, and by the other objective: `other` (way, metric).

    few : how many.  include, without : metrics that every set must have, and that none may have.
    A level at which there are too few rows for a matrix is left out; means alone have one level.
    """
    own: Any = source.level
    kind: Any = source.kind
    ways: list[tuple[str, Level, Objective]] = []
    if _topics(source.cubes) > 1:
        others = (level for level in _LEVELS if level != own)
        ways += [(_LEVELS[level], level, choice.objective) for level in others]
    by_determinant = choice.objective == "determinant"
    other: Objective = "unreported" if by_determinant else "determinant"
    ways.append((_OBJECTIVES[other], own, other))
    time = OTHER_TIME * choice.time_limit
    found = {}
    for words, at, objective in ways:
        try:
            matrix = from_scores(
                source.cubes, kind, at, "error", metrics=source.metrics
            )
            among, _ = _choice(
                matrix, "exact", objective, few, include, without, None, None, time
            )
            taken = select(matrix.sigma, among).chosen[few]
        except ScoresError:
            continue
        found[words] = np.isin(np.arange(len(source.metrics)), taken)
    if not found:
        return {}
    return {
        "other": (("way", "metric"), np.stack(list(found.values()))),
        "way": list(found),
    }


def _rivals(source: MetricMatrix, choice: Choice, few: int) -> dict[str, Any]:
    """Return the sets of a size, `few`, that are not clearly worse than the best; {} where they cannot be compared."""
    sigma, objective = source.sigma, choice.objective
    try:
        found = rivals(
            sigma,
            source.without_topics,
            choice.candidates,
            choice.include,
            few,
            objective,
        )
    except np.linalg.LinAlgError:
        # without some topics a metric is determined by others
        return {}
    if found is None:
        return {}
    taken = np.zeros((len(found.subsets), len(sigma)), dtype=np.bool_)
    np.put_along_axis(taken, found.subsets, True, axis=1)
    return {
        "rival": (("near", "metric"), taken),
        "rival_behind": ("near", found.behind),
        "rival_behind_low": ("near", found.low),
        "compared_sets": found.compared,
    }


def _candidates(
    source: MetricMatrix, inside: list[int], outside: list[int]
) -> tuple[Order, list[str]]:
    """Return the metrics that can be chosen, and notes on those that others determine."""
    both = set(inside) & set(outside)
    if both:
        raise ScoresError(f"{source.metrics[both.pop()]} is both included and excluded")
    free = np.setdiff1d(np.arange(len(source.metrics)), outside)
    combined = dependent(
        source.sigma[np.ix_(free, free)], np.searchsorted(free, inside)
    )
    candidates = np.delete(free, [i for i, _ in combined])
    lost = [source.metrics[i] for i in inside if i not in candidates]
    if lost:
        raise ScoresError(
            f"{lost[0]} is a linear combination of the other included metrics; leave it out of "
            "--include"
        )
    names = [source.metrics[i] for i in free]
    notes = []
    for i, parts in combined:
        determining = ", ".join(names[j] for j in parts)
        notes.append(
            f"{names[i]} cannot be chosen, because it is a linear combination of {determining}."
        )
    return candidates, notes


def _topics(cubes: Mapping[str, xr.DataArray]) -> int:
    """Count the topics of the collection that has most."""
    return max((scores.sizes["topic"] for scores in cubes.values()), default=0)


def _positions(source: MetricMatrix, names: str | Iterable[str]) -> list[int]:
    """Return the places of metrics among those of the matrix, ascending; an unknown name raises ScoresError."""
    found = []
    for name in metric_names(names):
        known = found_as(name, source.metrics)
        if known is None:
            raise ScoresError(
                f"no metric {name!r} to choose from; {nearest(name, source.metrics)}"
            )
        found.append(source.metrics.index(known))
    return sorted(set(found))


def _costs(source: MetricMatrix, cost: Mapping[str, float]) -> Floats:
    """Return the cost of each metric, 1 where none is given."""
    paid = np.ones(len(source.metrics))
    for name, price in cost.items():
        if not (np.isfinite(price) and price >= 0):
            raise ScoresError(f"the cost of {name} must be 0 or more, not {price}")
        paid[_positions(source, [name])] = price
    return paid


def _selection_figures(
    source: MetricMatrix, choice: Choice, selection: Selection
) -> dict[str, Any]:
    """Return the order, and the subsets with what they are worth beside the best of their size."""
    sigma, order, count = source.sigma, selection.order, len(source.metrics)
    prefixes = [order[:size] for size in range(1, len(order) + 1)]
    values = [value(sigma, subset, choice.objective) for subset in prefixes]
    by_size = _figures_by_size(source, choice, selection)
    return {
        "order": ("position", np.array(source.metrics, dtype=object)[order]),
        "value": ("position", np.array(values)),
        "criterion": ("position", explained_by_each(sigma, order)),
        "chosen": (("k", "metric"), flags(selection.chosen, count)),
        "candidate": ("metric", np.isin(np.arange(count), choice.candidates)),
        **{name: ("k", numbers) for name, numbers in by_size.items()},
    }


def _figures_by_size(
    source: MetricMatrix, choice: Choice, selection: Selection
) -> dict[str, Any]:
    """Return what the subset of each size is worth, beside the best of that size: arrays of shape (k,)."""
    sigma = source.sigma
    objective = choice.objective
    chosen = selection.chosen.values()
    optima = selection.optima.values()
    log_det = np.array([log_determinant(sigma, subset) for subset in chosen])
    left = np.array([unexplained(sigma, subset) for subset in chosen])
    values = log_det if objective == "determinant" else left
    best = np.array([value(sigma, optimum.subset, objective) for optimum in optima])
    limits = np.array([limit(sigma, optimum, objective) for optimum in optima])
    proven = np.array([optimum.proven for optimum in optima])
    low, high = _left_interval(source, left, chosen)
    numbers = {
        "log_det": log_det,
        "unexplained": left,
        "unexplained_low": low,
        "unexplained_high": high,
        "optimal": best,
        "ratio_to_optimum": ratio(values, best, objective),
        "gap": np.where(proven, 0.0, np.abs(limits - best)),
        "proven": proven,
        "nodes": np.array([optimum.nodes for optimum in optima]),
    }
    if np.isfinite(choice.budget):
        numbers["cost"] = np.array([choice.cost[subset].sum() for subset in chosen])
    return numbers


def _left_interval(
    source: MetricMatrix, left: Floats, chosen: Iterable[Ints]
) -> tuple[Floats, Floats]:
    """Return the 95% interval, over topics, of what each set leaves unexplained: arrays of shape (k,)."""
    subsets = list(chosen)
    try:
        without = [
            [unexplained(sigma, subset) for subset in subsets]
            for sigma in source.without_topics
        ]
    except np.linalg.LinAlgError:
        # without some topics a metric is determined by others
        without = []
    return share_interval(left, [np.reshape(without, (-1, left.size))])


def _stability(
    source: MetricMatrix,
    choice: Choice,
    selection: Selection,
    partitions: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], list[str]]:
    """Choose from random halves of the topics: how often each metric is chosen, and how much by both halves."""
    sizes = list(selection.chosen)
    again, proven = choices(source.halved, choice, selection.chosen, partitions, rng)
    if not len(again):
        raise ScoresError(
            "in every partition of the topics some metric is constant on one half, or a linear "
            "combination of others; use fewer metrics"
        )
    found = stability(again, choice, sizes)
    data = {
        "again": (("k", "metric"), found.chosen),
        "again_se": (("k", "metric"), found.se),
        "kept": ("k", found.kept),
        "same": ("k", found.same),
        "chance": ("k", found.chance),
        **_alternatives(source, sizes, again),
    }
    notes = []
    skipped = partitions - len(again)
    if skipped:
        notes.append(
            f"{skipped} of {partitions} partitions are left out: on one half a metric was constant, "
            "or a linear combination of others."
        )
    stopped = np.count_nonzero(~proven.all(axis=(1, 2)))
    if stopped:
        unproven = np.array(sizes)[~proven.all(axis=(0, 1))]
        listed = ", ".join(map(str, unproven))
        notes.append(
            f"In {stopped} of {len(again)} partitions the search reached its limit before the best "
            f"subsets of {listed} metrics were proven; the best found are counted (--time-limit SECONDS searches "
            "longer)."
        )
    return data, notes


def _alternatives(
    source: MetricMatrix, sizes: list[int], again: Bools
) -> dict[str, Any]:
    """Return the sets that halves choose most often, size by size, with what they leave unexplained on all topics."""
    found = [alternatives(again, at, SETS) for at in range(len(sizes))]
    subsets = np.concatenate([taken for taken, _ in found])
    left = [unexplained(source.sigma, np.flatnonzero(subset)) for subset in subsets]
    return {
        "alternative": (("set", "metric"), subsets),
        "alternative_k": ("set", np.repeat(sizes, [len(taken) for taken, _ in found])),
        "alternative_chosen": ("set", np.concatenate([share for _, share in found])),
        "alternative_unexplained": ("set", np.array(left)),
    }
