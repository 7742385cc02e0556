"""What the crew does about children that fail, and about runs that change while they are scored."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.rules import now
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.crew import crew as crews
from irmeta.serve.crew.child import Child
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing
from irmeta.serve.site import Site

from .conftest import a_run, work_off


class Failing:
    """A child that has no answer."""

    ended = 0

    def ask(self, *_: object, **__: Any) -> dict[str, Any]:
        return {"error": "it takes too long"}

    def close(self) -> None:
        self.ended += 1


def test_a_run_that_cannot_be_checked_is_refused(filled: Site, tmp_path: Path) -> None:
    """A run on which the child ends is refused with the reason, and no run behind it waits."""
    engine = tables.open_catalogue(filled.database)
    (tmp_path / "one").write_bytes(a_run(9))
    importing.import_runs(filled, engine, "lab", [tmp_path / "one"])
    work_off(filled, engine, Failing())
    counts = submissions.count_by_state(engine, "lab")
    engine.dispose()
    assert counts == {"refused": 1, "scored": 5}


def test_a_publisher_that_fails_is_replaced(filled: Site, monkeypatch) -> None:
    """A publication that ends without an answer is an error, and the next one begins again with another child."""
    monkeypatch.setattr(crews, "Child", Failing)
    engine = tables.open_catalogue(filled.database)
    crew = Crew(filled, engine, 1)
    crew._unwritten = False
    with pytest.raises(IrmetaError, match="publication: it takes too long"):
        crew._publish()
    assert (crew._unwritten, crew._publisher.ended) == (None, 1)
    assert crew.check_file("run", "run", boards.board_of(engine, "lab")).result().failed
    crew.close()
    engine.dispose()


def test_a_failure_names_no_path(filled: Site, tmp_path: Path) -> None:
    """What went wrong with a score names the run and the judgments, and not where they lie or the digest of these."""
    engine = tables.open_catalogue(filled.database)
    crew = Crew(filled, engine, 1)
    key = snapshot(engine, "lab").runs[0].key
    job = submissions.job_of(engine, key)
    where = (
        f"{filled.run_path(job.run)} and {filled.judgments_path(job.qrels)} do not fit"
    )

    class Unfit:
        def ask(self, *_: object, **__: Any) -> dict[str, Any]:
            return {"error": where}

    crew._own.child = Unfit()
    boards.rescore(engine, "lab")
    crew._score_submission(key)
    crew._score_submission(key)
    found = submissions.submission_of(engine, key)
    assert found.state == "failed"
    says = [one["text"] for one in found.remarks if one["level"] == "error"]
    assert says == [f"{job.name} and the judgments do not fit"]
    crew.close()
    engine.dispose()


def test_refused_runs_are_counted_on_the_terminal(
    filled: Site, tmp_path: Path, caplog
) -> None:
    """Whoever serves is told how many runs are refused, and what lists why; the reason says what to mend."""
    first, *rest = a_run(1).splitlines(keepends=True)
    (tmp_path / "twice").write_bytes(b"".join([first, first, *rest]))
    engine = tables.open_catalogue(filled.database)
    importing.import_runs(filled, engine, "lab", [tmp_path / "twice"])
    work_off(filled, engine)
    assert (
        f"lab: 1 run refused so far; irmeta board runs lab --site {filled.folder}"
        in caplog.text
    )
    [run] = [
        run for run in submissions.submissions_of(engine, 1) if run.name == "twice"
    ]
    assert run.remarks[0]["text"].endswith(
        "; a ranking has each document once: keep one of the lines"
    )
    engine.dispose()


def test_mistakes_of_ours_are_logged(filled: Site, monkeypatch, caplog) -> None:
    """A submission or a step that raises is logged, and the crew goes on, unless it is closed."""
    engine = tables.open_catalogue(filled.database)
    crew = Crew(filled, engine, 1)
    crew._work_once("nobody", crew._check_submission).result()
    assert "submission nobody" in caplog.text
    monkeypatch.setattr(crews, "PAUSE", 0.0)
    steps = iter([ValueError("odd"), None])

    def step() -> None:
        if error := next(steps):
            raise error
        crew.close()

    crew._repeat(step)
    assert "the crew stumbled" in caplog.text
    caplog.clear()
    crew._work(
        "nobody", crew._check_submission
    )  # what fails because all ends is no mistake
    assert caplog.text == ""
    engine.dispose()


def test_a_run_withdrawn_while_it_is_scored_stays_so(filled: Site) -> None:
    """Scores that come twice are as once; those that come for a withdrawn run leave it off the table."""
    engine = tables.open_catalogue(filled.database)
    shot = snapshot(engine, "lab")
    key, vectors = shot.runs[0].key, shot.vectors[1][shot.runs[0].key]
    kept = {name: one.tobytes() for name, one in vectors.items()}
    for state in ("scored", "withdrawn"):
        submissions.mark_scored(
            engine, key, submissions.job_of(engine, key).judgments, kept
        )
        assert submissions.submission_of(engine, key).state == state
        submissions.withdraw(engine, key)
    engine.dispose()


def test_what_is_left_over_is_removed(filled: Site) -> None:
    """Halves of files that a killed server left are gone when the next one begins."""
    for folder in ("", "tmp", "public", "truth"):
        (filled.folder / folder / "half.part").write_bytes(b"x")
    filled.remove_leftovers()
    assert list(filled.folder.rglob("*.part")) == []


def test_a_date_that_passes_is_published(filled: Site, monkeypatch) -> None:
    """At the moment of a date of a board its pages are written, though nobody changes anything."""
    engine = tables.open_catalogue(filled.database)
    closes = now() + 3_600_000_000
    boards.set_board(engine, "lab", {"closes": closes})
    crew, asked = Crew(filled, engine, 1), []

    def written(task: str, **_: Any) -> dict[str, Any]:
        asked.append(task)
        return {"versions": boards.board_versions(engine), "left": False}

    monkeypatch.setattr(crew, "_write_by_child", written)
    crew._publish()
    crew._publish()
    assert asked == ["publish", "publish_rest"]
    monkeypatch.setattr(boards, "now", lambda: closes)
    crew._publish()
    assert asked[2:] == ["publish", "publish_rest"]
    crew.close()
    engine.dispose()


def test_a_signal_to_all_ends_the_server_alone() -> None:
    """What a terminal or systemd sends to a server and its children does not end a child while it is asked."""
    child = Child()
    assert child.ask("begin", 300) == {}
    assert child._process is not None
    for ends in (signal.SIGINT, signal.SIGTERM):
        os.kill(child._process.pid, ends)
    assert child.ask("begin", 300) == {}
    assert child._process.poll() is None
    child.close()
