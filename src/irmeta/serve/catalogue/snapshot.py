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
        row = boards.board_of(db, key)
        shown = submission.c.board == row.id
        shown &= submission.c.state.not_in(["received", "refused"])
        runs = sa.select(submission, run.c.bytes).join(run).where(shown)
        of_board = sa.select(judgments).filter_by(board=row.id)
        versions = db.execute(of_board.order_by(judgments.c.version)).all()
        events = sa.select(event).filter_by(board=row.id)
        events = events.where(event.c.action.in_(PUBLIC))
        # those of the feedback before the reveal do not count
        out = row.feedback_topics or ()
        topics = {
            judged.version: [topic for topic in judged.topics if topic not in out]
            for judged in versions
        }
        # the two newest versions: the table, and whom the last correction moved
        vectors = {
            judged.version: _read_vectors(db, judged, topics[judged.version], shown)
            for judged in versions[-2:]
        }
        return Snapshot(
            board=row,
            versions=versions,
            events=db.execute(events.order_by(event.c.id)).all(),
            runs=db.execute(runs.order_by(submission.c.id)).all(),
            counts=submissions.count_by_state(db, key),
            topics=topics,
            vectors=vectors,
            at=now(),
        )


def _read_vectors(
    db: Connection, judged: Row[Any], topics: list[str], shown: sa.ColumnElement[bool]
) -> Vectors:
    """Read the scores, on some topics, of the runs for which a condition holds (shown) under a version of judgments."""
    place = {topic: at for at, topic in enumerate(judged.topics)}
    places = [place[topic] for topic in topics]
    vectors: dict[str, dict[str, Any]] = {}
    wanted = (
        sa.select(submission.c.key, score.c.metric, score.c.vector)
        .join(submission, submission.c.id == score.c.submission)
        .where(shown, score.c.judgments == judged.id)
    )
    for key, metric, vector in db.execute(wanted):
        vectors.setdefault(key, {})[metric] = np.frombuffer(vector, dtype="<f8")[places]
    return vectors


def restore_board(
    engine: Engine,
    public: Mapping[str, Any],
    vectors: Mapping[str, Mapping[str, bytes]],
) -> None:
    """Add a board as a frozen site has it: the same keys, times and scores; runs lie where they lay.

    public : its settings (board), judgments, runs and events, and under which version it was scored (scored_under).
    vectors : scores by key of the run and metric.
    """
    with engine.begin() as db:
        board_id = boards.insert_board(db, only(SETTINGS, public["board"]))
        _insert_lines(db, judgments, JUDGMENTS, board_id, public["judgments"])
        lines = [only(EVENTS, happened) for happened in public["events"]]
        for line in lines:
            if line["action"] not in PUBLIC:
                raise ValueError(f"{line['action']!r} is no public event")
            require_storable(event, line)
        append_lines(db, [{**line, "board": board_id} for line in lines])
        sizes = {sent["run"]: sent["bytes"] for sent in public["runs"]}
        for digest in db.scalars(sa.select(run.c.digest)):
            sizes.pop(digest, None)
        new = [{"digest": digest, "bytes": size} for digest, size in sizes.items()]
        _insert_storable(db, run, new)
        _insert_lines(db, submission, SAID, board_id, public["runs"])
        under = {"board": board_id, "version": public["scored_under"]}
        judged = db.scalar(sa.select(judgments.c.id).filter_by(**under)) or 0
        for sent in submissions.submissions_of(db, board_id):
            submissions.keep_scores(db, sent.id, judged, vectors.get(sent.key, {}))


def only(names: Collection[str], values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the values under some names, in their own order."""
    return {name: value for name, value in values.items() if name in names}


def _insert_lines(
    db: Connection,
    table: sa.Table,
    names: Collection[str],
    board_id: int,
    lines: Iterable[Mapping[str, Any]],
) -> None:
    """Add lines of a board to a table, without what has other names."""
    own = {"board": board_id}
    _insert_storable(db, table, [only(names, line) | own for line in lines])


def _insert_storable(
    db: Connection, table: sa.Table, lines: Sequence[Mapping[str, Any]]
) -> None:
    """Add lines to a table; refuse what its columns cannot keep."""
    for line in lines:
        require_storable(table, line)
    if lines:
        db.execute(sa.insert(table), lines)
