"""The measurement of the gate: worlds have the loss that they should, and tables have what was measured."""

import numpy as np
import pytest
from bench import cause, gate


@pytest.mark.parametrize("kind", gate.KINDS)
def test_builds_lose_what_they_are_said_to(kind):
    """Over many topics a build scores less than the release by its loss."""
    rng = np.random.default_rng(0)
    losses = np.array([0.0, gate.MARGIN, 0.1])
    found = gate.differences(kind, 40_000, losses, rng).mean(axis=1)
    assert found == pytest.approx(-losses, abs=0.006)


def test_a_false_alarm_is_one_of_a_build_that_loses_just_the_margin(monkeypatch):
    """A world says who was wrong in any night; a loss that is plain is found by all."""
    monkeypatch.setattr(gate, "NIGHTS", 5)
    monkeypatch.setattr(gate, "BEGINS", 2)
    monkeypatch.setattr(gate, "WITHIN", 3)
    assert set(gate.false("graded", 20, 0)) == {*gate.WAYS, "safe"}
    found = gate.power("graded", 200, 0.3, 0)
    assert {name: found[name] for name in gate.WAYS} == dict.fromkeys(gate.WAYS, 1.0)


@pytest.mark.parametrize("kind", gate.KINDS)
def test_a_judge_lowers_anchors_by_what_it_is_said_to(kind):
    """Over many anchors a stricter judge scores less by the same mean."""
    rng = np.random.default_rng(1)
    falls = np.array([0.0, 0.1])
    found = cause.anchors(kind, 40_000, falls, rng).mean(axis=1)
    assert found == pytest.approx(-falls, abs=0.006)


@pytest.mark.parametrize("which", cause.CAUSES)
def test_a_world_says_whether_its_cause_is_found(which, monkeypatch):
    """A cause that is plain is found, and none is named wrongly, in a few nights."""
    monkeypatch.setattr(gate, "NIGHTS", 5)
    monkeypatch.setattr(gate, "BEGINS", 2)
    monkeypatch.setattr(gate, "WITHIN", 3)
    monkeypatch.setattr(cause, "SIZES", {400: 0.3})
    monkeypatch.setattr(cause, "EACH", 0.15)
    found = cause.world("graded", 400, which, 0)
    assert found == {"wrong": 0.0, "found": float(which != "none")}


def test_the_page_has_the_rows_that_were_measured(tmp_path, monkeypatch):
    """Both tables go between the marks of the page, and nothing else changes."""
    page = tmp_path / "gate.md"
    page.write_text(f"before\n{gate.BEGIN}\nold\n{gate.END}\nafter\n")
    monkeypatch.setattr(gate, "PAGE", page)
    shares = dict.fromkeys((*gate.WAYS, "safe"), 0.25)
    row = {"scores": "0/1", "topics": 20, "worlds": 4, **shares}
    gate.write(gate.tables([row, {**row, "loss": 0.1}]), gate.BEGIN, gate.END)
    text = page.read_text()
    assert "| 0/1 | 20 | 4 | 0.250 | 0.250 | 0.250 | 0.250 |" in text
    assert "| 0/1 | 20 | 0.1 | 4 | 0.250 | 0.250 | 0.250 |" in text
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
