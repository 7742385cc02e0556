"""Work that can be done apart, and who does it: the cores of this machine, or a cluster (see `irmeta.workers`).

A study says what its items are, files or blocks of random draws, and takes their results in order. The results are the
same whoever computes them: items are cut without regard to who does, and each block of draws has a stream of its own.
"""

import ctypes
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from copy import deepcopy
from functools import cache, lru_cache
from itertools import islice
from numbers import Integral
from typing import Any, Protocol, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from irmeta.errors import IrmetaError
from irmeta.words import shown

Item = TypeVar("Item")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

Progress = Callable[[str, int, int | None], object]
"""Called at each step of long work: what the steps are, how many are done, and how many there are if that is known."""

_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
"""Names that malloc.h gives to the limits of mallopt."""
_SWITCH = 1e-4
"""Seconds for which a thread waits before it asks for the interpreter. Python's 5 ms are longer than all the array
operations on a run together: a thread that lost its turn once would sit most of them out (decision 3)."""
_AHEAD = 2
"""Items each thread may be ahead of whoever takes the results; more would only cost memory."""


class Engine(Protocol):
    """Who does the work of `in_order` instead of the threads of this process."""

    def in_order(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Apply `work` to each item, and give the results in the order of the items."""


_engine: ContextVar[Engine | None] = ContextVar("engine", default=None)
_progress: ContextVar[Progress | None] = ContextVar("progress", default=None)
_in_worker: ContextVar[bool] = ContextVar("in_worker", default=False)


def cores() -> int:
    """Count the cores that this work may use: those of the process; one inside an item, whose neighbours have them."""
    if _in_worker.get():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    what: str = "",
    *,
    threads: bool = True,
) -> Generator[Result, None, None]:
    """Apply `work` to each item, wherever that is done, and yield the results in the order of the items, as they come.

    `work`, items and results may travel to other processes: `work` once, so what all items need belongs to it. Let its
    arrays be contiguous: others arrive in another layout, in which sums may differ in the last bit. Close it
    (`contextlib.closing`) where it may be left before its end.

    what : what the items are, for whoever watches the progress (see `watched_by`); nobody is told of unnamed items.
    threads : whether this machine's cores share the items; where arrays are small, threads wait for each other.

    >>> list(in_order(len, ["a", "bb"]))
    [1, 2]
    """
    engine = None if _in_worker.get() else _engine.get()
    if engine is not None:
        results = engine.in_order(work, items)
    elif threads:
        results = on_threads(work, items)
    else:
        results = _on_one_core(work, items)
    total = len(items) if isinstance(items, Sized) else None
    with closing(results):
        yield from steps(results, what, total=total) if what else results


def steps(
    items: Iterable[Item], what: str, *, total: int | None = None
) -> Generator[Item, None, None]:
    """Yield the items, and report each as a step that is done once the next one is asked for.

    >>> with watched_by(print):
    ...     letters = list(steps("ab", "letters"))
    letters 0 2
    letters 1 2
    letters 2 2
    """
    report = None if _in_worker.get() else _progress.get()
    if report is None:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    report(what, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        report(what, done, total)


def on_threads(
    work: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Do as `in_order` on the cores of this machine, in this process, whose memory all items share.

    Inside an item, which has one core, the items are done one after the other. A single item needs no other thread.
    """
    if _in_worker.get():
        yield from map(work, items)
        return
    if isinstance(items, Sized) and len(items) == 1:
        yield from _on_one_core(work, items)
        return
    with single_threaded(), _switching_soon(), ThreadPoolExecutor(cores()) as threads:
        yield from ordered(
            lambda item: threads.submit(in_worker, work, item),
            items,
            lambda: _AHEAD * cores(),
        )


def _on_one_core(
    work: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Do the items one after the other."""
    with single_threaded():
        yield from (in_worker(work, item) for item in items)


class Promise(Protocol[Result_co]):
    """A result to come."""

    def result(self) -> Result_co:
        """Wait for the result, and give it."""

    def cancel(self) -> Any:
        """Say that the result is not needed any more."""


def ordered(
    submit: Callable[[Item], Promise[Result]],
    items: Iterable[Item],
    ahead: Callable[[], int],
) -> Generator[Result, None, None]:
    """Submit each item, a number of them ahead of the results taken, and yield results in the order of the items."""
    remaining = iter(items)
    waiting: deque[Promise[Result]] = deque()
    try:
        while True:
            waiting.extend(
                submit(item)
                for item in islice(remaining, max(0, ahead() - len(waiting)))
            )
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        for promise in waiting:
            with suppress(RuntimeError):  # of a cluster that is gone
                promise.cancel()


def in_worker(work: Callable[[Item], Result], item: Item) -> Result:
    """Do the work of one item among others: on one core."""
    _keep_memory()
    token = _in_worker.set(True)
    try:
        return work(item)
    finally:
        _in_worker.reset(token)


@contextmanager
def watched_by(progress: Progress | None) -> Iterator[None]:
    """Let `progress` be called at each step of long work, as in `with irmeta.watched_by(print):`; None for nobody."""
    token = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(token)


@contextmanager
def working_on(engine: Engine | None) -> Iterator[None]:
    """Let `engine` do the work of `in_order`; None stands for the threads of this process."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)


def seed(rng: object) -> int:
    """Return a seed as a plain number; what is none, as None, raises IrmetaError: nobody could repeat the result."""
    if isinstance(rng, bool) or not isinstance(rng, Integral) or rng < 0:
        raise IrmetaError(
            f"rng={shown(rng)}: the random seed must be a non-negative integer or a numpy Generator"
        )
    return int(rng)


def seeded(rng: int | np.random.Generator) -> tuple[np.random.Generator, int | str]:
    """Return the generator of a seed, or the caller's own, and what a result's options record of it.

    >>> seeded(7)[1], seeded(np.random.default_rng(7))[1]
    (7, 'a generator')
    """
    if isinstance(rng, np.random.Generator):
        return (rng, "a generator")
    return (np.random.default_rng(seed(rng)), seed(rng))


def again(rng: np.random.Generator) -> np.random.Generator:
    """Return a generator that draws what this one would: figures of one metric do not depend on which others there are.

    >>> rng = np.random.default_rng(0)
    >>> again(rng).random() == again(rng).random()
    True
    """
    return deepcopy(rng)


def streams(
    rng: np.random.Generator, draws: int, block: int
) -> list[tuple[np.random.Generator, int]]:
    """Cut random draws into blocks, each with a random stream of its own: the streams and how many to draw from each.

    `block` may depend on the data, never on the machine: the draws would be others.

    >>> [count for _, count in streams(np.random.default_rng(0), 250, 100)]
    [100, 100, 50]
    """
    # one of NumPy's older generators
    if not hasattr(rng.bit_generator.seed_seq, "spawn"):
        rng = np.random.default_rng(rng.integers(1 << 63))
    counts = [min(block, draws - start) for start in range(0, draws, block)]
    return list(zip(rng.spawn(len(counts)), counts, strict=True))


@contextmanager
def single_threaded() -> Iterator[None]:
    """Keep the linear algebra library to one thread: its threads slow the many small products that we make.

    Whoever comes first sets it, and sets it back; the library heeds no other thread meanwhile.
    """
    if _in_worker.get() or not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
            yield
    finally:
        _limiting.release()


@lru_cache(maxsize=1)
def _libraries(_imported: int) -> ThreadpoolController:
    """Find the linear algebra libraries, again once more modules are imported: SciPy brings its own.

    _imported : the number of modules imported so far. To look takes 2 ms, longer than many a computation.
    """
    return ThreadpoolController()


@contextmanager
def _switching_soon() -> Iterator[None]:
    """Let threads that work on arrays take turns quickly; whoever comes first sets it, and sets it back."""
    if not _hurrying.acquire(blocking=False):
        yield
        return
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _SWITCH))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        _hurrying.release()


_limiting = threading.RLock()
_hurrying = threading.Lock()


@cache
def single_threaded_for_good() -> None:
    """Let BLAS use one thread as long as this process lives: one of many workers, whose threads come and go."""
    ThreadpoolController().limit(limits=1, user_api="blas")


@cache
def _keep_memory() -> None:
    """Let the C library keep the memory of freed arrays for the next ones.

    glibc gives freed blocks of over 128 KiB back to the system at once, and getting them again costs several times what
    our arithmetic does; it learns that only where nobody has set its limits, as Dask does for its workers.
    """
    linux = sys.platform == "linux"
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if linux else None
    if mallopt is not None:  # other C libraries have none
        # the most that glibc comes to by itself: 32 MiB, and twice as much
        mallopt(_MMAP_THRESHOLD, 32 << 20)
        mallopt(_TRIM_THRESHOLD, 64 << 20)
