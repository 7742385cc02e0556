"""The cells that stand for a paper's published figures."""

import pytest

from irmeta.studies.reproduction import COLUMNS, Cell, compare, findings, reproduction, tables


@pytest.mark.parametrize(
    ("ours", "status"),
    [(0.504, "reproduced"), (0.505, "reproduced"), (0.508, "close"), (0.52, "contradicted"), (0.48, "contradicted")],
)
def test_status_by_distance(ours, status):
    """A cell is reproduced, close or contradicted by its distance from print, in either direction."""
    assert compare("Table 1", "AP", "AP", 0.5, ours, within=0.005, close=0.01).status == status


def test_known_contradiction_is_expected():
    """A contradiction with a known reason is not a fault of ours; one without is."""
    cells = [compare("T", "a", "b", 0.5, 0.9, within=0.1, close=0.2, known=known) for known in ("erratum", "")]
    assert [cell.unexpected for cell in cells] == [False, True]


def test_tables_have_the_contract_columns():
    """The table has the same columns for every paper; a number nobody has is missing, not zero."""
    cells = [
        compare("Table 1", "AP", "AP", 0.63, 0.626, within=0.005, close=0.01),
        Cell("Table 2", "AP", "AP", 0.80, None, "not checkable", "no data"),
        Cell("Table 3", "AP", "AP", None, 0.4, "ours"),
    ]
    frame = tables(reproduction("paper", cells, options={}))["cells"]
    assert tuple(frame.columns) == COLUMNS
    assert frame["published"].to_list() == [0.63, 0.80, None]
    assert frame["ours"].to_list() == [0.626, None, 0.4]
    assert frame["difference"].to_list() == [pytest.approx(-0.004), None, None]


def test_findings_count_and_name():
    """The words count every status and name each unexpected contradiction."""
    cells = [
        compare("Table 1", "AP", "RR", 0.5, 0.9, within=0.1, close=0.2),
        compare("Table 1", "AP", "AP", 0.5, 0.5, within=0.1, close=0.2),
    ]
    words = findings(reproduction("paper", cells, options={}))
    assert words == [
        "paper: 2 cells: 1 reproduced, 1 contradicted.",
        "Contradicted without a known reason: Table 1, AP, RR.",
    ]
