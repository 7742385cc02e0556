"""`irmeta predict`: the metrics that nobody reported from those that were, and costly ones from cheap ones."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from irmeta.cli.app import Format, Metrics, Output, Plot, Quiet, Seed, TableName, app
from irmeta.cli.output import counting, emit, form_of, say
from irmeta.errors import IrmetaError, ScoresError

if TYPE_CHECKING:
    import xarray as xr

predict = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Predict metrics from other metrics, with intervals that hold on collections the model has not seen.\n\n"
    "irmeta predict apply --given 'P@10=0.43 RR=0.61' --want 'AP RBP(p=0.95)'",
)
app.add_typer(predict, name="predict")


class SeveralFiles(TyperCommand):
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


Files = Annotated[
    list[Path], typer.Argument(help="Score files (evaluate or import write them), every collection used.")
]
Train = Annotated[list[Path], typer.Option(help="Score files to fit on; several may follow.")]
Dev = Annotated[list[Path] | None, typer.Option(help="Score files to choose predictors by; several may follow.")]
Test = Annotated[list[Path], typer.Option(help="Score files to measure on; several may follow.")]
Targets = Annotated[str | None, typer.Option(help="Metrics to predict, as in 'AP P@10'.", show_default="all")]
ScaleOption = Annotated[
    Literal["raw", "logit"],
    typer.Option(help="Model scores as they are, or their log odds: predictions then stay between 0 and 1."),
]
Level = Annotated[float, typer.Option(help="Share of systems that intervals are to hold.")]
Missing = Annotated[
    Literal["error", "topics", "systems"],
    typer.Option(help="Where scores are missing: stop, or drop the topics or the systems that lack some."),
]


@predict.command()
def apply(
    scores: Annotated[
        Path | None, typer.Argument(help="A table (CSV): a row a system, a column a metric, holes.")
    ] = None,
    given: Annotated[str | None, typer.Option(help="One system's scores, as in 'P@10=0.43 RR=0.61'.")] = None,
    want: Annotated[str | None, typer.Option(help="Metrics to predict.", show_default="what is missing")] = None,
    model: Annotated[
        Path | None, typer.Option(help="A model that `predict fit` wrote.", show_default="the one that ships")
    ] = None,
    calibrate: Annotated[
        Path | None, typer.Option(help="A table of a few systems of the same collection with the wanted metrics known.")
    ] = None,
    level: Level = 0.9,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    plot: Plot = None,
) -> None:
    """Predict what was not reported, each score with its interval.

    irmeta predict apply --given "P@10=0.43 RR=0.61 nDCG@20=0.39" --want "AP RBP(p=0.95)"

    irmeta predict apply paper-table.csv -o filled.csv

    irmeta predict apply ours.csv --want AP --calibrate baselines.csv

    As CSV the table itself is written, its holes filled: a predicted score
    has its interval in the columns beside it, a reported one has none.
    `distance` tells how far the given scores lie from those that the model
    has seen: 1 is usual.
    """
    from irmeta.io.importers import import_systemwise
    from irmeta.io.model_file import load_model
    from irmeta.names import split
    from irmeta.studies import prediction

    if (scores is None) == (given is None):
        raise IrmetaError("give a table to fill, or one system's scores with --given 'P@10=0.43 RR=0.61'")
    cube = prediction.given(given) if given is not None else _only(import_systemwise(scores or Path()))
    outcome = prediction.predict(
        cube,
        load_model(model) if model else None,
        want=split(want) if want else None,
        level=level,
        known=_only(import_systemwise(calibrate)) if calibrate else None,
    )
    form = form or form_of(output)
    if scores is not None and form == "csv":
        table = table or "filled"
    _show(prediction, outcome, form, output, table, plot)


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
    from irmeta.names import split
    from irmeta.studies import prediction

    fitted = prediction.prediction_model(
        _load(scores), metrics=split(metrics) if metrics else None, scale=scale, missing=missing
    )
    save_model(fitted, output)
    systems = sum(part.moments.n for part in fitted.parts)
    size = f"{len(fitted.metrics)} metrics, {systems} systems of {len(fitted.parts)} collections"
    say(f"{output}: {size} ({scale} scale)", quiet=quiet)
    for note in fitted.provenance["notes"]:
        say(note, quiet=quiet)
    if len(fitted.parts) == 1:
        say("one collection cannot tell how collections differ: predictions will have no intervals", quiet=quiet)


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
    from irmeta.names import split
    from irmeta.studies import predictors

    sizes = _sizes(k)
    with counting("choosing", len(sizes), quiet=quiet) as progress:
        outcome = predictors.predictors(
            _load(train),
            _load(test),
            dev=_load(dev or []),
            choose=choose,
            targets=split(targets) if targets else None,
            metrics=split(metrics) if metrics else None,
            sizes=sizes,
            missing=missing,
            progress=progress,
        )
    _show(predictors, outcome, form, output, table, plot)


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
    from irmeta.names import split
    from irmeta.studies import lowcost as study

    outcome = study.lowcost(
        _load(train),
        _load(test),
        targets=split(targets),
        dev=_load(dev or []),
        depths=_numbers(depths),
        proper=proper,
        missing=missing,
    )
    _show(study, outcome, form, output, table, plot)


@predict.command()
def coverage(
    scores: Files,
    targets: Targets = None,
    metrics: Metrics = None,
    k: Annotated[int, typer.Option("-k", help="Number of predictors; every set of so many is tried.")] = 2,
    level: Level = 0.9,
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
    from irmeta.names import split
    from irmeta.studies import coverage as study

    outcome = study.coverage(
        _load(scores),
        targets=split(targets) if targets else None,
        metrics=split(metrics) if metrics else None,
        size=k,
        level=level,
        scale=scale,
        missing=missing,
    )
    _show(study, outcome, form, output, table, plot)


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
    from irmeta.names import split
    from irmeta.studies import models as study

    with counting("predicting", quiet=quiet) as progress:
        outcome = study.models(
            _load(scores),
            targets=split(targets) if targets else None,
            metrics=split(metrics) if metrics else None,
            missing=missing,
            rng=seed,
            progress=progress,
        )
    _show(study, outcome, form, output, table)


def _load(paths: list[Path]) -> "dict[str, xr.DataArray]":
    """Read all collections of several score files."""
    from irmeta.io.scores import load_all

    cubes: dict[str, xr.DataArray] = {}
    for path in paths:
        for name, scores in load_all(path).items():
            if name in cubes:
                raise ScoresError(f"{path}: a second collection named {name!r}; import it under another --collection")
            cubes[name] = scores
    return cubes


def _only(cubes: "dict[str, xr.DataArray]") -> "xr.DataArray":
    return next(iter(cubes.values()))


def _sizes(text: str) -> list[int]:
    low, _, high = text.partition("-")
    if not low.isdigit() or not (high or low).isdigit() or not 1 <= int(low) <= int(high or low):
        raise IrmetaError(f"-k {text}: numbers of predictors are written as in 2 or 1-3")
    return list(range(int(low), int(high or low) + 1))


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and int(part) > 0 for part in parts):
        raise IrmetaError(f"--depths {text}: depths are whole numbers above 0, as in 10,20,50")
    return [int(part) for part in parts]


def _show(
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

        save(draw(getattr(plots, outcome.attrs["study"]), outcome, width=PAGE, height=3.6), plot)
