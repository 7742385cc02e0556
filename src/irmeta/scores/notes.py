"""Kinds of notes and findings, by what a reader can do with them: which stand on one screen, and where."""

from collections.abc import Iterable, Sequence


class Answer(str):
    """A finding that answers the question by one of several metrics: it stands above the tables, as the first does."""


class Act(str):
    """A note that says what to do about these scores; it stands before others."""


class Method(str):
    """A note on how figures are made, true whatever the scores are; it is not on the screen unless asked for."""


def parted(findings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the answers, which stand above the tables, from other findings; the first finding is an answer.

    >>> parted(["better by AP", "metrics contradict", Answer("worse by RR")])
    (['better by AP', 'worse by RR'], ['metrics contradict'])
    """
    answers = [*findings[:1], *(one for one in findings[1:] if isinstance(one, Answer))]
    return answers, [one for one in findings[1:] if not isinstance(one, Answer)]


def arranged(notes: Iterable[str]) -> list[str]:
    """Put notes in the order in which they are read: to act on, on these scores, on the method.

    >>> arranged([Method("by t"), "2 topics left out", Act("name the teams")])
    ['name the teams', '2 topics left out', 'by t']
    """
    return sorted(dict.fromkeys(notes), key=_place)


def called(notes: Iterable[str]) -> int:
    """Count the notes that these scores call for: all but those on the method.

    >>> called([Method("by t"), "2 topics left out"])
    1
    """
    return sum(_place(note) < len(_ORDER) for note in dict.fromkeys(notes))


def concerning(what: str, note: str) -> str:
    """Say of what a note is; its kind stays.

    >>> isinstance(concerning("AP", Act("drop it")), Act), concerning("AP", "drop it")
    (True, 'AP: drop it')
    """
    return type(note)(f"{what}: {note}")


_ORDER = (Act, str)


def _place(note: str) -> int:
    """Return where a note stands: those of no kind after those to act on, those on the method last."""
    kind = type(note)
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
