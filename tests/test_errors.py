"""One message, two renderings: options as they are typed on the command line, as arguments in Python."""

import ast
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irmeta
from irmeta import errors
from irmeta.cli import main
from irmeta.errors import IrmetaError, ScoresError, typed
from irmeta.scores.cube import cube
from irmeta.words import FLAGS, READING, in_python

SOURCE = Path(errors.__file__).parent
OTHERS = {"--log_samples"}
"""Options of other programs."""


def literal(node: ast.AST) -> str:
    """Return what is fixed of a text, with X for what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(part) for part in parts)
        case ast.FormattedValue():
            return "X"
        case ast.Call(args=args):
            return " | ".join(literal(one) for one in args)
    return ""


def raised() -> list[str]:
    """Return the texts of all errors that are raised but by commands and the server, as far as they are fixed."""
    return [
        literal(node.exc)
        for path in SOURCE.rglob("*.py")
        if not {"cli", "serve"} & set(path.relative_to(SOURCE).parts)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise) and node.exc is not None
    ]


def test_no_message_in_python_names_an_option_of_the_command_line() -> None:
    """Every error text of the package, said in Python, has no -- but those of other programs."""
    texts = raised()
    assert sum("--" in text for text in texts) > 60
    left = {
        option
        for text in texts
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", in_python(text))
    }
    assert left == OTHERS


def test_words_that_follow_an_option_are_values_or_prose() -> None:
    """What stands in quotes after = is a value of that option, not the next word of the sentence."""
    prose = {"needs", "takes", "is", "and", "or", "only", "instead", "once", "right"}
    said = {
        value
        for text in raised()
        for value in re.findall(r"\w=['\"]([\w-]+)['\"]", in_python(text))
    }
    assert {"common", "bounds", "exact", "raw"} <= said
    assert not said & prose


def test_flags_are_true_in_python() -> None:
    """An option without a value is a parameter that is True or False."""
    functions = [
        getattr(irmeta, name) for name in dir(irmeta) if not name.startswith("_")
    ]
    kinds = {
        name: one.annotation
        for function in functions
        if callable(function)
        for name, one in inspect.signature(function).parameters.items()
    }
    known = {name: kinds[name] for name in FLAGS if name in kinds}
    assert len(known) > 3
    assert set(map(str, known.values())) <= {"bool", "<class 'bool'>"}


def test_options_on_reading_are_fields_of_a_reading() -> None:
    """What files may lack or have beyond their format is one argument in Python."""
    assert {field.name for field in fields(irmeta.Reading)} == READING


def test_one_error_speaks_to_whom_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same mistake: an argument in Python, an option where commands are typed."""
    scores = np.array([[[0.1], [np.nan]], [[0.2], [0.3]]])
    made = cube(scores, ["a", "b"], ["1", "2"], ["AP"])
    with pytest.raises(IrmetaError, match=r"systems= of irmeta\.select\)") as error:
        irmeta.describe(made)
    assert "--" not in str(error.value)
    with typed():
        assert "--systems)" in str(error.value)
    irmeta.save(made, tmp_path / "s.parquet")
    words = ["irmeta", "describe", str(tmp_path / "s.parquet")]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        main()
    assert "--systems)" in capsys.readouterr().err
    assert "systems= of irmeta.select)" in str(error.value)


def test_a_class_of_ours_is_said_in_words() -> None:
    """Who gives scores where a result is wanted is told what returns results."""
    with pytest.raises(IrmetaError, match=r"expected Result \(what irmeta\.versus and"):
        irmeta.write_leaderboard(pd.DataFrame(), "board")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("library", "extra", "ask"),
    [
        ("matplotlib", "plot", "irmeta.describe(scores).plot()"),
        ("matplotlib", "plot", "irmeta.write_report(scores, 'report')"),
        ("sklearn", "models", "irmeta.rank(scores, matrix='shrunk', candidates='all')"),
    ],
)
def test_a_library_that_is_lacking_is_named_with_its_extra(
    library: str, extra: str, ask: str, tmp_path: Path
) -> None:
    """Without a library that only some answers need, these say which extra brings it; others are there."""
    program = f"""
import sys
sys.modules[{library!r}] = None
import numpy, irmeta
from irmeta.scores.cube import cube
scores = cube(numpy.random.default_rng(0).random((4, 8, 3)), list("abcd"), list("12345678"), ["AP", "RR", "P@10"])
assert irmeta.describe(scores)._repr_html_()
try:
    {ask}
except irmeta.IrmetaError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == (
        f"this needs {library}; install it: pip install 'irmeta[{extra}]'\n"
    ), done.stderr


def test_what_a_result_prints_in_python_names_its_tables() -> None:
    """A title that names an option on the command line names in Python what holds the same."""
    rng = np.random.default_rng(0)
    systems, topics = list("ab"), [str(at) for at in range(30)]
    scores = cube(rng.random((2, 30, 1)), systems, topics, ["AP"])
    found = irmeta.versus(scores, "a", "b")
    assert "--" not in str(found)
    assert '.tables["topics"]' in str(found)
    assert ".tables[&quot;topics&quot;]" in found._repr_html_()
    assert found.tables["topics"].height == 30
    with typed():
        assert "--table topics" in str(found)


def test_what_select_does_is_told_where_a_study_does_not() -> None:
    """Systems are chosen before a study in Python, and its error says how."""
    scores = cube(np.ones((2, 3, 1)), list("ab"), list("123"), ["AP"])
    wrong: dict[str, Any] = {"systems": ["a"]}
    with pytest.raises(
        TypeError, match=r"irmeta\.select\(scores, systems=\[\.\.\.\]\)"
    ):
        irmeta.table(scores, **wrong)
    wrong = {"metrics": ["AP"]}
    with pytest.raises(TypeError, match=r"say metric=, or .*irmeta\.select\(scores, m"):
        irmeta.leaderboard(scores, **wrong)
    wrong = {"about": "about.csv"}
    of_page = r"irmeta\.write_leaderboard\(result, folder, about=\.\.\.\)"
    with pytest.raises(TypeError, match=of_page):
        irmeta.leaderboard(scores, **wrong)


def test_names_with_commas_are_told_how_to_be_named() -> None:
    """A text is cut at commas, so a file, or in Python a list, names what has one."""
    scores = cube(np.ones((2, 3, 1)), ["my, run", "bm25"], list("123"), ["AP"])
    with pytest.raises(ScoresError) as error:
        irmeta.select(scores, systems="my, run,bm25")
    assert "or name them by systems=[...]" in str(error.value)
    with typed():
        assert "--systems @FILE" in str(error.value)
    assert irmeta.select(scores, systems="my, run").system.values.tolist() == [
        "my, run"
    ]
    varied = scores * np.array([[[0.2], [0.4], [0.3]], [[0.1], [0.5], [0.2]]])
    with pytest.raises(ScoresError, match=r"or name them by highlight=\[\.\.\.\]"):
        irmeta.describe(varied).plot(highlight="my, run,bm25")


def test_names_with_blanks_have_commas_between_them() -> None:
    """Wherever systems are listed in a text, names with blanks stand between commas, patterns beside them."""
    rng = np.random.default_rng(4)
    names = ["Fusion 2", "covidex_1", "covidex_2", "bm25"]
    scores = cube(rng.random((4, 12, 1)), names, [str(at) for at in range(12)], ["AP"])
    wanted = "Fusion 2,covidex*"
    assert irmeta.select(scores, systems=wanted).system.values.tolist() == names[:3]
    assert irmeta.table(scores, order=wanted)["system"].values.tolist()[:3] == names[:3]
    against = irmeta.versus(scores, "bm25", wanted)["against"].values.tolist()
    assert against == names[:3]
    [axes] = irmeta.describe(scores).plot(highlight=wanted).axes
    bold = [
        label.get_text()
        for label in axes.get_yticklabels()
        if label.get_fontweight() == "bold"
    ]
    assert sorted(bold) == sorted(names[:3])
