"""Leaving groups out of the pool, against evaluating again with the judgments that are left."""

import numpy as np
import pytest

from irmeta.errors import MetricError
from irmeta.evaluation import left_out
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.left_out import NOBODY, SEVERAL

TOPICS, DOCUMENTS = (
    [str(topic) for topic in range(1, 7)],
    [f"d{i:02d}" for i in range(40)],
)
METRICS = (
    "AP AP@20 nDCG@10 nDCG(gains='exp') P@5 R@10 RBP(p=0.8) ERR@20 Bpref Rprec RR infAP Judged@10 "
    "P(judged_only=True)@5 AP(rel=2) RBPResidual(p=0.8) P(rel=0)@10 Bpref(depth=15) SP DCG@5"
)


def made(seed, runs=8, groups=4):
    """Runs, judgments of the first 6 documents of each and of some others, and the runs' groups."""
    rng = np.random.default_rng(seed)
    order = {
        f"s{i}": {
            topic: rng.permutation(DOCUMENTS)[: rng.integers(5, 30)] for topic in TOPICS
        }
        for i in range(runs)
    }
    grades: dict = {topic: {} for topic in TOPICS}
    for lists in order.values():
        for topic, documents in lists.items():
            grades[topic] |= {
                document: int(rng.integers(-1, 3)) for document in documents[:6]
            }
    for topic in TOPICS:
        grades[topic] |= {
            document: int(rng.integers(0, 3)) for document in rng.choice(DOCUMENTS, 3)
        }
    lists = {
        name: {
            topic: {d: -float(rank) for rank, d in enumerate(documents)}
            for topic, documents in of.items()
        }
        for name, of in order.items()
    }
    return grades, lists, [i % groups for i in range(runs)]


def pools(lists, group, depth):
    """By group, which (topic, document) its runs rank so high."""
    found: dict = {}
    for (_, topics), number in zip(lists.items(), group, strict=True):
        for topic, scores in topics.items():
            found.setdefault(number, set()).update(
                (topic, document) for document in list(scores)[:depth]
            )
    return found


@pytest.mark.parametrize("depth", [3, 6, None])
def test_owners_are_those_who_alone_brought_a_judged_document(depth):
    """Each judged document's owner is the only group whose runs rank it so high, NOBODY or SEVERAL."""
    grades, lists, group = made(0)
    looked = left_out.look_up(grades, lists, "AP")
    owner, brought = left_out.owners(looked, group, depth)
    pool = pools(lists, group, depth)
    qrels = looked.task.judgments.qrels
    for judgment, (topic, document) in enumerate(
        zip(qrels.topic, list(qrels.documents), strict=True)
    ):
        who = [
            number
            for number in range(4)
            if (qrels.topics[topic], document) in pool[number]
        ]
        assert owner[judgment] == (
            who[0] if len(who) == 1 else SEVERAL if who else NOBODY
        )
        assert np.flatnonzero(brought[:, judgment]).tolist() == who


@pytest.mark.parametrize("seed", [1, 2])
def test_left_out_scores_are_those_of_the_judgments_that_are_left(seed):
    """Without each group in turn, every metric of every run is what `evaluate` gives for what is left."""
    grades, lists, group = made(seed)
    looked = left_out.look_up(grades, lists, METRICS)
    owner, _ = left_out.owners(looked, group, 6)
    full, left = left_out.without_each(looked, owner, 4)
    names = [str(metric) for metric in looked.metrics]
    np.testing.assert_allclose(
        full, evaluate(grades, lists, names).mean("topic").values, atol=1e-12
    )
    pool = pools(lists, group, 6)
    for number in range(4):
        others = set().union(*(pool[other] for other in range(4) if other != number))
        own = pool[number] - others
        kept = {
            t: {d: g for d, g in of.items() if (t, d) not in own}
            for t, of in grades.items()
        }
        expected = evaluate(
            kept,
            lists,
            [name for name in names if "ERR" not in name and "RBP" not in name],
        )
        at = [
            place
            for place, name in enumerate(names)
            if "ERR" not in name and "RBP" not in name
        ]
        np.testing.assert_allclose(
            left[number][:, at], expected.mean("topic").values, atol=1e-12
        )
        fixed = (
            evaluate(kept, lists, ["ERR(max_rel=2)@20", "RBP(p=0.8, max_rel=2)"])
            .mean("topic")
            .values
        )
        np.testing.assert_allclose(
            left[number][:, [names.index("ERR@20"), names.index("RBP(p=0.8)")]],
            fixed,
            atol=1e-12,
        )


def test_the_order_of_runs_changes_nothing(monkeypatch):
    """Scores are the same however runs are cut into chunks."""
    grades, lists, group = made(3)
    looked = left_out.look_up(grades, lists, METRICS)
    owner, _ = left_out.owners(looked, group, 6)
    whole = left_out.without_each(looked, owner, 4)
    monkeypatch.setattr(left_out, "CHUNK", 1)
    for one, other in zip(whole, left_out.without_each(looked, owner, 4), strict=True):
        np.testing.assert_array_equal(one, other)


def test_metrics_that_depend_on_a_pool_of_their_own_are_refused():
    """A metric with pool= has no meaning once judgments are left out."""
    grades, lists, _ = made(4)
    with pytest.raises(MetricError, match="judgments left out"):
        left_out.look_up(grades, lists, "AP(pool=5)")
