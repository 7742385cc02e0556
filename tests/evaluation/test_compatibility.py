"""Compatibility against its definition in plain Python, and against the values published with a paper."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.evaluation.engine import evaluate
from irmeta.io.runs.trec import read_run

DOCUMENTS = [f"d{number}" for number in range(12)]


def overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    """Rank-biased overlap, summed to a depth and not divided by the sum of weights."""
    depths = range(1, depth + 1)
    return sum(p ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d for d in depths)


def brute(run: list[str], grades: dict[str, float], p: float, depth: int) -> float:
    place = {document: rank for rank, document in enumerate(run)}
    good = [document for document in grades if grades[document] > 0]
    ideal = sorted(
        good, key=lambda document: (-grades[document], place.get(document, len(run)))
    )
    best = overlap(ideal, ideal, p, depth)
    return overlap(run, ideal, p, depth) / best if best else 0.0


@given(
    st.dictionaries(
        st.sampled_from(DOCUMENTS), st.sampled_from([-1, 0, 0.5, 1, 2, 3]), min_size=1
    ),
    st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1),
    st.sampled_from([0.5, 0.9]),
    st.sampled_from([None, 1, 3, 20]),
)
def test_definition(
    grades: dict[str, float], ranked: list[str], p: float, k: int | None
) -> None:
    """Compatibility is the rank-biased overlap with the ideal list, over that of the ideal list with itself."""
    lists = {
        "r": {"1": {document: -float(rank) for rank, document in enumerate(ranked)}}
    }
    metric = f"Compatibility(p={p})" + ("" if k is None else f"@{k}")
    assert evaluate({"1": grades}, lists, metric).item() == pytest.approx(
        brute(ranked, grades, p, k or 1000)
    )


def test_the_ideal_list_scores_1() -> None:
    """A run that ranks documents by their grades has compatibility 1, whatever the order within a grade."""
    qrels = {"1": {"a": 2, "b": 2, "c": 1, "n": 0}}
    runs = {"r": {"1": {"b": 9.0, "a": 8.0, "c": 7.0, "n": 6.0}}}
    assert evaluate(qrels, runs, "Compatibility(p=0.9)").item() == pytest.approx(1)


def by_document(path: Path) -> dict[str, dict[str, float]]:
    """Read a run with ties broken by document id, ascending, as the published program has it."""
    run = read_run(path)
    documents = np.array(list(run.documents))
    lists: dict[str, dict[str, float]] = {}
    for place, row in enumerate(np.lexsort((documents, -run.scores))):
        lists.setdefault(run.topics[run.topic[row]], {})[str(documents[row])] = -float(
            place
        )
    return lists


@pytest.mark.data
@pytest.mark.parametrize(
    ("category", "judge"), [("original", "nist"), ("nuggets_all", "nuggets-all-gpt-4o")]
)
def test_published_values(data: Path, category: str, judge: str) -> None:
    """Every compatibility published for 4 runs and each topic of DL 2021 is reproduced to 12 decimals."""
    folder = data / "judges" / "dl2021"
    lines = (
        gzip.decompress((folder / "compatibility" / f"{category}.csv.gz").read_bytes())
        .decode()
        .split()
    )
    names = ["pash_f1", "uogTrPC", "Fast_ForwardP_2", "WLUPassage"]
    paths = [path for path in (folder / "runs").iterdir() if path.stem in names]
    runs = {path.stem: by_document(path) for path in paths}
    cube = evaluate(folder / "qrels" / f"{judge}.txt", runs, "Compatibility(p=0.9)")[
        :, :, 0
    ].to_pandas()
    rows = [line.split(",") for line in lines]
    cells = [
        (cube.loc[run, topic], float(value))
        for run, topic, value in rows
        if run in runs and topic in cube
    ]
    assert len(cells) == len(runs) * 53
    np.testing.assert_allclose(*np.array(cells).T, atol=1e-12)
