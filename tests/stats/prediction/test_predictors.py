"""Best subsets against a loop over scikit-learn and scipy, one fit a subset."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.linear_model import LinearRegression

from irmeta.errors import ScoresError
from irmeta.stats.prediction.predictors import best_predictors, chunks, folds


def scores(seed, count, metrics=5):
    rng = np.random.default_rng(seed)
    return np.round(
        rng.normal(size=(count, 1)) + 0.5 * rng.normal(size=(count, metrics)), 2
    )


def looped(pairs, target, size, metrics):
    """The first subset with the highest mean tau over (train, dev) pairs, and that tau."""
    best, kept = -2.0, ()
    for subset in combinations(
        [metric for metric in range(metrics) if metric != target], size
    ):
        taus = []
        for train, dev in pairs:
            model = LinearRegression().fit(train[:, subset], train[:, target])
            predicted = model.predict(dev[:, subset]).round(10)
            taus.append(kendalltau(dev[:, target], predicted).statistic)
        if np.mean(taus) > best + 1e-12:
            best, kept = np.mean(taus), subset
    return kept, best


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 3))
def test_best_subsets_are_those_of_a_loop_over_scikit_learn(seed, size):
    """For every target the subset and its tau are those found one fit at a time."""
    train, dev = scores(seed, 30), scores(seed + 1, 9)
    best = best_predictors(folds([train], [dev]), range(5), range(5), size)
    for target in range(5):
        kept, tau = looped([(train, dev)], target, size, 5)
        assert tuple(best.predictors[target]) == kept
        assert best.tau[target] == pytest.approx(tau)


def test_without_dev_each_training_collection_is_predicted_from_the_others():
    """Leave-one-out folds fit on the rows of the other collections and average their taus."""
    parts = [scores(seed, 12) for seed in range(3)]
    best = best_predictors(folds(parts, []), range(5), [0, 3], 2)
    pairs = [(np.concatenate(parts[:i] + parts[i + 1 :]), parts[i]) for i in range(3)]
    for row, target in enumerate([0, 3]):
        kept, tau = looped(pairs, target, 2, 5)
        assert tuple(best.predictors[row]) == kept
        assert best.tau[row] == pytest.approx(tau)


def test_leaving_out_needs_two_collections():
    """One training collection and no dev collection is an error."""
    with pytest.raises(ScoresError, match="at least 2 training collections"):
        folds([scores(0, 12)], [])


def test_first_of_equal_subsets_wins():
    """Of two identical predictors the one tried first is kept."""
    train, dev = scores(1, 30, 3), scores(2, 9, 3)
    train[:, 2], dev[:, 2] = train[:, 1], dev[:, 1]
    assert best_predictors(
        folds([train], [dev]), range(3), [0], 1
    ).predictors.tolist() == [[1]]
    assert best_predictors(
        folds([train], [dev]), [2, 1], [0], 1
    ).predictors.tolist() == [[2]]


def test_target_is_never_its_own_predictor():
    """A target among the candidates would win every time, and does not."""
    best = best_predictors(
        folds([scores(1, 30)], [scores(2, 9)]), range(5), range(5), 1
    )
    assert (best.predictors[:, 0] != np.arange(5)).all()


def test_constant_dev_scores_have_no_tau_and_keep_the_first_subset():
    """Where no tau is defined the tau reported is minus infinity and the first candidates stay."""
    train, dev = scores(1, 30), scores(2, 9)
    dev[:, 4] = 0.5
    best = best_predictors(folds([train], [dev]), range(4), [4], 2)
    assert best.tau[0] == -np.inf


def test_chunks_are_all_combinations_in_order():
    """Chunks of 4 hold, one after the other, what itertools.combinations gives."""
    parts = list(chunks(range(5), 3, 4))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert [tuple(row) for row in np.concatenate(parts)] == list(
        combinations(range(5), 3)
    )
