"""Runs and judgments: files, folders and objects of other libraries, as arrays."""
