import numpy as np
import pytest
import scipy.stats

from irmeta.stats import standardizers
from irmeta.stats.partial import partial_means


@pytest.mark.parametrize("kind", ["normal", "empirical", "max"])
def test_drawing_all_systems_gives_the_full_factors(kind):
    """A draw of every standardizing system leaves nothing to chance."""
    rng = np.random.default_rng(0)
    old, new = rng.uniform(size=(6, 4)), rng.uniform(size=(5, 4))
    expected = standardizers.standardize(new, standardizers.fit(old), kind).mean(axis=1)
    found = partial_means(old, new, 6, 3, kind, rng)
    np.testing.assert_allclose(found, np.broadcast_to(expected, (3, 5)), rtol=0, atol=1e-12)


def test_draws_are_those_of_a_loop():
    """The batch equals scipy's zmap and normal distribution draw by draw, across more than one chunk."""
    rng = np.random.default_rng(1)
    old, new = rng.uniform(size=(20, 40)), rng.uniform(size=(50, 40))
    found = partial_means(old, new, 5, 200, "normal", np.random.default_rng(2))
    drawn = np.random.default_rng(2).random((200, 20)).argsort(axis=1)[:, :5]
    for means, systems in zip(found, drawn, strict=True):
        z = scipy.stats.zmap(new, old[systems], axis=0, ddof=1)
        np.testing.assert_allclose(means, scipy.stats.norm.cdf(z).mean(axis=1), rtol=0, atol=1e-12)


def test_a_topic_on_which_the_drawn_systems_score_alike_decides_nothing():
    """With two equal old systems the topic gives every new system one half."""
    old = np.array([[0.2, 0.1], [0.2, 0.3]])
    found = partial_means(old, np.array([[0.9, 0.2], [0.0, 0.2]]), 2, 1, "normal", np.random.default_rng(0))
    assert found.tolist() == [[0.5, 0.5]]
