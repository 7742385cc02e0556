"""Scales there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.prediction.scales import EDGE, from_scale, to_scale


@given(score=st.floats(EDGE, 1 - EDGE), scale=st.sampled_from(["raw", "logit"]))
def test_scores_come_back(score, scale):
    """Scores away from the edges come back from either scale."""
    assert from_scale(to_scale(score, scale), scale) == pytest.approx(score)


def test_log_odds_of_the_edges_are_finite_and_missing_scores_stay_missing():
    """Scores of 0 and 1 have the log odds of the edge; NaN stays NaN."""
    found = to_scale([0.0, 1.0, np.nan], "logit")
    assert found[:2] == pytest.approx(
        [np.log(EDGE / (1 - EDGE)), -np.log(EDGE / (1 - EDGE))]
    )
    assert np.isnan(found[2])
