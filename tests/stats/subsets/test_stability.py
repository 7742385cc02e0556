from dataclasses import replace

import numpy as np

from irmeta.stats.subsets import selection
from irmeta.stats.subsets.matrices import correlation, covariance
from irmeta.stats.subsets.selection import Choice, choose_again
from irmeta.stats.subsets.stability import choices, flags, stability

ROWS = np.random.default_rng(0).normal(size=(40, 5)) @ np.random.default_rng(1).normal(size=(5, 5))
CHOICE = Choice("exact", "determinant", np.arange(5), np.array([2]), 3, np.ones(5))


def resample(rng):
    """A matrix of resampled rows; one in three has a constant variable, and one in three a variable twice."""
    kind = rng.integers(3)
    rows = ROWS[rng.integers(len(ROWS), size=len(ROWS))]
    if kind == 1:
        rows = np.column_stack([rows[:, :4], rows[:, 0]])
    return None if kind == 2 else correlation(covariance(rows))


def test_choices_are_those_of_each_resample():
    """Each resample that can be chosen from gives its own choice, in the order drawn."""
    chosen = {1: CHOICE.include, 3: CHOICE.include}
    again, proven = choices(resample, CHOICE, chosen, 10, np.random.default_rng(7))
    expected = []
    for rng, count in zip(np.random.default_rng(7).spawn(3), (4, 4, 2), strict=True):
        for _ in range(count):
            sigma = resample(rng)
            if sigma is not None and np.linalg.eigvalsh(sigma)[0] > 1e-9:
                found = choose_again(sigma, CHOICE, (1, 3))
                expected.append(flags({size: subset for size, (subset, _) in found.items()}, 5))
    assert 0 < len(expected) < 10
    np.testing.assert_array_equal(again, expected)
    assert proven.shape == (len(expected), 2)
    assert proven.all()


def test_choices_know_no_clock():
    """A search that had no time at all once chooses again, and proves it, as one that had all it takes."""
    tasks = [replace(CHOICE, time_limit=seconds) for seconds in (1e-9, np.inf)]
    hurried, patient = (choices(resample, task, {3: CHOICE.include}, 10, np.random.default_rng(7)) for task in tasks)
    for one, other in zip(hurried, patient, strict=True):
        np.testing.assert_array_equal(one, other)


def test_choices_that_are_not_proven_are_told(monkeypatch):
    """Where the limit of work ends the search, the best found stands, marked; nothing where nothing can be paid for."""
    monkeypatch.setattr(selection, "WORK", 1)
    task = replace(CHOICE, include=np.arange(0), cost=np.arange(5.0), budget=1.5)
    again, proven = choices(resample, task, {2: CHOICE.include, 3: CHOICE.include}, 10, np.random.default_rng(7))
    assert not proven.any()
    assert again.shape[1:] == (2, 5)
    assert not again[:, 1].any()


def test_shares_are_of_what_was_free_to_choose():
    """Of a subset {0, 1, 2} with 2 included, chosen again as {0, 1, 2} and {1, 2, 3}, 3/4 is kept, all of it once."""
    subsets = flags({1: np.array([2]), 3: np.array([0, 1, 2])}, 5)
    again = np.array([flags({1: np.array([2]), 3: np.array(third)}, 5) for third in ([0, 1, 2], [1, 2, 3])])
    found = stability(subsets, again, CHOICE)
    np.testing.assert_array_equal(found.chosen[1], [0.5, 1, 1, 0.5, 0])
    np.testing.assert_allclose(found.se[1], [np.sqrt(0.125), 0, 0, np.sqrt(0.125), 0])
    np.testing.assert_array_equal([found.kept, found.same, found.chance], [[1, 0.75], [1, 0.5], [0, 0.5]])
