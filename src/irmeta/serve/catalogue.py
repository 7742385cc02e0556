"""Every read and write of the catalogue: one function is one transaction."""

import base64
import hashlib
import re
import secrets
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.errors import IrmetaError
from irmeta.serve import tables
from irmeta.serve.tables import board, event, judgments, run, score, submission, token

YEAR = 366 * 86_400 * 1_000_000
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
KEY = re.compile(r"[a-z0-9-]{2,40}")
DESCRIBED = {
    "team": 60,
    "system": 40,
    "repeat": 20,
    "type": 20,
    "description": 4000,
    "baseline": 40,
    "link": 300,
}
"""What people say of a run, and how long it may be."""


class RefusedError(IrmetaError):
    """What was asked cannot be done; `status` is that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def now() -> int:
    """Return the time in UTC, in microseconds."""
    return time.time_ns() // 1000


def new_key() -> str:
    """Return 80 random bits: a running number would tell how many others there are."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def cleaned(name: str, text: str, longest: int) -> str:
    r"""Return a text of a person as NFC; refuse one that is too long or has characters that do not show.

    >>> cleaned("team", "Lu\u0308beck", 60)
    'Lübeck'
    """
    text = unicodedata.normalize("NFC", text).strip()
    if len(text) > longest:
        raise RefusedError(422, f"{name}: {len(text)} characters; at most {longest}")
    # controls, marks of direction, halves of characters; only line breaks may stay
    odd = next((c for c in text if unicodedata.category(c)[0] == "C" and c != "\n"), "")
    if odd:
        raise RefusedError(
            422, f"{name}: the character U+{ord(odd):04X} is not allowed"
        )
    if name == "link" and text and not re.fullmatch(r"https://[^\s\"'<>]+", text):
        raise RefusedError(422, f"link: {text!r} does not begin with https://")
    return text


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Yield a connection that sees the catalogue at one moment."""
    with engine.connect().execution_options(reads=True) as one, one.begin():
        yield one


# boards


def boards(engine: Engine) -> Sequence[Row[Any]]:
    """List the boards."""
    with reading(engine) as db:
        return db.execute(sa.select(board).order_by(board.c.key)).all()


def board_of(engine: Engine, key: str) -> Row[Any]:
    """Return a board; refuse a key that there is not."""
    with reading(engine) as db:
        return _board(db, key)


def _board(db: Connection, key: str) -> Row[Any]:
    found = db.execute(sa.select(board).where(board.c.key == key)).first()
    if found is None:
        raise RefusedError(404, f"there is no board {key!r}")
    return found


@dataclass(frozen=True)
class Judged:
    """Judgments: the SHA-256 of their file, and the topics that they judge."""

    digest: str
    topics: list[str]


def new_board(
    engine: Engine, key: str, judged: Judged | None = None, **settings: Any
) -> None:
    """Add a board, and its judgments if there are any."""
    if not KEY.fullmatch(key):
        raise IrmetaError(f"{key!r}: a board's key has 2 to 40 of a-z, 0-9 and -")
    at = now()
    with engine.begin() as db:
        if db.execute(sa.select(board.c.id).where(board.c.key == key)).first():
            raise IrmetaError(f"there is a board {key!r} already")
        values = {"key": key, "created": at, "changed": at, **settings}
        db.execute(sa.insert(board).values(values))
        found = _board(db, key)
        _log(db, found.id, "opened", {})
        if judged is not None:
            _judge(db, found.id, judged, 1, "")


def set_board(engine: Engine, key: str, changes: Mapping[str, Any]) -> None:
    """Change a board's settings; the public sees which."""
    with engine.begin() as db:
        found = _board(db, key)
        real = {
            name: one for name, one in changes.items() if getattr(found, name) != one
        }
        if not real:
            return
        db.execute(sa.update(board).where(board.c.id == found.id).values(real))
        if {"metrics", "precision"} & real.keys():
            _again(db, found.id)
        _log(db, found.id, "changed", {"settings": sorted(real)})


def _log(db: Connection, at: int, action: str, detail: Mapping[str, Any]) -> None:
    """Note an event that the public sees, and that the board is another one now."""
    moment = now()
    line = {"board": at, "at": moment, "action": action, "detail": dict(detail)}
    db.execute(sa.insert(event).values(line))
    _touch(db, at, moment)


def _touch(db: Connection, at: int, moment: int) -> None:
    step = {"version": board.c.version + 1, "changed": moment}
    db.execute(sa.update(board).where(board.c.id == at).values(step))


# judgments


def new_judgments(engine: Engine, key: str, judged: Judged, note: str) -> int:
    """Add a version of a board's judgments; return its number. The newest counts."""
    with engine.begin() as db:
        found = _board(db, key)
        newest = _newest(db, found.id)
        if newest is not None and newest.digest == judged.digest:
            return int(newest.version)
        version = 1 if newest is None else int(newest.version) + 1
        _judge(db, found.id, judged, version, note)
        return version


def _judge(db: Connection, at: int, judged: Judged, version: int, note: str) -> None:
    _again(db, at)
    line = {"board": at, "version": version, "added": now(), "note": note}
    line |= {"digest": judged.digest, "topics": judged.topics}
    db.execute(sa.insert(judgments).values(line))
    _log(db, at, "judgments", {"version": version, "note": note})


def digest_of_judgments(engine: Engine, key: str) -> str:
    """Return the digest of a board's newest judgments; nothing where it has none."""
    with reading(engine) as db:
        newest = _newest(db, _board(db, key).id)
    return "" if newest is None else str(newest.digest)


def _newest(db: Connection, at: int) -> Row[Any] | None:
    wanted = sa.select(judgments).where(judgments.c.board == at)
    return db.execute(wanted.order_by(judgments.c.version.desc())).first()


def rescore(engine: Engine, key: str) -> int:
    """Have all runs of a board scored again; return how many. What was scored stands until then."""
    with engine.begin() as db:
        found = _board(db, key)
        count = _again(db, found.id)
        _log(db, found.id, "rescored", {"runs": count})
        return count


def _again(db: Connection, at: int) -> int:
    """Have runs scored again, of those that lie here."""
    here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
    again = (submission.c.board == at) & submission.c.run.in_(here)
    again &= submission.c.state.in_(["scored", "failed"])
    update = sa.update(submission).where(again).values(state="accepted", tried=0)
    return db.execute(update).rowcount


# submissions


@dataclass(frozen=True)
class Received:
    """What came of a submission: its key, and whether it was there before."""

    key: str
    new: bool


def submit(
    engine: Engine,
    key: str,
    name: str,
    digest: str,
    size: int,
    *,
    received: int,
    replace: bool = False,
    about: Mapping[str, str] = MappingProxyType({}),
) -> Received:
    """Add a run to a board; the same bytes under the same name are the same submission."""
    if not NAME.fullmatch(name):
        raise RefusedError(
            422, f"{name!r}: a run's name has 1 to 40 of A-Z a-z 0-9 . _ -"
        )
    described = {
        what: cleaned(what, about.get(what, ""), DESCRIBED[what]) for what in about
    }
    with engine.begin() as db:
        found = _board(db, key)
        mine = (submission.c.board == found.id) & (submission.c.name == name)
        mine &= submission.c.team == described.get("team", "")
        held = mine & submission.c.state.not_in(tables.GONE)
        there = db.execute(sa.select(submission).where(held)).first()
        if there is not None and there.run == digest:
            return Received(str(there.key), new=False)
        if there is not None and not replace:
            raise RefusedError(
                409,
                f"{name}: another run has this name; choose another name, or replace it (?replace=1)",
            )
        _require_baseline(db, found.id, described.get("baseline", ""))
        if there is not None:
            old = sa.update(submission).where(submission.c.id == there.id)
            db.execute(old.values(state="withdrawn"))
        moment = now()
        _keep_run(db, digest, size, moment)
        line = {
            "key": new_key(),
            "board": found.id,
            "name": name,
            "run": digest,
            "received": received,
            "state": "received",
            "remarks": [],
            "replaces": None if there is None else there.key,
            **described,
        }
        db.execute(sa.insert(submission).values(line))
        if there is not None:
            _touch(db, found.id, moment)
        return Received(str(line["key"]), new=True)


def _keep_run(db: Connection, digest: str, size: int, stored: int | None) -> None:
    """Note a run, and since when its bytes lie here."""
    known = db.execute(sa.select(run).where(run.c.digest == digest)).first()
    if known is None:
        line = {"digest": digest, "bytes": size, "stored": stored}
        db.execute(sa.insert(run).values(line))
    elif known.stored is None and stored is not None:
        here = sa.update(run).where(run.c.digest == digest)
        db.execute(here.values(stored=stored))


def _require_baseline(db: Connection, at: int, baseline: str) -> None:
    """Refuse a baseline that is not a run of the board."""
    if not baseline:
        return
    named = (submission.c.name == baseline) | (submission.c.key == baseline)
    wanted = named & (submission.c.board == at) & submission.c.state.not_in(tables.GONE)
    if not db.execute(sa.select(submission.c.id).where(wanted)).first():
        raise RefusedError(422, f"baseline: the board has no run {baseline!r}")


def submission_of(engine: Engine, key: str) -> Row[Any]:
    """Return a submission with the key of its board; refuse a key that there is not."""
    wanted = (
        sa.select(
            submission,
            board.c.key.label("board_key"),
            board.c.version.label("board_version"),
        )
        .join(board, board.c.id == submission.c.board)
        .where(submission.c.key == key)
    )
    with reading(engine) as db:
        found = db.execute(wanted).first()
    if found is None:
        raise RefusedError(404, f"there is no submission {key!r}")
    return found


def withdraw(engine: Engine, key: str) -> None:
    """Take a submission off the table; its page and its figures stay, marked."""
    with engine.begin() as db:
        mine = sa.select(submission).where(submission.c.key == key)
        found = db.execute(mine).first()
        if found is None:
            raise RefusedError(404, f"there is no submission {key!r}")
        if found.state in tables.GONE:
            return
        one = sa.update(submission).where(submission.c.id == found.id)
        db.execute(one.values(state="withdrawn"))
        _log(db, found.board, "withdrawn", {"run": found.name})


def pending(engine: Engine, most: int) -> list[tuple[str, str]]:
    """List submissions to be checked or scored, the oldest first: their key, and which of the two."""
    missing = (
        sa.select(submission.c.key, submission.c.state)
        .join(run, run.c.digest == submission.c.run)
        .where(run.c.stored.is_not(None))
        .where(
            (submission.c.state == "received")
            | (
                (submission.c.state == "accepted")
                & sa.exists().where(judgments.c.board == submission.c.board)
            )
        )
        .order_by(submission.c.id)
        .limit(most)
    )
    with reading(engine) as db:
        return [(key, state) for key, state in db.execute(missing)]


def checked(
    engine: Engine, key: str, remarks: Sequence[Mapping[str, Any]], *, failed: bool
) -> str:
    """Keep the remarks on a run; return its state, refused where one is an error or the check could not end."""
    wrong = failed or any(one["level"] == "error" for one in remarks)
    state = "refused" if wrong else "accepted"
    own = (submission.c.key == key) & (submission.c.state == "received")
    values = {"state": state, "remarks": list(remarks)}
    with engine.begin() as db:
        db.execute(sa.update(submission).where(own).values(values))
    return state


@dataclass(frozen=True)
class Work:
    """What a child needs to know to check and to score a run."""

    board: str
    name: str
    run: str
    topics: list[str]
    documents: str
    depth: int
    precision: str
    metrics: list[str]
    qrels: str
    judged: list[str]
    judgments: int


def work(engine: Engine, key: str) -> Work:
    """Gather what is needed to check and to score a run."""
    with reading(engine) as db:
        found = db.execute(sa.select(submission).where(submission.c.key == key))
        one = found.one()
        of = db.execute(sa.select(board).where(board.c.id == one.board)).one()
        newest = _newest(db, one.board)
        return Work(
            board=of.key,
            name=one.name,
            run=one.run,
            topics=of.topics,
            documents=of.documents,
            depth=of.depth,
            precision=of.precision,
            metrics=of.metrics,
            qrels="" if newest is None else newest.digest,
            judged=[] if newest is None else newest.topics,
            judgments=0 if newest is None else newest.id,
        )


def scored(engine: Engine, key: str, judged: int, vectors: Mapping[str, bytes]) -> None:
    """Keep a run's scores; twice is as once."""
    with engine.begin() as db:
        found = db.execute(sa.select(submission).where(submission.c.key == key))
        one = found.one()
        old = (score.c.submission == one.id) & (score.c.judgments == judged)
        db.execute(sa.delete(score).where(old))
        lines = [
            {
                "submission": one.id,
                "judgments": judged,
                "metric": name,
                "vector": vector,
            }
            for name, vector in vectors.items()
        ]
        db.execute(sa.insert(score), lines)
        own = (submission.c.id == one.id) & (submission.c.state == "accepted")
        db.execute(sa.update(submission).where(own).values(state="scored"))
        _touch(db, one.board, now())


def failed(engine: Engine, key: str, reason: str) -> None:
    """Note that a run could not be scored; it is tried twice."""
    with engine.begin() as db:
        found = db.execute(sa.select(submission).where(submission.c.key == key))
        one = found.one()
        values: dict[str, Any] = {"tried": one.tried + 1}
        if one.tried >= 1 and one.state == "accepted":
            remark = {"level": "error", "line": None, "text": reason}
            values |= {"state": "failed", "remarks": [*one.remarks, remark]}
        db.execute(
            sa.update(submission).where(submission.c.id == one.id).values(values)
        )
        _touch(db, one.board, now())


# what is published


@dataclass(frozen=True)
class Snapshot:
    """A board at one moment.

    runs : the submissions, without those that are only received or refused.  counts : of submissions by state.
    vectors : by version of the judgments and key of the submission, by metric the scores of the judged topics.
    """

    board: Row[Any]
    versions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    runs: Sequence[Row[Any]]
    counts: Mapping[str, int]
    vectors: Mapping[int, Mapping[str, Mapping[str, "np.ndarray[Any, Any]"]]]


def snapshot(engine: Engine, key: str) -> Snapshot:
    """Read all of a board that may be published."""
    with reading(engine) as db:
        found = _board(db, key)
        own = submission.c.board == found.id
        of_board = sa.select(judgments).where(judgments.c.board == found.id)
        versions = db.execute(of_board.order_by(judgments.c.version)).all()
        events = sa.select(event).where(event.c.board == found.id).order_by(event.c.id)
        shown = own & submission.c.state.not_in(["received", "refused"])
        runs = (
            sa.select(submission, run.c.bytes)
            .join(run, run.c.digest == submission.c.run)
            .where(shown)
            .order_by(submission.c.id)
        )
        by_state = sa.select(submission.c.state, sa.func.count()).where(own)
        counts = {
            str(state): int(count)
            for state, count in db.execute(by_state.group_by(submission.c.state))
        }
        vectors: dict[int, dict[str, dict[str, Any]]] = {}
        # the two newest versions: the table, and whom the last correction moved
        numbers = {one.id: one.version for one in versions[-2:]}
        columns = sa.select(
            submission.c.key, score.c.judgments, score.c.metric, score.c.vector
        )
        joined = columns.join(submission, submission.c.id == score.c.submission)
        for whose, judged, metric, vector in db.execute(
            joined.where(shown & score.c.judgments.in_(list(numbers)))
        ):
            of_version = vectors.setdefault(numbers[judged], {})
            of_run = of_version.setdefault(whose, {})
            of_run[metric] = np.frombuffer(vector, dtype="<f8")
        return Snapshot(
            found,
            versions,
            db.execute(events).all(),
            db.execute(runs).all(),
            counts,
            vectors,
        )


def restore(
    engine: Engine,
    settings: Mapping[str, Any],
    versions: Iterable[Mapping[str, Any]],
    runs: Iterable[Mapping[str, Any]],
    events: Iterable[Mapping[str, Any]],
    vectors: Mapping[str, Mapping[str, bytes]],
    scored_under: int,
) -> None:
    """Add a board as a frozen site has it: the same keys, times and scores; runs lie where they lay."""
    with engine.begin() as db:
        if db.execute(
            sa.select(board.c.id).where(board.c.key == settings["key"])
        ).first():
            raise IrmetaError(f"there is a board {settings['key']!r} already")
        db.execute(sa.insert(board).values(dict(settings)))
        at = _board(db, settings["key"]).id
        for one in versions:
            db.execute(sa.insert(judgments).values({**one, "board": at}))
        own = (judgments.c.board == at) & (judgments.c.version == scored_under)
        judged = db.execute(sa.select(judgments.c.id).where(own)).scalar()
        for one in events:
            db.execute(sa.insert(event).values({**one, "board": at}))
        for one in runs:
            line = {"remarks": [], **one, "board": at}
            _keep_run(db, line["run"], line.pop("bytes"), None)
            number = db.execute(sa.insert(submission).values(line)).inserted_primary_key
            lines = [
                {
                    "submission": number[0] if number else 0,
                    "judgments": judged,
                    "metric": metric,
                    "vector": vector,
                }
                for metric, vector in vectors.get(one["key"], {}).items()
            ]
            if lines:
                db.execute(sa.insert(score), lines)


def versions_of(engine: Engine) -> dict[str, int]:
    """Return the version of each board, which grows with every change that the public sees."""
    with reading(engine) as db:
        return {
            one.key: one.version
            for one in db.execute(sa.select(board.c.key, board.c.version))
        }


def counts(engine: Engine, key: str) -> dict[str, int]:
    """Count a board's submissions by state."""
    with reading(engine) as db:
        own = submission.c.board == _board(db, key).id
        wanted = sa.select(submission.c.state, sa.func.count()).where(own)
        found = db.execute(
            wanted.group_by(submission.c.state).order_by(submission.c.state)
        )
        return {str(state): int(count) for state, count in found}


# tokens


def new_token(engine: Engine, label: str) -> str:
    """Make a token; only its digest is kept."""
    secret = secrets.token_urlsafe(32)
    at = now()
    line = {
        "digest": hashlib.sha256(secret.encode()).hexdigest(),
        "label": label,
        "created": at,
        "expires": at + YEAR,
    }
    with engine.begin() as db:
        db.execute(sa.insert(token).values(line))
    return secret


def known_token(engine: Engine, digest: str) -> bool:
    """Say whether a token with this digest may submit now."""
    valid = (token.c.digest == digest) & (token.c.expires > now())
    with reading(engine) as db:
        wanted = sa.select(token.c.digest).where(valid & token.c.revoked.is_(None))
        return db.execute(wanted).first() is not None


def healthy(engine: Engine) -> dict[str, int]:
    """Count what waits, and say since when the oldest does."""
    waits = submission.c.state.in_(["received", "accepted"])
    with reading(engine) as db:
        wanted = sa.select(sa.func.count(), sa.func.min(submission.c.received))
        count, oldest = db.execute(wanted.where(waits)).one()
    return {
        "waiting": count,
        "oldest_s": 0 if not oldest else (now() - oldest) // 1_000_000,
    }
