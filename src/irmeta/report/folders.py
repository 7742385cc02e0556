"""Folders that irmeta writes pages into, opened once: files in them are reached by name from there, through no link."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from irmeta.errors import FileFormatError

_HANDLES = os.open in os.supports_dir_fd
"""Whether names can be looked up in an open folder; where not, as on Windows, links are looked for before."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
# a pipe that somebody put in a file's place does not hold us up
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_PART = r"\.{}\.[0-9a-f]{{8}}\.part"
"""The name of a file that is being written."""

Place = tuple[int | None, str]
"""An open folder, and a name in it; without handles, a path."""


class Folder:
    """An open folder. Names in it are a file's, or a file's in a folder inside, as in tables/means.csv.

    No link is followed, also not one that somebody makes while we write: nothing outside of the folder is read,
    replaced or removed. The path of the folder itself may lead through links, as the user wrote it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = os.open(path, _FOLDER) if _HANDLES else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the folder."""
        if self._handle is not None:
            os.close(self._handle)

    def names(self, inside: str = "") -> list[str]:
        """List what the folder holds, or a folder inside of it; nothing where that is a link or does not exist."""
        with suppress(OSError), self._opened_folder(inside) as handle:
            where = self.path / inside if handle is None else handle
            return sorted(os.listdir(where))  # noqa: PTH208 pathlib knows no handles
        return []

    def has(self, name: str) -> bool:
        """Say whether anything has this name, a link too."""
        with suppress(OSError), self._opened_at(name) as (handle, leaf):
            os.stat(leaf, dir_fd=handle, follow_symlinks=False)
            return True
        return False

    def read(self, name: str) -> bytes | None:
        """Return what a file holds; None where there is no such file, or a link or anything else has its name."""
        with (
            suppress(OSError),
            self._opened_at(name) as (handle, leaf),
            os.fdopen(os.open(leaf, _FILE, dir_fd=handle), "rb") as file,
        ):
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
        return None

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file, which appears whole or not at all; a link of its name is replaced, not followed."""
        data = content.encode() if isinstance(content, str) else content
        try:
            with self._opened_at(name, make=True) as (handle, leaf):
                _write_whole(handle, leaf, data)
        except OSError as error:
            raise FileFormatError(
                f"{self.path / name}: cannot be written ({error.strerror or error})"
            ) from error

    def remove(self, name: str) -> None:
        """Remove a file."""
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            self._opened_at(name) as (handle, leaf),
        ):
            os.unlink(leaf, dir_fd=handle)

    def remove_halves(self, name: str) -> None:
        """Remove what processes that were killed left of a file that they were writing."""
        inside, _, leaf = name.rpartition("/")
        half = re.compile(_PART.format(re.escape(leaf)))
        for left in filter(half.fullmatch, self.names(inside)):
            self.remove(f"{inside}/{left}" if inside else left)

    @contextmanager
    def _opened_at(self, name: str, *, make: bool = False) -> Iterator[Place]:
        """Yield where a name is looked up."""
        inside, _, leaf = name.rpartition("/")
        with self._opened_folder(inside, make=make) as handle:
            yield handle, leaf if _HANDLES else str(self.path / name)

    @contextmanager
    def _opened_folder(self, name: str, *, make: bool = False) -> Iterator[int | None]:
        """Open a folder inside of this one, or this one where it has no name; a link raises OSError."""
        if not name:
            yield self._handle
            return
        if make and not self.has(name):
            os.mkdir(name if _HANDLES else self.path / name, dir_fd=self._handle)
        if not _HANDLES:
            if (self.path / name).is_symlink():
                raise NotADirectoryError(f"{self.path / name} is a link")
            yield None
            return
        handle = os.open(name, _FOLDER | _NO_LINK, dir_fd=self._handle)
        try:
            yield handle
        finally:
            os.close(handle)


def _write_whole(folder: int | None, path: str, data: bytes) -> None:
    """Write beside a file, and put it in its place once it is on the disk."""
    before, _, name = path.rpartition(os.sep)
    part = os.path.join(before, f".{name}.{secrets.token_hex(4)}.part")  # noqa: PTH118
    try:
        with os.fdopen(os.open(part, _NEW, 0o666, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        raise
