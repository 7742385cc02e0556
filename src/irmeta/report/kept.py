"""Folders of pages: files that irmeta wrote there itself, and that nobody changed, are replaced; nothing else is."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.io.outputs import writing
from irmeta.io.places import reachable

PAGE = "index.html"


@dataclass(frozen=True)
class Kept:
    """A folder of a page and its files, which keeps a list of them, with digests.

    kind : "report" or "reproduction"; a folder of the one is not replaced by the other.
    may : the names of the files that this kind writes, as a regular expression; others in a list are not ours.
    """

    folder: Path
    kind: str
    may: str

    @property
    def _list(self) -> str:
        return f".irmeta-{self.kind}.json"

    @contextmanager
    def made(self) -> Iterator[None]:
        """Make the folder before the work rather than after it; one that is still empty goes again if the work fails.

        A folder that holds something else raises FileFormatError.
        """
        self._earlier()
        new = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFormatError(
                f"{self.folder}: cannot make this folder ({error.strerror or error})"
            ) from error
        try:
            yield
        except BaseException:
            if new and not any(self.folder.iterdir()):
                self.folder.rmdir()
            raise

    @contextmanager
    def replaced(self, names: Sequence[str]) -> Iterator[None]:
        """Remove the earlier files, let these be written, and list them."""
        earlier = self._earlier()
        ours = self._unchanged(earlier)
        self._refuse_theirs(names, ours)
        self._remove(earlier, ours)
        # listed before they are written: what is left of an interrupted command is the next one's to replace
        self._note(dict.fromkeys(names))
        for inside in {(self.folder / name).parent for name in names}:
            inside.mkdir(exist_ok=True)
        yield
        self._note({name: _digest(self.folder / name) for name in names})

    def _earlier(self) -> dict[str, str | None]:
        """Return what was written into the folder earlier, names and digests; refuse a folder of something else."""
        folder = reachable(self.folder)
        if folder.is_file():
            raise FileFormatError(
                f"{folder} is a file; name a folder for the {self.kind}"
            )
        if all(path.name.startswith(f".{self._list}.") for path in self._inside()):
            return {}
        try:
            listed = json.loads((folder / self._list).read_bytes())["files"]
            return {
                name: digest
                for name, digest in listed.items()
                if re.fullmatch(self.may, name)
            }
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            page = folder / PAGE
            lacks = f"a page without a list of its files, {self._list}"
            if page.is_file():
                what = lacks
            else:
                what = f"something that is not a {self.kind}"
            raise FileFormatError(
                f"{folder} holds {what}; choose a new or empty folder"
            ) from error

    def _inside(self) -> list[Path]:
        """List what is in the folder; nothing where there is none yet."""
        try:
            if self.folder.is_dir():
                return list(self.folder.iterdir())
            return []
        except OSError as error:
            raise FileFormatError(
                f"{self.folder}: the folder cannot be read ({error.strerror or error})"
            ) from error

    def _unchanged(self, earlier: Mapping[str, str | None]) -> set[str]:
        """Return the earlier files that are as they were written.

        A file without a digest is one that an interrupted command was to write; it may be half of one.
        """
        there = {name for name in earlier if self._holds(name)}
        return {
            name
            for name in there
            if earlier[name] in (None, _digest(self.folder / name))
        }

    def _refuse_theirs(self, names: Sequence[str], ours: set[str]) -> None:
        """Raise FileFormatError where a file is to be written that another has the place of, or outside the folder."""
        for name in names:
            path = self.folder / name
            if path.parent.is_symlink() and path.parent != self.folder:
                raise FileFormatError(
                    f"{path.parent} is a link to another folder; remove it, or choose a new folder"
                )
            if name not in ours and (path.exists() or path.is_symlink()):
                raise FileFormatError(
                    f"{path} was changed after the {self.kind} wrote it; move it away, or "
                    "choose a new folder"
                )

    def _remove(self, earlier: Mapping[str, str | None], ours: set[str]) -> None:
        """Remove earlier files, and what is left of files that were being written when a command was killed."""
        for name in ours:
            (self.folder / name).unlink()
        for name in (*earlier, self._list):
            path = self.folder / name
            if path.parent == self.folder or not path.parent.is_symlink():
                for half in path.parent.glob(f".{path.name}.*.part"):
                    half.unlink(missing_ok=True)

    def _holds(self, name: str) -> bool:
        """Tell whether a file is in the folder, and not behind a link."""
        path = self.folder / name
        return (
            path.is_file()
            and not path.is_symlink()
            and (path.parent == self.folder or not path.parent.is_symlink())
        )

    def _note(self, names: Mapping[str, str | None]) -> None:
        """Keep a list of what is written, each with the digest of its content once it is there."""
        with writing(self.folder / self._list) as part:
            part.write_text(
                json.dumps(
                    {"generator": f"irmeta {self.kind}", "files": names}, indent=1
                )
                + "\n",
                "utf-8",
            )


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
