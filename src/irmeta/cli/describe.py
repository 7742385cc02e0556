"""`irmeta describe`: what a cube holds."""

from typing import Annotated, Literal

import typer

from irmeta.cli.app import (
    Collection,
    Format,
    Metrics,
    Missing,
    Output,
    Plot,
    Scores,
    Systems,
    TableName,
    Top,
    Topics,
    app,
    load_scores,
    one,
)
from irmeta.cli.output import emit


@app.command()
def describe(
    scores: Scores,
    by: Annotated[
        str | None,
        typer.Option(
            help="The metric to list and draw systems by, and for --top.", show_default="AP, or the deepest AP@k"
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    view: Annotated[
        Literal["means", "matrix", "distribution"],
        typer.Option(help="What --plot draws: means with intervals, every score, the distribution of scores."),
    ] = "means",
    top: Top = None,
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
) -> None:
    """Show means with t intervals and the ranks they leave open, topic difficulty, spread and reliability.

    irmeta describe scores.parquet --by AP --plot means.svg

    irmeta describe scores.parquet --top 0.75 --table topics
    """
    from irmeta.report.plots import description as plots
    from irmeta.report.plots import figure
    from irmeta.studies import description

    cube = one(load_scores(scores, collection=collection, metrics=metrics, also=by, systems=systems, topics=topics))
    result = description.describe(cube, metrics=metrics, by=by, level=level, top=top, missing=missing)
    if plot is not None:
        wide = view != "distribution" and result.sizes["system"] > 30
        figure.save(figure.draw(plots.plot, result, width=figure.PAGE if wide else figure.COLUMN, view=view), plot)
    emit(result, form=form, output=output, table=table, findings=description.findings(result))
