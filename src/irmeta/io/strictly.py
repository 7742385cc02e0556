"""Numbers, lines and JSON of files, read so that a text means the same whichever reader it comes to."""

import json
import re
from typing import Any, TypeVar

import msgspec
import numpy as np

from irmeta.words import BLANKS

Value = TypeVar("Value")

_PLAIN = re.compile(
    r"[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?|inf(inity)?|nan)", re.IGNORECASE
)
"""Numbers as run files have them: no blanks, no underscores, no digits but 0 to 9."""


def number(value: object) -> float:
    """Return a number; of a text, if a run file could have it. Anything else raises ValueError or TypeError.

    >>> number("1e-3"), number(2)
    (0.001, 2.0)
    """
    odd = isinstance(value, bool | np.bool_ | np.ndarray)
    if odd or (isinstance(value, str) and not _PLAIN.fullmatch(value)):
        raise ValueError(f"{value!r} is not a number")
    try:
        return float(value)  # type: ignore[arg-type]  # other types raise
    except OverflowError as error:
        raise ValueError(f"{str(value)[:20]}... is too large a number") from error


def number_or_nan(text: str) -> float:
    """Return the number that a text is; NaN for any other text.

    >>> number_or_nan("1e-3"), number_or_nan("n/a")
    (0.001, nan)
    """
    try:
        return number(text)
    except ValueError:
        return float("nan")


def whole(text: str) -> int:
    """Return a whole number, which is written in at most 100 digits 0 to 9; anything else raises ValueError.

    >>> whole("100")
    100
    """
    if not re.fullmatch(r"[-+]?[0-9]{1,100}", text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def stripped(text: str) -> str:
    r"""Return a text without the blanks of ASCII around it; others of Unicode, and separators, are part of it.

    >>> stripped(" 0.5\t"), stripped("0.5\xa0")
    ('0.5', '0.5\xa0')
    """
    return text.strip(BLANKS)


def fields(line: str) -> list[str]:
    r"""Return what blanks of ASCII part, as C and trec_eval part it.

    >>> fields("map \t a\xa0b 0.5")
    ['map', 'a\xa0b', '0.5']
    """
    return [one for one in re.split(f"[{BLANKS}]+", line) if one]


def lines(data: bytes) -> list[str]:
    r"""Return the lines of a text: only line feeds and carriage returns end one, whatever else a name holds.

    Bytes that are not UTF-8 come back as they were.

    >>> lines("a\u2028b\r\nc\n".encode())
    ['a\u2028b', 'c']
    """
    text = (
        data.decode("utf-8-sig", "surrogateescape")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    return text.removesuffix("\n").split("\n") if text else []


def parse_json(text: str | bytes, *, finite: bool = False) -> Any:
    """Return what JSON holds; a name that an object has twice, and what is not JSON, raise ValueError.

    finite : whether NaN and Infinity, which are not JSON but often stand in it, are refused, too.

    >>> parse_json('{"a": 1}')
    {'a': 1}
    """
    constant = _refuse_constant if finite else None
    try:
        return json.loads(
            text, object_pairs_hook=_without_repeats, parse_constant=constant
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_json_lines(data: bytes) -> list[Any]:
    r"""Return what each line of JSON holds; empty lines are skipped. What is not JSON raises ValueError with its line.

    >>> parse_json_lines(b'{"a": 1}\n\n{"a": 2}\n')
    [{'a': 1}, {'a': 2}]
    """
    rows = []
    for number, line in enumerate(lines(data), 1):
        try:
            rows += [parse_json(line)] if stripped(line) else []
        except ValueError as error:
            raise ValueError(f"line {number} of the file: {error}") from error
    return rows


def require_schema(value: Any, schema: type[Value]) -> Value:
    """Return what JSON holds as a type says it, all of it; else raise ValueError that says where it does not fit.

    >>> require_schema({"a": [1, "x"]}, dict[str, list[int]])
    Traceback (most recent call last):
    ValueError: Expected `int`, got `str` - at `$[...][1]`
    """
    try:
        return msgspec.convert(value, schema)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"JSON has no number {name}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON; a name that it has twice raises ValueError."""
    object_ = dict(pairs)
    if len(object_) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"{next(name for name in names if names.count(name) > 1)!r} occurs twice"
        )
    return object_
