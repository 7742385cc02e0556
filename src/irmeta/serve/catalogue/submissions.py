"""Submissions: received, checked, scored, withdrawn."""

from collections.abc import Mapping, Sequence
from fcntl import LOCK_EX
from itertools import dropwhile
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.scores.names import known_as
from irmeta.serve.catalogue.boards import board_of, judgments_of
from irmeta.serve.catalogue.databases import Catalogue, reading, rows
from irmeta.serve.catalogue.events import has_happened, log_event, raise_version
from irmeta.serve.catalogue.people import Place, has_seen_judgments
from irmeta.serve.catalogue.rules import (
    NAME,
    NAMED,
    RefusedError,
    checked_texts,
    clock,
    new_key,
    now,
    run_of,
)
from irmeta.serve.catalogue.tables import GONE, board, judgments, run, score, submission
from irmeta.serve.policy import (
    Left,
    Limits,
    Phase,
    count_left,
    end_of_runs,
    has_passed,
    is_open,
    phase,
    revealed,
)
from irmeta.serve.site import Site
from irmeta.words import joined

REFUSED = 50
"""Runs of a team that a board with hidden judgments may refuse in a day."""
COUNTED = submission.c.state != "refused"
"""The condition for runs that count against the limits of a board."""

UNPOOLED = "not pooled"
"""The mark of a run whose documents were not judged for its sake."""
Remark = dict[str, Any]
"""What is odd about a run: level, line (or None), text."""


class Received(NamedTuple):
    """What came of a submission.

    key : of the run. new : whether it was not there yet. changed : whether it was, and is otherwise described now.
    kept : what of it stays as it was, and why.
    """

    key: str
    new: bool
    changed: bool = False
    kept: str = ""


class Checked(NamedTuple):
    """What a check found: remarks, the header of the run as text, and whether it could not end."""

    remarks: Sequence[Remark]
    header: str = ""
    failed: bool = False


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
    by: Place | None = None,
    person: int | None = None,
    dated: bool = False,
) -> Received:
    """Add a run to a board; the same bytes under the same name are the same submission, perhaps otherwise described.

    by : whose run it is; then the limits of a team hold, and it is marked if it comes late or knows too much. The
    organizer, who is nobody's, brings what any team has. person : who sends it. dated : the moment that it was received
    is said of it, and counts for a run that is there, too.
    """
    if not NAME.fullmatch(name):
        raise RefusedError(422, f"{name!r}: a run's name {NAMED}")
    texts: dict[str, Any] = checked_texts({"team": "", **about})
    if by is not None and not by.every:
        texts["team"] = by.team
    with engine.begin() as db:
        board_row = board_of(db, key)
        if named := texts.get("baseline"):
            texts["baseline"] = _baseline_name(db, board_row, texts["team"], named)
        old = _newest_named(db, board_row.id, texts["team"], name)
        if old is None and by is None:
            old = _newest_with_bytes(db, board_row.id, name, content.digest)
        if old is not None and old.run == content.digest:
            if dated:
                texts["received"] = received
            return _update_description(db, board_row, old, texts)
        if old is not None and not replace:
            raise RefusedError(409, _name_taken(name, texts["team"]))
        _note_bytes(db, content)
        columns = {"name": name, "run": content.digest, "replaces": old and old.key}
        columns |= {"received": received, "person": person, **texts}
        return _insert_submission(db, board_row, columns, limited=by is not None)


def _insert_submission(
    db: Connection, board_row: Any, columns: Mapping[str, Any], *, limited: bool
) -> Received:
    """Add a run that is to be checked. limited : the limits of its team hold, and it is marked."""
    team, key, marks = columns["team"], new_key(), list[str]()
    if limited:
        whose = (db, board_row, team, columns["person"], columns["received"])
        _require_runs_left(*whose)
        marks = _marks_of_new(*whose)
    line = {"key": key, "board": board_row.id, "state": "received", "remarks": []}
    db.execute(sa.insert(submission).values({**line, "marks": marks, **columns}))
    sent = {"team": team, "run": columns["name"], "replaces": columns["replaces"]}
    log_event(db, board_row.id, "submitted", sent, columns["person"])
    return Received(key, new=True)


def _name_taken(name: str, team: str) -> str:
    """Say that another run of a team has a name, and what to do."""
    there = f"a {run_of(name, team)} is there already, with other content"
    return f"{there}; choose another name, or replace that run"


def _update_description(
    db: Connection, board_row: Any, old: Row[Any], columns: Mapping[str, Any]
) -> Received:
    """Take over what is said of a run that is there (old), by columns, as far as that may change."""
    frozen = phase(board_row, now()) is Phase.FROZEN
    if old.state == "withdrawn":
        mend = "" if frozen else "; to rank it again, import it under another name"
        return Received(old.key, new=False, kept=f"stays withdrawn{mend}")
    said = {name: value for name, value in columns.items() if value}
    new = {name: value for name, value in said.items() if getattr(old, name) != value}
    kept, why = set[str](), ""
    if frozen:
        kept, why = set(new), "the board is frozen"
    elif old.person is not None:
        kept, why = new.keys() & {"team", "received"}, "its team sent it"
    taken = {name: value for name, value in new.items() if name not in kept}
    if taken:
        _set_submission(db, old.id, **taken)
        raise_version(db, board_row.id)
    words = joined(sorted("date" if name == "received" else name for name in kept))
    stays = f"keeps its {words}, because {why}" if kept else ""
    return Received(old.key, new=False, changed=bool(taken), kept=stays)


def _require_runs_left(
    db: Connection, board_row: Any, team: str, who: int | None, moment: int
) -> None:
    """Refuse a run more than the limits; withdrawn and replaced ones count, refused ones by themselves."""
    left = _runs_left(db, board_row, team, who, COUNTED, board_row, moment)
    if left.number == 0:
        limit = "the limit is of a team, and of each person in it"
        raise RefusedError(429, f"no run left now: {limit}{when_more(left)}")
    if is_open(board_row):
        return
    most = Limits(per_day=REFUSED)
    if _runs_left(db, board_row, team, who, ~COUNTED, most, moment).number == 0:
        raise RefusedError(429, f"{REFUSED} runs were refused in a day; check first")


def _runs_left(
    db: Connection,
    board_row: Any,
    team: str,
    who: int | None,
    which: sa.ColumnElement[bool],
    most: Limits,
    moment: int,
) -> Left:
    """Return the lesser of what is left to a team, and to a person (who) in whichever teams, when a run comes (moment).

    which : the condition for runs that count. most : the limits, as of the board itself.
    """
    whose = [submission.c.team == team]
    if who is not None:
        whose.append(submission.c.person == who)
    rest = []
    for own in whose:
        wanted = sa.select(submission.c.received).where(own, which)
        times = db.scalars(wanted.filter_by(board=board_row.id)).all()
        rest.append(count_left(most, times, moment, end_of_runs(board_row)))
    return min(rest, key=_scarcity)


def _scarcity(left: Left) -> tuple[float, float]:
    """Return what is less for what leaves fewer runs, and of the same number for what leaves more later."""
    number = inf if left.number is None else left.number
    return number, -inf if left.more is None else -left.more


def when_more(left: Left) -> str:
    """Say when there will be more runs, or that there will be none.

    >>> when_more(Left(0, None, 0))
    '; no more: the board closes at 1970-01-01 00:00:00 UTC'
    """
    if left.ends is not None:
        return f"; no more: the board closes at {clock(left.ends)} UTC"
    return "" if left.more is None else f"; more from {clock(left.more)} UTC"


def runs_left(engine: Engine, key: str, team: str, who: int | None) -> Left:
    """Return what is left now of the limits of a team, and of a person's."""
    with reading(engine) as db:
        board_row = board_of(db, key)
        return _runs_left(db, board_row, team, who, COUNTED, board_row, now())


def _marks_of_new(
    db: Connection, board_row: Any, team: str, who: int | None, moment: int
) -> list[str]:
    """Return the marks that a run of a team, received at a moment, has for ever."""
    marks = []
    if has_passed(board_row.closes, moment):
        marks.append("late")
    if has_passed(board_row.reveals, moment) and not is_open(board_row):
        marks.append("after the reveal")
    if has_seen_judgments(db, board_row.id, team, who):
        marks.append("holder")
    if has_happened(db, board_row.id, "pooled"):
        marks.append(UNPOOLED)
    return marks


def mark_pooled(engine: Engine, board_id: int, keys: Sequence[str], depth: int) -> None:
    """Note which runs' first documents are judged (keys): others are marked, unless they were judged before."""
    with engine.begin() as db:
        first = not has_happened(db, board_id, "pooled")
        for sent in submissions_of(db, board_id):
            marks = [mark for mark in sent.marks if mark != UNPOOLED]
            if sent.key not in keys and (first or UNPOOLED in sent.marks):
                marks.append(UNPOOLED)
            _set_submission(db, sent.id, marks=marks)
        log_event(db, board_id, "pooled", {"depth": depth, "runs": list(keys)})


def _holds_name(board_id: int, team: str, name: str) -> sa.ColumnElement[bool]:
    """Return the condition for runs of a team that have a name, or will have it after their check."""
    own = (submission.c.board == board_id) & (submission.c.team == team)
    return own & (submission.c.name == name) & submission.c.state.not_in(GONE)


def _newest_named(
    db: Connection, board_id: int, team: str, name: str
) -> Row[Any] | None:
    """Return the newest submission that has a name."""
    wanted = sa.select(submission).where(_holds_name(board_id, team, name))
    return db.execute(wanted.order_by(submission.c.id.desc())).first()


def _newest_with_bytes(
    db: Connection, board_id: int, name: str, digest: str
) -> Row[Any] | None:
    """Return the newest submission of the same bytes under a name, of whichever team; withdrawn ones come last."""
    wanted = sa.select(submission).filter_by(board=board_id, name=name, run=digest)
    order = submission.c.state.in_(GONE), submission.c.id.desc()
    return db.execute(wanted.where(COUNTED).order_by(*order)).first()


def _withdraw_older(db: Connection, accepted: Row[Any]) -> None:
    """Withdraw the runs that had the name of an accepted one before it."""
    named = _holds_name(accepted.board, accepted.team, accepted.name)
    older = sa.update(submission).where(named, submission.c.id < accepted.id)
    if db.execute(older.values(state="withdrawn")).rowcount:
        raise_version(db, accepted.board)


def _note_bytes(db: Connection, content: Bytes) -> None:
    """Note that the bytes of a run lie here; those of a frozen site did not."""
    own = {"digest": content.digest}
    known = db.execute(sa.select(run).filter_by(**own)).first()
    if known is None:
        line = sa.insert(run).values(**own, bytes=content.size, stored=now())
        db.execute(line)
    elif known.stored is None:
        db.execute(sa.update(run).filter_by(**own).values(stored=now()))


def remove_unnamed_bytes(site: Site, engine: Engine, digest: str) -> None:
    """Remove the bytes of a run that the catalogue does not say to be here; nobody brings it in meanwhile."""
    with site.keeping_run(LOCK_EX), reading(engine) as db:
        here = (run.c.digest == digest) & run.c.stored.is_not(None)
        if db.execute(sa.select(run).where(here)).first() is None:
            site.run_path(digest).unlink(missing_ok=True)


def _baseline_name(db: Connection, board_row: Any, team: str, named: str) -> str:
    """Return how the board calls the run that is named as a baseline; before the reveal a team knows its own only."""
    known = revealed(board_row, now())
    there = sa.select(submission.c.key, submission.c.name)
    there = there.filter_by(board=board_row.id).where(submission.c.state.not_in(GONE))
    if not known:
        there = there.filter_by(team=team)
    runs = dict(map(tuple, db.execute(there)))
    name = named if named in runs else known_as(named, runs.values())
    if name is None:
        own = "before the reveal it is a run of your own, and you have"
        whose = "the board has" if known else own
        raise RefusedError(422, f"baseline: {whose} no run {named!r}")
    return name


def submissions_of(
    catalogue: Catalogue, board_id: int, team: str | None = None
) -> list[Row[Any]]:
    """List the submissions of a board, the oldest first; of one team, or of all."""
    wanted = sa.select(submission).filter_by(board=board_id).order_by(submission.c.id)
    if team is not None:
        wanted = wanted.filter_by(team=team)
    return list(rows(catalogue, wanted))


def score_history(engine: Engine, key: str) -> tuple[list[str], list[bytes]] | None:
    """Return the judged topics, and the scores on the first metric of a run of a team and of all its runs before it.

    Runs of no team are before it, too: a ladder begins at the first that the organizer brought, and has no runs before.
    None where one of them is not scored yet: what was answered once stays so.
    """
    with reading(engine) as db:
        last = submission_of(db, key)
        board_row = board_of(db, last.board_key)
        newest = judgments_of(db, last.board_key)
        if newest is None:
            return None
        scored = score.c.submission == submission.c.id
        scored &= score.c.judgments == newest.id
        scored &= score.c.metric == board_row.metrics[0]
        named = (submission.c.key, submission.c.team, submission.c.state)
        wanted = (
            sa.select(*named, score.c.vector)
            .outerjoin(score, scored)
            .where(submission.c.board == board_row.id, submission.c.id <= last.id)
            .where(submission.c.team.in_(["", last.team]))
            .where(submission.c.state.not_in(["refused", "failed"]))
            .order_by(submission.c.id)
        )
        rows = db.execute(wanted).all()
    # a run that was withdrawn before it was scored got no answer
    rows = [row for row in rows if row.vector or row.state != "withdrawn"]
    if board_row.feedback == "ladder":
        rows = list(dropwhile(lambda row: row.team, rows))
        if not rows:
            return list(newest.topics), []
    vectors = [row.vector for row in rows]
    if not rows or rows[-1].key != key or None in vectors:
        return None
    return list(newest.topics), vectors


def submission_of(catalogue: Catalogue, key: str) -> Row[Any]:
    """Return a submission with the key and version of its board; refuse a key that there is not."""
    of_board = (board.c.key.label("board_key"), board.c.version.label("board_version"))
    wanted = sa.select(submission, *of_board).join(board)
    found = rows(catalogue, wanted.where(submission.c.key == key))
    if not found:
        raise RefusedError(404, f"there is no submission {key!r}")
    return found[0]


def withdraw(engine: Engine, key: str, by: int | None = None) -> None:
    """Take a submission off the table; its page and its figures stay, marked."""
    with engine.begin() as db:
        sent = submission_of(db, key)
        if sent.state not in GONE:
            _set_submission(db, sent.id, state="withdrawn")
            log_event(db, sent.board, "withdrawn", {"run": sent.name}, by)


def _set_submission(db: Connection, number: int, **values: Any) -> None:
    db.execute(sa.update(submission).filter_by(id=number).values(values))


def pending_submissions(engine: Engine, most: int) -> list[tuple[str, str]]:
    """List submissions to be checked and to be scored, the oldest of each first: their key, and which of the two."""
    judged = sa.exists().where(judgments.c.board == submission.c.board)
    wanted = (
        sa.select(submission.c.key, submission.c.state)
        .join(run)
        .where(run.c.stored.is_not(None))
        .order_by(submission.c.id)
        .limit(most)
    )
    # a state each: its index has them in order, however many wait
    received = wanted.where(submission.c.state == "received")
    accepted = wanted.where((submission.c.state == "accepted") & judged)
    with reading(engine) as db:
        waiting = [*db.execute(received), *db.execute(accepted)]
    return [(key, state) for key, state in waiting]


def keep_check(engine: Engine, key: str, check: Checked) -> bool:
    """Keep what a check found of a run; say whether it is refused: a remark is an error, or the check could not end."""
    wrong = check.failed or any(remark["level"] == "error" for remark in check.remarks)
    with engine.begin() as db:
        submitted = submission_of(db, key)
        if submitted.state != "received":
            return wrong
        if not wrong:
            _withdraw_older(db, submitted)
        remarks = [*check.remarks, *_remarks_on_twin(db, submitted)]
        state = "refused" if wrong else "accepted"
        said = {"remarks": remarks, "header": check.header}
        _set_submission(db, submitted.id, state=state, **said)
        if wrong:
            raise_version(db, submitted.board)  # the public sees how many are refused
            _forget_refused_bytes(db, submitted.run)
    return wrong


def _remarks_on_twin(db: Connection, checked: Row[Any]) -> list[Remark]:
    """Remark that a run of the team has the same bytes under another name: both stand on the table."""
    wanted = (
        sa.select(submission.c.name)
        .filter_by(board=checked.board, team=checked.team, run=checked.run)
        .where(submission.c.id < checked.id, submission.c.name != checked.name)
        .where(submission.c.state.not_in(GONE))
        .order_by(submission.c.id)
    )
    name = db.scalar(wanted.limit(1))
    if name is None:
        return []
    text = f"the same file as the run {name}, which is there already; each is a run of its own"
    return [{"level": "warning", "line": None, "text": text}]


def _forget_refused_bytes(db: Connection, digest: str) -> None:
    """Note that the bytes of a run are not here, unless they are of one that was not refused."""
    kept = (submission.c.run == digest) & COUNTED
    left = (run.c.digest == digest) & ~sa.exists().where(kept)
    db.execute(sa.update(run).where(left).values(stored=None))


def job_of(engine: Engine, key: str) -> Any:
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


def mark_scored(
    engine: Engine, key: str, judged: int, vectors: Mapping[str, bytes]
) -> None:
    """Keep a run's scores by metric, in place of those under the same judgments (judged), and call it scored."""
    with engine.begin() as db:
        submitted = submission_of(db, key)
        if submitted.state == "withdrawn":
            return
        own = {"submission": submitted.id, "judgments": judged}
        db.execute(sa.delete(score).filter_by(**own))
        keep_scores(db, submitted.id, judged, vectors)
        if submitted.state == "accepted":
            _set_submission(db, submitted.id, state="scored")
        raise_version(db, submitted.board)


def keep_scores(
    db: Connection, number: int, judged: int, vectors: Mapping[str, bytes]
) -> None:
    """Keep within a transaction the scores by metric of a submission under judgments (judged), each by its number."""
    own = {"submission": number, "judgments": judged}
    lines = [
        {**own, "metric": metric, "vector": vector}
        for metric, vector in vectors.items()
    ]
    if lines:
        db.execute(sa.insert(score), lines)


def mark_failed(engine: Engine, key: str, reason: str) -> None:
    """Note that a run could not be scored; once it was tried twice, it failed."""
    with engine.begin() as db:
        submitted = submission_of(db, key)
        if submitted.tried and submitted.state == "accepted":
            remark = {"level": "error", "line": None, "text": reason}
            remarks = [*submitted.remarks, remark]
            _set_submission(db, submitted.id, state="failed", remarks=remarks)
        _set_submission(db, submitted.id, tried=submitted.tried + 1)
        raise_version(db, submitted.board)


def count_by_state(catalogue: Catalogue, key: str) -> dict[str, int]:
    """Count a board's submissions by state."""
    return _count_by_state(catalogue, submission.c.state, board.c.key == key)


def _count_by_state(catalogue: Catalogue, state: Any, which: Any) -> dict[str, int]:
    """Count the submissions for which a condition holds, by what `state` says of each."""
    wanted = sa.select(state, sa.func.count()).select_from(submission).join(board)
    counts = rows(catalogue, wanted.where(which).group_by(state).order_by(state))
    return {str(name): int(count) for name, count in map(tuple, counts)}


def count_all_by_state(engine: Engine) -> dict[str, int]:
    """Count all submissions by state; before its board's reveal a run that has a score is accepted, as for its team."""
    known = board.c.reveals <= now()
    judged = submission.c.state.in_(["scored", "failed"])
    state = sa.case(
        (judged & ~sa.func.coalesce(known, sa.false()), "accepted"),
        else_=submission.c.state,
    )
    return _count_by_state(engine, state, sa.true())


def count_unscored(engine: Engine) -> tuple[int, int]:
    """Count the runs of all boards that can be checked or scored; say for how many seconds the oldest waits."""
    judged = sa.exists().where(judgments.c.board == submission.c.board)
    waits: Any = submission.c.state == "received"
    waits |= (submission.c.state == "accepted") & judged
    here = sa.select(run.c.digest).where(run.c.stored.is_not(None))
    return _count_waiting(engine, waits & submission.c.run.in_(here))


def _count_waiting(engine: Engine, which: sa.ColumnElement[bool]) -> tuple[int, int]:
    """Count submissions for which a condition holds; say for how many seconds the oldest has been here."""
    wanted = sa.select(sa.func.count(), sa.func.min(submission.c.received))
    with reading(engine) as db:
        count, oldest = db.execute(wanted.where(which)).one()
    return count, 0 if oldest is None else max(now() - oldest, 0) // 1_000_000


def count_waiting(engine: Engine) -> dict[str, int]:
    """Count what waits on boards whose scores everybody sees, and say since when the oldest does."""
    waits: Any = submission.c.state.in_(["received", "accepted"])
    # how many runs another board has not everybody may count
    seen = (board.c.visibility == "public") & (board.c.opens <= now())
    shown = sa.select(board.c.id).where(seen & (board.c.reveals <= now()))
    count, oldest = _count_waiting(engine, waits & submission.c.board.in_(shown))
    return {"waiting": count, "oldest_s": oldest}
