"""Kinds of notes and findings, by what a reader can do with them: which stand on one screen, and where."""

from collections.abc import Iterable, Sequence


class Answer(str):
    """A finding that answers the question by one of several metrics: it stands above the tables, as the first does."""


class Beside(str):
    """A finding that says what a table is of: it stands below the table, where only that is asked for."""

    table: str

    def __new__(cls, text: str, table: str = "") -> "Beside":
        """Mark a sentence as one of a table, by its name."""
        made = super().__new__(cls, text)
        made.table = table
        return made


class OnPairs(str):
    """A note on scores that are missing and stay so, since each pair is compared on those of both."""


class Act(str):
    """A note that says what to do about these scores; it stands before others."""


class Method(str):
    """A note on how figures are made, true whatever the scores are; it is not on the screen unless asked for."""


def split_answers(findings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the answers, which stand above the tables, from other findings; the first finding is an answer.

    >>> split_answers(["better by AP", "metrics contradict", Answer("worse by RR")])
    (['better by AP', 'worse by RR'], ['metrics contradict'])
    """
    rest = findings[1:]
    answers = [finding for finding in rest if isinstance(finding, Answer)]
    others = [finding for finding in rest if not isinstance(finding, Answer)]
    return [*findings[:1], *answers], others


def in_reading_order(notes: Iterable[str]) -> list[str]:
    """Put notes in the order in which they are read: to act on, on these scores, on the method.

    >>> in_reading_order([Method("by t"), "2 topics left out", Act("name the teams")])
    ['name the teams', '2 topics left out', 'by t']
    """
    return sorted(dict.fromkeys(notes), key=_reading_position)


def count_called_for(notes: Iterable[str]) -> int:
    """Count the notes that these scores call for: all but those on the method.

    >>> count_called_for([Method("by t"), "2 topics left out"])
    1
    """
    return sum(_reading_position(note) < len(_ORDER) for note in dict.fromkeys(notes))


def with_subject(what: str, note: str) -> str:
    """Say of what a note is; its kind stays.

    >>> isinstance(with_subject("AP", Act("drop it")), Act), with_subject("AP", "drop it")
    (True, 'AP: drop it')
    """
    return reworded(note, f"{what}: {note}")


def reworded(note: str, text: str) -> str:
    """Return a note or a finding in other words; its kind stays."""
    return Beside(text, note.table) if isinstance(note, Beside) else type(note)(text)


_ORDER = (Act, str)


def _reading_position(note: str) -> int:
    """Return where a note stands: those of no kind after those to act on, those on the method last."""
    kind = type(note)
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
