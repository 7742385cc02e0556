"""The section on new runs: there only with judgments and runs, and with the figures of the study."""

from pathlib import Path

import numpy as np
import pytest

from irmeta.evaluation.engine import evaluate
from irmeta.report.page.content import Content
from irmeta.report.page.judgments.reuse import TEXT, panels
from irmeta.report.page.writing import write_report
from irmeta.studies.place.reuse.study import reuse

DOCUMENTS = [f"d{i}" for i in range(40)]
TOPICS = [str(topic) for topic in range(6)]


def collection() -> tuple[dict, dict]:
    """Draw judgments, a quarter of them relevant, and 8 runs of 10 documents."""
    rng = np.random.default_rng(0)
    grades = {
        topic: {document: int(rng.random() < 0.25) for document in DOCUMENTS}
        for topic in TOPICS
    }
    runs = {
        f"run{i}": {
            topic: {
                str(d): 10.0 - at
                for at, d in enumerate(rng.permutation(DOCUMENTS)[:10])
            }
            for topic in TOPICS
        }
        for i in range(8)
    }
    return grades, runs


def test_scores_alone_have_no_section() -> None:
    """Without judgments and runs there is nothing to say of new runs."""
    cubes = {"made": evaluate(*collection(), "P@5 AP", collection="made")}
    content = Content.prepared(cubes, missing="error")
    assert panels(content) == []


@pytest.mark.usefixtures("empty_figures")
def test_the_section_draws_what_the_study_found(tmp_path: Path) -> None:
    """The figure has each metric's loss, the least first, and the page has the section, its table and its figures."""
    grades, runs = collection()
    outcome = reuse(grades, runs, depth=10, metrics="P@5 AP")
    scores = evaluate(grades, runs, "P@5 AP", collection="made")
    content = Content.prepared(
        {"made": scores},
        missing="error",
        results=[outcome],
    )
    [panel] = panels(content)
    drawn = panel.pictures["metrics"].draw().axes[0].lines[-1].get_xdata()
    assert drawn.tolist() == sorted(outcome["relative_loss"].values.tolist())
    page = write_report({"made": scores}, tmp_path / "report", results=[outcome])
    assert TEXT.question in page.read_text(encoding="utf-8")
    assert list((tmp_path / "report" / "tables").glob("reuse*metrics.csv"))
    assert list((tmp_path / "report" / "figures").glob("reuse*penalty.svg"))


def test_what_makes_losses_too_small_stands_with_them() -> None:
    """The answer has a warning where the pool was shallower than was said, and its command the options."""
    grades, runs = collection()
    few = {
        topic: {
            document: grade
            for document, grade in of.items()
            if int(document[1:]) % 2 or document == "d0"
        }
        for topic, of in grades.items()
    }
    outcome = reuse(few, runs, depth=5, metrics="P@5 AP")
    [panel] = panels(
        Content.prepared({"made": evaluate(few, runs, "P@5 AP")}, results=[outcome])
    )
    warned = " ".join(panel.warnings)
    assert "documents of the pooled runs are judged" in warned
    assert "each run is its own group" in warned
    assert not any(note in panel.warnings for note in panel.notes)
    assert panel.command == "irmeta reuse QRELS RUNS -m 'P@5 AP' --depth 5"


@pytest.mark.parametrize("by", ["P@5", "AP"])
def test_each_run_s_loss_is_by_the_metric_of_the_page(by: str) -> None:
    """The figure of runs is of the metric that the page is by, whichever stands first."""
    grades, runs = collection()
    outcome = reuse(grades, runs, depth=10, metrics="P@5 AP")
    scores = evaluate(grades, runs, "P@5 AP", collection="made")
    content = Content.prepared(
        {"made": scores}, missing="error", results=[outcome], by=by
    )
    [panel] = panels(content)
    [axes] = panel.pictures["penalty"].draw().axes
    drawn = np.concatenate(
        [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    )
    lost = outcome["loss"].sel(metric=by).values
    loss = outcome["mean_loss"].sel(metric=by).item()
    assert f"lose {loss:.3f}".replace("0.", ".") in panel.findings[0]
    assert f" by {by} " in panel.findings[0]
    assert set(drawn) <= {*lost, 0.0}
    assert len(set(drawn) & {*lost}) > 1


def test_systems_that_are_not_among_the_runs_are_named() -> None:
    """A run that the page has and the pool has not is said to be left out of the answer."""
    grades, runs = collection()
    fewer = {name: run for name, run in runs.items() if name != "run3"}
    scores = evaluate(grades, runs, "P@5 AP", collection="made")
    for given, said in ((fewer, True), (runs, False)):
        outcome = reuse(grades, given, depth=10, metrics="P@5 AP")
        content = Content.prepared({"made": scores}, missing="error", results=[outcome])
        [panel] = panels(content)
        told = "run3 of this page is not among these 7 runs (--runs)."
        assert (told in panel.warnings) is said
