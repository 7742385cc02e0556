"""`irmeta validate`: what is odd about runs and judgments."""

import sys

from irmeta.cli.app import app
from irmeta.cli.options import Count, FileOrUrl, Outputs, Reader
from irmeta.cli.scoring.evaluate import Runs


@app.command()
def validate(
    runs: Runs,
    reader: Reader,
    outputs: Outputs,
    qrels: FileOrUrl | None = None,
    topics: FileOrUrl | None = None,
    documents: FileOrUrl | None = None,
    depth: Count | None = None,
) -> None:
    """Check runs and judgments before evaluating (scores: verify); exit with 1 if there is an error.

    qrels : relevance judgments to check, and to check the runs against; also the first of several files, if it has them
    topics : the topics that every run should have, one on each line
    documents : the documents of the collection, one id on each line
    depth : the most documents that a list may have

    irmeta validate runs/ --qrels qrels.txt

    irmeta validate runs/ --topics topics.txt --depth 1000 # where nobody has judged yet
    """
    from irmeta.studies.checks.recognition import has_judgments
    from irmeta.studies.checks.validation import validate as study

    if qrels is None and len(runs) > 1 and has_judgments(runs[0]):
        qrels, *runs = runs
    outcome = outputs.show(
        study,
        qrels,
        runs,
        topics=topics,
        documents=documents,
        depth=depth,
        reading=reader.reading(),
    )
    sys.exit(int("error" in outcome["level"].values))
