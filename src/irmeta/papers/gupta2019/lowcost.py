"""Section 5.1, Figure 2: costly metrics from metrics of the first documents."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from irmeta.papers.gupta2019.printed import LOWCOST, rows
from irmeta.papers.gupta2019.released import CHEAP, DEPTHS, TESTS, Tables, cheap
from irmeta.studies.checks.reproduction import Cell, lacking, ours_only
from irmeta.studies.prediction.lowcost import lowcost

WHY = "needs the training scores of runs cut at each depth, which were not released; ours trains and selects on WT2012"
COSTLY = ("P", "AP", "nDCG", "RBP")
ELSEWHERE = {"P": "P@1000", "AP": "AP@1000", "nDCG": "nDCG@1000", "RBP": "RBP(p=0.95)"}


def lowcost_cells(tables: Tables) -> Iterator[Cell]:
    """Return every point of the figure by stand-in, and what the text says of them."""
    targets = [cheap(name, depth) for depth in (1000, 100) for name in COSTLY]
    tests = {name: tables[name] for name in TESTS[1:]}
    dev = {"wt2012": tables["wt2012"]}
    found = lowcost(
        {"train": tables["wt2012"]}, tests, dev=dev, targets=targets, proper=True
    ).isel(judgments=0)
    yield from _points(found)
    yield from _sentences(found)


def _points(found: xr.Dataset) -> Iterator[Cell]:
    """List tau and R2 of both parts of the figure; tau of four lines was read off it, to .02."""
    read = {(target, test): figures.split() for target, test, figures in rows(LOWCOST)}
    for high in (1000, 100):
        for name in COSTLY:
            target = cheap(name, high)
            for test in TESTS:
                printed = dict(zip(DEPTHS, read.get((target, test), []), strict=False))
                for depth in DEPTHS:
                    one = found.sel(target=target, collection=test, depth=depth)
                    published = float(printed[depth]) if depth in printed else None
                    item = f"Figure 2{'a' if high == 1000 else 'b'}"
                    row = f"{name}@{high} {test}"
                    tau, r2 = one["tau"].item(), one["r2"].item()
                    column = f"tau D={depth}"
                    yield lacking(item, row, column, WHY, published=published, ours=tau)
                    yield lacking(item, row, f"R2 D={depth}", WHY, ours=r2)


def _sentences(found: xr.Dataset) -> Iterator[Cell]:
    """List what the text reads from the figure, with the figure that each sentence is about."""
    p, ap, ndcg, rbp = (cheap(name, 1000) for name in COSTLY)
    deep = found.sel(depth=slice(30, None), target=rbp)
    tau = found["tau"]
    of_ap = tau.sel(target=ap, collection="wt2012")
    of_both = tau.sel(target=[p, ndcg])
    mean = tau.mean(["depth", "collection"])
    gains = [
        (tau.sel(target=cheap(n, 100)) - tau.sel(target=cheap(n, 1000))).values
        for n in COSTLY
    ]
    many = "RBP@1000, D of 30 or more"
    said = (
        (many, "lowest tau (above .9)", deep["tau"].min()),
        (many, "lowest R2 (above .98)", deep["r2"].min()),
        ("MAP@1000, wt2012", "highest tau (reaches .9)", of_ap.max()),
        ("P@1000 and nDCG@1000", "highest tau (never high)", of_both.max()),
        ("depth 100 instead of 1000", "mean gain of tau (above 0)", np.mean(gains)),
        ("RBP@1000", "mean tau (the most predictable)", mean.sel(target=rbp)),
        ("P@1000", "mean tau (the least predictable)", mean.sel(target=p)),
    )
    for row, column, ours in said:
        yield lacking("Section 5.1, text", row, column, WHY, ours=float(ours))


def lowcost_elsewhere(covid: Tables) -> Iterator[Cell]:
    """Train on one round of TREC-COVID and predict another."""
    wanted = [
        *ELSEWHERE.values(),
        *(cheap(name, depth) for name in CHEAP for depth in DEPTHS),
    ]
    cubes = {name: cube.sel(metric=wanted) for name, cube in covid.items()}
    train = {"round1": cubes["round1"]}
    found = lowcost(
        {"train": cubes["round1"]},
        {"round3": cubes["round3"]},
        dev=train,
        targets=[*ELSEWHERE.values()],
    )
    found = found.isel(judgments=0).sel(collection="round3")
    note = "trained and selected on TREC-COVID round 1, tested on round 3"
    for name, target in ELSEWHERE.items():
        for depth in DEPTHS:
            one = found.sel(target=target, depth=depth)
            for measure in ("tau", "r2"):
                row, column = f"{name}@1000", f"{measure} D={depth}"
                ours = one[measure].item()
                yield ours_only("Figure 2a on TREC-COVID", row, column, ours, note)
