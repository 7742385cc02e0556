"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""
