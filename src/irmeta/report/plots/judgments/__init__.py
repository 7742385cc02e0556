"""Plots of results about judgments."""
