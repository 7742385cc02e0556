"""Scores verified: whether those of a score file are what its runs and judgments give, whatever the file says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.io.formats.scores import load
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import is_known
from irmeta.scores.attributes import about
from irmeta.words import counted, listed

ROUNDING = 1e-9
"""How far other versions of irmeta and of NumPy may round a score."""
SHOWN = 10
"""Scores that are named one by one."""


@dataclass(frozen=True)
class Verified:
    """What came of it: how many scores were compared, and what does not agree; nothing if the file can be believed."""

    compared: int
    problems: list[str]

    @property
    def finding(self) -> str:
        """The answer in one sentence."""
        if self.problems:
            return "The file does not follow from these runs and judgments:"
        return f"All {counted(self.compared, 'score')} follow from these runs and judgments."


def verify(
    path: str | PathLike[str],
    qrels: Any,
    runs: Any,
    *,
    collection: str | None = None,
    reading: Reading | None = None,
) -> Verified:
    """Evaluate the runs again by the metrics and options of a score file, and compare every score, run and judgment.

    path : the score file.  qrels, runs, reading : as in `irmeta.evaluate`.
    collection : which, where the file holds several.
    A file of scores that irmeta did not evaluate, as standardized or imported ones, raises ScoresError.
    """
    scores = load(path, collection)
    recorded = about(scores)
    metrics = [str(metric) for metric in scores.metric.values]
    if "options" not in recorded or not all(map(is_known, metrics)):
        raise ScoresError(
            f"{path}: irmeta evaluate did not make these scores, or they were changed afterwards, as by "
            "standardizing; there is nothing to evaluate again"
        )
    options = {
        name: value
        for name, value in recorded["options"].items()
        if name in ("score_precision", "topics", "drop_copies", "drop_empty")
    }
    again = evaluate(qrels, runs, metrics, reading=reading, **options)
    problems = [
        *_other_inputs(recorded, about(again)),
        *_other_names(scores, again),
        *_other_scores(scores, again),
    ]
    return Verified(scores.size, problems)


def _other_inputs(
    recorded: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[str]:
    """Name judgments and runs whose content is not that of which the file has the digest."""
    theirs = recorded.get("qrels", {}).get("sha256")
    ours = found["qrels"]["sha256"]
    if theirs != ours:
        yield f"judgments: the file names SHA-256 {_short(theirs)}, these have {_short(ours)}"
    digests = recorded.get("runs", {})
    other = [
        name for name, digest in found["runs"].items() if digests.get(name) != digest
    ]
    if other:
        yield f"runs with other content than the file names: {listed(other)}"


def _short(digest: object) -> str:
    return f"{str(digest)[:12]}…" if digest else "none"


def _other_names(scores: xr.DataArray, again: xr.DataArray) -> Iterator[str]:
    """Name systems and topics that only one of both has."""
    for dim in ("system", "topic"):
        theirs, ours = scores.indexes[dim], again.indexes[dim]
        for only, where in (
            (theirs.difference(ours), "only in the file"),
            (ours.difference(theirs), "not in the file"),
        ):
            if len(only):
                yield f"{counted(len(only), dim)} {where}: {listed(only)}"


def _other_scores(scores: xr.DataArray, again: xr.DataArray) -> Iterator[str]:
    """Name the scores that are others, the first ones one by one."""
    aligned = xr.align(scores, again, join="inner")
    theirs, ours = (cube.transpose("system", "topic", "metric") for cube in aligned)
    agree = np.isclose(theirs, ours, rtol=0, atol=ROUNDING, equal_nan=True)
    places = np.argwhere(~agree)
    for place in places[:SHOWN]:
        one = theirs[tuple(place)]
        yield (
            f"{one.system.item()}, topic {one.topic.item()}, {one.metric.item()}: the file says "
            f"{one.item():.4f}, runs and judgments give {ours.values[tuple(place)]:.4f}"
        )
    if len(places) > SHOWN:
        yield f"and {len(places) - SHOWN} more of {counted(theirs.size, 'score')}"
