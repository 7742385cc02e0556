"""The cells that stand for a paper's published figures."""

import pytest

from irmeta.report.tables import render
from irmeta.studies.checks.reproduction import (
    COLUMNS,
    COMMENTED,
    PORT,
    claim,
    compare,
    counts_by_kind,
    findings,
    lacking,
    ours_only,
    overview,
    reproduction,
    tables,
)


@pytest.mark.parametrize(
    ("ours", "status"),
    [
        (0.504, "reproduced"),
        (0.505, "reproduced"),
        (0.506, "contradicted"),
        (0.494, "contradicted"),
    ],
)
def test_status_by_distance(ours, status):
    """A cell is reproduced or contradicted by its distance from print, in either direction."""
    cell = compare("Table 1", "AP", "AP", 0.5, ours, within=0.005)
    assert (cell.status, cell.rule) == (status, "within 0.005")


@pytest.mark.parametrize(
    ("ours", "status"),
    [
        (0.1, "contradicted"),
        (0.2, "reproduced"),
        (0.3, "reproduced"),
        (0.4, "contradicted"),
    ],
)
def test_status_of_a_sentence(ours, status):
    """A sentence is reproduced from its lower to its upper end, and says both."""
    cell = claim("Section 1", "AP", "rate", ours, said="some", least=0.2, most=0.3)
    assert (cell.status, cell.rule, cell.published) == (
        status,
        "at least 0.2 and at most 0.3",
        None,
    )


@pytest.mark.parametrize(
    ("ours", "interval", "status"),
    [
        (0.1, (-0.1, 0.3), "open"),
        (-0.1, (-0.3, 0.1), "open"),
        (0.1, (0.05, 0.2), "reproduced"),
        (-0.1, (-0.2, -0.05), "contradicted"),
    ],
)
def test_a_sign_whose_interval_holds_0_is_open(ours, interval, status):
    """A sign is reproduced or contradicted only if the interval lies on one side of 0; open is no fault of ours."""
    cell = claim(
        "Section 1",
        "AP",
        "gain",
        ours,
        said="above",
        least=0,
        interval=interval,
        known="a reason",
    )
    assert (cell.status, cell.rule, cell.unexpected) == (status, "at least 0", False)


def test_people_see_contradicted_and_open_figures_first():
    """A long table fits 80 columns, begins with what is in doubt, and says where the rest is."""
    place = "Table 5 of a long section", "AP over P@10 itself, all systems"
    cells = [
        *(ours_only(*place, f"with {size} topics", 0.4) for size in range(30)),
        *(
            compare(*place, f"printed {size}", 0.5, 0.5, within=0.1)
            for size in range(15)
        ),
        claim(
            *place,
            "advantage",
            0.01,
            said="as good (holds 0)",
            least=0,
            interval=(-0.1, 0.1),
        ),
        compare(*place, "tau", 0.5, 0.9, within=0.1, known="an erratum"),
    ]
    outcome = reproduction("paper", cells, options={})
    views = overview(outcome)
    assert list(views) == [
        "items",
        "figures: the first 20 of 47 rows (all: -o FILE.csv or --format json)",
        "contradicted or open",
    ]
    shown = list(views.values())[1]
    assert shown["status"].to_list()[:3] == ["contradicted", "open", "reproduced"]
    assert (
        views["contradicted or open"]["note"].to_list()
        == ["an erratum", "text: as good (holds 0)"][::-1]
    )
    drawn = render(outcome, width=80)
    assert max(map(len, drawn.splitlines())) <= 80
    assert drawn.count("status") == 1


def test_known_contradiction_is_expected():
    """A contradiction with a known reason is not a fault of ours and names it; one without is; others need none."""
    cells = [
        compare("T", "a", "b", 0.5, 0.9, within=0.1, known=known)
        for known in ("erratum", "")
    ]
    assert [(cell.unexpected, cell.note) for cell in cells] == [
        (False, "erratum"),
        (True, ""),
    ]
    assert compare("T", "a", "b", 0.5, 0.5, within=0.1, known="erratum").note == ""


def test_tables_have_the_contract_columns():
    """The table has the same columns for every paper; a number nobody has is missing, not zero."""
    cells = [
        compare("Table 1", "AP", "AP", 0.63, 0.626, within=0.005),
        lacking("Table 2", "AP", "AP", "needs the runs", published=0.80),
        ours_only("Table 3", "AP", "AP", 0.4),
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
        "Reproduced: 1 of 2 printed numbers.",
        "Figures contradicted without a known reason: Table 1, AP, RR.",
    ]


def test_a_sign_needs_its_interval() -> None:
    """A sentence whose only bound is 0 has an interval, or a reason why its figure cannot vary; else it is no cell."""
    for bound in ({"least": 0.0}, {"most": 0.0}):
        with pytest.raises(ValueError, match="a sign needs its interval"):
            claim("Section 1", "AP", "gain", 0.1, said="gains", **bound)
    counted = claim("S", "r", "c", 0, said="none", most=0, exact="a count")
    assert (counted.status, counted.note) == ("reproduced", "text: none (a count)")
    held = claim("S", "r", "c", 0.1, said="gains", least=0, interval=(0.01, 0.2))
    open_ = claim("S", "r", "c", 0.1, said="gains", least=0, interval=(-0.01, 0.2))
    assert (held.status, open_.status) == ("reproduced", "open")


def test_numbers_and_sentences_are_counted_apart() -> None:
    """Printed numbers, sentences, tables that are commented out and ports each have a count; what is ours has none."""
    cells = [
        compare("Table 1", "a", "x", 0.5, 0.5, within=0.01),
        compare("Table 1", "b", "x", 0.5, 0.9, within=0.01),
        claim("Section 1", "a", "x", 0.5, said="some", least=0.2),
        compare(f"RMSE {COMMENTED}", "a", "x", 0.5, 0.5, within=0.01),
        compare(f"Code {PORT}", "a", "x", 0.5, 0.5, within=0.01),
        ours_only("Table 1", "c", "x", 0.5),
    ]
    outcome = reproduction("p", cells, options={})
    assert counts_by_kind(outcome) == {
        "printed": (2, 1),
        "sentences": (1, 1),
        "commented out": (1, 1),
        "of the authors' code": (1, 1),
    }
    assert "1 of 2 printed numbers, 1 of 1 sentences" in findings(outcome)[1]
