"""Is a loss above a margin shown, or excluded, at one level for all nights of a history."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.io.formats.nights import Night, add_night, by_anchor, by_topic, read_nights
from irmeta.scores.figures import interval, short
from irmeta.stats.arrays import Floats
from irmeta.stats.tests import nights as statistics
from irmeta.stats.tests.apart import apart, rows
from irmeta.studies.differences.versus.family import PAIR
from irmeta.studies.differences.versus.nightly import OPEN
from irmeta.words import counted

WORSE, SAFE = "worse", "safe"
"""Verdicts: a loss above the margin is shown, or excluded; where it is neither, the verdict is `OPEN`."""
ORDER = (WORSE, OPEN, SAFE)
"""The order in which verdicts are told."""
ONE_LOOK = "one look"
"""What a comparison is without other nights."""
_FAR = 100
"""A loss of this many margins or more, the least that can be shown, says that the margin is in another unit."""
CAUSES = ("none", "system", "judge", "both")
"""Causes of a drop: 1 is added for the system, 2 for the judge."""


class Policy(NamedTuple):
    """What ends a night badly.

    margin : a loss above it is too much.  unless_safe : whether it is enough that such a loss is not excluded.
    history : the file of nights.  nightly : whether there are other nights.
    """

    margin: float
    unless_safe: bool
    history: Path | None
    nightly: bool

    @classmethod
    def of(
        cls,
        margin: float | None,
        unless_safe: bool,
        history: str | Path | None,
        over: object = None,
        anchors: object = None,
    ) -> "Policy | None":
        """Return what is asked for; None where no margin is named. Raises ScoresError for what is not possible."""
        of_gate = (history, over, anchors)
        if margin is None:
            if unless_safe or any(one is not None for one in of_gate):
                raise ScoresError(
                    "name the loss that is too much (--fail-if-worse, as in 0.02)"
                )
            return None
        if history is not None and over is not None:
            raise ScoresError(
                "earlier nights are in one file: name it in --history or in --over"
            )
        if not 0 <= margin < np.inf:
            raise ScoresError(
                f"the loss that is too much must be 0 or more, not {margin:g}"
            )
        path = None if history is None else Path(history)
        return cls(margin, unless_safe, path, path is not None or over is not None)


def judge_losses(
    tonight: Night,
    past: list[Night],
    shape: tuple[int, int],
    policy: Policy,
    alpha: float,
    most: Floats,
) -> tuple[Mapping[str, Any], list[str]]:
    """Return the verdicts with their figures over (against, metric), whether the night failed, and notes.

    shape : against and metric.  most : the largest difference of means by each metric.
    A night that is new is added to the history.
    """
    if policy.history is not None:
        past = read_nights(policy.history)
    again = next((at for at, one in enumerate(past, 1) if one.repeats(tonight)), None)
    nights = [*past, tonight] if again is None else list(past[:again])
    limit = _limit(nights, alpha, single=not policy.nightly)
    bounds, figures = _loss_bounds(nights, limit, np.tile(most, shape[0]))
    verdict = np.where(bounds.possible < policy.margin, SAFE, OPEN)
    verdict = np.where(bounds.shown > policy.margin, WORSE, verdict)
    if again is None and policy.history is not None:
        for one, word in zip(tonight.comparisons, verdict, strict=True):
            one.verdict = str(word)
        add_night(policy.history, tonight)
    bad = verdict != SAFE if policy.unless_safe else verdict == WORSE
    if figures:
        causes = (verdict == WORSE) + 2 * (figures["fell_least"] > 0)
        figures["cause"] = np.array(CAUSES, dtype=object)[causes]
    figures |= {
        "verdict": verdict.astype(object),
        "loss_shown": bounds.shown,
        "loss_possible": bounds.possible,
        "visible": bounds.visible,
        "topics_needed": bounds.topics,
    }
    data: dict[str, Any] = {
        name: (PAIR, values.reshape(shape)) for name, values in figures.items()
    }
    data |= {"failed": bool(bad.any()), "look": ONE_LOOK}
    if policy.nightly:
        night = (len(nights) - 1) % statistics.NIGHTS + 1
        data["look"] = f"night {night} of {statistics.NIGHTS}"
    return data, [_level_note(policy, len(nights), again, alpha)]


def _loss_bounds(
    nights: list[Night], limit: float, widest: Floats
) -> tuple[statistics.Bounds, dict[str, Any]]:
    """Return what the last night shows of losses, and with anchors how far the judge's scores of them fell."""
    margin = nights[-1].margin
    topics, anchors = by_topic(nights)[-1], by_anchor(nights)[-1]
    if np.isnan(anchors).all():
        return statistics.bounds(topics, limit, margin, widest), {}
    judged = apart(topics, anchors, limit, margin, widest)
    return judged.loss, {
        "fall": judged.fall,
        "fell_least": judged.fell,
        "fell_most": judged.most,
    }


def _limit(nights: list[Night], alpha: float, *, single: bool) -> float:
    """Return the limit of the last of these nights, or of a look that no other follows."""
    topics, anchors = by_topic(nights), by_anchor(nights)
    # the level is for 200 nights, and the next have their own
    begun = (len(nights) - 1) // statistics.NIGHTS * statistics.NIGHTS
    every = topics[0].shape[1] + anchors[0].shape[1]
    # always the same draws, so that the limits of earlier nights stay
    looks = statistics.Looks(every, alpha, np.random.default_rng(0))
    drawn = []
    for night, found, moved in zip(
        nights[begun:], topics[begun:], anchors[begun:], strict=True
    ):
        if np.isnan(moved).all():
            drawn.append(np.concatenate([found + night.margin, moved], axis=1))
        else:
            drawn.append(rows(found, moved))
    return looks.limits(drawn, single=single)[-1]


def _level_note(policy: Policy, night: int, again: int | None, alpha: float) -> str:
    """Say of how many looks, or nights, the level is.

    night : the number of this one.  again : the number of the night whose scores it repeats; None if it is new.
    """
    if not policy.nightly:
        return (
            f"Worse, and safe, are each meant to be false in at most {alpha:.0%} of cases, for one look; to look every "
            "night, name a file (--history nights.jsonl)."
        )
    of = f" of {policy.history}" if policy.history else ""
    repeated = "; the same scores as then, so this is no further look" if again else ""
    return (
        f"Night {night}{of}{repeated}. Worse, and safe, are each meant to be false in any of "
        f"{statistics.NIGHTS} nights with a chance of at most {alpha:.0%}."
    )


def sentence(one: xr.Dataset, system: str, other: str, margin: float, unit: str) -> str:
    """Say which loss by one metric is shown, excluded or still possible, and with anchors why."""
    metric, verdict = str(one.metric.item()), str(one["verdict"].item())
    difference, digits = float(one["difference"]), _digits(margin)
    more = "more" if difference >= 0 else "less"
    size = short(abs(difference), digits)
    scores = f"by {metric} {system} scores {size} {more} than {other}"
    same = not one["by_topic"].fillna(0).any()
    if same:
        scores = f"by {metric} {system} scores the same as {other} on every {unit}"
    but, why = ", and", ""
    look, too_much = str(one["look"].item()), f"more than {margin:g} is too much"
    less = bool(one["significant"]) and difference < 0
    most = float(one["supposed"])
    supposed = f"; scores of 0 to {most:g} supposed" if most < np.inf else ""
    if "cause" in one:
        but, why = "; apart from the judge", f" {_cause_sentence(one, other, digits)}"
    if verdict == WORSE:
        least = max(
            margin, _rounded_outward(float(one["loss_shown"]), np.floor, digits)
        )
        return f"Worse: {scores}{but} a loss of {short(least, digits)} or more is shown ({look}); {too_much}.{why}"
    possible = _rounded_outward(float(one["loss_possible"]), np.ceil, digits)
    if "cause" not in one and not possible <= -float(one["low"]):
        # why the bound lies beyond the interval: `bounds` adds a topic, and nights share what one look has alone
        shared = "" if look == ONE_LOOK else " at one level"
        even = "even " if verdict == SAFE else ""
        look += f"{shared}, {even}if one more {unit} were lost"
    if verdict == SAFE:
        least = min(margin, possible)
        size = "any loss" if least <= 0 else f"a loss of {short(least, digits)} or more"
        small = " It is significantly worse, but not too much." if less else ""
        return f"Safe: {scores}{but} {size} is excluded ({look}{supposed}); {too_much}.{why}{small}"
    size = f"up to {short(possible, digits)}" if possible < np.inf else "any size"
    bound = "" if same else f" {_bound_clause(one, margin, unit, digits)}"
    by = f" That it is worse is significant; that it is by more than {margin:g} is not."
    return (
        f"Cannot tell: {scores}{but} a loss of {size} is possible ({look}{supposed}); {too_much}."
        f"{why}{by if less else ''}{bound}"
    )


def _cause_sentence(one: xr.Dataset, other: str, digits: int) -> str:
    """Name the cause of a drop, and say how far the judge moved on the anchors."""
    named = {
        "none": "No cause is shown",
        "system": "The cause is the system",
        "judge": "The cause is the judge",
        "both": "The causes are the system and the judge",
    }[str(one["cause"].item())]
    fall = float(one["fall"])
    least = _rounded_outward(float(one["fell_least"]), np.floor, digits)
    most = _rounded_outward(float(one["fell_most"]), np.ceil, digits)
    ends = ""
    if np.isfinite([least, most]).all():
        ends = f", {interval(-most, -least, digits, sign=True)}"
    anchors = counted(int(one["anchors"]), "anchor")
    then, now, people = (
        short(float(one[name]), digits)
        for name in ("judge_then", "judge_now", "people")
    )
    return (
        f"{named}: the judge scored the {anchors} {then} with {other} and now {now} "
        f"({short(-fall, digits, sign=True)}{ends}), people {people}."
    )


def _bound_clause(one: xr.Dataset, margin: float, unit: str, digits: int) -> str:
    """Say which loss these topics show, and how many would tell."""
    count = int(one["by_topic"].notnull().sum())
    visible, needed = float(one["visible"]), float(one["topics_needed"])
    topics = f"{'This' if count == 1 else 'These'} {counted(count, unit)}"
    if "cause" in one:
        topics += " and anchors"
    if np.isinf(visible):
        seen = f"{topics} cannot show that a loss is too much"
    else:
        size = short(_rounded_outward(visible, np.ceil, digits), digits)
        seen = f"{topics} can show a loss of {size} or more"
    if visible >= _FAR * margin > 0:
        return f"{seen}, {_FAR} times the margin or more: is {margin:g} in the unit of the scores?"
    if count < needed < np.inf:
        return (
            f"{seen}; about {rounded(needed)} would show that an equal system is safe."
        )
    return f"{seen}."


def rounded(count: float) -> int:
    """Round a number of topics up to two digits.

    >>> rounded(1234), rounded(38.2)
    (1300, 39)
    """
    unit = 10 ** max(0, int(np.floor(np.log10(max(count, 1)))) - 1)
    return int(np.ceil(count / unit) * unit)


def _digits(margin: float) -> int:
    """Return with how many decimals losses are written: 3, or one more than a small margin has."""
    if margin == 0:
        return 3
    return max(3, int(np.ceil(-np.log10(margin))) + 1)


def _rounded_outward(value: float, way: np.ufunc, digits: int) -> float:
    """Cut a loss to its decimals so that what is claimed holds. way : np.floor, or np.ceil."""
    return float(way(round(value * 10**digits, 6)) / 10**digits)
