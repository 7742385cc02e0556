"""Strings of digits to numbers, all of a column at once and correctly rounded."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from irmeta.io.runs.fields import Strings, Words, windows
from irmeta.stats.arrays import Bools, Floats


def numbers(texts: Strings, spell: Callable[[str], float]) -> Floats:
    """Read each string as a decimal number, correctly rounded; `spell` reads the few that are not plain decimals.

    Plain means digits with at most one point and a minus sign: up to 8 of them, or up to 7 before the point and 19 in
    all. That is nearly every score and grade there is. `spell` takes the string; what it raises is passed on.
    """
    values, plain = _decimals(texts)
    others = np.flatnonzero(~plain)
    values[others] = [spell(text) for text in texts.take(others)]
    return values


_POWERS = np.array([10**n for n in range(20)], dtype=np.uint64)
_EXPONENT = np.uint64(0x7FF0000000000000)  # the bits of a double that hold its exponent
# eight bytes in a word: "0" in each, "." in each, 1 in each, and the top bit of each
_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)


def _decimals(texts: Strings) -> tuple[Floats, Bools]:
    """Read plain decimals eight digits at a time; also say which strings were plain."""
    start = texts.start
    length = np.minimum(texts.length, 32).astype(np.int8)
    # the sign
    negative = np.frombuffer(texts.buffer, dtype=np.uint8)[start] == ord("-")
    if negative.any():
        start = start + negative
        length = length - negative
    # the strings as rows of 8-byte words, the first character in the lowest byte
    count = -(-int(length.max(initial=1)) // 8)
    words = (
        windows(texts.buffer, f"V{8 * count}")[start].view("<u8").reshape(-1, count).T
    )
    # digits before and after the point
    before = np.minimum(_before_point(words[0]), length)
    after = np.maximum(length - before - 1, 0)
    plain = (before + after > 0) & (after <= 19) & ((before < 8) | (length == 8))
    after[~plain] = 0
    whole, flags = _digits(words[0], before)
    # 19 digits fit 64 bits
    plain &= (whole == 0) | (before + after <= 19)
    # the fraction, eight digits at a time: fraction x 10^size + part
    fraction = np.zeros_like(whole)
    # digits behind the point lie across two words: drop what stands up to the point, and fill up from the next word
    shift = (8 * before + 8).astype(np.uint64)
    for which in range(-(-int(after.max(initial=0)) // 8)):
        word = words[which] >> shift
        if which + 1 < count:
            word |= words[which + 1] << (np.uint64(64) - shift)
        size = np.minimum(np.maximum(after - 8 * which, 0), 8)
        part, part_flags = _digits(word, size)
        if which:
            fraction = fraction * _POWERS.take(size) + part
        else:
            fraction = part
        flags |= part_flags
    plain &= (flags & _TOPS) == 0
    # value = (whole x 10^after + fraction) / 10^after
    power = _POWERS.take(after)
    values, certain = _divide(whole * power + fraction, power.astype(np.float64))
    return np.negative(values, out=values, where=negative), plain & certain


def _before_point(word: Words) -> npt.NDArray[np.int8]:
    """Count the bytes before the first point in eight; 8 if there is none.

    A byte that is a point is 0 after ^, and 0 - 1 sets its top bit: the known test for a zero byte in a word.
    """
    other = word ^ _POINTS
    # the lowest bit is right; a borrow can only set bits above it
    found = (other - _ONES) & ~other & _TOPS
    # bits below the lowest one: 8 for each byte before the point, and 7 of its own
    below = (found - np.uint64(1)) & ~found
    return (np.bitwise_count(below) >> 3).astype(np.int8)


def _digits(word: Words, count: npt.NDArray[np.int8]) -> tuple[Words, Words]:
    """Read the first `count` of eight characters as a number; the top bits of the second result mark non-digits.

    The first character is the lowest byte. Zeros are put before them; then neighbours are joined to pairs, fours and
    eight, each in one multiplication.
    """
    digits = word ^ _ZEROS  # "0" to 0, ..., "9" to 9; all else is 10 or more
    digits <<= (64 - 8 * count).astype(np.uint64)
    # 0x76 = 128 - 10: from 10 on the sum reaches the top bit
    odd = digits + np.uint64(0x7676767676767676) | digits
    # 10 x 2^8 + 1: 10 a + b, beside each other, in the byte of b
    digits *= np.uint64(2561)
    digits >>= np.uint64(8)
    digits &= np.uint64(0x00FF00FF00FF00FF)
    digits *= np.uint64(6553601)  # 100 x 2^16 + 1
    digits >>= np.uint64(16)
    digits &= np.uint64(0x0000FFFF0000FFFF)
    digits *= np.uint64(42949672960001)  # 10000 x 2^32 + 1
    digits >>= np.uint64(32)
    return digits, odd


def _divide(mantissa: Words, power: Floats) -> tuple[Floats, Bools]:
    """Divide whole numbers by powers of ten up to 10^19, rounded to nearest; also say where that is certain.

    Below 2^53 both are exact and IEEE division rounds once. Above, the quotient is corrected by its exact remainder
    (Dekker 1971); it is certain unless it lies within 2^-40 of the middle between two floats.
    """
    values = mantissa.astype(np.float64) / power
    certain = np.ones(values.size, dtype=np.bool_)
    big = np.flatnonzero(mantissa >= np.uint64(2**53))
    if big.size:
        whole = mantissa[big]
        divisor = power[big]
        # 64 bits = 53 that a double holds, and 11
        high = (whole >> np.uint64(11) << np.uint64(11)).astype(np.float64)
        low = (whole & np.uint64(2047)).astype(np.float64)
        quotient = high / divisor
        correction = (_remainder(high, quotient, divisor) + low) / divisor
        value = quotient + correction
        # what the sum lost by rounding, beside half the distance to the next double
        lost = np.abs(correction - (value - quotient))
        spacing = (value.view(np.uint64) & _EXPONENT).view(np.float64) * 2.0**-52
        values[big] = value
        certain[big] = np.abs(lost - spacing / 2) > spacing * 2.0**-40
    return values, certain


def _remainder(dividend: Floats, quotient: Floats, divisor: Floats) -> Floats:
    """Return dividend - quotient x divisor without rounding error, by splitting both factors in halves."""
    product = quotient * divisor
    q_high, q_low = _halves(quotient)
    d_high, d_low = _halves(divisor)
    # the rounding error of the product, exact in this order: products of halves are
    error = (
        (q_high * d_high - product) + q_high * d_low + q_low * d_high
    ) + q_low * d_low
    return (dividend - product) - error


def _halves(value: Floats) -> tuple[Floats, Floats]:
    """Split a double into two of 26 bits each, whose sum it is (Veltkamp)."""
    scaled = value * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - value)
    return high, value - high
