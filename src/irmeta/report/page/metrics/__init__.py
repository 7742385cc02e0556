"""Sections of the page about metrics."""
