"""Commands that make scores of runs and judgments, and check these."""
