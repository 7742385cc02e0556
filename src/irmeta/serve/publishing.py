"""Writes the public files: each whole or not at all, only what changed; and freezes a site."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, tables
from irmeta.serve.catalogue.snapshot import Snapshot, snapshot
from irmeta.serve.pages import html
from irmeta.serve.pages.forms import template
from irmeta.serve.pages.html import File
from irmeta.serve.site import Site
from irmeta.serve.standing import Known, stand

MANIFEST, PART = "MANIFEST.sha256", "writing.part"
BESIDE = ("README.txt", "CITATION.cff", "LICENSE")
"""What tells a stranger what a frozen site is."""
_KNOWN: Known = {}
_WRITTEN: dict[Path, bytes] = {}
"""Digests of the files that this process wrote: what has not changed is not written again."""


def publish(site: Site) -> dict[str, int]:
    """Write the public files of a site; return the version of each board that they show."""
    with site.alone("publishing.lock", wait=True):
        shots = _snapshots(site)
        _write(site.public, _rendered(site, shots))
    return {shot.board.key: shot.board.version for shot in shots}


def freeze(site: Site, folder: Path, *, runs: bool = False) -> int:
    """Write a copy of a site that needs no server; return how many files it has. Twice gives the same bytes.

    runs : copy the runs themselves, too, of boards that publish them.
    """
    if any(folder.glob("[!.]*")) and not (folder / "README.txt").exists():
        raise IrmetaError(
            f"{folder}: not empty and not a frozen site; name a new folder"
        )
    shots = _snapshots(site)
    _write(folder, [*_beside(site), *_rendered(site, shots)])
    if runs:
        _copy_runs(site, folder, shots)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files
        if path.name != MANIFEST
    ]
    _put(folder, folder / MANIFEST, "".join(lines).encode())
    return len(lines) + 1


def _snapshots(site: Site) -> list[Snapshot]:
    engine = tables.upgraded(site.database)
    shots = [snapshot(engine, one.key) for one in boards.boards(engine)]
    engine.dispose()
    return shots


def _rendered(site: Site, shots: Iterable[Snapshot]) -> Iterator[File]:
    """Render a site."""
    found = [(shot, stand(shot, _KNOWN)) for shot in shots]
    yield from html.home(site, found)
    for shot, figures in found:
        for name, content in html.Pages(site, shot, figures).all():
            yield f"b/{shot.board.key}/{name}", content


def _beside(site: Site) -> Iterator[File]:
    title = " ".join(site.settings.title.split())
    yield ".nojekyll", b""
    for name in BESIDE:
        text = template(name).render(title=title, site=site.settings)
        yield name, f"{text}\n".encode()


def _write(folder: Path, files: Iterable[File]) -> None:
    """Write files into a folder, and remove from it what they are not, and what an interrupted writing left."""
    kept = set()
    for name, content in files:
        path = folder / name
        _put(folder, path, content)
        kept.add(path)
    for where, _, names in os.walk(folder, topdown=False):
        for path in {Path(where, name) for name in names} - kept:
            path.unlink()
            _WRITTEN.pop(path, None)
        if Path(where) != folder and not any(Path(where).iterdir()):
            Path(where).rmdir()


def _put(folder: Path, path: Path, content: bytes) -> None:
    """Write a file and move it to its place, unless it is there."""
    digest = hashlib.sha256(content).digest()
    there = path.exists()
    if there and path not in _WRITTEN:
        _WRITTEN[path] = hashlib.sha256(path.read_bytes()).digest()
    if there and _WRITTEN[path] == digest:
        return
    if not there:
        path.parent.mkdir(parents=True, exist_ok=True)
    # made in one folder: the first file of a folder costs six times as much
    part = folder / PART
    part.write_bytes(content)
    part.replace(path)
    _WRITTEN[path] = digest


def _copy_runs(site: Site, folder: Path, shots: Iterable[Snapshot]) -> None:
    """Copy the runs of boards that publish them."""
    for shot in shots:
        for run in shot.runs if shot.board.publish_runs else ():
            target = folder / "b" / shot.board.key / "runs" / run.run
            if site.run(run.run).exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(site.run(run.run), target)
