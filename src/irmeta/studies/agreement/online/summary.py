"""What `online` tells: tables for programs, an overview and findings for people."""

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import first_rows, intervals, short
from irmeta.scores.result import ends, frame
from irmeta.words import counted, joined, listed

NOISE = 0.1
"""A share of the variance of outcomes that is no noise, below which they show next to nothing."""
CLEAR = 0.9
"""A share above which noise is not spoken of."""
NAMED = 4
"""Metrics that may be as good as the best and are each named."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    metrics : metric, agreement, behind and correlation, each with low and high, gain with low and high (null where no
    lead is enough), sharpest_low, sharpest_high, systems_needed, systems_to_separate (null for the best); the metric
    that users agree with most first.
    outcomes : outcome and error of each experiment.
    """
    names = ends("agreement", "behind", "correlation", "gain")
    names += ["sharpest_low", "sharpest_high", "systems_needed", "systems_to_separate"]
    one = frame(outcome, names, by=["metric"])
    views = {
        "metrics": one.sort("agreement", descending=True, maintain_order=True),
        "outcomes": frame(outcome, ["outcome", "error"]),
    }
    floats = pl.selectors.float()
    return {
        name: view.with_columns(floats.replace(np.inf, None).fill_nan(None))
        for name, view in views.items()
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show a row for each metric, the one that users agree with most first."""
    one = outcome.isel(metric=_order(outcome))
    view = pl.DataFrame(
        {
            "metric": one.metric.values.astype(str).tolist(),
            "agree": [_percent(value) for value in one["agreement"].values],
            "95% interval": [
                f"{_percent(low)} to {_percent(high)}"
                for low, high in zip(
                    one["agreement_low"].values,
                    one["agreement_high"].values,
                    strict=True,
                )
            ],
            "r": [short(value) for value in one["correlation"].values],
            "interval of r": intervals(
                one["correlation_low"].values, one["correlation_high"].values, 2
            ),
            "lead": [_lead(value) for value in one["gain"].values],
        }
    )
    return first_rows("metrics", view)


def _order(outcome: xr.Dataset) -> np.ndarray:
    """Return the places of the metrics, the one that users agree with most first."""
    return np.argsort(-outcome["agreement"].values, kind="stable")


def _percent(value: float) -> str:
    """Write a share in percent."""
    return f"{100 * value:.0f}%"


def _lead(value: float) -> str:
    """Write a lead in a metric's unit; - where none is enough."""
    return short(value, 3) if np.isfinite(value) else "-"


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how often users agree with the best metric, which others may be as good, and what would settle it."""
    order = _order(outcome)
    best = outcome.isel(metric=int(order[0]))
    sentences = [_agreement_sentence(best, outcome)]
    if len(order) > 1:
        sentences += _rival_sentences(outcome, order)
    if np.isfinite(float(best["gain_high"])) and float(best["agreement_low"]) > 0.5:
        sentences.append(
            f"A lead of {_lead(float(best['gain']))} by {best.metric.item()} is one online in 9 of 10 pairs (95% "
            f"interval {_lead(float(best['gain_low']))} to {_lead(float(best['gain_high']))})."
        )
    return [*sentences, *_remedy_sentences(best, outcome)]


def _agreement_sentence(best: xr.Dataset, outcome: xr.Dataset) -> str:
    """Say of one metric in how many pairs users agree, and whether that is more than by chance."""
    name = str(best.metric.item())
    low, high = float(best["agreement_low"]), float(best["agreement_high"])
    if float(outcome["reliability"]) < NOISE:
        return (
            f"Nothing can be claimed: the outcomes differ hardly more than their noise alone makes them; by {name} "
            f"users may agree on {_percent(low)} to {_percent(high)} of pairs of systems."
        )
    systems = counted(_system_count(outcome), "system")
    share = _percent(float(best["agreement"]))
    of = f"on {share} of pairs of systems (95% interval {_percent(low)} to {_percent(high)}"
    if low > 0.5:
        return f"Users agree with {name} {of}; {systems} with outcomes)."
    if high < 0.5:
        return f"Users prefer what {name} ranks lower: they agree {of}; {systems} with outcomes)."
    return f"Cannot tell whether users agree with {name}: perhaps {of}; {systems} with outcomes)."


def _system_count(outcome: xr.Dataset) -> int:
    """Return how many systems have outcomes."""
    [held] = about(outcome)["inputs"]["collections"].values()
    return int(held["systems"])


def _rival_sentences(outcome: xr.Dataset, order: np.ndarray) -> list[str]:
    """Say which metrics are surely behind the best, which may not be, and how many systems would show it."""
    names = outcome.metric.values.astype(str)
    first = int(order[0])
    low = outcome["behind_low"].values
    behind = [at for at in order[1:] if low[at] > 0]
    open_ = [at for at in order[1:] if not low[at] > 0]
    sentences = []
    if behind:
        sentences.append(
            f"Users agree more often with {names[first]} than with {listed(names[behind])}."
        )
    if open_:
        needed = outcome["systems_to_separate"].values[open_[0]]
        more = ""
        if np.isfinite(needed):
            more = (
                f"; if {names[first]} leads {names[open_[0]]} by as much as it seems, about {_rounded(needed)} systems "
                "would show it"
            )
        most = joined([names[first], *names[open_]], "or")
        if len(open_) > NAMED:
            most = f"{names[first]} or {len(open_)} others"
        sentences.append(f"Users may agree most with {most}{more}.")
    return sentences


def _rounded(number: float) -> str:
    """Write a number of systems to two digits."""
    return f"{float(f'{number:.2g}'):.0f}"


def _remedy_sentences(best: xr.Dataset, outcome: xr.Dataset) -> list[str]:
    """Say what would narrow the interval: more systems, or longer experiments."""
    needed = float(best["systems_needed"])
    said = []
    if needed > _system_count(outcome):
        said.append(
            f"About {_rounded(needed)} systems with such outcomes would tell it to 10 points"
        )
    share = float(outcome["reliability"])
    if about(outcome)["options"]["noise_known"] and share < CLEAR:
        low, high = (
            _percent(float(best[f"sharpest_{end}"])) for end in ("low", "high")
        )
        said.append(
            f"{'noise' if said else 'Noise'} is {_percent(1 - share)} of the variance of these outcomes, and without "
            f"any the interval would be {low} to {high}"
        )
    return [f"{'; '.join(said)}."] if said else []
