"""Where results go: the terminal, a file that appears whole or not at all, or a plot."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from irmeta.choices import Format
from irmeta.errors import IrmetaError
from irmeta.studies import STUDIES
from irmeta.words import folded, joined, printable

if TYPE_CHECKING:
    from irmeta.parallel import Progress
    from irmeta.studies.result import Result


FAILED = 3
"""Exit code where a system is worse than the user lets it be, or not shown to be safe."""
_FORMATS: "dict[str, Format]" = {
    ".json": "json",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
    ".txt": "table",
}


def write_result(
    result: "Result",
    *,
    form: "Format | None" = None,
    output: Path | None = None,
    table: str | None = None,
    explain: bool = False,
    quiet: bool = False,
    highlight: str | list[str] | None = None,
) -> None:
    """Write a study's result; for people the answer in words comes first, then the tables, then what else to know.

    explain : all of it; by default what one screen holds. A file has all of it, too.
    highlight : systems whose rows a screen holds in any case.

    What goes to a file is said on the terminal, with the answer, unless that is to be quiet. So are the warnings that a
    table without the answer would lack, and the notes that the scores call for beside a table for a paper. Markdown
    has the answer and notes itself, unless a table is named.
    """
    from irmeta.report.screen import called_for, everything, screen

    form, width = form or form_of(output), width_of(output)
    table_only = form in ("csv", "latex") or (form == "markdown" and table is not None)
    if form == "markdown" and not table_only:
        from irmeta.report.words import markdown

        text = markdown(result)
    elif form != "table":
        from irmeta.report.tables import render

        text = render(result.data, form, table, whole=output is not None)
    else:
        if explain or (table is None and output is not None):
            text = everything(result, table, width=width)
        else:
            text = screen(result, table, width=width, highlight=highlight)
    write(text, output)
    if output is not None:
        say_wrote(output, result.findings[0], quiet=quiet)
    if table_only:
        for warning in result.warnings:
            say(folded(f"Warning: {warning}"), quiet=quiet)
    if table_only and form != "csv":
        for note in result.notes if explain else called_for(result):
            say_note(note, quiet=quiet)


def form_of(output: Path | None) -> "Format":
    """Tell the form of a result from the suffix of the file it goes to."""
    if output is None:
        return "table"
    if output.suffix not in _FORMATS:
        verbs = [
            study.verb
            for study in STUDIES.values()
            if study.command and study.command.page
        ]
        pages = joined([f"irmeta {verb}" for verb in ("report", *verbs)], "or")
        raise IrmetaError(
            f"{output}: unknown suffix; use one of {', '.join(_FORMATS)}, or add --format; scores (irmeta evaluate) go "
            f"to a .parquet, a page ({pages}) to a folder (-o DIR)"
        )
    return _FORMATS[output.suffix]


def discard_the_rest() -> None:
    """Let what is still to be written to standard output go nowhere when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write(text: str, output: Path | None) -> None:
    """Write text to a file, whole or not at all, or to standard output."""
    if output is None:
        if sys.stdout.isatty():
            text = printable(text, "\n\t")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            discard_the_rest()
            raise IrmetaError(
                f"cannot write to standard output ({error.strerror or error})"
            ) from error
        return
    from irmeta.io.outputs import writing

    with writing(output) as part:
        part.write_text(text, encoding="utf-8")


def refuse_overwriting(output: Path | None, *, append: bool = False) -> None:
    """Say before the work, not after it, that a file cannot be written, or that scores would be overwritten."""
    if output is None:
        return
    from irmeta.io.outputs import require_folder

    require_folder(output)
    if output.suffix == ".parquet" and output.exists() and not append:
        raise IrmetaError(
            f"{output} exists; add to it with --append, choose another name, or remove it"
        )


_OUTPUTS = ("output", "plot", "summary")


def refuse_inputs(options: Mapping[str, Any], verb: str = "") -> None:
    """Raise if a file to write, among a command's options by name, is one of those to read, or holds other things.

    verb : the command, which may replace what it writes itself.
    """
    from irmeta.io.files import STDIN
    from irmeta.io.places import require_reachable

    outputs = [
        Path(options[name]) for name in _OUTPUTS if options.get(name) is not None
    ]
    for output in outputs:
        if output == STDIN:
            raise IrmetaError(
                "- is standard input: name what to write to; without -o a result goes to standard output"
            )
        if not require_reachable(output).is_file():
            continue
        for name, value in options.items():
            values = value if isinstance(value, list | tuple) else [value]
            paths = [str(path) for path in values if isinstance(path, str | Path)]
            among = (_is_among(output, name, path) for path in paths)
            if name not in _OUTPUTS and any(among):
                raise IrmetaError(
                    f"{output} is one of the files to read; write to another file"
                )
        # such a command says itself what may be added
        appends = "append" in options and output.suffix == ".parquet"
        if verb == "evaluate" and options.get("table") == "scores":
            verb = "export"  # it writes the same
        _require_same_kind(output, verb, append=appends)


def _is_among(output: Path, name: str, value: str) -> bool:
    """Say whether a file is the one, or one of those, that an option names, by its path or its file:// URL."""
    from irmeta.io.files import list_files

    path = value.removeprefix("file://")
    several = name in ("runs", "files") and "://" not in path
    try:
        files = list_files(path) if several else [Path(path)]
    except IrmetaError:  # which the command says itself
        return False
    return any(
        isinstance(file, Path) and file.is_file() and file.samefile(output)
        for file in files
    )


def _require_same_kind(output: Path, verb: str, *, append: bool) -> None:
    """Raise if a file that a result would replace holds runs, judgments, scores or a model."""
    from irmeta.io.kinds import MODEL, TABLE, kind_of

    try:
        kind = kind_of(output)
    except OSError:  # which the command says itself
        return
    written_kind = {"predict fit": MODEL, "export": TABLE}.get(verb)
    if kind in (None, written_kind) or append:
        return
    raise IrmetaError(
        f"{output} exists and is {kind}; choose another name, or remove it"
    )


def say(message: str, *, quiet: bool = False) -> None:
    """Tell the user something that is not part of the result, on stderr."""
    if not quiet:
        print(printable(message, "\n"), file=sys.stderr)


def say_wrote(path: Path, what: str = "", *, quiet: bool = False) -> None:
    """Tell which file or folder was written, and what it holds."""
    say(folded(f"wrote {path}: {what}" if what else f"wrote {path}"), quiet=quiet)


def say_note(note: str, *, quiet: bool = False) -> None:
    """Say a note on stderr, in lines of at most 80 columns."""
    say(folded(f"note: {note}"), quiet=quiet)


@contextmanager
def saying_what_is_logged(*, quiet: bool = False) -> Iterator[None]:
    """Say on stderr what irmeta logs for those who call it from Python."""
    log, handler = logging.getLogger("irmeta"), _Saying()
    log.addHandler(handler)
    log.setLevel(logging.CRITICAL if quiet else logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)


class _Saying(logging.Handler):
    """Says records on stderr, in lines of at most 80 columns."""

    def emit(self, record: logging.LogRecord) -> None:
        say(folded(record.getMessage()))


@contextmanager
def working(cluster: str | None = None, *, quiet: bool = False) -> Iterator[None]:
    """Show the progress of long work on stderr; on a Dask cluster, where its address is given, or on this machine."""
    from irmeta.parallel import watched_by

    with ExitStack() as stack:
        if cluster is not None:
            stack.enter_context(_on_cluster(cluster, quiet=quiet))
        if not quiet:
            stack.enter_context(watched_by(stack.enter_context(_progress_bars())))
        yield


@contextmanager
def _on_cluster(address: str, *, quiet: bool) -> Iterator[None]:
    """Let a Dask cluster do the work, and say which one and where to watch it."""
    import logging

    from irmeta.workers import on_cluster

    with on_cluster(address) as cluster:
        # irmeta says itself what goes wrong; Dask gives these levels when it is imported
        for logger in ("distributed", "distributed.client"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        workers = "waiting for workers"
        if cluster.workers:
            workers = f"workers: {cluster.workers}, threads: {cluster.threads}"
        watch = f"; dashboard: {cluster.dashboard}" if cluster.dashboard else ""
        say(f"cluster {cluster.address}: {workers}{watch}", quiet=quiet)
        yield


@contextmanager
def _progress_bars() -> "Iterator[Progress]":
    """Show progress bars on a terminal; elsewhere write a line a minute."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        with _Lines().written() as lines:
            yield lines
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, TimeRemainingColumn(), console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total, visible=done != total)

        yield report


class _Lines:
    """Writes to stderr, once a minute, what is done and how long the rest may take, also while one step lasts."""

    EVERY = 60.0

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._last: tuple[str, int, int | None] | None = None
        self._over = Event()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Note a step."""
        if done == 0 or what not in self._started:
            self._started[what] = monotonic()
        self._last = what, done, total

    @contextmanager
    def written(self) -> "Iterator[_Lines]":
        """Write the lines, in a thread, as long as this is open."""
        thread = Thread(target=self._write, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()

    def _write(self) -> None:
        while not self._over.wait(self.EVERY):
            if self._last is None:
                continue
            what, done, total = self._last
            remaining = ""
            if total and done:
                seconds = (monotonic() - self._started[what]) * (total - done) / done
                remaining = f" of {total}, about {max(1, round(seconds / 60))} min left"
            say(f"{what}: {done}{remaining}")


def width_of(output: Path | None) -> int | None:
    """Return the columns of the terminal that a result goes to, if it goes to one, or that COLUMNS names."""
    from rich.console import Console

    if output is None and (sys.stdout.isatty() or os.environ.get("COLUMNS")):
        return Console().width
    return None
