"""`irmeta reuse`: what a run loses that was not pooled."""

from typing import Annotated, Any

from irmeta.choices import ReuseView, explained
from irmeta.cli.app import app, argument, option
from irmeta.cli.options import Shown, Teamed


@app.command()
def reuse(
    qrels: Annotated[
        str,
        argument(help="Relevance judgments: topic, iteration, document, grade."),
    ],
    runs: Annotated[
        list[str],
        argument(help="The runs that were pooled: files, folders, globs or URLs."),
    ],
    shown: Shown,
    teamed: Teamed,
    depth: Annotated[
        int,
        option(
            help="Depth of the pool: documents of each list that were judged; 0 if it had none.",
            min=0,
        ),
    ] = 10,
    new: Annotated[
        list[str] | None,
        option(
            metavar="FILE",
            help="A run that was not pooled, whose scores to adjust; can be repeated.",
        ),
    ] = None,
    metrics: Annotated[
        str,
        option(
            "-m",
            "--metrics",
            "--metric",
            metavar="METRICS",
            help="Metrics, as in 'AP nDCG@10'.",
        ),
    ] = "seeds23",
    view: Annotated[
        ReuseView, option(help=explained(ReuseView, "What --plot draws."))
    ] = "metrics",
    level: Annotated[
        float,
        option(
            help=(
                "Level of the prediction intervals: the share of new groups whose losses they should "
                "hold."
            )
        ),
    ] = 0.9,
) -> None:
    """Say what a run loses if its documents were not judged: each group's own judgments are left out in turn.

    irmeta reuse qrels.txt runs/ --teams teams.csv --depth 10

    irmeta reuse qrels.txt runs/ --teams teams.csv --depth 10 --new my.run -m 'nDCG@10 P@10 RBP(p=0.8)'
    """
    from irmeta.studies.reuse import reuse as study

    options: dict[str, Any] = {
        "teams": teamed.read(),
        "depth": depth or None,
        "metrics": metrics,
        "new": new,
        "level": level,
    }
    shown.show(study, qrels, runs, **options, view=view)
