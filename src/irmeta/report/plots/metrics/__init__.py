"""Plots of results about metrics."""
