"""The folder that is a site: what lies where, its settings, and who serves it."""

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any
from urllib.parse import urlsplit

import msgspec

from irmeta.errors import IrmetaError

MIB = 1 << 20
ADDRESS = "http://127.0.0.1:8400"
"""Where a site is served if nothing else is said."""
SETTINGS = """\
# Settings of this site; `irmeta board check` says which are unsafe.
title = "{title}"
# address = "https://runs.example.org"   # as others reach it; files name it
# contact = "somebody@example.org"
"""
_Count = Annotated[int, msgspec.Meta(ge=1)]
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider of OpenID Connect, through which people log in.

    name : in addresses of this site. issuer : as the provider calls itself. client : what it calls this site. The
    secret that it gave stands in a file, or in a variable of the environment.
    """

    name: Annotated[str, msgspec.Meta(pattern="^[a-z0-9-]{1,20}$")]
    label: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    issuer: Annotated[str, msgspec.Meta(max_length=200)]
    client: Annotated[str, msgspec.Meta(min_length=1)]
    secret_file: str = ""
    secret_env: str = ""

    def __post_init__(self) -> None:
        """Refuse a provider that anybody on the way could play, and one with no secret or two."""
        at = urlsplit(self.issuer)
        loopback = at.scheme == "http" and at.hostname in LOOPBACK
        if not at.hostname or not (at.scheme == "https" or loopback):
            raise ValueError(f"login {self.name}: issuer begins with https://")
        if bool(self.secret_file) == bool(self.secret_env):
            raise ValueError(f"login {self.name}: give secret_file or secret_env")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `site.toml` says; limits have defaults that suit a lab."""

    title: str = "Runs"
    address: str = ""
    contact: str = ""
    licence: str = ""
    database: str = ""
    """The address of PostgreSQL; without one the catalogue is a file of SQLite."""
    body: _Count = 256 * MIB
    """Bytes of an upload, at most."""
    uploads: _Count = 16
    """Uploads at once, at most."""
    requests: _Count = 600
    """Requests of one token in a minute, at most."""
    free: _Count = 1024 * MIB
    """Bytes of the disk that stay free."""
    seconds: _Count = 180
    """How long a child may check or score one run."""
    memory: _Count = 2048 * MIB
    """Memory of a child, at most."""
    login: tuple[Login, ...] = ()
    """Providers through which people log in."""

    def __post_init__(self) -> None:
        """Refuse two providers of one name, or of one issuer, and another database."""
        if self.database and not self.database.startswith("postgresql://"):
            raise ValueError("database: an address begins with postgresql://")
        for what in ("name", "issuer"):
            if len({getattr(login, what) for login in self.login}) < len(self.login):
                raise ValueError(f"login: two providers have one {what}")


def with_database(settings: str, address: str) -> str:
    r"""Return the text of `site.toml` for another database.

    address : of PostgreSQL; empty for a file of SQLite.

    >>> with_database('title = "Lab"\ndatabase = "postgresql:///old"\n', "")
    'title = "Lab"\n'
    """
    lines = settings.splitlines(keepends=True)
    rest = [line for line in lines if not re.match(r"\s*database\s*=", line)]
    named = f"database = {json.dumps(address)}\n" if address else ""
    return named + "".join(rest)


@dataclass(frozen=True)
class Site:
    """A site's folder."""

    folder: Path
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def open(cls, folder: Path) -> "Site":
        """Return a site that exists, and make what it lacks."""
        site = cls.read(folder)
        for part in (site.public, site.private, site.temporary):
            part.mkdir(mode=0o700, exist_ok=True)
        return site

    @classmethod
    def read(cls, folder: Path) -> "Site":
        """Return a site that exists; raise IrmetaError for another folder, and for settings that cannot be."""
        path = folder / "site.toml"
        if not path.is_file():
            raise IrmetaError(
                f"{folder}: not a site (it has no site.toml); make one with `irmeta board new "
                f"KEY --site {folder}`"
            )
        try:
            settings = msgspec.toml.decode(path.read_bytes(), type=Settings)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise IrmetaError(f"{path}: {error}") from error
        return cls(folder, settings)

    @classmethod
    def make(cls, folder: Path) -> "Site":
        """Return the site of a folder, made if it does not exist; another folder is not touched."""
        settings = folder / "site.toml"
        if not settings.exists():
            # what an interrupted beginning left is hidden
            if any(folder.glob("[!.]*")):
                raise IrmetaError(
                    f"{folder}: not empty and not a site; name a new folder"
                )
            title = (folder.resolve().name or "Runs").replace('"', "'")
            text = SETTINGS.format(title=title.replace("\\", "/"))
            write_durably(settings, text.encode())
        return cls.open(folder)

    @property
    def address(self) -> str:
        """As others reach it: what the settings say, or where it was served last."""
        served = self.folder / "address"
        last = served.read_text(encoding="utf-8") if served.exists() else ADDRESS
        return self.settings.address or last

    def login_secret(self, login: Login) -> str:
        """Return the secret that a login provider gave this site; raise IrmetaError where there is none."""
        where = f"{self.folder / 'site.toml'}: login {login.name}"
        if login.secret_env:
            secret, source = os.environ.get(login.secret_env, ""), login.secret_env
        else:
            path = self.folder / login.secret_file
            try:
                secret, source = path.read_text(encoding="utf-8"), str(path)
            except (OSError, UnicodeDecodeError) as error:
                raise IrmetaError(f"{where}: {path} cannot be read: {error}") from error
        if not secret.strip():
            raise IrmetaError(
                f"{where}: {source} is empty; put the client's secret there"
            )
        return secret.strip()

    def require_login(self, board: Mapping[str, Any]) -> None:
        """Refuse a board that anybody may join where nobody can log in."""
        if board.get("join") == "open" and not self.settings.login:
            raise IrmetaError(
                f"join open: without a login one person could be as many teams as they like; "
                f"name a login provider in {self.folder / 'site.toml'}, or say --join ask"
            )

    @property
    def database(self) -> Path | str:
        """The catalogue: a file of SQLite, or the address of PostgreSQL."""
        return self.settings.database or self.folder / "site.db"

    @property
    def public(self) -> Path:
        """What strangers are served."""
        return self.folder / "public"

    @property
    def private(self) -> Path:
        """The pages of boards that not everybody may see."""
        return self.folder / "private"

    @property
    def shown(self) -> Path:
        """Which versions of boards the pages show."""
        return self.folder / "shown.json"

    @property
    def temporary(self) -> Path:
        """Where uploads arrive."""
        return self.folder / "tmp"

    def run_path(self, digest: str) -> Path:
        """Where a run lies, by the SHA-256 of its bytes in hexadecimal digits."""
        return self.folder / "runs" / digest[:2] / digest

    def judgments_path(self, digest: str) -> Path:
        """Where judgments lie, by the SHA-256 of their file."""
        return self.folder / "truth" / f"{digest}.qrels"

    def documents_path(self, digest: str) -> Path:
        """Where the list of a collection's documents lies."""
        return self.folder / "documents" / f"{digest}.txt"

    def last_backup(self) -> int:
        """When the site was backed up last, in microseconds; 0 if it never was."""
        path = self.folder / "backed-up"
        return path.stat().st_mtime_ns // 1000 if path.exists() else 0

    @contextmanager
    def locked_alone(self, lock: str, *, wait: bool = False) -> Iterator[None]:
        """Hold a lock of the site, alone, which ends with the process; raise IrmetaError where another has it."""
        with (self.folder / lock).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except OSError as error:
                raise IrmetaError(
                    f"{self.folder}: another process serves this site; stop it first"
                ) from error
            yield

    @contextmanager
    def keeping_run(self, lock: int = fcntl.LOCK_SH) -> Iterator[None]:
        """Hold the lock under which runs are brought in: a run's bytes lie there before the catalogue names them.

        lock : LOCK_SH beside others, LOCK_EX while nobody brings one in.
        """
        with (self.folder / "keeping.lock").open("w") as file:
            fcntl.flock(file, lock)
            yield

    @contextmanager
    def being_served(self) -> Iterator[None]:
        """Be one of those who serve the site; who is the first removes what interrupted work left."""
        with (self.folder / "lock").open("w") as file:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.remove_leftovers()
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    def remove_leftovers(self) -> None:
        """Remove what interrupted work left; call it only while no server runs."""
        here, folders = self.folder, (self.temporary, self.public, self.private)
        for folder in (here, *folders, here / "truth", here / "documents"):
            for part in folder.glob("*.part"):
                part.unlink(missing_ok=True)


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that is there whole, and on the disk, or not at all."""
    _make_private(path.parent)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with open_private(part) as file:
        file.write(content)
    move_durably(part, path)


def open_private(path: Path) -> IO[bytes]:
    """Open a new file to write, which only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(descriptor, "wb")


def move_durably(part: Path, path: Path) -> None:
    """Move a file to its place, and return when the disk has it: its bytes first, then its name."""
    _make_private(path.parent)
    _sync(part)
    part.replace(path)
    _sync(path.parent)


def _make_private(folder: Path) -> None:
    """Make a folder, and those above it that lack, for who serves the site: `mkdir` lets others into these."""
    for level in (*reversed(folder.parents), folder):
        level.mkdir(mode=0o700, exist_ok=True)


def _sync(path: Path) -> None:
    """Return once a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
