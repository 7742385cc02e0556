"""Is this a sound set of runs and judgments? Everything `evaluate` would refuse or remark upon, and more; no scores."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import VARYING, FileFormatError, Remark, in_words_of_reader
from irmeta.evaluation.grades import core
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judging import Judgments, Ranking
from irmeta.evaluation.notes import (
    MOSTLY_TIED,
    copy_notes,
    grade_notes,
    topics_without_relevant,
)
from irmeta.evaluation.sources import (
    QrelsLike,
    RunsLike,
    Source,
    open_source,
    place_of,
    qrels_of,
    require_judged_topics,
    sources_with_problems,
)
from irmeta.io.files import Location, stem
from irmeta.io.runs.decimals import numbers
from irmeta.io.runs.fields import Strings
from irmeta.io.runs.rankings import Qrels, Run
from irmeta.io.runs.trec import Reading, parse_run
from irmeta.metrics.names import parse_list
from irmeta.parallel import in_order
from irmeta.scores.attributes import about
from irmeta.scores.figures import first_rows
from irmeta.scores.names import bare_name, labels
from irmeta.scores.result import result
from irmeta.stats import arrays
from irmeta.stats.arrays import Indices
from irmeta.studies.checks.expected import Expected, Ids
from irmeta.studies.result import returning_result
from irmeta.words import counted, listed

_SHARE = r"\b(\d+)%"
"""A share in percent."""
FEW = 10
"""Kinds of errors and of warnings that people are shown; JSON and the table `problems` have all."""
MANY_UNJUDGED = 0.2
"""Share of unjudged documents among the first ten above which a run's scores say little."""
SELF_RETRIEVAL = 0.2
"""Share of topics whose own id is the first document above which queries seem to be documents of the collection."""


@dataclass(frozen=True)
class RunFacts:
    """What a run is like: counts of topics and documents, shares in [0, 1]; NaN where it needs judgments."""

    system: str
    topics: int
    topics_missing: float
    topics_unjudged: float
    documents: int
    depth_low: int
    depth_median: float
    depth_high: int
    tied: float
    constant_topics: int
    disagreeing_topics: int
    reversed_topics: int
    unjudged_10: float
    self_retrieval: float


@returning_result
def validate(
    qrels: QrelsLike | None,
    runs: RunsLike,
    *,
    topics: Ids | None = None,
    documents: Ids | None = None,
    depth: int | None = None,
    reading: Reading | None = None,
) -> xr.Dataset:
    """Check runs, and how they fit the judgments; evaluate nothing.

    qrels, runs : as in `irmeta.evaluate`; qrels may be None, and then only the runs are checked
    topics : those that every run should have lists for, as ids or a file with one on each line; none of them is an
        error
    documents : those that lists may hold, in the same way
    depth : the most documents that a list may have
    reading : what to accept in files beyond their format, as there

    The result has the dimension `problem` (level, file, line, text; errors first) and `system` (see RunFacts); its
    notes say which grades there are.
    """
    reading = reading or Reading()
    expected = Expected.of(topics, documents, depth)
    judgments = folded = None
    notes: list[str] = []
    remarks: list[Remark] = []
    if qrels is not None:
        judgments, remarks = _checked_judgments(qrels, reading)
    if judgments is not None:
        # to notice documents that differ from the judged ones in case only
        lower = _lowered(judgments.qrels.documents)
        folded = Judgments(replace(judgments.qrels, documents=lower))
        notes = grade_notes(judgments.qrels, parse_list("seeds23"))
    facts = []
    tags: dict[str, list[str]] = {}
    orders: dict[str, str] = {}
    # so that it is known how many there are
    sources, beside = sources_with_problems(runs)
    remarks += beside
    inspect = partial(_inspect, judgments, folded, expected, reading, Path.cwd())
    for seen in in_order(inspect, sources, "runs"):
        remarks += seen.remarks
        fact = seen.facts
        if fact is not None:
            facts.append(fact)
            tags.setdefault(seen.tag, []).append(fact.system)
            orders[fact.system] = seen.order if fact.documents else ""
    remarks += _run_remarks(facts, tags)
    remarks += [
        Remark("warning", "all runs", None, text) for text in copy_notes(orders)
    ]
    data = _problems(remarks)
    rows = [asdict(fact) for fact in facts]
    for name in list(RunFacts.__dataclass_fields__)[1:]:
        data[name] = ("system", np.array([row[name] for row in rows]))
    options = {
        "qrels": None if judgments is None else judgments.qrels.source,
        "runs": len(facts),
    }
    if arrays.core is None:
        notes.append(f"{core.reader()}; the same comes out, only more slowly")
    outcome = result("validation", data, inputs={}, options=options, notes=notes)
    return outcome.assign_coords(
        system=np.array([fact.system for fact in facts], dtype=object)
    )


def _checked_judgments(
    qrels: QrelsLike, reading: Reading
) -> tuple[Judgments | None, list[Remark]]:
    """Read the judgments, None where they cannot be read, and say what is odd or wrong about them."""
    try:
        read = qrels_of(qrels, reading)
        judgments = Judgments(read)
    except FileFormatError as error:
        name = str(qrels) if isinstance(qrels, str | PathLike) else "qrels"
        return None, _error_remarks(error, name)
    barren = [
        Remark("warning", read.source, None, text)
        for text in topics_without_relevant(read)
    ]
    return judgments, [*read.remarks, *barren]


def _problems(remarks: Sequence[Remark]) -> dict[str, Any]:
    """Label what is wrong, errors first; a remark without a line has NaN."""
    ordered = sorted(remarks, key=lambda remark: remark.level != "error")
    lines = [np.nan if one.line is None else one.line for one in ordered]
    texts = {
        "level": [one.level for one in ordered],
        "file": [one.path for one in ordered],
        "text": [in_words_of_reader(one.text) for one in ordered],
    }
    columns = {name: np.asarray(part, dtype=object) for name, part in texts.items()}
    columns["line"] = np.array(lines, dtype=np.float64)
    return {name: ("problem", part) for name, part in columns.items()}


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `problems` (level, file, line, problem) and `runs` (one row for each system)."""
    problems = pl.DataFrame(
        {
            "level": pl.Series(outcome["level"].values.tolist(), dtype=pl.String),
            "file": pl.Series(labels(outcome["file"].values), dtype=pl.String),
            "line": pl.Series(outcome["line"].values).fill_nan(None).cast(pl.Int64),
            "problem": pl.Series(labels(outcome["text"].values), dtype=pl.String),
        }
    )
    columns = {
        name: outcome[name].values.tolist() for name in RunFacts.__dataclass_fields__
    }
    return {
        "problems": problems,
        "runs": pl.DataFrame({**columns, "system": labels(columns["system"])}),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show kinds of errors by file, with their first line and their count, and kinds of warnings with that of files."""
    problems = tables(outcome)["problems"].with_columns(
        kind=pl.col("problem").str.replace_all(VARYING, "#")
    )
    short = pl.col("file").replace(_short_names(problems["file"].unique()))
    errors = (
        problems.filter(level="error")
        .group_by("file", "kind", maintain_order=True)
        .agg(pl.col("line").first(), pl.len().alias("lines"), pl.col("problem").first())
        .with_columns(short)
        .drop("kind")
    )
    if (errors["lines"] == 1).all():
        errors = errors.drop("lines")
    share = pl.col("problem").str.extract(_SHARE).cast(pl.Int64)
    kinds = (
        problems.filter(level="warning")
        .with_columns(short, share=share)
        .sort("share", descending=True, nulls_last=True, maintain_order=True)
        .group_by("kind", maintain_order=True)
        .agg(
            pl.col("file").n_unique().alias("files"),
            _problem_over_files().alias("problem"),
            _worst_file().alias("as in"),
        )
    )
    views: dict[str, pl.DataFrame] = {}
    if errors.height:
        views |= first_rows("errors", errors, FEW)
    if kinds.height:
        views |= first_rows(
            "warnings",
            kinds.drop("kind").sort("files", descending=True, maintain_order=True),
            FEW,
        )
    return {
        name.replace("--table errors", "--table problems"): view
        for name, view in views.items()
    }


def _problem_over_files() -> pl.Expr:
    """Return the problem of the worst file, which is the first, with the shares of all."""
    least, most = pl.col("share").min(), pl.col("share").max()
    worst = pl.col("problem").first()
    between = worst.str.replace(_SHARE, pl.format("{}% to {}%", least, most))
    # a name at the end is that of one file only
    plain = worst.str.replace(r": '[^']*'$", "")
    return (
        pl.when(least < most)
        .then(between)
        .when(pl.col("problem").n_unique() > 1)
        .then(plain)
        .otherwise(worst)
    )


def _worst_file() -> pl.Expr:
    """Name the worst file, which is the first, with its share where others have a lower one."""
    least, most = pl.col("share").min(), pl.col("share").max()
    worst = pl.col("file").first()
    named = pl.format("{} ({}%)", worst, most)
    return pl.when(least < most).then(named).otherwise(worst)


def _short_names(files: Iterable[str]) -> dict[str, str]:
    """Return by file its name without its folders, where no other file is called so."""
    names = {file: file.rpartition("/")[2] for file in files}
    often = Counter(names.values())
    return {file: name for file, name in names.items() if often[name] == 1}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many errors and warnings there are, and what the errors mean for evaluation."""
    levels = outcome["level"].values.tolist()
    errors = counted(levels.count("error"), "error")
    wrong = {*outcome["file"].values[outcome["level"].values == "error"].tolist()}
    if wrong:
        errors += f" in {counted(len(wrong), 'file')}"
    warnings = counted(levels.count("warning"), "warning")
    if "error" in levels:
        verdict = "irmeta evaluate would refuse these files"
        if outcome.sizes["system"] and about(outcome)["options"]["qrels"] is not None:
            verdict += "; with --on-error skip it leaves out runs that it cannot read"
        verdict += "."
    else:
        verdict = "irmeta evaluate would accept them."
    lines = [
        f"{counted(outcome.sizes['system'], 'readable run')}, {errors}, {warnings}. {verdict}"
    ]
    if levels:
        lines.append(
            "All problems: --table problems. What each run holds: --table runs."
        )
    return lines


class _Inspected(NamedTuple):
    """What was found in a run: its facts, None where it cannot be read, its tag, a digest of its lists, and remarks."""

    facts: RunFacts | None
    tag: str
    order: str
    remarks: list[Remark]


def _error_remarks(error: FileFormatError, file: str) -> list[Remark]:
    """Return the remarks of an error in a file, or one that says the same."""
    return list(error.remarks) or [
        # a thread does not know who reads it
        Remark("error", file, None, str(error.args[0]).removeprefix(f"{file}: "))
    ]


def _inspect(
    judgments: Judgments | None,
    folded: Judgments | None,
    expected: Expected,
    reading: Reading,
    folder: Path,
    source: Source,
) -> _Inspected:
    """Read a run, gather its facts, and say what is odd about them.

    folded : the judgments with ids in lower case.  folder : where paths begin.
    """
    try:
        given = open_source(source, folder)
        if isinstance(given, Run):
            run = given
        else:
            run = parse_run(given, source[0], reading)
        if judgments is not None:
            require_judged_topics(run, judgments.qrels, place_of(source))
        unexpected = expected.remarks(run, place_of(source))
    except FileFormatError as error:
        return _Inspected(None, "", "", _error_remarks(error, place_of(source)))
    against = judgments or Judgments(
        Qrels(run.topics, np.empty(0, np.intp), Strings.of([]), np.empty(0))
    )
    ranking = against.rank(run)
    judged = against.look_up(run, ranking)
    facts = _facts(run, against, ranking, judged, known=judgments is not None)
    texts = _oddities(run, facts, judgments)
    if folded and facts.documents:
        texts += _mismatches(run, ranking, judged, folded)
    file = ""
    if isinstance(source[1], Location):
        file = bare_name(stem(source[1]))
    # a mapping may give another name
    if source[0] in file and not _resemble(run.tag, file):
        texts.append(
            f"the run tag differs from the name of the file, which names the system: {run.tag!r}"
        )
    odd = [Remark("warning", place_of(source), None, text) for text in texts]
    remarks = [*run.remarks, *unexpected, *odd]
    return _Inspected(facts, run.tag, judged.order, remarks)


def _resemble(tag: str, name: str) -> bool:
    """Say whether one contains the other: files are often named `input.TAG` or `TAG.run`."""
    return tag.lower() in name.lower() or name.lower() in tag.lower()


def _facts(
    run: Run, against: Judgments, ranking: Ranking, judged: JudgedRun, *, known: bool
) -> RunFacts:
    """Return what a run is like. known : whether there are judgments; else `against` has the run's topics alone."""
    heads = np.flatnonzero(ranking.new)
    depths = np.diff(heads, append=ranking.topic.size)
    last = heads + depths - 1
    own = [
        against.qrels.topics[ranking.topic[head]] == run.documents[ranking.row[head]]
        for head in heads
    ]
    lacking = len(against.qrels.topics) - len(judged.topics)
    return RunFacts(
        system=run.name,
        topics=len(run.topics),
        topics_missing=lacking if known else np.nan,
        topics_unjudged=judged.other_topics if known else np.nan,
        documents=run.scores.size,
        depth_low=int(depths.min()) if depths.size else 0,
        depth_median=float(np.median(depths)) if depths.size else 0.0,
        depth_high=int(depths.max(initial=0)),
        tied=float(ranking.tied.mean()) if ranking.tied.size else 0.0,
        constant_topics=judged.constant,
        disagreeing_topics=judged.disagreeing,
        reversed_topics=_count_reversed(run, ranking.row, heads, last),
        unjudged_10=_unjudged_share(against, judged, depths) if known else np.nan,
        self_retrieval=float(np.mean(own)) if own else 0.0,
    )


def _count_reversed(run: Run, row: Indices, heads: Indices, last: Indices) -> int:
    """Count the topics whose rank column runs the other way than the scores: its end stands before its beginning."""
    if run.ranks is None:
        return 0
    try:
        ranks = numbers(run.ranks.take(row), float)
    except ValueError:
        return 0
    return int((ranks[heads] > ranks[last]).sum())


def _unjudged_share(judgments: Judgments, judged: JudgedRun, depths: Indices) -> float:
    """Return the share of the first ten documents that are not judged, or below zero."""
    first = np.minimum(depths, 10).sum()
    known = (judged.rank < 10) & (judgments.qrels.grades[judged.judgment] >= 0)
    if first:
        return 1 - float(known.sum() / first)
    return 0.0


def _oddities(run: Run, facts: RunFacts, judgments: Judgments | None) -> list[str]:
    """Put what is odd about a run into words."""
    if not facts.documents:
        return ["has no documents"]
    odd = []
    if facts.topics_missing > 0 and judgments:
        missing = [
            topic for topic in judgments.qrels.topics if topic not in set(run.topics)
        ]
        odd.append(
            f"lacks {len(missing)} of {len(judgments.qrels.topics)} judged topics: {listed(missing)}"
        )
    if facts.topics_unjudged > 0:
        odd.append(
            f"{facts.topics_unjudged:.0f} of its {facts.topics} topics are not judged and are "
            "ignored"
        )
    if facts.reversed_topics > facts.topics / 2:
        odd.append(
            f"ranks contradict scores in {facts.reversed_topics} of {facts.topics} topics; are the "
            "scores distances? The highest score counts as the best"
        )
    elif facts.disagreeing_topics:
        odd.append(
            f"ranks and scores disagree in {facts.disagreeing_topics} of {facts.topics} topics; "
            "ranks are ignored"
        )
    if facts.constant_topics:
        odd.append(
            f"scores are constant in {facts.constant_topics} of {facts.topics} topics, so "
            "document ids decide the order"
        )
    elif facts.tied > MOSTLY_TIED:
        odd.append(
            f"{facts.tied:.0%} of documents have the score of another of their topic (are scores rounded?); their "
            "order is that of trec_eval: document ids, descending"
        )
    if facts.unjudged_10 > MANY_UNJUDGED:
        odd.append(
            f"{facts.unjudged_10:.0%} of the first ten documents are not judged, so its scores "
            "are lower bounds"
        )
    if facts.self_retrieval > SELF_RETRIEVAL:
        odd.append(
            f"in {facts.self_retrieval:.0%} of the topics the first document is the topic itself"
        )
    return odd


def _mismatches(
    run: Run, ranking: Ranking, judged: JudgedRun, folded: Judgments
) -> list[str]:
    """Say whether ids seem to be written otherwise than in the judgments, which are also given in lower case."""
    odd = []
    if not judged.rank.size:
        odd.append("retrieves no judged document; do its ids match those of the qrels?")
    lowered = replace(run, documents=_lowered(run.documents))
    gained = folded.look_up(lowered, ranking).rank.size - judged.rank.size
    if gained > 0:
        odd.append(
            f"{gained} more documents would be judged if case were ignored; check the spelling "
            "of ids"
        )
    return odd


def _lowered(documents: Strings) -> Strings:
    """Return ids in lower case."""
    return Strings(documents.buffer.lower(), documents.start, documents.length)


def _run_remarks(facts: list[RunFacts], tags: Mapping[str, list[str]]) -> list[Remark]:
    """Remark upon what shows only when runs are seen beside each other; `tags` gives the systems of each run tag."""
    texts = [
        f"{len(systems)} files have the run tag {tag!r}: {listed(systems)}"
        for tag, systems in tags.items()
        if tag and len(systems) > 1
    ]
    depths = sorted({fact.depth_high for fact in facts})
    if len(depths) > 1 and depths[0] * 2 <= depths[-1]:
        most = max(depth for depth in depths if depth * 2 <= depths[-1])
        short = [fact.system for fact in facts if fact.depth_high <= most]
        texts.append(
            f"{len(short)} of {counted(len(facts), 'run')} {'has' if len(short) == 1 else 'have'} at most "
            f"{most} documents a topic, where others have up to {depths[-1]}: {listed(short)}"
        )
    return [Remark("warning", "all runs", None, text) for text in texts]
