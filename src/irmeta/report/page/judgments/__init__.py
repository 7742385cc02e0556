"""Sections of the page about judgments."""
