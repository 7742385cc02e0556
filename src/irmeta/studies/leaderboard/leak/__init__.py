"""How many hidden judgments the rules of a board give away, by attacks on it and by a bound."""
