"""A board as a whole: read at one moment, or made of what a frozen site says."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Row

from irmeta.serve.catalogue import boards, submissions
from irmeta.serve.catalogue.databases import reading
from irmeta.serve.catalogue.events import PUBLIC, append_lines
from irmeta.serve.catalogue.rules import now
from irmeta.serve.catalogue.tables import (
    board,
    event,
    judgments,
    require_storable,
    run,
    score,
    submission,
)
from irmeta.serve.policy import Action, Role, Who, may

Vectors = Mapping[str, Mapping[str, npt.NDArray[np.float64]]]
"""By key of the submission and metric the scores of the judged topics."""
SETTINGS = [one.name for one in board.c if one.name not in ("id", "documents")]
JUDGMENTS = [one.name for one in judgments.c if one.name not in ("id", "board", "salt")]
_INNER = ("id", "board", "tried", "person")
SAID = [one.name for one in submission.c if one.name not in _INNER]
EVENTS = ["at", "action", "detail"]
"""What the public data say of a board, of judgments, of a submission and of an event: no more of it is restored."""


@dataclass(frozen=True)
class Snapshot:
    """A board at one moment.

    runs : the submissions, without those that are only received or refused.  counts : of submissions by state.
    topics : by version of the judgments those that count. vectors : of the two newest versions, on these topics.
    at : the moment, in microseconds.
    """

    board: Any
    versions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    runs: Sequence[Row[Any]]
    counts: Mapping[str, int]
    topics: Mapping[int, list[str]]
    vectors: Mapping[int, Vectors]
    at: int

    def anybody_may(self, action: Action, role: Role = Role.VISITOR) -> bool:
        """Say whether anybody may do something, or anybody of a role."""
        return may(Who(role), action, self.board, self.at)

    @property
    def tells_judgments(self) -> bool:
        """Whether who sees the scores may have the judgments, too."""
        return self.anybody_may(Action.DOWNLOAD_JUDGMENTS, Role.MEMBER)


def snapshot(engine: Engine, key: str) -> Snapshot:
    """Read all of a board that may be published."""
    with reading(engine) as db:
        found = boards.board_of(db, key)
        shown = submission.c.board == found.id
        shown &= submission.c.state.not_in(["received", "refused"])
        runs = sa.select(submission, run.c.bytes).join(
            run, run.c.digest == submission.c.run
        )
        of_board = sa.select(judgments).filter_by(board=found.id)
        versions = db.execute(of_board.order_by(judgments.c.version)).all()
        events = sa.select(event).filter_by(board=found.id)
        events = events.where(event.c.action.in_(PUBLIC))
        # those of the feedback before the reveal do not count
        out = found.feedback_topics or ()
        topics = {
            judged.version: [one for one in judged.topics if one not in out]
            for judged in versions
        }
        return Snapshot(
            found,
            versions,
            db.execute(events.order_by(event.c.id)).all(),
            db.execute(runs.where(shown).order_by(submission.c.id)).all(),
            submissions.count_by_state(db, key),
            topics,
            # the two newest versions: the table, and whom the last correction moved
            {
                one.version: _read_vectors(db, one, topics[one.version], shown)
                for one in versions[-2:]
            },
            now(),
        )


def _read_vectors(
    db: Connection, judged: Row[Any], topics: list[str], shown: Any
) -> Vectors:
    """Read the scores of all runs under one version of the judgments, on some topics."""
    place = {topic: at for at, topic in enumerate(judged.topics)}
    places = [place[one] for one in topics]
    found: dict[str, dict[str, Any]] = {}
    wanted = (
        sa.select(submission.c.key, score.c.metric, score.c.vector)
        .join(submission, submission.c.id == score.c.submission)
        .where(shown & (score.c.judgments == judged.id))
    )
    for key, metric, vector in db.execute(wanted):
        found.setdefault(key, {})[metric] = np.frombuffer(vector, dtype="<f8")[places]
    return found


def restore_board(
    engine: Engine,
    public: Mapping[str, Any],
    vectors: Mapping[str, Mapping[str, bytes]],
) -> None:
    """Add a board as a frozen site has it: the same keys, times and scores; runs lie where they lay.

    public : its settings (board), judgments, runs and events, and under which version it was scored (scored_under).
    """
    with engine.begin() as db:
        board_id = boards.insert_board(db, only(SETTINGS, public["board"]))
        _insert_lines(db, judgments, JUDGMENTS, board_id, public["judgments"])
        lines = [only(EVENTS, one) for one in public["events"]]
        for one in lines:
            if one["action"] not in PUBLIC:
                raise ValueError(f"{one['action']!r} is no public event")
            require_storable(event, one)
        append_lines(db, [{**one, "board": board_id} for one in lines])
        runs = {one["run"]: one["bytes"] for one in public["runs"]}
        known = set(db.execute(sa.select(run.c.digest)).scalars())
        new = [
            {"digest": digest, "bytes": size}
            for digest, size in runs.items()
            if digest not in known
        ]
        for one in new:
            require_storable(run, one)
        if new:
            db.execute(sa.insert(run), new)
        _insert_lines(db, submission, SAID, board_id, public["runs"])
        under = {"board": board_id, "version": public["scored_under"]}
        own = sa.select(judgments.c.id).filter_by(**under)
        judged = db.execute(own).scalar() or 0
        numbers = sa.select(submission.c.key, submission.c.id)
        for key, number in db.execute(
            numbers.where(submission.c.board == board_id)
        ).all():
            submissions.keep_scores(db, number, judged, vectors.get(key, {}))


def only(names: Collection[str], given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is given under some names, in its order."""
    return {name: one for name, one in given.items() if name in names}


def _insert_lines(
    db: Connection,
    table: sa.Table,
    names: Collection[str],
    board_id: int,
    lines: Iterable[Mapping[str, Any]],
) -> None:
    """Add lines of a board to a table."""
    values = [only(names, one) | {"board": board_id} for one in lines]
    for one in values:
        require_storable(table, one)
    if values:
        db.execute(sa.insert(table), values)
