"""Results as JSON, CSV, LaTeX and text."""

import io
import json
import math
import types

import numpy as np
import polars as pl
import pytest
import xarray as xr
from rich.cells import cell_len

from irmeta.errors import IrmetaError
from irmeta.report import forms, tables
from irmeta.scores.result import result
from irmeta.words import folded

FRAME = pl.DataFrame(
    {
        "system": ["a_1 & b", 'ü, "x"'],
        "score": [0.1 + 0.2, math.nan],
        "n": [1, None],
        "names": [["x", "y"], []],
        "low": [-math.inf, 1e-300],
    }
)


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> xr.Dataset:
    """A result whose study gives FRAME and another table."""
    study = types.SimpleNamespace(
        tables=lambda _: {"first": FRAME, "second": pl.DataFrame({"x": [1]})},
        findings=lambda _: ["It is so."],
    )
    monkeypatch.setattr(
        tables, "study_of", lambda result: {"mine": study}[result.attrs["study"]]
    )
    options = {
        "seed": np.int64(3),
        "share": np.float64(0.1),
        "low": math.nan,
        "list": (1, np.float32(0.5)),
        "all": None,
    }
    return result(
        "mine", {"x": ("y", [1])}, inputs={}, options=options, notes=["a note"]
    )


def test_json(outcome: xr.Dataset) -> None:
    """JSON is strict JSON: every float in full precision, what is no number null, NumPy's numbers numbers."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(tables.render(outcome, "json"), parse_constant=refuse)
    assert list(document) == [
        "study",
        "findings",
        "inputs",
        "options",
        "notes",
        "tables",
    ]
    assert document["study"] == "mine"
    assert document["findings"] == ["It is so."]
    assert document["notes"] == ["a note"]
    assert document["options"] == {
        "seed": 3,
        "share": 0.1,
        "low": None,
        "list": [1, 0.5],
        "all": None,
    }
    assert document["tables"]["second"] == [{"x": 1}]
    assert document["tables"]["first"] == [
        {
            "system": "a_1 & b",
            "score": 0.30000000000000004,
            "n": 1,
            "names": ["x", "y"],
            "low": None,
        },
        {"system": 'ü, "x"', "score": None, "n": None, "names": [], "low": 1e-300},
    ]


def test_csv(outcome: xr.Dataset) -> None:
    """CSV is the first table, or the one named, in full precision."""
    again = pl.read_csv(io.StringIO(tables.render(outcome, "csv")))
    assert again["system"].to_list() == FRAME["system"].to_list()
    assert again["score"][0] == 0.30000000000000004
    assert again["low"][1] == 1e-300
    assert again["names"][0] == "x, y"
    assert tables.render(outcome, "csv", "second") == "x\n1\n"


def test_latex(outcome: xr.Dataset) -> None:
    """LaTeX is a booktabs tabular in which no character of a name is a command."""
    lines = tables.render(outcome, "latex").splitlines()
    assert lines[0] == "\\begin{tabular}{lrrlr}"
    assert lines[4] == "a\\_1 \\& b & .300 & 1 & x, y & -inf \\\\"
    assert lines[-1] == "\\end{tabular}"
    odd = forms.latex(pl.DataFrame({"&%$#_{}": ["~^\\"]}))
    assert "\\&\\%\\$\\#\\_\\{\\} \\\\" in odd
    assert "\\textasciitilde{}\\textasciicircum{}\\textbackslash{} \\\\" in odd


def test_text(outcome: xr.Dataset) -> None:
    """Text shows every table with its name, numbers to three decimals, what is missing as a dash."""
    shown = tables.render(outcome)
    assert shown.startswith("first\n")
    assert "\nsecond\n" in shown
    assert " .300 " in shown
    assert "[" not in tables.render(outcome, table="second")
    assert forms.cell(None) == forms.cell(math.nan) == "-"
    assert forms.cell([0.5, "x"]) == ".500, x"
    assert (forms.cell(True), forms.cell(False)) == ("yes", "-")


def test_wide_tables() -> None:
    """A table wider than the terminal is shown in blocks that all begin with the names of the rows."""
    frame = pl.DataFrame(
        {"system": ["bm25"], **{f"metric{number}": [0.5] for number in range(10)}}
    )
    lines = forms.text(frame, width=50).splitlines()
    assert max(map(len, lines)) <= 50
    heads = [line.split() for line in lines if "system" in line]
    assert [
        name for head in heads for name in head if name != "system"
    ] == frame.columns[1:]
    assert sum("bm25" in line for line in lines) == len(heads) > 1


def test_each_block_has_the_columns_that_name_its_rows() -> None:
    """Where rows share the first column, blocks repeat those after it that distinguish them, and no others."""
    frame = pl.DataFrame(
        {
            "judge": ["machine"] * 2,
            "metric": ["nDCG@10"] * 2,
            "team": ["one", "other"],
            **{f"figure{number}": [0.1, 0.2] for number in range(8)},
        }
    )
    lines = forms.text(frame, width=60).splitlines()
    heads = [line.split() for line in lines if "judge" in line]
    assert len(heads) > 1
    assert heads[0][:3] == ["judge", "metric", "team"]
    assert all(head[:2] == ["judge", "team"] for head in heads[1:])
    assert sum("other" in line for line in lines) == len(heads)


def test_unknown_tables(outcome: xr.Dataset) -> None:
    """A table that the result does not have is an error that names the nearest."""
    with pytest.raises(
        IrmetaError, match="no table 'secnd' in this result; did you mean second?"
    ):
        tables.render(outcome, "csv", "secnd")


HOSTILE = pl.DataFrame(
    {
        "system": ["=cmd|' !A0'", "[opt]", "*star", "a\x1b[2J\nb", "__x__"],
        "AP": [-0.5, 0.1, 0.2, 0.3, 0.4],
    }
)


def test_names_are_no_formulas_for_spreadsheets() -> None:
    """A name that a spreadsheet would compute is text to it; numbers stay numbers."""
    rows = forms.csv(HOSTILE).splitlines()
    assert rows[1] == "'=cmd|' !A0',-0.5"
    assert forms.csv(
        pl.DataFrame({"=1+1": ["-", "-0.5", "+1", "@x"]})
    ).splitlines() == [
        "'=1+1",
        "-",
        "-0.5",
        "+1",
        "'@x",
    ]


def test_names_are_no_commands_for_latex_markdown_and_terminals() -> None:
    """Names are printed as they are: no optional argument of a row, no emphasis, no escape, one line each."""
    rows = forms.latex(HOSTILE).splitlines()
    assert rows[5].startswith("{}[opt] &")
    assert rows[6].startswith("{}*star &")
    assert "\x1b" not in forms.latex(HOSTILE) + forms.markdown(HOSTILE) + forms.text(
        HOSTILE
    )
    assert forms.markdown(HOSTILE).splitlines()[3:7] == [
        r"| \[opt] | .100 |",
        r"| \*star | .200 |",
        r"| a\\x1b\[2J\\nb | .300 |",
        r"| \__x_\_ | .400 |",
    ]


@pytest.mark.parametrize("joint", ["_", "-", "/", ""])
def test_no_name_is_cut_within_a_part(joint: str) -> None:
    """Texts fold between words, names between their parts if all columns then stand side by side, and 80 columns do."""
    names = [
        joint.join(["some", "system", "of", "a", "longname", str(n)]) for n in range(3)
    ]
    frame = pl.DataFrame(
        {
            "problem": ["many words " * 9] * 3,
            "system": names,
            "count": [1, 2, 3],
            "as in": names,
        }
    )
    drawn = forms.text(frame)
    assert max(map(len, drawn.splitlines())) <= 80
    rows = drawn.splitlines()
    if not joint:
        assert all(name in drawn for name in names)
        return
    assert rows[0].split() == ["problem", "system", "count", "as", "in"]
    folded = "".join(row[rows[0].index("as in") :].strip() for row in rows[2:])
    assert folded == "".join(names)


def test_columns_without_a_name_and_long_heads() -> None:
    """A column may have no name, and a head is folded between its parts as a name is."""
    assert forms.text(pl.DataFrame({"": ["a"], "b": [1]})).splitlines()[2] == "a   1"
    heads = [f"some-lab/a-model-with-a-long-name-{number}" for number in range(3)]
    drawn = forms.text(pl.DataFrame({"model": ["x"]} | {head: ["y"] for head in heads}))
    assert "model-with-" in drawn
    assert all(part in drawn for part in ("some-", "lab/", "long-", "name-"))


def test_heads_fold_before_names_do() -> None:
    """Heads of two words stand on two lines where names are then whole, and else on one."""
    frame = pl.DataFrame(
        {
            "system": ["a-system-of-a-name"],
            "possible ranks": ["1"],
            "mean accuracy": [0.5],
        }
    )
    assert "possible ranks" in forms.text(frame, width=53)
    drawn = forms.text(frame, width=44).splitlines()
    assert [line.split() for line in drawn[:2]] == [
        ["possible", "mean"],
        ["system", "ranks", "accuracy"],
    ]
    assert drawn[3].split() == ["a-system-of-a-name", "1", ".500"]


def test_names_that_fit_stay_on_one_line() -> None:
    """A name is broken only where columns would not stand side by side otherwise."""
    names = ["Some-Lab/a-model-with-quite-a-long-name", "b"]
    frame = pl.DataFrame({"model": names, "mean": [0.5, 0.25], "rank": ["1", "2 to 3"]})
    assert names[0] in forms.text(frame)
    assert names[0] not in forms.text(frame, width=40)
    assert "  with-quite-a-long-name" not in forms.text(frame)


def test_wide_characters_take_two_columns() -> None:
    """Names in Chinese and Japanese end their lines after parts, and no line is wider than asked for."""
    names = [
        "北京大学自然语言处理研究所-多语言检索模型-大型版",
        "東京大学情報基盤センター言語モデルベース版",
    ]
    frame = pl.DataFrame(
        {"system": names, "准确率": [0.5, 0.25], "verdict": ["better"] * 2}
    )
    lines = forms.text(frame, width=50).splitlines()
    assert max(map(cell_len, lines)) <= 50
    assert "准确率" in " ".join(lines)
    assert lines[2].startswith("北京大学自然语言处理研究所-  ")
    assert lines[3] == "  多语言检索模型-大型版"


def test_sentences_count_wide_characters_twice() -> None:
    """A sentence with names in Chinese is folded at the columns that it takes."""
    said = folded(
        "清华大学通用文本向量 scores more than 北京大学检索模型 by 准确率", 40
    )
    assert [cell_len(line) for line in said.splitlines()] == [37, 28]
