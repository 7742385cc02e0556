"""Score standardization, cube to cube: fit the factors of each topic, publish them, apply them to other systems."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Flat, Kind, Missing, MissingOfPairs
from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import is_known, nearest, parse, standardized
from irmeta.metrics.values import geometric
from irmeta.scores.attributes import REPEATS, about, recorded
from irmeta.scores.cube import check, only_numbered
from irmeta.scores.groups.runs import rescaled_run_facts, spread_of
from irmeta.scores.groups.teams import Grouping, teams_of
from irmeta.scores.selection import complete, prepare, require_topics
from irmeta.stats.arrays import Floats
from irmeta.stats.standardizing import across, standardizers
from irmeta.words import counted, listed


def fit(
    scores: xr.DataArray, *, teams: Grouping = None, missing: MissingOfPairs = "error"
) -> xr.Dataset:
    """Fit the factors of every topic and metric on the systems of a cube, the standardizing systems.

    teams : the team of each system, a table, "stem" of its name or "each" by itself; by default stems where many names
    share one. Systems of a team resemble each other; `place` takes teams, not systems, for what was drawn
    independently.
    missing : what to do about missing scores, as in `selection.complete`; "pairwise" fits each topic on the systems
    that have a score there, two or more.
    Returns mean, sd (divisor n - 1), n over (topic, metric) and quantiles, the n scores in rising order, over (topic,
    metric, order). Its attributes tell which factors these are: collection, systems, and a digest of the numbers that
    two labs can compare; and, by metric, what `place` needs: `spread`, how far other standardizing systems would move
    all topics together, and `standing`, each system's mean score, mean standardized score and its variance over topics.

    >>> from irmeta.scores.cube import cube
    >>> scores = cube([[[0.1]], [[0.5]], [[0.3]]], ["a", "b", "c"], ["301"], ["AP"])
    >>> round(fit(scores).sd.item(), 12)
    0.2
    """
    _require_standardizable(check(scores))
    scores, notes = prepare(scores, missing=missing, pairs=True, by_topic=True)
    if scores.sizes["system"] < 2:
        raise ScoresError(
            "standardization factors need at least 2 systems, and should have 10 or more; this cube has 1"
        )
    few = scores.notnull().sum("system") < 2
    if few.any():
        topics = [str(topic) for topic in scores.topic.values[few.any("metric").values]]
        raise ScoresError(
            f"fewer than 2 systems have a score on topic {listed(topics)}; leave out such topics (--topics)"
        )
    factors = standardizers.fit(scores.values)
    provenance = {
        "collection": scores.attrs.get("collection", "collection"),
        "systems": [str(system) for system in scores.system.values],
        "scores": about(scores),
        "notes": notes,
        "irmeta": version("irmeta"),
        **_standardizing_facts(scores, factors, teams),
    }
    return dataset_of(
        factors, list(scores.topic.values), list(scores.metric.values)
    ).assign_attrs(recorded(provenance))


def _standardizing_facts(
    scores: xr.DataArray, factors: standardizers.Factors, teams: Grouping
) -> dict[str, Any]:
    """Describe the standardizing systems by metric: how they vary together over topics, and where each stands."""
    if scores.sizes["topic"] < 2 or scores.isnull().any():
        return {}
    team = teams_of(scores.system.values, teams).of
    values = standardizers.standardize(scores.values, factors, "z")
    spread, standing = {}, {}
    for place, metric in enumerate(scores.metric.values):
        covariance, units = across.spread(values[..., place], team)
        own = across.place(values[..., place]).scores
        spread[str(metric)] = {"covariance": covariance.tolist(), "units": units}
        standing[str(metric)] = {
            "mean": scores.values[..., place].mean(axis=1).round(6).tolist(),
            "standardized": own.mean(axis=1).round(6).tolist(),
            "variance": own.var(axis=1, ddof=1).round(6).tolist(),
        }
    return {"spread": spread, "standing": standing}


def apply(
    scores: xr.DataArray,
    factors: xr.Dataset,
    kind: Kind = "normal",
    *,
    flat: Flat = "half",
) -> xr.DataArray:
    """Standardize a cube with factors fitted on any systems on the same topics; missing scores stay missing.

    The metrics' names say so wherever they are printed: AP becomes AP (std.). Studies find it by either name.

    kind : the formula; docs/studies/standardization.md has them all, with their sources.
    flat : for topics without a scale, where all standardizing systems score alike: "half" gives every system the middle
    (0.5; 0 for z), "drop" leaves the topic out, "raw" leaves the scores. `about(cube)["standardization"]["flat"]` lists
    them.

    Scores of AP@1000 take factors of AP, with a note, where the factors have no AP@1000.
    Raises ScoresError naming topics or metrics that the factors do not have.

    >>> from irmeta.scores.cube import cube
    >>> scores = cube([[[0.1]], [[0.5]], [[0.3]]], ["a", "b", "c"], ["301"], ["AP"])
    >>> apply(scores, fit(scores), "normal").values.ravel().round(3).tolist()
    [0.159, 0.841, 0.5]
    """
    require_choice("kind", kind, tuple(standardizers.KINDS))
    require_choice("flat", flat, get_args(Flat))
    scores = check(scores)
    _require_standardizable(scores)
    _require_factors(factors)
    factors, taken = with_cutoff(factors, scores.metric.values)
    _require_names(scores, factors)
    notes = [*topic_doubts(scores, factors), *taken]
    arrays = _arrays(
        factors.sel(topic=scores.topic.values, metric=scores.metric.values)
    )
    undefined = standardizers.KINDS[kind].undefined(arrays)
    standardize = partial(
        standardizers.standardize,
        factors=arrays,
        kind=kind,
        flat="raw" if flat == "raw" else "half",
    )
    without_scale = {
        str(metric): [str(topic) for topic in scores.topic.values[column]]
        for metric, column in zip(scores.metric.values, undefined.T, strict=True)
        if column.any()
    }
    description = {
        "kind": kind,
        "factors": {name: factors.attrs.get(name) for name in ("collection", "digest")},
        "policy": flat,
        "notes": notes,
        "flat": without_scale,
    }
    names = [standardized(str(metric)) for metric in scores.metric.values]
    made = scores.copy(data=standardize(scores.values))
    made = made.assign_coords(metric=np.array(names, dtype=object))
    made = made.assign_attrs(recorded({"standardization": description}))
    if REPEATS in about(scores):
        facts = rescaled_run_facts(about(scores)[REPEATS], _slopes(scores, standardize))
        made = made.assign_attrs(recorded({REPEATS: facts}))
    if flat == "drop":
        return made.isel(topic=~undefined.any(axis=1))
    return made


def _slopes(
    scores: xr.DataArray, standardize: Callable[[Floats], Floats]
) -> dict[str, tuple[str, float]]:
    """Return by metric its standardized name, and how far a standardized mean moves with the level of a run.

    The slope between a standard deviation of runs' means below and above, over topics and systems.
    """
    metrics = [str(name) for name in scores.metric.values]
    slopes = {}
    for at, metric in enumerate(metrics):
        spread = spread_of(about(scores)[REPEATS], [metric])
        if spread is None or not spread.run > 0:
            continue
        step = np.zeros(len(metrics))
        step[at] = np.sqrt(spread.run[0] / spread.topics)
        above, below = (
            standardize(scores.values + sign * step)[..., at] for sign in (1, -1)
        )
        slope = np.nanmean(above - below) / (2 * step[at])
        slopes[metric] = (standardized(metric), float(slope))
    return slopes


def _require_names(scores: xr.DataArray, factors: xr.Dataset) -> None:
    """Raise ScoresError if the factors lack topics or metrics of the scores."""
    for dim in ("topic", "metric"):
        held = factors.indexes[dim]
        unknown = [name for name in scores[dim].values if name not in held]
        if unknown:
            if dim == "metric":
                mend = f"they have {listed(map(str, held))}: evaluate these metrics, leave out the others (--metrics),"
            else:
                mend = "take factors that have them"
            raise ScoresError(
                f"the factors ({factors.attrs.get('collection', 'unnamed')}) lack "
                f"{counted(len(unknown), dim)} of these scores: {listed(unknown)}; {mend} or fit "
                "new ones (irmeta standardize fit)"
            )


_DOCUMENTS = 1000
"""Documents that a run of TREC has at most."""


def with_cutoff(
    factors: xr.Dataset, metrics: Iterable[object]
) -> tuple[xr.Dataset, list[str]]:
    """Let factors of AP serve AP@1000 too, if that is among the metrics and they lack it; say so.

    The two are the same of runs with at most 1000 documents, as TREC's are: AP divides by all relevant documents.
    """
    held = [str(name) for name in factors.metric.values]
    lacking = [str(name) for name in metrics if str(name) not in held]
    uncut = {name: _uncut(name) for name in lacking if _uncut(name) in held}
    if not uncut:
        return factors, []
    facts = about(factors)
    by_metric: dict[str, Any] = {
        fact: facts[fact] | {name: facts[fact][whole] for name, whole in uncut.items()}
        for fact in ("spread", "standing")
        if fact in facts
    }
    made = factors.sel(metric=[*held, *uncut.values()])
    made = made.assign_coords(metric=np.array([*held, *uncut], dtype=object))
    return made.assign_attrs(recorded(by_metric)), [
        f"{name} is standardized by the factors of {whole}; the two are equal if the standardizing "
        f"runs have at most {_DOCUMENTS} documents per topic, as in TREC"
        for name, whole in uncut.items()
    ]


def _uncut(name: str) -> str:
    """Return the name of AP that a name of AP@1000 stands for; of other metrics nothing."""
    if not is_known(name):
        return ""
    metric = parse(name)
    if (metric.base, metric.cutoff) != ("AP", _DOCUMENTS):
        return ""
    return str(replace(metric, cutoff=None))


def common_metrics(
    scores: xr.DataArray, factors: xr.Dataset
) -> tuple[xr.DataArray, list[str]]:
    """Leave out the metrics of scores that the factors lack, and say which; scores with none of them stay whole."""
    held = with_cutoff(factors, scores.metric.values)[0].indexes["metric"]
    kept = [name for name in scores.metric.values if name in held]
    lost = [name for name in scores.metric.values if name not in held]
    if not kept or not lost:
        return scores, []
    return scores.sel(metric=kept), [
        f"metrics left out because the factors lack them: {', '.join(lost)}"
    ]


def counterpart(name: str, new: Mapping[str, xr.DataArray]) -> xr.DataArray:
    """Return the new collection that goes with an old one: that of its name, or the only one."""
    if name in new:
        return new[name]
    if len(new) == 1:
        return next(iter(new.values()))
    raise ScoresError(
        f"no new collection has the name of the old one, {name!r}; {nearest(name, new)}"
    )


def on_common_topics(
    old: xr.DataArray, new: xr.DataArray, missing: Missing = "error"
) -> tuple[xr.DataArray, xr.DataArray, list[str]]:
    """Cut two cubes to the topics and metrics that both have, without missing cells; say what was left out."""
    notes: list[str] = []
    old = check(old)
    new = check(new)
    for dim in ("metric", "topic"):
        old, new = _cut_to_common(old, new, dim, notes)
    old, of_old = complete(old, missing)
    new, of_new = complete(new, missing)
    notes += of_old + of_new + _numbering_doubts(old.topic.values, old.attrs, new.attrs)
    # again: each may have dropped topics of its own
    old, new = _cut_to_common(old, new, "topic", notes)
    return old, new, notes


OWN_NAME = "own_name"
"""The attribute of scores that keeps a collection's name where they were renamed after the factors."""


def topic_doubts(scores: xr.DataArray, factors: xr.Dataset) -> list[str]:
    """Warn if nothing says that scores and factors are of the same topics, which are only numbered."""
    if _judgments(about(scores)) & _judgments(about(factors).get("scores")):
        return []
    return _numbering_doubts(scores.topic.values, scores.attrs, factors.attrs)


def _judgments(provenance: Any) -> set[str]:
    """Return the digest of the judgments that scores were made with, if they say it."""
    qrels = provenance.get("qrels") if isinstance(provenance, Mapping) else None
    digest = qrels.get("sha256") if isinstance(qrels, Mapping) else None
    return {digest} if digest else set()


def _numbering_doubts(topics: Iterable[str], *both: Mapping[str, Any]) -> list[str]:
    """Warn if two collections only number their topics, so that equal names say nothing."""
    names = [
        str(attrs.get(OWN_NAME, attrs.get("collection", "collection")))
        for attrs in both
    ]
    if names[0] == names[1] or not only_numbered(topics):
        return []
    if OWN_NAME in both[0]:  # runs that were scored here
        way = f"call the collection of the runs {names[1]} (--collection {names[1]})"
    else:
        way = (
            f"call the collection so: --collection {names[1]} of evaluate or import, "
            f"collection={names[1]!r} of from_frame"
        )
    return [
        f"topics are matched by name, but {names[0]} and {names[1]} number theirs from 1: unless "
        f"these are the same topics, the figures mean nothing (if they are, {way})"
    ]


_BECAME = {
    "half": "every system gets the middle of the scale there",
    "drop": "left out",
    "raw": "raw scores kept there",
}
"""What became of topics without a scale, by the policy."""


def flat_topics(scores: xr.DataArray) -> list[str]:
    """Say which topics had no scale and what became of them, one line for each metric that has such topics.

    >>> from irmeta.scores.cube import cube
    >>> raw = cube([[[0.1]], [[0.1]]], ["a", "b"], ["301"], ["AP"])
    >>> [line] = flat_topics(apply(raw, fit(raw)))
    >>> print(line)
    AP: all standardizing systems have the same score on 1 topic (301); every system gets the middle of the scale there
    """
    done = about(scores)["standardization"]
    became = _BECAME[done["policy"]]
    lines = []
    for metric, topics in done["flat"].items():
        where = f"{counted(len(topics), 'topic')} ({listed(topics)})"
        lines.append(
            f"{metric}: all standardizing systems have the same score on {where}; {became}"
        )
    return lines


def digest(factors: xr.Dataset) -> str:
    """Return a fingerprint of factors: equal if topics, metrics and standardizing scores are, in whatever order."""
    frame = frame_of(factors).sort("topic", "metric")
    sha = hashlib.sha256()
    rows = frame.select("topic", "metric", "quantiles").iter_rows()
    for topic, metric, scores in rows:
        sha.update(f"{topic}\0{metric}\0".encode())
        sha.update(np.array(scores, dtype="<f8").tobytes())
    return sha.hexdigest()[:16]


def _cut_to_common(
    old: xr.DataArray, new: xr.DataArray, dim: str, notes: list[str]
) -> tuple[xr.DataArray, xr.DataArray]:
    """Cut both cubes to the names of a dimension that both have, in the order of the first, and note what goes."""
    both = [name for name in old[dim].values if name in new.indexes[dim]]
    names = [str(cube.attrs.get("collection", "collection")) for cube in (old, new)]
    if not both:
        raise ScoresError(
            f"{names[0]} and {names[1]} have no {dim} in common; old and new systems need some of the same {dim}s"
        )
    for name, cube in zip(names, (old, new), strict=True):
        left_out = cube.sizes[dim] - len(both)
        if left_out:
            notes.append(
                f"{name}: {left_out} of its {dim}s left out, as the other lacks them"
            )
    return old.sel({dim: both}), new.sel({dim: both})


def dataset_of(
    factors: standardizers.Factors, topics: list[str], metrics: list[str]
) -> xr.Dataset:
    """Return factors as a Dataset over topics and metrics, with its digest."""
    dims = ("topic", "metric")
    made = xr.Dataset(
        {
            "mean": (dims, factors.mean),
            "sd": (dims, factors.sd),
            "n": (dims, factors.n),
            "quantiles": ((*dims, "order"), factors.quantiles),
        },
        coords={
            "topic": np.asarray(topics, dtype=object),
            "metric": np.asarray(metrics, dtype=object),
        },
    )
    return made.assign_attrs(digest=digest(made))


def _require_factors(factors: object) -> None:
    """Raise ScoresError for what is not a Dataset of factors."""
    needed = {"mean", "sd", "quantiles"}
    if not isinstance(factors, xr.Dataset) or not needed <= set(factors):
        raise ScoresError(
            "these are not factors; pass what irmeta.standardize.fit or .load returned"
        )


def _arrays(factors: xr.Dataset) -> standardizers.Factors:
    """Return the arrays of factors, (topic, metric, ...)."""
    factors = factors.transpose("topic", "metric", "order")
    return standardizers.Factors(
        factors["mean"].values, factors["sd"].values, factors["quantiles"].values
    )


def frame_of(factors: xr.Dataset) -> pl.DataFrame:
    """Return factors as the table that a file holds, one row for each topic and metric."""
    topics, metrics = (factors[dim].values.astype(str) for dim in ("topic", "metric"))
    quantiles = factors["quantiles"].values.reshape(len(topics) * len(metrics), -1)
    return pl.DataFrame(
        {
            "topic": np.repeat(topics, len(metrics)),
            "metric": np.tile(metrics, len(topics)),
            **{name: factors[name].values.ravel() for name in ("mean", "sd", "n")},
            "quantiles": [row[np.isfinite(row)].tolist() for row in quantiles],
        }
    )


def require_raw(scores: xr.DataArray) -> None:
    """Raise ScoresError for scores that are standardized already."""
    if "standardization" in scores.attrs:
        raise ScoresError("these scores are already standardized; use raw scores")


def _require_standardizable(scores: xr.DataArray) -> None:
    """Raise ScoresError for cubes that cannot be standardized."""
    require_raw(scores)
    require_topics(scores)
    logs = geometric(scores.metric.values)
    if logs:
        raise ScoresError(
            f"{logs[0]} is a geometric mean of AP over topics; standardize AP instead (--metrics)"
        )
