"""Is the collection big enough: how reliable the ranking of systems is, which differences show, how many topics do."""
