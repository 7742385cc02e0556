"""What happened to boards: a log whose every line holds the digest of the line before it."""

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue.databases import rows
from irmeta.serve.catalogue.rules import now
from irmeta.serve.catalogue.tables import board, event
from irmeta.words import counted

BEFORE = ("made", "opened", "changed", "judgments", "closed")
"""What everybody may know before the reveal."""
PUBLIC = (*BEFORE, "withdrawn", "rescored", "imported", "revealed", "frozen")
"""What everybody may know after it; the rest is about people."""
STATES = {"in": "takes part", "out": "is out", "asked": "asks to take part"}
"""What a team does, in words."""
LINE = ("board", "at", "person", "action", "detail")
"""What the digest of a line is of, after that of the line before it."""


def log_event(
    db: Connection,
    board_id: int,
    action: str,
    detail: Mapping[str, Any],
    person: int | None = None,
    when: int | None = None,
) -> None:
    """Add an event of a board to the log; raise its version where the public sees the event.

    person : who did it. when : the moment of an event that lies behind.
    """
    time = now() if when is None else when
    line = {"board": board_id, "at": time, "person": person, "action": action}
    append_lines(db, [line | {"detail": dict(detail)}])
    if action in PUBLIC:
        raise_version(db, board_id)


def raise_version(db: Connection, board_id: int) -> None:
    """Note that a board has changed."""
    step = {"version": board.c.version + 1, "changed": now()}
    db.execute(sa.update(board).where(board.c.id == board_id).values(step))


def append_lines(db: Connection, lines: Sequence[Mapping[str, Any]]) -> None:
    """Add lines to the log, each with the digest of the line before it."""
    newest = sa.select(event.c.digest).order_by(event.c.id.desc()).limit(1)
    previous = db.execute(newest).scalar() or ""
    for line in lines:
        digest = _line_digest(previous, line)
        values = {**line, "previous": previous, "digest": digest}
        db.execute(sa.insert(event).values(values))
        previous = digest


def _line_digest(previous: str, line: Mapping[str, Any]) -> str:
    """Return the digest of a line of the log, which follows from that of the line before it."""
    content = [line.get(name) for name in LINE]
    text = msgspec.json.encode(content, order="deterministic")
    return hashlib.sha256(previous.encode() + text).hexdigest()


def verified_digest(engine: Engine) -> str:
    """Return the digest of the last line, which stands for all; raise IrmetaError where one was changed or is lost."""
    previous = ""
    for line in rows(engine, sa.select(event).order_by(event.c.id)):
        digest = _line_digest(previous, line._asdict())
        if (line.previous, line.digest) != (previous, digest):
            raise IrmetaError(
                f"line {line.id} of the log, or the one before it, was changed; restore a backup"
            )
        previous = digest
    return previous


def event_in_words(
    happened: Any, names: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Say in words what happened. names : of people, by number."""
    detail = happened.detail
    team, role = detail.get("team") or "", detail.get("role", "")
    match happened.action:
        case "judgments":
            note = f": {detail['note']}" if detail.get("note") else ""
            return f"judgments version {detail.get('version', '')}{note}"
        case "changed":
            settings = ", ".join(detail.get("settings", ()))
            return f"changed {settings.replace('_', ' ')}"
        case "rescored":
            return f"scored {counted(detail.get('runs', 0), 'run')} again"
        case "withdrawn":
            return f"run {detail.get('run', '')} withdrawn"
        case "submitted":
            older = ", to replace the run of this name" if detail["replaces"] else ""
            return f"{team or 'the organizer'} sent run {detail['run']}{older}"
        case "invited":
            return f"invited a new {role}{team and f' of {team}'}"
        case "joined":
            return f"came in as {role}{team and f' of {team}'}"
        case "removed":
            return f"removed {person_name(detail['person'], names)}"
        case "team" if "holder" in detail:
            return f"{team} has seen the judgments"
        case "team":
            return f"{team} {STATES[detail['state']]}"
        case "pooled":
            return f"pool of {counted(len(detail['runs']), 'run')}, {detail['depth']} documents deep"
    return str(happened.action)


def person_name(number: int, names: Mapping[int, str]) -> str:
    """Return the name of the person with a number, or the number.

    >>> person_name(1, {1: "Ann"}), person_name(2, {1: "Ann"})
    ('Ann', 'person 2')
    """
    return names.get(number, f"person {number}")


def has_happened(db: Connection, board_id: int, action: str) -> bool:
    """Say whether something happened to a board."""
    wanted = sa.select(event.c.id).filter_by(board=board_id, action=action)
    return db.scalar(wanted.limit(1)) is not None


def events_of_board(
    engine: Engine, board_id: int, *actions: str, most: int | None = None
) -> Sequence[Row[Any]]:
    """List the events of a board, the oldest first: of some actions or of all, and at most the newest `most`."""
    wanted = sa.select(event).where(event.c.board == board_id)
    if actions:
        wanted = wanted.where(event.c.action.in_(actions))
    newest = rows(engine, wanted.order_by(event.c.id.desc()).limit(most))
    return newest[::-1]
