"""A gate: three verdicts, what fails, and nights that share one level."""

import numpy as np
import pytest

from irmeta.errors import ScoresError
from irmeta.io.formats.nights import read_nights
from irmeta.scores.cube import cube
from irmeta.scores.groups.repeats import with_repeats
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.differences.versus.summary import overview


def scores(loss=0.0, topics=60, spread=0.05, seed=0, metrics=("AP",)):
    """Return a baseline and a build that loses so much on average."""
    rng = np.random.default_rng(seed)
    shape = (topics, len(metrics))
    main = rng.uniform(0.3, 0.7, shape)
    tonight = main - loss + spread * rng.uniform(-1, 1, shape)
    names = [f"t{at}" for at in range(topics)]
    return cube(np.stack([main, tonight]), ["main", "tonight"], names, list(metrics))


def gate(cube_, margin=0.02, **options):
    """Compare the build with the baseline."""
    return versus(cube_, "tonight", "main", fail_if_worse=margin, **options)


@pytest.mark.parametrize(
    ("loss", "topics", "verdict"),
    [(0.15, 60, "worse"), (0.0, 400, "safe"), (0.03, 60, "open")],
)
def test_a_gate_has_three_verdicts(loss, topics, verdict):
    """A clear loss is worse, many topics without one are safe, and of few nothing can be said."""
    found = gate(scores(loss, topics))
    assert found["verdict"].item() == verdict
    assert bool(found["failed"]) == (verdict == "worse")
    strict = gate(scores(loss, topics), unless_safe=True)
    assert bool(strict["failed"]) == (verdict != "safe")
    assert found["loss_shown"] < loss < found["loss_possible"]


def test_topics_do_not_show_what_runs_hide():
    """Where runs lift or lower all topics, more topics are needed than scatter alone tells; or none are enough."""
    rng = np.random.default_rng(2)
    means = scores(topics=60)
    for level, reached in ((0.002, True), (0.05, False)):
        runs = np.repeat(means.values, 3, axis=0)
        runs += level * rng.standard_normal((6, 1, 1))
        names = [f"{name}_{run}" for name in ("main", "tonight") for run in range(3)]
        made = cube(runs, names, means.topic.values.tolist(), ["AP"])
        of_runs = gate(with_repeats(made, "stem"))["topics_needed"].item()
        alone = gate(with_repeats(made, "stem").drop_attrs())["topics_needed"].item()
        assert alone < of_runs
        assert np.isfinite(of_runs) == reached


def test_the_same_build_is_said_to_be_the_same():
    """Where no topic differs the sentence says so."""
    same = scores(spread=0)
    assert "tonight scores the same as main on every topic" in gate(same).findings[0]
    assert "on every topic" not in gate(scores()).findings[0]


def test_a_bound_beyond_the_interval_says_why(tmp_path):
    """A possible loss may exceed the interval's end: one more topic counts as lost, at one level of nights."""
    made = scores(0.03)
    (one,) = (found := gate(made)).findings[:1]
    assert found["loss_possible"].item() > -found["low"].item()
    assert "is possible (one look, if one more topic were lost); more than" in one
    (night,) = gate(made, history=tmp_path / "nights.jsonl").findings[:1]
    assert "(night 1 of 200 at one level, if one more topic were lost)" in night


def test_a_loss_that_is_excluded_is_so_with_one_more_topic_lost():
    """The bound of what is safe lies beyond the interval for the same reason, and says so."""
    found = gate(scores(-0.1))
    assert found["loss_possible"].item() > -found["low"].item()
    assert (
        "is excluded (one look, even if one more topic were lost); more than"
        in found.findings[0]
    )


def test_a_bound_within_the_interval_says_no_reason():
    """Where each topic may lose little, the bound of one side lies within the interval of two."""
    made = 1000 + scores(0.03, topics=1000, spread=0.5)
    found = gate(made, margin=0.04)
    assert found["loss_possible"].item() <= -found["low"].item()
    assert "is possible (one look); more than" in found.findings[0]


@pytest.mark.parametrize(
    ("margin", "says"),
    [
        (
            0.04,
            " That it is worse is significant; that it is by more than 0.04 is not. ",
        ),
        (0.2, " It is significantly worse, but not too much."),
        (0.001, None),
    ],
)
def test_what_passes_and_is_significantly_worse_says_both(margin, says):
    """A significant loss that is not shown to be too much is told from one that is, in the gate's own sentence."""
    found = gate(scores(0.04), margin)
    assert found["significant"].item()
    assert bool(found["failed"]) == (says is None)
    assert (says or "is shown") in found.findings[0]
    assert "significant" not in gate(scores(0.0), 0.2).findings[0]


def test_the_worst_verdict_comes_first():
    """Of two metrics the finding is about the one that fails."""
    both = scores(metrics=("AP", "P@10"), topics=400)
    both.loc["tonight", :, "P@10"] -= 0.2
    found = gate(both)
    assert found["verdict"].values[0].tolist() == ["safe", "worse"]
    assert found.findings[0].startswith("Worse: by P@10 ")
    shown = next(iter(overview(found).values()))
    assert shown["verdict"].to_list() == ["worse", "safe"]


def test_a_night_is_added_once(tmp_path):
    """The same scores again are no further look: the verdict is the same, and nothing is added."""
    path = tmp_path / "nights.jsonl"
    first, again = (gate(scores(0.02), history=path) for _ in range(2))
    assert len(read_nights(path)) == 1
    assert first["loss_shown"].item() == again["loss_shown"].item()
    gate(scores(0.02, seed=1), history=path)
    assert [one.system for one in read_nights(path)] == ["tonight", "tonight"]
    old = gate(scores(0.02), history=path)
    assert len(read_nights(path)) == 2
    assert old["loss_shown"].item() == first["loss_shown"].item()


def test_nights_share_the_level(tmp_path):
    """One look claims more than the first night of 200 may."""
    once = gate(scores(0.05))
    nightly = gate(scores(0.05), history=tmp_path / "nights.jsonl")
    assert once["loss_shown"] > nightly["loss_shown"]
    assert "is shown (one look); " in once.findings[0]
    assert "is shown (night 1 of 200); " in nightly.findings[0]


def test_the_next_200_nights_have_a_level_of_their_own(tmp_path, monkeypatch):
    """After the last night of a level the next has the limit of a first one."""
    from irmeta.stats.tests import nights

    monkeypatch.setattr(nights, "NIGHTS", 3)
    path = tmp_path / "nights.jsonl"
    shown = [
        gate(scores(0.05, seed=seed), history=path)["loss_shown"].item()
        for seed in range(4)
    ]
    alone = gate(scores(0.05, seed=3), history=tmp_path / "other.jsonl")
    assert shown[3] == pytest.approx(alone["loss_shown"].item(), abs=0.001)


def test_missing_topics_are_left_out():
    """With --missing pairwise only topics with both scores count."""
    holed = scores(0.15)
    holed.loc["tonight", "t0", "AP"] = np.nan
    found = gate(holed, missing="pairwise")
    assert found["verdict"].item() == "worse"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"unless_safe": True}, "name the loss"),
        ({"history": "nights.jsonl"}, "name the loss"),
        ({"fail_if_worse": -0.1}, "must be 0 or more"),
        ({"fail_if_worse": float("nan")}, "must be 0 or more"),
    ],
)
def test_what_a_gate_cannot_do_is_refused(options, says):
    """A gate needs a loss that is too much, 0 or more."""
    with pytest.raises(ScoresError, match=says):
        versus(scores(), "tonight", "main", **options)


@pytest.mark.parametrize("margin", [0.7, 2.0])
def test_a_gate_that_cannot_fail_is_refused(margin):
    """Where no score is below 0, nobody loses as much as the baseline's best mean: points of 100 are found out."""
    both = scores(metrics=("accuracy", "P@10"))
    with pytest.raises(ScoresError, match=r"to main, which scores \.5\d\d by .*0\.02"):
        gate(both, margin)
    with pytest.raises(ScoresError, match=r"lose more than 200 to main.* as in 2$"):
        gate(100 * scores(metrics=("accuracy",)), 200)


def test_scores_below_0_have_no_largest_loss():
    """A margin above the baseline's mean is one that a system can lose where scores are below 0."""
    both = scores(metrics=("gain",))
    assert gate(both - 0.5, 0.7)["verdict"].item() == "safe"


@pytest.mark.parametrize(("times", "most"), [(1, 1), (100, 100), (5, None)])
def test_few_topics_of_an_unknown_metric_are_not_safe(times, most):
    """Where scores look like shares or percentages, one more topic may lose all of that; the sentence says which."""
    few = scores(topics=13, spread=0.01, metrics=("quality",))
    found = gate(times * few, times * 0.05)
    assert found["verdict"].item() == ("open" if most else "safe")
    supposed = f"scores of 0 to {most} supposed); more than"
    assert (supposed in found.findings[0]) == (most is not None)
    assert "supposed" in gate(few, 0.5).findings[0]
    known = gate(few.assign_coords(metric=["P@10"]), 0.05)
    assert "supposed" not in known.findings[0]
    if most:
        bound = found["loss_possible"].item() / times
        assert bound == pytest.approx(known["loss_possible"].item())


def test_a_margin_in_another_unit_is_asked_about():
    """Of percentages with a margin of shares no number of topics is named."""
    shares = scores(topics=20, spread=0.2, metrics=("accuracy",))
    said = gate(100 * shares, 0.01).findings[0]
    assert said.endswith("times the margin or more: is 0.01 in the unit of the scores?")
    assert "in the unit" not in gate(shares, 0.01).findings[0]
