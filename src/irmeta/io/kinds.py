"""What a file holds, by its first bytes: so that a result does not replace somebody's runs or scores."""

import re
from pathlib import Path

from irmeta.io.files import MAGIC

BEGINNING = 4096
"""Bytes at the beginning that say the kind."""
PARQUET = "a score file or factors"
MODEL = "a prediction model"
TABLE = "a table of scores"
_COLUMNS = {"system", "topic", "metric", "score"}
_OF_PYTERRIER = {"docno", "rank", "score"}
"""What columns a table of PyTerrier's results has, among others."""
_MAPPING = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*"')
"""JSON of the form {topic: {document: score or grade}}."""
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*(?=\s*[,}])")
_RUN, _QRELS = 6, 4
"""Fields on a line of a run, and of judgments."""


def kind_of(path: Path) -> str | None:
    """Say what a file holds: scores, a table of them, a model, a run or judgments; None if nothing of these."""
    with path.open("rb") as file:
        return kind_of_bytes(file.read(BEGINNING))


def kind_of_bytes(head: bytes) -> str | None:
    """Say what a file holds that begins with these bytes."""
    if head.startswith(b"PAR1"):
        return PARQUET
    if head.startswith(tuple(MAGIC)):
        return "a compressed file"
    if b'"irmeta prediction model' in head:
        return MODEL
    if _MAPPING.match(head):
        return _kind_of_json(head)
    header = head.decode("utf-8-sig", "replace").partition("\n")[0]
    names = {name.strip('" \r').lower() for name in re.split("[,;\t]", header)}
    if _COLUMNS <= names <= _COLUMNS | {"collection", "repeat"}:
        return TABLE
    if names >= _OF_PYTERRIER:
        return "a run"
    lines = (line.split() for line in head.splitlines() if not line.startswith(b"#"))
    fields: list[bytes] = next((line for line in lines if line), [])
    if len(fields) == _RUN and all(map(_is_number, fields[3:5])):
        return "a run"
    if len(fields) == _QRELS and _is_number(fields[3]):
        return "judgments"
    return None


def _kind_of_json(beginning: bytes) -> str | None:
    """Tell a run from judgments, whose grades are whole numbers.

    >>> _kind_of_json(b'{"q1": {"d1": 12.5, "d2": 3}}'), _kind_of_json(b'{"q1": {"d1": 1}}')
    ('a run', 'judgments')
    """
    numbers = _NUMBER.findall(beginning)
    if not numbers:
        return None
    whole = all(number.lstrip(b"-").isdigit() for number in numbers)
    return "judgments" if whole else "a run"


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
