"""Which ranks of a leaderboard are real: models over tasks, with holes, by several aggregates side by side."""

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from itertools import compress
from typing import Annotated, Any, get_args

import numpy as np
import numpy.typing as npt
import xarray as xr

from irmeta.choices import Aggregate, Holes, Over
from irmeta.errors import ScoresError, require_choice, require_least, require_share
from irmeta.measured.coverage import held
from irmeta.metrics.names import split
from irmeta.parallel import again, seeded
from irmeta.scores.attributes import CHOSEN, about, recorded
from irmeta.scores.cubes import by_name
from irmeta.scores.groups.clusters import with_cluster_facts
from irmeta.scores.groups.repeats import runs_sentence, with_other_runs
from irmeta.scores.notes import Act, Method
from irmeta.scores.result import result
from irmeta.scores.selection import main_metric, select
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.halves.clusters import totals
from irmeta.stats.leaderboards import completion, holes, items, standing
from irmeta.stats.leaderboards.bradley_terry import isolated
from irmeta.stats.leaderboards.few import choose_few_tasks
from irmeta.stats.leaderboards.standing import Standing, Tables
from irmeta.stats.rankings.first import fewest
from irmeta.stats.rankings.rank import tau_b
from irmeta.stats.rankings.ranksets import fewest_topics
from irmeta.stats.tests.stepdown import DRAWS
from irmeta.studies.door import (
    AS_TASKS,
    Cube,
    Cubes,
    Given,
    NamesByName,
    NumbersByName,
    study,
)
from irmeta.studies.leaderboard import costs
from irmeta.studies.leaderboard.board import (
    Board,
    board_of,
    complete,
    predictable,
    require_comparison,
    types_of,
    whole_part,
    with_tasks,
)
from irmeta.words import counted, listed

TYPES = Given("FILE", "irmeta.io.tables.spreadsheet.read_types")
COSTS = Given("FILE", "irmeta.io.tables.spreadsheet.read_costs")
RESAMPLES = 4000
"""Draws behind rank sets of tables with predicted scores: they are quick, and fewer let ends move with the seed."""
FILLINGS = 100
"""Tables with their holes filled by draws from the predictions."""
PREDICTED = 0.9
"""Level of the intervals of predicted scores."""
_MEAN: Aggregate = "mean"
"""The one aggregate of scores that are what each task adds to an estimated mean."""
ENOUGH = 8
"""Models without holes that it takes to choose a few tasks: half of them choose, the others check."""


@study
def leaderboard(
    scores: Annotated[Cube | Cubes, AS_TASKS],
    *,
    over: Over = "tasks",
    aggregate: str | Sequence[Aggregate] | None = None,
    holes: Holes = "bounds",
    min_tasks: int = 1,
    types: Annotated[NamesByName | None, TYPES] = None,
    cost: Annotated[NumbersByName | None, COSTS] = None,
    metric: str | None = None,
    level: float = 0.95,
    resamples: int | None = None,
    first: int | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Rank models over tasks by several aggregates, with the ranks that each may have, and what holes decide.

    scores : one cube, or a data frame, whose topics are tasks; or several by name, each a task of items as topics
    over : what the ranks should hold for: other tasks, other items within tasks, or both (this needs items)
    aggregate : how to aggregate scores, one or more, separated by commas; the first orders the table: mean, types (mean
        of the means of task types), standardized (mean of standardized scores), borda, bt (Bradley-Terry); by default
        all of them, and mean of scores that are what a task adds to an estimate
    holes : what to do with missing scores: bounds: the best and worst rank that they allow, pairs of models compared on
        the tasks both have;
        predict: missing scores are predicted from the others, ranks with 90% intervals; complete: only the models
        without holes, or the tasks, whichever leaves more scores; or a part of both, where that leaves twice as many
    min_tasks : leave out models with scores on fewer tasks
    types : task types: by name of the task, or a CSV with the columns task and type (or kind)
    cost : a CSV with the columns model and cost, or costs by name of the model; says which models may be on the front:
        no cheaper one is shown to be better
    metric : the metric that ranks, of several; by default the first
    level : level at which all rank sets hold at once
    resamples : number of random sign flips for the rank sets, 40 or more; by default 1000, with predicted scores 4000
    first : number of models in the table for reading, and in a plot beside those to highlight; JSON and CSV have all;
        by default a screen of them, all in a file, and the best 30 in a plot
    rng : a seed or a generator, of all that is random

    Returns over (system, aggregate) value, error (of bt), rank, best and worst (what holes allow), low and high (the
    rank set: what other tasks or items allow, all ranks at once); over (aggregate) resolution (the share of pairs whose
    order is sure) and tied (how many may be first); over (aggregate, other) tau, over the `compared` models that have a
    value by all aggregates; over (system, topic) score, and with holes="predict" predicted, predicted_low and
    predicted_high, with the coverage of hidden scores, of those of the ten best models, and of each task's; with
    holes="bounds" and holes, over (system) complete_rank, complete_low and complete_high, by the first aggregate on
    the part without holes; by the mean, if it is the first aggregate, over (topic) decides: the fewest tasks without
    which the first is no longer ahead of all, and runner_up, who then is level or ahead ("" if no tasks do it); with
    holes="bounds" of the part without holes;
    over (step) the few tasks that rank as all do, with tau on the models that chose them, and its mean and 95% of its
    values over halves of the models that did not; with cost, over (system) cost, and by the first aggregate front (as
    the values stand), front_possible and front_sure (all at once at `level`), and beaten_by, a cheaper model that is
    shown to be better.
    Where models are means of runs, share_of_runs: the share of the variance of differences of means that runs cause.
    Sources: Mogstad, Romano, Shaikh and Wilhelm (REStud 2024); Muennighoff et al. (MTEB, EACL 2023) and its Borda
    count; Bradley and Terry (Biometrika 1952); Webber, Moffat and Zobel (SIGIR 2008); Rubin and Thayer (1982).

    >>> from irmeta.scores.cube import from_frame
    >>> table = {"a": {"x": 0.9, "y": 0.8, "z": 0.7}, "b": {"x": 0.2, "y": 0.3}, "c": {"x": 0.5, "y": 0.1, "z": 0.1}}
    >>> made = leaderboard(from_frame(table), aggregate="mean")
    >>> made["best"].sel(aggregate="mean").values.tolist(), made["worst"].sel(aggregate="mean").values.tolist()
    ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    require_share("the level of rank sets", level, 0.95)
    require_least(min_tasks=(min_tasks, 1), resamples=(resamples, 40), first=(first, 1))
    generator, _ = seeded(rng)
    of_few = again(generator)  # the same whatever is done with holes
    cubes = by_name(scores)
    by_task = not any("estimated" in about(one) for one in cubes.values())
    kinds = _kinds(aggregate, types) if by_task or aggregate else [_MEAN]
    board = board_of(cubes, metric, over)
    chosen = any("topics" in about(one).get(CHOSEN, {}) for one in cubes.values())
    if min_tasks > 1 or (chosen and board.items is None):
        board = with_tasks(board, min_tasks)
    if holes == "complete":
        board = complete(board)
    if holes == "predict":
        board = predictable(board, completion.LEAST)
    require_comparison(board)
    numbers, type_of_task = None, None
    if "types" in kinds:
        numbers, type_of_task = types_of(board.tasks, types)
    filled = None
    if _are_holes_filled(board, holes):
        filled = completion.predict(
            board.scores,
            generator,
            level=PREDICTED,
            scale=_task_limits(board.scores),
        )
    unlinked: list[str] = []
    if filled is None:
        kinds, unlinked = _connected_aggregates(board, kinds, aggregate)
    others = _tables(board, over, filled, generator)
    if resamples is None:
        resamples = DRAWS if filled is None else RESAMPLES
    rank = partial(_standings, board, kinds, numbers, over, filled, level, resamples)
    every = rank(others, generator)
    data = _standing_variables(board, every)
    if filled is not None:
        data |= _predictions(filled)
    if by_task:
        data |= _few_task_figures(board, of_few)
    if holes == "bounds":
        data |= _without_holes(board, kinds[0], types, level, resamples, generator)
    ranked = _filled_table(board.scores, filled)
    whole = np.isfinite(ranked).all() or "complete_rank" in data
    if kinds[0] == _MEAN and whole and by_task:
        data |= _first_place_figures(board, ranked)
    of_costs: list[str] = []
    if cost is not None:
        found, of_costs = costs.front_of(board, every[0], cost)
        data |= found
    repeats = board.other_runs()
    if repeats is not None:
        data["share_of_runs"] = repeats.share.item()
    outcome = result(
        "leaderboard",
        data,
        inputs=_cubes_as_used(cubes, board, over, metric),
        options={
            "aggregate": kinds,
            "metric": metric
            or _shared_metric({main_metric(one) for one in cubes.values()}),
            "types": types is not None,
        },
        notes=[
            *unlinked,
            *of_costs,
            *board.notes,
            *_notes(board, every, over, holes, level),
        ],
    )
    labels: dict[str, Any] = {
        "system": _objects(board.models),
        "topic": _objects(board.tasks),
        "aggregate": _objects(kinds),
        "other": _objects(kinds),
    }
    if type_of_task is not None:
        labels["type"] = ("topic", _objects(type_of_task))
    called = recorded({"called": board.nouns._asdict()})
    return outcome.assign_coords(labels).assign_attrs(called)


def _shared_metric(metrics: set[str]) -> str | None:
    """Return the one metric that all tables have; None where there are several."""
    return next(iter(metrics)) if len(metrics) == 1 else None


def _cubes_as_used(
    cubes: Mapping[str, xr.DataArray], board: Board, over: Over, metric: str | None
) -> Mapping[str, xr.DataArray]:
    """Return the scores that are ranked: they say how many clusters they have, and whether ranks allow for other runs.

    They do of all tasks of one cube, or of items within tasks.
    """
    names = None if metric is None else [metric]
    kept = {
        name: _kept(one, board).pipe(select, metrics=names)
        for name, one in cubes.items()
    }
    kept = {name: with_cluster_facts(one) for name, one in kept.items()}
    if over == "tasks" and board.repeats is None:
        return kept
    return {name: with_other_runs(one) for name, one in kept.items()}


def _kept(scores: xr.DataArray, board: Board) -> xr.DataArray:
    """Return the scores of the models of a board, on its tasks where these are their topics."""
    systems = [str(name) for name in scores.system.values if name in board.models]
    topics = [str(name) for name in scores.topic.values if name in board.tasks]
    return select(scores, systems=systems, topics=topics or None)


def _objects(names: Sequence[str]) -> npt.NDArray[np.object_]:
    """Return names as the labels of a dimension: text of any length."""
    return np.asarray(names, dtype=object)


def _predictions(filled: completion.Predictions) -> dict[str, object]:
    """Label the predicted scores with their intervals, and how well hidden ones were predicted."""
    cells = ("system", "topic")
    return {
        "predicted": (cells, filled.mean),
        "predicted_low": (cells, filled.low),
        "predicted_high": (cells, filled.high),
        "coverage": filled.coverage,
        "coverage_of_top": filled.coverage_of_top,
        "coverage_of_task": ("topic", filled.coverage_of_tasks),
        "prediction_error": filled.error,
    }


def _kinds(
    aggregate: str | Sequence[str] | None, types: Mapping[str, str] | None
) -> list[Aggregate]:
    """List the aggregates wanted, in order."""
    known: tuple[Aggregate, ...] = get_args(Aggregate)
    if aggregate is None:
        return [kind for kind in known if kind != "types" or types is not None]
    named = split(aggregate) if isinstance(aggregate, str) else aggregate
    wanted = list(dict.fromkeys(named))
    for kind in wanted:
        require_choice("aggregate", kind, known)
    if "types" in wanted and types is None:
        raise ScoresError(
            "the aggregate types needs the type of each task (--types FILE)"
        )
    if not wanted:
        raise ScoresError(f"no aggregate is named; name some of {', '.join(known)}")
    return [known[known.index(kind)] for kind in wanted]


def _connected_aggregates(
    board: Board, kinds: list[Aggregate], wanted: str | Sequence[str] | None
) -> tuple[list[Aggregate], list[str]]:
    """Leave out the strengths where common tasks do not connect all models, unless they were asked for."""
    alone = isolated(board.scores)
    if "bt" not in kinds or not alone.any():
        return kinds, []
    who = listed(compress(board.models, alone))
    if wanted is not None:
        raise ScoresError(
            f"bt compares models on the tasks that both have, and no common task connects {who} with the others; "
            "leave them out (--systems), or choose other aggregates"
        )
    rest: list[Aggregate] = [kind for kind in kinds if kind != "bt"]
    return rest, [
        Act(
            f"No common task connects {who} with the others: there are no strengths (bt)."
        )
    ]


def _task_limits(scores: Floats) -> tuple[Floats, Floats]:
    """Return the ends of each task's scale where it is known, from what is seen: 1 or 100; else there are none."""
    low, high = holes.scale(scores)
    known = high <= 100
    return np.where(known, low, -np.inf), np.where(known, high, np.inf)


def _are_holes_filled(board: Board, policy: Holes) -> bool:
    """Say whether there are holes to fill; ranks over items with holes that stay raise ScoresError."""
    missing = bool(np.isnan(board.scores).any())
    if missing and policy == "bounds" and board.items is not None:
        raise ScoresError(
            "ranks over items need a table without missing scores; use --holes predict or "
            "--holes complete"
        )
    return missing and policy == "predict"


def _filled_table(scores: Floats, filled: completion.Predictions | None) -> Floats:
    """Return the table with its holes filled by their predictions, where they were predicted."""
    if filled is None:
        return scores
    return np.where(np.isfinite(scores), scores, filled.mean)


def _tables(
    board: Board,
    over: Over,
    filled: completion.Predictions | None,
    rng: np.random.Generator,
) -> Tables:
    """Return the table, or draws of what it could as well be: with other items, and its holes filled otherwise."""
    table = _filled_table(board.scores, filled)
    others = table[None]
    if over != "tasks" and board.items is not None:
        moved = items.resampled(board.items, FILLINGS, rng) - board.scores
        others = table + np.nan_to_num(moved)
    if filled is not None:
        moved = completion.draw(board.scores, filled, FILLINGS, rng) - table
        others = others + moved
    return Tables(others)


def _standings(
    board: Board,
    kinds: Sequence[Aggregate],
    types: Ints | None,
    over: Over,
    filled: completion.Predictions | None,
    level: float,
    draws: int,
    others: Tables,
    rng: np.random.Generator,
) -> list[Standing]:
    """Rank by each aggregate.

    types : the number of each task's type.  draws : of random signs.  others : what the table could as well be.
    """
    options: dict[str, Any] = {"types": types, "level": level, "draws": draws}
    options["runs"] = _run_variance(board)
    if filled is not None or over != "tasks":
        table = _filled_table(board.scores, filled)
        options |= {"filled": filled is not None, "tasks": over != "items"}
        return [
            standing.rank_filled(table, kind, others, again(rng), **options)
            for kind in kinds
        ]
    allowed: dict[Aggregate, holes.Bounds] = {}
    every = []
    for kind in kinds:
        scores = _scores_for(kind, board)
        # without holes bt ranks as borda does, and of the same scores
        bounded: Aggregate = "borda" if kind == "bt" else kind
        if bounded not in allowed:
            allowed[bounded] = _rank_bounds(scores, bounded, types)
        bounds = allowed[bounded]
        every.append(
            standing.rank_with_holes(
                scores, kind, again(rng), allowed=bounds, **options
            )
        )
    return every


def _scores_for(kind: Aggregate, board: Board) -> Floats:
    """Return the scores that an aggregate is made of: votes and standardized scores are of each cluster by itself."""
    if kind == "types":
        return board.scores
    return board.contributions() if kind == "mean" else board.unit_scores()


def _run_variance(board: Board) -> Floats | None:
    """Return what other runs add to the variance of each model's mean, (model,)."""
    found = board.other_runs()
    return None if found is None else found.added[:, 0]


def _rank_bounds(scores: Floats, kind: Aggregate, types: Ints | None) -> holes.Bounds:
    """Return the best and the worst rank by an aggregate that missing scores allow."""
    return holes.bounds(scores, kind, holes.scale(scores), types)


def _standing_variables(board: Board, every: Sequence[Standing]) -> dict[str, object]:
    """Label what the standings by all aggregates hold, and how these agree."""
    columns = {
        name: [getattr(one, name) for one in every]
        for name in ("value", "error", "rank", "best", "worst")
    }
    columns |= {
        "low": [one.sets.low for one in every],
        "high": [one.sets.high for one in every],
    }
    data: dict[str, object] = {
        name: (("system", "aggregate"), np.column_stack(parts).astype(np.float64))
        for name, parts in columns.items()
    }
    pairs = len(board.models) * (len(board.models) - 1) / 2
    data["resolution"] = ("aggregate", [one.sets.better.sum() / pairs for one in every])
    data["tied"] = ("aggregate", [int((one.sets.low == 1).sum()) for one in every])
    same = _valued_by_all(every)
    data["tau"] = (
        ("aggregate", "other"),
        [[_tau(one, other, same) for other in every] for one in every],
    )
    data["compared"] = int(same.sum())
    data["score"] = (("system", "topic"), board.scores)
    return data


def _valued_by_all(every: Sequence[Standing]) -> Bools:
    """Say which models have a value by every aggregate that gives values to 2 models or more: (model,)."""
    known = [np.isfinite(standing.value) for standing in every]
    compared = [valued for valued in known if valued.sum() > 1]
    return reduce(np.logical_and, compared, np.ones_like(known[0]))


def _tau(first: Standing, second: Standing, same: Bools) -> float:
    """Return Kendall's tau-b between two aggregates over some models; NaN where an aggregate has no value for one."""
    a, b = first.value[same], second.value[same]
    if len(a) < 2 or np.isnan(a).any() or np.isnan(b).any():
        return float("nan")
    return float(tau_b(settled(a), settled(b)))


def _first_place_figures(board: Board, scores: Floats) -> dict[str, object]:
    """Return the fewest tasks that the first place by the mean rests on, and who is level or ahead without them.

    scores : (model, task); where some are missing, the part without holes is looked at.
    """
    models, tasks = whole_part(np.isfinite(scores))
    part = scores[models][:, tasks]
    if board.sizes is not None:
        part = totals(part, board.sizes)
    found = fewest(part)
    decides = np.zeros(len(tasks), dtype=np.bool_)
    runner_up = ""
    if found is not None:
        decides[np.flatnonzero(tasks)[found.topics]] = True
        runner_up = board.models[np.flatnonzero(models)[found.system]]
    return {"decides": ("topic", decides), "runner_up": runner_up}


def _few_task_figures(board: Board, rng: np.random.Generator) -> dict[str, object]:
    """Choose a few tasks on the part without holes, where it has enough models and half of the tasks."""
    models, tasks = whole_part(np.isfinite(board.scores))
    if models.sum() < ENOUGH or not _holds_board(tasks):
        return {}
    chosen = choose_few_tasks(board.unit_scores()[np.ix_(models, tasks)], rng)
    names = np.asarray(board.tasks, dtype=object)[tasks]
    # of halves that have a tau: not all models tie
    halves = chosen.others[np.isfinite(chosen.others).all(axis=1)]
    if not len(halves):
        return {}
    low, high = np.quantile(halves, [0.025, 0.975], axis=0)
    return {
        "task": ("step", names[chosen.tasks]),
        "tau_chosen": ("step", chosen.chosen_on),
        "tau_few": ("step", halves.mean(axis=0)),
        "tau_few_low": ("step", low),
        "tau_few_high": ("step", high),
        "few_of": (("side",), [int(models.sum()), int(tasks.sum())]),
    }


def _holds_board(tasks: Bools) -> bool:
    """Say whether the tasks without holes are enough to speak for the board: half of all."""
    return bool(tasks.sum() >= max(2, tasks.size / 2))


def _without_holes(
    board: Board,
    kind: Aggregate,
    types: Mapping[str, str] | None,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, object]:
    """Rank the part of a table without holes by the first aggregate; NaN for models that are not in it."""
    present = np.isfinite(board.scores)
    models, tasks = whole_part(present)
    if present.all() or models.sum() < 2 or not _holds_board(tasks):
        return {}
    scores = board.scores[models][:, tasks]
    part = board.kept(models, tasks)
    numbers = types_of(part.tasks, types)[0] if kind == "types" else None
    allowed = _rank_bounds(scores, kind, numbers)
    one = standing.rank_with_holes(
        scores,
        kind,
        rng,
        allowed=allowed,
        types=numbers,
        level=level,
        draws=draws,
        runs=_run_variance(part),
    )
    columns = {"rank": one.rank, "low": one.sets.low, "high": one.sets.high}
    data: dict[str, object] = {}
    for name, values in columns.items():
        every = np.full(len(models), np.nan)
        every[models] = values
        data[f"complete_{name}"] = ("system", every)
    pairs = models.sum() * (models.sum() - 1) / 2
    data["complete_resolution"] = one.sets.better.sum() / pairs
    data["complete_tied"] = int((one.sets.low == 1).sum())
    data["complete_tasks"] = int(tasks.sum())
    return data


def _notes(
    board: Board, every: Sequence[Standing], over: Over, policy: Holes, level: float
) -> list[str]:
    """Say what rank sets and values take for granted of missing scores, runs and items."""
    nouns = board.nouns
    missing = bool(np.isnan(board.scores).any())
    notes: list[str] = []
    if missing and policy == "bounds":
        notes.append(_bounds_note(board))
    if missing and policy == "bounds" and over == "tasks":
        notes.append(
            f"rank sets compare two {nouns.model}s on the {nouns.task}s that both have: they hold "
            f"if scores are missing at random or by {nouns.model}; if some {nouns.model}s withheld "
            "bad scores, they favour these"
        )
    if missing and policy == "predict":
        notes.append(
            f"values marked ~ contain predicted scores, kept within the scale of their {nouns.task}"
        )
        tasks = len(board.tasks)
        enough = over == "tasks" and tasks >= fewest_topics(level)
        if enough and not any(one.sets.better.any() for one in every):
            notes.append(
                f"with {tasks} {nouns.task}s and scores predicted, no two {nouns.model}s are distinguished; --holes "
                f"bounds, which compares two on the {nouns.task}s that both have, may distinguish some"
            )
    if any(one.separated for one in every):
        notes.append(
            Method(
                f"bt: some {nouns.model}s always win or always lose; a tenth of a draw was added to "
                "each pair"
            )
        )
    repeats = board.other_runs()
    if board.repeats and repeats:
        called = (nouns.model, nouns.task)
        by = f"the mean over {nouns.task}s"
        notes.append(runs_sentence(board.repeats.facts, repeats, by, called))
        notes += _coverage_notes(*board.scores.shape)
    if over == "both":
        notes.append(
            f"over both: {nouns.item}s count twice, as the spread over {nouns.task}s includes them, "
            "so that rank sets are too wide"
        )
    return notes


def _coverage_notes(models: int, tasks: int) -> list[str]:
    """Say how often rank sets of means of runs held on boards like this one, if that is too seldom."""
    of = "rank sets of a leaderboard of means of runs"
    found = held(of, systems=models, topics=tasks)
    if not found.broken:
        return []
    return [
        f"Rank sets of means of runs held in {found}, least by standardized and borda where runs cause most of the "
        "variance."
    ]


def _bounds_note(board: Board) -> str:
    """Say which scores bounds take as possible."""
    low, high = holes.scale(board.scores)
    task = board.nouns.task
    negative = int((low < 0).sum())
    below = ""
    if negative:
        below = (
            f", and down to minus that on {counted(negative, task)} with scores below 0"
        )
    return Method(
        f"bounds: a missing score can be anything from {_scale_clause(high, task)}{below}"
    )


def _scale_clause(high: Floats, task: str) -> str:
    """Say where scores end, and on how many tasks where these differ."""
    ends, tasks = np.unique(high, return_counts=True)
    if len(ends) == 1:
        return f"0 to {ends[0]:g}"
    return listed(
        f"0 to {end:g} on {counted(int(count), task)}"
        for end, count in zip(ends, tasks, strict=True)
    )
