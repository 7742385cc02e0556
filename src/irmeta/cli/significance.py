"""`irmeta significance`: which systems differ."""

from typing import Annotated, Any

from irmeta.choices import Correction, Test, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Best, Margin, Picked, Seed, Shown


@app.command()
def significance(
    picked: Picked,
    best: Best,
    shown: Shown,
    test: Annotated[
        Test, option(help=explained(Test, "The test, two-sided, paired by topic."))
    ] = "max-t",
    correct: Annotated[
        Correction | None,
        option(
            help=explained(Correction, "Correction for the number of pairs."),
            show_default="holm; none of max-t and tukey",
        ),
    ] = None,
    alpha: Annotated[float, option(help="Level of the test.")] = 0.05,
    margin: Margin = None,
    resamples: Annotated[
        int | None,
        option(
            help="Number of resamples, for max-t, permutation, bootstrap and tukey.",
            show_default="1000 for max-t, else 10000",
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Test every pair of systems, and say how many pairs each metric distinguishes.

    irmeta significance scores.parquet --metrics AP --test permutation --correct bh

    irmeta significance scores.parquet --metrics AP --plot asl.svg # p of all pairs in order

    With up to four metrics the table shows the systems with letters: systems that share a letter do not differ
    significantly.
    """
    from irmeta.studies.differences.significance import significance as study

    tested: dict[str, Any] = {
        "test": test,
        "correct": correct,
        "alpha": alpha,
        "resamples": resamples,
    }
    tested["margin"] = margin
    shown.show(study, picked.cube(best.by), **picked.used(best), **tested, rng=seed)
