"""What intervals and tests were measured to hold, as data that benchmarks write and notes ask."""
