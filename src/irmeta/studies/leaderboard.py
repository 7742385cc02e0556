"""Which ranks of a leaderboard are real: models over tasks, with holes, by several aggregates side by side."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.board import Board, board_of, complete, require_comparison, types_of
from irmeta.choices import Aggregate, Holes, Over
from irmeta.cubes import by_name
from irmeta.errors import ScoresError, require_choice
from irmeta.names import split
from irmeta.parallel import seeded
from irmeta.result import frame, result
from irmeta.stats.arrays import Floats, Indices, Ints
from irmeta.stats.leaderboards import completion, holes, items, standing
from irmeta.stats.leaderboards.few import few
from irmeta.stats.leaderboards.standing import Standing
from irmeta.stats.rankings.rank import settled, tau_b
from irmeta.words import counted, shortened

RESAMPLES = 400
"""Sign reversals behind each rank set: the level is met within 1.1 percent."""
FILLINGS = 100
"""Tables with their holes filled by draws from the predictions."""
PREDICTED = 0.9
"""Level of the intervals of predicted scores."""
ENOUGH = 8
"""Models without holes that it takes to choose a few tasks on."""
WORDS: Mapping[str, str] = {
    "mean": "the mean over tasks",
    "types": "the mean over task types",
    "standardized": "the mean standardized score",
    "borda": "Borda's count",
    "bt": "Bradley-Terry strength",
}


def leaderboard(
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    over: Over = "tasks",
    aggregate: str | Iterable[Aggregate] | None = None,
    holes: Holes = "bounds",
    groups: Mapping[str, str] | None = None,
    metric: str | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    top: int | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Rank models over tasks by several aggregates, and say which ranks are real and what missing scores decide.

    scores : one cube, whose topics are tasks; or several by name, each a task, whose topics are its items.
    over : what could have been other ones: the tasks, the items within tasks, or both (this needs items).
    aggregate : mean, types (mean of the means of task types), standardized (mean of standardized scores), borda, bt
    (Bradley-Terry), one or several; the first orders the table. All by default, types only with `groups`.
    holes : bounds: the best and worst rank that missing scores allow, pairs of models compared on the tasks both have;
    predict: missing scores are predicted from the others, ranks with 90% intervals; complete: only the models without
    holes, or the tasks, whichever leaves more scores.
    groups : the type of each task by name.  metric : which, where the scores have several.
    level : of the rank sets, in (0, 1).  resamples : sign reversals behind each rank set.
    top : models that the table for reading shows, all by default; the result holds all.

    Returns over (system, aggregate) value, error (of bt), rank, best and worst (what holes allow), low and high (the
    rank set: what other tasks or items allow, all ranks at once); over (aggregate) resolution (the share of pairs whose
    order is sure) and tied (how many may be first); over (aggregate, other) tau; over (system, topic) score, and with
    holes="predict" predicted, predicted_low, predicted_high; and over (step) the few tasks that rank as all do.
    Sources: Mogstad, Romano, Shaikh and Wilhelm (REStud 2024); Muennighoff et al. (MTEB, EACL 2023) and its Borda
    count; Bradley and Terry (Biometrika 1952); Webber, Moffat and Zobel (SIGIR 2008); Rubin and Thayer (1982).

    >>> from irmeta.cube import from_frame
    >>> table = {"a": {"x": 0.9, "y": 0.8, "z": 0.7}, "b": {"x": 0.2, "y": 0.3}, "c": {"x": 0.5, "y": 0.1, "z": 0.1}}
    >>> made = leaderboard(from_frame(table), aggregate="mean")
    >>> made["best"].sel(aggregate="mean").values.tolist(), made["worst"].sel(aggregate="mean").values.tolist()
    ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    require_choice("over", over, get_args(Over))
    require_choice("holes", holes, get_args(Holes))
    if not 0 < level < 1:
        raise ScoresError(f"the level of rank sets is between 0 and 1, as in 0.95, not {level:g}")
    generator, chance = seeded(rng)
    kinds = _kinds(aggregate, groups)
    cubes = by_name(scores)
    board = board_of(cubes, metric, over)
    if holes == "complete":
        board = complete(board)
    require_comparison(board)
    types, names = types_of(board.tasks, groups) if "types" in kinds else (None, None)
    filled = completion.predict(board.scores, generator, level=PREDICTED) if _has_holes(board, holes) else None
    rank = partial(_standings, board, kinds, types, over, filled, level, resamples)
    every = rank(generator)
    data = _data(board, every)
    if filled is not None:
        over_cells = ("system", "topic")
        for name, part in (("", filled.mean), ("_low", filled.low), ("_high", filled.high)):
            data[f"predicted{name}"] = (over_cells, part)
        data["coverage"], data["prediction_error"] = filled.coverage, filled.error
    chosen = _few(board, generator)
    data.update(chosen)
    outcome = result(
        "leaderboard",
        data,
        inputs=cubes,
        options={
            **{"over": over, "aggregate": kinds, "holes": holes, "metric": metric, "groups": groups is not None},
            **{"level": level, "resamples": resamples, "top": top, "seed": chance},
        },
        notes=board.notes + _notes(board, kinds, every, over, holes),
    )
    named: dict[str, Any] = {} if names is None else {"type": ("topic", np.asarray(names, dtype=object))}
    names_of = {"system": board.models, "topic": board.tasks, "aggregate": kinds, "other": kinds}
    return outcome.assign_coords({dim: np.asarray(known, dtype=object) for dim, known in names_of.items()} | named)


def _kinds(aggregate: str | Iterable[str] | None, groups: Mapping[str, str] | None) -> list[Aggregate]:
    """List the aggregates wanted, in order."""
    known: tuple[Aggregate, ...] = get_args(Aggregate)
    if aggregate is None:
        return [kind for kind in known if kind != "types" or groups is not None]
    wanted = list(dict.fromkeys(split(aggregate) if isinstance(aggregate, str) else aggregate))
    for kind in wanted:
        require_choice("aggregate", kind, known)
    if "types" in wanted and groups is None:
        raise ScoresError("the mean over task types needs the type of each task: groups={task: type} (--groups FILE)")
    if not wanted:
        raise ScoresError(f"no aggregate is named; name some of {', '.join(known)}")
    return [kind for name in wanted for kind in known if kind == name]


def _has_holes(board: Board, policy: Holes) -> bool:
    """Say whether holes are to be filled, and refuse the items of a table whose holes are not."""
    missing = bool(np.isnan(board.scores).any())
    if missing and policy == "bounds" and board.items is not None:
        raise ScoresError("over items, a table may have no holes; use --holes predict or complete")
    return missing and policy == "predict"


def _standings(
    board: Board,
    kinds: Sequence[Aggregate],
    types: Ints | None,
    over: Over,
    filled: completion.Predictions | None,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> list[Standing]:
    """Rank by each aggregate."""
    if filled is None and over == "tasks":
        allowed = _allowed(board.scores, kinds, types)
        share = partial(standing.as_it_is, board.scores, types=types, level=level, draws=draws)
        return [share(kind, rng, allowed=allowed[kind]) for kind in kinds]
    known = np.isfinite(board.scores)
    table = board.scores if filled is None else np.where(known, board.scores, filled.mean)
    others = table[None]
    if over != "tasks" and board.items is not None:
        moved = items.redrawn(board.items, FILLINGS, rng) - board.scores
        others = table + np.nan_to_num(moved)
    if filled is not None:
        others = others + (completion.draw(board.scores, filled, FILLINGS, rng) - table)
    share = partial(standing.resampled, table, types=types, level=level, draws=draws, filled=filled is not None)
    return [share(kind, others, rng, tasks=over != "items") for kind in kinds]


def _allowed(scores: Floats, kinds: Sequence[Aggregate], types: Ints | None) -> dict[Aggregate, holes.Bounds]:
    """Bound the ranks by each aggregate; those of bt are those of borda."""
    limits = holes.scale(scores)
    allowed: dict[Aggregate, holes.Bounds] = {
        kind: holes.bounds(scores, kind, limits, types) for kind in kinds if kind != "bt"
    }
    if "bt" in kinds:
        allowed["bt"] = allowed["borda"] if "borda" in allowed else holes.bounds(scores, "bt", limits)
    return allowed


def _data(board: Board, every: Sequence[Standing]) -> dict[str, object]:
    """Label what the standings hold."""
    columns = {name: [getattr(one, name) for one in every] for name in ("value", "error", "rank", "best", "worst")}
    columns |= {"low": [one.sets.low for one in every], "high": [one.sets.high for one in every]}
    data: dict[str, object] = {
        name: (("system", "aggregate"), np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=1))
        for name, parts in columns.items()
    }
    pairs = len(board.models) * (len(board.models) - 1) / 2
    data["resolution"] = ("aggregate", [one.sets.better.sum() / pairs for one in every])
    data["tied"] = ("aggregate", [int((one.sets.low == 1).sum()) for one in every])
    data["tau"] = (("aggregate", "other"), [[_tau(one, other) for other in every] for one in every])
    data["score"] = (("system", "topic"), board.scores)
    return data


def _tau(one: Standing, other: Standing) -> float:
    """Return Kendall's tau-b between two aggregates, over the models that have a value by both."""
    both = np.isfinite(one.value) & np.isfinite(other.value)
    if both.sum() < 2:
        return float("nan")
    return float(tau_b(settled(one.value[both]), settled(other.value[both])))


def _few(board: Board, rng: np.random.Generator) -> dict[str, object]:
    """Choose a few tasks on the models without holes, where there are enough."""
    complete = np.isfinite(board.scores).all(axis=1)
    if complete.sum() < ENOUGH:
        return {}
    chosen = few(board.scores[complete], rng)
    names = np.asarray(board.tasks, dtype=object)[chosen.tasks]
    return {"task": ("step", names), "tau_few": ("step", chosen.others), "tau_chosen": ("step", chosen.chosen_on)}


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `models` (a row for each model and aggregate), `aggregates`, `tau`, `tasks`, `few`, `predicted`."""
    columns = ("value", "error", "rank", "best", "worst", "low", "high")
    counts = outcome["score"].notnull()
    scored = outcome.assign(tasks=counts.sum("topic")).isel(system=order(outcome))
    whole = [pl.col(name).cast(pl.Int64) for name in ("rank", "best", "worst", "low", "high")]
    models = frame(scored, [*columns, "tasks"], by=["aggregate", "system"]).with_columns(
        pl.selectors.float().fill_nan(None)
    )
    views = {
        "models": models.with_columns(whole).select("system", "aggregate", "tasks", *columns),
        "aggregates": frame(outcome, ["resolution", "tied"]),
        "tau": frame(outcome, ["tau"]).with_columns(pl.col("tau").fill_nan(None)),
        "tasks": _tasks(outcome, counts),
    }
    if "task" in outcome:
        few_tasks = frame(outcome, ["tau_chosen", "tau_few"], by=["task"])
        views["few"] = few_tasks.rename({"tau_few": "tau_others"}).with_row_index("tasks", offset=1)
    if "predicted" in outcome:
        views["predicted"] = _predicted(outcome)
    return views


def _tasks(outcome: xr.Dataset, counts: xr.DataArray) -> pl.DataFrame:
    """List tasks: type, how many models have them, and how well they agree with the rest of the tasks."""
    held: dict[str, object] = {"task": _texts(outcome.topic)}
    if "type" in outcome.coords:
        held["type"] = _texts(outcome["type"])
    held["models"] = counts.sum("system").values
    held["mean"] = outcome["score"].mean("system").values
    return pl.DataFrame(held)


def _predicted(outcome: xr.Dataset) -> pl.DataFrame:
    """List the holes with their predictions."""
    columns = ("predicted", "predicted_low", "predicted_high")
    every = frame(outcome, ["score", *columns])
    return every.filter(pl.col("score").is_nan()).drop("score").rename({"topic": "task"})


def order(outcome: xr.Dataset) -> Indices:
    """Order models by the first aggregate: by rank, one without a rank by the middle of what its holes allow."""
    first = outcome.isel(aggregate=0)
    middle = (first["best"].values + first["worst"].values) / 2
    place = np.where(np.isnan(first["rank"].values), middle, first["rank"].values)
    return np.lexsort((first["best"].values, place))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the models by the first aggregate, their ranks by all, and how the aggregates agree."""
    ordered = outcome.isel(system=order(outcome)[: about(outcome)["options"]["top"]])
    first = ordered.isel(aggregate=0)
    models = _texts(first.system)
    board: dict[str, object] = {
        "model": models,
        "tasks": ordered["score"].notnull().sum("topic").values,
        str(first["aggregate"].item()): first["value"].values,
        "rank": _whole(first["rank"].values),
        "rank set": _ranges(first["low"].values, first["high"].values),
    }
    if first["rank"].isnull().all():
        board.pop("rank")
    if outcome["score"].isnull().any():
        board["holes allow"] = _ranges(first["best"].values, first["worst"].values)
    views = {"leaderboard": pl.DataFrame(board)}
    if outcome.sizes["aggregate"] > 1:
        ranks = {str(kind): _ranks(ordered.sel(aggregate=kind)) for kind in outcome.aggregate.values}
        views["ranks"] = pl.DataFrame({"model": models, **ranks})
        views["tau"] = tables(outcome)["tau"].pivot("other", index="aggregate", values="tau")
    return views


def _texts(labels: xr.DataArray) -> list[str]:
    """Return labels as text, whatever a file made of them."""
    return [str(label) for label in labels.values]


def _whole(ranks: Floats) -> pl.Series:
    """Return ranks as whole numbers, null where there is none."""
    return pl.Series(ranks, dtype=pl.Float64).fill_nan(None).cast(pl.Int64)


def _ranks(one: xr.Dataset) -> pl.Series:
    """Return the ranks by one aggregate; where missing scores leave some open, as text, with those that they allow."""
    ranks = _whole(one["rank"].values)
    if not ranks.null_count():
        return ranks
    allowed = pl.Series(_ranges(one["best"].values, one["worst"].values))
    return ranks.cast(pl.String).fill_null(allowed)


def _ranges(low: Floats, high: Floats) -> list[str]:
    return [f"{first:.0f}-{last:.0f}" for first, last in zip(low, high, strict=True)]


def findings(outcome: xr.Dataset) -> list[str]:
    """Say who may be first, how much of the order is sure, what the holes decide, and how far aggregates agree."""
    kind = str(outcome.aggregate.values[0])
    told = [_first_place(outcome, kind), *_holes_decide(outcome, kind)]
    told += _agreement(outcome)
    if "task" in outcome:
        told += _suffice(outcome)
    return told


def _first_place(outcome: xr.Dataset, kind: str) -> str:
    """Say who is first, who may be with other tasks, and how much of the order is sure."""
    one = outcome.sel(aggregate=kind)
    tied, models = int(one["tied"].item()), outcome.sizes["system"]
    options = about(outcome)["options"]
    varied = {"tasks": "other tasks", "items": "other items", "both": "other tasks and items"}[options["over"]]
    leader = int(order(outcome)[0])
    head = f"By {WORDS[kind]}, {shortened(str(outcome.system.values[leader]))} is first of {models} models"
    if np.isnan(one["rank"].values[leader]):
        head = _open_first(outcome, kind)
    may_be = f"any of {tied} models may be first" if tied > 1 else "it would stay first"
    share, level = one["resolution"].item(), options["level"]
    sure = f"the order of {share:.0%} of the pairs of models is sure (at {level:.0%} for all together)"
    return f"{head}. With {varied}, {may_be}, and {sure}."


def _open_first(outcome: xr.Dataset, kind: str) -> str:
    """Say who leads where missing scores leave it open."""
    one = outcome.sel(aggregate=kind)
    firsts = int((one["best"].values == 1).sum())
    values = one["value"].values
    known = int(np.isfinite(values).sum())
    of_those = ""
    if known:
        leader = shortened(str(outcome.system.values[int(np.nanargmax(values))]))
        of_those = f"; of the {counted(known, 'model')} without holes it is {leader}"
    return f"Missing scores leave open which of {counted(firsts, 'model')} is first by {WORDS[kind]}{of_those}"


def _holes_decide(outcome: xr.Dataset, kind: str) -> list[str]:
    """Say how much is missing and what it decides."""
    absent = int(np.isnan(outcome["score"].values).sum())
    if not absent:
        return []
    one = outcome.sel(aggregate=kind)
    wide = (one["worst"] - one["best"]).values
    lacking = np.isnan(outcome["score"].values).any(axis=1)
    count = f"{absent:,} of {outcome['score'].size:,} scores are missing ({absent / outcome['score'].size:.0%})"
    if "predicted" in outcome:
        return [
            f"{count}; they were predicted from the models' other scores. Of scores hidden to check this,"
            f" {outcome['coverage'].item():.0%} lay within their {PREDICTED:.0%} intervals (typical error"
            f" {outcome['prediction_error'].item():.3f}). That holds for holes like the scores that there are; scores"
            " withheld because they are bad are worse than predicted."
        ]
    unranked = int(np.isnan(one["value"].values).sum())
    without = f"{counted(unranked, 'model')} with holes {_has(unranked)} no {kind}" if unranked else ""
    moved = f"they leave the median model with holes {np.median(wide[lacking]) + 1:.0f} possible ranks"
    return [
        f"{count}: {'; '.join(part for part in (without, moved) if part)}."
        " These bounds hold whatever the missing scores are, also where bad ones were withheld;"
        " --holes predict narrows them where models skipped tasks for other reasons."
    ]


def _agreement(outcome: xr.Dataset) -> list[str]:
    """Name the two aggregates that agree least, and the model that they rank most differently."""
    names = _texts(outcome.aggregate)
    if len(names) < 2 or np.isnan(outcome["tau"].values).all():
        return []
    tau = outcome["tau"].values
    a, b = np.unravel_index(int(np.nanargmin(tau)), tau.shape)
    told = f"The aggregates that agree least are {names[a]} and {names[b]} (tau {tau[a, b]:.2f})"
    ranks = outcome["rank"].values
    apart = np.nan_to_num(np.abs(ranks[:, a] - ranks[:, b]), nan=-1.0)
    if apart.max() > 0:
        most = int(apart.argmax())
        model = shortened(str(outcome.system.values[most]))
        told += f"; they disagree most about {model}, rank {ranks[most, a]:.0f} and {ranks[most, b]:.0f}"
    return [f"{told}."]


def _suffice(outcome: xr.Dataset) -> list[str]:
    """Say how many tasks rank other models as all do."""
    taus, names = outcome["tau_few"].values, _texts(outcome["task"])
    enough = np.flatnonzero(taus >= 0.9)
    step = int(enough[0]) if enough.size else len(taus) - 1
    listed = ", ".join(shortened(name) for name in names[: step + 1])
    count = counted(step + 1, "task")
    return [
        f"{count} of {outcome.sizes['topic']} ({listed}) {'rank' if step else 'ranks'} models on which they were not"
        f" chosen as the mean over all does, with tau {taus[step]:.2f}."
    ]


def _notes(board: Board, kinds: Sequence[Aggregate], every: Sequence[Standing], over: Over, policy: Holes) -> list[str]:
    """Say what was assumed."""
    missing = bool(np.isnan(board.scores).any())
    low, high = holes.scale(board.scores)
    negative = int((low < 0).sum())
    notes = []
    if missing and policy == "bounds":
        below = f", from {low.min():g} on {counted(negative, 'task')} with scores below 0" if negative else ""
        notes.append(f"bounds: a missing score may be anything from 0 to {high[0]:g}{below}")
    if missing and policy == "bounds" and "standardized" in kinds:
        notes.append("standardized: bounds keep the mean and spread of the scores that each task has")
    if missing and policy == "bounds" and "bt" in kinds:
        notes.append("bt: bounds are those of borda, which ranks a full table as Bradley-Terry does")
    if any(one.separated for one in every):
        notes.append("bt: some models never lose, or never win, to others; each pair got a tenth of a draw more")
    if over == "both":
        notes.append("over both: items count twice, as they are in the spread over tasks, too; rank sets are wide")
    return notes


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
