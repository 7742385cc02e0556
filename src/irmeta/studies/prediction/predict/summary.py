"""Tables, overview, findings and warnings of predictions."""

from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.notes import Answer
from irmeta.scores.result import with_nulls
from irmeta.studies.prediction.predict.typed import GIVEN

SPOKEN = 2
"""Of more predicted scores only their number is spoken of, and how wide intervals are."""


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
    return {"prediction": prediction, "filled": _filled_table(outcome)}


def in_csv(outcome: xr.Dataset) -> str:
    """Name the table that CSV has: the one that was given, filled; of one system's typed scores the prediction."""
    return "prediction" if outcome["system"].values.tolist() == [GIVEN] else "filled"


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the predicted scores, and once for each system how far its given scores lie from those of the model."""
    cells = tables(outcome)["prediction"]
    far = cells.group_by("system", maintain_order=True).agg(
        pl.col("distance").max().alias("distance (1 is usual)")
    )
    return {"prediction": cells.drop("level", "distance"), "distance": far}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say what was predicted and how sure that is; then what the number of relevant documents does to it."""
    cautions = about(outcome)["options"]["cautions"]
    return [_prediction_sentence(outcome), *map(Answer, cautions)]


def _prediction_sentence(outcome: xr.Dataset) -> str:
    """Say the predicted scores where they are few, else how many there are, and how wide the intervals are."""
    cells = tables(outcome)["prediction"]
    level = f"{about(outcome)['options']['level'] * 100:g}%"
    order = ""
    if _any_may_be_best(outcome):
        order = " They are too wide to order these systems: those of each metric all overlap."
    if cells.height <= SPOKEN:
        each = [_cell_clause(cell) for cell in cells.iter_rows(named=True)]
        intervals = "interval" if cells.height == 1 else "intervals"
        known = "" if cells["low"].is_null().all() else f" ({level} {intervals})"
        return f"{'; '.join(each)}{known}.{order}"
    width = float((outcome["high"] - outcome["low"]).median())
    wide = ""
    if not np.isnan(width):
        wide = f"; half of the {level} intervals are wider than {short(width, 3)}"
    return f"{cells.height} scores predicted{wide}.{order}"


def _cell_clause(cell: dict[str, Any]) -> str:
    """Say which score was predicted, and between which ends."""
    whose = "" if cell["system"] == GIVEN else f" of {cell['system']}"
    interval = ""
    if cell["low"] is not None:
        interval = f", between {short(cell['low'], 3)} and {short(cell['high'], 3)}"
    return (
        f"{cell['metric']}{whose} is predicted as {short(cell['value'], 3)}{interval}"
    )


def _any_may_be_best(outcome: xr.Dataset) -> bool:
    """Say whether, by each metric, all intervals of several systems share a value, so that any may be the best."""
    several = outcome["low"].notnull().sum("system") > 1
    shared = outcome["low"].max("system") <= outcome["high"].min("system")
    return bool(several.any() and shared.where(several, True).all())


def _filled_table(outcome: xr.Dataset) -> pl.DataFrame:
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
    return with_nulls(pl.DataFrame(columns))


def warnings(outcome: xr.Dataset) -> list[str]:
    """Warn of intervals that cannot be trusted, by the given scores, the judgments, and the systems that are known."""
    return list(about(outcome)["options"]["alarms"])
