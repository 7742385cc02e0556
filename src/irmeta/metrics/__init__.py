"""What the name of a metric may say, and what it means."""
