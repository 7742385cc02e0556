"""Fields of whitespace-separated text as arrays: where each one lies, and its bytes as words.

Nothing here makes a Python object per line; that is what makes reading runs fast.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Bools, Indices

Offsets = npt.NDArray[np.signedinteger[Any]]
Words = npt.NDArray[np.uint64]

PADDING = b"\n" * 40
"""Stands after every buffer, so that the words of its last field, and some behind it, can be read."""

_NEWLINE, _SPACE = 10, 32
_WIDE = 8
"""Words of strings that are sorted as arrays, where each takes as many as the longest; longer ones go as bytes."""
_MASKS = np.array([2**64 - 2 ** (64 - 8 * n) for n in range(9)], dtype=np.uint64)
"""For n = 0, ..., 8 the bits of a word's first n bytes."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, odd: multiplying by it spreads neighbouring numbers (Knuth, volume 3, section 6.4)."""


@dataclass(frozen=True)
class Strings:
    """Byte strings as slices of one padded buffer: `start` and `length`, both of shape (n,), of four bytes or eight."""

    buffer: bytes
    start: Offsets
    length: Offsets

    @classmethod
    def of(cls, texts: list[str]) -> "Strings":
        """Lay strings into a buffer, as UTF-8 (undecodable bytes come back as they were)."""
        parts = [text.encode("utf-8", "surrogateescape") for text in texts]
        length = np.fromiter(map(len, parts), np.int64, len(parts))
        return cls(b"".join(parts) + PADDING, np.cumsum(length) - length, length)

    def __len__(self) -> int:
        return self.start.size

    def __getitem__(self, index: int) -> str:
        start = int(self.start[index])
        return self.buffer[start : start + int(self.length[index])].decode(
            "utf-8", "surrogateescape"
        )

    def __iter__(self) -> Iterator[str]:
        for start, length in zip(
            self.start.tolist(), self.length.tolist(), strict=True
        ):
            yield self.buffer[start : start + length].decode("utf-8", "surrogateescape")

    def take(self, index: Indices) -> "Strings":
        """Keep the strings at these positions; the buffer is shared."""
        return Strings(self.buffer, self.start[index], self.length[index])

    @property
    def widest(self) -> int:
        """The number of 8-byte words that the longest string needs."""
        return -(-int(self.length.max(initial=0)) // 8)

    def word(self, which: int) -> Words:
        """Return bytes 8 x which to 8 x which + 7 of each string as one number, in the order of the bytes."""
        view = windows(self.buffer, ">u8")
        if which == 0:
            return view[self.start].astype(np.uint64) & _MASKS.take(
                np.minimum(self.length, 8)
            )
        rest = np.clip(self.length - 8 * which, 0, 8)
        return view[np.where(rest > 0, self.start + 8 * which, 0)].astype(
            np.uint64
        ) & _MASKS.take(rest)

    @property
    def magnitude(self) -> Words:
        """Return strings of up to 8 digits as numbers in the order of those they spell; longer ones count 8 bytes."""
        word = windows(self.buffer, ">u8")[self.start].astype(np.uint64)
        word >>= (64 - 8 * np.minimum(self.length, 8)).astype(np.uint64)
        return word

    @cached_property
    def hash(self) -> Words:
        """A 64-bit hash of each string: equal strings have equal hashes, different ones almost never."""
        mixed = mixed_bits(self.word(0))
        # word after word, of the strings that reach so far
        longer = np.arange(len(self))
        for which in range(1, self.widest):
            longer = longer[self.length[longer] > 8 * which]
            mixed[longer] = mixed_bits(mixed[longer] ^ self.take(longer).word(which))
        return mixed

    def equals(self, other: "Strings") -> Bools:
        """Say where the two, of the same shape (n,), hold the same string."""
        same: Bools = self.length == other.length
        if len(self):
            same &= self.word(0) == other.word(0)
        # only where all words so far are equal is the next one looked at
        at = np.flatnonzero(same)
        for which in range(1, self.widest):
            at = at[self.length[at] > 8 * which]
            equal = self.take(at).word(which) == other.take(at).word(which)
            same[at] = equal
            at = at[equal]
        return same

    def sort_positions(self) -> Indices:
        """Return the place of each string in the order of bytes; of equal ones the first comes first."""
        if self.widest <= _WIDE:
            words = [self.word(which) for which in reversed(range(self.widest))]
            # strings may end with NUL, which a word's padding equals: of such the longer is the later
            order = np.lexsort((self.length, *words))
        else:  # one word more of each string is as many bytes as the longest has
            texts = self._as_bytes()
            order = np.array(sorted(range(len(self)), key=texts.__getitem__))
        places = np.empty(len(self), dtype=np.intp)
        places[order] = np.arange(len(self))
        return places

    def _as_bytes(self) -> list[bytes]:
        spans = zip(self.start.tolist(), self.length.tolist(), strict=True)
        return [self.buffer[start : start + length] for start, length in spans]

    def starts_block(self) -> Bools:
        """Say where a string differs from the one before it."""
        new = np.ones(len(self), dtype=np.bool_)
        new[1:] = self.length[1:] != self.length[:-1]
        if self.widest:
            word = self.word(0)
            new[1:] |= word[1:] != word[:-1]
        at = np.flatnonzero(~new)
        for which in range(1, self.widest):
            at = at[self.length[at] > 8 * which]
            word, before = (self.take(rows).word(which) for rows in (at, at - 1))
            new[at[word != before]] = True
            at = at[word == before]
        return new

    def all_equal(self) -> bool:
        """Tell whether there is only one distinct string."""
        length = int(self.length.max(initial=0))
        if not length or int(self.length.min()) < length:
            return not length
        every = windows(self.buffer, f"V{length}")[self.start].tobytes()
        return every == every[:length] * len(self)


@dataclass(frozen=True)
class Columns:
    """The fields of a text with equally many on every line; `ends`, of shape (field, line), says where each stops."""

    buffer: bytes
    ends: Offsets

    def __len__(self) -> int:
        return self.ends.shape[1]

    def __getitem__(self, which: int) -> Strings:
        """Return one field of every line."""
        if which:
            before = self.ends[which - 1]
        else:
            before = np.append(np.int32(-1), self.ends[-1, :-1])
        return Strings(self.buffer, before + 1, self.ends[which] - before - 1)

    def head(self, lines: int) -> "Columns":
        """Keep the first lines; the buffer is shared."""
        return Columns(self.buffer, self.ends[:, :lines])


def split(text: bytes, width: int) -> Columns | None:
    """Split text into its fields; None unless every line has exactly `width`.

    Blank lines, repeated blanks, and comments (`#` at the start of a line) are no hindrance, only slower.
    """
    return _split_regular(text, width) or _split_regular(
        _with_single_blanks(text), width
    )


def _split_regular(text: bytes, width: int) -> Columns | None:
    """Split text whose every line has the same single blanks or tabs between its fields, and is no comment."""
    buffer = text + PADDING
    characters = np.frombuffer(buffer, dtype=np.uint8)
    blank = characters[: len(text) + (not text.endswith(b"\n"))] <= _SPACE
    ends = np.flatnonzero(blank)
    between = characters.take(ends).tobytes()
    # every line ends its fields with the same bytes, width - 1 of them blanks or tabs and the last a newline
    if not re.fullmatch(rb"[ \t]*\n", between[:width]) or between != between[:width] * (
        ends.size // width
    ):
        return None
    if blank[0] or (blank[1:] & blank[:-1]).any():
        return None  # an empty field
    narrow = ends.astype(np.int32 if len(buffer) < 2**31 else np.int64)
    columns = Columns(buffer, np.ascontiguousarray(narrow.reshape(-1, width).T))
    if b"#" in text and (characters[columns[0].start] == ord("#")).any():
        return None
    return columns


def _with_single_blanks(text: bytes) -> bytes:
    """Drop comments and blank lines and make each run of blanks one, or one newline if it holds one."""
    text = re.sub(rb"(?m)^#.*\n?", b"", text.replace(b"\r\n", b"\n"))
    characters = np.frombuffer(b"\n" + text + b"\n", dtype=np.uint8)
    # other control characters are no blanks: they stay, and the caller's regular split refuses them
    blank = (characters == _SPACE) | ((characters >= 9) & (characters <= 13))
    # the first of each run of blanks stays for all of it
    first = blank.copy()
    first[1:] &= ~blank[:-1]
    runs = np.flatnonzero(first)
    # a run of blanks becomes one newline if it holds any, else one space
    newline = np.add.reduceat((characters == _NEWLINE).astype(np.int64), runs) > 0
    squeezed = characters.copy()
    squeezed[runs] = np.where(newline, _NEWLINE, _SPACE)
    return bytes(squeezed[~blank | first][1:])


def windows(buffer: bytes, dtype: str) -> npt.NDArray[Any]:
    """Show a buffer as items that begin at each of its bytes."""
    size = np.dtype(dtype).itemsize
    return np.ndarray(
        (len(buffer) - size + 1,), dtype=dtype, buffer=buffer, strides=(1,)
    )


def mixed_bits(word: Words) -> Words:
    """Mix the bits of each number: two multiplications by an odd constant, and the upper half folded in between."""
    mixed = word * MIX
    mixed ^= mixed >> np.uint64(32)
    return mixed * MIX
