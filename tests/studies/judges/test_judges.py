"""Judges compared: what is aligned, what is refused, what is told."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import irmeta
from irmeta.errors import ScoresError
from irmeta.evaluation.sets import JudgmentSets
from irmeta.measured.coverage import held
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.notes import Method, split_answers
from irmeta.studies.judges.compare.labels import units_of
from irmeta.studies.judges.compare.study import DIFFERENCES, SOFT, TAUS, compare_judges
from irmeta.studies.judges.compare.summary import findings, overview, tables

SYSTEMS = [f"s{i:02d}" for i in range(15)]
TOPICS = [str(i) for i in range(301, 321)]


def made(seed=0, noise=(0.05, 0.3), metrics=("AP", "nDCG@10")):
    """Scores under a truth and judges that add noise to it."""
    rng = np.random.default_rng(seed)
    shape = (15, 20, len(metrics))
    truth = rng.normal(0, 0.1, (15, 1, 1)) + rng.normal(0, 0.15, shape) + 0.5
    judges = [truth + rng.normal(0, each, shape) for each in noise]
    names = ["people", *(f"judge{i}" for i in range(len(noise)))]
    return {
        name: cube(np.clip(scores, 0, 1), SYSTEMS, TOPICS, metrics)
        for name, scores in zip(names, [truth, *judges], strict=True)
    }


def test_tau_by_metric_and_judge() -> None:
    """Tau of each judge by each metric is scipy's, inside its interval, and the noisier judge has the lower one."""
    cubes = made()
    outcome = compare_judges(cubes, truth="people")
    for metric in outcome.metric.values:
        for judge in outcome.judge.values:
            one = outcome.sel(metric=metric, judge=judge)
            x, y = (
                cubes[name].sel(metric=metric).mean("topic").values
                for name in ("people", judge)
            )
            assert one["tau"].item() == pytest.approx(kendalltau(x, y).statistic)
            assert one["tau_low"].item() < one["tau"].item() <= one["tau_high"].item()
    assert (
        outcome["tau"].sel(judge="judge0") > outcome["tau"].sel(judge="judge1")
    ).all()


def test_clusters_may_be_named_where_judges_are_compared() -> None:
    """Clusters that are named do what those of the scores do; taus stay, and what was judged is clusters."""
    given = made()
    topics = [str(name) for name in given["people"].topic.values]
    of = {name: str(at // 2) for at, name in enumerate(topics)}
    kept = {name: irmeta.with_clusters(one, of) for name, one in given.items()}
    named, held_by, plain = (
        compare_judges(one, partitions=20, clusters=clusters)
        for one, clusters in ((given, of), (kept, None), (given, None))
    )
    np.testing.assert_array_equal(named["tau_low"], held_by["tau_low"])
    np.testing.assert_allclose(named["tau"], plain["tau"])
    assert [note for note in named.notes if "clusters, not topics, count" in note]
    assert not [note for note in plain.notes if "clusters" in note]


def test_topics_in_any_order() -> None:
    """Judges whose topics and systems stand in another order are compared on the same ones."""
    cubes = made()
    shuffled = {**cubes, "judge0": cubes["judge0"][::-1, ::-1]}
    one, other = (compare_judges(each)["phi"].values for each in (cubes, shuffled))
    np.testing.assert_array_equal(one, other)


def test_a_judge_without_some_topics_is_named() -> None:
    """Topics that one judge lacks are left out for all, with a note of whose they are."""
    cubes = made()
    cubes["judge1"] = cubes["judge1"][:, 3:]
    outcome = compare_judges(cubes)
    assert outcome.topic.values.tolist() == TOPICS[3:]
    assert any(
        "judge1 lacks 3 of the 20 topics" in note for note in about(outcome)["notes"]
    )


def test_judges_that_share_no_topic() -> None:
    """A judge of other topics is refused by name; --topics own compares means, and says that nothing is paired."""
    cubes = made()
    cubes["judge0"] = cubes["judge0"].assign_coords(topic=[f"x{t}" for t in TOPICS])
    with pytest.raises(ScoresError, match="judge0 and people share no topic"):
        compare_judges(cubes)
    outcome = compare_judges(cubes, topics="own")
    assert "difference" not in outcome
    told = findings(outcome.data.assign(tau_best=outcome["tau_low"] - 0.01))
    assert "; tau among the 10 best by people is" in told[0]
    assert "phi" not in outcome
    paired = compare_judges(made())
    width = (outcome["tau_high"] - outcome["tau_low"]).values
    assert (width[:, 0] > (paired["tau_high"] - paired["tau_low"]).values[:, 0]).all()
    assert set(tables(outcome)) == {"systems", "significance", "ranks", "favour"}
    assert findings(outcome)


def test_a_judge_that_scores_0_on_all_shared_topics() -> None:
    """A judge by whom every system scores 0 on all shared topics has no figures and a note; all such are an error."""
    cubes = made(metrics=("AP",))
    cubes["judge0"] = cubes["judge0"] * 0
    for topics in ("shared", "own"):
        outcome = compare_judges(cubes, topics=topics)
        assert np.isnan(outcome["tau"].sel(judge="judge0")).all()
        assert np.isfinite(outcome["tau"].sel(judge="judge1")).all()
        assert any(
            "By judge0 all systems have the same AP" in note
            for note in about(outcome)["notes"]
        )
    cubes["judge1"] = cubes["judge1"] * 0
    with pytest.raises(
        ScoresError, match="by judge0 every system scores 0 on all of them"
    ) as nothing:
        compare_judges(cubes)
    # other topics help only where the judge has some with scores
    assert "topics='own'" not in str(nothing.value)
    others = made(metrics=("AP",))
    for name in ("judge0", "judge1"):
        others[name][:, :15] = 0
    others["people"] = others["people"][:, :15]
    with pytest.raises(ScoresError, match="topics='own'"):
        compare_judges(others)


def test_a_judge_that_scores_0_on_some_topics_is_said() -> None:
    """Topics on which a judge gives all systems 0 are counted in the notes."""
    cubes = made()
    cubes["judge0"][:, :4] = 0
    assert any(
        "0 on 4 of 20 topics" in note for note in about(compare_judges(cubes))["notes"]
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"truth": "nobody"}, "no judgment set 'nobody' to serve as the truth"),
        ({"alpha": 2}, "alpha must be between 0 and 1"),
        ({"best": 1}, "at least 2 systems"),
        ({"families": {"s00": "a"}}, "no group for 14 of 15 runs, such as 's01';"),
        ({"partitions": 0}, "0 partitions"),
    ],
)
def test_odd_options(options, said) -> None:
    """An option that does not fit is an error that says what does."""
    with pytest.raises(ScoresError, match=said):
        compare_judges(made(), **options)


def test_nothing_to_compare() -> None:
    """Without judges, or with the truth alone, there is nothing to compare."""
    with pytest.raises(ScoresError, match="there are no judges"):
        compare_judges([])
    with pytest.raises(ScoresError, match="the truth and at least one judge"):
        compare_judges({"people": made()["people"]})


def test_other_systems() -> None:
    """Systems that not all judges have are left out with a note; fewer than two in common are an error."""
    cubes = made()
    cubes["judge0"] = cubes["judge0"][:10]
    outcome = compare_judges(cubes)
    assert outcome.sizes["system"] == 10
    assert any(
        "people has scores of 15 systems; the 10" in note
        for note in about(outcome)["notes"]
    )
    cubes["judge0"] = cubes["judge0"].assign_coords(system=[f"x{i}" for i in range(10)])
    with pytest.raises(ScoresError, match="the same runs"):
        compare_judges(cubes)


def test_tables_have_every_cell_once() -> None:
    """Each table has a row for every judge and what it is about, and its figures are those of the result."""
    groups = {name: "odd" if int(name[1:]) % 2 else "even" for name in SYSTEMS}
    outcome = compare_judges(made(), families=groups)
    found = tables(outcome)
    rows = {name: frame.height for name, frame in found.items()}
    assert rows == {
        "systems": 2 * 2,
        "significance": 2 * 2,
        "ranks": 2 * 2 * 15,
        "pairs": 1 * 2,
        "topics": 2 * 2 * 20,
        "favour": 2 * 2 * (15 + 2),
    }
    row = found["pairs"].filter(metric="AP").row(0, named=True)
    difference = outcome["tau"].sel(metric="AP", judge="judge0") - outcome["tau"].sel(
        metric="AP", judge="judge1"
    )
    assert row["difference"] == pytest.approx(difference.item())
    counts = found["significance"].select(
        "agree", "missed", "invented", "reversed", "neither"
    )
    assert set(counts.sum_horizontal().to_list()) == {15 * 14 // 2}
    ceiling = f"{outcome['ceiling'].sel(metric='AP').item():.2f}"[1:]
    titles = {
        f"agreement with people, AP (people with the true ranking {ceiling})",
        "pairs of systems that differ",
    }
    assert set(overview(outcome)) >= titles


def test_findings_follow_from_the_figures() -> None:
    """The first finding says whether the best judge may stand in, another one its tau and what the truth can reach."""
    outcome = compare_judges(made(metrics=("AP",)))
    told = findings(outcome)
    tau = f"{outcome['tau'].sel(judge='judge0').item():.2f}"[1:]
    ceiling = f"{outcome['ceiling'].item():.2f}"[1:]
    [agrees] = [line for line in told if "AP: judge0 ranks the 15 systems" in line]
    assert f"like people, with tau {tau} (" in agrees
    assert " over 20 topics" in agrees
    assert agrees.endswith(f"with the true ranking is {ceiling}.")
    low = outcome["phi_gain_low"].sel(judge="judge0").item()
    high = outcome["phi_gain_high"].sel(judge="judge0").item()
    assert low < outcome["phi_gain"].sel(judge="judge0").item() < high
    verdicts = {
        (
            -0.02,
            0.01,
        ): "AP: judge0 may stand in for people to rank these 15 systems: on half",
        (-0.14, -0.07): "AP: judge0 should not stand in for people to rank",
        (
            -0.12,
            0.03,
        ): "AP: whether judge0 may stand in for people to rank these 15 systems is open: ",
    }
    for (low, high), verdict in verdicts.items():
        outcome["phi_gain_low"][:], outcome["phi_gain_high"][:] = low, high
        assert findings(outcome)[0].startswith(verdict)
        assert (
            " on half of the 20 topics it predicts the ranking by "
            in findings(outcome)[0]
        )


def test_every_judge_has_a_verdict() -> None:
    """Below the verdict on the judge with the highest tau stand those on the others."""
    outcome = compare_judges(made(metrics=("AP",), noise=(0.1, 0.2, 0.3, 0.4)))
    outcome["tau"][:] = [[0.6, 0.9, 0.7, 0.5]]
    outcome["phi_truth"][:] = 0.5
    outcome["phi_gain_low"][:] = [[-0.01, -0.02, -0.3, -0.3]]
    outcome["phi_gain_high"][:] = [[0.1, 0.1, -0.1, 0.1]]
    told = findings(outcome)
    assert told[0].startswith("AP: judge1 may stand in for people to rank")
    assert told[1] == (
        "AP: judge0 may stand in; whether judge3 may stand in is open; judge2 should not."
    )


def test_the_first_finding_says_where_the_best_are_ranked_otherwise() -> None:
    """Tau among the best is told where it lies below the interval of tau, and the overview says of how many it is."""
    outcome = compare_judges(made(metrics=("AP",)), best=5)
    outcome["tau_best"][:] = outcome["tau_low"] + 0.001
    assert "among the 5 best" not in findings(outcome)[0]
    outcome["tau"][:], outcome["tau_best"][:] = 0.88, 0.17
    said = "; tau among the 5 best by people is .17, among all systems .88."
    assert findings(outcome)[0].endswith(said)
    assert "5 best" in next(iter(overview(outcome).values())).columns


def test_nobody_stands_in_for_topics_that_predict_nothing() -> None:
    """Where halves of the people's own topics do not agree, an equal judge gets no permission."""
    outcome = compare_judges(made(metrics=("AP",)))
    outcome["phi_gain_low"][:], outcome["phi_gain_high"][:] = -0.02, 0.01
    outcome["phi_truth"][:] = -0.1
    assert "rank these 15 systems is open: " in findings(outcome)[0]


def test_the_first_finding_says_who_is_first() -> None:
    """Where truth and judge have another system first, it says which, and where the truth has the judge's."""
    cubes = made(metrics=("AP",), noise=(0.001,))
    outcome = compare_judges(cubes)
    order = (
        outcome["truth_mean"].sel(judge="judge0", metric="AP").values.argsort()[::-1]
    )
    first, _, third = outcome.system.values[order[:3]]
    assert findings(outcome)[0].endswith(f" Both have {first} first.")
    outcome["judge_mean"].loc[{"system": third}] = 1.0
    said = f" Its first, {third}, is number 3 by people, whose first is {first}."
    assert findings(outcome)[0].endswith(said)


def test_a_judge_that_ties_all_systems() -> None:
    """By a metric that ties all systems a judge has no figures and a note; other judges and metrics keep theirs."""
    cubes = made()
    cubes["judge1"].loc[{"metric": "AP"}] = 0.25
    outcome, without = (
        compare_judges(cubes),
        compare_judges({name: cubes[name] for name in ("people", "judge0")}),
    )
    tied = outcome.sel(metric="AP", judge="judge1")
    for name in (
        "tau",
        "tau_low",
        "tau_ap",
        "rbo",
        "phi",
        "phi_gain",
        "moved",
        "pairs",
        "system_favour",
        "topic_tau",
    ):
        assert np.isnan(tied[name]).all(), name
    assert np.isnan(tied["difference"].sel(judge_2="judge0"))
    assert (tied["judge_mean"] == 0.25).all()
    assert any(
        "By judge1 all systems have the same AP" in note
        for note in about(outcome)["notes"]
    )
    assert np.isfinite(outcome["tau_low"].sel(metric="nDCG@10")).all()
    one, alone = (
        outcome.sel(metric="AP", judge="judge0"),
        without.sel(metric="AP", judge="judge0"),
    )
    assert one["tau"] == alone["tau"]
    row = (
        tables(outcome)["significance"]
        .filter(metric="AP", judge="judge1")
        .row(0, named=True)
    )
    assert row["agree"] is row["invented"] is row["share_wrong"] is None
    assert "judge0 ranks the 15 systems like people" in " ".join(findings(outcome))
    assert next(iter(overview(outcome).values()))["tau"].to_list()[-1] == "-"
    only = compare_judges(
        {name: cubes[name] for name in ("people", "judge1")}, metrics="AP"
    )
    assert findings(only) == [
        "AP: no judge distinguishes the systems, so there is no ranking to compare."
    ]


def test_the_truth_must_distinguish_systems() -> None:
    """A metric by which the truth ties all systems is an error that names it."""
    cubes = made()
    cubes["people"].loc[{"metric": "AP"}] = 0.25
    with pytest.raises(
        ScoresError, match="AP does not distinguish these systems by people"
    ):
        compare_judges(cubes)


def test_a_tau_above_the_ceiling_is_explained() -> None:
    """Where a judge agrees more with the truth than the truth with the true ranking, the findings say what that is."""
    cubes = made(noise=(0.001, 0.3))
    outcome = compare_judges(cubes)
    assert (outcome["tau"].sel(judge="judge0") > outcome["ceiling"]).all()
    assert "because both judge the same topics, not because it is better." in " ".join(
        findings(outcome)
    )
    assert not any(
        "does not make" in line for line in findings(compare_judges(made(noise=(0.3,))))
    )


def test_the_best_of_several_is_said_to_be_picked() -> None:
    """What the best of several judges gains on other topics is said to be flattered; that of one alone is not."""
    several, single = (
        findings(compare_judges(made(noise=noise))) for noise in ((0.05, 0.3), (0.05,))
    )
    assert sum("; picked of 2, so optimistic)" in line for line in several) == 2
    assert not any("picked" in line for line in single)


def test_an_end_of_an_interval_that_is_not_0_is_not_shown_as_0() -> None:
    """An interval whose end would be rounded to .00, or to the loss that a judge may have, has a digit more."""
    outcome = compare_judges(made(noise=(0.05,), metrics=("AP",)))
    for name, value in (
        ("phi_gain", 0.012),
        ("phi_gain_low", 0.003),
        ("phi_gain_high", 0.021),
    ):
        outcome[name][:] = value
    assert "(difference .012 (.003 to .021))." in findings(outcome)[0]
    outcome["phi_gain_low"][:] = -0.048
    assert "may stand in" in findings(outcome)[0]
    assert "(difference .012 (-.048 to .021))." in findings(outcome)[0]


def test_clear_favours_are_shown_largest_first() -> None:
    """Every clear favour has a row, the largest first; a note says what else favour may be."""
    cubes = made(metrics=("AP",))
    cubes["judge0"] = cubes["judge1"] = cubes["people"] * 0.3 + 0.3
    outcome = compare_judges(cubes)
    favour = tables(outcome)["favour"].filter(pl.col("p_corrected") < 0.05)
    shown = overview(outcome)["largest clear favours"]
    largest = favour.sort(pl.col("favour").abs(), descending=True, maintain_order=True)
    assert shown["system"].to_list() == largest["name"].to_list()


def test_the_note_of_what_is_relevant_is_where_nobody_said() -> None:
    """That every grade above 0 is relevant is noted only where --rel names no other."""
    sets = JudgmentSets.of(LABELS)
    noted = [
        any(
            "Labels: every grade above 0" in n
            for n in about(compare_judges(sets, rel=r))["notes"]
        )
        for r in (None, 2)
    ]
    assert noted == [True, False]
    names = " ".join(about(compare_judges(sets))["notes"])
    first, second = list(LABELS)[:2]
    assert f"--rel '{first}=2 {second}=1'" in names


def test_how_many_judges_are_not_clearly_worse() -> None:
    """Of several judges those not clearly worse than the best are counted, all and none in words of their own."""
    few = findings(compare_judges(made(noise=(0.01, 0.011, 1.0), metrics=("AP",))))
    assert any(
        "1 of the other 2 judges is not clearly worse than judge" in line
        for line in few
    )
    noise = findings(compare_judges(made(noise=(0.3, 0.3, 0.3), metrics=("AP",))))
    assert any(
        "none of the other 2 judges are clearly worse than" in line for line in noise
    )
    pair = {name: one[:2] for name, one in made(seed=2, metrics=("AP",)).items()}
    assert "clearly worse" not in " ".join(findings(compare_judges(pair)))


def test_which_of_two_judges_is_better_is_answered_first() -> None:
    """Of two judges the third sentence says which is clearly worse, or that neither is, with their difference."""
    for noise, verdict in (
        ((0.01, 1.0), "judge1 is clearly worse than judge0: "),
        ((0.3, 0.3), "is clearly better: "),
    ):
        outcome = compare_judges(made(noise=noise, metrics=("AP",)))
        above, _ = split_answers(findings(outcome))
        assert len(above) == 3
        assert verdict in above[2]
        low, high = (
            abs(outcome[f"soft_difference_{end}"].values[0, 1, 0])
            for end in ("low", "high")
        )
        assert all(f"{end:.3f}"[1:] in above[2] for end in (low, high))


def test_soft_accuracy_stands_beside_tau() -> None:
    """The sentence on tau and the tables have it with its interval; where topics are not shared there is none."""
    outcome = compare_judges(made(metrics=("AP",)))
    soft = outcome["soft"].values[0]
    assert (outcome["soft_low"].values < soft).all()
    assert (soft < outcome["soft_high"].values).all()
    assert "with soft pairwise accuracy ." in " ".join(findings(outcome))
    [pair] = tables(outcome)["pairs"].iter_rows(named=True)
    assert pair["soft_difference"] == pytest.approx(soft[0] - soft[1])
    assert pair["soft_low"] < pair["soft_difference"] < pair["soft_high"]
    assert pair["soft_p_corrected"] == pair["soft_p"] < 0.05


LABELS = {
    "people": {
        "1": {"a": 3, "b": 0, "c": 1},
        "2": {"a": 2, "d": 0},
        "3": {"e": 1, "f": 0},
        "4": {"g": 0, "h": 2},
    },
    "graded": {
        "1": {"a": 3, "b": 1, "c": 1},
        "2": {"a": 3, "d": 0},
        "3": {"e": 1, "f": 0},
        "4": {"g": 0, "h": 0},
    },
    "binary": {
        "1": {"a": 1, "b": 0, "z": 1},
        "2": {"a": 1, "d": 0},
        "3": {"e": 1, "f": 0},
        "4": {"g": 1, "h": 1},
    },
    "shares": {
        "1": {"a": 0.8, "b": 0.1},
        "2": {"a": 0.5, "d": 0},
        "3": {"e": 0.6, "f": 0.2},
        "4": {"g": 0, "h": 1},
    },
    "counts": {"1": {"a": 42, "c": 3}},
}


def test_labels_only_on_pairs_that_both_judged() -> None:
    """A pair that one set did not judge does not count; how many both judged stands in the result."""
    outcome = compare_judges(JudgmentSets.of(LABELS))
    both = dict(
        zip(
            outcome.judge.values, outcome["judged_by_both"].values.tolist(), strict=True
        )
    )
    assert both == {"graded": 9, "binary": 8, "shares": 8, "counts": 2}
    frame = tables(outcome)["confusion"].filter(judge="binary")
    assert frame["count"].sum() == 8


def test_labels_are_over_clusters_where_topics_have_them() -> None:
    """With clusters the agreement stays, and its interval is that of sets whose topics are the clusters."""
    rng = np.random.default_rng(0)
    grades = {
        f"{about}_{turn}": {f"{turn}{doc}": rng.integers(3) for doc in range(4)}
        for about in range(6)
        for turn in range(3)
    }
    other = {
        topic: {doc: max(grade - rng.integers(2), 0) for doc, grade in given.items()}
        for topic, given in grades.items()
    }
    turns = {"people": grades, "llm": other}
    joined: dict[str, dict[str, dict[str, int]]] = {}
    for name, given in turns.items():
        for topic, one in given.items():
            joined.setdefault(name, {}).setdefault(topic[0], {}).update(one)
    found = compare_judges(JudgmentSets.of(turns), clusters="stem")
    whole = compare_judges(JudgmentSets.of(joined))
    for figure in ("label", "label_low", "label_high", "all_low"):
        np.testing.assert_allclose(found[figure], whole[figure])
    assert "18 topics come in 6 clusters" in " ".join(found.notes)


def test_notes_on_screen_are_of_intervals_on_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kappas have their intervals in the table; how often those of alpha and of leniency held is asked for."""
    short = SimpleNamespace(said=lambda of: [f"{of} held in 80 to 90%"])
    monkeypatch.setattr(
        "irmeta.studies.judges.compare.labels.held", lambda *_, **__: short
    )
    topics = {topic: {"a": 1, "b": 0} for topic in TOPICS}
    _, notes = units_of(JudgmentSets.of({"people": topics, "llm": topics}), None)
    kept = {note.split()[3] for note in notes if not isinstance(note, Method)}
    asked = {note.split()[3] for note in notes if isinstance(note, Method)}
    assert (kept, asked) == ({"kappas"}, {"alphas", "leniency"})


@pytest.mark.parametrize("alike", [False, True])
def test_labels_that_look_clustered_are_noticed(alike: bool) -> None:
    """Where a judge errs much in some conversations only, a note says so; where it errs anywhere, none does."""
    rng = np.random.default_rng(0)
    wrong = rng.permutation(np.arange(16) % 2 if alike else np.full(16, 0.5))
    people: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    for at in range(16):
        for turn in range(4):
            grades = rng.integers(2, size=20)
            other = grades ^ (rng.random(20) < 0.1 + 0.3 * wrong[at])
            for given, of in ((people, grades), (machine, other)):
                given[f"{at}_{turn}"] = {f"d{doc}": int(g) for doc, g in enumerate(of)}
    given = JudgmentSets.of({"people": people, "llm": machine})
    notes = " ".join(compare_judges(given).notes)
    assert (
        "shares of equal labels (relevant or not) are alike within them" in notes
    ) == alike
    assert "look clustered" not in " ".join(
        compare_judges(given, clusters="stem").notes
    )


def test_scales_that_differ_are_compared_as_relevant_or_not() -> None:
    """Only a judge on the truth's scale has graded kappas and alphas; the others are named with their scale."""
    outcome = compare_judges(JudgmentSets.of(LABELS))
    graded = outcome["label"].sel(figure="kappa_quadratic")
    assert np.isfinite(graded.sel(judge="graded"))
    assert np.isnan(graded.sel(judge=["binary", "shares", "counts"])).all()
    note = next(
        note for note in about(outcome)["notes"] if "their scale differs" in note
    )
    assert "shares (fractions 0 to 1)" in note
    assert "counts (3 to 42)" in note


def test_relevant_from_a_grade_on() -> None:
    """The lowest relevant grade may be given for all sets, or for each."""
    sets = JudgmentSets.of(LABELS)
    kappas = [
        compare_judges(sets, rel=rel)["label"]
        .sel(judge="graded", figure="kappa_relevant")
        .item()
        for rel in (None, 2, {"people": 2, "graded": 3})
    ]
    assert len({round(kappa, 6) for kappa in kappas}) == 3 or kappas[1] == kappas[2]
    with pytest.raises(
        ScoresError, match="no judgment set 'peple'; did you mean people"
    ):
        compare_judges(sets, rel={"peple": 2})


@pytest.mark.data
def test_real_judges(data: Path) -> None:
    """UMBRELA with GPT-4o ranks DL 2021 with tau .941, misses 37 and invents 96 of the significant differences."""
    from irmeta.evaluation.sets import evaluate_under

    folder = data / "judges" / "dl2021"
    names = ("nist", "umbrela-gpt-4o", "binary-gpt-4o")
    sets = JudgmentSets.of({name: folder / "qrels" / f"{name}.txt" for name in names})
    outcome = compare_judges(
        evaluate_under(sets, folder / "runs", "nDCG@10"), judgments=sets
    )
    one = outcome.sel(metric="nDCG@10", judge="umbrela-gpt-4o")
    assert round(one["tau"].item(), 3) == 0.941
    assert one["pairs"].values.tolist()[:4] == [1417, 37, 96, 0]
    assert round(outcome["ceiling"].item(), 2) == 0.90
    assert outcome["judged_by_both"].values.tolist() == [10828, 10824]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "dl2021/raw/umbrella_zeroshot_llama3.2_dl21.clean.json.gz",
            "remove one of them",
        ),
        ("dl2021/raw/qrels.max.exam_graded_llama3.2_dl21.txt", "the file is empty"),
        (
            "syndl/raw/2020-synthetic-with-errors.txt.gz",
            "the grade 'ERROR' is not a number",
        ),
        (
            "syndl/raw/2021-synthetic-with-errors.txt.gz",
            "the grade 'ERROR' is not a number",
        ),
    ],
)
def test_real_odd_input_is_named(data: Path, name: str, said: str) -> None:
    """Pairs with four grades, files of 0 bytes and grades ERROR are errors that name the set, and never averaged in."""
    from irmeta.errors import FileFormatError

    with pytest.raises(FileFormatError, match="judgment set odd: ") as raised:
        JudgmentSets.of({"odd": data / "judges" / name})
    assert said in str(raised.value)


@pytest.mark.data
def test_a_real_set_without_a_topic(data: Path) -> None:
    """A set that lacks a topic is compared on the others, and said to lack it; qrels under a JSON name are read."""
    from irmeta.evaluation.sets import evaluate_under

    folder = data / "judges" / "dl2021"
    files = {
        "nist": folder / "qrels" / "nist.txt",
        "lacks": folder / "raw" / "qrels.mean.exam_binary_llama3.2_dl21.txt",
        "named": folder / "raw" / "umbrela_zeroshot_dl21.clean.json",
    }
    runs = sorted((folder / "runs").iterdir())[:12]
    outcome = compare_judges(evaluate_under(files, runs, "nDCG@10"))
    assert outcome.sizes["topic"] == 52
    assert any(
        "lacks lacks 1 of the 53 topics" in note for note in about(outcome)["notes"]
    )


def test_with_teams_the_note_of_coverage_is_of_teams() -> None:
    """With groups no figure of independent systems is told, but what was measured with teams, as in the docs."""
    groups = {name: f"team{int(name[1:]) // 3}" for name in SYSTEMS}
    [note] = [
        note
        for note in about(compare_judges(made(), teams=groups))["notes"]
        if "95%" in note
    ]
    share = held(*(f"{name}, teams left out" for name in TAUS), systems=15, topics=20)
    assert f"95% intervals of tau with teams left out held in {share.share}" in note


def test_with_teams_and_clusters_no_coverage_is_told() -> None:
    """What was measured with one of them is not said of both."""
    teams = {name: f"team{int(name[1:]) // 3}" for name in SYSTEMS}
    given = made()
    topics = next(iter(given.values())).topic.values
    of = {str(topic): f"c{at // 2}" for at, topic in enumerate(topics)}
    notes = " ".join(about(compare_judges(given, teams=teams, clusters=of))["notes"])
    assert "with clusters and teams left out was not measured" in notes
    assert "held in" not in notes


def test_the_note_of_coverage_is_of_a_like_size() -> None:
    """The note has what was measured of intervals of tau, and of differences, in collections of such a size."""
    for systems in (15, 5):
        cubes = {name: one[:systems] for name, one in made().items()}
        size = {"systems": systems, "topics": 20}
        of_tau, of_soft, of_difference = (
            held(*names, **size) for names in (TAUS, SOFT, DIFFERENCES)
        )
        notes = " ".join(about(compare_judges(cubes))["notes"])
        assert (
            f"95% intervals of tau held in {of_tau.share}, of soft accuracy in {of_soft.share}, and"
            in notes
        )
        assert f"between two judges' tau in {of_difference}" in notes


def test_a_judge_with_few_topics_does_not_take_the_others_down() -> None:
    """Each judge is compared over the topics that it shares with the truth, two judges over those of both."""
    cubes = made(noise=(0.05, 0.1, 0.1), metrics=("AP",))
    cubes["judge2"] = cubes["judge2"].isel(topic=slice(4, 10))
    alone = compare_judges(
        {name: cubes[name] for name in ("people", "judge0", "judge1")}
    )
    few = compare_judges(cubes, truth="people")
    of_judges = ("tau", "tau_low", "tau_high", "tau_ap", "rbo", "pairs", "moved")
    of_each = ("truth_mean", "judge_mean", "system_favour", "system_favour_high")
    for name in (*of_judges, *of_each):
        both = few[name].sel(judge=["judge0", "judge1"])
        np.testing.assert_array_equal(both.values, alone[name].values)
    np.testing.assert_array_equal(
        few["difference"].values[:, :2, :2], alone["difference"].values
    )
    halves = few["phi_truth"].sel(judge="judge0").item(), alone["phi_truth"].values
    np.testing.assert_allclose(*halves, atol=0.01)
    assert few["ceiling"].item() == alone["ceiling"].item()
    six = {
        name: one.isel(topic=slice(4, 10))
        for name, one in cubes.items()
        if name != "judge2"
    }
    short = compare_judges({**six, "judge2": cubes["judge2"]}, truth="people")
    for name in ("tau", "tau_ap", "rbo", "pairs", "judge_mean", "system_favour"):
        mine, alike = (one[name].sel(judge="judge2").values for one in (few, short))
        np.testing.assert_allclose(mine, alike, atol=1e-12)
    mine, alike = (one["difference"].values[:, 2] for one in (few, short))
    np.testing.assert_allclose(mine, alike, atol=1e-12)
    assert few["topics"].values.tolist() == [[20, 20, 6]]
    [note] = [one for one in about(few)["notes"] if "lacks" in one]
    assert "judge2 lacks 14 of the 20 topics of people" in note
    assert "figures by topic are of the 6" in note


def families(of=3):
    return {name: f"family{int(name[1:]) % of}" for name in SYSTEMS}


def favoured(by, topics=60, seed=0, family="family1"):
    """A truth, and a judge on other topics of the same kind that gives one family more."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0.5, 0.08, (15, 1, 1))
    shape = (15, topics, 1)
    more = np.array([by * (families()[name] == family) for name in SYSTEMS])
    people = ability + rng.normal(0, 0.1, shape)
    judge = ability + rng.normal(0, 0.1, shape) + more[:, None, None]
    names = [f"h{i}" for i in range(topics)], [f"m{i}" for i in range(topics)]
    return {
        "people": cube(people, SYSTEMS, names[0], ["AP"]),
        "judge": cube(judge, SYSTEMS, names[1], ["AP"]),
    }


def test_others_than_the_best_judge_are_named_where_they_favour_some() -> None:
    """Beside the best judge, which favours no family, stands the name of one that does."""
    cubes = favoured(0)
    rng = np.random.default_rng(7)
    fair = cubes["people"] + rng.normal(0, 0.02, cubes["people"].shape)
    more = np.array([0.3 * (families()[name] == "family1") for name in SYSTEMS])
    partial = fair + more[:, None, None]
    cubes = {"people": cubes["people"], "fair": fair, "partial": partial}
    said = " ".join(findings(compare_judges(cubes, families=families(), partitions=1)))
    assert "fair clearly favours no family" in said
    assert " partial clearly favours or disfavours some (--table favour)." in said
    assert "fair clearly favours or disfavours" not in said


def test_whom_a_judge_favours_on_other_topics_than_peoples() -> None:
    """A favour of .06 of a third of the systems is .04 beside all; intervals hold it in 95%, and p finds it."""
    inside, found, wrong = [], [], []
    for seed in range(40):
        outcome = compare_judges(
            favoured(0.06, seed=seed), families=families(), topics="own", partitions=1
        )
        one = outcome.sel(metric="AP", judge="judge")
        low, high = (one[f"group_favour_{end}"].values for end in ("low", "high"))
        true = np.array([-0.02, 0.04, -0.02])
        inside.append((low <= true) & (true <= high))
        found.append(one["group_favour_p_corrected"].values[1] < 0.05)
        none = compare_judges(
            favoured(0, seed=seed), families=families(), topics="own", partitions=1
        )
        wrong.append((none["group_favour_p_corrected"].values < 0.05).any())
    assert 0.88 < np.mean(inside) <= 1
    assert np.mean(found) > 0.9
    assert np.mean(wrong) < 0.15
    assert any(
        "judge favours family family1 most, by .0" in line for line in findings(outcome)
    )
    assert "favour of families" in overview(outcome)
    listed = tables(none)["favour"]
    assert set(listed["of"]) == {"group", "system"}
    for of in ("group", "system"):
        favours = listed.filter(of=of)["favour"].to_list()
        assert favours == sorted(favours, reverse=True)
    [bound] = [line for line in findings(none) if "favours no family" in line]
    said = re.search(
        r"each by itself, leave a (dis)?favour of at most (\S+) \((\w+)\)", bound
    )
    low, high = (none[f"group_favour_{end}"][0, 0].values for end in ("low", "high"))
    at = [str(name) for name in none["group"].values].index(said[3])
    assert float(said[2]) == pytest.approx(np.abs([low, high]).max(), abs=5e-4)
    end = low[at] if said[1] else high[at]
    assert abs(end) == pytest.approx(np.abs([low, high]).max())
    assert (end < 0) == bool(said[1])
    assert any("would be found in 80%" in note for note in about(none)["notes"])


def test_teams_are_called_teams_and_systems_stay_in_the_findings() -> None:
    """Where teams stand for families, findings, views and notes say team; whether a system is favoured is said, too."""
    cubes = made(metrics=("AP",))
    cubes["judge0"] = cubes["people"] * 0.3 + 0.3
    for options, called, several in (
        ({"teams": families()}, "team", "teams"),
        ({"families": families()}, "family", "families"),
    ):
        outcome = compare_judges(cubes, **options)
        said = " ".join(findings(outcome))
        whom = rf"favours (no )?{called} .*favours (no )?system "
        assert re.search(whom, said)
        assert f"favour of {several}" in overview(outcome)
        assert called in overview(outcome)[f"favour of {several}"].columns
        notes = " ".join(about(outcome)["notes"])
        assert f", by {called}, would be found in 80% of uncorrected tests." in notes


def test_the_favour_that_would_be_found_is_said_by_metric() -> None:
    """Each metric has a note with a range of its own; that of all but the first is for --explain."""
    for metrics in (("AP",), ("P@10", "AP")):
        cubes = made(metrics=metrics)
        cubes["judge0"] = cubes["people"] * 0.3 + 0.3
        outcome = compare_judges(cubes, teams=families())
        half = (outcome["group_favour_high"] - outcome["group_favour_low"]) / 2
        said = [one for one in about(outcome)["notes"] if "would be found" in one]
        for metric, note, of_metric in zip(metrics, said, half, strict=True):
            found = (2.8 / 1.96 * of_metric).values
            ends = [
                f"{end:.3f}".removeprefix("0") for end in (found.min(), found.max())
            ]
            assert note.startswith(f"{metric}: a true favour of {' to '.join(ends)}, ")
        on_screen = about(outcome)["notes"][: about(outcome)["called_for"]]
        assert [one for one in said if one in on_screen] == said[:1]


def test_families_are_no_teams() -> None:
    """Families change no interval of tau; teams do, and no favour of families, which they are by default."""
    alone = compare_judges(made(metrics=("AP",)))
    both = compare_judges(made(metrics=("AP",)), families=families())
    for name in ("tau_low", "tau_high", "phi_gain_low", "difference_low"):
        np.testing.assert_array_equal(alone[name].values, both[name].values)
    teams = {name: f"team{int(name[1:]) // 3}" for name in SYSTEMS}
    apart = compare_judges(made(metrics=("AP",)), families=families(), teams=teams)
    assert (apart["tau_low"].values != both["tau_low"].values).all()
    np.testing.assert_array_equal(
        apart["group_favour_low"].values, both["group_favour_low"].values
    )
    of_teams = compare_judges(made(metrics=("AP",)), teams=teams)
    assert about(of_teams)["options"]["families"] == "a table of 15 systems"
    assert about(alone)["options"]["families"] is None
    assert of_teams["group"].values.tolist() == sorted(set(teams.values()))
    assert "group" not in compare_judges(made(metrics=("AP",)), teams="each")
    with pytest.raises(ScoresError, match="all 15 systems are of one family, x"):
        compare_judges(made(), families=dict.fromkeys(SYSTEMS, "x"))


def test_judges_with_more_topics_do_not_invent_more_for_it() -> None:
    """Of two sets alike in all but their number of topics, neither claims more: it is tested on as many topics."""
    cubes = favoured(0, topics=160)
    cubes["people"] = cubes["people"].isel(topic=slice(40))
    outcome = compare_judges(cubes, topics="own", partitions=1)
    counts = tables(outcome)["significance"].row(0, named=True)
    assert (
        sum(
            counts[name]
            for name in ("agree", "missed", "invented", "reversed", "neither")
        )
        == 15 * 14 // 2
    )
    assert abs(counts["missed"] - counts["invented"]) < 15
    assert outcome["topics"].values.tolist() == [[160]]
    assert any("as many topics" in note for note in about(outcome)["notes"])


def test_a_sentence_says_over_how_many_topics() -> None:
    """Where judges have different topics, the finding and the table tell each judge's number."""
    cubes = made(noise=(0.05, 0.1), metrics=("AP",))
    cubes["judge1"] = cubes["judge1"].isel(topic=slice(4, 12))
    outcome = compare_judges(cubes)
    assert " over 20 topics, the highest of 2 judges" in " ".join(findings(outcome))
    shown = next(iter(overview(outcome).values()))
    assert dict(zip(shown["judge"], shown["topics"], strict=True)) == {
        "judge0": 20,
        "judge1": 8,
    }
    alike = compare_judges(made(metrics=("AP",)))
    assert "topics" not in next(iter(overview(alike).values())).columns


def test_kappas_are_ordered_over_the_pairs_that_all_judged() -> None:
    """A judge of few easy pairs has the highest kappa, but over these another is better; the finding says so."""
    pairs = [(str(t), f"d{d}") for t in range(4) for d in range(10)]
    true = {pair: int(pair[1] in ("d0", "d1", "d2")) for pair in pairs}

    def judged(kept, wrong):
        nested = {}
        for pair in kept:
            grade = 1 - true[pair] if pair in wrong else true[pair]
            nested.setdefault(pair[0], {})[pair[1]] = grade
        return nested

    few = pairs[:20]
    sets = JudgmentSets.of(
        {
            "people": judged(pairs, ()),
            "few": judged(few, few[:1]),
            "all": judged(pairs, pairs[20:30]),
        }
    )
    outcome = compare_judges(sets)
    kappa = outcome["label"].sel(figure="kappa_relevant")
    assert kappa.sel(judge="few") > kappa.sel(judge="all")
    [line] = findings(outcome)
    assert line.startswith("Labels: all agrees with people on relevance with kappa .")
    assert "(1.00, the highest of 2 judges, over the 20 pairs that all judged)" in line


def _passes(seed=0, topics=12, documents=20):
    """A truth, three passes of a judge, and a judge of one pass."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, (topics, documents))

    def qrels(grades):
        return {
            str(topic): {f"d{at}": int(grade) for at, grade in enumerate(row)}
            for topic, row in enumerate(grades)
        }

    seen = {"nist": true, "other": np.clip(true + 1, 0, 2)}
    for at in range(3):
        seen[f"llm_{at}"] = np.clip(true + rng.integers(-1, 2, true.shape), 0, 2)
    return {name: qrels(grades) for name, grades in seen.items()}, seen


def test_passes_of_one_judge_say_how_much_is_with_itself():
    """The share is that of the arrays, pairs that differ are counted, and the finding says both."""
    sets, seen = _passes()
    found = irmeta.judges.compare(sets, passes="stem")
    grades = np.stack([seen[f"llm_{at}"].ravel() for at in range(3)]).astype(float)
    truth = seen["nist"].ravel()
    own = grades.var(axis=0, ddof=1).mean() / ((grades - truth) ** 2).mean()
    assert found["own_share_grades"].values == pytest.approx([own])
    differ = int((np.ptp(grades, axis=0) > 0).sum())
    [said] = [one for one in found.findings if "passes" in one]
    assert said.startswith(
        f"3 passes of llm give {differ} of 240 pairs different labels: its "
        f"disagreement with itself is {100 * own:.0f}% ("
    )
    table = found.tables["passes"]
    assert table["judge"].to_list() == ["llm"]
    assert table["own_grades"].to_list() == pytest.approx([own])
    named = irmeta.judges.compare(
        sets, passes={name: name[:3] for name in sets if name != "nist"}
    )
    assert named.tables["passes"].equals(table)


def test_passes_of_scores_say_how_much_of_the_ranking_is_its_own():
    """Of scores the share is that of systems' means, less what a judge does to all alike."""
    rng = np.random.default_rng(2)
    true = rng.random((8, 15, 1))
    names, topics = list("abcdefgh"), [str(at) for at in range(15)]
    made = {"nist": true}
    for at in range(2):
        made[f"llm_{at}"] = true + 0.1 * at + 0.2 * rng.random((8, 15, 1))
    cubes = {name: cube(one, names, topics, ["AP"]) for name, one in made.items()}
    found = irmeta.judges.compare(cubes, passes="stem", partitions=10)
    means = [made[name].mean(axis=1)[:, 0] for name in ("nist", "llm_0", "llm_1")]
    truth, *llm = [one - one.mean() for one in means]
    own = np.var(llm, axis=0, ddof=1).mean() / np.mean((llm - truth) ** 2)
    assert found["own_share_means"].values.ravel() == pytest.approx([min(own, 1)])
    [said] = [one for one in found.findings if "passes" in one]
    assert "of how it ranks systems otherwise by AP." in said


def test_passes_need_names():
    """Where no judge has several passes an error says so."""
    sets, _ = _passes()
    with pytest.raises(ScoresError, match="llama_1 and llama_2 are of one judge"):
        irmeta.judges.compare(sets, passes="each")


@pytest.mark.data
def test_four_passes_of_llama_differ_in_most_pairs(data):
    """Of 10 828 pairs 9 667 get more than one grade, as the collection's description counts."""
    folder = data / "judges" / "dl2021" / "qrels"
    names = ["nist", *(f"umbrela-llama3.2-pass{at}" for at in range(1, 5))]
    found = irmeta.judges.compare(
        {name: folder / f"{name}.txt" for name in names}, passes="stem"
    )
    assert found["passed_pairs"].item() == 10828
    assert found["passes_differ"].item() == 9667
    assert found["repeated"].values.tolist() == ["umbrela-llama3.2"]
