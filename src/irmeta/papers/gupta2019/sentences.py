"""Section 5: what the text says of its table of predictions."""

from collections.abc import Iterator

import numpy as np

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.prediction import NOT_RELEASED, PRINTED, released
from irmeta.papers.gupta2019.printed import PREDICTION, rows
from irmeta.papers.gupta2019.released import TESTS, Tables
from irmeta.stats.arrays import Floats
from irmeta.studies.checks.reproduction import Cell, claim, compare, lacking

ITEM = "Section 5, text"
NEEDS_OTHERS = (
    "Bpref",
    "GMAP",
    "AP",
    "nDCG",
    "Rprec on WT2013 and WT2014",
    "R@100 on WT2013",
)
"""Targets of which the text speaks, and whose rows were not all released."""
S2_ONLY = ("RBP(p=0.5)", "RBP(p=0.8)")
"""Targets that Kutlu et al. list and Gupta et al. leave out of their table."""

OF_THE_TABLE = "said of the figures of its table"
"""Why a sign needs no interval: the sentence describes printed figures, not other systems or topics."""

Measured = dict[tuple[str, int], Floats]
"""By target and number of predictors: tau and R2 on the three collections, (2, collection)."""


def sentence_cells(tables: Tables) -> Iterator[Cell]:
    """Hold each sentence to the rows that it speaks of, where all of them were released."""
    found = _measured(tables)
    yield from _averages(found)
    yield from _levels(found)
    yield from _patterns(found)
    yield from _counts()
    yield from _offsets(tables)
    for what in NEEDS_OTHERS:
        yield lacking(ITEM, what, "what is said of its rows", NOT_RELEASED)
    tau, r2 = (
        max((cell[at].max(), row) for row, cell in found.items()) for at in (0, 1)
    )
    best = float(tau[1] == r2[1] == ("RBP(p=0.8)", 3))
    why = f"{NOT_RELEASED}: of the 108 cases {3 * len(found)} are available; ours is 1 if it is the best of these"
    row, column = "RBP(p=0.8), 3 predictors", "highest R2 and tau of all 108 cases"
    yield lacking(ITEM, row, column, why, ours=best)


def _measured(tables: Tables) -> Measured:
    """Measure the models of which all scores were released."""
    return {
        (target, len(names)): np.array([[one.tau, one.r2] for one in fit.tests]).T
        for target, names, fit in released(tables)
    }


def _averages(found: Measured) -> Iterator[Cell]:
    """Return tau and R2 averaged over the three collections."""
    for target, *printed in (("P@10", 0.912, 0.983), ("RBP(p=0.5)", 0.919, 0.924)):
        row, means = f"{target}, 2 predictors", found[target, 2].mean(axis=1)
        columns = ("mean tau", "mean R2")
        for column, published, ours in zip(columns, printed, means, strict=True):
            # print averages figures that it has rounded, which adds half a digit
            yield compare(ITEM, row, column, published, ours, within=2 * PRINTED)


def _levels(found: Measured) -> Iterator[Cell]:
    """Hold the sentences that say how high tau and R2 are."""
    tau, r2 = found["RBP(p=0.8)", 2].min(axis=1)
    row = "RBP(p=0.8), 2 predictors"
    said = "more than .9 tau and .98 R2 on all collections"
    yield claim(ITEM, row, "lowest tau", tau, said=said, least=0.9)
    yield claim(ITEM, row, "lowest R2", r2, said=said, least=0.98)
    err = max(found["ERR@20", k][0].max() for k in (1, 2, 3))
    yield claim(
        ITEM, "ERR@20", "highest tau", err, said="never reaches .9", most=0.8995
    )
    single = np.concatenate([cell[0] for (_, k), cell in found.items() if k == 1])
    said = "generally a single measure is not sufficient to reach tau = .9"
    column, share = "share of cases with tau of .9", (single >= 0.9).mean()
    yield claim(ITEM, "1 predictor", column, share, said=said, most=0.5)
    lowest = max(found["RR", k][0].min() for k in (1, 2, 3))
    said = "no set of predictors yields high performance on all three collections"
    yield claim(
        ITEM, "RR", "highest of the lowest taus", lowest, said=said, most=0.8995
    )
    on_dev = min(found["RBP(p=0.95)", k][0, 0] for k in (2, 3))
    said = "on WT2012 we reach high accuracy with 2 and 3 predictors"
    row, column = "RBP(p=0.95), wt2012", "lowest tau with 2 or 3"
    yield claim(ITEM, row, column, on_dev, said=said, least=0.9)
    for at, test in enumerate(TESTS[1:], 1):
        behind = min(
            found[other, k][0, at] - found["RBP(p=0.95)", k][0, at]
            for other in S2_ONLY
            for k in (1, 2)
        )
        said = "noticeably lower than RBP(0.5) and RBP(0.8)"
        row, column = f"RBP(p=0.95), {test}", "least lag of tau, 1 or 2 predictors"
        yield claim(ITEM, row, column, behind, said=said, least=0.05)


def _patterns(found: Measured) -> Iterator[Cell]:
    """Return the two patterns that the text finds over the number of predictors."""
    for test in ("wt2012", "wt2014"):
        tau, r2 = np.array([found["RR", k][:, TESTS.index(test)] for k in (1, 2, 3)]).T
        lag = float(r2[tau.argmax()] - r2.min())
        said = "the number of predictors with the highest tau has the worst R2"
        column = "its R2 less the worst R2"
        yield claim(
            *(ITEM, f"RR, {test}", column, lag), said=said, most=0, exact=OF_THE_TABLE
        )
    steps = np.diff([found["ERR@20", k][1] for k in (1, 2, 3)], axis=0)
    said = "R2 increases on all three collections as measures are added"
    column = "smallest step of R2"
    yield claim(
        *(ITEM, "ERR@20", column, steps.min()), said=said, least=0, exact=OF_THE_TABLE
    )


def _counts() -> Iterator[Cell]:
    """Count in the printed tables what the text counts in them."""
    for paper, left_out in (("Kutlu et al.", ()), ("Gupta et al.", S2_ONLY)):
        used = [
            name
            for target, names, _ in rows(PREDICTION)
            if target not in left_out
            for name in split(names)
        ]
        for metric, published in (("RR", 10), ("RBP(p=0.8)", 9)):
            times = used.count(metric)
            known = f"the table of {paper} lists it {times} times"
            cell = (ITEM, f"{paper}, {metric}", "times selected", published, times)
            yield compare(*cell, within=0, known=known)
    known = "'10 metrics' are followed by 12 names"
    listed = len({target for target, *_ in rows(PREDICTION)})
    row = "Gupta et al., metrics predicted"
    yield compare(ITEM, row, "number", 10, listed, within=0, known=known)


def _offsets(tables: Tables) -> Iterator[Cell]:
    """Say whether negative R2 stems from curvature, as the text has it, or from an offset of the collection."""
    tests = [one for *_, fit in released(tables) for one in fit.tests]
    without = [float(one.r2_offset_removed) for one in tests if one.r2 < 0]
    said = "negative R2 contradicts a linear relationship"
    known = "without the mean error of the collection every R2 is positive: the relation is linear, and shifted"
    row = f"{len(without)} cases with R2 below 0"
    column = "lowest R2 once the mean error is taken off"
    yield claim(
        *(ITEM, row, column, min(without)),
        said=said,
        most=0,
        exact=OF_THE_TABLE,
        known=known,
    )
