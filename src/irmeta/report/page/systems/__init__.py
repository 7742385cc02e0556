"""Sections of the page about systems."""
