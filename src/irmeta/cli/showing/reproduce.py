"""`irmeta reproduce`: a paper's published figures beside ours."""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

from irmeta.cli.app import app, argument
from irmeta.cli.options import Folder, Outputs, Seed
from irmeta.cli.output import form_of, say_wrote, working, write, write_result
from irmeta.errors import IrmetaError
from irmeta.metrics.names import nearest

if TYPE_CHECKING:
    import xarray as xr

PAPERS: dict[str, str] = {
    "webber2008-redundant": "Precision-at-ten considered redundant (Webber et al., SIGIR 2008)",
    "gupta2019": "Correlation, prediction and ranking of metrics (Gupta et al., ECIR 2019; Kutlu et al., 2018)",
    "urbano2013": "On the measurement of test collection reliability (Urbano et al., SIGIR 2013)",
    "urbano2016": "Expected rank correlation with the true ranking (Urbano and Marrero, SIGIR 2016)",
    "webber2008-standardization": "Score standardization for inter-collection comparison (Webber et al., SIGIR 2008)",
    "arabzadeh2025": "Benchmarking LLM-based relevance judgment methods (Arabzadeh and Clarke, SIGIR 2025)",
    "rahmani2025-syndl": "SynDL, a synthetic test collection (Rahmani et al., WWW Companion 2025)",
}
"""Title by name; a name with underscores is the module in `irmeta.papers` that has `reproduce`."""
_CHOICES = "\n".join(f"{name}: {title}" for name, title in PAPERS.items())


def papers() -> list[str]:
    """Return what can be recomputed by name."""
    return [*PAPERS, "all"]


@app.command()
def reproduce(
    outputs: Outputs,
    paper: Annotated[
        str, argument(help=f"Which paper?\n\n{_CHOICES}\nall: every one, as a page")
    ],
    data: Folder | None = None,
    seed: Seed = 0,
) -> None:
    """Recompute the figures of a paper, and print them beside the published ones, each with a status.

    Figures whose data are not at hand are not checkable, with the data sets' names; the others are computed. It exits
    with 1 if a figure is contradicted without a known reason.

    data : folder of the data; by default IRMETA_DATA, else the user's cache

    irmeta reproduce webber2008-standardization

    irmeta reproduce gupta2019 --data DIR --format csv -o cells.csv

    irmeta reproduce all --data DIR -o reproduction/ # a page, index.html, and a JSON file for each paper
    """
    from irmeta.datasets.catalog import data_folder
    from irmeta.studies.result import Result

    folder = data_folder(data)
    output, form, quiet = outputs.output, outputs.form, outputs.quiet
    if paper == "all":
        if form or outputs.table:
            raise IrmetaError(
                "irmeta reproduce all writes a folder; use --format and --table with one paper"
            )
        outcomes = _write_all(output or Path("reproduction"), folder, seed, quiet)
    elif paper in PAPERS:
        form = form or form_of(output)
        outcomes = _reproduce_papers([_paper_module(paper)], folder, seed, quiet)
        result = Result(outcomes[0])
        write_result(result, form=form, output=output, table=outputs.table)
    else:
        raise IrmetaError(
            f"unknown paper {paper!r}; {nearest(paper, [*PAPERS, 'all'])}"
        )
    sys.exit(int(any(outcome["unexpected"].values.any() for outcome in outcomes)))


def _paper_module(paper: str) -> ModuleType:
    return import_module(f"irmeta.papers.{paper.replace('-', '_')}")


def _reproduce_papers(
    modules: list[ModuleType], folder: Path, seed: int, quiet: bool
) -> "list[xr.Dataset]":
    from irmeta.parallel import steps

    with working(quiet=quiet):
        return [
            module.reproduce(folder, rng=seed) for module in steps(modules, "papers")
        ]


def _write_all(
    output: Path, folder: Path, seed: int, quiet: bool
) -> "list[xr.Dataset]":
    """Write the page of all papers and a JSON document a paper into a folder, and print what was found."""
    from irmeta.report.kept import PAGE, Kept
    from irmeta.report.reproduction import page
    from irmeta.report.tables import render
    from irmeta.studies.checks.reproduction import findings

    modules = [_paper_module(name) for name in PAPERS]
    names = [*(f"{name}.json" for name in PAPERS), PAGE]
    kept = Kept(output, "reproduction", "|".join(map(re.escape, names)))
    with kept.making_folder():
        outcomes = _reproduce_papers(modules, folder, seed, quiet)
        with kept.replacing_files(names) as write_file:
            for name, outcome in zip(PAPERS, outcomes, strict=True):
                write_file(f"{name}.json", render(outcome, "json"))
            write_file(PAGE, page(zip(PAPERS.values(), outcomes, strict=True)))
    for outcome in outcomes:
        write("".join(f"{line}\n" for line in findings(outcome)), None)
    say_wrote(output / PAGE, quiet=quiet)
    return outcomes
