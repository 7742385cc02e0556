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
    assert figure.axes[0].get_ylabel() == said
