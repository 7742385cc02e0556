"""Fields of two collections, and anchors: systems that ran unchanged on both."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import about
from irmeta.scores.result import ends
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.standardizing import anchored
from irmeta.stats.standardizing.across import Estimate
from irmeta.studies.place.everybody import Collection, Factors, distinct_names

DRIFT = ("drift_systems", *ends("drift"))
"""Figures of two fields: of how many systems that are on both, and how much lower these stand on the second."""
ANCHORED = ("gain_a", "gain_b", *ends("anchored"), "anchored_p")
"""Figures of two entries on different collections, measured from anchors."""


def names_of(
    anchor: str | Iterable[str] | None, collections: Sequence[str]
) -> dict[str, list[str]]:
    """Read the anchors' names on each collection: one name, or one for each in their order, as in bm25=BM25-title.

    >>> names_of("tfidf, bm25=BM25-title", ["a", "b"])
    {'a': ['tfidf', 'bm25'], 'b': ['tfidf', 'BM25-title']}
    """
    if anchor is None:
        return {}
    given = anchor.split(",") if isinstance(anchor, str) else anchor
    each = [one.strip() for one in given]
    if len(collections) < 2:
        raise ScoresError(
            "an anchor ran on two collections, and there is one; give the scores of both, or name a baseline"
        )
    every = []
    for one in each:
        names = [name.strip() for name in one.split("=")]
        if len(names) == 1:
            names = names * len(collections)
        if len(names) != len(collections) or not all(names):
            raise ScoresError(
                f"the anchor {one!r} needs one name, or one for each of {len(collections)} collections: "
                + "=".join(f"NAME-ON-{name}" for name in collections)
            )
        every.append(names)
    return {
        name: list(column)
        for name, column in zip(collections, zip(*every, strict=True), strict=True)
    }


def places_of(
    names: Mapping[str, Sequence[str]], used: Mapping[str, xr.DataArray]
) -> list[Indices]:
    """Return where the anchors stand among the systems of each collection; nothing without anchors."""
    found = []
    for collection, own in names.items():
        systems = list(map(str, used[collection].system.values))
        for name in own:
            if name not in systems:
                raise ScoresError(
                    f"the anchor {name!r} has no scores on {collection}; {nearest(name, systems)}; put its scores "
                    "among those to place, and write A=B where its names differ"
                )
        found.append(np.array([systems.index(name) for name in own]))
    return found


def field_facts(factors: Factors) -> dict[str, Any]:
    """Return how many systems standardize, and how many are of each type."""
    known = about(factors)
    types = Counter(map(str, known.get("types", ())))
    return {"systems": len(known.get("systems", ())), "types": dict(types)}


def count_on_both(factors: Mapping[str, Factors]) -> dict[str, int]:
    """Count the standardizing systems of one name on two collections, by both names."""
    return {
        f"{a} {b}": len(distinct_names(factors[a]) & distinct_names(factors[b]))
        for a, b in combinations(factors, 2)
    }


def figures(
    collections: Sequence[Collection],
    factors: Sequence[Factors],
    shared: Floats,
    places: Sequence[Indices],
    level: float,
    metric: str,
) -> dict[str, Any]:
    """Return the figures of one metric: drifts of two fields, (fields,), and what anchors say of pairs, (pair,).

    shared : as of `shared_systems`.  places : of the anchors in each collection; none without anchors.
    """
    starts = np.cumsum([0, *(len(one.scores) for one in collections)])
    every = np.full((len(ANCHORED), starts[-1], starts[-1]), np.nan)
    drifts = []
    for a, b in combinations(range(len(collections)), 2):
        if not places:
            drifts.append(_drift_by_names(factors[a], factors[b], metric, level))
            continue
        both = [collections[a].placed, collections[b].placed]
        spreads = [collections[a].spread, collections[b].spread]
        among, here = shared[np.ix_([a, b], [a, b])], [places[a], places[b]]
        moved = anchored.drift(both, spreads, among, here, level)
        of_pairs = anchored.differences(both, spreads, among, here, level)
        drifts.append([here[0].size, *(part.item() for part in moved[:3])])
        gain_a, gain_b = (
            anchored.gains(one, at).scores.mean(axis=1)
            for one, at in zip(both, here, strict=True)
        )
        block = every[:, starts[a] : starts[a + 1], starts[b] : starts[b + 1]]
        block[0], block[1] = gain_a[:, None], gain_b
        block[2:] = np.array(of_pairs)
    left, right = np.triu_indices(starts[-1], 1)
    columns = np.array(drifts, dtype=np.float64).reshape(-1, len(DRIFT)).T
    return {
        **dict(zip(DRIFT, columns, strict=True)),
        **{name: part[left, right] for name, part in zip(ANCHORED, every, strict=True)},
    }


def _means(factors: Factors, metric: str) -> dict[str, float]:
    """Return the standardized means of systems that factors keep by a metric; none where they keep none."""
    kept = about(factors).get("standing", {}).get(metric)
    if kept is None:
        return {}
    names = map(str, about(factors)["systems"])
    return dict(zip(names, kept["standardized"], strict=True))


def _drift_by_names(a: Factors, b: Factors, metric: str, level: float) -> list[float]:
    """Return the figures of `DRIFT` by the systems of one name on both, whose means the factors keep."""
    first, second = _means(a, metric), _means(b, metric)
    both = distinct_names(a) & distinct_names(b) & first.keys() & second.keys()
    moves = np.array([first[name] - second[name] for name in sorted(both)])
    count = moves.size
    if count == 0:
        return [0, np.nan, np.nan, np.nan]
    middle = float(moves.mean())
    if count == 1:
        # nothing shows how differently systems move
        return [1, middle, np.nan, np.nan]
    error = moves.std(ddof=1) / np.sqrt(count)
    mean = Estimate(moves.mean(), error, np.array(count - 1.0))
    low, high = mean.interval(level)
    return [count, middle, float(low), float(high)]
