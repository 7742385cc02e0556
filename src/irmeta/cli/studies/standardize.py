"""`irmeta standardize`: fit factors, apply them, and see how long and from how few systems they serve."""

from pathlib import Path
from typing import Annotated

from irmeta.choices import Flat, Kind, MissingOfPairs, explained
from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import SCORES, WHERE_MISSING, OneFile, Quiet, Selection, Teams
from irmeta.cli.output import refuse_overwriting, say, say_note, say_wrote
from irmeta.scores.attributes import about
from irmeta.words import counted

standardize = Verbs(
    "standardize", help="Standardize scores, so that all topics are on one scale."
)

KindOption = Annotated[
    Kind, option("--kind", help=explained(Kind, "How scores are standardized."))
]
FlatTopics = Annotated[
    Flat,
    option(
        "--flat",
        help=explained(
            Flat, "The score on a topic where all standardizing systems score alike."
        ),
    ),
]
Holes = Annotated[
    MissingOfPairs, option(panel=SCORES, help=explained(MissingOfPairs, WHERE_MISSING))
]
To = Annotated[Path, option("-o", "--output", help="The file to write (Parquet).")]


@standardize.command()
def fit(
    held: OneFile,
    *,
    missing: Holes = "error",
    teamed: Teams,
    output: To,
    quiet: Quiet = False,
) -> None:
    """Fit the factors of every topic and metric on the systems of a score file, to publish or apply.

    irmeta standardize fit trec8.parquet -o factors.parquet
    """
    from irmeta.datasets import factors as factor_files
    from irmeta.scores import standardization

    refuse_overwriting(output)
    factors = standardization.fit(held.cube(), teams=teamed.read(), missing=missing)
    factor_files.save(factors, output)
    for note in about(factors)["notes"]:
        say_note(note, quiet=quiet)
    flat = int((factors["quantiles"][..., 0] == factors["quantiles"][..., -1]).sum())
    say_wrote(
        output,
        f"factors of {counted(factors.sizes['topic'], 'topic')} and "
        f"{counted(factors.sizes['metric'], 'metric')} from {counted(int(factors['n'].max()), 'system')}, "
        f"{flat or 'none'} without spread; digest {factors.attrs['digest']}",
        quiet=quiet,
    )


@standardize.command()
def apply(
    scores: Annotated[Path, argument()],
    selected: Selection,
    factors: Annotated[str, option(metavar="NAME|FILE")],
    output: To,
    kind: KindOption = "normal",
    flat: FlatTopics = "half",
    quiet: Quiet = False,
) -> None:
    """Standardize scores with factors from any systems on the same topics; the result is a score file like others.

    scores : a score file (Parquet), or a table of scores (CSV and others)
    factors : a file from irmeta standardize fit, or the name of factors that ship (irmeta datasets list)

    irmeta standardize apply new-runs.parquet --factors factors.parquet -o standardized.parquet --kind normal
    """
    from irmeta.datasets import factors as factor_files
    from irmeta.io.formats.scores import save
    from irmeta.scores import standardization

    refuse_overwriting(output)
    cube = selected.one(scores)
    fitted = factor_files.load(factors)
    left_out = list[str]()
    if selected.metrics is None:
        cube, left_out = standardization.common_metrics(cube, fitted)
    standardized = standardization.apply(cube, fitted, kind, flat=flat)
    save(standardized, output, new=True)
    for line in [
        *left_out,
        *about(standardized)["standardization"]["notes"],
        *standardization.flat_topics(standardized),
    ]:
        say(line, quiet=quiet)
    unused = fitted.sizes["topic"] - cube.sizes["topic"]
    rest = ""
    if unused:
        rest = f"; {unused} of the topics of the factors have no scores here"
    say_wrote(
        output,
        f"{counted(standardized.sizes['system'], 'system')} on "
        f"{counted(standardized.sizes['topic'], 'topic')}, {kind}, by factors "
        f"{fitted.attrs['digest']} ({fitted.attrs['collection']}){rest}",
        quiet=quiet,
    )
