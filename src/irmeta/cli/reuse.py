"""`irmeta reuse`: what a run loses that was not pooled."""

from typing import Annotated, Any

import typer

from irmeta.choices import ReuseView, explained
from irmeta.cli.app import app
from irmeta.cli.study import Shown, Teamed, option


@app.command()
def reuse(
    qrels: Annotated[
        str,
        typer.Argument(help="Relevance judgments: topic, iteration, document, grade."),
    ],
    runs: Annotated[
        list[str],
        typer.Argument(
            help="The runs that were pooled: files, folders, globs or URLs."
        ),
    ],
    shown: Shown,
    teamed: Teamed,
    depth: Annotated[
        int,
        option(
            help="Documents of each list that were judged; 0: the pool had no depth.",
            min=0,
        ),
    ] = 10,
    new: Annotated[
        list[str] | None,
        option(help="A run that was not pooled, to be adjusted; can be repeated."),
    ] = None,
    metrics: Annotated[
        str, option("-m", "--metrics", "--metric", help="Metrics, as in 'AP nDCG@10'.")
    ] = "seeds23",
    view: Annotated[
        ReuseView, option(help=explained(ReuseView, "What --plot draws."))
    ] = "metrics",
    level: Annotated[
        float,
        option(help="Share of new groups whose losses the intervals are to hold."),
    ] = 0.9,
) -> None:
    """Leave each group's judgments out in turn, and say what a run loses whose documents nobody judged.

    irmeta reuse qrels.txt runs/ --groups teams.csv --depth 10

    irmeta reuse qrels.txt runs/ --groups teams.csv --depth 10 --new my.run -m 'nDCG@10 P@10 RBP(p=0.8)'
    """
    from irmeta.studies.reuse import reuse as study

    options: dict[str, Any] = {
        "groups": teamed.teams(),
        "depth": depth or None,
        "metrics": metrics,
        "new": new,
        "level": level,
    }
    shown.show(study, qrels, runs, **options, view=view)
