"""Tables of means that papers report."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from irmeta.errors import FileFormatError
from irmeta.io.tables.published import read_published

TABLE = """paper,year,system,metric,mean,baseline
A,2001,new,MAP,.2731,bm25
A,2001,bm25,AP,.2421,
B,2003,ours,ndcg_cut_10,45.1,40
"""


@pytest.fixture
def read(tmp_path):
    def of(text):
        path = tmp_path / "published.csv"
        path.write_text(text)
        return read_published(str(path))

    return of


def test_a_baseline_is_a_row_of_the_same_paper_or_a_number(read):
    """A name takes the mean of its row, whatever the metric is called there; a number is the mean itself."""
    new, bm25, ours = read(TABLE).rows
    assert (new.metric, new.baseline, new.baseline_mean) == ("AP", "bm25", 0.2421)
    assert bm25.baseline == ""
    assert np.isnan(bm25.baseline_mean)
    assert (ours.metric, ours.mean, ours.baseline_mean) == ("nDCG@10", 0.451, 0.4)


def test_percent_become_shares_and_are_said(read):
    """Means that all are above the largest possible one are divided by 100, with half a unit of their last decimal."""
    found = read(TABLE)
    assert found.rows[2].within == pytest.approx(0.0005)
    assert found.rows[0].within == pytest.approx(0.00005)
    assert [one for one in found.notes if "percent" in one]


def test_parquet_and_data_frames_say_the_same(tmp_path, read):
    """The same table as CSV, Parquet, frame of polars, frame of pandas and list of dicts gives the same rows."""
    frame = pl.read_csv(TABLE.encode())
    frame.write_parquet(tmp_path / "published.parquet")
    given = (
        tmp_path / "published.parquet",
        frame,
        pd.DataFrame(frame.to_dicts()),
        frame.to_dicts(),
    )
    for one in given:
        np.testing.assert_equal(read_published(one).rows, read(TABLE).rows)


def test_holes_and_repeated_rows_are_left_out_and_counted(read):
    """Empty cells and dashes are holes; a row that says the same again counts once; a lost baseline makes no claim."""
    found = read(
        "system,metric,mean,baseline\na,AP,.2,\na,AP,.2,\nb,AP,-,\nc,AP,,\nd,AP,.3,gone\n"
    )
    assert [row.system for row in found.rows] == ["a", "d"]
    assert np.isnan(found.rows[1].baseline_mean)
    said = " ".join(found.notes)
    for part in ("2 rows without a mean", "1 repeated row", "baseline gone"):
        assert part in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("system,mean\na,.2\n", "no column metric"),
        ("system,metric,mean\na,AP,.2\na,AP,.3\n", "two means by AP in one paper"),
        ("system,metric,mean\na,AP,.2\nb,AP,30\n", "some are percent"),
        ("system,metric,mean\na,AP,200\n", "more than AP can be"),
        ("system,metric,mean\na,AP,good\n", "'good' is not a mean"),
        ("system,metric,mean\na,AP,-0.1\n", "is not a mean"),
        ("system,metric,mean\n,AP,.2\n", "row 1 names no system"),
        ("system,metric,mean\na,AP,\n", "no row has a mean"),
        ("system,metric,mean,year\na,AP,.2,last\n", "'last' is not a year"),
        ("system,metric,mean,baseline\na,AP,.2,a\n", "its own baseline"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_row(read, text, says):
    """Each mistake is an error that names the file and says what is wrong."""
    with pytest.raises(FileFormatError, match=r"published\.csv") as error:
        read(text)
    assert says in str(error.value)
