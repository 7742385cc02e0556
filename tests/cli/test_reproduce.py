"""`irmeta reproduce` as users call it."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import xarray as xr
from tests.typed import typed

from irmeta.cli.showing import reproduce as verb
from irmeta.errors import IrmetaError
from irmeta.papers.parts import known
from irmeta.studies.checks.reproduction import compare, reproduction


def paper(name: str, ours: float) -> ModuleType:
    def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
        cell = compare("Table 1", "AP", "tau", 0.5, ours, within=0.01)
        return reproduction(name, [cell], options={"seed": rng})

    module = ModuleType(f"irmeta.papers.{name}")
    module.reproduce = reproduce  # type: ignore[attr-defined]
    return module


@pytest.fixture
def papers(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    made = {
        "good": paper("good", 0.5),
        "bad": paper("bad", 0.9),
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
        "Reproduced: 1 of 1 printed numbers.",
        "bad: 1 cells: 1 contradicted.",
        "Reproduced: 0 of 1 printed numbers.",
        "Figures contradicted without a known reason: Table 1, AP, tau.",
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


def test_all_papers_run_from_an_empty_folder(tmp_path: Path) -> None:
    """Without any data every cell is there, those that need some not checkable with its name; it ends with 0."""
    output = tmp_path / "out"
    code, shown = run("all", "--data", tmp_path / "none", "-o", output, "--quiet")
    assert code == 0
    for name in verb.PAPERS:
        document = json.loads((output / f"{name}.json").read_text())
        cells = document["tables"]["cells"]
        listed = known().filter(paper=name)
        keys = ("item", "row", "column")
        assert [[cell[key] for key in keys] for cell in cells] == [
            list(row) for row in listed.select(keys).iter_rows()
        ]
        away = [cell for cell in cells if "not in the data folder" in cell["note"]]
        assert {cell["status"] for cell in away} <= {"not checkable"}
        assert f"{name}: {len(cells)} cells" in shown
    assert "45 of 45 printed numbers" in shown  # the data of urbano2013 ship


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


def test_help_names_the_papers() -> None:
    """The short help lists every paper that can be asked for, and `all`."""
    code, shown = run("--help")
    words = " ".join(shown.replace("│", " ").split())
    assert code == 0
    assert f"Which paper? {', '.join(verb.PAPERS)}, all." in words
