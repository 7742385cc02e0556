"""What the processes of a site log: a line of JSON each, with numbers in place of names."""

import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

LOG = logging.getLogger("irmeta.serve")
REQUESTS = logging.getLogger("irmeta.serve.requests")


class Lines(logging.Formatter):
    """A record as a line of JSON. What an error says is left out: it may quote what somebody sent."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record; `facts` are those that its sender adds."""
        time = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": time.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "text": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[1]:
            line["errors"] = [*map(_where, _causes(record.exc_info[1]))]
        return msgspec.json.encode(line).decode()


def _causes(error: BaseException) -> list[BaseException]:
    """List an error, and what it came of."""
    before = error.__cause__ or error.__context__
    return [error, *(_causes(before) if before else ())]


def _where(error: BaseException) -> str:
    """Say of which kind an error is, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    calls = (f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} {' '.join(calls)}"


def begin_logging() -> None:
    """Have logs written to the standard error: lines of JSON to a program, to a terminal what went wrong only."""
    shown = sys.stderr.isatty()
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(message)s")
    handler.setFormatter(text if shown else Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    LOG.setLevel(logging.INFO)
    REQUESTS.setLevel(logging.WARNING if shown else logging.INFO)
