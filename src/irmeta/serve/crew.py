"""Children that check, score and publish, and the leader, who hands them what the catalogue says is to do."""

import base64
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from sqlalchemy import Engine

from irmeta.serve import catalogue
from irmeta.serve.site import Site

LOG = logging.getLogger("irmeta.serve")
AHEAD = 64
"""Runs that are handed out at a time."""
PAUSE = 1.0
"""Seconds after which the leader looks whether somebody else changed the catalogue."""
AT_LEAST, LONGEST = 0.2, 10.0
"""Seconds between two publications: what comes in the meantime is published together."""
HOUR = 3600


class Child:
    """A process that answers tasks; one that takes too long is ended, and the next task has a new one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, task: str, until: float, **given: Any) -> dict[str, Any]:
        """Return the answer to a task; it has `error` where there is none."""
        process = self._started()
        ending = threading.Timer(until, process.kill)
        ending.start()
        line = ""
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps({"task": task, **given}) + "\n")
                process.stdin.flush()
            line = process.stdout.readline()
        finally:
            ending.cancel()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.close()
        return {"error": "it takes more time or memory than one run may", "ended": True}

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _started(self) -> "subprocess.Popen[str]":
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "irmeta.serve.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=environment(),
            )
        return self._process


def environment() -> dict[str, str]:
    """Return the environment of a child: one thread each, and the modules that this process has."""
    own = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS"), "1")
    path = os.pathsep.join(part for part in sys.path if part)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, **own, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": path}


class Crew:
    """Checks and scores what waits, and publishes what has changed, until it is closed."""

    def __init__(self, site: Site, engine: Engine, children: int = 2) -> None:
        self.site = site
        self.engine = engine
        self._size = children
        self._pool = ThreadPoolExecutor(children, "child")
        self._own = threading.local()
        self._publisher = Child()
        self._children = [self._publisher]
        self._busy: dict[str, Future[None]] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._closed = threading.Event()
        self.published: dict[str, int] = {}
        self._threads = [
            threading.Thread(target=self._repeat, args=(step,), daemon=True)
            for step in (self._hand_out, self._publish)
        ]

    def start(self) -> None:
        """Begin."""
        for _ in range(self._size):
            self._pool.submit(self._ask, "warm", {})
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the children, and what they do: it is done again at the next start."""
        self._closed.set()
        self._wake.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.close()

    def wake(self) -> None:
        """Say that there may be something to do."""
        self._wake.set()

    def check(self, key: str) -> "Future[None]":
        """Check a submission, before others that wait."""
        return self._handed(key, self._check)

    def remarks(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check a run that is not kept."""
        asked: Future[dict[str, Any]] = self._pool.submit(self._ask, "check", given)
        return asked.result()

    def _handed(self, key: str, work: Callable[[str], None]) -> "Future[None]":
        """Have a submission worked on, unless it is."""
        with self._guard:
            found = self._busy.get(key)
            if found is None:
                found = self._busy[key] = self._pool.submit(self._work, key, work)
        return found

    def _work(self, key: str, work: Callable[[str], None]) -> None:
        try:
            work(key)
        except Exception:
            if not self._closed.is_set():
                LOG.exception("submission %s", key)
        finally:
            with self._guard:
                self._busy.pop(key, None)
            self._wake.set()

    def _ask(self, task: str, given: dict[str, Any]) -> dict[str, Any]:
        child = getattr(self._own, "child", None)
        if child is None:
            child = self._own.child = Child()
            self._children.append(child)
        limits = self.site.settings
        limited = {"memory": limits.memory, "seconds": limits.seconds}
        return child.ask(task, limits.seconds, **given, **limited)

    def _check(self, key: str) -> None:
        job = catalogue.work(self.engine, key)
        given = self.to_check(job)
        answer = self._ask("check", given)
        error = answer.get("error")
        unread = [{"level": "error", "line": None, "text": error}] if error else []
        catalogue.checked(
            self.engine, key, answer.get("remarks", unread), failed=error is not None
        )

    def to_check(self, job: catalogue.Work) -> dict[str, Any]:
        """Return what the child that checks may know: no judgments."""
        return {
            "run": str(self.site.run(job.run)),
            "name": job.name,
            "topics": job.topics,
            "documents": self.documents(job.documents),
            "depth": job.depth,
        }

    def documents(self, digest: str) -> str:
        """Return the file of a collection's documents; nothing where any may be found."""
        return str(self.site.documents(digest)) if digest else ""

    def _score(self, key: str) -> None:
        job = catalogue.work(self.engine, key)
        answer = self._ask(
            "score",
            {
                "run": str(self.site.run(job.run)),
                "qrels": str(self.site.truth(job.qrels)),
                "metrics": job.metrics,
                "topics": job.judged,
                "precision": job.precision,
            },
        )
        if "error" in answer:
            catalogue.failed(self.engine, key, answer["error"])
            return
        vectors = {
            name: base64.b64decode(text) for name, text in answer["vectors"].items()
        }
        catalogue.scored(self.engine, key, job.judgments, vectors)

    def _hand_out(self) -> None:
        """Hand the children what waits."""
        steps = {"received": self._check, "accepted": self._score}
        for key, state in catalogue.pending(self.engine, AHEAD):
            self._handed(key, steps[state])
        self._wake.wait(PAUSE)
        self._wake.clear()

    def _publish(self) -> None:
        """Have the public files written where boards have changed."""
        if self.published and catalogue.versions_of(self.engine) == self.published:
            self._closed.wait(AT_LEAST)
            return
        began = time.monotonic()
        answer = self._publisher.ask("publish", HOUR, site=str(self.site.folder))
        if self._closed.is_set():
            return
        if "error" in answer:
            LOG.error("publication: %s", answer["error"])
        else:
            self.published = answer["versions"]
        took = time.monotonic() - began
        # as long a pause as the work, so that uploads do not wait for pages
        self._closed.wait(min(max(took, AT_LEAST), LONGEST))

    def _repeat(self, step: Callable[[], None]) -> None:
        """Repeat a step of the leader until the crew is closed; what goes wrong is logged, and tried again."""
        while not self._closed.is_set():
            try:
                step()
            except Exception:
                if not self._closed.is_set():
                    LOG.exception("the leader stumbled")
                    self._closed.wait(PAUSE)
