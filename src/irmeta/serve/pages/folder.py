"""A folder of finished files: each is there whole or not at all, and only what has changed is written."""

import hashlib
import os
from collections.abc import Container
from pathlib import Path

PART = "writing.part"


class Folder:
    """A folder that one process writes, which remembers what it wrote."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests: dict[str, bytes] = {}

    @property
    def written(self) -> Container[str]:
        """The names of all files that were written, or were there as they are to be."""
        return self._digests

    def put(self, name: str, content: bytes) -> None:
        """Write a file and move it to its place, unless it is there."""
        path = self._path / name
        digest = hashlib.sha256(content).digest()
        there = path.exists()
        if there and name not in self._digests:
            self._digests[name] = hashlib.sha256(path.read_bytes()).digest()
        if there and self._digests[name] == digest:
            return
        if not there:
            path.parent.mkdir(parents=True, exist_ok=True)
        # made in one folder: the first file of a folder costs six times as much
        part = self._path / PART
        part.write_bytes(content)
        part.replace(path)
        self._digests[name] = digest

    def keep_only(self, names: Container[str], below: str = "") -> None:
        """Remove all other files below a folder, and what an interrupted writing left."""
        for where, _, files in os.walk(self._path / below, topdown=False):
            folder = Path(where)
            for path in (folder / file for file in files):
                name = path.relative_to(self._path).as_posix()
                if name not in names:
                    path.unlink()
                    self._digests.pop(name, None)
            if folder != self._path and not any(folder.iterdir()):
                folder.rmdir()
