"""The cells that stand for a paper's published figures."""

import pytest

from irmeta.studies.reproduction import COLUMNS, claim, compare, findings, lacking, mine, reproduction, tables


@pytest.mark.parametrize(
    ("ours", "status"),
    [(0.504, "reproduced"), (0.505, "reproduced"), (0.506, "contradicted"), (0.494, "contradicted")],
)
def test_status_by_distance(ours, status):
    """A cell is reproduced or contradicted by its distance from print, in either direction."""
    cell = compare("Table 1", "AP", "AP", 0.5, ours, within=0.005)
    assert (cell.status, cell.rule) == (status, "within 0.005")


@pytest.mark.parametrize(
    ("ours", "status"), [(0.1, "contradicted"), (0.2, "reproduced"), (0.3, "reproduced"), (0.4, "contradicted")]
)
def test_status_of_a_sentence(ours, status):
    """A sentence is reproduced from its lower to its upper end, and says both."""
    cell = claim("Section 1", "AP", "rate", ours, said="some", least=0.2, most=0.3)
    assert (cell.status, cell.rule, cell.published) == (status, "at least 0.2 and at most 0.3", None)


def test_known_contradiction_is_expected():
    """A contradiction with a known reason is not a fault of ours and names it; one without is; others need none."""
    cells = [compare("T", "a", "b", 0.5, 0.9, within=0.1, known=known) for known in ("erratum", "")]
    assert [(cell.unexpected, cell.note) for cell in cells] == [(False, "erratum"), (True, "")]
    assert compare("T", "a", "b", 0.5, 0.5, within=0.1, known="erratum").note == ""


def test_tables_have_the_contract_columns():
    """The table has the same columns for every paper; a number nobody has is missing, not zero."""
    cells = [
        compare("Table 1", "AP", "AP", 0.63, 0.626, within=0.005),
        lacking("Table 2", "AP", "AP", "needs the runs", published=0.80),
        mine("Table 3", "AP", "AP", 0.4),
    ]
    frame = tables(reproduction("paper", cells, options={}))["cells"]
    assert tuple(frame.columns) == COLUMNS
    assert frame["published"].to_list() == [0.63, 0.80, None]
    assert frame["ours"].to_list() == [0.626, None, 0.4]
    assert frame["difference"].to_list() == [pytest.approx(-0.004), None, None]
    assert frame["status"].to_list() == ["reproduced", "not checkable", "ours"]


def test_findings_count_and_name():
    """The words count every status and name each unexpected contradiction."""
    cells = [
        compare("Table 1", "AP", "RR", 0.5, 0.9, within=0.1),
        compare("Table 1", "AP", "AP", 0.5, 0.5, within=0.1),
    ]
    words = findings(reproduction("paper", cells, options={}))
    assert words == [
        "paper: 2 cells: 1 reproduced, 1 contradicted.",
        "Contradicted without a known reason: Table 1, AP, RR.",
    ]
