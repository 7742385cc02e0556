"""Parts of papers: computed where their data are, not checkable with their names where not."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from tests.typed import typed

from irmeta.cli.showing.reproduce import PAPERS
from irmeta.datasets.catalog import PublicCollection, catalog, fetch, found
from irmeta.io.files import Content
from irmeta.papers import gupta2019
from irmeta.papers.parts import Part, gathered, known
from irmeta.studies.checks.reproduction import compare, tables

PAPER = "urbano2016"


def part(name: str, *needs: str) -> Part:
    """A part of one cell."""
    cell = compare("Table", name, "x", 1.0, 1.0, within=0)
    return Part(name, needs, lambda: [cell])


def test_a_part_without_its_data_says_which(tmp_path: Path) -> None:
    """Parts without needs, or whose data ship, are computed; the cells of others name all that is missing."""
    of = [part("none"), part("ships", "trec3-adhoc"), part("TREC-7 0", "trec7-adhoc")]
    cells = list(gathered(PAPER, of, tmp_path))
    assert [cell.status for cell in cells] == ["reproduced"] * 2 + ["not checkable"] * 4
    assert all(cell.note.startswith("needs trec7-adhoc, not in") for cell in cells[2:])
    assert {cell.published for cell in cells[2:]} == set(
        known().filter(paper=PAPER, part="TREC-7 0")["published"]
    )
    both = [part("TREC-7 0", "trec3-adhoc", "trec7-adhoc", "web2010")]
    note = next(gathered(PAPER, both, tmp_path)).note
    assert note.startswith("needs trec7-adhoc, web2010, not in the data folder")


def test_a_part_whose_data_are_other_ones_says_so(tmp_path: Path) -> None:
    """A file of other columns makes its cells not checkable, with these columns; the rest is computed."""
    (tmp_path / "systemwise").mkdir()
    (tmp_path / "systemwise" / "ranking.csv").write_text("a,b\n1,2\n")
    found = tables(gupta2019.reproduce(tmp_path))["cells"]
    said = found.filter(pl.col("note").str.contains("it has a, b"))
    of = known().filter(paper="gupta2019")
    parts = ["heat map", "by topic", "Table 3", "Figure 3"]
    assert said.height == of.filter(pl.col("part").is_in(parts)).height
    assert set(said["status"]) == {"not checkable"}
    assert found.filter(status="reproduced").height == 9


Cells = dict[tuple[str, str, str, str], dict[str, object]]
"""By paper, item, row and column."""


def reproduced(folder: Path) -> Cells:
    """Return the cells of all papers by the data of a folder, of which none is contradicted without a reason."""
    found: Cells = {}
    for paper in PAPERS:
        module = import_module(f"irmeta.papers.{paper.replace('-', '_')}")
        outcome = module.reproduce(folder)
        # then `irmeta reproduce` ends with 0
        assert not outcome["unexpected"].values.any()
        for cell in tables(outcome)["cells"].to_dicts():
            found[paper, cell["item"], cell["row"], cell["column"]] = cell
    return found


def lacks(cell: dict[str, object]) -> set[str]:
    """Return the data sets whose want makes a cell not checkable."""
    said = re.match("needs (.*), not in the data folder", str(cell["note"]))
    names = set(said[1].split(", ")) if said else set()
    assert names <= catalog().keys()
    assert cell["status"] == "not checkable" or not names
    return names


@pytest.fixture(scope="module")
def without_data(tmp_path_factory: pytest.TempPathFactory) -> Cells:
    """The cells of a folder without data."""
    return reproduced(tmp_path_factory.mktemp("empty"))


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", [*catalog()])
def test_every_data_set_is_of_use_alone(
    name: str, data: Path, tmp_path: Path, without_data: Cells
) -> None:
    """With one data set, cells that need no other are computed, and all others name the others that they need."""
    for file in catalog()[name].files:
        there = found(file.path, data)
        if there is None:
            pytest.skip(f"{file.path} is not at hand")
        target = (tmp_path / file.path).with_name(there.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(there)
    cells = reproduced(tmp_path)
    assert list(cells) == list(without_data)
    assert {key: lacks(cell) for key, cell in cells.items()} == {
        key: lacks(cell) - {name} for key, cell in without_data.items()
    }
    if name != "trec3-adhoc":  # it ships
        assert any(name in lacks(cell) for cell in without_data.values())


class Mirror(BaseHTTPRequestHandler):
    """Serves the files of a folder as they are published: not compressed."""

    def __init__(self, folder: Path, *given: object) -> None:
        self.folder = folder
        super().__init__(*given)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        there = found(self.path.lstrip("/"), self.folder)
        self.send_response(200 if there else 404)
        self.end_headers()
        if there:
            self.wfile.write(Content(there).data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def mirror(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server of what can be fetched publicly."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Mirror, data)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def at(address: str, collection: PublicCollection) -> PublicCollection:
    """Return a collection that is published at another address."""
    files = [
        replace(file, address=f"{address}/{file.path}") for file in collection.files
    ]
    return replace(collection, files=tuple(files))


@pytest.mark.slow
@pytest.mark.data
def test_what_can_be_fetched_publicly_reproduces(mirror: str, tmp_path: Path) -> None:
    """From an empty folder and a mirror of the public files, `reproduce all` ends with a table and 0."""
    for collection in catalog().values():
        public_ = all(file.address and file.sha256 for file in collection.files)
        if public_:
            fetch(at(mirror, collection), tmp_path / "data")
    arguments = [
        "reproduce",
        "all",
        "--data",
        tmp_path / "data",
        "-o",
        tmp_path / "out",
    ]
    outcome = typed([*map(str, arguments), "--quiet"])
    assert outcome.exit_code == 0
    for name in PAPERS:
        assert f"{name}: {known().filter(paper=name).height} cells: " in outcome.stdout
    assert (tmp_path / "out" / "index.html").is_file()
