"""Webber, Moffat, Zobel and Sakai (SIGIR 2008), "Precision-at-ten considered redundant": Tables 1 and 2, Figure 1."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import xarray as xr

from irmeta.attributes import about
from irmeta.io.importers import import_matrix, topic_range
from irmeta.studies.predictivity import predictivity
from irmeta.studies.reproduction import Cell, compare, reproduction

NEEDS = ("trec7-adhoc", "trec8-adhoc")
"""The public collections it reads, as `irmeta datasets list` names them."""

METRICS = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG")
TABLE_1 = ((0.50, 0.40, 0.53, 0.51, 0.50), (0.39, 0.41, 0.36, 0.37), (0.58, 0.57, 0.55), (0.63, 0.60), (0.61,))
TABLE_2 = ((0.64, 0.48, 0.64, 0.64, 0.64), (0.36, 0.48, 0.47, 0.47), (0.68, 0.70, 0.69), (0.80, 0.79), (0.80,))
SIZES = (5, 10, 15, 20, 25)
PARTITIONS = 2000

_WITHIN = 0.008  # half a unit of the second decimal, and two standard errors of the difference of two Monte-Carlo means
_NO_RUNS = "the public TREC-8 matrices hold AP, P@10 and RR only"


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every cell that the data allows: TREC-8, the top 75% of systems by AP, 2000 partitions."""
    trec8, trec7 = (_power(data, name, topics, rng) for name, topics in (("trec8", "401-450"), ("trec7", "351-400")))
    cells = [*_table_1(trec8), *_table_2(), *_figure_1(trec8), *_claims(trec8), *_elsewhere(trec7)]
    options = {"partitions": PARTITIONS, "top": 0.75, "by": "AP", "coefficient": "Kendall tau-b", "seed": rng}
    notes = [f"{name}: {note}" for name, one in (("TREC-8", trec8), ("TREC-7", trec7)) for note in about(one)["notes"]]
    return reproduction("webber2008-redundant", cells, options=options, notes=notes)


def _power(data: Path, name: str, topics: str, rng: int) -> xr.Dataset:
    paths = [data / "matrices" / f"{name}-adhoc" / f"{metric}.csv" for metric in ("P@10", "RR", "AP")]
    scores = import_matrix(paths, rows="topics", topics=topic_range(topics), collection=name)
    return predictivity(scores, partitions=PARTITIONS, top=0.75, by="AP", sizes=SIZES, rng=rng)


def _printed(row: str, column: str) -> float:
    return TABLE_1[METRICS.index(row)][METRICS.index(column) - METRICS.index(row)]


def _pairs() -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(len(METRICS)) for j in range(i, len(METRICS)))


def _table_1(power: xr.Dataset) -> Iterator[Cell]:
    ours = set(power["metric"].values)
    for i, j in _pairs():
        a, b, published = METRICS[i], METRICS[j], TABLE_1[i][j - i]
        if {a, b} <= ours:
            phi = power["phi"].sel(metric=a, metric_2=b).item()
            yield compare("Table 1 (TREC-8)", a, b, published, phi, within=_WITHIN, close=0.02)
        else:
            yield Cell("Table 1 (TREC-8)", a, b, published, None, "not checkable", _NO_RUNS)


def _table_2() -> Iterator[Cell]:
    why = "the runs of the TREC 2004 Terabyte track are not public as scores"
    return (
        Cell("Table 2 (Terabyte 2004)", METRICS[i], METRICS[j], TABLE_2[i][j - i], None, "not checkable", why)
        for i, j in _pairs()
    )


def _figure_1(power: xr.Dataset) -> Iterator[Cell]:
    """Give the three lines of the figure at each number of topics; AP, as complex a metric, where it has nDCG."""
    drawn = "a line without printed values; with 25 topics it is the cell of Table 1"
    for a, b in (("nDCG", "nDCG"), ("P@10", "P@10"), ("nDCG", "P@10")):
        printed = _printed(b, a)
        for at, size in enumerate(SIZES):
            instead = [name.replace("nDCG", "AP") for name in (a, b)]
            phi = power["curve"].sel(metric=instead[0], metric_2=instead[1]).values[at]
            row, column = f"{a}, {b}", f"{size} topics"
            published = printed if size == SIZES[-1] else None
            if "nDCG" in (a, b):
                yield Cell("Figure 1", row, column, published, None, "not checkable", _NO_RUNS)
                yield Cell("Figure 1, with AP for nDCG", ", ".join(instead), column, None, phi, "ours", drawn)
            elif published is not None:
                yield compare("Figure 1", row, column, published, phi, within=_WITHIN, close=0.02)
            else:
                yield Cell("Figure 1", row, column, None, phi, "ours", drawn)


def _claims(power: xr.Dataset) -> Iterator[Cell]:
    """Set the text's claim, that AP predicts simple metrics as well as they do, beside its table and beside ours."""
    for target in ("P@10", "RR"):
        printed = _printed(target, "AP") - _printed(target, target)
        gain, interval = _gain(power, target)
        note = f"the text says 0 or more; {interval}" + (
            "; the paper's own table denies it" if printed < 0 else "; so the data allow the claim"
        )
        row = f"AP over {target} itself"
        cell = compare("Section 3", row, "25 topics", round(printed, 2), gain, within=0.012, close=0.02)
        yield replace(cell, note=f"{row}: {note}")
    yield Cell("Section 3", "RBP(p=0.98)", "as AP and nDCG", None, None, "not checkable", _NO_RUNS)
    curve, names = power["curve"].values, list(power["metric"].values)
    ap, p10 = names.index("AP"), names.index("P@10")
    for at, size in enumerate(SIZES):
        gain = float(curve[at, ap, p10] - curve[at, p10, p10])
        note = "the text: below 0 at 5 topics, marginally above with more (said of nDCG)"
        yield Cell("Section 3, with AP for nDCG", "AP over P@10 itself", f"{size} topics", None, gain, "ours", note)


def _elsewhere(power: xr.Dataset) -> Iterator[Cell]:
    """Give TREC-7 the same treatment: the headline is a fact about a collection."""
    for a, b in (("P@10", "P@10"), ("P@10", "RR"), ("P@10", "AP"), ("RR", "RR"), ("RR", "AP"), ("AP", "AP")):
        phi = power["phi"].sel(metric=a, metric_2=b).item()
        yield Cell("TREC-7, not in the paper", a, b, None, phi, "ours", "as Table 1")
    for target in ("P@10", "RR"):
        gain, interval = _gain(power, target)
        note = f"{interval}; negative where the paper's TREC-8 says 0 or more"
        row = f"AP over {target} itself"
        yield Cell("TREC-7, not in the paper", row, "25 topics", None, gain, "ours", f"{row}: {note}")


def _gain(power: xr.Dataset, target: str) -> tuple[float, str]:
    gain, low, high = (power[name].sel(metric="AP", metric_2=target).item() for name in ("advantage", "low", "high"))
    return gain, f"95% interval {low:.3f} to {high:.3f}"
