"""`irmeta significance`: which systems differ."""

from typing import Annotated, Literal

import typer

from irmeta.cli.app import (
    By,
    Cluster,
    Collection,
    Format,
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
)
from irmeta.cli.output import counting, emit, engine, form_of


@app.command()
def significance(
    scores: Scores,
    metrics: Annotated[
        str | None,
        typer.Option("-m", "--metric", "--metrics", help="Metrics to test, as in 'AP nDCG@10'.", show_default="all"),
    ] = None,
    test: Annotated[
        Literal["t", "wilcoxon", "permutation", "bootstrap", "sign", "tukey"],
        typer.Option(help="The paired two-sided test; tukey is the randomised Tukey HSD."),
    ] = "t",
    correct: Annotated[
        Literal["holm", "bh", "none"],
        typer.Option(help="Correction for testing all pairs: any false rejection, their share, or none."),
    ] = "holm",
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    resamples: Annotated[int, typer.Option(help="Resamples of permutation, bootstrap and tukey.")] = 10_000,
    top: Top = None,
    by: By = None,
    collection: Collection = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    cluster: Cluster = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Test every pair of systems, paired by topic, and say how many pairs each metric tells apart.

    irmeta significance scores.parquet --metric AP --test permutation --correct bh

    irmeta significance scores.parquet --systems bm25,dense --plot asl.svg   (p of all pairs in order)

    Systems, with letters that those share which do not differ, are shown of up to four metrics (--metrics), and with
    --table systems.
    """
    from irmeta.report.plots import figure
    from irmeta.report.plots import significance as plots
    from irmeta.studies import significance as study

    form = form or form_of(output)
    cube = one(load_scores(scores, collection=collection, metrics=metrics, also=by, systems=systems, topics=topics))
    with engine(cluster, quiet=quiet), counting("testing", quiet=quiet) as progress:
        result = study.significance(
            cube,
            metrics=metrics,
            test=test,
            correct=correct,
            alpha=alpha,
            resamples=resamples,
            top=top,
            by=by,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    if plot is not None:
        figure.save(figure.draw(plots.plot, result), plot)
    emit(result, form=form, output=output, table=table, findings=study.findings(result))
