"""Predictions set beside the scores that they stand for."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from irmeta.errors import ScoresError
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.studies.prediction.accuracy import accuracy, findings, tables, warnings
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.result import Result


@pytest.fixture
def scores() -> xr.DataArray:
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(12, 1, 1)) + 0.3 * rng.normal(size=(12, 4, 3))
    systems, topics = [f"s{i}" for i in range(12)], [f"t{i}" for i in range(4)]
    return cube(
        1 / (1 + np.exp(1 - shared)),
        systems,
        topics,
        ["P@10", "AP@1000", "RR"],
        collection="made",
    )


@pytest.fixture
def outcome(scores: xr.DataArray) -> xr.Dataset:
    return accuracy(
        predict(scores.sel(metric=["P@10"]), want=["AP@1000", "RR"]), scores
    )


def test_tau_and_rmse_are_those_of_scipy_and_of_the_definition(
    scores: xr.DataArray, outcome: xr.Dataset
) -> None:
    """Tau is scipy's, R2 and RMSE follow their definitions, over the systems of a target."""
    for target in ("AP@1000", "RR"):
        one = outcome.sel(target=target)
        actual, value = (
            scores.sel(metric=target).mean("topic").values,
            one["value"].values,
        )
        assert one["tau"].item() == pytest.approx(
            stats.kendalltau(actual, value).statistic, abs=1e-12
        )
        assert one["rmse"].item() == pytest.approx(
            np.sqrt(((actual - value) ** 2).mean()), abs=1e-12
        )
        assert one["r2"].item() == pytest.approx(
            1 - ((actual - value) ** 2).sum() / ((actual - actual.mean()) ** 2).sum()
        )


def test_inside_counts_the_systems_in_their_intervals(outcome: xr.Dataset) -> None:
    """The share inside is counted cell by cell in the table of cells."""
    cells, shares = (tables(outcome)[name] for name in ("cells", "accuracy"))
    for row in shares.iter_rows(named=True):
        of = cells.filter(metric=row["metric"])
        inside = [
            cell["low"] <= cell["actual"] <= cell["high"]
            for cell in of.iter_rows(named=True)
        ]
        assert len(inside) == 12
        assert row["inside"] == pytest.approx(sum(inside) / len(inside))


def test_perfect_predictions_have_tau_one(scores: xr.DataArray) -> None:
    """Predictions that are the actual scores have tau 1, no error, and all scores inside."""
    predicted = predict(scores.sel(metric=["P@10"]), want=["RR"])
    truth = scores.sel(metric=["RR"]).mean("topic").values
    same = predicted.assign(
        dict.fromkeys(("value", "low", "high"), (("system", "target"), truth))
    )
    found = accuracy(Result(same), scores)
    assert (found["tau"].item(), found["rmse"].item(), found["inside"].item()) == (
        1.0,
        0.0,
        1.0,
    )


def test_findings_name_what_was_given_and_the_worst(outcome: xr.Dataset) -> None:
    """The first sentence names the metrics given and the target with the lowest tau."""
    worst = outcome.target.values[outcome["tau"].values.argmin()]
    lines = findings(outcome)
    assert lines[0].startswith("From P@10,")
    assert f"{worst} is predicted worst" in lines[0]
    assert "The 90% intervals contain" in lines[1]


def test_a_tau_that_is_undefined_is_called_so(scores: xr.DataArray) -> None:
    """Of a metric that scores all systems alike no tau is told."""
    scores[..., 2] = 0.5
    assert (
        "RR is predicted (tau undefined)."
        in findings(accuracy(predict(scores[..., :1], want=["RR"]), scores))[0]
    )


def test_a_missing_score_and_a_single_system_are_errors(scores: xr.DataArray) -> None:
    """What cannot be compared is named."""
    predicted = predict(scores.sel(metric=["P@10"]), want=["RR"])
    holes = scores.copy()
    holes[3, 0, 2] = np.nan
    with pytest.raises(ScoresError, match="RR of s3 is missing"):
        accuracy(predicted, holes)
    with pytest.raises(ScoresError, match="2 systems; there is 1"):
        accuracy(predict(scores.sel(metric=["P@10"])[:1], want=["RR"]), scores)


def test_intervals_that_fail_are_a_warning(scores: xr.DataArray) -> None:
    """Where intervals hold clearly fewer systems than their level says, a warning names the metric and the share."""
    outcome = accuracy(
        predict(scores.sel(metric=["P@10"]), want=["AP@1000", "RR"]), scores
    ).data
    outcome["inside"] = ("target", [0.95, 0.25])
    [said] = warnings(outcome)
    assert (
        "fail here for 1 of 2 metrics (RR); for RR they contain the score of 25% of the systems"
        in said
    )
    outcome["inside"] = ("target", [0.95, 0.85])
    assert warnings(outcome) == []


def test_what_predictions_warned_of_is_a_warning_of_their_accuracy(
    scores: xr.DataArray,
) -> None:
    """Few judged documents are an alarm also where the actual scores are known."""
    few = scores.assign_attrs(
        recorded({"judged": dict.fromkeys(scores.system.values, 0.1)})
    )
    predicted = predict(few.sel(metric=["P@10"]), want=["AP@1000", "RR"])
    assert any(
        "10% of the first 10 documents" in line
        for line in warnings(accuracy(predicted, scores))
    )
