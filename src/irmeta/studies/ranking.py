"""Which few metrics to report: those that say most and repeat each other least, or that foretell the others best."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Level, Matrix, Missing, Objective, Search
from irmeta.errors import ScoresError, require_choice
from irmeta.matrix import MetricMatrix, from_matrix, from_scores, is_scores
from irmeta.names import metric_names, nearest
from irmeta.parallel import seeded
from irmeta.result import result
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.matrices import dependent
from irmeta.stats.subsets.orders import Order, log_determinant, unexplained
from irmeta.stats.subsets.selection import Choice, Selection, limit, ratio, select, value
from irmeta.stats.subsets.stability import choices, flags, stability

TRUST = ((0.8, "the choice holds"), (0.5, "part of it is arbitrary"), (-np.inf, "do not trust the choice"))
"""What we say of a choice, by the least share of it, corrected for chance, that resampled topics make again."""


_SUBSETS = ("log_det", "unexplained", "cost", "optimal", "ratio_to_optimum", "gap", "proven", "nodes", "kept", "same")


def rank_metrics(
    scores: Any,
    method: Search = "exact",
    matrix: Matrix | None = None,
    k: int | None = None,
    *,
    level: Level = "topic",
    objective: Objective | None = None,
    metrics: str | Iterable[str] | None = None,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    time_limit: float = 60.0,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    resamples: int = 0,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Rank metrics, and find the best subset of each size up to k (every size by default), proven where time allows.

    scores : a cube, several by collection name (their rows are pooled), or a square matrix of covariances: an array, or
    a DataFrame or DataArray with the metrics' names.
    method : "exact" finds the best subset of each size; the others give one order: "ib" iterative backward, "sheffield"
    the same with every determinant computed, "pivot" pivoted Cholesky, "gf" greedy forward as published, "gf-code" as
    released, "trace" the order of "gf" judged by what it aims at.
    objective : what makes a subset good. "determinant": the determinant of its matrix is large; "unreported": it leaves
    little variance of the other metrics unexplained. The default is "unreported" for "trace", else "determinant".
    matrix : "covariance", "correlation" (the default), "rank" (correlation of normal scores), "shrunk" (correlation,
    Ledoit-Wolf). A matrix that is given is used as it is, unless this says "correlation".
    level : what a row of scores is: a system on a topic ("topic"), the same less the topic's mean ("within-topic"), or
    a system's mean ("system").
    metrics, top, by, missing : what to use of the scores, as in `irmeta.cube.studied`; a matrix is used whole.
    include, exclude : metrics in every subset, and in none; excluded ones still count among those to be explained.
    cost, budget : what a metric costs (1 where not named), and what a subset may cost; with "exact" only.
    time_limit : seconds for the search; a size that is not proven by then says so, with the gap that remains, and may
    have another subset on another machine.
    resamples : how often to draw topics with replacement and choose again, to see what can be trusted; each choice has
    a limit of work, about a second, not of time, so that the same seed chooses the same on every machine.

    Raises ScoresError if the matrix is not positive semi-definite, or has too few rows for its metrics.
    Sources: Gupta et al. (ECIR 2019), section 6; Sheffield (1985); McCabe (1984); Ko, Lee and Queyranne (1995).

    >>> rank_metrics([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 2.0]], k=2)["order"].values.tolist()
    ['1', '3']
    """
    require_choice("method", method, get_args(Search))
    require_choice("matrix", matrix, (None, *get_args(Matrix)))
    require_choice("level", level, get_args(Level))
    require_choice("objective", objective, (None, *get_args(Objective)))
    require_choice("missing", missing, get_args(Missing))
    generator, chance = seeded(rng)
    if is_scores(scores):
        kind = matrix or "correlation"
        source = from_scores(scores, kind, level, missing, metrics=metrics, top=top, by=by)
    elif metrics is not None or top is not None or by is not None:
        raise ScoresError("a matrix is used whole: metrics, top and by choose from scores; cut the matrix itself")
    else:
        source = from_matrix(scores, matrix)
    choice, notes = _task(source, method, objective, k, include, exclude, cost, budget, time_limit)
    if resamples < 0 or (resamples and _topics(source.cubes) < 2):
        raise ScoresError("topics are resampled 0 or more times, and there must be at least two; leave out --resamples")
    selection = select(source.sigma, choice)
    if not selection.optima:
        raise ScoresError(f"no subset costs at most {budget}; raise the budget, or include fewer metrics")
    if not _nested(selection):
        notes.append("The best sets are not nested: the order goes by the number of them that hold a metric.")
    data = _described(source, choice, selection)
    if resamples:
        stability, more = _stability(source, choice, selection, resamples, generator)
        data, notes = data | stability, notes + more
    options = {
        "method": method,
        "objective": choice.objective,
        "matrix": source.kind,
        "level": source.level,
        "k": k,
        "include": [source.metrics[i] for i in choice.include],
        "exclude": metric_names(exclude),
        "cost": dict(cost or {}),
        "budget": budget,
        "top": top,
        "by": by,
        "time_limit": time_limit,
        "resamples": resamples,
        "seed": chance,
    }
    outcome = result("ranking", data, inputs=source.cubes, options=options, notes=[*source.notes, *notes])
    return outcome.assign_coords(k=list(selection.optima), metric=source.metrics)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Give the tables of the JSON contract.

    order : position, metric, value (of the metrics up to there, by the objective).
    subsets : k, metrics, log_det, unexplained (share of all variance), optimal (the best value of the objective),
    ratio_to_optimum, gap (how much better than that a subset may still be), proven, nodes (of the search); with a
    budget, cost; with resamples, kept (share of the subset, less included metrics, that is chosen again) and same
    (share of resamples in which all of it is).
    stability : k, metric, chosen (share of resamples), se; with resamples only.
    """
    metrics = [str(name) for name in outcome["metric"].values]
    order = [str(name) for name in outcome["order"].values]
    chosen = [[name for name, taken in zip(metrics, row, strict=True) if taken] for row in outcome["chosen"].values]
    numbers = {name: outcome[name].values for name in _SUBSETS if name in outcome}
    views = {
        "order": pl.DataFrame(
            {"position": range(1, len(order) + 1), "metric": order, "value": outcome["value"].values}
        ),
        "subsets": pl.DataFrame({"k": outcome["k"].values, "metrics": chosen, **numbers}),
    }
    if "again" in outcome:
        again, error = outcome["again"].values, outcome["again_se"].values
        at = np.argwhere(again > 0)
        views["stability"] = pl.DataFrame(
            {
                "k": outcome["k"].values[at[:, 0]],
                "metric": [metrics[i] for i in at[:, 1]],
                "chosen": again[again > 0],
                "se": error[again > 0],
            }
        ).sort("k", "chosen", descending=[False, True], maintain_order=True)
    return views


def findings(outcome: xr.Dataset) -> list[str]:
    """Say what to report, how good that is, and whether to trust it."""
    options = about(outcome)["options"]
    few = _few(outcome)
    at = outcome.sel(k=few)
    named = ", ".join(str(name) for name in outcome["metric"].values[at["chosen"].values])
    basis = f"{options['matrix']} matrix" + (f", {options['level']} level" if options["level"] else "")
    said = [
        f"Report {named} ({basis}): {few} of {outcome.sizes['metric']} metrics, which leave "
        f"{float(at['unexplained']):.1%} of the variance of all unexplained."
    ]
    proven, ratios = outcome["proven"].values, outcome["ratio_to_optimum"].values
    if options["method"] != "exact":
        worst = outcome["k"].values[ratios.argmin()]
        said.append(
            f"{options['method']} finds the best subset at {int((ratios > 1 - 1e-6).sum())} of {ratios.size} sizes; "
            f"at its worst, {worst} metrics, it reaches {ratios.min():.2g} of the optimum."
        )
    unproven = [str(k) for k in outcome["k"].values[~proven]]
    said.append(
        f"Not proven in the time given: the best subsets of {', '.join(unproven)}; see the column gap."
        if unproven
        else f"No better set {_searched(outcome)} exists: proven by search."
        if options["method"] == "exact"
        else f"The optimum that it is measured by, the best set {_searched(outcome)}, is proven at every size."
    )
    if "kept" in outcome:
        said.append(_trust(outcome, few))
    elif any(one["topics"] > 1 for one in about(outcome)["inputs"]["collections"].values()):
        said.append("Would other topics choose the same? --resamples 100 tells.")
    return said


def _searched(outcome: xr.Dataset) -> str:
    """Say which sets a search went through: their sizes, and what they may hold and cost."""
    options, sizes = about(outcome)["options"], outcome["k"].values
    least, most = int(sizes.min()), int(sizes.max())
    free, every = int(outcome["candidate"].sum()), outcome.sizes["metric"]
    return (
        f"of {least if least == most else f'{least} to {most}'} of the "
        + (f"{every} metrics" if free == every else f"{free} metrics that can be chosen")
        + (f", with {', '.join(options['include'])} in it" if options["include"] else "")
        + (f", at a cost of at most {options['budget']:g}" if options["budget"] is not None else "")
    )


def _few(outcome: xr.Dataset) -> int:
    """Give the size to speak of: the largest if the user set one, else the first that leaves less than a tenth."""
    enough = outcome["k"].values[outcome["unexplained"].values < 0.1]
    asked = about(outcome)["options"]["k"] is not None
    return int(outcome["k"].values[-1] if asked or not enough.size else enough[0])


def _trust(outcome: xr.Dataset, few: int) -> str:
    kept, same, chance = (float(outcome[name].sel(k=few)) for name in ("kept", "same", "chance"))
    corrected = (kept - chance) / (1 - chance) if chance < 1 else 1.0
    verdict = next(said for least, said in TRUST if corrected >= least)
    return (
        f"On resampled topics, {kept:.0%} of these {few} are chosen again (by chance it would be {chance:.0%}), all of "
        f"them in {same:.0%} of resamples: {verdict}."
    )


def _task(
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
    goal: Objective = objective or ("unreported" if method == "trace" else "determinant")
    if (cost or budget is not None) and (method != "exact" or budget is None):
        raise ScoresError("costs go with --budget and --method exact: an order of metrics knows no budget")
    if not time_limit > 0:
        raise ScoresError(f"the time limit is in seconds and above 0, not {time_limit}")
    inside, outside = _named(source, include), _named(source, exclude)
    candidates, notes = _candidates(source, inside, outside)
    largest = candidates.size if k is None else k
    least = max(1, len(inside))
    if not least <= largest <= candidates.size:
        raise ScoresError(f"k is {largest}; with these metrics it can be {least} to {candidates.size}")
    if goal == "determinant" and not inside and candidates.size > 1 and np.ptp(np.diag(source.sigma)) == 0:
        notes.append("All variances are equal: subsets of one metric are tied, and the first metric stands for all.")
    limit = np.inf if budget is None else float(budget)
    paid = _costs(source, cost or {})
    return Choice(method, goal, candidates, np.array(inside, dtype=np.intp), largest, paid, limit, time_limit), notes


def _candidates(source: MetricMatrix, inside: list[int], outside: list[int]) -> tuple[Order, list[str]]:
    """Give the metrics that can be chosen, and notes on those that others determine."""
    if both := set(inside) & set(outside):
        raise ScoresError(f"{source.metrics[both.pop()]} is both included and excluded")
    free = np.setdiff1d(np.arange(len(source.metrics)), outside)
    combined = dependent(source.sigma[np.ix_(free, free)], np.searchsorted(free, inside))
    candidates = np.delete(free, [i for i, _ in combined])
    if lost := [source.metrics[i] for i in inside if i not in candidates]:
        raise ScoresError(f"{lost[0]} is a linear combination of the other included metrics; include fewer")
    names = [source.metrics[i] for i in free]
    notes = [
        f"{names[i]} cannot be chosen: it is determined by {', '.join(names[j] for j in parts)}."
        for i, parts in combined
    ]
    return candidates, notes


def _topics(cubes: Mapping[str, xr.DataArray]) -> int:
    """Count the topics of the collection that has most."""
    return max((one.sizes["topic"] for one in cubes.values()), default=0)


def _nested(selection: Selection) -> bool:
    sets = [set(subset.tolist()) for subset in selection.chosen.values()]
    return all(small < large for small, large in pairwise(sets))


def _named(source: MetricMatrix, names: str | Iterable[str]) -> list[int]:
    """Find metrics by name."""
    found = []
    for name in metric_names(names):
        if name not in source.metrics:
            raise ScoresError(f"no metric {name!r} to choose from; {nearest(name, source.metrics)}")
        found.append(source.metrics.index(name))
    return sorted(set(found))


def _costs(source: MetricMatrix, cost: Mapping[str, float]) -> Floats:
    paid = np.ones(len(source.metrics))
    for name, price in cost.items():
        if not (np.isfinite(price) and price >= 0):
            raise ScoresError(f"the cost of {name} is {price}; costs are numbers from 0")
        paid[_named(source, [name])] = price
    return paid


def _described(source: MetricMatrix, choice: Choice, selection: Selection) -> dict[str, Any]:
    """Give the subsets with what they are worth, beside the best of their size."""
    chosen, optima = selection.chosen.values(), selection.optima.values()
    log_det = np.array([log_determinant(source.sigma, subset) for subset in chosen])
    left = np.array([unexplained(source.sigma, subset) for subset in chosen])
    values = log_det if choice.objective == "determinant" else left
    best = np.array([value(source.sigma, one.subset, choice.objective) for one in optima])
    limits = np.array([limit(source.sigma, one, choice.objective) for one in optima])
    proven = np.array([one.proven for one in optima])
    first = [selection.order[:position] for position in range(1, len(selection.order) + 1)]
    per_size = {
        "log_det": log_det,
        "unexplained": left,
        "optimal": best,
        "ratio_to_optimum": ratio(values, best, choice.objective),
        "gap": np.where(proven, 0.0, np.abs(limits - best)),
        "proven": proven,
        "nodes": np.array([one.nodes for one in optima]),
        **({"cost": np.array([choice.cost[subset].sum() for subset in chosen])} if np.isfinite(choice.budget) else {}),
    }
    return {
        "order": ("position", np.array(source.metrics, dtype=object)[selection.order]),
        "value": ("position", np.array([value(source.sigma, subset, choice.objective) for subset in first])),
        "chosen": (("k", "metric"), flags(selection.chosen, len(source.metrics))),
        "candidate": ("metric", np.isin(np.arange(len(source.metrics)), choice.candidates)),
        **{name: ("k", numbers) for name, numbers in per_size.items()},
    }


def _stability(
    source: MetricMatrix,
    choice: Choice,
    selection: Selection,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], list[str]]:
    """Choose again on topics drawn with replacement: how often each metric is chosen, and how much of each subset."""
    again, proven = choices(source.resampled, choice, selection.chosen, resamples, rng)
    if not len(again):
        raise ScoresError("in every resample of the topics some metric is determined by others; use fewer metrics")
    found = stability(flags(selection.chosen, len(source.metrics)), again, choice)
    notes = []
    if skipped := resamples - len(again):
        notes.append(
            f"{skipped} of {resamples} resamples are left out: a metric was constant, or determined by others."
        )
    if stopped := np.count_nonzero(~proven.all(axis=1)):
        sizes = ", ".join(str(k) for k in np.array(list(selection.chosen))[~proven.all(axis=0)])
        notes.append(
            f"In {stopped} of {len(again)} resamples the search came to its limit before the best subsets of {sizes} "
            "were proven: what counts there is the best found."
        )
    return {
        "again": (("k", "metric"), found.chosen),
        "again_se": (("k", "metric"), found.se),
        "kept": ("k", found.kept),
        "same": ("k", found.same),
        "chance": ("k", found.chance),
    }, notes
