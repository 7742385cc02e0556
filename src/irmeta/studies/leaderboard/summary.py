"""What a leaderboard tells: tables for programs, an overview and findings for people."""

from collections.abc import Mapping

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.names import ESTIMATED, standardized
from irmeta.scores.attributes import CHOSEN, about
from irmeta.scores.figures import first_rows, interval, row_limit, short, spans
from irmeta.scores.notes import Answer, Beside
from irmeta.scores.result import frame, is_estimated, standardization_of, with_nulls
from irmeta.scores.tables.roles import SCORE
from irmeta.scores.tables.units import in_other_unit
from irmeta.stats.arrays import Bools, Floats, Indices, settled
from irmeta.stats.leaderboards.aggregates import task_points
from irmeta.stats.leaderboards.completion import TOP
from irmeta.stats.leaderboards.holes import on_larger_scale
from irmeta.stats.leaderboards.standing import ranked
from irmeta.stats.rankings.first import few
from irmeta.stats.rankings.rank import tau_b
from irmeta.studies.leaderboard.study import PREDICTED
from irmeta.words import are, counted, joined, listed, shortened

WORDS: Mapping[str, str] = {
    "mean": "the mean{of} over {task}s",
    "types": "the mean{of} over {task} types",
    "standardized": "the mean standardized score{of}",
    "borda": "the Borda count{of}",
    "bt": "Bradley-Terry strength{of}",
}
"""What each aggregate ranks by; of which metric, where it has a name."""
AGGREGATES: Mapping[str, str] = {
    "mean": "mean",
    "types": "mean over types",
    "standardized": "standardized mean",
    "borda": "Borda",
    "bt": "Bradley-Terry",
}
"""What the findings call each aggregate."""
ADDED = {"mean", "types"}
"""Aggregates that add scores up as they are."""
UNVOTED: Mapping[str, str] = {
    "borda": ", in which a missing score earns no votes",
    "bt": ", which ignores missing scores",
}
"""What the aggregates that rank a table with holes make of them."""
PARTLY = "~"
"""Marks a value that contains predicted scores; the notes explain it."""
SHOWN = 5
"""Models without holes that are shown beside a table with holes."""
FEW = 3
"""Models that are named where any of them may be first; more are counted."""
CLOSE = 0.9
"""Tau from which on a few tasks are said to rank as all do."""


def nouns(outcome: xr.Dataset) -> dict[str, str]:
    """Return what these readers call a system, a topic and what a topic consists of: `model`, `task`, `item`."""
    return dict(about(outcome)["called"])


def label(kind: str, outcome: xr.Dataset) -> str:
    """Say in words what an aggregate ranks by."""
    names = nouns(outcome)
    if kind == "mean" and _over_topics(outcome):
        names["task"] = names["item"]
    metric = _metric(outcome)
    words = WORDS[kind].format(of=f" of {metric}" if metric else "", **names)
    if kind in ADDED and is_estimated(outcome):
        words = words.replace("mean", "estimated mean", 1)
    if kind in ADDED and _is_standardized(outcome) and not metric:
        return words.replace("mean", "mean standardized score", 1)
    return words


def column(kind: str, outcome: xr.Dataset) -> str:
    """Name the column of an aggregate's values: mean nDCG@10, or estimated mean nDCG@10."""
    estimated = "estimated " * (kind in ADDED and is_estimated(outcome))
    return f"{estimated}{kind} {_metric(outcome)}".rstrip()


def _metric(outcome: xr.Dataset) -> str:
    """Name the one metric that is ranked by; "" where it has no name, or tasks have their own."""
    metric = about(outcome)["options"]["metric"]
    if metric in (None, SCORE):
        return ""
    if _is_standardized(outcome):
        return shortened(standardized(metric))
    return shortened(metric.removesuffix(ESTIMATED))


def _is_standardized(outcome: xr.Dataset) -> bool:
    """Say whether some of the scores were standardized before."""
    inputs = about(outcome)["inputs"]["collections"].values()
    return any(standardization_of(said) is not None for said in inputs)


def _over_topics(outcome: xr.Dataset) -> bool:
    """Say whether means are over topics, though clusters of them stand in the table."""
    inputs = [*about(outcome)["inputs"]["collections"].values()]
    clusters = inputs[0].get("clusters") if len(inputs) == 1 else None
    return clusters is not None and clusters["mean_over"] == "topics"


def varied_nouns(outcome: xr.Dataset) -> str:
    """Say what could have been otherwise: other tasks, other items, or both."""
    names, over = nouns(outcome), about(outcome)["options"]["over"]
    kinds = {
        "tasks": [names["task"]],
        "items": [names["item"]],
        "both": [names["task"], names["item"]],
    }
    return "other " + " and ".join(f"{kind}s" for kind in kinds[over])


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    `models` (model and aggregate), `aggregates`, `tau`, `tasks`, `few`, `predicted`, `complete`, `first`; with costs
    `front`: system, cost, value (by the first aggregate), front, front_possible, front_sure, beaten_by.
    """
    columns = ("value", "error", "rank", "best", "worst", "low", "high")
    counts = outcome["score"].notnull()
    scored = outcome.assign(tasks=counts.sum("topic")).isel(system=order(outcome))
    whole = [
        pl.col(name).cast(pl.Int64) for name in ("rank", "best", "worst", "low", "high")
    ]
    models = frame(scored, [*columns, "tasks"], by=["aggregate", "system"])
    views = {
        "models": with_nulls(models)
        .with_columns(whole)
        .select("system", "aggregate", "tasks", *columns),
        "aggregates": frame(outcome, ["resolution", "tied"]),
        "tau": with_nulls(
            frame(outcome, ["tau", "compared"], by=["aggregate", "other"])
        ),
        "tasks": _tasks(outcome, counts),
    }
    if "task" in outcome:
        held = {"tau_few": "tau", "tau_few_low": "low", "tau_few_high": "high"}
        few_tasks = frame(outcome, [*held, "tau_chosen"], by=["task"])
        views["few"] = few_tasks.rename(held).with_row_index("tasks", offset=1)
    if "predicted" in outcome:
        views["predicted"] = _predicted(outcome)
    if "complete_rank" in outcome:
        views["complete"] = _complete(scored)
    if "cost" in outcome:
        views["front"] = _front(outcome)
    if "decides" in outcome:
        views["first"] = pl.DataFrame(
            {
                "system": [_leader(outcome)],
                "runner_up": [outcome["runner_up"].item() or None],
                "fewest": [int(outcome["decides"].sum()) or None],
            }
        )
    return views


def _front(outcome: xr.Dataset) -> pl.DataFrame:
    """List the models of which the cost is known, the cheapest first, with their place on the front."""
    one = outcome.isel(aggregate=0).sortby("cost")
    columns = ["cost", "value", "front", "front_possible", "front_sure", "beaten_by"]
    every = frame(one.drop_vars("aggregate"), columns, by=["system"])
    known = every.filter(pl.col("cost").is_not_nan())
    return known.with_columns(
        pl.col("value").fill_nan(None), pl.col("beaten_by").replace("", None)
    )


def _complete(scored: xr.Dataset) -> pl.DataFrame:
    """List the models of the part without holes: rank and rank set there."""
    columns = ("complete_rank", "complete_low", "complete_high")
    every = frame(scored, list(columns), by=["system"])
    there = every.filter(pl.col("complete_rank").is_not_nan())
    alone = {name: name.removeprefix("complete_") for name in columns}
    return there.rename(alone).with_columns(
        pl.col("rank", "low", "high").cast(pl.Int64)
    )


def _tasks(outcome: xr.Dataset, counts: xr.DataArray) -> pl.DataFrame:
    """List tasks: type, how many models have scores, how well holes were predicted, the mean, whether it decides."""
    columns: dict[str, object] = {"task": _texts(outcome.topic)}
    if "type" in outcome.coords:
        columns["type"] = _texts(outcome["type"])
    columns["models"] = counts.sum("system").values
    if "coverage_of_task" in outcome:
        covered = pl.Series(outcome["coverage_of_task"].values)
        columns["coverage"] = covered.fill_nan(None)
    columns["mean"] = outcome["score"].mean("system").values
    if "decides" in outcome:
        columns["decides"] = outcome["decides"].values
    return pl.DataFrame(columns)


def _predicted(outcome: xr.Dataset) -> pl.DataFrame:
    """List the holes with their predictions."""
    columns = ("predicted", "predicted_low", "predicted_high")
    every = frame(outcome, ["score", *columns])
    return (
        every.filter(pl.col("score").is_nan()).drop("score").rename({"topic": "task"})
    )


def order(outcome: xr.Dataset) -> Indices:
    """Order models by the first aggregate: by rank, where it is open by the middle of the ranks that the holes allow.

    Models that tie there stand in the order of their mean standardized scores on the tasks that they have.
    """
    first = outcome.isel(aggregate=0)
    middle = (first["best"].values + first["worst"].values) / 2
    place = np.where(np.isnan(first["rank"].values), middle, first["rank"].values)
    known = np.nanmean(task_points(outcome["score"].values, "standardized"), axis=1)
    return np.lexsort((-known, place))


def ordered_by(outcome: xr.Dataset) -> str:
    """Say by what models are ordered where a rank is open; nothing where none is."""
    if outcome.isel(aggregate=0)["rank"].notnull().all():
        return ""
    return "by the middle of the ranks that holes allow"


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the models by the first aggregate, their ranks by all, and how the aggregates agree."""
    there = shown = outcome.sizes["system"]
    rows = row_limit()
    if rows is not None:
        shown = min(about(outcome)["options"]["first"] or rows, there)
    cut = "" if shown == there else f"the first {shown} of {there} (--first {there})"
    order_and_cut = "; ".join(filter(None, [ordered_by(outcome), cut]))
    ordered = outcome.isel(system=order(outcome)[:shown])
    first = ordered.isel(aggregate=0)
    models = _texts(first.system)
    names = nouns(outcome)
    board: dict[str, object] = {
        names["model"]: models,
        f"{names['task']}s": ordered["score"].notnull().sum("topic").values,
        column(str(first["aggregate"].item()), outcome): _values(first),
        "rank": _whole(first["rank"].values),
        "possible ranks": spans(first["low"].values, first["high"].values),
    }
    if first["rank"].isnull().all():
        board.pop("rank")
    if is_estimated(outcome):  # people judged few of them
        board.pop(f"{names['task']}s")
    if outcome["score"].isnull().any():
        board["holes allow"] = spans(first["best"].values, first["worst"].values)
    views = _front_tables(outcome)
    title = f"leaderboard: {order_and_cut}" if order_and_cut else "leaderboard"
    views[title] = pl.DataFrame(board)
    if "complete_rank" in outcome:
        views["complete"] = _complete_rows(outcome)
    if outcome.sizes["aggregate"] > 1 and rows is None:
        ranks = {
            str(kind): _ranks(ordered.sel(aggregate=kind))
            for kind in outcome.aggregate.values
        }
        views["ranks"] = pl.DataFrame({names["model"]: models, **ranks})
        views["tau"] = tables(outcome)["tau"].pivot(
            "other", index="aggregate", values="tau"
        )
    return views


def _front_tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the models that may be on the front, the cheapest first."""
    if "cost" not in outcome:
        return {}
    every = _front(outcome).filter("front_possible")
    sure = pl.when("front_sure").then(pl.lit("yes")).otherwise(pl.lit("may be"))
    no_value = pl.col("value").is_null()
    unknown = pl.when(no_value).then(pl.lit("unknown")).otherwise(pl.lit("-"))
    shown = every.select(
        pl.col("system").alias(nouns(outcome)["model"]),
        "cost",
        pl.col("value").alias(column(str(outcome.aggregate.values[0]), outcome)),
        sure.alias("on the front"),
        pl.when("front").then(pl.lit("yes")).otherwise(unknown).alias("by value"),
    )
    return first_rows("front", shown)


def _complete_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Show the first models of the part without holes, with their rank sets there."""
    every = tables(outcome)["complete"].sort("rank", maintain_order=True).head(SHOWN)
    sets = spans(every["low"].to_numpy(), every["high"].to_numpy())
    model = nouns(outcome)["model"]
    shown = {model: every["system"], "rank": every["rank"], "possible ranks": sets}
    return pl.DataFrame(shown)


def _values(one: xr.Dataset) -> pl.Series:
    """Return values; as text of one width where they are votes, and where some contain predicted scores."""
    values, votes = one["value"].values, one["aggregate"].item() == "borda"
    if not votes and "predicted" not in one:
        return pl.Series(values)
    # votes are whole, or halves where models tie
    digits = int((values % 1 != 0).any()) if votes else 3
    holes = one["score"].isnull().any("topic").values & ("predicted" in one)
    marks = np.where(holes, PARTLY, " " if holes.any() else "")
    words = [
        short(value, digits) + mark for value, mark in zip(values, marks, strict=True)
    ]
    return pl.Series([word.rjust(max(map(len, words))) for word in words])


def _texts(labels: xr.DataArray) -> list[str]:
    """Return labels as text, whatever a file made of them."""
    return [str(label) for label in labels.values]


def _whole(ranks: Floats) -> pl.Series:
    """Return ranks as whole numbers, null where there is none."""
    return pl.Series(ranks, dtype=pl.Float64).fill_nan(None).cast(pl.Int64)


def _ranks(one: xr.Dataset) -> pl.Series:
    """Return the ranks by one aggregate; as text where missing scores leave some open, with the ranks they allow."""
    ranks, best, worst = (one[name].values for name in ("rank", "best", "worst"))
    known = _whole(ranks)
    if "predicted" in one or (best == worst).all():
        return known
    texts, allowed = known.cast(pl.String).to_list(), spans(best, worst).to_list()
    for at in np.flatnonzero(best != worst):
        if texts[at] is None:
            texts[at] = allowed[at]
        else:
            texts[at] = f"{texts[at]} ({allowed[at]})"
    return pl.Series(texts, dtype=pl.String)


def findings(outcome: xr.Dataset) -> list[str]:
    """Say who may be first, how many pairs are distinguished, what the holes decide, and how far aggregates agree."""
    kind = str(outcome.aggregate.values[0])
    first = _first_place_sentence(outcome, kind)
    warning = _mixed_scales(outcome)
    if kind in ADDED:
        sentences = [" ".join([*warning, first])]
    else:
        sentences = [first, *warning]
    if "cost" in outcome:
        sentences.insert(0, _front_sentence(outcome))
    sentences += _complete_part_sentences(outcome, kind)
    sentences += _deciding_tasks_sentences(outcome)
    sentences += _holes_sentences(outcome, kind)
    sentences += _agreement_sentences(outcome)
    if "task" in outcome:
        sentences += _few_tasks_sentences(outcome)
    return sentences + _low_but_open_sentences(outcome)


def _front_sentence(outcome: xr.Dataset) -> str:
    """Say who is on the front of quality against cost, who may be, and how many are not."""
    every = _front(outcome)
    model, level = nouns(outcome)["model"], about(outcome)["options"]["level"]
    sure = every.filter("front_sure")["system"].to_list()
    open_ = every.filter(pl.col("front_possible") & ~pl.col("front_sure"))["system"]
    out = int((~every["front_possible"]).sum())
    who = f"{listed(sure)} {are(len(sure))} surely on it"
    parts = [who] if sure else []
    if len(open_):
        parts.append(f"{listed(open_)} may be")
    beaten = f"of no {model} one that costs no more is shown to be better"
    if out:
        beaten = (
            f"one that costs no more is shown to be better than each of the other {out}"
        )
    kind = label(str(outcome.aggregate.values[0]), outcome)
    return (
        f"On the front of cost and quality by {kind}, with {varied_nouns(outcome)}: {'; '.join(parts)}; {beaten} "
        f"({level:.0%}, all at once).{_valueless_hint(every, outcome)}"
    )


def _valueless_hint(every: pl.DataFrame, outcome: xr.Dataset) -> str:
    """Say how the models of known cost get values that lack one, as holes leave it open."""
    lacking = every["value"].null_count()
    if not lacking:
        return ""
    model, kind = nouns(outcome)["model"], outcome.aggregate.values[0]
    have = "has" if lacking == 1 else "have"
    return f" {counted(lacking, model)} with a cost {have} no {kind}; --holes predict estimates it."


def _mixed_scales(outcome: xr.Dataset) -> list[str]:
    """Warn of means that add up scores of different scales, and say how far the larger ones decide the order.

    Models whose own unit seems to be another do not count: a note names them.
    """
    cube = outcome["score"].expand_dims(metric=[SCORE])
    usual = cube.sel(metric=SCORE).drop_sel(system=[*in_other_unit({SCORE: cube})])
    usual = usual.dropna("topic", how="all")
    scores = usual.values
    larger = on_larger_scale(scores)
    if is_estimated(outcome):
        return []  # a score is what its topic adds to the mean
    if not larger.any() or not ADDED & set(_texts(outcome.aggregate)):
        return []
    odd = ~larger if larger.sum() > (~larger).sum() else larger
    tasks = listed(map(shortened, usual.topic.values[odd]), 3)
    alone = " alone" if odd.sum() == 1 else ""
    rest = int((~odd).sum())
    others = "the other" if rest == 1 else f"the {rest} others"
    odd_top, top = np.nanmax(scores[:, odd]), np.nanmax(scores[:, ~odd])
    mend = "Bring the scores to one scale"
    if 10 < max(odd_top, top) <= 100:  # percentages
        verb = "Divide" if odd_top > top else "Multiply"
        mend = f"{verb} the scores on {tasks} by 100"
    return [
        f"The mean mixes scores of different scales: up to {odd_top:.4g} on {tasks}{alone}, up to "
        f"{top:.4g} on {others}{_scale_effect_clause(scores, larger)}. {mend}, or use --aggregate standardized "
        "or borda."
    ]


def _scale_effect_clause(scores: Floats, larger: Bools) -> str:
    """Say how far the mean over tasks on larger scales alone orders models as the mean over all does."""
    full = scores[np.isfinite(scores).all(axis=1)]
    if len(full) < 2:
        return ""
    means = (settled(part.mean(axis=1)) for part in (full[:, larger], full))
    tau = float(tau_b(*means))
    if tau >= CLOSE:
        return (
            f"; the larger scores alone decide the order by the mean (tau {short(tau)})"
        )
    return ""


def _first_place_sentence(outcome: xr.Dataset, kind: str) -> str:
    """Say who is first, who may be with other tasks, and how many pairs are distinguished."""
    one, model = outcome.sel(aggregate=kind), nouns(outcome)["model"]
    leader = int(order(outcome)[0])
    may_be = one["low"].values == 1
    if np.isnan(one["rank"].values[leader]):
        head = _open_first_sentence(outcome, kind)
        only = f"{_models_phrase(outcome, may_be)} would be first"
    else:
        first = shortened(str(outcome.system.values[leader]))
        first += _predicted_clause(outcome, leader)
        head = f"By {label(kind, outcome)}{_holes_clause(outcome, kind)}, {first} is first of {_models_ranked(outcome)}"
        head += _leader_ranks_clause(outcome, one.isel(system=leader))
        only = "it would remain first"
    others = f"With {varied_nouns(outcome)}"
    if outcome["score"].isnull().any() and "predicted" not in outcome:
        others = f"With {varied_nouns(outcome)}, missing scores left out"
    tied = int(one["tied"].item())
    remains = f"{_models_phrase(outcome, may_be)} may be first" if tied > 1 else only
    share, level = one["resolution"].item(), about(outcome)["options"]["level"]
    distinguished = f"{share:.0%} of the pairs of {model}s are distinguished ({level:.0%} simultaneous confidence)"
    return f"{head}. {others}, {remains}, and {distinguished}."


def _models_ranked(outcome: xr.Dataset) -> str:
    """Say of how many models a rank is, and of how many that holes left out and on how many tasks."""
    sizes, called = outcome.sizes, nouns(outcome)
    inputs = [*about(outcome)["inputs"]["collections"].values()]
    every = inputs[0].get(CHOSEN, {}) if len(inputs) == 1 else {}
    ranked_models = f"{sizes['system']} {called['model']}s"
    if about(outcome)["options"]["holes"] != "complete" or not every:
        return ranked_models
    models, tasks = (
        f"{sizes[dim]} of {every.get(f'{dim}s', sizes[dim])} {called[what]}s"
        for dim, what in (("system", "model"), ("topic", "task"))
    )
    return f"{models} on {tasks}"


def _models_phrase(outcome: xr.Dataset, which: Bools) -> str:
    """Name models that a sentence is about, where they are few; else count them."""
    placed = order(outcome)
    models = _texts(outcome.system[placed[which[placed]]])
    if len(models) > FEW:
        return f"any of {counted(len(models), nouns(outcome)['model'])}"
    return joined([shortened(name) for name in models], "or") or "none"


def _low_but_open_sentences(outcome: xr.Dataset) -> list[str]:
    """Say why models may be first that stand below others which may not."""
    placed = order(outcome)
    may_be = outcome.isel(aggregate=0)["low"].values[placed] == 1
    low = placed[may_be & np.logical_or.accumulate(~may_be)]
    if not low.size:
        return []
    its, it = ("its", "it") if low.size == 1 else ("their", "them")
    fewer = ""
    if outcome["score"].isel(system=low).isnull().any():
        fewer = f", or are on fewer {nouns(outcome)['task']}s"
    return [
        f"{listed(map(shortened, _texts(outcome.system[low])))} may be first where {nouns(outcome)['model']}s ahead of "
        f"{it} may not, as {its} differences from the others vary more{fewer}."
    ]


def _holes_clause(outcome: xr.Dataset, kind: str) -> str:
    """Say what an aggregate that ranks a table with holes makes of them."""
    if not outcome["score"].isnull().any():
        return ""
    if "predicted" in outcome:
        return ", with missing scores predicted"
    return UNVOTED.get(kind, "")


def _predicted_clause(outcome: xr.Dataset, leader: int) -> str:
    """Say how many of a model's scores are predicted."""
    absent = int(outcome["score"].isel(system=leader).isnull().sum())
    if "predicted" not in outcome or not absent:
        return ""
    return f" ({absent} of its {counted(outcome.sizes['topic'], 'score')} {are(absent)} predicted)"


def _leader_ranks_clause(outcome: xr.Dataset, leader: xr.Dataset) -> str:
    """Say which ranks missing scores allow the model that stands first, or how many share its place."""
    best, worst = leader["best"].item(), leader["worst"].item()
    predicted = "predicted" in outcome
    if worst > 1 and not outcome["score"].isnull().any():
        return f", tied with {counted(int(worst) - 1, 'other')}"
    if best == worst == 1:
        if predicted:
            return f" in at least {PREDICTED:.0%} of tables drawn from the predictions"
        return ""
    if predicted:
        return f", but predictions allow it ranks {best:.0f} to {worst:.0f} ({PREDICTED:.0%} interval)"
    return f", but missing scores allow it ranks {best:.0f} to {worst:.0f}"


def _open_first_sentence(outcome: xr.Dataset, kind: str) -> str:
    """Say who may be first of all, as missing scores decide it."""
    absent = int(outcome["score"].isnull().sum())
    first = outcome.sel(aggregate=kind)["best"].values == 1
    may_be = _models_phrase(outcome, first)
    if first.sum() > FEW:
        placed = order(outcome)
        may_be += f" ({listed(outcome.system.values[placed[first[placed]]])})"
    decide = "the missing score decides"
    if absent > 1:
        decide = f"the {absent:,} missing scores decide"
    return f"By {label(kind, outcome)}, {may_be} may be first of {outcome.sizes['system']}: {decide}"


def _complete_part_sentences(outcome: xr.Dataset, kind: str) -> list[str]:
    """Say who is first among the models without holes, and what is sure there."""
    if "predicted" in outcome:
        return _first_with_all_scores_sentences(outcome)
    if "complete_rank" not in outcome:
        return []
    names = nouns(outcome)
    ranks = outcome["complete_rank"].values
    there = int(np.isfinite(ranks).sum())
    tasks = int(outcome["complete_tasks"])
    if tasks == outcome.sizes["topic"]:
        which = f"Of the {there} {names['model']}s that have all scores"
    else:
        which = (
            f"On {counted(tasks, names['task'])} that {there} {names['model']}s have"
        )
    first = shortened(str(outcome.system.values[int(np.nanargmin(ranks))]))
    tied = int(outcome["complete_tied"])
    may_be = "it would remain first"
    if tied > 1:
        may_be = f"{'either' if tied == 2 else 'any'} of {tied} may be"
    return [
        f"{which}, {first} is first by {label(kind, outcome)}; with {varied_nouns(outcome)}, {may_be}, and "
        f"{outcome['complete_resolution'].item():.0%} of their pairs are distinguished "
        "(--holes complete)."
    ]


def _first_with_all_scores_sentences(outcome: xr.Dataset) -> list[str]:
    """Say which of the models that have all scores stands first, where one with predicted scores does."""
    placed = order(outcome)
    whole = placed[outcome["score"].notnull().all("topic").values[placed]]
    if whole.size < 2 or whole[0] == placed[0]:
        return []
    first = shortened(str(outcome.system.values[whole[0]]))
    of = f"Of {counted(whole.size, nouns(outcome)['model'])} with all scores"
    alone = f"--min-tasks {outcome.sizes['topic']} ranks these alone"
    return [Answer(f"{of}, {first} stands first ({alone}).")]


def _leader(outcome: xr.Dataset) -> str:
    """Return who is first by the first aggregate; where holes leave ranks open, of the part without holes."""
    at = int(order(outcome)[0])
    if "complete_rank" in outcome:
        at = int(np.nanargmin(outcome["complete_rank"].values))
    return str(outcome.system.values[at])


def _deciding_tasks_sentences(outcome: xr.Dataset) -> list[str]:
    """Say without which tasks, the fewest, the first place changes."""
    if "decides" not in outcome:
        return []
    decides = outcome["decides"].values
    every = decides.size
    if "complete_tasks" in outcome:
        every = int(outcome["complete_tasks"])
    if not few(int(decides.sum()), every):
        return []
    tasks = counted(int(decides.sum()), nouns(outcome)["task"])
    which = listed(map(shortened, outcome.topic.values[decides]))
    other = shortened(outcome["runner_up"].item())
    return [
        f"Without {tasks} of {every} ({which}) {other} would be level with {shortened(_leader(outcome))} or ahead."
    ]


def _holes_sentences(outcome: xr.Dataset, kind: str) -> list[str]:
    """Say how much is missing and what it decides."""
    absent = int(outcome["score"].isnull().sum())
    if not absent:
        return []
    one = outcome.sel(aggregate=kind)
    wide = (one["worst"] - one["best"]).values
    lacking = outcome["score"].isnull().any("topic").values
    count = f"{absent:,} of {outcome['score'].size:,} scores are missing ({absent / outcome['score'].size:.0%})"
    if "predicted" in outcome:
        return [
            f"{count}; they were predicted from the models' other scores. Of known scores that were "
            f"hidden as a check, {outcome['coverage'].item():.0%} lay within their {PREDICTED:.0%} "
            f"intervals{_best_models_coverage(outcome)} (typical error "
            f"{short(outcome['prediction_error'].item(), 3)}). This holds for "
            "missing scores that resemble the known ones; if bad scores were withheld, they are "
            "worse than predicted, and ranks favour whoever withheld them."
        ]
    model = nouns(outcome)["model"]
    unranked = int(one["value"].isnull().sum())
    without = ""
    if unranked:
        have = "has" if unranked == 1 else "have"
        without = f"{counted(unranked, model)} {have} no {kind}; "
    return [
        f"{count}: {without}the median {model} with missing scores has {np.median(wide[lacking]) + 1:.0f} possible "
        "ranks. These bounds hold "
        "whatever the missing scores are, even if bad ones were withheld; --holes predict narrows "
        f"them if {model}s skipped {nouns(outcome)['task']}s for other reasons{_sparse_models_hint(outcome)}."
    ]


def _best_models_coverage(outcome: xr.Dataset) -> str:
    """Say how many of the hidden scores of the best models lay within their intervals."""
    covered = outcome["coverage_of_top"].item()
    if np.isnan(covered):
        return ""
    best = min(TOP, outcome.sizes["system"])
    return f", {covered:.0%} of those of the {best} best {nouns(outcome)['model']}s"


def _sparse_models_hint(outcome: xr.Dataset) -> str:
    """Say how to leave out the models that lack more than half of the scores, where there are some."""
    half = -(-outcome.sizes["topic"] // 2)
    sparse = int((outcome["score"].notnull().sum("topic") < half).sum())
    if not sparse:
        return ""
    return (
        f"; --min-tasks {half} leaves out the {counted(sparse, nouns(outcome)['model'])} with fewer "
        f"than half of the {nouns(outcome)['task']}s"
    )


def _agreement_sentences(outcome: xr.Dataset) -> list[str]:
    """Name the two aggregates that agree least, and the model that they rank most differently."""
    names = _texts(outcome.aggregate)
    tau = outcome["tau"].values
    compared = [AGGREGATES[names[at]] for at in np.flatnonzero(np.isfinite(tau).any(0))]
    if len(compared) < 2:
        return []
    if np.nanmin(tau) > 1 - 1e-12:
        which = joined(compared) if len(compared) < len(names) else "All aggregates"
        return [
            f"{which} order the {nouns(outcome)['model']}s in the same "
            f"way{_compared_clause(outcome)}{_incomparable_sentence(outcome)}."
        ]
    a, b = np.unravel_index(int(np.nanargmin(tau)), tau.shape)
    sentence = (
        f"The aggregates {AGGREGATES[names[a]]} and {AGGREGATES[names[b]]} agree least "
        f"(tau {short(tau[a, b])}{_compared_clause(outcome)})"
    )
    same = _models_with_values(outcome, [int(a), int(b)])
    ranks = np.stack([ranked(outcome["value"].values[same, at]) for at in (a, b)])
    moves = np.abs(ranks[0] - ranks[1])
    if moves.max() > 0 and (moves == moves.max()).sum() == 1:
        most = int(moves.argmax())
        model = shortened(str(outcome.system.values[same][most]))
        sentence += f"; they disagree most about {model}, rank {ranks[0, most]:.0f} and {ranks[1, most]:.0f}"
    return [f"{sentence}{_incomparable_sentence(outcome)}."]


def _incomparable_sentence(outcome: xr.Dataset) -> str:
    """Say which aggregates cannot be compared, as missing scores leave fewer than 2 models with a value."""
    few_values = np.isfinite(outcome["value"].values).sum(axis=0) < 2
    apart = [AGGREGATES[name] for name in outcome.aggregate.values[few_values]]
    if not apart:
        return ""
    return f"; {joined(apart)} cannot be compared, as too few {nouns(outcome)['model']}s have a value"


def _compared_clause(outcome: xr.Dataset) -> str:
    """Say of how many models tau is, where they are not all."""
    some = int(outcome["compared"])
    if some == outcome.sizes["system"]:
        return ""
    every = (
        "every aggregate compared"
        if _incomparable_sentence(outcome)
        else "every aggregate"
    )
    return f" over the {counted(some, nouns(outcome)['model'])} that {every} has a value for"


def _models_with_values(outcome: xr.Dataset, pair: list[int]) -> Bools:
    """Say which models were compared: those with a value by all aggregates that two were found to agree by."""
    tau = outcome["tau"].values
    used = np.isfinite(tau[pair[0]])
    return np.asarray(np.isfinite(outcome["value"].values[:, used]).all(axis=1))


def _few_tasks_sentences(outcome: xr.Dataset) -> list[str]:
    """Say how many tasks rank models as all do, and what a choice of as many is worth to other models.

    More than half of the tasks are no few: of them it says nothing.
    """
    taus, names = outcome["tau_few"].values, _texts(outcome["task"])
    models, tasks = outcome["few_of"].values
    enough = np.flatnonzero(taus >= CLOSE)
    step = int(enough[0]) if enough.size else len(taus) - 1
    if step + 1 > tasks / 2:
        return []
    task, model = nouns(outcome)["task"], nouns(outcome)["model"]
    chosen = counted(step + 1, task)
    ranked_models, as_all = f"the {models} {model}s", f"as all {tasks} {task}s do"
    if models * tasks < outcome["score"].size:
        ranked_models += " without holes"
        as_all = f"as their {tasks} {task}s do"
    every = f"{ranked_models} {as_all}"
    low, high = (float(outcome[f"tau_few_{end}"][step]) for end in ("low", "high"))
    worth = (
        f"tau {short(taus[step])} on {model}s that had no part in the choice "
        f"({interval(low, high, 2)} over halves of them)"
    )
    if taus[step] < CLOSE:
        return [
            Beside(
                f"{chosen} {are(step + 1)} too few to rank {every}: even well-chosen ones reach only {worth}.",
                "few",
            )
        ]
    some = ", ".join(shortened(name) for name in names[: step + 1])
    rank = f"The {step + 1} {task}s {some} rank"
    if step == 0:
        rank = f"The {task} {some} alone ranks"
    own = short(outcome["tau_chosen"].values[step])
    if own != short(1.0):
        every = f"{ranked_models} nearly {as_all} (tau {own})"
    return [Beside(f"{rank} {every}: {task}s chosen so reach {worth}.", "few")]
