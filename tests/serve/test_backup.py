"""A site in one file: it becomes the same site again, or is refused."""

import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from tests.serve.conftest import Served, a_run

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import submissions, tables
from irmeta.serve.operating import backup, checkup
from irmeta.serve.operating.backup import back_up, restore
from irmeta.serve.pages.publishing import publish
from irmeta.serve.site import Site


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file below a folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def rewritten(file: Path, target: Path, **others: bytes | None) -> Path:
    """A backup with other content in files of it, or without them; `_` in a name stands for a point."""
    changes = {name.replace("_", "."): content for name, content in others.items()}
    with tarfile.open(file) as old, tarfile.open(target, "w") as new:
        for member in old:
            content = changes.get(member.name, old.extractfile(member).read())
            if content is not None:
                member.size = len(content)
                new.addfile(member, io.BytesIO(content))
    return target


def test_a_restored_site_has_the_same_pages(filled: Site, tmp_path: Path) -> None:
    """Every public file is the same to the byte, nothing is lost, and others cannot read the file of the backup."""
    publish(filled)
    file = tmp_path / "site.tar"
    count = back_up(filled, file)
    assert count == 2 + 5 + 1  # catalogue and settings, runs, judgments
    assert file.stat().st_mode & 0o077 == 0
    assert restore(file, tmp_path / "other") is None
    other = Site.open(tmp_path / "other")
    publish(other)
    assert files(other.public) == files(filled.public)
    engine = tables.open_catalogue(other.database)
    assert list(checkup.problems(other, engine)) == []
    engine.dispose()
    assert not list(tmp_path.glob("*.part"))
    assert not list(tmp_path.glob(".*.part"))


def test_a_backup_is_whole_while_runs_arrive(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the catalogue of a backup names is in it, though runs arrive, and are checked, meanwhile."""
    monkeypatch.setattr("irmeta.serve.web.door.WAIT", 0.0)
    made = [tmp_path / f"{at}.tar" for at in range(12)]
    with ThreadPoolExecutor(1) as sender:
        for at, file in enumerate(made):
            sent = sender.submit(served.put, f"late{at}", a_run(100 + at))
            back_up(served.site, file)
            assert sent.result().status_code in (201, 202)
    counts = []
    for file in made:
        restore(file, file.with_suffix(""))
        other = Site.open(file.with_suffix(""))
        engine = tables.open_catalogue(other.database)
        assert list(checkup.problems(other, engine)) == []
        counts.append(sum(submissions.count_by_state(engine, "lab").values()))
        engine.dispose()
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_a_run_that_is_refused_meanwhile_is_not_missed(
    filled: Site, tmp_path: Path, monkeypatch
) -> None:
    """Bytes that go because a check refused the run are no loss, those that only went are; a copy of both is whole."""
    engine = tables.open_catalogue(filled.database)
    [one, other, *_] = submissions.submissions_of(engine, 1)
    copied = tables.copy_catalogue

    def late(where: Any, target: Path) -> None:
        copied(where, target)
        with engine.begin() as db:
            db.execute(
                text("UPDATE run SET stored = NULL WHERE digest = :run"), one._mapping
            )
        submissions.remove_unnamed_bytes(filled, engine, one.run)

    monkeypatch.setattr(tables, "copy_catalogue", late)
    file = tmp_path / "site.tar"
    assert back_up(filled, file) == 2 + 4 + 1
    restore(file, tmp_path / "other")
    filled.run_path(other.run).unlink()
    with pytest.raises(IrmetaError, match="lost"):
        back_up(filled, tmp_path / "again.tar")
    engine.dispose()


def test_what_is_no_whole_backup_is_refused(filled: Site, tmp_path: Path) -> None:
    """Damage, lost and strange members, another file or none: nothing is made, and nothing stays behind."""
    file = tmp_path / "site.tar"
    back_up(filled, file)
    whole = file.read_bytes()
    short, other = tmp_path / "short.tar", tmp_path / "other.tar"
    short.write_bytes(whole[: len(whole) // 2])
    other.write_bytes(b"not a tar")
    strange = tmp_path / "strange.tar"
    with tarfile.open(strange, "w") as archive:
        member = tarfile.TarInfo("../escaped")
        archive.addfile(member)
    link = tmp_path / "link.tar"
    with tarfile.open(link, "w") as archive:
        member = tarfile.TarInfo("site.db")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    twice = tmp_path / "twice.tar"
    (filled.folder / "site.toml").write_text('"database" = "postgresql:///runs"\n')
    back_up(filled, twice)
    broken = [
        (short, "damaged"),
        (other, "not a backup"),
        (strange, "escaped"),
        (link, "site.db"),
        (rewritten(file, tmp_path / "a.tar", site_toml=b"title = 'x'\n"), "site.toml"),
        (rewritten(file, tmp_path / "b.tar", site_db=None), "site.db"),
        (rewritten(file, tmp_path / "c.tar", MANIFEST_sha256=None), "damaged"),
        (tmp_path / "none.tar", "no such file"),
        (twice, "names its database twice"),
    ]
    for one, says in broken:
        with pytest.raises(IrmetaError, match=says):
            restore(one, tmp_path / "made")
        assert not (tmp_path / "made").exists()
    assert not (tmp_path / "escaped").exists()
    assert not list(tmp_path.glob(".*"))


def test_a_site_that_is_there_goes_aside_and_is_not_served(
    filled: Site, tmp_path: Path
) -> None:
    """Restoring over a site needs to be asked for; the newer site is kept, and one that is served stays."""
    file = tmp_path / "site.tar"
    back_up(filled, file)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / ".kept").write_text("x")
    with pytest.raises(IrmetaError, match="not empty"):
        restore(file, tmp_path / "hidden")
    assert (tmp_path / "hidden" / ".kept").exists()
    (filled.folder / "newer").write_text("x")
    with pytest.raises(IrmetaError, match="--replace|replace=True"):
        restore(file, filled.folder)
    with (
        filled.locked_alone("lock"),
        pytest.raises(IrmetaError, match="serves this site"),
    ):
        restore(file, filled.folder, replace=True)
    aside = restore(file, filled.folder, replace=True)
    assert (aside / "newer").read_text() == "x"
    assert not (filled.folder / "newer").exists()
    with pytest.raises(IrmetaError, match="exists"):
        back_up(filled, file)


def test_an_interrupted_backup_leaves_nothing(
    filled: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the middle of it, and a run that was lost, leave no file; what is lost is named."""
    file = tmp_path / "site.tar"

    def full(*_: object) -> tarfile.TarInfo:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_archive_member", full)
        with pytest.raises(OSError, match="No space"):
            back_up(filled, file)
    run = next(path for path in (filled.folder / "runs").rglob("*") if path.is_file())
    run.unlink()
    with pytest.raises(IrmetaError, match=f"{run.name}: lost"):
        back_up(filled, file)
    assert not file.exists()
    assert not list(tmp_path.glob(".*.part"))
    assert not list(filled.temporary.iterdir())
