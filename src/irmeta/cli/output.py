"""Where results go: the terminal, a file that appears whole or not at all, or a plot."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from irmeta.attributes import about
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr

    from irmeta.report.tables import Format

_FORMATS: "dict[str, Format]" = {".json": "json", ".csv": "csv", ".tex": "latex", ".txt": "table"}


def emit(
    result: "xr.Dataset",
    *,
    form: "Format | None" = None,
    output: Path | None = None,
    table: str | None = None,
    findings: Sequence[str] = (),
    notes: bool = True,
) -> None:
    """Write a study's result; below a table stand its notes and `findings`, the answer in words."""
    from irmeta.report.tables import render

    form = form or form_of(output)
    below = [*(about(result)["notes"] if notes else []), *findings] if form == "table" else []
    words = "".join(f"{line}\n" for line in below)
    write(render(result, form, table, width=_width(output)) + ("\n" + words if words else ""), output)


def form_of(output: Path | None) -> "Format":
    """Tell the form of a result from the suffix of the file it goes to."""
    if output is None:
        return "table"
    if output.suffix not in _FORMATS:
        raise IrmetaError(f"{output}: which form? use one of {', '.join(_FORMATS)} or give --format")
    return _FORMATS[output.suffix]


def write(text: str, output: Path | None) -> None:
    """Write text to a file, whole or not at all, or to standard output."""
    if output is None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise IrmetaError(f"standard output cannot be written ({error.strerror or error})") from error
        return
    from irmeta.io.files import writing

    with writing(output) as part:
        part.write_text(text, encoding="utf-8")


def refuse_overwriting(output: Path | None, *, append: bool = False) -> None:
    """Say before the work, not after it, that a file cannot be written, or that scores would be overwritten."""
    if output is None:
        return
    from irmeta.io.files import require_folder

    require_folder(output)
    if output.suffix == ".parquet" and output.exists() and not append:
        raise IrmetaError(f"{output} exists; take another name or remove it (evaluate and import can --append to it)")


def refuse_inputs(given: Mapping[str, Any]) -> None:
    """Raise if a file to write, among a command's options by name, is one of those to read."""
    from irmeta.io.files import listed

    outputs = [Path(given[name]) for name in ("output", "plot") if given.get(name) is not None]
    for output in outputs:
        if not output.is_file():
            continue
        for name, value in given.items():
            for one in value if isinstance(value, list | tuple) else [value]:
                if name in ("output", "plot") or not isinstance(one, str | Path):
                    continue
                try:
                    read = listed(one) if name in ("runs", "files") and "://" not in str(one) else [Path(one)]
                except IrmetaError:  # which the command says itself
                    continue
                if any(isinstance(file, Path) and file.is_file() and file.samefile(output) for file in read):
                    raise IrmetaError(f"{output} is among the files to read; write to another")


def say(message: str, *, quiet: bool = False) -> None:
    """Tell the user something that is not part of the result, on stderr."""
    if not quiet:
        print(message, file=sys.stderr)


@contextmanager
def engine(address: str | None, *, quiet: bool = False) -> Iterator[None]:
    """Let a Dask cluster do the work, where an address is given, and say which one and where to watch it."""
    if address is None:
        yield
        return
    import logging

    from irmeta.cluster import on_cluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it would log, we say
    with on_cluster(address) as cluster:
        workers = (
            f"workers: {cluster.workers}, threads: {cluster.threads}" if cluster.workers else "waiting for workers"
        )
        watch = f"; dashboard: {cluster.dashboard}" if cluster.dashboard else ""
        say(f"cluster {cluster.address}: {workers}{watch}", quiet=quiet)
        yield


class Step(Protocol):
    """Tells that something is done, and how many such things there are, if that is known by now."""

    def __call__(self, name: str, total: int | None = None, /) -> None:
        """Count it."""


@contextmanager
def counting(what: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Step]:
    """Show on a terminal how many things are done; gives the function to call with each one's name."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    shown = not quiet and console.is_terminal
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times, console=console, transient=True
    )
    task = bar.add_task(what, total=total)

    def step(name: str, total: int | None = None, /) -> None:
        bar.update(task, advance=1, total=total, description=f"{what} {name}")

    with bar if shown else nullcontext():  # rich 13 writes a line even for a disabled bar
        yield step


def _width(output: Path | None) -> int | None:
    from rich.console import Console

    return Console().width if output is None and sys.stdout.isatty() else None
