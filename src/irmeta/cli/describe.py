"""`irmeta describe`: how good the systems are, and how sure that is."""

from typing import Annotated

from irmeta.choices import ScoreView, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Best, Picked, Seed, Shown, Teamed


@app.command()
def describe(
    picked: Picked,
    best: Best,
    teamed: Teamed,
    shown: Shown,
    level: Annotated[
        float, option(help="Level of the intervals and rank sets.")
    ] = 0.95,
    marginal: Annotated[
        bool,
        option(
            "--marginal",
            help=(
                "Make each rank set hold for one system that you named in advance; without it all "
                "hold at once."
            ),
        ),
    ] = False,
    system: Annotated[
        str | None,
        option(
            metavar="SYSTEM",
            help="A system that you named before you saw the scores: the ranks that it may have.",
            show_default="none",
        ),
    ] = None,
    view: Annotated[
        ScoreView, option(help=explained(ScoreView, "What --plot draws."))
    ] = "means",
    seed: Seed = 0,
) -> None:
    """Show system means with intervals, the ranks that systems may have, topic difficulty, spread and reliability.

    irmeta describe scores.parquet --by AP --plot means.svg

    irmeta describe scores.parquet --top 0.75 --table topics

    irmeta describe scores.parquet --system mine # the rank of a system that you named in advance
    """
    from irmeta.studies.differences.description import describe as study

    sets = "marginal" if marginal else "simultaneous"
    shown.show(
        study,
        picked.cube(best.by),
        **picked.used(best),
        level=level,
        sets=sets,
        system=system,
        groups=teamed.teams(),
        rng=seed,
        view=view,
    )
