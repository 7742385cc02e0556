"""Decimals against `float`, bit for bit."""

import math
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irmeta.io.runs.decimals import numbers
from irmeta.io.runs.fields import Strings

DIGITS = st.text(alphabet="0123456789", max_size=24)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def check(texts: list[str]) -> None:
    """Compare `numbers` with `float`, bit for bit, for texts that stand side by side in one buffer."""
    found = numbers(Strings.of(texts), float)
    assert [bits(value) for value in found.tolist()] == [
        bits(float(text)) for text in texts
    ]


@st.composite
def decimals(draw: st.DrawFn) -> str:
    """Draw a decimal of any shape that `float` reads: signs, leading and trailing zeros, points anywhere, exponents."""
    sign, whole, fraction = (
        draw(st.sampled_from(["", "-", "+"])),
        draw(DIGITS),
        draw(DIGITS),
    )
    point = draw(st.sampled_from(["", "."])) if whole else "."
    exponent = draw(st.sampled_from(["", "", "", "e5", "E-8", "e+300", "e-320"]))
    return (
        sign
        + whole
        + point
        + (fraction if point else "")
        + ("0" if not whole and not fraction else "")
        + exponent
    )


@given(st.lists(decimals(), min_size=1, max_size=20))
def test_decimals_of_any_shape(texts: list[str]) -> None:
    """Decimals of every shape are read as Python reads them, bit for bit."""
    check(texts)


@given(
    st.lists(
        st.floats(allow_nan=False)
        | st.floats(-1e8, 1e8)
        | st.floats(width=32, allow_nan=False),
        min_size=1,
        max_size=20,
    )
)
def test_printed_floats(values: list[float]) -> None:
    """Floats come back from whatever form they are printed in."""
    for form in (
        repr,
        "{:.17g}".format,
        "{:.6f}".format,
        "{:.19e}".format,
        "{:.4f}".format,
        "{:.18f}".format,
    ):
        check([form(value) for value in values])
    check([str(np.float32(value)) for value in values if abs(value) < 1e38])


@given(
    st.lists(
        st.integers(-(10**25), 10**25) | st.integers(-200, 200), min_size=1, max_size=20
    )
)
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
