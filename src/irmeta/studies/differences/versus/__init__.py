"""Is this system better than others, by how much, and on which topics: one system against those asked for."""
