"""What operators and organizers do with a site: bring in, check, copy, and ask."""
