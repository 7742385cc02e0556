"""`irmeta correlate`: how far metrics agree."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from irmeta.cli.app import (
    Cluster,
    Collection,
    Format,
    Metrics,
    Missing,
    Output,
    Plot,
    Quiet,
    Scores,
    Systems,
    TableName,
    Topics,
    app,
    load_scores,
)
from irmeta.cli.output import counting, emit, engine, form_of
from irmeta.errors import ScoresError

if TYPE_CHECKING:
    import xarray as xr

Drawing = Literal["heatmap", "clustered", "dendrogram", "components"]


@app.command()
def correlate(
    scores: Scores,
    level: Annotated[
        Literal["topic", "within-topic", "system"],
        typer.Option(help="All system-topic pairs; the same less each topic's mean; or system means."),
    ] = "topic",
    method: Annotated[
        Literal["pearson", "spearman", "kendall", "tau-ap"],
        typer.Option(help="kendall is tau-b; tau-ap is tau_AP,b, at system level."),
    ] = "pearson",
    threshold: Annotated[float, typer.Option(help="Every two metrics of a group correlate at this or above.")] = 0.9,
    each: Annotated[bool, typer.Option("--each", help="Each collection by itself; else several are pooled.")] = False,
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    cluster: Cluster = None,
    plot: Plot = None,
    draw: Annotated[
        Drawing, typer.Option(help="What --plot draws; clustered is a heat map ordered by group.")
    ] = "heatmap",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Correlate every pair of metrics, to see which say the same thing.

    At topic level a high correlation may only say that topics are easy or hard for every system; within-topic takes
    that out. At system level metrics may agree on means and still differ on every topic.

    irmeta correlate scores.parquet --plot heatmap.svg

    irmeta correlate scores.parquet --level system --method kendall --format json
    """
    from irmeta.studies import correlation as study

    form = form or form_of(output)
    cubes = load_scores(scores, collection=collection, metrics=metrics, systems=systems, topics=topics)
    compute = study.each if each else study.correlation
    with engine(cluster, quiet=quiet), counting("leaving out:", quiet=quiet) as progress:
        result = compute(cubes, level=level, method=method, threshold=threshold, missing=missing, progress=progress)
    if plot is not None:
        _plot(result, plot, draw)
    emit(result, form=form, output=output, table=table, findings=study.findings(result))


def _plot(result: "xr.Dataset", path: Path, what: Drawing) -> None:
    from irmeta.report.plots import correlation, figure

    if "collection" in result.dims:
        raise ScoresError("a plot shows one collection; choose it with --collection in place of --each")
    count = result.sizes["metric"]
    side = min(figure.PAGE, 2.0 + 0.25 * count)
    wide = {"width": side, "height": 0.92 * side}
    drawing = {
        "heatmap": lambda: figure.draw(correlation.heatmap, result, **wide),
        "clustered": lambda: figure.draw(correlation.heatmap, result, **wide, order="clustered"),
        "dendrogram": lambda: figure.draw(correlation.tree, result, height=1.0 + 0.15 * count),
        "components": lambda: figure.draw(correlation.loadings, result, height=1.0 + 0.15 * count),
    }
    figure.save(drawing[what](), path)
