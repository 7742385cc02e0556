"""What an evaluation has to say beside its scores: which topics, which files, which grades."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from irmeta.errors import IrmetaError, Remark
from irmeta.evaluation.judging import JudgedRun
from irmeta.io.fields import Floats
from irmeta.io.rankings import Qrels, Run
from irmeta.names import Metric

NAMED = 5
"""How many names a note lists before it says only how many more there are."""


@dataclass(frozen=True)
class Seen:
    """What is kept of a run once it has been judged.

    error : why it could not be read. foreign : what ir_measures scored, of shape (topic, metric).
    """

    name: str
    digest: str = ""
    topics: frozenset[str] = frozenset()
    other_topics: int = 0
    disagreeing: int = 0
    found: int = 0
    remarks: Sequence[Remark] = field(default_factory=tuple)
    error: str | None = None
    foreign: Floats | None = None

    @classmethod
    def of(cls, run: Run, judged: JudgedRun, foreign: Floats | None = None) -> "Seen":
        """Keep what notes are made of."""
        return cls(
            run.name,
            run.digest,
            judged.topics,
            judged.other_topics,
            judged.disagreeing,
            judged.rank.size,
            run.remarks,
            foreign=foreign,
        )


def common_topics(qrels: Qrels, seen: Sequence[Seen]) -> list[str]:
    """List the judged topics that every run has; none at all raises IrmetaError."""
    readable = [run for run in seen if run.error is None]
    common = [topic for topic in qrels.topics if all(topic in run.topics for run in readable)]
    if not common:
        fewest = min(readable, key=lambda run: len(run.topics))
        raise IrmetaError(
            f"no judged topic is in every run; {fewest.name} has {len(fewest.topics)} of {len(qrels.topics)}"
        )
    return common


def notes(qrels: Qrels, seen: Sequence[Seen], metrics: Sequence[Metric], policy: str) -> list[str]:
    """Say which topics the scores are over, what the readers remarked, and what the user may not have meant."""
    return [
        *_topic_notes(qrels, seen, policy),
        *grade_notes(qrels, metrics),
        *barren_notes(qrels),
        *(str(remark) for remark in qrels.remarks),
        *(str(remark) for run in seen for remark in run.remarks),
        *_run_notes(seen),
    ]


def _topic_notes(qrels: Qrels, seen: Sequence[Seen], policy: str) -> list[str]:
    readable = [run for run in seen if run.error is None]
    some = frozenset[str]().union(*(run.topics for run in readable))
    every = set(qrels.topics).intersection(*(run.topics for run in readable))
    scored = len(every) if policy == "common" else len(qrels.topics)
    lines = [
        f"topics: {len(qrels.topics)} in the qrels, {len(some)} of them in some run, {len(every)} in every run; "
        f"scored: {scored} ({policy})"
    ]
    lacking = [(run.name, [topic for topic in qrels.topics if topic not in run.topics]) for run in readable]
    fate = "left out" if policy == "common" else "score 0"
    for name, topics in [(name, topics) for name, topics in lacking if topics][:NAMED]:
        lines.append(f"{name} lacks {len(topics)} of {len(qrels.topics)} topics ({fate}): {listed(topics)}")
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


def barren_notes(qrels: Qrels) -> list[str]:
    """Say which topics have no relevant document."""
    barren = sorted(set(qrels.topics) - {qrels.topics[index] for index in np.unique(qrels.topic[qrels.grades >= 1])})
    text = f"{len(barren)} topics have no relevant document (score 0 for all systems): {listed(barren)}"
    return [text] if barren else []


def _run_notes(seen: Sequence[Seen]) -> list[str]:
    lines = [f"left out: {run.error}" for run in seen if run.error is not None]
    readable = [run for run in seen if run.error is None]
    if nothing := [run.name for run in readable if not run.found]:
        lines.append(
            f"{len(nothing)} runs retrieve no judged document; do their ids match those of the qrels? {listed(nothing)}"
        )
    if disagree := [run.name for run in readable if run.disagreeing]:
        lines.append(
            f"{len(disagree)} runs have ranks that disagree with their scores, and scores count: {listed(disagree)} "
            "(irmeta validate counts their topics)"
        )
    return lines


def listed(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
