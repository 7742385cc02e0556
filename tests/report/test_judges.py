"""The section on judges: when the page has it, and what it shows."""

import numpy as np

from irmeta.report.page.content import Content
from irmeta.report.page.judgments.judges import are_judges, panels
from irmeta.scores.cube import cube
from irmeta.scores.groups.teams import Groups

SYSTEMS, TOPICS = [f"s{i}" for i in range(8)], [str(i) for i in range(12)]


def made(seed: int, systems=SYSTEMS, topics=TOPICS):
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(0).uniform(0.2, 0.8, (8, 12, 1))
    return cube(
        np.clip(truth + rng.normal(0, 0.05, truth.shape), 0, 1), systems, topics, ["AP"]
    )


def test_judges_are_collections_of_the_same_runs_and_topics() -> None:
    """The same systems on the same topics are judges; other systems, other topics and one alone are not."""
    cubes = {"nist": made(1), "llm": made(2)}
    assert are_judges(cubes)
    assert not are_judges({"nist": made(1)})
    assert not are_judges(
        {**cubes, "other": made(3, systems=[f"x{i}" for i in range(8)])}
    )
    assert not are_judges(
        {**cubes, "later": made(3, topics=[str(i) for i in range(10, 22)])}
    )


def test_the_panel_compares_with_the_first() -> None:
    """The points are tau of the other collections with the first, best on top, and the line is its ceiling."""
    cubes = {"nist": made(1), "llm": made(2), "crowd": made(3)}
    groups = {name: f"team{name}" for name in SYSTEMS}
    [panel] = panels(
        Content.prepared(
            cubes,
            missing="error",
            teams=Groups(groups, source="t.csv"),
        )
    )
    [axes] = panel.pictures["tau"].draw().axes
    assert {tick.get_text() for tick in axes.get_yticklabels()} == {"llm", "crowd"}
    tau, ceiling = (list(line.get_xdata()) for line in axes.lines)
    assert tau == sorted(tau, reverse=True)
    assert 0 < ceiling[0] <= 1
    assert (
        panel.command
        == "irmeta judges compare scores.parquet --teams t.csv --truth 'nist'"
    )
    assert any("treat the 8 teams" in note for note in panel.notes)
