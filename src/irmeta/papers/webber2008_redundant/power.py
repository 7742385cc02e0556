"""Predictive power as the paper measures it, of any collection."""

from pathlib import Path
from typing import NamedTuple

import xarray as xr

from irmeta.io.tables.matrices import import_matrix, topic_range
from irmeta.studies.agreement.predictivity import predictivity

METRICS = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG")
SIZES = (5, 10, 15, 20, 25)
PARTITIONS = 2000


class Gain(NamedTuple):
    """What one metric gains over another as a predictor of it, phi(A, B) - phi(B, B), with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        side = "holds 0"
        if self.high < 0:
            side = "below 0"
        elif self.low > 0:
            side = "above 0"
        return f"95% interval {self.low:.3f} to {self.high:.3f}: {side}"


def matrices(data: Path, name: str, topics: str) -> xr.DataArray:
    """Read P@10, RR and AP of an AdHoc collection."""
    paths = [
        data / "matrices" / f"{name}-adhoc" / f"{metric}.csv"
        for metric in ("P@10", "RR", "AP")
    ]
    return import_matrix(
        paths, rows="topics", topics=topic_range(topics), collection=name
    )


def measured(scores: xr.DataArray, rng: int, *, top: float | None = 0.75) -> xr.Dataset:
    """Measure predictive power among the best systems by AP, or all, and for smaller sets of topics."""
    sizes = [size for size in SIZES if size <= scores.sizes["topic"] // 2]
    by = None if top is None else "AP"
    return predictivity(
        scores, partitions=PARTITIONS, top=top, by=by, sizes=sizes, rng=rng
    ).data


def phi(power: xr.Dataset, a: str, b: str) -> float:
    """Pick the predictive power of A for B."""
    return float(power["phi"].sel(metric=a, metric_2=b))


def gain(power: xr.Dataset, predictor: str, target: str) -> Gain:
    """Pick the advantage of a predictor over the target itself."""
    return Gain(
        *(
            float(power[name].sel(metric=predictor, metric_2=target))
            for name in ("advantage", "low", "high")
        )
    )


def gains_by_size(power: xr.Dataset, predictor: str, target: str) -> dict[int, float]:
    """Return the advantage by number of topics."""
    curve = power["curve"].assign_coords(size=power["size"].values)
    over = curve.sel(metric=predictor, metric_2=target) - curve.sel(
        metric=target, metric_2=target
    )
    return {
        int(size): float(value)
        for size, value in zip(power["size"].values, over.values, strict=True)
    }
