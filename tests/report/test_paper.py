"""The table of a paper as LaTeX and Markdown: complete, escaped, and with every mark."""

import shutil
import subprocess

import numpy as np
import pytest

import irmeta
from irmeta.report.tables import render
from irmeta.scores.cube import cube


@pytest.fixture
def made():
    values = np.random.default_rng(0).uniform(0, 1, (3, 12, 2))
    values[2] = values[2] / 4
    names = ["base_line", "50% & more", "a|b"]
    return irmeta.table(
        cube(
            values,
            names,
            [str(one) for one in range(12)],
            ["AP", "P@10"],
            collection="my_runs",
        ),
        baseline="base_line",
    )


def test_latex_is_a_whole_table(made):
    """LaTeX has caption, rules and rows, names are escaped, the best is bold, daggers are superscripts."""
    text = render(made, "latex")
    assert text.startswith("\\begin{table}")
    assert "\\caption{Mean scores on my\\_runs (12 topics)" in text
    assert "50\\% \\& more" in text
    assert text.count("\\textbf{") == 2
    assert "$^{\\ddagger}$" in text
    assert "†" not in text


def test_markdown_is_a_whole_table(made):
    """Markdown has a row for each system, pipes in names are escaped, and the caption stands below."""
    lines = render(made, "markdown").splitlines()
    assert lines[0] == "| System | AP | P@10 |"
    assert sum(line.startswith("| a\\|b |") for line in lines) == 1
    assert lines[-1].startswith("Mean scores on my_runs")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(made, tmp_path):
    """The table compiles as it is in an article with booktabs."""
    page = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n%s\\end{document}\n"
    (tmp_path / "t.tex").write_text(page % render(made, "latex"))
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        check=True,
    )
