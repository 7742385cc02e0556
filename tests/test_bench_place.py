"""The measurement of place's level: what docs/studies/place.md prints is made by code that runs."""

import numpy as np
from bench import place


def test_systems_of_named_teams_are_tested_against_themselves(monkeypatch, capsys):
    """Each table row has the mean and the 95th percentile of four shares in [0, 1]."""
    scores = np.random.default_rng(0).random((24, 20))
    team = np.repeat(["red", "green", "blue", "white", "black", "grey"], 4)
    monkeypatch.setattr(place, "collections", lambda _: [("made", scores, team)])
    place.levels(None, draws=4)
    name, *rates = capsys.readouterr().out.strip("| \n").split(" | ")
    figures = [float(figure) for rate in rates for figure in rate.split(", ")]
    assert name == "made"
    assert len(figures) == 8
    assert all(0 <= figure <= 1 for figure in figures)
