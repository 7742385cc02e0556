"""Several passes of one judge, or judges of one family: what of their disagreement with the truth is their own."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmeta.errors import ScoresError
from irmeta.evaluation.sets import JudgmentSets
from irmeta.scores.groups.teams import Grouping, groups_of
from irmeta.scores.result import ends
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.judging.labels import Estimate
from irmeta.stats.judging.passes import own_share, own_share_over_topics
from irmeta.studies.judges.compare.labels import are_relevant, on_one_scale
from irmeta.words import counted, listed

NOTHING = Estimate(np.nan, np.nan, np.nan)


def passes_by_judge(judges: Sequence[str], passes: Grouping) -> dict[str, list[str]]:
    """Return the judgment sets of each judge that has several."""
    judge_of = groups_of(list(judges), passes).of
    every: dict[str, list[str]] = {}
    for name in judges:
        every.setdefault(judge_of[name], []).append(name)
    several = {name: sets for name, sets in every.items() if len(sets) > 1}
    if not several:
        raise ScoresError(
            f"no judge has several passes: {counted(len(judges), 'set')} of judgments are of as many judges, such as "
            f"{listed(judges)} (by their stem llama_1 and llama_2 are of one judge)"
        )
    return several


def of_labels(
    sets: JudgmentSets,
    truth: str,
    passes: Mapping[str, list[str]],
    rel: Any,
    unit: Ints,
) -> dict[str, Any]:
    """Return over (repeated,) how often passes differ, and the share of differences that is their own, with ends.

    rel, unit : see `label_variables`. Pairs count that the truth and all passes judged; grades only on its scale.
    """
    grades = dict(zip(sets.sets, sets.grades(), strict=True))
    lowest = rel if isinstance(rel, Mapping) else dict.fromkeys(grades, rel)
    found = []
    for names in passes.values():
        given = np.stack([grades[name] for name in [truth, *names]])
        both = ~np.isnan(given).any(axis=0)
        given = given[:, both]
        pairs = zip(given, [truth, *names], strict=True)
        relevant = np.stack(
            [are_relevant(one, lowest.get(name)) for one, name in pairs]
        )
        found.append(_judge_figures(given, relevant.astype(np.float64), unit[both]))
    columns = zip(*found, strict=True)
    return {
        "passes": ("repeated", [len(names) for names in passes.values()]),
        **{
            name: ("repeated", list(column))
            for name, column in zip(_FIGURES, columns, strict=True)
        },
        "repeated": list(passes),
    }


_FIGURES = ("passed_pairs", "passes_differ", *ends("own_share", "own_share_grades"))


def _judge_figures(given: Floats, relevant: Floats, unit: Ints) -> tuple[float, ...]:
    """Return the figures of one judge, from the truth's labels and those of its passes, (1 + pass, pair)."""
    pairs = given.shape[1]
    if not pairs:
        return (0, 0, *NOTHING, *NOTHING)
    truth, passes = given[0], given[1:]
    differ = (passes != passes[0]).any(axis=0)
    of_relevance = own_share_over_topics(relevant[1:], relevant[0], unit)
    if on_one_scale(float(truth.max()), float(passes.max())):
        of_grades = own_share_over_topics(passes, truth, unit)
    else:
        of_grades = NOTHING
    return (pairs, int(differ.sum()), *of_relevance, *of_grades)


def mean_passes(
    means: Floats, names: Sequence[str], passes: Mapping[str, list[str]]
) -> Floats:
    """Return the share of differences of systems' means that is a judge's own, (repeated,).

    means : (set, system), the truth's first.  names : of the sets.
    What a judge adds to all systems alike is left aside.
    """
    beside = means - means.mean(axis=1, keepdims=True)
    at = {name: place for place, name in enumerate(names)}
    return np.array(
        [
            own_share(beside[[at[name] for name in own]], beside[0])
            for own in passes.values()
        ]
    )
