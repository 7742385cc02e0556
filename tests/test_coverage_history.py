"""The commits that rows of measured coverage name."""

import subprocess

import polars as pl
import pytest
from bench.coverage import history, table


@pytest.mark.skipif(not history.has_history(), reason="the history is not here")
def test_each_row_names_a_commit_of_the_history():
    """Rows name code that can be looked up; `python -m bench.coverage --commits` names it anew after a rebase."""
    assert history.lost(table.read()) == set()


@pytest.fixture
def rebased(tmp_path, monkeypatch):
    """A repository in which a commit was rebased; its old name."""
    monkeypatch.setattr(history, "ROOT", tmp_path)

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b"]
        called = ["git", *who, *arguments]
        return subprocess.run(
            called, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    def written(name, text):
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", name)

    git("init", "-q", "-b", "main")
    written("first", "1")
    git("checkout", "-q", "-b", "other")
    written("second", "2")
    old = git("rev-parse", "--short=8", "HEAD")
    git("checkout", "-q", "main")
    written("third", "3")
    git("rebase", "-q", "main", "other")
    return old, git


def test_a_row_of_a_rebased_commit_names_the_one_in_its_place(rebased):
    """The commit has another name after the rebase, and the row gets it."""
    old, git = rebased
    measured = pl.DataFrame({"commit": [old]})
    assert history.lost(measured) == {old}
    new = git("rev-parse", "--short=8", "HEAD")
    assert history.mended(measured)["commit"].to_list() == [new] != [old]


def test_a_row_of_a_commit_that_was_amended_must_be_measured_again(rebased):
    """Author, time and subject are the same, but not the code."""
    old, git = rebased
    (history.ROOT / "src" / "second").write_text("4")
    git("commit", "-q", "-a", "--amend", "--no-edit")
    measured = pl.DataFrame({"commit": [old]})
    assert history.mended(measured)["commit"].to_list() == [old]
