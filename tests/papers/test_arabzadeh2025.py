"""The published taus of judges, computed again."""

from pathlib import Path

import pytest

from irmeta.papers import arabzadeh2025, rahmani2025_syndl
from irmeta.studies.checks.reproduction import tables


@pytest.mark.data
@pytest.mark.slow
def test_thirteen_taus(data: Path) -> None:
    """All 13 taus of DL 2021 come out to the decimals printed, each inside its interval; the ceiling is .90."""
    cells = tables(arabzadeh2025.reproduce(data))["cells"]
    printed = cells.filter(item="Table 3")
    assert printed["status"].to_list() == ["reproduced"] * 13
    assert (printed["ours"].round(3) - printed["published"]).abs().max() < 1e-9
    ends = cells.filter(item="Table 3, intervals")["ours"].to_list()
    for tau, low, high in zip(printed["ours"], ends[::2], ends[1::2], strict=True):
        assert low < tau < high
    assert round(cells.filter(row="ceiling")["ours"].item(), 2) == 0.90


@pytest.mark.data
@pytest.mark.slow
def test_eight_taus_of_other_topics(data: Path) -> None:
    """All 8 taus of SynDL come out to four decimals, between means over topics that differ."""
    cells = tables(rahmani2025_syndl.reproduce(data))["cells"]
    printed = cells.filter(cells["item"].str.starts_with("Figures"))
    assert printed["status"].to_list() == ["reproduced"] * 8
    assert (printed["ours"].round(4) - printed["published"]).abs().max() < 1e-9
