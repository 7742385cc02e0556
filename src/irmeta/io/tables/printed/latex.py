r"""Tables of LaTeX: tabular and its kin, with booktabs and cells that span; macros of a paper are not expanded."""

import re
from collections.abc import Iterator

from irmeta.io.tables.printed.grid import Cell, Grid, spread

_SPECS = {
    "tabular": 1,
    "tabular*": 2,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "array": 1,
    "tblr": 1,
    "NiceTabular": 1,
}
"""How many arguments the environments of tables have: width and columns."""
_TABLE = re.compile(rf"\\(begin|end)\s*\{{({'|'.join(map(re.escape, _SPECS))})\}}")
_FLOAT = re.compile(r"\\begin\s*\{table\*?\}.*?\\end\s*\{table\*?\}", re.DOTALL)
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_HIDDEN = re.compile(r"\\begin\s*\{comment\}.*?\\end\s*\{comment\}", re.DOTALL)
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s*|\\(.)", re.DOTALL)
_OPTION = re.compile(r"\s*\[[^\[\]]*\]")
_TRIM = re.compile(r"\s*\([lr]*\)")
_ACROSS = re.compile(r"\\multicolumn\s*\{\s*(\d+)\s*\}")
_DOWN = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{\s*(\d+)\s*\}")
_HEAD_ENDS = re.compile(r"\\(midrule|endhead|endfirsthead)\b")

_SYMBOLS = {
    "pm": "±",
    "dag": "†",
    "dagger": "†",
    "ddag": "‡",
    "ddagger": "‡",
    "ast": "*",
    "star": "*",
    "textpm": "±",
    "textdagger": "†",
    "textdaggerdbl": "‡",
    "textasteriskcentered": "*",
    "S": "§",
    "P": "¶",
    "uparrow": "↑",
    "downarrow": "↓",
    "textuparrow": "↑",
    "textdownarrow": "↓",
    "blacktriangle": "▲",
    "triangle": "△",
    "blacktriangledown": "▼",
    "triangledown": "▽",
    "bullet": "•",
    "circ": "◦",
    "textbackslash": "\\",
    "textunderscore": "_",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "lambda": "λ",
    "mu": "μ",
    "rightarrow": "→",
    "to": "→",
    "times": "×",
}
_UNPRINTED = {"{": "", "}": "", "$": "", "~": " ", "&": " "}
_HIDDEN_ARGUMENTS = {
    "multicolumn": 2,
    "multirow": 2,
    "textcolor": 1,
    "color": 1,
    "colorbox": 1,
    "cellcolor": 1,
    "rowcolor": 1,
    "rowcolors": 3,
    "arrayrulecolor": 1,
    "cmidrule": 1,
    "cline": 1,
    "specialrule": 3,
    "noalign": 1,
    "hspace": 1,
    "vspace": 1,
    "rule": 2,
    "phantom": 1,
    "hphantom": 1,
    "vphantom": 1,
    "raisebox": 1,
    "rotatebox": 1,
    "resizebox": 2,
    "scalebox": 1,
    "fontsize": 2,
    "label": 1,
    "caption": 1,
    "footnote": 1,
    "tnote": 1,
    "tablefootnote": 1,
    "cite": 1,
    "citep": 1,
    "citet": 1,
    "citealp": 1,
    "citeyear": 1,
    "ref": 1,
    "parbox": 1,
    "end": 1,
}
"""How many arguments of a command, the first ones, are no text of the table; other commands have only such as are."""


def grids(text: str) -> list[Grid]:
    """Return the tables of a document, in order; those within a cell of another are its text."""
    blank = _COMMENT.sub(r"\1", _HIDDEN.sub(_newlines, text))
    floats = [(one.span(), one.group()) for one in _FLOAT.finditer(blank)]
    made = []
    for start, body in _outermost(blank):
        around = next((inside for (a, b), inside in floats if a <= start < b), "")
        label = _LABEL.search(around or body)
        first = blank.count("\n", 0, start) + 1
        made.append(_grid(body, first, label[1].strip() if label else ""))
    return made


def _newlines(hidden: re.Match[str]) -> str:
    return "\n" * hidden.group().count("\n")


def _grid(body: str, first: int, label: str) -> Grid:
    """Return a table; body : what stands in it, which begins on line `first` of the document."""
    rows, lines, head = list[list[Cell]](), list[int](), 0
    for at, cells in _rows(body):
        if not head and rows and _HEAD_ENDS.search(cells[0]):
            head = len(rows)
        row = [_cell(cell) for cell in cells]
        if any(cell.text for cell in row):
            rows.append(row)
            lines.append(first + body.count("\n", 0, at))
    return Grid(spread(rows, shifted=False), lines, head, label)


def _cell(tex: str) -> Cell:
    """Return a cell with its text, and how many columns and rows it spans."""
    across, down = (found.search(tex) for found in (_ACROSS, _DOWN))
    return Cell(
        plain(tex), int(across[1]) if across else 1, int(down[1]) if down else 1
    )


def _outermost(text: str) -> Iterator[tuple[int, str]]:
    """Yield where the tables that lie in no other begin, and what stands between their columns and their end."""
    depth, start, name = 0, 0, ""
    for token in _TABLE.finditer(text):
        if token[1] == "begin":
            if not depth:
                start, name = token.end(), token[2]
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                inner = _skip_arguments(text, start, _SPECS[name])
                yield inner, text[inner : token.start()]


def _rows(body: str) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the rows, at \\, and the place where each ends; cells at &, both outside of braces."""
    # from the beginning of a table in a cell to its end
    inside = {begin: begin + len(inner) for begin, inner in _outermost(body) if inner}
    cells, depth, start, at = list[str](), 0, 0, 0
    while at < len(body):
        if at in inside:
            at = inside[at]
            continue
        char = body[at]
        if body.startswith(("\\\\", "\\tabularnewline"), at) and not depth:
            yield at, [*cells, body[start:at]]
            at += 2 if body.startswith("\\\\", at) else len("\\tabularnewline")
            at += body.startswith("*", at)
            if option := _OPTION.match(body, at):
                at = option.end()
            cells, start = [], at
            continue
        if char == "\\":
            at += 2
            continue
        depth += (char == "{") - (char == "}")
        if char == "&" and not depth:
            cells.append(body[start:at])
            start = at + 1
        at += 1
    yield len(body.rstrip()), [*cells, body[start:]]


def plain(tex: str) -> str:
    r"""Return the text of LaTeX: commands gone, superscripts as ^{}, subscripts as _{}.

    >>> plain(r"\textbf{.43}$^{\dagger}$"), plain(r"\underline{43.2\,\%} {\scriptsize $\pm$ .5}")
    ('.43^{†}', '43.2% ± .5')
    """
    made, at = list[str](), 0
    while at < len(tex):
        char = tex[at]
        if char == "\\" and (command := _COMMAND.match(tex, at)):
            said, at = _text_of_command(tex, command)
            made.append(said)
        elif char in "^_":
            end = _skip_arguments(tex, at + 1, 1)
            made.append(f"{char}{{{plain(tex[at + 1 : end])}}}")
            at = end
        else:
            made.append(_UNPRINTED.get(char, char))
            at += 1
    return " ".join("".join(made).replace("---", "—").replace("--", "–").split())


def _text_of_command(tex: str, command: re.Match[str]) -> tuple[str, int]:
    """Return the text of a command, and where to go on: at its first argument that is text."""
    name, other = command.groups()
    at = command.end()
    # \& \% \_ \# \$ \{ are these characters, \, \; \! \\ are space
    if other is not None:
        if other in ",;!:/" or other.isspace():
            return "", at
        return (" " if other == "\\" else other), at
    if name in _SYMBOLS:
        return _SYMBOLS[name], at
    if name in ("textsuperscript", "textsubscript"):
        end = _skip_arguments(tex, at, 1)
        mark = "^" if name == "textsuperscript" else "_"
        return f"{mark}{{{plain(tex[at:end])}}}", end
    if name == "cmidrule" and (trim := _TRIM.match(tex, at)):
        at = trim.end()
    if name == "begin":
        end = _skip_arguments(tex, at, 1)
        return "", _skip_arguments(tex, end, _SPECS.get(tex[at:end].strip("{} "), 0))
    return "", _skip_options(
        tex, _skip_arguments(tex, at, _HIDDEN_ARGUMENTS.get(name, 0))
    )


def _skip_arguments(tex: str, at: int, arguments: int) -> int:
    """Return the place behind this many arguments, and behind what stands in brackets before them."""
    for _ in range(arguments):
        at = _skip_options(tex, at)
        at = _end_of_argument(tex, at)
    return at


def _skip_options(tex: str, at: int) -> int:
    while option := _OPTION.match(tex, at):
        at = option.end()
    return at


def _end_of_argument(tex: str, at: int) -> int:
    """Return the place behind one argument: what stands in braces, a command, or one character."""
    while at < len(tex) and tex[at].isspace():
        at += 1
    if command := _COMMAND.match(tex, at):
        return command.end()
    if not tex.startswith("{", at):
        return at + 1
    depth = 0
    for end in range(at, len(tex)):
        if tex[end] in "{}" and tex[end - 1] != "\\":
            depth += 1 if tex[end] == "{" else -1
            if not depth:
                return end + 1
    return len(tex)
