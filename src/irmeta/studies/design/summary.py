"""What a design says: its tables, what people read, and the sentences that answer."""

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import CLUSTER, about
from irmeta.scores.figures import intervals, short
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.result import frame, readers_nouns, with_nulls
from irmeta.stats.arrays import Bools
from irmeta.stats.reliability.curve import Curve
from irmeta.studies.design import more, subsets
from irmeta.studies.design.study import OF_A_WAY
from irmeta.studies.design.ways import FULL
from irmeta.words import counted, joined


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `designs` (a row for each way and number of topics), `front`, with a budget `budget`, and `more`."""
    ways = list(OF_A_WAY)
    figures = ["cost", "tau", "low", "high", "measured", "front"]
    designs = _rows(outcome, [*ways, *figures], ["way", "size"]).rename(
        {"size": "topics"}
    )
    designs = designs.select(*ways, "topics", *figures)
    views = {"designs": designs, "front": designs.filter("front").sort("cost")}
    if "affordable" in outcome:
        bought = {
            "affordable": "topics",
            "chosen_tau": "tau",
            "chosen_low": "low",
            "chosen_high": "high",
        }
        table = _rows(outcome, [*ways, "topic_cost", *bought, "behind_low"], ["way"])
        views["budget"] = table.rename(bought).sort(
            "tau", descending=True, nulls_last=True
        )
    if "more" in outcome:
        views["more"] = more.table(outcome)
    if "subset" in outcome:
        views |= subsets.tables(outcome)
    return views


def _rows(outcome: xr.Dataset, columns: list[str], by: list[str]) -> pl.DataFrame:
    """Return figures as a table, a row for each way; what is not known is null."""
    numbered = outcome.assign_coords(way=range(outcome.sizes["way"]))
    return with_nulls(frame(numbered, columns, by=by).drop("way"))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show what the budget buys, best first, and the front: the best for each cost."""
    views = tables(outcome)
    shown: dict[str, pl.DataFrame] = {}
    if "subset" in outcome:
        shown["tau with the ranking over all"] = subsets.overview(outcome)
    if "budget" in views:
        bought = views["budget"].filter(pl.col("tau").is_not_null())
        behind = _yes_or_no(pl.col("behind_low") > 0).alias("surely behind")
        if bought.height:
            shown["budget"] = _readable(bought, behind)
    if not _only_subsets(outcome):
        measured = _yes_or_no(pl.col("measured")).alias("measured")
        shown["best for each cost"] = _readable(views["front"], measured)
    called = {"topics": f"{readers_nouns(outcome)[0]}s"}
    return {title: part.rename(called) for title, part in shown.items()}


def _yes_or_no(which: pl.Expr) -> pl.Expr:
    """Write "yes" where it is so, else "no"."""
    return pl.when(which).then(pl.lit("yes")).otherwise(pl.lit("no"))


def _readable(designs: pl.DataFrame, verdict: pl.Expr) -> pl.DataFrame:
    """Keep the columns that a person reads; the judge only where a machine is one, alone or with people."""
    number = pl.col("depth").cast(pl.String)
    depth = pl.when(pl.col("depth") == FULL).then(pl.lit("as now")).otherwise(number)
    both = pl.format("both, 1 in {}", "each")
    judge = pl.when(pl.col("judge") == "both").then(both).otherwise("judge")
    by_machine = designs["judge"].is_in(["machine", "both"]).any()
    if "cost" in designs.columns:
        cost = pl.col("cost")
    else:
        cost = pl.col("topic_cost") * pl.col("topics")
    ends = intervals(designs["low"].to_numpy(), designs["high"].to_numpy(), 2)
    return designs.select(
        "metric",
        depth.alias("depth"),
        *([judge.alias("judge")] if by_machine else []),
        "topics",
        cost.round().cast(pl.Int64).alias("cost"),
        "tau",
        pl.lit(ends).alias("interval"),
        verdict,
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which topics would do, if asked, and what to buy, beside other designs."""
    said = subsets.findings(outcome)
    return said if _only_subsets(outcome) else [*said, *_design_sentences(outcome)]


def _only_subsets(outcome: xr.Dataset) -> bool:
    """Say whether only topics to choose were asked for: no budget, no depths."""
    options = about(outcome)["options"]
    wanted = options["budget"] is None and options["pools"] is None
    return "subset" in outcome and wanted


def _design_sentences(outcome: xr.Dataset) -> list[str]:
    """Say what to buy, what the target as judged now reaches for the same, and how many designs may be as good."""
    options = about(outcome)["options"]
    if options["budget"] is None:
        return [
            *more.more_sentences(outcome),
            _front_sentence(outcome, options["target"]),
        ]
    tau = outcome["chosen_tau"].values
    if np.isnan(tau).all():
        return [
            f"A budget of {options['budget']:g} does not pay for 2 {readers_nouns(outcome)[0]}s in any design."
        ]
    best = int(outcome["best"])
    way = outcome.isel(way=best)
    topics = int(way["affordable"])
    target = options["target"]
    promised, low, high = (
        short(float(way[f"chosen_{name}"])) for name in ("tau", "low", "high")
    )
    noun, systems = readers_nouns(outcome)
    uncounted = ", judgments not counted" if np.isnan(float(way["judgments"])) else ""
    of_first = (
        f"Buy {_topics_of_way(way, topics)} for {topics * float(way['topic_cost']):.0f} of {options['budget']:g}"
        f"{uncounted}: they "
        f"rank {systems} as {target} does on as many other {noun}s with tau {promised} ({low} to "
        f"{high}{_reached_clause(outcome, topics)})."
    )
    return [
        f"{_depths_too_dear_sentence(outcome)}{of_first}",
        *_spending_sentences(outcome, way, options["budget"]),
        *_passed_over_sentences(outcome, best),
        *_target_sentences(outcome, options["target"], best),
        *_best_pool_sentences(outcome, best),
        *_rivals_sentences(outcome),
        *more.more_sentences(outcome),
    ]


def _depths_too_dear_sentence(outcome: xr.Dataset) -> str:
    """Say that no depth is affordable, so that what is recommended is as judged now."""
    pools = outcome.isel(way=outcome["depth"].values != FULL)
    if not pools.sizes["way"] or pools["chosen_tau"].notnull().any():
        return ""
    cheapest = pools.isel(way=int(pools["topic_cost"].values.argmin()))
    cost = 2 * float(cheapest["topic_cost"])
    return f"No depth is affordable: {_topics_of_way(cheapest, 2)} cost {cost:.0f}. "


def _rivals_sentences(outcome: xr.Dataset) -> list[str]:
    """Count the other designs that may be as good as the best; say nothing where the budget buys no other."""
    # NaN where the budget does not pay for two topics
    behind = outcome["behind_low"].values
    if (~np.isnan(behind)).sum() == 1:
        return []
    rivals = int((behind <= 0).sum()) - 1
    within = {0: "No other design is", 1: "1 other design is"}.get(
        rivals, f"{rivals} other designs are"
    )
    return [f"{within} within error of the best."]


def _spending_sentences(
    outcome: xr.Dataset, way: xr.Dataset, budget: float
) -> list[str]:
    """Say where the budget would pay for more topics, and whether judgments are counted."""
    paid, most = int(budget // float(way["topic_cost"])), int(outcome["most"])
    said = []
    if paid > most:
        said.append(
            f"The budget pays for {paid} {readers_nouns(outcome)[0]}s, but figures are extrapolated only to {most}."
        )
    if np.isnan(float(way["judgments"])):
        what = "clusters and topics" if unit_of(outcome) == CLUSTER else "topics"
        said.append(
            f"Costs are of {what} only; --runs and --qrels add those of judgments."
        )
    return said


def _passed_over_sentences(outcome: xr.Dataset, best: int) -> list[str]:
    """Say that judgments as they are have a higher tau than what is recommended, but are not what was asked for."""
    highest = int(np.nanargmax(outcome["chosen_tau"].values))
    if highest == best:
        return []
    way = outcome.isel(way=highest)
    bought = _topics_of_way(way, int(way["affordable"]))
    return [
        f"{bought} have tau {short(float(way['chosen_tau']))}, the highest, but fewer documents a topic are judged so "
        "than at a depth asked for (--depths)."
    ]


def _best_pool_sentences(outcome: xr.Dataset, best: int) -> list[str]:
    """Name the best way with a pool depth where the best of all is as judged now.

    Nobody can order this depth for new topics: it is as deep as these judgments happen to be.
    """
    tau = np.where(outcome["depth"] == FULL, np.nan, outcome["chosen_tau"])
    if outcome["depth"].values[best] != FULL or np.isnan(tau).all():
        return []
    way = outcome.isel(way=int(np.nanargmax(tau)))
    behind = "behind the best by more than error"
    if float(way["behind_low"]) <= 0:
        behind = "within error of the best"
    bought = _topics_of_way(way, int(way["affordable"]))
    tau_of_way = short(float(way["chosen_tau"]))
    return [
        f"Among pools with a depth, {bought} have the highest tau, {tau_of_way}, {behind}."
    ]


def _topics_of_way(way: xr.Dataset, topics: int) -> str:
    """Name a number of topics of a way to spend, as in 50 topics to depth 10 by AP."""
    return f"{topics} {readers_nouns(way)[0]}s {way['label'].item()}"


def _reached_clause(outcome: xr.Dataset, topics: int) -> str:
    """Say that tau is extrapolated, where it was not measured on as many topics."""
    return "" if topics <= int(outcome["half"]) else "; extrapolated"


def _target_way(outcome: xr.Dataset, target: str) -> int | None:
    """Find the way that is the target itself, judged by people as deep as there is."""
    depth = outcome["depth"].values
    own = (outcome["metric"].values == target) & outcome["judge"].isin(
        ["", "people"]
    ).values
    if not own.any():
        return None
    return int(np.argmax(np.where(own, np.where(depth == FULL, np.inf, depth), -1.0)))


def _target_sentences(outcome: xr.Dataset, target: str, best: int) -> list[str]:
    """Say what the best way buys, in topics of the target as judged now; nothing where these may be as good."""
    other = _target_way(outcome, target)
    if other is None or other == best:
        return []
    one = outcome.isel(way=best)
    two = outcome.isel(way=other)
    # for the same budget; NaN where it does not pay for two topics
    if not float(two["behind_low"]) > 0:
        return []
    curve = Curve(two["a"].values, two["k"].values)
    exact = float(curve.topics(one["chosen_tau"].values))
    if not exact <= float(outcome["most"]):
        # more topics than the curve is followed to, or no number of them
        reached = _topics_of_way(two, int(two["affordable"]))
        return [
            f"{reached} achieve less for it: tau {short(float(two['chosen_tau']))}."
        ]
    topics = max(1, round(exact))
    cost = int(one["affordable"]) * float(one["topic_cost"])
    price = topics * float(two["topic_cost"])
    return [
        f"{_topics_of_way(one, int(one['affordable']))} ({cost:.0f}) achieve what about "
        f"{_topics_of_way(two, topics)} ({price:.0f}) achieve."
    ]


def _only_way_sentence(outcome: xr.Dataset, way: xr.Dataset, target: str) -> str:
    """Say what tau the only way reaches, on the most topics that measured it and on the most that are asked for."""
    noun, systems = readers_nouns(outcome)
    sizes = way["size"].values
    measured = sizes[sizes <= int(outcome["half"])]
    parts = []
    for size in dict.fromkeys([*measured[-1:].tolist(), int(sizes[-1])]):
        tau, low, high = (
            short(float(way[name].sel(size=size))) for name in ("tau", "low", "high")
        )
        parts.append(
            f"{tau} on {size} ({low} to {high}{_reached_clause(outcome, size)})"
        )
    label = str(way["label"].item())
    by = "" if label == f"by {target}" else f" by {target}"
    return f"A set of {noun}s judged {label} ranks {systems} as another of its size does{by}, with tau {joined(parts)}."


def _front_sentence(outcome: xr.Dataset, target: str) -> str:
    """Say, without a budget, which way is on the front most often where tau is measured, and which beyond."""
    front = outcome["front"].values
    if len(front) == 1:
        return _only_way_sentence(outcome, outcome.isel(way=0), target)
    measured = front & outcome["measured"].values
    beyond = front & ~measured
    noun, systems = readers_nouns(outcome)
    kind = f" of up to {int(outcome['half'])} {noun}s" if beyond.any() else ""
    if not measured.any():
        measured, beyond, kind = front, measured, ", by extrapolation"
    best = int(measured.sum(axis=1).argmax())
    way = outcome.isel(way=best)
    # designs that cost and reach the same wherever the best is on the front
    alike = [
        np.isclose(outcome[name], way[name])[:, measured[best]].all(axis=1)
        for name in ("cost", "tau")
    ]
    tied = int((alike[0] & alike[1]).sum()) - 1
    with_others = f", with {counted(tied, 'other design')}" if tied else ""
    sentences = [
        f"To rank {systems} as {target} does on new {noun}s, judge {way['label'].item()}: it has the highest "
        f"expected tau{with_others} at {_costs_text(measured, best)}{kind}."
    ]
    if beyond.any():
        sentences.append(_beyond_sentence(outcome, beyond, best))
    sentences.append(
        "irmeta design --budget X says what a budget buys, and which leads are more than error."
    )
    return " ".join(sentences)


def _costs_text(front: Bools, best: int) -> str:
    """Say at how many of the costs a way is on the front, (way, size)."""
    own, every = int(front[best].sum()), int(front.sum())
    if own < every:
        return f"{own} of the {every} costs"
    return "the only cost" if every == 1 else f"all {every} costs"


def _beyond_sentence(outcome: xr.Dataset, beyond: Bools, best: int) -> str:
    """Say which way is on the front most often where tau is extrapolated.

    beyond : where a way is, (way, size).  best : the way that is most often where tau is measured.
    """
    most = int(beyond.sum(axis=1).argmax())
    label = outcome["label"].values[most]
    which = "the same has it" if most == best else f"judging {label} has it"
    return f"With more {readers_nouns(outcome)[0]}s {which} at {_costs_text(beyond, most)}, by extrapolation."
