"""Verified scores: a file that was changed and sealed again does not pass as what its runs gave."""

from pathlib import Path

import pytest

import irmeta
from irmeta.errors import ScoresError
from irmeta.evaluation.archive.verification import verify
from irmeta.scores import standardization


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Runs, judgments and their score file."""
    (tmp_path / "runs").mkdir()
    for system in range(4):
        (tmp_path / "runs" / f"s{system}").write_text(
            "".join(
                f"{topic} Q0 d{(rank * 7 + system) % 20} {rank} {20 - rank} x\n"
                for topic in range(5)
                for rank in range(10)
            )
        )
    (tmp_path / "qrels").write_text(
        "".join(
            f"{topic} 0 d{n} {n % 3 == 0:d}\n" for topic in range(5) for n in range(20)
        )
    )
    scores = irmeta.evaluate(tmp_path / "qrels", tmp_path / "runs", "AP P@5 nDCG@10")
    irmeta.save(scores, tmp_path / "s.parquet")
    return tmp_path


def test_scores_follow_from_their_runs(made: Path) -> None:
    """A score file that nobody changed is what its runs and judgments give."""
    found = verify(made / "s.parquet", made / "qrels", made / "runs")
    assert (found.compared, found.problems) == (60, [])
    assert found.finding == "All 60 scores follow from these runs and judgments."


def test_what_was_left_out_is_left_out_again(made: Path) -> None:
    """Copies and empty runs that an evaluation left out beside a file are no difference."""
    runs = made / "runs"
    (runs / "s8").write_text("")
    (runs / "s9").write_text((runs / "s0").read_text())
    path = made / "few.parquet"
    irmeta.evaluate_to(
        path, made / "qrels", runs, "AP", drop_copies=True, drop_empty=True
    )
    assert verify(path, made / "qrels", runs).problems == []


def test_a_forged_score_is_found(made: Path) -> None:
    """One score that was changed, in a file with a valid seal and the original digests, is named."""
    scores = irmeta.load(made / "s.parquet")
    scores.loc["s1", "2", "AP"] = 0.987
    irmeta.save(scores, made / "forged.parquet")
    assert irmeta.load(made / "forged.parquet").loc["s1", "2", "AP"] == 0.987
    (problem,) = verify(made / "forged.parquet", made / "qrels", made / "runs").problems
    assert problem.startswith("s1, topic 2, AP: the file says 0.9870, runs and judgme")


def test_other_inputs_are_found(made: Path) -> None:
    """Other judgments, a changed run, one that is missing and one that is new are named."""
    (made / "qrels").write_text(
        (made / "qrels").read_text().replace("0 d3 1", "0 d3 0")
    )
    (made / "runs" / "s0").rename(made / "runs" / "s9")
    (made / "runs" / "s1").write_text("1 Q0 d3 1 1 x\n")
    said = "\n".join(verify(made / "s.parquet", made / "qrels", made / "runs").problems)
    assert "judgments: the file names SHA-256" in said
    assert "runs with other content than the file names: s1, s9" in said
    assert "1 system only in the file: s0" in said
    assert "1 system not in the file: s9" in said
    assert "more of 45 scores" in said


def test_only_evaluated_scores_are_verified(made: Path) -> None:
    """Standardized scores, which no run gives, are an error that says so."""
    scores = irmeta.load(made / "s.parquet")
    standard = standardization.apply(scores, standardization.fit(scores))
    irmeta.save(standard, made / "std.parquet")
    with pytest.raises(ScoresError, match="irmeta evaluate did not make these scores"):
        verify(made / "std.parquet", made / "qrels", made / "runs")


def test_the_command_says_what_is_wrong(
    made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command exits with 0 and a sentence, or with 1 and a list."""
    from irmeta.cli import main

    for forged in (False, True):
        scores = irmeta.load(made / "s.parquet")
        if forged:
            scores.loc["s1", "2", "AP"] = 0.987
        irmeta.save(scores, made / "given.parquet")
        words = [
            "verify",
            made / "given.parquet",
            "--runs",
            made / "runs",
            "--qrels",
            made / "qrels",
        ]
        monkeypatch.setattr("sys.argv", ["irmeta", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        assert int(stop.value.code or 0) == int(forged)
        assert ("- s1, topic 2" in capsys.readouterr().out) == forged
