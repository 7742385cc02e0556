"""Section 3: which collections, which metrics, and how the scores were cleaned."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from irmeta.metrics.signatures import SETS
from irmeta.papers.gupta2019.released import (
    TESTS,
    TOPICS,
    Tables,
    by_topics,
    fits_topics,
)
from irmeta.stats.arrays import settled
from irmeta.studies.checks.reproduction import Cell, claim, compare, lacking, ours_only

ITEM = "Figure 1 (left); Kutlu et al., Table 1"
SYSTEMS = {"WT2000, WT2001 and WT2011": 105 + 97 + 62, "WT2010": 55, "RT2004": 110}
SYSTEMS_TESTED = {"wt2012": 48, "wt2013": 59, "wt2014": 30}
TOPICS_PRINTED = {"WT2000, WT2001 and WT2011": 50, "WT2010": 49, "RT2004": 250}
CLEANED = "needs the runs before cleaning, which were not released; ours counts the rows that cleaning left"
NOT_JUDGED = (
    "topics without a relevant document are counted in the table and in no mean"
)


def collection_cells(tables: Tables) -> Iterator[Cell]:
    """Hold the table of collections, the metrics and the cleaning to the released rows."""
    parts = {
        TOPICS[topics]: part for topics, part in by_topics(tables["train"]).items()
    }
    for name, part in parts.items():
        yield _systems(name, SYSTEMS[name], part.sizes["system"])
        printed = TOPICS_PRINTED[name]
        near = _topics(part, printed)
        yield compare(ITEM, name, "topics", printed, near, within=0, known=NOT_JUDGED)
    for name in TESTS:
        table = tables[name]
        yield _systems(name, SYSTEMS_TESTED[name], table.sizes["system"])
        share = float(fits_topics(table, 50).mean())
        column = "share of rows that fit 50 topics"
        yield claim(ITEM, name, column, share, said="50 topics", least=1)
    metrics = tables["train"].metric.values.tolist()
    shared = len(set(metrics) & set(SETS["seeds23"]))
    yield compare("Section 3", "metrics", "of the 23 named", 23, shared, within=0)
    yield from _graded(tables["wt2012"])
    yield from _cleaned(tables)


def _topics(part: xr.DataArray, printed: int) -> int:
    """Return the number of topics near the printed one that most rows can be means over."""
    near = range(printed - 5, printed + 6)
    return max(near, key=lambda topics: int(fits_topics(part, topics).sum()))


def _systems(name: str, printed: int, rows: int) -> Cell:
    """Hold the released rows to the printed number of systems; of fewer rows nobody knows which cleaning took."""
    if rows < printed:
        return lacking(ITEM, name, "systems", CLEANED, published=printed, ours=rows)
    return compare(ITEM, name, "systems", printed, rows, within=0)


def _graded(table: xr.DataArray) -> Iterator[Cell]:
    """Tell graded RBP from binary RBP: were a relevant document seldom of the top grade, it would be far below P@10."""
    means = table.mean("system")[0]
    ratio = float(means.sel(metric="RBP(p=0.8)") / means.sel(metric="P@10"))
    known = "the released RBP is binary: it counts every relevant document alike"
    said = "ERR and RBP use graded judgments"
    column = "mean RBP(p=0.8) over mean P@10"
    item = "Section 1, contributions"
    yield claim(item, "wt2012", column, ratio, said=said, most=0.75, known=known)


def _cleaned(tables: dict[str, xr.DataArray]) -> Iterator[Cell]:
    """Count the zeros and the copies of rows that cleaning is said to have taken out."""
    known = "the released rows still hold zeros"
    zeros = {name: int((table.values == 0).sum()) for name, table in tables.items()}
    said = "null or zero values were filtered out"
    item, every = "Section 3, cleaning", sum(zeros.values())
    yield claim(
        *(item, "all rows", "zero scores", every),
        said=said,
        most=0,
        exact="a count",
        known=known,
    )
    for name, table in tables.items():
        rows = settled(table.values[:, 0])
        copies = len(rows) - len(np.unique(rows, axis=0))
        column = "copies of other rows"
        if name in ("wt2013", "wt2014"):
            said = "identical submissions were filtered out"
            of_count = (item, name, column, copies)
            yield claim(*of_count, said=said, most=0, exact="a count")
        else:
            note = "the text speaks of 2013 and 2014"
            yield ours_only(item, name, column, copies, note)
