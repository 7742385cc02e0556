"""The section on prediction: what the reported metrics tell of the others, and the calculator's model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import chdtri, ndtri, stdtrit

from irmeta.datasets.reference import reference_model
from irmeta.errors import ScoresError
from irmeta.io.formats.model_file import Model, part_as_json
from irmeta.metrics.names import highest
from irmeta.report.page.content import Content
from irmeta.report.page.metrics import ranking
from irmeta.report.page.panel import Panel, Picture, Section, Text, names, study_panel
from irmeta.report.plots.metrics.accuracy import cells
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.stats.prediction.intervals import LEVELS, expected_coverage, reach
from irmeta.studies.prediction import accuracy
from irmeta.studies.prediction.predict.cells import OUTSIDE
from irmeta.studies.prediction.predict.study import predict
from irmeta.words import listed

FEWEST = 3
"""Collections that a target needs, for its intervals to be tested on each by the others."""
GOOD = 0.8
"""The coverage on the worst collection left out that makes predictors good."""

TEXT = Text(
    "prediction",
    "Unreported metrics",
    "What do the reported metrics say about the others?",
    "The reference model, fitted on TREC collections, predicts every metric that is not reported. "
    "If tau is near 1, systems come in the right order. If all points lie to one side of the "
    "diagonal, the collection has its own offset. The intervals allow for usual offsets, on "
    "average over collections; in a collection with an unusual one they miss most systems "
    "together, as the count below shows. A few systems with known scores correct that (irmeta "
    "predict apply --calibrate). If the model was fitted on this collection, these figures are too "
    "good.",
    "Gupta et al. (ECIR 2019), section 5; intervals from collections left out in turn.",
)


def panels(content: Content) -> list[Panel]:
    """Make a panel for each collection, where there are metrics that need not be reported."""
    if not ranking.panels(content):
        return []
    reported = ranking.metrics_to_report(content)
    model = page_model(content.cubes)
    return content.panels_by_collection(
        lambda name: prediction_panel(name, content.used[name], reported, model)
    )


def page_model(cubes: Mapping[str, xr.DataArray]) -> Model:
    """Return the reference model with the names that the page has for its metrics: AP for its AP@1000."""
    model = reference_model()
    metrics = [name for scores in cubes.values() for name in names(scores.metric)]
    return model.with_metric_names(model.cut(metrics))


def prediction_panel(
    name: str, scores: xr.DataArray, reported: Sequence[str], model: Model
) -> Panel:
    """Predict the other metrics of a collection from the reported ones, and set them beside the actual scores."""
    here = _with_model_names(scores, model)
    known = [known for metric in reported if (known := model.name_of(metric))]
    predictors = choose_predictors(model, known)
    others = [name for name in names(here.metric) if name not in predictors]
    if not predictors:
        raise ScoresError(
            f"the reference model has none of the metrics to report ({', '.join(reported) or 'none found'})"
        )
    if not others:
        raise ScoresError(
            "the reference model has none of the metrics that are not reported"
        )
    outcome = accuracy.accuracy(
        predict(here.sel(metric=predictors), model, want=others), here
    ).data
    level = about(outcome)["options"]["level"]
    title = (
        f"How well {', '.join(predictors)} order the systems as the other metrics do"
    )
    of_cells = f"Actual scores by predicted ones, with {level:.0%} intervals; orange lies outside"
    pictures = {
        "tau": Picture.of_result(title, outcome),
        "cells": Picture(of_cells, partial(cells, outcome)),
    }
    panel = study_panel(
        name,
        outcome,
        pictures=pictures,
        shown=["accuracy", "cells"],
        command=f"irmeta predict apply MEANS --want '{' '.join(others)}'",
    )
    first, *rest = panel.findings
    sentences = [first, *unused_sentences(reported, predictors, model)]
    return replace(
        panel,
        findings=[" ".join(sentences), *rest],
        reported=reported_means(here.sel(metric=predictors)),
    )


PRINTED = 4
"""Decimals of a score that the calculator starts from, as papers print it."""


def reported_means(scores: xr.DataArray) -> Mapping[str, Mapping[str, float]]:
    """Return the means of each system by metric, as a paper would print them."""
    table = means(scores)
    metrics = names(table.metric)
    return {
        system: dict(zip(metrics, row, strict=True))
        for system, row in zip(
            names(table.system), table.values.round(PRINTED).tolist(), strict=True
        )
    }


def unused_sentences(
    reported: Sequence[str], used: Sequence[str], model: Model
) -> list[str]:
    """Say which of the metrics to report predictions do not rest on, and why."""
    unknown = [metric for metric in reported if model.name_of(metric) is None]
    known = [name for metric in reported if (name := model.name_of(metric))]
    weaker = [name for name in known if name not in used]
    sentences = []
    if unknown:
        sentences.append(f"Not used, as the model does not have it: {listed(unknown)}.")
    if weaker:
        sentences.append(
            f"Not used, as without it more intervals held in tests on other collections: {listed(weaker)}."
        )
    return sentences


def choose_predictors(model: Model, candidates: Sequence[str]) -> list[str]:
    """Return what to predict from: the most of these metrics whose intervals hold on collections left out.

    Good is a coverage of `GOOD` or more, in the mean over the metrics to predict, on the worst collection; where no set
    is as good, the best one. Only the model's own collections decide, not the one of the page.
    """
    worst: dict[tuple[str, ...], float] = {}
    for size in range(len(candidates), 0, -1):
        for chosen in combinations(candidates, size):
            worst[chosen] = _worst_coverage(model, chosen)
    if not worst:
        return []
    best = max(worst, key=worst.__getitem__)
    good = [chosen for chosen, coverage in worst.items() if coverage >= GOOD]
    if good:
        best = max(good, key=lambda chosen: (len(chosen), worst[chosen]))
    return list(best)


def _worst_coverage(model: Model, predictors: Sequence[str]) -> float:
    """Return the coverage to expect of 90% intervals on the worst collection, in the mean over other metrics."""
    level, size = 0.9, len(predictors)
    # the targets that the same collections have
    by_parts: dict[tuple[str, ...], list[str]] = {}
    for target in (metric for metric in model.metrics if metric not in predictors):
        by_parts.setdefault(
            tuple(part.name for part in model.parts_with([*predictors, target])), []
        ).append(target)
    by_collection: dict[str, list[float]] = {}
    for parts, targets in by_parts.items():
        if len(parts) < FEWEST:
            continue
        held = model.parts_with([*predictors, *targets])
        at = range(size, size + len(targets))
        far = reach(np.array([part.tails[list(at)] for part in held]), level)
        expected = expected_coverage(
            [part.moments for part in held], range(size), at, level, far
        )
        for part, shares in zip(held, expected, strict=True):
            by_collection.setdefault(part.name, []).extend(shares.tolist())
    return min(
        (float(np.mean(shares)) for shares in by_collection.values()), default=0.0
    )


def calculator_facts(model: Model, made: Sequence[Section]) -> Mapping[str, Any]:
    """Return all that the page needs to predict as `irmeta predict apply` does: the model's figures, and quantiles.

    It starts from the systems of the page, by collection, where the page predicts from their scores.
    t[level][df - 1], normal[level] and chi2[number of scores - 1] are quantiles, which the page looks up.
    """
    two_sided = (1 + np.array(LEVELS)) / 2
    freedom = np.arange(1, max(2, len(model.parts)))
    scores = np.arange(1, len(model.metrics) + 1)
    return {
        "scale": model.scale,
        "levels": list(LEVELS),
        "metrics": [
            {"name": metric, "highest": _finite(highest(metric))}
            for metric in sorted(model.metrics, key=_name_and_cutoff)
        ],
        "collections": [part_as_json(part) for part in model.parts],
        "normal": np.asarray(ndtri(two_sided)).tolist(),
        "t": np.asarray(stdtrit(freedom, two_sided[:, None])).tolist(),
        "chi2": np.asarray(chdtri(scores, 1 - OUTSIDE)).tolist(),
        "outside": OUTSIDE,
        "sources": list(model.provenance.get("sources", [])),
        "systems": {
            panel.label: panel.reported
            for section in made
            for panel in section.panels
            if panel.reported
        },
    }


def _with_model_names(scores: xr.DataArray, model: Model) -> xr.DataArray:
    """Keep the metrics that the model knows, under its names; of two with one name the one that is called so."""
    by_name: dict[str, str] = {}
    for metric in names(scores.metric):
        name = model.name_of(metric)
        if name is not None and (name == metric or name not in by_name):
            by_name[name] = metric
    return scores.sel(metric=list(by_name.values())).assign_coords(metric=list(by_name))


def _name_and_cutoff(metric: str) -> tuple[str, float]:
    """Return what metrics are sorted by, as in an index: the name, then the cutoff."""
    name, _, cutoff = metric.partition("@")
    return name.lower(), float(cutoff or 0)


def _finite(value: float) -> float | None:
    """Return a number, or None for one that is not finite, as JSON has it."""
    return value if np.isfinite(value) else None
