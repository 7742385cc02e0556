"""`irmeta predict` select, lowcost, coverage, models: what predicts what, and how well."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.choices import ChosenBy, explained
from irmeta.cli.app import option
from irmeta.cli.options import Chosen, Pooled, Seed, Shown, distinct, whole_numbers
from irmeta.cli.predict import (
    Kernel,
    LearnerOption,
    Nominal,
    ScaleOption,
    UnitOption,
    predict,
)
from irmeta.errors import IrmetaError

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class Roles(Chosen):
    """Collections to fit on, to choose by, and to measure on."""

    train: Annotated[
        list[Path], option(several=True, help="Score files to fit on, one or more.")
    ]
    dev: Annotated[
        list[Path] | None,
        option(several=True, help="Score files to choose predictors on, one or more."),
    ] = None
    test: Annotated[
        list[Path], option(several=True, help="Score files to measure on, one or more.")
    ]

    def cubes(self, also: str | None = None) -> "list[dict[str, xr.DataArray]]":
        """Read the collections to fit on, to choose by, and to measure on."""
        groups = (self.train, self.dev or [], self.test)
        return distinct(
            [[(path, self.read(path, also)) for path in group] for group in groups]
        )


Targets = Annotated[
    str | None,
    option(
        metavar="METRICS",
        help="Metrics to predict, as in 'AP P@10'.",
        show_default="all",
    ),
]


@predict.command()
def select(
    roles: Roles,
    shown: Shown,
    targets: Targets = None,
    k: Annotated[
        str, option("-k", metavar="N-N", help="Numbers of predictors, as in 2 or 1-3.")
    ] = "1-3",
    choose: Annotated[
        ChosenBy, option(help=explained(ChosenBy, "How predictors are chosen."))
    ] = "dev",
    level: UnitOption = "system",
    learner: LearnerOption = "ols",
    kernel: Kernel = None,
    seed: Seed = 0,
) -> None:
    """Find the best predictors of each metric among all subsets of the others, and measure them on other collections.

    irmeta predict select --train A.parquet B.parquet --dev C.parquet --test D.parquet E.parquet -k 1-3

    irmeta predict select --train A.parquet B.parquet --test D.parquet --choose leave-one-out --targets "AP P@10"

    irmeta predict select --train A.parquet --dev C.parquet --test D.parquet --learner svr --kernel 2 --level topic

    Predictors are chosen by least squares, whatever --learner is.
    """
    from irmeta.studies.prediction.predictors import predictors

    sizes = _sizes(k)
    train, dev, test = roles.cubes(targets)
    model: dict[str, Any] = {
        "level": level,
        "learner": learner,
        "kernel": kernel,
        "rng": seed,
    }
    shown.show(
        predictors,
        train,
        test,
        dev=dev,
        choose=choose,
        targets=targets,
        sizes=sizes,
        **model,
        **roles.used(),
    )


@predict.command()
def lowcost(
    roles: Roles,
    shown: Shown,
    targets: Annotated[
        str,
        option(
            metavar="METRICS", help="Costly metrics to predict, as in 'AP@1000 P@1000'."
        ),
    ],
    depths: Annotated[
        str,
        option(
            metavar="N,N,...",
            help="How many documents of each list the cheap metrics look at.",
        ),
    ] = "10,20,30,40,50",
    proper: Annotated[
        bool,
        option(
            "--proper",
            help="Try every subset of the cheap metrics but the whole set, as the released code of Gupta et al. does.",
        ),
    ] = False,
) -> None:
    """Predict metrics that need deep judgments from metrics of the first documents.

    irmeta predict lowcost --train A.parquet --dev B.parquet --test C.parquet --targets "AP@1000 RBP(p=0.95)"

    The cheap metrics are those named with depth=, as in 'P(depth=10)@1000'. Those that also have pool=, as in
    'P(depth=10, pool=10)@1000', saw only the judgments of a pool of that depth, which is what makes them cheap.
    A rival stands beside them that needs no training: on each topic the ranking of greatest entropy that has the given
    P and AP of the first documents. It needs scores by topic of NumRel (for a pool 'NumRel(pool=10)'), and of P and AP
    of the first documents; the second example computes them.

    irmeta evaluate qrels.txt runs/ -m "AP@1000 RBP(p=0.95) NumRel P(depth=10)@1000 AP(depth=10)@1000" -o C.parquet
    """
    from irmeta.studies.prediction.lowcost import lowcost as study

    numbers = whole_numbers("--depths", depths)
    train, dev, test = roles.cubes(targets)
    shown.show(
        study,
        train,
        test,
        targets=targets,
        dev=dev,
        depths=numbers,
        proper=proper,
        missing=roles.missing,
    )


@predict.command()
def coverage(
    pooled: Pooled,
    shown: Shown,
    targets: Targets = None,
    k: Annotated[
        int, option("-k", help="Number of predictors; every set of this size is tried.")
    ] = 2,
    level: Nominal = 0.9,
    scale: ScaleOption = "raw",
) -> None:
    """Measure the coverage of intervals on a collection that the model has not seen: each is left out in turn.

    irmeta predict coverage A.parquet B.parquet C.parquet D.parquet --targets "AP P@10"
    """
    from irmeta.studies.prediction.coverage import coverage as study

    cubes = pooled.cubes(targets)
    shown.show(
        study, cubes, targets=targets, size=k, level=level, scale=scale, **pooled.used()
    )


@predict.command()
def models(
    pooled: Pooled,
    shown: Shown,
    targets: Targets = None,
    level: UnitOption = "system",
    seed: Seed = 0,
) -> None:
    """Compare least squares, ridge regression, a support vector machine and boosted trees on collections left out.

    irmeta predict models A.parquet B.parquet C.parquet --targets AP
    """
    from irmeta.studies.prediction.models import models as study

    shown.show(
        study,
        pooled.cubes(targets),
        targets=targets,
        level=level,
        **pooled.used(),
        rng=seed,
    )


def _sizes(text: str) -> list[int]:
    low, _, high = text.partition("-")
    high = high or low
    if not (low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high)):
        raise IrmetaError(
            f"-k {text}: expected a number of predictors, as in 2, or a range, as in 1-3"
        )
    return list(range(int(low), int(high) + 1))
