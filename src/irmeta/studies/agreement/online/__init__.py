"""Which offline metric predicts the online outcome: how often users agree with each."""
