"""What `predictivity` answers: tables for programs, an overview and findings for people."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import WIDE, interval, matrix_table, short
from irmeta.scores.groups.teams import teams_needed, teams_prefix
from irmeta.scores.result import frame, pairs_once
from irmeta.stats.arrays import Bools, Floats
from irmeta.studies.agreement.predictivity.study import best_predictor, verdict_of
from irmeta.words import joined, listed

SAME = 1e-9
"""Metrics whose mean phi differs by at most this have the same."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `phi`, `advantage`, `best` and, where sizes were given, `curve`; phi is symmetric and listed once a pair.

    `best`: each metric's mean phi with all and its 95% interval, how far it is behind the largest, the lower end of
    that lead's 95% interval (of all pairs at once), and whether it may be the best: the interval reaches 0; null
    without intervals, and where teams are not known.
    """
    pair = {"metric": "metric_a", "metric_2": "metric_b"}
    ends = {"phi_low": "low", "phi_high": "high"}
    phi = frame(outcome, ["phi", *ends, "se"]).rename(pair | ends)
    phi = phi.with_columns(pl.col("low", "high").fill_nan(None))
    roles = {"metric": "predictor", "metric_2": "target", "advantage": "difference"}
    gains = frame(
        outcome, ["advantage", "low", "high", "joint_low", "joint_high"]
    ).rename(roles)
    views = {
        "phi": pairs_once(phi, outcome.sizes["metric"]),
        "advantage": gains.filter(pl.col("predictor") != pl.col("target")),
        "best": _best_table(outcome),
    }
    if "curve" in outcome:
        columns = {"size": "topics", "curve": "phi", "curve_se": "se"}
        curve = frame(outcome, ["curve", "curve_se"]).rename(pair | columns)
        views["curve"] = pairs_once(curve, outcome.sizes["metric"])
    return views


def _best_table(outcome: xr.Dataset) -> pl.DataFrame:
    """List the metrics, best first, with how far each is behind the best."""
    best = best_predictor(outcome)
    behind = outcome["lead"].values[best]
    low = outcome["lead_low"].values[best]
    columns = {
        "metric": [str(name) for name in outcome["metric"].values],
        "mean_phi": outcome["mean_phi"].values,
        "mean_phi_low": outcome["mean_phi_low"].values,
        "mean_phi_high": outcome["mean_phi_high"].values,
        "behind": behind,
        "behind_low": low,
    }
    ends = pl.selectors.ends_with("low", "high")
    view = pl.DataFrame(columns).with_columns(ends.fill_nan(None))
    may_be = ~(pl.col("behind_low") > 0)
    if about(outcome)["options"]["teams_unknown"]:
        may_be = pl.lit(None, dtype=pl.Boolean)
    view = view.with_columns(may_be_best=may_be)
    return view.sort("behind", maintain_order=True)


def _phi_by_size(outcome: xr.Dataset) -> Iterator[tuple[int, Floats]]:
    """Yield each size with its phi, (metric, metric)."""
    return zip(outcome["size"].values.tolist(), outcome["curve"].values, strict=True)


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show phi as the upper triangle of a matrix and advantages as a matrix; of many metrics, a row each; the curve."""
    metrics = [str(name) for name in outcome["metric"].values]
    if len(metrics) <= WIDE:
        views = _matrices(outcome, metrics)
    else:
        views = {_PREDICTORS: _predictors(outcome, metrics)}
    if "curve" in outcome:
        views["phi by topics"] = _curves(outcome, metrics)
    return views


_PREDICTORS = (
    "predictors; how many targets each predicts clearly better (beats) or worse (loses to) than they predict "
    "themselves"
)


def _matrices(outcome: xr.Dataset, metrics: list[str]) -> dict[str, pl.DataFrame]:
    """Return phi and, of more than one metric, advantages as papers print them."""
    phi = outcome["phi"].values
    gain = outcome["advantage"].values
    clear = _clear_advantages(outcome, "low") | _clear_advantages(outcome, "high")
    each = range(len(metrics))
    upper = [[short(phi[i, j]) if j >= i else "" for j in each] for i in each]
    cells = [
        [
            short(gain[i, j], sign=True) + "*" * int(clear[i, j]) if i != j else ""
            for j in each
        ]
        for i in each
    ]
    views = {"phi": matrix_table(metrics, upper)}
    if len(metrics) > 1:
        title = "advantage (* interval excludes 0, each pair by itself)"
        views[title] = matrix_table(metrics, cells, "predictor")
    return views


def _predictors(outcome: xr.Dataset, metrics: list[str]) -> pl.DataFrame:
    """Return a row for each predictor, best first: its phi, and for how many targets it is clearly better or worse."""
    phi = outcome["phi"].values
    frame = pl.DataFrame(
        {
            "predictor": metrics,
            "mean phi": phi.mean(axis=1),
            "with itself": np.diagonal(phi),
            "beats": _clear_advantages(outcome, "low").sum(axis=1),
            "loses to": _clear_advantages(outcome, "high").sum(axis=1),
        }
    )
    if about(outcome)["options"]["teams_unknown"]:
        frame = frame.with_columns(beats=None, **{"loses to": None})
    return frame.sort("mean phi", descending=True, maintain_order=True)


def _clear_advantages(outcome: xr.Dataset, end: str) -> Bools:
    """Mark the advantages whose interval lies above 0 ("low") or below ("high"); none where teams are not known."""
    if about(outcome)["options"]["teams_unknown"]:
        return np.zeros(outcome["phi"].shape, dtype=np.bool_)
    ends: Floats = outcome[end].values
    return ends > 0 if end == "low" else ends < 0


def _curves(outcome: xr.Dataset, metrics: list[str]) -> pl.DataFrame:
    """Return phi of each pair of metrics, a column for each number of topics."""
    each = range(len(metrics))
    pairs = [(i, j) for i in each for j in each if j >= i]
    names = [metrics[i] if i == j else f"{metrics[i]}, {metrics[j]}" for i, j in pairs]
    return pl.DataFrame(
        {"metrics": names}
        | {
            str(n): [short(at[i, j]) for i, j in pairs]
            for n, at in _phi_by_size(outcome)
        }
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which metric predicts all of them best, and which others it predicts as well as they do themselves."""
    names = [str(name) for name in outcome["metric"].values]
    where = next(iter(about(outcome)["inputs"]["collections"]))
    if len(names) == 1:
        return [
            f"On {where}, {names[0]} predicts its own ranking on new topics with phi "
            f"{short(outcome['phi'].item())}{_interval(outcome, 'phi', (0, 0))}."
        ]
    best = best_predictor(outcome)
    targets = [target for target in range(len(names)) if target != best]
    if any(verdict_of(outcome, best, target) == "unknown" for target in targets):
        verdicts = []
    elif len(targets) <= 2:
        verdicts = [_verdict(outcome, best, target) for target in targets]
    else:
        verdicts = _verdicts(outcome, best, targets)
    return [_best_sentence(outcome, where, names, best), *verdicts]


def _interval(outcome: xr.Dataset, figure: str, at: int | tuple[int, int]) -> str:
    """Write the interval of phi or mean phi of one metric; nothing where there is none."""
    low, high = (
        float(outcome[f"{figure}_{end}"].values[at]) for end in ("low", "high")
    )
    if np.isnan(low):
        return ""
    return f" (95% interval {interval(low, high, 2)})"


def _best_sentence(
    outcome: xr.Dataset, where: str, names: Sequence[str], best: int
) -> str:
    """Name the metric with the largest mean phi, and every other that is not clearly behind it."""
    phi = outcome["phi"].values[best]
    interval = _interval(outcome, "mean_phi", best)
    figures = f"mean phi {short(phi.mean(), 3)}{interval} over the {len(names)} metrics, {short(phi[best])} for itself"
    largest = f"{names[best]} has the largest {figures}"
    lead = outcome["lead"].values[best]
    if lead.max() <= SAME:
        return f"On {where}, all {len(names)} metrics have mean phi {short(phi.mean(), 3)}: none leads."
    others = np.arange(len(names)) != best
    if np.isnan(outcome["lead_low"].values[best, others]).all():
        return f"On {where}, {largest}; without intervals, others may predict new topics as well."
    options = about(outcome)["options"]
    if options["teams_unknown"]:
        unsaid = teams_needed(options, "Which metric is best, or better than another,")
        return f"On {where}, {largest}. {unsaid}"
    where = f"{where}, {teams_prefix(options)}".removesuffix(", ")
    rivals = [names[other] for other in rivals_of_best(outcome)]
    if not rivals:
        return (
            f"On {where}, {names[best]} is the best single predictor of rankings on new topics, clearly ahead of every "
            f"other metric: {figures}."
        )
    may_be = "may be the best single predictor of rankings on new topics"
    if len(rivals) + 1 == len(names):
        said = f"any of the {len(names)} metrics {may_be}"
    elif len(rivals) == 1:
        said = f"{names[best]} or {rivals[0]} {may_be}"
    elif 2 * len(rivals) < len(names):
        every = ", ".join((names[best], *rivals))
        said = f"any of {len(rivals) + 1} of the {len(names)} metrics {may_be}: {every}"
    else:
        behind = [name for name in names if name not in (names[best], *rivals)]
        said = f"any of the {len(names)} metrics but {joined(behind)} {may_be}"
    return f"On {where}, {said}. {largest}; its lead may be chance."


def _verdicts(outcome: xr.Dataset, best: int, targets: Sequence[int]) -> list[str]:
    """Say of the other metrics, grouped by verdict, how well the best one predicts them."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in _VERDICTS}
    for target in targets:
        by_kind[verdict_of(outcome, best, target)].append(
            str(outcome["metric"].values[target])
        )
    best_name = outcome["metric"].values[best]
    lines = []
    for kind, names in by_kind.items():
        if names:
            lines.append(
                f"{_VERDICTS[kind].of_several.format(a=best_name)}: {listed(names)}."
            )
    return lines


def rivals_of_best(outcome: xr.Dataset) -> list[int]:
    """Find the metrics that are not clearly behind the best one, nearest first.

    The lead's interval holds for all pairs of metrics at once, as the best one is known only from these scores.
    """
    best = best_predictor(outcome)
    lead = outcome["lead"].values[best]
    low = outcome["lead_low"].values[best]
    order = np.argsort(lead, kind="stable")
    return [int(other) for other in order if other != best and not low[other] > 0]


class _Verdict(NamedTuple):
    """What is said of a predictor {a}: of one target {b}, of several, and what follows for one."""

    of_one: str
    of_several: str
    so: str


_VERDICTS = {
    "better": _Verdict(
        of_one="{a} predicts {b} better than {b} predicts itself",
        of_several="{a} predicts these better than they predict themselves",
        so="to rank systems by {b} on new topics, use {a}",
    ),
    "same": _Verdict(
        of_one="{a} predicts {b} as well as {b} predicts itself",
        of_several="{a} predicts these as well as they predict themselves (at most .05 of tau is lost)",
        so="at most .05 of tau is lost",
    ),
    "open": _Verdict(
        of_one="{a} may predict {b} better or worse than {b} predicts itself",
        of_several="{a} may predict these better or worse than they predict themselves; there are "
        "too few topics and systems to say",
        so="there are too few topics and systems to say",
    ),
    "worse": _Verdict(
        of_one="{a} predicts {b} worse than {b} predicts itself",
        of_several="{a} predicts these worse than they predict themselves, so they rank systems on new topics "
        "in a way that {a} does not predict",
        so="so {b} ranks systems on new topics in a way that {a} does not predict",
    ),
    "unsure": _Verdict(
        of_one="{a} as a predictor of {b}, compared with {b} itself",
        of_several="No intervals, so no verdict on",
        so="without an interval there is no verdict",
    ),
}


def _verdict(outcome: xr.Dataset, predictor: int, target: int) -> str:
    """Say of one target how well it is predicted, with the figures."""
    a = str(outcome["metric"].values[predictor])
    b = str(outcome["metric"].values[target])
    verdict = _VERDICTS[verdict_of(outcome, predictor, target)]
    difference, low, high = (
        float(outcome[name].values[predictor, target])
        for name in ("advantage", "joint_low", "joint_high")
    )
    between = ""
    if not np.isnan(low):
        between = f", joint 95% interval {interval(low, high, 2, sign=True)}"
    claim = verdict.of_one.format(a=a, b=b)
    so = verdict.so.format(a=a, b=b)
    return (
        f"{claim}: difference in phi {short(difference, 3, sign=True)}{between}; {so}."
    )
