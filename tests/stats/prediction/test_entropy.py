"""Rankings of greatest entropy: what they keep, and that nothing has more entropy."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from irmeta.evaluation.engine import evaluate
from irmeta.stats.prediction import entropy
from irmeta.stats.prediction.entropy import extended, likeliest, sum_of_precisions


def scores(relevance):
    """Return the number of relevant documents and the sum of the precisions at them, from 0s and 1s."""
    relevance = np.asarray(relevance, dtype=np.float64)[None]
    return relevance.sum(axis=1), sum_of_precisions(relevance)


def uncertainty(p):
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-(p * np.log(p) + (1 - p) * np.log(1 - p)).sum())


def test_the_sum_of_precisions_of_a_ranking():
    """Relevant documents at ranks 1, 3 and 4 have the precisions 1, 2/3 and 3/4."""
    assert scores([1, 0, 1, 1])[1].item() == pytest.approx(1 + 2 / 3 + 3 / 4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 1), min_size=2, max_size=40))
def test_it_has_the_scores_that_it_was_given(relevance):
    """Whatever the ranking, the one of greatest entropy has as many relevant documents and the same precisions."""
    found, precisions = scores(relevance)
    p = likeliest(found, precisions, len(relevance))
    assert p.shape == (1, len(relevance))
    assert ((p >= 0) & (p <= 1)).all()
    assert p.sum() == pytest.approx(found.item(), abs=1e-6)
    assert sum_of_precisions(p).item() == pytest.approx(precisions.item(), abs=1e-6)


@pytest.mark.parametrize(
    "relevance", [[1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0]]
)
def test_scipy_finds_no_ranking_of_more_entropy(relevance):
    """SLSQP, started at several points, ends at the same entropy under the same two constraints."""
    found, precisions = scores(relevance)
    ours = uncertainty(likeliest(found, precisions, len(relevance)))
    same = [
        {"type": "eq", "fun": lambda p: p.sum() - found[0]},
        {"type": "eq", "fun": lambda p: sum_of_precisions(p[None])[0] - precisions[0]},
    ]
    rng = np.random.default_rng(1)
    best = -np.inf
    for _ in range(5):
        start = rng.uniform(0.1, 0.9, len(relevance))
        bounds = [(1e-9, 1 - 1e-9)] * len(relevance)
        with warnings.catch_warnings():
            # a step of older SLSQP leaves the bounds, and is put back
            warnings.simplefilter("ignore", RuntimeWarning)
            got = minimize(
                lambda p: -uncertainty(p),
                start,
                bounds=bounds,
                constraints=same,
                options={"maxiter": 500},
            )
        if got.success:
            best = max(best, -got.fun)
    assert ours == pytest.approx(best, abs=1e-5)


def test_precisions_as_of_an_even_ranking_leave_every_rank_alike():
    """With the sum of precisions that equal odds give, odds are equal: there is nothing else to know."""
    even = np.full((1, 12), 0.25)
    np.testing.assert_allclose(
        likeliest(np.array([3.0]), sum_of_precisions(even), 12), even, atol=1e-9
    )


def test_more_precision_moves_relevance_up():
    """Of two rankings with 4 relevant documents in 20, that of greater AP has more of them expected in the first 5."""
    low, high = (
        likeliest(np.array([4.0]), np.array([value]), 20)[0, :5].sum()
        for value in (1.0, 2.5)
    )
    assert high > low + 1


def test_extremes_are_certain():
    """None, all, the first ones and the last ones: one ranking only has these scores."""
    for relevance in ([0, 0, 0], [1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 1, 1]):
        np.testing.assert_array_equal(
            likeliest(*scores(relevance), len(relevance))[0], relevance
        )


def test_what_is_left_spreads_evenly():
    """6 of 8 relevant documents are beyond the first 2 ranks: each of 10 further ranks has .6, and never above 1."""
    p = np.array([[1.0, 1.0]])
    np.testing.assert_allclose(extended(p, np.array([8.0]), 12), [[1, 1, *[0.6] * 10]])
    np.testing.assert_allclose(extended(p, np.array([80.0]), 12), [[1] * 12])
    np.testing.assert_allclose(extended(p, np.array([1.0]), 4), [[1, 1, 0, 0]])


def test_scores_of_a_certain_ranking_are_those_that_evaluate_gives():
    """Where each rank is 0 or 1, every expected score is the metric itself."""
    relevance = np.array([1, 0, 1, 1, 0, 0, 0, 1])
    run = {"1": {f"d{i}": float(-i) for i in range(8)}}
    qrels = {
        "1": {f"d{i}": int(value) for i, value in enumerate(relevance)} | {"unseen": 1}
    }
    metrics = ["P@5", "R@8", "AP", "nDCG", "RBP(p=0.9)"]
    truth = evaluate(qrels, {"a": run}, metrics).values[0, 0]
    p, relevant = relevance[None].astype(float), np.array([5.0])
    ours = [
        entropy.precision(p, 5),
        entropy.recall(p, relevant),
        entropy.average_precision(p, relevant),
        entropy.ndcg(p, relevant),
        entropy.rank_biased_precision(p, 0.9),
    ]
    np.testing.assert_allclose(np.ravel(ours), truth, rtol=1e-12)


def test_a_topic_without_relevant_documents_scores_0():
    """No share of nothing is computed."""
    p, none = np.zeros((1, 4)), np.zeros(1)
    assert [
        f(p, none).item()
        for f in (entropy.recall, entropy.average_precision, entropy.ndcg)
    ] == [0, 0, 0]
