"""`irmeta demo`: the main job on a collection that irmeta makes itself."""

import sys
from pathlib import Path
from shutil import which

from irmeta.cli.app import app
from irmeta.cli.options import OutputFolder, Quiet, Seed
from irmeta.cli.output import say, say_wrote, working, write
from irmeta.words import counted


@app.command()
def demo(
    output: OutputFolder = Path("demo"), seed: Seed = 1, quiet: Quiet = False
) -> None:
    """Simulate a collection, evaluate its runs, run every study, and say what they find.

    output : the folder to make

    irmeta demo -o demo/
    """
    from irmeta.datasets.simulate import simulate
    from irmeta.evaluation.engine import evaluate
    from irmeta.io.formats.scores import save
    from irmeta.report.page.writing import write_sections
    from irmeta.report.words import headlines

    with working(quiet=quiet):
        collection = simulate(output, rng=seed)
    runs, qrels = collection.runs, collection.qrels
    count = len(list(runs.iterdir()))
    say(f"simulated {count} runs: {runs}, and their judgments: {qrels}", quiet=quiet)
    file = output / "scores.parquet"
    with working(quiet=quiet):
        scores = evaluate(qrels, runs, collection="demo")
        save(scores, file)
        sizes = (counted(size, str(dim)) for dim, size in scores.sizes.items())
        say_wrote(file, ", ".join(sizes), quiet=quiet)
        page, sections = write_sections(
            {"demo": scores}, output / "report", rng=seed, source=file.name
        )
    write(f"What irmeta finds in this collection:\n\n{headlines(sections)}\n", None)
    write(f"All of it on one page: {page} (open it in a browser)\n", None)
    best = scores.sel(metric="nDCG@10").mean("topic").idxmax("system").item()
    write(
        f"Next: {_command()} versus {file} --system {best} --against median -m nDCG@10\n",
        None,
    )


def _command() -> str:
    """Return how the user calls irmeta: by its name where the shell finds it, else by its path."""
    return "irmeta" if which("irmeta") else sys.argv[0]
