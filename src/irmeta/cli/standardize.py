"""`irmeta standardize`: fit factors, apply them, and see how long and from how few systems they serve."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from irmeta.attributes import about
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
    Seed,
    Systems,
    TableName,
    Topics,
    Verbs,
    app,
    load_scores,
    one,
    whole_numbers,
)
from irmeta.cli.output import counting, emit, engine, form_of, refuse_overwriting, say

standardize = Verbs(no_args_is_help=True, rich_markup_mode="rich", help="Put scores of all topics on one scale.")
app.add_typer(standardize, name="standardize")

Kind = Annotated[
    Literal["z", "normal", "uniform", "empirical", "max", "center"],
    typer.Option(help="z; its normal CDF; 0.15 z + 0.5; share of systems beaten; divided by the best; less the mean."),
]
FlatTopics = Annotated[
    Literal["half", "drop", "raw"],
    typer.Option(
        help="Topics that all standardizing systems score alike: the scale's middle, left out, or as they are."
    ),
]
To = Annotated[Path, typer.Option("-o", "--output", help="The file to write (Parquet).")]
Old = Annotated[Path, typer.Argument(help="Score file of the old systems, whose factors are used.")]
New = Annotated[Path, typer.Argument(help="Score file of the new systems on the same topics.")]


@standardize.command()
def fit(
    scores: Scores,
    output: To,
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    quiet: Quiet = False,
) -> None:
    """Fit the factors of every topic and metric on the systems of a score file, to publish or apply.

    irmeta standardize fit trec8.parquet -o factors.parquet
    """
    from irmeta import standardization

    refuse_overwriting(output)
    cube = one(load_scores(scores, collection=collection, metrics=metrics, systems=systems, topics=topics))
    factors = standardization.fit(cube, missing=missing)
    standardization.save(factors, output)
    for note in about(factors)["notes"]:
        say(note, quiet=quiet)
    flat = int((factors["quantiles"][..., 0] == factors["quantiles"][..., -1]).sum())
    say(
        f"{output}: factors of {factors.sizes['topic']} topics and {factors.sizes['metric']} metrics from "
        f"{int(factors['n'].max())} systems, {flat or 'none'} without spread; digest {factors.attrs['digest']}",
        quiet=quiet,
    )


@standardize.command()
def apply(
    scores: Scores,
    factors: Annotated[Path, typer.Option(help="Factors, as written by fit.")],
    output: To,
    kind: Kind = "normal",
    flat: FlatTopics = "half",
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    quiet: Quiet = False,
) -> None:
    """Standardize scores with factors from any systems on the same topics; the result is a score file like others.

    irmeta standardize apply new-runs.parquet --factors factors.parquet -o standardized.parquet --kind normal
    """
    from irmeta import standardization
    from irmeta.io.scores import save

    refuse_overwriting(output)
    cube = one(load_scores(scores, collection=collection, metrics=metrics, systems=systems, topics=topics))
    fitted = standardization.load(factors)
    standardized = standardization.apply(cube, fitted, kind, flat=flat)
    save(standardized, output)
    for line in [*about(standardized)["standardization"]["notes"], *standardization.flat_topics(standardized)]:
        say(line, quiet=quiet)
    unused = fitted.sizes["topic"] - cube.sizes["topic"]
    say(
        f"{output}: {standardized.sizes['system']} systems on {standardized.sizes['topic']} topics, {kind}, by factors "
        f"{fitted.attrs['digest']} ({fitted.attrs['collection']})"
        + (f"; {unused} topics of the factors have no scores here" if unused else ""),
        quiet=quiet,
    )


@standardize.command()
def durability(
    old: Old,
    new: New,
    kind: Kind = "normal",
    flat: FlatTopics = "half",
    metrics: Metrics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
) -> None:
    """Tell whether old factors still serve: rank new systems by them and by their own factors.

    irmeta standardize durability old.parquet new.parquet

    Beside it stands what random deals of old and new systems give: few systems agree little, whatever their age.

    With several old collections each meets the new one of its name, or the only new one, on the topics both have.
    """
    from irmeta.studies import durability as study

    cubes = (load_scores(path, metrics=metrics) for path in (old, new))
    result = study.durability(*cubes, kind=kind, flat=flat, missing=missing, rng=seed)
    emit(result, form=form, output=output, table=table, findings=study.findings(result))


@standardize.command()
def sample(
    old: Old,
    new: New,
    sizes: Annotated[
        str | None, typer.Option(help="How many old systems to draw, as in 2,3,5,10,20.", show_default="2 to 50")
    ] = None,
    draws: Annotated[int, typer.Option(help="Draws of each size.")] = 1500,
    kind: Kind = "normal",
    collection: Collection = None,
    metrics: Metrics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Tell how many systems a standardizing set needs: standardize by random parts of the old ones.

    irmeta standardize sample old.parquet new.parquet --sizes 2,3,5,10,20
    """
    from irmeta import standardization
    from irmeta.report.plots import figure
    from irmeta.report.plots import standardizing_set as plots
    from irmeta.studies import standardizing_set as study

    form, numbers = form or form_of(output), whole_numbers("--sizes", sizes) if sizes is not None else None
    cube = one(load_scores(old, collection=collection, metrics=metrics))
    with engine(cluster, quiet=quiet), counting("drawing", quiet=quiet) as progress:
        result = study.standardizing_set(
            cube,
            standardization.counterpart(str(cube.attrs["collection"]), load_scores(new, metrics=metrics)),
            sizes=numbers,
            draws=draws,
            kind=kind,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    if plot is not None:
        figure.save(figure.draw(plots.plot, result), plot)
    emit(result, form=form, output=output, table=table, findings=study.findings(result))
