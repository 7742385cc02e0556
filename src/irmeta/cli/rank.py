"""`irmeta rank`: which few metrics to report."""

from typing import Annotated, Literal

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
)
from irmeta.cli.output import counting, emit, engine, form_of
from irmeta.errors import ScoresError


@app.command()
def rank(
    scores: Scores,
    k: Annotated[int | None, typer.Option("-k", help="The largest number of metrics.", show_default="all")] = None,
    method: Annotated[
        Literal["exact", "ib", "gf", "gf-code", "pivot", "sheffield", "trace"],
        typer.Option(
            help="exact: the best set of each size, proven. ib: iterative backward. gf: greedy forward as published, "
            "gf-code as released. pivot: pivoted Cholesky. sheffield: as ib, every determinant computed. "
            "trace: as gf, judged by the variance left unexplained."
        ),
    ] = "exact",
    matrix: Annotated[
        Literal["correlation", "covariance", "rank", "shrunk"],
        typer.Option(help="rank: correlation of normal scores; shrunk: correlation, Ledoit-Wolf."),
    ] = "correlation",
    level: Annotated[
        Literal["topic", "within-topic", "system"],
        typer.Option(help="Vary over systems and topics; the same less each topic's mean; over system means."),
    ] = "topic",
    objective: Annotated[
        Literal["determinant", "unreported"] | None,
        typer.Option(
            help="determinant: metrics that vary much and overlap little. unreported: those that leave the least "
            "unexplained variance in all the others.",
            show_default="determinant; for trace, unreported",
        ),
    ] = None,
    include: Annotated[str | None, typer.Option(help="Metrics that every set has, as in 'AP P@10'.")] = None,
    exclude: Annotated[str | None, typer.Option(help="Metrics that no set has; they may still be explained.")] = None,
    cost: Annotated[str | None, typer.Option(help="What metrics cost, as in 'AP=3 P@10=0.5'; others cost 1.")] = None,
    budget: Annotated[float | None, typer.Option(help="What a set may cost.", show_default="any")] = None,
    time_limit: Annotated[
        float,
        typer.Option(help="Seconds for the search; then it prints the gap that is left. Resamples have no part in it."),
    ] = 60,
    resamples: Annotated[
        int, typer.Option(min=0, help="Choose again on topics drawn anew, this often: is it stable?")
    ] = 0,
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    top: Top = None,
    by: By = None,
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    cluster: Cluster = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Choose the few metrics that say most and repeat each other least.

    Several collections in the file are pooled; --collection takes one.

    irmeta rank scores.parquet

    irmeta rank scores.parquet -k 5 --include AP --exclude P@1000 --plot rank.svg

    irmeta rank scores.parquet -k 4 --objective unreported --resamples 200

    irmeta rank scores.parquet --method ib --matrix covariance --format json
    """
    from irmeta.studies.ranking import findings, rank_metrics

    form = form or form_of(output)
    cubes = load_scores(scores, collection=collection, metrics=metrics, also=by, systems=systems, topics=topics)
    with engine(cluster, quiet=quiet), counting("choosing", 1 + resamples, quiet=quiet) as progress:
        outcome = rank_metrics(
            cubes,
            method,
            matrix,
            k,
            level=level,
            objective=objective,
            metrics=metrics,
            include=include or (),
            exclude=exclude or (),
            cost=_costs(cost or ""),
            budget=budget,
            time_limit=time_limit,
            top=top,
            by=by,
            missing=missing,
            resamples=resamples,
            rng=seed,
            progress=progress,
        )
    if plot is not None:
        from irmeta.report.plots.figure import PAGE, draw, save
        from irmeta.report.plots.ranking import plots

        save(draw(plots(outcome), outcome, width=PAGE, height=3.4), plot)
    emit(outcome, form=form, output=output, table=table, findings=findings(outcome))


def _costs(text: str) -> dict[str, float]:
    from irmeta.names import split

    costs = {}
    for part in split(text):
        name, _, price = part.rpartition("=")
        try:
            costs[name] = float(price)
        except ValueError:
            raise ScoresError(f"{part!r} in --cost: costs are written NAME=NUMBER, as in 'AP=3 P@10=0.5'") from None
    return costs
