"""What the figure of significance says of p."""

import numpy as np
import pytest

import irmeta
from irmeta.report.plots.systems import significance as drawn
from irmeta.scores.cube import cube


@pytest.mark.parametrize(
    ("test", "correct", "said"),
    [
        ("max-t", None, "p (max-t, corrected for all pairs)"),
        ("max-t", "none", "p (max-t, not corrected)"),
        ("tukey", None, "p (tukey, corrected for all pairs)"),
        ("t", "holm", "p (t, not corrected)"),
    ],
)
def test_the_axis_says_whether_p_is_corrected(test, correct, said):
    """A test that corrects by itself draws the corrected p, unless each pair is tested by itself; others do not."""
    values = np.random.default_rng(0).normal(size=(3, 12, 1))
    made = cube(values, list("abc"), [str(at) for at in range(12)], ["AP"])
    found = irmeta.significance(made, test=test, correct=correct, resamples=200)
    figure = drawn.figure(found.data)
    assert figure.axes[0].get_xlabel() == said


def test_a_line_is_the_share_of_pairs_by_their_p():
    """At the level of a test the line is as high as the share of pairs that the metric distinguishes."""
    values = (
        np.random.default_rng(0).normal(size=(8, 12, 1))
        + np.arange(8)[:, None, None] / 2
    )
    made = cube(values, list("abcdefgh"), [str(at) for at in range(12)], ["AP"])
    found = irmeta.significance(made, test="t", correct="none").data
    line = drawn.figure(found).axes[0].lines[0]
    p, share = line.get_data()
    at = {
        level: share[np.searchsorted(p, level, side="right") - 1]
        for level in (0.05, 0.5)
    }
    for level, height in at.items():
        assert height == (found["p"] <= level).mean()
    assert 0 < at[0.05] < at[0.5] < 1
    assert [p[0], p[-1]] == [drawn.LEAST, 1]
