"""What teams learn before the reveal: ladders by hand, everything that answers can be, and the bound in bits."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from irmeta.errors import IrmetaError, ScoresError
from irmeta.stats.hidden.release import bits, release

unit = st.floats(0, 1)
vectors = hnp.arrays(np.float64, 9, elements=unit)


def test_a_ladder_by_hand() -> None:
    """A first run is shown in steps; the next ones where they are a step better, and surely."""
    low, better = np.full(30, 0.31), np.full(30, 0.43)
    assert release("ladder", [], low).figure == 0.3
    assert release("ladder", [low], better).figure == pytest.approx(0.40)
    # half a step better; worse; better by .6 on six of the thirty topics, and on three
    assert release("ladder", [low], low + 0.024).figure == pytest.approx(0.30)
    assert release("ladder", [better], low).figure == pytest.approx(0.40)
    by_six = low + np.r_[np.full(6, 0.6), np.zeros(24)]
    by_three = low + np.r_[np.full(3, 0.6), np.zeros(27)]
    assert release("ladder", [low], by_six).figure == pytest.approx(0.40)
    assert release("ladder", [low], by_three).figure == pytest.approx(0.30)


@given(
    size=st.integers(9, 60),
    changes=st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=3),
)
def test_three_topics_climb_nothing(size: int, changes: list[float]) -> None:
    """Whatever is changed in up to three of nine or more topics, the answer stays."""
    base = np.full(size, 0.5)
    changed = base.copy()
    changed[: len(changes)] += changes
    step = max(0.02, 1.01 / size)
    before = release("ladder", [], base, step=step)
    assert release("ladder", [base], changed, step=step).figure == before.figure


def test_four_equal_topics_climb() -> None:
    """Four topics that gain alike are above two standard errors."""
    base = np.full(20, 0.5)
    changed = base + np.r_[np.full(4, 0.4), np.zeros(16)]
    figures = [
        release("ladder", [base], run, step=0.06).figure for run in (base, changed)
    ]
    assert figures == pytest.approx([0.48, 0.54])


@given(st.lists(vectors, min_size=1, max_size=6), st.sampled_from([0.12, 0.2, 0.5]))
def test_a_ladder_only_climbs_by_steps(runs: list[np.ndarray], step: float) -> None:
    """Answers are multiples of the step, never fall, and those to a part of the runs are the first ones."""
    figures = [
        release("ladder", runs[:place], run, step=step).figure or 0.0
        for place, run in enumerate(runs)
    ]
    levels = np.array(figures) / step
    np.testing.assert_allclose(levels, np.round(levels), atol=1e-9)
    assert figures == sorted(figures)
    assert max(figures) <= 1


def test_all_series_of_answers_are_fewer_than_the_bound() -> None:
    """Of all pairs of runs with scores 0 or 1 on five topics there are at most 2 to the bound series of answers."""
    runs = [np.array(run, dtype=float) for run in itertools.product((0, 1), repeat=5)]
    first = {
        place: release("ladder", [], run, step=0.25) for place, run in enumerate(runs)
    }
    series = {
        (first[place].figure, release("ladder", [runs[place]], run, step=0.25).figure)
        for place in first
        for run in runs
    }
    bound = bits("ladder", 2, step=0.25)
    assert 4 < len(series) <= 2**bound + 1e-6
    assert 2**bound == pytest.approx(15)  # C(2 + 4, 4)


@pytest.mark.parametrize(
    ("submissions", "step"), [(1, 0.5), (3, 0.3), (4, 0.25), (6, 0.2)]
)
def test_bits_of_a_ladder_count_its_series(submissions: int, step: float) -> None:
    """The bound is log2 of the number of series of steps that do not fall, counted one by one."""
    steps = range(math.floor(1 / step) + 1)
    series = itertools.combinations_with_replacement(steps, submissions)
    assert 2 ** bits("ladder", submissions, step=step) == pytest.approx(
        sum(1 for _ in series)
    )


def test_bits_of_what_boards_show() -> None:
    """Bits by hand: means to four decimals, five of them, by 50 topics, of 20 teams."""
    assert round(bits("open", 90)) == 1196
    assert round(bits("open", 90, figures=5)) == 5980
    assert round(bits("open", 3, figures=50)) == 1993
    assert bits("open", 1, decimals=0) == 1
    assert bits("none", 90) == bits("split", 90, teams=20) == 0
    assert bits("ladder", 90, teams=20) == pytest.approx(20 * bits("ladder", 90))


@given(vectors, vectors, st.lists(vectors, max_size=3))
def test_nothing_and_splits_know_nothing_of_other_topics(
    one: np.ndarray, other: np.ndarray, history: list[np.ndarray]
) -> None:
    """Under none every answer is the same; under split answers depend on the topics that are shown alone."""
    assert release("none", history, one) == (None, pytest.approx([]))
    both = np.r_[one[:3], other[3:]]
    shown = [release("split", history, run, topics=[0, 2, 1]) for run in (one, both)]
    assert shown[0].figure == shown[1].figure == one[:3].mean()
    assert shown[0].topics.tolist() == shown[1].topics.tolist() == one[:3].tolist()


def test_open_boards_show_all() -> None:
    """Under open the answer is the mean and every score."""
    answer = release("open", [], [0.2, 0.4])
    assert (answer.figure, answer.topics.tolist()) == (pytest.approx(0.3), [0.2, 0.4])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"feedback": "all"}, "choose 'none' or 'split'"),
        (
            {"step": 0.03},
            "one topic alone must not move a mean by a step; use 0.051 to 0.5",
        ),
        ({"scores": [0.1, np.nan]}, "one for each topic"),
        ({"feedback": "split"}, "a split shows 1 to 19 of 20 topics"),
        ({"feedback": "split", "topics": range(20)}, "the others count at the end"),
        ({"feedback": "split", "topics": [-1]}, "by their places from 0"),
    ],
)
def test_what_protects_nothing_is_refused(given: dict, message: str) -> None:
    """A step that one topic climbs, a split of all topics or none, and missing scores are errors."""
    asked = {
        "feedback": "ladder",
        "history": [],
        "scores": [0.3] * 20,
        "step": 0.1,
    } | given
    with pytest.raises(IrmetaError, match=message):
        release(**asked)
    with pytest.raises(ScoresError, match="decimals must be 0 to 17"):
        bits("open", 1, decimals=18)
