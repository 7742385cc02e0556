"""Leaving groups out of the pool: losses, ranks, predictions, new runs."""

import numpy as np
import polars as pl
import pytest

from irmeta.errors import MetricError, ScoresError
from irmeta.evaluation.engine import evaluate
from irmeta.io.groups import read_groups
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.groups.teams import Groups
from irmeta.studies.place.reuse.study import reuse
from irmeta.studies.place.reuse.summary import findings, overview, tables, warnings

METRICS = "P@5 AP RBP(p=0.8) R@20"
TOPICS, DOCUMENTS = (
    [str(topic) for topic in range(1, 9)],
    [f"d{i:03d}" for i in range(120)],
)


def made(seed, groups=10, runs=2, depth=5):
    """Runs of groups that share what they like, and judgments of the first documents of each; 1 in 4 is relevant."""
    rng = np.random.default_rng(seed)
    truth = {
        topic: dict(
            zip(DOCUMENTS, (rng.random(120) < 0.25).astype(int).tolist(), strict=True)
        )
        for topic in TOPICS
    }
    worth = {topic: 2.0 * np.array(list(of.values())) for topic, of in truth.items()}
    lists: dict = {}
    for group in range(groups):
        liked = {topic: rng.normal(size=120) for topic in TOPICS}
        for run in range(runs):
            scored = {
                topic: worth[topic] + liked[topic] + 0.5 * rng.normal(size=120)
                for topic in TOPICS
            }
            lists[f"g{group}r{run}"] = {
                topic: {
                    DOCUMENTS[i]: float(scores[i]) for i in np.argsort(-scores)[:30]
                }
                for topic, scores in scored.items()
            }
    return truth, lists, judged(truth, lists, depth)


def judged(truth, lists, depth):
    """Judge the first documents of each list."""
    return {
        topic: {
            document: truth[topic][document]
            for of in lists.values()
            for document in list(of[topic])[:depth]
        }
        for topic in TOPICS
    }


def groups_of(lists):
    return {name: name.partition("r")[0] for name in lists}


@pytest.fixture(scope="module")
def outcome():
    _, lists, grades = made(0)
    return reuse(grades, lists, teams=groups_of(lists), depth=5, metrics=METRICS)


def test_a_loss_is_what_the_group_s_own_judgments_gave(outcome):
    """A run's loss is its score less the score by judgments of the pool of all other groups."""
    truth, lists, grades = made(0)
    others = {name: of for name, of in lists.items() if not name.startswith("g3")}
    without = (
        evaluate(judged(truth, others, 5), {"run": lists["g3r1"]}, METRICS)
        .mean("topic")
        .values[0]
    )
    full = evaluate(grades, {"run": lists["g3r1"]}, METRICS).mean("topic").values[0]
    found = outcome.sel(system="g3r1")
    np.testing.assert_allclose(found["score"], full, atol=1e-12)
    np.testing.assert_allclose(found["without"], without, atol=1e-12)
    np.testing.assert_allclose(found["loss"], full - without, atol=1e-12)


def test_ranks_are_among_all_runs_by_the_judgments_that_are_left(outcome):
    """With all judgments and without the own group's, a run's rank is that among all runs."""
    truth, lists, _ = made(0)
    others = {name: of for name, of in lists.items() if not name.startswith("g3")}
    scores = (
        evaluate(judged(truth, others, 5), lists, "AP").mean("topic").sel(metric="AP")
    )
    own = scores.sel(system="g3r0").item()
    assert (
        outcome["rank_without"].sel(system="g3r0", metric="AP")
        == 1 + (scores.values > own + 1e-9).sum()
    )


def test_groups_are_counted_by_what_they_alone_brought(outcome):
    """Judged documents, alone and relevant: by sets of pairs of a topic and a document."""
    truth, lists, _ = made(0)
    pool = {
        group: {
            (t, d)
            for name, of in lists.items()
            if name.startswith(group)
            for t in TOPICS
            for d in list(of[t])[:5]
        }
        for group in (f"g{i}" for i in range(10))
    }
    for group, own in pool.items():
        alone = own - set().union(
            *(other for name, other in pool.items() if name != group)
        )
        row = outcome.sel(group=group)
        assert (row["brought"], row["unique"]) == (len(own), len(alone))
        assert row["unique_relevant"] == sum(
            truth[topic][document] for topic, document in alone
        )
    assert outcome["judged"] == len(set().union(*pool.values()))


def test_what_no_group_brought_is_not_of_the_pool():
    """Judged documents that no run has among its first leave the shares of what one group brought as they are."""
    _, lists, grades = made(0)
    more = {topic: {**of, "absent": 1} for topic, of in grades.items()}
    one, other = (
        reuse(given, lists, depth=5, metrics=METRICS) for given in (grades, more)
    )
    for figure in ("judged", "relevant", "relevant_share"):
        assert (one[figure] == other[figure]).all()


def test_the_unjudged_are_counted_as_deep_as_a_metric_looks():
    """P@3 is predicted from the first 3 documents, AP from as many as the pool is deep."""
    _, lists, grades = made(1)
    outcome = reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="P@3 AP")
    truth, _, _ = made(1)
    others = {name: of for name, of in lists.items() if not name.startswith("g2")}
    left = judged(truth, others, 5)
    expected = (
        evaluate(left, {"run": lists["g2r0"]}, "Judged@3 Judged@5")
        .mean("topic")
        .values[0]
    )
    np.testing.assert_allclose(
        outcome["unjudged"].sel(system="g2r0"), 1 - expected, atol=1e-12
    )


def test_a_new_run_is_adjusted_towards_what_it_would_have_scored():
    """Over new groups, adjusted scores are nearer the scores with their documents judged, and intervals hold them."""
    raw, adjusted, held = [], [], []
    for seed in range(6):
        truth, lists, _ = made(seed, groups=16)
        old = {
            name: of
            for name, of in lists.items()
            if int(name[1 : name.index("r")]) < 12
        }
        outcome = reuse(
            judged(truth, old, 5),
            old,
            teams={name: name[: name.index("r")] for name in old},
            depth=5,
            metrics="P@5",
            new={name: of for name, of in lists.items() if name not in old},
        )
        for group in range(12, 16):
            own = {
                name: of for name, of in lists.items() if name.startswith(f"g{group}r")
            }
            true = (
                evaluate(judged(truth, {**old, **own}, 5), own, "P@5")
                .mean("topic")
                .values[:, 0]
            )
            new = outcome.sel(run=list(own), metric="P@5")
            loss = true - new["new_score"].values
            raw += loss.tolist()
            adjusted += (loss - new["penalty"].values).tolist()
            held += (
                (loss >= new["penalty_low"].values)
                & (loss <= new["penalty_high"].values)
            ).tolist()
    assert np.abs(np.mean(adjusted)) < 0.3 * np.mean(raw)
    assert np.mean(held) > 0.8


def test_scores_are_bounded_by_what_judgments_could_give():
    """The bound of RBP is its score if all that is unknown were relevant, that of AP is 1."""
    _, lists, grades = made(2)
    new = {
        "mine": {topic: {f"x{i}": 1.0 - i / 10 for i in range(5)} for topic in TOPICS}
    }
    outcome = reuse(
        grades,
        lists,
        teams=groups_of(lists),
        depth=5,
        metrics="RBP(p=0.8) AP",
        new=new,
    )
    row = {one["metric"]: one for one in tables(outcome)["new"].iter_rows(named=True)}
    assert row["RBP(p=0.8)"]["bound"] == pytest.approx(1.0)
    assert row["AP"]["bound"] == 1
    assert row["AP"]["adjusted"] == pytest.approx(
        row["AP"]["score"] + row["AP"]["penalty"]
    )
    assert not any("cannot exceed" in line for line in findings(outcome))
    assert any("extrapolated" in note for note in about(outcome)["notes"])


def test_a_run_whose_documents_are_all_judged_is_not_adjusted():
    """All that a metric looks at is judged: the adjusted score, its interval and the bound are the score."""
    _, lists, grades = made(2)
    new = {"mine": lists["g0r0"]}
    options = {"teams": groups_of(lists), "depth": 5, "new": new}
    outcome = reuse(grades, lists, metrics="nDCG@5 P@5", **options)
    for row in tables(outcome)["new"].iter_rows(named=True):
        ends = [row[name] for name in ("adjusted_low", "adjusted_high", "bound")]
        assert ends == pytest.approx([row["score"]] * 3)
    assert "need no adjustment" in findings(outcome)[0]


def test_the_share_of_unjudged_is_said_with_how_many_documents_it_is_of():
    """A small share is not 0%; it is of as many documents as the metric and the pool look at."""
    _, lists, grades = made(2)
    options = {"teams": groups_of(lists), "depth": 5, "new": {"mine": lists["g0r0"]}}
    told = {}
    for metric in ("P@10", "P@5", "P@3"):
        outcome = reuse(grades, lists, metrics=metric, **options)
        outcome["new_unjudged"][:] = 0.0048
        told[metric] = findings(outcome)[0]
    assert "with 0.5% of its first 5 documents (the pool's depth) unj" in told["P@10"]
    assert "with 0.5% of its first 5 documents unjudged" in told["P@5"]
    assert "with 0.5% of its first 3 documents unjudged" in told["P@3"]


def test_a_new_run_that_does_not_match_the_judgments_is_named():
    """Ids and topics that the judgments do not have are said, the penalty is extrapolated, no metric is the fairest."""
    _, lists, grades = made(2)
    new = {
        "odd": {
            topic: {f"x{i}": 1.0 - i / 10 for i in range(5)}
            for topic in [*TOPICS[1:], "99"]
        }
    }
    outcome = reuse(
        grades, lists, teams=groups_of(lists), depth=5, metrics="P@5 Bpref", new=new
    )
    notes, told = about(outcome)["notes"], findings(outcome)
    assert any(
        "without any judged document; do their ids match" in note
        and note.endswith("odd")
        for note in notes
    )
    assert any("odd lacks 1 of 8 topics (score 0)" in note for note in notes)
    assert any(
        "topics that are not judged" in note and note.endswith("odd") for note in notes
    )
    assert "(90% interval .000 to .875, extrapolated)" in told[0]
    assert any("Too few documents of odd are judged" in line for line in told)


def test_a_bad_run_of_the_pool_does_not_hide_that_a_penalty_is_extrapolated():
    """What a pooled run loses that found nothing relevant, and alone, says nothing of a good run."""
    truth, lists, _ = made(2)
    alone = [f"z{i}" for i in range(5)]
    lists["g0r0"] = {
        topic: {name: 1.0 - i / 10 for i, name in enumerate(alone)} for topic in TOPICS
    }
    known = {topic: {**truth[topic], **dict.fromkeys(alone, 0)} for topic in TOPICS}
    grades = judged(known, lists, 5)
    new = {
        "mine": {
            topic: {"x0": 1.0, "x1": 0.9, "x2": 0.8, "x3": 0.7, "d000": 0.6}
            for topic in TOPICS
        }
    }
    outcome = reuse(
        grades, lists, teams=groups_of(lists), depth=5, metrics="P@5", new=new
    )
    assert outcome["unjudged"].max() == 1
    assert outcome["extrapolated"].all()
    near = {"mine": lists["g3r0"]}
    outcome = reuse(
        grades, lists, teams=groups_of(lists), depth=5, metrics="P@5", new=near
    )
    assert not outcome["extrapolated"].any()


def test_intervals_stay_within_what_pooling_allows():
    """No interval of P goes below the score, or above it with every unjudged document relevant; no AP leaves [0, 1]."""
    truth, lists, _ = made(7, groups=16)
    old = {
        name: of for name, of in lists.items() if int(name[1 : name.index("r")]) < 12
    }
    grades = judged(truth, old, 5)
    new = {name: of for name, of in lists.items() if name not in old}
    groups = {name: name[: name.index("r")] for name in old}
    outcome = reuse(grades, old, teams=groups, depth=5, metrics="P@5 AP", new=new)
    rows = tables(outcome)["new"]
    precision, ap = (rows.filter(metric=metric) for metric in ("P@5", "AP"))
    most = precision["score"] + precision["unjudged"]
    assert precision["bound"].to_list() == pytest.approx(most.to_list())
    assert (precision["adjusted_low"] >= precision["score"] - 1e-12).all()
    assert (precision["adjusted_high"] <= most + 1e-12).all()
    assert (precision["adjusted_low"] == precision["score"]).any()
    written = overview(outcome)["new"]["interval"].to_list()
    ends = zip(*(rows[f"adjusted_{end}"] for end in ("low", "high")), strict=True)
    assert written == [f"{short(low, 3)} to {short(high, 3)}" for low, high in ends]
    assert ap["adjusted_low"].min() >= 0
    assert ap["adjusted_high"].max() <= 1
    assert (outcome["low"].sel(metric="P@5") >= 0).all()


def test_losses_recommend_no_metric_and_prove_no_interval():
    """Findings say by which metric the pool is fairest; that left-out groups are held, which is forced, they do not."""
    _, lists, grades = made(0)
    outcome = reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="P@5 Bpref")
    told = " ".join(findings(outcome))
    least = tables(outcome)["metrics"]["metric"][0]
    assert f"and least by {least}, " in told
    assert "prefer" not in told
    assert "left-out groups' losses" not in told


def test_documents_that_nobody_brought_are_counted():
    """Where judged documents are of no pooled run, a note says who may have brought them; else it says nothing."""
    _, lists, grades = made(0)
    more = {
        topic: {**of, **{f"other{i}": 0 for i in range(9)}}
        for topic, of in grades.items()
    }
    noted = []
    for known in (grades, more):
        outcome = reuse(known, lists, teams=groups_of(lists), depth=5, metrics="P@5")
        noted.append(
            [note for note in about(outcome)["notes"] if "brought them" in note]
        )
        assert warnings(outcome) == []
    assert noted[0] == []
    assert noted[1][0].endswith("may be too large (less so at a larger --depth)")
    deeper = reuse(more, lists, teams=groups_of(lists), depth=12, metrics="P@5")
    assert [note for note in about(deeper)["notes"] if "too large" in note] == []
    [small] = warnings(deeper)
    assert small.endswith("between these and those at a --depth that is judged.")


def test_losses_by_a_part_of_the_pooled_runs_are_said_to_be_too_large():
    """By 6 of 60 groups losses look larger than by all; a warning says so, and none says that they look small."""
    _, lists, grades = made(0, groups=60, depth=3)
    few = {name: lists[name] for name in list(lists)[:12]}
    whole, part = (
        reuse(grades, some, teams=groups_of(some), depth=3, metrics="P@3")
        for some in (lists, few)
    )
    assert part["mean_loss"].item() > 10 * whole["mean_loss"].item()
    assert warnings(whole) == []
    [warning] = about(part)["options"]["alarms"]
    assert warning in warnings(part)
    assert warning.endswith(
        "in its first 3: other runs, or a deeper pool, brought them, and may have brought what one group here has "
        "alone, so losses may be too large (less so at a larger --depth)"
    )
    assert not any("smaller" in note for note in about(part)["notes"])


def test_a_part_of_a_pool_without_depth_is_no_deeper():
    """Where the pool had no depth, the warning does not suggest another one."""
    _, lists, grades = made(0)
    more = {
        topic: {**of, **{f"other{i}": 0 for i in range(120)}}
        for topic, of in grades.items()
    }
    outcome = reuse(more, lists, teams=groups_of(lists), depth=0, metrics="P@5")
    [warning] = about(outcome)["options"]["alarms"]
    assert "that no pooled run retrieves: other runs brought them" in warning
    assert "--depth" not in warning


def test_runs_that_were_not_pooled_bring_nothing_and_teach_nothing():
    """A run that was not pooled has a score; its documents are nobody's, and its loss is not predicted."""
    truth, lists, _ = made(3)
    pooled = {name: of for name, of in lists.items() if name != "g4r1"}
    groups = Groups(groups_of(lists), frozenset({"g4r1"}))
    outcome = reuse(
        judged(truth, pooled, 5), lists, teams=groups, depth=5, metrics="P@5"
    )
    systems = tables(outcome)["systems"]
    assert systems.filter(system="g4r1")["expected"].to_list() == [None]
    assert systems.filter(pl.col("system") != "g4r1")["expected"].null_count() == 0
    own = {(t, d) for t in TOPICS for d in list(lists["g4r0"][t])[:5]}
    assert outcome["brought"].sel(group="g4") == len(own)


def test_a_depth_beyond_the_pool_s_is_said():
    """A pool to depth 5 that is taken for one to depth 10 makes losses look small; a note says so."""
    _, lists, grades = made(4)
    groups = groups_of(lists)
    right = reuse(grades, lists, teams=groups, depth=5, metrics="P@5")
    wrong = reuse(grades, lists, teams=groups, depth=10, metrics="P@5")
    assert wrong["mean_loss"].item() < right["mean_loss"].item()
    assert not any("shallower" in note for note in about(right)["notes"])
    assert any("the pool was shallower" in note for note in about(wrong)["notes"])


def test_a_pool_without_depth_counts_every_judged_document():
    """Where the pool had no depth a group brought all judged documents that it retrieves, and a note says so."""
    _, lists, grades = made(4)
    outcome = reuse(grades, lists, teams=groups_of(lists), depth=None, metrics="P@5")
    own = {
        (t, d)
        for name in ("g1r0", "g1r1")
        for t in TOPICS
        for d in lists[name][t]
        if d in grades[t]
    }
    assert outcome["brought"].sel(group="g1") == len(own)
    assert any("no depth" in note for note in about(outcome)["notes"])


def test_what_is_said_follows_from_the_tables(outcome):
    """The metrics that lose least and most, and the coverage, are those of the tables; tables have no NaN."""
    views = tables(outcome)
    losses = views["metrics"]["relative_loss"].to_list()
    assert losses == sorted(losses)
    second = findings(outcome)[1]
    assert f"least by {views['metrics']['metric'][0]}" in second
    assert f"largest by {views['metrics']['metric'][-1]}" in second
    assert set(overview(outcome)) == {"metrics", "groups"}
    covered = views["systems"].filter(metric="P@5")["covered"].mean()
    assert covered == pytest.approx(
        views["metrics"].filter(metric="P@5")["coverage"].item()
    )


def test_one_metric_has_its_answer_too():
    """The first sentence says what a run loses that was not pooled, beside the gap to the next rank, and its ranks."""
    _, lists, grades = made(6)
    one = reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="P@5")
    only = tables(one)["metrics"].row(0, named=True)
    first = findings(one)[0]
    fallen = (one["rank_without"] - one["rank"]).isel(metric=0)
    by_group = fallen.groupby(one["group_of"]).mean()
    gap = float(np.median(np.diff(np.sort(one["score"].values[:, 0]))))
    losses = one["loss"].isel(metric=0).groupby(one["group_of"]).mean().values
    between = f"{short(losses.min(), 3)} to {short(losses.max(), 3)}"
    assert first == (
        f"A run that was not pooled would lose {short(only['mean_loss'], 3)} by P@5 (between groups {between}; "
        f"{losses.size} left out in turn), where neighbours in the ranking are "
        f"{short(gap, 3)} apart, and fall by {short(float(by_group.mean()), 1)} of {fallen.size} ranks on average, "
        f"{int(fallen.max())} at most."
    )


def test_losses_are_of_pooled_runs_throughout():
    """Mean, range over groups and ranks are of the runs that were pooled, also in a group with others."""
    _, lists, grades = made(0)
    others = {name for name in lists if name.endswith("r1")}
    teams = Groups(groups_of(lists), unpooled=frozenset(others))
    found = reuse(grades, lists, teams=teams, depth=5, metrics="P@5").data
    pooled = found.isel(metric=0, system=found["pooled"].values)
    losses = pooled["loss"].values
    fallen = int((pooled["rank_without"] - pooled["rank"]).max())
    assert found["group_loss"].values[:, 0].tolist() == losses.tolist()
    said = findings(found)[0]
    between = f"{short(losses.min(), 3)} to {short(losses.max(), 3)}"
    mean = short(losses.mean(), 3)
    assert f"lose {mean} by P@5 (between groups {between}; 10 left out in turn)" in said
    assert said.endswith(f", {fallen} at most.")


def test_a_run_that_gains_by_not_being_pooled_is_said_to_gain():
    """Bpref leaves unjudged documents out, so that most runs gain and rise: no loss and no fall is below 0."""
    _, lists, grades = made(2)
    found = reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="Bpref")
    gain = short(-found["mean_loss"].item(), 3)
    said = findings(found)[0]
    assert said.startswith(f"A run that was not pooled would gain {gain} by Bpref (")
    most = int(found["most_ranks"].item())
    assert said.endswith(f"and fall by at most {most} of 20 ranks.")


def test_stems_that_are_taken_as_teams_are_told():
    """Where names say which runs come from one team the finding says so; a loss has no sign."""
    _, lists, grades = made(0)
    stems = {name.replace("r", "-"): of for name, of in lists.items()}
    found = reuse(grades, stems, depth=5, metrics="P@5")
    lost = f"{found['mean_loss'].item():.3f}".removeprefix("0")
    said = f"Taking 10 name stems as teams, a run that was not pooled would lose {lost} by "
    assert said in findings(found)[0]
    guessed = "teams are guessed from name stems; name them (--teams FILE)"
    assert guessed in about(found)["notes"]
    named = reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="P@5")
    assert f"A run that was not pooled would lose {lost} by P@5 (" in findings(named)[0]
    assert guessed not in about(named)["notes"]


def test_a_new_run_is_told_of_before_the_pool():
    """With a new run the first sentences say what it would score, by the metric asked for and by the fairest."""
    _, lists, grades = made(6)
    unseen = {topic: {f"x{n}": -n for n in range(9)} for topic in TOPICS}
    found = reuse(
        grades,
        lists,
        teams=groups_of(lists),
        depth=5,
        metrics="P@5 AP",
        new={"late": unseen},
    )
    told = findings(found)
    assert told[0].startswith("late: P@5 would be ")
    assert told[1].startswith("late: AP would be ")
    assert told[2].startswith("Too few documents of late are judged")
    assert told[3].startswith("A run that was not pooled would lose")


def test_a_run_that_is_judged_like_the_pool_has_one_sentence():
    """Of a run without unjudged documents it is said once, for all metrics, that its scores stand."""
    _, lists, grades = made(6)
    new = {"late": next(iter(lists.values()))}
    found = reuse(
        grades, lists, teams=groups_of(lists), depth=5, metrics="P@3 P@5", new=new
    )
    score = {
        m: short(float(found["new_score"].sel(run="late", metric=m)), 3)
        for m in ("P@3", "P@5")
    }
    first, second, *_ = findings(found)
    assert first.startswith("late: all of its first 5 documents")
    assert first.endswith(
        f" are judged, so P@3 {score['P@3']} and P@5 {score['P@5']} need no adjustment."
    )
    assert second.startswith("A run that was not pooled would lose")


@pytest.mark.parametrize(
    ("metric", "ranks", "share"),
    [
        ("P@5", "ranks 3 to 5", "66.7%"),
        ("P@3", "rank 3", "100.0%"),
        ("AP", "ranks 3 and below", "75.0%"),
    ],
)
def test_a_metric_that_looks_below_the_pool_is_said_to_rest_on_unjudged_documents(
    metric, ranks, share
):
    """Unjudged documents are counted below the pool's depth, too, down to the cutoff; no interval has them."""
    _, lists, grades = made(6)
    topic = TOPICS[0]
    first, second, third = list(grades[topic])[:3]
    late = {topic: {first: 9, second: 8, "x": 7, third: 6, "y": 5, "z": 4}}
    unjudged = {topic: {first: 9, "w": 8, "x": 7, third: 6, "y": 5, "z": 4}}
    found = reuse(
        {topic: grades[topic]},
        {name: {topic: one[topic]} for name, one in lists.items()},
        teams=groups_of(lists),
        depth=2,
        metrics=metric,
        new={"late": late, "other": unjudged},
    )
    said, adjusted = findings(found)[:2]
    assert adjusted.startswith(f"other: {metric} would be ")
    assert f" The interval leaves out that {share} of {ranks}, which" in adjusted
    assert said.startswith(f"late: {metric} is ")
    assert said.endswith(
        "with all of its first 2 documents (the pool's depth) judged, but "
        f"{share} of {ranks}, which the pool does not reach, are unjudged."
    )


def test_a_score_that_no_judgment_can_change_needs_no_adjustment():
    """With a relevant document at rank 1 the reciprocal rank is 1, whatever is unjudged below."""
    _, lists, grades = made(6)
    topic = TOPICS[0]
    best = max(grades[topic], key=grades[topic].get)
    late = {topic: {best: 9, "x": 8, "y": 7}}
    found = reuse(
        {topic: grades[topic]},
        {name: {topic: one[topic]} for name, one in lists.items()},
        teams=groups_of(lists),
        depth=1,
        metrics="RR",
        new={"late": late},
    )
    assert found["unjudged_below"].item() == 1
    assert findings(found)[0].endswith("so RR 1.000 needs no adjustment.")


def test_a_pool_in_which_no_run_falls_is_told():
    """Where no run that is left out falls by a rank, the first sentence says so."""
    lists = {
        f"s{i}": {"1": {f"d{i}": 2.0, **{f"c{n}": -n for n in range(i + 1)}}}
        for i in range(8)
    }
    grades = {"1": {f"d{i}": 0 for i in range(8)} | {f"c{n}": 1 for n in range(8)}}
    found = reuse(grades, lists, teams="each", depth=10, metrics="P@10")
    assert int(found["most_ranks"].max()) == 0
    assert "fall by no rank of 8." in findings(found)[0]


def test_wrong_input_is_named():
    """Runs without group, few groups, GMAP, and a wrong depth or level raise what says so."""
    _, lists, grades = made(5)
    groups = groups_of(lists)
    with pytest.raises(ScoresError, match="no group for 18 of 20 runs"):
        reuse(grades, lists, teams={"g0r0": "g0", "g0r1": "g0"}, metrics="P@5")
    with pytest.raises(ScoresError, match="at least 6 are needed"):
        reuse(
            grades,
            {name: lists[name] for name in list(lists)[:6]},
            teams=groups,
            metrics="P@5",
        )
    with pytest.raises(MetricError, match="GMAP has a geometric mean"):
        reuse(grades, lists, teams=groups, metrics="GMAP")
    with pytest.raises(ScoresError, match="depth must be 1 or more"):
        reuse(grades, lists, teams=groups, depth=-1)
    with pytest.raises(ScoresError, match="level must be between 0 and 1"):
        reuse(grades, lists, teams=groups, level=90)


def test_without_groups_each_run_is_one(outcome):
    """A note warns that relatives protect each other; losses are then smaller."""
    _, lists, grades = made(0)
    alone = reuse(grades, lists, depth=5, metrics=METRICS)
    assert (alone["mean_loss"] < outcome["mean_loss"]).all()
    assert any("each run is its own" in note for note in about(alone)["notes"])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "depth", "pooled", "least"), [(1, 7, 56, 0.85), (3, 10, 31, 0.83)]
)
def test_intervals_hold_left_out_groups_of_trec_covid(
    data, number, depth, pooled, least
):
    """By their own pools 90% intervals hold 85 to 95% of left-out groups; of 31 groups 26 by two of 23 metrics."""
    folder = data / "trec-covid" / f"round{number}"
    groups = read_groups(folder / "leaderboard.csv")
    outcome = reuse(folder / "qrels.txt", folder / "runs", teams=groups, depth=depth)
    coverage = outcome["coverage"].values
    assert outcome["pooled"].sum() == pooled
    assert coverage.shape == (23,)
    assert coverage.min() >= least
    assert (coverage < 0.85).sum() <= 2
    assert coverage.max() <= 0.95


def test_a_metric_that_ties_all_runs_is_not_recommended():
    """Where all runs score alike a loss has no scale: the metric stands last, and another is spoken of."""
    _, lists, grades = made(6)
    everything = {topic: dict.fromkeys(DOCUMENTS, 1) for topic in TOPICS}
    tied = reuse(everything, lists, teams=groups_of(lists), depth=30, metrics="RR P@30")
    assert tables(tied)["metrics"]["relative_loss"].to_list() == [None, None]
    assert not any("would lose" in line for line in findings(tied))
    assert (
        reuse(grades, lists, teams=groups_of(lists), depth=5, metrics="Success@30 P@5")[
            "least_tau"
        ]
        .notnull()
        .any()
    )


def test_labels_of_metrics_say_as_much():
    """How deep a metric looks is known by its name, whatever its label is."""
    _, lists, grades = made(0)
    options = {"teams": groups_of(lists), "depth": 5, "new": {"mine": lists["g0r0"]}}
    found = reuse(grades, lists, metrics="nDCG@5 AP", **options)
    said = [
        one.replace("AP", "Mean AP").replace("nDCG@5", "Gain") for one in found.findings
    ]
    assert found.labelled({"AP": "Mean AP", "nDCG@5": "Gain"}).findings == said
