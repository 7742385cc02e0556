"""`irmeta simulate`: a TREC-like collection from a seed."""

from pathlib import Path
from typing import Annotated

from irmeta.cli.app import app
from irmeta.cli.output import say, working
from irmeta.cli.study import Quiet, Seed, option


@app.command()
def simulate(
    output: Annotated[Path, option("-o", "--output", help="The folder to write; new, empty, or simulated before.")],
    systems: Annotated[int, option(min=1, help="Number of systems.")] = 40,
    topics: Annotated[int, option(min=1, help="Number of topics.")] = 50,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Make a TREC-like collection: run files, pooled judgments, and the truth about both.

    Systems come in groups and differ in ability, in focus on precision or recall, and in habits such as short lists,
    missing topics and tied scores; topics differ in difficulty. DIR gets runs/, qrels.txt and simulation.json, the
    truth. The same seed gives the same collection.

    irmeta simulate -o demo/ --systems 40 --topics 50 --seed 1
    """
    from irmeta.datasets.simulate import simulate as simulate_collection

    with working(quiet=quiet):
        made = simulate_collection(output, systems=systems, topics=topics, rng=seed)
    say(
        f"{output}: runs/ ({systems} systems), qrels.txt ({topics} topics), simulation.json (what is true)", quiet=quiet
    )
    say(f"Next: irmeta evaluate {made.qrels} {made.runs} -o {output / 'scores.parquet'}", quiet=quiet)
