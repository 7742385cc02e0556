"""What `versus` answers: tables for programs, an overview and findings for people."""

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.values import are_geometric
from irmeta.scores.attributes import about
from irmeta.scores.averages.limits import detection_clause
from irmeta.scores.figures import (
    ENDS,
    interval,
    intervals,
    leading_metrics,
    own_metric_names,
    p_in_sentence,
    p_value,
    short,
    signed,
)
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.notes import Answer
from irmeta.scores.result import frame, is_estimated, standardization_of
from irmeta.stats.rankings.first import RESTS
from irmeta.studies.differences.notes import at_bound
from irmeta.studies.differences.versus import gate, left
from irmeta.studies.differences.versus.nightly import OPEN
from irmeta.studies.differences.versus.pairs import MEDIAN
from irmeta.studies.differences.versus.study import FEW_METRICS
from irmeta.words import are, counted, listed

FEW_COMPARISONS = 3
FEW_TOPICS = 3
"""How many of the topics that gain and lose most are shown."""
GATE = ("verdict", "loss_shown", "loss_possible", "visible", "topics_needed")
ANCHORED = (
    "cause",
    "fall",
    "fell_least",
    "fell_most",
    "judge_then",
    "judge_now",
    "people",
)
"""What is said of each comparison where a loss is named that is too much."""
EQUAL = 1e-12
"""Differences of at most this are of rounding."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    comparisons, by metric from the worst difference to the best: against, metric, who (the system behind "best"),
    difference, low, high, wins, ties, losses, p, p_corrected, effect_size, significant, fewest (topics without which
    the difference is no longer on its side of 0; null if none do it), relative (the difference as a share of the
    other's mean; null where scores are standardized, estimated or below 0); with a margin p_equivalent, equivalent;
    with a loss that is too much verdict (worse, safe, open), loss_shown (it is larger), loss_possible (it is smaller),
    visible (what these topics show), topics_needed; with anchors cause (system, judge, both, none), fall (of their
    scores), fell_least, fell_most, judge_then, judge_now, people.
    topics : topic, metric, score, median, best, systems_above (how many other systems score more); against a single
    opponent also its score (opponent) and the difference.
    differences : against, topic, metric, opponent (its score), difference, decides (one of the fewest topics).
    without : with flagged topics, by against and metric: who, difference and significant of all topics; those of the
    others (without_difference, ...) with low, high and p_corrected; change, of the difference, change_low, change_high.
    contradictions : against, better_by, worse_by: pairs of metrics that both find a significant difference, one for
    the system and one against it.
    """
    fields = ["who", "difference", "low", "high", "wins", "ties", "losses"]
    fields += ["p", "p_corrected", "effect_size", "significant", "fewest", "relative"]
    fields += ["p_equivalent", "equivalent"] * ("equivalent" in outcome)
    fields += [*GATE] * ("verdict" in outcome)
    fields += [*ANCHORED] * ("cause" in outcome)
    by_topic = frame(
        outcome, ["opponent", "by_topic", "decides"], by=["against", "topic", "metric"]
    ).rename({"by_topic": "difference"})
    comparisons = frame(
        outcome.assign(relative=_relative_differences(outcome)),
        fields,
        by=["metric", "against"],
    )
    views = {
        "comparisons": comparisons.with_columns(
            pl.col("fewest").fill_nan(None).cast(pl.Int64),
            pl.col("relative").fill_nan(None),
        )
        .select("against", "metric", *fields)
        .sort(_metric_position(outcome), "difference", maintain_order=True),
        "topics": _topic_rows(outcome),
        "differences": by_topic,
        "contradictions": _contradictions(outcome),
    }
    return views | ({"without": left.table(outcome)} if "change" in outcome else {})


def _metric_position(outcome: xr.Dataset) -> pl.Expr:
    """Return the place of each row's metric in the result."""
    names = outcome.metric.values.astype(str).tolist()
    return pl.col("metric").replace_strict(
        dict(zip(names, range(len(names)), strict=True))
    )


def _topic_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each topic by each metric; a single opponent stands beside the system."""
    fields = ["score", "median", "best", "systems_above"]
    if outcome.sizes["against"] > 1:
        return frame(outcome, fields, by=["topic", "metric"])
    beside = outcome.isel(against=0).rename(by_topic="gap")
    fields[1:1] = ["opponent", "gap"]
    return frame(beside, fields, by=["topic", "metric"]).rename({"gap": "difference"})


def _relative_differences(outcome: xr.Dataset) -> xr.DataArray:
    """Return each difference as a share of the other's mean; NaN where scores have no 0 from which a share is taken."""
    by_topic, difference = outcome["by_topic"], outcome["difference"]
    other = outcome["opponent"].where(by_topic.notnull())
    mean = other.mean("topic")
    above_0 = (mean > 0) & (other.min("topic") >= 0)
    above_0 &= outcome["score"].min("topic") >= 0
    # a difference may be another mean than that over rows: of clusters the larger count more
    same = abs(by_topic.mean("topic") - difference) <= EQUAL
    if unit_of(outcome) != "topic":
        weighted = (outcome["mean"] - difference).where(by_topic.notnull().all("topic"))
        mean, same = mean.where(same, weighted), same | weighted.notnull()
    [first, *_] = about(outcome)["inputs"]["collections"].values()
    raw = standardization_of(first) is None
    shares = (difference / mean).where(above_0 & same & raw)
    # differences of geometric means are of logarithms
    are_logs = are_geometric(own_metric_names(outcome))
    logs = outcome["metric"].copy(data=are_logs.reshape(outcome["metric"].shape))
    return shares.where(~logs, np.expm1(difference))


def _contradictions(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the pairs of metrics that find significant differences from one opponent in opposite directions."""
    rows = []
    for name in outcome.against.values:
        one = outcome.sel(against=name)
        sure, difference = one["significant"].values, one["difference"].values
        better, worse = (
            outcome.metric.values[sure & sign]
            for sign in (difference > 0, difference < 0)
        )
        rows += [(str(name), str(up), str(down)) for up in better for down in worse]
    return pl.DataFrame(
        rows,
        schema=dict.fromkeys(("against", "better_by", "worse_by"), pl.String),
        orient="row",
    )


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show comparisons, or of several systems by many metrics how many are won and lost; then topics."""
    alone, few = outcome.sizes["against"] == 1, outcome.sizes["metric"] <= FEW_METRICS
    if not alone and not few:
        return {"metrics": _metric_rows(outcome)}
    each = [outcome.sel(metric=metric) for metric in outcome.metric.values]
    if "verdict" in outcome:  # the worst come first, as in what is said
        each.sort(key=lambda one: min(map(gate.ORDER.index, one["verdict"].values)))
    if alone and len(each) > 1:
        by_topic = (
            ""
            if is_estimated(outcome)
            else f": by metric ({unit_of(outcome)}s: --table topics)"
        )
        whom = f"against {outcome.against.item()}{by_topic}"
        rows = [
            _comparison_rows(one).select(
                pl.lit(str(one.metric.item())).alias("metric"), pl.exclude("against")
            )
            for one in each
        ]
        views = {whom: pl.concat(rows)}
    else:
        each = [
            one.isel(against=np.argsort(one["difference"].values, kind="stable"))
            for one in each
        ]
        alike = "" if alone else ", each interval by itself"
        views = {
            f"by {one.metric.item()}{alike}": _comparison_rows(one) for one in each
        }
    if "change" in outcome:
        return left.overview(outcome) | views
    if is_estimated(outcome) or not few:
        return views
    for one in each:
        views[_topics_title(one)] = _extreme_topics(one)
    return views


def _topics_title(one: xr.Dataset) -> str:
    """Say which topics a table shows, of how many, and which option shows all."""
    every = int(one["by_topic"].notnull().any("against").sum())
    cut = every > 2 * FEW_TOPICS
    of = f" of {every}" if cut else ""
    where = " (--table topics)" if cut else ""
    if one.sizes["against"] > 1:
        where = " (each opponent: --table differences)"
    return f"{unit_of(one)}s by {one.metric.item()} against {_opponent_phrase(one)}: {ENDS}{of}{where}"


def _opponent_phrase(one: xr.Dataset) -> str:
    """Say against whom topics are the worst and the best: the only opponent, or of several the median of the others."""
    if one.sizes["against"] > 1:
        return "the median of the others"
    name, who = str(one.against.item(0)), str(one["who"].item())
    if who == name:
        return "the median of the others" if name == MEDIAN else name
    return f"{who}, the best of the others by mean"


def _comparison_rows(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each comparison by one metric."""
    alpha = about(one)["options"]["alpha"]
    names = [str(name) for name in one.against.values]
    who = [str(name) for name in one["who"].values]
    named = [
        name if name in (other, MEDIAN) else f"{name} ({other})"
        for name, other in zip(names, who, strict=True)
    ]
    counts = zip(
        *(one[name].values for name in ("wins", "ties", "losses")), strict=True
    )
    won = {"W/T/L": ["/".join(map(str, count)) for count in counts]}
    sure, up = one["significant"].values, one["difference"].values > 0
    verdicts = np.where(sure, np.where(up, "better", "worse"), "-")
    if "equivalent" in one:
        verdicts = np.where(one["equivalent"].values & ~sure, "equivalent", verdicts)
    if "verdict" in one:  # of the gate, as the first sentence has it
        verdicts = one["verdict"].values
        verdicts = np.where(verdicts == OPEN, "cannot tell", verdicts)
    bound = at_bound(one)
    return pl.DataFrame(
        {
            "against": named,
            "diff.": signed(one["difference"].values),
            f"{1 - alpha:.0%} interval": intervals(
                one["low"].values, one["high"].values, differences=True
            ),
            **({} if is_estimated(one) else won),
            "p": list(map(p_value, one["p_corrected"].values, bound.values)),
            "verdict": verdicts.tolist(),
        }
    )


def _extreme_topics(one: xr.Dataset) -> pl.DataFrame:
    """Return the topics on which the system lies farthest below, then above, its opponent or the median of others."""
    alone = one.sizes["against"] == 1
    if alone:
        gap = one["by_topic"].values[0]
    else:
        gap = (one["score"] - one["median"]).values
    # those on which the system has a score
    order = np.argsort(gap, kind="stable")[: np.isfinite(gap).sum()]
    below = min(FEW_TOPICS, (order.size + 1) // 2)
    ends = np.concatenate([order[:below], order[below:][::-1][:FEW_TOPICS]])
    if alone:
        against = {
            "opponent": one["opponent"].values[0, ends],
            "diff.": signed(gap[ends]),
        }
    else:
        against = {"median": one["median"].values[ends]}
    return pl.DataFrame(
        {
            unit_of(one): one.topic.values[ends].tolist(),
            "score": one["score"].values[ends],
            **against,
            "best other": one["best"].values[ends],
            "systems above": one["systems_above"].values[ends],
        }
    )


def _metric_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each metric: how many of the comparisons are won and lost, significantly or not."""
    sure, up = outcome["significant"], outcome["difference"] > 0
    return pl.DataFrame(
        {
            "metric": outcome.metric.values.tolist(),
            "mean": outcome["mean"].values,
            "better than": (sure & up).sum("against").values,
            "worse than": (sure & ~up).sum("against").values,
            "not distinguished": (~sure).sum("against").values,
        }
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say whether the system is better, by how much, and on how many topics; then where metrics contradict."""
    sentences = _gate_sentences(outcome)
    for metric in leading_metrics(outcome, FEW_METRICS):
        one = outcome.sel(metric=metric)
        if "change" in outcome:
            sentences += left.sentences(one, FEW_COMPARISONS)
        if one.sizes["against"] <= FEW_COMPARISONS:
            count = one.sizes["against"]
            each = [
                _comparison_sentence(one.isel(against=at), count) for at in range(count)
            ]
        else:
            each = [_count_sentence(one) + _best_other_sentence(one)]
        sentences += map(Answer, each)
    contradictions = _contradictions(outcome)
    if contradictions.height:
        name, better, worse = contradictions.row(0)
        sentences.append(
            f"Metrics contradict each other about {counted(contradictions['against'].n_unique(), 'comparison')}: "
            f"{_system(outcome)} is significantly better than {name} by {better} and worse by {worse}."
        )
    return sentences


def _gate_sentences(outcome: xr.Dataset) -> list[str]:
    """Say which losses above the margin are shown, excluded or possible, the worst first."""
    if "verdict" not in outcome:
        return []
    margin = float(about(outcome)["options"]["fail_if_worse"])
    pairs = [
        outcome.sel(against=name, metric=metric)
        for name in outcome.against.values
        for metric in outcome.metric.values
    ]
    pairs.sort(key=lambda one: gate.ORDER.index(str(one["verdict"].item())))
    return [
        gate.sentence(one, _system(outcome), _opponent(one), margin, unit_of(outcome))
        for one in pairs
    ]


def _system(outcome: xr.Dataset) -> str:
    """Return the system that the comparisons are about."""
    return str(about(outcome)["options"]["system"])


def _comparison_sentence(one: xr.Dataset, count: int) -> str:
    """Say what one comparison by one metric shows. count : of the comparisons that p is corrected for."""
    options, metric = about(one)["options"], str(one.metric.item())
    system, other = options["system"], _opponent(one)
    difference, p = float(one["difference"]), float(one["p_corrected"])
    low, high = float(one["low"]), float(one["high"])
    more = "more" if difference >= 0 else "less"
    topics = _topics_sentence(one)
    flips = _discordance_sentence(one) if count == 1 else ""
    behind = f"{flips}{_deciding_topics_sentence(one)}{_equivalence_clause(one, count)}"
    test = f"{options['test']} test"
    if count > 1 and options["correct"] != "none":
        test += f", corrected for these {count}"
    digits = _digits(difference)
    figures = _interval(one, digits)
    shown = p_in_sentence(p, bool(at_bound(one)))
    share = f"{float(_relative_differences(one)):+.0%}, "
    if share in ("+0%, ", "-0%, ", "+nan%, ", "nan%, "):
        share = ""
    if bool(one["significant"]):
        size = short(abs(difference), digits)
        lead = f"{system} scores {size} {more} than {other} by {metric}, a significant difference"
        wider = ""
        if low <= 0 <= high:
            wider = f" The interval includes 0, but p of the {options['test']} test is significant."
        return f"{lead} ({share}{figures}; {shown}, {test}).{topics}{wider}{behind}"
    lead = (
        f"By {metric}, there is no significant difference between {system} and {other}"
    )
    figures = (
        f"{short(difference, digits, sign=True)}, {share}{figures}; {shown}, {test}"
    )
    narrower = ""
    if low > 0 or high < 0:
        decides = f"the {options['test']} test computes p in another way, and decides"
        if count > 1 and options["correct"] != "none":
            decides = f"p is of all {count} comparisons together, and decides"
        narrower = f" The interval excludes 0, but {decides}."
    return f"{lead} ({figures}).{topics}{narrower}{behind}"


def _discordance_sentence(one: xr.Dataset) -> str:
    """Say of scores that are 0 or 1 how many topics must go one way, and which difference can be seen at all."""
    both = np.stack([one["score"].values, one["opponent"].values])
    both = both[:, np.isfinite(both).all(axis=0)]
    clusters = unit_of(one) != "topic"
    if not (one["of_0_and_1"] if clusters else np.isin(both, (0.0, 1.0)).all()):
        return ""
    found = detection_clause(
        int(one["wins"] + one["losses"]),
        both.shape[1],
        about(one)["options"]["alpha"],
        deviation=float(one["deviation"]) if clusters else None,
    )
    return f" Scores are 0 or 1, and the two differ on {found}"


def _deciding_topics_sentence(one: xr.Dataset, of: str = "") -> str:
    """Say without which topics, the fewest, one difference would no longer be on its side of 0.

    of : names the opponent, where nothing before does, as in " bm25".
    """
    if is_estimated(one):
        return ""
    decides = one["decides"].values
    every = int(one["by_topic"].notnull().sum())
    fewest = int(decides.sum())
    if not fewest or _rests_on_many(one):
        return ""
    if float(one["difference"]) > 0:
        side = "ahead of" if of else "ahead"
    else:
        side = "behind"
    topics = counted(fewest, unit_of(one))
    which = listed(one.topic.values[decides])
    return f" Without {topics} of {every} ({which}) it would not be {side}{of}."


def _rests_on_many(one: xr.Dataset) -> bool:
    """Say whether a significant difference is on its side of 0 without any few topics."""
    every = int(one["by_topic"].notnull().sum())
    return bool(one["significant"]) and int(one["decides"].sum()) > max(
        1, RESTS * every
    )


def _topics_sentence(one: xr.Dataset) -> str:
    """Say on how many topics a system is better, and how many could go where no few carry a significant difference."""
    if is_estimated(one):
        return ""
    wins, ties, losses = (int(one[name]) for name in ("wins", "ties", "losses"))
    equal = f", equal on {ties}" if ties else ""
    said = (
        f" It is better on {counted(wins, unit_of(one))}{equal} and worse on {losses}"
    )
    if wins and losses and _rests_on_many(one):
        side = "ahead" if float(one["difference"]) > 0 else "behind"
        said += f", and would be {side} without any {int(one['decides'].sum()) - 1}"
    return f"{said}."


def _best_other_sentence(one: xr.Dataset) -> str:
    """Say without which topics the system would not be on its side of the best of several others."""
    best = one.isel(against=int(one["difference"].values.argmin()))
    return _deciding_topics_sentence(best, f" {_opponent(best)}, the best of these")


def _opponent(one: xr.Dataset) -> str:
    """Name the opponent of one comparison by one metric."""
    other = str(one["who"].item())
    return "the median of the other systems" if other == MEDIAN else other


def _digits(difference: float) -> int:
    """Return with how many decimals a difference is written: 3, or as many as show that it is not 0.

    >>> _digits(0.2), _digits(-0.0003), _digits(0.0)
    (3, 4, 3)
    """
    if abs(difference) <= EQUAL:
        return 3
    return max(3, int(np.ceil(-np.log10(abs(difference)))))


def _interval(one: xr.Dataset, digits: int) -> str:
    """Write the interval of a difference; there is none where it is the same on every topic."""
    options, low, high = about(one)["options"], float(one["low"]), float(one["high"])
    if np.isnan(low):
        return f"the same on every {unit_of(one)}, so that there is no interval"
    ends = interval(low, high, digits, sign=True)
    return f"{1 - options['alpha']:.0%} interval {ends}"


def _equivalence_clause(one: xr.Dataset, count: int) -> str:
    """Say whether two systems are shown to differ by less than the margin, if one was named; count : of comparisons."""
    if "equivalent" not in one:
        return ""
    margin, p = about(one)["options"]["margin"], float(one["p_equivalent"])
    shown = "is shown" if bool(one["equivalent"]) else "is not shown"
    corrected = f", corrected for {count} comparisons" if count > 1 else ""
    return f" That they differ by less than {margin:g} {shown} ({p_in_sentence(p)}, two t tests{corrected})."


def _count_sentence(one: xr.Dataset) -> str:
    """Say how many of the comparisons by one metric are significant, and in which direction."""
    options, metric = about(one)["options"], str(one.metric.item())
    sure, up = one["significant"].values, one["difference"].values > 0
    better, worse = int((sure & up).sum()), int((sure & ~up).sum())
    count = one.sizes["against"]
    rest = count - better - worse
    open_ = f"{rest} {are(rest)} not distinguished from it"
    method = options["correct"]
    correction = "" if method in ("none", options["test"]) else f" by {method}"
    corrected = f", corrected for these {count}{correction}" * (method != "none")
    alike = ""
    if "equivalent" in one:
        equivalent = int(one["equivalent"].sum())
        alike = (
            f" It differs by less than {options['margin']:g} from {equivalent} of them."
        )
    return (
        f"By {metric}, {options['system']} is significantly better than {better} of {count} systems and worse than "
        f"{worse}; {open_} ({options['test']} test{corrected}, level {options['alpha']:g}).{alike}"
    )
