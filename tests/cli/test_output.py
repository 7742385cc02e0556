"""What commands do not write over: inputs, and files of another kind."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import irmeta
from irmeta.cli.app import app
from irmeta.cube import cube


def test_results_replace_nothing_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is not written over a run, judgments, scores, a model or an archive; over an older result it is."""
    monkeypatch.chdir(tmp_path)
    irmeta.save(
        cube(np.random.default_rng(1).random((4, 5, 3)), list("abcd"), list("12345"), ["AP", "RR", "P@5"]), "s.parquet"
    )
    shutil.copy("s.parquet", "o.parquet")
    Path("qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path("run.csv").write_text("# a run\n1 Q0 d1 0 9.5 tag\n")
    Path("m.json").write_text('{\n "format": "irmeta prediction model 1"}')
    Path("x.csv").write_bytes(gzip.compress(b"1,2"))
    for file in ("o.parquet", "qrels.txt", "run.csv", "m.json", "x.csv"):
        before = Path(file).read_bytes()
        result = CliRunner().invoke(app, ["describe", "s.parquet", "--format", "csv", "-o", file])
        assert "write to another file" in result.output.replace("\n", " ")
        assert Path(file).read_bytes() == before
    for _ in range(2):
        assert CliRunner().invoke(app, ["describe", "s.parquet", "-o", "r.csv"]).exit_code == 0
        assert CliRunner().invoke(app, ["predict", "fit", "s.parquet", "-o", "model.json"]).exit_code == 0


def test_inputs_named_by_url_are_inputs(tmp_path: Path) -> None:
    """A run that is named by a file:// URL is not written over."""
    qrels, run = tmp_path / "q", tmp_path / "run.csv"
    qrels.write_text("1 0 d1 1\n")
    run.write_text("1 Q0 d1 0 9.5 tag\n")
    result = CliRunner().invoke(app, ["evaluate", str(qrels), f"file://{run}", "-o", str(run)])
    assert "is among the files to read" in result.output.replace("\n", " ")
