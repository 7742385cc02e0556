"""The compiled core; `irmeta.evaluation.core` says what its functions take and return."""

from collections.abc import Sequence
from typing import Any

Array = Any
Handle = Any

def judgments(
    topics: Sequence[bytes],
    ids: bytes,
    start: Array,
    length: Array,
    topic: Array,
    keys: bytes,
) -> Handle | None: ...
def run(judgments: Handle, single: bool, top: int) -> Handle: ...
def feed(run: Handle, piece: bytes) -> bool: ...
def finish(run: Handle) -> tuple[Any, ...] | None: ...
def counts(
    cell: Array, rank: Array, code: Array, k: int, relevant: int, sums: Array
) -> None: ...
def precisions(
    cell: Array, rank: Array, code: Array, k: int, relevant: int, sums: Array
) -> None: ...
def firsts(
    cell: Array, rank: Array, code: Array, k: int, relevant: int, sums: Array
) -> None: ...
def gains(
    cell: Array,
    rank: Array,
    code: Array,
    k: int,
    gain: Array,
    weight: Array,
    sums: Array,
) -> None: ...
def stops(
    cell: Array, rank: Array, code: Array, k: int, stop: Array, sums: Array
) -> None: ...
def above(
    cell: Array,
    rank: Array,
    code: Array,
    judged: int,
    relevant: int,
    most: Array,
    sums: Array,
) -> None: ...
