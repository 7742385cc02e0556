"""The one data object: an xarray.DataArray `score` of (system, topic, metric); NaN means not scored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import xarray as xr

from irmeta import frames
from irmeta.attributes import recorded
from irmeta.choices import MissingOfPairs, Rows
from irmeta.columns import require_short
from irmeta.errors import ScoresError, require_choice
from irmeta.frames import ALL as ALL
from irmeta.names import (
    canonical,
    found_as,
    highest,
    is_known,
    metric_names,
    nearest,
    raw,
    split,
)
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.complete import complete_part
from irmeta.stats.rankings.rank import settled
from irmeta.words import listed

DIMS = ("system", "topic", "metric")
_DROPPED: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"systems": (0,), "topics": (1,), "common": (0, 1)}
)
"""The dimensions of a cube that a policy for missing scores may shorten, by number."""
_PAIRWISE = (
    "this study needs every system on every topic, while pairwise serves studies of pairs; "
    "choose another way"
)
GMAP_FLOOR = 1e-5
"""What GMAP takes for a score of 0, or below this, as trec_eval does."""

LEAST, MOST = 1e-4, 1e6
"""Between these lies the largest score of a metric that is studied: means are compared to ten decimals."""

_ROUNDING = 1e-9
"""How far rounding may take a score beyond what its metric can be."""

_MAKES = (
    "make one with irmeta.from_frame(table) from a data frame or dicts of dicts, or with "
    "irmeta.load(path) from a score file"
)


def cube(
    scores: npt.ArrayLike,
    systems: Sequence[str],
    topics: Sequence[str],
    metrics: Sequence[str],
    *,
    collection: str = "collection",
    provenance: Mapping[str, Any] | None = None,
) -> xr.DataArray:
    """Make a cube from scores of shape (system, topic, metric).

    systems, topics, metrics : the names along each axis; bytes that are not UTF-8 are escaped (`labels`).
    collection : the name of the test collection.
    provenance : where the scores come from; it becomes attributes of the cube, which `irmeta.about` reads.

    >>> cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"]).sel(topic="302").item()
    0.1
    """
    spelled = [canonical(str(metric)) for metric in metrics]
    names = {"system": systems, "topic": topics, "metric": spelled}
    facts = {"collection": collection, **(provenance or {})}
    array = xr.DataArray(
        np.asarray(scores, dtype=np.float64),
        dims=DIMS,
        coords={dim: np.asarray(labels(names[dim]), dtype=object) for dim in DIMS},
        name="score",
        attrs=recorded(facts),
    )
    return check(array)


def from_frame(
    table: Any,
    *,
    system: str | None = None,
    topic: str | None = None,
    metric: str | None = None,
    score: str | None = None,
    rows: Rows | None = None,
    ignore: str | Iterable[str] = (),
    collection: str | None = None,
) -> xr.DataArray:
    """Make a cube from a table of scores: a pandas or polars data frame, long or wide, or dicts of dicts.

    Long: a row for each score, with columns for system (or model, run, name), topic (query, qid, task, dataset),
    metric (measure) and score (value, main_score). Wide: a row for each system and a column for each topic; the other
    way round; or a row for each system and topic and a column for each metric. Columns named otherwise are named by
    `system`, `topic`, `metric` and `score`; `metric` may also be the name of the metric that all scores are of ("score"
    if nothing says it).

    table : the data frame, or {system: {topic: score}}.
    rows : what the rows of a wide table are where no column's name says it; systems by default.
    ignore : columns that hold something else, as a mean or a number of parameters.
    collection : the name of the collection, or which of those of a table that holds several (see `from_frame_all`).
    A name given twice, a text in place of a score, an infinite score, and one that its metric cannot take (1.7 of AP)
    raise ScoresError; a missing score is NaN.

    >>> made = from_frame({"bm25": {"fiqa": 0.24, "nq": 0.33}, "e5": {"fiqa": 0.40}}, metric="nDCG@10")
    >>> made.sel(metric="nDCG@10").values.tolist()
    [[0.24, 0.33], [0.4, nan]]
    """
    made = from_frame_all(
        table,
        system=system,
        topic=topic,
        metric=metric,
        score=score,
        rows=rows,
        ignore=ignore,
    )
    if len(made) == 1:
        only = next(iter(made.values()))
        if collection is None:
            return only
        return only.assign_attrs(collection=collection)
    if collection is None:
        raise ScoresError(
            f"the table holds {len(made)} collections ({', '.join(list(made)[:5])}); choose one with"
            " from_frame(table, collection=...), or take all with from_frame_all(table)"
        )
    if collection not in made:
        raise ScoresError(
            f"no collection {collection!r} in the table; {nearest(collection, made)}"
        )
    return made[collection]


def from_frame_all(table: Any, **columns: Any) -> dict[str, xr.DataArray]:
    """Make cubes by collection name from a table of scores; in one with columns for tasks and items, tasks are these.

    table : the table, as `from_frame` takes it.
    columns : what `from_frame` takes, but for `collection`.

    >>> rows = {"model": ["a", "b"], "task": ["fiqa", "fiqa"], "query": ["1", "1"], "score": [0.1, 0.2]}
    >>> import polars
    >>> {name: cube.shape for name, cube in from_frame_all(polars.DataFrame(rows)).items()}
    {'fiqa': (2, 1, 1)}
    """
    rows, notes = frames.rows_of(table, **columns)
    told = {"notes": notes} if notes else None
    parts = rows.partition_by("collection", as_dict=True, maintain_order=True)
    every = {str(name): frames.cells(part) for (name,), part in parts.items()}
    return {
        name: possible(
            cube(
                one.values,
                one.systems,
                one.topics,
                one.metrics,
                collection=name,
                provenance=told,
            )
        )
        for name, one in every.items()
    }


def only_numbered(names: Iterable[str]) -> bool:
    """Say whether names are the numbers from 1 in order, which any collection may have.

    >>> only_numbered(["1", "2", "3"]), only_numbered(["401", "402"])
    (True, False)
    """
    return all(name == str(number) for number, name in enumerate(names, 1))


def check(scores: object) -> xr.DataArray:
    """Return the cube with its dimensions in order (system, topic, metric).

    Raises ScoresError if a dimension is missing, if a name is missing, repeated or not text, and if a score is infinite
    or not a number.
    """
    scores = _in_order(scores)
    for dim in DIMS:
        names = scores.indexes[dim]
        if names.has_duplicates:
            twice = sorted({str(name) for name in names[names.duplicated()]})
            raise ScoresError(
                f"{dim} names must be unique; given more than once: {listed(twice)}"
            )
    infinite = np.isinf(scores.values)
    if infinite.any():
        raise ScoresError(
            f"infinite score ({_first(scores, infinite)}); write a missing score as NaN"
        )
    return scores


def possible(scores: xr.DataArray) -> xr.DataArray:
    """Return the cube; raise ScoresError if a score is none that its metric can take.

    Whatever reads, evaluates or saves scores calls it. What users compute themselves, as centred scores, or draw from a
    model may be studied all the same; standardized scores are of a metric of their own, AP (std.).
    """
    topics = scores.sizes["topic"]

    def named(row: int) -> str:
        return f"{scores.system.values[row // topics]}, topic {scores.topic.values[row % topics]}"

    require_possible(
        scores.values.reshape(-1, scores.sizes["metric"]), scores.metric.values, named
    )
    return scores


def require_possible(
    scores: Floats, metrics: Iterable[object], named: Callable[[int], str] | None = None
) -> None:
    """Raise ScoresError if a score is lower or higher than its metric can be.

    scores : a column for each metric.  named : what the error calls a row.
    """
    lowest = np.fmin.reduce(scores, axis=0, initial=np.inf)
    largest = np.fmax.reduce(scores, axis=0, initial=-np.inf)
    for column, metric in enumerate(map(str, metrics)):
        if not is_known(metric):  # it may take any value
            continue
        most = highest(metric) + _ROUNDING
        if lowest[column] < -_ROUNDING or largest[column] > most:
            row = int(
                np.flatnonzero(
                    (scores[:, column] < -_ROUNDING) | (scores[:, column] > most)
                )[0]
            )
            where = f" ({named(row)})" if named else ""
            raise ScoresError(
                f"{scores[row, column]:g}{where} is not a score of {metric}, {_takes(highest(metric))}"
            )


def _takes(high: float) -> str:
    """Say what scores a metric takes that can be so high, and what to do with others."""
    rename = "give the metric another name"
    if np.isinf(high):
        return f"whose scores are 0 or more: {rename}"
    return f"whose scores are 0 to {high:g}: divide percentages by 100, or {rename}"


def _first(scores: xr.DataArray, where: Bools) -> str:
    """Name the first of the marked cells."""
    system, topic, metric = np.argwhere(where)[0]
    return f"{scores.system.values[system]}, topic {scores.topic.values[topic]}, {scores.metric.values[metric]}"


def _in_order(scores: object) -> xr.DataArray:
    """Put the dimensions of a cube, or of a table's scores, in order; raise ScoresError if it lacks one, or names."""
    if frames.is_table(scores):
        return from_frame(scores)
    if not isinstance(scores, xr.DataArray):
        if isinstance(scores, Mapping):
            one = "choose one of those in it, as in scores[NAME]"
        else:
            one = _MAKES
        raise ScoresError(
            f"a score cube is an xarray.DataArray of {', '.join(DIMS)}; this is a {type(scores).__name__}; {one}"
        )
    if set(scores.dims) != set(DIMS):
        dims = ", ".join(map(str, scores.dims))
        raise ScoresError(
            f"a score cube has the dimensions {', '.join(DIMS)}; this array has ({dims});"
            " rename them, or select with a list, as in sel(metric=['AP']), which keeps the dimension;"
            " irmeta.from_frame(array.to_series()) takes an array of two"
        )
    for dim in DIMS:
        named = dim in scores.indexes and all(
            isinstance(name, str) for name in scores[dim].values
        )
        if not named:
            raise ScoresError(
                f"the {dim}s of a score cube must have names that are text: assign_coords({dim}=[...])"
            )
        require_short(scores[dim].values, dim)
    if scores.dtype.kind not in "fiu":
        raise ScoresError(
            f"scores must be numbers, not {scores.dtype}; convert them with astype(float)"
        )
    if scores.dims == DIMS and scores.dtype == np.float64:
        return scores
    ordered = scores.transpose(*DIMS)
    return ordered.copy(data=np.ascontiguousarray(ordered.values, dtype=np.float64))


def labels(names: Iterable[object]) -> list[str]:
    r"""List names as text that every program can write; bytes of ids that are not UTF-8 are escaped, as in \xe9.

    >>> labels(["caf\udce9", 301])
    ['caf\\xe9', '301']
    """
    return [_bytes(str(name)).decode("utf-8", "backslashreplace") for name in names]


def _bytes(name: str) -> bytes:
    """Return the bytes that a name was read from; halves of characters, which JSON can hold, are escaped."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace")


def select(
    scores: xr.DataArray,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> xr.DataArray:
    """Keep the named systems, topics and metrics, in the order given, each once.

    scores : a cube.

    systems, topics, metrics : a list of names, or one text with spaces or commas between them; all by default. Systems
    and topics may be patterns, as in bm25*. Metrics also go by trec_eval's names, and AP stands for the deepest AP@k
    where there is no AP. An unknown name raises ScoresError.
    """
    scores = check(scores)
    where = str(scores.attrs.get("collection", "these scores"))
    for dim, wanted in (("system", systems), ("topic", topics), ("metric", metrics)):
        known = [str(name) for name in scores[dim].values]
        names = choose_names(dim, wanted, known, where)
        if names != known:
            scores = scores.sel({dim: names})
    return scores


def choose_names(
    dim: str, wanted: Iterable[str] | None, known: Sequence[str], where: str
) -> list[str]:
    """Return the wanted names as they are known, each once; all of them if `wanted` is None.

    dim : "system", "topic" or "metric".  wanted : a list, or one text with spaces or commas between names; a system or
    topic that is not known may be a pattern, as in bm25*, which stands for all that it matches; a metric that is not
    known stands for itself at its deepest cutoff, AP for AP@1000.
    known : the names there are.  where : what holds them, for messages. An unknown name raises ScoresError, which
    suggests the nearest.
    """
    if wanted is None:
        return list(known)
    if dim == "metric":
        spelled = {canonical(name): name for name in known}
        names = [found_as(name, spelled) or name for name in metric_names(wanted)]
    else:
        if isinstance(wanted, str):
            given = split(wanted)
        else:
            given = list(wanted)
        names = [name for one in given for name in _matching(one, known)]
        spelled = {name: name for name in known}
    if not names:
        raise ScoresError(
            f"the list of {dim}s is empty; name some of {where}, or leave the option out to use all"
        )
    for name in names:
        if name not in spelled:
            instead = nearest(name, known)
            if dim == "metric" and is_known(name):
                instead = (
                    f"{instead.removesuffix('?')}, or score it: "
                    f'`irmeta evaluate QRELS RUNS -m "{name}"`'
                )
            raise ScoresError(f"no {dim} {name!r} in {where}; {instead}")
    return list(dict.fromkeys(spelled[name] for name in names))


def _matching(name: str, known: Sequence[str]) -> list[str]:
    """List the known names that a pattern of *, ? and [] matches; a known name, or one that matches none, itself."""
    if name in known:
        return [name]
    return [one for one in known if fnmatchcase(one, name)] or [name]


def additive(scores: xr.DataArray) -> xr.DataArray:
    """Return scores whose arithmetic mean over topics orders systems as the metric does: GMAP becomes a logarithm.

    Rank systems by the mean of this over any set of topics. Source of GMAP: Robertson (CIKM 2006).
    """
    geometric = _geometric(scores)
    if not geometric.any():
        return scores
    # GMAP of a system = exp(mean over topics of log max(AP, floor)): its additive score is the logarithm
    floored = np.maximum(scores.values, GMAP_FLOOR)
    logs = np.log(np.where(geometric, floored, 1.0))
    return scores.copy(data=np.where(geometric, logs, scores.values))


def means(scores: xr.DataArray) -> xr.DataArray:
    """Return system-level scores of shape (system, metric): the mean over topics, for GMAP the geometric mean.

    scores : a cube.
    A system with a missing topic has a missing mean: means over different topics do not compare.

    >>> means(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).item()
    0.3
    """
    return from_additive(additive(_in_order(scores)).mean("topic", skipna=False))


def from_additive(values: xr.DataArray) -> xr.DataArray:
    """Undo `additive`: put means, or the ends of their intervals, back on each metric's own scale."""
    # along the metric's axis, and of length 1 along the others, so that it fits values of any shape
    shape = [1] * values.ndim
    shape[values.dims.index("metric")] = -1
    geometric = _geometric(values).reshape(shape)
    powers = np.exp(np.where(geometric, values.values, 0.0))
    return values.copy(data=np.where(geometric, powers, values.values))


def top_systems(
    scores: xr.DataArray, share: float, by: str | None = None
) -> xr.DataArray:
    """Keep the best floor(share x systems) systems by mean `by` over all topics, in the order they had.

    scores : a cube.
    share : in (0, 1].  by : a metric; by default AP, else the deepest AP@k there is. Of tied systems the earlier one
    stays. Source: Webber et al. (SIGIR 2008), section 2, where 129 systems at 0.75 leave 96.
    """
    if not 0 < share <= 1:
        raise ScoresError(
            f"the share of systems to keep must be above 0 and at most 1, not {share}"
        )
    scores = check(scores)
    by = default_by(scores) if by is None else by
    column = means(select(scores, metrics=[by])).values[:, 0]
    if np.isnan(column).any():
        raise ScoresError(
            f"systems cannot be ranked by {by}: some have no score on some topics"
        )
    kept = int(np.floor(share * column.size + 1e-9))
    if not kept:
        raise ScoresError(
            f"a share of {share} keeps none of {column.size} systems; raise it"
        )
    # means that differ by rounding only are tied; a stable order lets the earlier of them stay
    best_first = np.argsort(-settled(column), kind="stable")
    return scores.isel(system=np.sort(best_first[:kept]))


def prepare(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: MissingOfPairs = "error",
    pairs: bool = False,
) -> tuple[xr.DataArray, list[str]]:
    """Return the part of a cube that a study is about, without missing cells, and notes on what was left out.

    metrics : all by default.  top, by : keep the best systems, see `top_systems`; `by` need not be among the metrics.
    missing : see `complete`; scores of metrics that are neither studied nor `by` may be missing.
    pairs : the study goes pair by pair, so that with "pairwise" missing cells stay.
    """
    if by is not None and top is None:
        raise ScoresError("--by needs --top, as in --top 0.75")
    used = select(scores, metrics=metrics)
    names = [str(name) for name in used.metric.values]
    deeper = deeper_metrics(metrics, names)
    if top is None:
        if pairs and missing == "pairwise":
            whole, notes = _as_it_is(used)
        else:
            whole, notes = complete(used, missing, pairs=pairs)
        return whole, deeper + notes
    by = default_by(used) if by is None else metric_of(scores, by)
    if by in names:
        needed = used
    else:
        needed = select(scores, metrics=[*names, by])
    whole, notes = complete(needed, missing)
    best = top_systems(whole, top, by)
    notes.append(
        f"{best.sizes['system']} of {whole.sizes['system']} systems: the top {top:g} by {by} on all topics"
    )
    return select(best, metrics=names), deeper + notes


def deeper_metrics(
    wanted: str | Iterable[str] | None, used: Iterable[str]
) -> list[str]:
    """Note the metrics that were asked for without a cutoff and are there only with one.

    >>> deeper_metrics("AP RR", ["AP@1000", "RR"])
    ['the scores have no AP; the deepest one, AP@1000, is used']
    """
    if wanted is None:
        return []
    names = list(used)
    asked = [name for name in metric_names(wanted) if name not in names]
    found = {name: found_as(name, names) for name in asked}
    return [
        f"the scores have no {name}; the deepest one, {deeper}, is used"
        for name, deeper in found.items()
        if deeper and raw(deeper) != name
    ]


def metric_of(scores: xr.DataArray, name: str) -> str:
    """Return the one metric of the scores that a name stands for; an unknown name raises ScoresError.

    >>> metric_of(cube([[[0.5]]], ["bm25"], ["301"], ["AP@1000"]), "map")
    'AP@1000'
    """
    [metric] = select(scores, metrics=[name]).metric.values
    return str(metric)


def _as_it_is(scores: xr.DataArray) -> tuple[xr.DataArray, list[str]]:
    """Return a cube with its missing cells, and a note on them."""
    scores = _require_scale(check(scores))
    absent = int(np.isnan(scores.values).sum())
    if not absent:
        return scores, []
    return scores, [
        (
            f"{absent} of {scores.size} scores are missing; each pair is compared on the scores "
            "that both have"
        )
    ]


def default_by(scores: xr.DataArray) -> str:
    """Return the metric that orders systems by default: AP, else the deepest AP@k."""
    names = [str(name) for name in scores.metric.values]
    found = found_as("AP", names)
    if found is None:
        raise ScoresError(
            f"there is no AP among {', '.join(names)} to order systems by; name a metric with --by"
        )
    return found


def _require_scale(scores: xr.DataArray) -> xr.DataArray:
    """Return a cube; raise ScoresError if a metric's scores are so small or large that studies would be wrong."""
    largest = np.abs(scores.values).max(
        axis=(0, 1), initial=0, where=~np.isnan(scores.values)
    )
    for metric, most in zip(scores.metric.values, largest.tolist(), strict=True):
        if most > MOST or 0 < most < LEAST:
            raise ScoresError(
                f"the largest score of {metric} is {most:.3g}; studies round to ten decimals and "
                f"need it between {LEAST:g} and {MOST:g}: multiply all scores by one number, so "
                f"that they reach about 1, or leave {metric} out"
            )
    return scores


def complete(
    scores: xr.DataArray, missing: MissingOfPairs = "error", *, pairs: bool = False
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube without missing cells, and notes on what was left out for it.

    missing : "error" raises ScoresError; "topics" leaves out every topic that some system lacks, "systems" every system
    that lacks some topic, "common" topics and systems so that most scores stay. "pairwise" raises ScoresError: it is
    for studies that go pair by pair. Scores that are too small or too large to be compared raise ScoresError.
    pairs : this is such a study, so that the error names "pairwise", too.
    """
    require_choice("missing", missing, get_args(MissingOfPairs))
    scores = _require_scale(check(scores))
    absent = np.isnan(scores.values)
    if not absent.any():
        return scores, []
    count = f"{int(absent.sum())} of {absent.size} scores are missing"
    if missing in ("error", "pairwise"):
        if missing == "pairwise":
            what = _PAIRWISE
        elif pairs:
            what = (
                "compare each pair on the scores that both have (--missing pairwise), or drop "
                "topics or systems"
            )
        else:
            what = "drop their topics or their systems"
        raise ScoresError(
            f"{count} (first: {_first(scores, absent)}); {what} (--missing common, topics or "
            "systems; common drops least)"
        )
    of_system, of_topic, _ = complete_part(absent, _DROPPED[missing])
    if not (of_system.any() and of_topic.any()):
        every = "system" if missing == "systems" else "topic"
        raise ScoresError(
            f"{count}, and every {every} lacks some; choose fewer systems or metrics"
        )
    dropped = [
        f"{np.count_nonzero(~keep)} of {keep.size} {dim}s"
        for dim, keep in (("system", of_system), ("topic", of_topic))
        if not keep.all()
    ]
    note = f"{count}; dropped {' and '.join(dropped)} that lack scores"
    return scores.isel(system=of_system, topic=of_topic), [note]


def require_variation(values: Floats, metrics: Iterable[str], where: str = "") -> None:
    """Raise ScoresError if a metric has the same value throughout: it distinguishes no systems.

    values : a row for each metric.  where : what the message says of the place, as in " on TREC-8".
    """
    names = [str(name) for name in metrics]
    flat = [
        name for name, row in zip(names, values, strict=True) if np.ptp(row) < 1e-10
    ]
    if not flat:
        return
    does, them = ("does", "it") if len(flat) == 1 else ("do", "them")
    others = " ".join(name for name in names if name not in flat)
    rest = f": --metrics {others!r}" if others else ""
    raise ScoresError(
        f"{', '.join(flat)} {does} not distinguish these systems{where} (all scores equal); leave {them} out{rest}"
    )


def varying(scores: xr.DataArray) -> xr.DataArray:
    """Keep the metrics that distinguish systems: a metric whose mean is the same for all correlates with nothing.

    >>> varying(cube([[[0.1, 1.0]], [[0.2, 1.0]]], ["a", "b"], ["301"], ["AP", "P@10"])).metric.values.tolist()
    ['AP']
    """
    values = means(scores).values
    return scores.isel(metric=~(np.ptp(values, axis=0) < 1e-10))


def geometric(metrics: Iterable[object]) -> list[str]:
    """Name those of the metrics whose mean over topics is geometric: GMAP.

    >>> geometric(["AP", "GMAP(rel=2)"])
    ['GMAP(rel=2)']
    """
    return [str(name) for name in metrics if str(name).startswith("GMAP")]


def _geometric(scores: xr.DataArray) -> Bools:
    """Mark the metrics whose mean over topics is geometric."""
    logs = geometric(scores.metric.values)
    return np.array(
        [str(name) in logs for name in scores.metric.values], dtype=np.bool_
    )
