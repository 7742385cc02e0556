"""What a paper calls systems and metrics: a result with their labels in place of their names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.metrics.names import alike, canonical, found_as, raw
from irmeta.scores.attributes import METRIC_LABELS, about, recorded
from irmeta.scores.names import known_as
from irmeta.scores.selection import choose_names, matching, words
from irmeta.words import counted, listed

LABELS = "labels"
"""The attribute of a result that has the labels of its systems by name."""
NAMING = ("system", "systems", "against", "baseline", "order", "anchor")
"""The options that name systems; the values of others may be called as one."""
NAMING_METRICS = ("metric", "metrics", "by", "target")
"""The options that name metrics."""
_METRICS = ("metric", "other")
"""The coordinates that name metrics."""
_NEITHER = ("topic", "collection", "aggregate")
"""What names neither systems nor metrics, though it may be called as one."""
_BY_RUN = ("judged", "deepest", "lacking")
"""What evaluated scores say of each system by its name."""
_WORD = re.compile(r"[a-z]+|[\d.]+|\w")
"""Names that may be words of a sentence, or numbers."""
_BEFORE_NAME = re.compile(r"(^|: |, | and | by | of )$")
"""What such a name follows where it is one."""
_TYPED = r"`[^`]*`|(?<![\w-])--?[a-z][\w-]* \S+"
"""Commands and options with their values, as a pattern."""
_ALIKE = 0.8
"""How alike a name and that of a system are, from 0 to 1, if one may be a slip of the other."""


def labelled(
    outcome: xr.Dataset, labels: Mapping[str, str], where: str | None = None
) -> xr.Dataset:
    """Return a result that calls systems and metrics by their labels in its data, options and notes.

    labels : by name, of as many systems and metrics as one likes; a note tells those that may be slips. Labels that
    all name nothing, and one label of two, raise ScoresError.  where : the file that holds them, for messages.

    >>> made = xr.Dataset({"mean": ("system", [0.5, 0.4])}, {"system": ["run1", "run2"]})
    >>> labelled(made, {"run1": "BM25"}).system.values.tolist()
    ['BM25', 'run2']
    """
    facts = about(outcome)
    options = facts.get("options", {})
    naming = {name: options[name] for name in NAMING if name in options}
    by_metric = {name: options[name] for name in NAMING_METRICS if name in options}
    texts = {
        name: one
        for name, one in outcome.variables.items()
        if one.dtype.kind in "OUT" and name not in _NEITHER
    }
    metrics = _texts(texts[name] for name in _METRICS if name in texts)
    there = set(metrics)
    metrics += [name for name in by_metric.values() if isinstance(name, str)]
    systems = outcome.system.values if "system" in outcome.coords else ()
    every = _texts(one for name, one in texts.items() if name not in _METRICS)
    every += [option for option in naming.values() if isinstance(option, str)]
    named = [name for name in every if name not in metrics or name in systems]
    found = _found(labels, named, metrics)
    _require_some(found, labels, systems, where)
    known = {name: labels[row] for row, name in found.items() if name in named}
    _require_distinct(known, set(named))
    of_metrics = {
        name: labels[row] + _scale_beyond(row, name)
        for row, name in found.items()
        if name not in named
    }
    _require_distinct(of_metrics, there)
    called = {}
    for name, variable in texts.items():
        own = of_metrics if name in _METRICS else of_metrics | known
        if not own.keys().isdisjoint(_texts([variable])):
            called[name] = _called(variable, own)
    unused = [row for row in labels if row not in found]
    unlabelled = [name for name in [*named, *metrics] if name not in found.values()]
    coords = {name: one for name, one in called.items() if name in outcome.coords}
    data = {name: one for name, one in called.items() if name not in coords}
    said = {
        "options": options
        | _with_labels(naming, known)
        | _with_labels(by_metric, of_metrics),
        LABELS: known,
        METRIC_LABELS: of_metrics,
        **_noted(facts, of_metrics | known, slips(unused, unlabelled)),
    }
    return outcome.assign(data).assign_coords(coords).assign_attrs(recorded(said))


def _called(variable: xr.Variable, labels: Mapping[str, str]) -> xr.Variable:
    """Return a variable of texts with labels in place of names."""
    names = map(str, variable.values.ravel())
    values = np.array([labels.get(name, name) for name in names], dtype=object)
    return variable.copy(data=values.reshape(variable.shape))


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
    found = _found(labels, every, ())
    _require_some(found, labels, every, where)
    known = {name: labels[row] for row, name in found.items()}
    for names in each.values():
        _require_distinct(known, set(names))
    called = {
        name: one.assign_coords(
            system=np.array([known.get(run, run) for run in each[name]], dtype=object)
        ).assign_attrs(recorded(_facts_called(about(one), known)))
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
    >>> by_label("BM25 (tuned)", called), by_label("BM25*, dense x*", called), by_label("run2 x*", called)
    ('run1', ['run1', 'run2', 'x*'], 'run2 x*')
    """
    names = {label: name for name, label in labels.items()}
    if wanted in names:
        return names[wanted]
    given = words(wanted, list(names)) if isinstance(wanted, str) else list(wanted)
    meant = [label for one in given for label in matching(one, list(names))]
    if isinstance(wanted, str) and names.keys().isdisjoint(meant):
        return wanted
    return [names.get(label, label) for label in meant]


def _scale_beyond(row: str, metric: str) -> str:
    """Return on which scale the scores of a metric are, if the row of its label does not name it.

    >>> _scale_beyond("AP", "AP (std.)"), _scale_beyond("AP (std.)", "AP (std.)")
    (' (std.)', '')
    """
    return metric.removeprefix(raw(metric)) if raw(row) == row else ""


def _texts(variables: Iterable[xr.Variable]) -> list[str]:
    """Return the texts of variables, each once."""
    every = (str(name) for one in variables for name in one.values.ravel())
    return list(dict.fromkeys(every))


def _found(
    labels: Iterable[str], systems: Sequence[str], metrics: Sequence[str]
) -> dict[str, str]:
    """Return by the names of labels what each of them names: a system, or else a metric; none where it is nothing."""
    each = {
        name: known_as(name, systems) or found_as(canonical(name), metrics)
        for name in labels
    }
    return {row: name for row, name in each.items() if name is not None}


def _require_some(
    found: Mapping[str, str],
    labels: Mapping[str, str],
    systems: Sequence[str],
    where: str | None,
) -> None:
    """Raise ScoresError if no label names anything; `systems` are those to tell."""
    if not found:
        there = f"; name some of {listed(systems)}" if len(systems) else ""
        of = f"{where}: " if where else ""
        raise ScoresError(
            f"{of}there are labels of {listed(labels)}, and there is no such system or metric{there}"
        )


def _noted(
    facts: Mapping[str, Any], known: Mapping[str, str], doubted: Mapping[str, str]
) -> dict[str, Any]:
    """Return the notes of a result, which have labels, and one on the labels that may be slips."""
    if "notes" not in facts:
        return {}
    notes, end = _notes_called(facts["notes"], known), facts["called_for"]
    if not doubted:
        return {"notes": notes}
    verb = "names" if len(doubted) == 1 else "name"
    note = f"{counted(len(doubted), 'label')} {verb} nothing here: {listed(doubted.values())}."
    return {"notes": [*notes[:end], note, *notes[end:]], "called_for": end + 1}


def _facts_called(facts: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    """Return what scores say of systems, by their labels."""
    by_run = {
        key: {known.get(name, name): value for name, value in facts[key].items()}
        for key in _BY_RUN
        if key in facts
    }
    if "notes" not in facts:
        return by_run
    return by_run | {"notes": _notes_called(facts["notes"], known)}


def _notes_called(notes: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Return notes with labels in place of names, but in what one types.

    What may be a word or a number is a name where it begins a note, is listed, or follows "by" or "of".

    >>> called = {"new": "New (ours)", "run1": "BM25", "P@10": "Prec@10"}
    >>> _notes_called(["new has the highest mean by P@10; new topics: new on 4, run1-b", "run `table run1`"], called)
    ['New (ours) has the highest mean by Prec@10; new topics: New (ours) on 4, run1-b', 'run `table run1`']
    """
    if not known:
        return list(notes)
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    named = re.compile(rf"{_TYPED}|(?<![\w@.-])(?P<name>{names})(?![\w@(-]|\.\w)")

    def called(found: re.Match[str]) -> str:
        name, before = found["name"], found.string[: found.start()]
        if name is None or (_WORD.fullmatch(name) and not _BEFORE_NAME.search(before)):
            return found[0]
        return known[name]

    return [named.sub(called, note) for note in notes]


def listed_with_slips(unknown: Sequence[str], others: Sequence[str]) -> str:
    """List names that are not known, first those that may be slips of others, with what these are."""
    doubted = slips(unknown, others)
    return listed(
        [*doubted.values(), *(name for name in unknown if name not in doubted)]
    )


def slips(unknown: Iterable[str], others: Sequence[str]) -> dict[str, str]:
    """Return the unknown names that may be slips of others, with a question what is meant."""
    meant = {name: _meant(name, others) for name in unknown}
    return {name: f"{name} (did you mean {one}?)" for name, one in meant.items() if one}


def _meant(name: str, others: Sequence[str]) -> str | None:
    """Return what a name may be a slip of, or the beginning, or has its words; other digits are another system.

    >>> _meant("smith_bm25", ["smith.bm25"]), _meant("smith.bm26", ["smith.bm25"]), _meant("smith", ["smith.bm25"])
    ('smith.bm25', None, 'smith.bm25')
    >>> _meant("R@100(rel=2)", ["R@100", "R(rel=2)@100"])
    'R(rel=2)@100'
    """
    parts = sorted(re.findall(r"\w+", name))
    for one in others:
        if sorted(re.findall(r"\w+", one)) == parts:
            return one
    digits = re.sub(r"\D", "", name)
    same = [
        one
        for one in others
        if re.sub(r"\D", "", one) == digits or one.startswith(name)
    ]
    return next(iter(alike(name, same, _ALIKE)), None)


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
