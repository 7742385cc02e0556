"""One request to a server that may answer what it likes: bounded in size and time, and of a known form."""

import io
import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import msgspec
import requests

from irmeta.errors import IrmetaError
from irmeta.serve.facts import Count, Figure, Key, Problem
from irmeta.words import reason, shortened

ANSWER = 120.0
"""Seconds in which a request must end, or the next piece of a file must be sent."""
LATER = 5.0
"""Seconds after which a server that is busy is asked again, unless it says after how many, of at most a minute."""
LARGEST = 1 << 26
"""Bytes of an answer."""
Answer = dict[str, Any]
Found = TypeVar("Found")
Form = TypeVar("Form")


class Mean(msgspec.Struct):
    """A mean with its interval."""

    mean: Figure | None
    low: Figure | None
    high: Figure | None


class Claim(msgspec.Struct):
    """How much better a run is than its baseline."""

    baseline: Key
    name: str
    difference: Figure | None
    low: Figure | None
    high: Figure | None


class Record(msgspec.Struct):
    """What a client reads of a run with its scores."""

    key: Key
    label: str
    state: str
    metric: str
    scores: dict[str, Mean]
    rank: Count | None
    of: Count
    judgments: Count
    claim: Claim | None


class Scores(msgspec.Struct):
    """Scores by metric, and within that by topic."""

    scores: dict[str, list[Figure | None]]


class BusyError(IrmetaError):
    """A server has too much to do now; `later` : seconds after which it may be asked again."""

    def __init__(self, root: str, later: float = LATER) -> None:
        self.what, self.later = f"{root}: the server has too much to do", later
        super().__init__(f"{self.what}; try again later")


class Upload(io.BufferedReader):
    """A file that knows when a piece of it was last read."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self.moved = time.monotonic()

    def read(self, size: int | None = -1, /) -> bytes:
        """Read a piece."""
        self.moved = time.monotonic()
        return super().read(size)


def ask(
    session: requests.Session, method: str, root: str, where: str, **options: Any
) -> tuple[int, bytes]:
    """Return the status and the body of an answer; raise IrmetaError where none comes in time, or of this size.

    where : the path below the root. options : of `requests`; an `Upload` as data is waited for while pieces are sent.
    """

    def request() -> tuple[int, bytes]:
        """Ask once; raise BusyError where the server has too much to do."""
        answer = session.request(
            method,
            root + where,
            timeout=ANSWER,
            allow_redirects=False,
            stream=True,
            **options,
        )
        with answer:
            if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                says = answer.headers.get("Retry-After", "")
                short = re.fullmatch("[1-9]|[1-5][0-9]", says)
                raise BusyError(root, float(says) if short else LATER)
            return answer.status_code, _read_body(root, answer)

    file, began = options.get("data"), time.monotonic()

    def last_moved() -> float:
        """Return when something was last sent."""
        return file.moved if isinstance(file, Upload) else began

    try:
        return _run_in_time(request, last_moved)
    except requests.exceptions.SSLError as error:
        mend = "mend its certificate, or --to"
        raise IrmetaError(f"{root}: not to be trusted; {mend}") from error
    except (requests.Timeout, TimeoutError) as error:
        raise IrmetaError(
            f"{root}: no answer within {ANSWER:.0f} s; try again"
        ) from error
    except requests.RequestException as error:
        if isinstance(file, Upload) and _cut_off(error):
            raise BusyError(root) from error
        mend = "mend --to, or tell who runs it"
        raise IrmetaError(f"{root}: no server answers; {mend}") from error


def _cut_off(error: BaseException | None) -> bool:
    """Say whether a server hung up while a file was sent, as one does that has too many connections."""
    while error is not None:
        if isinstance(error, ConnectionResetError | BrokenPipeError):
            return True
        error = error.__context__
    return False


def _run_in_time(work: Callable[[], Found], last_moved: Callable[[], float]) -> Found:
    """Return what work returns; raise TimeoutError if it neither ends nor moves for `ANSWER` seconds.

    A server that sends a byte a minute keeps every timeout of a socket, so the work is left to a thread of its own.
    """
    future: Future[Found] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    while not future.done():
        left = last_moved() + ANSWER - time.monotonic()
        try:
            return future.result(timeout=max(left, 0))
        except TimeoutError:
            if not future.done() and last_moved() + ANSWER <= time.monotonic():
                raise
    return future.result()


def _read_body(root: str, answer: requests.Response) -> bytes:
    """Read an answer, which nobody asked to be packed."""
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise IrmetaError(f"{root}: its answer is packed, which nobody asked for")
    content = bytearray()
    try:
        for piece in answer.iter_content(1 << 16):
            content += piece
            if len(content) > LARGEST:
                most = f"{LARGEST >> 20} MiB"
                raise IrmetaError(
                    f"{root}: more than {most}, and no answer of irmeta serve"
                )
    except (requests.exceptions.ChunkedEncodingError, ValueError) as error:
        raise IrmetaError(f"{root}: its answer breaks off; try again") from error
    return bytes(content)


def read_answer(root: str, status: int, body: bytes, form: type[Form]) -> Answer:
    """Return an answer in JSON, with its `status`, if it has this form, or is a problem; else raise IrmetaError."""
    if status >= HTTPStatus.BAD_REQUEST:
        content: Any = decoded_json(root, body, Problem, f"status {status}")
        content.detail = shortened(content.detail, 1000)
    elif status >= HTTPStatus.MULTIPLE_CHOICES:
        raise IrmetaError(f"{root}: status {status} leads elsewhere; mend --to")
    else:
        content = decoded_json(root, body, form)
    return {**msgspec.to_builtins(content), "status": status}


def decoded_json(
    root: str, text: bytes | str, form: type[Form], what: str = ""
) -> Form:
    """Return JSON in a form; raise IrmetaError, which says `what`, or why, where it has another."""
    try:
        return msgspec.json.decode(text, type=form)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise IrmetaError(
            f"{root}: {what or reason(error)}, and no answer of irmeta serve"
        ) from error
