"""Where the runs of a board stand: means, intervals, ranks, standardized scores, claims; irmeta computes them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue.snapshot import Snapshot, Vectors
from irmeta.serve.results import answers
from irmeta.serve.results.answers import Difference, Interval
from irmeta.words import are, counted, decimal

MOST = 400
"""Runs with rank sets, which take time quadratic in the number of runs."""
EQUAL = 1e-10
ON = ("scored", "accepted")
"""States of runs that are on the table."""
APART = {"holder", "after the reveal"}
"""Marks of runs whose people could know the judgments, or scores: they are shown, and compete with none."""
Known = dict[tuple[Any, ...], Any]
"""Differences, and the best of teams, by the scores that they depend on: they are computed once."""


@dataclass
class Line:
    """A run as its board shows it; without a rank it is off the table.

    scores : by metric the mean and its interval. rank_low, rank_high : what its rank may be, None below the first 400.
    standing : where it is among everybody's systems, empty where they are too few.
    baseline, claim : the run that it says to be better than, and by how much it is; behind : how far from the best run.
    number, of : which of the runs of its team it is.
    """

    key: str
    label: str
    about: Mapping[str, Any]
    scores: dict[str, Interval] = field(default_factory=dict)
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    standing: dict[str, float] = field(default_factory=dict)
    baseline: "Line | None" = None
    claim: Difference | None = None
    behind: Difference | None = None
    number: int = 1
    of: int = 1

    @property
    def mean(self) -> float:
        """Its mean by the metric that ranks."""
        return next(iter(self.scores.values())).value

    @property
    def rise(self) -> float:
        """How much higher its standardized score is than that of its baseline; NaN where these are not known."""
        base = self.baseline.standing if self.baseline else {}
        own = self.standing.get("standardized", np.nan)
        return own - base.get("standardized", np.nan)


@dataclass
class Standing:
    """A board's figures.

    version : of the judgments. metrics : those of all runs on the table.
    clusters : of the topics, a topic by itself its own.
    ranked, others : the lines from the best on, then those off the table.
    every : the cube of all runs that have scores. cube : of the ranked runs, in their order.
    comparing : what any two runs are compared by; empty where there are none, or topics or clusters are too few.
    best : by team the best of all its runs, withdrawn ones too, beside the best of as many equal ones.
    """

    version: int
    vectors: Vectors
    topics: list[str]
    clusters: list[str]
    metrics: list[str]
    ranked: list[Line] = field(default_factory=list)
    others: list[Line] = field(default_factory=list)
    every: xr.DataArray | None = None
    cube: xr.DataArray | None = None
    comparing: dict[str, Any] = field(default_factory=dict)
    factors: xr.Dataset | None = None
    best: dict[str, dict[str, Any]] = field(default_factory=dict)
    finding: str = "No run has a score yet."

    @property
    def units(self) -> int:
        """How many clusters there are: what intervals and tests take as independent."""
        return len(set(self.clusters))

    @property
    def metric(self) -> str:
        """The metric that ranks."""
        return self.metrics[0] if self.metrics else ""

    @property
    def apart(self) -> list[Line]:
        """The runs that are shown below the table, the oldest first."""
        on = [line for line in self.others if line.about["state"] in ON]
        return list(filter(_stands_apart, on))

    @property
    def unranked(self) -> xr.DataArray | None:
        """The scores of runs off the table, withdrawn ones among them; None where no such run has any."""
        if self.every is None:
            return None
        scored = set(self.every.system.values.tolist())
        off = [line.label for line in self.others if line.label in scored]
        return self.every.sel(system=off) if off else None

    @property
    def lines(self) -> dict[str, Line]:
        """All runs by key."""
        return {line.key: line for line in (*self.ranked, *self.others)}


class Claimed(NamedTuple):
    """What claims come to: how many there are, and show a gain; baselines, those below the median, and the sums.

    Source: Armstrong et al. (CIKM 2009), whose published gains over weak baselines did not add up.
    """

    of: int
    shown: int
    baselines: int
    weak: int
    total: float
    standardized: float


def sum_claims(ranked: Sequence[Line]) -> Claimed:
    """Add up the claims of a board's ranked runs."""
    lines = [line for line in ranked if line.claim is not None]
    gains = [line.claim for line in lines if line.claim is not None]
    middle = np.median([line.mean for line in ranked]) if ranked else np.nan
    bases = {line.baseline.key: line.baseline for line in lines if line.baseline}
    return Claimed(
        len(gains),
        sum(gain.shown and gain.value > 0 for gain in gains),
        len(bases),
        sum(base.mean < middle for base in bases.values()),
        sum(gain.value for gain in gains),
        sum(line.rise for line in lines),
    )


def compute_standing(shot: Snapshot, known: Known) -> Standing:
    """Return a board's figures, from the scores in its snapshot; known : comparisons made before, extended here."""
    version, vectors = _newest_complete(shot)
    topics = shot.topics.get(version, [])
    clusters = shot.board.clusters or {}
    # a run off the table is not scored again: new metrics do not wait for it
    on = [
        vectors[run.key] for run in shot.runs if run.state in ON and run.key in vectors
    ]
    standing = Standing(
        version,
        vectors,
        topics,
        [clusters.get(topic, topic) for topic in topics],
        [name for name in shot.board.metrics if all(name in rows for rows in on)],
    )
    lines = {line.label: line for line in _make_lines(shot, standing)}
    scored = {
        label: vectors[line.key]
        for label, line in lines.items()
        if vectors.get(line.key, {}).keys() >= set(standing.metrics)
    }
    if scored and standing.metrics:
        names = (shot.board.collection, topics, standing.metrics)
        standing.every = answers.score_cube(*names, scored, shot.board.clusters)
        _score(standing, lines, standing.every)
        if standing.units > 1:
            _find_best_by_team(standing, shot, known, lines)
    standing.ranked = sorted(filter(_is_ranked, lines.values()), key=_rank_key)
    standing.others = [line for line in lines.values() if not _is_ranked(line)]
    if standing.ranked:
        _add_ranks(standing, shot, known)
        standing.finding = _finding(standing)
    elif standing.apart:
        standing.finding = "No run is ranked."
    standing.finding = _waiting_sentence(shot, standing) + standing.finding
    return standing


def _score(standing: Standing, lines: Mapping[str, Line], cube: xr.DataArray) -> None:
    """Fill in the means of a cube, whose intervals follow from how the scores of all its runs deviate."""
    means = answers.means_by_system(cube, units=standing.units)
    for label, scores in means.items():
        lines[label].scores = scores


def _waiting_sentence(shot: Snapshot, standing: Standing) -> str:
    """Return a sentence on how many runs have no score yet; an empty one where all have."""
    accepted = {run.key for run in shot.runs if run.state == "accepted"}
    unscored = accepted - standing.vectors.keys()
    waiting = shot.counts.get("received", 0) + len(unscored)
    if not waiting:
        return ""
    runs = counted(len(standing.ranked) + waiting, "run")
    return (
        f"{waiting} of {runs} {are(waiting)} still being scored, so ranks will change. "
    )


def _find_best_by_team(
    standing: Standing, shot: Snapshot, known: Known, lines: Mapping[str, Line]
) -> None:
    """Set the best of each team's runs; what is known already is not computed again."""
    assert standing.every is not None
    runs: dict[str, dict[str, bytes]] = {}
    for label in standing.every.system.values.tolist():
        team = lines[label].about["team"]
        if team and not _stands_apart(lines[label]):
            own = standing.vectors[lines[label].key][standing.metric].tobytes()
            runs.setdefault(team, {})[label] = own
    keys = {
        team: (shot.board.key, standing.metric, team, *own.items())
        for team, own in runs.items()
        if len(own) > 1
    }
    new = [team for team, key in keys.items() if key not in known]
    teams = {label: team for team in new for label in runs[team]}
    made = answers.best_by_team(standing.every, standing.metric, teams)
    known.update({keys[team]: made.get(team) for team in new})
    best = {team: known[key] for team, key in keys.items()}
    standing.best = {team: run for team, run in best.items() if run is not None}


def _is_ranked(line: Line) -> bool:
    """Say whether a run is on the table: a missing score is never ranked, a score of 0 is a score.

    Nor is a run that stands apart.
    """
    means = [mean.value for mean in line.scores.values()]
    on = line.about["state"] in ON and not _stands_apart(line)
    return on and bool(means) and not np.isnan(means).any()


def _stands_apart(line: Line) -> bool:
    return not APART.isdisjoint(line.about["marks"])


def _rank_key(line: Line) -> tuple[float, str]:
    """Return what runs are sorted by: the mean on the first metric, the best first, then the key."""
    return -line.mean, line.key


def _newest_complete(shot: Snapshot) -> tuple[int, Vectors]:
    """Return the newest version of the judgments under which all runs that lie here have their scores, and these."""
    waits = {run.key for run in shot.runs if run.state == "accepted"}
    older: set[str] = set()
    newest: tuple[int, Vectors] = (0, {})
    for version, vectors in sorted(shot.vectors.items()):
        if not (older & waits) - vectors.keys() and vectors:
            newest = version, vectors
        older |= vectors.keys()
    return newest


def _make_lines(shot: Snapshot, standing: Standing) -> list[Line]:
    """Make a line of each run that has scores, or that cannot have any."""
    names = Counter(run.name for run in shot.runs if run.state != "withdrawn")
    of_team = Counter(run.team for run in shot.runs if run.team)
    seen: Counter[str] = Counter()
    lines: list[Line] = []
    for run in shot.runs:
        seen[run.team] += 1
        if run.state == "accepted" and run.key not in standing.vectors:
            continue
        alone = run.state != "withdrawn" and names[run.name] == 1
        label = run.name if alone else f"{run.name} ({run.key})"
        line = Line(run.key, label, dict(run._mapping))
        if run.team:
            line.number, line.of = seen[run.team], of_team[run.team]
        lines.append(line)
    named = lines_by_name(lines)
    of_teams = {_team_and_name(line): line for line in lines}
    for line in lines:
        name = line.about["baseline"]
        base = of_teams.get((line.about["team"], name)) or named.get(name)
        line.baseline = None if base is line else base
    return lines


def _team_and_name(line: Line) -> tuple[str, str]:
    return line.about["team"], line.about["name"]


def lines_by_name(lines: Sequence[Line]) -> dict[str, Line]:
    """Return the runs by name and by key; of one name that which had it first, so that no later run takes its place.

    lines : in the order in which they came.
    """
    on = [line for line in lines if line.about["state"] != "withdrawn"]
    named = {line.about["name"]: line for line in (*reversed(lines), *reversed(on))}
    return named | {line.key: line for line in lines}


def _add_ranks(standing: Standing, shot: Snapshot, known: Known) -> None:
    """Add ranks, rank sets, standardized scores and claims to the lines of the table."""
    assert standing.every is not None
    metric, ranked = standing.metric, standing.ranked
    means = np.array([line.scores[metric].value for line in ranked])
    for line, mean in zip(ranked, means, strict=True):
        line.rank = 1 + int((means > mean + EQUAL).sum())
    standing.cube = standing.every.sel(system=[line.label for line in ranked])
    if standing.unranked is not None:
        _score(standing, {line.label: line for line in ranked}, standing.cube)
    if standing.units < 2 or len(ranked) < 2:
        return
    first = standing.cube.isel(system=slice(0, MOST))
    for line, ranks in zip(ranked, answers.rank_sets(first, metric), strict=False):
        line.rank_low, line.rank_high = ranks
    _standardize(standing, shot)
    clustered = standing.units < len(standing.topics)
    # clusters need every score
    compared = standing.cube if clustered else standing.every
    standing.comparing = answers.comparison_facts(compared)
    _compare(standing, compared, shot, known)


def _standardize(standing: Standing, shot: Snapshot) -> None:
    """Set where the lines stand among everybody's systems, if these are enough to standardize by."""
    assert standing.cube is not None
    teams = {line.label: line.about["team"] or line.label for line in standing.ranked}
    try:
        factors = answers.standardizing_factors(
            standing.cube, standing.metric, shot.board.factors, teams
        )
        rows = answers.standings(standing.cube, standing.metric, factors)
    except IrmetaError:
        return
    for line, row in zip(standing.ranked, rows, strict=True):
        line.standing = row
    standing.factors = factors


def _compare(
    standing: Standing, cube: xr.DataArray, shot: Snapshot, known: Known
) -> None:
    """Set how runs differ from the baseline that they name, and the first ones from the best; `known` is extended."""
    best, lines, metric = standing.ranked[0], standing.lines, standing.metric
    facts = standing.comparing
    by = metric in facts["right_or_wrong"], facts["widest"][metric]
    claims = [
        (line, line.baseline)
        for line in standing.ranked
        if line.baseline is not None and line.baseline.rank is not None
    ]
    firsts = [(line, best) for line in standing.ranked[1:MOST]]

    def pair(line: Line, base: Line) -> tuple[Any, ...]:
        """Return what the difference of two runs depends on."""
        own, other = (standing.vectors[of.key][metric] for of in (line, base))
        return (shot.board.key, metric, *by, own.tobytes(), other.tobytes())

    new: dict[str, dict[str, Line]] = {}
    for line, base in claims + firsts:
        if pair(line, base) not in known:
            new.setdefault(base.key, {})[line.label] = line
    for key, against in new.items():
        base = lines[key]
        rows = answers.differences(cube, metric, base.label, list(against))
        for line, row in zip(against.values(), rows, strict=True):
            known[pair(line, base)] = row
    for line, base in claims:
        line.claim = known[pair(line, base)]
    for line, base in firsts:
        line.behind = known[pair(line, base)]


def _finding(standing: Standing) -> str:
    """Return the sentence that says what the table shows: which runs may be the best, and the median."""
    best = [line for line in standing.ranked if line.rank_low == 1]
    if not best:
        few = ("run", len(standing.ranked)), ("topic", len(standing.topics))
        lone = next((noun for noun, number in few if number < 2), "cluster")
        return f"Who is better cannot be said of one {lone}."
    values = [line.scores[standing.metric].value for line in standing.ranked]
    median = f"The median is {decimal(float(np.median(values)))}."
    first = f"By {standing.metric}, {best[0].label}"
    if len(best) == 1:
        many = len(values) - 1
        others = "the other run" if many == 1 else f"all {many} other runs"
        return f"{first} is better than {others} (95%). {median}"
    means = [line.scores[standing.metric].value for line in best]
    equal = means.count(means[0])
    if equal > 1:
        first += f" and {counted(equal - 1, 'equal run')} are"
    else:
        first += " is"
    any_best = f", and any of {len(best)} may be the best" if len(best) > equal else ""
    return f"{first} first of {len(values)} runs{any_best} (95%). {median}"
