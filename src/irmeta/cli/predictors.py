"""`irmeta predict` select, lowcost, coverage, models: what predicts what, and how well."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from irmeta.cli.app import (
    Format,
    Metrics,
    Missing,
    Output,
    Plot,
    Quiet,
    Seed,
    TableName,
    Verb,
    load_collections,
    whole_numbers,
)
from irmeta.cli.output import counting
from irmeta.cli.predict import Files, Nominal, ScaleOption, predict, show
from irmeta.errors import IrmetaError


class SeveralFiles(Verb):
    """Lets an option of files take several, as in --train A B C, which stands for --train A --train B --train C."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option's name before each of its files."""
        several, spelled, option = {"--train", "--dev", "--test"}, [], None
        for word in args:
            if word.startswith("-"):
                option = word if word in several else None
                spelled += [] if option else [word]
            else:
                spelled += [option, word] if option else [word]
        return super().parse_args(ctx, spelled)


Train = Annotated[list[Path], typer.Option(help="Score files to fit on; several may follow.")]
Dev = Annotated[list[Path] | None, typer.Option(help="Score files to choose predictors by; several may follow.")]
Test = Annotated[list[Path], typer.Option(help="Score files to measure on; several may follow.")]
Targets = Annotated[str | None, typer.Option(help="Metrics to predict, as in 'AP P@10'.", show_default="all")]


@predict.command(cls=SeveralFiles)
def select(
    train: Train,
    test: Test,
    dev: Dev = None,
    targets: Targets = None,
    metrics: Metrics = None,
    k: Annotated[str, typer.Option("-k", help="Numbers of predictors, as in 2 or 1-3.")] = "1-3",
    choose: Annotated[
        Literal["dev", "leave-one-out"],
        typer.Option(help="Choose by tau on the dev collections, or on training collections left out in turn."),
    ] = "dev",
    missing: Missing = "error",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
    quiet: Quiet = False,
) -> None:
    """Find the best predictors of each metric among all subsets of the others, and measure them on other collections.

    irmeta predict select --train A.parquet B.parquet --dev C.parquet --test D.parquet E.parquet -k 1-3

    irmeta predict select --train A.parquet B.parquet --test D.parquet --choose leave-one-out --targets "AP P@10"
    """
    from irmeta.studies import predictors

    sizes = _sizes(k)
    fitted_on, chosen_by, measured_on = load_collections(train, dev or [], test, metrics=metrics, also=targets)
    with counting("choosing", len(sizes), quiet=quiet) as progress:
        outcome = predictors.predictors(
            fitted_on,
            measured_on,
            dev=chosen_by,
            choose=choose,
            targets=targets,
            metrics=metrics,
            sizes=sizes,
            missing=missing,
            progress=progress,
        )
    show(predictors, outcome, form, output, table, plot)


@predict.command(cls=SeveralFiles)
def lowcost(
    train: Train,
    test: Test,
    targets: Annotated[str, typer.Option(help="Costly metrics to predict, as in 'AP@1000 P@1000'.")],
    dev: Dev = None,
    depths: Annotated[str, typer.Option(help="How many documents the cheap metrics look at.")] = "10,20,30,40,50",
    proper: Annotated[
        bool, typer.Option("--proper", help="Leave out the set of all predictors, as the released code did.")
    ] = False,
    missing: Missing = "error",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
) -> None:
    """Predict metrics that take deep judgments from metrics of the first documents.

    irmeta predict lowcost --train A.parquet --dev B.parquet --test C.parquet --targets "AP@1000 RBP(p=0.95)"

    The cheap metrics are those named with depth=, as in 'P(depth=10)@1000'.
    Those that also have pool=, as in 'P(depth=10, pool=10)@1000', saw only
    the judgments of a pool of that depth, which is what makes them cheap.
    """
    from irmeta.studies import lowcost as study

    numbers = whole_numbers("--depths", depths)
    fitted_on, chosen_by, measured_on = load_collections(train, dev or [], test)
    outcome = study.lowcost(
        fitted_on,
        measured_on,
        targets=targets,
        dev=chosen_by,
        depths=numbers,
        proper=proper,
        missing=missing,
    )
    show(study, outcome, form, output, table, plot)


@predict.command()
def coverage(
    scores: Files,
    targets: Targets = None,
    metrics: Metrics = None,
    k: Annotated[int, typer.Option("-k", help="Number of predictors; every set of so many is tried.")] = 2,
    level: Nominal = 0.9,
    scale: ScaleOption = "raw",
    missing: Missing = "error",
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
) -> None:
    """Measure how often intervals hold on a collection the model has not seen: leave out each in turn, and count.

    irmeta predict coverage A.parquet B.parquet C.parquet D.parquet --targets "AP P@10"
    """
    from irmeta.studies import coverage as study

    [cubes] = load_collections(scores, metrics=metrics, also=targets)
    outcome = study.coverage(
        cubes,
        targets=targets,
        metrics=metrics,
        size=k,
        level=level,
        scale=scale,
        missing=missing,
    )
    show(study, outcome, form, output, table, plot)


@predict.command()
def models(
    scores: Files,
    targets: Targets = None,
    metrics: Metrics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Compare least squares with ridge regression, a support vector machine and boosted trees, collections left out.

    irmeta predict models A.parquet B.parquet C.parquet --targets AP
    """
    from irmeta.studies import models as study

    [cubes] = load_collections(scores, metrics=metrics, also=targets)
    with counting("predicting", quiet=quiet) as progress:
        outcome = study.models(
            cubes,
            targets=targets,
            metrics=metrics,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    show(study, outcome, form, output, table)


def _sizes(text: str) -> list[int]:
    low, _, high = text.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal() or not 1 <= int(low) <= int(high or low):
        raise IrmetaError(f"-k {text}: numbers of predictors are written as in 2 or 1-3")
    return list(range(int(low), int(high or low) + 1))
