"""The folder that is a site: what lies where, its settings, and who serves it."""

import fcntl
import os
import secrets
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from irmeta.errors import IrmetaError

MIB = 1 << 20
SETTINGS = """\
# Settings of this site; `irmeta board check` says which are unsafe.
title = "{title}"
# address = "https://runs.example.org"   # as others reach it; files name it
# contact = "somebody@example.org"
"""


@dataclass(frozen=True)
class Settings:
    """What `site.toml` says; limits have defaults that suit a lab."""

    title: str = "Runs"
    address: str = ""
    contact: str = ""
    licence: str = ""
    body: int = 256 * MIB
    """Bytes of an upload, at most."""
    uploads: int = 16
    """Uploads at once, at most."""
    requests: int = 600
    """Requests of one token in a minute, at most."""
    free: int = 1024 * MIB
    """Bytes of the disk that stay free."""
    seconds: int = 180
    """How long a child may check or score one run."""
    memory: int = 2048 * MIB
    """Memory of a child, at most."""

    @classmethod
    def read(cls, path: Path) -> "Settings":
        """Read the settings; raise IrmetaError for a file that is not TOML, and for unknown names."""
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise IrmetaError(f"{path}: not TOML ({error})") from error
        for name, value in given.items():
            default = getattr(cls, name, None)
            if name not in cls.__dataclass_fields__:
                known = ", ".join(cls.__dataclass_fields__)
                raise IrmetaError(f"{path}: no setting {name!r}; there are {known}")
            if type(value) is not type(default):
                kind = "a text" if isinstance(default, str) else "a whole number"
                raise IrmetaError(f"{path}: {name} must be {kind}, not {value!r}")
        return cls(**given)


@dataclass(frozen=True)
class Site:
    """A site's folder."""

    folder: Path
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def open(cls, folder: Path) -> "Site":
        """Return a site that exists; raise IrmetaError for another folder."""
        settings = folder / "site.toml"
        if not settings.is_file():
            raise IrmetaError(
                f"{folder}: not a site (it has no site.toml); make one with `irmeta board new "
                f"KEY --site {folder}`"
            )
        found = cls(folder, Settings.read(settings))
        for part in (found.public, found.temporary):
            part.mkdir(mode=0o700, exist_ok=True)
        return found

    @classmethod
    def make(cls, folder: Path) -> "Site":
        """Return the site of a folder, made if it does not exist; another folder is not touched."""
        settings = folder / "site.toml"
        if not settings.exists():
            # what an interrupted beginning left is hidden
            if folder.exists() and any(folder.glob("[!.]*")):
                raise IrmetaError(
                    f"{folder}: not empty and not a site; name a new folder"
                )
            title = (folder.resolve().name or "Runs").replace('"', "'")
            text = SETTINGS.format(title=title.replace("\\", "/"))
            durable(settings, text.encode())
        return cls.open(folder)

    @property
    def database(self) -> Path:
        """The catalogue."""
        return self.folder / "site.db"

    @property
    def public(self) -> Path:
        """What strangers are served."""
        return self.folder / "public"

    @property
    def temporary(self) -> Path:
        """Where uploads arrive."""
        return self.folder / "tmp"

    def run(self, digest: str) -> Path:
        """Where a run lies, by the SHA-256 of its bytes in hexadecimal digits."""
        return self.folder / "runs" / digest[:2] / digest

    def truth(self, digest: str) -> Path:
        """Where judgments lie, by the SHA-256 of their file."""
        return self.folder / "truth" / f"{digest}.qrels"

    def documents(self, digest: str) -> Path:
        """Where the list of a collection's documents lies."""
        return self.folder / "documents" / f"{digest}.txt"

    @contextmanager
    def alone(self, lock: str, *, wait: bool = False) -> Iterator[None]:
        """Hold a lock of the site, which goes with the process; raise IrmetaError where another has it."""
        with (self.folder / lock).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except OSError as error:
                raise IrmetaError(
                    f"{self.folder}: another process serves this site; stop it first"
                ) from error
            yield

    def sweep(self) -> None:
        """Remove what interrupted uploads left; call it only while no server runs."""
        for part in self.temporary.iterdir():
            part.unlink(missing_ok=True)


def durable(path: Path, content: bytes) -> None:
    """Write a file that is there whole, and on the disk, or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    settle(part, path)


def settle(part: Path, path: Path) -> None:
    """Name a file that is on the disk, and put the name there, too."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
