"""Is this reproduction one: the same systems once more, on the same topics or on others, or month by month."""
