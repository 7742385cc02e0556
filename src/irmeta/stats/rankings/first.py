"""The first place, and the sign of a difference: how few topics they rest on."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Bools, Floats, Ints, settled

RESTS = 0.1
"""The share of topics up to which a lead is said to rest on these."""
NONE = -1
"""The count where no topics do it."""


def few(count: int, every: int) -> bool:
    """Say whether a lead rests on few of the topics: on one, or a tenth of them or fewer.

    >>> few(1, 5), few(2, 20), few(3, 20), few(0, 20)
    (True, True, False, False)
    """
    return 0 < count <= max(1, RESTS * every)


class Turning(NamedTuple):
    """The fewest topics without which each sum is no longer above 0: how many (row,), and which (row, topic).

    Their number is 0 where the sum is not above 0 as it is, and NONE where it stays above 0 whichever topics go.
    """

    counts: Ints
    topics: Bools


class Unseated(NamedTuple):
    """The fewest topics whose absence puts another system ahead: which system, and which topics.

    Of several systems that as few topics put ahead it is the one that is then farthest ahead.
    """

    system: int
    topics: Ints


def turning(gains: Floats) -> Turning:
    """Return the fewest topics without which each row's sum is no longer above 0; exact.

    gains : (row, topic), what each topic adds; NaN where a row lacks it. One topic at least stays.

    The k largest are those whose absence takes most off a sum, so k is the least number with which the sum of the
    others is at most 0.

    >>> one = turning(np.array([[0.8, 0.1, -0.1, -0.1], [0.1, 0.2, 0.1, 0.3]]))
    >>> one.counts.tolist(), one.topics[0].tolist()
    ([1, -1], [True, False, False, False])
    """
    present = np.isfinite(gains)
    added = np.where(present, gains, 0.0)
    order = np.argsort(-added, axis=1, kind="stable")
    falling = np.take_along_axis(added, order, axis=1)
    # (row, k): the sum without the k largest, for k from 0 to topics - 1
    from_the_smallest = np.cumsum(falling[:, ::-1], axis=1)
    left = from_the_smallest[:, ::-1]
    largest = np.abs(added).max(axis=1, keepdims=True)
    rounding = 1e-9 * np.maximum(largest, 1e-300)
    number = np.arange(gains.shape[1])
    one_stays = number < present.sum(axis=1, keepdims=True)
    gone = (left <= rounding) & one_stays
    counts = np.where(gone.any(axis=1), gone.argmax(axis=1), NONE)
    topics = np.zeros(gains.shape, dtype=np.bool_)
    needed = number < counts[:, None]
    np.put_along_axis(topics, order, needed, axis=1)
    return Turning(counts, topics)


def fewest(scores: Floats) -> Unseated | None:
    """Return the fewest topics without which the leader by means is no longer the only one; exact.

    scores : (system, topic), without missing ones. None where no topics do it, as the leader is behind on none; where
    several lead, or one is level with them, no topics need go.

    >>> one = fewest(np.array([[0.9, 0.2, 0.3, 0.4], [0.1, 0.3, 0.4, 0.5], [0.0, 0.1, 0.0, 0.0]]))
    >>> one.system, one.topics.tolist()
    (1, [0])
    """
    leader = int(settled(scores.mean(axis=1)).argmax())
    behind = scores[leader] - scores
    found = turning(behind)
    counts = np.where(found.counts == NONE, scores.shape[1], found.counts)
    counts[leader] = scores.shape[1]
    # by what the leader is ahead without these topics
    lead = settled(np.where(found.topics, 0.0, behind).sum(axis=1))
    other = int(np.lexsort((lead, counts))[0])
    if counts[other] == scores.shape[1]:
        return None
    return Unseated(other, np.flatnonzero(found.topics[other]))
