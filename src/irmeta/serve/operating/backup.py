"""A site in one file: copied while it is served, and verified before it is a site again."""

import hashlib
import io
import re
import secrets
import shutil
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import IO

import sqlalchemy as sa

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import databases, tables
from irmeta.serve.catalogue.tables import board, judgments, run
from irmeta.serve.site import Site, move_durably, open_private, with_database

MANIFEST, CATALOGUE = "MANIFEST.sha256", "site.db"
SETTINGS, TOKEN = "site.toml", "token"
BEGUN = "backed-up"
"""A file as old as the last backup."""
_OURS = re.compile(
    r"site\.(db|toml)|token|runs/[0-9a-f]{2}/[0-9a-f]{64}|truth/[0-9a-f]{64}\.qrels|documents/[0-9a-f]{64}\.txt"
)
"""What a backup holds; the pages are made again."""
_BYTES = 1 << 20


def back_up(site: Site, target: Path) -> int:
    """Write a site into one file, whole or not at all; return how many files are in it.

    The catalogue is copied first: what it names is on the disk before it does, and goes only where a check refuses it.
    """
    if target.exists():
        raise IrmetaError(f"{target} exists; choose another name, or remove it")
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with TemporaryDirectory(dir=site.temporary) as held:
        begun = Path(held) / BEGUN
        begun.touch()
        catalogue = Path(held) / CATALOGUE
        tables.copy_catalogue(site.database, catalogue)
        paths = [
            site.folder / SETTINGS,
            site.folder / TOKEN,
            *_named_files(site, catalogue),
        ]
        files = {CATALOGUE: catalogue} | {
            path.relative_to(site.folder).as_posix(): path
            for path in paths
            if path.exists() or path.name != TOKEN
        }
        try:
            with open_private(part) as file:
                count = _write_archive(site, file, files)
            move_durably(part, target)
            begun.replace(site.folder / BEGUN)
        except FileNotFoundError as error:
            raise IrmetaError(
                f"{error.filename}: lost; irmeta board check --site {site.folder} names all that is"
            ) from error
        finally:
            part.unlink(missing_ok=True)
    return count


def _named_files(site: Site, catalogue: databases.Where) -> Iterator[Path]:
    """Yield the runs, judgments and lists of documents that a catalogue names."""
    engine = databases.open_engine(catalogue)
    stored = sa.select(run.c.digest).where(run.c.stored.is_not(None))
    judged = sa.select(judgments.c.digest).distinct()
    listed = sa.select(board.c.documents).distinct()
    with databases.reading(engine) as db:
        yield from map(site.run_path, db.scalars(stored))
        yield from map(site.judgments_path, db.scalars(judged))
        yield from map(site.documents_path, filter(None, db.scalars(listed)))
    engine.dispose()


def _write_archive(site: Site, file: IO[bytes], files: dict[str, Path]) -> int:
    """Write files into an archive, without runs that are refused meanwhile; return how many."""
    lines = []
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, path in files.items():
            if not path.exists() and path not in [*_named_files(site, site.database)]:
                continue
            with path.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
                content.seek(0)
                archive.addfile(_archive_member(name, path.stat().st_size), content)
            lines.append(f"{digest}  {name}\n")
        manifest = "".join(lines).encode()
        archive.addfile(_archive_member(MANIFEST, len(manifest)), io.BytesIO(manifest))
    return len(lines)


def _archive_member(name: str, size: int) -> tarfile.TarInfo:
    """Return the head of a file in an archive, which only its owner may read."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member


def restore(
    file: Path, folder: Path, *, database: str = "", replace: bool = False
) -> Path | None:
    """Make a site of a backup; return where the site went that stood in its place, if one did.

    database : the address of an empty PostgreSQL that is to hold the catalogue; a file of SQLite does otherwise.
    replace : put a site that is there aside, which nobody may serve meanwhile.
    """
    if database:
        databases.open_engine(database)
    there = folder.exists() and any(folder.iterdir())  # what is hidden, too
    if there and not replace:
        raise IrmetaError(
            f"{folder}: not empty; name a new folder, or put the site that is there aside with --replace"
        )
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    held = Path(mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        _unpack(file, held)
        _make_site(held, database)
        if not there:
            held.rename(folder)
            return None
        aside = folder.with_name(f"{folder.name}.{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        with Site.open(folder).locked_alone("lock"):
            folder.rename(aside)
            held.rename(folder)
        return aside
    finally:
        shutil.rmtree(held, ignore_errors=True)


def _make_site(folder: Path, database: str) -> None:
    """Make a site of the unpacked folder of a backup; a database (an address) takes its catalogue."""
    catalogue, settings = folder / CATALOGUE, folder / SETTINGS
    tables.open_catalogue(catalogue).dispose()
    text = with_database(settings.read_text(encoding="utf-8"), database)
    settings.write_text(text, encoding="utf-8")
    if Site.open(folder).settings.database != database:
        raise IrmetaError(f"{SETTINGS} names its database twice; mend it in the site")
    if database:
        tables.copy_to_database(catalogue, database)
        catalogue.unlink()


def _unpack(file: Path, folder: Path) -> None:
    """Write the files of a backup; raise IrmetaError unless they are those that it was made of."""
    digests, listed = dict[str, str](), dict[str, str]()
    if not file.is_file():  # a pipe would be waited for
        raise IrmetaError(f"{file}: no such file; `irmeta board backup` writes them")
    try:
        with tarfile.open(file, "r:") as archive:
            for member in archive:
                ours = member.name == MANIFEST or _OURS.fullmatch(member.name)
                content = archive.extractfile(member) if member.isreg() else None
                if content is None or not ours or member.name in digests:
                    raise IrmetaError(
                        f"{file}: not a backup of a site: it holds {member.name[:100]!r}"
                    )
                if member.name == MANIFEST:
                    listed = _digests_in(content.read())
                else:
                    digests[member.name] = _copy_hashed(content, folder / member.name)
    except (tarfile.TarError, EOFError) as error:
        raise IrmetaError(
            f"{file}: not a backup of a site, or a damaged one: {error}"
        ) from error
    wrong = sorted(
        name
        for name in digests.keys() | listed.keys()
        if digests.get(name) != listed.get(name)
    )
    if wrong or not {CATALOGUE, SETTINGS} <= digests.keys():
        raise IrmetaError(
            f"{file}: damaged: {wrong[0] if wrong else CATALOGUE} is not what was backed up; take another backup"
        )


def _digests_in(manifest: bytes) -> dict[str, str]:
    """Return the digests of files by name, as a manifest lists them."""
    lines = manifest.decode("ascii", "replace").splitlines()
    pairs = (line.partition("  ") for line in lines)
    return {name: digest for digest, _, name in pairs}


def _copy_hashed(content: IO[bytes], path: Path) -> str:
    """Write a file that only the operator may read; return its SHA-256."""
    digest = hashlib.sha256()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_private(path) as file:
        while block := content.read(_BYTES):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()
