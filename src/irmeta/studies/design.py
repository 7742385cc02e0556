"""What the next collection should be: how many topics, judged how deep, by which metric, for a budget."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.stats
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Missing
from irmeta.cube import additive, check, complete, metric_of, select
from irmeta.errors import ScoresError
from irmeta.layout import first_rows, intervals
from irmeta.names import found_as, is_known, metric_names, parse
from irmeta.parallel import seeded
from irmeta.result import frame, result, short
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.reliability.worth import Worth, fit, predicted, worth

TOPICS = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
FULL = 0
"""Stands for a depth: all judgments there are."""
BEYOND = 4
"""Curves are followed to this multiple of the topics that were measured."""


@dataclass(frozen=True)
class Way:
    """One way to spend: a metric, judged to a depth (FULL for as deep as it was), by people or a machine.

    judgments : documents to judge a topic; NaN where nobody knows.  cost : of a topic, its judgments included.
    """

    metric: str
    depth: int
    judge: str
    judgments: float
    cost: float

    def __str__(self) -> str:
        depth = "" if self.depth == FULL else f" to depth {self.depth}"
        machine = ", judged by a machine" if self.judge == "machine" else ""
        return f"{depth} by {self.metric}{machine}".strip()


def design(
    scores: xr.DataArray,
    *,
    target: str,
    metrics: str | Iterable[str] | None = None,
    pools: Mapping[int, float] | None = None,
    judged: float | None = None,
    known: Mapping[int, float] | None = None,
    machine: xr.DataArray | None = None,
    topic_cost: float = 30.0,
    judgment_cost: float = 1.0,
    machine_cost: float = 0.0,
    budget: float | None = None,
    topics: Sequence[int] = TOPICS,
    level: float = 0.95,
    partitions: int = 400,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Compare ways to spend on a collection by how far they rank systems as the target metric does on other topics.

    scores : a cube; a metric named with `pool=D`, as in AP(pool=10), is one judged to depth D.
    target : the metric to be predicted, judged in full.  metrics : to choose from, without `pool=`; all by default.
    pools : by depth, the documents to judge a topic; judged : those of the full judgments. Without them judgments cost
    nothing, and a note says so.  known : by depth, the share of these documents that are judged, if not all are.
    machine : the same systems and topics, judged by a machine at `machine_cost` a document.
    topic_cost, judgment_cost, machine_cost, budget : in any one unit.  topics : numbers of topics to say it for.
    level : of the intervals, over samples of topics and systems.  partitions : of topics, at random.

    Returns over (way) metric, depth (0 for all judgments), judge, judgments, topic_cost, and with a budget affordable,
    the topics it buys, chosen_tau, chosen_low, chosen_high, behind_low (how far the way is behind the best at least);
    over (way, size) cost, tau, low, high, measured (else extrapolated), front (no way is cheaper and as good).

    tau is Kendall's tau-b between systems ranked by the way on n topics and by the target on n others: measured up to
    half of the topics, from there along (2/pi) asin(a n / (n + k)). Raises ScoresError for fewer than 3 systems or 8
    topics.

    >>> from irmeta.cube import cube
    >>> rng = np.random.default_rng(0)
    >>> made = np.arange(9)[:, None, None] / 9 + rng.random((9, 20, 2)) * [1, 3]
    >>> made = cube(made, list("abcdefghi"), [str(n) for n in range(20)], ["AP", "RR"])
    >>> found = design(made, target="AP", budget=300, partitions=40)
    >>> [str(metric) for metric in found["metric"].values], found["affordable"].values.tolist()
    (['AP', 'RR'], [10, 10])
    """
    generator, chance = seeded(rng)
    scores = check(scores)
    names = _candidates(scores, metrics)
    target = metric_of(scores, target)
    used, notes = complete(select(scores, metrics=list(dict.fromkeys([*names, target]))), missing)
    _check(used, {"topic_cost": topic_cost, "judgment_cost": judgment_cost, "machine_cost": machine_cost}, budget)
    prices = {"people": judgment_cost, "machine": machine_cost}
    cubes = {"people": used} | ({} if machine is None else {"machine": _same(machine, used, names)})
    ways = [
        _way(name, judge, pools, judged, topic_cost, prices[judge])
        for judge, one in cubes.items()
        for name in one.metric.values
        if name in names
    ]
    columns = np.concatenate(
        [additive(one.sel(metric=[m for m in one.metric.values if m in names])).values for one in cubes.values()],
        axis=2,
    )
    goal = additive(used.sel(metric=[target])).values[..., 0]
    found = worth(columns, goal, _sizes(used.sizes["topic"]), generator, partitions)
    options: dict[str, Any] = {
        "target": target,
        "budget": budget,
        "topic_cost": topic_cost,
        "judgment_cost": judgment_cost,
    }
    options |= {"machine_cost": machine_cost, "level": level, "partitions": partitions, "missing": missing}
    options |= {"pools": None if pools is None else dict(pools), "judged": judged, "seed": chance}
    return result(
        "design",
        _figures(found, ways, [n for n in topics if n >= 2], budget, level),
        inputs={str(scores.attrs.get("collection", "collection")): used},
        options=options,
        notes=notes + _notes(found, ways, known or {}),
    )


def _candidates(scores: xr.DataArray, metrics: str | Iterable[str] | None) -> list[str]:
    """List the columns to choose from: those of the metrics, at every depth."""
    known = [str(name) for name in scores.metric.values]
    if metrics is None:
        return known
    bases = [_without_pool(name)[0] for name in known]
    wanted = [found_as(name, bases) or name for name in metric_names(metrics)]
    found = [name for name in known if name in wanted or _without_pool(name)[0] in wanted]
    missing = [name for name in wanted if all(_without_pool(one)[0] != name for one in found)]
    if missing:
        select(scores, metrics=missing)  # raises, with the nearest names
    return found


def _without_pool(name: str) -> tuple[str, int]:
    """Split a column's name into its metric and the depth it is judged to."""
    depth = parse(name)["pool"] if is_known(name) else None
    if not isinstance(depth, int):
        return name, FULL
    text = str(parse(name)).replace(f", pool={depth}", "").replace(f"(pool={depth})", "")
    return str(parse(text.replace(f"(pool={depth}, ", "("))), depth


def _check(used: xr.DataArray, costs: dict[str, float], budget: float | None) -> None:
    if used.sizes["system"] < 3 or used.sizes["topic"] < 8:
        raise ScoresError("a design needs at least 3 systems and 8 topics to be measured on")
    for name, cost in costs.items():
        if not cost >= 0:
            raise ScoresError(f"{name} is 0 or more, not {cost:g}")
    if costs["topic_cost"] + costs["judgment_cost"] <= 0:
        raise ScoresError("topics and judgments that cost nothing leave nothing to choose; set topic_cost")
    if budget is not None and not budget > 0:
        raise ScoresError(f"a budget is above 0, not {budget:g}")


def _same(machine: xr.DataArray, used: xr.DataArray, names: Sequence[str]) -> xr.DataArray:
    """Return a machine's scores of the systems and topics that are used."""
    shared = [name for name in names if name in machine.metric.values]
    if not shared:
        raise ScoresError("the machine's scores have none of the metrics; evaluate the same runs by the same metrics")
    one = select(machine, systems=used.system.values.tolist(), topics=used.topic.values.tolist(), metrics=shared)
    return complete(one)[0]


def _way(
    name: str, judge: str, pools: Mapping[int, float] | None, judged: float | None, topic_cost: float, price: float
) -> Way:
    metric, depth = _without_pool(name)
    known = judged if depth == FULL else (pools or {}).get(depth)
    if depth != FULL and known is None:
        raise ScoresError(
            f"{name}: how many documents a pool of depth {depth} has is not given; pass pools={{{depth}: ...}}"
        )
    judgments = np.nan if known is None else known
    return Way(metric, depth, judge, judgments, topic_cost + price * (0 if known is None else known))


def _sizes(topics: int) -> list[int]:
    """Choose the numbers of topics to measure with: seven or fewer, up to half of them."""
    return sorted({int(n) for n in np.geomspace(max(2, topics // 12), topics // 2, 7).round()})


def _figures(
    found: Worth, ways: Sequence[Way], topics: Sequence[int], budget: float | None, level: float
) -> dict[str, Any]:
    """Compute worth and cost of each way with each number of topics, and with those that the budget buys."""
    most = BEYOND * found.sizes[-1]
    counts = [n for n in topics if n <= most]
    prices = np.array([way.cost for way in ways])
    points = [_promised(found, np.full(len(ways), n), level) for n in counts]
    tau, low, high, _ = (np.stack(part, axis=1) for part in zip(*points, strict=True))
    cost = prices[:, None] * np.array(counts)
    data: dict[str, Any] = {"size": counts}
    data |= {name: ("way", [getattr(way, name) for way in ways]) for name in ("metric", "depth", "judge", "judgments")}
    data |= {"topic_cost": ("way", prices), "label": ("way", [str(way) for way in ways])}
    figures = {"cost": cost, "tau": tau, "low": low, "high": high}
    figures["measured"] = np.broadcast_to(np.array(counts) <= found.sizes[-1], cost.shape)
    figures["front"] = _front(cost, tau)
    data |= {name: (("way", "size"), part) for name, part in figures.items()}
    curve = fit(found.sizes, found.tau)
    data |= {"a": ("way", curve.a), "k": ("way", curve.k), "most": most, "half": found.sizes[-1]}
    return data if budget is None else data | _chosen(found, np.minimum(budget // prices, most).astype(int), level)


def _promised(found: Worth, topics: Ints, level: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return tau of each way with its interval over topics and systems, and how it moves without each of them."""
    tau, moves = predicted(found, topics)
    freedom = min(len(found.by_topic), len(found.by_system)) - 1
    half = scipy.stats.t.ppf((1 + level) / 2, freedom) * np.sqrt((moves**2).sum(axis=0) + found.error.max() ** 2)
    return tau, np.maximum(tau - half, -1), np.minimum(tau + half, 1), moves


def _chosen(found: Worth, affordable: Ints, level: float) -> dict[str, Any]:
    """Compute what the budget buys in each way, and how far each is behind the best."""
    tau, low, high, moves = _promised(found, np.maximum(affordable, 2), level)
    tau = np.where(affordable >= 2, tau, np.nan)
    best = int(np.nanargmax(tau)) if (affordable >= 2).any() else 0
    freedom = min(len(found.by_topic), len(found.by_system)) - 1
    apart = np.sqrt(((moves - moves[:, [best]]) ** 2).sum(axis=0))
    behind = tau[best] - tau - scipy.stats.t.ppf((1 + level) / 2, freedom) * apart
    ends = {"chosen_low": low, "chosen_high": high, "behind_low": behind}
    data = {name: np.where(affordable >= 2, part, np.nan) for name, part in ends.items()}
    data |= {"affordable": affordable, "chosen_tau": tau}
    return {name: ("way", part) for name, part in data.items()}


def _front(cost: Floats, tau: Floats) -> Bools:
    """Say which points no other beats: none is as cheap and better, or cheaper and as good."""
    flat_cost, flat_tau = cost.ravel(), tau.ravel()
    order = np.lexsort((-flat_tau, flat_cost))
    highest = np.maximum.accumulate(flat_tau[order])
    front = np.zeros(cost.size, dtype=np.bool_)
    front[order] = np.append(True, highest[1:] > highest[:-1])
    return front.reshape(cost.shape)


def _notes(found: Worth, ways: Sequence[Way], known: Mapping[int, float]) -> list[str]:
    half = found.sizes[-1]
    lines = [
        f"tau: systems ranked in one way on n topics and by the target on n others; measured up to {half} topics, "
        f"extrapolated to at most {BEYOND * half}."
    ]
    if all(way.depth == FULL for way in ways):
        lines.append("The depth of judging is not varied: that needs runs and judgments.")
    short_of = [f"{share:.0%} to depth {depth}" for depth, share in known.items() if share < 0.995]
    if short_of:
        lines.append(
            f"Of the documents in the pools only some are judged ({', '.join(short_of)}): all cost, but "
            "worth is measured with these, so that deep pools are worth more than said."
        )
    if any(np.isnan(way.judgments) for way in ways):
        lines.append("How many documents a topic has to judge is not known: only topics cost.")
    return lines


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `designs` (a row a way and number of topics), `front`, and with a budget `budget`."""
    ways = ["metric", "depth", "judge", "judgments"]
    figures = ["cost", "tau", "low", "high", "measured", "front"]
    designs = _rows(outcome, [*ways, *figures], ["way", "size"]).rename({"size": "topics"})
    designs = designs.select(*ways, "topics", *figures)
    views = {"designs": designs, "front": designs.filter("front").sort("cost")}
    if "affordable" in outcome:
        bought = {"affordable": "topics", "chosen_tau": "tau", "chosen_low": "low", "chosen_high": "high"}
        table = _rows(outcome, [*ways, "topic_cost", *bought, "behind_low"], ["way"])
        views["budget"] = table.rename(bought).sort("tau", descending=True, nulls_last=True)
    return views


def _rows(outcome: xr.Dataset, columns: list[str], by: list[str]) -> pl.DataFrame:
    """Return figures as a table, a row a way; what is not known is null."""
    numbered = outcome.assign_coords(way=range(outcome.sizes["way"]))
    return frame(numbered, columns, by=by).drop("way").with_columns(pl.selectors.float().fill_nan(None))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show what the budget buys, best first, and the front: the best for each cost."""
    views = tables(outcome)
    shown: dict[str, pl.DataFrame] = {}
    if "budget" in views:
        behind = pl.when(pl.col("behind_low") > 0).then(pl.lit("yes")).otherwise(pl.lit("no"))
        bought = views["budget"].filter(pl.col("tau").is_not_null())
        best = first_rows("budget", bought)
        shown |= {title: _read(part, behind.alias("behind")) for title, part in best.items()}
    how = pl.when("measured").then(pl.lit("yes")).otherwise(pl.lit("no"))
    return shown | {"best for each cost": _read(views["front"], how.alias("measured"))}


def _read(designs: pl.DataFrame, verdict: pl.Expr) -> pl.DataFrame:
    """Keep the columns that a person reads; the judge only where a machine is one."""
    full = pl.when(pl.col("depth") == FULL).then(pl.lit("full")).otherwise(pl.col("depth").cast(pl.String))
    judge = ["judge"] if (designs["judge"] == "machine").any() else []
    cost = pl.col("cost") if "cost" in designs.columns else pl.col("topic_cost") * pl.col("topics")
    between = pl.lit(intervals(designs["low"].to_numpy(), designs["high"].to_numpy(), 2)).alias("interval")
    price = cost.round().cast(pl.Int64).alias("cost")
    columns: list[str | pl.Expr] = ["metric", full.alias("depth"), *judge, "topics", price, "tau", between, verdict]
    return designs.select(columns)


def findings(outcome: xr.Dataset) -> list[str]:
    """Say what to buy, and what the same would cost if it were the target judged in full."""
    options = about(outcome)["options"]
    if options["budget"] is None:
        return [_cheapest(outcome, options["target"])]
    tau = outcome["chosen_tau"].values
    if np.isnan(tau).all():
        return [f"A budget of {options['budget']:g} does not buy 2 topics in any way."]
    best = int(np.nanargmax(tau))
    way = outcome.isel(way=best)
    topics, target = int(way["affordable"]), options["target"]
    promised, low, high = (short(float(way[f"chosen_{name}"])) for name in ("tau", "low", "high"))
    said = (
        f"For {options['budget']:g}: {_bought(way, topics)} rank systems as {target} does on as many other topics, "
        f"with tau {promised} ({low} to {high}{_reached(outcome, topics)})."
    )
    rivals = int(((outcome["behind_low"] <= 0) & ~np.isnan(tau)).sum()) - 1
    within = {0: "No other way is", 1: "1 other way is"}.get(rivals, f"{rivals} other ways are")
    return [said, *_same_worth(outcome, options["target"], best), f"{within} within error of the best."]


def _bought(way: xr.Dataset, topics: int) -> str:
    return f"{topics} topics {way['label'].item()}"


def _reached(outcome: xr.Dataset, topics: int) -> str:
    return "" if topics <= int(outcome["half"]) else "; extrapolated"


def _deepest(outcome: xr.Dataset, target: str) -> int | None:
    """Find the way that is the target itself, judged by people as deep as there is."""
    depth = outcome["depth"].values
    own = (outcome["metric"].values == target) & (outcome["judge"].values == "people")
    if not own.any():
        return None
    return int(np.flatnonzero(own)[np.argmax(np.where(depth == FULL, np.inf, depth)[own])])


def _same_worth(outcome: xr.Dataset, target: str, best: int) -> list[str]:
    """Say what the best way buys, in topics of the target judged in full."""
    other = _deepest(outcome, target)
    if other is None or other == best:
        return []
    one, two = outcome.isel(way=best), outcome.isel(way=other)
    y = np.sin(np.pi / 2 * float(one["chosen_tau"]))
    a, k = float(two["a"]), float(two["k"])
    if y >= a:
        return [f"No number of topics {two['label'].item()} buys as much."]
    topics = max(1, round(k * y / (a - y)))  # the curve, read the other way round
    cost, price = int(one["affordable"]) * float(one["topic_cost"]), topics * float(two["topic_cost"])
    return [f"{_bought(one, int(one['affordable']))} ({cost:.0f}) buy what {_bought(two, topics)} ({price:.0f}) buy."]


def _cheapest(outcome: xr.Dataset, target: str) -> str:
    """Say, without a budget, which way is on the front most often."""
    front = outcome["front"].values
    way = outcome.isel(way=int(front.sum(axis=1).argmax()))
    return (
        f"To rank systems as {target} does on new topics, judging {way['label'].item()} is the best buy at "
        f"{int(way['front'].sum())} of the {int(front.sum())} costs of the front; name a --budget to choose."
    )
