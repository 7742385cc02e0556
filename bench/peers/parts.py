"""The parts of the bench: a promise that peers make, too, the cases in which it is measured, and who makes it how."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.hard import LABELS, Hard
from bench.peers import fronts, others, ours
from bench.peers.measure import OURS, Row, Way, gathered, measure
from bench.peers.worlds import (
    Case,
    clustered,
    clustered_with_machine,
    plain,
    with_machine,
)

SIZES = (5, 10, 25, 50)
JUDGED = ((5, 50), (10, 50), (10, 200), (25, 200), (50, 200))
CLUSTERS = (5, 12, 30)
CLUSTERS_JUDGED = ((5, 25), (12, 60))


@dataclass(frozen=True)
class Part:
    """A promise: its heading, what the sizes count, its cases, our way and those of the peers by name.

    draws : as a share of those asked for; less where a draw is slow.
    """

    title: str
    size: str
    cases: Sequence[Case]
    ours: Way
    peers: Mapping[str, Way]
    draws: float = 1.0

    def rows(
        self, draws: int, seed: int, known: Mapping[str, str]
    ) -> Iterator[tuple[Case, Row]]:
        """Measure each case with the peers that are known."""
        peers = {
            name: others.quiet(way)
            for name, way in self.peers.items()
            if name.split(",")[0] in known
        }
        for case in self.cases:
            number = max(2, int(draws * self.draws))
            yield case, measure(case, {OURS: self.ours, **peers}, number, seed)


@dataclass(frozen=True)
class Fronts:
    """The promise about fronts: the true front is among the models that are named."""

    title: str = "Who may be on the front of quality against cost"
    size: str = "topics"
    peers: tuple[str, ...] = ("evalstats",)
    draws: float = 0.5

    def rows(
        self, draws: int, seed: int, known: Mapping[str, str]
    ) -> Iterator[tuple[Case, Row]]:
        """Measure each case with the peers that are known."""
        ways = {OURS: fronts.ours}
        if "evalstats" in known:
            ways["evalstats"] = fronts.evalstats
        for kind, label in LABELS.items():
            for how, name in (("equal", "all tie"), ("differ", "models differ")):
                world = Hard(kind, how, fronts.MODELS)
                for n in fronts.SIZES:
                    rng = np.random.default_rng([seed, n, *label.encode()])
                    found: dict[str, list[tuple[float, float]] | None] = {
                        way: [] for way in ways
                    }
                    for _ in range(max(2, int(draws * self.draws))):
                        scores = world.scores(n, rng)
                        for way, of in ways.items():
                            kept, named = found[way], of(scores, rng)
                            if kept is None or named is None:
                                found[way] = None
                            else:
                                kept.append(fronts.held(world, named))
                    case = Case(f"{label}, {name}", str(n), n, _undrawn)
                    yield case, {way: gathered(one) for way, one in found.items()}


def _undrawn(_: np.random.Generator) -> None:
    raise NotImplementedError


PARTS: Mapping[str, Part | Fronts] = {
    "mean": Part(
        "Interval of a mean",
        "topics",
        plain(SIZES, clones=False),
        ours.mean,
        {"evalstats": others.evalstats_mean, "truescore": others.truescore_mean},
    ),
    "difference": Part(
        "Interval of a difference of two systems",
        "topics",
        plain(SIZES, clones=True),
        ours.difference,
        {
            "evalstats": others.evalstats_difference,
            "truescore": others.truescore_difference,
            "evalsig": others.evalsig_difference,
        },
    ),
    "judged-mean": Part(
        "Mean by few human topics and a machine",
        "judged",
        with_machine(JUDGED),
        ours.estimated_mean,
        {
            "evalstats": others.evalstats_debiased,
            "evalstats, its formula": others.evalstats_formula,
            "truescore": others.truescore_corrected,
        },
        0.6,
    ),
    "judged-difference": Part(
        "Difference by few human topics and a machine",
        "judged",
        with_machine(JUDGED),
        ours.estimated_difference,
        {
            "evalstats": others.evalstats_debiased_difference,
            "truescore": others.truescore_corrected_difference,
        },
        0.6,
    ),
    "clusters-mean": Part(
        "Mean of topics in clusters",
        "clusters",
        clustered(CLUSTERS),
        ours.mean,
        {"truescore": others.truescore_mean},
    ),
    "clusters-difference": Part(
        "Difference on topics in clusters",
        "clusters",
        clustered(CLUSTERS),
        ours.difference,
        {
            "truescore": others.truescore_difference,
            "evalsig": others.evalsig_difference,
        },
        0.6,
    ),
    "clusters-judged": Part(
        "Mean by whole clusters that people judged and a machine",
        "judged",
        clustered_with_machine(CLUSTERS_JUDGED),
        ours.estimated_mean,
        {"truescore": others.truescore_corrected},
        0.6,
    ),
    "front": Fronts(),
}
