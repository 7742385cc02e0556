"""Commands that show results to others: pages, papers done again, and a site."""
