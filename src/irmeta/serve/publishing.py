"""Writes the public files: each whole or not at all, only what changed; and freezes a site."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from irmeta.errors import IrmetaError
from irmeta.serve import catalogue, rendering, tables
from irmeta.serve.rendering import File
from irmeta.serve.site import Site
from irmeta.serve.standing import Known, Standing, stand

PART = ".part"
_KNOWN = Known()
_WRITTEN: dict[Path, bytes] = {}
"""Digests of the files that this process wrote: what has not changed is not written again."""


def publish(site: Site) -> dict[str, int]:
    """Write the public files of a site; return the version of each board that they show."""
    with site.alone("publishing.lock", wait=True):
        return _write(site, site.public, ())


def _write(site: Site, folder: Path, beside: Iterable[File]) -> dict[str, int]:
    """Render a site into a folder, and remove what belongs to it no more."""
    engine = tables.upgraded(site.database)
    shots = [catalogue.snapshot(engine, one.key) for one in catalogue.boards(engine)]
    engine.dispose()
    found = [(shot, stand(shot, _KNOWN)) for shot in shots]
    kept = set()
    for name, content in _rendered(site, found):
        _put(folder / name, content)
        kept.add(folder / name)
    for name, content in beside:
        _put(folder / name, content)
        kept.add(folder / name)
    _remove_others(folder, kept)
    return {shot.board.key: shot.board.version for shot in shots}


def _rendered(
    site: Site, found: list[tuple[catalogue.Snapshot, Standing]]
) -> Iterator[File]:
    yield from rendering.home(site, found)
    for shot, figures in found:
        yield from rendering.board(site, shot, figures)


def _put(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there, unless it is there."""
    digest = hashlib.sha256(content).digest()
    if _WRITTEN.get(path) == digest and path.exists():
        return
    if path not in _WRITTEN and path.is_file() and path.read_bytes() == content:
        _WRITTEN[path] = digest
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + PART)
    part.write_bytes(content)
    part.replace(path)
    _WRITTEN[path] = digest


def _remove_others(folder: Path, kept: set[Path]) -> None:
    """Remove files that the site does not have any more, and what an interrupted publication left."""
    for where, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(where, name)
            if path not in kept:
                path.unlink()
                _WRITTEN.pop(path, None)
        if Path(where) != folder and not any(Path(where).iterdir()):
            Path(where).rmdir()


README = """\
{title}: a frozen copy of a repository of runs, as irmeta serve keeps it.

Open index.html in any browser; no server is needed, every link works from a disk.
Put the folder on any static host to show it to others.

b/BOARD/data/ has the scores of each board: scores.csv and scores.parquet (a row for each
score: system, topic, metric), table.csv (a row for each run), topics.csv, and board.json
(everything else). In Python: pandas.read_parquet("scores.parquet"); in R:
read.csv("scores.csv"). `irmeta board import FOLDER --site SITE` makes a living site
of this copy again. MANIFEST.sha256 has the digest of every file:
sha256sum -c MANIFEST.sha256
{address}"""
CITATION = """\
cff-version: 1.2.0
message: If you use these scores, please cite this repository of runs.
title: {title}
type: dataset
authors:
  - name: {title}
"""
LICENCE = "The licence of these data: {licence}\n"
COLUMNS = {
    "scores.csv": ("system", "topic", "metric", "score"),
    "topics.csv": ("topic", "cluster"),
}


def freeze(site: Site, folder: Path, *, runs: bool = False) -> int:
    """Write a copy of a site that needs no server; return how many files it has. Twice gives the same bytes.

    runs : copy the runs themselves, too, of boards that publish them.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).exists():
        raise IrmetaError(
            f"{folder}: not empty and not a frozen site; name a new folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    _write(site, folder, _beside(site))
    if runs:
        _copy_runs(site, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}"
        for path in files
        if path.name != MANIFEST
    ]
    _put(folder / MANIFEST, ("\n".join(lines) + "\n").encode())
    return len(lines) + 1


MANIFEST = "MANIFEST.sha256"


def _beside(site: Site) -> Iterator[File]:
    """Return what tells a stranger what a frozen site is."""
    title = " ".join(site.settings.title.split())
    address = (
        f"It was served at {site.settings.address}\n" if site.settings.address else ""
    )
    yield ".nojekyll", b""
    yield "README.txt", README.format(title=title, address=address).encode()
    quoted = '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
    yield "CITATION.cff", CITATION.format(title=quoted).encode()
    licence = site.settings.licence or "not stated; ask whoever made this site"
    yield "LICENSE", LICENCE.format(licence=licence).encode()


def _copy_runs(site: Site, folder: Path) -> None:
    """Copy the runs of boards that publish them."""
    engine = tables.upgraded(site.database)
    for one in catalogue.boards(engine):
        if one.publish_runs:
            for run in catalogue.snapshot(engine, one.key).runs:
                source = site.run(run.run)
                if source.exists():
                    target = folder / "b" / one.key / "runs" / run.run
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
    engine.dispose()
