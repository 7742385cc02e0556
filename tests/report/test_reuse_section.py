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
    content = Content.of(cubes, missing="error")
    assert panels(content) == []


@pytest.mark.usefixtures("empty_figures")
def test_the_section_draws_what_the_study_found(tmp_path: Path) -> None:
    """The figure has each metric's loss, the least first, and the page has the section, its table and its figures."""
    grades, runs = collection()
    outcome = reuse(grades, runs, depth=10, metrics="P@5 AP")
    scores = evaluate(grades, runs, "P@5 AP", collection="made")
    content = Content.of(
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


@pytest.mark.parametrize("by", ["P@5", "AP"])
def test_each_run_s_loss_is_by_the_metric_of_the_page(by: str) -> None:
    """The figure of runs is of the metric that the page is by, whichever stands first."""
    grades, runs = collection()
    outcome = reuse(grades, runs, depth=10, metrics="P@5 AP")
    scores = evaluate(grades, runs, "P@5 AP", collection="made")
    content = Content.of({"made": scores}, missing="error", results=[outcome], by=by)
    [panel] = panels(content)
    [axes] = panel.pictures["penalty"].draw().axes
    drawn = np.concatenate(
        [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    )
    lost = outcome["loss"].sel(metric=by).values
    assert set(drawn) <= {*lost, 0.0}
    assert len(set(drawn) & {*lost}) > 1
