"""`irmeta reproduce` as users call it."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import xarray as xr
from typer.testing import CliRunner

from irmeta.cli import reproduce as verb
from irmeta.cli.app import app
from irmeta.errors import IrmetaError
from irmeta.studies.reproduction import compare, reproduction


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
    outcome = CliRunner().invoke(app, ["reproduce", *map(str, arguments)])
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
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
        "Contradicted without a known reason: Table 1, AP, tau.",
        f"The page: {folder / 'index.html'}",
    ]
    assert sorted(path.name for path in folder.iterdir()) == [
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
        match=r"(?s)poor is .* lacks trec8-adhoc\..*irmeta datasets fetch trec8-adhoc",
    ):
        run("all", "--data", tmp_path, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("papers")
def test_wrong_arguments_are_errors(tmp_path: Path) -> None:
    """An unknown paper, a form for `all`, and a file for its folder are errors that say what to do."""
    with pytest.raises(IrmetaError, match="unknown paper 'goad'; did you mean good"):
        run("goad")
    with pytest.raises(IrmetaError, match="--format and --table are for one paper"):
        run("all", "--data", tmp_path, "--format", "json")
    (tmp_path / "file").touch()
    with pytest.raises(IrmetaError, match="cannot be made .*name another folder"):
        run("all", "--data", tmp_path, "-o", tmp_path / "file")
