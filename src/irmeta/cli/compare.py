"""`irmeta compare`: the same systems on several collections."""

from typing import Annotated, Any

from irmeta.cli.app import app, option
from irmeta.cli.options import Pooled, Seed, Shown
from irmeta.cli.standardize import FlatTopics


@app.command()
def compare(
    pooled: Pooled,
    shown: Shown,
    kind: Annotated[
        str | None,
        option(
            metavar="KINDS",
            help="Forms of the scores, separated by commas: raw, or a kind of irmeta standardize.",
            show_default="raw,normal; raw for standardized scores",
        ),
    ] = None,
    partitions: Annotated[
        int, option(help="Random re-partitions of the pooled topics, for each pair.")
    ] = 2000,
    alpha: Annotated[
        float, option(help="Level of the test whose false positives are counted.")
    ] = 0.05,
    flat: FlatTopics = "half",
    seed: Seed = 0,
) -> None:
    """Say whether scores of the same systems on different collections can be compared.

    irmeta compare trec7.parquet trec8.parquet robust03.parquet --kind raw,normal --partitions 2000

    The dRMSE between two collections, and the false positives of a test of one against the other, stand beside those of
    random re-partitions of their topics. A --kind other than raw standardizes by each
    collection's own systems; to use others, run irmeta standardize apply first.
    """
    from irmeta.studies.standardizing.comparison import compare as study

    if kind is None:
        kinds = None
    else:
        kinds = [part.strip() for part in kind.split(",")]
    options: dict[str, Any] = {
        "kinds": kinds,
        "partitions": partitions,
        "alpha": alpha,
        "flat": flat,
        "missing": pooled.missing,
    }
    shown.show(study, pooled.cubes(), **options, rng=seed)
