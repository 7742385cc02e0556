"""Files appear whole or not at all, keep their permissions, and killed processes leave nothing for long."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from irmeta.errors import FileFormatError
from irmeta.io import outputs
from irmeta.io.outputs import writing


def test_written_whole(tmp_path: Path) -> None:
    """Output replaces the old file at the end, has the usual permissions, and leaves nothing beside it."""
    path = tmp_path / "out"
    path.write_text("old")
    with writing(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
        assert part.parent == path.parent
        assert part.name.startswith(".")
    assert path.read_text() == "new"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert _names(tmp_path) == ["out"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_not_written_at_all(
    tmp_path: Path, failure: type[BaseException] | Exception
) -> None:
    """When writing fails or is interrupted the old file stands untouched, and no part of a new one."""
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(failure), writing(path) as part:
        _fail_halfway(part, failure)
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["out"]


def test_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing folder, a folder in the file's place, a refused or a full disk are errors that name the path."""
    with (
        pytest.raises(FileFormatError, match="the folder .*nowhere does not exist"),
        writing(tmp_path / "nowhere/x"),
    ):
        pass
    with (
        pytest.raises(FileFormatError, match="/: this is a folder"),
        writing(Path("/")),
    ):
        pass
    (tmp_path / "taken").mkdir()
    with (
        pytest.raises(FileFormatError, match="taken: this is a folder; name a file"),
        writing(tmp_path / "taken"),
    ):
        pass
    with (
        pytest.raises(FileFormatError, match="full: cannot be written .No space left"),
        writing(tmp_path / "full"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(outputs.os, "open", refuse)
    with (
        pytest.raises(FileFormatError, match="x: cannot be written .Permission denied"),
        writing(tmp_path / "x"),
    ):
        pass
    assert _names(tmp_path) == ["taken"]


def test_replaced_files_keep_their_permissions(tmp_path: Path) -> None:
    """A file that only its owner may read stays so when it is written again."""
    file = tmp_path / "scores.parquet"
    file.write_text("old")
    file.chmod(0o600)
    with writing(file) as part:
        part.write_text("new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o600)


def test_killed_writers_leave_nothing_for_long(tmp_path: Path) -> None:
    """What a killed process left beside a file goes when the file is written next; what another one writes stays."""
    file = tmp_path / "out"
    killed = "import pathlib, sys, time; from irmeta.io.outputs import writing\n"
    killed += "with writing(pathlib.Path(sys.argv[1])) as part: print(part, flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", killed, str(file)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with writing(file) as part:
            assert left.exists()
            part.write_text("one")
        process.send_signal(signal.SIGKILL)
    assert left.exists()
    with writing(file) as part:
        part.write_text("two")
    assert _names(tmp_path) == ["out"]


def test_pipes_take_what_is_written(tmp_path: Path) -> None:
    """A pipe gets the whole output, whatever wrote it into a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with writing(pipe) as part:
        part.write_text("whole")
    reader.join(10)
    assert read == ["whole"]


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _fail_halfway(part: Path, failure: type[BaseException] | Exception) -> None:
    part.write_text("half")
    raise failure


def test_a_full_disk_is_an_error_whoever_writes(tmp_path: Path) -> None:
    """Polars has an error of its own for a disk that is full; nothing is left beside the path."""
    with (
        pytest.raises(FileFormatError, match="x: cannot be written .File too large"),
        writing(tmp_path / "x") as part,
    ):
        _fail_halfway(part, pl.exceptions.ComputeError("File too large (os error 27)"))
    assert list(tmp_path.iterdir()) == []
