"""`irmeta table`: the table for a paper."""

from typing import Annotated, Any

from irmeta.choices import Correction, TableTest, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Picked, Seed, Shown


@app.command()
def table(
    picked: Picked,
    shown: Shown,
    baseline: Annotated[
        str | None,
        option(
            metavar="SYSTEM",
            help="Mark scores that are significantly better or worse than this system's.",
            show_default="none; letters instead",
        ),
    ] = None,
    test: Annotated[
        TableTest,
        option(help=explained(TableTest, "The test, two-sided, paired by topic.")),
    ] = "max-t",
    correct: Annotated[
        Correction | None,
        option(
            help=explained(
                Correction, "Correction for the number of tests by a metric."
            ),
            show_default="holm; none of max-t",
        ),
    ] = None,
    alpha: Annotated[float, option(help="Level of the tests.")] = 0.05,
    resamples: Annotated[
        int | None,
        option(
            help="Number of resamples, for max-t and permutation.",
            show_default="1000 for max-t, else 10000",
        ),
    ] = None,
    by: Annotated[
        str | None,
        option(
            metavar="METRIC",
            help="The metric that sorts the rows.",
            show_default="the first",
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    r"""Make the table of a paper: systems in rows, metrics in columns, the best in bold, significance as superscripts.

    irmeta table scores.parquet -m "AP nDCG@20 P@10" --format latex

    irmeta table scores.parquet -m "AP nDCG@20" --baseline bm25 --test permutation -o table.tex

    irmeta table scores.parquet -m "AP nDCG@20" --test none --format markdown

    Without a baseline, systems that share a letter do not differ significantly. Of more than 40 systems the best 20
    are shown. LaTeX needs \usepackage{booktabs}.
    """
    from irmeta.studies.differences.paper_table import paper_table as study

    tests: dict[str, Any] = {
        "test": test,
        "correct": correct,
        "alpha": alpha,
        "resamples": resamples,
    }
    shown.show(
        study,
        picked.cube(by),
        **picked.used(),
        baseline=baseline,
        by=by,
        **tests,
        rng=seed,
    )
