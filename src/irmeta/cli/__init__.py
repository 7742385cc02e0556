"""The command line: one verb a question; each unpacks its arguments, calls one public function, and writes."""

import gc
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from irmeta.cli import limited, surroundings
from irmeta.errors import IrmetaError, extras, typed
from irmeta.words import folded, printable, reason

if TYPE_CHECKING:
    from cyclopts import App

FOLDERS = ("files", "scoring", "showing", "studies")
"""Where commands written by hand have their modules; the modules beside these serve every command."""


def main() -> None:
    """Run the command line: exit 0 done, 1 found problems it was asked to find, 2 wrong input or arguments."""
    # closed by the caller
    sys.stdout, sys.stderr = (sys.stdout or io.StringIO(), sys.stderr or io.StringIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal that cannot show a character is no reason to stop
            stream.reconfigure(errors="replace")
    surroundings.check_environment(_fail)
    # each core has a thread of ours (`irmeta.parallel`); others would only take time to start
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # a command's objects live to its end: to look through them after every 700 new ones takes a tenth of its time
    gc.set_threshold(50_000)
    with _without_dask(sys.argv):
        limited.run_within_limit(_run, _fail)
    sys.exit(0)


@contextmanager
def _without_dask(words: Sequence[str]) -> Iterator[None]:
    """Hide Dask from a command that has no workers: xarray would load it, half of a second, to know its arrays."""
    known = not sys.modules.keys().isdisjoint({"dask", "xarray"})
    if known or any(word.startswith("--workers") for word in words):
        yield
        return
    hidden: dict[str, Any] = sys.modules
    hidden["dask"] = None
    try:
        yield
    finally:
        del hidden["dask"]


def _run() -> None:
    """Run a command, and end with a sentence where it cannot go on."""
    words = sys.argv[1:]
    if words[:1] == ["--complete"]:
        _register_commands(words[1:])
        from irmeta.cli.completing import complete

        print(*complete(words[1:]), sep="\n")
        return
    with typed():
        _run_words(words)


def _run_words(words: list[str]) -> None:
    try:
        _register_commands(words)
        from irmeta.cli.app import run

        with extras():
            run(words)
    except IrmetaError as error:
        _fail(str(error))
    except MemoryError as error:
        _fail_for_memory(error)
    except BrokenPipeError:  # whoever read has enough
        from irmeta.cli.output import discard_the_rest

        discard_the_rest()
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or error}")
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # polars' panics are not Exceptions
        if not limited.is_exhausted():
            raise
        _fail_for_memory(error)


def _fail_for_memory(error: BaseException) -> None:
    _fail(
        f"not enough memory ({reason(error)}); raise the limit (ulimit -v), or take fewer runs, cores, "
        "metrics or topics at a time"
    )


def commands() -> "dict[str, App]":
    """Return every command of irmeta by its verb, as in "predict apply"."""
    _register_commands(None)
    from irmeta.cli.app import app, commands_in

    return dict(commands_in(app.app))


def _register_commands(words: list[str] | None) -> None:
    """Register every command; those of studies whole where the words of a command line ask for them, or with None."""
    for name in _modules():
        import_module(name)  # it registers its commands on `app`
    from irmeta.cli.derived import register

    register(words)


def _fail(message: str) -> None:
    print(folded(printable(f"irmeta: {message}", "\n")), file=sys.stderr)
    sys.exit(2)


def _modules() -> list[str]:
    """List the modules of commands, in the order of their own names."""
    folders = [import_module(f"irmeta.cli.{name}") for name in FOLDERS]
    names = [
        module.name
        for folder in folders
        for module in iter_modules(folder.__path__, f"{folder.__name__}.")
    ]
    return sorted(
        ["irmeta.cli.completing", *names], key=lambda name: name.rpartition(".")[2]
    )
