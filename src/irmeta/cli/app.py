"""The Typer application that every verb registers on, and the options that many verbs share."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    import xarray as xr

Function = TypeVar("Function", bound=Callable[..., Any])


class Verb(TyperCommand):
    """A command that writes over none of the files it is to read."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless what it would write is among what it would read."""
        from irmeta.cli.output import refuse_inputs

        refuse_inputs(ctx.params)
        return super().invoke(ctx)


class Verbs(typer.Typer):
    """Commands that are all a `Verb`."""

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = Verb, **options: Any
    ) -> Callable[[Function], Function]:
        """Register a command."""
        return super().command(name, cls=cls, **options)


app = Verbs(
    name="irmeta",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("irmeta"))
        raise typer.Exit


@app.callback()
def irmeta(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Meta-evaluation for information retrieval: measures of measures."""


Scores = Annotated[Path, typer.Argument(help="A score file, as written by evaluate -o scores.parquet or import.")]
Collection = Annotated[str | None, typer.Option(help="The collection to use, where the file holds several.")]
Metrics = Annotated[
    str | None,
    typer.Option("-m", "--metrics", help="Metrics to use, as in 'AP nDCG@10'.", show_default="all there are"),
]
Systems = Annotated[str | None, typer.Option(help="Systems to use, separated by commas.")]
Topics = Annotated[str | None, typer.Option(help="Topics to use, separated by commas.")]
Top = Annotated[
    float | None, typer.Option(help="Keep the best floor(share x systems), as in 0.75.", show_default="all")
]
By = Annotated[
    str | None,
    typer.Option(
        help="The metric that --top orders by, in --metrics or not.", show_default="AP, else the deepest AP@k"
    ),
]
Missing = Annotated[
    Literal["error", "topics", "systems"],
    typer.Option(help="Where scores are missing: stop, or drop the topics or the systems that lack some."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random; the result records it.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write here instead of to the terminal.")]
Format = Annotated[
    Literal["table", "json", "csv", "latex"] | None,
    typer.Option("--format", help="Form of the result.", show_default="the suffix of -o, else table"),
]
TableName = Annotated[
    str | None, typer.Option("--table", help="The one table to write.", show_default="all, for csv the first")
]


def _drawable(path: Path | None) -> Path | None:
    """Say before the work, not after it, that a figure cannot be saved so."""
    if path is not None:
        from irmeta.io.files import require_folder
        from irmeta.report.plots.figure import require_form

        require_form(path)
        require_folder(path)
    return path


Plot = Annotated[Path | None, typer.Option(help="Draw the result: FILE.svg, .pdf or .png.", callback=_drawable)]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Work on a Dask cluster: its scheduler, as in tcp://10.0.0.1:8786, or local, a process a core.",
        show_default="the threads of this process",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no notes on stderr.")]


def load_scores(
    path: Path,
    *,
    collection: str | None = None,
    metrics: str | None = None,
    also: str | None = None,
    systems: str | None = None,
    topics: str | None = None,
) -> "dict[str, xr.DataArray]":
    """Read the cubes that the common options ask for, by collection name.

    also : metrics that are read beside those to use, as that of --by.
    """
    from irmeta.io.scores import load_all

    if metrics is not None and also is not None:
        metrics = f"{metrics} {also}"
    return load_all(path, collection=collection, metrics=metrics, systems=systems, topics=topics)


def load_collections(*groups: Sequence[Path], **chosen: str | None) -> "list[dict[str, xr.DataArray]]":
    """Read every collection of groups of score files; a name that two files use is made distinct by the file's.

    chosen : the common options that `load_scores` takes.
    """
    from irmeta.errors import ScoresError

    read = [[(path, load_scores(path, **chosen)) for path in group] for group in groups]
    names = [name for group in read for _, cubes in group for name in cubes]
    named = [
        [(name if names.count(name) == 1 else path.stem, cube) for path, cubes in group for name, cube in cubes.items()]
        for group in read
    ]
    once = [name for group in named for name, _ in group]
    if twice := sorted({name for name in once if once.count(name) > 1}):
        raise ScoresError(
            f"two collections have the same name, {twice[0]!r}; give each file once, and each collection a name of its "
            "own when evaluating or importing (--collection)"
        )
    return [dict(group) for group in named]


def whole_numbers(option: str, text: str) -> list[int]:
    """Read whole numbers above 0, as in 5,10,20; gives each once, in rising order."""
    from irmeta.errors import IrmetaError

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise IrmetaError(f"{option} {text!r}: whole numbers above 0 are written as in 5,10,20")
    return sorted({int(part) for part in parts})


def one(cubes: "Mapping[str, xr.DataArray]") -> "xr.DataArray":
    """Give the only cube; where there are several the user has to choose."""
    from irmeta.io.scores import choose

    return choose(cubes, None)
