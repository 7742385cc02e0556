"""Predictive power as the paper measures it, of any collection."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from irmeta.io.tables.matrices import import_matrix, topic_range
from irmeta.scores.selection import select, top_systems
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import split_half
from irmeta.studies.agreement.predictivity.study import predictivity

METRICS = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG")
SIZES = (5, 10, 15, 20, 25)
PARTITIONS = 2000
SIGN_PARTITIONS = 2000
TOP = 0.75
"""The share of systems, the best by AP, that the paper keeps."""
TOPIC_GROUPS, SYSTEM_GROUPS = 25, 12
"""Groups that the jackknife leaves out in turn."""


class Gain(NamedTuple):
    """What one metric gains over another as a predictor of it, phi(A, B) - phi(B, B), with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write the interval, and on which side of 0 it lies."""
        side = "holds 0"
        if self.high < 0:
            side = "below 0"
        elif self.low > 0:
            side = "above 0"
        return f"95% interval {self.low:.3f} to {self.high:.3f}: {side}"


def matrices(data: Path, name: str, topics: str) -> xr.DataArray:
    """Read P@10, RR and AP of an AdHoc collection."""
    folder = data / "matrices" / f"{name}-adhoc"
    paths = [folder / f"{metric}.csv" for metric in ("P@10", "RR", "AP")]
    return import_matrix(
        paths, rows="topics", topics=topic_range(topics), collection=name
    )


def measured(scores: xr.DataArray, rng: int, *, top: float | None = TOP) -> xr.Dataset:
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
    of_pair = power.sel(metric=predictor, metric_2=target)
    return Gain(*(float(of_pair[name]) for name in ("advantage", "low", "high")))


def gains_by_size(power: xr.Dataset, predictor: str, target: str) -> dict[int, float]:
    """Return the advantage by number of topics."""
    curve = power["curve"].assign_coords(size=power["size"].values)
    of_target = curve.sel(metric_2=target)
    over = of_target.sel(metric=predictor) - of_target.sel(metric=target)
    return dict(zip(power["size"].values.tolist(), over.values.tolist(), strict=True))


class Signs(NamedTuple):
    """Figures of the text that say a sign: `figures`, and their standard errors and degrees of freedom."""

    figures: Floats
    error: Floats
    df: Floats

    def interval(self, at: int) -> tuple[float, float]:
        """Return the 95% interval of one figure."""
        half = stdtrit(self.df[at], 0.975) * self.error[at]
        return float(self.figures[at] - half), float(self.figures[at] + half)


def signs(scores: xr.DataArray) -> Signs:
    """Return phi of AP less P@10 and of P@10 less RR, each of itself, and what AP gains on P@10 from 5 topics to half.

    Among the best systems. Errors are a jackknife's over topics and systems: every 25th topic and every 12th system is
    left out in turn, V = (g - 1) / g sum of (figure without a group - their mean)² of g groups, the two summed. Nothing
    in it depends on a seed, and the noise of the partitions makes it a little too large.
    """
    best = select(top_systems(scores, TOP, by="AP"), metrics=["P@10", "RR", "AP"])
    values = best.values
    parts, freedom = [], []
    for axis, groups in ((1, TOPIC_GROUPS), (0, SYSTEM_GROUPS)):
        of = np.arange(values.shape[axis]) % groups
        left = np.stack(
            [
                _sign_figures(np.compress(of != group, values, axis=axis))
                for group in range(groups)
            ]
        )
        parts.append((groups - 1) / groups * ((left - left.mean(axis=0)) ** 2).sum(0))
        freedom.append(groups - 1)
    variance = np.sum(parts, axis=0)
    # Satterthwaite: V² / sum of (part² / its degrees of freedom)
    squares = [part**2 / df for part, df in zip(parts, freedom, strict=True)]
    df = variance**2 / np.sum(squares, axis=0)
    return Signs(_sign_figures(values), np.sqrt(variance), df)


def _sign_figures(values: Floats) -> Floats:
    """Return the three figures of scores of P@10, RR and AP, (system, topic, metric)."""
    half = values.shape[1] // 2
    sizes = [(half, half), (SIZES[0], SIZES[0])]
    generator = np.random.default_rng(0)
    many, few = (
        one.phi for one in split_half(values, sizes, SIGN_PARTITIONS, generator)
    )
    p10, rr, ap = range(3)
    gain, gain_of_few = (phi[ap, p10] - phi[p10, p10] for phi in (many, few))
    ap_less_p10 = many[ap, ap] - many[p10, p10]
    p10_less_rr = many[p10, p10] - many[rr, rr]
    return np.array([ap_less_p10, p10_less_rr, gain - gain_of_few])
