"""Tables of HTML as rows of text."""

from irmeta.io.tables.printed.hypertext import grids


def test_spans_marks_and_mathematics() -> None:
    """Cells that span repeat; sup is raised; of mathematics the text is read once; scripts are not."""
    text = """<script>"<table><tr><td>1</table>"</script>
<figure id="S4.T2"><table><caption>Results</caption>
<thead><tr><th rowspan=2>Run</th><th colspan="2">DL&nbsp;19</th></tr><tr><th>AP<th>nDCG@10</tr></thead>
<tr><th>bm25<sup>1</sup></th><td><b>.3</b><td><math alttext="0.5^{\\dagger}"><mn>0.5</mn></math></tr>
<tr><td>x<br>y</td><td>.4<table><tr><td>inner</table></td><td>&mdash;</td></tr>
</table></figure>"""
    [grid] = grids(text)
    assert grid.rows == [
        ["Run", "DL 19", "DL 19"],
        ["Run", "AP", "nDCG@10"],
        ["bm25^{1}", ".3", "0.5^{†}"],
        ["x y", ".4 inner", "—"],
    ]
    assert (grid.head, grid.label, grid.lines) == (2, "S4.T2", [3, 3, 4, 5])


def test_damage() -> None:
    """A table that does not end, and spans that are no numbers or too large, are read as far as they go."""
    [grid] = grids("<table><tr><td colspan=x>a<td colspan=999999999>b<td rowspan=0>c")
    assert grid.rows == [["a", "b", "c"]]
