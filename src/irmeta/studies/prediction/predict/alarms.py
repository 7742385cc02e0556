"""What readers of predictions have to know: where intervals cannot be trusted, and what was left out."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from irmeta.io.formats.model_file import Model
from irmeta.scores.attributes import about
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.accuracy import by_chance
from irmeta.stats.prediction.intervals import expected_coverage, reach
from irmeta.studies.prediction.predict.cells import Learned, patterns, predict_cells
from irmeta.studies.prediction.predict.relevant import Relevant, is_divided, numbers
from irmeta.words import listed

JUDGED = 0.3
"""With fewer of the first 10 documents judged, intervals fail: docs/studies/prediction.md has the measured shares."""

FEW = 3
"""Fewer known systems do not show that intervals fail."""

FEWEST_LEFT = 4
"""From fewer collections none is left out to see what intervals made of the others hold."""


def notes_on(
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
            "no interval where only one collection of the model has the metrics, because collections "
            "differ; name two systems or more whose scores are known (--calibrate)"
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


def far_systems(table: xr.DataArray, grid: Mapping[str, Floats]) -> list[str]:
    """Name the systems whose given scores lie far from those that the model was fitted on."""
    outside = table.system.values[(grid["outside"] == 1).any(axis=1)]
    if not len(outside):
        return []
    return [
        f"scores far from those that the model was fitted on; do not trust predictions for: {listed(outside)}"
    ]


def hardly_judged(scores: xr.DataArray, level: float) -> list[str]:
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


def missed_systems(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    learned: Learned | None,
    relevant: Relevant | None,
) -> list[str]:
    """Say of which metrics the intervals hold fewer of the systems that have them already than chance explains."""
    failed = []
    for target in targets:
        if target not in table.metric.values:
            continue
        there = table.isel(system=table.sel(metric=target).notnull().values)
        actual = there.sel(metric=target).values
        others = there.where(there["metric"] != target)
        found = predict_cells(others, [target], model, level, None, learned, relevant)
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


def on_collections_left_out(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    relevant: Relevant | None,
    *,
    linear: bool,
) -> list[str]:
    """Say on how many of the model's collections most systems would be missed together.

    Not which metrics: those named by their expected coverage failed on new collections no oftener than others.
    """
    served = [name for name in targets if is_divided(name)]
    remedies = "A few systems with known scores (--calibrate) reduce that"
    if served and relevant is None and numbers(model):
        remedies += f", and for {listed(served)} so does the number of relevant documents (--relevant)"
    lead = (
        "Intervals hold on average over collections, but may miss many systems of one collection "
        f"together. {remedies}."
    )
    expected = _coverage(table, targets, model, level, relevant) if linear else {}
    every = dict.fromkeys(name for shares in expected.values() for name in shares)
    failed = [
        name
        for name in every
        if any(shares.get(name, 1.0) < 0.5 for shares in expected.values())
    ]
    if not failed:
        return [lead]
    return [
        f"{lead} Of the model's {len(every)} collections, left out in turn, they would miss most "
        f"systems on {len(failed)} ({listed(failed)})."
    ]


def _coverage(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    relevant: Relevant | None,
) -> dict[str, dict[str, float]]:
    """Return by target the coverage to expect on each collection: left out of the model and of what intervals rest on.

    From what most systems have; targets that fewer than `FEWEST_LEFT` collections have are left out.
    """
    _, given = max(patterns(table), key=lambda pattern: len(pattern[0]))
    expected = {}
    for target in targets:
        parts = model.parts_with([*given, target])
        counts = relevant if any(map(is_divided, [*given, target])) else None
        if counts is not None:
            parts = counts.parts(parts)
        if target in given or len(parts) < FEWEST_LEFT:
            continue
        far = reach(np.array([part.tails[[len(given)]] for part in parts]), level)
        moments = [
            part.moments if counts is None else counts.moments(part) for part in parts
        ]
        last = len(moments[0].mean) - 1
        found = expected_coverage(moments, range(last), [last], level, far)[:, 0]
        names = [part.name for part in parts]
        expected[target] = dict(zip(names, found.tolist(), strict=True))
    return expected
