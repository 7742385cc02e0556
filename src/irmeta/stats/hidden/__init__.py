"""Judgments that are hidden: what a board may say of runs before the reveal, and how much that gives away."""
