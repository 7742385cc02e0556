"""`irmeta describe`: how good the systems are, and how sure that is."""

from typing import Annotated

from irmeta.choices import ScoreView, explained
from irmeta.cli.app import app
from irmeta.cli.study import Best, Picked, Shown, option


@app.command()
def describe(
    picked: Picked,
    best: Best,
    shown: Shown,
    level: Annotated[float, option(help="Level of the intervals.")] = 0.95,
    view: Annotated[ScoreView, option(help=explained(ScoreView, "What --plot draws."))] = "means",
) -> None:
    """Show system means with intervals, the ranks these leave open, topic difficulty, spread and reliability.

    irmeta describe scores.parquet --by AP --plot means.svg

    irmeta describe scores.parquet --top 0.75 --table topics
    """
    from irmeta.studies.description import describe as study

    shown.show(study, picked.cube(best.by), **picked.used(best), level=level, view=view)
