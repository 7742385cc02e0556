"""How far rankings agree, and how far metrics do."""
