"""Which systems differ, by how much, and how good each is."""
