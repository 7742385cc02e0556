"""A command ends with its result or a sentence, whatever other programs have put into the environment."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

QRELS = "1 0 a 1\n2 0 a 1\n"
RUN = "1 Q0 a 1 1 t\n2 Q0 b 1 1 t\n"
STRANGE = {
    "POLARS_PANIC_ON_ERR": "1",
    "POLARS_VERBOSE": "x",
    "POLARS_ENGINE_AFFINITY": "x",
    "NPY_PROMOTION_STATE": "x",
    "MPLBACKEND": "x",
    "MATPLOTLIBRC": __file__,
    "OMP_NUM_THREADS": "x",
    "OPENBLAS_NUM_THREADS": "x",
    "COLUMNS": "0",
    "LC_ALL": "C",
    "TMPDIR": "/proc/none",
    "HOME": "/proc/none",
    "NO_COLOR": "x",
    "TERM": "x",
    "TZ": "x",
}
"""Settings of other programs that these do not know, or that lead nowhere."""
REFUSED = [
    ("POLARS_MAX_THREADS", "0"),
    ("POLARS_MAX_THREADS", "x"),
    ("POLARS_MAX_THREADS", "-1"),
    ("SOURCE_DATE_EPOCH", "x"),
    ("SOURCE_DATE_EPOCH", "99999999999999"),
]


def _run(
    folder: Path, *words: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "irmeta", *words],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a score file."""
    tmp_path = tmp_path_factory.mktemp("scores")
    for name, text in (("q", QRELS), ("a", RUN), ("b", RUN.replace("b", "a"))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = _run(tmp_path, "evaluate", "q", "a", "b", "-m", "AP", "-o", "s.parquet")
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [("describe", "s.parquet"), ("significance", "s.parquet", "--plot", "p.svg")],
)
def test_strange_settings_change_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, scores: Path, words: tuple[str, ...]
) -> None:
    """Settings that other programs do not understand change no answer, and nothing warns of them."""
    monkeypatch.chdir(scores)
    monkeypatch.setenv("COLUMNS", "80")
    _, plain, _ = run(*words)
    done = _run(scores, *words, **(STRANGE | {"COLUMNS": "80"}))
    assert (done.returncode, done.stdout) == (0, plain)
    assert not re.search("Traceback|panicked|Warning", done.stderr)


def test_no_width_is_none(
    run: Run, monkeypatch: pytest.MonkeyPatch, scores: Path
) -> None:
    """A terminal that says it has no column, or five, gets the answer."""
    for columns in ("0", "5", "-1", "x"):
        monkeypatch.setenv("COLUMNS", columns)
        code, _, said = run("describe", scores / "s.parquet")
        assert code == 0, said


@pytest.mark.parametrize(("columns", "width"), [("120", 120), ("60", 60), ("x", 80)])
def test_columns_name_the_width_in_a_pipe(
    run: Run, monkeypatch: pytest.MonkeyPatch, scores: Path, columns: str, width: int
) -> None:
    """What is read in a pager or kept is as wide as COLUMNS says; 80 without a number there."""
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = run("describe", scores / "s.parquet")
    assert width - 15 < max(map(len, out.splitlines())) <= width


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_a_setting_that_cannot_be_is_named(
    tmp_path: Path, name: str, value: str
) -> None:
    """The error names the variable and what it may be, before a library stops at it."""
    done = _run(tmp_path, "describe", "s.parquet", **{name: value})
    assert done.returncode == 2
    assert done.stderr.startswith(f"irmeta: {name} is {value!r} in the environment;")
    assert "Traceback" not in done.stderr
