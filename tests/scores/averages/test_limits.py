"""What a metric can take, and what is said of differences that do not vary."""

import numpy as np

from irmeta.scores.averages.limits import limits, widest
from irmeta.scores.cube import cube

METRICS = ["AP", "DCG@20", "GMAP", "my metric", "P@10 (std.)"]


def test_only_known_metrics_within_their_range_have_limits() -> None:
    """AP has 0 to 1; DCG, unknown and standardized metrics, and AP with a score below 0 have none."""
    scores = cube(np.full((2, 3, 5), 0.5), list("ab"), list("123"), METRICS)
    low, high = limits(scores)
    assert low.tolist() == [0, -np.inf, 0, -np.inf, -np.inf]
    assert high.tolist() == [1, np.inf, 1, np.inf, np.inf]
    assert np.isinf(limits(scores - 1)).all()


def test_missing_scores_leave_the_limits() -> None:
    """A score that is missing is not beyond a bound."""
    scores = cube(np.full((2, 3, 5), 0.5), list("ab"), list("123"), METRICS)
    scores[0, 0] = np.nan
    assert widest(scores)[0] == 1


def test_differences_of_logarithms_have_no_limit() -> None:
    """Means of GMAP lie between 0 and 1, differences of their logarithms anywhere."""
    scores = cube(np.full((2, 3, 5), 0.5), list("ab"), list("123"), METRICS)
    assert widest(scores).tolist() == [1, np.inf, np.inf, np.inf, np.inf]
