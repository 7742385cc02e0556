"""Sentences for people: the first answers of a page, and lines folded to a width."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from irmeta.errors import in_words_of_reader
from irmeta.report.forms import WIDTH
from irmeta.report.page.panel import Section
from irmeta.report.tables import render
from irmeta.scores.notes import split_answers
from irmeta.studies.result import Result
from irmeta.words import folded, joined, printable

_SCREEN = 20
"""Lines of answers that a terminal shows of a page."""


def markdown(result: Result) -> str:
    """Return the answers of a result, its first table and its notes in Markdown, as for a pull request."""
    answers, others = split_answers(result.findings)
    parts = [f"**{_escaped(answer)}**" for answer in answers]
    parts += warning_lines(result.warnings)
    parts += [render(result.data, "markdown").strip(), *map(_escaped, others)]
    parts += [f"<sub>{_escaped(note)}</sub>" for note in result.notes]
    return "".join(f"{part}\n\n" for part in parts if part)


def _escaped(text: str) -> str:
    """Return a sentence on one line whose names Markdown does not take for marks."""
    return re.sub(r"([*_`<>|\[\]])", r"\\\1", " ".join(printable(text).split()))


def headlines(sections: Sequence[Section]) -> str:
    """Return the first answer of each section of a page, as many as a screen holds, and which others the page has.

    Their warnings, and what could not be computed, with the reason once for all sections, are there in any case.
    """
    said: list[_Line] = []
    failed: dict[tuple[str, str], list[str]] = {}  # by collection and reason
    for section in sections:
        answered = [panel for panel in section.panels if not panel.is_not_computed]
        if not section.several:
            answered = answered[:1]
        if section.key != "data":
            for panel in answered:
                of = section.collection_of(panel)
                title = f"{section.title}, {of}" if of else section.title
                answer = f"{title}: {panel.findings[0]}"
                said.append(_Line(answer, section.title, may_wait=True))
        for panel in answered:
            said += [_Line(one, section.title) for one in warning_lines(panel.warnings)]
        for panel in section.panels:
            if panel.is_not_computed:
                key = panel.label, panel.findings[0]
                failed.setdefault(key, []).append(section.title)
    for (label, reason), titles in failed.items():
        said.append(_Line(f"{joined(titles)}, {label}: {reason}"))
    said = list(dict.fromkeys(said))
    room = _SCREEN - sum(one.height for one in said if not one.may_wait)
    lines, left = [], dict[str, None]()
    for one in said:
        if one.may_wait and (left or one.height > room):
            left[one.title] = None
            continue
        room -= one.height if one.may_wait else 0
        lines.append(f"{one.title}: {one.text}" if one.title in left else one.text)
    if left:
        lines.append(f"Also on the page: {joined(list(left))}.")
    return wrapped(lines, None)


class _Line(NamedTuple):
    """What a terminal says of a section of a page; may_wait : where there is no room, the page alone says it."""

    text: str
    title: str = ""
    may_wait: bool = False

    @property
    def height(self) -> int:
        return wrapped([self.text], None).count("\n")


def warning_lines(warnings: Sequence[str]) -> list[str]:
    """Return warnings as the terminal says them."""
    return [f"Warning: {warning}" for warning in warnings]


def wrapped(lines: Sequence[str], width: int | None) -> str:
    """Fold lines between words, but not within a command, to the width, later rows of a line set in by two."""
    spoken = map(in_words_of_reader, lines)
    within = (folded(printable(line, "\n\t"), width or WIDTH) for line in spoken)
    return "".join(f"{line}\n" for line in within)
