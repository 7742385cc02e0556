"""Systems that come in teams: what is added up or averaged by team, and random splits that keep teams together."""

import numpy as np

from irmeta.stats.arrays import Floats, Indices, Ints


def sums(values: Floats, team: Ints, axis: int = 0) -> Floats:
    """Add up values of systems, along an axis, by team, numbered from 0.

    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0])).tolist()
    [5.0, 2.0]
    """
    moved = np.moveaxis(values, axis, 0)
    totals = [
        moved[team == number].sum(axis=0) for number in range(int(team.max()) + 1)
    ]
    return np.moveaxis(np.array(totals), 0, axis)


def means_of(values: Floats, team: Ints) -> Floats:
    """Average values over the systems (first axis) of each team, numbered from 0.

    >>> means_of(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0])).tolist()
    [2.5, 2.0]
    """
    counts = np.bincount(team)
    # (team, 1, ...)
    size = counts.reshape(-1, *[1] * (values.ndim - 1))
    return sums(values, team) / size


def split(team: Ints, first: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Split systems at random into two sets of whole teams, the first of about `first` systems.

    >>> one, other = split(np.array([0, 1, 0, 1]), 2, np.random.default_rng(0))
    >>> sorted([one.tolist(), other.tolist()])
    [[0, 2], [1, 3]]
    """
    order = rng.permutation(int(team.max()) + 1)
    members = [np.flatnonzero(team == number) for number in order]
    # cut where the systems so far are nearest to `first`
    counts = np.cumsum([len(systems) for systems in members])
    cut = int(np.abs(counts[:-1] - first).argmin()) + 1
    return np.concatenate(members[:cut]), np.concatenate(members[cut:])
