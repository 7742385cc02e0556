"""Files of our own: score files, models, tables of nights; their schemas, and seals that show a change."""
