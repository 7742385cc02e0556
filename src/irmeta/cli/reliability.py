"""`irmeta reliability`: is the collection big enough."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from irmeta.choices import ReliabilityView, explained
from irmeta.cli.app import app, option
from irmeta.cli.options import Best, Picked, Seed, Shown, Teamed, whole_numbers

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class Sized(Picked):
    """Scores of one file, on all topics: here `--topics` are numbers of topics."""

    topics: Annotated[
        str | None,
        option(
            metavar="N,N,...",
            help="Numbers of topics to tabulate, as in 10,50 or 25:200:25 (from, to, step).",
            show_default="10, 25, 50, 100, 150, 200",
        ),
    ] = None

    def read(self, path: Path, also: str | None = None) -> "dict[str, xr.DataArray]":
        """Read the cubes of a file by collection name, all topics."""
        everywhere = Picked(**(vars(self) | {"topics": None}))
        return everywhere.read(path, also)


@app.command()
def reliability(
    picked: Sized,
    best: Best,
    teamed: Teamed,
    shown: Shown,
    stability: Annotated[
        float,
        option(help="The reliability (E rho2 and Phi) to reach, between 0 and 1."),
    ] = 0.95,
    difference: Annotated[
        float | None,
        option(
            help="A difference in mean score that a test should detect.",
            show_default="none",
        ),
    ] = None,
    power: Annotated[
        float, option(help="Power: how often a test should detect that difference.")
    ] = 0.8,
    alpha: Annotated[float, option(help="Level of the tests.")] = 0.05,
    level: Annotated[float, option(help="Level of the intervals.")] = 0.95,
    view: Annotated[
        ReliabilityView, option(help=explained(ReliabilityView, "What --plot draws."))
    ] = "reliability",
    seed: Seed = 0,
) -> None:
    """Say how reliable the ranking of systems is, which differences these topics show, and how many topics are needed.

    irmeta reliability scores.parquet -m "AP nDCG@10 P@10" --plot reliability.svg

    irmeta reliability scores.parquet --topics 25:200:25 --stability .95 --difference .03 --power .8
    """
    from irmeta.studies.reliability import TOPICS
    from irmeta.studies.reliability import reliability as study

    counts = whole_numbers("--topics", picked.topics) or list(TOPICS)
    asked: dict[str, Any] = {
        "stability": stability,
        "difference": difference,
        "power": power,
        "alpha": alpha,
    }
    asked |= {"topics": counts, "level": level, "groups": teamed.teams(), "rng": seed}
    shown.show(study, picked.cube(best.by), **picked.used(best), **asked, view=view)
