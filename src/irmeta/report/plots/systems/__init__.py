"""Plots of results about systems."""
