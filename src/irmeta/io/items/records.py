"""JSON of other programs: a document, or an object on each line, and what is not one named with its place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, read_bytes, stem
from irmeta.io.strictly import lines, number, parse_json, stripped
from irmeta.words import listed, reason, shortened

_SUFFIXES = (".txt", ".tsv", ".csv", ".jsonl", ".json", ".jl", ".eval")


def read_json(path: Location, what: str) -> Any:
    """Return what a file of JSON holds; anything else raises FileFormatError that says what was expected."""
    try:
        return parse_json(read_bytes(path))
    except ValueError as error:
        raise FileFormatError(
            f"{display(path)}: not {what} (not JSON: {reason(error)})"
        ) from error


def read_records(path: Location, what: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a file with one on each line, each with its place; an empty file raises FileFormatError."""
    empty = True
    for at, line in enumerate(lines(read_bytes(path)), 1):
        if not stripped(line):
            continue
        place = f"{display(path)}:{at}"
        try:
            record = parse_json(line)
        except ValueError as error:
            raise FileFormatError(
                f"{place}: not {what} (not a line of JSON: {reason(error)})"
            ) from error
        if not isinstance(record, dict):
            raise FileFormatError(f"{place}: not {what} (not a JSON object)")
        empty = False
        yield place, record
    if empty:
        raise FileFormatError(f"{display(path)}: the file is empty; expected {what}")


def nested(value: object, *keys: str) -> Any:
    """Return what stands under these keys, each within the last one's object; None where one of them is lacking.

    >>> nested({"config": {"description": "a test"}}, "config", "description"), nested([], "config")
    ('a test', None)
    """
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def are_objects(value: object, *keys: str) -> TypeGuard[list[dict[str, Any]]]:
    """Say whether this is a list of objects, which all have these keys."""
    return isinstance(value, list) and all(
        isinstance(item, dict) and item.keys() >= {*keys} for item in value
    )


def required_name(record: Mapping[str, Any], keys: Sequence[str], place: str) -> str:
    """Return the name under the first of these keys that a record has; none raises FileFormatError."""
    key = next((key for key in keys if key in record), None)
    if key is None:
        raise FileFormatError(
            f"{place}: it lacks {keys[0]!r}; it has {listed(map(str, record)) or 'nothing'}"
        )
    name = record[key]
    if name is None or isinstance(name, dict | list | bool):
        raise FileFormatError(
            f"{place}: {key!r} is {shortened(repr(name))}, not a name; write a text or a number"
        )
    return str(name)


def read_score(value: object, place: str) -> float:
    """Return a score, also a truth value, as 1 or 0; NaN for null. Anything else raises FileFormatError."""
    if value is None:
        return float("nan")
    try:
        return float(value) if isinstance(value, bool) else number(value)
    except (ValueError, TypeError) as error:
        raise FileFormatError(
            f"{place}: {shortened(repr(value))} is not a score"
        ) from error


def file_title(path: Location) -> str:
    """Return what a file calls what it holds: its name without suffixes."""
    name = stem(path)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def cluster_name(name: str | None, *holders: object, place: str) -> str | None:
    """Return what the first of these objects that has a field of this name holds in it; None where none is asked for.

    A field that all lack raises FileFormatError.
    """
    if name is None:
        return None
    objects = [holder for holder in holders if isinstance(holder, dict)]
    value = next((holder[name] for holder in objects if name in holder), None)
    if value is None or isinstance(value, dict | list):
        field_names = dict.fromkeys(str(key) for holder in objects for key in holder)
        raise FileFormatError(
            f"{place}: no field {name!r} that names a cluster; it has {listed(field_names) or 'no fields'}"
        )
    return str(value)
