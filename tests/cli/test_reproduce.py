"""`irmeta reproduce` as users call it."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import xarray as xr
from tests.typed import typed

from irmeta.cli import reproduce as verb
from irmeta.errors import IrmetaError
from irmeta.studies.checks.reproduction import compare, reproduction


def paper(name: str, ours: float, needs: tuple[str, ...] = ()) -> ModuleType:
    def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
        cell = compare("Table 1", "AP", "tau", 0.5, ours, within=0.01)
        return reproduction(name, [cell], options={"seed": rng})

    module = ModuleType(f"irmeta.papers.{name}")
    module.reproduce, module.NEEDS = reproduce, needs  # type: ignore[attr-defined]
    return module


@pytest.fixture
def papers(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    made = {
        "good": paper("good", 0.5),
        "bad": paper("bad", 0.9),
        "poor": paper("poor", 0.5, ("trec8-adhoc",)),
    }
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, f"irmeta.papers.{name}", module)
    monkeypatch.setattr(verb, "PAPERS", {"good": "A good paper", "bad": "A bad paper"})
    return made


def run(*arguments: object) -> tuple[int, str]:
    outcome = typed(["reproduce", *map(str, arguments)])
    return outcome.exit_code, outcome.stdout


@pytest.mark.usefixtures("papers")
def test_all_papers_make_a_page_and_documents(tmp_path: Path) -> None:
    """`all` writes index.html and a JSON document a paper, and exits with 1 as one of them has a figure that fails."""
    folder = tmp_path / "deep" / "reproduction"
    code, shown = run("all", "--data", tmp_path, "-o", folder, "--seed", "4", "--quiet")
    assert code == 1
    assert shown.splitlines() == [
        "good: 1 cells: 1 reproduced.",
        "bad: 1 cells: 1 contradicted.",
        "Figures contradicted without a known reason: Table 1, AP, tau.",
        f"The page: {folder / 'index.html'}",
    ]
    assert sorted(path.name for path in folder.iterdir()) == [
        ".irmeta-reproduction.json",
        "bad.json",
        "good.json",
        "index.html",
    ]
    document = json.loads((folder / "bad.json").read_text())
    assert document["options"] == {"paper": "bad", "seed": 4}
    assert document["tables"]["cells"][0]["ours"] == 0.9
    page = (folder / "index.html").read_text()
    assert page.index("A good paper") < page.index("A bad paper")


def test_one_paper_exits_with_0_if_it_holds(
    papers: dict[str, ModuleType], tmp_path: Path
) -> None:
    """A paper whose figures reproduce exits with 0."""
    assert run("good", "--data", tmp_path)[0] == 0
    assert run("bad", "--data", tmp_path)[0] == 1


def test_what_is_missing_is_named_before_any_work(
    papers: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where collections are missing the error names them, the folder, and the command that fetches them."""
    monkeypatch.setattr(verb, "PAPERS", {"good": "", "poor": ""})
    with pytest.raises(
        IrmetaError,
        match=r"(?s)poor needs .* lacks trec8-adhoc\..*irmeta datasets fetch trec8-adhoc",
    ):
        run("all", "--data", tmp_path, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("papers")
def test_wrong_arguments_are_errors(tmp_path: Path) -> None:
    """An unknown paper, a form for `all`, and a file for its folder are errors that say what to do."""
    with pytest.raises(IrmetaError, match="unknown paper 'goad'; did you mean good"):
        run("goad")
    with pytest.raises(IrmetaError, match="--format and --table with one paper"):
        run("all", "--data", tmp_path, "--format", "json")
    (tmp_path / "file").touch()
    with pytest.raises(
        IrmetaError, match="is a file; name a folder for the reproduction"
    ):
        run("all", "--data", tmp_path, "-o", tmp_path / "file")


@pytest.mark.usefixtures("papers")
@pytest.mark.parametrize("name", ["index.html", "good.json", "notes.txt"])
def test_files_of_others_stay(tmp_path: Path, name: str) -> None:
    """`all` refuses a folder with a page or a file that it did not write, also one that names irmeta reproduce."""
    folder = tmp_path / "site"
    folder.mkdir()
    theirs = (
        '<meta name="generator" content="irmeta reproduce"> how we ran irmeta reproduce'
    )
    (folder / name).write_text(theirs)
    with pytest.raises(IrmetaError, match="a new or empty folder"):
        run("all", "--data", tmp_path, "-o", folder)
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == theirs


@pytest.mark.usefixtures("papers")
def test_all_replaces_its_own_files_but_none_that_was_changed(tmp_path: Path) -> None:
    """A second `all` writes the same files; a document that somebody edited since stays, and is named."""
    folder = tmp_path / "out"
    for _ in range(2):
        assert run("all", "--data", tmp_path, "-o", folder, "--quiet")[0] == 1
    (folder / "notes.txt").write_text("years of work")
    assert run("all", "--data", tmp_path, "-o", folder, "--quiet")[0] == 1
    assert (folder / "notes.txt").read_text() == "years of work"
    (folder / "bad.json").write_text("my own")
    with pytest.raises(
        IrmetaError, match=r"bad\.json was changed after the reproduction wrote it"
    ):
        run("all", "--data", tmp_path, "-o", folder)
    assert (folder / "bad.json").read_text() == "my own"
