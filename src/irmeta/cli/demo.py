"""`irmeta demo`: the main job on a collection that irmeta makes itself."""

from pathlib import Path
from typing import Annotated

from irmeta.cli.app import app
from irmeta.cli.output import say, working, write
from irmeta.cli.study import Quiet, Seed, option


@app.command()
def demo(
    output: Annotated[Path, option("-o", "--output", help="The folder to make.")] = Path("demo"),
    seed: Seed = 1,
    quiet: Quiet = False,
) -> None:
    """Simulate a collection, evaluate its runs, print the system means, and write the page of every study.

    irmeta demo -o demo/
    """
    from irmeta.datasets.simulate import simulate
    from irmeta.evaluation.engine import evaluate
    from irmeta.io.scores import save
    from irmeta.report.page.writing import write_report
    from irmeta.report.tables import text
    from irmeta.studies.evaluation import evaluation, tables

    with working(quiet=quiet):
        made = simulate(output, rng=seed)
    say(f"simulated {len(list(made.runs.iterdir()))} runs: {made.runs}, and their judgments: {made.qrels}", quiet=quiet)
    with working(quiet=quiet):
        scores = evaluate(made.qrels, made.runs, collection="demo")
    file = output / "scores.parquet"
    save(scores, file)
    shown = scores.sel(metric=["AP@1000", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Bpref"])
    means = tables(evaluation(shown))["means"].sort("AP@1000", descending=True)
    write(text(means, f"System means, best first ({scores.sizes['topic']} topics; all 23 metrics in {file})"), None)
    with working(quiet=quiet):
        page = write_report({"demo": scores}, output / "report", rng=seed, source=file.name)
    write(f"\nEverything on one page: {page} (open it in a browser)\n", None)
    write(f"Next: irmeta --help, or irmeta evaluate {made.qrels} {made.runs} -m 'AP nDCG@20'\n", None)
