"""The cube of scores: made, checked, selected, averaged and standardized, and what a study returns."""
