"""Printed tables as cubes: which of a document, which collection, which columns; golden, as papers write them."""

import re
from pathlib import Path

import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.typed import typed

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.tables.printed import read_document
from irmeta.io.tables.spreadsheet import import_table
from irmeta.scores.attributes import PRINTED, about
from irmeta.studies.prediction.predict.typed import table

PAPER = r"""\documentclass{article}
\begin{table}\caption{Collections}\label{tab:data}
\begin{tabular}{lrr}\toprule
Collection & Topics & Documents \\ \midrule
DL 19 & 43 & 8{,}841{,}823 \\ \bottomrule
\end{tabular}\end{table}
\begin{table*}\label{tab:main}
\begin{tabular}{@{}ll cc cc@{}}
\toprule
\multirow{2}{*}{\textbf{Model}} & \multirow{2}{*}{Size} &
 \multicolumn{2}{c}{\textbf{DL 19}} & \multicolumn{2}{c}{\textbf{DL 20}} \\
\cmidrule(lr){3-4} \cmidrule(lr){5-6}
 & & nDCG@10 & MAP & nDCG@10 & MAP \\
\midrule
\multicolumn{6}{l}{\textit{Sparse}} \\
BM25~\cite{robertson} & -- & 50.6 & 30.1 & 48.0 & 28.6 \\
\addlinespace
\multicolumn{6}{l}{\textit{Dense}} \\
% ANCE & 110M & 99.9 & 99.9 & 99.9 & 99.9 \\
ANCE & 110M & 64.8$^{\dagger}$ {\scriptsize $\pm$ 1.2} & 37.1 & \textbf{64.6}\textsuperscript{$\ddagger$} & -- \\
TCT\_ColBERT & 110M & \cellcolor{gray!20}\textbf{67.0} & \underline{38.6} & 66.8 (+39\%) & 40.4 \\[2pt]
\bottomrule
\end{tabular}\end{table*}
"""
PAGE = """<table id="results"><tr><th>Run</th><th>P@10</th><th>Latency</th><th>AP (%)</th></tr>
<tr><td>bm25<sup>1</sup></td><td><b>.506</b></td><td>12 ms</td><td>30.1</td></tr>
<tr><td>ance</td><td>.648<sup>&dagger;</sup></td><td>85 ms</td><td>37.1</td></tr></table>"""
README = """# Results

| Model | P@10 | Params | MAP |
|:--|:--:|--:|--|
| [BM25](https://x.org)[^1] | 0.506 | 0 | 30.1% |
| **ANCE** | **0.648**\\* | 110 | 37.1% |
"""


def put(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_collections_of_one_table(tmp_path: Path) -> None:
    """Columns of one metric below different names are different collections; percent is read as parts of 1."""
    cubes = import_table(put(tmp_path, "paper.tex", PAPER))
    assert list(cubes) == ["DL 19", "DL 20"]
    assert cubes["DL 19"].system.values.tolist() == ["BM25", "ANCE", "TCT_ColBERT"]
    assert cubes["DL 19"].metric.values.tolist() == ["nDCG@10", "AP"]
    assert cubes["DL 19"].values[:, 0].tolist() == [
        [0.506, 0.301],
        [0.648, 0.371],
        [0.67, 0.386],
    ]
    assert cubes["DL 20"].isnull().values.sum() == 1
    [note] = about(cubes["DL 19"])[PRINTED]
    assert note.startswith("read as percent, as scores go beyond 1: DL 19 nDCG@10,")


@pytest.mark.parametrize("choice", ["#DL 20", "#tab:main#DL 20", "#2#DL 20"])
def test_a_collection_is_chosen(tmp_path: Path, choice: str) -> None:
    """A table goes by number or label, a collection by what stands above its columns."""
    scores = table(put(tmp_path, "paper.tex", PAPER) + choice)
    assert scores.sel(metric="AP").values[:, 0].tolist()[::2] == [0.286, 0.404]


@pytest.mark.parametrize(("name", "text"), [("a.html", PAGE), ("a.md", README)])
def test_the_same_scores(tmp_path: Path, name: str, text: str) -> None:
    """HTML and Markdown are read as CSV with the same scores is, but for columns that are no metric."""
    csv = (
        "system,P@10,AP\n,0.506,0.301\n".replace("\n,", "\nBM25,")
        + "ANCE,0.648†,37.1%\n"
    )
    plain = table(put(tmp_path, "a.csv", csv))
    read = table(put(tmp_path, name, text))
    assert [one.lower() for one in read.system.values] == ["bm25", "ance"]
    xr.testing.assert_equal(read.drop_vars("system"), plain.drop_vars("system"))


@pytest.mark.parametrize(
    ("text", "choice", "says"),
    [
        (PAPER, "", "the table has the columns of 2 collections; choose one by #, as"),
        (PAPER, "#tab:none", "#1 (tab:data) of Collection, Topics, Documents; #2"),
        (PAPER, "#2#DL 21", "has no table or collection '2#DL 21'"),
        (PAPER + PAGE, "", "has 2 tables that may be meant: #2 (tab:main) of nDCG@10"),
        (PAGE.replace(".506", "x"), "", "a.tex:2: 'x' in the column 'P@10' is not a"),
        (PAGE.replace(".506", "0,506"), "", "'0,506' in the column 'P@10' is not a"),
        (
            PAGE.replace("30.1", "3010"),
            "",
            "30.1 (bm25, topic all) is not a score of AP",
        ),
        (
            README.replace("ANCE", "BM25"),
            "",
            "a.tex:5: more than one row is named 'BM25'",
        ),
        (PAGE.replace("Latency", "P@10").replace(" ms", ""), "", "2 columns of P@10"),
        (
            README.replace("P@10", "A").replace("MAP", "B").replace("Params", "C"),
            "",
            "called by a metric, but",
        ),
        ("<table><tr><td>AP</table>", "", "no table in it has a header and a row"),
        ("system,AP\na,.1\n", "#2", "only a document in LaTeX, HTML or Markdown"),
    ],
)
def test_what_is_not_clear(tmp_path: Path, text: str, choice: str, says: str) -> None:
    """What may be meant in two ways, or is no score, is an error that lists what there is."""
    with pytest.raises((FileFormatError, ScoresError), match=re.escape(says)):
        table(put(tmp_path, "a.tex", text) + choice)


def test_heads_in_two_rows_and_metrics_in_rows(tmp_path: Path) -> None:
    """Cutoffs may stand below a name; a table whose rows are metrics is turned."""
    one = r"""\begin{tabular}{lccc} & \multicolumn{2}{c}{Recall} & nDCG \\ \hline
S & @10 & 100 & 20 \\ \hline A & .2 & .5 & .4 \end{tabular}"""
    scores = table(put(tmp_path, "one.tex", one))
    assert scores.metric.values.tolist() == ["R@10", "R@100", "nDCG@20"]
    two = (
        "| Metric | BM25 | Ours |\n|--|--|--|\n| MAP | .3 | .4 |\n| P@10 | .5 | .6 |\n"
    )
    scores = table(put(tmp_path, "two.md", two))
    assert scores.sel(metric="P@10").values[:, 0].tolist() == [0.5, 0.6]


def test_data_sets_in_columns(tmp_path: Path) -> None:
    """A table whose columns are data sets is one of tasks, by the metric that is named."""
    text = r"""\begin{tabular}{lcc} Model & FiQA & \textbf{NQ} \\ \midrule
BM25 & .236 & .329$^a$ \\ E5 & .371 & -- \end{tabular}"""
    [scores] = import_table(put(tmp_path, "a.tex", text), metric="nDCG@10").values()
    assert scores.topic.values.tolist() == ["FiQA", "NQ"]
    assert scores.values[0, :, 0].tolist() == [0.236, 0.329]


def test_predict_from_a_paper(tmp_path: Path) -> None:
    """`predict apply` fills what a paper's table does not report, for all its systems, and says how it was read."""
    paper = put(tmp_path, "paper.tex", PAPER)
    done = typed(
        ["predict", "apply", f"{paper}#DL 19", "--want", "R@1000", "--explain"]
    )
    assert done.exit_code == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.splitlines() if "R@1000" in line]
    assert {"BM25", "ANCE", "TCT_ColBERT"} <= set(rows)
    assert "read as percent" in " ".join((done.stdout + done.stderr).split())


def test_import_a_paper(tmp_path: Path) -> None:
    """`import table` makes a score file of the same table, and says how it was read."""
    paper, made = put(tmp_path, "paper.tex", PAPER), tmp_path / "made.parquet"
    done = typed(["import", "table", paper, "-o", str(made)])
    assert done.exit_code == 0, done.stderr
    assert made.exists()
    assert "read as percent" in " ".join((done.stdout + done.stderr).split())


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("\\begin{tabular}{lc}", "\\end{tabular}", "&", "\\\\", "{", "}", "$"),
                *(
                    "^",
                    "_",
                    "\\multirow{9}{*}{",
                    "\\multicolumn{3}{c}{",
                    "\\textbf",
                    "%",
                ),
                *("<table>", "</table>", "<tr>", "<td colspan=7>", "<th>", "<math>"),
                *("|", "\n", "|-|-|\n", "*", "AP", "P@10", "x", ".1", "43", "\\", "["),
            ]
        ),
        max_size=40,
    )
)
def test_any_text(pieces: list[str]) -> None:
    """Whatever a document holds, it is read, or an error says what is wrong."""
    try:
        frame, _ = read_document("".join(pieces), Path("x"))
    except FileFormatError:
        return
    assert frame.height
