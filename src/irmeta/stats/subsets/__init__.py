"""Which few metrics to report: criteria, searches, and how stable a choice is."""
