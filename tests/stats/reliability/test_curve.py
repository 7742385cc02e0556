"""The curve of tau by the number of topics, against a fit of scipy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import curve_fit

from irmeta.stats.reliability.curve import fit


def test_points_count_by_their_error():
    """Through the last point goes the line n / y = n / a + k / a, fitted with the error n / y^2 of each other point."""
    rng = np.random.default_rng(0)
    sizes = np.array([5.0, 8.0, 12.0, 20.0, 30.0])
    # in noise about a curve with a = .9, k = 8
    y = 0.9 * sizes / (sizes + 8) + rng.normal(0, 0.02, sizes.size)
    tau = 2 / np.pi * np.arcsin(y)
    found = fit(sizes.tolist(), tau[:, None])
    end = sizes[-1] / y[-1]
    (slope,), _ = curve_fit(
        lambda n, slope: end + slope * (n - sizes[-1]),
        sizes[:-1],
        sizes[:-1] / y[:-1],
        sigma=sizes[:-1] / y[:-1] ** 2,
    )
    assert slope > 1
    k = end / slope - sizes[-1]
    assert_allclose([found.a[0], found.k[0]], [1 / slope, k], rtol=1e-6)


@pytest.mark.parametrize("last", [0.3, 0.6, 0.9, 0.99])
def test_the_curve_goes_on_where_measuring_ends(last):
    """The curve has the last point, and rises from there to 1 at most, however the points before it lie."""
    tau = np.array([0.4, 0.5, 0.55, last])[:, None]
    found = fit([5, 10, 15, 20], tau)
    assert_allclose(found.tau(20), last)
    further = np.array([found.tau(n)[0] for n in (20, 21, 40, 80)])
    assert (np.diff(further) >= -1e-12).all()
    assert further[-1] <= 1
