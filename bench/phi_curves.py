"""Why AP gains on P@10 with more topics on one collection and loses on another: python -m bench.phi_curves DATA.

Webber et al. (SIGIR 2008) leave it open. For each collection, and for pools of several depths where runs are at hand,
the advantage of a complex metric A over a simple one B as a predictor of B, phi(A, B) - phi(B, B), by the number of
topics up to half of them, its change from 5 topics to half, and the same by three numbers that do not know the curve: k
of each metric, the topics at which half of the variance of means is of systems, and r, the correlation of true means.
On n topics

    phi(X, Y) = (2 / pi) asin(r_XY sqrt(R_X R_Y)),  R_X = n / (n + k_X),

so that A leads on few topics where r > sqrt(k_A / k_B), and loses on many, as r < 1. Best 75% of systems by A.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import xarray as xr
from scipy.special import stdtrit

from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.cube import cube
from irmeta.scores.figures import interval, short
from irmeta.scores.selection import top_systems
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import split_half
from irmeta.stats.rankings.disattenuated import true_correlation
from irmeta.stats.reliability.components import components, signal

SIZES, PARTITIONS, GROUPS = (5, 10, 25, 50, 100), 400, 16
"""Numbers of topics; partitions, of which a jackknife takes as many again for each group left out."""
DEPTHS = (5, 10, 20)


class Curve(NamedTuple):
    """The advantage by the number of topics, and last its change from the first to the last one.

    It is as observed (`seen`), with its error, and by the three numbers (`model`).
    """

    sizes: list[int]
    seen: Floats
    error: Floats
    model: Floats
    k: Floats
    r: float


def curve(scores: Floats) -> Curve:
    """Measure the advantage of the first metric over the second; scores (system, topic, 2)."""
    half = scores.shape[1] // 2
    sizes = [*(one for one in SIZES if one < half), half]
    parts = []
    for axis in (0, 1):
        groups = min(GROUPS, scores.shape[axis])
        of = np.arange(scores.shape[axis]) % groups
        left = [
            _advantages(np.compress(of != one, scores, axis=axis), sizes)
            for one in range(groups)
        ]
        spread = (np.array(left) - np.mean(left, axis=0)) ** 2
        parts.append((groups - 1) / groups * spread.sum(axis=0))
    found = [components(np.ascontiguousarray(scores[..., at])) for at in (0, 1)]
    k = np.array([1 / float(signal(one, "erho2")) for one in found])
    r = float(true_correlation([scores])[0, 1])
    model = _with_change(_modelled(k, min(r, 1.0), np.array(sizes, dtype=float)))
    seen = _advantages(scores, sizes)
    return Curve(sizes, seen, np.sqrt(sum(parts)), model, k, r)


def _advantages(scores: Floats, sizes: Sequence[int]) -> Floats:
    """Return the advantage by the number of topics, at most half of them, and its change."""
    most = scores.shape[1] // 2
    pairs = [(min(size, most), min(size, most)) for size in sizes]
    drawn = split_half(scores, pairs, PARTITIONS, np.random.default_rng(0))
    return _with_change(np.array([one.phi[0, 1] - one.phi[1, 1] for one in drawn]))


def _with_change(by_size: Floats) -> Floats:
    return np.append(by_size, by_size[-1] - by_size[0])


def _modelled(k: Floats, r: float, topics: Floats) -> Floats:
    """Return the advantage on numbers of topics by the three numbers."""
    share = topics / (topics + k[:, None])  # (metric, size)
    across = r * np.sqrt(share[0] * share[1])
    return 2 / np.pi * (np.arcsin(across) - np.arcsin(share[1]))


def peak(k: Floats, r: float) -> float:
    """Return the number of topics from which on the advantage shrinks, by the three numbers."""
    sizes = np.arange(1.0, 2001.0)
    return float(sizes[_modelled(k, min(r, 1.0), sizes).argmax()])


def collections(
    data: Path, depths: Sequence[int | None]
) -> Iterator[tuple[str, xr.DataArray, str, str]]:
    """Read every collection that has a complex metric and a simple one: name, scores, the two metrics.

    depths : of the pools that are judged, where runs are at hand; None for all judgments
    """
    matrices = data / "matrices"
    for name in ("trec7-adhoc", "trec8-adhoc"):
        paths = [matrices / name / f"{metric}.csv" for metric in ("AP", "P@10")]
        yield name, import_matrix(paths, rows="topics"), "AP", "P@10"
    for year in ("2020", "2021"):
        for judge in ("human", "synthetic"):
            yield f"DL {year}, {judge}", _syndl(data, int(year), judge), "AP", "P@10"
    judged = {
        "Robust 2003, 17 runs": "robust03",
        "TREC-COVID 1": "trec-covid/round1",
        "TREC-COVID 3": "trec-covid/round3",
        "DL 2021, 100 ranks": "judges/dl2021",
    }
    for name, folder in judged.items():
        place = data / folder
        qrels = place / "qrels.txt"
        if not qrels.exists():
            qrels = place / "qrels" / "nist.txt"
        rel = "rel=2" if folder.startswith("judges") else "rel=1"
        for depth in depths:
            inside = rel if depth is None else f"{rel}, pool={depth}"
            # the simple metric is judged as deep: its ten ranks may lack judgments, too
            pair = f"AP({inside})", f"P({inside})@10"
            scores = evaluate(qrels, [place / "runs"], list(pair))
            judgments = "" if depth is None else f", pools of {depth}"
            names = [str(one) for one in scores.metric.values]
            yield name + judgments, scores, names[0], names[1]


def _syndl(data: Path, year: int, judge: str) -> xr.DataArray:
    """Read scores of Deep Learning by people or a language model, without topics on which all score 0."""
    table = pl.read_parquet(data / "judges/syndl/syndl.parquet").filter(
        year=year, judge=judge
    )
    columns = []
    for metric in ("map", "P_10"):
        wide = (
            table.filter(metric=metric)
            .sort("topic")
            .pivot("topic", index="system", values="score")
            .sort("system")
        )
        columns.append(wide.drop("system").to_numpy())
    values = np.stack(columns, axis=-1)
    topics = np.array(wide.columns[1:])
    kept = (values != 0).any(axis=(0, 2))
    names = wide["system"].to_list(), topics[kept].tolist()
    return cube(values[:, kept], *names, ["AP", "P@10"])


def main(data: Path) -> None:
    """Print two rows for each collection: both ends of its curve and what explains them, and what is between."""
    for name, scores, first, second in collections(data, (None, *DEPTHS)):
        best = top_systems(scores, 0.75, by=first).sel(metric=[first, second])
        found = curve(np.ascontiguousarray(best.values))
        half = stdtrit(GROUPS - 1, 0.975) * found.error
        every = [
            f"{short(value, sign=True)} ({interval(value - width, value + width, 2)})"
            for value, width in zip(found.seen, half, strict=True)
        ]
        at = [0, -2, -1]
        modelled = [short(value, sign=True) for value in found.model[at]]
        k = [f"{one:.1f}" for one in found.k]
        print(
            f"| {name} | {best.sizes['system']} x {best.sizes['topic']} | {' | '.join(every[one] for one in at)} | "
            f"{' '.join(modelled)} | {' '.join(k)} | {short(found.r)} | {peak(found.k, found.r):.0f} |",
            flush=True,
        )
        between = dict(zip(found.sizes[1:-1], every[1:], strict=False))
        cells = [between.get(size, "") for size in SIZES[1:]]
        print(f"between: | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
