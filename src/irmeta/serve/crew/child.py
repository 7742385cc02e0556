"""A child, as its parent sees it."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

ENDED = "it takes more time or memory than one run may"
SINGLE = (
    "POLARS_MAX_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MALLOC_ARENA_MAX",
)
"""What a library may use, of threads and of heaps: children are many enough."""


class Child:
    """A process that answers tasks; one that takes too long is ended, and the next task has a new one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, task: str, patience: float, **given: Any) -> dict[str, Any]:
        """Return the answer to a task with what is given for it; it has `error` where none comes in time.

        patience : seconds after which the process is ended.
        """
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        ending = threading.Timer(patience, process.kill)
        ending.start()
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps({"task": task, **given}) + "\n")
            process.stdin.flush()
        line = process.stdout.readline()
        ending.cancel()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.close()
        return {"error": ENDED}

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _running(self) -> "subprocess.Popen[str]":
        """Return the process, a new one where there is none or it has ended."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "irmeta.serve.crew.tasks"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=child_environment(),
            )
        return self._process


def child_environment() -> dict[str, str]:
    """Return the environment of a child: one thread each, and the modules that this process has."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    path = os.pathsep.join(part for part in sys.path if part)
    return {**kept, **dict.fromkeys(SINGLE, "1"), "PYTHONPATH": path}
