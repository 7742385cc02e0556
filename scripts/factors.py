"""Make the standardization factors that ship with irmeta: python scripts/factors.py DATA.

DATA holds the collections as `irmeta datasets fetch` lays them out, and `teams/`, CSV files of run, team and type. A
factors file holds, of each topic and metric, mean, deviation and the sorted scores of the official systems, not whose
they are; and each system's means. Nothing is rounded that scores are standardized by.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import polars as pl
import xarray as xr

from irmeta.datasets import factors as factor_files
from irmeta.datasets.catalog import catalog
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_matrix, topic_range
from irmeta.scores import standardization
from irmeta.scores.attributes import about, recorded
from irmeta.scores.cube import cube

TARGET = Path(__file__).parents[1] / "src" / "irmeta" / "datasets" / "shipped"

OLD_TOPICS = (
    "303,307,310,314,320,322,325,330,336,341,344-347,350,353-356,362,363,367,372,374,375,378,379,383,389,393,394,397,"
    "399,401,404,408,409,414,416,419,426,427,433,435,436,439,442,443,445,448"
)
"""The 50 topics of earlier years in TREC 2003 Robust: Voorhees, Overview of the TREC 2003 Robust Retrieval Track."""

MATRICES = {
    "trec7": ("trec7-adhoc", "351-400"),
    "trec8": ("trec8-adhoc", "401-450"),
    "robust2003": ("robust2003", f"{OLD_TOPICS},601-650"),
    "robust2004": ("robust2004-249", None),
    "web2010": ("web2010", "51-94,96-99"),
    "web2011": ("web2011", "101-150"),
    "web2012": ("web2012", "151-200"),
}
"""By name: the collection of the catalogue, and its topics; None where the table names them. Of Web 2010 topics 95 and
100 were not judged."""


class Official(NamedTuple):
    """A collection whose official runs are public: its name in the catalogue, and where its files are."""

    public: str
    folder: str
    qrels: str
    teams: str
    metrics: str


COVID_METRICS = "AP nDCG@10 P@5 P@10 Bpref"
RUNS = {
    "trec-covid-1": Official(
        "trec-covid-round1",
        "trec-covid/round1",
        "qrels.txt",
        "trec-covid-round1",
        COVID_METRICS,
    ),
    "trec-covid-3": Official(
        "trec-covid-round3",
        "trec-covid/round3",
        "qrels.txt",
        "trec-covid-round3",
        COVID_METRICS,
    ),
    "dl2021": Official(
        "dl2021-judges",
        "judges/dl2021",
        "qrels/nist.txt",
        "trec-dl-2021",
        "AP(rel=2) nDCG@10 P(rel=2)@10 RR(rel=2) R(rel=2)@100",
    ),
}
"""Deep Learning 2021 is of passages, relevant from grade 2 on, with lists of at most 100."""


def main(data: Path) -> None:
    """Write the factors into the package."""
    for name, factors in {**of_matrices(data), **of_runs(data)}.items():
        factor_files.save(factors, TARGET / f"{name}.parquet")
        sizes = ", ".join(f"{factors.sizes[dim]} {dim}s" for dim in ("topic", "metric"))
        print(
            f"{name}: {int(factors['n'].max())} systems, {sizes}, digest {factors.attrs['digest']}"
        )


def of_matrices(data: Path) -> dict[str, xr.Dataset]:
    """Fit the factors of the collections whose scores are tables."""
    found = {}
    for name, (public, topics) in MATRICES.items():
        found[name] = _described(
            standardization.fit(matrix(data, name)),
            public,
            {"topics": topics or "as in the table"},
        )
    return found


def matrix(data: Path, name: str) -> xr.DataArray:
    """Read the published scores of a collection."""
    public, topics = MATRICES[name]
    files = sorted((data / "matrices" / public).glob("*.csv"))
    if topics is None:
        return import_matrix(files, rows="systems", collection=name)
    return import_matrix(
        files, rows="topics", topics=topic_range(topics), collection=name
    )


def of_runs(data: Path) -> dict[str, xr.Dataset]:
    """Fit the factors of collections on all official runs, taking teams for what was drawn."""
    found = {}
    for name, official in RUNS.items():
        teams = pl.read_csv(
            data / "teams" / f"{official.teams}.csv", infer_schema=False
        )
        groups = dict(teams.select("run", "team").iter_rows())
        kinds = dict(teams.select("run", "type").iter_rows())
        factors = standardization.fit(scores(data, name), teams=groups)
        types = [kinds[system] for system in about(factors)["systems"]]
        found[name] = _described(factors, official.public, {"types": types})
    return found


def scores(data: Path, name: str) -> xr.DataArray:
    """Evaluate the official runs of a collection."""
    official = RUNS[name]
    folder = data / official.folder
    found = evaluate(
        folder / official.qrels, folder / "runs", official.metrics, collection=name
    )
    return cube(
        found.values,
        *(found[dim].values.tolist() for dim in found.dims),
        collection=name,
    )


def _described(factors: xr.Dataset, public: str, more: dict[str, object]) -> xr.Dataset:
    """Say where the scores are from and whom to cite."""
    entry = catalog()[public]
    source = {
        "source": entry.source,
        "licence": entry.licence,
        "citation": entry.citation,
        "dataset": public,
    }
    return factors.assign_attrs(recorded({"scores": source, **more}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
