"""Worlds of which the truth is known: like real collections where they are at hand, else like a made one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import xarray as xr

from bench.coverage.frame import Case
from irmeta.cube import cube
from irmeta.datasets.like import World, like
from irmeta.io.importers import import_matrix

SIZES = (10, 25, 50)
"""Numbers of topics in which most promises are checked."""
UNTIED = (
    "like TREC-8, AP",
    "like TREC-8, P@10",
    "like Web 2012, ERR@20",
    "like a made cube",
)
"""Worlds without exact ties."""

Check = Callable[[World, np.ndarray, np.random.Generator], Mapping[str, float]]
"""From a world, a drawn cube's scores (system, topic) and a generator to the figures of a `Trial`."""
Cases = Callable[[Path | None], Iterable[Case]]
"""From the folder of real collections, None for made ones, to cases."""


def in_worlds(
    check: Check, names: Sequence[str] = (), sizes: Sequence[int] = SIZES
) -> Callable[[Path | None], Iterable[Case]]:
    """Return the cases of a promise about scores: the worlds of these names, all by default, with each size."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for name, world in worlds(folder).items():
            if not names or name in names:
                for topics in sizes:
                    yield Case(name, topics, partial(_trial, check, world, topics))

    return cases


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
    few = like(_matrix(trec8 / "AP.csv"), rng, systems=40)
    return found | {
        "heavy ties": found["like TREC-8, AP"].tied(8),
        "all tie": few.tied(1),
    }


@cache
def populations(folder: Path | None) -> Mapping[str, World]:
    """Return worlds of many systems by name, of which some are drawn at random."""
    rng = np.random.default_rng(1)
    if folder is None:
        return {"systems like made ones": like(_made(), rng, systems=300)}
    matrices = folder / "matrices"
    return {
        "systems like TREC-8, AP": like(
            _matrix(matrices / "trec8-adhoc" / "AP.csv"), rng, systems=1500
        ),
        "systems like TREC-8, P@10": like(
            _matrix(matrices / "trec8-adhoc" / "P@10.csv"), rng, systems=1500
        ),
        "systems like Web 2012, ERR@20": like(
            _matrix(matrices / "web2012" / "ERR@20.csv"), rng, systems=1500
        ),
    }


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
                    yield Case(f"{count} {name}", topics, trial)

    return cases


def _sampled(
    check: Check,
    world: World,
    systems: int,
    topics: int,
    own: bool,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    chosen = rng.choice(len(world.systems), systems, replace=False)
    some = replace(
        world,
        systems=[world.systems[at] for at in chosen],
        margins=[world.margins[at] for at in chosen],
        normal=world.normal[chosen],
    )
    return check(some if own else world, some.scores(topics, rng)[..., 0], rng)


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
