"""Which metrics say the same, and which predict results on new topics."""
