"""Folders that pages are written into: nothing outside of them is read, replaced or removed."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from irmeta.errors import FileFormatError
from irmeta.report import folders
from irmeta.report.folders import Folder
from irmeta.report.kept import Kept

NAME = "tables/means.csv"


@pytest.fixture(params=[True, False], ids=["handles", "paths"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder, once with handles and once without, as on Windows, beside a victim."""
    if not request.param:
        monkeypatch.setattr(folders, "_HANDLES", False)
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "means.csv").write_text("years of work")
    (tmp_path / "page").mkdir()
    return tmp_path / "page"


def test_files_are_written_whole(place: Path) -> None:
    """What is written is read again, is listed, and goes with what killed processes left of it."""
    with Folder(place) as folder:
        folder.write(NAME, "one")
        folder.write(NAME, b"two")
        assert (folder.read(NAME), folder.names("tables")) == (b"two", ["means.csv"])
        (place / "tables" / ".means.csv.0123abcd.part").write_text("half")
        (place / "tables" / ".means.csv.mine.part").write_text("mine")
        folder.remove_halves(NAME)
        folder.remove(NAME)
        assert not folder.has(NAME)
        assert folder.names("tables") == [".means.csv.mine.part"]


@pytest.mark.parametrize("kind", ["file", "folder", "pipe"])
def test_no_link_is_followed(place: Path, kind: str) -> None:
    """A link in the place of a file or of its folder, and a pipe, are neither read nor written through."""
    victim = place.parent / "victim"
    if kind == "folder":
        (place / "tables").symlink_to(victim)
    else:
        (place / "tables").mkdir()
    if kind == "file":
        (place / NAME).symlink_to(victim / "means.csv")
    if kind == "pipe":
        os.mkfifo(place / NAME)
    with Folder(place) as folder:
        if folders._HANDLES or kind == "folder":
            assert folder.read(NAME) is None
        if kind == "folder":
            assert folder.names("tables") == []
            with pytest.raises(FileFormatError, match="cannot be written"):
                folder.write(NAME, "ours")
        else:
            assert folder.has(NAME)
            folder.write(NAME, "ours")
    assert (victim / "means.csv").read_text() == "years of work"


def test_a_link_made_meanwhile_is_not_followed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever puts a link in the place of the folder itself, once it is open, does not move what is written."""
    if not folders._HANDLES:
        pytest.skip("needs handles")
    victim = place.parent / "victim"
    with Folder(place) as folder:
        place.rename(place.parent / "moved")
        place.symlink_to(victim)
        folder.write("means.csv", "ours")
    assert (victim / "means.csv").read_text() == "years of work"
    assert (place.parent / "moved" / "means.csv").read_text() == "ours"


def _listed(folder: Path, victim: Path) -> None:
    victim.write_text(json.dumps({"files": {}, "precious": "my data"}))
    (folder / ".irmeta-report.json").symlink_to(victim)


def _linked(folder: Path, victim: Path) -> None:
    (folder / ".irmeta-report.json").write_text('{"files": {"index.html": null}}')
    (folder / "index.html").symlink_to(victim)


@pytest.mark.parametrize("made", [_listed, _linked])
def test_a_report_replaces_nothing_through_a_link(
    tmp_path: Path, made: Callable[[Path, Path], None]
) -> None:
    """A list of files, or a page, that is a link is refused, and what it leads to stays as it is."""
    victim = tmp_path / "victim.json"
    victim.write_text("years of work")
    (tmp_path / "page").mkdir()
    made(tmp_path / "page", victim)
    before = victim.read_text()
    kept = Kept(tmp_path / "page", "report", r"index\.html")
    with (
        pytest.raises(FileFormatError, match="holds something|was changed"),
        kept.making_folder(),
        kept.replacing_files(["index.html"]) as write,
    ):
        write("index.html", "ours")
    assert victim.read_text() == before


def test_a_list_with_a_name_twice_is_not_ours(tmp_path: Path) -> None:
    """A list of files that readers could take for two different ones is refused."""
    (tmp_path / ".irmeta-report.json").write_text('{"files": {}, "files": {}}')
    with (
        pytest.raises(FileFormatError, match="not a report"),
        Kept(tmp_path, "report", "x").making_folder(),
    ):
        pass
