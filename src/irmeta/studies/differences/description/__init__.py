"""What a cube holds: means with intervals, the ranks that systems may have, how topics differ."""
