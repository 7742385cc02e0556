"""What an evaluation has to say beside its scores: which topics, which files, which grades."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from irmeta.errors import IrmetaError
from irmeta.evaluation.run_scores import RunScores
from irmeta.io.runs.rankings import Qrels
from irmeta.metrics.names import Metric
from irmeta.metrics.signatures import SETS
from irmeta.scores.averages.depths import short_list_notes
from irmeta.words import NAMED, counted, listed

MOSTLY_TIED = 0.9
"""Share of documents with the score of another above which document ids decide much of a run's order."""
GDEVAL = 4
"""What gdeval takes for the highest grade."""


def common_topics(qrels: Qrels, outcomes: Sequence[RunScores]) -> list[str]:
    """List the judged topics that every run has; raise IrmetaError if there is none."""
    readable = _readable(outcomes)
    lacked = {topic for run in readable for topic in run.lacking}
    common = [topic for topic in qrels.topics if topic not in lacked]
    if not common:
        worst = max(readable, key=lambda run: len(run.lacking))
        have = len(qrels.topics) - len(worst.lacking)
        raise IrmetaError(
            f"no judged topic is in every run; {worst.name} has {have} of {len(qrels.topics)}"
        )
    return common


def notes(
    qrels: Qrels, outcomes: Sequence[RunScores], metrics: Sequence[Metric], policy: str
) -> list[str]:
    """Say which topics the scores are over, what the readers remarked, and what the user may not have meant."""
    runs = _readable(outcomes)
    return [
        _shared_topics(qrels, runs, policy),
        *_topic_mismatches(runs, len(qrels.topics), policy),
        *grade_notes(qrels, metrics),
        *topics_without_relevant(qrels, metrics),
        *(str(remark) for remark in qrels.remarks),
        *(str(remark) for run in outcomes for remark in run.remarks),
        *(f"left out: {run.error}" for run in outcomes if run.error is not None),
        *_run_notes(runs),
        *short_list_notes({run.name: run.deepest for run in runs}, metrics),
    ]


def _readable(outcomes: Sequence[RunScores]) -> list[RunScores]:
    return [run for run in outcomes if run.error is None]


def mismatch_notes(runs: Sequence[RunScores], judged: int, policy: str) -> list[str]:
    """Say how runs and judgments go together: topics that either lacks, and runs without a judged document."""
    return [*_topic_mismatches(runs, judged, policy), *_unjudged_run_notes(runs)]


def _topic_mismatches(runs: Sequence[RunScores], judged: int, policy: str) -> list[str]:
    """Say which runs lack judged topics, and which have topics that nobody judged."""
    lacking = [run for run in runs if run.lacking]
    fate = "left out" if policy == "common" else "score 0"
    lines = [
        f"{run.name} lacks {len(run.lacking)} of {judged} topics ({fate}): {listed(run.lacking)}"
        for run in lacking[:NAMED]
    ]
    if len(lacking) > NAMED:
        more = len(lacking) - NAMED
        lines.append(
            f"{counted(more, 'more run')} {'lacks' if more == 1 else 'lack'} topics"
        )
    others = [run.name for run in runs if run.other_topics]
    if others:
        lines.append(
            f"{counted(len(others), 'run')} with topics that are not judged, which are ignored: "
            f"{listed(others)}"
        )
    return lines


def _shared_topics(qrels: Qrels, runs: Sequence[RunScores], policy: str) -> str:
    """Say how many of the judged topics the runs have, and how many are scored."""
    judged = len(qrels.topics)
    lacked = [set(run.lacking) for run in runs]
    in_every = judged - len(set[str]().union(*lacked))
    in_some = judged - len(set(qrels.topics).intersection(*lacked))
    if in_every == judged:
        every = "all " if judged > 1 else ""
        return (
            f"{counted(len(runs), 'run')} with {every}{counted(judged, 'judged topic')}"
        )
    scored = in_every if policy == "common" else judged
    return (
        f"{counted(judged, 'judged topic')}: {in_every} in every run, {in_some} in at least one; "
        f"{scored} scored (--topics {policy})"
    )


def grade_notes(qrels: Qrels, metrics: Sequence[Metric]) -> list[str]:
    """Say which grades there are, and which metrics do not distinguish them."""
    grades, counts = np.unique(qrels.grades, return_counts=True)
    lines = []
    if grades.size <= 12:
        histogram = ", ".join(
            f"{count} of grade {grade:g}"
            for grade, count in zip(grades, counts, strict=True)
        )
        lines.append(f"judgments: {histogram}")
    binary = [str(metric) for metric in metrics if metric.get("rel") == 1]
    if binary and qrels.grades.max(initial=0) > 1:
        lines.append(
            f"binary metrics take grade 1 and above as relevant (AP(rel=2) takes 2 and above): {listed(binary)}"
        )
    return [*lines, *_highest_grade_notes(qrels, metrics)]


def _highest_grade_notes(qrels: Qrels, metrics: Sequence[Metric]) -> list[str]:
    """Say what ERR takes for the highest grade where gdeval takes another, unless it comes with a set of metrics."""
    highest = qrels.grades.max(initial=0)
    names = set(map(str, metrics))
    asked = [one for one in metrics if one.base == "ERR" and one.get("max_rel") is None]
    if not asked or highest >= GDEVAL or names in map(set, SETS.values()):
        return []
    as_gdeval = replace(asked[0], params=(("max_rel", GDEVAL), *asked[0].params))
    return [
        f"{asked[0]} takes {highest:g} as the highest grade, which is that of these judgments; gdeval takes {GDEVAL}, "
        f"and so does {as_gdeval}"
    ]


def topics_without_relevant(qrels: Qrels, metrics: Sequence[Metric] = ()) -> list[str]:
    """Name the topics without a document of grade 1 or above, and of the grades that the metrics ask for."""
    asked: dict[float, list[str]] = {1: []}
    for metric in metrics:
        rel = metric.get("rel")
        if isinstance(rel, int | float):
            asked.setdefault(rel, []).append(str(metric))
    lines = []
    for rel, names in sorted(asked.items()):
        relevant = np.unique(qrels.topic[qrels.grades >= rel])
        without = sorted(set(qrels.topics) - {qrels.topics[at] for at in relevant})
        if not without:
            continue
        what = "relevant document"
        if rel != 1:
            what = f"document of grade {rel:g} or above"
        by = ""
        if rel != 1 or _has_fractional_gains(qrels, without):
            by = f" by {listed(names) or 'metrics that ask for one'}"
        lines.append(
            f"{counted(len(without), 'topic')} without a {what} (all systems score 0{by}): {listed(without)}"
        )
    return lines


def _has_fractional_gains(qrels: Qrels, topics: Sequence[str]) -> bool:
    """Tell whether topics have grades between 0 and 1, which nDCG and others take for gains."""
    gain = (qrels.grades > 0) & (qrels.grades < 1)
    return not {qrels.topics[index] for index in qrels.topic[gain]}.isdisjoint(topics)


def repetition_notes(lines: Iterable[str]) -> list[str]:
    """Return the first of the notes that say that a run had a document twice, and say how many others there are.

    >>> repetition_notes([f"{run}: dropped 1 line with a repeated document" for run in "ab"])
    ['a: dropped 1 line with a repeated document (in 1 other run, too)']
    """
    first, *others = [one for one in lines if "a repeated document" in one] or [""]
    more = f" (in {counted(len(others), 'other run')}, too)" if others else ""
    return [first + more] if first else []


def copy_notes(orders: Mapping[str, str]) -> list[str]:
    """Say which runs rank the same documents in the same order on every judged topic.

    orders : by run a digest of its lists, empty where it retrieves nothing.

    >>> copy_notes({"a": "1", "b": "2", "c": "1", "d": ""})
    ['1 run has the same ranking as an earlier run on every topic: c as a (to leave out copies: --drop-copies)']
    """
    first: dict[str, str] = {}
    copies = [
        (name, first.setdefault(order, name)) for name, order in orders.items() if order
    ]
    pairs = [f"{name} as {other}" for name, other in copies if name != other]
    if not pairs:
        return []
    verb = "has" if len(pairs) == 1 else "have"
    return [
        f"{counted(len(pairs), 'run')} {verb} the same ranking as an earlier run on every topic: {listed(pairs)} "
        "(to leave out copies: --drop-copies)"
    ]


def _run_notes(runs: Sequence[RunScores]) -> list[str]:
    """Name the runs without documents, or without a judged one, and those whose scores do not give their ranks."""
    empty = [run.name for run in runs if not run.order]
    lines = _unjudged_run_notes([run for run in runs if run.order])
    if empty:
        verb = "retrieves" if len(empty) == 1 else "retrieve"
        lines.append(
            f"{counted(len(empty), 'run')} {verb} nothing: {listed(empty)} (to leave out such runs: --drop-empty)"
        )
    contradicting = [run.name for run in runs if run.disagreeing]
    if contradicting:
        count = counted(len(contradicting), "run")
        lines.append(
            f"{count} with ranks that contradict the scores; ranks are ignored: "
            f"{listed(contradicting)} (irmeta validate counts the topics)"
        )
    constant = [run for run in runs if run.constant]
    if constant:
        where = (f"{run.name} in {counted(run.constant, 'topic')}" for run in constant)
        count = counted(len(constant), "run")
        lines.append(
            f"{count} with one score for all documents of a topic, which are ordered by their ids, as trec_eval does: "
            f"{listed(where)} (for another order, give scores that fall in it)"
        )
    tied = [run for run in runs if run.tied > MOSTLY_TIED and not run.constant]
    if tied:
        where = (f"{run.name} ({run.tied:.0%})" for run in tied)
        lines.append(
            f"{counted(len(tied), 'run')} with the score of another document of the topic for nearly all documents, "
            f"which are ordered by their ids, as trec_eval does: {listed(where)}"
        )
    rounded = [run for run in runs if run.rounded]
    if rounded:
        where = (f"{run.name} in {counted(run.rounded, 'topic')}" for run in rounded)
        lines.append(
            "trec_eval, whose scores have single precision, orders judged documents of "
            f"{counted(len(rounded), 'run')} otherwise, as --score-precision float32 does: {listed(where)}"
        )
    return lines + copy_notes({run.name: run.order for run in runs})


def _unjudged_run_notes(runs: Sequence[RunScores]) -> list[str]:
    """Name the runs without a judged document."""
    nothing = [run.name for run in runs if not run.found]
    if not nothing:
        return []
    return [
        f"{counted(len(nothing), 'run')} without any judged document; do their ids match those of the qrels? "
        f"{listed(nothing)}"
    ]
