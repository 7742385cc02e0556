"""`irmeta verify`: whether scores are what their runs and judgments give."""

import sys
from pathlib import Path
from typing import Annotated

from irmeta.cli.app import app, argument, option
from irmeta.cli.options import FileOrUrl, Reader


@app.command()
def verify(
    scores: Annotated[Path, argument()],
    reader: Reader,
    qrels: FileOrUrl,
    runs: Annotated[list[str], option(metavar="FILE|DIR")],
    collection: str | None = None,
) -> None:
    """Check scores by evaluating their runs again (runs: validate); exit with 1 if one does not follow from them.

    A seal says that a file was not changed by accident; whoever changes it on purpose can seal it again. This says
    whether its scores are those of the runs and judgments that it names.

    scores : a score file (Parquet) that irmeta evaluate wrote
    qrels : relevance judgments
    runs : run files, folders, globs or URLs; can be repeated
    collection : the collection of the file; by default its only one

    irmeta verify scores.parquet --runs runs/ --qrels qrels.txt
    """
    from irmeta.cli.output import write
    from irmeta.evaluation.archive.verification import verify as compare
    from irmeta.words import folded, printable

    reading = reader.reading()
    outcome = compare(scores, qrels, runs, collection=collection, reading=reading)
    lines = [outcome.finding, *(f"- {problem}" for problem in outcome.problems)]
    write("".join(f"{folded(printable(line))}\n" for line in lines), None)
    sys.exit(int(bool(outcome.problems)))
