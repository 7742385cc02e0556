"""Tables of Markdown as rows of text."""

import pytest

from irmeta.io.tables.printed.pipes import grids, plain


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("**0.43**", "0.43"),
        ("***.43***", ".43"),
        (" 0.43* ", "0.43*"),
        (r"0.43\*", "0.43*"),
        ("0.43<sup>a,b</sup>", "0.43^{a,b}"),
        ("0.43^ab^", "0.43^{ab}"),
        ("$0.43^{\\dagger}$", "0.43^{†}"),
        ("[BM25](https://x.org/a_b_c)[^1]", "BM25"),
        ("`my_model_v2`", "my_model_v2"),
        ("my_model_v2", "my_model_v2"),
        ("a &lt; b", "a < b"),
    ],
)
def test_text_of_a_cell(cell: str, text: str) -> None:
    """Stress, code and links go, what they show stays; raised text is marked."""
    assert plain(cell) == text


def test_tables_between_text() -> None:
    """A table is a header, a line of dashes and rows with pipes; other lines with pipes are none."""
    text = "a | b\nfoo\n\n| S | A\\|B |\n|:--|--:|\n| x | .1 |\n| y | |\n\nS | AP\n-|-\nx | .2\n"
    one, two = grids(text)
    assert one.rows == [["S", "A|B"], ["x", ".1"], ["y", ""]]
    assert (one.lines, two.rows) == ([4, 6, 7], [["S", "AP"], ["x", ".2"]])
