"""`irmeta rank`: which few metrics to report."""

from dataclasses import replace
from typing import Annotated, Any

from irmeta.choices import Candidates, Level, Matrix, Objective, Search, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import RESULT, Best, Picked, Seed, Shown
from irmeta.errors import ScoresError


@app.command()
def rank(
    picked: Picked,
    best: Best,
    shown: Shown,
    k: Annotated[
        int | None,
        option(
            "-k", help="The largest number of metrics to report.", show_default="all"
        ),
    ] = None,
    method: Annotated[
        Search, option(help=explained(Search, "How to search for the best set."))
    ] = "exact",
    matrix: Annotated[
        Matrix,
        option(
            help=explained(Matrix, "The matrix that says how metrics vary together.")
        ),
    ] = "correlation",
    level: Annotated[
        Level,
        option(help=explained(Level, "The scores that the matrix is computed over.")),
    ] = "topic",
    objective: Annotated[
        Objective | None,
        option(
            help=explained(Objective, "The criterion that makes a set the best."),
            show_default="unreported for exact and trace, else determinant",
        ),
    ] = None,
    candidates: Annotated[
        Candidates | None,
        option(
            help=explained(Candidates, "The metrics to choose from."),
            show_default="reported for exact without --metrics, else all",
        ),
    ] = None,
    include: Annotated[
        str | None,
        option(
            metavar="METRICS", help="Metrics that every set must have, as in 'AP P@10'."
        ),
    ] = None,
    exclude: Annotated[
        str | None,
        option(
            metavar="METRICS",
            help="Metrics that no set may have; they still count as unreported metrics to explain.",
        ),
    ] = None,
    cost: Annotated[
        str | None,
        option(
            metavar="COSTS",
            help="What metrics cost, as in 'AP=3 P@10=0.5'; others cost 1.",
        ),
    ] = None,
    budget: Annotated[
        float | None, option(help="The most that a set may cost.", show_default="any")
    ] = None,
    time_limit: Annotated[
        float,
        option(
            help=(
                "Seconds that the search may take (without --partitions); if it stops early, the "
                "table shows the gap left."
            )
        ),
    ] = 60.0,
    partitions: Annotated[
        int,
        option(
            min=0,
            help=(
                "Split the topics at random into halves this many times, to see how often both "
                "choose the same metrics."
            ),
        ),
    ] = 0,
    seed: Seed = 0,
    verbose: Annotated[
        bool,
        option(
            "--verbose",
            panel=RESULT,
            help="Also show what the search did: objective, gap, nodes.",
        ),
    ] = False,
) -> None:
    """Choose the few metrics that say most about all the others.

    Several collections in the file are pooled; --collection takes one.

    irmeta rank scores.parquet -k 3

    irmeta rank scores.parquet -k 5 --include AP --exclude R@1000 --plot rank.svg

    irmeta rank scores.parquet -k 4 --partitions 200

    irmeta rank scores.parquet --method ib --matrix covariance --format json
    """
    from irmeta.studies.choice.ranking import rank_metrics

    search: dict[str, Any] = {
        "method": method,
        "matrix": matrix,
        "k": k,
        "level": level,
        "objective": objective,
    }
    search["candidates"] = candidates
    if verbose:
        shown = replace(shown, table=shown.table or "subsets")
    limits: dict[str, Any] = {
        "cost": _costs(cost or ""),
        "budget": budget,
        "time_limit": time_limit,
        "partitions": partitions,
    }
    sets: dict[str, Any] = {"include": include or (), "exclude": exclude or ()}
    shown.show(
        rank_metrics,
        picked.cubes(best.by),
        **picked.used(best),
        **search,
        **sets,
        **limits,
        rng=seed,
    )


def _costs(text: str) -> dict[str, float]:
    from irmeta.metrics.names import split

    costs = {}
    for part in split(text):
        name, _, price = part.rpartition("=")
        try:
            costs[name] = float(price)
        except ValueError:
            raise ScoresError(
                f"{part!r} in --cost: expected NAME=NUMBER, as in 'AP=3 P@10=0.5'"
            ) from None
    return costs
