"""A child process: it reads one task a line, and answers each with a line. It ends with its parent."""

import base64
import json
import logging
import os
import resource
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from irmeta.errors import IrmetaError


def main() -> None:
    """Work until there is no more: an answer has `error` where a task failed."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        given = json.loads(line)
        try:
            found = TASKS[given.pop("task")](**given)
        except IrmetaError as error:
            found = {"warm": warm, "error": str(error)}
        except MemoryError:
            found = {"error": "it needs more memory than a run may"}
        except Exception as error:  # the parent goes on, whatever a library raises
            logging.exception("a task failed")
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), file=answers, flush=True)


def limit(memory: int, seconds: int) -> dict[str, Any]:
    """Limit the memory of this process, and the time that it may compute from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (until, hard))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return {}


def check(
    run: str, name: str, topics: list[str], documents: str, depth: int, **limits: int
) -> dict[str, Any]:
    """Check a run; nothing here knows where judgments are."""
    from irmeta.serve import answers

    limit(**limits)
    known = _documents(documents) if documents else None
    found = answers.remarks(
        Path(run), name, topics=topics, documents=known, depth=depth
    )
    return {"remarks": found}


def score(
    run: str,
    qrels: str,
    metrics: list[str],
    topics: list[str],
    precision: str,
    **limits: int,
) -> dict[str, Any]:
    """Score a run; return its scores and nothing else."""
    from irmeta.serve import answers

    limit(**limits)
    vectors = answers.score(Path(qrels), Path(run), metrics, topics, precision)
    return {
        "vectors": {
            name: base64.b64encode(vector).decode() for name, vector in vectors.items()
        }
    }


def warm(**limits: int) -> dict[str, Any]:
    """Load what the work needs, before there is any."""
    from irmeta.serve import answers

    limit(**limits)
    return {"irmeta": answers.version()}


def publish(site: str) -> dict[str, Any]:
    """Write the public files of a site; return the versions of its boards."""
    from irmeta.serve import publishing
    from irmeta.serve.site import Site

    return {"versions": publishing.publish(Site.open(Path(site)))}


@lru_cache(maxsize=4)
def _documents(path: str) -> frozenset[str]:
    """Read the documents of a collection, once."""
    from irmeta.serve import answers

    return answers.ids(Path(path))


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "warm": warm,
    "check": check,
    "score": score,
    "publish": publish,
}

if __name__ == "__main__":
    main()
