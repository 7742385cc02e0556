"""Bytes in: files, folders, globs and URLs; compressed files are recognised by their content."""

import bz2
import glob
import hashlib
import lzma
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any

import zstandard
from zlib_ng import zlib_ng

from irmeta.errors import FileFormatError, extras
from irmeta.io.places import expand_home, require_reachable, require_readable

SUFFIXES = (".gz", ".gzip", ".bz2", ".xz", ".zst")
"""What a compressed file's name may end with; the content decides, the suffix is only cut from the system's name."""


PIECE = 1 << 20
"""Bytes of a file that are read at a time: with fewer, threads wait more often for each other."""
_WORKBOOK = re.compile(
    rb"\A(?:PK\x03\x04(?:.*?PK\x03\x04)??.{26}xl/|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1)",
    re.DOTALL,
)
"""How an Excel workbook begins: an archive with a file in the folder xl, or of old the container that .xls is."""
RATIO, FREE = 100, 1 << 28
"""Packed data hold at most RATIO times their size, or FREE bytes where that is more; runs hold ten times theirs."""
_SLICE, _STEP = 1 << 13, 1 << 22
"""Packed bytes that are decompressed at a time, and the most that bzip2 and xz make of them in one step."""


def unpacked_limit(packed: int) -> int:
    """Return how many bytes packed data may hold by their size, whatever packs them: Parquet, too."""
    return max(FREE, RATIO * packed)


def _stream_decoder(
    decompressor: Callable[[], Any], padding: bytes = b""
) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """Make a function that decompresses a file to its last byte: what follows a stream is another one, or damage.

    padding : what may fill the space between streams, and after the last.
    """

    def decompress(pieces: Iterator[bytes]) -> Iterator[bytes]:
        stream = None
        for piece in pieces:
            data = piece
            while data:
                if stream is None:
                    data = data.lstrip(padding)
                    stream = decompressor() if data else None
                    continue
                yield from _decompressed(stream, data)
                data = stream.unused_data if stream.eof else b""
                stream = None if stream.eof else stream
        if stream is not None:
            raise EOFError("it ends too early")

    return decompress


def _decompressed(stream: Any, data: bytes) -> Iterator[bytes]:
    """Decompress a slice; bzip2 and xz, of which a few bytes may hold gigabytes, in steps."""
    if not hasattr(stream, "needs_input"):
        yield stream.decompress(data)
        return
    yield stream.decompress(data, _STEP)
    while not (stream.eof or stream.needs_input):
        yield stream.decompress(b"", _STEP)


class _Unchecked(Exception):  # noqa: N818 it is made an error where the file is known
    """Data hold no checksum, so that damage would give other scores silently."""


class _Zstd:
    """Decompresses one frame of zstd, whose head must say that a checksum ends it."""

    _CHECKED = 0x04
    """In the fifth byte of a frame. Source: RFC 8878, section 3.1.1.1.1."""

    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._head = b""

    def decompress(self, data: bytes) -> bytes:
        self._head += data[: 5 - len(self._head)]
        if len(self._head) == 5 and not self._head[4] & self._CHECKED:
            raise _Unchecked
        return self._inner.decompress(data)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data


MAGIC: dict[bytes, tuple[str, Callable[[Iterator[bytes]], Iterator[bytes]]]] = {
    b"\x1f\x8b": (
        "gzip",
        _stream_decoder(lambda: zlib_ng.decompressobj(wbits=31), b"\0"),
    ),
    b"BZh": ("bzip2", _stream_decoder(bz2.BZ2Decompressor)),
    b"\xfd7zXZ\x00": ("xz", _stream_decoder(lzma.LZMADecompressor, b"\0")),
    b"\x28\xb5\x2f\xfd": ("zstd", _stream_decoder(_Zstd)),
}
"""How compressed files begin: what packed them, and what yields their content."""

STDIN = Path("/dev/stdin")
"""What `-` stands for where a file is named."""

Location = Path | str
"""Where a file is: a path, or a URL as text, which fsspec opens."""


def location(path: str | os.PathLike[str]) -> Location:
    """Return a URL as text, `-` as the path of the standard input, anything else as a path.

    >>> location("s3://archive/runs/bm25.gz")
    's3://archive/runs/bm25.gz'
    """
    text = expand_home(os.fspath(path))
    if text == "-":
        return STDIN
    if "://" in text:
        return text
    return require_reachable(Path(text))


def list_files(path: str | os.PathLike[str]) -> list[Location]:
    """List the files of a folder and of its folders, or of a glob, in order; of a file, just the file.

    Files and folders whose name begins with a point are left out. Raises FileFormatError if there is no file.
    """
    place = location(path)
    if isinstance(place, str):
        return _list_remote_files(place)
    files = [place]
    if place.is_dir():
        files = sorted(_files_below(place))
    elif not place.exists() and glob.has_magic(str(place)):
        files = sorted(_files_matching(place))
    if not files or not files[0].exists():
        problem = "no files in this folder" if place.is_dir() else "no such file"
        raise FileFormatError(f"{display(place)}: {problem}")
    return list(files)


MOST_FILES = 200_000
"""Files of a folder, with what lies beside them, that are looked at: with more it is a disk or a home."""


def has_more_files(folder: Path, limit: int) -> bool:
    """Say whether a folder and its folders have more files than this, as far as they can be read."""
    try:
        return next(islice(_files_below(folder), limit, None), None) is not None
    except FileFormatError:
        return False


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of its folders, through links, each folder once."""
    seen: set[str] = set()
    count = 0
    for parent, folders, names in os.walk(
        folder, followlinks=True, onerror=_refuse_unreadable_folder
    ):
        real = os.path.realpath(parent)
        if real in seen:  # a link leads back here
            folders.clear()
            continue
        seen.add(real)
        count += 1 + len(names)
        _refuse_too_many(folder, count)
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.startswith("."):
                continue
            file = require_reachable(Path(parent, name))
            if not file.exists():
                raise FileFormatError(
                    f"{file}: a link to a file that does not exist; repair or remove it"
                )
            if file.is_file():
                yield file


def _files_matching(pattern: Path) -> Iterator[Path]:
    """Yield the files that a glob matches."""
    found = glob.iglob(str(pattern), recursive=True)  # noqa: PTH207
    for count, name in enumerate(found, 1):
        _refuse_too_many(pattern, count)
        if (file := Path(name)).is_file():
            yield file


def _refuse_too_many(place: Path, count: int) -> None:
    if count > MOST_FILES:
        raise FileFormatError(
            f"{place}: more than {MOST_FILES:,} files and folders; name a folder that holds only what is to be read"
        )


def _refuse_unreadable_folder(error: OSError) -> None:
    raise FileFormatError(
        f"{error.filename}: the folder cannot be read ({error.strerror or error})"
    ) from error


def _list_remote_files(url: str) -> list[Location]:
    """List the files below a URL, or that match it, in order; of the URL of a file, just this."""
    first_url, chained, _ = url.partition("::")
    if chained and glob.has_magic(first_url):
        raise FileFormatError(
            f"{display(url)}: a chained URL cannot have a glob; name the files"
        )
    with _remote(url) as (system, path):
        if glob.has_magic(path):
            entries = list(system.glob(path, detail=True).values())
        elif url.endswith("/") or system.info(path)["type"] == "directory":
            below = system.find(path, detail=True)
            shown = [name for name in below if "/." not in name.removeprefix(path)]
            entries = [below[name] for name in shown]
        else:
            return [url]
        names = [entry["name"] for entry in entries if entry["type"] == "file"]
        files = sorted(map(system.unstrip_protocol, names))
    if not files:
        raise FileFormatError(f"{display(url)}: no such file")
    return list(files)


@contextmanager
def _remote(url: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a URL and the path in it; turn whatever goes wrong there into a FileFormatError."""
    with extras():
        import fsspec
    try:
        yield fsspec.url_to_fs(url)
    except FileNotFoundError as error:
        cause = error.__cause__  # some file systems raise this whatever went wrong
        if (
            cause is None
            or isinstance(cause, FileNotFoundError)
            or getattr(cause, "status", None) == 404
        ):
            raise FileFormatError(f"{display(url)}: no such file") from error
        reason = without_secrets(str(cause)) or type(cause).__name__
        raise FileFormatError(f"{display(url)}: cannot be read ({reason})") from error
    except ImportError as error:  # the file system's own package
        raise FileFormatError(
            f"{display(url)}: {without_secrets(str(error))} (pip install it, also on the workers of a cluster)"
        ) from error
    except Exception as error:  # each file system raises errors of its own
        reason = without_secrets(str(error)) or type(error).__name__
        raise FileFormatError(f"{display(url)}: cannot be read ({reason})") from error


class Content:
    """What a file holds once decompressed, piece by piece, and the SHA-256 of that: the same however it is packed.

    path : what messages call the file. A file is read again each time that its pieces are asked for; a URL or a pipe
    is read once, and kept.
    """

    def __init__(self, source: Location, path: Location | None = None) -> None:
        self.path = path or (source if isinstance(source, Path) else display(source))
        self._source = source
        self._digest = ""
        is_file = isinstance(source, Path) and require_reachable(source).is_file()
        self._whole_data = None if is_file else _read_whole(source)

    def pieces(self, *, digested: bool = True) -> Iterator[bytes]:
        """Yield the content in order; raise FileFormatError for a file that cannot be read, or a damaged archive.

        digested : whether the digest will be asked for; else nothing is spent on it.
        """
        if not digested:
            yield from self._decompressed_pieces()
            return
        sha = hashlib.sha256()
        for piece in self._decompressed_pieces():
            sha.update(piece)
            yield piece
        self._digest = sha.hexdigest()

    @property
    def data(self) -> bytes:
        """The whole content."""
        return b"".join(self.pieces())

    @property
    def digest(self) -> str:
        """The SHA-256 of the content, as it was when last read to its end."""
        if not self._digest:
            deque(self.pieces(), maxlen=0)
        return self._digest

    def _decompressed_pieces(self) -> Iterator[bytes]:
        """Yield the content, unpacked if it begins as something packed does."""
        pieces = self._raw_pieces()
        first = next(pieces, b"")
        pieces = chain([first], pieces)
        if _WORKBOOK.search(first):
            raise FileFormatError(
                f"{self.path}: an Excel workbook; save the sheet as CSV"
            )
        packed = next(
            (codec for magic, codec in MAGIC.items() if first.startswith(magic)), None
        )
        if packed is None:
            yield from pieces
            return
        kind, decompress = packed
        try:
            yield from self._within_limit(kind, decompress, pieces)
        except (FileFormatError, MemoryError):
            raise
        except _Unchecked as error:
            raise FileFormatError(
                f"{self.path}: the {kind} data have no checksum, so that damage would not be noticed; unpack "
                "them, or pack them with one (`zstd FILE` does; in Python ZstdCompressor(write_checksum=True))"
            ) from error
        except Exception as error:  # each codec raises errors of its own
            raise FileFormatError(
                f"{self.path}: damaged {kind} data ({error}); copy or download it again"
            ) from error

    def _within_limit(
        self,
        kind: str,
        decompress: Callable[[Iterator[bytes]], Iterator[bytes]],
        pieces: Iterator[bytes],
    ) -> Iterator[bytes]:
        """Decompress; raise FileFormatError where a little data is far more than a run or judgments could be."""
        read = unpacked = 0
        # gzip makes at most 1032 bytes of one, so its slices may be larger: they are faster
        size = 8 * _SLICE if kind == "gzip" else _SLICE

        def slices() -> Iterator[bytes]:
            nonlocal read
            for piece in pieces:
                # slice by slice, so that the limit is looked at before memory is full
                for start in range(0, len(piece), size):
                    part = piece[start : start + size]
                    read += len(part)
                    yield part

        for piece in decompress(slices()):
            unpacked += len(piece)
            if unpacked > unpacked_limit(read):
                raise FileFormatError(
                    f"{self.path}: the {kind} data unpack to more than {RATIO} times their size, "
                    f"more than memory allows ({FREE >> 20} MiB are free); if they are right, "
                    "unpack them first"
                )
            yield piece

    def _raw_pieces(self) -> Iterator[bytes]:
        """Yield the content as it is stored, at most PIECE bytes at a time."""
        if self._whole_data is not None:
            for start in range(0, len(self._whole_data), PIECE):
                yield self._whole_data[start : start + PIECE]
            return
        try:
            with Path(self._source).open("rb", buffering=0) as file:
                while piece := file.read(PIECE):
                    yield piece
        except OSError as error:
            raise _read_error(self.path, error) from error


def read_bytes(path: Location) -> bytes:
    """Read a file whole, decompressed if its content is gzip, bzip2, xz or zstd.

    A file that cannot be read, or a damaged archive, raises FileFormatError.
    """
    return Content(path).data


def _read_whole(path: Location) -> bytes:
    """Read a URL, a pipe or a device to its end; a device with more than FREE bytes raises FileFormatError."""
    if isinstance(path, str):
        with _remote(path) as (system, name):
            return bytes(system.cat_file(name))
    require_readable(path)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISCHR(mode) or file.isatty():
                return file.read()
            data = file.read(FREE + 1)
    except OSError as error:
        raise _read_error(path, error) from error
    if len(data) > FREE:
        raise FileFormatError(f"{path}: a device that does not end; name a file")
    return data


def _read_error(path: Location, error: OSError) -> FileFormatError:
    if isinstance(error, FileNotFoundError):
        return FileFormatError(f"{path}: no such file")
    return FileFormatError(f"{path}: cannot be read ({error.strerror or error})")


def stem(path: Location) -> str:
    """Return the file's name without a compression suffix: the name of the system whose run it holds.

    >>> stem(Path("runs/input.bm25.gz")), stem("s3://archive/bm25.run")
    ('input.bm25', 'bm25.run')
    """
    name = path.name if isinstance(path, Path) else PurePath(display(path)).name
    bare, _, suffix = name.rpartition(".")
    return bare if bare and f".{suffix}" in SUFFIXES else name


def display(path: Location) -> str:
    """Name a file: its path, or its URL without password, without query, and without the rest of a chain.

    >>> display("https://me:secret@archive.org/bm25.gz?token=secret"), display("simplecache::s3://archive/bm25.run")
    ('https://archive.org/bm25.gz', 's3://archive/bm25.run')
    """
    if isinstance(path, Path):
        return str(path)
    in_chain = (part for part in path.split("::") if "://" in part)
    return without_secrets(next(in_chain, path))


def without_secrets(text: str) -> str:
    """Cut users with passwords, and queries, which may hold a signature, from the URLs in a text.

    >>> without_secrets("403, url='https://me:secret@archive.org/bm25.gz?sig=secret'")
    "403, url='https://archive.org/bm25.gz'"
    """
    return re.sub(
        r"(\w://)(?:[^/\s]*@)?([^\s?'\"<>)]*)(?:\?[^\s'\"<>)]*)?", r"\1\2", text
    )
