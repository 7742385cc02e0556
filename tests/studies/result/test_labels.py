"""Labels of systems and metrics: every place of a result has them, and nothing else changes."""

import re

import numpy as np
import polars as pl
import pytest

import irmeta
from irmeta.errors import ScoresError
from irmeta.metrics.signatures import SETS
from irmeta.scores.cube import cube

LABELS = {"run1": "BM25", "run3.txt": "Ours & theirs", "elsewhere": "unknown"}
STUDIES = {
    "describe": {},
    "table": {"baseline": "run1"},
    "versus": {"system": "run3", "against": ["run1", "run2"]},
    "significance": {},
    "leaderboard": {"resamples": 40},
}


@pytest.fixture(scope="module")
def scores():
    """Scores of five runs, where one topic is called as a run is."""
    values = np.random.default_rng(0).uniform(0.1, 0.9, (5, 12, 1))
    values += np.linspace(0.1, 0, 5)[:, None, None]
    topics = ["run1", *(str(at) for at in range(11))]
    return cube(values, [f"run{at}" for at in range(5)], topics, ["AP"])


@pytest.mark.parametrize("study", STUDIES)
def test_systems_are_called_by_their_labels(study, scores, tmp_path):
    """Sentences, tables, JSON and plots of every study of systems have labels, from a file as from a mapping."""
    (tmp_path / "labels.csv").write_text(
        "system,label\n" + "".join(f"{a},{b}\n" for a, b in LABELS.items())
    )
    plain = getattr(irmeta, study)(scores, **STUDIES[study])
    made = plain.labelled(LABELS)
    assert made.to_json() == plain.labelled(tmp_path / "labels.csv").to_json()
    everything = made.explain()
    assert "Ours & theirs" in everything
    assert "run3" not in everything + made.to_json()
    assert "run2" in everything
    if "topic" in made.data.dims:
        assert "run1" in made.topic.values
    for table, before in zip(made.tables.values(), plain.tables.values(), strict=True):
        assert table.shape == before.shape


@pytest.mark.parametrize("name", ["t", "mean", "AP"])
def test_what_is_called_as_a_system_keeps_its_name(name, scores):
    """A test, an aggregate and a metric are not called by the label of a system of their name."""
    made = scores.assign_coords(system=[name, *scores.system.values[1:]])
    for found in (
        irmeta.versus(made, "run1", test="t"),
        irmeta.leaderboard(made, resamples=40),
        irmeta.describe(made, by="AP"),
    ):
        labelled = found.labelled({name: "Ours"})
        assert "Ours" in labelled.explain()
        assert labelled.method_text == found.method_text


def test_marks_go_by_name_or_label(scores):
    """A plot of labels marks a system by its name as by its label."""
    made = irmeta.describe(scores).labelled(LABELS)
    for name in ("run3", "Ours & theirs", "run3*"):
        [axes] = made.plot(highlight=[name]).axes
        bold = [
            one.get_text()
            for one in axes.get_yticklabels()
            if one.get_fontweight() == "bold"
        ]
        assert bold == ["Ours & theirs"]


def test_labels_that_cannot_be_are_refused(scores, tmp_path):
    """Labels of nothing here, and one label of two systems, are errors; a result without systems says so."""
    made = irmeta.describe(scores)
    with pytest.raises(
        ScoresError,
        match="labels of z, and .* no such system or metric; name some of run0",
    ):
        made.labelled({"z": "x"})
    path = tmp_path / "labels.csv"
    path.write_text("system,label\nz,x\n")
    for refused in (
        lambda: made.labelled(path),
        lambda: irmeta.write_report(scores, tmp_path / "page", labels=path),
    ):
        with pytest.raises(ScoresError, match=r"labels\.csv: there are labels of z"):
            refused()
    with pytest.raises(ScoresError, match="run0, run1 have the same label 'x'"):
        made.labelled({"run0": "x", "run1": "x"})
    with pytest.raises(ScoresError, match="'run2'; change one"):
        made.labelled({"run0": "run2"})
    two = cube(
        np.tile(scores.values, 2),
        scores.system.values,
        scores.topic.values,
        ["AP", "RR"],
    )
    with pytest.raises(ScoresError, match="no such system or metric$"):
        irmeta.correlate(two, unit="system").labelled(LABELS)


@pytest.fixture(scope="module")
def of_every_set(scores):
    """Scores by all metrics that irmeta evaluate takes where none is named, GMAP among them."""
    names = [*SETS["seeds23"], "GMAP"]
    drawn = np.random.default_rng(1).uniform(0.9, 1, (5, 12, len(names)))
    values = scores.values * drawn
    return cube(values, scores.system.values, scores.topic.values, names)


@pytest.mark.parametrize("study", STUDIES)
def test_metrics_are_called_by_their_labels(study, of_every_set):
    """A metric has its label in sentences and tables, and these say nothing else than without it."""
    made = getattr(irmeta, study)(of_every_set, **STUDIES[study])
    labels = {"AP@1000": "Mean of AP", "GMAP": "geometric AP"}
    found = made.labelled(labels)
    said = "\n".join(made.findings)
    assert "AP@1000" in said or study == "table"
    for name, label in labels.items():
        said = said.replace(name, label)
    assert "\n".join(found.findings) == said
    assert "Mean of AP" in found.to_json()
    for (name, table), before in zip(
        found.tables.items(), made.tables.values(), strict=True
    ):
        numbers = pl.selectors.numeric()
        assert table.select(numbers - pl.selectors.matches("AP")).equals(
            before.select(numbers - pl.selectors.matches("AP"))
        ), name
    assert found.plot().axes


def test_labels_of_metrics_keep_their_scale(scores):
    """The label of a metric says, as its name does, that scores are standardized; an alias names the metric, too."""
    other = scores.assign_coords(metric=["AP (std.)"])
    found = irmeta.describe(other).labelled({"AP": "Mean AP"})
    assert found.metric.values.tolist() == ["Mean AP (std.)"]
    found = irmeta.describe(scores).labelled({"MAP": "Mean AP"})
    assert found.metric.values.tolist() == ["Mean AP"]
    found = irmeta.describe(scores, metrics="MAP").labelled({"AP": "MAP"})
    assert found.metric.values.tolist() == ["MAP"]


def test_labels_that_may_be_slips_are_told_once(scores):
    """One note tells the label of what is almost a system's name; a file may have labels of other systems, too."""
    made = irmeta.describe(scores.assign_coords(system=["a.bm25", *"bcde"]))
    noted = made.labelled({"b": "B", "x": "X", "a_bm25": "BM25"}).notes
    assert [one for one in noted if one not in made.notes] == [
        "1 label names nothing here: a_bm25 (did you mean a.bm25?)."
    ]
    assert "did you mean" not in str(made.labelled({"b": "B", "a_bm26": "other"}))
    assert made.labelled({"b": "B"}).notes == made.notes


def test_notes_call_systems_by_their_labels():
    """A note that begins with a system, or lists some, has their labels."""
    qrels = {str(topic): {"d": 1} for topic in range(6)}
    whole = {topic: {"d": 1.0} for topic in qrels}
    runs = {"ours": whole, "part": {topic: whole[topic] for topic in "0123"}}
    made = irmeta.describe(irmeta.evaluate(qrels, runs, "RR"))
    assert "count as 0: part on 2 topics" in made.notes[0]
    assert "count as 0: BM25 on 2 topics" in made.labelled({"part": "BM25"}).notes[0]


def test_notes_have_labels_wherever_they_name_something(scores):
    """A note has the labels of systems and metrics in the middle of a sentence, too, and names in what one types."""
    two = np.concatenate([scores.values, scores.values[::-1]], axis=2)
    two[0] += 0.2
    systems = ["myrun", *scores.system.values[1:]]
    made = cube(two, systems, scores.topic.values, ["AP", "P@10"])
    labels = {"myrun": "Ours", "AP": "MAP", "P@10": "Prec@10"}
    found = irmeta.versus(made, "myrun").labelled(labels)
    assert "by its scores, Ours is better than" in " ".join(found.notes)
    assert not re.search(r"\b(myrun|AP|P@10)", " ".join(found.notes))
