"""What a new run loses: the model, its intervals, and that they hold."""

import numpy as np
import pytest

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
    """Submitting each run of one group three times changes neither slopes nor reach."""
    cases = world(np.random.default_rng(1), 10, runs=2)
    more = np.concatenate([np.arange(20), np.repeat([0, 1], 2)])
    once, often = penalty.fit(*cases), penalty.fit(*(part[more] for part in cases))
    assert often.slopes == pytest.approx(once.slopes)
    assert often.reach(0.8) == pytest.approx(once.reach(0.8))


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


def test_intervals_hold_new_groups():
    """Of new groups, skewed and of unlike errors, 90% intervals hold 87 to 95%; leaving groups out says so before."""
    rng = np.random.default_rng(4)
    held, said = [], []
    for _ in range(60):
        loss, unjudged, score, group = world(rng, 45)
        old = group < 30
        cases = [part[old] for part in (loss, unjudged, score, group)]
        within = penalty.band(penalty.fit(*cases), unjudged[~old], score[~old])
        held.append(penalty.coverage(loss[~old], within, group[~old] - 30))
        said.append(penalty.coverage(cases[0], penalty.leave_out(*cases), cases[3]))
    assert 0.87 < np.mean(held) < 0.95
    assert abs(np.mean(held) - np.mean(said)) < 0.03


def test_few_groups_are_refused():
    """Four groups teach nothing."""
    with pytest.raises(ScoresError, match="5 groups or more"):
        penalty.fit(*world(np.random.default_rng(5), 4))


def test_reach_rises_with_the_level_to_the_largest_error():
    """A higher level reaches further; beyond what groups can say, as far as the largest."""
    learned = penalty.fit(*world(np.random.default_rng(6), 12))
    reached = [learned.reach(level) for level in (0.5, 0.8, 0.9, 0.99)]
    assert reached == sorted(reached)
    assert reached[-1] == learned.errors.max()
