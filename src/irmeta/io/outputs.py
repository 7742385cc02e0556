"""Files out: each appears whole or not at all, and whoever writes score files into a folder is alone there."""

import glob
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.places import require_reachable

try:
    import fcntl
except ImportError:
    LOCKS = False  # on Windows
else:
    LOCKS = True


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to; at the end it replaces `path`, or is removed if anything failed.

    A link stays a link, and its target is replaced; a file that is replaced keeps its permissions. What goes to a pipe
    or a device is copied there at the end.
    """
    require_folder(path)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder, path.name)
                yield copy
                with copy.open("rb") as source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
            return
        with _replacing(path.resolve()) as part:
            yield part
    except BrokenPipeError:  # whoever read has enough
        raise
    except OSError as error:
        raise FileFormatError(
            f"{path}: cannot be written ({error.strerror or error})"
        ) from error
    except pl.exceptions.ComputeError as error:  # polars has its own for a full disk
        raise FileFormatError(f"{path}: cannot be written ({error})") from error


def append(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file by one write, so that they are there whole, beside what others add."""
    require_folder(path)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            written = os.write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise FileFormatError(
            f"{path}: cannot be written ({error.strerror or error})"
        ) from error
    if written < len(data):
        raise FileFormatError(f"{path}: the disk is full; its last line is cut off")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a new file beside `path`, which replaces it at the end, once it is on the disk, and else is removed."""
    remove_abandoned_parts(path)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666
    part, handle = _locked_part(path, mode)
    try:
        if path.exists():
            part.chmod(mode)  # with what the process's umask withholds
        yield part
        os.fsync(handle)
        if not LOCKS:
            os.close(handle)
        part.replace(path)
    finally:
        with suppress(OSError):  # closed
            os.close(handle)
        part.unlink(missing_ok=True)


def _locked_part(path: Path, mode: int) -> tuple[Path, int]:
    """Make a file beside `path`, and lock it: one that nobody has locked is of a process that was killed."""
    while True:
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        try:
            _lock(handle, wait=False)
            if part.exists():
                return part, handle
        # another process takes it for one that was left, and removes it
        except BlockingIOError:
            pass
        except OSError:  # a file system without locks
            return part, handle
        os.close(handle)


def remove_abandoned_parts(path: Path) -> None:
    """Remove the files beside `path` that processes left when they were killed."""
    if not LOCKS:
        return
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError), part.open("rb") as file:
            _lock(file.fileno(), wait=False)
            part.unlink()


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Wait until no other process writes score files into a folder, and keep others waiting until the end.

    What is read, changed and written in this time, no other process changes. The lock is the kernel's, on the folder
    itself: a process that is killed leaves none behind. File systems and platforms without locks do without.
    """
    if not LOCKS or not folder.is_dir():
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise FileFormatError(
            f"{folder}: the folder cannot be read ({error.strerror or error})"
        ) from error
    try:
        with suppress(OSError):
            _lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, *, wait: bool) -> None:
    """Lock an open file or folder until it is closed, also by a process that is killed."""
    if LOCKS:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def make_folder(path: Path) -> Path:
    """Return a folder, which is made where it does not exist; raise FileFormatError where it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFormatError(
            f"{path}: the folder cannot be made ({error.strerror or error}); choose another"
        ) from error
    return path


def require_folder(path: Path) -> None:
    """Raise FileFormatError if there is no folder to write this file into, or it is a folder itself."""
    if require_reachable(path).is_dir():
        raise FileFormatError(f"{path}: this is a folder; name a file")
    if not path.parent.is_dir():
        raise FileFormatError(
            f"{path}: the folder {Path(path).parent} does not exist; create it first"
        )
