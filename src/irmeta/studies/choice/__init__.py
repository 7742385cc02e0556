"""Which few metrics to report."""
