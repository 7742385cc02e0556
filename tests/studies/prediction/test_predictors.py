"""The best predictors: choice, measures, roles, tables, wrong input."""

import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.linear_model import LinearRegression

from irmeta.errors import ScoresError
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube
from irmeta.scores.cubes import ONE_COLLECTION
from irmeta.stats.prediction.learners import learner as fitted
from irmeta.studies.prediction.predictors import findings, predictors, tables


@pytest.fixture(scope="module")
def roles(made):
    cubes = made.collections(6)
    return {
        "train": {n: cubes[n] for n in ("c0", "c1", "c2")},
        "dev": {"c3": cubes["c3"]},
    }, {n: cubes[n] for n in ("c4", "c5")}


def chosen(roles, **options):
    first, test = roles
    return predictors(first["train"], test, dev=first["dev"], **options)


def test_figures_are_those_of_the_coefficients(roles):
    """Tau, R2 and RMSE follow from the printed coefficients and the scores of the collection."""
    outcome = chosen(roles)
    one = outcome.sel(target="AP", size=2, collection="c5")
    table = means(roles[1]["c5"])
    weights = one["coefficient"].fillna(0.0)
    predicted = (table * weights).sum("metric").values + one["intercept"].item()
    actual = table.sel(metric="AP").values
    assert int(one["coefficient"].notnull().sum()) == 2
    assert one["tau"].item() == pytest.approx(kendalltau(actual, predicted).statistic)
    assert one["rmse"].item() == pytest.approx(
        np.sqrt(((actual - predicted) ** 2).mean())
    )
    assert one["r2"].item() == pytest.approx(
        1 - ((actual - predicted) ** 2).sum() / ((actual - actual.mean()) ** 2).sum()
    )


def test_choice_on_dev_ignores_the_test_collections(roles, made):
    """Another test collection changes no choice and no coefficient."""
    first, _ = roles
    other = predictors(first["train"], {"new": made.collection(99)}, dev=first["dev"])
    assert other["coefficient"].identical(chosen(roles)["coefficient"])


def test_leave_one_out_choice_ignores_dev(roles, made):
    """Chosen by leaving training collections out, the dev collection only tests, and another one changes no choice."""
    first, test = roles
    one = chosen(roles, choose="leave-one-out")
    other = predictors(
        first["train"], test, dev={"c3": made.collection(99)}, choose="leave-one-out"
    )
    assert one["coefficient"].identical(other["coefficient"])
    assert not any("optimistic" in note for note in about(one)["notes"])
    assert any("optimistic" in note for note in about(chosen(roles))["notes"])


def test_tables_have_a_row_a_target_size_and_collection(roles):
    """4 targets, 3 sizes and 3 other collections give 36 rows; each set has its size and excludes the target."""
    views = tables(chosen(roles))
    selection = views["selection"]
    assert selection.columns[:4] == ["target", "k", "predictors", "collection"]
    assert {"tau", "r2", "rmse", "r2_offset_removed", "bias_share"} <= set(
        selection.columns
    )
    assert selection.height == 36
    for row in selection.iter_rows(named=True):
        assert len(row["predictors"]) == row["k"]
        assert row["target"] not in row["predictors"]
    assert views["coefficients"].columns == ["target", "k", "predictor", "coefficient"]
    assert views["coefficients"].height == 4 * (2 + 3 + 4)


def test_targets_and_candidates_can_be_named(roles):
    """Only the targets asked for are predicted, only from the metrics asked for: not one target from another."""
    selection = tables(
        chosen(roles, targets=["AP", "nDCG@20"], metrics=["P@10", "RR"], k=[1, 2])
    )["selection"]
    assert set(selection["target"]) == {"AP", "nDCG@20"}
    assert {name for names in selection["predictors"] for name in names} <= {
        "P@10",
        "RR",
    }


def test_findings_name_what_is_well_ordered_and_count_negative_r2(roles):
    """There is a line for each size; where some R2 is negative the offset's share is told."""
    outcome = chosen(roles)
    assert len(findings(outcome)) == 3 + bool((outcome["r2"] < 0).any())


def test_a_tau_that_is_undefined_is_not_taken_for_a_good_one(roles):
    """Where a metric is constant on a collection, it is not called well ordered, nor counted among the R2."""
    first, test = roles
    flat = test["c5"].where(test["c5"].metric != "AP", 0.3)
    outcome = predictors(
        first["train"],
        {"c4": test["c4"], "c5": flat},
        dev=first["dev"],
        targets=["AP"],
        k=[3],
    )
    outcome["tau"].values[~np.isnan(outcome["tau"].values)] = 0.95
    outcome["r2"].values[~np.isnan(outcome["r2"].values)] = -1
    words = findings(outcome)
    assert words[0].endswith("for: no metric.")
    assert (
        words[1]
        == "tau is undefined where scores or predictions are all equal: AP on c5."
    )
    assert words[2].startswith("R2 is negative in 2 of 2 cases")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": [4]}, ScoresError, "1 to 3 predictors with these metrics, not 4"),
        ({"k": [0]}, ScoresError, "1 to 3 predictors with these metrics, not 0"),
        ({"targets": ["AP@10"]}, ScoresError, "no metric 'AP@10' in c0"),
    ],
)
def test_wrong_options_are_errors(roles, options, error, message):
    """Sizes that leave no subset and metrics that are not there are errors."""
    with pytest.raises(error, match=message):
        chosen(roles, **options)


def test_choosing_needs_something_to_choose_on(roles):
    """Without a dev collection dev cannot choose; one training collection cannot be left out."""
    first, test = roles
    with pytest.raises(ScoresError, match="no development collection"):
        predictors(first["train"], test)
    with pytest.raises(ScoresError, match="at least 2 training collections"):
        predictors({"c0": first["train"]["c0"]}, test, choose="leave-one-out")


def test_topics_are_predicted_one_by_one():
    """At topic level the rows are systems on topics: the figures are those of a regression on all of them."""
    rng = np.random.default_rng(3)
    names, systems, topics = (
        ["AP", "P@10", "RR", "R@100"],
        [f"s{i}" for i in range(8)],
        [f"{t}" for t in range(6)],
    )
    made = {
        name: rng.random((8, 6, 1)) * [0.5, 0.6, 0.7, 0.8] + 0.2 * rng.random((8, 6, 4))
        for name in "abcd"
    }
    cubes = {
        name: cube(scores, systems, topics, names) for name, scores in made.items()
    }
    first, test = {"train": {"a": cubes["a"], "b": cubes["b"]}}, {"c5": cubes["d"]}
    outcome = predictors(
        first["train"],
        test,
        dev={"c": cubes["c"]},
        unit="topic",
        targets=["AP"],
        k=(2,),
    )
    one = outcome.sel(target="AP", size=2, collection="c5")
    subset = one["coefficient"].dropna("metric").metric.values
    train = first["train"].values()
    x = np.concatenate([one.sel(metric=subset).values.reshape(-1, 2) for one in train])
    y = np.concatenate([one.sel(metric="AP").values.ravel() for one in train])
    scores = test["c5"]
    predicted = (
        LinearRegression()
        .fit(x, y)
        .predict(scores.sel(metric=subset).values.reshape(-1, 2))
    )
    actual = scores.sel(metric="AP").values.ravel()
    assert one["rmse"].item() == pytest.approx(
        np.sqrt(((actual - predicted) ** 2).mean())
    )
    assert about(outcome)["options"]["unit"] == "topic"


def test_another_model_is_measured_on_the_sets_that_least_squares_chose(roles):
    """With a support vector machine sets and coefficients stay, figures are its own, and a note says so."""
    one, other = (chosen(roles, learner=learner, k=(1,)) for learner in ("ols", "svr"))
    assert one["coefficient"].identical(other["coefficient"])
    assert not np.isclose(one["rmse"], other["rmse"]).any()
    assert any("measured with svr" in note for note in about(other)["notes"])
    first, test = roles
    subset = [
        str(name)
        for name in other.sel(target="AP", size=1)["coefficient"]
        .dropna("metric")
        .metric.values
    ]
    rows = np.concatenate([means(one).values for one in first["train"].values()])
    at = [list(test["c5"].metric.values).index(name) for name in (*subset, "AP")]
    predict = fitted("svr")(rows[:, at[:1]], rows[:, at[1]])
    table = means(test["c5"]).values
    expected = np.sqrt(((table[:, at[1]] - predict(table[:, at[:1]])) ** 2).mean())
    assert other["rmse"].sel(
        target="AP", size=1, collection="c5"
    ).item() == pytest.approx(expected)


def test_figures_of_prediction_are_said_to_have_no_interval(roles):
    """Tau, R2 and RMSE are of the systems at hand, which a note says."""
    assert ONE_COLLECTION in about(chosen(roles))["notes"]
