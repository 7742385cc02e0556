"""Scores of systems without any judgment: from what their rankings share.

Rankings are numbers of documents (system, topic, rank), -1 where a list has ended; scores (system, topic), in [0, 1].
"""

import numpy as np
from scipy.special import comb

from irmeta.stats.arrays import Floats, Ints

DRAWS = 50
"""Random sets of judgments, of which Soboroff et al. draw as many."""
SHARE = 0.1
"""Of the documents of a pool, how many are drawn."""
GROUP = 5
"""Systems of a group, whose lists Spoerri compares."""


def others(ranked: Ints) -> Ints:
    """Count the other systems that rank a document for the same topic, at any rank; -1 where a list has ended.

    >>> others(np.array([[[4, 7]], [[7, 9]], [[7, -1]]]))[:, 0].tolist()
    [[0, 2], [2, 0], [2, -1]]
    """
    counts = np.full(ranked.shape, -1)
    for topic in range(ranked.shape[1]):
        lists = ranked[:, topic]
        held = lists >= 0
        counts[:, topic][held] = np.bincount(lists[held])[lists[held]] - 1
    return counts


def reference_counts(ranked: Ints) -> Floats:
    """Return how many others rank a system's documents, as a share of all that could: Wu and Crestani (SAC 2003).

    >>> reference_counts(np.array([[[4, 7]], [[7, 9]], [[7, -1]]]))[:, 0].tolist()
    [0.5, 0.5, 0.5]
    """
    counts = np.maximum(others(ranked), 0)
    return np.asarray(counts.mean(axis=-1) / max(len(ranked) - 1, 1))


def overlap(ranked: Ints) -> Floats:
    """Return the share of a system's documents that all of a group find, less that only it finds: Spoerri (IPM 2007).

    A group is a system and 4 others, drawn at random; the share is expected over all groups. Of m - 1 others c rank a
    document: all 4 do with C(c, 4) / C(m - 1, 4), and none with C(m - 1 - c, 4) / C(m - 1, 4). From [-1, 1] to [0, 1].

    >>> overlap(np.array([[[4, 7]], [[7, 9]], [[7, -1]]]))[:, 0].tolist()
    [0.5, 0.5, 1.0]
    """
    counts = others(ranked)
    held = counts >= 0
    rest = len(ranked) - 1
    drawn = min(GROUP - 1, rest)
    apart = comb(counts, drawn) - comb(rest - counts, drawn)
    apart = np.where(held, apart, 0).sum(axis=-1) / comb(rest, drawn)
    return np.asarray((1 + apart / np.maximum(held.sum(axis=-1), 1)) / 2)


def random_judgments(
    ranked: Ints, rng: np.random.Generator, draws: int = DRAWS
) -> Floats:
    """Return mean AP where a random tenth of a topic's pool is taken as relevant: Soboroff et al. (SIGIR 2001).

    As in their better variant a document is in the pool as often as systems rank it, and so the more likely drawn.
    """
    scores = np.zeros(ranked.shape[:2])
    for topic in range(ranked.shape[1]):
        lists = ranked[:, topic]
        pool, place = np.unique(lists[lists >= 0], return_inverse=True)
        relevant = _draw_from(place, pool.size, draws, rng)
        # a column that is never relevant, for where a list has ended
        relevant = np.pad(relevant, ((0, 0), (0, 1)))
        rows = np.full(lists.shape, pool.size)
        rows[lists >= 0] = place
        scores[:, topic] = _average_precision(relevant[:, rows], relevant.sum(axis=1))
    return scores


def _draw_from(place: Ints, size: int, draws: int, rng: np.random.Generator) -> Floats:
    """Draw entries of a pool, in which documents are repeated, and say which documents they are: (draw, document)."""
    relevant = np.zeros((draws, size))
    if place.size:
        entries = rng.random((draws, place.size)).argsort(axis=1)
        picked = place[entries[:, : max(1, round(SHARE * size))]]
        np.put_along_axis(relevant, picked, 1.0, axis=1)
    return relevant


def _average_precision(hits: Floats, relevant: Floats) -> Floats:
    """Return AP of hits (draw, system, rank), averaged over draws."""
    ranks = np.arange(1, hits.shape[-1] + 1)
    precision = hits.cumsum(axis=-1) / ranks
    each = (hits * precision).sum(axis=-1) / np.maximum(relevant, 1)[:, None]
    return np.asarray(each.mean(axis=0))
