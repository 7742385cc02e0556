"""What becomes of significant differences on other topics."""

import numpy as np
import pytest
import scipy.stats

from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.replication import replication


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
