"""What `irmeta submit` says of servers that do not answer as they should."""

import json
import time
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from irmeta.errors import IrmetaError
from irmeta.serve import client
from irmeta.serve.client import Server

WAITING = {
    **dict.fromkeys(("key", "board", "name", "team", "state", "phase"), "lab"),
    **{"received": 1, "remarks": [], "published": False, "marks": []},
    **{"page": "/b/lab/", "record": "/b/lab/s/key/record.json"},
}
"""What is known of a run that waits."""


@pytest.fixture
def server(monkeypatch) -> Server:
    """A client whose server keeps a run waiting for ever."""
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    made = Server("http://127.0.0.1/b/lab", "secret")
    monkeypatch.setattr(made._session, "request", answering(200, WAITING))
    return made


def answering(status: int, content: Any) -> Any:
    """Return what sends a request, and is answered so; an exception is raised."""

    def answer(*_: object, **__: object) -> requests.Response:
        if isinstance(content, Exception):
            raise content
        found = requests.Response()
        found.status_code = status
        text = content
        if not isinstance(content, str):
            problem = {"title": "No", "status": status} if status >= 400 else {}
            text = json.dumps(problem | content)
        found.raw = BytesIO(text.encode())
        return found

    return answer


@pytest.mark.parametrize(
    ("status", "content", "says"),
    [
        (200, WAITING, "key: no score after 0 s; look later"),
        (404, {"detail": "there is no submission"}, "key: there is no submission"),
        (502, "<html>", "status 502, and no answer of irmeta serve"),
        (0, requests.Timeout(), "no answer within 120 s; try again"),
        (0, requests.exceptions.SSLError(), "mend its certificate"),
        (0, requests.ConnectionError(), "no server answers"),
    ],
)
def test_a_server_that_does_not_answer_is_named(
    server: Server, monkeypatch, status: int, content: Any, says: str
) -> None:
    """Whoever waits for a score is told what is wrong with the server, or with the run, in a sentence."""
    monkeypatch.setattr(server._session, "request", answering(status, content))
    with pytest.raises(IrmetaError, match=says):
        server.await_score("key")


def test_a_record_that_is_not_there_is_named(server: Server, monkeypatch) -> None:
    """Who waits asks a busy server again; a record that is gone by then is an error with its address."""
    published = answering(200, {**WAITING, "published": True})
    steps = iter([answering(503, "busy"), published, answering(404, {"detail": "no"})])
    monkeypatch.setattr(client, "PATIENCE", 600.0)
    clock = SimpleNamespace(sleep=lambda _: None, monotonic=time.monotonic)
    monkeypatch.setattr(client, "time", clock)  # other threads sleep, too
    request = lambda *given, **more: next(steps)(*given, **more)  # noqa: E731
    monkeypatch.setattr(server._session, "request", request)
    with pytest.raises(IrmetaError, match="/b/lab/s/key/record.json: no"):
        server.await_score("key")


def test_scores_that_are_not_there_are_named(server: Server, monkeypatch) -> None:
    """Scores by topic that the board does not have are refused with their address."""
    monkeypatch.setattr(server._session, "request", answering(404, "<html>"))
    with pytest.raises(IrmetaError, match="/b/lab/data/topics.csv: status 404"):
        server.topics()


def test_a_name_that_is_taken_can_be_helped(
    server: Server, monkeypatch, tmp_path: Path
) -> None:
    """Whoever sends a run under a name that is taken reads which options help."""
    (tmp_path / "run").write_bytes(b"")
    taken = {"detail": "another run is called x; choose another name"}
    monkeypatch.setattr(server._session, "request", answering(409, taken))
    found = server.submit(tmp_path / "run", "x", {})
    assert found["detail"] == f"{taken['detail']} (--name NAME, --replace)"


def test_a_busy_server_is_asked_again(
    server: Server, monkeypatch, tmp_path: Path, capsys
) -> None:
    """Who is told to come later, or is cut off, sends the whole run again, after the time that it is told."""
    monkeypatch.setattr(client, "PATIENCE", 600.0)
    path = tmp_path / "run"
    path.write_bytes(b"all of it")
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=time.monotonic)
    monkeypatch.setattr(client, "time", clock)  # other threads sleep, too
    cut = requests.ConnectionError()
    cut.__context__ = ConnectionResetError()
    busy = answering(503, {"detail": "too many"})
    steps = iter([busy, answering(0, cut), answering(200, WAITING)])
    sent = []

    def request(*given: Any, **more: Any) -> requests.Response:
        sent.append(more["data"].read())
        answer = next(steps)(*given, **more)
        answer.headers["Retry-After"] = "40"
        return answer

    monkeypatch.setattr(server._session, "request", request)
    assert server.submit(path, "run", {})["status"] == 200
    assert sent == [b"all of it"] * 3
    assert 20 <= slept[0] <= 60
    assert 2.5 <= slept[1] <= 7.5
    assert capsys.readouterr().err.count("too much to do: again in") == 2


def test_a_server_that_stays_busy_is_named(
    server: Server, monkeypatch, tmp_path: Path
) -> None:
    """Who waited long enough reads that the server has too much to do."""
    (tmp_path / "run").write_bytes(b"x")
    monkeypatch.setattr(server._session, "request", answering(503, "busy"))
    with pytest.raises(IrmetaError, match="too much to do; try again later"):
        server.submit(tmp_path / "run", "run", {})
