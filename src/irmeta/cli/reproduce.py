"""`irmeta reproduce`: a paper's published figures beside ours."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from irmeta.cli.app import Format, Output, Quiet, Seed, TableName, app
from irmeta.cli.output import counting, emit, form_of
from irmeta.errors import IrmetaError
from irmeta.names import nearest

PAPERS: dict[str, str] = {
    "webber2008-redundant": "Precision-at-ten considered redundant (Webber et al., SIGIR 2008)",
    "gupta2019": "Correlation, prediction and ranking of metrics; covers Kutlu et al. (2018)",
    "webber2008-standardization": "Score standardization for inter-collection comparison of retrieval systems",
}
"""Title by name; a name with underscores is the module in `irmeta.papers` that has `reproduce` and `NEEDS`."""


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAPERS)}.")],
    data: Annotated[Path | None, typer.Option(help="Folder of the data.", show_default="IRMETA_DATA")] = None,
    seed: Seed = 0,
    output: Output = None,
    form: Format = None,
    table: TableName = None,
    quiet: Quiet = False,
) -> None:
    """Compute a paper's figures again and print them beside the published ones, each with a status.

    Without the data it says where to get them. It exits with 1 if a figure is contradicted without a known reason.

    irmeta reproduce webber2008-redundant --data DIR

    irmeta reproduce webber2008-redundant --data DIR --format csv -o cells.csv
    """
    from irmeta.studies.reproduction import findings

    if paper not in PAPERS:
        raise IrmetaError(f"unknown paper {paper!r}; {nearest(paper, PAPERS)}")
    module = import_module(f"irmeta.papers.{paper.replace('-', '_')}")
    folder = data or (Path(os.environ["IRMETA_DATA"]) if "IRMETA_DATA" in os.environ else None)
    if folder is None or not folder.is_dir():
        where = f"{folder} is not a folder" if folder else "give its folder with --data or IRMETA_DATA"
        raise IrmetaError(f"{paper} is reproduced from data that does not ship with irmeta; {where}.\n{module.NEEDS}")
    with counting(f"reproducing {paper}", quiet=quiet):
        outcome = module.reproduce(folder, rng=seed)
    emit(outcome, form=form or form_of(output), output=output, table=table, findings=findings(outcome))
    sys.exit(int(any(outcome["unexpected"].values)))
