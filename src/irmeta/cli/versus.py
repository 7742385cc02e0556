"""`irmeta versus`: is this system better than others, by how much, and on which topics."""

from typing import Annotated, Any

from irmeta.choices import ManyToOne, PairedTest, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Margin, PickedPairs, Seed, Shown


@app.command()
def versus(
    picked: PickedPairs,
    shown: Shown,
    system: Annotated[
        str, option(metavar="SYSTEM", help="The system to compare with others.")
    ],
    against: Annotated[
        str,
        option(
            metavar="SYSTEMS",
            help="What to compare it with, separated by commas: systems by name; median, the "
            "median of the others on each topic; best, the best other system by each metric; "
            "all, every other system.",
        ),
    ] = "all",
    test: Annotated[
        PairedTest,
        option(help=explained(PairedTest, "The test, two-sided, paired by topic.")),
    ] = "max-t",
    correct: Annotated[
        ManyToOne | None,
        option(
            help=explained(
                ManyToOne, "Correction for the number of comparisons by a metric."
            ),
            show_default="holm; none of max-t",
        ),
    ] = None,
    alpha: Annotated[
        float, option(help="Level of the tests; intervals have level 1 - alpha.")
    ] = 0.05,
    margin: Margin = None,
    resamples: Annotated[
        int | None,
        option(
            help="Number of resamples, for max-t, permutation, bootstrap and dunnett.",
            show_default="1000 for max-t, else 10000",
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Compare one system with a baseline or with everybody: difference, interval, test, and the topics behind it.

    irmeta versus scores.parquet --system mine --against bm25 -m "AP nDCG@20"

    irmeta versus scores.parquet --system mine --against median,best -m nDCG@10 --plot topics.pdf

    irmeta versus scores.parquet --system cheap --against costly --margin 0.02 # do they differ by less than .02?

    irmeta versus scores.parquet --system mine # against all, p corrected for these comparisons only
    """
    from irmeta.studies.differences.versus import versus as study

    tests: dict[str, Any] = {
        "test": test,
        "correct": correct,
        "alpha": alpha,
        "resamples": resamples,
    }
    tests["margin"] = margin
    shown.show(
        study, picked.cube(), system, against, **picked.used(), **tests, rng=seed
    )
