"""What scores average to: means with their intervals, the values that they can take, and the best of many."""
