"""`irmeta standardize`: fit factors, apply them, and see how long and from how few systems they serve."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.choices import Flat, Kind, explained
from irmeta.cli.app import Verbs, argument, option
from irmeta.cli.options import (
    Chosen,
    PickedPairs,
    Quiet,
    Seed,
    Selected,
    Shown,
    Teamed,
    only,
    whole_numbers,
)
from irmeta.cli.output import refuse_overwriting, say, say_note
from irmeta.scores.attributes import about
from irmeta.words import counted

if TYPE_CHECKING:
    import xarray as xr

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
To = Annotated[Path, option("-o", "--output", help="The file to write (Parquet).")]


@dataclass(frozen=True, kw_only=True)
class OldAndNew(Chosen):
    """Scores of old systems, whose factors are used, and of new ones on the same topics."""

    old: Annotated[
        Path,
        argument(help="Score file of the old systems, whose factors are used."),
    ]
    new: Annotated[
        Path, argument(help="Score file of the new systems on the same topics.")
    ]

    def cubes(self) -> "tuple[dict[str, xr.DataArray], dict[str, xr.DataArray]]":
        """Read the collections of the old and of the new systems; only the old file's collection is chosen by name."""
        from dataclasses import replace

        return self.read(self.old), replace(self, collection=None).read(self.new)


@standardize.command()
def fit(
    picked: PickedPairs,
    teamed: Teamed,
    output: To,
    quiet: Quiet = False,
) -> None:
    """Fit the factors of every topic and metric on the systems of a score file, to publish or apply.

    irmeta standardize fit trec8.parquet -o factors.parquet
    """
    from irmeta.datasets import factors as factor_files
    from irmeta.scores import standardization

    refuse_overwriting(output)
    factors = standardization.fit(
        picked.cube(), groups=teamed.teams(), missing=picked.missing
    )
    factor_files.save(factors, output)
    for note in about(factors)["notes"]:
        say_note(note, quiet=quiet)
    flat = int((factors["quantiles"][..., 0] == factors["quantiles"][..., -1]).sum())
    say(
        f"{output}: factors of {counted(factors.sizes['topic'], 'topic')} and "
        f"{counted(factors.sizes['metric'], 'metric')} from {counted(int(factors['n'].max()), 'system')}, "
        f"{flat or 'none'} without spread; digest {factors.attrs['digest']}",
        quiet=quiet,
    )


@standardize.command()
def apply(
    scores: Annotated[
        Path,
        argument(
            help="A score file (Parquet), as written by irmeta evaluate or import."
        ),
    ],
    selected: Selected,
    factors: Annotated[
        str,
        option(
            metavar="NAME|FILE",
            help=(
                "A file from irmeta standardize fit, or the name of factors that ship (irmeta "
                "datasets list)."
            ),
        ),
    ],
    output: To,
    kind: KindOption = "normal",
    flat: FlatTopics = "half",
    quiet: Quiet = False,
) -> None:
    """Standardize scores with factors from any systems on the same topics; the result is a score file like others.

    irmeta standardize apply new-runs.parquet --factors factors.parquet -o standardized.parquet --kind normal
    """
    from irmeta.datasets import factors as factor_files
    from irmeta.io.scores import save
    from irmeta.scores import standardization

    refuse_overwriting(output)
    cube = only(selected.read(scores))
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
    if unused:
        rest = f"; {unused} of the topics of the factors have no scores here"
    else:
        rest = ""
    say(
        f"{output}: {counted(standardized.sizes['system'], 'system')} on "
        f"{counted(standardized.sizes['topic'], 'topic')}, {kind}, by factors "
        f"{fitted.attrs['digest']} ({fitted.attrs['collection']}){rest}",
        quiet=quiet,
    )


@standardize.command()
def durability(
    given: OldAndNew,
    teamed: Teamed,
    shown: Shown,
    kind: KindOption = "normal",
    flat: FlatTopics = "half",
    seed: Seed = 0,
) -> None:
    """Say whether old factors still serve: rank new systems by scores with old factors and with their own, and compare.

    irmeta standardize durability old.parquet new.parquet

    Random splits of all systems into old and new show how much agreement to expect where age plays no part, for with
    few systems two rankings agree little. Where the old file holds several collections, each is compared with the
    new one of the same name, or with the only new one, on the topics that both have.
    """
    from irmeta.studies.standardizing.durability import durability as study

    options: dict[str, Any] = {
        "kind": kind,
        "flat": flat,
        "groups": teamed.teams(),
        "missing": given.missing,
    }
    shown.show(study, *given.cubes(), **options, rng=seed)


@standardize.command()
def sample(
    given: OldAndNew,
    teamed: Teamed,
    shown: Shown,
    sizes: Annotated[
        str | None,
        option(
            metavar="N,N,...",
            help="Numbers of old systems to draw, as in 2,3,5,10,20.",
            show_default="2 to 50",
        ),
    ] = None,
    resamples: Annotated[
        int, option(help="Number of random samples of each size.")
    ] = 1500,
    kind: KindOption = "normal",
    seed: Seed = 0,
) -> None:
    """Say how many systems a standardizing set needs: standardize by random samples of the old ones.

    irmeta standardize sample old.parquet new.parquet --sizes 2,3,5,10,20
    """
    from irmeta.scores import standardization
    from irmeta.studies.standardizing.standardizing_set import standardizing_set

    cubes, others = given.cubes()
    old = only(cubes)
    new = standardization.counterpart(str(old.attrs["collection"]), others)
    options: dict[str, Any] = {
        "sizes": whole_numbers("--sizes", sizes) or None,
        "resamples": resamples,
        "kind": kind,
    }
    options["groups"] = teamed.teams()
    shown.show(standardizing_set, old, new, **options, missing=given.missing, rng=seed)
