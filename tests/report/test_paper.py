"""The table of a paper as LaTeX and Markdown: complete, escaped, and with every mark."""

import re
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


def test_labels_and_captions_are_text_in_latex():
    """What looks like TeX in a label or a caption is printed as it stands."""
    values = np.random.default_rng(0).uniform(0, 1, (2, 12, 1))
    scores = cube(values, ["a", "b"], [str(at) for at in range(12)], ["AP"])
    made = irmeta.table(scores, caption="Means of $n$").labelled({"a": r"\textbf{x}"})
    assert r"\caption{Means of \$n\$ (" in render(made, "latex")
    assert r"\textbackslash{}textbf\{x\}" in render(made, "latex")


def test_markdown_is_a_whole_table(made):
    """Markdown has a row for each system, and pipes in names are escaped."""
    lines = render(made, "markdown").splitlines()
    assert lines[0] == "| System | AP | P@10 |"
    assert sum(line.startswith("| a\\|b |") for line in lines) == 1
    assert len(lines) == 2 + made.sizes["system"]


def rows_of(made):
    """The cells of each row of the LaTeX table."""
    body = render(made, "latex").partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    lines = [line for line in body.splitlines() if " & " in line]
    return [re.split(r" &(?: |$)", line.removesuffix(r" \\")) for line in lines]


def test_numbers_are_aligned(made):
    """In LaTeX a column of numbers stands beside one of marks; without a test there are numbers only."""
    rows = rows_of(made)
    assert len(rows) == 3
    for _, *cells in rows:
        assert len(cells) == 4
        assert all("$" not in number for number in cells[::2])
        assert all(mark.startswith("$^") or not mark for mark in cells[1::2])
    assert "\\begin{tabular}{lr@{}lr@{}l}" in render(made, "latex")
    assert render(made, "markdown").splitlines()[1] == "| --- | ---: | ---: |"


def test_rows_are_named_and_ordered_as_in_the_paper(tmp_path):
    """Labels of some systems, a file or a mapping, replace their names; rows named first stand first; LaTeX refers."""
    values = np.random.default_rng(0).uniform(0, 1, (4, 12, 1))
    scores = cube(values, list("abcd"), [str(at) for at in range(12)], ["AP"])
    (tmp_path / "labels.csv").write_text("system,label\na,BM25 & RM3\nz,unknown\n")
    options = {"test": "none", "order": "c,a", "label": "tab:ap"}
    for labels in (tmp_path / "labels.csv", {"a": "BM25 & RM3"}):
        made = irmeta.table(scores, **options).labelled(labels)
        names = [row[0] for row in rows_of(made)]
        assert names[:2] == ["c", "BM25 \\& RM3"]
        assert sorted(names[2:]) == ["b", "d"]
        assert "\\label{tab:ap}" in render(made, "latex")
        assert "BM25 & RM3" in str(made)
    tested = irmeta.table(scores, baseline="a").labelled({"a": "BM25 & RM3"})
    assert "significantly better and worse than BM25 \\& RM3 (" in render(
        tested, "latex"
    )
    for wrong in ({"z": "unknown"}, {"a": "b"}):
        with pytest.raises(irmeta.IrmetaError, match="name some of|same label"):
            irmeta.table(scores, test="none").labelled(wrong)
    with pytest.raises(irmeta.IrmetaError, match="LaTeX takes letters"):
        irmeta.table(scores, test="none", label="tab:}x")


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
