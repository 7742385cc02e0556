"""What `ranking` answers: tables for programs, an overview and findings for people."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.names import is_known, parse, raw
from irmeta.scores.attributes import about
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.notes import Answer
from irmeta.studies.choice.ranking.study import is_reported, size_to_report
from irmeta.words import counted, listed

TRUST = (
    (0.8, "the choice is stable"),
    (0.5, "part of it is arbitrary"),
    (-np.inf, "do not trust the choice"),
)
"""What is said of a choice, by the least share of it, corrected for chance, on which halves of the topics agree."""
HALVES = "halves agree on"
"""The column with the share of the metrics that two halves of the topics both choose."""
EQUAL = 1e-9
"""Sets whose loss differs by at most this are equally good."""
_BEHIND = ("behind", "behind_low")
_LEFT = ("unexplained", "unexplained_low", "unexplained_high")
_SUBSETS = (
    "log_det",
    *_LEFT,
    "cost",
    "optimal",
    "ratio_to_optimum",
    "gap",
    "proven",
    "nodes",
    "kept",
    "same",
)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    order : position, metric, value (of the metrics up to there, by the objective), criterion (the variance of this
    metric and those after it that it explains, given those before it, which is what "gf" goes by).
    subsets : k, metrics, log_det, unexplained (share of all variance) with its 95% interval over topics unexplained_low
    and unexplained_high, optimal (the best value of the objective),
    ratio_to_optimum, gap (how much better than that a subset may still be), proven, nodes (of the search); with a
    budget, cost; with partitions, kept (share of one half's subset, less included metrics, that the other half of the
    topics chooses, too) and same (share of partitions in which all of it is).
    stability : k, metric, chosen (share of halves) and its standard error se; with partitions only.
    alternatives : k, metrics, chosen (share of halves that choose just these), unexplained (on all topics): the sets
    that halves choose most often; with partitions only.
    rivals : k, metrics, behind (its loss by the objective less that of the best), behind_low (the lower end of the 95%
    interval over topics, of all sets of that size at once): the sets of the size reported that are not clearly worse
    than the best, which is the first; with "exact" and scores, of at most 5000 sets.
    """
    order = outcome["order"].values.astype(str).tolist()
    numbers = {name: outcome[name].values for name in _SUBSETS if name in outcome}
    views = {
        "order": pl.DataFrame(
            {
                "position": range(1, len(order) + 1),
                "metric": order,
                "value": outcome["value"].values,
                "criterion": outcome["criterion"].values,
            }
        ),
        "subsets": pl.DataFrame(
            {"k": outcome["k"].values, "metrics": _sets(outcome, "chosen"), **numbers}
        ).with_columns(pl.selectors.ends_with("low", "high").fill_nan(None)),
    }
    if "again" in outcome:
        views["stability"] = _stability(outcome)
        views["alternatives"] = _alternatives(outcome)
    if "rival" in outcome:
        views["rivals"] = _rivals(outcome)
    return views


def _stability(outcome: xr.Dataset) -> pl.DataFrame:
    """Return which share of halves chooses each metric, by the size of sets."""
    again = outcome["again"].values
    k, metric = np.nonzero(again > 0)
    stability = pl.DataFrame(
        {
            "k": outcome["k"].values[k],
            "metric": outcome["metric"].values.astype(str)[metric].tolist(),
            "chosen": again[k, metric],
            "se": outcome["again_se"].values[k, metric],
        }
    )
    return stability.sort("k", "chosen", descending=[False, True], maintain_order=True)


def _alternatives(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the sets that halves choose most often."""
    figures = {
        name: outcome[f"alternative_{name}"].values
        for name in ("k", "chosen", "unexplained")
    }
    table = pl.DataFrame({**figures, "metrics": _sets(outcome, "alternative")})
    return table.select("k", "metrics", "chosen", "unexplained")


def _rivals(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the sets that are not clearly worse than the best."""
    sets = _sets(outcome, "rival")
    figures = {name: outcome[f"rival_{name}"].values for name in _BEHIND}
    return pl.DataFrame({"k": list(map(len, sets)), "metrics": sets, **figures})


def _sets(outcome: xr.Dataset, variable: str) -> list[list[str]]:
    """Return the metrics of each set that a variable marks, one set a row."""
    metrics = outcome["metric"].values.astype(str)
    return [metrics[taken].tolist() for taken in outcome[variable].values]


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the best set of each size, what it explains, how much of it both halves choose, and what is not proven."""
    subsets = tables(outcome)["subsets"]
    shown = subsets.select("k", "metrics", explained=1 - pl.col("unexplained"))
    if not subsets["proven"].all():
        gaps = zip(subsets["proven"], subsets["gap"], strict=True)
        words = ["proven" if sure else f"to within {gap:.3g}" for sure, gap in gaps]
        shown = shown.with_columns(best=pl.Series(words))
    if about(outcome)["options"]["method"] != "exact":
        shown = shown.with_columns(subsets["ratio_to_optimum"].alias("of the best"))
    if "kept" in subsets:
        shown = shown.with_columns(subsets["kept"].alias(HALVES))
    return {"subsets": shown}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say what to report, how good that is, how the answer depends on the question, and whether to trust it."""
    few = _size(outcome)
    if few == outcome.sizes["metric"] and about(outcome)["options"]["k"] is None:
        return [
            f"It takes all {few} metrics of these scores to explain 90% of their variance: there is nothing to choose. "
            "To choose a few of many, evaluate the runs without -m."
        ]
    lines = [_report_sentence(outcome, few)]
    if "kept" in outcome and not warnings(outcome):
        lines.append(_stability_sentence(outcome, few))
    if "rival" in outcome:
        lines.append(_rivals_sentence(outcome))
    if about(outcome)["options"]["method"] != "exact":
        lines.append(_optimum_sentence(outcome))
    lines.append(_proof_sentence(outcome))
    if "other" in outcome:
        lines.append(_other_choices_sentence(outcome, few))
    collections = about(outcome)["inputs"]["collections"].values()
    if "kept" not in outcome and any(one["topics"] > 1 for one in collections):
        lines.append(
            f"To see whether other {unit_of(outcome)}s would lead to the same choice, add --partitions 100."
        )
    return lines


def _size(outcome: xr.Dataset) -> int:
    """Return the number of metrics to report."""
    k = about(outcome)["options"]["k"]
    return size_to_report(outcome["k"].values, outcome["unexplained"].values, k)


def _report_sentence(outcome: xr.Dataset, few: int) -> str:
    """Name the metrics to report, and how much of the variance of all they explain."""
    options = about(outcome)["options"]
    at = outcome.sel(k=few)
    chosen = ", ".join(outcome["metric"].values[at["chosen"].values])
    level = f", {options['unit']} level" if options["unit"] else ""
    explained, high, low = (1 - float(at[name]) for name in _LEFT)
    verb = "explains" if few == 1 else "explain"
    if np.isnan(low):
        interval = ""
    else:
        over = f"{unit_of(outcome)}s"
        interval = f"; 95% interval over {over} {low:.1%} to {high:.1%}"
    which = (
        f"{few} of {counted(outcome.sizes['metric'], 'metric')}, which {verb} "
        f"{explained:.1%} of the variance of all metrics ({options['matrix']} "
        f"matrix{level}{interval})"
    )
    if _is_open(outcome):
        what = f"which {counted(few, 'metric')} to report"
        said = f"These topics do not settle {what}. Best on them: {chosen}: {which}."
    else:
        said = f"Report {chosen}: {which}."
    return said + _one_cutoff_sentence(outcome)


def _one_cutoff_sentence(outcome: xr.Dataset) -> str:
    """Name the best set without one metric at two cutoffs, where the best set has one and that set may be as good."""
    if "rival" not in outcome:
        return ""
    sets = _sets(outcome, "rival")
    once = [len(set(map(_without_cutoff, names))) == len(names) for names in sets]
    if once[0] or not any(once):
        return ""
    at = once.index(True)
    explains = ""
    if about(outcome)["options"]["objective"] != "determinant":
        left = outcome["unexplained"].sel(k=len(sets[0]))
        explains = f"explain {1 - float(left + outcome['rival_behind'][at]):.1%} and "
    return (
        f" One metric is in it at two cutoffs; {', '.join(sets[at])} {explains}may be as good on other "
        f"{unit_of(outcome)}s."
    )


def _without_cutoff(name: str) -> str:
    """Return the name of a metric without its cutoff; one that irmeta does not know stays as it is."""
    if not is_known(raw(name)):
        return name
    return str(replace(parse(raw(name)), cutoff=None))


def _is_open(outcome: xr.Dataset) -> bool:
    """Say whether other topics may choose otherwise: halves do, or another set may be the best."""
    return bool(warnings(outcome)) or _has_rivals(outcome)


def _has_rivals(outcome: xr.Dataset) -> bool:
    """Say whether another set is not clearly worse than the best."""
    return "rival" in outcome and outcome.sizes["near"] > 1


def _optimum_sentence(outcome: xr.Dataset) -> str:
    """Say how near a method that gives one order comes to the best subset of each size."""
    ratios = outcome["ratio_to_optimum"].values
    found = int((ratios > 1 - 1e-6).sum())
    worst = outcome["k"].values[ratios.argmin()]
    return (
        f"{about(outcome)['options']['method']} finds the best subset at {found} of {ratios.size} "
        f"sizes; at its worst size, {worst}, it reaches {ratios.min():.2g} of the optimum."
    )


def _proof_sentence(outcome: xr.Dataset) -> str:
    """Say whether the optima are proven."""
    unproven = outcome["k"].values[~outcome["proven"].values]
    if unproven.size:
        seconds = about(outcome)["options"]["time_limit"]
        return (
            f"Not proven within {seconds:g} s: the best subsets of {_ranges(unproven)} metrics. "
            f"{_gap(outcome)} (--time-limit SECONDS searches longer)."
        )
    if about(outcome)["options"]["method"] == "exact":
        return (
            f"By this criterion no better set {_search_sentence(outcome)} exists{_cost_clause(outcome)} (proven "
            f"for these scores).{_hint(outcome)}"
        )
    return (
        f"The optimum that it is compared with, the best set {_search_sentence(outcome)}{_cost_clause(outcome)}, "
        f"is proven at every size.{_hint(outcome)}"
    )


def _gap(outcome: xr.Dataset) -> str:
    """Say how much better than the best subset found another may be, at the size where that is most."""
    gaps = outcome["gap"].values
    at = int(gaps.argmax())
    if about(outcome)["options"]["objective"] == "determinant":
        more = f"have a log determinant larger by up to {gaps[at]:.2g}"
    else:
        more = f"explain up to {100 * gaps[at]:.2g}% more of the variance"
    return f"The widest gap: another set of {outcome['k'].values[at]} may {more}"


def _ranges(sizes: Iterable[int]) -> str:
    """Write ascending sizes, those that follow each other as "5 to 9"."""
    groups = groupby(enumerate(sizes), lambda numbered: numbered[1] - numbered[0])
    rows = [[size for _, size in group] for _, group in groups]
    return ", ".join(
        f"{row[0]} to {row[-1]}" if len(row) > 1 else str(row[0]) for row in rows
    )


def _search_sentence(outcome: xr.Dataset) -> str:
    """Say which sets a search went through: their sizes, and what they may hold."""
    options = about(outcome)["options"]
    sizes = outcome["k"].values
    least = int(sizes.min())
    most = int(sizes.max())
    free = int(outcome["candidate"].sum())
    every = outcome.sizes["metric"]
    between = "or" if least + 1 == most else "to"
    size = f"{least}" if least == most else f"{least} {between} {most}"
    among = f"{free} metrics"
    if free < every:
        reported = _searches_only_reported(outcome)
        which = "papers usually report" if reported else "can be chosen"
        names = listed(outcome["metric"].values[outcome["candidate"].values], 13)
        among += f" that {which} ({names})"
    if options["include"]:
        among += f" with {', '.join(options['include'])} in it"
    return f"of {size} of the {among}"


def _cost_clause(outcome: xr.Dataset) -> str:
    """Say what the sets searched may cost."""
    budget = about(outcome)["options"]["budget"]
    if budget is None:
        return ""
    return f" at a cost of at most {budget:g}"


def _searches_only_reported(outcome: xr.Dataset) -> bool:
    """Return whether the metrics left out of the search are just those that papers seldom report."""
    left_out = outcome["metric"].values[~outcome["candidate"].values]
    return not any(map(is_reported, left_out))


def _hint(outcome: xr.Dataset) -> str:
    """Say how to search all metrics, where only those were searched that papers usually report."""
    if outcome["candidate"].values.all() or not _searches_only_reported(outcome):
        return ""
    return " To choose from all metrics: --candidates all."


def _rivals_sentence(outcome: xr.Dataset) -> str:
    """Say how many sets of the size reported may be as good on other topics."""
    size, near = int(outcome["rival"].values[0].sum()), outcome.sizes["near"]
    every = int(outcome["compared_sets"])
    if near == 1:
        return (
            f"It is clearly the best of all {every} sets of {size} (95%, all at once)."
        )
    if near == every:
        which = f"Any of the {every}"
    else:
        which = f"{near} of the {every}"
    return f"{which} sets of {size} may be the best on other {unit_of(outcome)}s (95%, all at once; table rivals)."


def _other_choices_sentence(outcome: xr.Dataset, few: int) -> str:
    """Say what would be chosen at other levels and by the other objective: where that is another set, as an answer."""
    metrics = outcome["metric"].values.astype(str)
    own = outcome["chosen"].sel(k=few).values
    same, sentences = [], []
    for way, taken in zip(outcome["way"].values, outcome["other"].values, strict=True):
        if (taken == own).all():
            same.append(str(way))
        else:
            sentences.append(f"{way} {', '.join(metrics[taken])}")
    if not sentences:
        return f"The choice is the same {', '.join(same)}."
    also = f"; the same {', '.join(same)}" if same else ""
    return Answer(f"Other criteria choose: {'; '.join(sentences)}{also}.")


def _stability_sentence(outcome: xr.Dataset, few: int) -> str:
    """Say how much of the choice two random halves of the topics both make, and what follows."""
    kept, same, chance = (
        float(outcome[name].sel(k=few)) for name in ("kept", "same", "chance")
    )
    if chance == 1:  # all metrics are chosen, whatever the topics say
        return f"There is only one set of {few}, so halves of the {unit_of(outcome)}s cannot choose another."
    if (tied := _count_ties(outcome)) > 1:
        return (
            f"{tied} sets of {few} are equally good by this criterion, to the last digit, so the choice among them is "
            f"arbitrary, whatever halves of the {unit_of(outcome)}s choose."
        )
    corrected = (kept - chance) / (1 - chance)
    verdict = next(verdict for least, verdict in TRUST if corrected >= least)
    if verdict == TRUST[0][1] and _has_rivals(outcome):
        verdict += ", though other sets may be as good"
    return (
        f"Two random halves of the {unit_of(outcome)}s agree on {kept:.0%} of the best {few} metrics (by chance "
        f"{chance:.0%}), and on all of them in {same:.0%} of partitions: "
        f"{verdict}.{_alternatives_sentence(outcome, few)}"
    )


def _count_ties(outcome: xr.Dataset) -> int:
    """Count the sets of the size reported that are as good as the best, itself among them."""
    if "rival" not in outcome:
        return 1
    return int((outcome["rival_behind"].values <= EQUAL).sum())


def _alternatives_sentence(outcome: xr.Dataset, few: int) -> str:
    """Say how much the sets explain that halves choose most often."""
    here = outcome["alternative_k"].values == few
    explained = 1 - outcome["alternative_unexplained"].values[here]
    if len(explained) < 2:
        return ""
    return (
        f" The {len(explained)} sets that halves choose most often explain {explained.min():.1%} to "
        f"{explained.max():.1%} of the variance of all metrics (table alternatives)."
    )


def warnings(outcome: xr.Dataset) -> list[str]:
    """Warn of a choice that other topics would not make."""
    if "kept" not in outcome:
        return []
    sentence = _stability_sentence(outcome, _size(outcome))
    return [sentence] if f": {TRUST[-1][1]}." in sentence else []
