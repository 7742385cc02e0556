"""What the plots of judges draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from irmeta.errors import ScoresError
from irmeta.report.plots import figure_of
from irmeta.report.plots.judgments.judges import favour, means, taus
from irmeta.scores.cube import cube
from irmeta.studies.judges.compare.study import compare_judges


@pytest.fixture(scope="module")
def outcome():
    rng = np.random.default_rng(0)
    truth = rng.normal(0.5, 0.1, (9, 1, 1)) + rng.normal(0, 0.05, (9, 12, 1))
    made = {
        "people": truth,
        "good": truth + rng.normal(0, 0.02, truth.shape),
        "bad": rng.random(truth.shape),
    }
    made["bad"][:2] = 0.05  # clearly disfavoured
    names = [f"s{i}" for i in range(9)], [str(i) for i in range(12)], ["AP"]
    return compare_judges(
        {name: cube(np.clip(one, 0, 1), *names) for name, one in made.items()}
    )


def test_taus_best_first(outcome) -> None:
    """Points are the taus, best judge on top, lines their intervals, and the dashed line the truth's ceiling."""
    one = outcome.sel(metric="AP")
    axes = taus(one, Figure().add_subplot())
    np.testing.assert_allclose(axes.lines[0].get_xdata(), -np.sort(-one["tau"].values))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["good", "bad"]
    assert axes.lines[1].get_xdata()[0] == one["ceiling"].item()
    ends = np.array([segment[:, 0] for segment in axes.collections[0].get_segments()])
    np.testing.assert_allclose(
        ends[0], [one[f"tau_{end}"].sel(judge="good").item() for end in ("low", "high")]
    )


def test_means_of_both(outcome) -> None:
    """A point is a system: its mean under the truth, and under the judge."""
    one = outcome.sel(metric="AP")
    axes = means(one, Figure().add_subplot(), judge="bad")
    np.testing.assert_allclose(
        axes.lines[0].get_xdata(), one["truth_mean"].sel(judge="bad").values
    )
    np.testing.assert_allclose(
        axes.lines[0].get_ydata(), one["judge_mean"].sel(judge="bad").values
    )


def test_favour_fills_what_is_clear(outcome) -> None:
    """Filled points are the systems that are clearly favoured or not; all systems are drawn."""
    one = outcome.sel(metric="AP")
    axes = favour(one, Figure().add_subplot(), judge="bad")
    filled, empty = (len(line.get_xdata()) for line in axes.lines[1:3])
    clear = int((one["system_favour_p_corrected"].sel(judge="bad") < 0.05).sum())
    assert (filled, filled + empty) == (clear, 9)
    assert clear > 0
    [legend] = axes.get_figure(root=True).legends
    said = [text.get_text() for text in legend.get_texts()]
    assert said == ["clear (Benjamini-Hochberg, .05)", "not clear"]
    assert "95% intervals, each by itself" in axes.get_xlabel()
    best = favour(one, Figure().add_subplot(), judge="good").get_xlabel()
    assert "(good has the highest tau of 2 judges)" in best
    assert "highest" not in axes.get_xlabel()


@pytest.mark.parametrize("view", ["tau", "means", "favour"])
def test_every_view_is_a_figure(outcome, view) -> None:
    """Each view of the result is drawn."""
    assert figure_of(outcome, view=view).axes


def test_no_favour_of_other_topics(outcome) -> None:
    """Where judges have topics of their own there is no favour to draw, and the error says what there is."""
    with pytest.raises(ScoresError, match="view='tau'"):
        figure_of(
            outcome.drop_vars([name for name in outcome if "favour" in str(name)]),
            view="favour",
        )
