"""How many documents are relevant: AP and R are divided by that number, which no other score shows."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Scale
from irmeta.errors import MetricError, ScoresError
from irmeta.io import strictly
from irmeta.io.files import location
from irmeta.io.formats.model_file import Model, Part
from irmeta.io.runs.rankings import Qrels
from irmeta.io.runs.trec import read_qrels
from irmeta.metrics.names import Metric, parse, raw
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.regression import Moments
from irmeta.stats.prediction.scales import from_scale
from irmeta.words import are, listed

NUMBER = "NumRel"
"""The metric that is the number of relevant documents."""

FAR = 1.5
"""A number beyond those of all collections of the model by more than this factor is far from them."""


class Relevant(NamedTuple):
    """Numbers of relevant documents a topic: in the collection to predict, and in the model's by name."""

    here: float
    of: Mapping[str, float]
    scale: Scale

    def parts(self, held: Sequence[Part]) -> list[Part]:
        """Keep the collections whose number is known."""
        return [part for part in held if part.name in self.of]

    def moments(self, part: Part) -> Moments:
        """Return a collection's moments with its number, the same for all systems, before all other variables."""
        mean = np.concatenate([[self._scaled(self.of[part.name])], part.moments.mean])
        cov = np.pad(part.moments.cov, ((1, 0), (1, 0)))
        return part.moments._replace(mean=mean, cov=cov)

    def beside(self, rows: Floats, number: float | None = None) -> Floats:
        """Return values of shape (system, variable) with a number, by default this collection's, before all others."""
        column = np.full((len(rows), 1), self._scaled(number or self.here))
        return np.concatenate([column, rows], axis=1)

    def _scaled(self, number: float) -> float:
        """Put a number R on the scale of scores that are divided by it: small log odds fall by log R."""
        return float(np.log(number) if self.scale == "logit" else 1 / number)


def relevant(
    given: float | str | PathLike[str] | None, scores: xr.DataArray, model: Model
) -> Relevant | None:
    """Return the numbers of relevant documents, if they are told: as given, or by NumRel among the scores.

    given : the mean over topics, or the judgments to count it in
    """
    told = given is not None
    if given is None and NUMBER in scores.metric.values:
        number = float(scores.sel(metric=NUMBER).mean())
        given = number if number > 0 else None
    if given is None:
        return None
    by_collection = numbers(model)
    topics = model.provenance.get("unit") == "topic"
    if told and topics:
        raise ScoresError(
            "a number of relevant documents goes with a model of systems' means, not with one of scores on topics"
        )
    if told and not by_collection:
        raise ScoresError(
            "the model does not know how many documents are relevant in its collections, so it cannot use this "
            "collection's number; fit it on P@1000 and R@1000, too, or on NumRel"
        )
    if topics or not by_collection:
        return None
    return Relevant(_number(given), by_collection, model.scale)


def numbers(model: Model) -> dict[str, float]:
    """Return the numbers of relevant documents a topic of the model's collections, where its scores show them."""
    found = {part.name: _number_of_part(part, model.scale) for part in model.parts}
    return {name: number for name, number in found.items() if 0 < number < np.inf}


def _number_of_part(part: Part, scale: Scale) -> float:
    """Return NumRel, or k P@k / R@k of the means at the largest cutoff of both; NaN without them."""
    means = from_scale(part.moments.mean, scale)
    by_name = dict(zip(part.metrics, means.tolist(), strict=True))
    if NUMBER in by_name:
        return by_name[NUMBER]
    cutoffs = [
        name.removeprefix("P@") for name in part.metrics if name.startswith("P@")
    ]
    both = [int(k) for k in cutoffs if by_name.get(f"R@{k}", 0) > 0]
    if not both:
        return np.nan
    k = max(both)
    return k * by_name[f"P@{k}"] / by_name[f"R@{k}"]


def is_divided(name: str) -> bool:
    """Say whether a metric is a sum divided by the number of relevant documents, those of grade 1 or above.

    >>> [is_divided(name) for name in ("AP", "R@10", "P@10", "AP(rel=2)")]
    [True, True, False, False]
    """
    metric = _parsed(name)
    return metric is not None and metric.base in ("AP", "R") and metric["rel"] == 1


def _parsed(name: str) -> Metric | None:
    """Return a metric by name, None for one that irmeta does not know."""
    try:
        return parse(raw(name))
    except MetricError:
        return None


def _is_capped(name: str, most: float) -> bool:
    """Say whether a metric looks at too few documents to be 1 where `most` are relevant."""
    metric = _parsed(name)
    if metric is None or metric.base not in ("AP", "R"):
        return False
    return metric.cutoff is not None and metric.cutoff <= most


def caution_notes(
    targets: Sequence[str], model: Model, known: Relevant | None, *, calibrated: bool
) -> list[str]:
    """Say of targets divided by the number of relevant documents what this number does, or would do, to them."""
    by_collection = numbers(model)
    if not by_collection or calibrated or model.provenance.get("unit") == "topic":
        return []
    low, high = min(by_collection.values()), max(by_collection.values())
    between = f"{low:.0f} to {high:.0f} a topic in the model's collections"
    # a number that is told serves the targets whose relevant documents it counts
    capped = [name for name in targets if _is_capped(name, high)]
    if known is not None:
        capped = [name for name in capped if not is_divided(name)]
    lines = []
    if capped:
        lines.append(
            f"{listed(capped)} {are(len(capped))} divided by the number of relevant documents ({between}): if yours is "
            "far from that, intervals miss nearly all systems. Name a few systems whose scores are known "
            "(--calibrate), or else say the number (--relevant)."
        )
    served = [name for name in targets if is_divided(name)]
    if known is not None and served and not low / FAR <= known.here <= high * FAR:
        more = "more" if known.here > high else "fewer"
        lines.append(
            f"{known.here:.0f} relevant documents a topic are {more} than in any collection of the model ({low:.0f} to "
            f"{high:.0f}): predictions of {listed(served)} extrapolate. Name a few systems whose scores are known "
            "(--calibrate)."
        )
    return lines


def _number(given: float | str | PathLike[str]) -> float:
    """Return a number of relevant documents a topic, as told or counted in judgments."""
    try:
        number = strictly.number(given)
    except (TypeError, ValueError):
        if not isinstance(given, str | PathLike):
            raise ScoresError(
                f"{given!r} is not a number of relevant documents a topic, nor a file of judgments"
            ) from None
        return _count_relevant(read_qrels(location(given)))
    if not 0 < number < np.inf:
        raise ScoresError(
            f"{number:g} relevant documents a topic: the number must be above 0"
        )
    return number


def _count_relevant(qrels: Qrels) -> float:
    """Count documents of grade 1 or above, on the topics that have any."""
    found = np.bincount(qrels.topic[qrels.grades >= 1])
    if not found.any():
        raise ScoresError(
            f"{qrels.source}: no document has grade 1 or above; --relevant takes judgments with some"
        )
    return float(found[found > 0].mean())
