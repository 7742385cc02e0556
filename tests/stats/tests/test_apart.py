"""A loss apart from the judge: against two means by hand, with a judge that moved, did not, and was not seen to."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.tests.apart import apart, rows
from irmeta.stats.tests.nights import Looks

LIMIT = 2.5
ONE = np.ones(1)


def drawn(loss, fall, seed=0, topics=200, anchors=200, spread=0.05):
    """Draw differences on topics and on anchors, as if the judge lowered all scores alike."""
    rng = np.random.default_rng(seed)
    found = -loss - fall + spread * rng.normal(size=(1, topics))
    return found, -fall + spread * rng.normal(size=(1, anchors))


def t_of(limit, count):
    """Return Student's t of a limit of r."""
    return limit * np.sqrt((count - 1) / (count - limit**2))


def test_the_loss_is_that_of_topics_less_the_fall_that_anchors_allow():
    """The bound is the mean loss less t standard errors, less the fall with an anchor more and t of its own."""
    rng = np.random.default_rng(3)
    half = rng.uniform(0.05, 0.1, 30)
    loss = np.concatenate([0.2 + half, 0.2 - half])
    fall = np.concatenate([0.1 + 3 * half, 0.1 - 3 * half])
    found = apart(-loss[None], -fall[None], LIMIT, 0.02, ONE)
    t = t_of(LIMIT, 60)
    assert found.fell[0] == pytest.approx(fall.mean() - t * stats.sem(fall))
    more = np.append(fall, fall.max())
    skew = stats.skew(more)
    assert skew < np.sqrt(6 / 60)  # so that t is not made larger
    assert found.most[0] == pytest.approx(more.mean() + t * stats.sem(more))
    shown = loss.mean() - t * stats.sem(loss) - found.most[0]
    assert found.loss.shown[0] == pytest.approx(shown)


@pytest.mark.parametrize(
    ("loss", "fall", "system", "judge"),
    [
        (0.2, 0.0, True, False),
        (0.0, 0.2, False, True),
        (0.2, 0.2, True, True),
        (0.0, 0.0, False, False),
        (0.2, -0.2, True, False),
    ],
)
def test_each_cause_is_shown_by_itself(loss, fall, system, judge):
    """A loss, a stricter judge, both, neither, and a loss that a milder judge hides."""
    found = apart(*drawn(loss, fall), LIMIT, 0.02, ONE)
    assert (found.loss.shown[0] > 0.02) == system
    assert (found.fell[0] > 0) == judge
    assert found.loss.shown[0] < loss < found.loss.possible[0]
    assert found.least[0] < fall < found.most[0]


def test_few_anchors_cannot_acquit_a_judge():
    """Eight anchors that did not move do not show that the judge spared the topics; a thousand do."""
    lost, _ = drawn(0.15, 0.0)
    few, many = (
        apart(lost, np.zeros((1, count)), LIMIT, 0.02, ONE) for count in (8, 1000)
    )
    assert few.loss.shown[0] < 0.02 < many.loss.shown[0]


def test_what_is_drawn_has_no_mean_and_both_sides_of_the_judge():
    """Whatever the judge did, rows are deviations, on topics and on anchors, these with either sign."""
    found, moved = drawn(0.1, 0.3, topics=6, anchors=4)
    row = rows(found, moved)
    assert row.shape == (3, 10)
    assert np.nanmean(row, axis=1) == pytest.approx(np.zeros(3), abs=1e-12)
    assert row[1, 6:] == pytest.approx(-row[2, 6:])
    spread = np.sqrt((row[0, :6] ** 2).mean())
    assert spread == pytest.approx(found.std(ddof=1))


def test_a_limit_with_anchors_is_higher_as_more_can_be_claimed():
    """Three one-sided claims share the level that one has without anchors."""
    found, moved = drawn(0.0, 0.0, topics=40, anchors=40)

    def limit(drawn):
        return Looks(80, 0.05, np.random.default_rng(0), 4096).limit(drawn, single=True)

    alone = limit(np.concatenate([found, np.full_like(moved, np.nan)], axis=1))
    assert limit(rows(found, moved)) > alone
