"""Folders of pages: files that irmeta wrote there itself, and that nobody changed, are replaced; nothing else is."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.io.outputs import locked_folder
from irmeta.io.places import require_reachable
from irmeta.io.strictly import parse_json
from irmeta.report.folders import Folder

PAGE = "index.html"
Write = Callable[[str, str | bytes], None]
"""Writes a file of a page: its name in the folder, and what it holds."""


@dataclass(frozen=True)
class Kept:
    """A folder of a page and its files, which keeps a list of them, with digests.

    kind : "report", "leaderboard" or "reproduction"; a folder of the one is not replaced by the other.
    may : the names of the files that this kind writes, as a regular expression; others in a list are not ours.
    """

    folder: Path
    kind: str
    may: str

    @property
    def _list(self) -> str:
        return f".irmeta-{self.kind}.json"

    @contextmanager
    def making_folder(self) -> Iterator[None]:
        """Make the folder before the work rather than after it; one that is still empty goes again if the work fails.

        A folder that holds something else raises FileFormatError.
        """
        if require_reachable(self.folder).is_file():
            raise FileFormatError(
                f"{self.folder} is a file; name a folder for the {self.kind}"
            )
        new = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            list(self.folder.iterdir())
        except OSError as error:
            raise FileFormatError(
                f"{self.folder}: cannot be made or read ({error.strerror or error})"
            ) from error
        with Folder(self.folder) as folder:
            self._earlier_files(folder)
        try:
            yield
        except BaseException:
            if new and not any(self.folder.iterdir()):
                self.folder.rmdir()
            raise

    @contextmanager
    def replacing_files(self, names: Sequence[str]) -> Iterator[Write]:
        """Remove the earlier files, and yield what writes these; all that is written is listed."""
        digests: dict[str, str | None] = dict.fromkeys(names)
        with locked_folder(self.folder), Folder(self.folder) as folder:
            earlier = self._earlier_files(folder)
            ours = _unchanged(folder, earlier)
            self._refuse_theirs(folder, names, ours)
            for name in (*earlier, self._list):
                folder.remove_halves(name)
            for name in ours:
                folder.remove(name)
            # listed before they are written: what is left of an interrupted command is the next one's to replace
            self._write_list(folder, digests)

            def write(name: str, content: str | bytes) -> None:
                folder.write(name, content)
                digests[name] = _digest(content)

            yield write
            self._write_list(folder, digests)

    def _earlier_files(self, folder: Folder) -> Mapping[str, str | None]:
        """Return what was written into the folder earlier, names and digests; refuse a folder of something else."""
        there = folder.names()
        if all(name.startswith(f".{self._list}.") for name in there):
            return {}
        try:
            listed = parse_json(folder.read(self._list) or b"")["files"]
            return {
                name: digest
                for name, digest in listed.items()
                if re.fullmatch(self.may, name)
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"something that is not a {self.kind}"
            if PAGE in there:
                what = f"a page without a list of its files, {self._list}"
            raise FileFormatError(
                f"{self.folder} holds {what}; choose a new or empty folder"
            ) from error

    def _refuse_theirs(
        self, folder: Folder, names: Sequence[str], ours: set[str]
    ) -> None:
        """Raise FileFormatError where another file has the place of one that is to be written, or a link leads away."""
        for inside in {name.rpartition("/")[0] for name in names} - {""}:
            if (self.folder / inside).is_symlink():
                raise FileFormatError(
                    f"{self.folder / inside} is a link to another folder; remove it, or choose a new folder"
                )
        for name in names:
            if name not in ours and folder.has(name):
                raise FileFormatError(
                    f"{self.folder / name} was changed after the {self.kind} wrote it; move it away, or "
                    "choose a new folder"
                )

    def _write_list(self, folder: Folder, names: Mapping[str, str | None]) -> None:
        """Keep a list of what is written, each with the digest of its content once it is there."""
        about = {"generator": f"irmeta {self.kind}", "files": names}
        folder.write(self._list, json.dumps(about, indent=1) + "\n")


def _unchanged(folder: Folder, earlier: Mapping[str, str | None]) -> set[str]:
    """Return the earlier files that are as they were written.

    A file without a digest is one that an interrupted command was to write; it may be half of one.
    """
    held = {name: folder.read(name) for name in earlier}
    return {
        name
        for name, content in held.items()
        if content is not None and earlier[name] in (None, _digest(content))
    }


def _digest(content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    return sha256(data).hexdigest()
