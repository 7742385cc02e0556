"""`irmeta compare`: the same systems on several collections."""

from pathlib import Path
from typing import Annotated

import typer

from irmeta.cli.app import (
    Cluster,
    Format,
    Metrics,
    Missing,
    Output,
    Plot,
    Quiet,
    Seed,
    TableName,
    app,
    load_collections,
)
from irmeta.cli.output import counting, emit, engine, form_of
from irmeta.cli.standardize import FlatTopics


@app.command()
def compare(
    scores: Annotated[list[Path], typer.Argument(help="Score files; every collection in them is compared.")],
    kind: Annotated[
        str | None,
        typer.Option(
            help="Forms of the scores: raw, and kinds of standardization, separated by commas.",
            show_default="raw,normal; for standardized scores raw",
        ),
    ] = None,
    randomise: Annotated[int, typer.Option(help="Random deals of the pooled topics, for each pair.")] = 2000,
    alpha: Annotated[float, typer.Option(help="Level of the test that counts false positives.")] = 0.05,
    metrics: Metrics = None,
    flat: FlatTopics = "half",
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    cluster: Cluster = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Tell whether scores of the same systems compare across collections: dRMSE and false positives, beside chance.

    irmeta compare trec7.parquet trec8.parquet robust03.parquet --kind raw,normal --randomise 2000

    Factors come from each collection's own systems; to use others, run irmeta standardize apply first.
    """
    from irmeta.report.plots import comparison as plots
    from irmeta.report.plots import figure
    from irmeta.studies import comparison

    form = form or form_of(output)
    kinds = None if kind is None else [part.strip() for part in kind.split(",")]
    [cubes] = load_collections(scores, metrics=metrics)
    with engine(cluster, quiet=quiet), counting("comparing", quiet=quiet) as progress:
        result = comparison.compare(
            cubes,
            kinds=kinds,  # type: ignore[arg-type]  # the study refuses what is no kind
            randomise=randomise,
            alpha=alpha,
            flat=flat,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    if plot is not None:
        figure.save(figure.draw(plots.plot, result), plot)
    emit(result, form=form, output=output, table=table, findings=comparison.findings(result))
