"""Parts of papers: computed where their data are, not checkable with their names where not."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path

import pytest
from tests.typed import typed

from irmeta.cli.reproduce import PAPERS
from irmeta.datasets.catalog import PublicCollection, catalog, fetch, found
from irmeta.io.files import Content
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


def reproduced(paper: str, folder: Path) -> list[dict[str, object]]:
    """Return the cells of a paper by the data of a folder."""
    module = import_module(f"irmeta.papers.{paper.replace('-', '_')}")
    outcome = module.reproduce(folder)
    assert not outcome["unexpected"].values.any()
    return list(tables(outcome)["cells"].to_dicts())


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", [*catalog()])
def test_every_data_set_is_of_use_alone(name: str, data: Path, tmp_path: Path) -> None:
    """With one data set, the cells that are computed are those of a folder with all data."""
    for file in catalog()[name].files:
        there = found(file.path, data)
        if there is None:
            pytest.skip(f"{file.path} is not at hand")
        target = (tmp_path / file.path).with_name(there.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(there)
    for paper in PAPERS:
        cells = reproduced(paper, tmp_path)
        listed = known().filter(paper=paper).select("item", "row", "column")
        assert [
            (cell["item"], cell["row"], cell["column"]) for cell in cells
        ] == listed.rows()


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
