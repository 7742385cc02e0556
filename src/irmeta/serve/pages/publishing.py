"""Writes the public files: each whole or not at all, only what changed, and first what a change shows first."""

import hashlib
import math
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, tables
from irmeta.serve.catalogue.snapshot import Snapshot, snapshot
from irmeta.serve.pages import html
from irmeta.serve.pages.folder import Folder
from irmeta.serve.pages.forms import template
from irmeta.serve.pages.html import File, Pages
from irmeta.serve.policy import Action
from irmeta.serve.results.series import Edition, edition_of, series_of
from irmeta.serve.results.standing import Known, compute_standing
from irmeta.serve.site import Site

MANIFEST, LOCK = "MANIFEST.sha256", "publishing.lock"
BESIDE = ("README.txt", "CITATION.cff", "LICENSE")
"""What tells a stranger what a frozen site is."""


@dataclass
class Shown:
    """What the public files show of a board.

    version : of the tables. about : what the first page says of it. everybody : whether all may see its scores.
    runs : by key what the page of a run says of the run alone, and the version that it is of.
    edition : what its series shows of it. rest : the files of this version that are not written yet.
    """

    version: int = 0
    everybody: bool = False
    about: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    edition: Edition | None = None
    rest: Iterator[None] | None = None


class Publisher:
    """Writes the public files of a site, or a frozen copy of them into another folder, and remembers what it wrote.

    The page of every run says where the run stands among all, so each change concerns each page. The tables, and the
    pages of the runs that changed themselves, are written first (`write_first`); the rest follows (`write_rest`).
    """

    def __init__(
        self, site: Site, engine: Engine, frozen: Folder | None = None
    ) -> None:
        """Remember nothing yet: all is written once. frozen : the folder of a copy that needs no server."""
        self._site = site
        self._engine = engine
        self._frozen = frozen is not None
        self._public = frozen or Folder(site.public)
        self._private = Folder(site.private)
        self._known: Known = {}
        self._shown: dict[str, Shown] = {}

    def write_first(self) -> dict[str, int]:
        """Write what a change shows first; return the version of each board that the tables show."""
        boards.log_passed_dates(self._engine)
        with self._site.locked_alone(LOCK, wait=True):
            for name, content in html.assets():
                self._public.put(name, content)
            for board in boards.all_boards(self._engine):
                shown = self._shown.setdefault(board.key, Shown())
                if shown.version != board.version:
                    shown.rest = None  # what is not written of an older version
                    self._write_board(shown, snapshot(self._engine, board.key))
            self._write_series()
            about = [shown.about for shown in self._shown.values() if shown.about]
            home = html.home_pages(self._site, about, frozen=self._frozen)
            for name, content in home:
                self._public.put(name, content)
        return {key: shown.version for key, shown in self._shown.items()}

    def write_rest(self, seconds: float) -> bool:
        """Write for some seconds what `write_first` left; say whether more is left."""
        until = time.monotonic() + seconds
        with self._site.locked_alone(LOCK, wait=True):
            for shown in self._shown.values():
                if any(time.monotonic() > until for _ in shown.rest or ()):
                    return True
                shown.rest = None
        return False

    def _write_board(self, shown: Shown, shot: Snapshot) -> None:
        """Write the pages of runs that changed themselves, then the tables that lead to them."""
        everybody = shot.anybody_may(Action.SEE_SCORES)
        if not everybody:
            self._write_notice(shown, shot)
            if self._frozen:
                return
        above = "../../" if everybody else "../../../"
        standing = compute_standing(shot, self._known)
        pages = Pages(self._site, shot, standing, frozen=self._frozen, above=above)
        alone, old = pages.digests_of_runs(), shown.runs
        if shown.everybody != everybody:
            shown.everybody, old = everybody, {}
        same = {key for key in alone if key in old and old[key][0] == alone[key]}
        new = alone.keys() - same
        names: set[str] = set()
        first = chain(pages.run_pages(new), pages.table_pages())
        for _ in self._write_files(shown, shot, first, names):
            pass
        version = shot.board.version
        shown.runs = {
            key: (alone[key], old[key][1] if key in same else version) for key in alone
        }
        shown.version = version
        shown.edition = edition_of(shot, standing) if everybody else None
        if everybody:
            shown.about = pages.facts()
        shown.rest = self._write_rest(shown, shot, pages, names)

    def _write_series(self) -> None:
        """Write the pages of series, of the boards that everybody may see now, and remove others."""
        names = set()
        editions = [of.edition for of in self._shown.values() if of.edition]
        for series in series_of(editions, self._known):
            name, content = html.series_page(self._site, series, frozen=self._frozen)
            self._public.put(name, content)
            names.add(name)
        self._public.keep_only(names, "series")

    def _write_notice(self, shown: Shown, shot: Snapshot) -> None:
        """Write what anybody may know of a board whose scores not everybody may see, and nothing else."""
        names = set()
        shown.about = {}
        if shot.anybody_may(Action.SEE_BOARD):
            name, content = html.notice_page(self._site, shot, frozen=self._frozen)
            self._public.put(name, content)
            names.add(name)
            shown.about = html.notice_facts(shot)
        self._public.keep_only(names, f"b/{shot.board.key}")

    def _write_rest(
        self, shown: Shown, shot: Snapshot, pages: Pages, names: set[str]
    ) -> Iterator[None]:
        """Write the data, and the pages of the other runs, those first that wait longest."""
        yield from self._write_files(shown, shot, pages.data_files(), names)
        version = shot.board.version
        waits = [key for key, (_, of) in shown.runs.items() if of != version]
        for key in sorted(waits, key=lambda key: shown.runs[key][1]):
            yield from self._write_files(shown, shot, pages.run_pages([key]), names)
            shown.runs[key] = shown.runs[key][0], version
        self._folder_of(shown).keep_only(names, f"b/{shot.board.key}")
        if shown.everybody and not self._frozen:
            self._private.keep_only((), f"b/{shot.board.key}")

    def _folder_of(self, shown: Shown) -> Folder:
        return self._public if shown.everybody else self._private

    def _write_files(
        self, shown: Shown, shot: Snapshot, files: Iterable[File], names: set[str]
    ) -> Iterator[None]:
        """Write files, one at each step, and note their names."""
        for name, content in files:
            path = f"b/{shot.board.key}/{name}"
            self._folder_of(shown).put(path, content)
            names.add(path)
            yield


def publish(site: Site, frozen: Folder | None = None) -> dict[str, int]:
    """Write all public files of a site, or of a frozen copy; return the version of each board that they show."""
    with tables.opened_catalogue(site.database) as engine:
        publisher = Publisher(site, engine, frozen)
        versions = publisher.write_first()
        publisher.write_rest(math.inf)
    return versions


def freeze(site: Site, folder: Path, *, runs: bool = False) -> int:
    """Write a copy of a site that needs no server; return how many files it has. Twice gives the same bytes.

    runs : copy the runs themselves, too, of boards that publish them.
    """
    if any(folder.glob("[!.]*")) and not (folder / "README.txt").exists():
        raise IrmetaError(
            f"{folder}: not empty and not a frozen site; name a new folder"
        )
    frozen = Folder(folder)
    for name, content in _explaining_files(site):
        frozen.put(name, content)
    publish(site, frozen)
    frozen.keep_only(frozen.written)
    if runs:
        _copy_runs(site, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files
        if path.name != MANIFEST
    ]
    frozen.put(MANIFEST, "".join(lines).encode())
    return len(lines) + 1


def _explaining_files(site: Site) -> Iterator[File]:
    """Yield the files that tell a stranger what a frozen site is."""
    title = " ".join(site.settings.title.split())
    yield ".nojekyll", b""
    for name in BESIDE:
        text = template(name).render(title=title, site=site.settings)
        yield name, f"{text}\n".encode()


def _copy_runs(site: Site, folder: Path) -> None:
    """Copy the runs of boards that publish them."""
    with tables.opened_catalogue(site.database) as engine:
        for key in boards.board_versions(engine):
            shot = snapshot(engine, key)
            for run in shot.runs if shot.anybody_may(Action.DOWNLOAD_RUN) else ():
                target = folder / "b" / shot.board.key / "runs" / run.run
                if site.run_path(run.run).exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(site.run_path(run.run), target)
