"""Lists of the docs that are made from the registry: studies, their pages, sections of the report, public names.

Those that a page holds are written by: python scripts/lists.py docs/studies/index.md
"""

import re
import sys
from inspect import getdoc
from operator import attrgetter
from pathlib import Path
from typing import Any

import irmeta
from irmeta.cli import commands as verbs
from irmeta.report.page.sections import SECTIONS, module_of
from irmeta.studies import STUDIES, summary_of

HEADINGS = {
    "systems": "Systems",
    "metrics": "Metrics",
    "judgments": "Judgments",
    "collections": "Collections",
    "scores": "Scores",
}


def filled(markdown: str, *, only_kept: bool = False) -> str:
    """Replace each mark, as `<!-- options -->`, by its list; a short list stands between two marks.

    only_kept : whether marks are left alone whose list the file does not hold.
    """
    lists = {
        "studies": studies,
        "sections": sections,
        "commands": commands,
        "options": options,
        "tables": tables,
        "workers": workers,
        "public names": public_names,
    }
    for mark, made in lists.items():
        begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
        head, found, rest = markdown.partition(begin)
        if not found:
            continue
        old, kept, tail = rest.partition(end)
        if kept:
            markdown = f"{head}{begin}\n\n{made()}\n\n{end}{tail}"
        elif not only_kept:
            markdown = f"{head}{made()}{old}"
    return markdown


def pages() -> list[str]:
    """Return the pages that explain studies, each once, in the order of the registry."""
    return list(dict.fromkeys(study.docs for study in STUDIES.values() if study.docs))


def studies() -> str:
    """Return a table of the questions, each with its command and its page."""
    rows = [
        f"| {study.question} | `irmeta {study.verb}` | [{Path(study.docs).stem}](../{study.docs}.md) |"
        for study in STUDIES.values()
        if study.docs and study.verb
    ]
    return "\n".join(["| you ask | command | page |", "|---|---|---|", *rows])


def sections() -> str:
    """Return a table of the sections of the report, each with its question and its command."""
    rows = []
    for name in SECTIONS:
        text = module_of(name).TEXT
        verb = STUDIES[name].verb if name in STUDIES else "evaluate"
        rows.append(f"| {text.title} | {text.question} | `irmeta {verb}` |")
    rows.append(
        "| Calculator | What would a metric have been that nobody reported? | `irmeta predict apply` |"
    )
    return "\n".join(["| section | question | command |", "|---|---|---|", *rows])


OTHERS = {
    "import KIND": "import_KIND",
    "export --wide": "wide",
    "report": "write_report",
    "leaderboard -o FOLDER": "write_leaderboard",
}
"""Functions of commands that have another name."""


def commands() -> str:
    """Return a table of the commands whose function has another name."""
    rows = [f"| `irmeta {verb}` | `irmeta.{name}` |" for verb, name in OTHERS.items()]
    return "\n".join(["| command | function |", "|---|---|", *rows])


def options() -> str:
    """Return every command with its options, each in the words of its help."""
    parts = []
    for verb, command in verbs().items():
        rows = [
            f"| {_option(one)} | {_cell(one.parameter.help or '')} |"
            for one in command.assemble_argument_collection()
        ]
        parts.append(f"## irmeta {verb}\n\n| option | what it is |\n|---|---|")
        parts[-1] = "\n".join([parts[-1], *rows])
    return "\n\n".join(parts)


def _option(one: Any) -> str:
    """Return an option with what stands for its value, or an argument."""
    names = ", ".join(f"`{name}`" for name in one.names if name.startswith("-"))
    value = one.parameter.metavar
    return f"{names} {value or ''}".strip().replace("|", "\\|")


def _cell(text: str) -> str:
    """Return a help as one cell: a choice a line."""
    return (
        text.strip().replace("|", "\\|").replace("\n\n", "<br>").replace("\n", "<br>")
    )


def tables() -> str:
    """Return what each study returns, and the columns of its tables, in the words of the code."""
    parts = []
    for study in STUDIES.values():
        if not study.verb:
            continue
        module = summary_of(study)
        parts.append(f"## irmeta {study.verb}\n\n{told(getdoc(module.tables) or '')}")
        if study.function:
            function = attrgetter(study.public)(irmeta)
            parts.append(f"From Python, {_returned(getdoc(function) or '')}")
    return "\n\n".join(parts)


def told(docstring: str) -> str:
    r"""Return what a docstring says of tables: those that begin a line of their own become a list.

    >>> print(told("Return them.\n\nruns : run, mean\nand p.\ntopics : topic."))
    Return them.
    <BLANKLINE>
    - **runs**: run, mean and p.
    - **topics**: topic.
    """
    lines = [""]
    for line in docstring.splitlines():
        name, colon, rest = line.partition(" : ")
        if colon and all(one.isidentifier() for one in name.split(", ")):
            lines.append(f"- **{name}**: {rest}")
        elif line and lines[-1]:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines).strip()


def _returned(docstring: str) -> str:
    """Return what a function says that it returns, as one paragraph."""
    found = re.search(
        r"\nReturns?(.*?)(?:Sources?:|Method|Raises|\n\n|\Z)", docstring, re.DOTALL
    )
    if found is None:
        return "the same as labelled arrays."
    return re.sub(r"\s+", " ", found[1]).strip()


def workers() -> str:
    """Return the commands that take --workers, in the order of the alphabet."""
    found = [
        f"`{verb}`"
        for verb, command in sorted(verbs().items())
        if any(
            "--workers" in one.names for one in command.assemble_argument_collection()
        )
    ]
    return ", ".join(found) + "."


def public_names() -> str:
    """Return the public functions, those of studies by what they are about, then all others."""
    left = dict(irmeta._PUBLIC)
    parts = []
    for about, heading in HEADINGS.items():
        names = [
            study.public
            for study in STUDIES.values()
            if study.function and study.about == about
        ]
        listed = "".join(f"::: {left.pop(name)}\n" for name in names)
        parts.append(f"## {heading}\n\n{listed}")
    rest = "".join(f"::: {home}\n" for home in left.values())
    return "\n".join([*parts, f"## Files, cubes and all else\n\n{rest}"])


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(filled(path.read_text(), only_kept=True))
