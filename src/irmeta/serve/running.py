"""`irmeta serve`: one process that takes uploads and gives files, and children that compute."""

import hashlib
import logging
import sys
from pathlib import Path

import uvicorn
from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve import catalogue, importing, tables
from irmeta.serve.app import application
from irmeta.serve.crew import Crew
from irmeta.serve.site import Site, durable

LOCAL = ("127.0.0.1", "localhost", "::1")


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
    if not host or not port.isdecimal():
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
    with site.alone("lock"):
        site.sweep()
        engine = tables.upgraded(site.database)
        fill(site, engine, qrels, runs, metrics)
        secret = token_file(site, engine)
        base = site.settings.address or f"http://{listen}"
        for one in catalogue.boards(engine):
            print(f"{one.title}: {base}/b/{one.key}/")
        if not catalogue.boards(engine):
            print(f"{base}/ (no board yet: irmeta board new KEY --site {folder})")
        print(f"submit: irmeta submit RUN --to {base}/b/KEY --token-file {secret}")
        sys.stdout.flush()
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        crew = Crew(site, engine, children)
        uvicorn.run(
            application(site, engine, crew),
            host=host,
            port=int(port),
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=1000,
            timeout_graceful_shutdown=5,
        )


def fill(
    site: Site, engine: Engine, qrels: Path | None, runs: list[Path], metrics: str
) -> None:
    """Make the board that judgments and runs on the command line stand for, once."""
    if qrels is None:
        if runs:
            raise IrmetaError("--runs needs the judgments: --qrels FILE")
        return
    key = board_key(qrels)
    there = [one.key for one in catalogue.boards(engine)]
    if key not in there:
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
    return kept.strip("-")[:40] or "board" if len(kept.strip("-")) > 1 else "board"


def token_file(site: Site, engine: Engine) -> Path:
    """Return the file of the site's token, which is made once."""
    path = site.folder / "token"
    if path.exists():
        secret = path.read_text(encoding="utf-8").strip()
        digest = hashlib.sha256(secret.encode()).hexdigest()
        if catalogue.known_token(engine, digest):
            return path
    durable(path, (catalogue.new_token(engine, "site") + "\n").encode())
    return path
