"""Outcomes of online experiments as people have them, and what looks like them and is not."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.tables.outcomes import read_outcomes


def read(tmp_path, text):
    path = tmp_path / "outcomes.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_outcomes(str(path))


def test_values_with_errors(tmp_path):
    """Columns may have other names, other separators and a byte order mark, and the file may be packed."""
    text = "\ufeffVariant;Lift;Std-Error\nb;0.02;0.01\n\nc;-1e-2;0.02\n"
    for data in (text.encode(), gzip.compress(text.encode())):
        found = read(tmp_path, data)
        assert found.systems == ["b", "c"]
        assert found.against == ["", ""]
        assert found.value.tolist() == [0.02, -0.01]
        assert found.error.tolist() == [0.01, 0.02]


def test_wins_and_losses(tmp_path):
    """Wins less losses is a share of all, ties among them; its error is that of one drawn impression by their root."""
    found = read(tmp_path, "a,b,wins,losses,ties\nx,y,60,30,10\ny,z,5,0,0\n")
    assert found.against == ["y", "z"]
    assert found.value.tolist() == [0.3, 1.0]
    sample = np.repeat([1.0, -1.0, 0.0], [605, 305, 100])
    assert found.error[0] == pytest.approx(sample.std() / np.sqrt(101))
    assert found.error[1] > 0.1


def test_queries(tmp_path):
    """Queries are averaged; what one adds to all systems alike is no noise where all have the same queries."""
    text = "system,query,value\n"
    text += "".join(
        f"s{s},q{q},{s + 10 * q + (q == s) / 10}\n" for s in range(3) for q in range(3)
    )
    found = read(tmp_path, text)
    np.testing.assert_allclose(found.value, 10 + np.arange(3) + 1 / 30)
    assert found.error.max() < 0.1
    assert found.queries == {"q0", "q1", "q2"}
    other = read(tmp_path, text + "s2,q9,5\n")
    assert other.error.min() > 1


def test_frames_are_as_files():
    """Data frames of polars and pandas are read as a file would be."""
    table = {"system": ["x", "y"], "value": [0.1, 0.2], "se": [0.01, 0.02]}
    for frame in (pl.DataFrame(table), pd.DataFrame(table)):
        found = read_outcomes(frame)
        assert found.systems == ["x", "y"]
        assert found.error.tolist() == [0.01, 0.02]


WRONG = {
    "empty": (b"", "not a table; expected a header and a row below it"),
    "header only": ("system,value\n", "not a table; expected a header and a row below"),
    "a run": (
        "301 Q0 d1 1 2.5 bm25\n302 Q0 d2 1 2.5 bm25\n",
        "not a table of outcomes",
    ),
    "scores": ("system,topic,AP\nx,1,0.5\n", "not a table of outcomes"),
    "two columns": (
        "system,value,value\nx,1,2\n",
        "more than one column is named 'value'",
    ),
    "no number": ("system,value\nx,1\ny,12%\n", ":3: value is '12%'"),
    "not a number": ("system,value\nx,nan\n", ":2: value is 'nan'"),
    "endless": ("system,value\nx,-inf\n", ":2: value is '-inf'"),
    "negative": (
        "system,value,se\nx,1,-1\n",
        ":2: se is '-1'; expected a number of 0 or more",
    ),
    "some errors": ("system,value,se\nx,1,1\ny,1,\n", ":3: no standard error"),
    "twice": ("system,value\nx,1\nx,2\n", "several experiments with a system"),
    "pairs": ("a,b,value\nx,y,1\n", "as do comparisons"),
    "itself": ("a,b,wins,losses\nx,x,1,2\n", ":2: x cannot be compared with itself"),
    "nobody": ("a,b,wins,losses\nx,y,0,0\n", ":2: nobody compared these"),
    "no system": ("system,value\n,1\n", ":2: a line lacks a system"),
    "no query": ("system,query,value\nx,,1\n", ":2: a line lacks its query"),
    "one query": ("system,query,value\nx,q,1\ny,q,1\n", "one query only"),
    "a query twice": (
        "system,query,value\nx,q,1\nx,q,2\n",
        ":3: x has two outcomes for the query 'q'",
    ),
    "a line in a name": ('system,value\n"x\ny",1\n', ":2: the name .* a control char"),
    "commas": ("system,value,se\nx,0,5,1\n", ":2: 4 cells, but the header has 3"),
    "bytes": (b"\x00\xff\xfe" * 40, "not a CSV table .it contains NUL bytes"),
    "huge": ("system,value\n" + "x" * 200_000 + ",1\n", "not a CSV table"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_none_is_refused(tmp_path, name):
    """The message names file, line and mend."""
    text, said = WRONG[name]
    with pytest.raises(FileFormatError, match=said) as error:
        read(tmp_path, text)
    assert "outcomes.csv" in str(error.value)
    assert len(str(error.value)) < 700


def test_a_folder_and_nothing(tmp_path):
    """A folder, a file that is not there, and other objects are refused."""
    for given in (tmp_path, tmp_path / "none.csv", {"x": 1}, 3):
        with pytest.raises(IrmetaError):
            read_outcomes(given)
