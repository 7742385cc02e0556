"""Anchors of a gate: causes are named, nights are read from scores, and what cannot be is refused."""

import numpy as np
import pytest

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.formats.nights import read_nights
from irmeta.io.lists import read_anchors
from irmeta.scores.cube import cube
from irmeta.studies.differences.versus.study import versus

TOPICS = [f"q{at}" for at in range(120)]
PEOPLE = {f"a{at}": 0.5 for at in range(100)}
BUILDS = {
    "main": (0, 0),
    "same": (0, 0),
    "worse": (0.2, 0),
    "judged": (0, 0.2),
    "twice": (0.2, 0.2),
}
"""What each build loses, and how much stricter the judge is then."""


@pytest.fixture(scope="module")
def nights():
    """Return scores of a release and of builds by a judge, on topics and on anchors."""
    rng = np.random.default_rng(0)
    names = [*TOPICS, *PEOPLE]
    fixed = np.arange(len(names)) >= len(TOPICS)
    level = rng.uniform(0.4, 0.8, len(names))
    scores = [
        level - loss * ~fixed - fall + 0.03 * rng.uniform(-1, 1, len(names))
        for loss, fall in BUILDS.values()
    ]
    return cube(np.stack(scores)[..., None], list(BUILDS), names, ["quality"])


def gate(scores, system, **options):
    """Compare a build with the release."""
    given = {"fail_if_worse": 0.02, "anchors": PEOPLE} | options
    return versus(scores, system, "main", **given)


@pytest.mark.parametrize(
    ("system", "cause", "says"),
    [
        ("same", "none", "No cause is shown: the judge scored the 100 anchors "),
        ("worse", "system", "The cause is the system: "),
        ("judged", "judge", "The cause is the judge: "),
        ("twice", "both", "The causes are the system and the judge: "),
    ],
)
def test_the_cause_is_named(nights, system, cause, says):
    """The verdict is about the system alone, and the sentence says who it was."""
    found = gate(nights, system, over=nights)
    assert found["cause"].item() == cause
    assert bool(found["failed"]) == (cause in ("system", "both"))
    assert says in found.findings[0]
    assert found["people"].item() == 0.5


def test_a_strict_judge_fails_a_gate_without_anchors(nights):
    """Without anchors the judge's drop counts as the build's."""
    rest = nights.sel(topic=TOPICS)
    assert bool(gate(rest, "judged", anchors=None)["failed"])


def test_anchors_are_no_topics(nights):
    """Differences, wins and losses are of the topics that are not anchors."""
    found = gate(nights, "worse")
    alone = versus(nights.sel(topic=TOPICS), "worse", "main")
    assert found["difference"].item() == alone["difference"].item()
    assert found.sizes["topic"] == len(TOPICS)


def test_nights_of_scores_are_those_of_a_history(nights, tmp_path):
    """Systems before this one are nights, as are collections, and as if each had been added to a history."""
    path = tmp_path / "nights.jsonl"
    for system in list(BUILDS)[1:]:
        kept = gate(nights, system, history=path)
    over = gate(nights, "twice", over=nights)
    renamed = {
        name: nights.sel(system=["main", name]).assign_coords(
            system=["main", "tonight"]
        )
        for name in list(BUILDS)[1:]
    }
    each = gate(renamed["twice"], "tonight", over=renamed)
    shown = {one["loss_shown"].item() for one in (kept, over, each)}
    assert len(shown) == 1
    assert len(read_nights(path)) == 4


def test_a_history_without_anchors_goes_on_with_them(nights, tmp_path):
    """Nights from before there were anchors count as looks."""
    path = tmp_path / "nights.jsonl"
    gate(nights.sel(topic=TOPICS), "same", anchors=None, history=path)
    found = gate(nights, "worse", history=path)
    assert found["cause"].item() == "system"
    assert [bool(one.comparisons[0].anchors) for one in read_nights(path)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fail_if_worse": None}, "name the loss"),
        ({"anchors": {"a0": 1.0, "b": 1.0}}, "at least 2 anchors .* have 1 of them"),
        ({"history": "nights.jsonl", "over": "self"}, "are in one file"),
        ({"against": "best"}, "a baseline that is a system, not best"),
    ],
)
def test_what_anchors_cannot_do_is_refused(nights, options, says):
    """A margin, two anchors with scores, one file of nights and a baseline that is a system are needed."""
    if "over" in options:
        options = options | {"over": nights}
    given = {"against": "main", "fail_if_worse": 0.02, "anchors": PEOPLE} | options
    with pytest.raises(ScoresError, match=says):
        versus(nights, "same", **given)


def test_nights_without_the_baseline_are_refused(nights):
    """Each earlier night needs the scores of the baseline."""
    with pytest.raises(ScoresError, match="lack main"):
        gate(nights, "worse", over=nights.drop_sel(system="main"))


@pytest.mark.parametrize(
    "text",
    [
        "a1 0.5\na2 1\n",
        "a1\t.5\na2\t1.0\n\n",
        "topic,score\na1,0.5\na2,1\n",
        "id,human\na1,0.5\na2,1\n",
        "a1 0 d7 0.5\na2 0 d9 1\n",
    ],
)
def test_anchors_are_read_in_the_forms_that_people_have(tmp_path, text):
    """Lines of an item and its score, a CSV with a header, and qrels of one document for each topic."""
    path = tmp_path / "human.txt"
    path.write_text(text)
    assert read_anchors(path) == {"a1": 0.5, "a2": 1.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a table; expected a header and a row below it"),
        ("a1 good\n", ":1: 'good' is not a score"),
        ("a1 1\na1 0\n", ":2: a1 is given twice"),
        ("a1 0 d7\n", ":1: 3 fields"),
        ("topic;score\n\na1;\n", ":3: a line lacks its score"),
        ("topic,opinion\na1,1\n", ":1: no column score"),
        ("topic,score\na1,nan\n", ":2: 'nan' is not a score"),
        ("topic,score\n,1\n", ":2: a line lacks its topic"),
        ("a1\0 1\n", "contains NUL bytes; is it UTF-16"),
        (f"topic,{'x' * 9999}\na,b\n", ":1: no column score .* topic, x{1,29}…"),
    ],
)
def test_what_is_no_anchor_is_named_with_its_line(tmp_path, text, says):
    """A file that is empty or something else says where, and what is expected."""
    path = tmp_path / "human.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=says):
        read_anchors(path)


def test_anchors_count_where_both_have_scores(nights):
    """With holes both means are of the same anchors, and their difference is the fall; fewer than 2 are refused."""
    holes = nights.copy()
    holes.loc["judged", next(iter(PEOPLE))] = np.nan
    found = gate(holes, "judged", missing="pairwise")
    assert found["anchors"].item() == len(PEOPLE) - 1
    fall = found["judge_then"].item() - found["judge_now"].item()
    assert found["fall"].item() == pytest.approx(fall, abs=1e-12)
    holes.loc["judged", list(PEOPLE)[1:]] = np.nan
    with pytest.raises(ScoresError, match="fewer than 2 anchors have scores of judged"):
        gate(holes, "judged", missing="pairwise")


def test_anchors_without_scores_are_noted(nights):
    """An anchor that is misspelt, or was not scored, is left out and named."""
    found = gate(nights, "same", anchors=PEOPLE | {"a 7": 0.5})
    assert "1 of 101 anchors not among the topics of the scores: a 7; left out" in (
        found.notes
    )
    assert not any("not among" in note for note in gate(nights, "same").notes)


def test_two_anchors_say_so_little_that_any_loss_is_possible(nights):
    """Where a loss has no end, the sentence says so in words."""
    few = dict(list(PEOPLE.items())[:2])
    found = gate(nights, "same", anchors=few)
    assert "a loss of any size is possible" in found.findings[0]
