"""Which metrics predict results on new topics: predictive power from random halves of the topics."""
