"""`irmeta judges`: other judgments compared with true ones, and few human topics combined with many machine ones."""

from pathlib import Path
from typing import Annotated, Any

from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import (
    Quiet,
    Seed,
)
from irmeta.cli.output import say, write
from irmeta.errors import IrmetaError

judges = Verbs(
    "judges",
    help="Compare judgments with true ones; combine few judgments by people with many by a machine.",
)


@judges.command()
def sample(
    file: Annotated[
        str,
        argument(help="Judgments (qrels) or scores of the topics to draw from."),
    ],
    topics: Annotated[int, option(min=2, help="How many topics to draw.")],
    strata: Annotated[
        int,
        option(
            min=1,
            help="Draw equally from N groups of topics, from easy to hard (score files only).",
        ),
    ] = 1,
    collection: Annotated[
        str | None,
        option(
            metavar="NAME",
            help="The collection of a score file, where it holds several.",
            show_default="the only one",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        option("-o", "--output", help="Write to this file (CSV), not to the terminal."),
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Draw at random the topics that people should judge, and write them with their probabilities.

    irmeta judges sample qrels.txt --topics 15 --seed 1 -o sample.csv

    irmeta judges sample machine.parquet --topics 15 --strata 5 -o sample.csv # by the machine's mean scores
    """
    import numpy as np

    from irmeta.io.lists import sample_text
    from irmeta.stats.judging.planning import draw

    names, level = _topics_of(file, collection)
    if topics > len(names):
        raise IrmetaError(
            f"cannot draw {topics} topics from {len(names)}; lower --topics"
        )
    if strata > 1 and level is None:
        raise IrmetaError(
            "--strata needs the machine's scores; give a score file, as irmeta evaluate writes it"
        )
    if strata > topics:
        raise IrmetaError(
            f"cannot draw {topics} topics from {strata} strata with at least one from each; "
            "lower --strata"
        )
    drawn, chance = draw(
        topics,
        len(names),
        level if strata > 1 else None,
        strata,
        np.random.default_rng(seed),
    )
    write(
        sample_text({names[at]: float(p) for at, p in zip(drawn, chance, strict=True)}),
        output,
    )
    say(
        f"drew {topics} of {len(names)} topics with seed {seed}; judge all of them, and no others",
        quiet=quiet,
    )


def _topics_of(file: str, collection: str | None) -> "tuple[list[str], Any]":
    """Return the topics of judgments or of a score file, and of the latter the mean score of each."""
    if file.endswith(".parquet"):
        from irmeta.io.scores import load

        cube = load(file, collection)
        return [str(name) for name in cube.topic.values], cube.values[..., 0].mean(
            axis=0
        )
    from irmeta.evaluation.sources import qrels_of
    from irmeta.io.runs.trec import Reading
    from irmeta.scores.names import labels

    if collection is not None:
        raise IrmetaError(
            f"{file}: not a score file, so it has no collections; leave out --collection"
        )
    return labels(qrels_of(file, Reading()).topics), None
