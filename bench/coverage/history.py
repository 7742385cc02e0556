"""The commits that rows name: of the code that was measured, in the history of the code that is here."""

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[2]
CODE = ("src", "bench", ":!src/irmeta/measured")
SAME = "%ae %at %s"
"""What a commit keeps when it is rebased: who wrote it, when, and its subject."""


@cache
def commit() -> str:
    """Name the commit of the code that is measured, with a plus sign where code differs from it."""
    changed = _git("status", "--porcelain", "--", *CODE)
    return _git("rev-parse", "--short=8", "HEAD") + "+" * bool(changed)


def has_history() -> bool:
    """Whether the whole history is here, as it is not in a package or a shallow clone."""
    return (ROOT / ".git").exists() and _git(
        "rev-parse", "--is-shallow-repository"
    ) == "false"


def lost(measured: pl.DataFrame) -> set[str]:
    """Name what rows say that is no commit of the history."""
    history = {full[:8] for full in _git("rev-list", "HEAD").split()}
    return set(measured["commit"]) - history


def mended(measured: pl.DataFrame) -> pl.DataFrame:
    """Let rows of a commit that was rebased name the one that took its place, where both are here."""
    return measured.with_columns(pl.col("commit").replace(_places(lost(measured))))


def _places(names: set[str]) -> Mapping[str, str]:
    """Find the commits that changed code in the same way, with the same author, time and subject."""
    lines = _git("log", "--abbrev=8", f"--format=%h {SAME}").splitlines()
    places = {same: new for new, same in (line.split(" ", 1) for line in lines)}
    found = {
        name: places.get(_git("log", "-1", f"--format={SAME}", name)) for name in names
    }
    return {
        name: new for name, new in found.items() if new and _patch(name) == _patch(new)
    }


def _patch(name: str) -> str:
    """Return a number of what a commit changed in code, the same wherever it is applied."""
    patch = _git("show", name, "--", *CODE)
    return _git("patch-id", "--stable", given=patch).partition(" ")[0]


def _git(*arguments: str, given: str | None = None) -> str:
    """Return what git prints; nothing where it fails."""
    called = ["git", *arguments]
    done = subprocess.run(
        called, cwd=ROOT, input=given, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
