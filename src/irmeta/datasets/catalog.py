"""Public collections: where they are published, under which licence, whom to cite; fetched once, and checked."""

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from irmeta.errors import IrmetaError
from irmeta.io.files import SUFFIXES, Content
from irmeta.parallel import steps

_FILE = Path(__file__).with_name("catalog.json")
SHIPPED = Path(__file__).with_name("published")
"""Small files whose licence lets them ship, laid out as in the data folder; each folder has its licence."""


@dataclass(frozen=True)
class PublicFile:
    """A published file: where it goes in the data folder, its address, its size in bytes, its SHA-256.

    address is None where we know the file but not where it is published; size and sha256 are None where we know its
    address but have not seen it.
    """

    path: str
    address: str | None
    size: int | None
    sha256: str | None


@dataclass(frozen=True)
class PublicCollection:
    """A public collection: what it is, where it comes from, its terms, and the command that computes its scores.

    ask : whom to ask for files that have no public address.
    """

    name: str
    about: str
    source: str
    licence: str
    citation: str
    use: str
    files: tuple[PublicFile, ...]
    ask: str = ""


@cache
def catalog() -> dict[str, PublicCollection]:
    """Return the public collections by name. Made by scripts/catalog.py.

    >>> catalog()["trec8-adhoc"].licence
    'CC BY-SA 4.0'
    """
    entries = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: PublicCollection(
            name, files=tuple(PublicFile(*file) for file in entry.pop("files")), **entry
        )
        for name, entry in entries.items()
    }


def data_folder(given: Path | None = None) -> Path:
    """Return the folder of public collections: `given`, else IRMETA_DATA, else one in the user's cache."""
    if given is not None:
        return given
    if named := os.environ.get("IRMETA_DATA"):
        return Path(named)
    from pooch import os_cache

    return Path(os_cache("irmeta"))


def missing(collection: PublicCollection, folder: Path) -> list[PublicFile]:
    """Return the files of a collection that neither a folder has nor irmeta; a compressed copy (NAME.gz) counts."""
    return [file for file in collection.files if found(file.path, folder) is None]


def fetch(collection: PublicCollection, folder: Path) -> list[PublicFile]:
    """Bring a collection into a folder and return the files that were downloaded; those already there are checked.

    Every file is held to its SHA-256, decompressed. A file of another content is an error and stays as it is; so is a
    download that fails. Run again to go on where it stopped.
    """
    fetched = []
    for file in steps(collection.files, "files"):
        there = found(file.path, folder)
        if there is None:
            _download(file, collection, folder)
            fetched.append(file)
        elif file.sha256 and Content(there).digest != file.sha256:
            raise IrmetaError(
                f"{there} differs from the published file (by its SHA-256); move it away and "
                "fetch again"
            )
    return fetched


def found(name: str, folder: Path) -> Path | None:
    """Return where a file of the catalogue is: in a folder, perhaps compressed, or in what ships."""
    names = (name, *(name + suffix for suffix in SUFFIXES))
    places = [*(folder / one for one in names), SHIPPED / name]
    return next((path for path in places if path.is_file()), None)


def digest(collection: PublicCollection) -> str | None:
    """Return one fingerprint of all files of a collection, of their SHA-256 in order; None where one is not known."""
    each = [file.sha256 for file in collection.files]
    if not all(each):
        return None
    return hashlib.sha256("".join(map(str, each)).encode()).hexdigest()[:12]


def _download(file: PublicFile, collection: PublicCollection, folder: Path) -> None:
    """Bring a file into a folder; IrmetaError says why it cannot be, or that its SHA-256 is another."""
    import pooch

    place = folder / file.path
    if file.address is None:
        raise IrmetaError(
            f"{file.path} has no public address (its source is {collection.source}); ask "
            f"{collection.ask} and put it at {place}: irmeta will check its SHA-256, {file.sha256}"
        )
    pooch.get_logger().setLevel("ERROR")
    hub = pooch.create(
        folder,
        "",
        registry={file.path: file.sha256},
        urls={file.path: file.address},
        retry_if_failed=1,
    )
    try:
        hub.fetch(file.path)
    except ValueError as error:  # pooch's word for a checksum that differs
        raise IrmetaError(
            f"{file.address} has changed since it was published (its SHA-256 differs): {error}"
        ) from error
    except OSError as error:  # requests' errors are of this family
        raise IrmetaError(
            f"cannot fetch {file.address} ({error}); try again, or put the file at {place} yourself"
        ) from error
