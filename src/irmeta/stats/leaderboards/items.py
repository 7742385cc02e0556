"""Tasks made of items: a task's score is the mean over its items, and other items would give another table."""

from collections.abc import Sequence

import numpy as np

from irmeta.stats.arrays import Floats


def table(tasks: Sequence[Floats]) -> Floats:
    """Return the table (model, task) of scores (model, item), one array a task; a missing item is a hole."""
    return np.stack([scores.mean(axis=1) for scores in tasks], axis=1)


def resampled(tasks: Sequence[Floats], draws: int, rng: np.random.Generator) -> Floats:
    """Draw each task's items with replacement, the same for all models: tables of shape (draw, model, task).

    The variance of a mean of n items drawn so is too small by (n - 1) / n, which is made up for.

    >>> resampled([np.array([[0.2, 0.4], [0.1, 0.1]])], 3, np.random.default_rng(0))[:, 1, 0].tolist()
    [0.1, 0.1, 0.1]
    """
    drawn = []
    for scores in tasks:
        items = scores.shape[1]
        # how often each item is drawn: (draw, item)
        counts = rng.multinomial(items, np.full(items, 1 / items), size=draws)
        mean = scores.mean(axis=1)
        moved = counts @ scores.T / items - mean  # (draw, model)
        widened = np.sqrt(items / max(items - 1, 1))
        drawn.append(mean + widened * moved)
    return np.stack(drawn, axis=2)
