"""Section 5: is the published set of predictors the one that the paper's search finds? One rule for every row."""

from collections.abc import Iterator

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.prediction import (
    NOT_RELEASED,
    STAND_IN,
    fitted,
    is_released,
    row_of,
)
from irmeta.papers.gupta2019.printed import PREDICTION, rows
from irmeta.papers.gupta2019.released import TESTS, Tables
from irmeta.studies.checks.reproduction import Cell, claim, lacking
from irmeta.studies.prediction.predictors import predictors

ELEVEN = (
    *("Rprec", "Bpref", "RR", "ERR@20", "AP@1000", "nDCG@1000", "P@10", "R@100"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"),
)
"""The paper's twelve metrics in the order of its code, with stand-ins for AP and nDCG; GMAP was not released."""

Chosen = dict[tuple[str, int], tuple[list[str], float]]
"""By target and number of predictors: the set that the search finds, and its tau on WT2012."""


def selection_cells(tables: Tables) -> Iterator[Cell]:
    """Search as the paper prints it: all sets of the released metrics, the first with the highest tau on WT2012.

    Where all scores of a row were released, a set of released metrics that wins over the published one contradicts it.
    A set that holds AP@1000 or nDCG@1000 does not: what the metrics that these stand for would do is not known.
    """
    chosen = _search(tables)
    for target, names, _ in rows(PREDICTION):
        row = row_of(target, names)
        fit = fitted(tables, target, names)
        if fit is None:
            yield lacking("selection", row, "found first", NOT_RELEASED)
            continue
        found, tau = chosen[STAND_IN.get(target, target), len(split(names))]
        same = set(found) == {STAND_IN.get(name, name) for name in split(names)}
        told = f"{', '.join(found)} has tau {tau:.3f} on WT2012, the published set {float(fit.tests[0].tau):.3f}"
        stands_in = bool(set(found) & set(STAND_IN.values()))
        if not is_released(target, names):
            why = f"{NOT_RELEASED}; with stand-ins {told}"
            yield lacking("selection", row, "found first", why, ours=float(same))
        elif stands_in and not same:
            why = f"{NOT_RELEASED}; a stand-in wins: {told}"
            yield lacking("selection", row, "found first", why, ours=0.0)
        else:
            said = f"the best on WT2012; {told}"
            yield claim("selection", row, "found first", same, said=said, least=1)


def _search(tables: Tables) -> Chosen:
    """Find the predictors of every metric among the ten others."""
    tests = {name: tables[name] for name in TESTS[1:]}
    found = predictors(
        {"train": tables["train"]},
        tests,
        dev={"wt2012": tables["wt2012"]},
        metrics=ELEVEN,
    )
    chosen = {}
    for target in found.target.values:
        for size in found["size"].values:
            one = found.sel(target=target, size=size)
            names = one["coefficient"].dropna("metric").metric.values.tolist()
            chosen[str(target), int(size)] = names, one["chosen_by"].item()
    return chosen
