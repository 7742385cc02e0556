import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.judging.passes import own_share, own_share_over_topics

SEEDS = st.integers(0, 2**32 - 1)


def test_the_share_is_that_of_the_noise_between_passes():
    """Grades that differ from the truth by a lasting part and by each pass's own have the share of the second."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=20_000)
    lasting = 0.3 + 0.4 * rng.normal(size=20_000)
    for passes in (2, 5):
        given_ = truth + lasting + 0.7 * rng.normal(size=(passes, 20_000))
        assert own_share(given_, truth) == pytest.approx(0.49 / 0.74, abs=0.01)


@given(seed=SEEDS)
def test_a_judge_that_never_changes_its_mind_has_no_share(seed):
    """Equal passes have the share 0, and passes about the truth itself the share 1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 30).astype(float)
    other = np.tile(truth + 1, (3, 1))
    assert own_share(other, truth) == 0
    about = truth + np.array([[1.0], [-1.0]])
    assert own_share(about, truth) == 1


def test_topics_are_left_out_in_turn():
    """The interval is the jackknife's over topics, written out."""
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(6), 5)
    truth = rng.integers(0, 4, 30).astype(float)
    given_ = truth + rng.normal(size=(3, 30)) + 1.5
    found = own_share_over_topics(given_, truth, topic)
    without = [
        own_share(given_[:, topic != one], truth[topic != one]) for one in range(6)
    ]
    error = np.sqrt(5 * np.var(without))
    assert found.value == pytest.approx(own_share(given_, truth))
    assert found.high - found.value == pytest.approx(2.570582 * error, rel=1e-6)
