"""Arrays to arrays, NumPy and SciPy only: rank correlation, resampling, regression, determinants."""
