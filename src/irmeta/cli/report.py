"""`irmeta report`: every study on one page."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from irmeta.cli.app import Cluster, Collection, Metrics, Missing, Quiet, Seed, Systems, Topics, app, load_collections
from irmeta.cli.output import counting, engine, say


@app.command()
def report(
    scores: Annotated[list[Path], typer.Argument(help="Score files; every collection in them is on the page.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder to write; new, empty, or a report before.")
    ],
    by: Annotated[
        str | None, typer.Option(help="The metric that systems are ordered by.", show_default="AP, or the deepest AP@k")
    ] = None,
    collection: Collection = None,
    metrics: Metrics = None,
    systems: Systems = None,
    topics: Topics = None,
    missing: Missing = "error",
    seed: Seed = 0,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Run every study and write one page to look at, with its tables and figures beside it.

    DIR gets index.html, which needs nothing else and no network; tables/ with CSV and LaTeX; figures/ with SVG and PDF.

    irmeta report scores.parquet -o report/

    irmeta report trec7.parquet trec8.parquet -o report/ --by nDCG@10
    """
    from irmeta.report.page.writing import write_report

    [cubes] = load_collections(scores, collection=collection, metrics=metrics, systems=systems, topics=topics)
    with engine(cluster, quiet=quiet), counting("report:", quiet=quiet) as progress:
        page = write_report(
            cubes,
            output,
            by=by,
            missing=missing,
            rng=seed,
            source=quote(scores[0].name) if len(scores) == 1 else "SCORES",
            progress=progress,
        )
    say(f"wrote {page}; open it in a browser", quiet=quiet)
