"""What `leak` tells: tables for programs, an overview and findings for people."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.result import frame, with_nulls
from irmeta.words import counted

_ATTACKS = ("sent", "claims", "right", "guessed", "p", "bits", "before", "after")
CLEAR = 0.001
"""Where guesses do as well with a smaller probability, an attack has learned something."""
SURE = 0.95
"""Share of right claims from which they are called judgments that are known."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `attacks` (metric and attack), `rules` (bits at most), and `known` (metric and submission)."""
    views = {
        "attacks": frame(outcome, _ATTACKS, by=("metric", "attack")),
        "rules": frame(outcome, ("bits_team", "bits_all"), by=("rules",)),
        "known": frame(outcome, ("known",), by=("metric", "submission")),
    }
    return {name: with_nulls(view) for name, view in views.items()}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show what attacks got, and the bits that every kind of rules gives away at most."""
    views = tables(outcome)
    attacks = views["attacks"].select(
        *("metric", "attack", "sent", "claims", "right", "guessed", "before", "after")
    )
    rules = views["rules"].with_columns(
        pl.col("bits_team", "bits_all").round(0).cast(pl.Int64)
    )
    return {"attacks": attacks, "rules": rules}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many judgments are given away, what a run gains by them, and what rules would keep them."""
    feedback = about(outcome)["options"]["feedback"]
    if feedback in ("none", "split"):
        what = "the judgments"
        if feedback == "split":
            what += " of the topics that count"
        return [f"These rules give away nothing of {what}: no answer depends on them."]
    rows = tables(outcome)["attacks"].sort("bits", descending=True, maintain_order=True)
    best = rows.row(0, named=True)
    lines = [_leak_sentence(outcome, best)]
    gained = rows.sort(
        pl.col("after") - pl.col("before"), descending=True, maintain_order=True
    )
    most = gained.row(0, named=True)
    if most["after"] - most["before"] >= 5e-4:
        lines.append(
            f"By {most['attack']} alone, without a document read, a run rises from {short(most['before'], 3)} to "
            f"{short(most['after'], 3)} in {outcome['metric'].values[0]}."
        )
    if feedback == "open":
        lines.append(_safe_rules_sentence(outcome))
    return lines


def _leak_sentence(outcome: xr.Dataset, best: Mapping[str, Any]) -> str:
    """Say how many judgments the best attack, a row of the table, has, and how surely; or, at most, any could have."""
    judged, right, claims = int(outcome["judged"]), best["right"], best["claims"]
    bound = float(outcome["bits_all"].sel(rules=about(outcome)["options"]["feedback"]))
    limit = f"These rules give away at most {bound:.0f} bits about {judged} judgments"
    sent = counted(_runs_needed(outcome, best), "submission")
    if best["p"] is None or best["p"] >= CLEAR or not claims:
        return f"{limit}; no attack knew more judgments than guesses do."
    share = right / claims
    if share < SURE:
        return (
            f"With {sent} of {best['metric']} {best['attack']} names {claims} judgments and has {share:.0%} right, "
            f"where guesses have {best['guessed']:.0%}. {limit}."
        )
    number = f"all {judged}" if right == judged else f"{right} of {judged}"
    given = f"These rules give away {number} judgments with {sent} of {best['metric']}"
    wrongly = "" if right == claims else f", and name {claims - right} wrongly"
    return f"{given}{wrongly}."


def _runs_needed(outcome: xr.Dataset, best: Mapping[str, Any]) -> int:
    """Return the runs after which decoding had all that it got; of other attacks all that were sent."""
    if best["attack"] != "decode":
        return int(best["sent"])
    known = outcome["known"].sel(metric=best["metric"]).values
    return int((known < known[-1]).sum()) + 1


def _safe_rules_sentence(outcome: xr.Dataset) -> str:
    """Name rules that keep the judgments, or nearly."""
    ladder = float(outcome["bits_all"].sel(rules="ladder"))
    return (
        "Scores on a part of the topics, which do not count at the end, give away nothing of the others (--feedback "
        f"split); a ladder at most {ladder:.0f} bits (--feedback ladder)."
    )
