"""Boards, their judgments, and what happened to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue.rules import KEY, RefusedError, now
from irmeta.serve.catalogue.tables import (
    board,
    event,
    judgments,
    reading,
    run,
    submission,
)


@dataclass(frozen=True)
class Judged:
    """Judgments: the SHA-256 of their file, and the topics that they judge."""

    digest: str
    topics: list[str]


def boards(engine: Engine) -> Sequence[Row[Any]]:
    """List the boards."""
    with reading(engine) as db:
        return db.execute(sa.select(board).order_by(board.c.key)).all()


def board_of(engine: Engine, key: str) -> Row[Any]:
    """Return a board; refuse a key that there is not."""
    with reading(engine) as db:
        return row_of(db, key)


def row_of(db: Connection, key: str) -> Row[Any]:
    """Return a board within a transaction; refuse a key that there is not."""
    found = db.execute(sa.select(board).where(board.c.key == key)).first()
    if found is None:
        raise RefusedError(404, f"there is no board {key!r}")
    return found


def versions(engine: Engine) -> dict[str, int]:
    """Return the version of each board, which grows with every change that the public sees."""
    return {one.key: one.version for one in boards(engine)}


def insert(db: Connection, settings: Mapping[str, Any]) -> int:
    """Add a board within a transaction; return its number."""
    key = settings["key"]
    if not KEY.fullmatch(key):
        raise IrmetaError(f"{key!r}: a board's key has 2 to 40 of a-z, 0-9 and -")
    if db.execute(sa.select(board.c.id).where(board.c.key == key)).first():
        raise IrmetaError(f"there is a board {key!r} already")
    db.execute(sa.insert(board).values(dict(settings)))
    return int(row_of(db, key).id)


def new_board(engine: Engine, judged: Judged | None = None, **settings: Any) -> None:
    """Add a board, and its judgments if there are any."""
    at = now()
    with engine.begin() as db:
        number = insert(db, {"created": at, "changed": at, **settings})
        log(db, number, "opened", {})
        if judged is not None:
            _judge(db, number, judged, 1, "")


def set_board(engine: Engine, key: str, changes: Mapping[str, Any]) -> None:
    """Change a board's settings; the public sees which."""
    with engine.begin() as db:
        found = row_of(db, key)
        real = {
            name: one for name, one in changes.items() if getattr(found, name) != one
        }
        if not real:
            return
        db.execute(sa.update(board).where(board.c.id == found.id).values(real))
        if {"metrics", "precision"} & real.keys():
            _again(db, found.id)
        log(db, found.id, "changed", {"settings": sorted(real)})


def log(db: Connection, at: int, action: str, detail: Mapping[str, Any]) -> None:
    """Note an event that the public sees, and that the board is another one now."""
    line = {"board": at, "at": now(), "action": action, "detail": dict(detail)}
    db.execute(sa.insert(event).values(line))
    touch(db, at)


def touch(db: Connection, at: int) -> None:
    """Note that a board is another one now."""
    step = {"version": board.c.version + 1, "changed": now()}
    db.execute(sa.update(board).where(board.c.id == at).values(step))


def judge(engine: Engine, key: str, judged: Judged, note: str) -> int:
    """Add a version of a board's judgments; return its number. The newest counts."""
    with engine.begin() as db:
        at = row_of(db, key).id
        newest = _newest(db, at)
        if newest is not None and newest.digest == judged.digest:
            return int(newest.version)
        version = 1 if newest is None else int(newest.version) + 1
        _judge(db, at, judged, version, note)
        return version


def _judge(db: Connection, at: int, judged: Judged, version: int, note: str) -> None:
    _again(db, at)
    line = {"board": at, "version": version, "added": now(), "note": note}
    line |= {"digest": judged.digest, "topics": judged.topics}
    db.execute(sa.insert(judgments).values(line))
    log(db, at, "judgments", {"version": version, "note": note})


def digest_of_judgments(engine: Engine, key: str) -> str:
    """Return the digest of a board's newest judgments; nothing where it has none."""
    with reading(engine) as db:
        newest = _newest(db, row_of(db, key).id)
    return "" if newest is None else str(newest.digest)


def _newest(db: Connection, at: int) -> Row[Any] | None:
    wanted = sa.select(judgments).where(judgments.c.board == at)
    return db.execute(wanted.order_by(judgments.c.version.desc())).first()


def rescore(engine: Engine, key: str) -> int:
    """Have all runs of a board scored again; return how many. What was scored stands until then."""
    with engine.begin() as db:
        at = row_of(db, key).id
        count = _again(db, at)
        log(db, at, "rescored", {"runs": count})
        return count


def _again(db: Connection, at: int) -> int:
    """Have runs scored again, of those that lie here."""
    here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
    again = (submission.c.board == at) & submission.c.run.in_(here)
    again &= submission.c.state.in_(["scored", "failed"])
    update = sa.update(submission).where(again).values(state="accepted", tried=0)
    return db.execute(update).rowcount
