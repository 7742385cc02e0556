"""How often a cause is named wrongly over 200 nights with anchors, and how often it is found.

python -m bench.cause --write         measure, and write the table of docs/tasks/gate.md
python -m bench.cause --worlds 100    fewer worlds, printed

Worlds are those of `bench.gate`, with as many anchors as topics: answers that do not change and that a judge scores
each night again, with luck of its own. A judge that turned stricter scores answers and anchors lower by one mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from multiprocessing.pool import Pool

import numpy as np

from bench import gate
from irmeta.stats.tests.apart import apart, rows

BEGIN, END = "<!-- causes: begin -->", "<!-- causes: end -->"
DRAWS = 4096
"""A quarter of the gate's own, which makes it more careful, and is faster."""
AGAIN = 0.9
"""How a judge's luck correlates with its luck when it scores an answer again."""
CAUSES = ("none", "system", "judge", "both")
SIZES = {20: 0.2, 200: 0.15}
"""Topics, as many anchors, and how much is lost to the system or to the judge."""
EACH = 0.1
"""How much is lost to each of both."""

Named = tuple[np.ndarray, np.ndarray]


def anchors(
    kind: str, count: int, falls: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw differences (night, anchor) of answers that a judge scores lower by this much of the mean each night."""
    answer = np.sqrt(AGAIN) * rng.normal(size=count)
    mean, own = gate.MEANS[kind], np.sqrt(1 - AGAIN)
    first = gate.scores(kind, mean, answer + own * rng.normal(size=count), build=False)
    found = [
        gate.scores(
            kind, mean - fall, answer + own * rng.normal(size=count), build=False
        )
        for fall in falls
    ]
    return np.stack(found) - first


def named(topics: np.ndarray, fixed: np.ndarray) -> Named:
    """Return on which nights the system is named, and the judge."""
    looks = deepcopy(gate.unseen(topics.shape[1] + fixed.shape[1], DRAWS))
    limits = looks.limits(
        [
            rows(found[None], moved[None])
            for found, moved in zip(topics, fixed, strict=True)
        ]
    )
    one = np.ones(len(topics))
    shown = apart(topics, fixed, np.array(limits), gate.MARGIN, one)
    return shown.loss.shown > gate.MARGIN, shown.fell > 0


def sizes(topics: int, cause: str) -> float:
    """Return how much is lost to each cause."""
    return {"none": 0.0, "both": EACH}.get(cause, SIZES[topics])


def world(kind: str, topics: int, cause: str, number: int) -> Mapping[str, float]:
    """Return whether a cause is named wrongly in any of the nights, and whether the right one is within some.

    Before the causes begin, and without them, builds lose just the margin, so that the system is no cause.
    """
    rng = np.random.default_rng([93, number, topics])
    # no cause is wrong any more once both are there
    nights = gate.BEGINS + gate.WITHIN if cause == "both" else gate.NIGHTS
    begun = np.arange(nights) >= gate.BEGINS
    size = sizes(topics, cause)
    lost = size * begun * (cause in ("system", "both"))
    fell = size * begun * (cause in ("judge", "both"))
    found = gate.differences(kind, topics, gate.MARGIN + lost + fell, rng)
    system, judge = named(found, anchors(kind, topics, fell, rng))
    wrong = (system & (lost == 0)) | (judge & (fell == 0))
    soon = slice(gate.BEGINS, gate.BEGINS + gate.WITHIN)
    right = {
        "none": np.zeros(1, dtype=bool),
        "system": system[soon],
        "judge": judge[soon],
        "both": system[soon] & judge[soon],
    }[cause]
    return {"wrong": float(wrong.any()), "found": float(right.any())}


def measured(worlds: int, pool: Pool) -> Iterator[Mapping[str, object]]:
    """Measure each row of the table."""
    for kind, topics, cause in product(gate.KINDS, SIZES, CAUSES):
        work = partial(world, kind, topics, cause)
        size = sizes(topics, cause)
        row = {"scores": kind, "topics": topics, "cause": cause, "size": size}
        yield {**row, "worlds": worlds, **gate.averaged(work, worlds, pool)}


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the table in Markdown."""
    columns = ("scores", "topics", "cause", "size", "worlds", "wrong", "found")
    return gate.table(rows, columns)


def run(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the rows or write them into the page."""
    chosen = gate.parsed("bench.cause", arguments)
    rows = gate.printed(chosen, measured)
    if chosen.write:
        gate.write(table(rows), BEGIN, END)


if __name__ == "__main__":
    run()
