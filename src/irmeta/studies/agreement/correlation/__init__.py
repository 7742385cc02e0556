"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""
