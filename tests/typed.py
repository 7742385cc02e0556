"""What a command line prints, and how it ends, in this process."""

import io
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from irmeta.cli import commands
from irmeta.cli.app import run


class Outcome(NamedTuple):
    """How a command line ended: with an exit code, or with an error that is not caught here."""

    exit_code: int
    stdout: str
    stderr: str
    exception: Exception | None = None


def typed(words: Iterable[object], *, catch: bool = False) -> Outcome:
    """Run the words of a command line; an error is raised, or with `catch` returned."""
    commands()
    out, err = io.StringIO(), io.StringIO()
    code, failed = 0, None
    with redirect_stdout(out), redirect_stderr(err):
        try:
            run([*map(str, words)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        except Exception as error:
            if not catch:
                raise
            code, failed = 1, error
    return Outcome(code, out.getvalue(), err.getvalue(), failed)
