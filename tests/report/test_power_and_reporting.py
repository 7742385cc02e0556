"""Two sections of the page that seem to contradict each other: which metrics predict, and which to report."""

import numpy as np
import pytest

from irmeta.report.page.content import Content
from irmeta.report.page.metrics import prediction, ranking
from irmeta.report.page.metrics.ranking import (
    metrics_to_report,
    superfluous_sentences,
)
from irmeta.scores.cube import cube


def content(*noise):
    """A page on systems that AP, P@10 and RR rank, each with so much noise of its own."""
    rng = np.random.default_rng(0)
    ability = np.linspace(0, 1, 20)[:, None]
    values = [ability + rng.normal(size=(20, 40)) * sd for sd in noise]
    names = (
        [f"s{i}" for i in range(20)],
        [f"t{i}" for i in range(40)],
        ["AP", "P@10", "RR"],
    )
    scores = cube(np.stack(values, axis=2), *names, collection="made")
    return Content.prepared(
        {"made": scores},
        by="AP",
        teams="each",
        missing="error",
    )


def test_a_metric_to_report_that_another_predicts_better_is_said_to_be_both():
    """A noisy metric says what no other does, yet another ranks systems better: one sentence says why both hold."""
    [said] = superfluous_sentences(content(0.2, 0.3, 1.0), ["AP", "RR"])
    assert said.endswith(
        "as well as RR, or better (predictive power); this section chooses metrics for the scores that they explain."
    )


def test_where_all_metrics_are_to_be_reported_no_section_says_so():
    """Metrics that explain nothing of each other are all reported: there is nothing to choose, and none to predict."""
    every, some = content(2.0, 2.0, 2.0), content(0.01, 0.01, 2.0)
    assert ranking.panels(every) == prediction.panels(every) == []
    assert len(ranking.panels(some)) == 3
    assert metrics_to_report(some) != []


@pytest.mark.parametrize("chosen", [["AP"], []])
def test_sections_that_agree_need_no_word(chosen):
    """Where no metric to report is surely predicted by another, nothing is said."""
    assert superfluous_sentences(content(0.2, 0.3, 1.0), chosen) == []
    assert superfluous_sentences(content(2.0, 2.0, 2.0), ["AP", "P@10", "RR"]) == []
