"""Leaderboards: who may be first, what holes decide, aggregates side by side."""

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import kendalltau

from irmeta.errors import IrmetaError, ScoresError
from irmeta.report.plots import figure_of
from irmeta.report.plots.systems.leaderboard import front, ranks
from irmeta.report.screen import whole_tables
from irmeta.report.tables import json_document, render
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.selection import select
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.versus.study import versus
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.leaderboard.summary import findings, order, overview, tables

NAN = np.nan


def board(scores: Any) -> xr.DataArray:
    scores = np.asarray(scores, dtype=float)
    models, tasks = (
        [f"{letter}{i}" for i in range(size)]
        for letter, size in zip("mt", scores.shape, strict=True)
    )
    return cube(scores[:, :, None], models, tasks, ["score"], collection="board")


def drawn(
    seed: int = 0, models: int = 14, tasks: int = 20, holes: float = 0.0
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scores = np.clip(
        np.linspace(0.3, 0.7, models)[:, None]
        + 0.08 * rng.normal(size=(models, tasks)),
        0,
        1,
    )
    return np.where(rng.random(scores.shape) < holes, NAN, scores)


@pytest.fixture(scope="module")
def full() -> xr.Dataset:
    groups = {f"t{i}": "ab"[i % 2] for i in range(20)}
    return leaderboard(board(drawn()), types=groups, resamples=100)


@pytest.fixture(scope="module")
def holed() -> xr.Dataset:
    return leaderboard(board(drawn(holes=0.2)), resamples=100)


@pytest.fixture(scope="module")
def predicted() -> xr.Dataset:
    return leaderboard(board(drawn(holes=0.2)), holes="predict", resamples=100)


def test_a_full_table(full: xr.Dataset) -> None:
    """Without holes, ranks are those of values, best and worst rank are the rank, and rank sets hold the rank."""
    np.testing.assert_allclose(
        full["value"].sel(aggregate="mean"), drawn().mean(axis=1)
    )
    for kind in full.aggregate.values:
        one = full.sel(aggregate=kind)
        assert (one["best"] == one["rank"]).all()
        assert (one["worst"] == one["rank"]).all()
        assert ((one["low"] <= one["rank"]) & (one["rank"] <= one["high"])).all(), kind
        assert one["resolution"].item() > 0.5
    assert full["tau"].sel(aggregate="borda", other="bt").item() == 1
    assert full.aggregate.values.tolist() == [
        "mean",
        "types",
        "standardized",
        "borda",
        "bt",
    ]


def test_rank_sets_are_those_of_describe() -> None:
    """One question has one answer, to the last rank: both draw the same."""
    scores = board(drawn(seed=3, models=30))
    ours = leaderboard(scores).sel(aggregate="mean")
    theirs = describe(scores).data.sel(metric="score")
    for end in ("low", "high"):
        np.testing.assert_array_equal(
            ours[end].sel(system=theirs.system), theirs[f"rank_{end}"]
        )


def test_holes_leave_ranks_open(holed: xr.Dataset) -> None:
    """With holes, ranks by the mean are open, none is claimed outside of its bounds, and the finding says so."""
    one = holed.sel(aggregate="mean")
    known = ~np.isnan(one["rank"].values)
    assert (one["best"].values[known] == one["worst"].values[known]).all()
    assert (
        np.isnan(one["value"].values).sum()
        == np.isnan(holed["score"].values).any(axis=1).sum()
        > 0
    )
    assert re.match(
        r"By the mean over tasks, .* may be first of 14: the \d+ missing scores decide\. With ",
        findings(holed)[0],
    )
    assert "whatever the missing scores are" in findings(holed)[1]
    order = "leaderboard: by the middle of the ranks that holes allow"
    assert "holes allow" in overview(holed)[order].columns
    label = figure_of(holed).axes[0].get_xlabel()
    assert "of 14 models by the middle of the ranks that holes allow" in label
    assert whole_tables(holed)["ranks"]["mean"].str.contains(" to ").any()


def test_aggregates_without_values_are_not_said_to_agree() -> None:
    """Two of three models have holes: only Borda and Bradley-Terry are compared, and who is first stays open."""
    scores = [[0.41, 0.30, 0.52], [0.45, NAN, 0.60], [0.46, 0.33, NAN]]
    told = findings(leaderboard(board(scores), resamples=40))
    assert told[0].startswith(
        "By the mean over tasks, m2, m1 or m0 may be first of 3: the 2 missing scores decide. "
        "With other tasks, missing scores left out, m2, m1 or m0 may be first, and 0%"
    )
    assert told[2] == (
        "Borda and Bradley-Terry order the models in the same way; mean and standardized mean "
        "cannot be compared, as too few models have a value."
    )


def test_a_model_in_percent_is_named_and_no_task() -> None:
    """Where one model alone reaches beyond 1, the note says so, and no task is said to have another scale."""
    scores = drawn(tasks=8)
    scores[3] *= 100
    made = leaderboard(board(scores), resamples=40)
    assert "scales" not in " ".join(findings(made))
    assert made.notes[0].startswith("The scores of m3 may be in another unit")


def test_true_ranks_within_bounds(full: xr.Dataset, holed: xr.Dataset) -> None:
    """The ranks of the full table lie within what its holes allow, by mean and Borda."""
    for kind in ("mean", "borda"):
        true, one = full["rank"].sel(aggregate=kind), holed.sel(aggregate=kind)
        assert ((one["best"] <= true) & (true <= one["worst"])).all()


def test_mixed_scales_are_a_warning() -> None:
    """A task in percent among tasks from 0 to 1 is named ahead of the finding, with what it does to the mean."""
    scores = drawn(tasks=8)
    rng = np.random.default_rng(3)
    scores[:, 5] = 100 * rng.random(14)
    told = findings(leaderboard(board(scores), resamples=40))
    assert told[0].startswith("The mean mixes scores of different scales: up to")
    assert " on t5 alone, up to " in told[0]
    said = "the 7 others; the larger scores alone decide the order by the mean (tau"
    assert said in told[0]
    assert "Divide the scores on t5 by 100, or use --aggregate standar" in told[0]
    assert "standardized or borda. By the mean over tasks, " in told[0]
    for one_scale in (drawn(), 100 * drawn()):
        assert "scales" not in " ".join(
            findings(leaderboard(board(one_scale), resamples=40))
        )
    assert "scales" not in " ".join(
        findings(leaderboard(board(scores), aggregate="borda", resamples=40))
    )
    assert (
        "scales"
        in findings(leaderboard(board(scores), aggregate="borda,mean", resamples=40))[1]
    )


def test_the_one_task_in_fractions_is_named() -> None:
    """Of tasks in percent the odd one, whose scores reach 1 at most, is named."""
    scores = 100 * drawn(tasks=8)
    scores[:, 5] /= 100
    told = findings(leaderboard(board(scores), resamples=40))[0]
    assert " on t5 alone, up to " in told
    assert " on the 7 others" in told
    assert "Multiply the scores on t5 by 100, or" in told


def test_holes_end_where_their_task_does() -> None:
    """A hole among scores from 0 to 1 is bounded by 1, also where another task is in percent, and a note says so."""
    scores = drawn(models=4, tasks=3)
    scores[:, 2] = [90, 60, 30, 10]
    scores[3, 0] = NAN
    made = leaderboard(board(scores), aggregate="mean", resamples=40)
    assert (made["best"] == made["worst"]).all()  # up to 100 it could have been first
    assert "0 to 1 on 2 tasks, 0 to 100 on 1 task" in " ".join(about(made)["notes"])


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("borda", "in which a missing score earns no votes"),
        ("bt", "which ignores missing scores"),
    ],
)
def test_ranks_that_ignore_holes_say_so(
    holed: xr.Dataset, kind: str, says: str
) -> None:
    """The Borda count and Bradley-Terry rank models with holes: the finding and the table say what the holes allow."""
    made = leaderboard(board(drawn(holes=0.2)), aggregate=[kind], resamples=100)
    first = made.isel(system=int(order(made)[0])).squeeze()
    ends = first["best"].item(), first["worst"].item()
    assert ends[0] < ends[1]
    head = findings(made)[0]
    assert f", {says}, {first.system.item()} is first of 14 models" in head
    assert f"but missing scores allow it ranks {ends[0]:.0f} to {ends[1]:.0f}" in head
    both = {row[0]: row for row in whole_tables(holed)["ranks"].iter_rows()}
    shown = both[first.system.item()][whole_tables(holed)["ranks"].columns.index(kind)]
    assert shown == f"1 ({ends[0]:.0f} to {ends[1]:.0f})"


def test_predicted_holes(predicted: xr.Dataset) -> None:
    """Predicted, every model has a rank within its interval, and the coverage that was measured is said."""
    for kind in predicted.aggregate.values:
        one = predicted.sel(aggregate=kind)
        assert not np.isnan(one["rank"].values).any()
        assert (one["low"] <= one["high"]).all()
    assert 0.8 < predicted["coverage"].item() <= 1
    assert (
        f"{predicted['coverage'].item():.0%} lay within their 90% intervals"
        in findings(predicted)[1]
    )
    holes = tables(predicted)["predicted"]
    assert holes.height == int(np.isnan(predicted["score"].values).sum())
    assert (holes["predicted_low"] < holes["predicted_high"]).all()


def test_predicted_means_are_marked(predicted: xr.Dataset) -> None:
    """The finding says that scores are predicted, how many of the first model, and which values contain them."""
    at = int(order(predicted)[0])
    absent = int(np.isnan(predicted["score"].values[at]).sum())
    head = findings(predicted)[0]
    assert "By the mean over tasks, with missing scores predicted, " in head
    assert f"({absent} of its 20 scores " in head
    assert "90%" in head.partition(". With")[0]
    holed = np.isnan(predicted["score"].values).any(axis=1)[order(predicted)]
    assert holed.sum() > 0
    assert (
        overview(predicted)["leaderboard"]["mean"].str.ends_with("~").to_list()
        == holed.tolist()
    )
    assert "values marked ~ contain predicted scores" in " ".join(
        about(predicted)["notes"]
    )


def test_predictions_stay_within_the_scale() -> None:
    """No predicted score or interval lies beyond 0 and 1, or in percent beyond 0 and 100."""
    scores = np.clip(drawn(holes=0.3, tasks=10) * 2.2 - 0.5, 0, 1)
    scores[:, 3] *= 100
    made = leaderboard(board(scores), aggregate="mean", holes="predict", resamples=40)
    for name in ("predicted", "predicted_low", "predicted_high"):
        part = made[name].values
        assert part.min() >= 0
        assert np.delete(part, 3, axis=1).max() <= 1
        assert 1 < part[:, 3].max() <= 100
    # a model's mean is that of its scores and of the predictions that are shown, and no interval is a point
    shown = made["score"].fillna(made["predicted"]).mean("topic")
    means = made["value"].sel(aggregate="mean")
    np.testing.assert_allclose(means, shown)
    unknown = made["score"].isnull()
    assert (made["predicted_low"] < made["predicted_high"]).where(unknown, True).all()


def test_votes_are_whole() -> None:
    """Borda counts have a decimal each where models tie, else none, and stand to the right."""
    scores = drawn(models=4, tasks=3)
    made = leaderboard(board(scores), aggregate="borda", resamples=40)
    assert all(text.isdecimal() for text in overview(made)["leaderboard"]["borda"])
    scores[0] = scores[1]
    made = leaderboard(board(scores), aggregate="borda", resamples=40)
    texts = overview(made)["leaderboard"]["borda"].to_list()
    assert {text[-2:] for text in texts} == {".0", ".5"}
    assert len({len(text) for text in texts}) == 1


def test_complete_leaves_out(holed: xr.Dataset) -> None:
    """Complete keeps the models without holes, or the tasks, whichever leaves more, and says how many it left out."""
    few = drawn()
    few[:3, 0] = NAN
    made = leaderboard(board(few), holes="complete", aggregate="mean", resamples=40)
    assert made.sizes["topic"] == 19
    assert "left out for missing scores: 1 task of 20" in about(made)["notes"]
    few[0, :] = NAN
    few[0, 1] = 0.5
    few[1:3, 0] = 0.5
    made = leaderboard(board(few), holes="complete", aggregate="mean", resamples=40)
    assert made.sizes["system"] == 13
    assert " is first of 13 of 14 models on 20 of 20 tasks." in findings(made)[0]
    assert "those of 13 of 14 systems by 1 metric on 20 topics" in made.method_text


def test_a_table_with_holes_leads_to_what_can_be_said() -> None:
    """After who may be first of all comes who is first of the models without holes: as --holes complete has it."""
    scores = drawn(models=24)
    scores[12:, ::2] = NAN
    made = leaderboard(board(scores), aggregate="mean", resamples=40)
    alone = leaderboard(board(scores[:12]), aggregate="mean", resamples=40)
    listed = tables(made)["complete"]
    assert listed["system"].to_list() == tables(alone)["models"]["system"].to_list()
    assert listed["rank"].to_list() == tables(alone)["models"]["rank"].to_list()
    first = listed["system"][0]
    assert re.match(
        r"By the mean over tasks, any of \d+ models \(m\d+, m\d+, m\d+, m\d+, m\d+ and \d+ more\) may be first of 24: "
        "the 120 missing scores decide",
        findings(made)[0],
    )
    assert findings(made)[1].startswith(
        f"Of the 12 models that have all scores, {first} is first by the mean over tasks; with"
    )
    assert findings(made)[1].endswith("(--holes complete).")
    assert (
        overview(made)["complete"]["model"].to_list() == listed["system"][:5].to_list()
    )
    assert "complete" not in tables(alone)


def test_a_leader_with_predicted_scores_stands_beside_the_first_with_all_scores() -> (
    None
):
    """Where predictions put a model first, the answer names the first that has all scores, as --min-tasks ranks it."""
    scores = drawn(models=24)
    scores[23, :4], scores[23, 4:] = 1, NAN
    made = leaderboard(board(scores), aggregate="mean", holes="predict", resamples=40)
    alone = leaderboard(board(scores), aggregate="mean", min_tasks=20, resamples=40)
    said = f"Of 23 models with all scores, {tables(alone)['models']['system'][0]} stands first"
    assert findings(made)[0].startswith(
        "By the mean over tasks, with missing scores predicted, m23 ("
    )
    assert findings(made)[1] == f"{said} (--min-tasks 20 ranks these alone)."
    scores[23, 4:], scores[0, 4:] = 0.9, NAN
    made = leaderboard(board(scores), aggregate="mean", holes="predict", resamples=40)
    assert "--min-tasks" not in " ".join(findings(made))


@pytest.mark.parametrize(("tasks", "few"), [(5, False), (7, True), (20, False)])
def test_predictions_of_few_tasks_say_that_bounds_may_distinguish_more(
    tasks: int, few: bool
) -> None:
    """Where tasks suffice for rank sets without predictions, and with them no two models are distinguished."""
    scores = drawn(models=30, tasks=tasks, holes=0.1)
    made = leaderboard(board(scores), holes="predict", aggregate="mean", resamples=200)
    said = f"with {tasks} tasks and scores predicted, no two models are distinguished"
    assert (said in " ".join(about(made)["notes"])) is few
    if few:
        held = leaderboard(board(scores), aggregate="mean", resamples=200)
        assert held["resolution"].item() > made["resolution"].item() == 0


def test_a_board_of_sparse_tasks_alone_cannot_be_predicted() -> None:
    """Where too few tasks have enough models to predict from, the error says so, and not that the board is empty."""
    scores = np.full((6, 3), NAN)
    scores[np.arange(6), np.arange(6) % 3] = np.linspace(0.1, 0.9, 6)
    with pytest.raises(ScoresError, match="on tasks that at least 3 models have, and"):
        leaderboard(board(scores), holes="predict", aggregate="mean", resamples=40)


def test_a_task_that_no_complete_model_has_does_not_take_the_board_down() -> None:
    """One sparse task costs complete and predict that task, not the models: a note names it."""
    scores = drawn(models=20)
    np.fill_diagonal(scores, NAN)
    scores[2:, 3] = NAN
    made = leaderboard(board(scores), holes="complete", aggregate="mean", resamples=40)
    assert (made.sizes["system"], made.sizes["topic"]) == (10, 10)
    assert not made["score"].isnull().any()
    said = "left out for missing scores: 10 tasks of 20 and 10 models of 20"
    assert said in about(made)["notes"]
    made = leaderboard(board(scores), holes="predict", aggregate="mean", resamples=40)
    assert (made.sizes["system"], made.sizes["topic"]) == (20, 19)
    said = "left out: 1 task that fewer than 3 models have, too few to predict from: t3"
    assert said in about(made)["notes"]
    scores[1] = NAN
    scores[1, 3] = 0.5
    made = leaderboard(board(scores), holes="predict", aggregate="mean", resamples=40)
    assert f"{said}; and 1 model without another task: m1" in about(made)["notes"]


def test_what_an_aggregate_says_does_not_depend_on_which_others_there_are() -> None:
    """Values, ranks and rank sets by Borda are the same alone and beside others, whatever is done with holes."""
    scores = board(drawn(models=12, holes=0.2))
    for holes in ("bounds", "predict", "complete"):
        alone = leaderboard(scores, holes=holes, aggregate="borda", resamples=100)
        beside = leaderboard(scores, holes=holes, aggregate="mean,borda", resamples=100)
        for name in ("value", "rank", "best", "worst", "low", "high"):
            both = (one[name].sel(aggregate="borda").values for one in (alone, beside))
            np.testing.assert_array_equal(*both, err_msg=f"{name}, {holes}")


def test_models_with_few_tasks_can_be_left_out() -> None:
    """min_tasks keeps the models with that number of tasks; the finding offers it where models lack more than half."""
    scores = drawn(models=20)
    scores[15:, 5:] = NAN
    told = findings(leaderboard(board(scores), aggregate="mean", resamples=40))
    assert (
        "--min-tasks 10 leaves out the 5 models with fewer than half of the tasks"
        in told[3]
    )
    made = leaderboard(board(scores), aggregate="mean", min_tasks=10, resamples=40)
    assert made.sizes["system"] == 15
    said = "left out: 5 models of 20 with scores on fewer than 10 tasks"
    assert said in about(made)["notes"]
    with pytest.raises(ScoresError, match="lower min_tasks="):
        leaderboard(board(scores), min_tasks=21)


def test_aggregates_are_compared_on_the_same_models() -> None:
    """With holes, tau is over the models that all aggregates have a value for, so that Borda and bt agree on them."""
    scores = drawn(models=20)
    scores[10:, :12] = NAN
    made = leaderboard(board(scores), resamples=40)
    assert made["compared"].item() == 10
    assert made["tau"].sel(aggregate="borda", other="bt").item() > 0.9
    same = made["value"].isel(system=slice(10))
    for a, b in (("mean", "borda"), ("borda", "bt")):
        expected = kendalltau(same.sel(aggregate=a), same.sel(aggregate=b)).statistic
        assert made["tau"].sel(aggregate=a, other=b).item() == pytest.approx(expected)
    assert "over the 10 models that every aggregate has a value for" in " ".join(
        findings(made)
    )


def test_without_a_full_model_aggregates_with_values_are_compared() -> None:
    """Where no model has all scores, Borda and Bradley-Terry are compared over all, and the others have no tau."""
    scores = drawn()
    scores[np.arange(14), np.arange(14)] = NAN
    made = leaderboard(board(scores), resamples=40)
    assert made["compared"].item() == 14
    assert np.isnan(made["tau"].sel(aggregate="mean").values).all()
    assert made["tau"].sel(aggregate="borda", other="bt").item() > 0.8


def test_models_without_ranks_have_an_order() -> None:
    """Where holes leave every rank open, models stand by standardized scores, not as in the file."""
    scores = drawn(models=8)
    rng = np.random.default_rng(4)
    scores[rng.random(scores.shape) < 0.9] = NAN
    scores[np.arange(8), np.arange(8)] = 0.5
    scores[:, 8:] = np.where(rng.random((8, 12)) < 0.5, NAN, drawn(models=8)[:, 8:])
    models = [f"m{i}" for i in range(8)]
    orders = []
    for files in (np.arange(8), rng.permutation(8)):
        shuffled = cube(
            scores[files][:, :, None],
            [models[i] for i in files],
            [f"t{i}" for i in range(20)],
            ["score"],
        )
        made = leaderboard(shuffled, aggregate="mean", resamples=40)
        assert made["rank"].isnull().all()
        orders.append(made.system.values[order(made)].tolist())
    assert orders[0] == orders[1] != models


def test_why_a_model_low_in_the_order_may_be_first_is_said() -> None:
    """Where a model that varies much may be first below one that may not, the last finding says why; else nothing."""
    means = np.array([[0.8], [0.6], [0.5]])
    spread = np.tile([-1.0, 1.0], 10)
    told = findings(leaderboard(board(means + [[0.02], [-0.03], [0.9]] * spread)))
    assert told[-1] == (
        "m2 may be first where models ahead of it may not, as its differences from the others vary more."
    )
    told = findings(leaderboard(board(means + [[0.02], [-0.03], [0.04]] * spread)))
    assert "may be first where" not in " ".join(told)


def test_words_of_trec() -> None:
    """Scores over numbered topics are of systems and topics, others of models and tasks, in findings and columns."""
    topics = [str(number) for number in range(401, 421)]
    trec = cube(drawn()[:, :, None], [f"r{i}" for i in range(14)], topics, ["AP"])
    made = leaderboard(trec, resamples=40)
    told = " ".join([*findings(made), *overview(made)["leaderboard"].columns])
    assert "systems" in told
    assert "topics" in told
    assert "model" not in told
    assert "task" not in told
    assert "models" in findings(leaderboard(board(drawn()), resamples=40))[0]


def test_items_within_tasks() -> None:
    """Over items the tasks are fixed: with many items the order is surer than over tasks."""
    rng = np.random.default_rng(1)
    table = drawn(tasks=6)
    cubes = {
        f"t{i}": board(
            np.clip(table[:, i][:, None] + 0.1 * rng.normal(size=(14, 200)), 0, 1)
        )
        for i in range(6)
    }
    over = {
        kind: leaderboard(cubes, over=kind, aggregate="mean,borda", resamples=200)
        for kind in ("tasks", "items")
    }
    assert (over["items"]["resolution"] > over["tasks"]["resolution"]).all()
    np.testing.assert_allclose(over["items"]["value"], over["tasks"]["value"])
    with pytest.raises(ScoresError, match="items within tasks"):
        leaderboard(board(table), over="items")


@pytest.mark.slow
def test_rank_sets_hold() -> None:
    """In at least 95% of worlds less two standard errors all rank sets hold the true ranks, and they are not wide."""
    rng = np.random.default_rng(2)
    strength = np.linspace(0, 1.2, 8)
    held, widths = [], []
    for _ in range(120):
        scores = strength[:, None] + 0.5 * rng.normal(size=(8, 25))
        one = leaderboard(board(scores), aggregate="mean", resamples=150)
        true = 8 - np.arange(8)
        inside = (one["low"].values[:, 0] <= true) & (true <= one["high"].values[:, 0])
        held.append(inside.all())
        widths.append((one["high"] - one["low"]).mean().item() + 1)
    assert np.mean(held) > 0.95 - 2 * np.sqrt(0.05 * 0.95 / 120)
    # neighbours are 1.2 standard errors of a difference apart and not sure; those 4 ranks apart are nearly always
    assert 4 < np.mean(widths) < 6.5


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"aggregate": "median"}, "aggregate='median': choose"),
        ({"aggregate": "types"}, "types=FILE"),
        ({"types": {"t0": "a"}}, "no type for .* tasks: t1, t2, "),
        ({"level": 2}, "between 0 and 1"),
        ({"metric": "quality"}, "no metric 'quality'"),
    ],
)
def test_wrong_options(options: dict[str, Any], says: str) -> None:
    """A wrong option is an error that names the mend."""
    with pytest.raises(IrmetaError, match=says):
        leaderboard(board(drawn()), **options)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([[0.1, 0.2]], "2 models"),
        ([[0.1], [0.2]], "2 tasks;"),
        (
            [[0.1, 0.2], [NAN, NAN]],
            "the model m1 has no scores; remove it from the table, or name the others with systems= of irmeta.select",
        ),
        ([[0.1, NAN], [0.2, NAN]], "the task t1 has no scores; .*topics="),
    ],
)
def test_tables_that_cannot_be_ranked(scores: Any, says: str) -> None:
    """What cannot be ranked is an error that says what is lacking."""
    with pytest.raises(ScoresError, match=says):
        leaderboard(board(scores))


@pytest.mark.parametrize("holes", ["bounds", "predict"])
def test_models_without_the_chosen_tasks_are_left_out(holes: str) -> None:
    """With tasks chosen, a model that has none of them is no error: a note names it."""
    scores = drawn(models=12)
    scores[0, :8] = scores[1, 0] = NAN
    chosen = select(board(scores), topics=[f"t{at}" for at in range(8)])
    made = leaderboard(chosen, holes=holes, resamples=40)
    assert made.system.values.tolist() == [f"m{at}" for at in range(1, 12)]
    said = "left out: 1 model of 12 with scores on none of the tasks chosen: m0"
    assert said in made.notes
    scores[1:, :8] = NAN
    none = select(board(scores), topics=[f"t{at}" for at in range(8)])
    with pytest.raises(ScoresError, match="fewer than 2 models have scores on any"):
        leaderboard(none, holes=holes)


def test_models_without_a_whole_collection_are_counted() -> None:
    """Where collections are taken as tasks, models that lack scores in each are an error that counts them."""
    values = {"one": [[0.1, 0.2], [0.3, NAN]], "two": [[0.2, 0.2], [NAN, 0.3]]}
    cubes = {
        name: cube(np.array(one)[..., None], ["a", "b"], ["1", "2"], ["AP"])
        for name, one in values.items()
    }
    says = r"2 collections is taken as a .* 1 .* of 2 lacks some scores in each \(b\); rank by one"
    with pytest.raises(ScoresError, match=says):
        leaderboard(cubes)


def test_of_several_metrics_one_is_used_and_said() -> None:
    """Of a cube with several metrics the one that the page begins with counts, and a note says which."""
    values = np.random.default_rng(1).random((4, 6, 2))
    two = cube(values, list("abcd"), list("123456"), ["RR", "AP@100"])
    made = leaderboard(two)
    assert (
        made.notes[0] == "of the 2 metrics RR ranks the systems; metric= names another"
    )
    named = leaderboard(two, metric="RR")
    assert made["value"].equals(named["value"])
    assert "ranks the systems" not in " ".join(named.notes)


def test_tables_and_views(full: xr.Dataset, predicted: xr.Dataset) -> None:
    """Tables hold a row for each model and aggregate, and render in every form; the overview fits 80 columns."""
    views = tables(full)
    assert views["models"].height == 14 * 5
    assert set(views) == {"models", "aggregates", "tau", "tasks", "few", "first"}
    assert json_document(predicted)["study"] == "leaderboard"
    assert max(map(len, render(full, width=80).splitlines())) <= 80
    assert views["few"]["tasks"].to_list() == list(range(1, 11))


def test_few_tasks_are_of_the_part_without_holes() -> None:
    """One model that lacks a task takes no part in the choice of a few tasks, and the sentence counts the others."""
    strength = np.linspace(0, 1, 13)
    values = strength[:, None] + np.random.default_rng(0).normal(size=(13, 6)) / 9
    values[3, 2] = np.nan
    names = [f"m{number}" for number in range(13)]
    made = leaderboard(cube(values[:, :, None], names, list("uvwxyz"), ["accuracy"]))
    sentence = next(one for one in made.findings if "no part in the choice" in one)
    few_tasks = tables(made)["few"]
    assert round(few_tasks["tau_chosen"][1], 2) == 0.97
    assert sentence.startswith(
        "The 2 tasks v, w rank the 12 models without holes nearly as their 6 tasks do (tau .97): "
    )
    assert few_tasks.columns == ["tasks", "task", "tau", "low", "high", "tau_chosen"]
    assert (few_tasks["low"] <= few_tasks["tau"]).all()


def test_a_choice_of_few_tasks_is_of_half_of_the_board_and_smaller_than_that() -> None:
    """Where whole tasks are fewer than half of all, nothing is chosen; a choice of most tasks is not told of."""
    scores = drawn(models=24)  # 20 tasks
    lacking = scores.copy()
    lacking[np.arange(13), np.arange(13)] = NAN
    lacking[np.arange(13) + 11, np.arange(13)] = NAN
    made = leaderboard(board(lacking), holes="predict", aggregate="mean", resamples=40)
    assert "few" not in tables(made)
    made = leaderboard(board(scores[:, :3]), aggregate="mean", resamples=40)
    assert tables(made)["few"]["tasks"].to_list() == [1, 2]
    assert not [
        one
        for one in findings(made)
        if "chosen so reach" in one or "well-chosen" in one
    ]


def test_tasks_that_are_too_few_to_rank_as_all_are_counted() -> None:
    """Where no choice of ten tasks ranks models as all do, the sentence says that these are too few."""
    rng = np.random.default_rng(0)
    names = [f"m{at}" for at in range(12)], [f"t{at}" for at in range(40)], ["AP"]
    said = leaderboard(cube(rng.random((12, 40, 1)), *names)).findings
    start = "10 tasks are too few to rank the 12 models as all 40 tasks do: even well-chosen "
    assert any(one.startswith(start) for one in said)


def test_few_tasks_by_scores_of_0_and_1_have_figures() -> None:
    """Halves whose models all tie do not count, and the choice does not depend on what is done with holes."""
    right = (np.random.default_rng(2).random((12, 8, 1)) < 0.8).astype(float)
    names = [f"m{number}" for number in range(12)], list("abcdefgh"), ["accuracy"]
    shown = tables(leaderboard(cube(right, *names), resamples=40))["few"]
    assert shown.select("tau", "low", "high").null_count().sum_horizontal().item() == 0
    right[0, 0] = NAN
    by = {
        holes: tables(leaderboard(cube(right, *names), holes=holes, resamples=40))[
            "few"
        ]
        for holes in ("bounds", "predict")
    }
    assert by["bounds"].equals(by["predict"])


def test_drawn_ranks(full: xr.Dataset) -> None:
    """The plot draws each model's rank, best on top."""
    figure = figure_of(full)
    axes = figure.axes[0]
    assert axes.lines[0].get_xdata().tolist() == list(range(1, 15))
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels[0] == str(full.system.values[full["rank"].values[:, 0].argmin()])
    other = figure_of(full, view="aggregates")
    assert len(other.axes[0].lines) == 5
    assert ranks(full, axes) is axes


@pytest.fixture(scope="module")
def tied() -> Any:
    """36 models, of which the last two have the same scores."""
    scores = np.linspace(0.9, 0.1, 36)[:, None] + np.linspace(0, 0.1, 5)
    scores[35] = scores[34]
    return leaderboard(board(scores), aggregate="mean", resamples=40)


def test_predicted_scores_take_more_draws() -> None:
    """By default rank sets come from 4000 draws of predicted scores, and from 1000 of the scores there are."""
    scores = drawn(models=12)
    scores[::3, 1] = np.nan
    made = board(scores)
    for holes, draws in (("predict", 4000), ("bounds", 1000)):
        usual = leaderboard(made, aggregate="mean", holes=holes)
        same = leaderboard(made, aggregate="mean", holes=holes, resamples=draws)
        for end in ("low", "high", "resolution"):
            xr.testing.assert_equal(usual[end], same[end])


def test_models_to_mark_are_drawn_below_the_best(tied: Any) -> None:
    """A model beyond the best 30 that is to be marked has a row after a gap; an unknown one is an error."""
    names = tied.system.values.astype(str)
    [axes] = tied.plot(highlight=names[33]).axes
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert len(labels) == 32
    assert labels[30:] == ["\N{HORIZONTAL ELLIPSIS}", names[33]]
    assert axes.get_yticklabels()[31].get_fontweight() == "bold"
    assert axes.lines[0].get_xdata()[-1] == 34
    assert axes.lines[0].get_ydata()[-1] == 31
    assert axes.get_xlabel().startswith("rank by mean, the best 30 and 1 more of 36")
    tied.data.attrs["options"] = tied.data.attrs["options"].replace(
        '"first": null', '"first": 4'
    )
    [axes] = tied.plot(highlight=names[33]).axes
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [*names[:4], "\N{HORIZONTAL ELLIPSIS}", names[33]]
    assert axes.get_xlabel().startswith("rank by mean, the best 4 and 1 more of 36")
    assert axes.lines[0].get_xdata().tolist() == [1, 2, 3, 4, 34]
    with pytest.raises(TypeError, match="'first' is an option of leaderboard"):
        tied.plot(first=4)
    with pytest.raises(ScoresError, match="no system 'nobody' in the plot"):
        tied.plot(highlight=["nobody"])
    metrics = significance(board(drawn(models=4)), metrics="score")
    with pytest.raises(
        ScoresError, match="does not show m1; it is of metrics; .*describe"
    ):
        metrics.plot(highlight="m1")
    topics = versus(board(drawn(models=4)), system="m0", against="m1")
    with pytest.raises(
        ScoresError, match="does not show m1; it is of topics; .*describe"
    ):
        topics.plot(highlight="m1")


def test_a_model_without_a_rank_has_no_ring() -> None:
    """Of two models to mark, the one whose missing scores leave its rank open is named only."""
    scores = np.linspace(0.9, 0.1, 6)[:, None] + np.linspace(0, 0.1, 5)
    scores[2, 1:3] = np.nan
    found = leaderboard(board(scores), aggregate="mean", holes="bounds", resamples=40)
    ranked = np.isfinite(found["rank"].values[:, 0])
    names = found.system.values.astype(str)
    assert ranked.any()
    assert not ranked.all()
    one, other = names[ranked][0], names[~ranked][0]
    [axes] = found.plot(highlight=[one, other]).axes
    rings = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    bold = [text for text in axes.get_yticklabels() if text.get_fontweight() == "bold"]
    assert (len(rings), len(bold)) == (1, 2)


def test_thin_lines_are_of_holes(tied: Any, holed: Any) -> None:
    """Ranks that are tied are dots below each other; a thin line is drawn only where scores are missing."""

    def listed(figure: Any) -> list[str]:
        return [text.get_text() for text in figure.legends[0].get_texts()]

    marked = tied.plot(highlight=tied.system.values[34:])
    assert listed(marked) == ["possible ranks", "rank"]
    assert "what holes allow" in listed(figure_of(holed))


def test_models_that_share_no_task_have_no_strengths():
    """Where no common task connects a model with the others, a note names it and bt is left out, unless asked for."""
    scores = drawn(tasks=8)
    scores[:, 7] = np.nan
    scores[0, :7] = np.nan
    scores[0, 7] = 0.5
    table = board(scores)
    first = str(table.system.values[0])
    made = leaderboard(table, resamples=40)
    assert "bt" not in made.aggregate.values
    assert any(
        note.startswith(f"No common task connects {first} with the others")
        for note in made.notes
    )
    with pytest.raises(ScoresError, match=f"no common task connects {first} with"):
        leaderboard(table, aggregate="bt", resamples=40)


COSTS = {"m0": 1.0, "m1": 2.0, "m2": 4.0, "m3": 8.0}
"""Four models: m1 is better than m0 and m2, which cost less and more, and nobody can tell m3 from m1."""


def priced() -> xr.DataArray:
    rng = np.random.default_rng(4)
    level = np.array([[0.3], [0.6], [0.4], [0.605]])
    return board(level + 0.05 * rng.normal(size=(4, 30)))


def test_the_front_is_who_may_be_on_it() -> None:
    """A model that a cheaper one is shown to beat is off; the cheapest is surely on, and a near tie may be."""
    made = leaderboard(priced(), aggregate="mean", cost=COSTS, resamples=200)
    assert made["front_possible"].values.tolist() == [True, True, False, True]
    assert made["front_sure"].values.tolist() == [True, True, False, False]
    assert made["beaten_by"].values.tolist() == ["", "", "m1", ""]
    first = made.findings[0]
    assert "m0, m1 are surely on it; m3 may be" in first
    assert "each of the other 1 (95%" in first
    rows = overview(made.data)["front"]
    assert rows["model"].to_list() == ["m0", "m1", "m3"]
    # numbers, which every table writes alike
    assert rows["cost"].to_list() == [COSTS[name] for name in rows["model"]]


def test_the_front_of_equal_models_is_everybody() -> None:
    """Where nothing is shown, every model may be on the front, and none but the cheapest is surely on it."""
    rng = np.random.default_rng(0)
    made = leaderboard(
        board(rng.random((5, 20))),
        aggregate="mean",
        cost={f"m{at}": at for at in range(5)},
        resamples=200,
    )
    assert made["front_possible"].all()
    assert made["front_sure"].values.tolist() == [True, False, False, False, False]
    assert (
        "of no model one that costs no more is shown to be better" in made.findings[0]
    )
    assert "A cost of 0 is taken as it is: m0" in made.notes


def test_costs_that_are_missing_or_of_strangers_are_named() -> None:
    """Models without a cost are left out of the front, and names that are not on the board are listed."""
    given = {"m0": 1.0, "m1": 2.0, "m3": 1.0, "other": 3.0}
    made = leaderboard(priced(), aggregate="mean", cost=given, resamples=100)
    assert not made["front_possible"].sel(system="m2")
    assert "No cost is known of 1 model (m2)" in made.notes[0]
    assert "1 model of the costs is not on the board: other" in made.notes[1]
    assert made.tables["front"]["system"].to_list() == ["m0", "m3", "m1"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"m0": 1.0}, "costs are known of 1 of 4 models"),
        ({"x": 1.0, "y": 2.0}, "the costs name x, y, the board m0, m1"),
        ({"m0": -1.0, "m1": 1.0}, "the cost of m0 is -1.0"),
        ({"m0": NAN, "m1": 1.0}, "the cost of m0 is nan"),
    ],
)
def test_costs_that_make_no_front(given: dict[str, float], says: str) -> None:
    """Costs of fewer than two models, or below 0, are refused."""
    with pytest.raises(ScoresError, match=says):
        leaderboard(priced(), cost=given, resamples=100)


def test_the_front_drawn() -> None:
    """Models stand at cost and value, marked by their place on the front; costs far apart are on a log axis."""
    costs = COSTS | {"m3": 20.0}
    made = leaderboard(priced(), aggregate="mean", cost=costs, resamples=100)
    axes = figure_of(made, view="front").axes[0]
    drawn_at = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    value = made["value"].values[:, 0]
    assert drawn_at["may be on it"] == [[20.0, value[3]]]
    assert drawn_at["one that costs no more is better"] == [[4.0, value[2]]]
    assert drawn_at["surely on the front"] == [[1.0, value[0]], [2.0, value[1]]]
    assert axes.get_xscale() == "log"
    del costs["m3"]
    fewer = leaderboard(priced(), aggregate="mean", cost=costs, resamples=100)
    labels = [line.get_label() for line in figure_of(fewer, view="front").axes[0].lines]
    assert "without a cost or a value: m3" in labels
    none = made.data.assign(front=made["front"] & False)
    axes = front(none, Figure().subplots())
    labels = [line.get_label() for line in axes.lines]
    assert "front by value" not in labels
    with pytest.raises(ScoresError, match="cost=FILE"):
        figure_of(leaderboard(priced(), resamples=100), view="front")


def test_a_model_has_one_cost():
    """Two names of one model are refused, and so is what is not a number."""
    table = {
        name: {task: 0.1 * at for at, task in enumerate("abcd", 1)} for name in "xyz"
    }
    with pytest.raises(ScoresError, match="x has two costs, one of them as x.run"):
        leaderboard(table, cost={"x": 1, "x.run": 5, "y": 2, "z": 3})
    with pytest.raises(ScoresError, match="the cost of x is abc"):
        leaderboard(table, cost={"x": "abc", "y": 2, "z": 3})


def test_a_sentence_names_who_it_is_about() -> None:
    """A complete model that is not first is not said to be: who would be first by the available scores is named."""
    scores = np.vstack([drawn(models=6, holes=0.1), np.full((1, 20), 0.2)])
    scores[:6] *= 0.4
    scores[3] += 0.1
    told = findings(leaderboard(board(scores), aggregate="mean", resamples=40))[0]
    assert "With other tasks, missing scores left out, m3 would be first, and" in told
    assert "m6" not in told.partition(" may be first of ")[2]


def test_the_metric_is_named_where_it_has_a_name() -> None:
    """Boards by two metrics of the same runs say by which they rank, in the sentence, the table, and on the page."""
    scores = board(drawn(models=5)).assign_coords(metric=["nDCG@10"])
    made = leaderboard(scores, resamples=40)
    assert findings(made)[0].startswith("By the mean of nDCG@10 over tasks, ")
    assert "mean nDCG@10" in overview(made)["leaderboard"].columns
    assert (
        "mean"
        in overview(leaderboard(board(drawn()), resamples=40))["leaderboard"].columns
    )


def test_a_lead_that_rests_on_many_tasks_does_not_name_them() -> None:
    """Without a tenth of the tasks or fewer another model is ahead: that is said, of more it is not."""
    ahead = np.full((2, 20), 0.5)
    for tasks, said in ((2, True), (3, False)):
        ahead[0] = 0.49
        ahead[0, :tasks] = 0.7
        told = " ".join(findings(leaderboard(board(ahead), resamples=40)))
        assert ("Without " in told) == said


@pytest.mark.parametrize(
    "given",
    [
        pl.DataFrame({"task": ["x", "y"], "type": ["a", "b"]}),
        pd.DataFrame({"task_type": ["a", "b"]}, index=["x", "y"]),
        pd.Series(["a", "b"], index=["x", "y"]),
        pd.DataFrame({"Type": ["a", "b"], "Task": ["x", "y"]}),
    ],
    ids=["polars", "index", "series", "columns"],
)
def test_types_and_costs_may_be_frames(given) -> None:
    """What a file would say, a data frame may, its index the names."""
    scores = np.array([[[0.1], [0.4]], [[0.2], [0.3]], [[0.5], [0.9]]])
    board = cube(scores, ["m", "n", "o"], ["x", "y"], ["accuracy"])
    cost = pd.Series({"m": 1, "n": 2.5, "o": None}, name="usd")
    made = leaderboard(board, types=given, cost=cost, resamples=40)
    assert made["type"].values.tolist() == ["a", "b"]
    assert made["cost"].values[:2].tolist() == [1, 2.5]
    with pytest.raises(IrmetaError, match="data frame:1: no column task or topic"):
        leaderboard(board, types=pd.DataFrame({"a": ["x"], "b": ["y"]}))


def test_the_plot_of_aggregates_marks_a_model_of_interest(full: xr.Dataset) -> None:
    """The plot of all aggregates names a model to highlight in bold, on its row."""
    name = str(full.system.values[3])
    drawn = figure_of(full, highlight=name, view="aggregates")
    labels = {one.get_text(): one for one in drawn.axes[0].get_yticklabels()}
    bold = [text for text, one in labels.items() if one.get_fontweight() == "bold"]
    assert bold == [name]
