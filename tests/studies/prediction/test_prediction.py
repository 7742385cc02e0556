"""Prediction of what was not reported: oracles, intervals, calibration, and every kind of wrong input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from irmeta.errors import MetricError, ScoresError
from irmeta.report.screen import everything
from irmeta.scores.attributes import about, recorded
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.stats.prediction.learners import learner
from irmeta.studies.prediction.accuracy import accuracy
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.predict.summary import findings, tables, warnings
from irmeta.studies.prediction.predict.typed import given
from irmeta.studies.prediction.prediction_model import prediction_model


def table(rows, metrics, systems=None):
    scores = np.array(rows, dtype=float)[:, None]
    return cube(scores, systems or [f"p{i}" for i in range(len(rows))], [ALL], metrics)


@pytest.fixture(scope="module")
def model(made):
    return prediction_model(made.collections())


def test_prediction_is_that_of_scikit_learn_on_all_systems(model, made):
    """A raw model predicts what LinearRegression, fitted on the systems of all collections, predicts."""
    rows = np.concatenate(
        [means(scores).values for scores in made.collections().values()]
    )
    expected = (
        LinearRegression().fit(rows[:, [1, 2]], rows[:, 0]).predict([[0.43, 0.61]])
    )
    outcome = predict(given("P@10=0.43 RR=0.61"), model, want=["AP"])
    assert outcome["value"].item() == pytest.approx(expected[0], rel=1e-9)


def test_log_odds_are_predicted_by_scikit_learn_too(made):
    """A model of log odds predicts the score whose log odds LinearRegression predicts."""
    cubes = made.collections()
    rows = np.concatenate([means(scores).values for scores in cubes.values()])
    odds = np.log(rows / (1 - rows))
    expected = (
        LinearRegression()
        .fit(odds[:, [3]], odds[:, 0])
        .predict([[np.log(0.3 / 0.7)]])[0]
    )
    outcome = predict(
        given("nDCG@20=0.3"), prediction_model(cubes, scale="logit"), want=["AP"]
    )
    assert outcome["value"].item() == pytest.approx(
        1 / (1 + np.exp(-expected)), rel=1e-9
    )


def test_each_row_is_predicted_from_the_scores_it_has(model):
    """A table's row gives what the same scores give alone; a reported score is never touched."""
    outcome = predict(
        table([[np.nan, 0.4, 0.5], [0.3, np.nan, 0.6]], ["AP", "P@10", "RR"]), model
    )
    alone = [
        predict(given("P@10=0.4 RR=0.5"), model, want=["AP"]),
        predict(given("AP=0.3 RR=0.6"), model, want=["P@10"]),
    ]
    frame = tables(outcome)["prediction"]
    assert frame["metric"].to_list() == ["AP", "P@10"]
    assert_allclose(frame["value"], [one["value"].item() for one in alone])
    assert_allclose(frame["low"], [one["low"].item() for one in alone])
    filled = tables(outcome)["filled"]
    assert filled["AP"][1] == 0.3
    assert filled["AP low"][1] is None
    assert filled["AP"][0] == frame["value"][0]


def by_topic():
    """Three systems on four topics: `b` has no RR at all, `c` lacks P@10 on topic 2."""
    scores = np.random.default_rng(0).uniform(0.2, 0.6, (3, 4, 2))
    scores[1, :, 1] = scores[2, 1, 0] = np.nan
    return cube(scores, ["a", "b", "c"], ["1", "2", "3", "4"], ["P@10", "RR"])


def test_a_score_missing_on_one_topic_is_no_unreported_metric(model):
    """What a system lacks on all topics is predicted; where it lacks some topics the policy decides, aloud."""
    with pytest.raises(
        ScoresError, match=r"1 of 24 scores are missing \(first: c, topic 2, P@10\)"
    ):
        predict(by_topic(), model)
    topics, systems = (
        predict(by_topic(), model, missing=policy) for policy in ("topics", "systems")
    )
    assert tables(topics)["prediction"].select("system", "metric").rows() == [
        ("b", "RR")
    ]
    assert (
        "1 of 24 scores are missing; dropped 1 of 4 topics (2) that lack scores"
        in about(topics)["notes"]
    )
    left = (
        by_topic().sel(topic=["1", "3", "4"], system="c", metric="P@10").mean().item()
    )
    assert topics["reported"].sel(system="c", metric="P@10").item() == pytest.approx(
        left
    )
    assert systems.system.values.tolist() == ["a", "b"]
    assert about(systems)["options"]["missing"] == "systems"


def test_known_systems_that_lack_some_topics_are_the_policys_too(model):
    """The systems that calibrate are completed as the others are, and a note says whose scores were dropped."""
    with pytest.raises(ScoresError, match="1 of 24 scores are missing"):
        predict(given("P@10=0.4"), model, want=["RR"], calibrate=by_topic())
    outcome = predict(
        given("P@10=0.4"), model, want=["RR"], calibrate=by_topic(), missing="topics"
    )
    assert any(
        note.startswith("known systems: 1 of 24 scores are missing")
        for note in about(outcome)["notes"]
    )


def test_standardized_scores_are_not_taken_for_raw_ones(model, made):
    """A model of raw scores refuses standardized ones; one that was fitted on such scores takes them."""
    marked = {
        n: c.assign_attrs(standardization={"kind": "normal"})
        for n, c in made.collections().items()
    }
    with pytest.raises(
        ScoresError, match=r"standardized \(normal\), but those of the model are not"
    ):
        predict(marked["c0"], model, want=["AP"])
    one = marked["c0"].where(marked["c0"].metric != "AP")
    assert predict(one, prediction_model(marked))["value"].notnull().all()


def test_filled_table_keeps_its_names_and_columns(model):
    """Columns keep the names and order they came with, those that the model does not know too."""
    outcome = predict(
        table([[0.4, np.nan, 7.0]], ["P@10", "AP", "mine"]), model, want=["AP", "RR"]
    )
    assert tables(outcome)["filled"].columns == [
        *(
            "system",
            "P@10",
            "AP",
            "AP low",
            "AP high",
            "mine",
            "RR",
            "RR low",
            "RR high",
        )
    ]
    assert any("mine" in note for note in about(outcome)["notes"])


def test_metric_without_cutoff_is_taken_as_the_one_cut_at_1000(made):
    """AP@1000 of the model predicts AP, and is predicted as AP, in the name that was given; a note says so."""
    whole = made.collections()
    cubes = {
        n: c.assign_coords(metric=["AP@1000", *made.METRICS[1:]])
        for n, c in whole.items()
    }
    model = prediction_model(cubes)
    for options in ({}, {"train": cubes, "learner": "svr"}):
        outcome = predict(given("P@10=0.4"), model, want=["AP"], **options)
        assert outcome.target.values.tolist() == ["AP"]
        notes = about(outcome)["notes"]
        assert sum(note.startswith("AP is used as AP@1000") for note in notes) == 1
        same = predict(given("P@10=0.4"), model, want=["AP@1000"], **options)
        assert same["value"].item() == outcome["value"].item()
    few = next(iter(whole.values()))
    predicted = predict(few.sel(metric=["AP", "P@10"]), model, want=["RR"])
    said = accuracy(predicted, few).findings[0]
    assert said.startswith("From AP, P@10, ")
    known = predict(given("P@10=0.4"), model, want=["AP"], calibrate=few)
    assert known["known"].item() == few.sizes["system"]


def test_intervals_of_new_collections_hold_about_their_level(made):
    """Over 60 collections the model has not seen, 90% intervals hold 85% to 96% of the systems."""
    fitted = prediction_model(made.collections(8))
    inside = []
    for seed in range(100, 160):
        scores = made.collection(seed, systems=10)
        outcome = predict(scores.where(scores.metric != "AP"), fitted)
        actual = means(scores).sel(metric="AP").values
        inside += list(
            (outcome["low"].values[:, 0] <= actual)
            & (actual <= outcome["high"].values[:, 0])
        )
    assert 0.85 < np.mean(inside) < 0.96


def test_known_systems_take_away_the_offset_of_the_collection(model, made):
    """A collection whose AP is 0.1 higher than any seen is predicted far better with four known systems."""
    scores = made.collection(77)
    shifted = scores.copy(data=np.clip(scores.values + np.array([0.1, 0, 0, 0]), 0, 1))
    actual = means(shifted).sel(metric="AP").values[4:]
    holes = shifted[4:].where(shifted.metric != "AP")
    blind, told = predict(holes, model), predict(holes, model, calibrate=shifted[:4])
    assert (
        np.abs(told["value"].values[:, 0] - actual).mean()
        < np.abs(blind["value"].values[:, 0] - actual).mean() / 3
    )
    assert (told["high"] - told["low"]).mean() < (blind["high"] - blind["low"]).mean()


def test_known_systems_without_the_metrics_it_takes_calibrate_nothing(model):
    """A calibration table that lacks the target changes no prediction, and a note says so."""
    blind = predict(given("P@10=0.4"), model, want=["AP"])
    told = predict(
        given("P@10=0.4"),
        model,
        want=["AP"],
        calibrate=table([[0.4, 0.5]], ["P@10", "RR"]),
    )
    assert told["value"].item() == blind["value"].item()
    assert any("not calibrated" in note for note in about(told)["notes"])
    assert not any("not calibrated" in note for note in about(blind)["notes"])


def test_scores_unlike_any_seen_are_marked(model):
    """Perfect RR beside P@10 of almost nothing lies outside; the note names the system; usual scores are inside."""
    outcome = predict(
        table([[0.01, 1.0], [0.4, 0.4]], ["P@10", "RR"], ["odd", "usual"]),
        model,
        want=["AP"],
    )
    assert outcome["outside"].values[:, 0].tolist() == [1, 0]
    assert any(
        "far from those that the model" in note and "odd" in note
        for note in about(outcome)["notes"]
    )


def test_predictions_stay_in_the_range_of_their_metric(model, made):
    """No value or end of an interval leaves [0, 1], on either scale."""
    rows = table([[0.0, 0.0], [1.0, 1.0]], ["P@10", "RR"])
    for fitted in (model, prediction_model(made.collections(), scale="logit")):
        outcome = predict(rows, fitted, want=["AP"], level=0.99)
        for name in ("value", "low", "high"):
            assert ((outcome[name] >= 0) & (outcome[name] <= 1)).all()
        assert (outcome["low"] <= outcome["value"]).all()
        assert (outcome["value"] <= outcome["high"]).all()


def test_one_collection_gives_no_interval(made):
    """A model of one collection predicts without intervals, and says why."""
    outcome = predict(
        given("P@10=0.4"), prediction_model(made.collections(1)), want=["AP"]
    )
    assert np.isnan(outcome["low"].item())
    assert tables(outcome)["prediction"]["low"].to_list() == [None]
    assert any("no interval" in note for note in about(outcome)["notes"])
    assert "predicted as" in findings(outcome)[0]


def test_collections_that_lack_a_metric_are_left_out_where_it_is_needed(model, made):
    """RR is predicted from the collections that have it: as by a model of those alone."""
    cubes = made.collections()
    cubes["c0"] = cubes["c0"].sel(metric=["AP", "P@10"])
    rest = {name: scores for name, scores in cubes.items() if name != "c0"}
    some, alone = (
        predict(given("P@10=0.4"), prediction_model(c), want=["RR"])
        for c in (cubes, rest)
    )
    assert some["value"].item() == alone["value"].item()
    assert some["high"].item() == alone["high"].item()


def test_row_without_scores_is_left_and_named(model):
    """A system with nothing to predict from stays empty; the note names it."""
    outcome = predict(
        table([[np.nan, np.nan], [0.4, np.nan]], ["P@10", "AP"], ["empty", "full"]),
        model,
    )
    assert tables(outcome)["prediction"]["system"].to_list() == ["full"]
    assert any("empty" in note for note in about(outcome)["notes"])


def test_trec_eval_and_paper_names_are_understood(model):
    """MAP, MRR, P_10 and NDCG@20 are AP, RR, P@10 and nDCG@20."""
    assert given("MAP=0.2 MRR=0.5 P_10=0.4 NDCG@20=0.3").metric.values.tolist() == [
        "AP",
        "RR",
        "P@10",
        "nDCG@20",
    ]
    assert predict(
        given("P_10=0.4"), model, want=iter(["MAP", "AP"])
    ).target.values.tolist() == ["AP"]


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ("P@10=0.4 AP=0.2", {"want": ["AP"]}, ScoresError, "AP is given"),
        (
            "P@10=0.4",
            {"want": ["P@5"]},
            MetricError,
            "does not know 'P@5'; did you mean P@10",
        ),
        (
            "P@5=0.4",
            {"want": ["AP"]},
            MetricError,
            "none of these metrics is in the model: P@5",
        ),
        (
            "P@10=40",
            {"want": ["AP"]},
            ScoresError,
            "40 .given. is not a score of P@10.*: divide percentages by 100",
        ),
        ("P@10=-0.1", {"want": ["AP"]}, ScoresError, "whose scores are 0 to 1"),
        (
            "P@10=0.4",
            {"want": ["AP"], "level": 90},
            ScoresError,
            "between 0 and 1, as in 0.9, not 90",
        ),
        ("AP=0.2 P@10=0.4 RR=0.5 nDCG@20=0.3", {}, ScoresError, "nothing to predict"),
    ],
)
def test_wrong_input_is_an_error_that_says_what_to_do(
    model, scores, options, error, message
):
    """Targets that are given, unknown names, scores and levels out of range, and full tables are errors."""
    with pytest.raises(error, match=message):
        predict(given(scores), model, **options)


@pytest.mark.parametrize("text", ["", "P@10", "P@10=high", "=0.4"])
def test_scores_not_written_as_metric_and_score_are_an_error(text):
    """Given scores are METRIC=SCORE; anything else raises ScoresError with an example."""
    with pytest.raises(ScoresError, match="METRIC=SCORE"):
        given(text)


def test_table_without_usable_rows_is_an_error(model):
    """Where no row has a score that the model knows there is nothing to predict."""
    with pytest.raises(ScoresError, match="nothing to predict"):
        predict(table([[np.nan], [np.nan]], ["P@10"]), model, want=["AP"])


def test_metrics_that_no_collection_has_together_are_an_error(made):
    """A target and a given metric of different collections cannot be related; the error names them."""
    cubes = made.collections(2)
    apart = {
        "c0": cubes["c0"].sel(metric=["AP", "RR"]),
        "c1": cubes["c1"].sel(metric=["AP", "P@10"]),
    }
    with pytest.raises(
        ScoresError, match="no collection of the model has all of P@10, RR"
    ):
        predict(given("P@10=0.4"), prediction_model(apart), want=["RR"])


def test_fewer_systems_than_predictors_are_an_error(made):
    """Three predictors cannot be fitted on the four systems of the other collection."""
    cubes = made.collections(2, systems=4)
    with pytest.raises(ScoresError, match="4 systems are too few to fit 3 predictors"):
        predict(
            given("P@10=0.4 RR=0.5 nDCG@20=0.3"), prediction_model(cubes), want=["AP"]
        )


def test_inputs_are_not_changed(model):
    """Prediction leaves the table it was given as it was."""
    scores = table([[np.nan, 0.4]], ["AP", "P@10"])
    before = scores.copy(deep=True)
    predict(scores, model)
    assert scores.identical(before)


def test_findings_count_many_and_spell_out_one(model):
    """One or two predictions are told with their intervals, more are counted with a typical width."""
    one = predict(given("P@10=0.4"), model, want=["AP"])
    assert f" {one['value'].item():.3f}".replace(" 0", " ") in findings(one)[0]
    assert "90% interval" in findings(one)[0]
    assert findings(predict(given("P@10=0.4"), model))[0].startswith(
        "3 scores predicted; half of the 90%"
    )
    two = findings(predict(given("P@10=0.4"), model, want=["AP", "RR"]))[-1]
    assert two.count(", between ") == 2
    assert two.endswith("(90% intervals).")
    assert given("P@10=40%").identical(given("P@10=0.4"))


def test_a_model_that_is_not_linear_takes_the_scores_it_was_fitted_on(model, made):
    """A support vector machine is fitted on all systems, with an interval; without their scores it is an error."""
    cubes = made.collections()
    rows = np.concatenate([means(scores).values for scores in cubes.values()])
    expected = learner("svr", kernel=0.5)(rows[:, [1, 2]], rows[:, 0])(
        np.array([[0.43, 0.61]])
    )
    outcome = predict(
        given("P@10=0.43 RR=0.61"),
        model,
        want=["AP"],
        train=cubes,
        learner="svr",
        kernel=0.5,
    )
    assert outcome["value"].item() == pytest.approx(expected[0])
    assert outcome["low"].item() < outcome["value"].item() < outcome["high"].item()
    with pytest.raises(
        ScoresError,
        match=r"svr needs scores, .*; instead name score files \(train=\)",
    ):
        predict(given("P@10=0.43"), model, want=["AP"], learner="svr")


def test_a_model_of_topics_predicts_topics(made):
    """Fitted at topic level a model fills holes of single topics, with what a regression on all of them gives."""
    rng = np.random.default_rng(8)
    names = ["AP", "P@10", "RR"]
    cubes = {
        name: cube(
            rng.random((6, 5, 3)) ** 2,
            [f"s{i}" for i in range(6)],
            [f"{t}" for t in range(5)],
            names,
        )
        for name in "abc"
    }
    fitted = prediction_model(cubes, unit="topic")
    scores = cubes["a"].copy(deep=True)
    scores.loc[{"metric": "AP"}] = np.nan
    outcome = predict(scores, fitted, want=["AP"])
    rows = np.concatenate(
        [one.values.reshape(-1, one.sizes["metric"]) for one in cubes.values()]
    )
    expected = LinearRegression().fit(rows[:, 1:], rows[:, 0])
    values = scores.values.reshape(-1, scores.sizes["metric"])[:, 1:]
    assert outcome.sizes["system"] == scores.sizes["system"] * scores.sizes["topic"]
    assert (
        outcome.system.values[1]
        == f"{scores.system.values[0]} {scores.topic.values[1]}"
    )
    assert_allclose(
        outcome["value"].values[:, 0],
        np.clip(expected.predict(values), 0, 1),
        rtol=1e-9,
    )


def test_scores_outside_what_the_model_has_seen_are_a_warning() -> None:
    """On a terminal the warning of scores that the model has not seen stands with the answer, and only there."""
    odd = given("P@10=0.99 P@1000=0.0 RR=0.01", system="odd")
    said = everything(predict(odd, want=["AP@1000"]))
    assert "Warning: scores far from those that the model" in said
    assert said.count("far from those that the model") == 1


def warned(outcome):
    return " ".join(warnings(outcome))


def test_runs_with_few_judged_documents_are_a_warning(model):
    """Where the collection says that few of the first documents are judged, intervals are said to be too narrow."""
    scores = table([[0.3, 0.4], [0.2, 0.5]], ["P@10", "RR"])
    for share, fails in ((0.12, True), (0.8, False)):
        said = recorded({"judged": {"p0": share, "p1": share, "other": 1.0}})
        outcome = predict(scores.assign_attrs(said), model, want=["AP"])
        assert ("only 12% of the first 10 documents" in warned(outcome)) == fails
    assert "judged" not in warned(predict(scores, model, want=["AP"]))


def test_known_systems_that_intervals_miss_are_a_warning(model):
    """Systems of a table whose scores are known test the intervals for those that are not; calibrated ones need not."""
    rows = [[0.99, 0.2, 0.3]] * 4 + [[np.nan, 0.3, 0.4]]
    scores = table(rows, ["AP", "P@10", "RR"])
    assert "AP (0 of 4 systems)" in warned(predict(scores, model))
    assert "--calibrate" in warned(predict(scores, model))
    assert "AP (" not in warned(predict(scores, model, calibrate=scores[:4]))
    usual = predict(scores[:4, :, 1:], model, want=["AP"])["value"].values[:, 0]
    scores[:4, 0, 0] = usual
    assert not warnings(predict(scores, model))


def test_one_collection_and_known_systems_give_intervals(made):
    """With one collection there is an interval where two systems of the new one are known, narrower with more."""
    cubes = made.collections()
    first, new = list(cubes)[:2]
    model = prediction_model({first: cubes[first]})
    asked = cubes[new].sel(metric=["P@10"])
    width = []
    for known in (1, 2, 8):
        calibrate = cubes[new].isel(system=slice(known))
        found = predict(asked, model, want=["AP"], calibrate=calibrate)
        width.append(float((found["high"] - found["low"]).median()))
    assert np.isnan(width[0])
    assert width[2] < width[1]


def together(outcome):
    """The notes on misses that come together."""
    return [note for note in about(outcome)["notes"] if "may miss many systems" in note]


def test_the_output_counts_the_collections_whose_systems_are_missed_together(made):
    """Collections left out whose systems are missed are counted, none of like ones; known systems end the note."""
    cubes = made.collections(5, offset=0.002)
    asked = given("P@10=0.43 RR=0.61 nDCG@20=0.3")
    [note] = together(predict(asked, prediction_model(cubes), want=["AP"]))
    assert "left out" not in note
    cubes["c4"] = cubes["c4"].copy(data=cubes["c4"].values * [0.3, 1, 1, 1])
    odd = prediction_model(cubes)
    assert together(predict(asked, odd, want=["AP"]))[0].endswith(
        "Of the model's 5 collections, left out in turn, they would miss most systems on 1 (c4)."
    )
    assert not together(predict(asked, odd, want=["AP"], calibrate=cubes["c0"]))


def test_a_single_collection_has_no_intervals_and_no_word_on_their_misses(made):
    """Where there are no intervals, nothing is said of how they miss."""
    assert not together(
        predict(given("P@10=0.43"), prediction_model(made.collections(1)), want=["AP"])
    )


def test_intervals_that_order_no_systems_are_told_as_too_wide(made):
    """Where intervals of a metric all overlap the sentence says so, and where they do not it does not."""
    model = prediction_model(made.collections())
    near = predict(
        table([[0.41, 0.6], [0.42, 0.6]], ["P@10", "RR"]), model, want=["AP"]
    )
    far = predict(
        table([[0.02, 0.05], [0.97, 0.98]], ["P@10", "RR"]), model, want=["AP"]
    )
    assert near["low"].max() <= near["high"].min()
    assert far["low"].max() > far["high"].min()
    said = [
        findings(one)[-1].endswith("those of each metric all overlap.")
        for one in (near, far)
    ]
    assert said == [True, False]
