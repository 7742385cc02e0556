"""What the plot of agreement with users draws."""

import numpy as np
from matplotlib.figure import Figure
from tests.studies.agreement.test_online import made, outcomes

import irmeta
from irmeta.report.plots.metrics.online import agreed


def test_points_are_shares_of_pairs():
    """Each metric is a point at its share in percent, the best first, with its interval; one half is a line."""
    scores = made()
    found = irmeta.online(scores, outcomes(scores))
    axes = agreed(found, Figure().add_subplot())
    points, half = axes.lines
    shares = 100 * np.sort(found["agreement"].values)[::-1]
    np.testing.assert_allclose(points.get_xdata(), shares)
    assert half.get_xdata() == [50, 50]
    lows = [line[0, 0] for line in axes.collections[0].get_segments()]
    order = np.argsort(-found["agreement"].values)
    np.testing.assert_allclose(lows, 100 * found["agreement_low"].values[order])
