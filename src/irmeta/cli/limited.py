"""A command in little address space (`ulimit -v`): it ends with its result or a sentence, never an abort or a flood.

What allocates memory below Python, as polars, aborts the process where it gets none, or complains without end. So a
process with a limit starts another one that does the work, and hands on what that says, as long as it makes sense.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

MIB = 1 << 20
LEAST = 640 * MIB
"""With less, polars cannot be loaded."""
_PLENTY = 4096 * MIB
"""With less, threads are kept few: each takes address space."""
_FRUGAL = {
    "_RJEM_MALLOC_CONF": "background_thread:false",
    "POLARS_MAX_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""What the libraries below us read when they are loaded; what a user sets comes first."""
_MOST = 16 * MIB
"""What a command may say on stderr."""
_CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}
_PIECE = 1 << 16


def limit() -> int | None:
    """Return the limit of this process's address space in bytes; None if there is none."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def exhausted() -> bool:
    """Say whether most of the address space was taken at some time, so that an odd error is one of memory."""
    most = limit()
    with suppress(OSError, ValueError, StopIteration):
        with open("/proc/self/status", encoding="utf-8") as status:  # noqa: PTH123
            peak = next(line for line in status if line.startswith("VmPeak"))
        return most is not None and int(peak.split()[1]) * 1024 > 0.7 * most
    return False


def watched(run: Callable[[], None], fail: Callable[[str], None]) -> None:
    """Run a command; where address space is limited, in a process whose end is understood.

    fail : says what is wrong, and exits.
    """
    most = limit()
    if most is None:
        run()
        return
    if most < LEAST:
        fail(
            f"the limit of address space is {most // MIB} MiB, too little to start; raise it to "
            f"{LEAST // MIB} MiB or more (ulimit -v {LEAST // 1024})"
        )
    if most < _PLENTY:
        os.environ.update(
            _FRUGAL | {key: os.environ[key] for key in _FRUGAL if key in os.environ}
        )
    reader, writer = os.pipe()
    sys.stderr.flush()
    worker = os.fork()
    if not worker:
        os.dup2(writer, 2)
        os.close(reader)
        os.close(writer)
        run()
        return
    os.close(writer)
    _end(*_followed(worker, reader), most, fail)


def _followed(worker: int, reader: int) -> tuple[int, bool]:
    """Hand on what a process says until it ends; return its status, and whether it said so much that it was stopped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(worker, number))
    said = 0
    flooded = False
    while piece := os.read(reader, _PIECE):
        said += len(piece)
        if said > _MOST and not flooded:
            flooded = True
            os.kill(worker, signal.SIGKILL)
        if not flooded:
            with suppress(OSError):  # closed by the caller
                os.write(2, piece)
    os.close(reader)
    return os.waitpid(worker, 0)[1], flooded


def _end(status: int, flooded: bool, most: int, fail: Callable[[str], None]) -> None:
    """End as a process ended; a crash is a sentence."""
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    number = signal.Signals(os.WTERMSIG(status))
    if flooded or number in _CRASHES:
        fail(
            f"not enough memory: address space is limited to {most // MIB} MiB; raise the limit "
            "(ulimit -v), or take fewer runs, cores, metrics or topics at a time"
        )
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
