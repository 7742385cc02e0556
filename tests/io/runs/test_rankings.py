"""Rows that repeat a document of their topic, also where somebody chose ids with equal hashes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeta
from irmeta.errors import FileFormatError
from irmeta.io.runs.fields import Strings
from irmeta.io.runs.rankings import _has_repeats, duplicates

Colliding = Callable[[str, int], list[str]]


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), max_size=40))
def test_every_repeat_is_found_whatever_the_hashes(
    colliding: Colliding, rows: list[tuple[int, int]]
) -> None:
    """Each row that repeats an earlier pair is found, with the first row of that pair; no other row is."""
    alike = ["d1", *colliding("d1", 3), "a", "a\0", "a\0\0"]
    first: dict[tuple[int, int], int] = {}
    wanted = {
        row: first[pair]
        for row, pair in enumerate(rows)
        if first.setdefault(pair, row) != row
    }
    topic = np.array([topic for topic, _ in rows], dtype=np.intp)
    repeated, original = duplicates(
        topic, Strings.of([alike[document] for _, document in rows])
    )
    assert dict(zip(repeated.tolist(), original.tolist(), strict=True)) == wanted


def test_a_run_cannot_hide_a_repeated_document(
    tmp_path: Path, colliding: Colliding
) -> None:
    """A document that stands 50 times in a list is an error, also behind a document whose hash is the same."""
    (decoy,) = colliding("ug7v899j", 1)
    lines = [
        f"1 Q0 {decoy} 0 100 t",
        *(f"1 Q0 ug7v899j {rank} {99 - rank} t" for rank in range(50)),
    ]
    run = tmp_path / "cheat.run"
    run.write_text("\n".join(lines) + "\n")
    with pytest.raises(
        FileFormatError, match="'ug7v899j' of topic '1' also stands on line 2"
    ):
        irmeta.evaluate({"1": {"ug7v899j": 2}}, run, "AP")


def test_numbers_that_begin_alike_do_not_hold_the_search_up() -> None:
    """100 000 different numbers with the same first bits are compared without looking at each pair of them."""
    key = np.arange(100_000, dtype=np.uint64)
    assert not _has_repeats(key)
    assert _has_repeats(np.append(key, key[-1]))


@pytest.mark.parametrize("score", ["1_000", "٣", True, 10**400, " 1"])
def test_numbers_are_what_a_run_file_could_have(score: object) -> None:
    """Scores of dicts that no text could have are refused, as are numbers beyond what a float holds."""
    with pytest.raises(FileFormatError, match="not of the form"):
        irmeta.evaluate({"1": {"a": 1}}, {"run": {"1": {"a": score}}}, "AP")  # type: ignore[dict-item]
