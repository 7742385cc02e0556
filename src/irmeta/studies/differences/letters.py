"""Letters of systems: two that share one do not differ significantly."""

from irmeta.stats.arrays import Bools
from irmeta.stats.tests import multiplicity

MOST_LETTERS = 40
"""Above this number of systems letters are no help, and there may be thousands of them."""


def in_letters(differs: Bools) -> list[str]:
    """Return the letters of each system, from which pairs of them differ (system, system).

    >>> import numpy as np
    >>> in_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    return ["".join(map(_letter, groups)) for groups in multiplicity.letters(differs)]


def _letter(number: int) -> str:
    """Write a group's number as a letter, with an apostrophe for every 26 before it."""
    return chr(ord("a") + number % 26) + "'" * (number // 26)
