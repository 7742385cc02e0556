"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""

from collections.abc import Iterable, Mapping
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import xarray as xr

from irmeta.choices import Learner, Missing
from irmeta.datasets.reference import reference_model
from irmeta.errors import IrmetaError, ScoresError, require_share
from irmeta.io.formats.model_file import Model
from irmeta.metrics.names import metric_names
from irmeta.parallel import seed
from irmeta.scores.attributes import PRINTED, about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check
from irmeta.scores.cubes import by_topic, in_range
from irmeta.scores.result import result
from irmeta.scores.selection import complete
from irmeta.studies.door import Cube, Cubes, Given, study
from irmeta.studies.prediction.predict.alarms import (
    far_systems,
    hardly_judged,
    missed_systems,
    notes_on,
    on_collections_left_out,
)
from irmeta.studies.prediction.predict.cells import learned_from, predict_cells
from irmeta.studies.prediction.predict.naming import (
    renamed,
    stand_in_note,
    wanted_targets,
)
from irmeta.studies.prediction.predict.relevant import NUMBER, caution_notes
from irmeta.studies.prediction.predict.relevant import relevant as numbers_relevant
from irmeta.studies.prediction.predict.typed import given as one_system
from irmeta.studies.prediction.prediction_model import prediction_model

if TYPE_CHECKING:
    # the door reads a file
    ModelOrFile = Model | Any
else:
    ModelOrFile = Model
TABLE = "irmeta.studies.prediction.predict.typed.table"
TRAIN = "irmeta.io.formats.scores.load_files"


@study
def predict(
    scores: Annotated[Cube | None, Given("SCORES", TABLE)] = None,
    model: Annotated[
        ModelOrFile | None,
        Given("FILE", "irmeta.io.formats.model_file.load_model"),
    ] = None,
    *,
    given: str | None = None,
    want: Iterable[str] | None = None,
    level: float = 0.9,
    calibrate: Annotated[Cube | None, Given("FILE", TABLE)] = None,
    relevant: Annotated[float | str | PathLike[str] | None, Given("N|FILE")] = None,
    train: Annotated[Cubes | None, Given("FILE", TRAIN, several=True)] = None,
    learner: Learner = "ols",
    kernel: float | None = None,
    missing: Missing = "error",
    rng: int = 0,
) -> xr.Dataset:
    """Predict what was not reported, each score with its interval.

    What a system lacks on all topics is predicted. As CSV the table itself is written, its holes filled: a predicted
    score has its interval in the columns beside it, a reported one has none.

    90% intervals held 94% of scores on average over collections left out, 83 to 91% on the worst of five. Single
    metrics on a single collection can fail: with all judgments, the lowest coverage measured is 25%. On later rounds
    of TREC-COVID, intervals that were 7 to 15% narrower held 64 to 99%. The misses of one collection come together,
    and a few systems whose scores are known reduce them (--calibrate). `distance` says how far the given scores lie
    from those that the model has seen: 1 is usual.

    scores : a table: CSV with systems in rows and metrics in columns, a table of a paper in LaTeX, HTML or Markdown, a
        score file, or a cube; its means over topics are used, or each topic by itself where the model is one of
        scores on topics
    model : a model that irmeta predict fit wrote, or `fit` made; by default the one that ships
    given : one system's scores, as in 'P@10=0.43 RR=0.61'
    want : metrics to predict; by default what is missing
    level : coverage that intervals should have on average over collections, for one that the model has not seen
    calibrate : a table of a few systems of the same collection, with the metrics to predict known; they tell the
        collection's offset
    relevant : how many documents are relevant a topic, or the judgments to count it in: AP and R are divided by it;
        by default NumRel of the table
    train : a score file to fit on, in place of a model; can be repeated. A learner that is not linear needs it, beside
        a model that was made of the same collections
    learner : the kind of model; on collections left out none predicts better than least squares
    kernel : with svr: the size of its radial kernel; by default scaled
    missing : what to do where a system lacks a metric on some topics only, as in `selection.complete`
    rng : a seed

    Returns, over (system, target), NaN where the score was given: value, low, high, distance (of the given scores from
    those the model has seen, 1 is usual, see `irmeta.stats.prediction.intervals.mahalanobis`), outside, known (how many
    systems told the offset); and `reported`.
    """
    require_share("the level of an interval", level, 0.9)
    scores = _scores_given(scores, given)
    model = _model_given(model, train, learner)
    rng = seed(rng)
    learned = learned_from(train, learner, kernel, rng)
    scores, notes = _usable(_in_units(scores, model), model, missing)
    notes += about(scores).get(PRINTED, [])
    reported = in_range(means(scores))
    counts = numbers_relevant(relevant, reported, model)
    if counts is not None and NUMBER not in model.metrics:
        reported = reported.sel(metric=reported["metric"] != NUMBER)
    wanted = None if want is None else metric_names(want)
    if calibrate is not None:
        calibrate = _in_units(calibrate, model)
    cut = model.cut(_metrics_asked(wanted, reported, calibrate))
    model = model.with_metric_names(cut)
    learned = None if learned is None else learned.called(cut)
    notes += map(stand_in_note, cut, cut.values())
    table, names, more = renamed(reported, model)
    notes += more
    calibration = None
    inputs = {"given": scores}
    if calibrate is not None:
        known, more = _usable(calibrate, model, missing)
        calibration, _, _ = renamed(in_range(means(known)), model)
        notes += [f"known systems: {note}" for note in more]
        inputs["known"] = known

    targets, stand_ins = wanted_targets(table, model, wanted)
    grid = predict_cells(table, targets, model, level, calibration, learned, counts)
    if np.isnan(grid["value"]).all():
        raise ScoresError(
            "there is nothing to predict: each system has all wanted metrics, or has no metric "
            "that the model knows"
        )
    alarms = [*far_systems(table, grid), *hardly_judged(scores, level)]
    if calibrate is None:
        alarms += missed_systems(table, targets, model, level, learned, counts)
    notes += stand_ins + notes_on(
        table, grid, model, level, calibrated=calibrate is not None
    )
    if calibrate is None and not np.isnan(grid["low"]).all():
        notes += on_collections_left_out(
            table, targets, model, level, counts, linear=learned is None
        )

    data: dict[str, Any] = {
        name: (("system", "target"), values) for name, values in grid.items()
    }
    data["reported"] = reported
    options = {
        "scale": model.scale,
        "model": [part.name for part in model.parts],
        "sources": model.provenance.get("sources", []),
        "want": targets,
        "names": names,
        "relevant": None if counts is None else counts.here,
        "cautions": caution_notes(
            targets, model, counts, calibrated=calibrate is not None
        ),
        "alarms": alarms,
    }
    unique_notes = list(dict.fromkeys([*notes, *alarms]))
    outcome = result(
        "prediction", data, inputs=inputs, options=options, notes=unique_notes
    )
    return outcome.assign_coords(system=table.system.values.astype(str), target=targets)


def _scores_given(scores: xr.DataArray | None, given: str | None) -> xr.DataArray:
    """Return the scores to predict from: a table's, or one system's."""
    if scores is not None and given is not None:
        raise IrmetaError("a table and --given exclude each other; use one")
    if given is not None:
        return one_system(given)
    if scores is None:
        raise ScoresError(
            "give a table to complete, or one system's scores with --given 'P@10=0.43 RR=0.61'"
        )
    return scores


def _model_given(
    model: Model | None, train: Mapping[str, xr.DataArray] | None, learner: Learner
) -> Model:
    """Return the model given, one of the collections to train on, or the one that ships."""
    if train is None:
        return model or reference_model()
    if model is None:
        return prediction_model(train)
    # other learners are fitted on the collections themselves, beside the model made of them
    if learner == "ols" or {part.name for part in model.parts} != set(train):
        raise IrmetaError(
            "--model and --train exclude each other: use a model, or fit one"
        )
    return model


def _metrics_asked(
    want: Iterable[str] | None, *tables: xr.DataArray | None
) -> dict[str, None]:
    """Return the metrics that somebody named: in tables, and as those wanted."""
    given = [one.metric.values.tolist() for one in tables if one is not None]
    return dict.fromkeys(chain(*given, want or ()))


def _in_units(scores: xr.DataArray, model: Model) -> xr.DataArray:
    """Check scores; each topic is a system of its own where the model is one of scores on topics."""
    if model.provenance.get("unit") == "topic":
        return by_topic(check(scores))
    return check(scores)


def _usable(
    scores: xr.DataArray, model: Model, missing: Missing
) -> tuple[xr.DataArray, list[str]]:
    """Return a cube in which a system has a metric on all topics or on none, and notes on what was dropped for it."""
    kind = about(scores).get("standardization", {}).get("kind")
    parts = model.provenance.get("collections", {}).values()
    records = [part.get("standardization") for part in parts]
    # they are records, unless somebody else wrote the file
    fitted = [one.get("kind") for one in records if isinstance(one, dict)]
    if kind is not None and kind not in fitted:
        raise ScoresError(
            f"these scores are standardized ({kind}), but those of the model are not; predict from "
            "raw scores, or fit a model on scores standardized in the same way"
        )
    lacking = scores.isnull().all("topic")
    whole, notes = complete(scores.where(~lacking, 0.0), missing)
    return whole.where(~lacking.sel(system=whole.system)), notes
