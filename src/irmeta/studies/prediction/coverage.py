"""How often do prediction intervals hold on a collection that the model has not seen? Leave each out, and count."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Missing, Scale
from irmeta.errors import ScoresError, require_share
from irmeta.scores.attributes import about
from irmeta.scores.cubes import (
    check_scale,
    check_sizes,
    system_level,
    targets_and_candidates,
)
from irmeta.scores.figures import short
from irmeta.scores.result import frame, result, with_nulls
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.intervals import (
    band,
    leave_one_out,
    leverage,
    reach,
    tails,
)
from irmeta.stats.prediction.predictors import chunks
from irmeta.stats.prediction.regression import least_squares, moments, pool
from irmeta.stats.prediction.scales import from_scale, to_scale
from irmeta.studies.door import Cubes, study
from irmeta.words import listed

_SUBSETS = 256
"""Predictor sets worked on at a time."""


@study
def coverage(
    cubes: Cubes,
    *,
    targets: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
    k: int = 2,
    level: float = 0.9,
    scale: Scale = "raw",
    missing: Missing = "error",
) -> xr.Dataset:
    """Measure how many systems of each collection fall into the intervals of a model fitted on all the others.

    Every target is predicted from every set of `k` of the metrics, and the figures are means over those sets.
    cubes : three collections or more, by name
    targets : metrics to predict, as in 'AP P@10'; by default all
    scale : the scale of the scores in the model: as in `irmeta.predict.fit`
    level : coverage that intervals should have on average over collections
    k : number of predictors; every set of this size is tried
    missing : what to do with missing scores, as in `selection.complete`

    Returns over (target, collection): measured, the share of systems inside; width, of the intervals, on the metric's
    own scale; relative_width, half the width in standard deviations of the systems' actual scores.
    """
    if len(cubes) < 3:
        raise ScoresError(
            "coverage needs at least 3 collections, to leave out one at a time; there are "
            f"{len(cubes)}"
        )
    require_share("the level of an interval", level, 0.9)
    names, wanted, candidates = targets_and_candidates(cubes, targets, metrics)
    check_sizes([k], wanted, candidates)
    check_scale(names, scale)
    levels, notes = system_level(cubes, names, missing=missing)
    # (system, metric)
    values = {name: to_scale(table.values, scale) for name, table in levels.items()}
    at = [names.index(name) for name in wanted]
    sources = [names.index(name) for name in candidates]
    found = np.array(
        [_coverage(values, name, at, sources, k, level, scale) for name in values]
    )
    measured, width = found[:, 0], found[:, 1]  # (collection, target)
    spread = np.array([table.values[:, at].std(axis=0) for table in levels.values()])
    # where a metric is constant there is nothing to compare with
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(spread > 1e-12, width / 2 / spread, np.nan)
    over = ("target", "collection")
    data = {
        "measured": (over, measured.T),
        "width": (over, width.T),
        "relative_width": (over, relative.T),
    }
    options = {"metrics": candidates}
    notes.append(
        f"each figure is a mean over every set of {k} predictors; the named collection was "
        "left out of the fit"
    )
    outcome = result("coverage", data, inputs=cubes, options=options, notes=notes)
    return outcome.assign_coords(target=wanted, collection=list(values))


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `coverage`: target, collection, nominal, measured, width, relative_width."""
    names = ("measured", "width", "relative_width")
    nominal = pl.lit(about(outcome)["options"]["level"]).alias("nominal")
    figures = with_nulls(frame(outcome, names))
    return {"coverage": figures.select("target", "collection", nominal, *names)}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the means over the collections left out, by target, and over the targets, by collection."""
    figures = tables(outcome)["coverage"]
    return {f"by {key}": _means(figures, key) for key in ("target", "collection")}


def findings(outcome: xr.Dataset) -> list[str]:
    """Set the measured coverage beside the nominal one, and name the target and the collection it is worst on."""
    by_target = outcome["measured"].mean("collection")
    by_collection = outcome["measured"].mean("target")
    width = float(outcome["relative_width"].median())
    level, count = about(outcome)["options"]["level"], outcome.sizes["collection"]
    return [
        f"On average over {count} left-out collections, {level:.0%} intervals held "
        f"{float(by_target.mean()):.1%} of the scores; fewest for {by_target.idxmin().item()} "
        f"({float(by_target.min()):.1%}) and on {by_collection.idxmin().item()} "
        f"({float(by_collection.min()):.1%}).",
        _missed_together_sentence(outcome["measured"]),
        f"Their median half-width is {short(width)} standard deviations of the systems' scores.",
    ]


def _missed_together_sentence(measured: xr.DataArray) -> str:
    """Say on how many collections most systems were missed by the intervals of some target."""
    least = measured.min("target")
    failed = least.collection.values[least.values < 0.5]
    if not len(failed):
        return f"On none of the {least.size} collections did they miss most systems for any target."
    return (
        "Intervals miss many systems of one collection together: for some target they missed most "
        f"systems on {len(failed)} of {least.size} collections ({listed(failed)})."
    )


def _means(figures: pl.DataFrame, key: str) -> pl.DataFrame:
    """Return the mean figures by target or by collection, and the least measured coverage."""
    columns = pl.col("nominal", "measured", "width", "relative_width")
    return figures.group_by(key, maintain_order=True).agg(
        columns.mean(), least=pl.col("measured").min()
    )


def _coverage(
    values: Mapping[str, Floats],
    held: str,
    targets: Sequence[int],
    candidates: Sequence[int],
    size: int,
    level: float,
    scale: Scale,
) -> tuple[Floats, Floats]:
    """Return coverage and width, of shape (target,), on one collection by the model of all others."""
    others = [scores for name, scores in values.items() if name != held]
    data = [moments(scores) for scores in others]
    far = reach(np.array([tails(scores)[targets] for scores in others]), level)
    actual = values[held][:, targets]  # (system, target)
    inside = np.zeros(len(targets))
    width = np.zeros(len(targets))
    count = np.zeros(len(targets))
    for subsets in chunks(candidates, size, _SUBSETS):  # (subset, size)
        slopes, intercepts = least_squares(pool(data), subsets, targets)
        given = values[held][:, subsets]  # (system, subset, size)
        away = np.stack(
            [leverage(data, given[:, i], subset) for i, subset in enumerate(subsets)],
            axis=1,
        )
        errors = leave_one_out(data, subsets, targets)
        # (system, subset, target)
        half = band(errors, level, reach=far[:, None, :], leverage=away[..., None]).half
        predicted = np.einsum("nsk,skt->nst", given, slopes) + intercepts
        # the target is not its own predictor
        usable = ~(subsets[:, :, None] == np.asarray(targets)).any(axis=1)
        hits = (np.abs(actual[:, None] - predicted) <= half).mean(axis=0)
        spans = from_scale(predicted + half, scale) - from_scale(
            predicted - half, scale
        )
        inside += np.where(usable, hits, 0.0).sum(axis=0)
        width += np.where(usable, spans.mean(axis=0), 0.0).sum(axis=0)
        count += usable.sum(axis=0)
    return inside / count, width / count
