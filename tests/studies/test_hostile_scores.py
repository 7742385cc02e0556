"""What studies meet rarely: one metric only, names like formulas, metrics by which systems do not differ."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from scipy.stats import ttest_rel

import irmeta
from irmeta.errors import ScoresError
from irmeta.report.plots import figure, figure_of
from irmeta.scores.cube import cube
from irmeta.studies.choice.ranking import summary as ranking
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.differences.description.study import describe
from irmeta.studies.standardizing import durability

ROWS = {
    "topics": "T",
    "metric": "AP",
    "old_systems": 9,
    "new_systems": 2,
    "pearson": np.nan,
    "chance_tau": 0.1,
}


def made(systems: list[str], metrics: list[str]) -> xr.DataArray:
    scores = np.random.default_rng(2).random((len(systems), 6, len(metrics)))
    return cube(scores, systems, [str(topic) for topic in range(6)], metrics)


def test_included_metrics_may_be_all_there_are() -> None:
    """Where nothing is left to choose, the included metric is the set."""
    found = rank(made(["a", "b", "c"], ["AP"]), include=["AP"])
    assert "nan" not in " ".join(ranking.findings(found)).split()


@pytest.mark.parametrize("budget", [float("nan"), 0.0, -1.0])
def test_a_budget_is_a_number_above_zero(budget: float) -> None:
    """A budget that nothing can be compared with is refused."""
    with pytest.raises(ScoresError, match="the budget must be above 0"):
        rank(made(["a", "b", "c"], ["AP", "RR"]), budget=budget)


@pytest.mark.parametrize("budget", [float("nan"), float("inf"), 0.0])
def test_a_budget_of_judgments_is_finite(budget: float) -> None:
    """A budget of judgments without end is refused, as one of nothing is."""
    with pytest.raises(
        ScoresError,
        match=r"the budget must be above 0 and finite|budget='inf': expected a number",
    ):
        irmeta.design(
            cube(np.random.default_rng(3).random((3, 8, 1)), "abc", "12345678", ["AP"]),
            budget=budget,
        )


def test_a_tau_that_is_not_there_is_said_in_words() -> None:
    """A finding without a tau gives the reason instead of nan."""
    said = durability._sentence({**ROWS, "tau": np.nan, "quantile": np.nan}, {})
    assert "nan" not in said
    assert "T, AP: tau is" in said


def test_names_in_plots_are_no_formulas(tmp_path: Path) -> None:
    """Names with dollars and backslashes are drawn as they are."""
    drawn = figure_of(describe(made([r"$\frac{$", "$x$", "c"], ["AP", "RR"])))
    figure.save(drawn, tmp_path / "d.svg")
    figure.save(drawn, tmp_path / "d.pdf")
    assert (tmp_path / "d.svg").stat().st_size > 1000


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-12, 1e-5, 1e7, 1e155, 1e300])
@pytest.mark.parametrize(
    "study",
    [irmeta.describe, irmeta.significance, irmeta.correlate, irmeta.rank],
)
def test_scores_on_odd_scales_are_refused(
    study: Callable[[xr.DataArray], object], scale: float
) -> None:
    """Scores that studies, which compare to ten decimals, would get wrong are refused with what to do."""
    scores = np.random.default_rng(3).random((6, 12, 3))
    scores[..., 1] *= scale
    names = [f"s{i}" for i in range(6)], [f"t{i}" for i in range(12)], ["x", "y", "z"]
    with pytest.raises(
        ScoresError,
        match="the largest score of y is .*multiply all scores by one number",
    ):
        study(cube(scores, *names))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e5])
def test_p_values_do_not_depend_on_the_scale(scale: float) -> None:
    """On the scales that studies take, the paired t test is scipy's."""
    scores = np.random.default_rng(3).random((2, 12, 1)) * scale
    found = irmeta.significance(
        cube(scores, ["a", "b"], [f"t{i}" for i in range(12)], ["x"]),
        test="t",
        correct="none",
    )
    assert np.isclose(found["p"].item(), ttest_rel(*scores[..., 0]).pvalue, rtol=1e-9)
