"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import Learner, Missing
from irmeta.datasets.reference import reference_model
from irmeta.errors import ScoresError, require_share
from irmeta.io.model_file import Model
from irmeta.metrics.names import metric_names
from irmeta.parallel import seed
from irmeta.scores.attributes import about
from irmeta.scores.cube import check
from irmeta.scores.cubes import by_topic, in_range
from irmeta.scores.means import means
from irmeta.scores.result import result
from irmeta.scores.selection import complete
from irmeta.studies.prediction.predict.alarms import (
    far_systems,
    hardly_judged,
    missed_systems,
    notes_on,
    on_collections_left_out,
)
from irmeta.studies.prediction.predict.cells import learned_from, predict_cells
from irmeta.studies.prediction.predict.naming import renamed, wanted_targets
from irmeta.studies.prediction.predict.relevant import NUMBER, caution
from irmeta.studies.prediction.predict.relevant import relevant as numbers_relevant
from irmeta.studies.result import answered


@answered
def predict(
    scores: xr.DataArray,
    model: Model | None = None,
    *,
    want: Iterable[str] | None = None,
    level: float = 0.9,
    known: xr.DataArray | None = None,
    relevant: float | str | PathLike[str] | None = None,
    train: Mapping[str, xr.DataArray] | None = None,
    learner: Learner = "ols",
    kernel: float | None = None,
    missing: Missing = "error",
    rng: int = 0,
) -> xr.Dataset:
    """Predict what is missing from a table of system-level scores, each system from the scores that it has.

    scores : a cube; its means over topics are used, or each topic by itself where the model is one of scores on topics.
        What a system lacks on all topics (NaN) is a hole to fill
    model : as `prediction_model` makes it; by default the reference model that ships with irmeta
    learner, kernel, rng : the kind of model, see `irmeta.stats.prediction.learners.learner`. One that is not linear is
        fitted on `train`, the collections that `model` was made of
    train : the collections, by name, to fit a model on that is not linear
    want : metrics to predict, as a list or in one text; by default those that some system lacks
    level : coverage aimed at, in (0, 1), for a system of a collection that the model has not seen
    known : systems of the same collection whose wanted scores are known; they tell the collection's offset
    relevant : how many documents are relevant (of grade 1 or above), the mean over topics, or the judgments to count it
        in; by default NumRel among the scores. AP and R are divided by it, so it is one of their predictors
    missing : what to do where a system lacks a metric on some topics only, as in `selection.complete`

    Returns, over (system, target), NaN where the score was given: value, low, high, distance (of the given scores from
    those the model has seen, 1 is usual, see `irmeta.stats.prediction.intervals.mahalanobis`), outside, known (how many
    systems told the offset); and `reported`.
    """
    require_share("the level of an interval", level, 0.9)
    model = model or reference_model()
    rng = seed(rng)
    learned = learned_from(train, learner, kernel, rng)
    scores, notes = _usable(_of_unit(scores, model), model, missing)
    reported = in_range(means(scores))
    counts = numbers_relevant(relevant, reported, model)
    if counts is not None and NUMBER not in model.metrics:
        reported = reported.sel(metric=reported["metric"] != NUMBER)
    table, names, more = renamed(reported, model)
    notes += more
    calibration = None
    inputs = {"given": scores}
    if known is not None:
        known, more = _usable(_of_unit(known, model), model, missing)
        calibration, _, _ = renamed(in_range(means(known)), model)
        notes += [f"known systems: {note}" for note in more]
        inputs["known"] = known

    wanted = None if want is None else metric_names(want)
    targets, stand_ins = wanted_targets(table, model, wanted)
    grid = predict_cells(table, targets, model, level, calibration, learned, counts)
    if np.isnan(grid["value"]).all():
        raise ScoresError(
            "there is nothing to predict: each system has all wanted metrics, or has no metric "
            "that the model knows"
        )
    alarms = [*far_systems(table, grid), *hardly_judged(scores, level)]
    if known is None:
        alarms += missed_systems(table, targets, model, level, learned, counts)
    notes += stand_ins + notes_on(
        table, grid, model, level, calibrated=known is not None
    )
    if known is None and not np.isnan(grid["low"]).all():
        notes += on_collections_left_out(
            table, targets, model, level, counts, linear=learned is None
        )

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
        "relevant": None if counts is None else counts.here,
        "cautions": caution(targets, model, counts, calibrated=known is not None),
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


def _usable(
    scores: xr.DataArray, model: Model, missing: Missing
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube in which a system has a metric on all topics or on none, and notes on what was dropped for it."""
    kind = about(scores).get("standardization", {}).get("kind")
    fitted = set()
    for part in model.provenance.get("collections", {}).values():
        done = part.get("standardization")
        # a record, unless somebody else wrote the file
        fitted.add(done.get("kind") if isinstance(done, dict) else None)
    if kind is not None and kind not in fitted:
        raise ScoresError(
            f"these scores are standardized ({kind}), but those of the model are not; predict from "
            "raw scores, or fit a model on scores standardized in the same way"
        )
    lacking = scores.isnull().all("topic")
    whole, notes = complete(scores.where(~lacking, 0.0), missing)
    return whole.where(~lacking.sel(system=whole.system)), notes
