"""The kinds of arrays that this package passes on, each with one name, and the compiled core that computes on them."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Scores, means, coefficients: numbers in double precision."""

Singles = NDArray[np.float32]
"""Numbers in single precision, where speed counts and every value is exact all the same."""

Bools = NDArray[np.bool_]
"""Yes or no for each item."""

Ints = NDArray[np.int64]
"""Counts, ranks, group numbers."""

Indices = NDArray[np.intp]
"""Positions along an axis of another array."""


# the compiled core, where there is one; without it NumPy does the same, to the same bits, only slower
try:
    core: Any = import_module("irmeta._core")
except ImportError:  # there was no compiler, or Python has no stable ABI
    core = None

DECIMALS = 10
"""Means are compared to this number of decimals: sums of the same scores in another order differ in the sixteenth."""


def settled(means: Floats) -> Floats:
    """Round means so that equal ones tie, whatever the order in which their scores were added.

    >>> (0.1 + 0.2 == 0.3), bool(np.equal(*settled(np.array([0.1 + 0.2, 0.3]))))
    (False, True)
    """
    return np.round(means, DECIMALS)
