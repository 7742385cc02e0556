"""A run judged to grades, and grades to scores: the grade array, and the measures as formulas on it."""
