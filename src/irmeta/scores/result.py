"""What every study returns: an xarray.Dataset whose attributes say what was computed, from what, and how."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.names import STANDARDIZED, is_known, parse
from irmeta.scores import notes as kinds
from irmeta.scores.attributes import DOUBTS, MACHINES, about, is_trec, recorded
from irmeta.scores.averages.depths import short_list_notes
from irmeta.scores.groups.clusters import unit_of, unused_column_notes
from irmeta.scores.groups.repeats import notes_on_runs
from irmeta.scores.notes import Act
from irmeta.scores.tables.units import unit_doubts
from irmeta.words import counted, joined, listed

MANY = 0.05
"""The share of topics from which on it is told that a system retrieves nothing on them."""
UNEVEN = 0.2
"""By how much the judged shares of first documents differ where it is told."""


def result(
    study: str,
    data: Mapping[Any, Any],
    *,
    inputs: Mapping[str, xr.DataArray],
    options: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> xr.Dataset:
    """Make a study's result: labelled arrays, and attributes `study`, `inputs`, `options`, `notes` and others.

    `irmeta.about` reads the attributes back; `called_for` counts the notes that these scores call for, which come
    first; `dims` are the study's own, whatever xr.concat adds later.

    study : the module of `irmeta.studies` that knows how to turn the result into tables.
    inputs : the cubes as the study used them (after selection), by collection name.
    """
    made = xr.Dataset(dict(data))
    described = {name: describe(scores) for name, scores in inputs.items()}
    every_note = [
        *notes,
        *unit_doubts(inputs),
        *_input_notes(described.values()),
        *_single_machine_notes(inputs),
    ]
    facts = {
        "study": study,
        "inputs": {"irmeta": version("irmeta"), "collections": described},
        "options": dict(options),
        "notes": kinds.in_reading_order(every_note),
        "called_for": kinds.count_called_for(every_note),
        "dims": sorted(map(str, made.dims)),
    }
    return made.assign_attrs(recorded(facts))


def describe(scores: xr.DataArray) -> dict[str, Any]:
    """Say what a cube holds: counts of systems, topics and metrics, missing cells, and its provenance."""
    size = {f"{dim}s": int(scores.sizes[dim]) for dim in ("system", "topic", "metric")}
    facts = about(scores)
    if facts.pop("lacking", None) and (counts := topics_without_results(scores)):
        facts["lacking"] = counts
    return {**size, "missing": int(np.isnan(scores.values).sum()), **facts}


def topics_without_results(scores: xr.DataArray) -> dict[str, int]:
    """Count the topics on which systems retrieve nothing and score 0, of those that do; none if topics were chosen."""
    facts = about(scores)
    topics = facts.get("clusters", {}).get("topics", scores.sizes["topic"])
    if facts.get("scored") != topics or "standardization" in facts:
        return {}
    counts = facts.get("lacking", {})
    return {
        name: counts[name] for name in scores.system.values.tolist() if counts.get(name)
    }


def no_result_notes(
    scores: xr.DataArray, systems: Collection[str] | None = None
) -> list[str]:
    """Say which systems, of all by default, have short lists, none on many topics, or few judged documents.

    Evaluated scores say so. Of two systems one topic is told, too, as their difference may rest on it. Of systems that
    are named, judged documents are not told: whether they matter depends on the difference.
    """
    known = about(scores)
    parsed = [parse(name) for name in scores.metric.values.tolist() if is_known(name)]
    short = short_list_notes(known.get("deepest", {}), parsed, systems)
    if systems is None:
        short += _judged_notes(known.get("judged", {}), scores.system.values.tolist())
    counts = topics_without_results(scores)
    # an estimate rests on the topics that people judged
    topics = known.get("estimated", {}).get("human", known.get("scored", 0))
    named = scores.system.values.tolist() if systems is None else systems
    enough = 1 if len(named) == 2 else MANY * topics
    many = [
        f"{name} on {counted(counts[name], 'topic')}"
        for name in named
        if name in counts and counts[name] >= enough
    ]
    if not many:
        return short
    return [
        *short,
        Act(
            f"Runs retrieve nothing on topics, which count as 0: {listed(many)}; leave out such topics "
            "(evaluate --topics common) or runs (--systems)."
        ),
    ]


def _judged_notes(judged: Mapping[str, float], systems: Sequence[str]) -> list[str]:
    """Name the systems of whose first documents far fewer are judged than of most. judged : shares, by system."""
    shares = {name: judged[name] for name in systems if name in judged}
    if not shares:
        return []
    # of two systems the higher share
    usual = float(np.quantile(list(shares.values()), 0.5, method="higher"))
    few = [
        f"{name} ({share:.0%})"
        for name, share in shares.items()
        if round(usual - share, 3) >= UNEVEN
    ]
    if not few:
        return []
    whose = "its" if len(few) == 1 else "their"
    return [
        Act(
            f"Systems of whose first 10 documents fewer are judged than of others ({usual:.0%}): {listed(few)}. The "
            f"rest counts as not relevant, so {whose} scores may be too low: irmeta reuse QRELS RUNS --new RUN says by "
            "how much."
        )
    ]


def standardization_of(attributes: Mapping[str, Any]) -> str | None:
    """Say how scores with these attributes were standardized; None for raw ones.

    >>> standardization_of({"standardization": {"kind": "normal", "factors": {"collection": "TREC-8"}}})
    'normal, by factors of TREC-8'
    """
    return next(iter(_standardizations([attributes])), None)


def _standardizations(described: Iterable[Mapping[str, Any]]) -> list[str]:
    """Say how scores were standardized, each way once, with the collections that factors are of."""
    sources: dict[str, dict[str, None]] = {}
    for attributes in described:
        done = attributes.get("standardization")
        if done is None:
            continue
        collections = sources.setdefault(str(done["kind"]), {})
        source = done.get("factors", {}).get("collection")
        if source is not None:
            collections[str(source)] = None
    return [
        f"{kind}, by factors of {joined(list(collections))}" if collections else kind
        for kind, collections in sources.items()
    ]


def is_estimated(outcome: xr.Dataset) -> bool:
    """Say whether scores are what topics add to estimated means, so that they say nothing of topics themselves."""
    return bool(_judged_counts(outcome))


def topics_phrase(outcome: xr.Dataset) -> str:
    """Count the topics, or clusters, that means are over; of an estimate, those that people and a machine judged."""
    estimates = _judged_counts(outcome)
    if estimates:
        return judged_topics(estimates[0])
    return counted(outcome.sizes["topic"], unit_of(outcome))


def judged_topics(counts: Mapping[str, int]) -> str:
    """Count the topics that people and a machine judged."""
    return f"{counted(counts['human'], 'topic')} of people and {counts['machine']} of a machine"


def readers_nouns(outcome: xr.Dataset) -> tuple[str, str]:
    """Return what readers of these scores call a topic, and systems: tasks and models, unless runs were evaluated.

    Only a result that has the names of the topics shows whether they were.
    """
    unit = unit_of(outcome)
    collections = about(outcome)["inputs"]["collections"]
    if "topic" in outcome.coords:
        topics = outcome["topic"].values
        if not any(is_trec(facts, topics) for facts in collections.values()):
            return "task" if unit == "topic" else unit, "models"
    return unit, "systems"


def _judged_counts(outcome: xr.Dataset) -> list[Mapping[str, int]]:
    """Return how many topics people and a machine judged, of each input that is an estimate."""
    inputs = about(outcome)["inputs"]["collections"].values()
    return [facts["estimated"] for facts in inputs if "estimated" in facts]


def _input_notes(described: Collection[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the notes that inputs call for: how they were standardized or estimated, their runs, columns and doubts.

    described : what `describe` says of each input.
    """
    for done in _standardizations(described):
        yield f"{STANDARDIZED.strip()}: standardized scores ({done}), not on the metric's own scale"
    for attributes in described:
        yield from notes_on_runs(attributes)
        yield from unused_column_notes(attributes)
        yield from map(Act, attributes.get(DOUBTS, ()))
        counts = attributes.get("estimated")
        if counts:
            yield (
                f"estimated from people's judgments of {counted(counts['human'], 'topic')} and a "
                f"machine's of {counts['machine']}; read means, their intervals and ranks, not single topics or wins"
            )


def _single_machine_notes(inputs: Mapping[str, xr.DataArray]) -> list[str]:
    """Note by which metrics one machine judged all scores, where a file says so; another judge is in no interval."""
    metrics: dict[str, dict[str, None]] = {}
    for scores in inputs.values():
        judges = about(scores).get(MACHINES, {})
        for metric in scores.metric.values:
            named = judges.get(str(metric).removesuffix(STANDARDIZED), [])
            if len(named) == 1:
                metrics.setdefault(named[0], {})[str(metric)] = None
    return [
        f"one machine, {judge}, judged every score by {listed(by)}: another judge may score otherwise, which no "
        "interval here allows for; irmeta judges compare shows how far judges agree"
        for judge, by in metrics.items()
    ]


def frame(
    result: xr.Dataset, columns: Sequence[str], *, by: Sequence[str] | None = None
) -> pl.DataFrame:
    """Return variables of a result as a table: columns that name the row, then one column for each variable.

    by : the coordinates that name the rows, the last fastest; by default the dimensions of the variables. Dimensions
    that `by` does not cover, as of results put together by xr.concat, come before it.

    >>> made = xr.Dataset({"n": (("x", "y"), [[1, 2]])}, {"x": ["a"], "y": ["b", "c"]})
    >>> frame(made, ["n"]).rows(), frame(made, ["n"], by=["y", "x"]).columns
    ([('a', 'b', 1), ('a', 'c', 2)], ['y', 'x', 'n'])
    """
    values = {name: result[name].variable for name in columns}
    dims = list(
        dict.fromkeys(str(dim) for part in values.values() for dim in part.dims)
    )
    rows = {name: result[name].variable for name in (dims if by is None else by)}
    covered = {dim for part in rows.values() for dim in part.dims}
    first = {dim: result[dim].variable for dim in dims if dim not in covered}
    every = first | rows | values
    sizes = {dim: size for part in every.values() for dim, size in part.sizes.items()}
    cells = []
    for name, part in every.items():
        laid = part.set_dims(sizes)  # type: ignore[no-untyped-call]
        cells.append(_column(name, laid.values.ravel()))
    return pl.DataFrame(cells)


def ends(*names: str) -> list[str]:
    """Return the names of figures, each before those of the ends of its interval.

    >>> ends("tau")
    ['tau', 'tau_low', 'tau_high']
    """
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


def with_ends(
    name: str, dims: tuple[str, ...], figures: Any
) -> dict[str, tuple[tuple[str, ...], np.ndarray[Any, Any]]]:
    """Return a figure and the ends of its interval as variables of a result.

    figures : (*dims, 3): value, low and high.

    >>> list(with_ends("tau", ("judge",), [(0.5, 0.4, 0.6), (0.7, 0.6, 0.8)])["tau_low"][1])
    [np.float64(0.4), np.float64(0.6)]
    """
    columns = np.moveaxis(np.array(figures), -1, 0)
    return {end: (dims, part) for end, part in zip(ends(name), columns, strict=True)}


def with_nulls(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose numbers that could not be computed, NaN, are null: cells that CSV leaves empty.

    >>> with_nulls(pl.DataFrame({"tau": [0.5, float("nan")]})).rows()
    [(0.5,), (None,)]
    """
    return table.with_columns(pl.selectors.float().fill_nan(None))


def pairs_once(pairs: pl.DataFrame, size: int, *, diagonal: int = 0) -> pl.DataFrame:
    """Keep each pair of a symmetric figure once: the rows of a square frame on and above its diagonal.

    size : rows and columns of the square.  diagonal : 1 leaves the diagonal out.

    >>> square = pl.DataFrame({"a": ["AP", "AP", "RR", "RR"], "b": ["AP", "RR", "AP", "RR"]})
    >>> pairs_once(square, 2).rows(), pairs_once(square, 2, diagonal=1).rows()
    ([('AP', 'AP'), ('AP', 'RR'), ('RR', 'RR')], [('AP', 'RR')])
    """
    above = np.triu(np.ones((size, size), dtype=np.bool_), diagonal)
    return pairs.filter(pl.Series(np.resize(above, pairs.height)))


def _column(name: str, values: np.ndarray[Any, Any]) -> pl.Series:
    """Return an array as a column; text stays text, of whatever kind the array is."""
    if values.dtype.kind in "OUT":
        return pl.Series(name, values.tolist(), dtype=pl.String)
    return pl.Series(name, values)
