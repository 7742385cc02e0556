"""`irmeta submit --fail-if-worse` says of a board's scores what `irmeta versus` says of them."""

import pytest

from irmeta.cli.serve import _gate
from irmeta.io.nights import read_nights
from irmeta.serve.client import Server

from .conftest import TOPICS, a_run


@pytest.fixture
def board(served, monkeypatch):
    """A client of the board `lab`, whose requests go to the server of the tests."""
    client = Server("http://127.0.0.1/b/lab", served.token)

    def answer(method, where):
        return served.client.request(method, where, headers=served.headers)

    monkeypatch.setattr(client, "_answer", answer)
    return client


def test_a_bad_run_fails_and_is_a_night(served, board, tmp_path):
    """A run that finds far less than its baseline is worse, by the topics of the board; an equal one does not fail."""
    keys = {}
    for name, seed, skill in (("good", 1, 5.0), ("bad", 2, -5.0), ("same", 3, 5.0)):
        about = {} if name == "good" else {"baseline": "good"}
        keys[name] = served.put(name, a_run(seed, skill), **about).json()["key"]
    history = tmp_path / "nights.jsonl"
    bad = _gate(board, served.shown(keys["bad"]), 0.02, False, history)
    same = _gate(board, served.shown(keys["same"]), 0.02, False, None)
    assert bad["failed"]
    assert bad.findings[0].startswith("Worse: ")
    assert not same["failed"]
    (night,) = read_nights(history)
    assert set(night.comparisons[0].differences) == set(TOPICS)
