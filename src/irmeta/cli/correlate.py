"""`irmeta correlate`: which metrics say the same."""

from typing import Annotated, Any

from irmeta.choices import Coefficient, CorrelationView, Level, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Best, PickedPairs, Shown


@app.command()
def correlate(
    picked: PickedPairs,
    best: Best,
    shown: Shown,
    level: Annotated[
        Level, option(help=explained(Level, "What to correlate."))
    ] = "topic",
    method: Annotated[
        Coefficient, option(help=explained(Coefficient, "The correlation coefficient."))
    ] = "pearson",
    threshold: Annotated[
        float,
        option(
            help="Metrics form a group if every pair of them correlates at this value or above."
        ),
    ] = 0.9,
    each: Annotated[
        bool,
        option(
            "--each",
            help="Correlate on each collection by itself; several are pooled without it.",
        ),
    ] = False,
    view: Annotated[
        CorrelationView, option(help=explained(CorrelationView, "What --plot draws."))
    ] = "heatmap",
) -> None:
    """Correlate every pair of metrics, to see which say the same.

    At topic level a high correlation may only say that topics are easy or hard for every system; within-topic takes
    that out. At system level metrics may agree on means and still differ on every topic.

    irmeta correlate scores.parquet --plot heatmap.svg

    irmeta correlate scores.parquet --level system --method kendall --format json

    irmeta correlate scores.parquet --top 0.75 --by AP # without the worst systems
    """
    from irmeta.studies.agreement import correlation

    study = correlation.each if each else correlation.correlation
    options: dict[str, Any] = {
        "level": level,
        "method": method,
        "threshold": threshold,
    }
    cubes = picked.cubes(best.by)
    shown.show(study, cubes, **picked.used(best), **options, view=view)
