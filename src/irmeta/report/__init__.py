"""Results to tables, plots and pages; nothing is computed here."""
