"""A command in little address space (`ulimit -v`): it ends with its result or a sentence, never an abort or a flood.

What allocates memory below Python, as polars, aborts the process where it gets none, or complains without end. So a
process with a limit starts another one that does the work, and hands on what that says, as long as it makes sense.
"""

import operator
import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MIB = 1 << 20
LEAST = 720 * MIB
"""With less, polars cannot be loaded."""
_PLENTY = 4096 * MIB
"""With less, threads are kept few: each takes address space."""
_THREAD_SETTINGS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""What the libraries below us read when they are loaded."""
_ALLOCATOR = "_RJEM_MALLOC_CONF"
_MOST = 4 * MIB
"""What a command may say on stderr."""
_CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}
_PIECE = 1 << 16
_STILL = 20.0
"""Seconds that a process which has taken most of its address space may get nowhere.

Its threads wait for each other, or ask for memory again and again: then much of its time is the kernel's, though it
touches no new memory.
"""
_LOOKS = 4
_FEW_FAULTS = 200
"""New pages of memory: what works in much memory touches more between two looks, or works without the kernel."""


def limit() -> int | None:
    """Return the limit of this process's address space in bytes; None if there is none."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def is_exhausted(process: int | str = "self") -> bool:
    """Say whether a process has taken most of its address space at some time, so that an odd end is one of memory."""
    most = limit()
    with suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
        peak = next(line for line in lines if line.startswith("VmPeak"))
        return most is not None and int(peak.split()[1]) * 1024 > 0.7 * most
    return False


def run_within_limit(run: Callable[[], None], fail: Callable[[str], None]) -> None:
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
        _keep_threads_few()
    messages, stderr = os.pipe()
    ended, end = os.pipe()
    sys.stderr.flush()
    worker = os.fork()
    if not worker:
        os.dup2(stderr, 2)
        for pipe in (messages, stderr, ended):
            os.close(pipe)
        _run_in_worker(run, end)
        return
    os.close(stderr)
    os.close(end)
    status, stopped = _follow(worker, messages)
    if os.read(ended, 1):
        sys.exit(os.waitstatus_to_exitcode(status))
    if os.WIFSIGNALED(status) and not stopped and os.WTERMSIG(status) not in _CRASHES:
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    fail(
        f"not enough memory: address space is limited to {most // MIB} MiB; raise the limit "
        "(ulimit -v), or take fewer runs, cores, metrics or topics at a time"
    )


def _keep_threads_few() -> None:
    """Let the libraries below us start no threads that they can do without."""
    os.environ |= dict.fromkeys(_THREAD_SETTINGS, "1")
    before = os.environ.get(_ALLOCATOR)
    options = [*([before] if before else []), "background_thread:false"]
    os.environ[_ALLOCATOR] = ",".join(options)


def _run_in_worker(run: Callable[[], None], end: int) -> None:
    """Run a command, and write to `end` when Python, rather than the system, ends it."""
    try:
        run()
    except SystemExit as ended:
        if ended.code:  # what Python would do at its end may need memory, too
            os.write(end, b".")
            os._exit(_exit_code(ended))
        raise
    except MemoryError:  # too little to say so: the other process does
        os._exit(2)
    finally:  # what ends the process below Python does not come here
        os.write(end, b".")


def _follow(worker: int, stderr: int) -> tuple[int, bool]:
    """Hand on what a process says until it ends; return its status, and whether it had to be stopped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(worker, number))
    length = still = 0
    stopped = False
    time = _processor_time(worker)
    while True:
        if not select.select([stderr], [], [], _STILL / _LOOKS)[0]:
            before, time = time, _processor_time(worker)
            own, kernel, faults = map(operator.sub, time, before)
            hangs = faults < _FEW_FAULTS and 4 * kernel >= own and is_exhausted(worker)
            still = still + 1 if hangs else 0
            piece = b""
        elif piece := os.read(stderr, _PIECE):
            length += len(piece)
            still = 0
        else:
            break
        if (still == _LOOKS or length > _MOST) and not stopped:
            stopped = True
            os.kill(worker, signal.SIGKILL)
        if piece and not stopped:
            with suppress(OSError):  # closed by the caller
                os.write(2, piece)
    os.close(stderr)
    return os.waitpid(worker, 0)[1], stopped


def _processor_time(process: int) -> tuple[int, int, int]:
    """Return a process's own processor time and the kernel's for it, in ticks, and its page faults; 0 if unknown."""
    with suppress(OSError):
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
        # the fields after the name, which is the second, as proc(5) numbers them
        fields = dict(enumerate(text.rpartition(")")[2].split(), start=3))
        own, kernel, faults = (int(fields[number]) for number in (14, 15, 10))
        return own, kernel, faults
    return 0, 0, 0


def _exit_code(ended: SystemExit) -> int:
    """Return the exit code of a process that ends so, whose streams are flushed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, MemoryError):
            stream.flush()
    return ended.code if isinstance(ended.code, int) else 1
