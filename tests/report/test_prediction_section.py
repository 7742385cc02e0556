"""What the page predicts from: predictors whose intervals held on collections left out."""

import numpy as np

from irmeta.datasets.reference import reference_model
from irmeta.report.page.metrics.prediction import (
    GOOD,
    _worst_coverage,
    choose_predictors,
    page_model,
    reported_means,
    unused_sentences,
)
from irmeta.scores.cube import cube


def test_predictors_whose_intervals_fail_elsewhere_are_not_used() -> None:
    """R@100 and AP@1000 together hold too few systems of a collection left out: the page predicts from fewer."""
    model = reference_model()
    assert _worst_coverage(model, ["R@100", "AP@1000"]) < GOOD
    assert choose_predictors(model, ["R@100", "AP@1000"]) in (["R@100"], ["AP@1000"])


def test_all_predictors_are_used_where_their_intervals_hold() -> None:
    """A set whose intervals hold on the worst collection left out is used whole."""
    model = reference_model()
    assert choose_predictors(model, ["P@10", "RR"]) == ["P@10", "RR"]
    assert choose_predictors(model, []) == []
    assert np.isfinite(_worst_coverage(model, ["P@10"]))


def test_the_calculator_starts_from_means_as_papers_print_them() -> None:
    """Each system has its mean by each metric, to four decimals."""
    made = cube(
        [[[0.12345, 1], [0.2, 0]], [[0, 0.5], [1, 0.25]]],
        ["a", "b"],
        ["1", "2"],
        ["AP", "RR"],
    )
    assert reported_means(made) == {
        "a": {"AP": 0.1617, "RR": 0.5},
        "b": {"AP": 0.5, "RR": 0.375},
    }


def test_the_model_has_the_names_of_the_page() -> None:
    """AP of a page is AP there, though the model has it cut at 1000; a page with both keeps both."""
    model = reference_model()
    assert "AP@1000" in model.metrics
    for metrics, wanted in ((["AP", "RR"], "AP"), (["AP", "AP@1000"], "AP@1000")):
        page = cube(np.ones((1, 1, 2)), ["a"], ["1"], metrics)
        found = page_model({"one": page}).metrics
        assert found == [wanted if one == "AP@1000" else one for one in model.metrics]


def test_metrics_to_report_that_are_not_used_are_named_with_the_reason() -> None:
    """The finding says which reported metrics the model does not have, and which make intervals worse."""
    model = reference_model()
    assert unused_sentences(["P@10", "ERR@20", "RR"], ["P@10"], model) == [
        "Not used, as the model does not have it: ERR@20.",
        "Not used, as without it more intervals held in tests on other collections: RR.",
    ]
    assert unused_sentences(["P@10", "RR"], ["P@10", "RR"], model) == []
