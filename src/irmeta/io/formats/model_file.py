"""The prediction model as a JSON file: for each collection counts, means, covariances, and how far residuals reach."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from irmeta.choices import Scale
from irmeta.errors import FileFormatError
from irmeta.io.files import read_bytes
from irmeta.io.formats import seals
from irmeta.io.formats.schemas import ModelFile
from irmeta.io.outputs import writing
from irmeta.io.strictly import parse_json, require_schema
from irmeta.metrics.names import is_variant, standardized
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.intervals import LEVELS
from irmeta.stats.prediction.regression import Moments
from irmeta.words import reason

_FORMAT = "irmeta prediction model 1"
_MOST = 1e30
"""Above any mean or covariance of scores."""
DEPTH = 1000
"""Ranks of a run of TREC: a metric cut there stands for the one of the whole run."""
_ROUNDING = 1e-8
"""How far below 0 rounding may leave an eigenvalue of a correlation matrix."""


@dataclass(frozen=True)
class Part:
    """What a model knows of one collection's system-level scores, on the model's scale; no score itself."""

    name: str
    metrics: tuple[str, ...]
    moments: Moments  # of shape (metric,) and (metric, metric)
    tails: Floats  # quantiles of standardized residuals, (metric, level); see irmeta.stats.prediction.intervals.tails


@dataclass(frozen=True)
class Model:
    """Enough to predict any metric from any others, with intervals; `irmeta.predict.fit` makes one."""

    scale: Scale
    parts: tuple[Part, ...]
    provenance: Mapping[str, Any]

    @property
    def metrics(self) -> list[str]:
        """Every metric that some collection has, in the order of first appearance."""
        return list(
            dict.fromkeys(metric for part in self.parts for metric in part.metrics)
        )

    def name_of(self, metric: str) -> str | None:
        """Return the model's name for a metric: its own, cut at 1000, or either for standardized scores; else None."""
        whole = (metric, f"{metric}@{DEPTH}")
        names = (*whole, *map(standardized, whole))
        return next((name for name in names if name in self.metrics), None)

    def cut(self, names: Iterable[str]) -> dict[str, str]:
        """Return, by each of these names that it lacks, its metric that is the same cut at 1000, if no name is that."""
        given_names = list(names)
        cut_names = {
            name: f"{name}@{DEPTH}" for name in given_names if name not in self.metrics
        }
        return {
            name: metric
            for name, metric in cut_names.items()
            if metric in self.metrics and metric not in given_names
        }

    def with_metric_names(self, cut: Mapping[str, str]) -> "Model":
        """Return the model with other names of its metrics: new names to old."""
        new = {metric: name for name, metric in cut.items()}
        parts = tuple(
            replace(part, metrics=tuple(new.get(one, one) for one in part.metrics))
            for part in self.parts
        )
        return replace(self, parts=parts)

    def variant_of(self, metric: str) -> str | None:
        """Return the model's only metric that is this measure with more parameters, whose scores differ.

        So RBP(p=0.8, rel=1) for RBP(p=0.8); None if there is none, or more than one.
        """
        variants = [known for known in self.metrics if is_variant(known, metric)]
        return variants[0] if len(variants) == 1 else None

    def parts_with(self, metrics: list[str]) -> list[Part]:
        """Return the collections that have all of these metrics, reduced to them in this order."""
        return [
            _select_metrics(part, metrics)
            for part in self.parts
            if set(metrics) <= set(part.metrics)
        ]


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model; the file appears whole or not at all.

    model : what `prediction_model` returned. path : the model file (JSON); an existing one is replaced.
    """
    head = {
        "format": _FORMAT,
        seals.KEY: seals.OPEN,
        "scale": model.scale,
        "levels": list(LEVELS),
        "provenance": dict(model.provenance),
    }
    parts = ",\n".join(
        json.dumps(part_as_json(part), default=str) for part in model.parts
    )
    text = (
        json.dumps(head, indent=1, default=str).removesuffix("\n}")
        + f',\n "collections": [\n{parts}\n ]\n}}\n'
    )
    with writing(Path(path)) as file:
        file.write_text(text, encoding="utf-8")
        seals.close(file)


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model that `save_model` wrote; anything else raises FileFormatError.

    path : the model file (JSON).
    """
    try:
        data = read_bytes(Path(path))
        seals.require_intact(data)
        document = parse_json(data, finite=True)
        if document["format"] != _FORMAT:
            raise ValueError(
                f"its format is {document['format']!r}, but this version reads {_FORMAT!r}"
            )
        if document["scale"] not in get_args(Scale):
            raise ValueError(
                f"its scale is {document['scale']!r}, but this version knows "
                f"{' and '.join(get_args(Scale))}"
            )
        require_schema(document, ModelFile)
        if tuple(document["levels"]) != LEVELS:
            raise ValueError(
                f"its levels are {document['levels']}, but this version reads {list(LEVELS)}"
            )
        parts = tuple(_read_part(entry) for entry in document["collections"])
        return Model(document["scale"], parts, document["provenance"])
    except seals.MALFORMED as error:
        raise FileFormatError(
            f"{path}: not a prediction model ({reason(error)}); `irmeta predict fit -o` writes them"
        ) from error


def part_as_json(part: Part) -> dict[str, Any]:
    """Return a collection's figures as the model file has them; covariances as the rows of a lower triangle."""
    lower = [row[: i + 1].tolist() for i, row in enumerate(part.moments.cov)]
    return {
        "name": part.name,
        "systems": part.moments.n,
        "metrics": list(part.metrics),
        "means": part.moments.mean.tolist(),
        "residual_quantiles": [
            [None if np.isnan(value) else value for value in row] for row in part.tails
        ],
        "covariances": lower,
    }


def _read_part(entry: Mapping[str, Any]) -> Part:
    """Read what a model holds of one collection; ValueError says what it cannot be."""
    name = entry["name"]
    metrics = entry["metrics"]
    systems = entry["systems"]
    size = len(metrics)
    if len(set(metrics)) < size:
        raise ValueError(f"the metrics of {name!r} are not distinct names")
    if [len(row) for row in entry["covariances"]] != list(range(1, size + 1)):
        raise ValueError(
            f"the covariances of {name!r} are not a lower triangle of {size} rows"
        )
    cov = np.zeros((size, size))
    for i, row in enumerate(entry["covariances"]):
        cov[i, : i + 1] = cov[: i + 1, i] = row
    mean = np.array(entry["means"], dtype=np.float64)
    tails = np.array(entry["residual_quantiles"], dtype=np.float64)
    if mean.shape != (size,) or tails.shape != (size, len(LEVELS)):
        raise ValueError(f"the figures of {name!r} do not fit its {size} metrics")
    _require_moments(name, mean, cov)
    _require_tails(name, tails)
    return Part(str(name), tuple(metrics), Moments(systems, mean, cov), tails)


def _require_moments(name: str, mean: Floats, cov: Floats) -> None:
    """Refuse means and covariances that no scores have; NaN is refused, too."""
    possible = (np.abs(mean) < _MOST).all() and (np.abs(cov) < _MOST).all()
    if not possible or (np.diag(cov) < 0).any():
        raise ValueError(
            f"a mean or a covariance of {name!r} is too large for scores, or a variance is negative"
        )
    if np.linalg.eigvalsh(_correlations(cov)).min(initial=0) < -_ROUNDING:
        raise ValueError(f"the covariances of {name!r} are not positive semi-definite")


def _require_tails(name: str, tails: Floats) -> None:
    """Refuse quantiles (metric, level) that are below 0 or fall; a metric without residuals has none (NaN)."""
    positive = (tails[:, :1] >= 0).all(axis=1)
    rising = (np.diff(tails) >= 0).all(axis=1)
    finite = np.isfinite(tails).all(axis=1)
    none = np.isnan(tails).all(axis=1)
    if not ((positive & rising & finite) | none).all():
        raise ValueError(
            f"the residual quantiles of {name!r} are negative, or do not grow with the level"
        )


def _correlations(cov: Floats) -> Floats:
    """Return covariances as correlations."""
    sd = np.sqrt(np.diag(cov))
    sd[sd == 0] = 1  # a constant metric
    with np.errstate(over="ignore", invalid="ignore"):
        return np.nan_to_num(cov / np.outer(sd, sd))


def _select_metrics(part: Part, metrics: list[str]) -> Part:
    at = [part.metrics.index(metric) for metric in metrics]
    return Part(part.name, tuple(metrics), part.moments.take(at), part.tails[at])
