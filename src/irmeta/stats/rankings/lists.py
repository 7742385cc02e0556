"""How alike two ranked lists of documents are that share only a part of them: Kendall's tau union, RBO.

Source: Breuer et al. (SIGIR 2020), and what their package repro_eval computes.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import kendalltau


def tau_union(first: Sequence[str], again: Sequence[str]) -> float:
    """Return Kendall's tau of the places, in the sorted union of both lists, of the documents at the same ranks.

    That is how the measure is defined: two lists agree where their documents go up and down in the sorted union
    together, so it depends on the documents' names, and lists that share few documents can agree. The longer list is
    cut; NaN for fewer than 2 ranks.

    >>> tau_union(["d1", "d2", "d3"], ["d1", "d2", "d4"]), tau_union(["d1", "d2", "d3"], ["d2", "d1", "d3"])
    (1.0, 0.33333333333333337)
    """
    ranks = min(len(first), len(again))
    if ranks < 2:
        return np.nan
    union = sorted({*first[:ranks], *again[:ranks]})
    place = {document: at for at, document in enumerate(union)}
    one, two = (
        [place[document] for document in documents[:ranks]]
        for documents in (first, again)
    )
    return float(kendalltau(one, two).statistic)


def overlap(
    first: Sequence[str], again: Sequence[str], p: float = 0.95, depth: int = 1000
) -> float:
    """Return rank-biased overlap down to a depth, divided by the largest that there can be: in [0, 1].

    sum over d of p^(d - 1) |shared among the first d| / d, over sum of p^(d - 1). A list that ends sooner stays as it
    is, so that two short lists overlap less than fully even where they are equal.

    >>> round(overlap(["a", "b"], ["b", "a"], p=0.5, depth=2), 4)
    0.3333
    """
    rank = {document: at for at, document in enumerate(first[:depth])}
    # the depth from which on each shared document counts
    since = [
        max(at, rank[document])
        for at, document in enumerate(again[:depth])
        if document in rank
    ]
    shared = np.bincount(since, minlength=depth).cumsum()
    weights = np.power(p, np.arange(depth, dtype=np.float64))
    agreement = shared / np.arange(1, depth + 1)
    return float(weights @ agreement / weights.sum())
