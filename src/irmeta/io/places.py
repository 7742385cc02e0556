"""Paths: what the system says of one, before anything is read or written there."""

import re
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.words import shortened

_OPEN = re.compile(r"/dev/(null|stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+")
"""Devices that never make a reader wait in vain: those that the shell opened, as `<(zcat run.gz)`, and the null one."""


def expand_home(text: str) -> str:
    """Return a path with the home folder in place of a ~ that no shell has replaced, as in --output=~/scores.parquet.

    >>> expand_home("~") == expand_home("~/") == str(Path.home()), expand_home("~notes.txt"), expand_home("a/~/b")
    (True, '~notes.txt', 'a/~/b')
    """
    in_home = text == "~" or text.startswith("~/")
    return str(Path(text).expanduser()) if in_home else text


def require_reachable(path: Path) -> Path:
    """Return a path, of a file that is there or may come there; raise FileFormatError if the system refuses it.

    It does for names that are too long or hold NUL, links that lead to themselves, and folders that are closed to us.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # nothing is there, as the caller finds out
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(
            f"{shortened(str(path), 300)}: cannot be reached ({reason})"
        ) from error
    return path


def require_readable(path: Path) -> Path:
    """Return a path whose content comes without waiting; FileFormatError names a pipe, a socket or a device.

    >>> require_readable(Path("/dev/fd/63")).name
    '63'
    """
    exists = require_reachable(path).exists()
    if exists and not (path.is_file() or path.is_dir() or _OPEN.fullmatch(str(path))):
        raise FileFormatError(
            f"{shortened(str(path), 300)}: a pipe, a socket or a device, where reading may wait without end; name a "
            "file, or let the shell open it: <(cat PIPE)"
        )
    return path
