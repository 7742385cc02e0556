"""How alike ranked lists are: as repro_eval computes it, by hand, and at the ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.rankings.lists import overlap, tau_union

LISTS = st.permutations([f"d{at:02}" for at in range(12)]).map(lambda one: one[:8])


@pytest.mark.parametrize(
    ("first", "again", "tau", "rbo", "shallow"),
    [
        (
            "d05 d06 d12 d08 d10 d01 d02 d00",
            "d02 d04 d03 d07 d12 d11 d13 d01",
            *(0.14285714285714, 0.1400466661622685, 0.024369347929557354),
        ),
        (
            "d13 d08 d01 d06 d11 d07 d03 d00",
            "d09 d05 d00 d12 d01 d07 d06 d02",
            *(0.21428571428571, 0.1900628691563381, 0.024369347929557354),
        ),
    ],
)
def test_figures_are_those_of_repro_eval(first, again, tau, rbo, shallow):
    """They equal what repro_eval 0.5.0 returns, which rounds tau to 14 decimals."""
    lists = first.split(), again.split()
    assert tau_union(*lists) == pytest.approx(tau, abs=1e-12)
    assert overlap(*lists) == pytest.approx(rbo, abs=1e-12)
    assert overlap(*lists, p=0.8, depth=5) == pytest.approx(shallow, abs=1e-12)


def test_tau_union_depends_on_the_names_of_documents():
    """Two lists that share no document agree fully where both run through the sorted union the same way."""
    assert tau_union(["a", "b", "c"], ["d", "e", "f"]) == 1
    assert tau_union(["a", "b", "c"], ["f", "e", "d"]) == pytest.approx(-1)


def test_the_longer_list_is_cut():
    """Ranks that only one list has are left out; one rank has no order."""
    assert tau_union(["a", "b"], ["b", "a", "c"]) == pytest.approx(-1)
    assert np.isnan(tau_union(["a"], ["a", "b"]))


def test_overlap_by_hand():
    """Agreements 0, 1 and 2/3 at depths 1 to 3, weighted by 1, 1/2 and 1/4."""
    found = overlap(["a", "b", "c"], ["b", "a", "d"], p=0.5, depth=3)
    assert found == pytest.approx((0 + 0.5 + 0.25 * 2 / 3) / 1.75)


@given(LISTS, LISTS)
def test_overlap_is_symmetric_and_full_only_with_itself(first, again):
    """It lies in [0, 1], does not depend on the order of the two, and is 1 for a list that reaches the depth."""
    assert overlap(first, again) == pytest.approx(overlap(again, first))
    assert 0 <= overlap(first, again) <= 1
    assert overlap(first, first, depth=8) == pytest.approx(1)


@pytest.mark.filterwarnings("ignore")
@given(LISTS, LISTS)
def test_repro_eval_itself_agrees(first, again):
    """The package itself, where it is installed, gives the same two figures."""
    theirs = pytest.importorskip("repro_eval.measure.document_order")
    runs = [
        {"1": {document: 20.0 - at for at, document in enumerate(one)}}
        for one in (first, again)
    ]
    tau = theirs.KTU(*runs, per_topic=True)["1"]
    assert tau_union(first, again) == pytest.approx(tau, abs=1e-12)
    rbo = theirs.RBO(*runs, 0.95, 1000, False, True)["1"]
    assert overlap(first, again) == pytest.approx(rbo, abs=1e-12)
