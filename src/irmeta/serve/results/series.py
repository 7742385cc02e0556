"""A series of boards over years: what anchors say of its editions, and whether what was claimed adds up."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import xarray as xr

from irmeta.serve.catalogue.snapshot import Snapshot
from irmeta.serve.results import answers
from irmeta.serve.results.answers import Across, Interval
from irmeta.serve.results.standing import (
    Claimed,
    Known,
    Line,
    Standing,
    lines_by_name,
    sum_claims,
)
from irmeta.words import counted, decimal, decimal_interval, decimal_with_interval


@dataclass(frozen=True, eq=False)
class Edition:
    """A board among the editions of its series.

    best, middle : the runs at the first and at the middle rank. median : of all means. places : the standardized scores
    of all ranked runs, the lowest first. anchors : by their names in the series, runs that are ranked here.
    scores : of the best run, the one in the middle, and the anchors.
    """

    series: str
    name: str
    key: str
    title: str
    version: int
    changed: int
    metric: str
    topics: int
    runs: int
    best: Line
    middle: Line
    median: float
    places: list[float]
    claims: list[Line]
    claimed: Claimed
    anchors: dict[str, str]
    scores: xr.DataArray
    factors: xr.Dataset | None

    def percentile(self, standardized: float) -> float:
        """Return how many percent of the runs stand lower, a tie counted half."""
        below = bisect_left(self.places, standardized)
        not_above = bisect_right(self.places, standardized)
        return 50 * (below + not_above) / len(self.places)


@dataclass(frozen=True)
class Pair:
    """Two editions, the older first.

    anchors : those of both. best, middle : how much better the newer edition's run is, by gains over the anchors.
    there, here : percentiles of the older best run in the newer edition, and of the newer one in the older.
    why : why the two cannot be compared; else it is empty.
    """

    older: Edition
    newer: Edition
    anchors: list[str]
    why: str = ""
    best: Interval | None = None
    middle: Interval | None = None
    there: Interval | None = None
    here: Interval | None = None


@dataclass(frozen=True)
class Series:
    """The editions of a series that everybody may see, the oldest first, and what is known of each two of them."""

    name: str
    editions: list[Edition]
    pairs: list[Pair]

    @property
    def title(self) -> str:
        """Call the series as its newest edition is called, without the name of that."""
        newest = self.editions[-1]
        return newest.title.replace(newest.name, "").strip(" ,:()-") or self.name

    @property
    def steps(self) -> list[Pair]:
        """Each edition after the one before it."""
        keys = [edition.key for edition in self.editions]
        after = dict(pairwise(keys))
        return [
            pair for pair in self.pairs if after.get(pair.older.key) == pair.newer.key
        ]

    def place_of_best(self, best_of: Edition, among: Edition) -> Interval | None:
        """Return the percentiles of the best run of one edition among the runs of another; None where not known."""
        for pair in self.pairs:
            if (pair.older, pair.newer) == (best_of, among):
                return pair.there
            if (pair.newer, pair.older) == (best_of, among):
                return pair.here
        return None

    @property
    def finding(self) -> str:
        """Say first what the field gained from the first edition to the last, and what was claimed."""
        if not self.pairs:
            return "There is one edition so far, and nothing to compare it with."
        whole = self.pairs[len(self.editions) - 2]
        ends = whole.older.name, whole.newer.name
        if whole.best is None:
            return f"{ends[0]} and {ends[1]} cannot be compared: {whole.why}."
        gain = f"{decimal(whole.best.value, sign='+')} standardized"
        over = f"over {', '.join(whole.anchors)}, from {ends[0]} to {ends[1]}"
        if len(whole.anchors) == 1:
            own = "one anchor does not show whether that is more than its own change"
            return f"The best run gained {gain} {over}; {own}."
        low_high = f"({decimal_interval(whole.best.low, whole.best.high, sign='+')})"
        if whole.best.low > 0:
            return f"The best run gained {gain} {low_high} {over}."
        return f"No gain of the best run is shown: {gain} {low_high} {over}."


def edition_of(shot: Snapshot, standing: Standing) -> Edition | None:
    """Return a board as an edition of its series; None for a board of no series, and without a ranked run."""
    board, ranked = shot.board, standing.ranked
    if not board.series or standing.cube is None:
        return None
    named = lines_by_name(sorted(ranked, key=lambda line: line.about["id"]))
    anchors = {
        name: named[run].label
        for name, run in (board.anchors or {}).items()
        if run in named
    }
    best, middle = ranked[0], ranked[len(ranked) // 2]
    systems = list(dict.fromkeys([best.label, middle.label, *anchors.values()]))
    places = [line.standing["standardized"] for line in ranked if line.standing]
    claims = [line for line in ranked if line.claim is not None]
    return Edition(
        series=board.series,
        name=board.edition or board.title,
        key=board.key,
        title=board.title,
        version=board.version,
        changed=board.changed,
        metric=standing.metric,
        topics=len(standing.topics),
        runs=len(ranked),
        best=best,
        middle=middle,
        median=float(np.median([line.mean for line in ranked])),
        places=sorted(places),
        claims=claims,
        claimed=sum_claims(ranked),
        anchors=anchors,
        scores=standing.cube.sel(system=systems, metric=[standing.metric]),
        factors=standing.factors,
    )


def series_of(editions: Iterable[Edition], known: Known) -> list[Series]:
    """Return the series that editions belong to, sorted by name, with all pairs compared; known : extended here."""
    by_name: dict[str, list[Edition]] = {}
    for edition in sorted(editions, key=_edition_key):
        by_name.setdefault(edition.series, []).append(edition)
    every = []
    for name, own in sorted(by_name.items()):
        pairs = [_compare_editions(*pair, known) for pair in combinations(own, 2)]
        every.append(Series(name, own, pairs))
    return every


def _edition_key(edition: Edition) -> tuple[list[tuple[int, str]], str]:
    """Return what editions are sorted by: their name, as people count (9 before 10), then the key."""
    parts = re.findall(r"\d+|\D+", edition.name)
    counts = [(int(part) if part.isdecimal() else -1, part) for part in parts]
    return counts, edition.key


def _compare_editions(older: Edition, newer: Edition, known: Known) -> Pair:
    """Compare two editions by the anchors that they share."""
    shared = [name for name in older.anchors if name in newer.anchors]
    if older.metric != newer.metric:
        why = f"{older.name} ranks by {older.metric}, {newer.name} by {newer.metric}"
        return Pair(older, newer, shared, why)
    for edition in (older, newer):
        if edition.factors is None:
            why = f"{edition.name} has too few runs or topics to standardize scores by"
            return Pair(older, newer, shared, why)
    across = _compare_collections(older, newer, shared, known)
    if not shared:
        return Pair(older, newer, shared, _why_no_anchor(across))
    ours, theirs = older.best, newer.best
    best = across.better[ours.label, theirs.label]
    return Pair(
        older,
        newer,
        shared,
        best=best,
        middle=across.better[older.middle.label, newer.middle.label],
        # the other one's standardized score, moved by the difference
        there=_percentiles(newer, theirs, Interval(-best.value, -best.high, -best.low)),
        here=_percentiles(older, ours, best),
    )


def _compare_collections(
    older: Edition, newer: Edition, shared: Sequence[str], known: Known
) -> Across:
    """Return what the shared anchors say of two editions; computed once for the same versions of their boards."""
    sides = (older, newer)
    key: tuple[Any, ...] = tuple(
        (side.series, side.key, side.version) for side in sides
    )
    if key not in known:
        known[key] = answers.compare_collections(
            {side.key: side.scores for side in sides},
            {side.key: side.factors for side in sides if side.factors is not None},
            older.metric,
            [(older.anchors[name], newer.anchors[name]) for name in shared],
        )
    return known[key]


def _percentiles(among: Edition, line: Line, better: Interval) -> Interval:
    """Return the percentiles, among the runs of an edition, of a run that is better by so much than a line of it."""
    own = line.standing["standardized"]
    return Interval(*(among.percentile(own + more) for more in better))


def _why_no_anchor(across: Across) -> str:
    """Say why editions without a common anchor cannot be compared."""
    none = "no anchor, a system that ran unchanged, is named in both"
    if not across.both:
        return f"{none}, and no system of one name ran in both"
    named, lower = counted(across.both, "system"), across.lower
    much = decimal_with_interval(-lower.value, -lower.high, -lower.low, sign="+")
    return (
        f"{none}; {named} of one name ran in both, whose standardized scores changed by {much}, but a name does not "
        "show that a system is unchanged"
    )
