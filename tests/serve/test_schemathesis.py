"""All operations under attack by schemathesis, by whoever may come."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from bench import killed_server

from irmeta.serve.catalogue import people, submissions, tables
from irmeta.serve.catalogue.people import Place
from irmeta.serve.operating import importing
from irmeta.serve.policy import Role
from irmeta.serve.site import Site

from .conftest import a_run, work_off, write_qrels

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,response_headers_conformance"
)
ROLES = ("visitor", "site", "reader", "member", "organizer")
SECRET = "Rivals-of-Lund"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A server of an open and a blind board: its address, a token of each role, and the keys of the teams' runs."""
    folder = tmp_path_factory.mktemp("site")
    site = Site.make(folder / "site")
    (site.folder / "site.toml").write_text("requests = 1000000\n")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(folder / "qrels.txt")
    importing.open_board(site, engine, "lab", qrels=qrels)
    blind = {"feedback": "ladder", "step": 0.2, "reveals": "never", "join": "ask"}
    importing.open_board(site, engine, "track", qrels=qrels, **blind)
    found = {"site": people.new_token(engine, "site"), "visitor": ""}
    for role, team in (("reader", ""), ("member", "Lund"), ("organizer", "")):
        secret = people.invite(engine, "track", role, team)
        who = people.take_invitation(engine, secret, role).person
        found[role] = people.new_token(engine, role, who, people.SCOPES[role])
    for at, team in enumerate(("Lund", SECRET)):
        (folder / "run").write_bytes(a_run(at))
        content = importing.copy_run(site, folder / "run")
        given = {"received": 1, "by": Place(Role.MEMBER, team)}
        made = submissions.submit(engine, "track", f"run-{at}", content, **given)
        found[team] = made.key
    work_off(site, engine)
    engine.dispose()
    port = killed_server.free_port()
    process = killed_server.started(site.folder, port)
    yield found | {"address": f"http://127.0.0.1:{port}"}
    process.kill()
    process.wait()


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("schemathesis") is None, reason="schemathesis is not installed"
)
@pytest.mark.parametrize("role", ROLES)
def test_all_operations_answer_as_documented(
    server: dict[str, str], role: str, tmp_path: Path
) -> None:
    """Nobody gets a 5xx, a status or a body that is not documented, nor, but an organizer, a key of another team."""
    real = {"boards": ["lab", "track"], "keys": [server["Lund"], server[SECRET]]}
    lines = [f"[dictionaries.{name}]\nvalues = {real[name]}" for name in real]
    lines += ["[parameters]"]
    for name, of in (("board", "boards"), ("key", "keys")):
        binding = f'{{ dictionary = "{of}", probability = 0.7 }}'
        lines.append(f'"path.{name}" = {binding}')
    (tmp_path / "schemathesis.toml").write_text("\n".join(lines) + "\n")
    address = f"{server['address']}/v1/openapi.json"
    program = [sys.executable, "-m", "schemathesis.cli", "run", address]
    options = ["--checks", CHECKS, "--wait-for-schema", "120", "--max-examples", "15"]
    options += ["--report-har-path", "all.har"]
    if token := server[role]:
        options += ["--header", f"Authorization: Bearer {token}"]
    done = subprocess.run(
        [*program, *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    said = list(answers(tmp_path / "all.har"))
    assert sum(status == 200 for status, _ in said) > 10
    told = any(server[SECRET] in text or SECRET in text for _, text in said)
    assert told == (role == "organizer")


def answers(path: Path) -> Iterator[tuple[int, str]]:
    """Read the status and the body of every answer."""
    entries: list[Any] = json.loads(path.read_text())["log"]["entries"]
    for one in entries:
        answer = one["response"]
        yield answer["status"], answer["content"].get("text", "")
