"""Work that can be done apart, done on the machine's cores: threads, since NumPy lets them run at the same time."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
"""Items each thread may be ahead of whoever takes the results; more would only cost memory."""


def cores() -> int:
    """Count the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
    """Apply `work` to each item on all cores and give the results in the order of the items, as they come.

    Close it (`contextlib.closing`) where it may be left before its end.

    >>> list(in_order(len, ["a", "bb"]))
    [1, 2]
    """
    _keep_memory()
    remaining = iter(items)
    with ThreadPoolExecutor(cores()) as threads:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in islice(remaining, _AHEAD * cores()):
                waiting.append(threads.submit(work, item))
            while waiting:
                result = waiting.popleft().result()
                for item in islice(remaining, 1):
                    waiting.append(threads.submit(work, item))
                yield result
        finally:
            for future in waiting:
                future.cancel()


def _keep_memory() -> None:
    """Let the C library keep the memory of freed arrays for the next ones.

    glibc returns freed blocks of over 128 KiB to the system at once, and getting them back costs several times what our
    arithmetic does. It raises that limit when a larger block is freed, up to 32 MiB; elsewhere this does nothing.
    """
    np.empty(31 << 20, dtype=np.uint8)
