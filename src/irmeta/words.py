"""Words of messages, notes and findings: names in lists, plurals, and options as who reads them writes them."""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from textwrap import fill
from unicodedata import east_asian_width

NAMED = 5
"""How many names a list shows before it says only how many more there are."""
BLANKS = " \t\n\v\f\r"
"""What stands between the fields of files and around their numbers; other blanks of Unicode are part of a text."""
_LONGEST = 120
"""Characters of a name in a list."""


# C0 and C1 control characters, halves of pairs, separators of lines, marks that turn the direction of text, and
# characters that nobody sees, but for the joiners that some scripts are written with
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
_MARKUP = re.compile(r"[\\`*\[<|]|(?<!\w)_|_(?!\w)|&(?=[#\w]+;)")
"""What Markdown does not print as it is; an underscore inside of a word it does."""
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "Δ": r"$\Delta$",
    "≤": r"$\leq$",
    "<": "$<$",
    ">": "$>$",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}
_MINUS = re.compile(r"(?<![\w.)/-])-(?=[.\d])")
"""The hyphen before a figure below 0."""
_WORD = re.compile(r"\S{301,}")
"""A word that is too long for a message: 300 characters show which name or path it is."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object is in memory, which tells nobody anything."""
_LEADING_ZERO = re.compile(r"\b0(?=\.)")
_HALF = 5e-11
"""Half of the tenth decimal."""
_MESSAGE = 10_000
"""Characters of a message."""


def listed(names: Iterable[object], most: int = NAMED) -> str:
    """List the first names, and say how many more there are; a single one more is listed, too.

    >>> listed("abc"), listed("abcdef"), listed("abcdefg")
    ('a, b, c', 'a, b, c, d, e, f', 'a, b, c, d, e and 2 more')
    """
    every = list(names)
    more = len(every) - most
    if more <= 1:
        return ", ".join(shortened(str(name), _LONGEST) for name in every)
    first = listed(every[:most], most)
    return f"{first} and {more} more"


def joined(names: Sequence[str], word: str = "and") -> str:
    """Write names as a sentence lists them, with a word before the last.

    >>> joined(["a"]), joined(["a", "b"]), joined("abc", "or")
    ('a', 'a and b', 'a, b or c')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


_WHOLE = re.compile(
    r"`[^`]*`"  # a command or a name in backquotes
    r"|(?<!\w)'[^'\s]*(?: [^'\s]+)*'(?!\w)"  # a name in quotes
    # a command with options: of a few words, so that time is in proportion to the text
    r"|\birmeta [a-z]+(?: [^\s,;:()]+){0,9}? (?:-[\w-]+ ?){1,9}[^\s,;:()]*"
    r"|\birmeta [a-z]+"
    r"|(?<![\w-])--[\w-]+ [A-Z.]+\b"  # an option with what stands for its value
    r"|^irmeta: [^:;,]+\.\w+(?=:)"  # the path of a file ahead of what is wrong with it
)
"""What no line is cut within."""
_HELD = "\ufdd0"
"""Stands for a space that a line is not to be cut at; printable text has none."""
_BESIDE = "\ufdd1"
"""Stands for the second column of a wide character; printable text has none."""


def folded(text: str, width: int = 80) -> str:
    """Fold the lines of a text between words, but not within a path or a command; later rows are set in by two.

    >>> print(folded("the file is old; write it again with `irmeta evaluate`", 48))
    the file is old; write it again with
      `irmeta evaluate`
    """
    held = (
        _WHOLE.sub(lambda found: found[0].replace(" ", _HELD), _wide(line))
        for line in text.splitlines()
    )
    rows = (
        fill(
            line,
            width,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in held
    )
    return "\n".join(rows).replace(_HELD, " ").replace(_BESIDE, "")


def _wide(text: str) -> str:
    """Let a character that takes two columns of a terminal, as of Chinese, count as two."""
    if text.isascii():
        return text
    return "".join(
        char + _BESIDE if east_asian_width(char) in "WF" else char for char in text
    )


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the singular where it is 1.

    >>> counted(1, "system"), counted(1200, "topic")
    ('1 system', '1200 topics')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def capitalized(text: str) -> str:
    """Begin a sentence with a capital, and leave all other letters, as those of a metric, as they are."""
    return text[0].upper() + text[1:]


def are(number: int) -> str:
    """Return the verb of a number of things.

    >>> are(1), are(0)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def decimal(value: float, digits: int = 3, sign: str = "") -> str:
    """Write a number with this number of decimals, as papers print scores: between -1 and 1 without a zero first.

    No decimal is a half that rounding errors decide. A mean such as 267/40 = .6675 is summed to a bit more or less by
    the order of its scores: up to ten decimals means are the same, and a half goes away from 0, as on paper. Zeros
    alone have no minus.
    sign : of `format`: + for a sign in any case, and as many decimals, up to 6, as show on which side of 0 it is.

    >>> decimal(0.6675 - 1e-16), decimal(-0.0125, sign="+"), decimal(-0.0002, sign="+"), decimal(-1e-9)
    ('.668', '-.013', '-.0002', '.000')
    """
    if sign:
        digits = digits_beside_zero(digits, value)
    text = f"{value + math.copysign(_HALF, value):{sign}z.{digits}f}"
    return _LEADING_ZERO.sub("", text)


def decimal_interval(low: float, high: float, digits: int = 3, sign: str = "") -> str:
    """Write an interval; of differences, with a sign, with as many decimals, up to 6, as show where 0 is.

    >>> decimal_interval(0.5861, 0.8492), decimal_interval(-0.0004, 0.0213, sign="+")
    ('.586 to .849', '-.0004 to +.0213')
    """
    if sign:
        digits = digits_beside_zero(digits, low, high)
    return f"{decimal(low, digits, sign)} to {decimal(high, digits, sign)}"


def decimal_with_interval(
    value: float, low: float, high: float, digits: int = 3, sign: str = ""
) -> str:
    """Write a figure and its interval, in as many decimals.

    >>> decimal_with_interval(0.63, 0.5861, 0.8492), decimal_with_interval(0.0003, 0.0002, 0.0004, sign="+")
    ('.630 (.586 to .849)', '+.0003 (+.0002 to +.0004)')
    """
    if sign:
        digits = digits_beside_zero(digits, value, low, high)
    ends = decimal_interval(low, high, digits, sign)
    return f"{decimal(value, digits, sign)} ({ends})"


def digits_beside_zero(least: int, *values: float) -> int:
    """Return how many decimals, up to 6, show on which side of 0 each value is."""
    digits = least
    while digits < 6 and any(
        1e-6 <= abs(value) < 0.5 * 10**-digits for value in values
    ):
        digits += 1
    return digits


def printable(text: str, kept: str = "") -> str:
    r"""Show characters that nobody sees as escapes: a name from a file must not steer a terminal or break a line.

    kept : characters to leave as they are.

    >>> printable("bm25\x1b[2J"), printable("a\nb\x07", "\n")
    ('bm25\\x1b[2J', 'a\nb\\x07')
    """
    return _UNSEEN.sub(
        lambda found: (
            found[0] if found[0] in kept else found[0].encode("unicode_escape").decode()
        ),
        text,
    )


def markdown(text: str) -> str:
    r"""Return text that Markdown prints as it is: no link, no element, no end of a cell.

    >>> print(markdown("<b>[a](b)|*c*"))
    \<b>\[a](b)\|\*c\*
    """
    return _MARKUP.sub(r"\\\g<0>", printable(text))


def latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is, also at the begin of a row, where [ and * are arguments of \\.

    >>> print(latex("[opt]_1"), latex("*star"), latex("ΔRI"), latex("< .0001"))
    {}[opt]\_1 {}*star $\Delta$RI $<$ .0001
    """
    printed = "".join(_LATEX.get(char, char) for char in printable(text))
    if printed.startswith(("[", "*")):
        return f"{{}}{printed}"
    return printed


def latex_figure(text: str) -> str:
    r"""Return figures as LaTeX prints them, those below 0 with a minus.

    >>> print(latex_figure("-.210 to -.067"), latex_figure("≤ .001"), latex_figure("-"))
    $-$.210 to $-$.067 $\leq$ .001 -
    """
    return _MINUS.sub("$-$", latex(text))


def message(text: str) -> str:
    r"""Return a message that people can read, whatever names it holds: printable, no word too long, nor the whole.

    >>> len(message("x" * 40_000)), message("a\x07 b")
    (300, 'a\\x07 b')
    """
    words = _WORD.sub(lambda found: shortened(found[0], 300), printable(text, "\n"))
    return shortened(words, _MESSAGE, "\n")


def shortened(name: str, most: int = 60, kept: str = "") -> str:
    """Cut a name that a message is to hold, on one line unless line feeds are kept.

    >>> shortened("x" * 100, 5)
    'xxxx…'
    """
    text = printable(name[: most + 1], kept)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shown(value: object) -> str:
    """Show a value that was given for another: as Python writes it on one line, cut; else its type.

    >>> shown(b"x" * 100)[:9], shown(None), shown(object())
    ("b'xxxxxxx", 'None', '(object)')
    """
    try:
        written = repr(value)
    except Exception:  # of other libraries, or nested without end
        written = ""
    if not written or "\n" in written or _ADDRESS.search(written):
        return f"({type(value).__name__})"
    return shortened(written)


def reason(error: BaseException, most: int = 200) -> str:
    r"""Return the first line of what an error says, cut if it quotes a file at length; else its kind.

    >>> reason(ValueError("no such column\nIn line 1: ...")), reason(KeyError("format")), reason(OSError())
    ('no such column', "it lacks 'format'", 'OSError')
    """
    if isinstance(error, KeyError) and error.args:
        return f"it lacks {shortened(repr(error.args[0]), most)}"
    lines = str(error).splitlines() or [type(error).__name__]
    return shortened(lines[0], most)


FLAGS = {
    "append",
    "each",
    "replace",
    "same_systems",
    "unpaired",
}
"""Options without a value: in Python they are True."""
READING = {
    "allow_empty",
    "allow_missing_tag",
    "dedup",
    "extra_columns",
    "qrels_format",
    "skip_header",
}
"""Options on reading files: in Python fields of a Reading."""
_MADE_BY = {
    "clusters": "with_clusters",
    "mean_over": "with_clusters",
    "repeats": "with_repeats",
    "ignore": "from_frame",
    "rows": "from_frame",
    "systems": "select",
}
"""Options of scores before a study: in Python they are arguments of a function that makes such scores."""
_ENDS = r"(?=$|[;,.:)'`]|\s(?:or|and|for|if|needs|says|shows|narrows|to|has|\()\b)"
"""What stands after the value of an option; another word after an option is no value, as in `--budget needs`."""
_VALUE = (
    r"@FILE|'[^']*'|\"[^\"]*\"|[\d.]*\d|\w+@\d+|[A-Z][A-Z.a-z]*\b"
    rf"|[\w-]+(?:,[\w-]+)*\*?{_ENDS}"
)
_OPTION = re.compile(
    rf"(?<![\w-])(?:--([a-z]+(?:-[a-z]+)*)|-([mk]))(?![\w-])(?: ({_VALUE}))?"
)
_COMMAND = re.compile(
    r"`?\birmeta ((?:(?:judges|predict|standardize|import) )?[a-z]+)"
    r"((?: (?:[A-Z]{3,}|\.\.\.|-[a-z-]+(?: (?:[A-Z]{3,}|\"[^\"]*\"))?))+)`?"
)
_QUOTED_WORD = re.compile(r"(?:\"[^\"]*\"|\S)+")
"""A word of a command; blanks in quotes are within it."""


def in_python(text: str) -> str:
    """Say in Python what a message says of the command line.

    >>> in_python("name them (--clusters stem)")
    "name them (clusters='stem' of irmeta.with_clusters)"
    >>> in_python("to keep one: --dedup first or best")
    "to keep one: reading=irmeta.Reading(dedup='first') or best"
    >>> in_python("--cluster session says so; or --teams each if all are apart")
    "cluster='session' says so; or teams='each' if all are apart"
    >>> in_python("drop topics (--missing common), or name teams with --teams FILE or --same-systems")
    "drop topics (missing='common'), or name teams with teams=FILE or same_systems=True"
    >>> in_python("the first 20 of 143 rows (all: --table means)")
    'the first 20 of 143 rows (all: .tables["means"])'
    >>> in_python("add its run: `irmeta evaluate QRELS RUN -o SCORES --append`; or lower --min-tasks")
    'add its run: irmeta.evaluate_to(SCORES, QRELS, RUN, append=True); or lower min_tasks='
    >>> in_python('score it: `irmeta evaluate QRELS RUNS -m "RBP(p=0.8, rel=1)"`')
    'score it: irmeta.evaluate(QRELS, RUNS, metrics="RBP(p=0.8, rel=1)")'
    """
    return _OPTION.sub(_argument, _COMMAND.sub(_call, text))


def for_visitors(text: str) -> str:
    """Leave out what names an option: who reads a page that others made has none to give.

    >>> for_visitors("Of 3, a is first (--min-tasks 26 ranks these alone). It leads; --holes predict narrows it.")
    'Of 3, a is first. It leads.'
    >>> for_visitors("Name the teams with --teams FILE.")
    ''
    """
    named = r"(?<![\w-])--[a-z]"
    text = re.sub(rf" \([^()]*{named}[^()]*\)", "", text)
    text = re.sub(rf"; [^;.()]*{named}[^;.()]*(?=[;.])", "", text)
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
    return " ".join(one for one in sentences if not re.search(named, one))


def _argument(found: re.Match[str]) -> str:
    """Return an option as an argument of a call."""
    option, value = found[1] or found[2], found[3]
    name = {"m": "metrics", "seed": "rng"}.get(option, option.replace("-", "_"))
    if value == "@FILE":
        return f"{name}=[...]"
    if name == "table" and value:
        return f'.tables["{value}"]'
    if name in READING:
        accepted = f"{name}={repr(value) if value else True}"
        return f"reading=irmeta.Reading({accepted})"
    if name in FLAGS:
        return f"{name}=True" + (f" {value}" if value else "")
    if name == "ignore" and value and not value.isupper():
        value = str([one.strip(" '") for one in value.split(",")])
    elif value and re.fullmatch(r"[a-z].*|\w+@\d+", value):
        value = repr(value)
    of = f" of irmeta.{_MADE_BY[name]}" if name in _MADE_BY else ""
    return f"{name}={value or ''}{of}"


def _call(found: re.Match[str]) -> str:
    """Return a command with its arguments as a call."""
    name = found[1].replace(" ", ".")
    words = _QUOTED_WORD.findall(found[2])
    if "-o" in words:  # what a command writes, Python names first
        at = words.index("-o")
        written = words[at + 1 : at + 2]
        words = [*written, *words[:at], *words[at + 2 :]]
        name = {"evaluate": "evaluate_to"}.get(name, name)
    name = re.sub(r"^import$", "import_table", name).replace("import.", "import_")
    plain = list(takewhile(lambda word: not word.startswith("-"), words))
    options = _OPTION.sub(_argument, " ".join(words[len(plain) :]))
    arguments = ", ".join([*plain, *_QUOTED_WORD.findall(options)])
    return f"irmeta.{name}({arguments})"
