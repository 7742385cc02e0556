"""How far judges agree with the truth: rankings, decisions, topics, labels, favour; and what few human topics show."""
