"""Worlds of which the truth is known: like real collections where they are at hand, else like a made one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import xarray as xr

from bench.coverage.frame import Case
from bench.hard import Hard, hard
from irmeta.datasets.like import World, like
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.cube import cube

SIZES = (10, 25, 50)
"""Numbers of topics in which most promises are checked."""
FEW = (3, 5, 7)
"""Numbers of topics in which promises are checked that hold with any."""
UNTIED = (
    "like TREC-8, AP",
    "like TREC-8, P@10",
    "like Web 2012, ERR@20",
    "5 systems",
    "20 systems",
    "60 systems in teams of 4",
    "like a made cube",
)
"""Worlds in which systems differ."""
TIES = ("heavy ties", "heavy ties, P@10")
"""Worlds in which groups of systems tie."""
TIED = ("all tie", "all tie, P@10", "all tie, 5 systems", "all tie, 60 in teams of 4")
"""Worlds in which all systems tie."""

Check = Callable[[World, np.ndarray, np.random.Generator], Mapping[str, float]]
"""From a world, a drawn cube's scores (system, topic) and a generator to the figures of a `Trial`."""
Cases = Callable[[Path | None], Iterable[Case]]
"""From the folder of real collections, None for made ones, to cases."""


def in_worlds(
    check: Check, names: Sequence[str] = (), sizes: Sequence[int] = SIZES
) -> Cases:
    """Return the cases of a promise about scores: the worlds of these names, all by default, with each size."""

    def cases(folder: Path | None) -> Iterable[Case]:
        chosen = {
            name: world
            for name, world in worlds(folder).items()
            if not names or name in names
        }
        return _with_sizes(check, chosen, sizes)

    return cases


@dataclass(frozen=True)
class Column:
    """A hard world in the shape of the others: means (system, 1), scores (system, topic, 1)."""

    of: Hard

    @property
    def systems(self) -> Sequence[str]:
        """Their names."""
        return [str(number) for number in range(self.of.systems)]

    @property
    def means(self) -> np.ndarray:
        """The true means."""
        return self.of.means[:, None]

    def scores(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores."""
        return self.of.scores(topics, rng)[..., None]


def in_hard(
    check: Check,
    hows: Sequence[str],
    systems: int = 12,
    sizes: Sequence[int] = SIZES,
) -> Cases:
    """Return the cases of a promise in the hard worlds of these kinds, which need no real collection."""

    def cases(_: Path | None) -> Iterable[Case]:
        made = {str(world): Column(world) for world in hard(hows, systems)}
        return _with_sizes(check, made, sizes)

    return cases


def in_all(*cases: Cases) -> Cases:
    """Return the cases of a promise one after the other."""
    return lambda folder: [case for some in cases for case in some(folder)]


def in_ranked_worlds(
    check: Check,
    of: Callable[[Path | None], Mapping[str, World]],
    sizes: Sequence[int] = (),
) -> Cases:
    """Return the cases of a promise about ranks in some worlds: with fewer topics, too, or with each size."""

    def cases(folder: Path | None) -> Iterable[Case]:
        usual = SIZES if folder is None else (*FEW, *SIZES)
        return _with_sizes(check, of(folder), sizes or usual)

    return cases


def _with_sizes(
    check: Check, chosen: Mapping[str, World], sizes: Sequence[int]
) -> Iterable[Case]:
    for name, world in chosen.items():
        for topics in sizes:
            trial = partial(_trial, check, world, topics)
            yield Case(name, topics, trial, len(world.systems))


def _trial(
    check: Check, world: World, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    return check(world, np.ascontiguousarray(world.scores(topics, rng)[..., 0]), rng)


@cache
def worlds(folder: Path | None) -> Mapping[str, World]:
    """Return the worlds by name."""
    rng = np.random.default_rng(0)
    if folder is None:
        one = like(_made(), rng)
        return {
            "like a made cube": one,
            "heavy ties": one.tied(5),
            "all tie": one.tied(1),
        }
    trec8, web = folder / "matrices" / "trec8-adhoc", folder / "matrices" / "web2012"
    found = {
        "like TREC-8, AP": like(_matrix(trec8 / "AP.csv"), rng),
        "like TREC-8, P@10": like(_matrix(trec8 / "P@10.csv"), rng),
        "like Web 2012, ERR@20": like(_matrix(web / "ERR@20.csv"), rng),
    }
    ap, precision = found["like TREC-8, AP"], found["like TREC-8, P@10"]
    five, twenty, forty, sixty = (some(ap, count, rng) for count in (5, 20, 40, 60))
    return found | {
        "5 systems": five,
        "20 systems": twenty,
        "60 systems in teams of 4": in_teams(sixty, 4),
        "heavy ties": ap.tied(8),
        "heavy ties, P@10": precision.tied(8),
        "all tie": forty.tied(1),
        "all tie, P@10": some(precision, 40, rng).tied(1),
        "all tie, 5 systems": five.tied(1),
        "all tie, 60 in teams of 4": in_teams(sixty, 4).tied(1),
    }


def some(world: World, systems: int, rng: np.random.Generator) -> World:
    """Return the world of some of the systems, drawn at random."""
    chosen = rng.choice(len(world.systems), systems, replace=False)
    return replace(
        world,
        systems=[world.systems[at] for at in chosen],
        margins=[world.margins[at] for at in chosen],
        normal=world.normal[chosen],
    )


APART = 0.25
"""How far the topics that suit a system are its own, beside those that suit its team; then r is about .97 in a team."""


def in_teams(world: World, team: int) -> World:
    """Return the world of the systems in teams of near-clones: neighbours by true mean, which the same topics suit."""
    order = np.argsort(-world.means[:, 0], kind="stable")
    first = np.empty(len(order), dtype=np.int64)
    for at in range(0, len(order), team):
        first[order[at : at + team]] = order[at]
    # near the first of the team, and scaled to a mean square of 1
    mixed = world.normal[first] + APART * world.normal
    return replace(world, normal=mixed / np.sqrt((mixed**2).mean(axis=1))[:, None])


@cache
def ranked_worlds(folder: Path | None) -> Mapping[str, World]:
    """Return all worlds, and one whose systems are equally good and whose scores are 0 or 1."""
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 2, (40, 50, 1)).astype(float)
    binary = like(named(scores, "P@1"), rng).tied(1)
    return {**worlds(folder), "all tie, 0 or 1": binary}


@cache
def rare_worlds(_: Path | None) -> Mapping[str, World]:
    """Return a world whose scores are 0, or now and then 1."""
    rng = np.random.default_rng(3)
    often = np.linspace(0.02, 0.2, 12)[:, None, None]
    scores = (rng.random((12, 200, 1)) < often).astype(float)
    return {"rarely 1, else 0": like(named(scores, "P@1"), rng)}


@cache
def shaped_worlds(folder: Path | None) -> Mapping[str, World]:
    """Return a world whose systems are equally good, each with scores of its own shape."""
    if folder is None:
        real = _made()
    else:
        real = _matrix(folder / "matrices" / "web2012" / "ERR@20.csv")
    one = like(real, np.random.default_rng(2)).with_means(float(real.mean()))
    return {"one mean, own shapes": one}


@cache
def populations(folder: Path | None) -> Mapping[str, World]:
    """Return worlds of many systems by name, of which some are drawn at random."""
    rng = np.random.default_rng(1)
    if folder is None:
        return {"systems like made ones": like(_made(), rng, systems=300)}
    matrices = folder / "matrices"
    files = {
        "TREC-8, AP": matrices / "trec8-adhoc" / "AP.csv",
        "TREC-8, P@10": matrices / "trec8-adhoc" / "P@10.csv",
        "Web 2012, ERR@20": matrices / "web2012" / "ERR@20.csv",
    }
    found = {
        f"systems like {name}": like(_matrix(path), rng, systems=1500)
        for name, path in files.items()
    }
    # 20 groups that tie: of few systems, some do
    return found | {"systems, heavy ties": found["systems like TREC-8, AP"].tied(20)}


def teams_of(world: World, team: int) -> dict[str, str]:
    """Return the teams that `in_teams` makes, by the names that `named` gives systems."""
    order = np.argsort(-world.means[:, 0], kind="stable")
    return {str(system): str(at // team) for at, system in enumerate(order)}


def in_populations(
    check: Check, systems: Sequence[int], sizes: Sequence[int], *, own: bool = False
) -> Cases:
    """Return the cases of a promise about systems and topics alike: each draw has new systems, and new topics.

    own : whether the truth is that of the systems drawn, and not of the population.
    """

    def cases(folder: Path | None) -> Iterable[Case]:
        for name, world in populations(folder).items():
            for count in systems:
                for topics in sizes:
                    trial = partial(_sampled, check, world, count, topics, own)
                    yield Case(f"{count} {name}", topics, trial, count)

    return cases


def _sampled(
    check: Check,
    world: World,
    systems: int,
    topics: int,
    own: bool,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    drawn = some(world, systems, rng)
    truth = drawn if own else world
    return check(truth, drawn.scores(topics, rng)[..., 0], rng)


def _made() -> xr.DataArray:
    rng = np.random.default_rng(0)
    made = rng.beta(1, 3, size=(30, 50, 1)) * np.linspace(0.3, 1, 30)[:, None, None]
    return named(made, "AP")


def _matrix(path: Path) -> xr.DataArray:
    return import_matrix(path, rows="topics")


def named(scores: np.ndarray, metric: str) -> xr.DataArray:
    """Return scores (system, topic, 1) as a cube, systems and topics numbered."""
    systems, topics = (
        [str(number) for number in range(count)] for count in scores.shape[:2]
    )
    return cube(scores, systems, topics, [metric])
