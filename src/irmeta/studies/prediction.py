"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl
import xarray as xr
from scipy import stats

from irmeta.attributes import about
from irmeta.choices import Learner, Missing, Scale
from irmeta.cube import ALL, check, complete, cube, means
from irmeta.cubes import by_name, by_topic, in_range
from irmeta.datasets.reference import reference_model
from irmeta.errors import MetricError, ScoresError, require_choice, require_share
from irmeta.io import strictly
from irmeta.io.model_file import Model
from irmeta.names import highest, lowest, metric_names, nearest, parse, split
from irmeta.parallel import seed
from irmeta.result import result
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.prediction import learners
from irmeta.stats.prediction.accuracy import by_chance
from irmeta.stats.prediction.intervals import (
    band,
    expected_coverage,
    leave_one_out,
    leverage,
    mahalanobis,
    reach,
)
from irmeta.stats.prediction.learners import Fit
from irmeta.stats.prediction.regression import Moments, least_squares, pool
from irmeta.stats.prediction.scales import from_scale, to_scale
from irmeta.words import listed

OUTSIDE = 0.999
"""A system is outside what the model has seen when, were its scores normal, this share would lie nearer."""


JUDGED = 0.3
"""With fewer of the first 10 documents judged, intervals fail: docs/studies/prediction.md has the measured shares."""


HELD = 0.8
"""The coverage on the worst collection below which a metric's intervals are named."""
FEW = 3
"""Fewer known systems do not show that intervals fail."""
FEWEST_LEFT = 4
"""From fewer collections none is left out to see what intervals made of the others hold."""


class _Predicted(NamedTuple):
    """What is said of a predicted score; arrays of any one shape."""

    value: Floats
    low: Floats
    high: Floats
    distance: Floats
    outside: Floats  # 1 where the given scores lie outside what the model has seen
    known: Floats  # number of systems that told the collection's offset


def given(text: str, system: str = "given") -> xr.DataArray:
    """Read one system's scores as a cube.

    >>> given("P@10=0.43 RBP(p=0.95)=0.3").metric.values.tolist()
    ['P@10', 'RBP(p=0.95)']
    """
    scores: dict[str, float] = {}
    for part in split(text):
        name, equals, value = part.rpartition("=")
        try:
            number = strictly.number(value)
        except ValueError:
            number = np.nan
        if not equals or not name or np.isnan(number):
            raise ScoresError(
                f"{part!r}: expected METRIC=SCORE, as in 'P@10=0.43 RR=0.61'"
            )
        metric = str(parse(name))
        if metric in scores:
            raise ScoresError(f"{metric} is given twice; give one score of each metric")
        scores[metric] = number
    if not scores:
        raise ScoresError(
            "there are no scores; write METRIC=SCORE, as in 'P@10=0.43 RR=0.61'"
        )
    return cube([[list(scores.values())]], [system], [ALL], list(scores))


def predict(
    scores: xr.DataArray,
    model: Model | None = None,
    *,
    want: Iterable[str] | None = None,
    level: float = 0.9,
    known: xr.DataArray | None = None,
    train: Mapping[str, xr.DataArray] | None = None,
    learner: Learner = "ols",
    kernel: float | None = None,
    missing: Missing = "error",
    rng: int = 0,
) -> xr.Dataset:
    """Predict what is missing from a table of system-level scores, each system from the scores that it has.

    scores : a cube; its means over topics are used, or each topic by itself where the model is one of scores on topics.
    What a system lacks on all topics (NaN) is a hole to fill.
    model : as `prediction_model` makes it; by default the reference model that ships with irmeta.
    learner, kernel, rng : the kind of model, see `irmeta.stats.prediction.learners.learner`. One that is not linear is
    fitted on `train`, the collections that `model` was made of.
    train : the collections, by name, to fit a model on that is not linear.
    want : metrics to predict, as a list or in one text; by default those that some system lacks.
    level : coverage aimed at, in (0, 1), for a system of a collection that the model has not seen.
    known : systems of the same collection whose wanted scores are known; they tell the collection's offset.
    missing : what to do where a system lacks a metric on some topics only, as in `irmeta.cube.complete`.
    Returns, over (system, target), NaN where the score was given: value, low, high, distance (of the given scores from
    those the model has seen, 1 is usual, see `irmeta.stats.prediction.intervals.mahalanobis`), outside, known (how many
    systems told the offset); and `reported`.
    """
    require_share("the level of an interval", level, 0.9)
    model = model or reference_model()
    rng = seed(rng)
    learned = _learned(train, learner, kernel, rng)
    scores, notes = _usable(_of_unit(scores, model), model, missing)
    reported = in_range(means(scores))
    table, names, more = _renamed(reported, model)
    notes += more
    calibration = None
    inputs = {"given": scores}
    if known is not None:
        known, more = _usable(_of_unit(known, model), model, missing)
        calibration, _, _ = _renamed(in_range(means(known)), model)
        notes += [f"known systems: {note}" for note in more]
        inputs["known"] = known

    wanted = None if want is None else metric_names(want)
    targets, stand_ins = _targets(table, model, wanted)
    grid = _grid(table, targets, model, level, calibration, learned)
    if np.isnan(grid["value"]).all():
        raise ScoresError(
            "there is nothing to predict: each system has all wanted metrics, or has no metric "
            "that the model knows"
        )
    alarms = [*_outside(table, grid), *_unjudged(scores, level)]
    if known is None:
        alarms += _missed(table, targets, model, level, learned)
    notes += stand_ins + _notes(table, grid, model, level, calibrated=known is not None)
    if known is None and not np.isnan(grid["low"]).all():
        notes += _left_out(table, targets, model, level, linear=learned is None)

    data: dict[str, Any] = {
        name: (("system", "target"), values) for name, values in grid.items()
    }
    data["reported"] = reported
    options = {
        "level": level,
        "scale": model.scale,
        "learner": learner,
        "kernel": kernel,
        "seed": rng,
        "model": [part.name for part in model.parts],
        "sources": model.provenance.get("sources", []),
        "want": targets,
        "names": names,
        "missing": missing,
        "alarms": alarms,
    }
    unique_notes = list(dict.fromkeys([*notes, *alarms]))
    outcome = result(
        "prediction", data, inputs=inputs, options=options, notes=unique_notes
    )
    return outcome.assign_coords(system=table.system.values.astype(str), target=targets)


def _of_unit(scores: xr.DataArray, model: Model) -> xr.DataArray:
    """Check scores; each topic is a system of its own where the model is one of scores on topics."""
    if model.provenance.get("unit") == "topic":
        return by_topic(check(scores))
    return check(scores)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `prediction` (system, metric, value, low, high, level, distance) and `filled`.

    `filled` is the table given with its holes filled; a predicted score has its interval beside it (`AP low`,
    `AP high`), a reported one has none.
    """
    system, target = np.nonzero(~np.isnan(outcome["value"].values))
    columns = {
        "system": outcome.system.values[system].tolist(),
        "metric": outcome.target.values[target].tolist(),
    }
    for name in ("value", "low", "high", "distance"):
        columns[name] = outcome[name].values[system, target]
    level = pl.lit(about(outcome)["options"]["level"]).alias("level")
    cells = pl.DataFrame(columns).with_columns(pl.col("low", "high").fill_nan(None))
    prediction = cells.select(
        "system", "metric", "value", "low", "high", level, "distance"
    )
    return {"prediction": prediction, "filled": _filled(outcome)}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the predicted scores."""
    return {"prediction": tables(outcome)["prediction"]}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say what was predicted and how sure that is."""
    cells = tables(outcome)["prediction"]
    level = f"{about(outcome)['options']['level'] * 100:g}%"
    if cells.height == 1:
        cell = cells.row(0, named=True)
        interval = ""
        if cell["low"] is not None:
            interval = (
                f", between {cell['low']:.3f} and {cell['high']:.3f} ({level} interval)"
            )
        return [
            f"{cell['metric']} of {cell['system']} is predicted as {cell['value']:.3f}{interval}."
        ]
    width = float((outcome["high"] - outcome["low"]).median())
    if np.isnan(width):
        wide = ""
    else:
        wide = f"; half of the {level} intervals are wider than {width:.3f}"
    return [f"{cells.height} scores predicted{wide}."]


def _usable(
    scores: xr.DataArray, model: Model, missing: Missing
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube in which a system has a metric on all topics or on none, and notes on what was dropped for it."""
    kind = about(scores).get("standardization", {}).get("kind")
    fitted = set()
    for part in model.provenance.get("collections", {}).values():
        fitted.add(part.get("standardization", {}).get("kind"))
    if kind is not None and kind not in fitted:
        raise ScoresError(
            f"these scores are standardized ({kind}), but those of the model are not; predict from "
            "raw scores, or fit a model on scores standardized in the same way"
        )
    lacking = scores.isnull().all("topic")
    whole, notes = complete(scores.where(~lacking, 0.0), missing)
    return whole.where(~lacking.sel(system=whole.system)), notes


def _renamed(
    table: xr.DataArray, model: Model
) -> tuple[xr.DataArray, dict[str, str], list[str]]:
    """Return the scores that the model can use under its names, these names by the table's, and notes on the others."""
    names = [str(name) for name in table.metric.values]
    used, left = {}, []
    for name in names:
        target = model.name_of(name)
        if target and (target == name or target not in names):
            used[name] = target
        else:
            left.append(name)
    if not used:
        raise MetricError(
            f"none of these metrics is in the model: {listed(left)}; it has {', '.join(model.metrics)}"
        )
    notes = [_stand_in(name, target) for name, target in used.items() if target != name]
    if left:
        notes.append(
            "metrics that the model does not know were not used: "
            f"{listed(left)}{_hint(left, model)}"
        )
    renamed = table.sel(metric=list(used)).assign_coords(
        metric=np.array(list(used.values()), dtype=object)
    )
    return renamed, used, notes


def _hint(left: Iterable[str], model: Model) -> str:
    """Name the metrics of the model that are variants of those it does not know."""
    variants = []
    for name in left:
        variant = model.variant_of(name)
        if variant:
            variants.append(f"{name} differs from {variant}, which it knows")
    if variants:
        return f" ({'; '.join(variants[:3])})"
    return ""


def _stand_in(name: str, target: str) -> str:
    """Say that the model's metric stands for the one named."""
    if target.startswith(f"{name}@"):
        return (
            f"{name} is used as {target} of the model; for runs of at most 1000 documents they "
            "hardly differ"
        )
    return f"{target} is predicted instead of {name}, which the model lacks; their scores differ"


def _targets(
    table: xr.DataArray, model: Model, want: list[str] | None
) -> tuple[list[str], list[str]]:
    """Return the metrics to predict under the model's names, and notes on those wanted under another."""
    given = {str(metric) for metric in table.metric.values}
    if want is None:
        holes = table.metric.values[np.isnan(table.values).any(axis=0)]
        if holes.size:
            return [str(metric) for metric in holes], []
        return [metric for metric in model.metrics if metric not in given], []
    targets = {}
    for name in want:
        target = model.name_of(name) or model.variant_of(name)
        if target is None:
            raise MetricError(
                f"the model does not know {name!r}; {nearest(name, model.metrics)}"
            )
        if target in given and not np.isnan(table.sel(metric=target).values).any():
            raise ScoresError(
                f"{name} is given; a metric cannot be predicted from itself"
            )
        targets[name] = target
    notes = [
        _stand_in(name, target) for name, target in targets.items() if name != target
    ]
    return list(dict.fromkeys(targets.values())), notes


class _Learned(NamedTuple):
    """A kind of model that takes the scores themselves, and these: (system, metric) by collection."""

    fit: Fit
    tables: Mapping[str, xr.DataArray]

    def rows(self, metrics: Sequence[str]) -> list[Floats]:
        """Return the scores of the collections that have these metrics."""
        held = [
            table
            for table in self.tables.values()
            if set(metrics) <= set(table.metric.values)
        ]
        return [table.sel(metric=list(metrics)).values for table in held]

    def fitted(self, rows: Sequence[Floats]) -> Callable[[Floats], Floats]:
        """Fit the last variable of all these rows on the others."""
        together = np.concatenate(rows)
        return self.fit(together[:, :-1], together[:, -1])


def _linear(data: Sequence[Moments]) -> Callable[[Floats], Floats]:
    """Fit the last variable by least squares on all the others."""
    together = pool(data)
    last = len(together.mean) - 1
    slopes, intercept = least_squares(together, range(last), [last])
    return lambda rows: np.asarray((rows @ slopes + intercept)[:, 0])


def _learned(
    train: Mapping[str, xr.DataArray] | None,
    learner: Learner,
    kernel: float | None,
    rng: int,
) -> _Learned | None:
    """Return what a kind of model takes that is not linear; None for least squares, which the model itself serves."""
    require_choice("learner", learner, get_args(Learner))
    if learner == "ols":
        return None
    if train is None:
        raise ScoresError(
            f"{learner} needs scores, but a model holds only means and covariances; name score "
            "files with --train instead"
        )
    tables = {name: in_range(means(scores)) for name, scores in by_name(train).items()}
    return _Learned(learners.learner(learner, kernel=kernel, rng=rng), tables)


def _grid(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    calibration: xr.DataArray | None,
    learned: _Learned | None,
) -> dict[str, Floats]:
    """Predict what each system lacks from all that it has: each figure of _Predicted, of shape (system, target)."""
    shape = (table.sizes["system"], len(targets))
    grid = {name: np.full(shape, np.nan) for name in _Predicted._fields}
    for rows, given in _patterns(table):
        scores = table.sel(metric=given).values[rows]
        for j, target in enumerate(targets):
            if target in given:
                continue
            found = _predict(scores, given, target, model, level, calibration, learned)
            for name, values in zip(found._fields, found, strict=True):
                grid[name][rows, j] = values
    return grid


def _patterns(table: xr.DataArray) -> Iterator[tuple[Indices, list[str]]]:
    """Yield the systems that have the same metrics, and these metrics; systems without any are left out."""
    there = ~np.isnan(table.values)
    patterns, number = np.unique(there, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        if pattern.any():
            yield (
                np.flatnonzero(number == i),
                [str(metric) for metric in table.metric.values[pattern]],
            )


def _predict(
    scores: Floats,
    given: list[str],
    target: str,
    model: Model,
    level: float,
    calibration: xr.DataArray | None,
    learned: _Learned | None,
) -> _Predicted:
    """Predict one metric of systems that have the same given ones: scores of shape (system, given)."""
    held = model.holding([*given, target])
    if not held:
        raise ScoresError(
            f"no collection of the model has all of {', '.join([*given, target])}; give fewer metrics, or fit a model"
        )
    data = [part.moments for part in held]
    # places of the given metrics, and of the target behind them
    at = list(range(len(given)))
    of = [len(given)]
    values = to_scale(scores, model.scale)
    rows = list[Floats]()
    if learned is None:
        fitted = _linear(data)
    else:
        rows = [to_scale(part, model.scale) for part in learned.rows([*given, target])]
        fitted = learned.fitted(rows)
    centre = fitted(values)
    half: float | Floats = np.nan
    residuals = _residuals(calibration, [*given, target], model.scale, fitted)
    # how far collections differ shows only on several
    if len(held) > 1:
        if learned is None:
            errors = leave_one_out(data, at, of)
        else:
            errors = learners.held_out(rows, learned.fit)
        found = band(
            errors,
            level,
            reach=reach(np.array([part.tails[of] for part in held]), level),
            known=residuals.size,
            known_mean=residuals.mean() if residuals.size else 0.0,
            leverage=leverage(data, values, at)[:, None],  # (system, 1)
        )
        centre = centre + found.shift.ravel()
        half = found.half.ravel()
    ends = from_scale([centre, centre - half, centre + half], model.scale)
    value, low, high = np.clip(ends, lowest(target), highest(target))
    distance = mahalanobis(pool(data), values, at)
    outside = distance**2 * len(given) > stats.chi2.ppf(OUTSIDE, len(given))
    known = np.full(len(values), float(residuals.size))
    return _Predicted(value, low, high, distance, outside.astype(np.float64), known)


def _residuals(
    calibration: xr.DataArray | None,
    metrics: list[str],
    scale: Scale,
    fitted: Callable[[Floats], Floats],
) -> Floats:
    """Return the errors on those known systems that have all the scores it takes; the target is the last metric."""
    if calibration is None or not set(metrics) <= set(calibration.metric.values):
        return np.empty(0)
    table = calibration.sel(metric=metrics).values
    whole = ~np.isnan(table).any(axis=1)
    if not whole.any():
        return np.empty(0)
    rows = to_scale(table[whole], scale)
    return np.asarray(rows[:, -1] - fitted(rows[:, :-1]))


def _notes(
    table: xr.DataArray,
    grid: Mapping[str, Floats],
    model: Model,
    level: float,
    *,
    calibrated: bool,
) -> list[str]:
    """Say what the reader of the predictions has to know of them."""
    notes = []
    systems = table.system.values.astype(str)
    empty = systems[np.isnan(table.values).all(axis=1)]
    blind = systems[(grid["known"] == 0).any(axis=1)]
    if len(empty):
        notes.append(
            f"systems left unchanged, as they have no score to predict from: {listed(empty)}"
        )
    if (np.isnan(grid["low"]) & ~np.isnan(grid["value"])).any():
        notes.append(
            "no interval where only one collection of the model has the metrics, because "
            "collections differ"
        )
    elif len(model.parts) < 4:
        notes.append(
            f"the model was fitted on {len(model.parts)} collections; {level:.0%} intervals "
            "from so few are wide"
        )
    if calibrated and len(blind):
        notes.append(
            "systems not calibrated, as no known system has all the metrics that this needs: "
            f"{listed(blind)}"
        )
    return notes


def _outside(table: xr.DataArray, grid: Mapping[str, Floats]) -> list[str]:
    """Name the systems whose given scores lie far from those that the model was fitted on."""
    outside = table.system.values[(grid["outside"] == 1).any(axis=1)]
    if not len(outside):
        return []
    return [
        (
            "scores far from those that the model was fitted on; do not trust predictions for: "
            f"{listed(outside)}"
        )
    ]


def _unjudged(scores: xr.DataArray, level: float) -> list[str]:
    """Say that few of the first documents of these runs are judged, if it is known of them."""
    shares = about(scores).get("judged", {})
    known = [shares[name] for name in scores.system.values if name in shares]
    if not known or np.mean(known) >= JUDGED:
        return []
    return [
        f"only {np.mean(known):.0%} of the first 10 documents of these runs are judged. Where a "
        "quarter or less was judged, 90% intervals held 61 to 94% of systems, and for single "
        f"metrics almost none; treat the {level:.0%} intervals as too narrow, or judge more"
    ]


def _missed(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    learned: _Learned | None,
) -> list[str]:
    """Say of which metrics the intervals miss more than chance leaves of the systems that have them already."""
    failed = []
    for target in targets:
        if target not in table.metric.values:
            continue
        there = table.isel(system=table.sel(metric=target).notnull().values)
        actual = there.sel(metric=target).values
        others = there.where(there["metric"] != target)
        found = _grid(others, [target], model, level, None, learned)
        low, high = found["low"][:, 0], found["high"][:, 0]
        known = np.isfinite(low)
        held = ((low <= actual) & (actual <= high)).sum()
        if known.sum() >= FEW and held / known.sum() < by_chance(level, known.sum()):
            failed.append(f"{target} ({held} of {known.sum()} systems)")
    if not failed:
        return []
    return [
        f"the {level:.0%} intervals fail on the systems of this table with known scores: "
        f"{listed(failed)}; the collection has its own offset: name these systems with --calibrate"
    ]


def _left_out(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    *,
    linear: bool,
) -> list[str]:
    """Say on how many of the model's collections most systems would be missed together, and by which metrics."""
    lead = (
        "Intervals hold on average over collections; in a single collection they may miss many "
        "systems together. Systems with known scores reduce that (--calibrate)."
    )
    expected = _expected(table, targets, model, level) if linear else {}
    if not expected:
        return [lead]
    every = dict.fromkeys(name for shares in expected.values() for name in shares)
    failed = [
        name
        for name in every
        if any(shares.get(name, 1.0) < 0.5 for shares in expected.values())
    ]
    number = f"{len(failed)} ({listed(failed)})" if failed else "none"
    told = (
        f"{lead} With each of the model's {len(every)} collections left out in turn, intervals for "
        f"some target are expected to miss most systems on {number}."
    )
    worst = {target: min(shares.values()) for target, shares in expected.items()}
    weak = sorted((share, target) for target, share in worst.items() if share < HELD)
    if not weak:
        return [told]
    named = listed(f"{share:.0%} for {target}" for share, target in weak)
    return [
        told,
        f"on the worst of these collections {level:.0%} intervals are expected to hold only {named}",
    ]


def _expected(
    table: xr.DataArray, targets: Sequence[str], model: Model, level: float
) -> dict[str, dict[str, float]]:
    """Return by target the coverage to expect on each collection: left out of the model and of what intervals rest on.

    From what most systems have; targets that fewer than `FEWEST_LEFT` collections have are left out.
    """
    _, given = max(_patterns(table), key=lambda pattern: len(pattern[0]))
    expected = {}
    for target in targets:
        parts = model.holding([*given, target])
        if target in given or len(parts) < FEWEST_LEFT:
            continue
        far = reach(np.array([part.tails[[len(given)]] for part in parts]), level)
        moments = [part.moments for part in parts]
        at, of = range(len(given)), [len(given)]
        found = expected_coverage(moments, at, of, level, far)[:, 0]
        names = [part.name for part in parts]
        expected[target] = dict(zip(names, found.tolist(), strict=True))
    return expected


def _filled(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the table as it was, every hole that was predicted filled, with its interval in the columns beside."""
    reported = outcome["reported"]
    names = about(outcome)["options"]["names"]
    known = [str(metric) for metric in reported.metric.values]
    targets = [str(target) for target in outcome.target.values]
    added = [target for target in targets if target not in names.values()]
    columns = {"system": reported.system.values.astype(str)}
    for name in (*known, *added):
        scores = np.full(reported.sizes["system"], np.nan)
        if name in known:
            scores = reported.sel(metric=name).values
        columns[name] = scores
        target = names.get(name, name)
        if target in targets and outcome["value"].sel(target=target).notnull().any():
            found = outcome.sel(target=target)
            columns[name] = np.where(np.isnan(scores), found["value"].values, scores)
            columns[f"{name} low"] = found["low"].values
            columns[f"{name} high"] = found["high"].values
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def warnings(outcome: xr.Dataset) -> list[str]:
    """Warn of intervals that cannot be trusted, by the given scores, the judgments, and the systems that are known."""
    return list(about(outcome)["options"]["alarms"])
