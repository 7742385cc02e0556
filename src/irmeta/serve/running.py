"""`irmeta serve`: one process that takes uploads and gives files, and children that compute."""

import asyncio
import re
import resource
import socket
import sys
from pathlib import Path

import uvicorn
from sqlalchemy import Engine
from uvicorn.protocols.http.h11_impl import H11Protocol

from irmeta.errors import IrmetaError
from irmeta.serve import importing, logs
from irmeta.serve.catalogue import boards, people, tables
from irmeta.serve.client import LOCAL
from irmeta.serve.crew.crew import Crew
from irmeta.serve.site import Site, durable
from irmeta.serve.web.app import application

CONNECTIONS = 4000
"""Connections at once, at most."""
SWITCH = 0.001
"""Seconds for which a thread computes before another one may: pages wait that long for each."""
_LAST_PORT = 65535


class Prompt(H11Protocol):
    """A connection that is closed unless a request comes soon: silent ones would keep others out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request no longer than for a next one."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )


def serve(
    folder: Path,
    *,
    listen: str,
    qrels: Path | None,
    runs: list[Path],
    metrics: str,
    children: int,
) -> None:
    """Serve a site until it is interrupted; make it, and fill it, where it is new."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > _LAST_PORT:
        raise IrmetaError(
            f"--listen {listen}: name an address and a port, as in 127.0.0.1:8400"
        )
    site = Site.make(folder)
    if host not in LOCAL and not site.settings.address.startswith("https://"):
        raise IrmetaError(
            f"--listen {listen}: others can reach this address, and tokens would go over the "
            f"network in the clear; put a proxy with https in front, and its address into "
            f"{site.folder / 'site.toml'}"
        )
    _require_free(host, int(port), listen)
    with site.served():
        engine = tables.upgraded(site.database)
        fill(site, engine, qrels, runs, metrics)
        durable(site.folder / "address", f"http://{listen}".encode())
        _say(site, engine, site.address)
        logs.begin()
        sys.setswitchinterval(SWITCH)
        uvicorn.run(
            application(site, engine, Crew(site, engine, children)),
            host=host,
            port=int(port),
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            http=Prompt,
            limit_concurrency=_connections(),
            timeout_graceful_shutdown=5,
        )


def _connections() -> int:
    """Return how many connections there may be at once; each is a file, and others must be left."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = min(most, 3 * CONNECTIONS) if most > 0 else 3 * CONNECTIONS
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return min(CONNECTIONS, files // 2)


def _require_free(host: str, port: int, listen: str) -> None:
    """Raise IrmetaError if another program listens there already, before any work."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host, port))
        except OSError as error:
            raise IrmetaError(
                f"--listen {listen}: {error.strerror}; choose another port, as in {host}:{port + 1}"
            ) from error


def _say(site: Site, engine: Engine, address: str) -> None:
    """Print where the boards are, and how to submit to them."""
    every = boards.boards(engine)
    for one in every:
        print(f"{one.title}: {address}/b/{one.key}/")
        if one.opens != one.reveals:
            print(
                f"invite: irmeta board invite {one.key} --team TEAM --site {site.folder}"
            )
    keys = [one.key for one in every if one.opens == one.reveals]
    if not every:
        print(f"no board yet: irmeta board new KEY --site {site.folder}")
    to = f"{address}/b/{keys[0] if len(keys) == 1 else 'KEY'}"
    token = token_file(site, engine)
    if keys or not every:  # the site's token is for open boards
        print(f"submit: irmeta submit RUN --to {to} --token-file {token}")
    sys.stdout.flush()


def fill(
    site: Site, engine: Engine, qrels: Path | None, runs: list[Path], metrics: str
) -> None:
    """Make the board that judgments and runs on the command line stand for, once."""
    if qrels is None:
        if runs:
            raise IrmetaError("--runs needs the judgments: --qrels FILE")
        return
    key = board_key(qrels)
    if key not in boards.versions(engine):
        importing.open_board(site, engine, key, qrels=qrels, metrics=metrics)
    elif importing.are_new(engine, key, qrels):
        raise IrmetaError(
            f"{qrels}: the board {key} has other judgments; `irmeta board rescore {key} --qrels "
            f"{qrels} --site {site.folder}` makes these its next version"
        )
    if runs:
        importing.import_runs(site, engine, key, runs)


def board_key(qrels: Path) -> str:
    """Name a board by its judgments' file.

    >>> board_key(Path("data/qrels.COVID_1.txt"))
    'qrels'
    """
    name = qrels.name.partition(".")[0].lower()
    kept = "".join(one if one.isascii() and one.isalnum() else "-" for one in name)
    key = kept.strip("-")[:40]
    return key if len(key) > 1 else "board"


def token_file(site: Site, engine: Engine) -> Path:
    """Return the file of the site's token, which is made once."""
    path = site.folder / "token"
    secret = path.read_text(encoding="utf-8").strip() if path.exists() else ""
    if people.caller(engine, people.digest_of(secret)) is None:
        people.end_tokens(engine, "site")
        durable(path, (people.new_token(engine, "site") + "\n").encode())
    return path
