"""`irmeta validate`: what is odd about runs and judgments."""

import sys
from typing import Annotated

from irmeta.cli.app import app, option
from irmeta.cli.options import Shown
from irmeta.cli.scoring.evaluate import Reader, Runs


@app.command()
def validate(
    runs: Runs,
    reader: Reader,
    shown: Shown,
    qrels: Annotated[
        str | None,
        option(
            metavar="FILE",
            help="Relevance judgments to check, and to check the runs against.",
        ),
    ] = None,
    topics: Annotated[
        str | None,
        option(
            metavar="FILE",
            help="The topics that every run should have, one on each line.",
        ),
    ] = None,
    documents: Annotated[
        str | None,
        option(
            metavar="FILE",
            help="The documents of the collection, one id on each line.",
        ),
    ] = None,
    depth: Annotated[
        int | None, option(min=1, help="The most documents that a list may have.")
    ] = None,
) -> None:
    """Check run files and judgments without evaluating them; exit with 1 if there is an error.

    irmeta validate runs/ --qrels qrels.txt

    irmeta validate runs/ --topics topics.txt --depth 1000 # where nobody has judged yet
    """
    from irmeta.studies.checks.validation import validate as study

    outcome = shown.show(
        study,
        qrels,
        runs,
        topics=topics,
        documents=documents,
        depth=depth,
        reading=reader.reading(),
    )
    sys.exit(int("error" in outcome["level"].values))
