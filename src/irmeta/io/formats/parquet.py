"""Parquet of strangers: the footer and the heads of its pages are read first, so that a small file is not much data.

polars makes of a page what its head says: a number of bytes unpacked, and of values of up to 16 bytes. The sum over all
pages has the limit of every packed form (`irmeta.io.files.unpacked_limit`). Format: parquet-format 2.10, Thrift's
compact protocol.
"""

import io
import mmap
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import FREE, RATIO, unpacked_limit
from irmeta.io.formats import seals
from irmeta.scores.names import labels
from irmeta.words import reason

MAGIC = b"PAR1"
_VALUE = 16
"""Bytes of a value in memory; a text has its place and its length there."""
_PAGE = 1 << 10
"""Bytes that a page costs, whatever it holds."""
_DEEPEST = 16
"""How deep Parquet nests what it says of a file."""

Fields = dict[int, Any]
"""A struct of Thrift: its values by the number of the field, which parquet.thrift names."""


def read(data: bytes) -> pl.DataFrame:
    """Return the table that a Parquet file holds; ValueError or an error of polars says why there is none."""
    require_bounded(data)
    return pl.read_parquet(io.BytesIO(data))


def scan(path: Path) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Return the table of a Parquet file, to be read later, and what the file says of itself.

    A file that was changed since it was sealed, and one that unpacks to too much, raise FileFormatError.
    """
    try:
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            seals.require_intact(data)
            require_bounded(data)
    except (ValueError, OSError) as error:  # an empty file cannot be mapped
        raise FileFormatError(f"{path}: {error}") from error
    # polars opens no path that is not UTF-8
    plain = labels([path]) == [str(path)]
    try:
        source = path if plain else io.BytesIO(path.read_bytes())
        return pl.scan_parquet(source, glob=False), pl.read_parquet_metadata(source)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(
            f"{path}: the file is damaged ({reason(error)}); copy or make it again"
        ) from error


def require_bounded(data: seals.Bytes) -> None:
    """Raise ValueError if a Parquet file is damaged, or unpacks to far more than its size."""
    most = unpacked_limit(len(data))
    try:
        bounded = all(unpacked <= most for unpacked in accumulate(_page_sizes(data)))
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("its Parquet footer is damaged") from error
    if not bounded:
        raise ValueError(
            f"its Parquet data unpack to more than {RATIO} times their size, more than memory "
            f"allows ({FREE >> 20} MiB are free); if they are right, write them as CSV"
        )


def _page_sizes(data: seals.Bytes) -> Iterator[int]:
    """Yield what each page of a file takes in memory."""
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != MAGIC or not 0 < length <= len(data) - 12:
        raise ValueError("its Parquet footer is damaged")
    footer = _Thrift(data, len(data) - 8 - length).struct()
    for group in footer.get(4, ()):  # row_groups
        for chunk in group.get(1, ()):  # columns
            yield from _column_page_sizes(data, chunk[3])  # meta_data


def _column_page_sizes(data: seals.Bytes, column: Fields) -> Iterator[int]:
    """Yield what each page of a column takes; its pages follow one another from the first on."""
    # data_page_offset and dictionary_page_offset, then total_compressed_size
    start = min(at for at in (column.get(9), column.get(11)) if at)
    end = start + column[7]
    if not 0 < start <= end <= len(data):
        raise ValueError("its Parquet pages are beyond its end")
    while start < end:
        thrift = _Thrift(data, start)
        head = thrift.struct()
        # of data, of a dictionary, and of data in the second version
        inside = head.get(5) or head.get(7) or head.get(8) or {}
        unpacked, packed, values = head[2], head[3], inside.get(1, 0)
        if min(unpacked, packed, values) < 0:
            raise ValueError("a page of its Parquet data has a negative size")
        yield _PAGE + unpacked + _VALUE * values
        start = thrift.at + packed


class _Thrift:
    """Reads structs in Thrift's compact protocol; damage raises ValueError, IndexError or KeyError."""

    def __init__(self, data: seals.Bytes, at: int) -> None:
        self.data = data
        self.at = at

    def struct(self, depth: int = 0) -> Fields:
        """Read the fields of a struct: each has a byte of how far its number is from the last and of its kind."""
        if depth > _DEEPEST:
            raise ValueError("its Parquet footer is nested too deeply")
        fields: Fields = {}
        number = 0
        while head := self._byte():
            step, kind = divmod(head, 16)
            number = number + step if step else self._zigzag()
            # a boolean field is its kind
            fields[number] = kind == 1 if kind < 3 else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        """Read a value of a kind of the protocol; of texts and doubles, which nobody needs, nothing is kept."""
        match kind:
            case 1 | 2 | 3:  # a truth value in a list, a byte
                return self._byte()
            case 4 | 5 | 6:  # a whole number
                return self._zigzag()
            case 7:  # a double
                return self._skip(8)
            case 8:  # a text
                return self._skip(self._varint())
            case 9 | 10:  # a list, a set
                return self._list(depth)
            case 12:  # a struct
                return self.struct(depth + 1)
        raise ValueError("its Parquet footer is damaged")

    def _list(self, depth: int) -> list[Any]:
        """Read a list: its head has its size, or 15 for one that follows, and the kind of its values."""
        size, kind = divmod(self._byte(), 16)
        if size == 15:
            size = self._varint()
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self.data):
            raise ValueError("its Parquet footer is damaged")

    def _zigzag(self) -> int:
        """Read a whole number: 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ..."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        """Read a number of 7 bits a byte, the lowest first; the top bit says that more follow."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("its Parquet footer is damaged")

    def _byte(self) -> int:
        byte = self.data[self.at]
        self.at += 1
        return byte
