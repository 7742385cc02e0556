"""The evaluator that the container runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import irmeta

EVALUATOR = Path(__file__).resolve().parents[1] / "container" / "evaluator.py"


def evaluated(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the evaluator on the folders run and truth."""
    folders = [
        "--input-run",
        folder / "run",
        "--input-truth",
        folder / "truth",
        "--output",
        folder / "out",
    ]
    command = [sys.executable, EVALUATOR, *folders, "--metrics", "AP nDCG@10"]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False
    )


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder with a run and one with its judgments, as TIRA hands them over."""
    for name, file, text in (
        ("run", "run.txt", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 b 1 1 t\n"),
        ("truth", "qrels.txt", "1 0 b 1\n2 0 b 2\n2 0 c 1\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    return tmp_path


def test_the_evaluator_answers_as_tira_expects(folders: Path) -> None:
    """Means of the metrics stand in evaluation.prototext, scores by topic in scores.parquet."""
    assert evaluated(folders).returncode == 0
    text = (folders / "out" / "evaluation.prototext").read_text()
    found = {
        name: float(value)
        for name, value in re.findall(
            r'measure \{\n  key: "(.+)"\n  value: "(.+)"\n\}\n', text
        )
    }
    scores = irmeta.evaluate(
        folders / "truth" / "qrels.txt",
        {"run": folders / "run" / "run.txt"},
        "AP nDCG@10",
    )
    assert found == {
        name: scores.sel(metric=name).mean().item() for name in ("AP", "nDCG@10")
    }
    assert irmeta.load(folders / "out" / "scores.parquet").sizes["topic"] == 2


def test_the_evaluator_says_what_is_wrong(folders: Path) -> None:
    """A folder without a run ends with 1 and one sentence."""
    (folders / "run" / "run.txt").rename(folders / "run" / "mine.txt")
    done = evaluated(folders)
    assert done.returncode == 1
    assert re.fullmatch(r"irmeta: .*run: no file is named run\*\n", done.stderr)
