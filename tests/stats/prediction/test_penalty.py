"""What a new run loses: the model, its intervals, and that they hold."""

import numpy as np
import pytest
from scipy.optimize import nnls

from irmeta.errors import ScoresError
from irmeta.stats.prediction import penalty


def world(rng, groups, runs=3, noise=0.2):
    """Losses of runs in groups: a part of unjudged documents and of the score, times what is particular to a group."""
    group = np.repeat(np.arange(groups), runs)
    unjudged, score = (
        rng.uniform(0.05, 0.6, group.size),
        rng.uniform(0.1, 0.7, group.size),
    )
    factor = rng.gamma(4, 0.25, groups)[group] + rng.normal(0, noise, group.size)
    return (0.02 + 0.2 * score) * unjudged * factor, unjudged, score, group


def test_the_model_is_found_where_there_is_no_error():
    """Slopes of losses that follow the model are those of it, and intervals have no width."""
    _, unjudged, score, group = world(np.random.default_rng(0), 8)
    loss = 0.1 * unjudged + 0.3 * score * unjudged
    learned = penalty.fit(loss, unjudged, score, group)
    assert learned.slopes == pytest.approx([0.1, 0.3])
    assert penalty.band(learned, unjudged, score).high == pytest.approx(loss, abs=1e-9)


def test_a_group_counts_once_however_many_runs_it_has():
    """Submitting each run of one group three times changes neither slopes nor intervals."""
    cases = world(np.random.default_rng(1), 10, runs=2)
    more = np.concatenate([np.arange(20), np.repeat([0, 1], 2)])
    once, often = penalty.fit(*cases), penalty.fit(*(part[more] for part in cases))
    new = np.array([0.2, 0.5]), np.array([0.6, 0.1])
    for part, other in zip(
        penalty.band(once, *new, 0.8), penalty.band(often, *new, 0.8), strict=True
    ):
        assert part == pytest.approx(other)


def test_a_run_without_unjudged_documents_loses_nothing():
    """The expected loss is 0 where every document is judged."""
    learned = penalty.fit(*world(np.random.default_rng(2), 12))
    assert penalty.band(
        learned, np.zeros(2), np.array([0.1, 0.9])
    ).expected.tolist() == [0, 0]


def test_left_out_groups_are_predicted_from_the_others():
    """`leave_out` says of a group what `band` says that learned from all others."""
    loss, unjudged, score, group = world(np.random.default_rng(3), 9)
    found = penalty.leave_out(loss, unjudged, score, group)
    out = group == 4
    others = np.unique(group[~out], return_inverse=True)[1]
    learned = penalty.fit(loss[~out], unjudged[~out], score[~out], others)
    expected = penalty.band(learned, unjudged[out], score[out])
    for part, other in zip(found, expected, strict=True):
        assert part[out] == pytest.approx(other)


def test_intervals_are_those_of_the_jackknife():
    """The ends are the second lowest and highest of 12 groups' predictions, each with its own scaled error."""
    loss, unjudged, score, group = world(np.random.default_rng(7), 12, runs=1)
    u, s = 0.4, 0.5
    highs, lows = [], []
    for one in group:
        others = group != one
        x = np.stack([unjudged, score * unjudged], axis=1)
        slopes = np.linalg.lstsq(x[others], loss[others])[0]
        # the squared errors of all others, each predicted without itself, by non-negative least squares on 1 and u²
        errors = np.array(
            [
                loss[i]
                - x[i] @ np.linalg.lstsq(np.delete(x, i, axis=0), np.delete(loss, i))[0]
                for i in group
            ]
        )
        shares = np.stack([np.ones(11), unjudged[others] ** 2], axis=1)
        v, w = nnls(shares, errors[others] ** 2)[0]
        size = abs(errors[one]) / np.sqrt(v + w * unjudged[one] ** 2)
        centre, reach = slopes @ [u, s * u], size * np.sqrt(v + w * u**2)
        lows.append(centre - reach)
        highs.append(centre + reach)
    found = penalty.band(
        penalty.fit(loss, unjudged, score, group), np.array([u]), np.array([s]), 0.8
    )
    # 0.8 (1 + 1 / 12) of 12 groups is 10.4: the eleventh
    assert found.high == pytest.approx(sorted(highs)[10])
    assert found.low == pytest.approx(sorted(lows)[1])


def test_left_out_groups_are_treated_as_new_ones():
    """Of 31 groups in 25 worlds, 90% intervals hold 28, as exchangeable errors must, and seldom one more or less."""
    rng, held = np.random.default_rng(11), []
    for _ in range(25):
        # bad runs find what nobody has judged
        unjudged = np.clip(rng.beta(1.2, 1.5, 31), 0.01, 1)
        score = np.clip(0.7 * (1 - unjudged) + rng.normal(0, 0.05, 31), 0, 1)
        loss = (
            (0.12 - 0.1 * unjudged + 0.25 * score)
            * unjudged
            * (rng.gamma(4, 0.25, 31) + rng.normal(0, 0.2, 31))
        )
        cases = loss, unjudged, score, np.arange(31)
        held.append(penalty.coverage(loss, penalty.leave_out(*cases), cases[3]))
    assert np.mean(held) == pytest.approx(28 / 31, abs=0.005)
    assert np.std(held) < 0.012


def test_few_groups_are_refused():
    """Four groups teach nothing."""
    with pytest.raises(ScoresError, match="5 groups"):
        penalty.fit(*world(np.random.default_rng(5), 4))


def test_intervals_widen_with_the_level():
    """A higher level reaches further, also beyond the largest error seen."""
    learned = penalty.fit(*world(np.random.default_rng(6), 12))
    ends = [
        penalty.band(learned, np.array([0.4]), np.array([0.5]), level).high.item()
        for level in (0.5, 0.8, 0.95, 0.99)
    ]
    assert ends == sorted(set(ends))


@pytest.mark.parametrize("groups", [6, 10, 15])
def test_few_groups_hold_with_less_width_than_no_model(groups):
    """Of few groups, whose factors are skewed, 90% of new losses are held, by less than the mean loss needs alone."""
    rng, held, width, plain = np.random.default_rng(groups), [], [], []
    for _ in range(100):
        group = np.repeat(np.arange(groups + 15), 3)
        factor = rng.gamma(4, 0.25, groups + 15)[group]
        unjudged, score = (rng.uniform(0.05, high, group.size) for high in (0.6, 0.7))
        loss, old = (0.02 + 0.2 * score) * unjudged * factor, group < groups
        learned = penalty.fit(loss[old], unjudged[old], score[old], group[old])
        found = penalty.band(learned, unjudged[~old], score[~old])
        held.append(penalty.coverage(loss[~old], found, group[~old] - groups))
        width.append((found.high - found.low).mean())
        plain.append(2 * 1.645 * loss.std())
    assert np.mean(held) > 0.88
    assert np.mean(width) < np.mean(plain)
