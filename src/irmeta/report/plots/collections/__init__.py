"""Plots of results about collections."""
