"""A child process: it reads one task a line, and answers each with a line. It ends with its parent."""

import base64
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import irmeta
from irmeta.errors import IrmetaError, typed
from irmeta.serve.crew import logs
from irmeta.serve.results import answers
from irmeta.serve.site import Site

if TYPE_CHECKING:
    from irmeta.serve.pages.publishing import Publisher

Answer = dict[str, Any]
BACKGROUND = 8
"""How nice scoring is to what answers, and publishing to scoring."""


def main() -> None:
    """Answer the tasks that come on the standard input; an answer has `error` where a task failed."""
    for ends in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ends, signal.SIG_IGN)  # sent to all at once: the parent ends us
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    logs.begin_logging()
    os.nice(BACKGROUND)
    for line in sys.stdin:
        given = json.loads(line)
        try:
            if limits := given.pop("limits", None):
                limit_process(*limits)
            answer = _do_task(given.pop("task"), given)
        except MemoryError:
            answer = {"error": "it needs more memory than a run may"}
        except Exception as error:  # the parent goes on, whatever a library raises
            logs.LOG.exception("a task failed")
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


def _do_task(task: str, given: dict[str, Any]) -> Answer:
    """Return the answer to a task from what is given for it, with errors in the words of the command line."""
    with typed():
        try:
            return TASKS[task](**given)
        except IrmetaError as error:
            return {"error": str(error)}


def limit_process(memory: int, seconds: int) -> None:
    """Limit the memory of this process, and the time that it may compute from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (until, hard))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def begin() -> Answer:
    """Load what checks and scores take, before there is a run."""
    for name in ("validate", "evaluate_run"):
        getattr(irmeta, name)
    return {}


def check(run: str, name: str, topics: list[str], documents: str, depth: int) -> Answer:
    """Check a run; nothing here knows where judgments are."""
    known = _read_documents(documents) if documents else None
    path = Path(run)
    remarks = answers.check_run(path, name, topics=topics, documents=known, depth=depth)
    wrong = any(remark["level"] == "error" for remark in remarks)
    return {"remarks": remarks, "header": "" if wrong else answers.read_header(path)}


def score(
    run: str, qrels: str, metrics: list[str], topics: list[str], precision: str
) -> Answer:
    """Score a run; return its scores and nothing else."""
    vectors = answers.score_run(Path(qrels), Path(run), metrics, topics, precision)
    texts = {name: base64.b64encode(row).decode() for name, row in vectors.items()}
    return {"vectors": texts}


def judge(qrels: str, salt: str) -> Answer:
    """Read judgments: what topics they have, and what binds them."""
    return {"judged": answers.read_judgments(Path(qrels), salt)}


def first(run: str, depth: int) -> Answer:
    """Read the first documents of a run by topic."""
    return {"first": answers.first_documents(Path(run), depth)}


def publish(site: str) -> Answer:
    """Write what a change of a site shows first; return the versions of its boards."""
    return {"versions": _publisher(site).write_first()}


def publish_rest(site: str, seconds: float) -> Answer:
    """Write for some seconds what `publish` left; say whether more is left."""
    return {"left": _publisher(site).write_rest(seconds)}


@lru_cache(maxsize=1)
def _publisher(site: str) -> "Publisher":
    """Return the publisher of a site's folder, one for all tasks of this process, which then gives way to others."""
    from irmeta.serve.catalogue import tables  # who checks runs needs no catalogue
    from irmeta.serve.pages.publishing import Publisher

    os.nice(BACKGROUND)
    opened = Site.open(Path(site))
    return Publisher(opened, tables.open_catalogue(opened.database))


@lru_cache(maxsize=4)
def _read_documents(path: str) -> frozenset[str]:
    """Read the documents of a collection, once."""
    text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    return frozenset(text.split("\n"))


TASKS: dict[str, Callable[..., Answer]] = {
    task.__name__: task
    for task in (begin, check, score, judge, first, publish, publish_rest)
}

if __name__ == "__main__":
    main()
