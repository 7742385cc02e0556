"""Predictive power: rankings on random halves of the topics, and intervals by leaving out."""
