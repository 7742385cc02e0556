"""`irmeta serve`: one process that takes uploads and gives files, and children that compute."""

import asyncio
import re
import resource
import socket
import sys
from pathlib import Path

import h11
import uvicorn
from sqlalchemy import Engine
from uvicorn.protocols.http.h11_impl import H11Protocol

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, people, tables
from irmeta.serve.crew import logs
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing
from irmeta.serve.policy import is_open
from irmeta.serve.results import answers
from irmeta.serve.site import LOOPBACK, Site, write_durably
from irmeta.serve.web.app import application

CONNECTIONS = 4000
"""Connections at once, at most."""
STALLED = 30.0
"""Seconds for which a connection may take nothing of its answer, or send what nobody reads."""
SWITCH = 0.001
"""Seconds for which a thread computes before another one may: pages wait that long for each."""
_LAST_PORT = 65535


class Prompt(H11Protocol):
    """A connection that is closed unless it moves: silent ones, and slow heads of requests, would keep others out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request no longer than for a next one."""
        super().connection_made(transport)
        self._stalled: asyncio.TimerHandle | None = None
        self._close_after(self.timeout_keep_alive)

    def data_received(self, data: bytes) -> None:
        """Wait no longer because a piece of a head came, only because a request did."""
        ends, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None
        before = self.cycle
        super().data_received(data)
        if ends is not None and self.cycle is before:
            self.timeout_keep_alive_task = ends
        elif ends is not None:
            ends.cancel()

    def on_response_complete(self) -> None:
        """Take the rest of a body that nobody reads for a while: who sends it hears of the answer only then."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._unset_keepalive_if_required()
            self._close_after(STALLED)

    def pause_writing(self) -> None:
        """Wait some time for who does not take an answer."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        assert self._stalled is not None
        self._stalled.cancel()

    def timeout_keep_alive_handler(self) -> None:
        """Close; what is not taken of an answer by then is waited for some time."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(STALLED, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        if self._stalled is not None:
            self._stalled.cancel()

    def _close_after(self, seconds: float) -> None:
        """Close the connection after some seconds, unless a request comes."""
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
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
    host, port = _host_and_port(listen)
    if not (folder / "site.toml").exists():
        if qrels is not None:
            answers.judged_topics(qrels)  # an error here leaves no site behind
        print(f"new site made at {folder}")
    site = Site.make(folder)
    if host not in LOOPBACK and not site.settings.address.startswith("https://"):
        raise IrmetaError(
            f"--listen {listen}: others can reach this address, and tokens would go over the "
            f"network in the clear; put a proxy with https in front, and its address into "
            f"{site.folder / 'site.toml'}"
        )
    _require_free(host, port, listen)
    with site.being_served(), tables.opened_catalogue(site.database) as engine:
        fill_site(site, engine, qrels, runs, metrics)
        write_durably(site.folder / "address", f"http://{listen}".encode())
        _print_addresses(site, engine)
        logs.begin_logging()
        sys.setswitchinterval(SWITCH)
        uvicorn.run(
            application(site, engine, Crew(site, engine, children)),
            host=host,
            port=port,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            http=Prompt,
            limit_concurrency=_most_connections(),
            timeout_graceful_shutdown=5,
        )


def _host_and_port(listen: str) -> tuple[str, int]:
    """Return what --listen says; raise IrmetaError unless it is an address and a port."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > _LAST_PORT:
        raise IrmetaError(
            f"--listen {listen}: name an address and a port, as in 127.0.0.1:8400"
        )
    return host, int(port)


def _most_connections() -> int:
    """Raise the limit of open files; return how many connections that allows at once, beside other files."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = min(most, 3 * CONNECTIONS) if most > 0 else 3 * CONNECTIONS
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return min(CONNECTIONS, files // 2)


def _require_free(host: str, port: int, listen: str) -> None:
    """Raise IrmetaError if another program listens there already, before any work."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise IrmetaError(
                f"--listen {listen}: {error.strerror}; choose another port, as in {host}:{port + 1}"
            ) from error


def _print_addresses(site: Site, engine: Engine) -> None:
    """Print where the boards are, and how to submit to them."""
    every, at = boards.all_boards(engine), f"--site {site.folder}"
    for board in every:
        print(f"{board.title}: {site.address}/b/{board.key}/")
        if not is_open(board):
            print(f"invite: irmeta board invite {board.key} --team TEAM {at}")
    if not every:
        print(f"no board yet: irmeta board new KEY {at}")
    token = token_file(site, engine)
    keys = [board.key for board in every if is_open(board)]
    if keys or not every:  # the site's token is for open boards
        to = f"{site.address}/b/{keys[0] if len(keys) == 1 else 'KEY'}"
        print(f"submit: irmeta submit RUN --to {to} --token-file {token}")
    sys.stdout.flush()


def fill_site(
    site: Site, engine: Engine, qrels: Path | None, runs: list[Path], metrics: str
) -> None:
    """Make the board that judgments and runs on the command line stand for, once."""
    if qrels is None:
        if runs:
            raise IrmetaError("--runs needs the judgments: --qrels FILE")
        return
    key = importing.board_key(qrels)
    if key not in boards.board_versions(engine):
        importing.open_board(site, engine, key, qrels=qrels, metrics=metrics)
    elif importing.are_new_judgments(engine, key, qrels):
        raise IrmetaError(
            f"{qrels}: the board {key} has other judgments; `irmeta board rescore {key} --qrels "
            f"{qrels} --site {site.folder}` makes these its next version"
        )
    if runs:
        importing.import_runs(site, engine, key, runs)


def token_file(site: Site, engine: Engine) -> Path:
    """Return the file of the site's token, which is made where there is none that still opens something."""
    path = site.folder / "token"
    secret = path.read_text(encoding="utf-8").strip() if path.exists() else ""
    if people.caller_of(engine, people.digest_of(secret)) is None:
        people.end_tokens(engine, "site")
        write_durably(path, (people.new_token(engine, "site") + "\n").encode())
    return path
