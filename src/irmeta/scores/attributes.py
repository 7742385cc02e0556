"""What cubes and results say of themselves: attributes that every file format of xarray can hold.

netCDF and Zarr take text and numbers. What is nested (options, notes, digests of runs) is JSON text in them.
"""

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

NAMES = ("collection", "study")
"""Attributes that are names: text, whatever it looks like."""
REPEATS = "repeats"
"""The attribute of a cube that says how many runs its systems are means of, and how these differ."""
CLUSTER = "cluster"
"""The coordinate of topics that names each topic's cluster."""
OVER = "mean_over"
"""The attribute of a cube that says what its means are over: its topics, or its clusters."""
MACHINES = "machine_judges"
"""The attribute of a cube that names the machine judges behind its scores, by metric."""
PRINTED = "printed"
"""The attribute of a cube that says how the scores of a printed table, or one that does not say it, were read."""
LEFT_OUT = "left_out"
"""The attribute of a cube that says how many systems and topics were left out, as scores were missing."""
UNUSED = "unused"
"""The attribute of a cube that names the columns of its table that say nothing of it, with how many groups of topics
each makes."""
DOUBTS = "doubts"
"""The attribute of a cube that says which columns of its table may hold no scores."""
METRIC_LABELS = "metric_labels"
"""The attribute of a result that has the labels of its metrics by name."""
CHOSEN = "chosen_from"
"""The attribute of a cube that says of how many systems and topics its own were chosen, and by which metric."""
_NESTED = re.compile(r'[\[{"]|(true|false|null)$')
"""How JSON text begins that is not a number."""


@runtime_checkable
class Labelled(Protocol):
    """A cube or a result."""

    @property
    def attrs(self) -> Mapping[Hashable, Any]: ...  # noqa: D102


def recorded(facts: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Return attributes for a cube or a result: text and numbers as they are, everything else as JSON text.

    >>> recorded({"collection": "TREC-8", "options": {"level": 0.95}})
    {'collection': 'TREC-8', 'options': '{"level": 0.95}'}
    """
    return {
        str(name): str(value) if name in NAMES else _encoded(value)
        for name, value in facts.items()
    }


def about(labelled: Labelled) -> dict[str, Any]:
    """Return what a cube or a result says of itself: its attributes, those that are JSON text as what they spell.

    labelled : a cube, or the result of a study.

    A result says `study`, `inputs`, `options` and `notes`; a cube `collection` and where its scores come from. Both
    say so also after they were written to netCDF or Zarr and read again.

    >>> from irmeta.scores.cube import cube
    >>> about(cube([[[0.5]]], ["bm25"], ["301"], ["AP"], provenance={"notes": ["made by hand"]}))
    {'collection': 'collection', 'notes': ['made by hand']}
    """
    return {
        str(name): value if name in NAMES else _decoded(value)
        for name, value in labelled.attrs.items()
    }


def chosen_from(
    facts: Mapping[Any, Any], known: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return what is to be recorded of scores chosen among a number of systems or topics; the first choice counts.

    facts : what they say of themselves.  known : numbers by what they count, and `by`, the metric of the best.

    >>> chosen_from({"chosen_from": {"systems": 20}}, {"systems": 12, "by": "AP"})
    {'chosen_from': {'systems': 20, 'by': 'AP'}}
    """
    first = {**known, **_decoded(facts.get(CHOSEN, {}))}
    return {CHOSEN: first} if first else {}


def _encoded(value: Any) -> str | int | float:
    """Return a value as netCDF takes it; text that would be read as JSON becomes JSON itself."""
    value = _without_numpy(value)
    plain = isinstance(value, int | float | str) and not isinstance(value, bool)
    if plain and _decoded(value) is value:
        return value
    return json.dumps(value, default=_json_fallback)


def _decoded(value: Any) -> Any:
    """Return what an attribute spells; numbers come back from files as NumPy's."""
    value = _without_numpy(value)
    if not isinstance(value, str) or not _NESTED.match(value):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _without_numpy(value: Any) -> Any:
    """Return a number or an array of NumPy as Python's, anything else as it is."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value


def _json_fallback(value: Any) -> Any:
    """Return what JSON does not know as something that it does: NumPy's numbers as Python's, all else as text."""
    plain = _without_numpy(value)
    return str(value) if plain is value else plain


def is_trec(facts: Mapping[str, Any], topics: Iterable[object]) -> bool:
    """Say whether scores are of runs on topics: irmeta evaluated them, or their topics are numbered.

    >>> is_trec({}, ["301", "302"]), is_trec({}, ["fiqa", "nq"])
    (True, False)
    """
    return "qrels" in facts or all(str(topic).isdecimal() for topic in topics)
