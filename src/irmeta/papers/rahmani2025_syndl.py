"""Rahmani et al., "SynDL: a large-scale synthetic test collection for passage retrieval", 2025: its 8 taus.

Each tau is between the means of runs over topics that people judged and over other topics that GPT-4 judged.
"""

import io
import tarfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.io.files import read_bytes
from irmeta.metrics.names import canonical
from irmeta.papers.parts import Part, gathered
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.studies.checks.reproduction import Cell, compare, ours_only, reproduction
from irmeta.studies.judges.compare.study import compare_judges

PRINTED = {
    ("2020", "nDCG@5"): 0.8364,
    ("2020", "nDCG@10"): 0.8527,
    ("2020", "nDCG@100"): 0.8749,
    ("2020", "AP"): 0.8539,
    ("2021", "nDCG@5"): 0.8766,
    ("2021", "nDCG@10"): 0.8964,
    ("2021", "nDCG@100"): 0.8658,
    ("2021", "AP"): 0.7993,
}
METRICS = ("nDCG@5", "nDCG@10", "nDCG@100", "AP")


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute the 8 taus, each with its interval over systems and topics; no topic has both kinds of judgment."""
    notes: list[str] = []
    parts = [
        Part(year, ["syndl"], partial(_year, year, data, rng, notes))
        for year in ("2020", "2021")
    ]
    cells = list(gathered("rahmani2025-syndl", parts, data))
    return reproduction("rahmani2025-syndl", cells, options={"seed": rng}, notes=notes)


def _year(year: str, data: Path, rng: int, notes: list[str]) -> Iterator[Cell]:
    """Return the cells of one year, and note which topics they rest on."""
    folder = data / "judges" / "syndl" / "trec_eval"
    cubes = {
        name: printed_scores(folder / f"{year}-{name}.tar.gz")
        for name in ("human", "synthetic")
    }
    found = compare_judges(cubes, truth="human", topics="own", rng=rng).data
    notes += [f"{year}: {note}" for note in about(found)["notes"] if "topics" in note]
    for metric in METRICS:
        one = found.sel(metric=metric, judge="synthetic")
        tau, low, high, ceiling = (
            float(one[name]) for name in ("tau", "tau_low", "tau_high", "ceiling")
        )
        printed = PRINTED[year, metric]
        yield compare(f"Figures, {year}", metric, "tau", printed, tau, within=0.00005)
        row = f"{year} {metric}"
        for column, value in (("low", low), ("high", high)):
            yield ours_only("Intervals", row, column, value, "95%, topics differ")
        yield ours_only("Ceilings", row, "tau", ceiling, "human topics alone")


def printed_scores(path: Path) -> xr.DataArray:
    """Read what trec_eval printed for every run, from an archive with treceval/ and ndcgeval/, as a cube."""
    wanted = set(METRICS)
    table: dict[str, dict[str, dict[str, float]]] = {metric: {} for metric in METRICS}
    with tarfile.open(fileobj=io.BytesIO(read_bytes(path))) as archive:
        for member in archive:
            printed = archive.extractfile(member)
            if printed is None:
                continue
            system = Path(member.name).stem
            for line in printed.read().decode().splitlines():
                name, topic, value = line.split()
                metric = canonical(name)
                if metric in wanted and topic != "all":
                    table[metric].setdefault(system, {})[topic] = float(value)
    systems = sorted(table[METRICS[0]])
    topics = sorted(table[METRICS[0]][systems[0]])
    scores = [
        [
            [table[metric][system].get(topic, np.nan) for metric in METRICS]
            for topic in topics
        ]
        for system in systems
    ]
    return cube(scores, systems, topics, METRICS)
