"""What a site knows: its tables, and every read and write of them as one function and one transaction."""
