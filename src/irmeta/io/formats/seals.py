"""Seals: a SHA-256 over all bytes of a file, which stands in the file itself, so that readers notice damage."""

import hashlib
import mmap
import re
from pathlib import Path

import polars as pl

KEY = "irmeta_seal"
"""Under which a file's metadata have its seal."""
OPEN = "irmeta sha256 " + 64 * "0"
"""The seal of a file that is being written; `close` puts the digest in the place of the zeros."""

MALFORMED = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    OverflowError,
)
"""What reading a damaged file raises."""

_KIND = OPEN[:-64].encode()
_THRIFT = b"\x18" + bytes([len(OPEN)])
"""Before a text in Parquet's metadata: Thrift's code for the next field, a text (1 and 8), and the text's length."""
_BETWEEN = rb"(?:" + re.escape(_THRIFT) + rb'|": ")'
"""What stands between key and value: in Parquet's metadata, or in JSON."""
_SEAL = re.compile(KEY.encode() + _BETWEEN + _KIND + rb"([0-9a-f]{64})")
Bytes = bytes | mmap.mmap


def close(path: Path) -> None:
    """Seal a file: put the digest of its bytes into it, where it has an open seal."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        at = _digest_offset(data)
        if at is None:
            raise ValueError(f"{path} has no open seal")
        data[at : at + 64] = _digest(data, at)


def require_intact(data: Bytes) -> None:
    """Raise ValueError if a file's bytes are not those that were sealed; files that have no seal pass.

    The key or the value alone shows that a file was sealed: if one of them is damaged, the other remains.
    """
    at = _digest_offset(data)
    if at is not None:
        whole = data[at : at + 64] == _digest(data, at)
    else:
        whole = data.rfind(KEY.encode()) < 0 and data.rfind(_KIND) < 0
    if not whole:
        raise ValueError(
            "it was damaged or changed after irmeta wrote it; copy it or make it again"
        )


def _digest_offset(data: Bytes) -> int | None:
    """Find where the digest stands: the last seal in a file is its own, whatever its names look like."""
    key = data.rfind(KEY.encode())
    while key >= 0:
        if found := _SEAL.match(data, key):
            return found.start(1)
        key = data.rfind(KEY.encode(), 0, key)
    return None


def _digest(data: Bytes, at: int) -> bytes:
    """Return the SHA-256 of all bytes, with zeros in the place of the digest."""
    sha = hashlib.sha256()
    with memoryview(data) as view:
        sha.update(view[:at])
        sha.update(64 * b"0")
        sha.update(view[at + 64 :])
    return sha.hexdigest().encode()
