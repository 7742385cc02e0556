"""What a paper calls systems: a result with their labels in place of their names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.scores.attributes import about, recorded
from irmeta.scores.names import known_as
from irmeta.scores.selection import choose_names, words
from irmeta.words import listed

LABELS = "labels"
"""The attribute of a result that has the labels of its systems by name."""
NAMING = ("system", "systems", "against", "baseline", "order", "anchor")
"""The options that name systems; the values of others may be called as one."""
_OTHERS = ("topic", "metric", "collection", "aggregate", "other")
"""What names something else than systems, though it may be called as one."""


def labelled(
    outcome: xr.Dataset, labels: Mapping[str, str], where: str | None = None
) -> xr.Dataset:
    """Return a result that calls systems by their labels in its data and options; notes keep the names of runs.

    labels : by name, of as many systems as one likes; those of others are left out, if one is of these. Labels of no
    system, and one label of two, raise ScoresError.  where : the file that holds them, for messages.

    >>> made = xr.Dataset({"mean": ("system", [0.5, 0.4])}, {"system": ["run1", "run2"]})
    >>> labelled(made, {"run1": "BM25"}).system.values.tolist()
    ['BM25', 'run2']
    """
    texts = {
        name: one
        for name, one in outcome.variables.items()
        if one.dtype.kind in "OUT" and name not in _OTHERS
    }
    options = about(outcome).get("options", {})
    naming = {name: options[name] for name in NAMING if name in options}
    named = [str(name) for one in texts.values() for name in one.values.ravel()]
    named += [option for option in naming.values() if isinstance(option, str)]
    systems = outcome.system.values if "system" in outcome.coords else ()
    known = _known(labels, list(dict.fromkeys(named)), systems, where)
    _require_distinct(known, set(named))
    call = np.vectorize(lambda name: known.get(str(name), name), otypes=[object])
    called = {
        name: one.copy(data=call(one.values))
        for name, one in texts.items()
        if not set(known).isdisjoint(map(str, one.values.ravel()))
    }
    coords = {name: one for name, one in called.items() if name in outcome.coords}
    data = {name: one for name, one in called.items() if name not in coords}
    said = {"options": options | _with_labels(naming, known), LABELS: known}
    return outcome.assign(data).assign_coords(coords).assign_attrs(recorded(said))


def relabelled(
    cubes: Mapping[str, xr.DataArray],
    labels: Mapping[str, str],
    where: str | None = None,
) -> tuple[dict[str, xr.DataArray], dict[str, str]]:
    """Return scores that call systems by their labels, and the labels by the names that they had.

    Labels of no system, and one label of two, raise ScoresError.
    """
    each = {name: one.system.values.astype(str).tolist() for name, one in cubes.items()}
    every = list(dict.fromkeys(one for names in each.values() for one in names))
    known = _known(labels, every, every, where)
    for names in each.values():
        _require_distinct(known, set(names))
    called = {
        name: one.assign_coords(
            system=np.array([known.get(run, run) for run in each[name]], dtype=object)
        )
        for name, one in cubes.items()
    }
    return called, known


def chosen(
    outcome: xr.Dataset, wanted: str | Iterable[str], drawn: Sequence[str], where: str
) -> list[str]:
    """Return the systems that are wanted, by name or label, as a result calls them.

    drawn : what there is.  where : what holds it, for messages.
    """
    labels = about(outcome).get(LABELS, {})
    every = [*drawn, *labels]
    names = choose_names("system", wanted, every, where, "--highlight")
    return list(dict.fromkeys(labels.get(name, name) for name in names))


def by_label(wanted: str | Iterable[str], labels: Mapping[str, str]) -> str | list[str]:
    """Return the names of the systems that are wanted, some by their labels; a text that has no label as it is.

    >>> called = {"run1": "BM25 (tuned)", "run2": "dense"}
    >>> by_label("BM25 (tuned)", called), by_label("BM25 (tuned), dense x*", called), by_label("run2 x*", called)
    ('run1', ['run1', 'run2', 'x*'], 'run2 x*')
    """
    names = {label: name for name, label in labels.items()}
    if not isinstance(wanted, str):
        return [names.get(one, one) for one in wanted]
    if wanted in names:
        return names[wanted]
    given = words(wanted, list(names))
    if names.keys().isdisjoint(given):
        return wanted
    return [names.get(one, one) for one in given]


def _known(
    labels: Mapping[str, str],
    names: list[str],
    systems: Sequence[str],
    where: str | None,
) -> dict[str, str]:
    """Return labels by the names that there are; `systems` are those of them to tell where there is none."""
    found = {known_as(name, names): label for name, label in labels.items()}
    known = {name: label for name, label in found.items() if name is not None}
    if not known:
        there = f"; name some of {listed(systems)}" if len(systems) else ""
        of = f"{where}: " if where else ""
        raise ScoresError(
            f"{of}there are labels of {listed(labels)}, and there is no such system{there}"
        )
    return known


def _require_distinct(known: Mapping[str, str], names: set[str]) -> None:
    """Raise ScoresError if two systems would be called the same."""
    called = [known.get(name, name) for name in names]
    for label in known.values():
        if called.count(label) > 1:
            both = sorted(name for name in names if known.get(name, name) == label)
            raise ScoresError(
                f"{listed(both)} have the same label {label!r}; change one"
            )


def _with_labels(option: Any, known: Mapping[str, str]) -> Any:
    """Return options with labels in place of names."""
    if isinstance(option, Mapping):
        return {name: _with_labels(one, known) for name, one in option.items()}
    if isinstance(option, list):
        return [_with_labels(one, known) for one in option]
    return known.get(option, option) if isinstance(option, str) else option
