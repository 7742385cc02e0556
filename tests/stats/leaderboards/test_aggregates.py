"""Aggregates, bounds, Bradley-Terry and predictions, on tables written by hand, drawn, and MTEB's."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from irmeta.choices import Aggregate
from irmeta.errors import ScoresError
from irmeta.stats.leaderboards import aggregates, completion, holes, items
from irmeta.stats.leaderboards.bradley_terry import strengths
from irmeta.stats.leaderboards.few import HALVES, choose_few_tasks
from irmeta.stats.leaderboards.standing import (
    Tables,
    rank_filled,
    rank_with_holes,
    ranked,
)

NAN = np.nan
tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 6), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
)


def unit(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores from 0 to 1 on every task."""
    return np.zeros(table.shape[1]), np.ones(table.shape[1])


def ranks(values: np.ndarray) -> np.ndarray:
    return rankdata(-values.round(10), method="min")


@pytest.mark.data
def test_mteb(data: Path) -> None:
    """Borda's count and ranks, means over tasks and over types are those of MTEB(eng, v2), for all 333 models."""
    folder = data / "leaderboards"
    oracle = pl.read_csv(folder / "mteb-eng-v2-borda.csv")
    long = pl.read_parquet(folder / "mteb-eng-v2.parquet")
    wide = long.pivot("task", index="model", values="main_score")
    wide = oracle.select("model").join(
        wide, on="model", how="left", maintain_order="left"
    )
    tasks = [name for name in wide.columns if name != "model"]
    type_of = dict(
        pl.read_csv(folder / "mteb-eng-v2-tasks.csv").select("task", "task_type").rows()
    )
    known = sorted(set(type_of.values()))
    types = np.array([known.index(type_of[task]) for task in tasks])
    scores = wide.select(tasks).to_numpy()
    votes = aggregates.values(scores, "borda")
    assert ranks(votes).tolist() == oracle["borda_rank"].to_list()
    np.testing.assert_array_equal(votes, oracle["borda_points"])
    for kind, column in (("mean", "mean_task"), ("types", "mean_task_type")):
        np.testing.assert_allclose(
            aggregates.values(scores, kind, types),
            oracle[column].to_numpy(),
            atol=1e-12,
        )
    assert np.isnan(aggregates.values(scores, "mean")).sum() == 150


def test_standardized_by_hand() -> None:
    """A standardized score is the normal distribution function of z among those with the task; 0.5 on flat ones."""
    table = np.array([[0.1, 0.5, 0.2], [0.5, 0.5, NAN], [0.3, 0.5, 0.4]])
    task_points = aggregates.task_points(table, "standardized")
    np.testing.assert_allclose(task_points[:, 0], [0.158655, 0.841345, 0.5], atol=1e-6)
    assert task_points[:, 1].tolist() == [0.5] * 3
    assert np.isnan(task_points[1, 2])


@given(tables)
def test_borda_counts_models_below(table: np.ndarray) -> None:
    """Without holes, Borda's count is that of pairs won, ties counting half; the mean part is its share."""
    won = ((table[:, None] > table) + 0.5 * (table[:, None] == table)).sum(
        axis=(1, 2)
    ) - 0.5 * table.shape[1]
    np.testing.assert_allclose(aggregates.values(table, "borda"), won)
    shares = aggregates.parts(table, "borda").mean(axis=1)
    np.testing.assert_allclose(shares, won / table.shape[1] / (len(table) - 1))


@given(tables, st.data())
def test_bounds_hold_whatever_was_missing(
    table: np.ndarray, draw: st.DataObject
) -> None:
    """The rank by a full table lies within the bounds of the same table with holes, by mean, types and Borda."""
    away = draw.draw(hnp.arrays(np.bool_, table.shape))
    seen = np.where(away, NAN, table)
    types = np.arange(table.shape[1]) % 2
    for kind in ("mean", "types", "borda"):
        bounds = holes.bounds(seen, kind, unit(table), types)
        true = ranks(aggregates.values(table, kind, types))
        assert (bounds.best <= true).all(), kind
        assert (true <= bounds.worst).all(), kind


@given(tables, st.data())
def test_bounds_of_means_are_reached(table: np.ndarray, draw: st.DataObject) -> None:
    """A model's best rank by mean is its rank where its holes hold the highest and all others the lowest score."""
    away = draw.draw(hnp.arrays(np.bool_, table.shape))
    seen = np.where(away, NAN, table)
    bounds = holes.bounds(seen, "mean", unit(table))
    for model in range(len(table)):
        own = np.arange(len(table))[:, None] == model
        for reached, top in ((bounds.best, own), (bounds.worst, ~own)):
            filled = np.where(away, np.where(top, 1.0, 0.0), seen)
            mean = aggregates.values(filled, "mean").round(10)
            ties = (mean == mean[model]).sum() - 1
            rank = int(ranks(mean)[model])
            assert reached[model] == (rank if reached is bounds.best else rank + ties)


def test_no_holes_no_bounds() -> None:
    """Without holes or ties, best and worst rank are the rank."""
    table = np.random.default_rng(0).random((7, 5))
    for kind in ("mean", "standardized"):
        bounds = holes.bounds(table, kind, unit(table))
        assert (
            bounds.best.tolist()
            == bounds.worst.tolist()
            == ranks(aggregates.values(table, kind)).tolist()
        )


def test_strengths_are_those_of_logistic_regression() -> None:
    """Strengths maximise the likelihood: scikit-learn's logistic regression over all meetings finds the same."""
    rng = np.random.default_rng(3)
    table = rng.random((6, 15)) + np.linspace(0, 0.4, 6)[:, None]
    table[rng.random(table.shape) < 0.3] = NAN
    rows, wins = [], []
    for task in table.T:
        for i in range(6):
            for j in range(i):
                if np.isfinite(task[[i, j]]).all():
                    rows.append(np.eye(6)[i] - np.eye(6)[j])
                    wins.append(task[i] > task[j])
    fitted = (
        LogisticRegression(C=1e9, fit_intercept=False, tol=1e-12, max_iter=10_000)
        .fit(rows, wins)
        .coef_[0]
    )
    np.testing.assert_allclose(
        strengths(table).value, fitted - fitted.mean(), atol=1e-5
    )


def test_strengths_order_a_full_table_as_borda_does() -> None:
    """Without holes, total wins are all that Bradley-Terry looks at."""
    table = np.random.default_rng(4).random((30, 11))
    votes = aggregates.values(table, "borda")
    np.testing.assert_array_equal(ranks(strengths(table).value), ranks(votes))


def test_errors_of_strengths_hold() -> None:
    """The errors are those seen over many draws of tasks, within a tenth; a fit to all tasks' meetings alone is not."""
    rng = np.random.default_rng(5)
    strength = np.linspace(-1, 1, 8)[:, None]
    loading = rng.normal(size=(8, 2))
    fits = [
        strengths(
            strength + loading @ rng.normal(size=(2, 40)) + rng.logistic(size=(8, 40))
        )
        for _ in range(150)
    ]
    seen = np.std([one.value for one in fits], axis=0)
    said = np.sqrt(np.mean([one.error**2 for one in fits], axis=0))
    np.testing.assert_allclose(said.mean() / seen.mean(), 1, atol=0.1)
    np.testing.assert_allclose(fits[0].parts.mean(axis=1), fits[0].value)


def test_who_never_loses() -> None:
    """A model that always wins has a finite strength, and the result says that it was helped."""
    table = np.array([[0.9, 0.9, 0.8], [0.5, 0.1, 0.2], [0.1, 0.5, 0.4]])
    fit = strengths(table)
    assert fit.separated
    assert np.isfinite(fit.value).all()
    assert fit.value.argmax() == 0


def test_models_that_never_met() -> None:
    """Models that share no task with the others cannot be compared with them."""
    with pytest.raises(
        ScoresError,
        match="some models are not connected to the others by common tasks; leave them out",
    ):
        strengths(np.array([[0.1, NAN], [0.2, NAN], [NAN, 0.3], [NAN, 0.1]]))


def world(rng: np.random.Generator, models: int = 60, tasks: int = 25) -> np.ndarray:
    """Scores with two traits of models, and noise."""
    traits, loadings = rng.normal(size=(models, 2)), rng.normal(size=(tasks, 2))
    return 0.5 + 0.1 * (traits @ loadings.T + rng.normal(size=(models, tasks)) * 0.7)


@pytest.mark.parametrize("holes_by", ["chance", "size"])
def test_predictions_hold(holes_by: str) -> None:
    """90% intervals of predicted scores hold 85 to 95% of what was removed, and say so, by chance or by model size."""
    held, said = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = world(rng)
        share = (
            0.4 if holes_by == "chance" else np.linspace(0.0, 0.8, len(table))[:, None]
        )
        away = rng.random(table.shape) < share
        found = completion.predict(np.where(away, NAN, table), rng)
        held.append(((found.low <= table) & (table <= found.high))[away].mean())
        said.append(found.coverage)
    assert 0.85 < np.mean(held) < 0.95
    assert 0.87 < np.mean(said) < 0.93


def with_leader(rng: np.random.Generator) -> np.ndarray:
    """Scores of 60 models on 25 tasks with two traits, one of them 5 deviations beyond the others."""
    traits = rng.normal([1, 0], size=(60, 2))
    traits[0] = [6, 2.5]
    loadings = np.abs(rng.normal(size=(25, 2))) * [1, 0.5]
    return 0.5 + 0.05 * (traits @ loadings.T + 0.5 * rng.normal(size=(60, 25)))


def hidden_of_the_best(table: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Hide scores at random; return which of the hidden ones of the ten best models lie within their intervals."""
    rng = np.random.default_rng(seed)
    known = np.isfinite(table)
    away = known & (rng.random(table.shape) < share)
    away[(known & ~away).sum(axis=1) < 3] = False
    found = completion.predict(np.where(away, NAN, table), rng)
    inside = (found.low <= table) & (table <= found.high)
    whole = np.flatnonzero(known.all(axis=1))
    best = whole[np.argsort(-table[whole].mean(axis=1))[:10]]
    return inside[best][away[best]]


@pytest.mark.slow
def test_intervals_hold_at_the_top() -> None:
    """90% intervals hold 87 to 93% of the hidden scores of the ten best models, also where one leads by far."""
    held = [
        hidden_of_the_best(with_leader(np.random.default_rng(seed)), 0.4, seed)
        for seed in range(40)
    ]
    assert 0.87 < np.concatenate(held).mean() < 0.93


@pytest.mark.slow
@pytest.mark.data
def test_intervals_hold_at_the_top_of_a_real_board(data: Path) -> None:
    """90% intervals hold 87 to 93% of the hidden scores of the ten best models of MTEB(eng, v2)."""
    rows = pl.read_parquet(data / "leaderboards" / "mteb-eng-v2.parquet")
    wide = rows.pivot("task", index="model", values="main_score").drop("model")
    for share in (0.1, 0.4):
        held = [hidden_of_the_best(wide.to_numpy(), share, seed) for seed in range(10)]
        assert 0.87 < np.concatenate(held).mean() < 0.93


def test_a_score_has_no_say_in_its_own_correction() -> None:
    """A hidden score's correction comes from the others of its model and task, and a model's shift from all of them."""
    excess = np.random.default_rng(3).normal(0.5, 1.0, size=(8, 6))
    excess[2, 3] = NAN
    one = completion._corrections(excess)
    excess[4, 1] += 5.0
    other = completion._corrections(excess)
    assert other.shift_without[4, 1] == pytest.approx(one.shift_without[4, 1])
    assert other.shift[4, 0] == pytest.approx(one.shift[4, 0] + 5 / (6 + 4))
    assert one.shift[2, 0] == pytest.approx(np.nansum(excess[2]) / (5 + 4))
    assert np.isnan(one.ratio[2, 3])
    assert (other.variance[4] > one.variance[4]).all()


def test_predictions_use_the_other_tasks() -> None:
    """Scores that others determine are predicted with an error near the noise, not near the spread."""
    rng = np.random.default_rng(1)
    table = world(rng)
    away = rng.random(table.shape) < 0.3
    found = completion.predict(np.where(away, NAN, table), rng)
    error = np.sqrt(np.mean((found.mean - table)[away] ** 2))
    assert error < 1.3 * 0.07 < table.std()  # the noise has a deviation of .07
    assert error == pytest.approx(found.error, rel=0.15)


def test_a_task_that_never_varied_is_not_certain() -> None:
    """The noise of a task without any spread is that of the prior: 2 observations of variance .05, among 2 + n."""
    table = world(np.random.default_rng(5), models=24, tasks=12)
    table[:, 3] = 0.5
    table[:4, 3] = NAN
    found = completion.predict(table, np.random.default_rng(6))
    assert found.fit.noise[3] == pytest.approx(2 * 0.05 / (20 + 2))


def test_choosing_folds_are_not_measured() -> None:
    """The error reported is that of hidden cells which had no say in the number of factors."""
    table = world(np.random.default_rng(3), models=24, tasks=12)
    found = completion.predict(table, np.random.default_rng(4))
    # the same folds, and each cell predicted without its own
    fold = np.random.default_rng(4).integers(0, completion.FOLDS, table.shape)
    scaled = (table - found.centre) / found.unit
    missed, sds = completion._errors(scaled, fold, found.factor.shape[1])
    without = completion._corrections(-missed / sds).shift_without
    squares = ((missed + without * sds) * found.unit) ** 2
    judging = fold >= completion.CHOOSING
    assert found.error == pytest.approx(np.sqrt(squares[judging].mean()))
    assert found.error != pytest.approx(np.sqrt(squares.mean()))


def test_fillings_agree_with_predictions() -> None:
    """Filled tables keep what is known, and scatter about the predictions as the intervals say."""
    rng = np.random.default_rng(2)
    table = world(rng)
    seen = np.where(rng.random(table.shape) < 0.3, NAN, table)
    found = completion.predict(seen, rng)
    filled = completion.draw(seen, found, 400, rng)
    known = np.isfinite(seen)
    np.testing.assert_array_equal(
        filled[:, known], np.broadcast_to(seen[known], (400, known.sum()))
    )
    inside = (found.low <= filled) & (filled <= found.high)
    assert inside[:, ~known].mean() == pytest.approx(0.9, abs=0.02)


def test_a_task_that_nobody_has() -> None:
    """A task with too few scores cannot be predicted."""
    table = np.full((6, 3), 0.5)
    table[1:, 2] = NAN
    with pytest.raises(ScoresError, match="fewer than 3"):
        completion.predict(table, np.random.default_rng(0))


def test_rank_sets_of_filled_tables_are_wider() -> None:
    """Holes add to what other tasks allow: rank sets of a filled table are no narrower than those of the full one."""
    rng = np.random.default_rng(6)
    table = world(rng, 20, 40)
    seen = np.where(rng.random(table.shape) < 0.4, NAN, table)
    found = completion.predict(seen, rng)
    known = np.where(np.isfinite(seen), seen, found.mean)
    common = {"level": 0.95, "draws": 400, "tasks": True}
    full = rank_filled(table, "mean", Tables(table[None]), rng, filled=False, **common)
    open_ = rank_filled(
        known,
        "mean",
        Tables(completion.draw(seen, found, 100, rng)),
        rng,
        filled=True,
        **common,
    )
    assert (open_.sets.high - open_.sets.low).mean() > (
        full.sets.high - full.sets.low
    ).mean()
    assert (open_.best <= open_.rank).mean() > 0.9
    assert full.best.tolist() == full.rank.tolist()


@pytest.mark.parametrize("kind", ["mean", "borda"])
def test_five_tasks_with_predicted_scores_claim_nothing(kind: Aggregate) -> None:
    """Models that are equally good are not distinguished by few tasks, however their holes are filled."""
    claimed = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = rng.normal(0.5, 0.1, (15, 5))
        filled = np.repeat(table[None], 50, axis=0)
        holes = rng.random(table.shape) < 0.2
        filled[:, holes] += rng.normal(0, 0.1, (50, holes.sum()))
        one = rank_filled(
            table,
            kind,
            Tables(filled),
            rng,
            level=0.95,
            draws=400,
            tasks=True,
            filled=True,
        )
        claimed.append(one.sets.better.any())
    assert sum(claimed) <= 1


def test_a_model_without_a_mean_has_no_rank() -> None:
    """By the mean, ranks that holes leave open are missing, and within bounds; by Borda every model has one."""
    table = np.array([[0.9, 0.8, 0.7], [0.2, NAN, 0.3], [0.5, 0.4, 0.4]])
    common = {"level": 0.9, "draws": 100}
    by_mean = rank_with_holes(
        table,
        "mean",
        np.random.default_rng(0),
        allowed=holes.bounds(table, "mean", unit(table)),
        **common,
    )
    assert np.isnan(by_mean.rank).tolist() == [False, True, True]
    assert (by_mean.best[1], by_mean.worst[1]) == (2, 3)
    assert ranked(aggregates.values(table, "borda")).tolist() == [1, 3, 2]


def test_items_redrawn_have_the_spread_of_means() -> None:
    """Tables of redrawn items scatter as the standard error of a task's mean says."""
    scores = np.random.default_rng(0).random((3, 12))
    drawn = items.resampled([scores], 4000, np.random.default_rng(1))[:, :, 0]
    np.testing.assert_allclose(
        drawn.std(axis=0), scores.std(axis=1, ddof=1) / np.sqrt(12), rtol=0.05
    )
    np.testing.assert_allclose(items.table([scores])[:, 0], scores.mean(axis=1))


def test_few_tasks() -> None:
    """A task that alone orders models as all do is chosen first, and holds on models that did not."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=40)
    table = np.column_stack([rng.normal(size=(40, 5)) * 3, strength * 10])
    chosen = choose_few_tasks(table, rng)
    assert chosen.tasks[0] == 5
    assert len(set(chosen.tasks)) == 5
    assert chosen.others.shape == (HALVES, 5)
    assert np.median(chosen.others[:, 0]) > 0.4
    assert chosen.others[:, -1].mean() > chosen.others[:, 0].mean()


def test_halves_in_which_all_tie_have_no_tau() -> None:
    """Scores of 0 and 1 may tie all models of a half: its tau is missing, that of the others stays."""
    rng = np.random.default_rng(2)
    drawn = choose_few_tasks((rng.random((12, 8)) < 0.8).astype(float), rng).others
    assert np.isnan(drawn).any()
    assert np.isfinite(drawn).all(axis=1).any()


def test_a_choice_by_chance_is_worth_little_to_others() -> None:
    """Where tasks have nothing in common, other models are ranked less well than those that chose, and unevenly."""
    rng = np.random.default_rng(1)
    chosen = choose_few_tasks(rng.normal(size=(12, 30)), rng)
    assert (chosen.others.mean(axis=0) < chosen.chosen_on - 0.2).all()
    assert np.ptp(chosen.others[:, 0]) > 0.5
