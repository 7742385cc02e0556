"""What few topics that some systems choose are worth to others: python -m bench.few_topics DATA.

A row for each collection at hand and number of topics: tau-b with the ranking over all topics, of the best topics by
all systems, and on systems that did not choose, of the best and of random ones; the gain of the best over random ones
there, with quantiles over halves of the systems; the share of the gain of those who chose that is left.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import xarray as xr

from bench.phi_curves import collections
from irmeta.io.groups import read_groups
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.figures import interval, short
from irmeta.scores.groups.teams import Grouping
from irmeta.studies.design.study import design

SIZES = (5, 10, 20)
TEAMS = {
    "DL 2020": "trec-dl-2020",
    "DL 2021": "trec-dl-2021",
    "TREC-COVID 1": "trec-covid-round1",
    "TREC-COVID 3": "trec-covid-round3",
}


def every(data: Path) -> Iterator[tuple[str, xr.DataArray, str]]:
    """Read the collections: name, scores, target."""
    for name, scores, target, _ in collections(data, (None,)):
        yield name, scores, target
    path = data / "matrices" / "robust2004-249" / "AP.csv"
    yield "Robust 2004", import_matrix([path], rows="systems"), "AP"


def main(data: Path) -> None:
    """Print the rows."""
    for name, scores, target in every(data):
        file = next(
            (file for start, file in TEAMS.items() if name.startswith(start)), ""
        )
        teams: Grouping = read_groups(data / "teams" / f"{file}.csv") if file else None
        sizes = [size for size in SIZES if 2 * size <= scores.sizes["topic"]]
        found = design(
            scores,
            target=target,
            metrics=target,
            subset=sizes,
            teams=teams,
            partitions=2,
        ).data
        shape = f"{scores.sizes['system']} x {scores.sizes['topic']}"
        for at, size in enumerate(sizes):
            one = found.isel(subset=at)
            best, random = (one.sel(kind=kind) for kind in ("best", "random"))
            tau = [best["subset_tau"], best["subset_new"], random["subset_new"]]
            cells = [short(float(value)) for value in tau]
            gain, low, high = (
                float(one[f"subset_gain{end}"]) for end in ("", "_low", "_high")
            )
            left = 100 * float(one["subset_survives"])
            print(
                f"| {name} | {shape} | {size} | {' | '.join(cells)} | "
                f"{short(gain, sign=True)} ({interval(low, high, 2)}) | {left:.0f}% |",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
