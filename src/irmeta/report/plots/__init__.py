"""Results drawn: each plot takes a result and an Axes and returns the Axes; nothing is computed, no global style."""
