"""Files of strangers at a site's doors: each is taken, or refused by a sentence, before anything is kept of it."""

import gzip
import json
import logging
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, people, tables
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.site import Site

from .conftest import Served, write_qrels

OWN = {"sec-fetch-site": "same-origin"}
FROZEN: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("runs", 0, "run"), "/etc/passwd", "not a digest"),
    (("runs", 0, "run"), "../../../x", "not a digest"),
    (("judgments", 0, "digest"), "../../x", "not a digest"),
    (("runs", 0, "remarks"), "x", "remarks: Expected `array`"),
    (("runs", 0, "marks"), [1], "marks: Expected `str`"),
    (("board", "title"), ["x"], "title: .* cannot be kept there"),
    (("board", "title"), "x" * 201, "title: 201 characters; at most 200"),
    (("board", "licence"), "\u202e", r"licence: the character U\+202E"),
    (("board", "depth"), 10**30, "depth: 10+[.…]* is too large"),
    (("board", "metrics"), ["\ud800"], "metrics: "),
    (("board", "clusters"), "x", "clusters: Expected `object`"),
    (("events", 0, "at"), "x", "at: 'x' cannot be kept there"),
    (("events", 0, "action"), "submitted", "'submitted' is no public event"),
    (("events", 0, "action"), ["x"], "no public event"),
    (("events", 0, "detail"), {"settings": [1]}, "detail: Expected `str`"),
    (("events", 0, "detail"), {"runs": [1]}, "detail: Expected `int`"),
]
"""What a frozen site may say of itself that no catalogue keeps."""
LISTS = {
    b"\x1f\x8bgarbage": "damaged|cut|not a",
    gzip.compress(b"301\n", mtime=0)[:-4]: "damaged|cut|ended",
    300 * gzip.compress(b"\n" * (1 << 20), mtime=0): "100 times",
    b"": "no topics",
    b"301\n\x1b[31m\n": "control character",
}
TABLES = {
    b"run,team\nr,\xff\n\xff": "1 cell, but the header has 2",
    b"run,team,x\nr,t,y,z,w\n": "5 cells, but the header has 3",
    b"run,team\n" + b"a" * 200_000 + b",t\n": "not a CSV table",
    b"run,team\nr,t\nr,u\n": "'r' stands on an earlier line",
    b"run,team\n\0,t\n": "NUL bytes",
}
FORMS = [
    {"origin": "http://["},
    {"origin": "http://[::1"},
    OWN | {"content-type": "multipart/form-data; boundary*=idna''abc"},
    OWN | {"content-type": "multipart/form-data"},
]
"""Headers that libraries which parse them stop at."""


@pytest.fixture(scope="module")
def frozen(first: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a frozen site says of its board."""
    folder = tmp_path_factory.mktemp("frozen")
    publishing.freeze(Site.open(first), folder)
    return folder / "b/lab/data"


@pytest.mark.parametrize(("at", "value", "says"), FROZEN)
def test_a_frozen_site_is_held_against_the_tables(
    frozen: Path, tmp_path: Path, at: tuple[str | int, ...], value: Any, says: str
) -> None:
    """Types, lengths and characters of all that a frozen site says are those of the columns; digests are digests."""
    path = tmp_path / "one/b/lab/data/board.json"
    shutil.copytree(frozen, path.parent)
    content = json.loads(path.read_text())
    of = content
    for step in at[:-1]:
        of = of[step]
    of[at[-1]] = value
    path.write_text(json.dumps(content))
    engine = tables.open_catalogue(Site.make(tmp_path / "other").database)
    with pytest.raises(IrmetaError, match=says):
        importing.import_frozen(engine, tmp_path / "one")
    assert boards.all_boards(engine) == []
    engine.dispose()


@pytest.mark.parametrize("content", [b"[]", b"[" * 100_000, b"\xff", b'{"a":1,"a":2}'])
def test_what_is_not_a_boards_data(tmp_path: Path, content: bytes) -> None:
    """JSON of another form, too deep, or with a key twice, is refused by its file."""
    path = tmp_path / "one/b/lab/data/board.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    engine = tables.open_catalogue(Site.make(tmp_path / "other").database)
    with pytest.raises(IrmetaError, match=r"board\.json: not what irmeta freezes"):
        importing.import_frozen(engine, tmp_path / "one")
    engine.dispose()


@pytest.mark.parametrize("content", LISTS)
def test_lists_of_topics(tmp_path: Path, content: bytes) -> None:
    """A list that is damaged, a bomb, empty or unseen is refused, and no board is made."""
    (tmp_path / "list").write_bytes(content)
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    with pytest.raises(IrmetaError, match=LISTS[content]):
        importing.open_board(site, engine, "lab", topics=tmp_path / "list")
    assert boards.all_boards(engine) == []
    engine.dispose()


@pytest.mark.parametrize("content", TABLES)
def test_tables_of_runs(tmp_path: Path, content: bytes) -> None:
    """A table is read as every other one: the error has the file, and what is wrong with it."""
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(IrmetaError, match=f"table.csv:.*{TABLES[content]}"):
        importing.read_table(path)


def test_settings_that_nest_without_end(tmp_path: Path) -> None:
    """Settings too deep to read are refused by their file."""
    (tmp_path / "site.toml").write_text("a=" + "[" * 20_000)
    with pytest.raises(IrmetaError, match=r"site\.toml: maximum recursion"):
        Site.open(tmp_path)


@pytest.mark.parametrize(
    "change", [{"title": "\ud800"}, {"licence": "x" * 201}, {"per_day": 10**20}]
)
def test_settings_that_no_column_keeps(tmp_path: Path, change: dict[str, Any]) -> None:
    """What a board is set to is held against the tables, too."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    importing.open_board(site, engine, "lab", qrels=write_qrels(tmp_path / "q"))
    with pytest.raises(IrmetaError, match=f"{next(iter(change))}: "):
        boards.set_board(engine, "lab", change)
    engine.dispose()


def test_a_board_that_is_revealed_now(tmp_path: Path) -> None:
    """A board with the date `now` has been open before it is revealed."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "q")
    importing.open_board(site, engine, "lab", qrels=qrels, reveals="now")
    found = boards.board_of(engine, "lab")
    assert found.opens <= found.reveals
    with pytest.raises(RefusedError, match="before it opens"):
        importing.open_board(site, engine, "b2", qrels=qrels, reveals="2001-01-01")
    engine.dispose()


@pytest.mark.parametrize("headers", FORMS)
def test_headers_that_libraries_stop_at(
    served: Served, headers: dict[str, str]
) -> None:
    """An origin that is not an address, and a form whose parts cannot be told, are refused; nothing is logged."""
    secret = people.invite(served.engine, "lab", "member", "Lund")
    form = {"secret": secret, "name": "Ann"}
    assert served.client.post("/i/", data=form, headers=OWN).status_code == 200
    path = "/my/b/lab/runs" if "content-type" in headers else "/i/"
    answer = served.client.post(path, content=b"x", headers=headers)
    served.client.cookies.clear()
    assert answer.status_code == (422 if "content-type" in headers else 403)


def test_who_goes_away_leaves_no_trace(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """A body that its sender does not finish is forgotten: no error, nothing on the disk."""
    scope = {
        **{"type": "http", "method": "PUT", "path": "/v1/boards/lab/runs/gone"},
        **{"query_string": b"", "http_version": "1.1", "client": ("testclient", 1)},
        "headers": [
            (b"host", b"testserver"),
            (b"authorization", f"Bearer {served.token}".encode()),
        ],
    }
    pieces = [
        {"type": "http.request", "body": b"301 Q0 d", "more_body": True},
        {"type": "http.disconnect"},
    ]
    said: list[Any] = []

    async def receive() -> Any:
        return pieces.pop(0) if len(pieces) > 1 else pieces[0]

    async def send(message: Any) -> None:
        said.append(message)

    with caplog.at_level(logging.ERROR):
        served.client.portal.call(served.client.app, scope, receive, send)
    assert (said, caplog.records) == ([], [])
    assert list(served.site.temporary.iterdir()) == []
    assert not re.search("gone", caplog.text)
