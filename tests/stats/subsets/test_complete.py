"""The part of an array that is left when slices with missing cells are left out."""

from itertools import chain, combinations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeta.stats.subsets.complete import complete_part

ARRAYS = arrays(
    np.bool_, st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 2))
)

LATER_FREE = [[0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1]]
"""The second column has most missing cells, but none once the rows are left out that others need gone."""


def kept(absent, axes):
    return absent[np.ix_(*complete_part(absent, axes))]


@given(ARRAYS)
def test_nothing_that_is_kept_is_missing(absent):
    """The part that is kept has no missing cell, and all of the axes that cannot shrink."""
    part = kept(absent, (0, 1))
    assert not part.any()
    assert part.shape[2] == absent.shape[2]


@given(ARRAYS)
@example(np.array(LATER_FREE, dtype=np.bool_)[..., None])
def test_no_single_slice_can_be_taken_back_for_free(absent):
    """Each slice that is left out has a missing cell among what is kept of the other axes."""
    keep = complete_part(absent, (0, 1))
    for axis in (0, 1):
        others = list(keep)
        for at in np.flatnonzero(~keep[axis]):
            others[axis] = np.arange(absent.shape[axis]) == at
            assert absent[np.ix_(*others)].any()


@given(ARRAYS)
def test_no_axis_alone_would_keep_more(absent):
    """At least as many cells are kept as by leaving out slices of either axis alone."""
    rows, columns = (~absent.any(axis=other) for other in ((1, 2), (0, 2)))
    alone = max(absent[rows].size, absent[:, columns].size)
    assert kept(absent, (0, 1)).size >= alone


def test_it_is_the_largest_part_on_small_arrays():
    """On random arrays of few holes the greedy search keeps at least 90% of what the best choice keeps."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        absent = rng.random((6, 7)) < 0.08
        subsets = chain.from_iterable(
            combinations(range(6), size) for size in range(1, 7)
        )
        best = max(
            len(rows) * int((~absent[list(rows)].any(axis=0)).sum()) for rows in subsets
        )
        assert kept(absent, (0, 1)).size >= 0.9 * best
