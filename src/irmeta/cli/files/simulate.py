"""`irmeta simulate`: a TREC-like collection, or scores like those of a real one, from a random seed."""

from pathlib import Path
from typing import Annotated

from irmeta.cli.app import app, option
from irmeta.cli.options import Count, Name, Quiet, Seed
from irmeta.cli.output import refuse_overwriting, say, say_wrote, working


@app.command()
def simulate(
    output: Annotated[Path, option("-o", "--output", metavar="DIR|FILE")],
    like: Path | None = None,
    systems: Annotated[int | None, option(min=2)] = None,
    topics: Count | None = None,
    collection: Name | None = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Make a TREC-like collection: run files, pooled judgments, and the truth about both; or scores like yours.

    Systems come in groups and differ in ability, in focus on precision or recall, and in habits such as short lists,
    missing topics and tied scores; topics differ in difficulty. DIR gets runs/, qrels.txt and simulation.json, the
    truth. The same seed gives the same collection.

    output : the folder to write: new, empty, or simulated before; with --like a score file
    like : a score file: simulate scores like these, instead of runs; by default none
    systems : number of systems; by default 40; with --like as many as there are
    topics : number of topics; by default 50; with --like as many
    collection : the collection to imitate, where the file of --like holds several

    irmeta simulate -o demo/ --systems 40 --topics 50 --seed 1

    With --like the scores of new topics are drawn: each system's are spread as its real ones are, and systems depend on
    each other as the real ones do. Beside FILE.parquet stands FILE.truth.parquet, the true means.

    irmeta simulate --like scores.parquet -o like.parquet --systems 50 --topics 100 --seed 1
    """
    if like is not None:
        _simulate_like(like, output, collection, systems, topics, seed, quiet)
        return
    from irmeta.datasets.simulate import simulate as simulate_collection

    counts = {"systems": systems or 40, "topics": topics or 50}
    with working(quiet=quiet):
        files = simulate_collection(output, **counts, rng=seed)
    say_wrote(
        output,
        f"runs/ ({counts['systems']} systems), qrels.txt ({counts['topics']} topics), "
        "simulation.json (what is true)",
        quiet=quiet,
    )
    say(
        f"Next: irmeta evaluate {files.qrels} {files.runs} -o {output / 'scores.parquet'}",
        quiet=quiet,
    )


def _simulate_like(
    real: Path,
    output: Path,
    collection: str | None,
    systems: int | None,
    topics: int | None,
    seed: int,
    quiet: bool,
) -> None:
    """Write a cube like a real one, and its truth beside it."""
    import numpy as np

    from irmeta.datasets.like import like
    from irmeta.errors import IrmetaError
    from irmeta.io.formats.scores import choose_collection, load_all, save
    from irmeta.scores.selection import complete

    if output.suffix != ".parquet":
        raise IrmetaError(
            f"{output}: --like writes a score file; name it with -o FILE.parquet"
        )
    truth = output.with_suffix(".truth.parquet")
    for path in (output, truth):
        refuse_overwriting(path)
    rng = np.random.default_rng(seed)
    scores, _ = complete(choose_collection(load_all(real, collection=collection), None))
    world = like(scores, rng, systems=systems)
    simulated = world.cube(topics or scores.sizes["topic"], rng)
    simulated.attrs |= {"simulated_like": str(real), "seed": seed}
    save(simulated, output)
    save(world.truth, truth)
    sizes = f"{simulated.sizes['system']} systems, {simulated.sizes['topic']} topics"
    say_wrote(output, f"{sizes}; {truth}: their true means", quiet=quiet)
