"""The living repository: it takes runs, checks and scores them, and writes all that is public as finished files."""
