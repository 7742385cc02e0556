"""`irmeta leaderboard`: which ranks of a leaderboard are real."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from irmeta.choices import Aggregate, Holes, LeaderboardView, Over, explained
from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Seed, Selected, Shown
from irmeta.cli.output import say

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class Results(Selected):
    """Scores of one file, whose holes the study itself deals with."""

    scores: Annotated[
        Path,
        argument(
            help="A score file (Parquet): its topics are the tasks; in a file of several "
            "collections, collections are tasks and topics are items."
        ),
    ]

    def cubes(self) -> "dict[str, xr.DataArray]":
        """Read every collection of the file."""
        return self.read(self.scores)


@app.command()
def leaderboard(
    results: Results,
    shown: Shown,
    over: Annotated[
        Over,
        option(
            help=explained(
                Over,
                "What the ranks should hold for.",
            )
        ),
    ] = "tasks",
    aggregate: Annotated[
        str | None,
        option(
            help=explained(
                Aggregate,
                (
                    "How to aggregate scores, one or more, separated by commas; the first orders "
                    "the table."
                ),
            ),
            show_default="all of them",
        ),
    ] = None,
    holes: Annotated[
        Holes, option(help=explained(Holes, "What to do with missing scores."))
    ] = "bounds",
    min_tasks: Annotated[
        int, option(min=1, help="Leave out models with scores on fewer tasks.")
    ] = 1,
    types: Annotated[
        Path | None, option(help="Task types: a CSV with the columns task and type.")
    ] = None,
    level: Annotated[
        float, option(help="Level at which all rank sets hold at once.")
    ] = 0.95,
    resamples: Annotated[
        int, option(min=40, help="Number of random sign flips for the rank sets.")
    ] = 400,
    top: Annotated[
        int | None,
        option(
            min=1,
            help="Number of models in the table; JSON and CSV have all.",
            show_default="20 on a terminal, all in a file",
        ),
    ] = None,
    title: Annotated[
        str | None, option(help="Heading of the page.", show_default="Leaderboard")
    ] = None,
    view: Annotated[
        LeaderboardView, option(help=explained(LeaderboardView, "What --plot draws."))
    ] = "ranks",
    seed: Seed = 0,
) -> None:
    """Rank models over tasks, and say which ranks are real and what missing scores decide.

    irmeta import table results.csv -o results.parquet

    irmeta leaderboard results.parquet --types types.csv

    irmeta leaderboard results.parquet --holes predict -o board/ # a page to host: board/index.html
    """
    from irmeta.io.tables.spreadsheet import read_types
    from irmeta.studies.leaderboard import leaderboard as study

    if shown.output is not None and not shown.output.suffix:
        folder = shown.output
    else:
        folder = None
    result = (shown if folder is None else replace(shown, output=None)).show(
        study,
        results.cubes(),
        view=view,
        over=over,
        aggregate=aggregate,
        holes=holes,
        min_tasks=min_tasks,
        types=read_types(types) if types else None,
        level=level,
        resamples=resamples,
        top=top,
        rng=seed,
    )
    if folder is not None:
        from irmeta.report.page.leaderboard import write_leaderboard

        page = write_leaderboard(
            result, folder, title=title, source=quote(results.scores.name)
        )
        say(
            f"wrote {page}; open it in a browser, mail it, or host it",
            quiet=shown.quiet,
        )
