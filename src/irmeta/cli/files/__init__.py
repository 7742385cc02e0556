"""Commands about files of scores: what they hold, and how they are fetched, made and turned into others."""
