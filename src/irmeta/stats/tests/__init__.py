"""Tests of differences between systems, paired by topic, and corrections for testing many."""
