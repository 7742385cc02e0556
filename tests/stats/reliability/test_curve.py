"""The curve of tau by the number of topics, against a fit of scipy."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import curve_fit

from irmeta.stats.reliability.curve import fit


def test_points_count_by_their_error():
    """The line n / y = n / a + k / a is fitted with the error n / y^2 of each point, as scipy's curve_fit does."""
    rng = np.random.default_rng(0)
    sizes = np.array([5.0, 8.0, 12.0, 20.0, 30.0])
    # in noise about a curve with a = .9, k = 8
    y = 0.9 * sizes / (sizes + 8) + rng.normal(0, 0.02, sizes.size)
    tau = 2 / np.pi * np.arcsin(y)
    found = fit(sizes.tolist(), tau[:, None])
    (slope, intercept), _ = curve_fit(
        lambda n, slope, intercept: slope * n + intercept,
        sizes,
        sizes / y,
        sigma=sizes / y**2,
    )
    assert slope > 1
    assert_allclose([found.a[0], found.k[0]], [1 / slope, intercept / slope], rtol=1e-6)
