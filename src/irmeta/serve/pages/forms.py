"""How figures, times, tables and data are written."""

import csv
import hashlib
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import jinja2
import msgspec
from markupsafe import Markup, escape

from irmeta.serve.catalogue.events import event_in_words, person_name
from irmeta.serve.catalogue.rules import clock
from irmeta.serve.policy import Phase, is_open, phase
from irmeta.serve.site import Site
from irmeta.words import counted, decimal, decimal_interval, decimal_with_interval

FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula: in East Asia also signs as wide as letters."""
ALIKE = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE")
"""Alphabets that have letters of one shape."""
ESCAPED = ("html.j2", "svg.j2", "macros.j2")
"""Templates whose texts are escaped."""
NUMBER = re.compile(r"[+-][\d.]+")
"""What begins so, and is none."""
TEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "#$%&_"}
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}"}
)
"""What TeX reads as more than a letter; BibTeX counts braces, also where a backslash stands before them."""


def template(name: str) -> jinja2.Template:
    """Return the template in the file `name`.j2 of the pages."""
    return _environment().get_template(f"{name}.j2")


@cache
def _environment() -> jinja2.Environment:
    """Return where templates are found and how they are filled in: a name that is not given is an error."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("irmeta.serve", "pages"),
        autoescape=lambda name: str(name).endswith(ESCAPED),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    numbers = (counted, interval, with_interval)
    texts = (as_tex, as_yaml, breakable, event_in_words, mixed_alphabets, person_name)
    forms = (*numbers, *texts, slug)
    environment.filters |= {form.__name__: form for form in forms}
    environment.filters |= {
        "f3": figure,
        "signed": partial(figure, sign="+"),
        "time": clock,
    }
    environment.tests["open"] = is_open
    return environment


def root_of(site: Site) -> str:
    """Return the path of the site on its server, for pages that are no files."""
    return f"{urlsplit(site.settings.address).path.rstrip('/')}/"


def state_in_words(board: Any, now: int) -> str:
    """Say whether a board takes runs, and when its scores are shown."""
    now_phase = phase(board, now)
    if now_phase is Phase.FROZEN:
        return "The board is frozen: nothing changes any more"
    if now_phase is Phase.DRAFT:
        return "The board is a draft, which organizers alone see"
    over = board.closes is not None and board.closes <= now
    runs = "Runs are taken"
    if over and board.late == "mark":
        runs += f", and marked as late since {clock(board.closes)} UTC"
    elif over:
        runs = f"No more runs are taken since {clock(board.closes)} UTC"
    elif board.closes is not None:
        runs += f" until {clock(board.closes)} UTC"
    if now_phase is Phase.REVEALED:
        return f"{runs}; scores are shown since {clock(board.reveals)} UTC"
    when = "later" if board.reveals is None else f"on {clock(board.reveals)} UTC"
    return f"{runs}; the judgments are hidden, and scores come {when}"


def figure(value: float, sign: str = "") -> str:
    """Write a figure or, with the sign +, a difference with three decimals; a dash where there is none.

    >>> figure(0.5412), figure(0.5, "+"), figure(float("nan"))
    ('.541', '+.500', '–')
    """
    return "–" if math.isnan(value) else decimal(value, sign=sign)


def interval(ends: Sequence[float], sign: str = "") -> str:
    """Write the interval of a mean or, with the sign +, of a difference, which come first; nothing where there is none.

    >>> interval((0.5, 0.4, 0.6)), interval((0.5, float("nan"), float("nan")))
    ('.400 to .600', '')
    """
    low, high = ends[1:3]
    return "" if math.isnan(low) else decimal_interval(low, high, sign=sign)


def with_interval(mean: Sequence[float], sign: str = "") -> str:
    """Write a mean or, with the sign +, a difference, and its interval where there is one.

    >>> with_interval((0.5, 0.4, 0.6), "+")
    '+.500 (+.400 to +.600)'
    """
    value, low, high = mean[:3]
    if math.isnan(low):
        return figure(value, sign)
    return decimal_with_interval(value, low, high, sign=sign)


def axis_of(means: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the ends of an axis that holds all means and intervals, rounded outward to tenths; 0 to 1 for none.

    >>> axis_of([(0.52, 0.41, 0.63), (0.38, float("nan"), float("nan"))]), axis_of([])
    ((0.3, 0.7), (0.0, 1.0))
    """
    ends = [end for mean in means for end in mean if not math.isnan(end)] or [0, 1]
    low, high = math.floor(10 * min(ends)), math.ceil(10 * max(ends))
    return low / 10, max(high, low + 1) / 10


def as_tex(text: str) -> str:
    r"""Write a text of people for BibTeX, on one line.

    >>> as_tex("R_1 {x}")
    'R\\_1 \\textbraceleft{}x\\textbraceright{}'
    """
    return " ".join(text.split()).translate(TEX)


def as_yaml(text: str) -> str:
    r"""Write a text for YAML, on one line between quotes.

    >>> print(as_yaml('a: "b"\n- c'))
    "a: \"b\"\n- c"
    """
    quoted = msgspec.json.encode(text).decode()
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def breakable(name: str) -> Markup:
    """Return a name that may break where its parts meet.

    >>> breakable("a_b<c>")
    Markup('a_<wbr>b&lt;c&gt;')
    """
    return escape(name).replace("_", Markup("_<wbr>"))


def mixed_alphabets(name: str) -> str:
    """Return of which alphabets a name has letters that look like others', if of several; else nothing.

    >>> mixed_alphabets("L\u03c5nd"), mixed_alphabets("Lund 2")
    ('letters of GREEK and LATIN', '')
    """
    alphabets = {unicodedata.name(letter, "").partition(" ")[0] for letter in name}
    mixed = sorted(alphabets.intersection(ALIKE))
    return f"letters of {' and '.join(mixed)}" if len(mixed) > 1 else ""


def slug(team: str) -> str:
    """Return what stands for a team in a path: no text of a person becomes one."""
    return hashlib.sha256(team.encode()).hexdigest()[:16]


def as_json(content: Any) -> bytes:
    """Write data for programs; what is not a number is null."""
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def as_script(name: str, content: Any) -> bytes:
    """Write data that a script of a page reads, also from a disk: a call of a function."""
    return f"{name}({msgspec.json.encode(content).decode()});\n".encode()


def as_csv(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Write a table; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell, row) for row in rows)
    return text.getvalue().encode()


def cell(value: Any) -> Any:
    """Return a cell of a table for spreadsheets.

    >>> cell("=1"), cell(float("nan")), cell("-0.5")
    ("'=1", None, '-0.5')
    """
    if isinstance(value, float) and math.isnan(value):
        return None
    text = isinstance(value, str) and not NUMBER.fullmatch(value)
    return f"'{value}" if text and value.startswith(FORMULA) else value
