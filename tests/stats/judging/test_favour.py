"""Favour against independent computations."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.judging.favour import unpaired


def test_favour_on_other_topics_is_welchs_test():
    """With topics of its own a judge's favour of a family is the difference of two independent means."""
    rng = np.random.default_rng(5)
    truth, judge = rng.normal(size=(4, 30)), rng.normal(0.2, 2, size=(4, 9))
    members = np.array([[0.5, 0.5, 0, 0], [0, 0, 0, 1]])
    found = unpaired([truth, judge], members)
    for group in range(2):
        ours = [members[group] @ (one - one.mean(axis=0)) for one in (judge, truth)]
        expected = stats.ttest_ind(*ours, equal_var=False)
        interval = expected.confidence_interval(0.95)
        assert found.favour[0, group] == pytest.approx(ours[0].mean() - ours[1].mean())
        assert found.p[0, group] == pytest.approx(expected.pvalue)
        assert found.low[0, group] == pytest.approx(interval.low)
        assert found.high[0, group] == pytest.approx(interval.high)


def test_what_does_not_vary_is_certain():
    """Without any variance a favour is certain, and none is none."""
    flat = np.array([[0.5, 0.5], [0.25, 0.25]])
    found = unpaired([flat, flat, flat[::-1]], np.eye(2))
    assert found.p.tolist() == [[1.0, 1.0], [0.0, 0.0]]
