"""What is damaged or unsafe in a site, each with the mend."""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy import Engine

from irmeta.serve.catalogue import databases, tables
from irmeta.serve.catalogue.databases import reading
from irmeta.serve.catalogue.people import DAY
from irmeta.serve.catalogue.rules import clock, now
from irmeta.serve.catalogue.tables import board, event, judgments, run, submission
from irmeta.serve.site import LOOPBACK, Settings, Site

WEEK = 7 * DAY
"""Microseconds that something may be in no backup."""
MINUTE = 60_000_000
"""Microseconds by which clocks differ."""
INTERRUPTED = "no run of the catalogue: what brought it in was interrupted"
LIMITS = ("body", "uploads", "requests", "seconds", "memory")


class Problem(NamedTuple):
    """What somebody should mend: where, what is wrong, and how."""

    where: str
    wrong: str
    mend: str

    def __str__(self) -> str:
        return f"{self.where}: {self.wrong}; {self.mend}"


@contextmanager
def opened_catalogue(site: Site) -> Iterator[Engine]:
    """Yield the catalogue of a site; an empty one beside it where there is no file yet."""
    with TemporaryDirectory() as held:
        where = site.database
        if isinstance(where, Path) and not where.exists():
            where = Path(held, "site.db")
        with tables.opened_catalogue(where) as engine:
            yield engine


def problems(site: Site, engine: Engine) -> Iterator[Problem]:
    """Yield what is damaged, and what is unsafe."""
    yield from _damaged(site, engine)
    yield from _unsafe_boards(site, engine)
    yield from _readable_files(site, engine)
    yield from _unsafe_settings(site)
    yield from _late_clocks_and_backups(site, engine)


def _damaged(site: Site, engine: Engine) -> Iterator[Problem]:
    """Yield runs that are lost, damaged or unknown to the catalogue, and faults of its database."""
    files = {
        path
        for path in (site.folder / "runs").glob("*/*")
        if path.stat().st_mtime_ns // 1000 < now() - MINUTE  # none that comes in now
    }
    with reading(engine) as db:
        here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
        digests = db.scalars(here.order_by(run.c.digest)).all()
    for path in sorted(files.difference(map(site.run_path, digests))):
        mend = f"unless the catalogue is an old one, rm {path}"
        yield Problem(str(path), INTERRUPTED, mend)
    for wrong, mend in databases.faults(engine):
        yield Problem(databases.database_name(engine), wrong, mend)
    for digest in digests:
        path = site.run_path(digest)
        if not path.is_file():
            mend = "submit the run again or restore a backup"
            yield Problem(str(path), "lost", mend)
            continue
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                wrong = "damaged: its bytes are not those received"
                yield Problem(str(path), wrong, "restore it from a backup")


def _unsafe_boards(site: Site, engine: Engine) -> Iterator[Problem]:
    """Yield boards that anybody could join, and those whose feedback says too much, or nothing."""
    own = (submission.c.board == board.c.id) & (submission.c.team == "")
    brought = sa.exists().where(own).label("brought")
    hidden = board.c.reveals.is_(None) | (board.c.reveals > now())
    wanted = sa.select(board.c.key, board.c.feedback, brought).where(hidden)
    with reading(engine) as db:
        before_reveal = db.execute(wanted).all()
        joined = db.scalars(sa.select(board.c.key).filter_by(join="open")).all()
    for key in () if site.settings.login else joined:
        wrong = "anybody may join it who logs in, and site.toml names no login provider"
        mend = f"irmeta board set {key} --join ask --site {site.folder}"
        yield Problem(key, wrong, mend)
    for key, feedback, begun in before_reveal:
        if feedback == "ladder" and not begun:
            wrong = "its ladder answers nothing until it begins at a run that you bring"
            mend = f"irmeta board import {key} BASELINE --site {site.folder}"
            yield Problem(key, wrong, mend)
        if feedback == "open":
            wrong = "its answers give the judgments away in a few runs"
            mend = f"irmeta board set {key} --feedback none, split or ladder --site {site.folder}"
            yield Problem(key, wrong, mend)


def _readable_files(site: Site, engine: Engine) -> Iterator[Problem]:
    """Yield what others on this machine can read, or write."""
    with reading(engine) as db:
        judged = db.scalars(sa.select(judgments.c.digest)).all()
    for path in map(site.judgments_path, judged):
        if _others_may_use(path):
            yield Problem(str(path), "others can read it", f"chmod 600 {path}")
    for login in site.settings.login:
        path = site.folder / login.secret_file
        if login.secret_file and _others_may_use(path):
            wrong = f"others can read the secret of the login {login.name}"
            yield Problem(str(path), wrong, f"chmod 600 {path}")
    if not _others_may_use(site.folder):
        return
    # others come in, as a proxy that serves public/ must
    own = [*site.folder.glob("site.db*"), site.folder / "token"]
    if isinstance(site.database, str):  # there may be a password in it
        own.append(site.folder / "site.toml")
    folders = ("private", "runs", "truth", "tmp", "documents")
    for path in sorted({*own, *map(site.folder.joinpath, folders)}):
        if _others_may_use(path):
            mend = f"chmod go= {path}"
            yield Problem(str(path), "others can read it", mend)
    if site.folder.stat().st_mode & 0o022:
        mend = f"chmod go-w {site.folder}"
        yield Problem(str(site.folder), "others can write in it", mend)


def _others_may_use(path: Path) -> bool:
    """Say whether somebody else may do something with a file."""
    return path.exists() and bool(path.stat().st_mode & 0o077)


def _unsafe_settings(site: Site) -> Iterator[Problem]:
    """Yield settings by which others could listen or come in too often, and too full a disk."""
    settings, where = site.settings, "site.toml"
    address = urlsplit(settings.address)
    plain = (
        address.scheme in ("http", "https")
        and address.hostname
        and not address.username
    )
    if settings.address and (not plain or address.path.strip("/") or address.query):
        wrong = f"address = {settings.address!r} is not one as https://runs.example.org"
        mend = "mend it: requests for another host are refused"
        yield Problem(where, wrong, mend)
    elif address.scheme == "http" and address.hostname not in LOOPBACK:
        wrong = f"address = {settings.address!r}: tokens and cookies go in the clear"
        yield Problem(where, wrong, "put a proxy with https in front")
    if settings.address and not settings.contact:
        wrong = "others reach it, and nobody is named whom they can ask"
        yield Problem(where, wrong, 'write contact = "you@example.org"')
    for name in LIMITS:
        value, default = getattr(settings, name), getattr(Settings(), name)
        if value > default:
            wrong = f"{name} = {value} is above the default of {default}"
            yield Problem(where, wrong, "lower it unless you know why")
    free = shutil.disk_usage(site.folder).free
    if free < 2 * settings.free:
        wrong = f"the disk has {free >> 20} MiB; below {settings.free >> 20} no runs come in"
        yield Problem(str(site.folder), wrong, "make room")


def _late_clocks_and_backups(site: Site, engine: Engine) -> Iterator[Problem]:
    """Yield what the clock has to do with: a clock that was set back, runs that are in no backup."""
    backed = site.last_backup()
    new = sa.select(sa.func.min(run.c.stored)).where(run.c.stored > backed)
    last = sa.select(sa.func.max(event.c.at))
    with reading(engine) as db:
        oldest = db.scalar(new)
        newest = db.scalar(last) or 0
    if newest > now() + MINUTE:
        wrong = f"the clock is before what happened at {clock(newest)} UTC"
        yield Problem("log", wrong, "set it (timedatectl), before dates are missed")
    if oldest is not None and oldest < now() - WEEK:
        days = (now() - oldest) // DAY
        mend = f"irmeta board backup --site {site.folder} -o FILE"
        yield Problem(str(site.folder), f"runs of {days} days are in no backup", mend)
