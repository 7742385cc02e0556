"""Whether other judgments rank systems as the true ones do: agreement, what they miss and invent, whom they favour."""
