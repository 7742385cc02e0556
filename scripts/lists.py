"""Lists of the docs that are made from the registry: studies, their pages, sections of the report, public names."""

import irmeta
from irmeta.report.page.sections import SECTIONS, module_of
from irmeta.studies import STUDIES

HEADINGS = {
    "systems": "Systems",
    "metrics": "Metrics",
    "judgments": "Judgments",
    "collections": "Collections",
    "scores": "Scores",
}


def filled(markdown: str) -> str:
    """Replace each mark, as `<!-- studies -->`, by its list."""
    lists = {
        "studies": studies,
        "sections": sections,
        "commands": commands,
        "public names": public_names,
    }
    for mark, made in lists.items():
        if f"<!-- {mark} -->" in markdown:
            markdown = markdown.replace(f"<!-- {mark} -->", made())
    return markdown


def pages() -> list[str]:
    """Return the pages of studies, each once, in the order of the registry."""
    return list(dict.fromkeys(study.docs for study in STUDIES.values() if study.docs))


def studies() -> str:
    """Return a table of the questions, each with its command and its page."""
    rows = [
        f"| {study.question} | `irmeta {study.verb}` | [{study.docs}]({study.docs}.md) |"
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
