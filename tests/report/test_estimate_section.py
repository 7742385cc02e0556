"""The section on people and machine: there only where an estimate was given, with a panel for each metric."""

from functools import partial

import numpy as np

from irmeta.report.page.collections import data, reliability
from irmeta.report.page.content import Content
from irmeta.report.page.judgments import estimate as section
from irmeta.report.page.judgments import judges
from irmeta.report.page.sections import make_sections
from irmeta.report.page.systems import description, standings
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.judges.estimate import estimate, estimated_scores

RNG = np.random.default_rng(0)
TOPICS = [str(topic) for topic in range(30)]
MACHINE = cube(RNG.random((5, 30, 2)), list("abcde"), TOPICS, ["AP", "P@10"])
HUMAN = MACHINE.copy(data=np.clip(MACHINE + RNG.normal(0, 0.1, MACHINE.shape), 0, 1))


def content(*results) -> Content:
    return Content.prepared(
        {"made": MACHINE},
        missing="error",
        results=results,
    )


def test_scores_alone_have_no_section() -> None:
    """Without judgments of people nothing is said of them."""
    assert section.panels(content()) == []
    assert judges.panels(content()) == []


def test_answers_from_a_machines_judgments_say_so() -> None:
    """Where the page's scores are by the machine that it compares with people, cards say so, and who leads both do."""
    by_machine = MACHINE.assign_attrs(recorded({"qrels": {"sha256": "1a"}}))
    by_people = HUMAN.assign_attrs(recorded({"qrels": {"sha256": "2b"}}))
    outcome = estimate(by_people[:, :10], by_machine)
    for scores, results, told in (
        (by_machine, (outcome,), True),
        (by_people, (outcome,), False),
        (by_machine, (), False),
        (MACHINE, (outcome,), False),
    ):
        page = Content.prepared({"made": scores}, results=results)
        for module in (description, reliability):
            [panel] = page.panels_by_collection(partial(module.panel, page))
            assert panel.findings[0].startswith("By the machine's judgments: ") is told
        [best] = standings.panels(page)
        together = best.findings[0].startswith("By AP of people and machine together, ")
        assert together is told
        assert ("be the best on topics" in " ".join(best.findings)) is not told
        assert best.board is not None
        assert best.board["by_machine"] is told
        assert [*best.opened] == [*best.tables] == [standings.OFFICIAL] * told
        for frame in best.tables.values():
            assert frame.columns[2:] == ["both", "people alone", "machine"]
        [shown] = page.panels_by_collection(partial(description.panel, page))
        for one in shown.pictures.values():
            assert ("by the machine's judgments" in one.title) is told


def test_an_estimate_has_a_panel_for_each_metric() -> None:
    """Each panel says what both show of its metric, and draws the means."""
    outcome = estimate(HUMAN[:, :10], MACHINE)
    first, second = section.panels(content(outcome))
    assert [first.label, second.label] == ["AP", "P@10"]
    assert first.findings[0].startswith("AP: compared with the human topics alone")
    axes = first.pictures["means"].draw().axes[0]
    assert len(axes.get_yticks()) == MACHINE.sizes["system"]


def test_two_intervals_of_one_mean_are_explained() -> None:
    """Where the page is of an estimate written as scores, the estimate's panel says why intervals differ."""
    outcome = estimate(HUMAN[:, :10], MACHINE)
    scores = estimated_scores(outcome)
    page = Content.prepared({"estimate": scores}, results=(outcome,))
    for panel in section.panels(page):
        assert f"those of {panel.label} (est.) are by all topics" in panel.findings[-1]
    assert "(est.)" not in " ".join(section.panels(content(outcome))[0].findings)
    [shown] = page.panels_by_collection(partial(description.panel, page))
    assert shown.shown == ["means"]


def test_a_page_of_an_estimate_names_the_one_to_hand_out() -> None:
    """Of scores made of an estimate the page says which has its own intervals, and how many topics people judged."""
    scores = estimated_scores(estimate(HUMAN[:, :10], MACHINE))
    for given, told in ((scores, True), (MACHINE, False)):
        page = Content.prepared({"made": given}, missing="error")
        [best] = standings.panels(page)
        assert ("--human HUMAN --llm MACHINE" in " ".join(best.findings)) is told
        [systems] = page.panels_by_collection(partial(description.panel, page))
        [made_of] = page.panels_by_collection(partial(data.panel, page))
        judged = "10 topics of people and 30 of a machine; no"
        for text in (systems.method, made_of.findings[0]):
            assert (judged in text) is told


def test_a_page_of_an_estimate_says_once_what_cannot_be_computed() -> None:
    """Sections on topics would all give the same reason, so that only the first of them stands on the page."""
    scores = estimated_scores(estimate(HUMAN[:, :10], MACHINE))
    panels = [one for made in make_sections({"e": scores}) for one in made.panels]
    assert len([one for one in panels if one.is_not_computed]) == 1


def test_judges_that_were_compared_are_shown() -> None:
    """A comparison that was given stands in the section on judges, with the command that gives it again."""
    both = {"human": HUMAN[:, :10], "machine": MACHINE}
    outcome = compare_judges(both, metrics=["AP"], partitions=20)
    [panel] = judges.panels(content(outcome))
    assert panel.command.startswith(
        "irmeta judges compare HUMAN MACHINE --runs RUNS -m AP"
    )
    assert "machine may stand in for human to rank these 5 systems" in panel.findings[0]
