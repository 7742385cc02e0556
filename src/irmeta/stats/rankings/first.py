"""The first place: how few topics it rests on."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Ints, settled


class Unseated(NamedTuple):
    """The fewest topics whose absence puts another system ahead: which system, and which topics."""

    system: int
    topics: Ints


def fewest(scores: Floats) -> Unseated | None:
    """Return the fewest topics without which the leader by means is no longer the only one; exact.

    scores : (system, topic), without missing ones. None where no topics do it, as the leader is behind on none; where
    several lead, or one is level with them, no topics need go.

    Of the differences d of the leader from another system, the k largest are those whose absence takes most off its
    lead, so k is the least number with which the sum of the others is at most 0.

    >>> one = fewest(np.array([[0.9, 0.2, 0.3, 0.4], [0.1, 0.3, 0.4, 0.5], [0.0, 0.1, 0.0, 0.0]]))
    >>> one.system, one.topics.tolist()
    (1, [0])
    """
    means = settled(scores.mean(axis=1))
    leader = int(means.argmax())
    found = scores[leader] - scores
    falling = np.sort(found, axis=1)[:, ::-1]
    # (system, k): the sum without the k largest, for k from 0 to topics - 1
    left = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]
    rounding = 1e-9 * np.maximum(np.abs(falling).max(axis=1, keepdims=True), 1e-300)
    level = left <= rounding
    level[leader] = False
    counts = np.where(level.any(axis=1), level.argmax(axis=1), scores.shape[1])
    other = int(counts.argmin())
    if counts[other] == scores.shape[1]:
        return None
    order = np.argsort(-found[other], kind="stable")
    return Unseated(other, np.sort(order[: counts[other]]))
