"""`irmeta predict apply` and `fit`: the metrics that nobody reported from those that were."""

from typing import Annotated

from irmeta.choices import Scale, Unit, explained
from irmeta.cli.app import Verbs, option
from irmeta.cli.options import Output, SeveralFiles
from irmeta.cli.output import say, say_note, say_wrote
from irmeta.words import counted

predict = Verbs("predict", help="Predict metrics from other metrics, with intervals.")

ScaleOption = Annotated[
    Scale, option(help=explained(Scale, "The scale of the scores in the model."))
]
UnitOption = Annotated[Unit, option("--unit", help=explained(Unit, "What to predict."))]


@predict.command()
def fit(
    pooled: SeveralFiles,
    output: Output,
    scale: ScaleOption = "raw",
    unit: UnitOption = "system",
    quiet: bool = False,
) -> None:
    """Fit a model: for each collection the counts, means and covariances of its systems' scores, but not the scores.

    output : the model file to write (JSON)
    quiet : no notes on stderr

    irmeta predict fit web2012.parquet web2013.parquet web2014.parquet -o model.json

    The model predicts any of its metrics from any others, by least squares: on eight collections left out in turn no
    other learner erred less (RMSE .062; ridge regression .062, support vectors and boosting .067). It needs several
    collections to learn how they differ. With --unit topic it predicts scores on topics, and irmeta predict apply takes
    such scores.
    """
    from dataclasses import replace

    from irmeta.io.formats.model_file import save_model
    from irmeta.studies.prediction.prediction_model import prediction_model

    # all metrics: a collection may lack some of those asked for
    cubes = replace(pooled, metrics=None).cubes()
    fitted = prediction_model(
        cubes, metrics=pooled.metrics, scale=scale, unit=unit, missing=pooled.missing
    )
    save_model(fitted, output)
    systems = sum(part.moments.n for part in fitted.parts)
    rows = "systems" if unit == "system" else "systems on topics"
    size = f"{counted(len(fitted.metrics), 'metric')}, {systems} {rows} of {counted(len(fitted.parts), 'collection')}"
    say_wrote(output, f"{size} ({scale} scale)", quiet=quiet)
    for note in fitted.provenance["notes"]:
        say_note(note, quiet=quiet)
    if len(fitted.parts) == 1:
        say(
            "predictions will have intervals only where two systems or more of the new collection are "
            "known (--calibrate): one collection does not show how collections differ",
            quiet=quiet,
        )
