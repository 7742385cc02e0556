"""What every page of ours is made with: templates, assets, scripts and their digests, words for values."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from irmeta.errors import IrmetaError
from irmeta.report.forms import figure, flat
from irmeta.words import printable, shown

if TYPE_CHECKING:  # the command of a page is known without it
    from jinja2 import Template

MOST_ROWS = 100
"""Rows of a table on the page; the file beside it has all."""
_ADDRESS = re.compile(r"https?://|(?!//|[a-z][a-z0-9+.-]*:)", re.IGNORECASE)
"""An address of the web, or a place without a scheme."""
THEME = (
    "document.documentElement.dataset.theme = "
    'matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";'
)
"""The script that chooses the colours before anything is drawn."""


def bundle_scripts(names: Sequence[str]) -> str:
    """Return modules of the page as one script: each has what those before it export."""
    text = "\n".join(asset(f"scripts/{name}") for name in names)
    bare = re.sub(r"^import .*?;\n|^export ", "", text, flags=re.M | re.S)
    return f'"use strict";\n{bare}'


@cache
def template(name: str) -> "Template":
    """Return one of our pages to fill in: what comes into it is text, not markup, and can be printed."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("irmeta.report.page", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable_value,
    )
    for form in (sentences, setting, cell, flat):
        environment.filters[form.__name__] = form
    return environment.get_template(name)


def _printable_value(value: Any) -> Any:
    """Return what stands on a page for a value; what we wrote ourselves, marked as safe, as it is."""
    from markupsafe import Markup

    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, "\n\t")
    return value


def checked_address(address: str | None) -> str | None:
    """Return the address of another page: one beside this one, or on the web; else raise IrmetaError.

    >>> checked_address("../board/index.html")
    '../board/index.html'
    """
    if address is None or _ADDRESS.match(address):
        return address
    raise IrmetaError(
        f"--beside {shown(address)}: name a page by its place beside this one, as ../board/index.html, or by https://"
    )


def script_hashes(*scripts: str) -> str:
    """Return the digests by which a page's policy allows these scripts, and no others."""
    digests = [
        b64encode(sha256(script.encode()).digest()).decode() for script in scripts
    ]
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def sentences(findings: Sequence[str]) -> list[str]:
    """Cut findings into sentences.

    >>> sentences(["AP leads (.63). 2 of 3 do not.", "RR says it all."])
    ['AP leads (.63).', '2 of 3 do not.', 'RR says it all.']
    """
    return [
        part
        for line in findings
        for part in re.split(r"(?<=[.!?])\s+(?=[A-Z]|\d+ )", line)
    ]


def setting(value: Any) -> str:
    """Write an option's value as people read it.

    >>> setting(["raw", "normal"]), setting(None), setting(True)
    ('raw, normal', 'none', 'yes')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        settings = (f"{name}: {setting(part)}" for name, part in value.items())
        return ", ".join(settings) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(setting, value)) or "none"
    return str(value)


def cell(value: Any) -> str:
    """Write a value of a table as a page shows it.

    >>> cell(0.12345), cell(-0.5), cell(3), cell(None), cell(0.000012)
    ('.123', '−.500', '3', '–', '.00001')
    """
    if value is None or value != value:
        return "\N{EN DASH}"
    if not isinstance(value, float):
        return str(value)
    text = figure(value)
    return text.replace("-", "\N{MINUS SIGN}", 1) if value < 0 else text


def json_script(content: Any) -> str:
    """Write JSON that may stand inside a script element."""
    text = json.dumps(_jsonable(content), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _jsonable(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite are null, texts can be printed."""
    if isinstance(value, Mapping):
        return {_jsonable(name): _jsonable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_jsonable, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return printable(value, "\n\t")
    return value


@cache
def asset(name: str) -> str:
    """Return the text of a style sheet or a script of the pages."""
    return (files("irmeta.report.page") / "assets" / name).read_text(encoding="utf-8")
