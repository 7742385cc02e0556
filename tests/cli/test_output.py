"""What commands do not write over: inputs, and files of another kind."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import irmeta
from irmeta.cli import main, output
from irmeta.parallel import steps
from irmeta.scores.cube import cube


def test_results_replace_nothing_of_another_kind(run):
    """A result is not written over a run, judgments, scores, a model or an archive; over an older result it is."""
    scores = np.random.default_rng(1).random((4, 5, 3))
    irmeta.save(
        cube(scores, list("abcd"), list("12345"), ["AP", "RR", "P@5"]), "s.parquet"
    )
    shutil.copy("s.parquet", "o.parquet")
    Path("qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path("run.csv").write_text("# a run\n1 Q0 d1 0 9.5 tag\n")
    Path("m.json").write_text('{\n "format": "irmeta prediction model 1"}')
    Path("x.csv").write_bytes(gzip.compress(b"1,2"))
    Path("t.csv").write_text("System;topic;metric;score\na;1;AP;0.5\n")
    for file in ("o.parquet", "qrels.txt", "run.csv", "m.json", "x.csv", "t.csv"):
        before = Path(file).read_bytes()
        code, _, said = run("describe", "s.parquet", "--format", "csv", "-o", file)
        assert (code, "choose another name" in said) == (2, True)
        assert Path(file).read_bytes() == before
    for _ in range(2):
        assert run("describe", "s.parquet", "-o", "r.csv")[0] == 0
        assert run("export", "s.parquet", "-o", "t.csv")[0] == 0
        assert (
            run("evaluate", "qrels.txt", "run.csv", "--table", "scores", "-o", "t.csv")[
                0
            ]
            == 0
        )
        assert run("predict", "fit", "s.parquet", "-o", "model.json")[0] == 0


def test_inputs_named_by_url_are_inputs(run):
    """A run that is named by a file:// URL is not written over."""
    Path("q").write_text("1 0 d1 1\n")
    Path("run.csv").write_text("1 Q0 d1 0 9.5 tag\n")
    code, _, said = run(
        "evaluate", "q", f"file://{Path('run.csv').resolve()}", "-o", "run.csv"
    )
    assert (code, "is one of the files to read" in said) == (2, True)


def test_a_line_a_minute(monkeypatch, capsys):
    """Where there is no terminal, a line says now and then what is done, also while one step lasts."""
    monkeypatch.setattr(output._Lines, "EVERY", 0.05)
    with output.working():
        for _ in steps(range(2), "partitions"):
            time.sleep(0.2)
    said = capsys.readouterr().err.splitlines()
    assert "partitions: 0" in said
    assert "partitions: 1 of 2, about 1 min left" in said


def test_a_table_for_a_paper_has_its_notes_beside_it(run):
    """What a LaTeX table leaves out is said on stderr, unless all is to be quiet; so is what a CSV table warns of."""
    scores = np.random.default_rng(1).random((45, 5, 1))
    names = [f"s{at}" for at in range(45)], list("12345"), ["AP@1000"]
    irmeta.save(cube(scores, *names), "s.parquet")
    typed = ("table", "s.parquet", "-m", "AP", "--test", "none", "--format", "latex")
    _, out, said = run(*typed)
    assert "AP@1000, is used" in said
    assert "note:" not in out
    assert run(*typed, "--quiet")[2] == ""
    odd = ("predict", "apply", "--given", "P@10=0.99 P@1000=0.0 RR=0.01", "--want")
    _, out, said = run(*odd, "AP@1000", "--format", "csv")
    assert said.startswith("Warning: scores far from those that the model")
    assert "Warning" not in out


def test_a_width_without_a_plot_is_an_error(run):
    """A width that nothing is drawn with is not passed over in silence."""
    scores = np.random.default_rng(1).random((4, 5, 1))
    irmeta.save(cube(scores, list("abcd"), list("12345"), ["AP"]), "s.parquet")
    code, _, said = run("describe", "s.parquet", "--plot-width", "3.3")
    assert (code, said.strip()) == (2, "irmeta: --plot-width needs --plot FILE")


def test_a_plot_with_small_names_says_which_width_it_needs(run, tmp_path):
    """Many metrics in a column have names that are hard to read: the width that is named mends it."""
    scores = np.random.default_rng(1).random((5, 8, 30))
    names = list("abcde"), list("12345678"), [f"nDCG@{at}" for at in range(1, 31)]
    irmeta.save(cube(scores, *names), "s.parquet")
    typed = "correlate", "s.parquet", "--quiet", "--plot", "h.png", "--plot-width"
    assert run(*typed, "3.3")[2] == ""
    narrow = [one for one in typed if one != "--quiet"]
    said = run(*narrow, "3.3")[2]
    found = re.search(
        r"h.png: the smallest names are ([34]\.\d) points .* ([\d.]+) they", said
    )
    assert found
    assert "smallest" not in run(*narrow, found[2])[2]


def test_a_terminal_gets_no_control_characters(monkeypatch, capsys):
    """What goes to a terminal, CSV too, shows control characters as escapes; a pipe gets names exactly."""
    for terminal in (True, False):
        monkeypatch.setattr(sys.stdout, "isatty", lambda terminal=terminal: terminal)
        output.write("bm25\x1b[2J\t\u202e1\n", None)
    assert capsys.readouterr().out == "bm25\\x1b[2J\t\\u202e1\nbm25\x1b[2J\t\u202e1\n"


def test_a_reader_who_has_enough_is_no_error():
    """Where standard output is closed before all is written, as by `head`, a command ends with 0 and says nothing."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "irmeta", "datasets", "list"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_memory_that_is_refused_ends_in_a_sentence(monkeypatch, capsys):
    """Where the system gives no more memory, the command says so and what to do, and exits with 2."""

    def refuse(_):
        raise MemoryError("Unable to allocate 3 GiB")

    monkeypatch.setattr("irmeta.cli._modules", list)
    monkeypatch.setattr("irmeta.cli.app.run", refuse)
    with pytest.raises(SystemExit, match="2"):
        main()
    said = capsys.readouterr().err
    assert said.startswith(
        "irmeta: not enough memory (Unable to allocate 3 GiB); raise"
    )


def test_a_summary_that_is_a_folder_is_named_after_scores_are_read(run) -> None:
    """Studies of two score files refuse to write to a folder in a sentence, as those of one do."""
    for name in ("c", "d"):
        scores = np.random.default_rng(1).random((4, 5, 1))
        made = cube(scores, list("abcd"), list("12345"), ["AP"], collection=name)
        irmeta.save(made, f"{name}.parquet")
    given = ["c.parquet", "d.parquet", "--system", "a", "--against", "b"]
    code, _, said = run("replicate", *given, "--summary", ".")
    assert (code, "this is a folder; name a file" in said) == (2, True)


@pytest.mark.parametrize("option", ["-o", "--plot", "--summary"])
def test_nothing_is_written_to_the_standard_input(run, option: str) -> None:
    """A dash is standard input, so no output can be one: the error says where results go without -o."""
    scores = np.random.default_rng(1).random((4, 5, 1))
    irmeta.save(cube(scores, list("abcd"), list("12345"), ["AP"]), "s.parquet")
    code, out, said = run("describe", "s.parquet", option, "-", "--format", "latex")
    assert (code, out, "without -o a result goes to standard output" in said) == (
        2,
        "",
        True,
    )
