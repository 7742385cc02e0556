"""Tables 1 and 2, Figure 1, and what the text says of them."""

from collections.abc import Iterator

import xarray as xr

from irmeta.papers.webber2008_redundant.power import (
    METRICS,
    SIZES,
    Gain,
    Signs,
    gain,
    gains_by_size,
    phi,
)
from irmeta.studies.checks.reproduction import Cell, claim, compare, lacking, ours_only

TABLE_1 = (
    (0.50, 0.40, 0.53, 0.51, 0.50),
    (0.39, 0.41, 0.36, 0.37),
    (0.58, 0.57, 0.55),
    (0.63, 0.60),
    (0.61,),
)
TABLE_2 = (
    (0.64, 0.48, 0.64, 0.64, 0.64),
    (0.36, 0.48, 0.47, 0.47),
    (0.68, 0.70, 0.69),
    (0.80, 0.79),
    (0.80,),
)
PRINTED, TERABYTE = (
    {
        (METRICS[i], METRICS[i + j]): value
        for i, row in enumerate(table)
        for j, value in enumerate(row)
    }
    for table in (TABLE_1, TABLE_2)
)
"""Phi of two metrics: on TREC-8, and on TREC 2004 Terabyte."""
WITHIN = 0.008  # half a unit of the second decimal, and two standard errors of the difference of two Monte-Carlo means
NO_RUNS = "needs the TREC-8 runs or their RBP and nDCG: the public TREC-8 matrices hold AP, P@10 and RR only"
NO_TERABYTE = "needs the runs of the TREC 2004 Terabyte track or their scores, which are not public"
SECTION_3 = "Section 3 (TREC-8)"
OWN_TABLE = "the paper's own Table 1 denies it: .36 and .37 against .39"


def trec8_cells(best: xr.Dataset, every: xr.Dataset, signs: Signs) -> Iterator[Cell]:
    """Return what is said of TREC-8. best : among the top 75% of systems.  every : among all of them."""
    for (a, b), published in PRINTED.items():
        if {a, b} <= set(best["metric"].values):
            yield compare(
                "Table 1 (TREC-8)", a, b, published, phi(best, a, b), within=WITHIN
            )
        else:
            yield lacking("Table 1 (TREC-8)", a, b, NO_RUNS, published=published)
    yield from _figure_1(best)
    yield from _claims(best, every, signs)


def terabyte_cells() -> Iterator[Cell]:
    """List what is said of TREC 2004 Terabyte."""
    for (a, b), published in TERABYTE.items():
        yield lacking("Table 2 (Terabyte 2004)", a, b, NO_TERABYTE, published=published)
    for row, column in (
        ("complex metrics and P@10 over RR itself", "advantage"),
        ("RBP(p=0.98)", "consistent with AP and nDCG"),
        ("complex metrics over P@10 itself", "greater with fewer topics"),
    ):
        yield lacking("Section 3 (Terabyte 2004)", row, column, NO_TERABYTE)


def _figure_1(power: xr.Dataset) -> Iterator[Cell]:
    """Yield the points of Figure 1: of P@10 and AP those that the scores give, of nDCG that they are lacking."""
    curve = power["curve"].assign_coords(size=list(SIZES))
    for a, b in (("P@10", "P@10"), ("AP", "AP"), ("AP", "P@10")):
        row, note = f"{a}, {b}", "a line without printed values"
        for size in SIZES:
            ours = curve.sel(metric=a, metric_2=b, size=size).item()
            yield ours_only("Figure 1", row, f"{size} topics", ours, note)
    for a, b in (("nDCG", "nDCG"), ("nDCG", "P@10")):
        for size in SIZES:
            yield lacking("Figure 1", f"{a}, {b}", f"{size} topics", NO_RUNS)


def _claims(best: xr.Dataset, every: xr.Dataset, signs: Signs) -> Iterator[Cell]:
    """Hold sentences of section 3 to TREC-8."""
    said = "the simple metrics are poorer self-predictors, RR particularly so"
    for at, (a, b) in enumerate((("AP", "P@10"), ("P@10", "RR"))):
        row = f"{a} less {b}, each of itself"
        apart = Gain(phi(best, a, a) - phi(best, b, b), *signs.interval(at))
        yield _not_negative(row, "phi", apart, said)
    said = "complex metrics are as good at predicting the simple ones as these are themselves"
    for target, known in (("P@10", ""), ("RR", OWN_TABLE)):
        found, row = gain(best, "AP", target), f"AP over {target} itself"
        yield _not_negative(row, "advantage", found, said, known)
    row, ours = "P@10 over RR itself", gain(best, "P@10", "RR").value
    yield ours_only(SECTION_3, row, "advantage", ours, "Table 1 prints .40 and .39")
    said = "the trends are also observable with the full system sets"
    found, row = gain(every, "AP", "P@10"), "AP over P@10 itself, all systems"
    yield _not_negative(row, "advantage", found, said)
    row, ours = "AP over RR itself, all systems", gain(every, "AP", "RR").value
    yield ours_only(SECTION_3, row, "advantage", ours)
    by_size = gains_by_size(best, "AP", "P@10")
    said = "other complex metrics, too, gain on P@10 as topics are added"
    grown = Gain(by_size[SIZES[-1]] - by_size[SIZES[0]], *signs.interval(2))
    column = "advantage with 25 topics less with 5"
    yield _not_negative("AP over P@10 itself", column, grown, said)
    for size, ours in by_size.items():
        why = f"said of nDCG: below 0 with 5 topics, marginally above with more; ours is of AP; {NO_RUNS}"
        row = "nDCG over P@10 itself"
        yield lacking(SECTION_3, row, f"{size} topics", why, ours=ours)


def _not_negative(
    row: str, column: str, ours: Gain, said: str, known: str = ""
) -> Cell:
    """Hold a sentence that says that a figure is 0 or more to ours with its interval."""
    return claim(
        *(SECTION_3, row, column, ours.value),
        said=f"{said} ({ours})",
        least=0,
        interval=(ours.low, ours.high),
        known=known,
    )
