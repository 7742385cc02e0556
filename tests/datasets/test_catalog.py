"""Public collections come from where they are published, whole, as published, or not at all."""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.typed import typed

from irmeta.datasets import catalog as public
from irmeta.datasets.catalog import (
    PublicCollection,
    PublicFile,
    catalog,
    data_folder,
    digest,
    fetch,
    found,
    missing,
)
from irmeta.datasets.reference import shipped_factors
from irmeta.errors import IrmetaError

CONTENT = {
    "matrices/toy/AP.csv": b"a,b\n0.1,0.2\n",
    "matrices/toy/P@10.csv": b"a,b\n0.3,0.4\n",
}


@dataclass
class Upstream:
    """A server of our own with two published files, and what it was asked for."""

    folder: Path
    address: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def collection(self) -> PublicCollection:
        files = [
            PublicFile(
                path,
                f"{self.address}/{Path(path).name}",
                len(data),
                hashlib.sha256(data).hexdigest(),
            )
            for path, data in CONTENT.items()
        ]
        return PublicCollection(
            "toy",
            "two matrices",
            "https://example.org",
            "CC0",
            "Nobody",
            "irmeta import {folder}",
            tuple(files),
        )


@pytest.fixture
def upstream(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Upstream]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Upstream(tmp_path_factory.mktemp("upstream"))
    for path, data in CONTENT.items():
        (made.folder / Path(path).name).write_bytes(data)

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            super().do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name http.server gives it
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=made.folder)
    ) as server:
        made.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def test_fetched_files_are_the_published_ones(
    upstream: Upstream, tmp_path: Path
) -> None:
    """Both files arrive byte for byte in their places."""
    fetched = fetch(upstream.collection, tmp_path)
    assert [file.path for file in fetched] == list(CONTENT)
    assert {path: (tmp_path / path).read_bytes() for path in CONTENT} == CONTENT


def test_what_is_there_is_not_fetched_again(upstream: Upstream, tmp_path: Path) -> None:
    """A second fetch asks the server for nothing."""
    fetch(upstream.collection, tmp_path)
    asked = len(upstream.asked)
    assert fetch(upstream.collection, tmp_path) == []
    assert len(upstream.asked) == asked == 2


def test_a_compressed_copy_counts_as_there(upstream: Upstream, tmp_path: Path) -> None:
    """A file that stands there gzipped is recognised by its content, and not fetched beside itself."""
    import gzip

    fetch(upstream.collection, tmp_path)
    plain = tmp_path / "matrices/toy/AP.csv"
    plain.with_name("AP.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert fetch(upstream.collection, tmp_path) == []
    assert not plain.exists()


def test_a_changed_file_upstream_is_refused(upstream: Upstream, tmp_path: Path) -> None:
    """A download whose checksum differs is an error that names the address, and leaves no file."""
    (upstream.folder / "AP.csv").write_bytes(b"a,b\n0.9,0.9\n")
    with pytest.raises(
        IrmetaError, match=r"127\.0\.0\.1:\d+/AP\.csv has changed since"
    ):
        fetch(upstream.collection, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_failed_fetch_goes_on_where_it_stopped(
    upstream: Upstream, tmp_path: Path
) -> None:
    """Where the second file is not found the first stays, and the next fetch brings the second alone."""
    gone = upstream.folder / "P@10.csv"
    data = gone.read_bytes()
    gone.unlink()
    with pytest.raises(
        IrmetaError,
        match=r"cannot fetch .*P@10\.csv .*404.* or put the file at .*P@10\.csv yourself",
    ):
        fetch(upstream.collection, tmp_path)
    assert [file.path for file in missing(upstream.collection, tmp_path)] == [
        "matrices/toy/P@10.csv"
    ]
    gone.write_bytes(data)
    assert [file.path for file in fetch(upstream.collection, tmp_path)] == [
        "matrices/toy/P@10.csv"
    ]


def test_a_file_of_the_users_own_is_never_overwritten(
    upstream: Upstream, tmp_path: Path
) -> None:
    """A file of another content in the place of a published one is an error, and stays."""
    mine = tmp_path / "matrices/toy/AP.csv"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(IrmetaError, match=r"AP\.csv differs from the published file"):
        fetch(upstream.collection, tmp_path)
    assert mine.read_text() == "mine"


def test_a_file_without_an_address_is_asked_for(
    upstream: Upstream, tmp_path: Path
) -> None:
    """Where we do not know an address the error says which file to put where."""
    lost = tuple(replace(file, address=None) for file in upstream.collection.files)
    with pytest.raises(
        IrmetaError, match=r"toy/AP\.csv has no public address .* put it at .*AP\.csv"
    ):
        fetch(replace(upstream.collection, files=lost), tmp_path)


def test_the_folder_is_the_one_given_else_the_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--data comes before IRMETA_DATA, which comes before the user's cache."""
    monkeypatch.setenv("IRMETA_DATA", str(tmp_path))
    assert data_folder(Path("given")) == Path("given")
    assert data_folder() == tmp_path
    monkeypatch.delenv("IRMETA_DATA")
    assert data_folder().name == "irmeta"


def test_every_entry_says_its_terms_and_how_to_check_it() -> None:
    """Each collection has a source, licence, citation and command; each file a place of its own and a SHA-256."""
    files = [file for collection in catalog().values() for file in collection.files]
    assert len(files) == len({file.path for file in files}) == 360
    seen = [file for file in files if file.sha256 is not None]
    assert all(len(str(file.sha256)) == 64 and file.size for file in seen)
    assert not any(Path(file.path).is_absolute() for file in files)
    unseen = [file.path for file in files if file.sha256 is None]
    assert unseen == ["systemwise/ranking.csv"]
    unknown = {
        name
        for name, collection in catalog().items()
        for file in collection.files
        if not (file.address or "").startswith("https://")
    }
    assert unknown == {"trec3-adhoc", "dl2021-judges", "syndl", "robust03-runs"}
    asked = {name for name, collection in catalog().items() if collection.ask}
    assert asked == unknown - {"trec3-adhoc"}
    assert not missing(catalog()["trec3-adhoc"], Path("none"))  # it ships
    for collection in catalog().values():
        assert collection.source.startswith("https://")
        assert all((collection.about, collection.licence, collection.citation))
        assert collection.use.startswith(
            (
                "irmeta import ",
                "irmeta evaluate ",
                "irmeta judges ",
                "irmeta reproduce ",
            )
        )


@pytest.mark.slow
@pytest.mark.data
def test_the_catalogue_describes_the_real_files(data: Path) -> None:
    """Every file of every collection is in the data folder with the size and checksum that the catalogue has."""
    for collection in catalog().values():
        if digest(collection) is not None:
            assert fetch(collection, data) == []


def run(*arguments: object) -> tuple[int, str]:
    outcome = typed(["datasets", *arguments])
    return outcome.exit_code, outcome.stdout


def test_the_commands_list_and_fetch(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`list` says what is here, `fetch` brings it and shows licence, citation and the next command."""
    monkeypatch.setattr(public, "catalog", lambda: {"toy": upstream.collection})
    code, before = run("list", "--data", tmp_path)
    assert code == 0
    assert "toy" in before
    assert " no " in before
    code, shown = run("fetch", "toy", "--data", tmp_path, "--quiet")
    assert code == 0
    assert shown.splitlines() == [
        "toy: 2 files fetched, 0 already present; all match their published checksums",
        "  licence: CC0",
        "  from: https://example.org",
        "  cite: Nobody",
        f"  next: irmeta import {tmp_path}",
    ]
    assert " yes " in run("list", "--data", tmp_path)[1]
    with pytest.raises(
        IrmetaError, match="no public collection 'tay'; did you mean toy"
    ):
        run("fetch", "tay", "--data", tmp_path)


def test_the_list_is_one_screen_and_json_has_all_of_it(tmp_path: Path) -> None:
    """A collection, and a file of factors, has a line of its own, and a program reads all that there is to know."""
    code, shown = run("list", "--data", tmp_path)
    assert code == 0
    assert len(shown.splitlines()) <= 40
    names = [*catalog(), *shipped_factors()]
    heads = [line.partition(" ")[0] for line in shown.splitlines()]
    assert all(heads.count(name) == names.count(name) for name in names)
    _, printed = run("list", "--data", tmp_path, "--format", "json")
    told = json.loads(printed)
    assert [one["name"] for part in told.values() for one in part] == names
    assert {"licence", "digest", "about", "address"} <= told["collections"][0].keys()


def test_the_list_says_where_each_is_and_what_ships(tmp_path: Path) -> None:
    """`list --explain` has digest and address of each, or whom to ask; what ships is here without a folder."""
    code, shown = run("list", "--explain", "--data", tmp_path / "none")
    assert code == 0
    table, _, rest = shown.partition("about\n")
    places = rest.partition("address\n")[2].partition("Standardization")[0]
    for name, collection in catalog().items():
        assert name in places
        assert (digest(collection) or "not known") in table
        if collection.ask:
            assert f"{name:<20}ask " in places
    [row] = [line for line in shown.splitlines() if line.startswith("trec3-adhoc  ")][
        :1
    ]
    assert " ships " in row
    assert found("reliability/adhoc3.csv", tmp_path) is not None
