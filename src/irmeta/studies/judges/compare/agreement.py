"""How far judges rank systems as the truth does: tau and soft accuracy of each, and differences between two."""

from collections.abc import Callable
from typing import Any

import numpy as np

from irmeta.scores.result import with_ends
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.judging import rankings
from irmeta.stats.judging.soft import soft_accuracy
from irmeta.stats.tests import multiplicity
from irmeta.studies.judges.compare.aligned import Aligned

_ENDS = ("value", "low", "high")
_PAIR = ("judge", "judge_2")
Variables = dict[str, tuple[tuple[str, ...], Any]]
"""Arrays by name, with their dimensions."""


def agreement(
    together: Aligned, which: int, team: Ints, rng: np.random.Generator
) -> Variables:
    """Return tau of each judge with its interval; over shared topics also soft accuracy and differences of judges.

    which : the metric, by its place.  team : (system,), the number of each system's team.
    """
    if not together.shared:
        every = [one.values[..., which] for one in together.cubes.values()]
        found = [
            rankings.taus_on_own_topics(every[0], judge, rng, team=team).interval()
            for judge in every[1:]
        ]
        taus = [(one.value[0], one.low[0], one.high[0]) for one in found]
        topics = np.array([one.shape[1] for one in every[1:]])
        return with_ends("tau", ("judge",), taus) | {"topics": (("judge",), topics)}
    return agreement_on_pairwise_topics(together, which, team, rng)


def agreement_on_pairwise_topics(
    together: Aligned, which: int, team: Ints, rng: np.random.Generator
) -> Variables:
    """Return tau and soft accuracy of each judge over topics shared with the truth, and differences of judges."""
    tau, apart = _judge_and_pair_figures(
        together, which, lambda scores: rankings.taus(scores, rng, team=team)
    )
    soft, soft_apart = _judge_and_pair_figures(
        together, which, lambda scores: soft_accuracy(scores, rng, team)
    )
    topics = [together.pairwise[name][0].sizes["topic"] for name in together.judges]
    # soft accuracy comes on the scale of tau, -1 to 1
    for end in _ENDS:
        soft[end] = (1 + soft[end]) / 2
        soft_apart[end] = soft_apart[end] / 2
    return {
        "topics": (("judge",), np.array(topics)),
        **_variables("tau", ("judge",), tau),
        **_variables("difference", _PAIR, apart),
        **_variables("soft", ("judge",), soft),
        **_variables("soft_difference", _PAIR, soft_apart),
    }


def _variables(name: str, dims: tuple[str, ...], found: dict[str, Floats]) -> Variables:
    """Name the parts of a figure: the value as the figure, others behind it."""
    parts = {f"{name}_{end}": (dims, values) for end, values in found.items()}
    return {name: parts.pop(f"{name}_value"), **parts}


def _judge_and_pair_figures(
    together: Aligned, which: int, agreement_of: Callable[[Floats], rankings.Taus]
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the ends of a figure of each judge, and of its differences over the topics of both judges, with p."""
    judges = together.judges
    count = len(judges)
    of_judges = {end: np.full(count, np.nan) for end in _ENDS}
    of_pairs = {end: np.full((count, count), np.nan) for end in (*_ENDS, "p")}
    groups = together.alike()
    for first, of_first in enumerate(groups):
        for of_second in groups[first:]:
            named = list(dict.fromkeys([*of_first, *of_second]))
            found = agreement_of(together.over(named, which))
            differ = found.differences()
            at = np.array([judges.index(name) for name in named])
            own = np.isin(named, of_first)
            other = np.isin(named, of_second)
            # the pairs of a judge of either group
            rows, columns = np.nonzero(np.outer(own, other) | np.outer(other, own))
            for end, values in of_pairs.items():
                values[at[rows], at[columns]] = getattr(differ, end)[rows, columns]
            if of_first is of_second:
                interval = found.interval()
                for end, own_values in of_judges.items():
                    own_values[at] = getattr(interval, end)
    of_pairs["p_corrected"] = _corrected_pairs(of_pairs["p"])
    return of_judges, of_pairs


def _corrected_pairs(p: Floats) -> Floats:
    """Correct p of all pairs of judges, (judge, judge), by Holm's method; NaN stays, and 1 is on the diagonal."""
    corrected = np.full_like(p, np.nan)
    np.fill_diagonal(corrected, 1)
    known = np.triu(~np.isnan(p), 1)
    if known.any():
        corrected[known] = multiplicity.holm(p[known])
    return np.fmax(corrected, corrected.T)
