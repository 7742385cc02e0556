"""Scores and metrics as papers print them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.io.tables.printed.numbers import metric_of_head, parse_score, without_notes


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.43", 0.43),
        (".430^{ab}", 0.43),
        ("0.43†‡", 0.43),
        ("▲0.43", 0.43),
        ("0.43 ± .01", 0.43),
        ("0.43_{±.01}", 0.43),
        ("0.43 (+12.5%)", 0.43),
        ("0.43 [.40, .46]", 0.43),
        ("−0.02", -0.02),
        ("43.2", 43.2),
    ],
)
def test_marks(cell: str, value: float) -> None:
    """Marks, spreads and what stands in parentheses are no part of a score."""
    assert parse_score(cell) == (value, False)


@pytest.mark.parametrize(
    "cell", ["0,43", "0.43 0.44", "(0.43)", "0.43/0.5", "1 234", "inf", "12k", "a"]
)
def test_no_scores(cell: str) -> None:
    """What is not one number is refused, not guessed."""
    with pytest.raises(ValueError, match=r"number|convert"):
        parse_score(cell)


@pytest.mark.parametrize("cell", ["", "–", "---", "n/a", "N/A", "—†"])
def test_missing(cell: str) -> None:
    """A dash and its like say that a score is missing."""
    assert math.isnan(parse_score(cell.replace("---", "—"))[0])


@given(st.decimals(0, 1, places=4), st.sampled_from(["", "†", "^{a}", " ± .1", " (2)"]))
def test_every_mark_leaves_the_score(value: object, mark: str) -> None:
    """A score is read as it stands, whatever follows it."""
    assert parse_score(f"{value}{mark}") == (float(str(value)), False)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("NDCG@10", "nDCG@10"),
        ("nDCG @ 10 ↑", "nDCG@10"),
        ("MAP (%)", "AP"),
        ("MRR@10", "RR@10"),
        ("Recall@1k", "R@1000"),
        ("P_{10}", "P@10"),
        ("nDCG_{20}", "nDCG@20"),
        ("Params", None),
        ("p", None),
        ("", None),
    ],
)
def test_metrics(head: str, name: str | None) -> None:
    """Heads name metrics as papers spell them; other heads name none."""
    assert metric_of_head(head) == name


def test_names() -> None:
    """A name loses the marks of notes, and keeps what tells it from others."""
    given = ["BM25^{†}", "BM25^{1,2}", "BM25^{+}", "Ours_{large}", "T5 *"]
    assert list(map(without_notes, given)) == [
        "BM25",
        "BM25",
        "BM25+",
        "Ours large",
        "T5",
    ]
