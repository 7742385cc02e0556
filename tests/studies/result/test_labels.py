"""Labels of systems: every place of a result has them, and nothing else changes."""

import numpy as np
import pytest

import irmeta
from irmeta.errors import ScoresError
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
        ScoresError, match="labels of z, and .* no such system; name some of run0"
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
    with pytest.raises(ScoresError, match="there is no such system$"):
        irmeta.correlate(two, unit="system").labelled(LABELS)
