"""`irmeta predictivity`: which metrics foretell results on new topics."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from irmeta.cli.app import (
    By,
    Cluster,
    Collection,
    Format,
    Metrics,
    Missing,
    Output,
    Plot,
    Quiet,
    Scores,
    Seed,
    Systems,
    TableName,
    Top,
    Topics,
    app,
    load_scores,
    one,
    whole_numbers,
)
from irmeta.cli.output import counting, emit, engine, form_of
from irmeta.errors import ScoresError

if TYPE_CHECKING:
    import xarray as xr


@app.command()
def predictivity(
    scores: Scores,
    partitions: Annotated[int, typer.Option(help="Random partitions of the topics to average over.")] = 2000,
    sizes: Annotated[
        str | None, typer.Option(help="Also sets of so many topics each, as in 5,10,15: the table `curve`.")
    ] = None,
    top: Top = None,
    by: By = None,
    top_on: Annotated[
        Literal["all", "half"],
        typer.Option(help="Find the best systems on all topics, as the paper did, or on one half of each partition."),
    ] = "all",
    tau: Annotated[Literal["b", "a"], typer.Option(help="Kendall's tau-b or tau-a.")] = "b",
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    cluster: Cluster = None,
    plot: Plot = None,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Measure which metrics foretell the ranking of systems on new topics.

    The topics are halved at random, again and again. phi is the mean tau between the ranking by one metric on one half
    and the ranking by another (or the same) on the other half. Where AP foretells P@10 as well as P@10 does, P@10 tells
    nothing about new topics that AP does not.

    irmeta predictivity scores.parquet --top 0.75 --by AP

    irmeta predictivity scores.parquet --metrics "AP P@10" --sizes 5,10,15,20,25 --plot curve.svg
    """
    from irmeta.cube import select
    from irmeta.studies.predictivity import findings
    from irmeta.studies.predictivity import predictivity as measure

    form, numbers = form or form_of(output), whole_numbers("--sizes", sizes) if sizes is not None else []
    chosen = one(load_scores(scores, collection=collection, metrics=metrics, also=by, systems=systems, topics=topics))
    if plot is not None and numbers and select(chosen, metrics=metrics).sizes["metric"] > 3:
        raise ScoresError("a curve of more than 3 metrics cannot be read; name those to draw with --metrics")
    with engine(cluster, quiet=quiet), counting("splitting topics:", quiet=quiet) as progress:
        result = measure(
            chosen,
            metrics=metrics,
            partitions=partitions,
            top=top,
            by=by,
            top_on=top_on,
            sizes=numbers,
            tau=tau,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    if plot is not None:
        _plot(result, plot)
    emit(result, form=form, output=output, table=table, findings=findings(result))


def _plot(result: "xr.Dataset", path: Path) -> None:
    from irmeta.report.plots.figure import draw, save
    from irmeta.report.plots.predictivity import curve, gains

    height = 2.6 if "curve" in result else 1.0 + 0.16 * result.sizes["metric"]
    save(draw(curve if "curve" in result else gains, result, height=height), path)
