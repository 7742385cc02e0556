"""Paths: what the system says of one, before anything is read or written there."""

from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.words import shortened


def reachable(path: Path) -> Path:
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
