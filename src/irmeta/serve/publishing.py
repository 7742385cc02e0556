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

MANIFEST = "MANIFEST.sha256"
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
    _put(folder / MANIFEST, "".join(lines).encode())
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
        _put(folder / name, content)
        kept.add(folder / name)
    for where, _, names in os.walk(folder, topdown=False):
        for path in {Path(where, name) for name in names} - kept:
            path.unlink()
            _WRITTEN.pop(path, None)
        if Path(where) != folder and not any(Path(where).iterdir()):
            Path(where).rmdir()


def _put(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there, unless it is there."""
    digest = hashlib.sha256(content).digest()
    if path not in _WRITTEN and path.is_file():
        _WRITTEN[path] = hashlib.sha256(path.read_bytes()).digest()
    if _WRITTEN.get(path) == digest and path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
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
