"""What the figures of correlation and predictive power draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import leaves_list

from irmeta.errors import ScoresError
from irmeta.report.plots.metrics import correlation as drawn
from irmeta.report.plots.metrics import predictivity as power
from irmeta.scores.cube import cube
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.predictivity.study import best_predictor, predictivity
from irmeta.studies.agreement.predictivity.summary import rivals_of_best


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    values = np.linspace(0, 1, 10)[:, None, None] + rng.normal(size=(10, 8, 4)) * [
        0.1,
        0.2,
        0.3,
        0.9,
    ]
    return cube(
        values,
        [f"s{i}" for i in range(10)],
        [str(i) for i in range(8)],
        ["AP", "RR", "P@10", "Bpref"],
    )


def axes():
    return Figure().add_subplot()


def test_heat_map_shows_every_value(scores):
    """The heat map writes every correlation in its cell, in the order given or that of the dendrogram."""
    result = correlate(scores)
    for order, places in (
        ("given", np.arange(4)),
        ("clustered", leaves_list(result["merge"].values)),
    ):
        plot = drawn.heatmap(result, axes(), order=order)
        r = result["r"].values[np.ix_(places, places)]
        np.testing.assert_array_equal(plot.images[0].get_array(), r)
        assert [text.get_text() for text in plot.texts] == [
            f"{v:.2f}".replace("0.", ".") for v in r.ravel()
        ]
        assert [label.get_text() for label in plot.get_xticklabels()] == result[
            "metric"
        ].values[places].tolist()


def test_dendrogram_joins_at_the_least_correlation(scores):
    """The branches of the dendrogram meet at 1 less the least correlation in the group, on a scale of correlations."""
    result = correlate(scores)
    plot = drawn.tree(result, axes())
    joints = sorted(
        float(np.max(path.vertices[:, 0]))
        for lines in plot.collections
        for path in lines.get_paths()
    )
    np.testing.assert_allclose(joints, result["merge"].values[:, 2])
    assert plot.get_xticklabels()[0].get_text() in ("0", "1")
    (line,) = plot.figure.legends[0].get_texts()
    assert line.get_text() == "groups: at least 0.9"
    assert sorted(label.get_text() for label in plot.get_yticklabels()) == sorted(
        result["metric"].values
    )


def test_ticks_of_a_dendrogram_differ_where_metrics_agree_closely(scores):
    """Correlations close together have as many decimals as tell them apart: each tick says where it stands."""
    alike = scores.copy(data=scores.values[:, :, :1] + scores.values * 0.05)
    tree = axes()
    drawn.tree(correlate(alike, threshold=0.99).data, tree)
    ticks = [float(label.get_text()) for label in tree.get_xticklabels()]
    np.testing.assert_allclose(ticks, 1 - tree.get_xticks(), atol=1e-6)


def test_loadings_of_the_components_that_count(scores):
    """As many components are drawn as carry 95% of the variance, with their shares."""
    result = correlate(scores)
    plot = drawn.loadings(result, axes())
    count = int((np.cumsum(result["share"].values) < 0.95).sum()) + 1
    np.testing.assert_array_equal(
        plot.images[0].get_array(), result["loading"].values[:, :count]
    )
    assert plot.get_xticklabels()[0].get_text() == f"1\n{result['share'].values[0]:.0%}"


def test_curve_draws_every_pair(scores):
    """The curve has a line for each pair of metrics, through phi at each number of topics."""
    result = predictivity(scores[:, :, :2], partitions=20, sizes=(2, 3, 4))
    plot = power.curve(result, axes())
    labels = [text.get_text() for text in plot.figure.legends[0].get_texts()]
    assert labels == ["AP", "AP \N{EN DASH} RR", "RR"]
    lines = [container.lines[0] for container in plot.containers]
    for line, (i, j) in zip(lines, [(0, 0), (0, 1), (1, 1)], strict=True):
        np.testing.assert_array_equal(line.get_xdata(), [2, 3, 4])
        np.testing.assert_array_equal(line.get_ydata(), result["curve"].values[:, i, j])


def test_gains_of_the_best_predictor(scores):
    """The gains drawn are the advantages of the best predictor over each other metric."""
    result = predictivity(scores, partitions=20)
    plot = power.gains(result, axes())
    best = best_predictor(result)
    gain = result["advantage"].values[best]
    others = [at for at in np.argsort(-gain, kind="stable") if at != best]
    np.testing.assert_array_equal(plot.lines[-1].get_xdata(), gain[others])
    assert [label.get_text() for label in plot.get_yticklabels()] == result[
        "metric"
    ].values[others].tolist()


def test_mean_phi_by_metric(scores):
    """Each metric has its mean phi and interval, the largest on top; those clearly behind the best are not filled."""
    result = predictivity(scores, partitions=20, teams="each")
    plot = power.mean_phi(result, axes())
    order = np.argsort(-result["mean_phi"].values)
    assert [label.get_text() for label in plot.get_yticklabels()] == result[
        "metric"
    ].values[order].tolist()
    means = {int(row): x for line in plot.lines for x, row in line.get_xydata()}
    np.testing.assert_array_equal(
        [means[row] for row in range(4)], result["mean_phi"].values[order]
    )
    ends = [path.vertices[:, 0] for path in plot.collections[0].get_paths()]
    for end, name in enumerate(("mean_phi_low", "mean_phi_high")):
        np.testing.assert_array_equal(
            np.array(ends)[:, end], result[name].values[order]
        )
    behind = [line for line in plot.lines if line.get_markerfacecolor() == "white"]
    far = sorted({*range(4)} - {best_predictor(result), *rivals_of_best(result)})
    assert far
    assert sorted(order[int(row)] for line in behind for row in line.get_ydata()) == far


def test_a_curve_needs_sizes(scores):
    """A result without numbers of topics has no curve; the error names what asks for one."""
    result = predictivity(scores[:, :, :2], partitions=20)
    with pytest.raises(ScoresError, match="sizes"):
        power.figure(result, view="curve")
