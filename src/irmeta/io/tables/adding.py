"""Tables added to a score file: to the collection that they belong to, or as collections of their own."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.io.formats.scores import (
    Description,
    Version,
    descriptions_of,
    file_version,
    load,
    read_descriptions,
    require_version,
    to_frame,
    write,
)
from irmeta.scores.attributes import OVER, REPEATS, about
from irmeta.scores.cube import DIMS, cube
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.groups.repeats import run_facts_of
from irmeta.scores.names import labels
from irmeta.scores.selection import choose_names, of_metric
from irmeta.scores.tables.roles import ALL, SCORE
from irmeta.stats.arrays import Floats
from irmeta.words import counted, joined, listed

_UNRELATED = "a new collection, sharing no system and no topic with those there"


class Changed(NamedTuple):
    """A collection as it is now, and what is new in it, in words; None where all of it is."""

    scores: xr.DataArray
    news: str | None


def add(
    cubes: Mapping[str, xr.DataArray], path: Path, *, named: bool, replace: bool
) -> dict[str, Changed]:
    """Add scores to a score file, which need not exist yet; return the collections that changed, by name.

    Scores of a name that the file holds are added to that collection. A single table that the user gave no name is
    added to the one collection that shares topics or systems with it. What is left becomes a new collection.

    named : whether the user named the collection.
    replace : a score takes the place of another one; otherwise two different scores of a cell raise ScoresError.
    """
    version = file_version(path)
    descriptions = read_descriptions(path) if path.exists() else {}
    changed: dict[str, Changed] = {}
    replaced: set[str] = set()
    for name, scores in cubes.items():
        target = name
        if name not in descriptions and not named and len(cubes) == 1:
            target = _matching_collection(scores, descriptions, path) or name
        if target not in descriptions:
            unasked = descriptions and not named and len(cubes) == 1
            news = _UNRELATED if unasked else None
            changed[target] = Changed(scores.assign_attrs(collection=target), news)
            continue
        place = f"{path}, collection {target!r}"
        _require_table(descriptions[target], place)
        old = load(path, target)
        replaced |= set(labels(old["system"].values))
        changed[target] = _merge(old, scores, place, replace=replace)
    _write(changed, path, version, replaced=sorted(replaced))
    return changed


def remove(systems: str, path: Path) -> dict[str, Changed]:
    """Remove systems from every collection of a score file that has them; return the collections that changed, by name.

    A collection that has no system left goes, as do topics and metrics of which only those removed had scores.
    systems : names, separated by commas.

    Raises ScoresError where no collection has one of them, or no collection would be left.
    """
    version = file_version(path)
    systems_of = {
        name: set(description["names"]["system"])
        for name, description in read_descriptions(path).items()
    }
    known = sorted(set().union(*systems_of.values()))
    removed = set(choose_names("system", systems, known, str(path)))
    if removed.issuperset(known):
        raise ScoresError(f"{path}: no system would be left")
    changed: dict[str, Changed] = {}
    for name in (name for name, own in systems_of.items() if own & removed):
        old = load(path, name)
        kept = [one for one in labels(old["system"].values) if one not in removed]
        rest = _with_scores_of(old.sel(system=kept), old) if kept else old[:0]
        fewer = {dim: old.sizes[dim] - rest.sizes[dim] for dim in DIMS}
        news = joined([counted(number, dim) for dim, number in fewer.items() if number])
        changed[name] = Changed(rest, f"{news} removed")
    _write(changed, path, version, replaced=known)
    return changed


def _with_scores_of(rest: xr.DataArray, old: xr.DataArray) -> xr.DataArray:
    """Return what is left of a cube without the topics and metrics that had scores and have none any more."""
    for dim in ("topic", "metric"):
        others = [other for other in DIMS if other != dim]
        had, has = (scores.notnull().any(others) for scores in (old, rest))
        rest = rest.sel({dim: old[dim][(has | ~had).values]})
    return rest


def _write(
    changed: Mapping[str, Changed], path: Path, version: Version, replaced: list[str]
) -> None:
    """Write collections in place of these systems of theirs, unless another process wrote the file meanwhile."""
    left = [change.scores for change in changed.values() if change.scores.size]
    write(
        [to_frame(scores) for scores in left],
        descriptions_of(change.scores for change in changed.values()),
        path,
        append=True,
        replaced=replaced,
        check=partial(require_version, path, version),
    )


def _matching_collection(
    scores: xr.DataArray, descriptions: Mapping[str, Description], path: Path
) -> str | None:
    """Return the collection that a table belongs to: the one that shares topics or systems with it; None for none."""
    matching = [
        name
        for name, description in descriptions.items()
        if any(
            set(labels(scores[dim].values)) & set(description["names"][dim]) - {ALL}
            for dim in ("system", "topic")
        )
    ]
    if len(matching) > 1:
        count = counted(len(matching), "collection")
        raise ScoresError(
            f"{path}: the table shares systems or topics with {count} ({listed(matching)}); "
            "say to which it belongs with --collection, or name a new one"
        )
    return matching[0] if matching else None


def _require_table(description: Description, place: str) -> None:
    """Raise ScoresError for a collection of runs: its scores are those of runs and judgments that the file names."""
    if "qrels" in description["attributes"]:
        raise ScoresError(
            f"{place} was evaluated from runs; add a run with irmeta evaluate QRELS RUN -o FILE --append, or make a "
            "new collection with --collection NAME"
        )


def _merge(
    old: xr.DataArray, new: xr.DataArray, place: str, *, replace: bool
) -> Changed:
    """Put scores into a collection: systems, topics and metrics of both, the older first."""
    new, read_as = _by_metric_there(old, new)
    _require_shared(old, new, place)
    names = {
        dim: list(dict.fromkeys([*labels(old[dim].values), *labels(new[dim].values)]))
        for dim in DIMS
    }
    before, after = (_aligned(scores, names) for scores in (old, new))
    differs = ~np.isnan(before) & ~np.isnan(after) & (before != after)
    if differs.any() and not replace:
        raise _differing_error(before, after, names, place)
    merged = cube(
        np.where(np.isnan(after), before, after),
        *names.values(),
        collection=str(old.attrs["collection"]),
        provenance=_merged_attributes(about(old), about(new)),
    )
    merged = merged.assign_attrs(run_facts_of([old, new], merged))
    if clusters := cluster_map(old) | cluster_map(new):
        over = about(old).get(OVER, "topics")
        merged = with_clusters(merged, clusters, mean_over=over)
    filled = np.isnan(before) & ~np.isnan(after)
    counts = {
        "filled": int(filled[tuple(map(slice, old.shape))].sum()),
        "replaced": int(differs.sum()),
    }
    more = {dim: merged.sizes[dim] - old.sizes[dim] for dim in DIMS}
    news = [f"{counted(count, dim)} more" for dim, count in more.items() if count]
    news += [
        f"{counted(count, 'score')} {what}" for what, count in counts.items() if count
    ]
    news += [f"scores read as {metric}" for metric in read_as]
    news += _spelt_otherwise(old, new)
    return Changed(merged, ", ".join(news) or "nothing new")


def _spelt_otherwise(old: xr.DataArray, new: xr.DataArray) -> list[str]:
    """Say which new names differ from those there in capitals alone."""
    said = []
    for dim in DIMS:
        there = labels(old[dim].values)
        known = {name.casefold(): name for name in there}
        said += [
            f"{name!r} is new beside {known[name.casefold()]!r}"
            for name in labels(new[dim].values)
            if name not in there and name.casefold() in known
        ]
    return said


def _by_metric_there(
    old: xr.DataArray, new: xr.DataArray
) -> tuple[xr.DataArray, list[str]]:
    """Return scores of systems or topics more, which name no metric, as those of the one there; and this metric."""
    there = labels(old["metric"].values)
    known = all(
        set(labels(new[dim].values)) <= set(labels(old[dim].values))
        for dim in ("system", "topic")
    )
    if known or len(there) > 1 or labels(new["metric"].values) != [SCORE]:
        return new, []
    return of_metric(new, there[0]), there


def _differing_error(
    before: Floats, after: Floats, names: Mapping[str, list[str]], place: str
) -> ScoresError:
    """Return the error of scores (system, topic, metric) that differ; it names the first cell of them."""
    cells = np.argwhere(~np.isnan(before) & ~np.isnan(after) & (before != after))
    first = tuple(cells[0])
    system, topic, metric = (names[dim][i] for dim, i in zip(DIMS, first, strict=True))
    others = ""
    if len(cells) > 1:
        others = f", and {counted(len(cells) - 1, 'other cell')}"
    return ScoresError(
        f"{place} has another {metric} of {system} on {topic} ({before[first]:g}, not {after[first]:g}{others}); take "
        "the new scores with --replace, or make a new collection with --collection NAME"
    )


def _require_shared(old: xr.DataArray, new: xr.DataArray, place: str) -> None:
    """Raise ScoresError if a table has neither a system nor a topic of another, or new ones by other metrics only."""
    old_names, names = (
        {dim: labels(one[dim].values) for dim in DIMS} for one in (old, new)
    )
    shared = {dim: set(names[dim]) & set(old_names[dim]) for dim in DIMS}
    known = all(shared[dim] == set(names[dim]) for dim in ("system", "topic"))
    if not shared["metric"] and not known:
        metrics, first = listed(old_names["metric"], 3), quote(old_names["metric"][0])
        raise ScoresError(
            f"{place} has scores by {metrics}, the table by {listed(names['metric'], 3)}, and of systems or topics "
            f"that are new there; if both are one metric, say --metric {first}; else add their scores by {metrics} "
            "first, or make a new collection with --collection NAME"
        )
    if not shared["system"] and not shared["topic"]:
        raise ScoresError(
            f"{place} shares no system and no topic with the table; make a new collection with --collection NAME"
        )


def _aligned(scores: xr.DataArray, names: Mapping[str, list[str]]) -> Floats:
    """Return scores (system, topic, metric) in the places of these names, NaN elsewhere."""
    aligned = np.full([len(names[dim]) for dim in DIMS], np.nan)
    places = []
    for dim in DIMS:
        position = {name: at for at, name in enumerate(names[dim])}
        places.append([position[name] for name in labels(scores[dim].values)])
    aligned[np.ix_(*places)] = scores.transpose(*DIMS).values
    return aligned


def _merged_attributes(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what to say of a collection: what was said before, and the notes on what is new."""
    facts = {key: old[key] for key in old if key not in ("collection", OVER, REPEATS)}
    notes = [*old.get("notes", []), *new.get("notes", [])]
    return facts | ({"notes": list(dict.fromkeys(notes))} if notes else {})
