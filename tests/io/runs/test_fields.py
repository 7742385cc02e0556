"""Fields of text as arrays, against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.io.runs.fields import Strings, split

WORDS = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["Z", "C"]),
    min_size=1,
    max_size=20,
)
IDS = st.lists(st.text(alphabet="ab\xe9#0", max_size=20), max_size=30)


LINES = st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=8)


def plain(text: bytes) -> list[list[str]]:
    lines = [
        line for line in text.split(b"\n") if line.strip() and not line.startswith(b"#")
    ]
    return [
        [field.decode("utf-8", "surrogateescape") for field in line.split()]
        for line in lines
    ]


def fields(text: bytes, width: int) -> list[list[str]] | None:
    columns = split(text, width)
    if columns is None:
        return None
    parts = [columns[which] for which in range(width)]
    assert all(len(part) == len(columns) for part in parts)
    return [[part[row] for part in parts] for row in range(len(columns))]


@given(LINES, st.sampled_from([" ", "\t"]), st.booleans())
def test_regular_text(lines: list[list[str]], blank: str, last: bool) -> None:
    """Text with one blank between fields splits as Python splits it, with and without a last newline."""
    text = ("\n".join(blank.join(line) for line in lines) + "\n" * last).encode()
    wanted = plain(text)
    assert fields(text, 3) == (
        wanted if wanted and all(len(line) == 3 for line in wanted) else None
    )


@given(LINES, st.data())
def test_irregular_text(lines: list[list[str]], data: st.DataObject) -> None:
    """Blanks of every kind, blank lines and comments are no hindrance."""
    blanks = st.text(alphabet=" \t\x0b\x0c", min_size=1, max_size=3)
    between = st.sampled_from(
        ["\n", "\n\n", "\n \t\n", "\n# a comment\n", "\n#\n#\n", "\r\n"]
    )
    text = data.draw(st.sampled_from(["", "\n", "#c\n", "  "]))
    for line in lines:
        text += (
            "".join(word + data.draw(blanks) for word in line[:-1])
            + line[-1]
            + data.draw(between)
        )
    wanted = plain(text.encode())
    expected = wanted if wanted and all(len(line) == 3 for line in wanted) else None
    # An id that begins with # after blanks at the start of its line is left to the careful reader.
    assert fields(text.encode(), 3) in (
        [expected, None] if any(line[0][0] == "#" for line in lines) else [expected]
    )


@given(st.binary(max_size=60), st.integers(1, 4))
def test_any_bytes(text: bytes, width: int) -> None:
    """Whatever the bytes, the fields are Python's, or None."""
    text = text.replace(b"\r", b"")
    found = fields(text, width)
    assert found is None or found == plain(text)


@given(st.text(alphabet="ab \t\n#", max_size=40), st.integers(1, 3))
def test_short_texts(text: str, width: int) -> None:
    """Short texts of blanks, newlines and comments split as Python splits them, or not at all."""
    wanted = plain(text.encode())
    found = fields(text.encode(), width)
    assert found is None or found == wanted
    if (
        wanted
        and all(len(line) == width for line in wanted)
        and all(line[0][0] != "#" for line in wanted)
    ):
        assert found == wanted


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# only a comment\n", "a b\n", "a b c d\n", "a b c\nd e\nf g h i\n"],
)
def test_wrong_widths(text: str) -> None:
    """Text without lines, or with a line of another width, gives None, also where the fields would add up."""
    assert split(text.encode(), 3) is None


@given(IDS)
def test_strings(texts: list[str]) -> None:
    """Strings come back as they were; hashes, comparisons and blocks agree with Python's."""
    strings = Strings.of(texts)
    assert [strings[index] for index in range(len(strings))] == list(strings) == texts
    assert len(strings) == len(texts)
    hashes = strings.hash.tolist()
    assert all(
        (hashes[i] == hashes[j]) == (texts[i] == texts[j])
        for i in range(len(texts))
        for j in range(i)
    )
    assert strings.equals(Strings.of(texts[::-1])).tolist() == [
        a == b for a, b in zip(texts, texts[::-1], strict=True)
    ]
    assert strings.starts_block().tolist() == [
        not i or texts[i] != texts[i - 1] for i in range(len(texts))
    ]
    assert strings.all_equal() == (len(set(texts)) <= 1)
    assert strings.widest == max(
        [-(-len(text.encode()) // 8) for text in texts], default=0
    )


@given(
    st.lists(st.text(max_size=20).filter(lambda text: "\x00" not in text), max_size=20)
)
def test_words_order_as_bytes(texts: list[str]) -> None:
    """Words, one after the other, order strings as their bytes do."""
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    strings = Strings.of(texts)
    words = [strings.word(which) for which in range(strings.widest)]
    order = np.lexsort((*words[::-1], np.zeros(len(texts))))
    assert [texts[index] for index in order] == sorted(texts, key=str.encode)


NEAR = st.builds(
    lambda part, times, end: part * times + end,
    st.sampled_from(["a", "b", "0123456\0"]),
    st.integers(0, 12),
    st.sampled_from(["", "a", "\0", "b", "\0\0"]),
)
"""Strings that agree for many words, and end with what pads a word."""


@given(st.lists(NEAR, max_size=20))
def test_long_strings_compare_as_bytes_do(texts: list[str]) -> None:
    """Strings of up to a hundred bytes that agree for most of them compare as Python's bytes do."""
    strings = Strings.of(texts)
    places = strings.sort_positions()
    order = sorted(range(len(texts)), key=lambda at: (texts[at].encode(), at))
    assert [int(places[at]) for at in order] == list(range(len(texts)))
    assert strings.starts_block().tolist() == [
        not i or texts[i] != texts[i - 1] for i in range(len(texts))
    ]
    assert strings.equals(Strings.of(texts[::-1])).tolist() == [
        a == b for a, b in zip(texts, texts[::-1], strict=True)
    ]
    alone = [int(Strings.of([text]).hash[0]) for text in texts]
    assert strings.hash.tolist() == alone


@given(st.lists(st.integers(0, 10**8 - 1), max_size=20))
def test_magnitudes(ranks: list[int]) -> None:
    """Whole numbers of up to eight digits have magnitudes that order as they do."""
    magnitude = Strings.of([str(rank) for rank in ranks]).magnitude
    assert (
        np.argsort(magnitude, kind="stable").tolist()
        == np.argsort(ranks, kind="stable").tolist()
    )


@given(IDS.filter(len), st.data())
def test_taken_strings(texts: list[str], data: st.DataObject) -> None:
    """Strings taken from others behave as made anew, whatever stands around them in the buffer."""
    index = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=20))
    taken, anew = (
        Strings.of(texts).take(np.array(index, dtype=np.intp)),
        Strings.of([texts[i] for i in index]),
    )
    assert taken.hash.tolist() == anew.hash.tolist()
    assert taken.equals(anew).all()
    assert taken.all_equal() == anew.all_equal()
    assert [taken.word(which).tolist() for which in range(3)] == [
        anew.word(which).tolist() for which in range(3)
    ]


def test_very_long_strings() -> None:
    """Strings of 20000 bytes are told apart by their last byte."""
    long = "z" * 19999
    strings = Strings.of([long + "a", long + "b", long + "a", long, "z"])
    assert len(set(strings.hash.tolist())) == 4
    assert strings.hash[0] == strings.hash[2]
    assert strings.equals(strings.take(np.array([2, 1, 0, 0, 4]))).tolist() == [
        True,
        True,
        True,
        False,
        True,
    ]
    assert strings.take(np.array([0, 2, 1])).starts_block().tolist() == [
        True,
        False,
        True,
    ]
    assert strings.take(np.array([0, 2])).all_equal()
    assert not strings.take(np.array([0, 1])).all_equal()


@given(st.lists(st.binary(max_size=12), max_size=10))
def test_bytes_that_are_not_utf8(parts: list[bytes]) -> None:
    """Bytes that are not UTF-8 go in and come out unchanged."""
    texts = [part.decode("utf-8", "surrogateescape") for part in parts]
    strings = Strings.of(texts)
    assert [
        strings[index].encode("utf-8", "surrogateescape") for index in range(len(texts))
    ] == parts


def test_hashes_of_many_ids_differ() -> None:
    """A quarter of a million ids of the usual kinds, short and long, have as many hashes."""
    kinds = (
        "FBIS3-{}",
        "clueweb12-0000tw-00-{:05d}",
        "{}",
        "doc{:08x}-suffix-of-some-length",
    )
    texts = [kind.format(number) for kind in kinds for number in range(60_000)]
    assert len(set(Strings.of(texts).hash.tolist())) == len(texts)
