"""Submissions: received, checked, scored, withdrawn."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.scores.names import known_as
from irmeta.serve.catalogue.boards import row_of
from irmeta.serve.catalogue.events import log, touch
from irmeta.serve.catalogue.rules import (
    NAME,
    RefusedError,
    described,
    new_key,
    now,
)
from irmeta.serve.catalogue.tables import (
    GONE,
    board,
    judgments,
    reading,
    run,
    score,
    submission,
)
from irmeta.serve.client import NAMED

Remark = dict[str, Any]
"""What is odd about a run: level, line (or None), text."""


class Received(NamedTuple):
    """What came of a submission: its key, and whether it is new."""

    key: str
    new: bool


class Bytes(NamedTuple):
    """The bytes of a run: their SHA-256, and how many they are."""

    digest: str
    size: int


def submit(
    engine: Engine,
    key: str,
    name: str,
    content: Bytes,
    *,
    received: int,
    replace: bool = False,
    about: Mapping[str, str] = MappingProxyType({}),
) -> Received:
    """Add a run to a board; the same bytes under the same name are the same submission, perhaps otherwise described."""
    if not NAME.fullmatch(name):
        raise RefusedError(422, f"{name!r}: a run's name {NAMED}")
    texts = described(about)
    with engine.begin() as db:
        at = row_of(db, key).id
        if named := texts.get("baseline"):
            texts["baseline"] = _baseline(db, at, named)
        old = _held(db, at, texts.get("team", ""), name)
        if old is not None and old.run == content.digest:
            said = {what: text for what, text in texts.items() if text}
            if any(getattr(old, what) != text for what, text in said.items()):
                _set(db, old.id, **said)
                touch(db, at)
            return Received(old.key, new=False)
        if old is not None and not replace:
            mend = "choose another name, or replace that run"
            raise RefusedError(
                409, f"another run of the board is called {name}; {mend}"
            )
        if old is not None:
            _set(db, old.id, state="withdrawn")
            touch(db, at)
        _keep(db, content)
        made = {"key": new_key(), "board": at, "name": name, "run": content.digest}
        made |= {"received": received, "replaces": old and old.key, **texts}
        more = {"state": "received", "remarks": []}
        db.execute(sa.insert(submission).values(made | more))
        return Received(made["key"], new=True)


def _held(db: Connection, at: int, team: str, name: str) -> Row[Any] | None:
    """Return the submission that has a name."""
    own = (submission.c.board == at) & (submission.c.team == team)
    own &= (submission.c.name == name) & submission.c.state.not_in(GONE)
    return db.execute(sa.select(submission).where(own)).first()


def _keep(db: Connection, content: Bytes) -> None:
    """Note that the bytes of a run lie here; those of a frozen site did not."""
    of_run = run.c.digest == content.digest
    known = db.execute(sa.select(run).where(of_run)).first()
    if known is None:
        values = {"digest": content.digest, "bytes": content.size, "stored": now()}
        db.execute(sa.insert(run).values(values))
    elif known.stored is None:
        db.execute(sa.update(run).where(of_run).values(stored=now()))


def _baseline(db: Connection, at: int, named: str) -> str:
    """Return how the board calls the run that is named as a baseline; refuse what is not a run of the board."""
    there = (submission.c.board == at) & submission.c.state.not_in(GONE)
    wanted = sa.select(submission.c.name, submission.c.key).where(there)
    runs = {key: name for name, key in db.execute(wanted)}
    found = named if named in runs else known_as(named, runs.values())
    if found is None:
        raise RefusedError(422, f"baseline: the board has no run {named!r}")
    return found


def submission_of(engine: Engine, key: str) -> Row[Any]:
    """Return a submission with the key and version of its board; refuse a key that there is not."""
    of = (board.c.key.label("board_key"), board.c.version.label("board_version"))
    wanted = sa.select(submission, *of).join(board, board.c.id == submission.c.board)
    with reading(engine) as db:
        found = db.execute(wanted.where(submission.c.key == key)).first()
    if found is None:
        raise RefusedError(404, f"there is no submission {key!r}")
    return found


def withdraw(engine: Engine, key: str) -> None:
    """Take a submission off the table; its page and its figures stay, marked."""
    submission_of(engine, key)
    with engine.begin() as db:
        found = _row(db, key)
        if found.state not in GONE:
            _set(db, found.id, state="withdrawn")
            log(db, found.board, "withdrawn", {"run": found.name})


def _row(db: Connection, key: str) -> Row[Any]:
    return db.execute(sa.select(submission).where(submission.c.key == key)).one()


def _set(db: Connection, at: int, **values: Any) -> None:
    db.execute(sa.update(submission).where(submission.c.id == at).values(values))


def pending(engine: Engine, most: int) -> list[tuple[str, str]]:
    """List submissions to be checked and to be scored, the oldest of each first: their key, and which of the two."""
    judged = sa.exists().where(judgments.c.board == submission.c.board)
    wanted = (
        sa.select(submission.c.key, submission.c.state)
        .join(run, run.c.digest == submission.c.run)
        .where(run.c.stored.is_not(None))
        .order_by(submission.c.id)
        .limit(most)
    )
    # a state each: its index has them in order, however many wait
    received = wanted.where(submission.c.state == "received")
    accepted = wanted.where((submission.c.state == "accepted") & judged)
    with reading(engine) as db:
        found = [row for one in (received, accepted) for row in db.execute(one)]
    return [(key, state) for key, state in found]


def checked(
    engine: Engine, key: str, remarks: Sequence[Remark], *, failed: bool
) -> None:
    """Keep the remarks on a run, which is refused where one is an error or the check could not end."""
    wrong = failed or any(one["level"] == "error" for one in remarks)
    with engine.begin() as db:
        one = _row(db, key)
        if one.state == "received":
            state = "refused" if wrong else "accepted"
            _set(db, one.id, state=state, remarks=list(remarks))
            if wrong:  # the public sees how many are refused
                touch(db, one.board)


def work(engine: Engine, key: str) -> Any:
    """Gather what a child needs to know to check and to score a run; `qrels` is None without judgments."""
    newest = sa.select(sa.func.max(judgments.c.version))
    newest = newest.where(judgments.c.board == board.c.id).correlate(board)
    judged = (judgments.c.board == board.c.id) & (
        judgments.c.version == newest.scalar_subquery()
    )
    settings = (board.c.depth, board.c.precision, board.c.metrics)
    wanted = (
        sa.select(
            *(submission.c.name, submission.c.run, *settings),
            *(board.c.topics, board.c.documents, judgments.c.id.label("judgments")),
            *(judgments.c.digest.label("qrels"), judgments.c.topics.label("judged")),
        )
        .join(board, board.c.id == submission.c.board)
        .outerjoin(judgments, judged)
        .where(submission.c.key == key)
    )
    with reading(engine) as db:
        return db.execute(wanted).one()


def scored(engine: Engine, key: str, judged: int, vectors: Mapping[str, bytes]) -> None:
    """Keep a run's scores; twice is as once."""
    with engine.begin() as db:
        one = _row(db, key)
        old = (score.c.submission == one.id) & (score.c.judgments == judged)
        db.execute(sa.delete(score).where(old))
        keep_scores(db, one.id, judged, vectors)
        if one.state == "accepted":
            _set(db, one.id, state="scored")
        touch(db, one.board)


def keep_scores(
    db: Connection, at: int, judged: int, vectors: Mapping[str, bytes]
) -> None:
    """Keep a run's scores within a transaction."""
    own = {"submission": at, "judgments": judged}
    lines = [{**own, "metric": name, "vector": one} for name, one in vectors.items()]
    if lines:
        db.execute(sa.insert(score), lines)


def failed(engine: Engine, key: str, reason: str) -> None:
    """Note that a run could not be scored; it is tried twice."""
    with engine.begin() as db:
        one = _row(db, key)
        if one.tried and one.state == "accepted":
            remark = {"level": "error", "line": None, "text": reason}
            _set(db, one.id, state="failed", remarks=[*one.remarks, remark])
        _set(db, one.id, tried=one.tried + 1)
        touch(db, one.board)


def counts(engine: Engine, key: str) -> dict[str, int]:
    """Count a board's submissions by state."""
    with reading(engine) as db:
        return counted(db, row_of(db, key).id)


def counted(db: Connection, at: int) -> dict[str, int]:
    """Count a board's submissions by state within a transaction."""
    state = submission.c.state
    wanted = sa.select(state, sa.func.count()).where(submission.c.board == at)
    found = db.execute(wanted.group_by(state).order_by(state))
    return {str(state): int(count) for state, count in found}


def waiting(engine: Engine) -> dict[str, int]:
    """Count what waits, and say since when the oldest does."""
    waits = submission.c.state.in_(["received", "accepted"])
    wanted = sa.select(sa.func.count(), sa.func.min(submission.c.received))
    with reading(engine) as db:
        count, oldest = db.execute(wanted.where(waits)).one()
    seconds = 0 if oldest is None else (now() - oldest) // 1_000_000
    return {"waiting": count, "oldest_s": seconds}
