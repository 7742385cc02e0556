import itertools
from dataclasses import replace

import numpy as np

from irmeta.stats.subsets import branch_and_bound, selection
from irmeta.stats.subsets.matrices import correlation, covariance
from irmeta.stats.subsets.selection import Choice, choose_again
from irmeta.stats.subsets.stability import alternatives, choices, flags, stability

ROWS = np.random.default_rng(0).normal(size=(40, 5)) @ np.random.default_rng(1).normal(
    size=(5, 5)
)
CHOICE = Choice("exact", "determinant", np.arange(5), np.array([2]), 3, np.ones(5))


def halves(rng):
    """Matrices of both halves of the rows; one in three has a constant variable, and one in three a variable twice."""
    kind = rng.integers(3)
    order = rng.permutation(len(ROWS))
    parts = [ROWS[order[:20]], ROWS[order[20:]]]
    if kind == 1:
        parts[1] = np.column_stack([parts[1][:, :4], parts[1][:, 0]])
    return None if kind == 2 else [correlation(covariance(rows)) for rows in parts]


def test_choices_are_those_of_each_half():
    """Each partition that can be chosen from gives the choices of both halves, in the order drawn."""
    chosen = {1: CHOICE.include, 3: CHOICE.include}
    again, proven = choices(halves, CHOICE, chosen, 10, np.random.default_rng(7))
    expected = []
    for rng, count in zip(np.random.default_rng(7).spawn(3), (4, 4, 2), strict=True):
        for _ in range(count):
            matrices = halves(rng)
            if (
                matrices is None
                or min(np.linalg.eigvalsh(sigma)[0] for sigma in matrices) < 1e-9
            ):
                continue
            found = [choose_again(sigma, CHOICE, (1, 3)) for sigma in matrices]
            expected.append(
                [
                    flags({size: subset for size, (subset, _) in one.items()}, 5)
                    for one in found
                ]
            )
    assert 0 < len(expected) < 10
    np.testing.assert_array_equal(again, expected)
    assert proven.shape == (len(expected), 2, 2)
    assert proven.all()


def test_choices_know_no_clock(monkeypatch):
    """A search whose clock runs a day ahead each time that it is read chooses, and proves, as any other."""
    patient = choices(halves, CHOICE, {3: CHOICE.include}, 10, np.random.default_rng(7))
    days = itertools.count(step=86_400)
    monkeypatch.setattr(branch_and_bound.time, "monotonic", lambda: next(days))
    hurried = choices(halves, CHOICE, {3: CHOICE.include}, 10, np.random.default_rng(7))
    for one, other in zip(hurried, patient, strict=True):
        np.testing.assert_array_equal(one, other)


def test_choices_that_are_not_proven_are_told(monkeypatch):
    """Where the limit of work ends the search, the best found stands, marked; nothing where nothing can be paid for."""
    monkeypatch.setattr(selection, "WORK", 1)
    task = replace(CHOICE, include=np.arange(0), cost=np.arange(5.0), budget=1.5)
    again, proven = choices(
        halves,
        task,
        {2: CHOICE.include, 3: CHOICE.include},
        10,
        np.random.default_rng(7),
    )
    assert not proven.any()
    assert again.shape[1:] == (2, 2, 5)
    assert not again[:, :, 1].any()


def test_shares_are_of_what_was_free_to_choose():
    """Of sets of 3 with 2 included, halves that choose {0, 1} and {0, 1}, then {0, 1} and {1, 3}, agree on 3/4."""
    sets = [[[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [1, 2, 3]]]
    again = np.array(
        [
            [flags({1: np.array([2]), 3: np.array(half)}, 5) for half in partition]
            for partition in sets
        ]
    )
    found = stability(again, CHOICE, [1, 3])
    np.testing.assert_array_equal(found.chosen[1], [0.75, 1, 1, 0.25, 0])
    np.testing.assert_allclose(
        found.se[1], [np.sqrt(0.75 * 0.25 / 2), 0, 0, np.sqrt(0.75 * 0.25 / 2), 0]
    )
    np.testing.assert_array_equal(
        [found.kept, found.same, found.chance], [[1, 0.75], [1, 0.5], [0, 0.5]]
    )


def test_alternatives_are_the_sets_chosen_oftenest():
    """The sets of a size come with the share of halves that choose them, no more of them than asked for."""
    thirds = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 2, 3]]
    again = np.array([flags({3: np.array(third)}, 5) for third in thirds]).reshape(
        2, 2, 1, 5
    )
    subsets, shares = alternatives(again, 0, 10)
    assert shares.tolist() == [0.75, 0.25]
    assert np.flatnonzero(subsets[1]).tolist() == [1, 2, 3]
    assert len(alternatives(again, 0, 1)[0]) == 1
