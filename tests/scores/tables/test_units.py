"""Whose scores seem to be in another unit than those of the other systems."""

import numpy as np
import pytest

from irmeta.scores.cube import cube
from irmeta.scores.tables.units import unit_doubts
from irmeta.studies.differences.description.study import describe

SHARES = np.array([[0.9, 0.2, 0.5], [0.7, 0.1, 0.6], [0.8, 0.3, np.nan]])
OTHER = 100 * SHARES[:1] - 2


def of(scores, metric="accuracy"):
    scores = np.asarray(scores, dtype=float)
    systems = [f"s{at}" for at in range(len(scores))]
    topics = [f"t{at}" for at in range(scores.shape[1])]
    return cube(scores[:, :, None], systems, topics, [metric])


@pytest.mark.parametrize(
    ("scores", "named"),
    [
        (np.vstack([SHARES, OTHER]), "s3"),
        (np.vstack([100 * SHARES, OTHER / 100]), "s3"),
        (np.vstack([OTHER, SHARES[:1]]), "s1"),
    ],
    ids=["percent", "share", "two"],
)
def test_a_system_in_another_unit_is_named(scores, named) -> None:
    """A percentage beside shares, a share beside percentages, and the lower of two, with holes."""
    (said,) = unit_doubts({"board": of(scores)})
    assert said.startswith(f"The scores of {named} may be in another unit")


def test_the_means_are_those_of_the_same_topics() -> None:
    """A system with the hard topic only is compared with what others have on it."""
    hard = np.array([[np.nan, 30.0, np.nan]])
    (said,) = unit_doubts({"board": of(np.vstack([SHARES, hard]))})
    # the median of .2, .1, .3, 30
    assert "30.000 by accuracy on average, where most systems have .250 on" in said


@pytest.mark.parametrize(
    "scores",
    [
        SHARES,
        100 * SHARES,
        np.vstack([SHARES, SHARES[:1] / 100]),
        np.vstack([100 * SHARES, 0 * OTHER]),
        np.vstack([SHARES, 1.5 * SHARES]),
        np.vstack([SHARES, [[np.nan] * 3]]),
        np.vstack([SHARES, OTHER]) - 50,
    ],
    ids=["shares", "percent", "weak", "failed", "above 1", "absent", "centred"],
)
def test_good_and_bad_systems_are_not_doubted(scores) -> None:
    """Scores of one unit are as different as they like."""
    assert unit_doubts({"board": of(scores)}) == []


TASKS = np.linspace(0.2, 0.8, 10)
BOARD = TASKS + np.linspace(-0.1, 0.15, 4)[:, None]


@pytest.mark.parametrize(
    ("own", "mend"), [(TASKS / 100, "Multiply them by 100"), (TASKS * 100, "Divide")]
)
@pytest.mark.parametrize("metric", ["accuracy", "nDCG@10"])
def test_a_hundredfold_on_nearly_all_tasks_is_doubted(own, mend, metric) -> None:
    """Shares divided by 100 again, by whichever metric, and where a task has negative scores."""
    board = of(np.vstack([BOARD, own]), metric)
    board[:, 3] *= -4
    (said,) = unit_doubts({"board": board})
    assert said.startswith("The scores of s4 may be in another unit")
    assert mend in said


def test_weak_systems_are_no_hundredth() -> None:
    """One that fails on most tasks, or is a fifth as good on all, and a hundredth of few topics, are not doubted."""
    failing = np.where(np.arange(10) < 2, TASKS, TASKS / 100)
    weak = np.vstack([BOARD, failing, TASKS / 5])
    assert unit_doubts({"board": of(weak)}) == []
    assert unit_doubts({"board": of(np.vstack([BOARD, TASKS / 100])[:, :4])}) == []


def test_a_known_metric_has_one_unit() -> None:
    """Gains of DCG may be large or small."""
    assert not unit_doubts({"board": of(np.vstack([SHARES, OTHER]), "DCG@20")})


def test_every_study_says_it() -> None:
    """The note is of the scores, whatever is asked of them."""
    whole = np.vstack([SHARES, OTHER])[:, :2]
    assert any("another unit" in note for note in describe(of(whole)).notes)
