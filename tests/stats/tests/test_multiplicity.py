import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeta.stats.tests import multiplicity

P = arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1))


def test_holm_by_hand():
    """The smallest p is multiplied by the number of tests, the next by one less, and none falls below one before it."""
    np.testing.assert_allclose(
        multiplicity.holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02]
    )


@given(P)
def test_holm_lies_between_no_correction_and_bonferroni(p):
    """Holm corrects at most as much as multiplying every p by their number."""
    corrected = multiplicity.holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(1, p * p.size) + 1e-15).all()


@given(P)
def test_bh_is_that_of_scipy_and_rejects_at_least_what_holm_does(p):
    """Controlling the share of false rejections costs less than controlling any."""
    corrected = multiplicity.bh(p)
    np.testing.assert_array_equal(corrected, scipy.stats.false_discovery_control(p))
    assert (corrected <= multiplicity.holm(p) + 1e-12).all()


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_systems_share_a_letter_exactly_if_they_do_not_differ(size, seed, share):
    """The compact letter display says neither more nor less than the tests, and repeats no group."""
    upper = np.triu(np.random.default_rng(seed).random((size, size)) < share, 1)
    differ = upper | upper.T
    groups = [set(one) for one in multiplicity.letters(differ)]
    for a in range(size):
        for b in range(a):
            assert bool(groups[a] & groups[b]) == (not differ[a, b])
    members = [
        frozenset(s for s in range(size) if number in groups[s])
        for number in set().union(*groups)
    ]
    assert not any(one < other for one in members for other in members)


@pytest.mark.parametrize("freedom", [1, 2, 7, 49, 5000])
@pytest.mark.parametrize("count", [2, 3, 23, 90])
def test_quantile_of_the_range_is_that_of_scipy(count, freedom):
    """By scipy's distribution 5% lie above Tukey's quantile; with one degree of freedom scipy has fewer digits."""
    found = np.sqrt(2) * multiplicity.range_quantile(count, freedom)
    above = scipy.stats.studentized_range.sf(found, count, freedom)
    assert above == pytest.approx(0.05, rel=1e-5 if freedom == 1 else 1e-9)


def test_one_figure_has_the_quantile_of_two():
    """A single figure makes no difference: it is treated as one of two."""
    assert multiplicity.range_quantile(1, 9) == multiplicity.range_quantile(2, 9)
