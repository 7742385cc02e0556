"""Whether a collection is fair to a run that was not pooled: leave each group out, and learn what a new run loses."""
