"""Fields of text as arrays, against plain Python."""

import math
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irmeta.io.decimals import numbers
from irmeta.io.fields import Strings, split

WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=20)
IDS = st.lists(st.text(alphabet="ab\xe9#0", max_size=20), max_size=30)
DIGITS = st.text(alphabet="0123456789", max_size=24)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def check(texts: list[str]) -> None:
    """Compare `numbers` with `float`, bit for bit, for texts that stand side by side in one buffer."""
    found = numbers(Strings.of(texts), float)
    assert [bits(value) for value in found.tolist()] == [bits(float(text)) for text in texts]


@st.composite
def decimals(draw: st.DrawFn) -> str:
    """Draw a decimal of any shape that `float` reads: signs, leading and trailing zeros, points anywhere, exponents."""
    sign, whole, fraction = draw(st.sampled_from(["", "-", "+"])), draw(DIGITS), draw(DIGITS)
    point = draw(st.sampled_from(["", "."])) if whole else "."
    exponent = draw(st.sampled_from(["", "", "", "e5", "E-8", "e+300", "e-320"]))
    return sign + whole + point + (fraction if point else "") + ("0" if not whole and not fraction else "") + exponent


@given(st.lists(decimals(), min_size=1, max_size=20))
def test_decimals_of_any_shape(texts: list[str]) -> None:
    """Decimals of every shape are read as Python reads them, bit for bit."""
    check(texts)


@given(
    st.lists(
        st.floats(allow_nan=False) | st.floats(-1e8, 1e8) | st.floats(width=32, allow_nan=False),
        min_size=1,
        max_size=20,
    )
)
def test_printed_floats(values: list[float]) -> None:
    """Floats come back from whatever form they are printed in."""
    for form in (repr, "{:.17g}".format, "{:.6f}".format, "{:.19e}".format, "{:.4f}".format, "{:.18f}".format):
        check([form(value) for value in values])
    check([str(np.float32(value)) for value in values if abs(value) < 1e38])


@given(st.lists(st.integers(-(10**25), 10**25) | st.integers(-200, 200), min_size=1, max_size=20))
def test_integers(values: list[int]) -> None:
    """Integers of any size are read as Python reads them."""
    check([str(value) for value in values])


@settings(max_examples=300)
@given(st.floats(1e-6, 1e8 - 1), st.integers(0, 19), st.integers(-1, 1))
@example(1.0, 19, 0)
@example(2.0**-20, 19, -1)
@example(67108864.0, 11, -1)
def test_between_two_floats(value: float, places: int, nudge: int) -> None:
    """Decimals at and beside the middle between two floats, the hardest to round, are rounded as Python rounds them."""
    for neighbour in (math.inf, 0.0):
        middle = (Decimal(value) + Decimal(math.nextafter(value, neighbour))) / 2
        text = f"{middle:.{places}f}"
        last = Decimal(1).scaleb(-places) * nudge
        check([f"{Decimal(text) + last:f}"])


def test_many_random_decimals() -> None:
    """Random decimals of 15 to 19 digits, where rounding twice would go wrong, are all rounded once."""
    rng = np.random.default_rng(3)
    mantissas = rng.integers(10**14, 10**19, 100_000, dtype=np.uint64)
    places = rng.integers(11, 20, mantissas.size)
    texts = []
    for mantissa, place in zip(mantissas.tolist(), places.tolist(), strict=True):
        digits = str(mantissa).rjust(place + 1, "0")
        texts.append(f"{digits[:-place]}.{digits[-place:]}")
    check(texts)


def test_only_the_odd_ones_are_spelled_out() -> None:
    """Plain decimals never reach `spell`; exponents, plus signs, words and very long numbers do."""
    asked: list[str] = []

    def spell(text: str) -> float:
        asked.append(text)
        return -1.0

    plain = [
        "1",
        "-1.5",
        "0.25",
        "12345678",
        "1234567.123456789012",
        "0000000.1234567890123456789",
        "5.",
        ".5",
        "-0",
        "0",
    ]
    odd = [
        "1e5",
        "+1",
        "inf",
        "x",
        "123456789",
        "12345678.5",
        "1.2.3",
        "",
        "-",
        ".",
        "1234.1234567890123456",
        "1,5",
        "/",
        ":1",
        "1\x00",
    ]
    assert numbers(Strings.of(plain), spell).tolist() == [float(text) for text in plain]
    assert asked == []
    assert numbers(Strings.of(odd), spell).tolist() == [-1.0] * len(odd)
    assert asked == odd


def test_what_spell_raises() -> None:
    """What `spell` raises is passed on."""
    with pytest.raises(ValueError, match="'abc'"):
        numbers(Strings.of(["1", "abc"]), float)


@given(st.text(alphabet="0123456789.-+eE,:/ \x00\xff", min_size=1, max_size=12))
def test_only_numbers_are_read(text: str) -> None:
    """Text that is no number is never read as one without asking `spell`."""

    def refuse(given: str) -> float:
        raise ValueError(given)

    try:
        value = numbers(Strings.of([text]), refuse)[0]
    except ValueError:
        return
    assert bits(value) == bits(float(text))


LINES = st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=8)


def plain(text: bytes) -> list[list[str]]:
    lines = [line for line in text.split(b"\n") if line.strip() and not line.startswith(b"#")]
    return [[field.decode("utf-8", "surrogateescape") for field in line.split()] for line in lines]


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
    assert fields(text, 3) == (wanted if wanted and all(len(line) == 3 for line in wanted) else None)


@given(LINES, st.data())
def test_irregular_text(lines: list[list[str]], data: st.DataObject) -> None:
    """Blanks of every kind, blank lines and comments are no hindrance."""
    blanks = st.text(alphabet=" \t\x0b\x0c", min_size=1, max_size=3)
    between = st.sampled_from(["\n", "\n\n", "\n \t\n", "\n# a comment\n", "\n#\n#\n", "\r\n"])
    text = data.draw(st.sampled_from(["", "\n", "#c\n", "  "]))
    for line in lines:
        text += "".join(word + data.draw(blanks) for word in line[:-1]) + line[-1] + data.draw(between)
    wanted = plain(text.encode())
    expected = wanted if wanted and all(len(line) == 3 for line in wanted) else None
    # An id that begins with # after blanks at the start of its line is left to the careful reader.
    assert fields(text.encode(), 3) in ([expected, None] if any(line[0][0] == "#" for line in lines) else [expected])


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
    if wanted and all(len(line) == width for line in wanted) and all(line[0][0] != "#" for line in wanted):
        assert found == wanted


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "a b\n", "a b c d\n", "a b c\nd e\nf g h i\n"])
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
    assert all((hashes[i] == hashes[j]) == (texts[i] == texts[j]) for i in range(len(texts)) for j in range(i))
    assert strings.equals(Strings.of(texts[::-1])).tolist() == [a == b for a, b in zip(texts, texts[::-1], strict=True)]
    assert strings.starts_block().tolist() == [not i or texts[i] != texts[i - 1] for i in range(len(texts))]
    assert strings.all_equal() == (len(set(texts)) <= 1)
    assert strings.widest == max([-(-len(text.encode()) // 8) for text in texts], default=0)


@given(st.lists(st.text(max_size=20).filter(lambda text: "\x00" not in text), max_size=20))
def test_words_order_as_bytes(texts: list[str]) -> None:
    """Words, one after the other, order strings as their bytes do."""
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    strings = Strings.of(texts)
    words = [strings.word(which) for which in range(strings.widest)]
    order = np.lexsort((*words[::-1], np.zeros(len(texts))))
    assert [texts[index] for index in order] == sorted(texts, key=str.encode)


@given(st.lists(st.integers(0, 10**8 - 1), max_size=20))
def test_magnitudes(ranks: list[int]) -> None:
    """Whole numbers of up to eight digits have magnitudes that order as they do."""
    magnitude = Strings.of([str(rank) for rank in ranks]).magnitude
    assert np.argsort(magnitude, kind="stable").tolist() == np.argsort(ranks, kind="stable").tolist()


@given(IDS.filter(len), st.data())
def test_taken_strings(texts: list[str], data: st.DataObject) -> None:
    """Strings taken from others behave as made anew, whatever stands around them in the buffer."""
    index = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=20))
    taken, anew = Strings.of(texts).take(np.array(index, dtype=np.intp)), Strings.of([texts[i] for i in index])
    assert taken.hash.tolist() == anew.hash.tolist()
    assert taken.equals(anew).all()
    assert taken.all_equal() == anew.all_equal()
    assert [taken.word(which).tolist() for which in range(3)] == [anew.word(which).tolist() for which in range(3)]


def test_very_long_strings() -> None:
    """Strings of 20000 bytes are told apart by their last byte."""
    long = "z" * 19999
    strings = Strings.of([long + "a", long + "b", long + "a", long, "z"])
    assert len(set(strings.hash.tolist())) == 4
    assert strings.hash[0] == strings.hash[2]
    assert strings.equals(strings.take(np.array([2, 1, 0, 0, 4]))).tolist() == [True, True, True, False, True]
    assert strings.take(np.array([0, 2, 1])).starts_block().tolist() == [True, False, True]
    assert strings.take(np.array([0, 2])).all_equal()
    assert not strings.take(np.array([0, 1])).all_equal()


@given(st.lists(st.binary(max_size=12), max_size=10))
def test_bytes_that_are_not_utf8(parts: list[bytes]) -> None:
    """Bytes that are not UTF-8 go in and come out unchanged."""
    texts = [part.decode("utf-8", "surrogateescape") for part in parts]
    strings = Strings.of(texts)
    assert [strings[index].encode("utf-8", "surrogateescape") for index in range(len(texts))] == parts


def test_hashes_of_many_ids_differ() -> None:
    """A quarter of a million ids of the usual kinds, short and long, have as many hashes."""
    kinds = ("FBIS3-{}", "clueweb12-0000tw-00-{:05d}", "{}", "doc{:08x}-suffix-of-some-length")
    texts = [kind.format(number) for kind in kinds for number in range(60_000)]
    assert len(set(Strings.of(texts).hash.tolist())) == len(texts)
