"""A cube to a result: one module a question, each with the study and `tables`, its view as data frames."""
