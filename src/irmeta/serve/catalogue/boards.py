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
    """Return the board of a key, with all that `policy` reads of it; refuse a key that there is not."""
    found = rows(catalogue, sa.select(board).filter_by(key=key))
    if not found:
        raise RefusedError(404, f"there is no board {key!r}")
    return found[0]


def log_passed_dates(engine: Engine, since: int = 0) -> None:
    """Log what dates of boards have brought that have passed since a moment, unless the log says so."""
    moment = now()
    passed = [board.c[date].between(since, moment) for date in DATES]
    wanted = sa.select(board).where(sa.or_(*passed))
    with reading(engine) as db:  # who writes keeps others waiting
        if not _unlogged_dates(db, db.execute(wanted).all(), moment):
            return
    with engine.begin() as db:
        _log_passed(db, db.execute(wanted).all(), moment)


def _log_passed(db: Connection, boards: Sequence[Row[Any]], moment: int) -> None:
    """Log what the dates of boards have brought by a moment, unless the log says so."""
    for when, number, action in _unlogged_dates(db, boards, moment):
        log_event(db, number, action, {}, when=when)


def _unlogged_dates(
    db: Connection, boards: Sequence[Row[Any]], moment: int
) -> list[tuple[int, int, str]]:
    """List dates of boards that have passed and of which the log does not say so: when, number of the board, action.

    What changed last says nothing of it: a clock may have been ahead, and boards change at any moment.
    """
    wanted = (
        sa.select(event.c.board, event.c.action, event.c.detail)
        .where(event.c.board.in_([row.id for row in boards]))
        .where(event.c.action.in_([*DATES.values(), "changed"]))
        .order_by(event.c.id)
    )
    newest: dict[tuple[int, str], str] = {}
    for line, date in product(db.execute(wanted), DATES):
        if line.action == DATES[date] or date in line.detail.get("settings", ()):
            newest[line.board, date] = line.action
    due = []
    for row, date in product(boards, DATES):
        when, last = getattr(row, date), newest.get((row.id, date))
        if when is None or when > moment:
            continue
        # with its first dates a board says that it opened
        if last == "changed" or (last is None and when > row.created):
            due.append((when, row.id, DATES[date]))
    return sorted(due)


def board_versions(engine: Engine) -> dict[str, int]:
    """Return by key the version of each board, which grows with every change that the public sees."""
    return {row.key: row.version for row in all_boards(engine)}


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
    """Refuse changed settings that columns cannot keep, or that do not fit the others (whole) or the form of a name."""
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
    """Change a board's settings, and return which are other ones now; the public sees them.

    typed : the key again, for what gives more away or is not to be undone.
    """
    with engine.begin() as db:
        row = board_of(db, key)
        _log_passed(db, [row], now())
        old = row._asdict()
        real = {name: value for name, value in changes.items() if old[name] != value}
        if not real:
            return []
        _require_settings(real, old | real)
        new: Any = SimpleNamespace(**old | real)
        needs = policy.needs_of_change(row, new, now())
        if needs is policy.Change.REFUSED:
            raise RefusedError(
                409, f"{key}: what is revealed stays so, and a frozen board as it is"
            )
        if needs is policy.Change.TYPED and typed != key:
            mend = f"type the board's key: {key} (in the shell: --confirm {key})"
            raise RefusedError(409, f"this gives more away, or sooner; {mend}")
        if policy.revealed(new, now()) and not policy.revealed(row, now()):
            _require_judgments(db, key)
        db.execute(sa.update(board).filter_by(id=row.id).values(real))
        if {"metrics", "precision"} & real.keys():
            _queue_rescoring(db, row.id)
        log_event(db, row.id, "changed", {"settings": sorted(real)}, by)
        for date, action in DATES.items():
            if policy.has_passed(real.get(date), now()):
                log_event(db, row.id, action, {}, by)
    return sorted(real)


def reveal(engine: Engine, key: str, typed: str, by: int | None = None) -> None:
    """Show the scores of a board from now on; refuse another key than its own."""
    require_revealable(engine, key)
    if typed != key:
        raise RefusedError(422, f"{typed!r} is not {key}: nothing was revealed")
    set_board(engine, key, {"reveals": now()}, typed=typed, by=by)


def require_revealable(engine: Engine, key: str) -> None:
    """Refuse to reveal a board a second time, or without judgments."""
    row = board_of(engine, key)
    if policy.revealed(row, now()):
        raise RefusedError(
            409, f"{key}: revealed since {clock(row.reveals)} UTC, which stays so"
        )
    _require_judgments(engine, key)


def _require_judgments(catalogue: Catalogue, key: str) -> None:
    """Refuse to reveal a board without judgments."""
    if judgments_of(catalogue, key) is None:
        mend = f"add them first: irmeta board judgments {key} --qrels QRELS"
        raise RefusedError(409, f"{key} has no judgments to score runs by; {mend}")


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
