"""What ignoring clusters costs: how often a paired t test finds a difference where there is none, as a figure.

python -m bench.ignored                writes docs/assets/clusters.svg (half a minute)
python -m bench.ignored --draws 100    prints the rates, writes nothing

Scores are normal; sizes, intraclass correlations and numbers of clusters are those of bench/coverage/clusters.py.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.coverage.clusters import CLUSTERS, MOST, World
from irmeta.report.plots.figure import PAGE, PALETTE, STYLE, save
from irmeta.stats.halves.clusters import pseudo_values
from irmeta.stats.tests import paired

ICC = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
DRAWS = 800
LEVEL = 0.05
FIGURE = Path(__file__).parents[1] / "docs" / "assets" / "clusters.svg"
DASHES = ("-", "--", "-.", ":")


def rates(world: World, clusters: int, draws: int) -> tuple[float, float]:
    """Return in what share of pairs of equal systems a test over topics, and one over clusters, finds a difference."""
    rng = np.random.default_rng([clusters, round(10 * world.icc), world.equal])
    found = []
    for _ in range(draws):
        scores, cluster = world.drawn(clusters, rng)
        difference = scores[::2] - scores[1::2]
        over_clusters = pseudo_values(difference, cluster)
        p = [paired.t(one) for one in (difference, over_clusters)]
        found.append(np.mean(np.array(p) < LEVEL, axis=1))
    over_topics, clustered = np.mean(found, axis=0)
    return float(over_topics), float(clustered)


def table(draws: int) -> pl.DataFrame:
    """List the rates by sizes, number of clusters and intraclass correlation."""
    rows = []
    for equal in (True, False):
        for clusters in CLUSTERS:
            for icc in ICC:
                found = rates(World(icc, equal, "normal"), clusters, draws)
                rows.append((equal, clusters, icc, *found))
    columns = ["equal", "clusters", "icc", "over topics", "over clusters"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def figure(found: pl.DataFrame) -> Figure:
    """Draw the rates against the intraclass correlation, a panel for each kind of sizes."""
    with mpl.rc_context(STYLE):
        drawn = Figure(figsize=(PAGE, 2.8), layout="constrained")
        panels = drawn.subplots(1, 2, sharey=True)
        titles = {
            True: "clusters of 5 topics",
            False: f"clusters of 1 to {MOST} topics",
        }
        for panel, (equal, title) in zip(panels, titles.items(), strict=True):
            _panel(panel, found.filter(pl.col("equal") == equal))
            panel.set_title(title)
        panels[0].set_ylabel("false claims at 5%")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside right center")
    return drawn


def _panel(axes: Axes, found: pl.DataFrame) -> None:
    """Draw a line for each number of clusters over topics, and one over clusters."""
    for over, colour in (("topics", PALETTE[5]), ("clusters", PALETTE[0])):
        for clusters, dash in zip(CLUSTERS, DASHES, strict=True):
            one = found.filter(pl.col("clusters") == clusters)
            share = 100 * one[f"over {over}"]
            label = f"over {over}, {clusters} clusters"
            axes.plot(one["icc"], share, dash, color=colour, label=label)
    axes.axhline(100 * LEVEL, color="grey", linewidth=0.6)
    axes.set_xlabel("intraclass correlation")
    axes.set_ylim(0, 60)
    axes.yaxis.set_major_formatter("{x:.0f}%")


def main() -> None:
    """Draw the figure, or print the rates."""
    parser = argparse.ArgumentParser(prog="bench.ignored", description=__doc__)
    parser.add_argument("--draws", type=int)
    draws = parser.parse_args().draws
    found = table(draws or DRAWS)
    with pl.Config(tbl_rows=-1):
        print(found)
    if draws is None:
        save(figure(found), FIGURE)


if __name__ == "__main__":
    main()
