"""The scores that NIST published, and those of Robust 2003, from the runs themselves."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from irmeta.evaluation.engine import evaluate
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means

ROUNDS = {
    "round1": {
        "ndcg@10": "nDCG@10",
        "p@5": "P@5",
        "RBP(p=.5)": "RBP(p=0.5)",
        "bpref": "Bpref",
        "MAP": "AP",
    },
    "round3": {
        "ndcg@10": "nDCG@10",
        "P@5": "P@5",
        "rbp_p5": "RBP(p=0.5)",
        "bpref": "Bpref",
        "map": "AP",
    },
}
RUNS = {"round1": 143, "round3": 79}
IN_FLOAT64 = {
    "round1": [
        ("BERT", "nDCG@10"),
        ("BERT", "RBP(p=0.5)"),
        ("BERT", "Bpref"),
        ("BERT", "AP"),
    ],
    "round3": [
        (run, metric)
        for metric in ("nDCG@10", "RBP(p=0.5)")
        for run in ("UIowaS_Rd3MLReRank", "UIowaS_Run2")
    ],
}
"""The published scores that float64 does not give: these runs have scores that float32 takes for ties."""
PRINTED = 0.00005 + 1e-9
"""Half a unit of the fourth decimal: how far a printed score may be from ours."""


def differing(
    folder: Path, columns: dict[str, str], precision: str
) -> list[tuple[str, str]]:
    """List the (run, metric) whose published score is not ours to its four decimals."""
    published = pl.read_csv(folder / "leaderboard.csv").sort("run")
    cube = evaluate(
        folder / "qrels.txt",
        folder / "runs",
        list(columns.values()),
        score_precision=precision,
    )
    assert published["run"].to_list() == sorted(cube.system.values.tolist())
    ours = means(cube.sel(system=published["run"].to_list()))
    assert not any("lacks" in note for note in about(cube)["notes"])
    return [
        (run, metric)
        for column, metric in columns.items()
        for run, theirs, mean in zip(
            published["run"],
            published[column],
            ours.sel(metric=metric).values,
            strict=True,
        )
        if abs(theirs - mean) > PRINTED
    ]


@pytest.mark.data
@pytest.mark.parametrize("name", ROUNDS)
def test_trec_covid(data: Path, name: str) -> None:
    """All published scores of all runs of a TREC-COVID round come out to four decimals, in float32 as NIST had it."""
    assert len(list((data / "trec-covid" / name / "runs").iterdir())) == RUNS[name]
    assert differing(data / "trec-covid" / name, ROUNDS[name], "float32") == []


@pytest.mark.data
@pytest.mark.parametrize(("name", "cells"), IN_FLOAT64.items())
def test_trec_covid_in_float64(
    data: Path, name: str, cells: list[tuple[str, str]]
) -> None:
    """In float64 exactly these published scores come out otherwise, for float32 ties what float64 tells apart."""
    assert differing(data / "trec-covid" / name, ROUNDS[name], "float64") == cells


@pytest.mark.data
def test_robust_2003(data: Path) -> None:
    """Each of the 17 runs is, to four decimals on every topic, exactly one column of the Robust 2003 matrix."""
    matrix = pl.read_csv(data / "matrices/robust2003/AP.csv").to_numpy()
    cube = evaluate(
        data / "robust03/qrels.txt",
        data / "robust03/runs",
        "AP",
        score_precision="float32",
    )
    order = sorted(cube.topic.values, key=int)
    ours = cube.sel(topic=order, metric="AP").values
    assert ours.shape == (17, 100)
    equal = (np.abs(ours[:, :, None] - matrix) <= PRINTED).all(axis=1)
    assert equal.sum(axis=1).tolist() == [1] * 17
    assert len(set(equal.argmax(axis=1).tolist())) == 17
