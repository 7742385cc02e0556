"""Make the standardization factors that ship with irmeta: python scripts/factors.py DATA.

DATA holds the collections as `irmeta datasets fetch` lays them out, and `teams/`, CSV files of run, team and type. A
factors file holds, of each topic and metric, mean, deviation and the sorted scores of the official systems, not whose
they are; and each system's means. Nothing is rounded that scores are standardized by.
"""

import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import polars as pl
import xarray as xr

from irmeta.datasets import factors as factor_files
from irmeta.datasets.catalog import catalog
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import (
    import_matrix,
    import_trec_eval,
    topic_range,
)
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
    "robust2004-99": ("robust2004", "601-671,673-700"),
    "web2010": ("web2010", "51-94,96-99"),
    "web2011": ("web2011", "101-150"),
    "web2012": ("web2012", "151-200"),
}
"""By name: the collection of the catalogue, and its topics; None where the table names them. Of Web 2010 topics 95 and
100 were not judged."""

NAMED = "robust2004-99"
"""The collection whose systems have numbers in place of names, which another table of theirs has."""
PRECISION = 1.5e-4
"""Scores of four decimals differ by at most this where one table cut and the other rounded them."""


class Official(NamedTuple):
    """A collection whose official runs are public: its name in the catalogue, and where its files are.

    teams : a file of who submitted which run; None where each is another team's.
    """

    public: str
    folder: str
    qrels: str
    teams: str | None
    metrics: str


COVID_METRICS = "AP nDCG@10 P@5 P@10 Bpref nDCG RBP RBP(p=0.95) ERR@20 R@100 R@1000"
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
        "AP(rel=2) nDCG@10 P(rel=2)@10 RR(rel=2) R(rel=2)@100 nDCG@100 RBP ERR@20",
    ),
    "robust2003-17": Official(
        "robust03-runs",
        "robust03",
        "qrels.txt",
        None,
        "AP nDCG nDCG@10 P@10 RBP RBP(p=0.95) ERR@20 R@100 R@1000",
    ),
}
"""Deep Learning 2021 is of passages, relevant from grade 2 on, with lists of at most 100.

Of TREC 2003 Robust 17 runs are public, each of another team.
"""

PRINTED_OF_2020 = ("AP", "P@10", "RR", "Rprec", "Bpref", "nDCG@10", "nDCG@100")
"""What trec_eval printed of Deep Learning 2020; relevant is here from grade 1 on."""


def main(data: Path) -> None:
    """Write the factors into the package."""
    every = {**of_matrices(data), **of_runs(data), "dl2020": of_2020(data)}
    for name, factors in every.items():
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
    scores = import_matrix(
        files, rows="topics", topics=topic_range(topics), collection=name
    )
    return named_as(scores, matrix(data, "robust2004")) if name == NAMED else scores


def named_as(scores: xr.DataArray, known: xr.DataArray) -> xr.DataArray:
    """Name anonymous systems by a table of the same ones in the same order; raise where a score says otherwise."""
    same = known.sel(topic=scores.topic, metric=["AP"]).values
    if np.abs(same - scores.sel(metric=["AP"]).values).max() > PRECISION:
        raise ValueError("the two tables are not of the same systems")
    return scores.assign_coords(system=known.system.values)


def of_runs(data: Path) -> dict[str, xr.Dataset]:
    """Fit the factors of collections on all official runs, taking teams for what was drawn."""
    found = {}
    for name, official in RUNS.items():
        found[name] = _with_teams(
            scores(data, name), official.public, data, official.teams
        )
    return found


def of_2020(data: Path) -> xr.Dataset:
    """Fit the factors of Deep Learning 2020 on what trec_eval printed of all official runs."""
    return _with_teams(printed(data), "syndl", data, "trec-dl-2020")


def printed(data: Path) -> xr.DataArray:
    """Read what trec_eval printed of Deep Learning 2020: two files of each run, in an archive."""
    parts = []
    with TemporaryDirectory() as folder:
        with tarfile.open(data / "judges/syndl/trec_eval/2020-human.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        for kind in ("treceval", "ndcgeval"):
            files = [
                file.rename(file.with_suffix(""))
                for file in Path(folder, kind).iterdir()
            ]
            parts.append(import_trec_eval(sorted(files), collection="dl2020"))
    together = xr.concat(parts, "metric").sel(metric=list(PRINTED_OF_2020))
    return together.transpose("system", "topic", "metric")


def _with_teams(
    scores: xr.DataArray, public: str, data: Path, teams: str | None
) -> xr.Dataset:
    """Fit factors on runs, taking teams for what was drawn; their types are kept."""
    if teams is None:
        return _described(standardization.fit(scores), public, {})
    table = pl.read_csv(data / "teams" / f"{teams}.csv", infer_schema=False)
    groups = dict(table.select("run", "team").iter_rows())
    kinds = dict(table.select("run", "type").iter_rows())
    factors = standardization.fit(scores, teams=groups)
    types = [kinds[system] for system in about(factors)["systems"]]
    return _described(factors, public, {"types": types})


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
        provenance={"qrels": {"sha256": about(found)["qrels"]["sha256"]}},
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
    # by its judgments a collection is known again whose topics are only numbered
    judgments = {
        name: held for name, held in about(factors)["scores"].items() if name == "qrels"
    }
    return factors.assign_attrs(recorded({"scores": source | judgments, **more}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
