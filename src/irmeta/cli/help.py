"""What `--help` shows: a command's own options, each in a sentence; `--help-all` shows all that there is to know."""

import re
from contextvars import ContextVar
from textwrap import fill
from typing import TYPE_CHECKING, Any

from cyclopts.help import DefaultFormatter
from rich.text import Text

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

SCORES = "Scores to use"
RESULT = "Result"
FILES = "Reading files"
FOLDED = {SCORES, RESULT, FILES, "Columns of a table", "Results of MTEB"}
"""The panels of options that commands share, or that one kind of file has: only their names are listed."""
ALL = "--help-all"
WHOLE: ContextVar[bool] = ContextVar("WHOLE", default=False)
"""Whether help shows the options that commands share, and what each choice means."""
LONG = 75
"""Characters from which a help is cut after its first sentence."""
QUESTIONS = {
    "start": "Start here",
    "systems": "Systems: which ranks are real",
    "metrics": "Metrics: which to report, what they predict",
    "judgments": "Judgments: whose can be trusted",
    "collections": "Collections: are they big enough, do scores compare",
    "scores": "Scores: check them, change their form, find others",
    "boards": "Boards: take runs from people, show where they stand",
}
"""The groups of `irmeta --help`."""
NAMED_IN_USAGE = {"--help", "--version", "--completion"}
ROOM = 64
"""Characters of what a command does that `irmeta --help` has room for."""
_CLAUSES = re.compile(r"[.,;:?](?= |$)")
_ENDS = re.compile(r"[.;:] ")


class Brief(DefaultFormatter):
    """Draws the panels of a help; of options that commands share only the names, unless all is asked for."""

    def __call__(
        self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel"
    ) -> None:
        """Draw one panel; arguments are called as in the usage."""
        entries = [
            entry.copy(positional_label=entry.metavar or entry.positional_label)
            if entry.positional_label
            else entry
            for entry in panel.entries
        ]
        panel = panel.copy(entries=entries)
        if panel.title in QUESTIONS.values() and not WHOLE.get():
            lines = [str(panel.title), *map(_command_line, entries)]
            console.print("\n".join(lines), highlight=False, markup=False)
        elif all({*one.names} & NAMED_IN_USAGE for one in entries):
            return
        elif WHOLE.get() or panel.format == "command":
            super().__call__(console, options, panel)
        elif panel.title in FOLDED:
            names = " ".join([*entry.shorts, *entry.names][0] for entry in entries)
            text = fill(
                f"{panel.title} ({ALL}): {names}",
                console.width,
                subsequent_indent="  ",
                break_on_hyphens=False,
            )
            console.print(text, highlight=False, markup=False)
        else:
            entries = [_shortened(entry) for entry in entries]
            super().__call__(console, options, panel.copy(entries=entries))

    def render_description(
        self, console: "Console", options: "ConsoleOptions", description: Any
    ) -> None:
        """Print what the command does: the first paragraph, and a second one that is short."""
        if not WHOLE.get():
            first, *more = str(description.primary_renderable).split("\n\n")
            kept = [first, *(text for text in more[:1] if len(text) < 3 * LONG)]
            description.primary_renderable = Text("\n\n".join(kept))
        super().render_description(console, options, description)


def _command_line(entry: "HelpEntry") -> str:
    """Return a command with what it does: as many clauses of its sentence as one line holds."""
    text = str(entry.description.primary_renderable)
    ends = [end.start() for end in _CLAUSES.finditer(text) if end.start() <= ROOM]
    mark = "?" if text.endswith("?") else ""
    return f"  {entry.names[0]:<12}  {text[: max(ends, default=ROOM)]}{mark}"


def _shortened(entry: "HelpEntry") -> "HelpEntry":
    """Return an option or argument with its question alone, under its shortest name."""
    text = entry.description
    text.primary_renderable = Text(brief(str(text.primary_renderable)))
    # the usage says what is required
    return entry.copy(
        positive_names=() if entry.positive_shorts else entry.positive_names[:1],
        required=entry.required and not entry.positional_label,
        choices=None,
    )


def brief(text: str) -> str:
    r"""Return the question of an option and the names of its choices; of a long question the first sentence.

    >>> brief("Which tau?\n\na: Kendall's tau-a\nb: Kendall's tau-b")
    'Which tau? a, b.'
    """
    question, _, choices = text.partition("\n\n")
    if len(question) > LONG and (end := _ENDS.search(question)):
        question = f"{question[: end.start()]}."
    names = [line.partition(": ")[0] for line in choices.splitlines()]
    return f"{question} {', '.join(names)}." if names else question
