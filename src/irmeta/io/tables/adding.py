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
    descriptions,
    file_version,
    load,
    read_descriptions,
    to_frame,
    write,
)
from irmeta.io.formats.scores import require_version as require
from irmeta.scores.attributes import OVER, REPEATS, about
from irmeta.scores.cube import DIMS, cube
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.groups.repeats import run_facts_of
from irmeta.scores.names import labels
from irmeta.scores.selection import choose_names
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Floats
from irmeta.words import counted, listed


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
    there = read_descriptions(path) if path.exists() else {}
    made: dict[str, Changed] = {}
    older: set[str] = set()
    for name, scores in cubes.items():
        place = name
        if name not in there and not named and len(cubes) == 1:
            place = _matching_collection(scores, there, path) or name
        if place not in there:
            made[place] = Changed(scores.assign_attrs(collection=place), None)
            continue
        _require_table(there[place], f"{path}, collection {place!r}")
        old = load(path, place)
        older |= set(labels(old["system"].values))
        made[place] = _merge(old, scores, f"{path}, collection {place!r}", replace)
    write(
        [to_frame(one.scores) for one in made.values()],
        descriptions(one.scores for one in made.values()),
        path,
        append=True,
        replaced=sorted(older),
        check=partial(require, path, version),
    )
    return made


def remove(systems: str, path: Path) -> dict[str, Changed]:
    """Remove systems from every collection of a score file that has them; return the collections that changed, by name.

    systems : names, separated by commas.

    Raises ScoresError where no collection has one of them, or a collection would have none left.
    """
    version = file_version(path)
    there = {
        name: set(one["names"]["system"])
        for name, one in read_descriptions(path).items()
    }
    known = sorted(set().union(*there.values()))
    gone = set(choose_names("system", systems, known, str(path)))
    made: dict[str, Changed] = {}
    for name in [name for name, own in there.items() if own & gone]:
        old = load(path, name)
        kept = [one for one in labels(old["system"].values) if one not in gone]
        if not kept:
            raise ScoresError(f"{path}, collection {name!r}: no system would be left")
        fewer = counted(old.sizes["system"] - len(kept), "system")
        made[name] = Changed(old.sel(system=kept), f"{fewer} removed")
    write(
        [to_frame(one.scores) for one in made.values()],
        descriptions(one.scores for one in made.values()),
        path,
        append=True,
        replaced=known,
        check=partial(require, path, version),
    )
    return made


def _matching_collection(
    scores: xr.DataArray, there: Mapping[str, Description], path: Path
) -> str | None:
    """Return the collection that a table belongs to: the one that shares topics or systems with it; None for none."""
    found = [
        name
        for name, one in there.items()
        if any(
            set(labels(scores[dim].values)) & set(one["names"][dim]) - {ALL}
            for dim in ("system", "topic")
        )
    ]
    if len(found) > 1:
        raise ScoresError(
            f"{path}: the table shares systems or topics with {counted(len(found), 'collection')} ({listed(found)}); "
            "say to which it belongs with --collection, or name a new one"
        )
    return found[0] if found else None


def _require_table(one: Description, place: str) -> None:
    """Raise ScoresError for a collection of runs: its scores are those of runs and judgments that the file names."""
    if "qrels" in one["attributes"]:
        raise ScoresError(
            f"{place} was evaluated from runs; add a run with irmeta evaluate QRELS RUN -o FILE --append, or make a "
            "new collection with --collection NAME"
        )


def _merge(old: xr.DataArray, new: xr.DataArray, place: str, replace: bool) -> Changed:
    """Put scores into a collection: systems, topics and metrics of both, the older first."""
    _require_shared(old, new, place)
    names = {
        dim: list(dict.fromkeys([*labels(old[dim].values), *labels(new[dim].values)]))
        for dim in DIMS
    }
    before, after = (_aligned(one, names) for one in (old, new))
    other = ~np.isnan(before) & ~np.isnan(after) & (before != after)
    if other.any() and not replace:
        at = np.argwhere(other)[0]
        system, topic, metric = (names[dim][i] for dim, i in zip(DIMS, at, strict=True))
        raise ScoresError(
            f"{place} has another {metric} of {system} on {topic} ({before[tuple(at)]:g}, not {after[tuple(at)]:g}"
            f"{_other_cells(int(other.sum()))}); take the new scores with --replace, or make a new collection with "
            "--collection NAME"
        )
    made = cube(
        np.where(np.isnan(after), before, after),
        *names.values(),
        collection=str(old.attrs["collection"]),
        provenance=_merged_attributes(about(old), about(new)),
    )
    made = made.assign_attrs(run_facts_of([old, new], made))
    if clusters := cluster_map(old) | cluster_map(new):
        over = about(old).get(OVER, "topics")
        made = with_clusters(made, clusters, mean_over=over)
    more = {dim: made.sizes[dim] - old.sizes[dim] for dim in DIMS}
    news = [f"{counted(count, dim)} more" for dim, count in more.items() if count]
    filled = int(
        (np.isnan(before) & ~np.isnan(after))[tuple(map(slice, old.shape))].sum()
    )
    counts = {"filled": filled, "replaced": int(other.sum())}
    news += [
        f"{counted(count, 'score')} {what}" for what, count in counts.items() if count
    ]
    return Changed(made, ", ".join(news) or "nothing new")


def _require_shared(old: xr.DataArray, new: xr.DataArray, place: str) -> None:
    """Raise ScoresError if a table has neither a system nor a topic of another, or new ones by other metrics only."""
    theirs = {dim: labels(old[dim].values) for dim in DIMS}
    own = {dim: labels(new[dim].values) for dim in DIMS}
    both = {dim: set(own[dim]) & set(theirs[dim]) for dim in DIMS}
    known = all(both[dim] == set(own[dim]) for dim in ("system", "topic"))
    if not both["metric"] and not known:
        before, first = listed(theirs["metric"], 3), quote(theirs["metric"][0])
        raise ScoresError(
            f"{place} has scores by {before}, the table by {listed(own['metric'], 3)}, and of systems or topics that "
            f"are new there; if both are one metric, say --metric {first}; else add their scores by {before} first, "
            "or make a new collection with --collection NAME"
        )
    if not both["system"] and not both["topic"]:
        raise ScoresError(
            f"{place} shares no system and no topic with the table; make a new collection with --collection NAME"
        )


def _aligned(scores: xr.DataArray, names: Mapping[str, list[str]]) -> Floats:
    """Return scores (system, topic, metric) in the places of these names, NaN elsewhere."""
    spread = np.full([len(names[dim]) for dim in DIMS], np.nan)
    places = []
    for dim in DIMS:
        of_name = {name: at for at, name in enumerate(names[dim])}
        places.append([of_name[name] for name in labels(scores[dim].values)])
    spread[np.ix_(*places)] = scores.transpose(*DIMS).values
    return spread


def _other_cells(cells: int) -> str:
    return f", and {counted(cells - 1, 'other cell')}" if cells > 1 else ""


def _merged_attributes(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what to say of a collection: what was said before, and the notes on what is new."""
    facts = {key: old[key] for key in old if key not in ("collection", OVER, REPEATS)}
    notes = [*old.get("notes", []), *new.get("notes", [])]
    return facts | ({"notes": list(dict.fromkeys(notes))} if notes else {})
