"""Figures of reproductions: those that repro_eval prints, Fieller's interval as what t does not reject, and limits."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.tests.reproduced import (
    Two,
    change,
    p_value,
    ratio,
    relative,
    rmse,
    topics_needed,
)

A, B = (
    np.array([0.449, 0.549, 0.883, 0.819, 0.864, 0.278]),
    np.array([0.415, 0.359, 0.884, 0.958, 0.151, 0.176]),
)
A_AGAIN, B_AGAIN = (
    np.array([0.232, 0.233, 0.485, 0.589, 0.263, 0.004]),
    np.array([0.419, 0.369, 0.566, 0.953, 0.69, 0.515]),
)
A_OTHER, B_OTHER = (
    np.array([0.618, 0.676, 0.054, 0.9, 0.78]),
    np.array([0.875, 0.798, 0.392, 0.399, 0.104]),
)
"""Drawn scores of an advanced and a baseline run: in the original, again on the same topics, and on five others."""


@pytest.mark.parametrize(
    ("advanced", "baseline", "together", "printed"),
    [
        (
            *(A_AGAIN, B_AGAIN, True),
            {
                "er": -1.897664071190211,
                "dri": 0.7912337061727881,
                "p": (0.0021920516614133347, 0.4750241650619781),
            },
        ),
        (
            *(A_OTHER, B_OTHER, False),
            {
                "er": 0.6140155728587319,
                "dri": 0.12634288236620395,
                "p": (0.846257462255831, 0.9121695966889258),
            },
        ),
    ],
    ids=["same topics", "other topics"],
)
def test_figures_are_those_of_repro_eval(advanced, baseline, together, printed):
    """Effect ratio, delta relative improvement and p equal what repro_eval 0.5.0 returns for the same scores."""
    leads = Two(A - B, advanced - baseline, together)
    of_advanced, of_baseline = Two(A, advanced, together), Two(B, baseline, together)
    assert ratio(leads, 0.95).value == pytest.approx(printed["er"], abs=1e-12)
    delta = relative(of_advanced, of_baseline, 0.95).value
    assert delta == pytest.approx(printed["dri"], abs=1e-12)
    found = p_value(of_advanced), p_value(of_baseline)
    assert found == pytest.approx(printed["p"], abs=1e-12)


def test_rmse_is_that_of_repro_eval():
    """So is RMSE."""
    found = [rmse(Two(*pair, True)) for pair in ((A, A_AGAIN), (B, B_AGAIN))]
    assert found == pytest.approx([0.36389696343882844, 0.2906048290491173], abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_repro_eval_itself_agrees():
    """The package itself, where it is installed, gives the same figures for scores that are drawn."""
    effects = pytest.importorskip("repro_eval.measure.overall_effects")
    statistics = pytest.importorskip("repro_eval.measure.statistics")
    errors = pytest.importorskip("repro_eval.measure.effectiveness")
    drawn = np.random.default_rng(5).random((4, 30))
    scores = [{str(t): {"AP": float(x)} for t, x in enumerate(one)} for one in drawn]
    leads = Two(drawn[0] - drawn[1], drawn[2] - drawn[3], True)
    runs = [Two(drawn[at], drawn[at + 2], True) for at in (0, 1)]
    ours = [
        ratio(leads, 0.95).value,
        relative(*runs, 0.95).value,
        p_value(runs[0]),
        p_value(runs[0]._replace(together=False)),
        rmse(runs[0]),
    ]
    theirs = [
        effects.ER(*scores)["AP"],
        effects.DRI(*scores)["AP"],
        statistics.ttest(scores[0], scores[2])["AP"],
        statistics.ttest(scores[0], scores[2], rpd=False)["AP"],
        errors.RMSE(scores[0], scores[2])["AP"],
    ]
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(st.integers(0, 10_000), st.booleans())
def test_the_interval_of_a_ratio_is_what_t_does_not_reject(seed, together):
    """At either end r of the interval, the mean of again - r first is as far from 0 as t allows."""
    rng = np.random.default_rng(seed)
    first = 0.3 + 0.1 * rng.normal(size=9)
    again = first + 0.1 * rng.normal(size=9) if together else rng.normal(0.2, 0.2, 12)
    found = ratio(Two(first, again, together), 0.95)
    q = scipy.stats.t.ppf(0.975, 8)
    for end in found[1:]:
        mean = again.mean() - end * first.mean()
        if together:
            error = scipy.stats.sem(again - end * first)
        else:
            error = np.hypot(scipy.stats.sem(again), end * scipy.stats.sem(first))
        assert abs(mean) == pytest.approx(q * error, rel=1e-6)


def test_a_lead_that_is_not_shown_has_no_ratio_with_an_interval():
    """Where the original's lead may be 0, the ratio has a value and no interval."""
    found = ratio(
        Two(np.array([0.2, -0.1, 0.0]), np.array([0.1, 0.1, 0.2]), True), 0.95
    )
    assert found.value == pytest.approx(4)
    assert np.isnan(found[1:]).all()
    nothing = ratio(Two(np.zeros(3), np.ones(3), True), 0.95)
    assert np.isnan(nothing).all()


def test_change_is_the_paired_or_welchs_interval_of_scipy():
    """The interval of a change is that of scipy's paired t test, and on other topics that of Welch's."""
    paired = scipy.stats.ttest_rel(A_AGAIN, A).confidence_interval(0.9)
    assert change(Two(A, A_AGAIN, True), 0.9)[1:] == pytest.approx(paired)
    welch = scipy.stats.ttest_ind(A_OTHER, A, equal_var=False).confidence_interval(0.9)
    assert change(Two(A, A_OTHER, False), 0.9)[1:] == pytest.approx(welch)


def test_equal_scores_are_no_evidence():
    """The same scores again have ratio 1, p = 1 and RMSE 0."""
    same = Two(A, A.copy(), True)
    assert ratio(same, 0.95) == pytest.approx((1, 1, 1))
    assert p_value(same) == 1
    assert rmse(same) == 0
    assert p_value(Two(np.full(3, 0.5), np.full(4, 0.5), False)) == 1


def test_one_topic_has_no_interval():
    """Of means alone there are ratios and changes without intervals or p."""
    one = Two(np.array([0.4]), np.array([0.5]), True)
    assert ratio(one, 0.95).value == pytest.approx(1.25)
    assert np.isnan([*ratio(one, 0.95)[1:], *change(one, 0.95)[1:], p_value(one)]).all()
    assert topics_needed(one, 0.5, 0.95) == np.inf


def test_the_topics_needed_show_it_in_four_of_five_samples():
    """With as many topics as are said to be needed, a lead that is all there is shown in about 80% of samples."""
    rng = np.random.default_rng(3)

    def drawn(topics):
        first = rng.normal(0.05, 0.1, topics)
        return Two(first, first + rng.normal(0, 0.1, topics), True)

    needed = topics_needed(drawn(20_000), 0.5, 0.95)
    shown = [ratio(drawn(int(needed)), 0.95).low > 0.5 for _ in range(400)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.07)


def test_a_small_original_is_not_mended_by_many_topics_of_another_collection():
    """On other topics no number suffices where the original's own mean is too uncertain."""
    rng = np.random.default_rng(0)
    first, again = rng.normal(0.05, 0.2, 10), rng.normal(0.05, 0.2, 1000)
    assert topics_needed(Two(first, again, False), 0.5, 0.95) == np.inf
    first = rng.normal(0.05, 0.02, 500)
    assert 100 < topics_needed(Two(first, again, False), 0.5, 0.95) < 2000
