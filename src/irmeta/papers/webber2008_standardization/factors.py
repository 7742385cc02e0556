"""Section 4: how long standardization factors last, and how many systems they need."""

from collections.abc import Iterator

from irmeta.papers.webber2008_standardization.sources import DRAWS, Sources
from irmeta.stats.arrays import settled
from irmeta.stats.rankings import rank
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only
from irmeta.studies.standardizing.durability import durability
from irmeta.studies.standardizing.standardizing_set import standardizing_set

SCAN = "lost in the paper's scan"
DRAWN = "published as a plot only"
CLAIMED = (5, 10, 15)
OTHERS = (2, 3, 20)
"""Numbers of systems in Figure 4 that the text speaks of, and others."""
FEWER = 2000
"""Draws for the others."""
ENOUGH = (
    "10 to 15 systems better the tau of raw scores at the 95th and 99th percentiles"
)


def factor_cells(sources: Sources, rng: int) -> Iterator[Cell]:
    """Return Table 2, Figure 4, and what the text reads from them."""
    means = {
        name: settled(sources.new[name].mean("topic").values[:, 0])
        for name in ("R03", "R04")
    }
    row = "R03 with R04 topics"
    pearson = float(rank.pearson(means["R03"], means["R04"]))
    tau = float(rank.tau_b(means["R03"], means["R04"]))
    yield compare("Table 2", row, "Pearson", 0.943, pearson, within=0.0005)
    yield compare("Table 2", row, "tau", 0.742, tau, within=0.0005)
    yield from _durability(sources, pearson, tau, rng)
    yield from _sample(sources, rng)


def _durability(
    sources: Sources, pearson: float, tau: float, rng: int
) -> Iterator[Cell]:
    """Return how rankings by old factors agree with those by new ones; pearson, tau : of R03 with R04 topics."""
    lasting = durability(
        {name: sources.old[name] for name in ("T7", "T8", "R03")}, sources.new, rng=rng
    )
    for name in lasting.topics.values:
        for figure in ("pearson", "tau", "tau_ap"):
            ours = lasting[figure].sel(topics=name).item()
            note = "" if figure == "tau_ap" else SCAN
            yield ours_only("Table 2", str(name), figure, ours, note)
    said = "old factors distort much less than other topics do"
    for figure, between in (("pearson", pearson), ("tau", tau)):
        lowest = lasting[figure].min().item()
        row, column = "T7, T8 and R03", f"lowest {figure}"
        yield claim("Section 4", row, column, lowest, said=said, least=between)


def _sample(sources: Sources, rng: int) -> Iterator[Cell]:
    """Return Figure 4: the tau of rankings by some of the 78 systems of TREC 2003 with the ranking by all."""
    old = sources.old["R03"]
    new = sources.new["R03"]
    judged, others = (
        standardizing_set(old, new, sizes=sizes, resamples=draws, rng=rng).isel(
            metric=0
        )
        for sizes, draws in ((CLAIMED, DRAWS), (OTHERS, FEWER))
    )
    raw = judged["raw"].item()
    yield compare(
        "Figure 4", "all 78 systems", "tau with AP", 0.919, raw, within=0.0005
    )
    between = "5 systems do better than other topics, whose tau is .742"
    claims = {
        (5, "p1"): (0.742, between),
        (10, "p5"): (raw, ENOUGH),
        (15, "p1"): (raw, ENOUGH),
    }
    for size in sorted((*CLAIMED, *OTHERS)):
        sampled = judged if size in CLAIMED else others
        for name in ("p50", "p5", "p1"):
            ours = sampled[name].sel(systems=size).item()
            row = f"{size} systems"
            if (size, name) in claims:
                least, said = claims[size, name]
                yield claim("Figure 4", row, name, ours, said=said, least=least)
            else:
                yield ours_only("Figure 4", row, name, ours, DRAWN)
