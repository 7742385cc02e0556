"""The scores that the paper is about: the TREC 2004 systems on four sub-collections, raw and standardized."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import polars as pl
import xarray as xr

from irmeta.io.tables.matrices import import_matrix, topic_range
from irmeta.papers.parts import file_of
from irmeta.scores import standardization
from irmeta.scores.selection import select
from irmeta.studies.standardizing.comparison.study import compare

TOPICS = {"T7": "351-400", "T8": "401-450", "R03": "601-650", "R04": "651-671,673-700"}
RAW, OWN, ORIGINAL = "AP", "sAP, own factors", "sAP, original factors"
DRAWS = 20_000
"""Draws of standardizing systems behind each percentile of Figure 4 that a claim is about."""
REPARTITIONS = 20_000
"""Random re-partitions of a pair's topics; both numbers are so large that no status depends on the seed."""

Cubes = dict[str, xr.DataArray]


@dataclass(frozen=True)
class Sources:
    """Scores by collection: of the 110 systems of TREC 2004 (`new`), and of the original systems (`old`)."""

    data: Path

    @cached_property
    def new(self) -> Cubes:
        """Read AP of the 110 systems on the four collections."""
        path = self.data / "matrices" / "robust2004-249" / "AP.csv"
        robust = import_matrix(path, rows="systems")
        return {
            name: select(robust, topics=topic_range(topics))
            for name, topics in TOPICS.items()
        }

    @cached_property
    def trec8(self) -> xr.DataArray:
        """Read AP of the systems of TREC-8."""
        return self._adhoc("T8", "trec8-adhoc")

    @cached_property
    def old(self) -> Cubes:
        """Read AP of the original systems; on R04 they are the 110."""
        path = self.data / "matrices" / "robust2003" / "AP.csv"
        robust2003 = import_matrix(path, rows="topics").isel(topic=slice(50, 100))
        return {
            "T7": self._adhoc("T7", "trec7-adhoc"),
            "T8": self.trec8,
            "R03": robust2003.assign_coords(topic=topic_range(TOPICS["R03"])),
            "R04": self.new["R04"],
        }

    def _adhoc(self, name: str, folder: str) -> xr.DataArray:
        """Read AP of an AdHoc collection, named as in `TOPICS`."""
        path = self.data / "matrices" / folder / "AP.csv"
        topics = topic_range(TOPICS[name])
        return import_matrix(path, rows="topics", topics=topics, collection=name)

    @cached_property
    def forms(self) -> dict[str, Cubes]:
        """AP of the 110 systems: raw, standardized by their own factors, and by those of the original systems."""
        own = {name: standardized(cube, cube) for name, cube in self.new.items()}
        original = {
            name: standardized(cube, self.old[name]) for name, cube in self.new.items()
        }
        return {RAW: self.new, OWN: own, ORIGINAL: original}

    @cache  # noqa: B019  one a reproduction
    def compared(self, rng: int) -> dict[str, xr.Dataset]:
        """Compare every two collections, in each form."""
        return {
            name: between(cubes, REPARTITIONS, rng)
            for name, cubes in self.forms.items()
        }

    @cached_property
    def trec3(self) -> xr.DataArray:
        """Read AP of 40 systems of TREC-3."""
        return import_matrix(
            file_of("reliability/adhoc3.csv", self.data), rows="topics"
        )

    @cached_property
    def ndcg(self) -> Cubes:
        """Return nDCG of the 110 systems on the two collections for which it is public, R03 and R04."""
        path = self.data / "matrices" / "robust2004" / "nDCG.csv"
        scores = import_matrix(
            path, rows="topics", topics=topic_range("601-671,673-700")
        )
        return {
            name: select(scores, topics=topic_range(TOPICS[name]))
            for name in ("R03", "R04")
        }

    @cached_property
    def judgments(self) -> pl.DataFrame:
        """Count the judged and the relevant documents of the topics of TREC 2003 Robust.

        The 100 topics are R03 and 50 older ones, 35 of which are topics of T7 or T8.
        """
        path = self.data / "robust03" / "qrels.txt"
        lines = pl.read_csv(
            path,
            separator=" ",
            has_header=False,
            new_columns=["topic", "iter", "document", "grade"],
        )
        of_topic = lines.group_by(pl.col("topic").cast(pl.String), maintain_order=True)
        return of_topic.agg(judged=pl.len(), relevant=(pl.col("grade") > 0).sum())


def standardized(scores: xr.DataArray, by: xr.DataArray) -> xr.DataArray:
    """Standardize scores by factors fitted on the systems of another cube, or on their own."""
    return standardization.apply(scores, standardization.fit(by))


def between(cubes: Cubes, partitions: int, rng: int) -> xr.Dataset:
    """Compare the scores as they are, of the same systems, between every two collections."""
    return compare(
        cubes, kinds=("raw",), partitions=partitions, same_systems=True, rng=rng
    ).data


def pair(result: xr.Dataset, a: str, b: str) -> xr.Dataset:
    """Pick two collections from the result of `irmeta.compare`."""
    at = (result["collection_a"].values == a) & (result["collection_b"].values == b)
    return result.isel(pair=int(at.argmax()), metric=0, kind=0)


def drmse_of_pairs(result: xr.Dataset) -> Mapping[tuple[str, str], float]:
    """Return dRMSE by the names of both collections."""
    sides = (result[name].values.tolist() for name in ("collection_a", "collection_b"))
    names = zip(*sides, strict=True)
    values = result["drmse"].isel(metric=0, kind=0).values.tolist()
    return dict(zip(names, values, strict=True))
