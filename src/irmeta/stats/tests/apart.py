"""A loss apart from what scored it: today's judge scores answers that did not change, the anchors, again.

A build's loss is its topics' mean loss less the anchors' mean fall. Both means have bounds at one limit of all nights,
so that the difference of bounds holds whenever both do. Draws are of deviations from each mean, as the judge's fall
may have any size.
"""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats
from irmeta.stats.tests.nights import Bounds, bounds


class Apart(NamedTuple):
    """What a night says of each comparison, (comparison,).

    loss : of the build apart from the judge.  fall : the mean fall of the anchors' scores.
    fell : it is larger, by the anchors that are there.  least, most : it lies between, even if an anchor more moved as
    the farthest topic did.
    """

    loss: Bounds
    fall: Floats
    fell: Floats
    least: Floats
    most: Floats


def rows(topics: Floats, anchors: Floats) -> Floats:
    """Return what is drawn of a night: the loss, and the fall of the anchors to both sides, (3 comparisons, item).

    topics, anchors : differences, (comparison, topic) and (comparison, anchor), NaN where there is none.

    >>> rows(np.array([[0.0, 0.2]]), np.array([[0.1, 0.3]])).round(3).tolist()
    [[-0.141, 0.141, nan, nan], [nan, nan, -0.141, 0.141], [nan, nan, 0.141, -0.141]]
    """
    lost, moved = _deviations(topics), _deviations(anchors)
    no_topic, no_anchor = np.full_like(topics, np.nan), np.full_like(anchors, np.nan)
    return np.block([[lost, no_anchor], [no_topic, moved], [no_topic, -moved]])


def _deviations(values: Floats) -> Floats:
    """Return deviations from the mean, as large as those from the true mean are on average."""
    count = (~np.isnan(values)).sum(axis=1, keepdims=True)
    away = values - np.nansum(values, axis=1, keepdims=True) / np.maximum(count, 1)
    return away * np.sqrt(count / np.maximum(count - 1, 1))


def apart(
    topics: Floats,
    anchors: Floats,
    limit: float | Floats,
    margin: float,
    widest: Floats,
) -> Apart:
    """Return what differences on topics and on anchors show, at a limit of |r|, or one for each.

    widest : the largest loss on one topic, (comparison,); infinite where there is none.

    >>> found = apart(np.full((1, 200), -0.3), np.full((1, 100), -0.1), 2.6, 0.02, np.ones(1))
    >>> found.fell.round(3).tolist(), found.most.round(3).tolist(), found.loss.shown.round(3).tolist()
    ([0.1], [0.107], [0.193])
    """
    every = np.concatenate([topics, anchors], axis=1)
    farthest = np.nanmax(np.abs(every), axis=1)
    endless = np.full(len(anchors), np.inf)
    down = bounds(anchors, limit, 0.0, endless, farthest)
    up = bounds(-anchors, limit, 0.0, endless, farthest)
    build = bounds(topics, limit, margin, widest)
    fall = -np.nanmean(anchors, axis=1)
    visible = build.visible + (down.possible - fall)
    return Apart(
        Bounds(
            np.maximum(build.shown - down.possible, -widest),
            np.minimum(build.possible + up.possible, widest),
            np.where(visible <= widest, visible, np.inf),
            np.full_like(fall, np.nan),
        ),
        fall,
        down.shown,
        -up.possible,
        down.possible,
    )
