"""Bytes in and out: compressed files are told by their content, outputs appear whole or not at all."""

import bz2
import hashlib
import lzma
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import zstandard
from zlib_ng import gzip_ng

from irmeta.errors import FileFormatError

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""What a compressed file's name may end with; the content decides, the suffix is only cut from the system's name."""


def _zstd(data: bytes) -> bytes:
    parts = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise EOFError("it ends in the middle of a frame")
        data = frame.unused_data
    return b"".join(parts)


_MAGIC: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", gzip_ng.decompress),
    b"BZh": ("bzip2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
    b"\x28\xb5\x2f\xfd": ("zstd", _zstd),
}


@dataclass(frozen=True)
class Content:
    """What a file holds once decompressed, and the SHA-256 of that: the same run has the same digest however packed."""

    path: Path
    data: bytes
    digest: str


def read(path: Path) -> Content:
    """Read a file whole, decompressed if its content is gzip, bzip2, xz or zstd.

    A file that cannot be read, or a damaged archive, raises FileFormatError.
    """
    data = read_bytes(path)
    return Content(path, data, hashlib.sha256(data).hexdigest())


def read_bytes(path: Path) -> bytes:
    """Read a file's bytes, decompressed; see `read`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror or error})") from error
    for magic, (kind, decompress) in _MAGIC.items():
        if data.startswith(magic):
            try:
                return decompress(data)
            except Exception as error:  # each codec raises errors of its own
                raise FileFormatError(f"{path}: damaged {kind} data ({error}); copy or download it again") from error
    return data


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; at the end it replaces `path`, or vanishes if anything failed.

    A link stays one, and its target is replaced; what is no file (a pipe, a device) is written to as it is.
    """
    require_folder(path)
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    part = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        part = Path(name)
        yield part
        umask = os.umask(0)
        os.umask(umask)
        part.chmod(0o666 & ~umask)
        part.replace(path)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def require_folder(path: Path) -> None:
    """Raise FileFormatError if there is no folder to write this file into."""
    if not Path(path).parent.is_dir():
        raise FileFormatError(f"{path}: the folder {Path(path).parent} does not exist; make it first")


def stem(path: Path) -> str:
    """Give the file's name without a compression suffix: the name of the system whose run it holds.

    >>> stem(Path("runs/input.bm25.gz")), stem(Path("bm25.run"))
    ('input.bm25', 'bm25.run')
    """
    return path.stem if path.suffix in SUFFIXES else path.name
