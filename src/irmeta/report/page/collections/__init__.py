"""Sections of the page about collections."""
