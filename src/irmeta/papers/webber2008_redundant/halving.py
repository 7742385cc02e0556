"""Whether halves of a sample of topics do for independent samples, which the paper says without figures."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from irmeta.io.tables.matrices import import_matrix
from irmeta.stats.arrays import Floats
from irmeta.stats.halves.halving import half_means, half_tau, halves, shuffles
from irmeta.studies.checks.reproduction import Cell, claim, ours_only

SAMPLES, PARTITIONS, TOPICS = 200, 50, 50
SAME = "the two are equal but for the draws: any two disjoint sets of 25 topics are as likely as any others"
RELIABLE = "'reliable' has no number in the paper; we ask for .05 of tau"


def halving_cells(data: Path, rng: int) -> Iterator[Cell]:
    """Compare halves of 50 topics with two samples of 25 that are drawn apart, from the 249 topics of TREC 2004 Robust.

    The mean over samples is the same by symmetry; how far phi of one sample of 50 lies from it is what halving costs.
    """
    scores = import_matrix(
        data / "matrices" / "robust2004-249" / "AP.csv", rows="systems"
    ).values[..., 0]
    generator = np.random.default_rng(rng)
    by_halving = np.array([_halved(scores, generator) for _ in range(SAMPLES)])
    apart = _correlated(scores, SAMPLES * 10, TOPICS // 2, generator)
    item, row = "Section 2", "AP of 110 systems, 25 topics"
    said = "halving the topic set is a reliable approximation of sampling from a large population"
    yield ours_only(item, row, "phi by halves", by_halving.mean(), SAME)
    yield ours_only(item, row, "phi by samples drawn apart", apart.mean(), SAME)
    spread = by_halving.std(ddof=1)
    column = "sd of phi over sets of 50 topics"
    yield claim(item, row, column, spread, said=f"{said}; {RELIABLE}", most=0.05)


def _halved(scores: Floats, rng: np.random.Generator) -> float:
    """Return phi of one sample of topics, by halving it."""
    drawn = rng.choice(scores.shape[1], TOPICS, replace=False)
    return float(_correlated(scores[:, drawn], PARTITIONS, TOPICS // 2, rng).mean())


def _correlated(
    scores: Floats, times: int, size: int, rng: np.random.Generator
) -> Floats:
    """Return tau between rankings on two disjoint sets of topics, each draw: (draw,)."""
    drawn = halves(shuffles(scores.shape[1], times, rng), (size, size))
    means = half_means(scores.T[:, None, :], drawn)
    return half_tau(means[:, 0], means[:, 1], "b")[:, 0, 0]
