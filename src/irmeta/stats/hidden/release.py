"""What a team learns of its runs while the judgments are hidden, and how many bits of them that can be at most."""

import math
from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np

from irmeta.choices import Feedback
from irmeta.errors import ScoresError, require_choice, require_least
from irmeta.stats.arrays import Floats, Indices

CLEAR = 2.0
"""An improvement is shown if it is above this many standard errors: no three topics alone can be."""
LEAST_STEP = 1.01
"""A step is above 1 / topics by this factor: no topic alone can move a mean by a step."""
DECIMALS = 17
"""Decimals beyond which a score in double precision says nothing more."""


class Answer(NamedTuple):
    """All that a team is told of a run.

    figure : a mean score; None where none is shown. topics : scores by topic, of those topics that may be shown.
    """

    figure: float | None
    topics: Floats


def release(
    feedback: Feedback,
    history: Sequence[Floats | Sequence[float]],
    scores: Floats | Sequence[float],
    *,
    step: float = 0.05,
    topics: Sequence[int] | Indices = (),
) -> Answer:
    """Return all that a team learns of a run before the judgments are revealed.

    feedback : what may be shown: "none", nothing; "split", the scores on some topics, which do not count at the end;
        "ladder", the mean in steps, and only where the run is clearly better than the last one shown; "open", all
    history : the scores of the team's earlier runs on the board's first metric, oldest first; each of shape (topic,)
    scores : those of the new run, from 0 to 1
    step : of a ladder, what its figures are multiples of; above 1 / topics
    topics : of a split, the places of the topics to show

    Returns the figure, and the scores by topic that may be shown. Nothing else may be computed from the judgments.
    Raises ScoresError for missing scores, and for a step or a split that protects nothing.
    Source: Blum and Hardt (2015), whose ladder without a parameter shows an improvement above one standard error; one
    changed topic is always at that threshold, so this one asks for two, and for steps.

    >>> release("ladder", [[0.2] * 20], [0.56] * 20, step=0.25).figure, release("none", [], [0.4] * 20).figure
    (0.5, None)
    """
    require_choice("feedback", feedback, get_args(Feedback))
    values = _checked(scores)
    if feedback == "none":
        return Answer(None, values[:0])
    if feedback == "open":
        return Answer(float(values.mean()), values)
    if feedback == "split":
        shown = values[_topic_positions(topics, values.size)]
        return Answer(float(shown.mean()), shown)
    require_step(step, values.size)
    return Answer(_ladder([*map(_checked, history), values], step), values[:0])


def _ladder(runs: Sequence[Floats], step: float) -> float:
    """Return the figure that a ladder shows after the last of these runs.

    The figure of a run is its mean, rounded down to a step. It replaces the last one shown where the run is at least
    a step better, by t = mean(d) / (sd(d) / sqrt(n)) > 2 of the differences d by topic, and else that is repeated.
    """
    level, base = 0, np.zeros_like(runs[0])
    for scores in runs:
        better = scores - base
        mean = better.mean()
        error = better.std(ddof=1) / math.sqrt(better.size)
        reached = _steps(min(scores.mean(), 1), step)
        if mean > step - 1e-12 and mean > CLEAR * error and reached > level:
            level, base = reached, scores
    return round(level * step, 12)  # .3, not .30000000000000004


def _steps(mean: float, step: float) -> int:
    """Count the whole steps up to a mean, which rounding does not take one from."""
    return math.floor(mean / step + 1e-9)


def bits(
    feedback: Feedback,
    submissions: int,
    *,
    teams: int = 1,
    step: float = 0.05,
    figures: int = 1,
    decimals: int = 4,
) -> float:
    """Return how many bits the answers to runs can say about the judgments of the topics that count, at most.

    submissions : of each of some teams, which may work together.
    figures : that an open board shows of each run: metrics, or metrics times topics; decimals : of each.

    Answers follow from the judgments, so they tell at most log2 of the number of series of answers that there can be.
    A ladder of B = floor(1 / step) steps never goes down: there are C(N + B, B) series of N answers.

    >>> [round(bits("ladder", 90, step=step)) for step in (0.05, 0.035, 0.02)], round(bits("open", 90))
    ([72, 90, 128], 1196)
    """
    require_choice("feedback", feedback, get_args(Feedback))
    require_least(submissions=(submissions, 0), figures=(figures, 1), teams=(teams, 1))
    if not 0 <= decimals <= DECIMALS:
        raise ScoresError(f"decimals must be 0 to {DECIMALS}, not {decimals}")
    if feedback in ("none", "split"):
        return 0.0
    if feedback == "ladder":
        steps = _steps(1, step)
        return teams * math.log2(math.comb(submissions + steps, steps))
    return teams * submissions * figures * math.log2(10**decimals + 1)


def require_step(step: float, topics: int) -> None:
    """Refuse steps of a ladder that one topic alone could climb."""
    least = LEAST_STEP / topics
    if not least <= step <= 0.5:
        raise ScoresError(
            f"a ladder's step of {step:g} with {topics} topics: one topic alone must not move a mean by a step; "
            f"use {math.ceil(least * 1000) / 1000:g} to 0.5"
        )


def _checked(scores: Floats | Sequence[float]) -> Floats:
    """Return the scores of a run as an array, (topic,); ScoresError unless each topic has a number."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):  # of other things than numbers
        values = np.empty(0)
    if values.ndim != 1 or not values.size or np.isnan(values).any():
        raise ScoresError(
            "scores of a run to answer must be numbers, one for each topic; a run without documents for a topic has 0"
        )
    return values


def _topic_positions(topics: Sequence[int] | Indices, size: int) -> Indices:
    """Return the distinct topics of a split; ScoresError unless some of the `size` topics are left to count."""
    places = np.unique(np.asarray(topics, dtype=np.intp))
    if not 0 < places.size < size or places[0] < 0 or places[-1] >= size:
        raise ScoresError(
            f"a split shows 1 to {size - 1} of {size} topics, by their places from 0; the others count at the end"
        )
    return places
