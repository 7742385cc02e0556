"""Boards, their judgments, and what happened to them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.errors import IrmetaError
from irmeta.serve import policy
from irmeta.serve.catalogue.databases import Catalogue, reading, rows
from irmeta.serve.catalogue.events import log_event
from irmeta.serve.catalogue.rules import (
    HUB,
    KEY,
    RefusedError,
    clock,
    now,
    require_date_order,
    require_hidden_scores,
)
from irmeta.serve.catalogue.tables import (
    board,
    event,
    judgments,
    require_storable,
    run,
    submission,
)

DATES = {
    "opens": "opened",
    "closes": "closed",
    "reveals": "revealed",
    "frozen": "frozen",
}
"""What a date of a board brings."""


@dataclass(frozen=True)
class Judged:
    """Judgments: the SHA-256 of their file, the topics that they judge, and a promise that they will not change."""

    digest: str
    topics: list[str]
    salt: str = ""
    commitment: str = ""


def all_boards(engine: Engine) -> Sequence[Any]:
    """List the boards."""
    return rows(engine, sa.select(board).order_by(board.c.key))


def board_of(catalogue: Catalogue, key: str) -> Any:
    """Return a board, with the settings and the limits that `policy` reads; refuse a key that there is not."""
    found = rows(catalogue, sa.select(board).where(board.c.key == key))
    if not found:
        raise RefusedError(404, f"there is no board {key!r}")
    return found[0]


def log_passed_dates(engine: Engine, since: int = 0) -> None:
    """Log what dates of boards have brought that have passed since a moment, unless the log says so."""
    moment = now()
    passed = [board.c[date].between(since, moment) for date in DATES]
    wanted = sa.select(board).where(sa.or_(*passed))
    with reading(engine) as db:
        if not _unlogged_dates(db, db.execute(wanted).all(), moment):
            return
    with engine.begin() as db:
        _log_passed(db, db.execute(wanted).all(), moment)


def _log_passed(db: Connection, found: Sequence[Row[Any]], moment: int) -> None:
    """Log what the dates of boards have brought by a moment, unless the log says so."""
    for when, number, action in _unlogged_dates(db, found, moment):
        log_event(db, number, action, {}, when=when)


def _unlogged_dates(
    db: Connection, found: Sequence[Row[Any]], moment: int
) -> list[tuple[int, int, str]]:
    """List dates of boards that have passed and of which the log does not say so: when, which board, what it brings.

    What changed last says nothing of it: a clock may have been ahead, and boards change at any moment.
    """
    own: Any = event.c.board.in_([one.id for one in found])
    own &= event.c.action.in_([*DATES.values(), "changed"])
    wanted = sa.select(event.c.board, event.c.action, event.c.detail).where(own)
    newest = {
        (line.board, date): line.action
        for line in db.execute(wanted.order_by(event.c.id))
        for date, action in DATES.items()
        if line.action == action or date in line.detail.get("settings", ())
    }
    due = []
    for one, date in product(found, DATES):
        when, last = getattr(one, date), newest.get((one.id, date))
        # with its first dates a board says that it opened
        new = last == "changed" or (last is None and (when or 0) > one.created)
        if when is not None and when <= moment and new:
            due.append((when, one.id, DATES[date]))
    return sorted(due)


def board_versions(engine: Engine) -> dict[str, int]:
    """Return the version of each board, which grows with every change that the public sees."""
    return {one.key: one.version for one in all_boards(engine)}


def insert_board(db: Connection, settings: Mapping[str, Any]) -> int:
    """Add a board within a transaction, an open one unless it has dates; return its number."""
    key = settings["key"]
    if not KEY.fullmatch(key):
        raise IrmetaError(f"{key!r}: a board's key has 2 to 40 of a-z, 0-9 and -")
    if db.execute(sa.select(board.c.id).where(board.c.key == key)).first():
        raise IrmetaError(f"there is a board {key!r} already")
    always = dict.fromkeys(("opens", "reveals"), settings["created"])
    _require_settings(settings, always | dict(settings))
    db.execute(sa.insert(board).values(always | dict(settings)))
    return int(board_of(db, key).id)


def _require_settings(changed: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
    """Refuse settings that columns cannot keep, or that do not fit the others; and names that would lead elsewhere."""
    require_storable(board, changed)
    if changed.keys() & DATES.keys():
        require_date_order(whole)
    if "feedback" in changed:
        require_hidden_scores(whole)
    for name, rule, form in (
        ("series", KEY, "2 to 40 of a-z, 0-9 and -"),
        ("hub", HUB, "OWNER/NAME, of A-Z a-z 0-9 . _ -"),
    ):
        if (text := changed.get(name)) and not rule.fullmatch(text):
            raise IrmetaError(f"{name}: {text!r} is not {form}")


def new_board(engine: Engine, judged: Judged | None = None, **settings: Any) -> None:
    """Add a board, and its judgments if there are any."""
    at = now()
    opens = settings.get("opens", at)
    with engine.begin() as db:
        number = insert_board(db, {"created": at, "changed": at, **settings})
        log_event(db, number, "made" if opens is None or opens > at else "opened", {})
        if judged is not None:
            _insert_judgments(db, number, judged, 1, "")


def set_board(
    engine: Engine,
    key: str,
    changes: Mapping[str, Any],
    *,
    typed: str = "",
    by: int | None = None,
) -> list[str]:
    """Change a board's settings, and return which; the public sees them.

    typed : the key again, for what gives more away or is not to be undone.
    """
    with engine.begin() as db:
        found = board_of(db, key)
        _log_passed(db, [found], now())
        real = {
            name: one for name, one in changes.items() if getattr(found, name) != one
        }
        if not real:
            return []
        _require_settings(real, found._asdict() | real)
        new: Any = SimpleNamespace(**found._asdict() | real)
        needs = policy.needs_of_change(found, new, now())
        if needs is policy.Change.REFUSED:
            raise RefusedError(
                409, f"{key}: what is revealed stays so, and a frozen board as it is"
            )
        if needs is policy.Change.TYPED and typed != key:
            raise RefusedError(
                409,
                f"this gives more away, or sooner; type the board's key: {key} (in the shell: --confirm {key})",
            )
        db.execute(sa.update(board).where(board.c.id == found.id).values(real))
        if {"metrics", "precision"} & real.keys():
            _queue_rescoring(db, found.id)
        log_event(db, found.id, "changed", {"settings": sorted(real)}, by)
        for date, action in DATES.items():
            if real.get(date) is not None and real[date] <= now():
                log_event(db, found.id, action, {}, by)
    return sorted(real)


def reveal(engine: Engine, key: str, typed: str, by: int | None = None) -> None:
    """Show the scores of a board from now on; refuse another key than its own, and a second time."""
    found = board_of(engine, key)
    if policy.revealed(found, now()):
        raise RefusedError(
            409, f"{key}: revealed since {clock(found.reveals)} UTC, which stays so"
        )
    if typed != key:
        raise RefusedError(422, f"{typed!r} is not {key}: nothing was revealed")
    set_board(engine, key, {"reveals": now()}, typed=typed, by=by)


def add_judgments(engine: Engine, key: str, judged: Judged, note: str) -> int:
    """Add a version of a board's judgments; return its number. The newest counts."""
    with engine.begin() as db:
        board_id, newest = board_of(db, key).id, judgments_of(db, key)
        if newest is not None and newest.digest == judged.digest:
            return int(newest.version)
        version = 1 if newest is None else int(newest.version) + 1
        _insert_judgments(db, board_id, judged, version, note)
        return version


def _insert_judgments(
    db: Connection, board_id: int, judged: Judged, version: int, note: str
) -> None:
    """Add a version of a board's judgments, by which all its runs are scored again."""
    _queue_rescoring(db, board_id)
    line = {"board": board_id, "version": version, "added": now(), "note": note}
    db.execute(sa.insert(judgments).values(line | asdict(judged)))
    log_event(db, board_id, "judgments", {"version": version, "note": note})


def judgments_of(catalogue: Catalogue, key: str) -> Row[Any] | None:
    """Return a board's newest judgments; None where it has none."""
    wanted = sa.select(judgments).join(board, board.c.id == judgments.c.board)
    newest = wanted.where(board.c.key == key).order_by(judgments.c.version.desc())
    return next(iter(rows(catalogue, newest.limit(1))), None)


def rescore(engine: Engine, key: str) -> int:
    """Have all runs of a board scored again; return how many. What was scored stands until then."""
    with engine.begin() as db:
        board_id = board_of(db, key).id
        count = _queue_rescoring(db, board_id)
        log_event(db, board_id, "rescored", {"runs": count})
        return count


def _queue_rescoring(db: Connection, board_id: int) -> int:
    """Have a board's runs scored again, of those that lie here; return how many."""
    here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
    again = (submission.c.board == board_id) & submission.c.run.in_(here)
    again &= submission.c.state.in_(["scored", "failed"])
    update = sa.update(submission).where(again).values(state="accepted", tried=0)
    return db.execute(update).rowcount
