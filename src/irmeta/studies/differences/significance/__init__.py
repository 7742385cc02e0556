"""Which systems differ significantly, pair by pair, and how many pairs a metric can distinguish."""
