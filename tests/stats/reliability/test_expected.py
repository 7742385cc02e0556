"""Expected tau against the authors' figures, and against the tau that simulated truth gives."""

import json
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from scipy.special import erfinv
from scipy.stats import rankdata, t

from irmeta.stats.rankings.rank import tau_a
from irmeta.stats.reliability.expected import (
    _errors,
    by_normal_scores,
    expected,
    half_tau,
    pairs,
    spread,
    stepped,
    tau_interval,
)

from .test_components import kept


@pytest.mark.data
def test_figures_of_sigir2016(data):
    """Expected tau and tau_AP by both estimators are those of the authors' R code, for every file we have."""
    goldens = json.loads((data / "reliability" / "goldens.json").read_text())[
        "sigir2016-correlation"
    ]["computed"]
    assert len(goldens) == 20
    here = [golden for golden in goldens if (data / golden["data"]).is_file()]
    assert len(here) == 12
    for golden in here:
        found = expected(
            pairs(kept(data / golden["data"], golden["drop"]), golden["estimator"])
        )
        np.testing.assert_allclose(
            [found.tau, found.tau_ap], [golden["Etau"], golden["EtauAP"]], atol=1e-12
        )
        assert found.undefined == golden["undefined_pairs"]


@pytest.mark.data
def test_figures_of_the_other_file_of_trec8(data):
    """With the two cells that differ, TREC-8 gives the authors' figures to 6 decimals: they move by less."""
    goldens = json.loads((data / "reliability" / "goldens.json").read_text())[
        "sigir2016-correlation"
    ]["computed"]
    theirs = [golden for golden in goldens if golden["data"].endswith("adhoc8.csv")]
    assert len(theirs) == 4
    for golden in theirs:
        scores = kept(data / "matrices" / "trec8-adhoc" / "AP.csv", golden["drop"])
        found = expected(pairs(scores, golden["estimator"]))
        np.testing.assert_allclose(
            [found.tau, found.tau_ap], [golden["Etau"], golden["EtauAP"]], atol=1e-6
        )


@pytest.mark.data
def test_expected_tau_of_robust_2004(data):
    """On 249 topics the expected tau by ML is .927."""
    scores = np.genfromtxt(
        data / "matrices" / "robust2004-249" / "AP.csv", delimiter=",", skip_header=1
    )[:, 1:]
    assert round(expected(pairs(scores)).tau, 3) == 0.927


def test_a_loop_over_pairs_says_the_same():
    """Expected tau and tau_AP are the sums of the formulas, a pair at a time."""
    scores = np.random.default_rng(0).random((6, 15))
    scores = scores[np.argsort(-scores.mean(axis=1))]
    p = np.zeros((6, 6))
    for i in range(6):
        for j in range(i + 1, 6):
            d = scores[i] - scores[j]
            e = erfinv(2 * rankdata(d) / 16 - 1)
            sd = np.sqrt(2) * (d * e).sum() / (2 * (e**2).sum())
            p[i, j] = t.cdf(-d.mean() / sd * np.sqrt(15), 14)
    found = expected(pairs(scores, "MSQD"))
    assert np.isclose(found.tau, 1 - 2 * p.sum() / 15)
    assert np.isclose(
        found.tau_ap, 1 - 2 / 5 * sum(p[:j, j].mean() for j in range(1, 6))
    )


@pytest.mark.parametrize("decimals", [1, 8])
def test_tied_differences_share_their_rank(decimals):
    """Normal scores are those of mean ranks, as scipy computes them, with ties and without."""
    scores = np.random.default_rng(0).random((8, 20)).round(decimals)
    ours = by_normal_scores(scores)
    for i in range(8):
        for j in range(i + 1, 8):
            d = scores[i] - scores[j]
            e = erfinv(2 * rankdata(d) / 21 - 1)
            assert np.isclose(
                ours[i, j], np.sqrt(2) * (d * e).sum() / (2 * (e**2).sum())
            )


def test_spread_is_that_of_the_differences():
    """The deviation of each pair's differences is numpy's, and exactly 0 where there is none."""
    scores = np.random.default_rng(0).random((5, 12))
    scores[4] = scores[0] + 0.25
    expected_spread = (scores[:, None] - scores).std(axis=-1, ddof=1)
    np.testing.assert_allclose(
        spread(scores), np.where(expected_spread < 1e-12, 0, expected_spread), atol=1e-9
    )
    assert spread(scores)[0, 4] == 0


def test_equal_systems_count_as_ranked_rightly():
    """A pair that differs on no topic has no probability: it is counted, and its p is 0."""
    scores = np.random.default_rng(0).random((3, 10)) + np.array([[0.0], [3.0], [6.0]])
    found = expected(pairs(np.concatenate([scores, scores[:1]])))
    assert found.undefined == 1
    assert found.tau > 0.999


def test_expected_tau_is_the_mean_tau_with_the_truth():
    """Of simulated collections, tau with the true ranking is on average what is expected, and lies in its interval."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0, 1, 15)
    taus, promised, inside = [], [], []
    for _ in range(200):
        scores = truth[:, None] + rng.normal(size=(15, 30)) + rng.normal(size=30)
        tau = float(tau_a(truth, scores.mean(axis=1)))
        half = float(tau_a(scores[:, ::2].mean(axis=1), scores[:, 1::2].mean(axis=1)))
        low, high = tau_interval(scores, half, rng)
        taus.append(tau)
        promised.append(expected(pairs(scores)).tau)
        inside.append(low <= tau <= high)
    assert abs(np.mean(taus) - np.mean(promised)) < 0.03
    assert np.mean(inside) > 0.9


def test_an_interval_of_five_topics_need_not_end_at_1():
    """With 5 topics ends come from all sizes of errors, and the lower the agreement of halves, the lower they are."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(20, 1)) + 2 * rng.normal(size=(20, 5))
    ends = [tau_interval(scores, half, np.random.default_rng(0)) for half in (0.2, 0.6)]
    assert ends[0][1] < 0.95
    assert ends[0][0] < ends[1][0]
    assert ends[0][1] < ends[1][1]


def test_tau_from_halves_is_that_of_normal_scores():
    """Where systems' means and errors are normal, tau between halves steps up to tau with the truth, within .02."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=4000)
    halves_ = truth + rng.normal(0, 1.5, (2, 4000))
    half = float(tau_a(*halves_))
    whole = float(tau_a(truth, halves_.mean(axis=0)))
    assert abs(stepped(half, 2) - whole) < 0.02
    assert abs(stepped(half, 2) - float(tau_a(truth, halves_[0]))) > 0.05


def test_errors_of_few_topics_are_not_taken_to_move_systems_together():
    """Errors of independent systems have small correlations with 10 topics, those of near-clones keep theirs."""
    rng = np.random.default_rng(0)
    own = rng.normal(size=(40, 10))
    clones = own + 0.1 * rng.normal(size=(40, 10))
    errors, _ = _errors(np.concatenate([own, clones]), rng, 4000)
    r = np.corrcoef(errors.T)
    apart = r[:40, :40][np.triu_indices(40, 1)]
    # of the topics' own weights 1 / 9
    assert (apart**2).mean() < 0.04
    assert np.diag(r[:40, 40:]).min() > 0.9
    sd = np.concatenate([own, clones]).std(axis=1, ddof=1) / np.sqrt(10)
    assert abs(errors.std(axis=0) / sd - 1).mean() < 0.1


def test_the_variance_of_errors_is_known_less_well_where_few_topics_make_it():
    """Scores of one topic in five that is hard have fewer degrees of freedom than those of topics alike."""
    rng = np.random.default_rng(0)
    alike = rng.normal(size=(30, 25))
    skewed = alike * np.where(np.arange(25) % 5 == 0, 5, 0.2)
    freedom = [_errors(scores, rng, 2)[1] for scores in (alike, skewed)]
    assert freedom[0] > 100
    assert freedom[1] < 30


def test_scores_that_never_vary_have_an_interval():
    """Systems that score the same on every topic are ranked as they are."""
    scores = np.repeat(np.arange(4.0)[:, None], 6, axis=1)
    assert tau_interval(scores, 1.0, np.random.default_rng(0)) == (1.0, 1.0)


def test_halves_of_few_values_are_compared_by_tau_a():
    scores = np.random.default_rng(1).integers(0, 3, size=(6, 4)) / 2
    found = half_tau(scores[..., None], 4000, np.random.default_rng(0))
    each = [
        scipy.stats.kendalltau(*_halves(scores, list(half))).statistic
        * np.sqrt(np.prod([_untied(one) for one in _halves(scores, list(half))]))
        for half in combinations(range(4), 2)
    ]
    assert found.item() == pytest.approx(np.mean(each), abs=0.02)


def _halves(scores, first):
    other = [topic for topic in range(scores.shape[1]) if topic not in first]
    return scores[:, first].mean(axis=1), scores[:, other].mean(axis=1)


def _untied(means):
    first, second = np.triu_indices(len(means), 1)
    return (means[first] != means[second]).mean()


def test_systems_that_are_the_same_do_not_count_between_halves():
    rng = np.random.default_rng(1)
    apart = np.arange(4)[:, None] + 0.01 * rng.random((4, 8))
    twice = np.concatenate([apart, apart[:1]])
    found = half_tau(twice[..., None], 20, rng)
    assert found.item() == pytest.approx(1.0)


def test_nothing_is_known_where_all_systems_are_the_same():
    found = half_tau(np.ones((3, 6, 1)), 20, np.random.default_rng(1))
    assert found.item() == 0.0
