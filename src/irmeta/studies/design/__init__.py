"""What the next collection should be: how many topics, judged how deep, by which metric and whom, for a budget."""
