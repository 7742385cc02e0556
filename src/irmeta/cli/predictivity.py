"""`irmeta predictivity`: which metrics predict results on new topics."""

from typing import Annotated, Any

from irmeta.choices import Ties, TopOn, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Best, Picked, Seed, Shown, Teamed, whole_numbers


@app.command()
def predictivity(
    picked: Picked,
    best: Best,
    teamed: Teamed,
    shown: Shown,
    partitions: Annotated[
        int, option(help="Number of random partitions of the topics.")
    ] = 2000,
    sizes: Annotated[
        str | None,
        option(
            metavar="N,N,...",
            help=(
                "Also compute phi by these numbers of topics in each half, as in 5,10,15 (table "
                "curve)."
            ),
        ),
    ] = None,
    top_on: Annotated[
        TopOn, option(help=explained(TopOn, "Which systems --top keeps."))
    ] = "all",
    tau: Annotated[
        Ties, option(help=explained(Ties, "The rank correlation coefficient."))
    ] = "b",
    seed: Seed = 0,
) -> None:
    """Measure which metrics predict the ranking of systems on new topics.

    The topics are split into random halves many times. phi is the mean tau between the ranking by one metric on one
    half and the ranking by another (or the same) metric on the other half. Where AP predicts P@10 as well as P@10
    does, P@10 says nothing about new topics that AP does not say.

    irmeta predictivity scores.parquet --top 0.75 --by AP

    irmeta predictivity scores.parquet --metrics "AP P@10" --sizes 5,10,15,20,25 --plot curve.svg
    """
    from irmeta.studies.agreement.predictivity import predictivity as study

    halves: dict[str, Any] = {
        "partitions": partitions,
        "sizes": whole_numbers("--sizes", sizes),
        "top_on": top_on,
        "tau": tau,
        "groups": teamed.teams(),
    }
    shown.show(study, picked.cube(best.by), **picked.used(best), **halves, rng=seed)
