"""Tables of LaTeX as rows of text."""

import pytest

from irmeta.io.tables.printed.latex import grids, plain


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\textbf{0.43}", "0.43"),
        (r"$\mathbf{0.43}^{\dagger\ddagger}$", "0.43^{†‡}"),
        (r"0.43\textsuperscript{ab}", "0.43^{ab}"),
        (r"$0.412_{\pm 0.01}$", "0.412_{±0.01}"),
        (r"\underline{43.2\,\%}", "43.2%"),
        (r"\cellcolor[gray]{.9}0.43", "0.43"),
        (r"\cellcolor{green!20}{\bf .43}", ".43"),
        (r"\textcolor{red}{.43}", ".43"),
        (r"BM25~\cite{robertson} \& RM3", "BM25 & RM3"),
        (r"TCT\_ColBERT\footnote{A note.}", "TCT_ColBERT"),
        (r"\makecell{nDCG\\@10}", "nDCG @10"),
        (r"\begin{tabular}[c]{@{}c@{}}nDCG\\@10\end{tabular}", "nDCG @10"),
        (r"\phantom{0}4.3", "4.3"),
        (r"\num[round-mode=places]{0.43}", "0.43"),
        (r"P$_{10}$", "P_{10}"),
        ("--", "–"),
        (r"{unclosed", "unclosed"),
    ],
)
def test_text_of_a_cell(tex: str, text: str) -> None:
    """Commands go, what they show stays; raised and lowered text is marked."""
    assert plain(tex) == text


def test_rows_and_spans() -> None:
    r"""Rows end at \\, cells at &; what spans is repeated; rules, comments and a table in a cell are none."""
    text = r"""% \begin{tabular}{l} hidden \end{tabular}
\begin{table}
\begin{tabular}{@{}l cc@{}} \toprule
\multirow{2}{*}{Model} & \multicolumn{2}{c}{\textbf{DL 19}} \\ \cmidrule(lr){2-3}
 & AP & \begin{tabular}{c}nDCG\\@10\end{tabular} \\ \midrule % 100\% & more
A \& B & .1 & .2 \\[2pt]
C & .3 & 40\% \\ \bottomrule
\end{tabular}
\label{tab:main}
\end{table}"""
    [grid] = grids(text)
    assert grid.rows == [
        ["Model", "DL 19", "DL 19"],
        ["Model", "AP", "nDCG @10"],
        ["A & B", ".1", ".2"],
        ["C", ".3", "40%"],
    ]
    assert (grid.head, grid.label, grid.lines) == (2, "tab:main", [4, 5, 6, 7])


def test_tables_of_one_float() -> None:
    """Each tabular of a document is a table, those of one float by its label."""
    one = r"\begin{tabular}{lc} S & AP \\ A & .1 \end{tabular}"
    text = rf"\begin{{table}} {one} {one} \label{{two}} \end{{table}} {one}"
    assert [grid.label for grid in grids(text)] == ["two", "two", ""]
