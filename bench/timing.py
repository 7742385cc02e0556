"""Time two ways of doing the same thing in turn, so that a noisy machine is noisy for both."""

import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(
    ours: Callable[[], Any], theirs: Callable[[], Any], *, repeats: int = 3
) -> tuple[float, float, float]:
    """Give the best time of each over `repeats` alternations, and how many times faster ours is."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    best_ours, best_theirs = (min(column) for column in zip(*pairs, strict=True))
    return best_ours, best_theirs, best_theirs / best_ours


def line(what: str, ours: float, theirs: float, *, target: float | None = None) -> None:
    """Print one comparison: what, both times, the ratio, and the ratio aimed at."""
    aim = f"  (aim {target:g}x)" if target else ""
    print(
        f"{what:<60} {ours * 1e3:10.1f} ms  {theirs * 1e3:12.1f} ms  {theirs / ours:8.1f}x{aim}",
        flush=True,
    )
