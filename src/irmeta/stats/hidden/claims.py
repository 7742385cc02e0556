"""How much an attacker knows who claims of documents that they are relevant, or not."""

from typing import NamedTuple

import numpy as np
import scipy.stats

from irmeta.stats.arrays import Bools, Floats


class Known(NamedTuple):
    """What claims are worth.

    claims, right : how many there are, and how many hold. guessed : the share of right ones if as many were called
    relevant at random. p : of as many right ones or more by such guesses. bits : what they say of the judgments.
    """

    claims: int
    right: int
    guessed: float
    p: float
    bits: float


def known(claimed: Bools, relevant: Bools) -> Known:
    """Compare claims with the truth. claimed, relevant : of each document whether it is held for relevant, and is.

    p is Fisher's exact one, one-sided. Bits are the number of claims times the mutual information of claim and truth.

    >>> known(np.array([1, 1, 0, 0], bool), np.array([1, 1, 0, 0], bool))
    Known(claims=4, right=4, guessed=0.5, p=0.16666666666666666, bits=4.0)
    """
    table = np.array(
        [
            [(claimed & relevant).sum(), (claimed & ~relevant).sum()],
            [(~claimed & relevant).sum(), (~claimed & ~relevant).sum()],
        ]
    )
    total = int(table.sum())
    if not total:
        return Known(0, 0, np.nan, 1.0, 0.0)
    right = int(table[0, 0] + table[1, 1])
    called, real = table[0].sum(), table[:, 0].sum()
    guessed = (called * real + (total - called) * (total - real)) / total**2
    p = scipy.stats.hypergeom.sf(table[0, 0] - 1, total, real, called)
    return Known(total, right, float(guessed), float(p), _information(table))


def _information(table: Floats) -> float:
    """Return n I(claim; truth) = sum of n_ij log2(n_ij n / (n_i n_j)) in bits."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    there = table > 0
    ratio = np.log2(table[there] / expected[there])
    return float((table[there] * ratio).sum())
