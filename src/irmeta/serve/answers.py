"""What the room asks of irmeta: its public functions, and nothing else of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

import irmeta

JUDGED = "Judged@10"
"""The share of the first ten documents that are judged; every board has it."""
SHOWN = 20
"""Remarks on a run that are kept."""
Floats = npt.NDArray[np.float64]
Remark = dict[str, Any]
"""What is odd about a run: level, line (or None), text."""


def metrics(names: str | Sequence[str]) -> list[str]:
    """Return metrics as irmeta writes them, and the share of judged documents last; raise IrmetaError for others."""
    least = irmeta.evaluate_run({"1": {"a": 1}}, {"1": {"a": 1.0}}, names)
    found = [str(name) for name in least.metric.values]
    return [*(name for name in found if name != JUDGED), JUDGED]


def topics(qrels: Path) -> list[str]:
    """Return the topics that are judged; raise IrmetaError for a file that is not of judgments."""
    # a run without documents scores 0 on every judged topic
    nothing = irmeta.Reading(allow_empty=True)
    scores = irmeta.evaluate_run(qrels, {"nothing": {}}, "P@1", reading=nothing)
    return [str(topic) for topic in scores.topic.values]


def remarks(
    run: Path,
    name: str,
    *,
    topics: Sequence[str],
    documents: frozenset[str] | None,
    depth: int,
) -> list[Remark]:
    """Check a run without knowing any judgment."""
    found = irmeta.validate(
        None, {name: run}, topics=topics, documents=documents, depth=depth
    )
    columns = (found[one].values for one in ("level", "line", "text"))
    every = [
        {
            "level": str(level),
            "line": None if np.isnan(line) else int(line),
            "text": str(text).replace(str(run), name),
        }
        for level, line, text in zip(*columns, strict=True)
    ]
    more = len(every) - SHOWN
    if more > 0:
        level = every[SHOWN]["level"]
        rest = {"level": level, "line": None, "text": f"and {more} more"}
        return [*every[:SHOWN], rest]
    return every


def score(
    qrels: Path,
    run: Path,
    metrics: Sequence[str],
    topics: Sequence[str],
    precision: Any,
) -> dict[str, bytes]:
    """Score a run: by metric the scores of the topics, as float64 in little endian."""
    scores = irmeta.evaluate_run(qrels, run, metrics, score_precision=precision)
    by_metric = scores.sel(topic=list(topics)).transpose("metric", "topic")
    return {
        str(metric): by_metric.sel(metric=metric).values.astype("<f8").tobytes()
        for metric in by_metric.metric.values
    }


def cube(
    collection: str,
    topics: Sequence[str],
    metrics: Sequence[str],
    vectors: Mapping[str, Mapping[str, Floats]],
    clusters: Mapping[str, str] | None = None,
) -> xr.DataArray:
    """Label scores: a cube of the systems, whose topics may come in clusters."""
    values = np.array([[one[name] for name in metrics] for one in vectors.values()])
    names = {"system": list(vectors), "topic": list(topics), "metric": list(metrics)}
    found = xr.DataArray(
        values.reshape(len(vectors), len(metrics), len(topics)).transpose(0, 2, 1),
        dims=("system", "topic", "metric"),
        coords={dim: np.array(labels, dtype=object) for dim, labels in names.items()},
        name="score",
        attrs={"collection": collection},
    )
    return irmeta.with_clusters(found, clusters) if clusters else found


def means(cube: xr.DataArray) -> dict[str, dict[str, float]]:
    """Return the mean over topics, by system and metric."""
    found = irmeta.means(cube)
    metrics = [str(name) for name in found.metric.values]
    rows = found.transpose("system", "metric").values.tolist()
    names = (str(name) for name in found.system.values)
    return {
        name: dict(zip(metrics, row, strict=True))
        for name, row in zip(names, rows, strict=True)
    }


def clusters(path: Path) -> dict[str, str]:
    """Read the clusters of topics."""
    return irmeta.read_clusters(path)


def intervals(cube: xr.DataArray) -> tuple[Floats, Floats]:
    """Return the ends of the 95% intervals of means, over clusters where topics have them: (system, metric)."""
    found = irmeta.describe(cube, sets="marginal")
    return found["low"].values, found["high"].values


def ranks(cube: xr.DataArray, metric: str) -> tuple[list[int], list[int]]:
    """Return the best and the worst rank that each system may have, all at once at 95%."""
    found = irmeta.describe(cube, metrics=metric).sel(metric=metric)
    return found["rank_low"].values.tolist(), found["rank_high"].values.tolist()


STANDING = (
    "standardized",
    "low",
    "high",
    "percentile",
    "percentile_low",
    "percentile_high",
)
"""Figures of where a system stands among everybody's."""


def everybody(
    cube: xr.DataArray, metric: str, factors: str, teams: Mapping[str, str] | None
) -> xr.Dataset:
    """Return the factors to standardize by: those named or in a file, else those of all systems of the cube."""
    if factors:
        return irmeta.standardize.load(factors)
    return irmeta.standardize.fit(cube.sel(metric=[metric]), teams=teams)


def standing(cube: xr.DataArray, metric: str, factors: xr.Dataset) -> dict[str, Floats]:
    """Place systems among those that the factors come from."""
    found = irmeta.place(cube, on=factors, metrics=metric)
    return {name: found[name].values[:, 0] for name in STANDING}


def differences(
    cube: xr.DataArray, metric: str, system: str, against: Sequence[str]
) -> list[tuple[float, float, float]]:
    """Return how much better a system is than each of others, with 95% intervals paired by topic."""
    found = irmeta.versus(
        cube, system, list(against), metrics=metric, test="t", correct="none"
    )
    columns = (
        found[one].values[:, 0].tolist() for one in ("difference", "low", "high")
    )
    return list(zip(*columns, strict=True))


def load(path: Path) -> xr.DataArray:
    """Read a score file."""
    return irmeta.load(path)


def version() -> str:
    """Return the version of irmeta."""
    return irmeta.__version__


def ids(path: Path) -> frozenset[str]:
    """Read a file of ids, one on each line."""
    return frozenset(path.read_text(encoding="utf-8", errors="surrogateescape").split())


def as_parquet(cube: xr.DataArray) -> bytes:
    """Return the bytes of a score file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "scores.parquet")
        irmeta.save(cube, path)
        return path.read_bytes()


def factors_as_parquet(factors: xr.Dataset) -> bytes:
    """Return the bytes of a file of factors."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "factors.parquet")
        irmeta.standardize.save(factors, path)
        return path.read_bytes()
