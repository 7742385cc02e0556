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


HALF = 0.5
"""Systems that share this part of the variance of their scores over topics score much alike."""


def alike(scores: Floats, team: Ints) -> float:
    """Return the share of systems that score much as one of another team: r^2 over topics of a half or more.

    scores : (system, topic, metric), of which each topic's mean is taken off; r is the mean over metrics.

    >>> noise = np.random.default_rng(0).normal(size=(4, 20, 1))
    >>> copied = np.concatenate([noise, noise[:2]])
    >>> alike(copied, np.arange(6)) > alike(copied, np.array([0, 1, 2, 3, 0, 1]))
    True
    """
    by_topic = scores - scores.mean(axis=0)
    # r = sum a b / sqrt(sum a^2 sum b^2), of scores less their mean over topics
    apart = by_topic - by_topic.mean(axis=1, keepdims=True)
    norm = np.sqrt((apart**2).sum(axis=1, keepdims=True))
    unit = np.divide(apart, norm, out=np.zeros_like(apart), where=norm > 0)
    by_metric = [one @ one.T for one in np.moveaxis(unit, -1, 0)]
    r = np.mean(by_metric, axis=0)  # (system, system)
    of_another_team = team[:, None] != team
    highest = np.where(of_another_team, r, -1).max(axis=1)
    much = highest >= np.sqrt(HALF)
    return float(much.mean())


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
