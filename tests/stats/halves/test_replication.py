"""What becomes of significant differences on other topics."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.replication import _means_and_p, replication
from irmeta.stats.tests.paired import over_pairs, t


def drawn(topics, partitions, seed=0):
    return halves(
        shuffles(topics, partitions, np.random.default_rng(seed)),
        (topics // 2, topics // 2),
    )


def test_shares_are_those_of_a_loop():
    """Every pair is tested by scipy on either half, and its outcome on the other half counted."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(6, 16)) + 0.4 * np.arange(6)[:, None]
    sets = drawn(16, 5)
    counts, sizes = np.zeros(4), np.zeros(2)
    for one in sets:
        for here, there in (one, one[::-1]):
            for a in range(6):
                for b in range(a + 1, 6):
                    tests = [
                        scipy.stats.ttest_rel(scores[a, half], scores[b, half])
                        for half in (here, there)
                    ]
                    if tests[0].pvalue >= 0.05:
                        continue
                    sign = np.sign(tests[0].statistic)
                    means = [
                        sign * (scores[a, half] - scores[b, half]).mean()
                        for half in (here, there)
                    ]
                    sure = tests[1].pvalue < 0.05
                    counts += [
                        1,
                        sure and means[1] > 0,
                        means[1] < 0,
                        sure and means[1] < 0,
                    ]
                    sizes += means
    found = replication(scores, sets, correct="none")
    assert found.found == counts[0] / 10
    assert list(found[1:4]) == pytest.approx(list(counts[1:] / counts[0]))
    assert found.shrunk == pytest.approx(sizes[1] / sizes[0])


def test_false_findings_do_not_replicate():
    """Of systems that do not differ, significant differences come again in about 1 of 40, and half turn round."""
    scores = np.random.default_rng(1).normal(size=(60, 40))
    found = replication(scores, drawn(40, 10), correct="none")
    assert found.again < 0.1
    assert 0.3 < found.opposite < 0.7
    assert abs(found.shrunk) < 0.35


def test_without_findings_there_is_nothing_to_replicate():
    """Equal systems have no significant difference: shares are unknown."""
    found = replication(np.zeros((3, 8)), drawn(8, 2))
    assert found.found == 0
    assert np.isnan(found[1:]).all()


@example(1, 0, 18)
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 1, 3]), st.integers(4, 30))
def test_one_product_is_as_good_as_all_differences(
    seed: int, decimals: int, topics: int
) -> None:
    """Means and p of all pairs are those of their differences, also of systems that are equal, or nearly."""
    drawn = np.random.default_rng(seed)
    scores = (drawn.random((5, 1)) + drawn.random((5, topics))).round(decimals)
    shifted = scores[0] + 0.01
    touched = scores[1].copy()
    touched[0] += 1e-7
    scores = np.stack([*scores, scores[0], shifted, touched])
    mean, p = _means_and_p(scores, np.triu_indices(len(scores), 1), 1.0)
    assert mean == pytest.approx(over_pairs(lambda one: one.mean(axis=1), scores))
    assert p == pytest.approx(over_pairs(t, scores), rel=1e-6)
