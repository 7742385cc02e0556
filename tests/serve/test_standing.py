"""What a board says of runs with one name, and of a best run."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.pages.forms import figure
from irmeta.serve.results import answers
from irmeta.serve.results.series import edition_of
from irmeta.serve.results.standing import compute_standing
from irmeta.serve.site import Site

from .conftest import a_run, work_off


def test_runs_of_one_name_are_told_by_their_keys(filled: Site, tmp_path: Path) -> None:
    """Runs of one name, and a withdrawn one, have their keys beside it; a replaced one leaves its name alone."""
    engine = tables.open_catalogue(filled.database)
    (tmp_path / "run").write_bytes(a_run(9, 0.4))
    content = importing.copy_run(filled, tmp_path / "run")
    keys = [
        submissions.submit(
            *(engine, "lab", "same", content), received=at, about={"team": team}
        ).key
        for at, team in enumerate(("one", "no team", "", "gone"), 1)
    ]
    submissions.withdraw(engine, keys[-1])
    work_off(filled, engine)
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    labels = [found.lines[key].label for key in keys]
    assert labels == [f"same ({key})" for key in keys]
    assert [line.key for line in found.others] == [keys[3]]


def test_no_later_run_takes_the_place_of_a_baseline(
    filled: Site, tmp_path: Path
) -> None:
    """A name stands for the own team's run of that name, else for the run that had it first, in claims and series."""
    engine = tables.open_catalogue(filled.database)
    own = {"series": "years", "anchors": {"old": "r0"}}
    boards.set_board(engine, "lab", own)
    (tmp_path / "run").write_bytes(a_run(9, 3.0))
    content = importing.copy_run(filled, tmp_path / "run")
    keys = {
        (team, name): submissions.submit(
            *(engine, "lab", name, content),
            received=1,
            about={"team": team, "baseline": base},
        ).key
        for team, name, base in (
            ("honest", "new", "r0"),
            ("rival", "r0", ""),
            ("rival", "newer", "r0"),
        )
    }
    work_off(filled, engine)
    shot = snapshot(engine, "lab")
    engine.dispose()
    found = compute_standing(shot, {})
    first = next(run.key for run in shot.runs if run.name == "r0")
    bases = {name: found.lines[key].baseline for (_, name), key in keys.items()}
    assert bases["new"] is found.lines[first]
    assert bases["newer"] is found.lines[keys["rival", "r0"]]
    assert edition_of(shot, found).anchors == {"old": found.lines[first].label}


def test_a_best_run_is_named(filled: Site, tmp_path: Path) -> None:
    """Where one run is surely the best the board says so first; runs off the table keep no new metric from it."""
    engine = tables.open_catalogue(filled.database)
    for key in [one.key for one in snapshot(engine, "lab").runs if one.name > "r1"]:
        submissions.withdraw(engine, key)
    boards.set_board(engine, "lab", {"metrics": ["P@10"]})
    (tmp_path / "best").write_bytes(a_run(9, 3.0))
    importing.import_runs(filled, engine, "lab", [tmp_path / "best"])
    work_off(filled, engine)
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    publishing.publish(filled)
    assert found.metrics == ["P@10"]
    assert found.ranked[0].label == "best"
    assert found.ranked[0].rank_low == 1
    sure = found.ranked[1].rank_low > 1
    says = "better than all" if sure else "first of"
    assert found.finding.startswith(f"By P@10, best is {says}")


def test_names_that_cannot_be(filled: Site) -> None:
    """A board's key, a run's name and a change that is none are each answered by name, or not at all."""
    engine = tables.open_catalogue(filled.database)
    version = boards.board_versions(engine)["lab"]
    boards.set_board(engine, "lab", {"title": "lab"})
    assert boards.board_versions(engine)["lab"] == version
    with pytest.raises(IrmetaError, match="'A B': a board's key has"):
        boards.new_board(engine, key="A B")
    content = submissions.Bytes("0" * 64, 1)
    with pytest.raises(RefusedError, match="'a/b': a run's name has"):
        submissions.submit(engine, "lab", "a/b", content, received=1)
    with pytest.raises(RefusedError, match="no board 'none'"):
        submissions.submit(engine, "none", "a", content, received=1)
    engine.dispose()


def test_a_run_without_a_score_has_no_line(filled: Site, tmp_path: Path) -> None:
    """A run that waits for its score is no line of the board, and the others stand as before."""
    (tmp_path / "new").write_bytes(a_run(12))
    engine = tables.open_catalogue(filled.database)
    before = compute_standing(snapshot(engine, "lab"), {})
    importing.import_runs(filled, engine, "lab", [tmp_path / "new"])
    [(key, _)] = submissions.pending_submissions(engine, 10)
    submissions.keep_check(engine, key, submissions.Checked([]))
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    assert key not in found.lines
    number = len(before.ranked) + 1
    waits = f"1 of {number} runs is still being scored, so ranks will change."
    assert found.finding == f"{waits} {before.finding}"
    assert [line.rank for line in found.ranked] == [one.rank for one in before.ranked]


def test_equal_runs_differ_by_nothing() -> None:
    """The difference of equal runs is 0, and is not written as a loss."""
    same = {"AP": np.array([0.5, 0.7])}
    scores = answers.score_cube("lab", ["1", "2"], ["AP"], {"a": same, "b": same})
    [found] = answers.differences(scores, "AP", "a", ["b"])
    assert figure(found.value, "+") == "+.000"
