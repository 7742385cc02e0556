"""What an evaluation has to say beside its scores: which topics, which files, which grades."""

from collections.abc import Mapping, Sequence

import numpy as np

from irmeta.errors import IrmetaError
from irmeta.evaluation.outcome import Outcome
from irmeta.io.rankings import Qrels
from irmeta.names import Metric

NAMED = 5
"""How many names a note lists before it says only how many more there are."""


def common_topics(qrels: Qrels, outcomes: Sequence[Outcome]) -> list[str]:
    """List the judged topics that every run has; none at all raises IrmetaError."""
    readable = [run for run in outcomes if run.error is None]
    lacked = {topic for run in readable for topic in run.lacking}
    common = [topic for topic in qrels.topics if topic not in lacked]
    if not common:
        fewest = max(readable, key=lambda run: len(run.lacking))
        have = len(qrels.topics) - len(fewest.lacking)
        raise IrmetaError(f"no judged topic is in every run; {fewest.name} has {have} of {len(qrels.topics)}")
    return common


def notes(qrels: Qrels, outcomes: Sequence[Outcome], metrics: Sequence[Metric], policy: str) -> list[str]:
    """Say which topics the scores are over, what the readers remarked, and what the user may not have meant."""
    return [
        *_topic_notes(qrels, outcomes, policy),
        *grade_notes(qrels, metrics),
        *barren_notes(qrels, metrics),
        *(str(remark) for remark in qrels.remarks),
        *(str(remark) for run in outcomes for remark in run.remarks),
        *_run_notes(outcomes),
    ]


def _topic_notes(qrels: Qrels, outcomes: Sequence[Outcome], policy: str) -> list[str]:
    readable = [run for run in outcomes if run.error is None]
    judged = len(qrels.topics)
    some = judged - len(set(qrels.topics).intersection(*(run.lacking for run in readable)))
    every = judged - len(set[str]().union(*(run.lacking for run in readable)))
    counts = [judged - len(run.lacking) + run.other_topics for run in readable]
    theirs = f"{min(counts)} to {max(counts)} in the runs" if min(counts) < max(counts) else f"{counts[0]} in each run"
    lines = [
        f"topics: {judged} in the qrels, {theirs}; judged ones: {some} in some run, {every} in every run; "
        f"scored: {every if policy == 'common' else judged} ({policy})"
    ]
    lacking = [(run.name, run.lacking) for run in readable]
    fate = "left out" if policy == "common" else "score 0"
    for name, topics in [(name, topics) for name, topics in lacking if topics][:NAMED]:
        lines.append(f"{name} lacks {len(topics)} of {judged} topics ({fate}): {listed(topics)}")
    if (more := sum(1 for _, topics in lacking if topics) - NAMED) > 0:
        lines.append(f"{more} more runs lack topics")
    if others := [run.name for run in readable if run.other_topics]:
        lines.append(f"{len(others)} runs have topics that are not judged, which do not count: {listed(others)}")
    return lines


def grade_notes(qrels: Qrels, metrics: Sequence[Metric]) -> list[str]:
    """Say which grades there are, and which metrics do not tell them apart."""
    grades, counts = np.unique(qrels.grades, return_counts=True)
    lines = []
    if grades.size <= 12:
        histogram = ", ".join(f"{count} of {grade:g}" for grade, count in zip(grades, counts, strict=True))
        lines.append(f"grades: {histogram}")
    binary = [str(metric) for metric in metrics if metric.get("rel") == 1]
    if binary and qrels.grades.max(initial=0) > 1:
        lines.append(f"binary metrics count every grade from 1 up as relevant: {listed(binary)} (rel= says otherwise)")
    return lines


def barren_notes(qrels: Qrels, metrics: Sequence[Metric] = ()) -> list[str]:
    """Say which topics have no relevant document: of grade 1 or above, and of the grades that metrics ask for."""
    asked: dict[float, list[str]] = {1: []}
    for metric in metrics:
        if isinstance(rel := metric.get("rel"), int | float):
            asked.setdefault(rel, []).append(str(metric))
    return [line for rel, names in sorted(asked.items()) for line in _barren(qrels, rel, names)]


def _barren(qrels: Qrels, rel: float, names: Sequence[str]) -> list[str]:
    relevant = {qrels.topics[index] for index in np.unique(qrels.topic[qrels.grades >= rel])}
    barren = sorted(set(qrels.topics) - relevant)
    lack = "relevant document" if rel == 1 else f"document of grade {rel:g} or above"
    whom = "score 0 for all systems" if rel == 1 else f"score 0 for all systems by {listed(names)}"
    return [f"{len(barren)} topics have no {lack} ({whom}): {listed(barren)}"] if barren else []


def _run_notes(outcomes: Sequence[Outcome]) -> list[str]:
    lines = [f"left out: {run.error}" for run in outcomes if run.error is not None]
    readable = [run for run in outcomes if run.error is None]
    if nothing := [run.name for run in readable if not run.found]:
        lines.append(
            f"{len(nothing)} runs retrieve no judged document; do their ids match those of the qrels? {listed(nothing)}"
        )
    if disagree := [run.name for run in readable if run.disagreeing]:
        lines.append(
            f"{len(disagree)} runs have ranks that disagree with their scores, and scores count: {listed(disagree)} "
            "(irmeta validate counts their topics)"
        )
    return lines + identical({run.name: run.order for run in readable})


def identical(orders: Mapping[str, str]) -> list[str]:
    """Say which runs rank the same documents in the same order on every judged topic.

    orders : by run a digest of its lists, empty where it retrieves nothing.

    >>> identical({"a": "1", "b": "2", "c": "1", "d": ""})
    ['1 run ranks as an earlier run does on every topic: c as a; count such runs once where runs are a sample']
    """
    first: dict[str, str] = {}
    copies = [(name, first.setdefault(order, name)) for name, order in orders.items() if order]
    pairs = [f"{name} as {other}" for name, other in copies if name != other]
    if not pairs:
        return []
    count = f"{len(pairs)} runs rank" if len(pairs) > 1 else "1 run ranks"
    return [
        f"{count} as an earlier run does on every topic: {listed(pairs)}; count such runs once where runs are a sample"
    ]


def listed(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
