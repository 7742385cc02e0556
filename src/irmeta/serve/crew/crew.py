"""The crew: it checks and scores what the catalogue says is to do, and has changes published."""

import base64
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, submissions
from irmeta.serve.catalogue.rules import RefusedError, now
from irmeta.serve.catalogue.submissions import Checked
from irmeta.serve.crew.child import Child
from irmeta.serve.crew.figures import Figures
from irmeta.serve.crew.logs import LOG
from irmeta.serve.site import Site, write_durably
from irmeta.words import counted

AHEAD = 2
"""Runs that are handed out at a time, for each child: an upload's check waits for no more."""
PAUSE = 1.0
"""Seconds after which the crew looks whether somebody else changed the catalogue."""
AT_LEAST = 0.2
"""Seconds after which the publisher looks whether boards have changed."""
HOUR = 3600
LATE = 600.0
"""Seconds without an answer of the publisher, after which something is wrong."""


class Crew:
    """Checks and scores what waits, and publishes what has changed, until it is closed."""

    def __init__(self, site: Site, engine: Engine, children: int = 2) -> None:
        """Start nothing yet. children : processes that check and score, at once."""
        self.site = site
        self.engine = engine
        self._published: dict[str, int] = {}
        self._leads = False
        self.figures = Figures(site, engine)
        self._alive = time.monotonic()
        self._size = children
        self._pool = ThreadPoolExecutor(children, "child")
        self._own = threading.local()
        self._publisher = Child()
        # whether pages are left to be written; None: all of them are, again
        self._unwritten: bool | None = None
        # when dates that had passed were logged last
        self._dates_until = 0
        self._children = [self._publisher]
        self._busy: dict[str, Future[None]] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._closed = threading.Event()

    def start(self) -> None:
        """Start the children, and the thread that hands out work if this process leads."""
        for _ in range(self._size):
            self._pool.submit(self._ask, "begin")
        threading.Thread(target=self._lead, daemon=True).start()

    @property
    def published(self) -> dict[str, int]:
        """The versions of the boards that pages show, whichever process wrote them."""
        if self._leads:
            return self._published
        try:
            return msgspec.json.decode(
                self.site.shown.read_bytes(), type=dict[str, int]
            )
        except FileNotFoundError:
            return {}

    def _lead(self) -> None:
        """Hand out and publish as soon as no other process does: one leads, and all serve."""
        while not self._closed.is_set():
            with suppress(IrmetaError), self.site.locked_alone("leader"):
                self._leads, self._alive = True, time.monotonic()
                publishing = threading.Thread(
                    target=self._repeat, args=(self._publish,), daemon=True
                )
                publishing.start()
                self._repeat(self._hand_out)
            self._closed.wait(PAUSE)

    def close(self) -> None:
        """End the children, and what they do: it is done again at the next start."""
        self._closed.set()
        self._wake.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.close()

    def is_late(self) -> bool:
        """Say whether nothing was published, and nothing was found to be, for long."""
        return self._leads and time.monotonic() - self._alive > LATE

    def check(self, key: str) -> "Future[None]":
        """Have a submission checked, before others that wait."""
        return self._work_once(key, self._check_submission)

    def check_file(self, path: str, name: str, board: Any) -> "Future[Checked]":
        """Have a run checked that is not kept."""
        return self._pool.submit(self._check_file, path, name, board)

    def read_judgments(self, qrels: Path, salt: str) -> tuple[list[str], str]:
        """Read judgments: their topics, and what binds them; raise IrmetaError for others."""
        given = {"qrels": str(qrels), "salt": salt}
        topics, commitment = self._read_by_child("judge", "judged", **given)
        return topics, commitment

    def read_first_documents(self, run: Path, depth: int) -> dict[str, list[str]]:
        """Read the first documents of a run by topic; refuse one that a child cannot read."""
        given = {"run": str(run), "depth": depth}
        first: dict[str, list[str]] = self._read_by_child("first", "first", **given)
        return first

    def _read_by_child(self, task: str, what: str, **given: Any) -> Any:
        """Have a child do a task on a file; return the part of its answer that `what` names."""
        answer = self._pool.submit(self._ask, task, **given).result()
        if "error" in answer:
            raise RefusedError(422, answer["error"])
        return answer[what]

    def _work_once(self, key: str, work: Callable[[str], None]) -> "Future[None]":
        """Have a submission worked on, unless it is already; return what waits for the end of that."""
        with self._guard:
            if key not in self._busy:
                self._busy[key] = self._pool.submit(self._work, key, work)
            return self._busy[key]

    def _work(self, key: str, work: Callable[[str], None]) -> None:
        """Work on a submission, log what goes wrong, and wake who hands out."""
        try:
            work(key)
        except Exception:
            if not self._closed.is_set():
                LOG.exception("submission %s", key)
        finally:
            with self._guard:
                self._busy.pop(key, None)
            self._wake.set()

    def _ask(self, task: str, **given: Any) -> dict[str, Any]:
        """Have the child of this thread do a task within the limits of the site; return its answer."""
        child = getattr(self._own, "child", None)
        if child is None:
            child = self._own.child = Child()
            self._children.append(child)
        seconds = self.site.settings.seconds
        limits = self.site.settings.memory, seconds
        with self.figures.timed(task):
            return child.ask(task, seconds, limits=limits, **given)

    def _check_file(self, path: str, name: str, board: Any) -> Checked:
        """Check a run, without judgments. `board` has topics, documents and depth."""
        given = {"run": path, "name": name, "topics": board.topics}
        given |= {"depth": board.depth, "documents": ""}
        if board.documents:
            given["documents"] = str(self.site.documents_path(board.documents))
        answer = self._ask("check", **given)
        if "error" in answer:
            says = _without_paths(answer["error"], {name: path})
            error = {"level": "error", "line": None, "text": says}
            return Checked([error], failed=True)
        return Checked(answer["remarks"], answer["header"])

    def _check_submission(self, key: str) -> None:
        """Check the run of a submission and keep what was found; log a refusal, and remove the bytes of such a run."""
        job = submissions.job_of(self.engine, key)
        check = self._check_file(str(self.site.run_path(job.run)), job.name, job)
        if submissions.keep_check(self.engine, key, check):
            submissions.remove_unnamed_bytes(self.site, self.engine, job.run)
            board = submissions.submission_of(self.engine, key).board_key
            count = submissions.count_by_state(self.engine, board).get("refused", 0)
            why = f"irmeta board runs {board} --site {self.site.folder} says why"
            LOG.warning("%s: %s refused so far; %s", board, counted(count, "run"), why)

    def _score_submission(self, key: str) -> None:
        """Score the run of a submission, and keep the scores, or that it could not be scored."""
        job = submissions.job_of(self.engine, key)
        run = str(self.site.run_path(job.run))
        qrels = str(self.site.judgments_path(job.qrels))
        answer = self._ask(
            "score",
            run=run,
            qrels=qrels,
            metrics=job.metrics,
            topics=job.judged,
            precision=job.precision,
        )
        if "error" in answer:
            paths = {job.name: run, "the judgments": qrels}
            says = _without_paths(answer["error"], paths)
            submissions.mark_failed(self.engine, key, says)
            return
        texts = answer["vectors"].items()
        vectors = {name: base64.b64decode(text) for name, text in texts}
        submissions.mark_scored(self.engine, key, job.judgments, vectors)

    def _hand_out(self) -> None:
        """Hand the children what waits."""
        steps = {"received": self._check_submission, "accepted": self._score_submission}
        most = AHEAD * self._size
        for key, state in submissions.pending_submissions(self.engine, most):
            self._work_once(key, steps[state])
        self._wake.wait(PAUSE)
        self._wake.clear()

    def _publish(self) -> None:
        """Have written what boards show first, where they have changed, as by a date; then, in pieces, the rest."""
        began, moment = time.monotonic(), now()
        boards.log_passed_dates(self.engine, self._dates_until)
        self._dates_until = moment
        left = self._unwritten
        if left is None or boards.board_versions(self.engine) != self._published:
            self._unwritten = None
            answer = self._write_by_child("publish")
            self._published, left = answer["versions"], True
            write_durably(self.site.shown, msgspec.json.encode(self._published))
        if left:
            # half as long as that took: a change does not wait long
            seconds = max((time.monotonic() - began) / 2, AT_LEAST)
            left = self._write_by_child("publish_rest", seconds=seconds)["left"]
        else:
            self._closed.wait(AT_LEAST)
        self._unwritten, self._alive = left, time.monotonic()

    def _write_by_child(self, task: str, **given: Any) -> dict[str, Any]:
        """Have the publisher write; one that cannot is replaced, and begins again."""
        folder = str(self.site.folder)
        with self.figures.timed(task):
            answer = self._publisher.ask(task, HOUR, site=folder, **given)
        if "error" in answer:
            self._unwritten = None
            self._publisher.close()
            raise IrmetaError(f"publication: {answer['error']}")
        return answer

    def _repeat(self, step: Callable[[], None]) -> None:
        """Repeat a step until the crew is closed; what goes wrong is logged, and tried again."""
        while not self._closed.is_set():
            try:
                step()
            except Exception:
                if not self._closed.wait(PAUSE):
                    LOG.exception("the crew stumbled")


def _without_paths(text: str, paths: Mapping[str, str]) -> str:
    """Return a text with names in place of paths, which are of nobody's concern."""
    for name, path in paths.items():
        text = text.replace(path, name)
    return text
