"""The digest that is published before judgments are."""

from hashlib import sha256
from pathlib import Path

import pytest

import irmeta
from irmeta.errors import ScoresError

SALT = bytes(range(32))
LINES = "10 0 b 1\n2 0 b 0\n2 0 ä 2\n"


def test_anybody_can_check_it(tmp_path: Path) -> None:
    """The digest is that of the salt and the sorted lines, whatever the file's order or form."""
    by_hand = sha256(SALT + "10\tb\t1\n2\tb\t0\n2\tä\t2\n".encode()).hexdigest()
    path = tmp_path / "qrels.txt"
    for text in (LINES, "".join(reversed(LINES.splitlines(keepends=True)))):
        path.write_text(text, encoding="utf-8")
        assert irmeta.commitment(path, SALT) == by_hand
    given = {"2": {"ä": 2, "b": 0}, "10": {"b": 1}}
    assert irmeta.commitment(given, SALT) == by_hand


def test_a_changed_grade_or_salt_shows() -> None:
    """Another grade, another document and another salt have other digests; a short salt is refused."""
    given = [{"1": {"a": 1}}, {"1": {"a": 2}}, {"1": {"b": 1}}, {"2": {"a": 1}}]
    digests = {irmeta.commitment(one, SALT) for one in given}
    assert len(digests | {irmeta.commitment(given[0], SALT[::-1])}) == 5
    with pytest.raises(ScoresError, match="lets others guess at the judgments"):
        irmeta.commitment(given[0], b"salt")
