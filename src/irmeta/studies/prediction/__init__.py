"""What an unreported metric would have been."""
