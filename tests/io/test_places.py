"""Paths that the system refuses: names too long, NUL, links in a circle, closed folders."""

from collections.abc import Callable
from pathlib import Path

import pytest

import irmeta
from irmeta.cli import main
from irmeta.datasets import factors as factor_files
from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.files import list_files
from irmeta.io.lists import read_sample
from irmeta.io.places import require_reachable
from irmeta.io.tables.spreadsheet import read_types

SCORES = irmeta.from_frame({"a": {"1": 0.5, "2": 0.1}, "b": {"1": 0.2, "2": 0.3}})
RUN = {"r": {"1": {"a": 1.0}}}
DOORS: dict[str, Callable[[Path], object]] = {
    "load": irmeta.load,
    "import_table": irmeta.import_table,
    "import_mteb": irmeta.import_mteb,
    "import_trec_eval": irmeta.import_trec_eval,
    "load_model": irmeta.load_model,
    "factors": factor_files.load,
    "qrels": lambda path: irmeta.evaluate(path, RUN, "AP"),
    "run": lambda path: irmeta.evaluate({"1": {"a": 1}}, path, "AP"),
    "run by name": lambda path: irmeta.evaluate({"1": {"a": 1}}, {"r": path}, "AP"),
    "read_groups": irmeta.read_groups,
    "read_types": read_types,
    "read_sample": read_sample,
    "save": lambda path: irmeta.save(SCORES, path),
    "append": lambda path: irmeta.save(SCORES, path, append=True),
    "evaluate_to": lambda path: irmeta.evaluate_to(path, {"1": {"a": 1}}, RUN, "AP"),
    "write_report": lambda path: irmeta.write_report(SCORES, path),
}


@pytest.mark.parametrize("door", DOORS)
def test_paths_that_the_system_refuses_are_errors(tmp_path: Path, door: str) -> None:
    """A name of 4096 bytes, a path of as many, one with NUL, and a link to itself are refused for what they are."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (Path("a" * 4096), Path("a/" * 2048 + "a"), Path("a\0b"), loop):
        with pytest.raises(IrmetaError, match="cannot be reached"):
            DOORS[door](path)


def test_a_closed_folder_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in a folder that is closed to us is not called missing; what is not there may come there."""

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    assert require_reachable(Path("not there")) == Path("not there")
    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(FileFormatError, match=r"cannot be reached \(Permission denied"):
        require_reachable(Path("closed/file"))


def test_a_folder_that_names_its_files_but_opens_none_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No run of a folder is left out because it cannot be looked at."""
    (tmp_path / "run").touch()
    stat = Path.stat

    def refuse(path: Path, **options: bool) -> object:
        if path.name == "run":
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(FileFormatError, match="run: cannot be reached"):
        list_files(tmp_path)


def test_errors_of_the_system_end_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the system that no reader or writer expected names the file, and the command exits with 2."""

    def refuse(_: object) -> None:
        raise OSError(5, "Input/output error", "s.parquet")

    monkeypatch.setattr("irmeta.cli._modules", list)
    monkeypatch.setattr("irmeta.cli.app.run", refuse)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err == "irmeta: s.parquet: Input/output error\n"


def test_the_home_folder_is_where_a_tilde_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No shell replaces a ~ behind an = or in Python, so both ways in do."""
    monkeypatch.setenv("HOME", str(tmp_path))
    scores = SCORES
    irmeta.save(scores, "~/s.parquet")
    irmeta.save(scores, Path("~/t.parquet"))
    assert irmeta.load("~/s.parquet").identical(irmeta.load(tmp_path / "t.parquet"))
    monkeypatch.chdir(tmp_path)
    words = ["irmeta", "describe", "s.parquet", "--output=~/d.json"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit, match="0"):
        main()
    assert (tmp_path / "d.json").is_file()
