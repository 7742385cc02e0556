"""Pools measured on runs: distinct documents by depth, and the names of metrics judged to a depth."""

import os

import numpy as np
import pytest

from irmeta.errors import FileFormatError
from irmeta.evaluation import lists
from irmeta.evaluation.engine import evaluate
from irmeta.studies.design.depths import pooled_name, pools


def runs(systems=20, topics=3, documents=40):
    """Make runs of random documents, by name."""
    rng = np.random.default_rng(0)
    return {
        f"s{i}": {
            str(t): {
                f"d{d}": float(-r)
                for r, d in enumerate(rng.permutation(documents)[:15])
            }
            for t in range(topics)
        }
        for i in range(systems)
    }


def test_pools_are_the_union_of_the_first_documents():
    """Sizes are the distinct documents by topic, as sets count them; the judged share is that of the qrels."""
    made, qrels = (
        runs(),
        {str(t): {f"d{d}": d % 2 for d in range(10)} for t in range(3)},
    )
    found = pools(qrels, made, [1, 5, 12])
    for depth, size in found.sizes.items():
        union = [
            {d for run in made.values() for d in list(run[str(t)])[:depth]}
            for t in range(3)
        ]
        assert size == sum(map(len, union)) / 3
        judged = sum(
            len(documents & set(qrels[str(t)])) for t, documents in enumerate(union)
        )
        assert found.known[depth] == pytest.approx(judged / sum(map(len, union)))
    assert found.judged == 10


def test_topics_that_nobody_judged_are_not_pooled():
    """A run's other topics do not count."""
    assert pools({"0": {"d1": 1}}, runs(), [1]).sizes[1] == len(
        {next(iter(run["0"])) for run in runs().values()}
    )


def test_batches_change_nothing(monkeypatch):
    """How many runs are read together does not matter."""
    qrels = {str(t): {"d1": 1} for t in range(3)}
    whole = pools(qrels, runs(), [5])
    monkeypatch.setattr(lists, "BATCH", 3)
    assert pools(qrels, runs(), [5]) == whole


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("AP", "AP(pool=5)"),
        ("nDCG@10", "nDCG(pool=5)@10"),
        ("nDCG(gains='exp')@10", "nDCG(gains='exp', pool=5)@10"),
    ],
)
def test_a_metric_is_named_with_its_pool(metric, name):
    """The name is one that irmeta computes."""
    assert pooled_name(metric, 5) == name


def test_a_pipe_cannot_be_pooled(tmp_path):
    """A run from a pipe is refused where pool= would read it twice, rather than found empty the second time."""
    pipe = tmp_path / "run"
    os.mkfifo(pipe)
    with pytest.raises(FileFormatError, match="a pipe can be read only once"):
        evaluate({"1": {"a": 1}}, pipe, "AP AP(pool=5)")


def test_equal_hashes_pool_nothing_else(colliding):
    """Ids whose hash is that of a judged document neither put it into a pool nor count as one document with it."""
    decoy, other = colliding("doc-7", 2)
    qrels = {"1": {"doc-7": 1, "x": 0}}
    crafted = {
        "a": {"1": {decoy: 3.0, "x": 2.0, "doc-7": 1.0}},
        "b": {"1": {other: 3.0}},
    }
    found = pools(qrels, crafted, [1])
    assert (found.sizes[1], found.known[1]) == (2, 0)
    # doc-7 stands on rank 3 alone: no pool of depth 2 holds it, and no run can score
    assert evaluate(qrels, crafted, "NumRel(pool=2)").values.tolist() == [
        [[0.0]],
        [[0.0]],
    ]
    assert evaluate(qrels, crafted, "NumRel(pool=3)").values.tolist() == [
        [[1.0]],
        [[1.0]],
    ]
