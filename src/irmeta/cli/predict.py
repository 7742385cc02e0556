"""`irmeta predict`: the metrics that nobody reported from those that were, and costly ones from cheap ones."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from irmeta.cli.app import Format, Metrics, Missing, Output, Plot, Quiet, TableName, Verbs, app, load_collections
from irmeta.cli.output import emit, form_of, say
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr

predict = Verbs(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Predict metrics from other metrics, with intervals that hold on collections the model has not seen.\n\n"
    "irmeta predict apply --given 'P@10=0.43 RR=0.61' --want 'AP R@100'",
)
app.add_typer(predict, name="predict")


Files = Annotated[
    list[Path], typer.Argument(help="Score files (evaluate or import write them), every collection used.")
]
ScaleOption = Annotated[
    Literal["raw", "logit"],
    typer.Option(help="Model scores as they are, or their log odds: predictions then stay between 0 and 1."),
]
Nominal = Annotated[float, typer.Option("--level", help="Share of systems that intervals are to hold.")]


@predict.command()
def apply(
    scores: Annotated[
        Path | None, typer.Argument(help="A table: CSV with a row a system and a column a metric, or a score file.")
    ] = None,
    given: Annotated[str | None, typer.Option(help="One system's scores, as in 'P@10=0.43 RR=0.61'.")] = None,
    want: Annotated[str | None, typer.Option(help="Metrics to predict.", show_default="what is missing")] = None,
    model: Annotated[
        Path | None, typer.Option(help="A model that `predict fit` wrote.", show_default="the one that ships")
    ] = None,
    calibrate: Annotated[
        Path | None, typer.Option(help="A table of a few systems of the same collection with the wanted metrics known.")
    ] = None,
    level: Nominal = 0.9,
    missing: Annotated[
        Literal["error", "topics", "systems"],
        typer.Option(
            help="Where a system lacks a metric on some topics only: stop, or drop the topics or the systems that lack "
            "some. What a system lacks on all topics is predicted."
        ),
    ] = "error",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
) -> None:
    """Predict what was not reported, each score with its interval.

    irmeta predict apply --given "P@10=0.43 RR=0.61 nDCG@20=0.39" --want "AP R@100"

    irmeta predict apply paper-table.csv -o filled.csv

    irmeta predict apply ours.csv --want AP --calibrate baselines.csv

    As CSV the table itself is written, its holes filled: a predicted score
    has its interval in the columns beside it, a reported one has none.
    `distance` tells how far the given scores lie from those that the model
    has seen: 1 is usual.
    """
    from irmeta.io.model_file import load_model
    from irmeta.studies import prediction

    if (scores is None) == (given is None):
        raise IrmetaError("give a table to fill, or one system's scores with --given 'P@10=0.43 RR=0.61'")
    cube = prediction.given(given) if given is not None else _table(scores or Path())
    outcome = prediction.predict(
        cube,
        load_model(model) if model else None,
        want=want,
        level=level,
        known=_table(calibrate) if calibrate else None,
        missing=missing,
    )
    form = form or form_of(output)
    if scores is not None and form == "csv":
        table = table or "filled"
    show(prediction, outcome, form, output, table, plot)


@predict.command()
def fit(
    scores: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="The model file to write (JSON).")],
    metrics: Metrics = None,
    scale: ScaleOption = "raw",
    missing: Missing = "error",
    quiet: Quiet = False,
) -> None:
    """Fit a model: for each collection the counts, means and covariances of its systems' scores, and no score itself.

    irmeta predict fit web2012.parquet web2013.parquet web2014.parquet -o model.json

    The model predicts any of its metrics from any others. It takes several collections to know how they differ.
    """
    from irmeta.io.model_file import save_model
    from irmeta.studies.prediction_model import prediction_model

    [cubes] = load_collections(scores)  # all metrics: a collection may lack some of those asked for
    fitted = prediction_model(cubes, metrics=metrics, scale=scale, missing=missing)
    save_model(fitted, output)
    systems = sum(part.moments.n for part in fitted.parts)
    size = f"{len(fitted.metrics)} metrics, {systems} systems of {len(fitted.parts)} collections"
    say(f"{output}: {size} ({scale} scale)", quiet=quiet)
    for note in fitted.provenance["notes"]:
        say(note, quiet=quiet)
    if len(fitted.parts) == 1:
        say("one collection cannot tell how collections differ: predictions will have no intervals", quiet=quiet)


def _table(path: Path) -> "xr.DataArray":
    """Read a table of systems and metrics: CSV, or a score file of one collection."""
    from irmeta.io.importers import import_systemwise
    from irmeta.io.scores import load

    return load(path) if path.suffix == ".parquet" else next(iter(import_systemwise(path).values()))


def show(
    study: ModuleType,
    outcome: "xr.Dataset",
    form: "Literal['table', 'json', 'csv', 'latex'] | None",
    output: Path | None,
    table: str | None,
    plot: Path | None = None,
) -> None:
    """Write a result, and draw it."""
    emit(outcome, form=form, output=output, table=table, findings=study.findings(outcome))
    if plot is not None:
        from irmeta.report.plots import prediction as plots
        from irmeta.report.plots.figure import PAGE, draw, save

        rows = int(outcome["value"].notnull().sum()) if "value" in outcome else outcome.sizes["target"]
        drawing = getattr(plots, outcome.attrs["study"])
        save(draw(drawing, outcome, width=PAGE, height=max(3.0, 0.8 + 0.16 * rows)), plot)
