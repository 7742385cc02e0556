"""What the study of judges tells: tables for programs, an overview and findings for people."""

from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import short, with_interval
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.notes import Answer
from irmeta.scores.result import ends, frame, pairs_once, with_nulls
from irmeta.studies.judges.compare import baselines
from irmeta.words import are, counted, decimal, digits_beside_zero, joined, listed

FEW_FAMILIES = 8
"""At most this number of families is shown whether their favour is clear or not."""
DIFFER = 10
"""How many pairs of judges the overview shows."""
VALUE = ("value", "low", "high")
ENDS = ("low", "high", "p_corrected")
"""What tables call a figure, the ends of its interval, and its p."""
LOSS = 0.05
"""How much tau with other topics a judge may lose to stand in for the truth."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `systems`, `pairs`, `significance`, `topics`, `favour`, `ranks`, `labels`, `confusion`, `passes` and more.

    ranks : truth_mean and judge_mean, a system's means by the truth and by the judge, and how many ranks it moved.
    """
    made: dict[str, pl.DataFrame] = {}
    if "tau" in outcome:
        made |= {
            "systems": _systems(outcome),
            "significance": _significance(outcome),
            "ranks": _ranks(outcome),
        }
    if "difference" in outcome and outcome.sizes["judge"] > 1:
        made["pairs"] = _pairs(outcome)
    made |= baselines.tables(outcome)
    if "topic_tau" in outcome:
        made["topics"] = _topics(outcome)
    if "system_favour" in outcome:
        made["favour"] = _favour(outcome)
    if "label" in outcome:
        made |= {"labels": _labels(outcome), "confusion": _confusion(outcome)}
    if "repeated" in outcome.coords:
        made["passes"] = _passes(outcome)
    return made


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show each judge on a line for each metric, the judges that differ, the clearest favours, and labels."""
    shown: dict[str, pl.DataFrame] = {}
    if "tau" in outcome:
        truth = _truth(outcome)
        several = outcome.sizes["metric"] > 1
        for metric in outcome.metric.values:
            one = outcome.sel(metric=[metric])
            by = f", {metric}" if several else ""
            ceiling = short(one["ceiling"].item())
            title = (
                f"agreement with {truth}{by} ({truth} with the true ranking {ceiling})"
            )
            shown[title] = _agreement(one)
        shown["pairs of systems that differ"] = _decision_rows(outcome)
    if "difference" in outcome and (differ := _clear_pairs(outcome)).height:
        shown["judges that differ (Holm)"] = differ
    if "group_favour" in outcome:
        shown |= _families(outcome)
    elif "system_favour" in outcome and (clear := _favoured_systems(outcome)).height:
        shown["largest clear favours"] = clear
    if "label" in outcome:
        shown["labels"] = _readable_labels(outcome)
    return shown


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which judge ranks systems best, what it misses and invents, how well it predicts, and whom it favours."""
    lines: list[str] = []
    if "tau" in outcome:
        for metric in outcome.metric.values:
            lines += _metric_sentences(outcome.sel(metric=metric), str(metric))
    if "label" in outcome:
        lines += _label_sentences(outcome)
    if "repeated" in outcome.coords:  # passes were asked for
        lines[1:1] = _pass_sentences(outcome)
    return lines


def _pass_sentences(outcome: xr.Dataset) -> list[str]:
    """Say of each judge with several passes how much of its disagreement is with itself."""
    truth = _truth(outcome)
    lines = []
    for name in outcome["repeated"].values:
        one = outcome.sel(repeated=name)
        said = f"{int(one['passes'])} passes of {name}"
        parts = []
        if "own_share" in outcome and int(one["passed_pairs"]):
            said += f" give {int(one['passes_differ'])} of {int(one['passed_pairs'])} pairs different labels"
            if np.isfinite(one["own_share"]):
                parts.append(_own_share_clause(one, truth))
        if "own_share_means" in outcome:
            parts += [
                f"{_percent(one['own_share_means'].sel(metric=metric))}% of how it ranks systems otherwise by {metric}"
                for metric in outcome["metric"].values
                if np.isfinite(one["own_share_means"].sel(metric=metric))
            ]
        if parts:
            lines.append(f"{said}: its disagreement with itself is {joined(parts)}.")
    return lines


def _own_share_clause(one: xr.Dataset, truth: str) -> str:
    """Say the share of grades, or of relevance where the scales differ."""
    what = "own_share" if np.isnan(one["own_share_grades"]) else "own_share_grades"
    labels = "relevant or not" if what == "own_share" else "grades"
    share, low, high = (_percent(one[name]) for name in ends(what))
    interval = "" if np.isnan(one[f"{what}_low"]) else f" ({low} to {high})"
    return f"{share}%{interval} of its squared differences from {truth} ({labels})"


def _percent(share: Any) -> str:
    """Write a share as a whole percentage, without its sign."""
    return f"{100 * float(share):.0f}"


def _truth(outcome: xr.Dataset) -> str:
    """Return the name of the truth."""
    return str(about(outcome)["options"]["truth"])


def _metric_sentences(one: xr.Dataset, metric: str) -> list[str]:
    """Say by one metric which judge ranks best, what it misses and invents, and whom it favours."""
    place = int(np.nan_to_num(one["tau"].values, nan=-2).argmax())
    best = one.isel(judge=place)
    judges = int(one["tau"].notnull().sum())
    if not judges:
        return [
            f"{metric}: no judge distinguishes the systems, so there is no ranking to compare."
        ]
    verdict = _stand_in_sentences(best, judges)
    agrees = [_agreement_sentence(best, judges)]
    lines = [
        *(verdict or agrees),
        *baselines.baseline_sentences(one, metric),
        *_above_truth_sentences(best),
        *(agrees if verdict else []),
        *([] if judges == 2 else _rival_sentences(one, place, metric)),
    ]
    better = _better_judge_sentences(one, place, metric) if judges == 2 else []
    groups, systems = (_favour_lines(one, place, dim) for dim in ("group", "system"))
    others = _other_verdict_sentences(one, place, metric)
    decided = _decision_sentence(best)
    return [lines[0], *others, *better, *groups, *lines[1:], decided, *systems]


def _decision_sentence(best: xr.Dataset) -> str:
    """Say how many significant differences by the truth the best judge misses and reverses, and how many it invents."""
    metric, judge, truth = best.metric.item(), best.judge.item(), _truth(best)
    counts = best["pairs"].to_series().astype(int)
    true = counts["agree"] + counts["missed"] + counts["reversed"]
    claimed = counts["agree"] + counts["invented"] + counts["reversed"]
    if not true and not claimed:
        return f"{metric}: neither {truth} nor {judge} finds a significant difference between systems."
    also = f", and reverses {counts['reversed']}" if counts["reversed"] else ""
    return (
        f"{metric}: of {counted(true, 'significant difference')} by {truth}, {judge} misses "
        f"{counts['missed']}{also}; of its own {claimed}, it invents {counts['invented']}."
    )


def _agreement_sentence(best: xr.Dataset, judges: int) -> str:
    """Say how far the best judge ranks as the truth does, and how well the truth itself is expected to rank."""
    truth = _truth(best)
    highest = f", the highest of {judges} judges" if judges > 1 else ""
    topics = counted(int(best["topics"]), unit_of(best))
    # else the verdict, which comes first, says it
    among = "" if _verdict(best) else _among_best_clause(best)
    return (
        f"{best.metric.item()}: {best.judge.item()} ranks the {best.sizes['system']} systems like {truth}, with tau "
        f"{_interval(best, 'tau')} over {topics}{highest}{_soft_accuracy_clause(best)}; the expected tau of {truth} "
        f"with the true ranking is {short(float(best['ceiling']))}{among}."
    )


def _interval(best: xr.Dataset, figure: str, digits: int = 2) -> str:
    """Write a figure of a judge with its interval."""
    return with_interval(*(best[name] for name in ends(figure)), digits=digits)


def _soft_accuracy_clause(best: xr.Dataset) -> str:
    """Say how alike a judge and the truth are in how sure they are of pairs, where both have the same topics."""
    if "soft" not in best or np.isnan(best["soft"]):
        return ""
    return f", and with soft pairwise accuracy {_interval(best, 'soft')}"


def _above_truth_sentences(best: xr.Dataset) -> list[str]:
    """Where a judge agrees more with the truth than the truth with the true ranking, say that this proves nothing."""
    # as they are printed
    tau, ceiling = (float(decimal(float(best[name]), 2)) for name in ("tau", "ceiling"))
    if tau <= ceiling:
        return []
    return [
        f"{best.metric.item()}: {best.judge.item()} agrees with {_truth(best)} more than {_truth(best)} with the true "
        f"ranking ({short(tau)}, {short(ceiling)}) because both judge the same topics, not because it is better."
    ]


def _better_judge_sentences(one: xr.Dataset, best: int, metric: str) -> list[str]:
    """Say which of two judges is better, if that is clear, with their difference."""
    if "soft_difference" not in one:
        return []
    ranking = np.flatnonzero(one["tau"].notnull().values)
    pair = [best, *ranking[ranking != best]]
    p = float(one["soft_difference_p_corrected"].values[pair[0], pair[1]])
    if np.isnan(p):
        return []
    clear = p < 0.05
    if clear and one["soft_difference"].values[pair[0], pair[1]] < 0:
        # the largest tau need not have the largest soft accuracy
        pair = pair[::-1]
    first, second = (str(one.judge.values[at]) for at in pair)
    apart = with_interval(
        *(one[name].values[pair[0], pair[1]] for name in ends("soft_difference")),
        sign=True,
    )
    own, other = (short(float(one["soft"].values[at])) for at in pair)
    if clear:
        verdict = f"{second} is clearly worse than {first}"
    else:
        verdict = f"neither of {first} and {second} is clearly better"
    return [
        Answer(
            f"{metric}: {verdict}: soft pairwise accuracy {own} and {other}, difference {apart}."
        )
    ]


def _rival_sentences(one: xr.Dataset, best: int, metric: str) -> list[str]:
    """Say of how many judges the best one is not clearly better."""
    if "difference" not in one:
        return []
    every = one["soft_difference_p_corrected"].values
    # the largest tau need not have the largest soft accuracy
    p = np.where(one["soft_difference"].values[best] < 0, 1.0, every[best])
    others = ~np.isnan(every[best]) & (np.arange(len(every)) != best)
    p = p[others]
    tested = every[np.triu_indices(len(every), 1)]
    tested = tested[~np.isnan(tested)]
    if not p.size:
        return []
    differ = int((tested < 0.05).sum())
    alike = int((p >= 0.05).sum())
    name = one.judge.values[best]
    verdict = f"{alike} of the other {p.size} judges {are(alike)} not clearly worse than {name}"
    if alike in (0, p.size):
        verdict = f"{'all' if not alike else 'none of the'} other {p.size} judges are clearly worse than {name}"
    return [
        f"{metric}: {verdict}; of {tested.size} differences between judges {differ} "
        f"{are(differ)} more than noise (soft pairwise accuracy; Holm, .05)."
    ]


def _verdict(judge: xr.Dataset) -> str:
    """Say whether a judge may rank systems in place of the truth: "may", "should not" or "open"; "" if not known."""
    if "phi" not in judge or np.isnan(judge["phi_gain_low"]):
        return ""
    low, high = (float(judge[f"phi_gain_{end}"]) for end in ("low", "high"))
    # who predicts nothing of itself has no ranking to stand in for
    if low > -LOSS and float(judge["phi_truth"]) > 0:
        return "may"
    return "should not" if high < 0 else "open"


def _stand_in_sentences(best: xr.Dataset, judges: int) -> list[str]:
    """Say whether the judge may rank systems in place of the truth, by what both predict of other topics."""
    verdict = _verdict(best)
    if not verdict:
        return []
    judge, truth = str(best.judge.item()), _truth(best)
    own, other = (float(best[name]) for name in ("phi_truth", "phi"))
    low, high = (float(best[f"phi_gain_{end}"]) for end in ("low", "high"))
    what = f"stand in for {truth} to rank these {best.sizes['system']} systems"
    said = f"{judge} {verdict} {what}"
    if verdict == "open":
        said = f"whether {judge} may {what} is open"
    # no end is shown as 0, or as the loss allowed, that is not
    digits = digits_beside_zero(2, low, high, low + LOSS)
    picked = f"; picked of {judges}, so optimistic" if judges > 1 else ""
    topics = counted(int(best["topics"]), unit_of(best))
    return [
        f"{best.metric.item()}: {said}: on half of the {topics} it predicts the ranking by {truth} on the other half "
        f"with tau {short(other)}, {truth} with {short(own)} (difference "
        f"{_interval(best, 'phi_gain', digits)}{picked}). {_first_system_sentence(best)}{_among_best_clause(best)}."
    ]


def _other_verdict_sentences(one: xr.Dataset, best: int, metric: str) -> list[str]:
    """Say of the other judges which may stand in for the truth."""
    by_verdict: dict[str, list[str]] = {}
    for at, name in enumerate(one.judge.values.astype(str)):
        if at != best and (verdict := _verdict(one.isel(judge=at))):
            by_verdict.setdefault(verdict, []).append(name)
    if not by_verdict:
        return []
    ways = {
        "may": "{} may stand in",
        "open": "whether {} may stand in is open",
        "should not": "{} should not",
    }
    said = [
        way.format(listed(by_verdict[verdict]))
        for verdict, way in ways.items()
        if verdict in by_verdict
    ]
    return [Answer(f"{metric}: {'; '.join(said)}.")]


def _first_system_sentence(best: xr.Dataset) -> str:
    """Say where the truth has the judge's first system."""
    truth, judge = (best[f"{who}_mean"].values for who in ("truth", "judge"))
    by_both = np.flatnonzero((judge == np.nanmax(judge)) & (truth == np.nanmax(truth)))
    if by_both.size:
        return f"Both have {joined(best.system.values[by_both].tolist())} first"
    at = int(np.nanargmax(judge))
    place = 1 + int((truth > truth[at]).sum())
    return (
        f"Its first, {best.system.values[at]}, is number {place} by {_truth(best)}, whose first is "
        f"{best.system.values[int(np.nanargmax(truth))]}"
    )


def _among_best_clause(best: xr.Dataset) -> str:
    """Say where tau among the best systems lies below the interval of tau among all."""
    tau, low, among = (float(best[name]) for name in ("tau", "tau_low", "tau_best"))
    if not among < low:
        return ""
    number = about(best)["options"]["best"]
    return (
        f"; tau among the {number} best by {_truth(best)} is {short(among)}, among all systems "
        f"{short(tau)}"
    )


def _favour_lines(one: xr.Dataset, place: int, dim: str) -> list[str]:
    """Name whom the best judge favours most, if that is clear, and which others favour some: of groups, or systems."""
    if f"{dim}_favour" not in one:
        return []
    best = one.isel(judge=place)
    called, several = _favoured_nouns(best, dim)
    metric, judge = best.metric.item(), best.judge.item()
    favour = best[f"{dim}_favour"].values
    clear = best[f"{dim}_favour_p_corrected"].values < 0.05
    if not clear.any():
        return [
            f"{metric}: {judge} clearly favours no {called} (Benjamini-Hochberg, .05){_favour_bound_clause(best, dim)}."
            f"{_others_favour_sentence(one, place, dim)}"
        ]
    most = int(np.where(clear, np.abs(favour), -1).argmax())
    verb = "favours" if favour[most] > 0 else "disfavours"
    count = int(clear.sum())
    return [
        f"{metric}: {judge} {verb} {called} {best[dim].values[most]} most, by {short(abs(float(favour[most])), 3)} "
        f"relative to all systems; {count} of {clear.size} {several} {are(count)} clearly favoured "
        f"or disfavoured (Benjamini-Hochberg, .05).{_others_favour_sentence(one, place, dim)}"
    ]


def _others_favour_sentence(one: xr.Dataset, place: int, dim: str) -> str:
    """Say which other judges clearly favour or disfavour some."""
    clear = (one[f"{dim}_favour_p_corrected"] < 0.05).any(dim).values
    others = one.judge.values[clear & (np.arange(clear.size) != place)].tolist()
    if not others:
        return ""
    do = "favours" if len(others) == 1 else "favour"
    return f" {listed(others)} clearly {do} or dis{do} some (--table favour)."


def _favoured_nouns(one: xr.Dataset, dim: str) -> tuple[str, str]:
    """Call what may be favoured a system, a team or a family; there are two at least."""
    called = dim if dim == "system" else str(about(one)["options"]["favoured"])
    return called, "families" if called == "family" else f"{called}s"


def _favour_bound_clause(best: xr.Dataset, dim: str) -> str:
    """Say of a few families how large a favour the intervals leave possible."""
    if dim != "group":
        return ""
    limits = np.stack([best[f"{dim}_favour_{end}"] for end in ("low", "high")], axis=1)
    at, end = np.unravel_index(np.abs(limits).argmax(), limits.shape)
    most, name = float(limits[at, end]), best[dim].values[at]
    side = "disfavour" if most < 0 else "favour"
    return f"; intervals, each by itself, leave a {side} of at most {short(abs(most), 3)} ({name})"


def _label_sentences(outcome: xr.Dataset) -> list[str]:
    """Say whose labels agree best with the truth's, over which pairs, and how lenient they are."""
    kappa = outcome["label"].sel(figure="kappa_relevant").values
    if np.isnan(kappa).all():
        return [f"No judge has labels of pairs that {_truth(outcome)} judged."]
    same = outcome["kappa_together"].values
    # judges are ordered over the pairs that all of them judged, if there are any
    best = int(np.nanargmax(kappa if np.isnan(same).any() else same))
    low, high = (
        outcome[f"label_{end}"].sel(figure="kappa_relevant")[best]
        for end in ("low", "high")
    )
    more = float(outcome["label"].sel(figure="more_relevant").values[best])
    lenient = "higher" if more > 0 else "lower"
    name = str(outcome.judge.values[best])
    both = int(outcome["judged_by_both"].values[best])
    judges = int((~np.isnan(kappa)).sum())
    highest = f", the highest of {judges} judges" if judges > 1 else ""
    pairs = np.unique(outcome["judged_by_both"].values)
    if judges > 1 and pairs.size > 1:
        if np.isnan(same).any():
            highest += "; these judged other pairs, which kappa depends on"
        else:
            highest = (
                f" ({short(float(same[best]))}, the highest of {judges} judges, over the "
                f"{int(outcome['judged_together'])} pairs that all judged)"
            )
    return [
        f"Labels: {name} agrees with {_truth(outcome)} on relevance with kappa "
        f"{with_interval(kappa[best], low, high, digits=2)}{highest}, over {both} pairs that both "
        f"judged; its share of relevant labels is {100 * abs(more):.1f} points {lenient}."
    ]


def _systems(outcome: xr.Dataset) -> pl.DataFrame:
    """List by judge and metric how far its ranking agrees with the truth's, and which system it moves most."""
    columns = [*ends("tau"), *(ends("soft") if "soft" in outcome else [])]
    columns += ["ceiling", "tau_ap", "tau_best", "tau_gap", "rbo"]
    if "phi" in outcome:
        columns += ["phi", "phi_truth", *ends("phi_gain")]
    # a judge that ranks nothing has no number of topics
    made = frame(outcome, ["topics", *columns], by=("judge", "metric")).with_columns(
        pl.col("topics").cast(pl.Int64, strict=False)
    )
    moved = frame(outcome, ("moved",), by=("judge", "metric", "system"))
    most = (
        moved.sort(pl.col("moved").abs(), descending=True, maintain_order=True)
        .group_by("judge", "metric", maintain_order=True)
        .first()
        .with_columns(
            _whole("moved"), system=pl.when(pl.col("moved").is_not_nan()).then("system")
        )
        .rename({"system": "moved_most"})
    )
    return with_nulls(made.join(most, on=["judge", "metric"], maintain_order="left"))


def _ranks(outcome: xr.Dataset) -> pl.DataFrame:
    """List each system's mean under the truth and each judge, and how many ranks the judge moves it."""
    made = frame(
        outcome, ("truth_mean", "judge_mean", "moved"), by=("judge", "metric", "system")
    )
    return made.with_columns(_whole("moved"))


def _whole(column: str) -> pl.Expr:
    """Write counts as whole numbers, and null where a judge ranks nothing."""
    return pl.col(column).fill_nan(None).cast(pl.Int64)


def _pairs(outcome: xr.Dataset) -> pl.DataFrame:
    """List the differences of tau and of soft accuracy of every two judges."""
    names = {"judge": "judge_a", "judge_2": "judge_b", "metric": "metric"}
    for soft in ("", "soft_"):
        names[f"{soft}difference"] = f"{soft}difference"
        for part in ("low", "high", "p", "p_corrected"):
            names[f"{soft}difference_{part}"] = f"{soft}{part}"
    every = frame(outcome, list(names)[3:], by=("metric", "judge", "judge_2"))
    once = pairs_once(every, outcome.sizes["judge"], diagonal=1)
    return with_nulls(once.select(*names).rename(names))


def _passes(outcome: xr.Dataset) -> pl.DataFrame:
    """List by judge with several passes how these differ; shares of means are of one metric a row."""
    of_means = ["own_share_means"] if "own_share_means" in outcome else []
    named = {
        str(name): str(name).replace("own_share", "own")
        for name in outcome
        if outcome[name].dims == ("repeated",)
    }
    by = ["repeated", *(["metric"] if of_means else [])]
    table = frame(outcome, [*named, *of_means], by=by)
    return with_nulls(table.rename({**named, "repeated": "judge"}))


def _significance(outcome: xr.Dataset) -> pl.DataFrame:
    """Count by judge and metric the pairs of systems of each decision, and the share of its claims that are wrong."""
    long = frame(outcome, ("pairs",), by=("judge", "metric", "decision"))
    wide = long.with_columns(_whole("pairs")).pivot(
        "decision", index=["judge", "metric"], values="pairs", maintain_order=True
    )
    wrong = pl.col("invented") + pl.col("reversed")
    claimed = pl.col("agree") + wrong
    return wide.with_columns(share_wrong=pl.when(claimed > 0).then(wrong / claimed))


def _topics(outcome: xr.Dataset) -> pl.DataFrame:
    """List by topic tau of judge and truth, and of each there with the truth's means over all other topics."""
    names = {
        "topic_tau": "tau",
        "topic_own": "truth_with_other_topics",
        "topic_rest": "judge_with_other_topics",
    }
    made = frame(outcome, list(names), by=("judge", "metric", "topic"))
    return with_nulls(made.rename(names))


def _favour(outcome: xr.Dataset) -> pl.DataFrame:
    """List whom each judge favours by each metric, the most favoured first: groups, then systems."""
    parts = []
    for dim in ("group", "system"):
        if f"{dim}_favour" in outcome:
            columns = [*ends(f"{dim}_favour"), f"{dim}_favour_p_corrected"]
            part = frame(outcome, columns, by=("judge", "metric", dim))
            part.columns = ["judge", "metric", "name", "favour", *ENDS]
            place = part.columns.index("name")
            part = with_nulls(part.insert_column(place, pl.lit(dim).alias("of")))
            parts += [
                one.sort(
                    "favour", descending=True, nulls_last=True, maintain_order=True
                )
                for one in part.partition_by("judge", "metric", maintain_order=True)
            ]
    return pl.concat(parts)


def _labels(outcome: xr.Dataset) -> pl.DataFrame:
    """List figures of agreement of each judge's labels with the truth's, and alphas of all sets at once."""
    counts = ["judged_by_both", "judged", "topics_by_both"]
    of_judges = frame(outcome, [*ends("label"), *counts], by=("judge", "figure"))
    of_judges.columns = ["judge", "figure", *VALUE, *counts]
    of_all = frame(outcome, ends("all"), by=("alpha",))
    of_all.columns = ["figure", *VALUE]
    of_all = of_all.with_columns(
        judge=pl.lit("(all on one scale)"), figure=pl.format("alpha_{}", "figure")
    )
    return with_nulls(pl.concat([of_judges, of_all], how="diagonal"))


def _confusion(outcome: xr.Dataset) -> pl.DataFrame:
    """List how often each grade of each judge meets each grade of the truth."""
    columns = ("judge", "truth_grade", "grade", "count")
    return pl.DataFrame(
        {name: outcome[f"confusion_{name}"].values.tolist() for name in columns}
    )


def _agreement(outcome: xr.Dataset) -> pl.DataFrame:
    """Show how far each judge agrees with the truth by one metric, best first, and rankings without judgments."""
    judges = _in_order(_systems(outcome))
    made = pl.concat([judges, baselines.rows(outcome)], how="diagonal_relaxed")
    shown: dict[str, Any] = {"judge": made["judge"]}
    if judges["topics"].n_unique() > 1:
        shown["topics"] = made["topics"]
    shown |= {
        "tau": [
            with_interval(*row, digits=2) for row in made.select(ends("tau")).rows()
        ],
        **({"soft": list(map(short, made["soft"]))} if "soft" in made else {}),
        "tau_AP": list(map(short, made["tau_ap"])),
        f"{about(outcome)['options']['best']} best": list(map(short, made["tau_best"])),
    }
    if "phi" in made.columns:
        shown["phi (truth)"] = [
            "-" if a is None else f"{short(a)} ({short(b)})"
            for a, b in made.select("phi", "phi_truth").rows()
        ]
    return pl.DataFrame(shown)


def _decision_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Show what becomes of the pairs of systems, judges in the order of their tau."""
    order = _in_order(_systems(outcome)).select("judge", "metric")
    counts = _significance(outcome).select(
        "judge", "metric", "agree", "missed", "invented", "reversed"
    )
    shown = order.join(counts, on=["judge", "metric"], maintain_order="left")
    if outcome.sizes["metric"] > 1:
        return shown
    return shown.drop("metric")


def _in_order(systems: pl.DataFrame) -> pl.DataFrame:
    """Order judges by tau, best first, within each metric; metrics stay in their order."""
    metrics = systems["metric"].unique(maintain_order=True).to_list()
    place = pl.col("metric").replace_strict(
        metrics, range(len(metrics)), return_dtype=pl.Int64
    )
    tau = pl.col("tau").fill_null(-2)
    return systems.sort(place, tau, descending=[False, True], maintain_order=True)


def _clear_pairs(outcome: xr.Dataset) -> pl.DataFrame:
    """Show the pairs of judges whose soft accuracy differs significantly, the clearest first; empty for one judge."""
    if outcome.sizes["judge"] < 2:
        return pl.DataFrame()
    clear = _pairs(outcome).filter(pl.col("soft_p_corrected") < 0.05)
    clear = clear.sort("soft_p").head(DIFFER)
    cells = clear.select("soft_difference", "soft_low", "soft_high").rows()
    differences = [with_interval(*row, digits=2) for row in cells]
    return clear.select(
        "judge_a",
        "judge_b",
        *(["metric"] if outcome.sizes["metric"] > 1 else []),
        pl.Series("difference in soft accuracy", differences),
    )


def _families(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show favour of families, or teams: of all, where they are few, else the largest that are clear."""
    called, several = _favoured_nouns(outcome, "group")
    favours = _favour(outcome).filter(pl.col("of") == "group")
    if favours.height <= FEW_FAMILIES:
        return {f"favour of {several}": _readable_favours(outcome, favours, called)}
    most = _significant(favours)
    if not most.height:
        return {}
    return {
        f"largest clear favours of {several}": _readable_favours(outcome, most, called)
    }


def _favoured_systems(outcome: xr.Dataset) -> pl.DataFrame:
    """Show clear favours of systems, the largest first."""
    favours = _favour(outcome).filter(pl.col("of") == "system")
    return _readable_favours(outcome, _significant(favours), "system")


def _significant(favours: pl.DataFrame) -> pl.DataFrame:
    """Return the favours that are significant, the largest first."""
    clear = favours.filter(pl.col("p_corrected") < 0.05)
    return clear.sort(pl.col("favour").abs(), descending=True, maintain_order=True)


def _readable_favours(
    outcome: xr.Dataset, most: pl.DataFrame, called: str
) -> pl.DataFrame:
    """Show favours with their intervals; called : what is favoured, as "family"."""
    rows = most.select("favour", "low", "high").rows()
    favours = [with_interval(*row) for row in rows]
    return most.select(
        "judge",
        *(["metric"] if outcome.sizes["metric"] > 1 else []),
        pl.col("name").alias(called),
        pl.Series("favour", favours),
    )


def _readable_labels(outcome: xr.Dataset) -> pl.DataFrame:
    """Show how far the labels of each judge agree with the truth's, and how lenient they are."""
    of_relevance = outcome.sel(figure="kappa_relevant")
    rows = zip(*(of_relevance[name].values for name in ends("label")), strict=True)
    kappa, alpha, more = (
        outcome["label"].sel(figure=figure).values.tolist()
        for figure in ("kappa", "alpha_ordinal", "more_relevant")
    )
    return pl.DataFrame(
        {
            "judge": outcome.judge.values.astype(str),
            "pairs": outcome["judged_by_both"].values,
            "kappa relevant": [with_interval(*row, digits=2) for row in rows],
            "kappa": list(map(short, kappa)),
            "alpha": list(map(short, alpha)),
            "more relevant": [short(value, sign=True) for value in more],
        }
    )
