"""Tables of models and tasks, with holes: aggregates, what holes decide, and predictions for them."""
