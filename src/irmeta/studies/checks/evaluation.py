"""What an evaluation gave: system means, and every score, as tables."""

import polars as pl
import xarray as xr

from irmeta.io.formats.scores import to_frame
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.scores.names import labels
from irmeta.scores.result import result


def evaluation(scores: xr.DataArray) -> xr.Dataset:
    """Return a cube as a result: the scores, and `mean` of shape (system, metric) over its topics."""
    name = str(scores.attrs.get("collection", "collection"))
    options = about(scores).get("options", {})
    notes = about(scores).get("notes", [])
    return result(
        "evaluation",
        {"score": scores, "mean": means(scores)},
        inputs={name: scores},
        options=options,
        notes=notes,
    )


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `means` (systems by metrics) and `scores` (one row for each score, as in the score file)."""
    mean = outcome["mean"].transpose("system", "metric")
    columns = {
        str(metric): mean.sel(metric=metric).values for metric in mean.metric.values
    }
    wide = pl.DataFrame({"system": labels(mean.system.values), **columns})
    return {"means": wide, "scores": to_frame(outcome["score"])}


def findings(outcome: xr.Dataset) -> list[str]:  # noqa: ARG001  every study has findings
    """Return nothing: the means speak for themselves."""
    return []
