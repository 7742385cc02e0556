"""`irmeta report`: every study on one page."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from irmeta.cli.app import app
from irmeta.cli.output import say, working
from irmeta.cli.study import Cluster, MissingScores, Pooled, Quiet, Seed, Teamed, option


@dataclass(frozen=True, kw_only=True)
class Reported(Pooled):
    """Scores of one or more files; where some are missing, most stay."""

    missing: MissingScores = "common"


@app.command()
def report(
    pooled: Reported,
    teamed: Teamed,
    output: Annotated[
        Path, option("-o", "--output", help="The output folder: new, empty, or holding an earlier report.")
    ],
    by: Annotated[
        str | None, option(help="The metric that systems are ordered by.", show_default="AP, else the deepest AP@k")
    ] = None,
    seed: Seed = 0,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Run every study and write one page to look at, with its tables and figures beside it.

    The folder gets index.html, which needs nothing else and no network; tables/ with CSV and LaTeX; figures/ with SVG
    and PDF.

    irmeta report scores.parquet -o report/

    irmeta report trec7.parquet trec8.parquet -o report/ --by nDCG@10
    """
    from irmeta.report.page.writing import write_sections
    from irmeta.report.words import headlines

    cubes, files = pooled.cubes(), pooled.scores
    source = quote(files[0].name) if len(files) == 1 else "SCORES"
    with working(cluster, quiet=quiet):
        options: dict[str, Any] = {"by": by, "missing": pooled.missing, "groups": teamed.teams()}
        page, sections = write_sections(cubes, output, **options, rng=seed, source=source)
    say(f"{headlines(sections)}\nwrote {page}; open it in a browser", quiet=quiet)
