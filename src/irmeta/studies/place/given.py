"""What systems are placed by: their scores or runs, and what is known of everybody's under a name or in a file."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import xarray as xr

from irmeta.datasets import factors as factor_files
from irmeta.datasets.reference import shipped_factors
from irmeta.errors import IrmetaError, ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.sources import QrelsLike
from irmeta.io.files import location, stem
from irmeta.io.formats.scores import load, load_files
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import nearest
from irmeta.scores.cubes import by_name
from irmeta.scores.names import known_as
from irmeta.scores.selection import select
from irmeta.scores.standardization import OWN_NAME
from irmeta.studies.door import Cube, Cubes, Given
from irmeta.studies.place.everybody import Known
from irmeta.words import joined

Files = str | PathLike[str]
Placed = Cube | Cubes | Files | Sequence[Files]
"""Systems to place: their scores, score files, or with judgments their runs."""
PLACED = Given("SCORES|RUNS", several=True)
ON = Given("NAME|FILE", "irmeta.studies.place.given.everybody", several=True)

PUBLISHED = Given("FILE", "irmeta.io.tables.published.read_published")


class InOrder(dict[str, Known]):
    """What is known of everybody's systems under names or in files, in the order of the collections."""


def everybody(names: str | Sequence[str]) -> InOrder:
    """Read what is known of everybody's systems: factors of a file, or that ship, or scores."""
    each = [names] if isinstance(names, str | PathLike) else names
    return InOrder({str(name): _everybody(str(name)) for name in each})


def _everybody(name: str) -> Known:
    """Read factors that ship or are in a file, or the scores of a file."""
    if factor_files.is_factors(name) or not Path(name).exists():
        return factor_files.load(name)
    return load(name)


def cubes_of(scores: Placed) -> dict[str, xr.DataArray]:
    """Return scores by collection: cubes and tables as they are given, score files once they are read."""
    if isinstance(scores, str | PathLike | list | tuple):
        return load_files(scores)
    made: Any = scores
    return by_name(made)


def scored(
    runs: Any,
    qrels: QrelsLike,
    baseline: str | None,
    on: Mapping[str, Known] | Known | None,
    metrics: str | Iterable[str] | None,
    systems: str | Iterable[str] | None,
    topics: str | Iterable[str] | None,
    reading: Reading | None,
) -> dict[str, xr.DataArray]:
    """Score run files, and the baseline, by the metrics that everybody was scored by."""
    if not isinstance(on, Mapping) or isinstance(on, xr.Dataset) or len(on) != 1:
        raise IrmetaError(
            "run files need the name of their one collection, as in --on trec-covid-1"
        )
    [(name, known)] = on.items()
    wanted: Any = metrics or known.metric.values.astype(str).tolist()
    files = [runs] if isinstance(runs, str | PathLike) else [*runs]
    if baseline is not None:
        files.append(baseline)
    every = evaluate(qrels, files, wanted, reading=reading)
    scores = select(every, systems=systems, topics=topics)
    # whether the judgments are of this collection, nobody has said
    own = {OWN_NAME: scores.attrs["collection"]}
    collection = Path(name).stem
    return {collection: scores.assign_attrs(own, collection=collection)}


def run_name(run: str) -> str:
    """Return the name of the system of a run file."""
    return stem(location(run))


def baseline_of(name: str, cubes: Mapping[str, xr.DataArray]) -> str:
    """Return the baseline as the scores name it; raise ScoresError if they have no such system."""
    systems = {str(system) for one in cubes.values() for system in one.system.values}
    found = known_as(name, systems)
    if found is None:
        raise ScoresError(
            f"the baseline {name!r} has no scores; {nearest(name, sorted(systems))}"
        )
    return found


def matched_known(
    collections: Mapping[str, set[str]], on: Mapping[str, Known] | Known | None
) -> Mapping[str, Known] | Known:
    """Match what is known to collections: that of its name, or that in its place; by default factors that ship.

    collections : the topics of each, which say what ships for a collection of another name; none where not known.
    """
    if on is None:
        return {
            name: _shipped_factors(name, topics) for name, topics in collections.items()
        }
    if not isinstance(on, InOrder):
        return on
    named = {str(one.attrs.get("collection")): one for one in on.values()} | dict(on)
    if all(name in named for name in collections):
        return {name: named[name] for name in collections}
    if len(on) != len(collections):
        raise IrmetaError(
            f"{len(collections)} collections ({', '.join(collections)}) and {len(on)} --on ({', '.join(on)}): "
            "give one --on for each collection, in the same order"
        )
    return dict(zip(collections, on.values(), strict=True))


def _shipped_factors(collection: str, topics: set[str]) -> xr.Dataset:
    """Read the factors that ship under a collection's name; an error names those of like topics or name."""
    if factor_files.is_factors(collection):
        return factor_files.load(collection)
    shipped = shipped_factors()
    theirs = {
        name: {*map(str, factor_files.load(path).topic.values)}
        for name, path in shipped.items()
    }
    # those with the fewest topics more come first
    holding = sorted(
        (name for name in theirs if topics and topics <= theirs[name]),
        key=lambda name: len(theirs[name]),
    )
    if holding:
        hint = (
            f"those of {joined(holding, 'and')} have topics of these names: --on {holding[0]}, if it is the same "
            "collection"
        )
    else:
        hint = nearest(collection, shipped)
    raise IrmetaError(
        f"no factors ship for the collection {collection}; {hint} (irmeta datasets list says what ships; "
        "--on also takes a factors file, or a score file of all systems)"
    )
