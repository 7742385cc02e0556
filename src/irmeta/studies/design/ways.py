"""The ways to spend on a collection: a metric, a depth of judging, and who judges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.metrics.names import found_as, is_known, metric_names, parse
from irmeta.scores.averages.means import additive
from irmeta.scores.selection import complete, select
from irmeta.stats.arrays import Floats
from irmeta.stats.judging import planning, sampling
from irmeta.stats.reliability.design_taus import Corrections

FULL = 0
"""Stands for a depth: all judgments there are."""


@dataclass(frozen=True)
class Way:
    """One way to spend: a metric, judged to a depth (FULL for as deep as it was), by people, a machine, or both.

    judge : empty where no machine is compared, as scores do not say whose judgments they are by
    judgments : documents to judge a topic; NaN where nobody knows
    each : of how many topics people judge one
    cost : of a topic, its judgments included
    """

    metric: str
    depth: int
    judge: Literal["", "people", "machine", "both"]
    judgments: float
    cost: float
    each: int = 1

    def __str__(self) -> str:
        depth = f" to depth {self.depth}"
        if self.depth == FULL:
            known = not np.isnan(self.judgments)
            depth = f" as judged now ({self.judgments:.0f} documents each)" * known
        judges = {
            "": "",
            "people": "",
            "machine": " (judged by a machine)",
            "both": f" (judged by a machine, one in {self.each} by people, too)",
        }
        return f"{depth} by {self.metric}{judges[self.judge]}".strip()


@dataclass(frozen=True)
class Spending:
    """Ways to spend, and what systems are ranked by in each: columns (system, topic, way), with their corrections."""

    ways: list[Way]
    columns: list[Floats]
    corrections: list[Floats]

    def add(self, way: Way, scores: Floats, correction: Floats | None = None) -> None:
        """Take in a way, with its scores (system, topic) and what people's judgments add to them."""
        self.ways.append(way)
        self.columns.append(scores)
        self.corrections.append(
            np.zeros_like(scores) if correction is None else correction
        )

    def corrected(self) -> Corrections | None:
        """Return the corrections of all ways; None where people and a machine judge no topics together."""
        if all(way.judge != "both" for way in self.ways):
            return None
        return Corrections(
            np.stack(self.corrections, axis=-1),
            np.array([1 / way.each for way in self.ways]),
        )


@dataclass(frozen=True)
class Prices:
    """What a topic costs, and a document judged by people or a machine, in any one unit."""

    topic: float
    people: float
    machine: float


def candidates(scores: xr.DataArray, metrics: str | Iterable[str] | None) -> list[str]:
    """List the columns to choose from: those of the metrics, as they are named, at every depth."""
    known = [str(name) for name in scores.metric.values]
    if metrics is None:
        return known
    bases = {name: _without_pool(name)[0] for name in known}
    wanted = [
        found_as(name, list(bases.values())) or name for name in metric_names(metrics)
    ]
    found = [
        column
        for name in dict.fromkeys(wanted)
        for column in known
        if name in (column, bases[column])
    ]
    there = {bases[column] for column in found}
    missing = [name for name in wanted if name not in there]
    if missing:
        select(scores, metrics=missing)  # raises, with the nearest names
    if not found:
        raise ScoresError("the list of metrics is empty")
    return found


def _without_pool(name: str) -> tuple[str, int]:
    """Split a column's name into its metric and the depth it is judged to: AP(pool=10) is AP to depth 10."""
    depth = parse(name)["pool"] if is_known(name) else None
    if not isinstance(depth, int):
        return name, FULL
    text = (
        str(parse(name)).replace(f", pool={depth}", "").replace(f"(pool={depth})", "")
    )
    return str(parse(text.replace(f"(pool={depth}, ", "("))), depth


def by_machine(
    machine: xr.DataArray, used: xr.DataArray, names: Sequence[str]
) -> xr.DataArray:
    """Return a machine's scores of the systems and topics that are used."""
    shared = [name for name in names if name in machine.metric.values]
    if not shared:
        raise ScoresError(
            "the machine's scores have none of the metrics; evaluate the same runs with the "
            "same metrics"
        )
    systems, topics = used.system.values.tolist(), used.topic.values.tolist()
    one = select(machine, systems=systems, topics=topics, metrics=shared)
    return complete(one)[0]


def ways_to_spend(
    used: xr.DataArray,
    machine: xr.DataArray | None,
    names: Sequence[str],
    pools: Mapping[int, float] | None,
    judged: float | None,
    prices: Prices,
) -> Spending:
    """List the ways to spend: people's judgments, a machine's, and both, by every metric at every depth."""
    spending = Spending([], [], [])
    for name in names:
        metric, depth = _without_pool(name)
        judgments = _judgments_per_topic(name, pools, judged)
        human = additive(used.sel(metric=[name])).values[..., 0]
        of_people, of_machine = (
            prices.topic + price * np.nan_to_num(judgments)
            for price in (prices.people, prices.machine)
        )
        judge: Literal["", "people"] = "" if machine is None else "people"
        spending.add(Way(metric, depth, judge, judgments, of_people), human)
        if machine is None or name not in machine.metric.values:
            continue
        scores = additive(machine.sel(metric=[name])).values[..., 0]
        spending.add(Way(metric, depth, "machine", judgments, of_machine), scores)
        each, slope = _share_and_slope(
            human, scores, of_people - prices.topic, of_machine
        )
        if each > 1:
            cost = of_machine + (of_people - prices.topic) / each
            way = Way(metric, depth, "both", judgments, cost, each)
            spending.add(way, slope * scores, human - slope * scores)
    return spending


def _share_and_slope(
    human: Floats, machine: Floats, cost_human: float, cost_machine: float
) -> tuple[int, float]:
    """Return of how many topics people should judge one beside a machine, and the slope of their scores on its.

    1 where the machine's judgments do not pay: all topics are then best judged by people.
    """
    everything = np.arange(human.shape[1])
    sample = sampling.Sample(human, machine, everything, np.ones(len(everything)))
    rho = sampling.correlation(sample, pairs=True)
    if rho <= 0 or cost_human <= 0:
        return 1, 0.0
    share = planning.best_share(rho, cost_human, cost_machine)
    # a design of half of the topics has one that people judge
    most = len(everything) // 2
    each = most if share == 0 else min(round(1 / share), most)
    return each, sampling.slope(sample, pairs=True)


def _judgments_per_topic(
    name: str, pools: Mapping[int, float] | None, judged: float | None
) -> float:
    """Return how many documents a topic has to judge for a column; NaN where nobody knows."""
    depth = _without_pool(name)[1]
    known = judged if depth == FULL else (pools or {}).get(depth)
    if depth != FULL and known is None:
        raise ScoresError(
            f"{name}: the size of a pool of depth {depth} is unknown; pass pools={{{depth}: ...}}"
        )
    return np.nan if known is None else known
