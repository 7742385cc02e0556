"""Where the runs of a board stand: means, intervals, ranks, standardized scores, claims; irmeta computes them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.serve import answers
from irmeta.serve.answers import Floats
from irmeta.serve.catalogue import Snapshot

MOST = 400
"""Runs with rank sets, which take time quadratic in the number of runs; and those standardized at a time."""
FEW = 20
"""Runs whose intervals are asked for at a time: the study finds their rank sets, too, which take quadratic time."""
EQUAL = 1e-10
Vectors = Mapping[str, Mapping[str, Floats]]


class Difference(NamedTuple):
    """How much better a run is than another, with a 95% interval paired by topic; NaN where there is none."""

    difference: float
    low: float
    high: float


@dataclass
class Line:
    """A run as its board shows it; without a rank it is off the table.

    means, low, high : by metric. rank_low, rank_high : what its rank may be, None below the first 400.
    standing : where it is among everybody's systems, empty where they are too few.
    baseline, claim : the run that it says to be better than, and by how much it is; `behind` the best run.
    """

    key: str
    label: str
    about: Mapping[str, Any]
    means: dict[str, float] = field(default_factory=dict)
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    standing: dict[str, float] = field(default_factory=dict)
    baseline: "Line | None" = None
    claim: Difference | None = None
    behind: Difference | None = None
    number: int = 1
    of: int = 1


@dataclass
class Standing:
    """A board's figures: the ranked lines from the best on, then the others.

    version : of the judgments. metrics : those that all runs have. units : how many topics, or clusters of them.
    every : the cube of all runs that have scores. cube : of the ranked runs, in their order.
    """

    version: int
    topics: list[str]
    metrics: list[str]
    ranked: list[Line]
    others: list[Line]
    units: int
    vectors: Vectors
    every: xr.DataArray | None
    cube: xr.DataArray | None
    factors: xr.Dataset | None
    finding: str

    @property
    def metric(self) -> str:
        """The metric that ranks."""
        return self.metrics[0] if self.metrics else ""

    @property
    def lines(self) -> dict[str, Line]:
        """All runs by key."""
        return {line.key: line for line in (*self.ranked, *self.others)}


class Known:
    """Figures that depend on few scores and do not change: they are computed once."""

    def __init__(self) -> None:
        self.intervals: dict[tuple[Any, ...], tuple[Floats, Floats]] = {}
        self.differences: dict[tuple[Any, ...], Difference] = {}


def stand(shot: Snapshot, known: Known) -> Standing:
    """Compute a board's figures."""
    version, vectors = _complete(shot)
    metrics = [
        metric
        for metric in shot.board.metrics
        if all(metric in one for one in vectors.values())
    ]
    topics = next((list(v.topics) for v in shot.versions if v.version == version), [])
    clusters = shot.board.clusters or {topic: topic for topic in topics}
    lines = _lines(shot, vectors)
    scored = {line.label: vectors[line.key] for line in lines if line.key in vectors}
    every = None
    if scored and metrics:
        collection = shot.board.collection
        every = answers.cube(collection, topics, metrics, scored, shot.board.clusters)
        means = answers.means(every)
        for line in lines:
            line.means = means.get(line.label, {})
    ranked = [line for line in lines if _ranks(line, metrics)]
    ranked.sort(key=lambda line: (-line.means[metrics[0]], line.key))
    found = Standing(
        version=version,
        topics=topics,
        metrics=metrics,
        ranked=ranked,
        others=[line for line in lines if not _ranks(line, metrics)],
        units=len({clusters[topic] for topic in topics}),
        vectors=vectors,
        every=every,
        cube=None,
        factors=None,
        finding="",
    )
    if ranked:
        _place(found, shot, known)
    found.finding = _finding(found)
    return found


def _complete(shot: Snapshot) -> tuple[int, Vectors]:
    """Return the newest version of the judgments under which all runs that lie here have their scores, and these."""
    waits = {run.key for run in shot.runs if run.state == "accepted"}
    for version in sorted(shot.vectors, reverse=True):
        before: set[str] = set().union(
            *(set(one) for at, one in shot.vectors.items() if at < version)
        )
        if not (before & waits) - set(shot.vectors[version]):
            return version, shot.vectors[version]
    return 0, {}


def _lines(shot: Snapshot, vectors: Vectors) -> list[Line]:
    """Make a line of each run that has scores, or that cannot have any."""
    names = Counter(run.name for run in shot.runs if run.state != "withdrawn")
    of_team = Counter(run.team for run in shot.runs if run.team)
    seen: Counter[str] = Counter()
    lines = []
    for run in shot.runs:
        own = vectors.get(run.key)
        if own is None and run.state == "accepted":
            continue
        if run.state == "withdrawn":
            label = f"{run.name} (withdrawn {run.key[:6]})"
        elif names[run.name] > 1:
            label = f"{run.name} ({run.team or 'no team'})"
        else:
            label = run.name
        seen[run.team] += 1
        line = Line(run.key, label, dict(run._mapping))
        if run.team:
            line.number, line.of = seen[run.team], of_team[run.team]
        lines.append(line)
    by_name = {line.about["name"]: line for line in lines}
    by_key = {line.key: line for line in lines}
    for line in lines:
        named = line.about["baseline"]
        base = by_key.get(named) or by_name.get(named)
        line.baseline = None if base is line else base
    return lines


def _ranks(line: Line, metrics: Sequence[str]) -> bool:
    """Say whether a run is on the table: a missing score is never ranked, a score of 0 is a score."""
    on = line.about["state"] in ("scored", "accepted")
    return on and bool(metrics) and not np.isnan(line.means.get(metrics[0], np.nan))


def _place(found: Standing, shot: Snapshot, known: Known) -> None:
    """Add ranks, intervals, rank sets, standardized scores and claims to the lines of the table."""
    metric, ranked = found.metric, found.ranked
    means = np.array([line.means[metric] for line in ranked])
    for line in ranked:
        line.rank = 1 + int((means > line.means[metric] + EQUAL).sum())
    assert found.every is not None
    found.cube = found.every.sel(system=[line.label for line in ranked])
    if found.units < 2:
        return
    _intervals(found, shot, known)
    if len(ranked) < 2:
        return
    first = found.cube.isel(system=slice(0, MOST))
    low, high = answers.ranks(first, metric)
    for line, best, worst in zip(ranked, low, high, strict=False):
        line.rank_low, line.rank_high = best, worst
    _standardize(found, shot)
    _compare(found, known)


def _intervals(found: Standing, shot: Snapshot, known: Known) -> None:
    """Compute each line's intervals: they depend on its own scores alone."""
    assert found.cube is not None
    base = (shot.board.key, found.version, tuple(found.metrics))
    new = [
        at
        for at, line in enumerate(found.ranked)
        if (*base, line.key) not in known.intervals
    ]
    for start in range(0, len(new), FEW):
        block = new[start : start + FEW]
        # a study of systems wants two of them
        two = block if len(block) > 1 else [*block, *block]
        part = found.cube.isel(system=two)
        part = part.assign_coords(system=[str(at) for at in range(len(two))])
        low, high = answers.intervals(part)
        for at, ends in zip(block, zip(low, high, strict=True), strict=False):
            known.intervals[(*base, found.ranked[at].key)] = ends
    for line in found.ranked:
        low, high = known.intervals[(*base, line.key)]
        line.low = dict(zip(found.metrics, low.tolist(), strict=True))
        line.high = dict(zip(found.metrics, high.tolist(), strict=True))


def _standardize(found: Standing, shot: Snapshot) -> None:
    """Place the lines among everybody's systems, where these are enough to say something."""
    assert found.cube is not None
    teams = {line.label: line.about["team"] or line.label for line in found.ranked}
    try:
        found.factors = answers.everybody(
            found.cube, found.metric, shot.board.factors, teams
        )
        for start in range(0, len(found.ranked), MOST):
            part = found.cube.isel(system=slice(start, start + MOST))
            columns = answers.standing(part, found.metric, found.factors)
            for at, line in enumerate(found.ranked[start : start + MOST]):
                line.standing = {name: float(v[at]) for name, v in columns.items()}
    except IrmetaError:
        found.factors = None


def _compare(found: Standing, known: Known) -> None:
    """Compare runs with the baseline that they name, and the first ones with the best."""
    assert found.cube is not None
    best = found.ranked[0]
    pairs = [(line, line.baseline) for line in found.ranked if line.baseline]
    pairs = [(line, base) for line, base in pairs if base and base.rank is not None]
    by_base: dict[str, list[Line]] = {best.key: found.ranked[1:MOST]}
    for line, base in pairs:
        by_base.setdefault(base.key, []).append(line)
    lines = found.lines
    for key, others in by_base.items():
        _differences(found, known, lines[key], others)
    for line, base in pairs:
        line.claim = known.differences[_pair(found, line, base)]
    for line in found.ranked[1:MOST]:
        line.behind = known.differences[_pair(found, line, best)]


def _pair(found: Standing, one: Line, other: Line) -> tuple[Any, ...]:
    return (one.about["board"], found.version, found.metric, one.key, other.key)


def _differences(
    found: Standing, known: Known, base: Line, others: Sequence[Line]
) -> None:
    """Compute how much better each of some runs is than one."""
    assert found.cube is not None
    new = {
        line.label: line
        for line in others
        if line is not base and _pair(found, line, base) not in known.differences
    }
    if not new:
        return
    part = found.cube.sel(system=[base.label, *new])
    rows = answers.differences(part, found.metric, base.label, list(new))
    for line, (difference, low, high) in zip(new.values(), rows, strict=True):
        turned = Difference(-difference, -high, -low)
        known.differences[_pair(found, line, base)] = turned


def _finding(found: Standing) -> str:
    """Say first what the table shows."""
    count = len(found.ranked)
    if not count:
        return "No run has a score yet."
    if count == 1 or found.ranked[0].rank_low is None:
        return "Who is better cannot be said of one run, one topic or one cluster."
    best = [line for line in found.ranked if line.rank_low == 1]
    middle = float(np.median([line.means[found.metric] for line in found.ranked]))
    if len(best) == 1:
        first = f"{best[0].label} is better than all other runs (95%)."
    else:
        alike = len(best) - 1
        first = (
            f"The best of {count} runs cannot be distinguished from {alike} "
            f"{'other' if alike == 1 else 'others'} (95%)."
        )
    return f"{first} The median is {middle:.3f}."
